"""What stands behind a comparison: documents, curves, and ranges.

Sensitivity analysis: each alternative has the numbers of the option that declares it.
"""

import dataclasses
from typing import Any

import numpy as np
import pytest

import abrank
from abrank import Scoring, Verdict, compare, compare_scores
from abrank.comparison.evidence import collect_details
from abrank.measures import parse
from abrank.scoring.evaluate import score_runs

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1}, "q3": {"d9": 1}}
A = {"q1": {"d2": 3.0, "d1": 2.0, "x": 1.0}, "q2": {"x": 2.0, "d1": 2.0}}
B = {"q1": {"d1": 3.0, "d3": 2.0}, "q2": {"d1": 2.0, "y": 1.0}, "q3": {"z": 1.0, "d9": 0.5}}


def evaluate(qrels, runs, measures, *, top=0, **how):
    scoring = Scoring(**how)
    return score_runs(qrels, runs, scoring.requested(measures), scoring, top=top)


def gathered(measure="nDCG@2", **how):
    scores = evaluate(QRELS, {"A": A, "B": B}, [measure], top=3, **how)
    return scores, collect_details(
        scores, parse(scores.measures[0]), (scores.of("B") - scores.of("A"))[:, 0]
    )


def test_rankings_hold_documents_and_grades_in_rank_order():
    _, result = gathered()
    assert result.rankings == {
        "q1": ((("d2", 0), ("d1", 2), ("x", None)), (("d1", 2), ("d3", 1))),
        "q2": ((("x", None), ("d1", 1)), (("d1", 1), ("y", None))),
        "q3": ((), (("z", None), ("d9", 1))),
    }


def test_of_very_many_queries_the_extremes_and_some_between_are_listed(monkeypatch):
    monkeypatch.setattr("abrank.comparison.evidence.LIST_ALL", 9)
    collection = abrank.simulate_runs(40, rng=2)
    result = abrank.compare(
        collection.qrels, collection.baseline, collection.candidate, measures=["nDCG@10"]
    )
    order = np.argsort(result.differences(), kind="stable")
    listed = [result.query_ids[i] for i in [*order[:3], *order[-3:]]]
    assert len(result.evidence.rankings) == 9
    assert set(listed) <= set(result.evidence.rankings)


def test_the_tie_range_is_that_of_the_mean_over_the_queries_compared():
    # x and d1 of A are tied in q2: RR there is 1 or 1/2, and 1 - that the difference.
    _, result = gathered("RR")
    spread = (result.tie_range[1] - result.tie_range[0]) * 3
    assert spread == pytest.approx(0.5)
    untied = {"q1": {"d1": 1.0}}
    scores = evaluate({"q1": {"d1": 1}}, {"A": untied, "B": untied}, ["RR"], top=1)
    assert collect_details(scores, parse("RR"), np.zeros(1)).tie_range is None


def test_unjudged_documents_of_one_side_only():
    _, result = gathered("P@2")
    assert result.n_unjudged == (1, 2)


def test_the_curve_at_its_own_cutoff_is_the_measure():
    scores, result = gathered("nDCG@2")
    curve = result.cutoff_curve
    assert curve.measure == "nDCG"
    index = curve.cutoffs.index(2)
    assert curve.mean_a[index] == pytest.approx(scores.of("A").mean())
    assert curve.mean_b[index] == pytest.approx(scores.of("B").mean())
    assert curve.diff[index] == pytest.approx(curve.mean_b[index] - curve.mean_a[index])
    assert curve.ci_low[index] < curve.diff[index] < curve.ci_high[index]
    assert curve.judged_a[index] == pytest.approx(
        parse("Judged@2")(scores.judged_runs["A"].judged).mean()
    )
    lengths = {len(getattr(curve, field.name)) for field in dataclasses.fields(curve)[1:]}
    assert lengths == {len(curve.cutoffs)}


def test_measures_of_diversity_have_no_ranges():
    rows = [("q1", "a", "d1", 1), ("q1", "b", "d2", 1), ("q2", "a", "d1", 1)]
    tied = {"q1": {"d1": 1.0, "d2": 1.0}, "q2": {"d1": 2.0, "x": 1.0}}
    scores = evaluate(rows, {"A": tied, "B": B}, ["StRecall@1"], top=3)
    details = collect_details(scores, parse("StRecall@1"), np.zeros(2))
    assert details.tie_range is None
    assert details.rankings["q1"][0] == (("d2", 1), ("d1", 1))


