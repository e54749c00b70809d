"""The leaderboard: a row a system, its distance from the first or the baseline drawn."""

import math

import numpy as np
import pandas as pd

from abrank import rank_scores
from abrank.report.model import Words
from abrank.report.subjects.leaderboard import chance, leaderboard, letter, letters
from tests.report.written import text


def test_a_chance_is_never_printed_as_none_or_all() -> None:
    shares = 1.0, 0.99991, 0.256, 0.0001, 0.0
    assert [*map(chance, shares)] == ["100%", "> 99.9%", "25.6%", "< 0.1%", "0%"]


def test_letters_that_follow_each_other_are_a_range_and_go_on_beyond_z() -> None:
    assert [*map(letters, ("abcdf", "abcdfghij"))] == ["abcdf", "a–d, f–j"]
    places = 0, 25, 26, 27, 701, 702
    assert [*map(letter, places)] == ["a", "z", "aa", "ab", "zz", "aaa"]


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


def test_an_interval_of_a_difference_shown_in_a_later_step_is_explained() -> None:
    rng = np.random.default_rng(14)
    base = rng.random(30) * 0.4 + 0.2
    runs = {
        name: {f"q{i}": score for i, score in enumerate(base + gain + rng.normal(0, 0.1, 30))}
        for name, gain in {"a": 0.0, "b": 0.2, "c": 0.07}.items()
    }
    ranking = rank_scores(runs, baseline="a")
    assert 0.0 < ranking.distances["c"].interval.low < 1e-9
    assert "interval ends at 0, a later" in text(ranking)
    assert [*ranking.readings.values()] == ["better", "better"]
    assert "a later" not in text(rank_scores({name: runs[name] for name in "ab"}, baseline="a"))
