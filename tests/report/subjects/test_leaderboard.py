"""The leaderboard: a row a system, its distance from the first or the baseline drawn."""

import math

import pandas as pd

from abrank import rank_scores
from abrank.report.model import Words
from abrank.report.subjects.leaderboard import chance, leaderboard, letter, letters
from tests.report.written import text


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


def test_intervals_lie_within_the_measures_range_and_an_open_one_is_not_drawn() -> None:
    """Few and wide differences: limits of nDCG end at 1; three queries have no interval at all."""
    table = pd.DataFrame({
        "few": [0.0, 1.0, 0.0, 1.0, 0.0, 1.0], "many": [1.0, 0.05, 1.0, 0.0, 0.9, 0.2],
    })  # fmt: skip
    wide = rank_scores(table, measures="nDCG@10", test="tukey")
    assert max(abs(end) for row in wide.pair_rows for end in row.interval) > 1.0
    (bar,) = (bar for bar in leaderboard(Words(wide)).bars if bar.estimate)
    assert max(abs(bar.low), abs(bar.high)) == 1.0
    assert "1.000" in text(wide)
    nothing = rank_scores(table.iloc[:3], measures="nDCG@10")
    (bar,) = (bar for bar in leaderboard(Words(nothing)).bars if bar.estimate)
    assert math.isnan(bar.low)
    assert math.isnan(bar.high)
