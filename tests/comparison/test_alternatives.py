"""Sensitivity analysis: each alternative has the numbers of the option that declares it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abrank import AlignmentError, compare, compare_scores
from abrank.comparison import Alternative, Comparison
from abrank.options import Scoring
from abrank.verdict import Verdict

Table = dict[str, dict[str, Any]]


def tables() -> tuple[Table, Table, Table]:
    """Return judgments, a baseline and a candidate, a fifth of the retrieved documents unjudged."""
    rng = np.random.default_rng(8)
    qrels: Table = {}
    runs: tuple[Table, Table] = ({}, {})
    for i in range(60):
        query = f"q{i:02}"
        relevance = rng.random(80)
        qrels[query] = {f"d{j}": int(relevance[j] > 0.8) for j in range(80) if j % 5}
        for run, noise in zip(runs, (0.4, 0.3), strict=True):
            scores = relevance + noise * rng.standard_normal(80)
            run[query] = {f"d{j}": float(scores[j]) for j in range(80)}
    return qrels, *runs


QRELS, A, B = tables()


def first(run: Table, depth: int) -> Table:
    """Return a run cut at a rank."""
    return {q: dict(sorted(d.items(), key=lambda e: -e[1])[:depth]) for q, d in run.items()}


def of(comparison: Comparison) -> dict[str, Alternative]:
    return {each.kind: each for each in comparison.alternatives}


def assert_same(found: Alternative, declared: Comparison) -> None:
    row = declared.primary
    for name in ("mean_a", "mean_b", "diff", "ci_low", "ci_high", "pvalue"):
        assert getattr(found, name) == pytest.approx(getattr(row, name), rel=1e-12, abs=1e-15)
    verdict = declared.decision.of_numbers or declared.verdict
    assert (found.n_queries, found.verdict) == (declared.n_queries, verdict)


def test_judged_only_is_the_option() -> None:
    comparison = compare(QRELS, A, B, measures=["AP"])
    found = of(comparison)["judged-only"]
    assert_same(found, compare(QRELS, A, B, measures=["AP"], scoring=Scoring(judged_only=True)))
    assert found.diff != comparison.mean_difference


@pytest.mark.parametrize("margin", [0.0, 0.01])
@pytest.mark.parametrize("test", ["t", "permutation", "wilcoxon"])
def test_common_depth_is_the_option(test: str, margin: float) -> None:
    how: dict[str, Any] = {"measures": ["AP", "P@5"], "test": test, "margin": margin}
    comparison = compare(QRELS, A, first(B, 10), **how)
    found = of(comparison)["common-depth"]
    assert found.depth == 10
    assert_same(found, compare(QRELS, A, first(B, 10), scoring=Scoring(depth=10), **how))


def test_a_run_that_was_cut_is_worse_by_its_depth_alone() -> None:
    """The candidate is better at every depth, and loses where only the baseline goes on."""
    comparison = compare(QRELS, A, first(B, 20), measures=["AP"])
    found = of(comparison)["common-depth"]
    assert (comparison.verdict, comparison.decision.reason) == ("cannot-test", "common-depth")
    assert comparison.decision.of_numbers is Verdict.WORSE
    assert (found.verdict, found.changes) == (Verdict.BETTER, True)
    (note,) = [note for note in comparison.notes if note.code == "unequal-depth"]
    assert note.severity == 3
    assert note.values["medians"] == {"a": 80, "b": 20}
    assert note.values["differences"]["AP"] == pytest.approx(
        [comparison.mean_difference, found.diff]
    )


def test_shared_queries_are_what_dropping_leaves() -> None:
    few = {query: B[query] for query in list(B)[:20]}
    how: dict[str, Any] = {"measures": ["AP"]}
    zero = compare(QRELS, A, few, **how)
    drop = compare(QRELS, A, few, scoring=Scoring(missing="drop"), **how)
    assert_same(of(zero)["shared-queries"], drop)
    assert_same(of(drop)["missing-as-zero"], zero)
    assert next(iter(of(zero))) == "shared-queries"
    assert next(iter(of(drop))) == "missing-as-zero"


def test_identical_on_the_queries_that_both_have() -> None:
    few = {query: A[query] for query in list(A)[:20]}
    zero = compare(QRELS, A, few, measures=["AP"])
    assert zero.decision.of_numbers is Verdict.WORSE
    found = of(zero)["shared-queries"]
    assert (found.n_queries, found.diff, found.verdict) == (20, 0.0, Verdict.IDENTICAL)


def test_no_query_in_common_is_an_unpaired_experiment() -> None:
    one = {query: A[query] for query in list(A)[:30]}
    other = {query: B[query] for query in list(B)[30:]}
    with pytest.raises(AlignmentError, match="A and B share no query"):
        compare(QRELS, one, other, measures=["AP"])


def test_the_most_influential_move_the_mean_most() -> None:
    a = {f"q{i:02}": 0.5 for i in range(20)}
    b = {query: 0.5 + 0.01 * (i % 3) for i, query in enumerate(a)}
    b |= {"q04": 0.95, "q11": 0.05, "q17": 0.9}
    (found,) = compare_scores(a, b).alternatives
    assert found.kind == "without-influential"
    assert found.left_out == ("q11", "q04", "q17")
    rest = [query for query in a if query not in found.left_out]
    left = compare_scores({q: a[q] for q in rest}, {q: b[q] for q in rest})
    assert_same(found, left)


def test_the_verdict_that_three_queries_carry() -> None:
    a = {f"q{i:02}": 0.5 for i in range(30)}
    b = {query: 0.5 + 0.02 * (-1) ** i for i, query in enumerate(a)}
    b |= {"q01": 0.9, "q05": 0.85, "q09": 0.8, "q13": 0.6}
    comparison = compare_scores(a, b)
    assert comparison.verdict is Verdict.BETTER
    (found,) = comparison.alternatives
    assert (found.changes, found.verdict) == (True, Verdict.INCONCLUSIVE)


@pytest.mark.parametrize("n", [1, 9])
def test_of_few_queries_none_is_left_out(n: int) -> None:
    a = {f"q{i}": 0.1 * i for i in range(n)}
    assert compare_scores(a, {q: x**2 for q, x in a.items()}).alternatives == ()


@pytest.mark.parametrize("shift", [0.0, 0.125])
def test_differences_of_one_value_have_no_influential_query(shift: float) -> None:
    a = {f"q{i}": 0.25 for i in range(20)}
    assert compare_scores(a, {q: x + shift for q, x in a.items()}).alternatives == ()


def test_nothing_applies_to_judged_runs_of_one_depth_but_influence() -> None:
    qrels = {query: {f"d{j}": j % 3 for j in range(80)} for query in A}
    found = of(compare(qrels, A, B, measures=["AP"]))
    assert set(found) == {"without-influential"}


@pytest.mark.parametrize("measures", [["AP(judged_only=True)"], ["RBPResid"]])
def test_a_measure_that_cannot_be_condensed(measures: list[str]) -> None:
    assert "judged-only" not in of(compare(QRELS, A, B, measures=measures))
