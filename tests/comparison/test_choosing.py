"""The measure that decides, and in which direction each is better."""

from abrank.comparison.choosing import (
    Directions,
    MeasureChoice,
    canonical_name,
    choose,
    directions,
    directions_again,
)


def test_the_measure_that_decides_and_directions() -> None:
    apart = choose(["NumRet", "runid", "AP", "P@5"], (), constant=["runid"])
    assert apart == MeasureChoice(("AP", "P@5"), "AP", ("NumRet", "runid"), 2)
    assert choose(["P@5", "AP"], None) == MeasureChoice(("P@5", "AP"), "P@5")
    assert directions(["AP", "ms"], "ms") == Directions({"AP": True, "ms": False})
    assert directions(["AP", "ms"]).undeclared == ("ms",)
    assert directions(["AP", "ms"], (), "ms").undeclared == ()
    by_name = directions(["AP", "ms", "cost"]).by_name(["AP", "cost"])
    assert by_name.higher == {"AP": True, "ms": False, "cost": True}
    assert by_name.undeclared == ("cost",)
    assert directions_again({"AP": True, "ms": True, "cost": True}, ["cost"]).undeclared == (
        "cost",
    )
    assert (canonical_name("map"), canonical_name("clicks")) == ("AP", "")
