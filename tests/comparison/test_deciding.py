"""The decision on the primary measure, and what two systems share that never differ."""

from __future__ import annotations

import math

import pytest
from scipy.stats import binom

import abrank
from abrank import compare_scores
from abrank.verdict import Rule, Verdict, decide

QRELS = {f"q{i}": {"d1": 1, "d2": 0, "d3": 1} for i in range(12)}
RUN = {f"q{i}": {"d1": 3.0, "d2": 2.0, "d3": 1.0} for i in range(12)}
# Another document on the second rank: the first rank is the same.
OTHER = {query: {"d1": 3.0, "d3": 2.0, "d2": 1.0} for query in RUN}
# Other scores, the same order.
SAME = {query: {doc: 10 * score for doc, score in docs.items()} for query, docs in RUN.items()}


@pytest.mark.parametrize("require", ["better", "non-inferior", "equivalent"])
def test_two_tied_queries_pass_no_gate_that_asks_for_evidence(require) -> None:
    # They passed, with interval [0, 0] and no caution.
    a = {"q1": 0.2, "q2": 0.4}
    result = compare_scores(a, a, margin=0.001, require=require)
    assert result.verdict is Verdict.IDENTICAL
    assert not result.decision.gate.passed


@pytest.mark.parametrize("direction", [1, 0, -1])
def test_same_rests_on_the_wider_interval_where_a_difference_is_shown(direction: int) -> None:
    wide, narrow = (0.001, 0.009), (0.002, 0.008)
    if direction < 0:
        wide, narrow = (-0.009, -0.001), (-0.008, -0.002)
    if not direction:
        wide, narrow = (-0.004, 0.004), (-0.003, 0.003)
    rule = Rule("AP", margin=0.01)
    decision = decide(rule, estimate=0.0, interval=wide, equivalence_interval=narrow)
    assert (decision.verdict, decision.direction) == (Verdict.SAME, direction)
    assert decision.by_margin is (direction == 0)
    assert decision.deciding == (wide if direction else narrow)
    assert rule.confidence_of(decision) == pytest.approx(0.95 if direction else 0.9)


def test_what_is_identical_is_told_apart(tmp_path) -> None:
    def reason(a, b, measure) -> str:
        result = abrank.compare(QRELS, a, b, measures=measure)
        assert (result.decision.of_numbers or result.verdict) is Verdict.IDENTICAL
        return result.decision.reason

    assert reason(RUN, OTHER, "P@1") == "tied-scores"
    assert reason(RUN, SAME, "P@1") == "same-rankings"
    path = tmp_path / "a.run"
    abrank.read_run(RUN).write(path)
    assert reason(path, path, "P@1") == "same-file"
    assert abrank.compare(QRELS, path, path, measures="P@1").verdict is Verdict.CANNOT_TEST
    scores = dict.fromkeys(RUN, 0.5)
    assert compare_scores(scores, scores).decision.reason == "tied-scores"


@pytest.mark.parametrize("alpha", [0.05, 0.01])
@pytest.mark.parametrize("n", [2, 12, 60])
def test_the_share_that_could_differ_is_the_exact_binomial_bound(n, alpha) -> None:
    import pandas as pd

    scores = pd.DataFrame({"AP": [0.5] * n}, index=[f"q{i}" for i in range(n)])
    unseen = compare_scores(scores, scores, alpha=alpha).decision.unseen
    # With that share of differing queries, none is seen among n with the chance alpha.
    assert binom.pmf(0, n, unseen.share) == pytest.approx(alpha)
    assert unseen.share == pytest.approx(1 - alpha ** (1 / n))
    assert unseen.difference == unseen.share  # times the range of AP, 1


def test_the_loss_is_open_where_the_range_is() -> None:
    unseen = compare_scores({"q1": 3.0, "q2": 4.0}, {"q1": 3.0, "q2": 4.0}).decision.unseen
    assert math.isnan(unseen.difference)


def test_what_no_query_shows_is_bounded_whatever_they_show() -> None:
    unseen = compare_scores({"q1": 0.1, "q2": 0.2}, {"q1": 0.1, "q2": 0.3}).decision.unseen
    assert unseen is not None
    assert unseen.share == pytest.approx(1 - 0.05**0.5)


def test_the_deciding_interval_is_in_the_unit_of_the_measure() -> None:
    a = {f"q{i}": 0.4 + 0.01 * i for i in range(20)}
    b = {query: score + 0.004 * (-1) ** i for i, (query, score) in enumerate(a.items())}
    for margin in (0.01, "2%"):
        result = compare_scores(a, b, margin=margin)
        assert result.verdict is Verdict.SAME
        decision = result.decision
        assert result.rule.confidence_of(decision) == pytest.approx(0.9)
        assert decision.by_margin
        found = decision.deciding.times(decision.unit)
        assert -result.decision.margin < found.low < 0 < found.high < result.decision.margin
