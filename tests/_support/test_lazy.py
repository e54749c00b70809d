"""Late binding by name: heavier packages are imported when they are first used."""

from abrank._support.lazy import homes


def test_names_have_the_modules_they_come_from() -> None:
    assert homes({"abrank.rule": "Design Guard"}) == {
        "Design": "abrank.rule",
        "Guard": "abrank.rule",
    }
