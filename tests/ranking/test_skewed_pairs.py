"""Pairs of a ranking that differ by sign flips, and not by t corrected for skewness."""

from __future__ import annotations

import numpy as np
import pytest

from abrank.inference.paired import mean_and_error, skewed_t, skewness_of
from abrank.ranking import rank_scores
from abrank.report import compose
from abrank.scoring.scores import Scores

# Skewed: two queries that B wins stand against eight like losses.
LOST = -np.array([0.1, 0.12, 0.08, 0.11, 0.09, 0.1, 0.13, -0.02, 0.12, -0.12])


def ranking(*moved, measures=("AP",), **how):
    """Rank a system and others that differ from it by so much, on as many queries."""
    columns = [np.full(len(moved[0]), 0.5), *(0.5 + item for item in moved)]
    values = np.stack([np.stack(columns, axis=1)] * len(measures), axis=2)
    ids = tuple(f"q{i}" for i in range(len(values)))
    names = tuple("ABCDEF"[: len(columns)])
    return rank_scores(Scores(ids, names, measures, values), **how)


def found(made):
    return [note.values for note in made.cautions if note.code == "skewness-decides"]


def test_a_pair_that_only_skewness_shows_is_named() -> None:
    result = ranking(LOST)
    d = -LOST[:, None]
    corrected = skewed_t(*mean_and_error(d), skewness_of(d), len(d), np.array([0.05]))[0]
    assert result.pair_rows[0].pvalue_adj < 0.05 <= corrected[0]
    assert found(result) == [
        {"measure": "AP", "count": 1, "of": 1, "pairs": [{"ahead": "A", "behind": "B"}]}
    ]
    assert "Skewness decides the pair that differs." in [
        caution.heading for caution in compose(result).cautions
    ]


def test_a_pair_is_named_by_the_better_one_first_whichever_is_the_baseline() -> None:
    for baseline in "AB":
        assert found(ranking(LOST, baseline=baseline))[0]["pairs"] == [
            {"ahead": "A", "behind": "B"}
        ]
    assert found(ranking(LOST, measures=("cost",), lower_is_better="cost"))[0]["pairs"] == [
        {"ahead": "B", "behind": "A"}
    ]


def test_every_measure_is_told_and_those_after_three_are_counted() -> None:
    result = ranking(
        LOST, LOST - 1e-3, LOST - 2e-3, LOST - 3e-3, measures=("AP", "RR"), test="t", adjust="none"
    )
    message = found(result)
    assert [item["measure"] for item in message] == ["AP", "RR"]
    assert [len(item["pairs"]) for item in message] == [3, 3]
    text = next(
        caution for caution in compose(result).cautions if caution.code == "skewness-decides"
    ).text
    assert f"and {message[0]['count'] - 3} other pair" in text


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "bootstrap"])
def test_a_test_that_is_not_about_the_mean_or_allows_for_skewness_is_not_doubted(test) -> None:
    assert found(ranking(LOST, test=test)) == []


def test_nothing_is_told_of_pairs_that_do_not_differ_or_are_hardly_skewed() -> None:
    random = np.random.default_rng(3)
    assert found(ranking(random.normal(0.0, 0.1, 50))) == []
    assert found(ranking(random.normal(0.2, 0.1, 50))) == []
    assert found(ranking(LOST[:1])) == []
