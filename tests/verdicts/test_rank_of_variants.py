"""Many systems, most of them variants of one: what is told apart, and how often falsely."""

import time

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank.inference import run_joint_test
from abrank.inference.families import max_t
from tests.report.written import whole_text


def board(n, k, rng, *, gain=0.0):
    """Return ready scores of k variants of one system and of one other; all means are equal."""
    base = rng.beta(0.8, 1.6, n)
    variants = base[:, None] + 0.03 * rng.normal(size=(n, k))
    second = rng.beta(0.8, 1.6, n) + gain
    return np.column_stack([variants, second])


def frame(scores):
    names = [f"v{i}" for i in range(scores.shape[1] - 1)] + ["other"]
    data_frame = pd.DataFrame(scores, columns=names)
    data_frame.insert(0, "query_id", [f"q{i:03}" for i in range(len(scores))])
    return data_frame


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


@pytest.mark.slow
@pytest.mark.parametrize("baseline", [None, "v0", ["v0", "v1"]])
def test_an_interval_excludes_0_exactly_where_the_adjusted_p_is_below_alpha(baseline) -> None:
    rng = np.random.default_rng(23)
    gained = 0
    for _ in range(25):
        scores = board(20, 5, rng) + np.array([0.0, 0.012, 0.02, 0.03, 0.045, 0.0])
        ranking = abrank.rank_scores(frame(scores), measures="AP", baseline=baseline)
        for row in ranking.pair_rows:
            outside = row.ci_low > 0 or row.ci_high < 0
            assert outside == (row.pvalue_adj < 0.05) == (row.reading in ("better", "worse"))
            assert row.ci_low <= row.diff <= row.ci_high
            gained += 0 < abs(row.ci_low) < 1e-300 or 0 < abs(row.ci_high) < 1e-300
    # Some pair is told apart by the steps alone; its interval ends at 0, and leaves it out.
    assert gained > 0


def test_the_intervals_hold_jointly_and_the_p_values_are_those_of_the_steps() -> None:
    rng = np.random.default_rng(5)
    scores = board(30, 4, rng, gain=0.2)
    joint_test = run_joint_test("max-t", scores, seed=2)
    apart = scores[:, joint_test.pairs.second] - scores[:, joint_test.pairs.first]
    alone = max_t(apart, seed=2)
    np.testing.assert_allclose(joint_test.pvalue_adj, alone.pvalue_step_down, atol=1e-12)
    assert np.all(joint_test.pvalue_adj <= alone.pvalue)
    selected = (joint_test.pvalue_adj < 0.05) == (alone.pvalue < 0.05)
    # Scores are rounded to ten digits here, differences there.
    np.testing.assert_allclose(joint_test.ci_low[selected], alone.ci_low[selected], rtol=1e-7)


def test_few_queries_are_flipped_all_and_told_that_nothing_can_be_shown() -> None:
    ranking = abrank.rank_scores(frame(board(5, 3, np.random.default_rng(1))), measures="AP")
    assert (ranking.method, ranking.n_significant) == ("exact", 0)
    text = " ".join(str(ranking).split())
    assert (
        "With 5 queries no flip of signs gives a p below 0.0625: no difference can be significant"
        in text
    )


@pytest.mark.slow
def test_129_systems_take_seconds() -> None:
    scores = board(50, 128, np.random.default_rng(9))
    start = time.process_time()
    joint_test = run_joint_test("max-t", scores)
    assert len(joint_test.pvalue_adj) == 8256
    assert time.process_time() - start < 20
