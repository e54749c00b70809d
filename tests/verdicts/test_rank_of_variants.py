"""Many systems, most of them variants of one: what is told apart, and how often falsely."""

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank.inference import run_joint_test
from tests.report.written import whole_text


def board(n, k, rng, *, gain=0.0):
    """Return ready scores of k variants of one system and of one other; all means are equal."""
    variants = rng.beta(0.8, 1.6, n)[:, None] + 0.03 * rng.normal(size=(n, k))
    second = rng.beta(0.8, 1.6, n) + gain
    return np.column_stack([variants, second])


def frame(scores):
    names = [f"v{i}" for i in range(scores.shape[1] - 1)] + ["other"]
    data_frame = pd.DataFrame(scores, columns=names)
    data_frame.insert(0, "query_id", [f"q{i:03}" for i in range(len(scores))])
    return data_frame


@pytest.mark.slow
def test_max_t_is_the_default_of_all_pairs_and_tukey_on_request_says_what_it_takes() -> None:
    scores = frame(board(50, 10, np.random.default_rng(3)))
    ranking = abrank.rank_scores(scores, measures="AP")
    assert ranking.test == "max-t"
    assert "rule Max-T sign flips, all pairs" in whole_text(ranking)
    text = whole_text(abrank.rank_scores(scores, measures="AP", test="tukey"))
    assert "times the pooled one: it finds false differences" in text
    assert "Max-T sign flips (without --test) give each pair its own error" in text
    alike = np.random.default_rng(4).normal(0.5, 0.1, (50, 6)).clip(0, 1)
    text = whole_text(abrank.rank_scores(frame(alike), measures="AP", test="tukey"))
    assert "finds false differences" not in text


def test_few_queries_are_flipped_all_and_told_that_nothing_can_be_shown() -> None:
    ranking = abrank.rank_scores(frame(board(5, 3, np.random.default_rng(1))), measures="AP")
    assert (ranking.method, ranking.n_significant) == ("exact", 0)
    text = " ".join(str(ranking).split())
    assert (
        "With 5 queries no flip of signs gives a p below 0.0625: no difference can be significant"
        in text
    )


@pytest.mark.slow
def test_the_default_keeps_its_level_where_tukey_does_not() -> None:
    # Ten variants and one other, 25 queries; paired Tukey told .18 of them apart.
    rng = np.random.default_rng(17)
    message = {"max-t": 0, "tukey": 0}
    for seed in range(120):
        scores = board(25, 10, rng)
        for test in message:
            options = {"n_resamples": 999, "seed": seed} if test == "max-t" else {}
            message[test] += run_joint_test(test, scores, **options).pvalue_adj.min() < 0.05
    assert message["max-t"] <= 14
    assert message["tukey"] >= 13