def test_relevant_documents_beyond_the_first_of_one_list_have_their_rank_there():
    qrels = {"q1": {"d1": 2, "d2": 1, "d3": 0, "d4": 1, "d5": 1}, "q2": {"d1": 1}}
    a = {"q1": {"d1": 9.0, "d3": 8.0, "d2": 7.0, "x": 6.0, "d4": 5.0}, "q2": {"d1": 1.0}}
    b = {"q1": {"x": 9.0, "d4": 8.0, "d3": 7.0, "y": 6.0, "d1": 5.0}}
    scores = evaluate(qrels, {"A": a, "B": b}, ["P@2"], top=2)
    details = collect_details(scores, parse("P@2"), np.zeros(2))
    # d1 is 1st in A and 5th in B, d4 2nd in B and 5th in A; B has nothing for q2.
    assert details.elsewhere == {"q1": {"d1": 5, "d4": 5}, "q2": {"d1": 0}}
    strict = evaluate(qrels, {"A": a, "B": b}, ["P(rel=2)@2"], top=2)
    assert collect_details(strict, parse("P(rel=2)@2"), np.zeros(2)).elsewhere == {"q1": {"d1": 5}}


def test_ready_scores_and_evaluations_without_lists_have_no_places_elsewhere():
    scores = evaluate(QRELS, {"A": A, "B": B}, ["P@2"])
    assert collect_details(scores, parse("P@2"), np.zeros(3)).elsewhere == {}


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


JUDGED, RUN_A, RUN_B = tables()


def first(run: Table, depth: int) -> Table:
    """Return a run cut at a rank."""
    return {q: dict(sorted(d.items(), key=lambda e: -e[1])[:depth]) for q, d in run.items()}


def of(comparison):
    return {alternative.kind: alternative for alternative in comparison.alternatives}


def assert_same(found, declared) -> None:
    row = declared.primary
    for name in ("mean_a", "mean_b", "diff", "ci_low", "ci_high", "pvalue"):
        assert getattr(found, name) == pytest.approx(getattr(row, name), rel=1e-12, abs=1e-15)
    verdict = declared.decision.of_numbers or declared.verdict
    assert (found.n_queries, found.verdict) == (declared.n_queries, verdict)


def test_judged_only_is_the_option() -> None:
    comparison = compare(JUDGED, RUN_A, RUN_B, measures=["AP"])
    result = of(comparison)["judged-only"]
    declared = compare(JUDGED, RUN_A, RUN_B, measures=["AP"], scoring=Scoring(judged_only=True))
    assert_same(result, declared)
    assert result.diff != comparison.mean_difference


def test_runs_are_compared_as_deep_as_they_are_and_a_cut_that_reverses_is_noted() -> None:
    """The candidate is better at every depth, and loses where only the baseline goes on."""
    comparison = compare(JUDGED, RUN_A, first(RUN_B, 20), measures=["AP"])
    result = of(comparison)["common-depth"]
    assert comparison.verdict is Verdict.WORSE
    assert "common-depth" not in {reason.code for reason in comparison.soundness.reasons}
    assert (result.verdict, result.changes) == (Verdict.BETTER, True)
    (note,) = [note for note in comparison.notes if note.code == "unequal-depth"]
    assert (note.severity, note.values["medians"]) == (3, {"a": 80, "b": 20})
    assert note.values["differences"]["AP"] == pytest.approx(
        [comparison.mean_difference, result.diff]
    )
    shallow = compare(JUDGED, first(RUN_A, 40), RUN_B, measures=["AP"])
    assert of(shallow)["common-depth"].verdict is shallow.verdict is Verdict.BETTER
    assert "unequal-depth" not in {note.code for note in shallow.notes}


