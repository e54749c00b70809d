"""The leaderboard: a row a system, its distance from the first or the baseline drawn."""

from __future__ import annotations

from abrank.report.subjects.leaderboard import chance, letter, letters


def test_a_chance_is_never_printed_as_none_or_all() -> None:
    assert (chance(1.0), chance(0.99991), chance(0.256), chance(0.0001), chance(0.0)) == (
        "100%",
        "> 99.9%",
        "25.6%",
        "< 0.1%",
        "0%",
    )


def test_letters_that_follow_each_other_are_a_range() -> None:
    assert (letters("abcdf"), letters("abcdfghij")) == ("abcdf", "a–d, f–j")


def test_systems_have_letters_beyond_z() -> None:
    assert [letter(place) for place in (0, 25, 26, 27, 701, 702)] == [
        "a",
        "z",
        "aa",
        "ab",
        "zz",
        "aaa",
    ]
