"""The measure that decides, and in which direction each is better."""

from abrank.comparison import choosing


def test_the_measure_that_decides_and_directions() -> None:
    apart = choosing.choose(["NumRet", "runid", "AP", "P@5"], (), constant=["runid"])
    assert apart == choosing.MeasureChoice(("AP", "P@5"), "AP", ("NumRet", "runid"), 2)
    assert choosing.choose(["P@5", "AP"], None) == choosing.MeasureChoice(("P@5", "AP"), "P@5")
    assert choosing.directions(["AP", "ms"], "ms") == choosing.Directions({"AP": True, "ms": False})
    assert choosing.directions(["AP", "ms"]).undeclared == ("ms",)
    assert choosing.directions(["AP", "ms"], (), "ms").undeclared == ()
    by_name = choosing.directions(["AP", "ms", "cost"]).by_name(["AP", "cost"])
    assert by_name.higher == {"AP": True, "ms": False, "cost": True}
    assert by_name.undeclared == ("cost",)
    assert choosing.directions_again(
        {"AP": True, "ms": True, "cost": True}, ["cost"]
    ).undeclared == ("cost",)
    assert (choosing.canonical_name("map"), choosing.canonical_name("clicks")) == ("AP", "")