def test_unjudged_documents_that_could_decide_put_a_verdict_in_doubt() -> None:
    comparison = compare(JUDGED, RUN_A, RUN_B, measures=["AP"])
    result = of(comparison)
    between = result["partly-condensed"].diff - comparison.mean_difference
    whole = result["judged-only"].diff - comparison.mean_difference
    assert between == pytest.approx(2.0 / 3.0 * whole)
    # Of lists of relevant documents alone nothing but these would be left.
    relevant = {q: {d: g for d, g in docs.items() if g > 0} for q, docs in JUDGED.items()}
    only = of(compare(relevant, RUN_A, RUN_B, measures=["AP"]))
    assert "judged-only" in only
    assert "partly-condensed" not in only


def test_shared_queries_are_what_dropping_leaves() -> None:
    few = {query: RUN_B[query] for query in list(RUN_B)[:20]}
    options: dict[str, Any] = {"measures": ["AP"]}
    zero = compare(JUDGED, RUN_A, few, **options)
    drop = compare(JUDGED, RUN_A, few, scoring=Scoring(missing="drop"), **options)
    assert_same(of(zero)["shared-queries"], drop)
    assert_same(of(drop)["missing-as-zero"], zero)
    assert (next(iter(of(zero))), next(iter(of(drop)))) == ("shared-queries", "missing-as-zero")


def test_identical_on_the_queries_that_both_have() -> None:
    few = {query: RUN_A[query] for query in list(RUN_A)[:20]}
    zero = compare(JUDGED, RUN_A, few, measures=["AP"])
    assert (zero.verdict, zero.soundness.level) == (Verdict.WORSE, "doubtful")
    result = of(zero)["shared-queries"]
    assert (result.n_queries, result.diff, result.verdict) == (20, 0.0, Verdict.IDENTICAL)


def test_the_fewest_queries_that_speak_most_for_a_verdict_are_left_out() -> None:
    a = {f"q{i:03}": 0.5 for i in range(100)}
    b = {query: 0.508 + 0.02 * (-1) ** i for i, query in enumerate(a)}
    b |= {"q011": 0.05, "q001": 0.9, "q005": 0.85, "q009": 0.8, "q013": 0.85, "q090": 0.8}
    comparison = compare_scores(a, b)
    assert comparison.verdict is Verdict.BETTER
    (result,) = comparison.alternatives
    assert (result.kind, result.changes) == ("without-supporting", True)
    # Not q011, whose removal moves the mean most: it speaks against the verdict.
    assert result.left_out == ("q001", "q005")
    for left_out, verdict in ((1, Verdict.BETTER), (2, Verdict.INCONCLUSIVE)):
        rest = [query for query in a if query not in result.left_out[:left_out]]
        left = compare_scores({q: a[q] for q in rest}, {q: b[q] for q in rest})
        assert left.verdict is verdict
    assert_same(result, left)


def test_of_weighted_queries_those_of_much_weight_and_gain_are_left_out() -> None:
    a = {f"q{i:02}": 0.5 for i in range(40)}
    b = {query: 0.5 + 0.03 * ((-1) ** i + 0.3) for i, query in enumerate(a)}
    b |= {"q00": 0.57, "q01": 0.54}
    weights = dict.fromkeys(a, 1.0) | {"q01": 3.0}
    (result,) = compare_scores(a, b, design=abrank.Weights(weights)).alternatives
    assert result.left_out == ("q01", "q00")


@pytest.mark.parametrize(
    "differences",
    [
        [0.1 * i for i in range(1, 20)],  # 5 % of 19 queries are none
        [0.1, *[0.0] * 19],  # no verdict
        [0.1] * 20,  # flips of signs
        [0.1] * 19 + [0.3],  # what is left has no spread
        [0.1 + 0.001 * i for i in range(400)],  # ten are not enough
    ],
)
def test_where_few_queries_do_not_change_a_verdict_nothing_is_said(differences) -> None:
    a = {f"q{i:03}": 0.25 for i in range(len(differences))}
    b = {query: 0.25 + gain for query, gain in zip(a, differences, strict=True)}
    assert compare_scores(a, b).alternatives == ()


@pytest.mark.parametrize("measures", [["AP(judged_only=True)"], ["RBPResid"]])
def test_a_measure_that_cannot_be_condensed(measures: list[str]) -> None:
    assert "judged-only" not in of(compare(JUDGED, RUN_A, RUN_B, measures=measures))
