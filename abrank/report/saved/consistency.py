"""A comparison that was read checked against itself: the numbers must give what the words say.

Nothing is resampled. What follows from the scores (means, wins), from an interval (a verdict, a
reading) or from another part (the row of the test that decides) is computed again and compared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from typing import Any

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank.comparison import Alternative, Comparison, MeasureResult
from abrank.comparison.deciding import decide_again
from abrank.comparison.family import row_reading
from abrank.comparison.groups import Segmentation, segment_reading
from abrank.comparison.guards import judge_guard
from abrank.comparison.machine.answers import judge_again
from abrank.comparison.machine.judgments import TEST as WITH_MACHINE
from abrank.comparison.soundness import with_soundness
from abrank.diagnostics import Note, outcomes
from abrank.inference.designs.as_tests import level_of_look, level_of_seen
from abrank.inference.estimates.relative_change import RelativeChange
from abrank.inference.rounding import differences_of
from abrank.report.numbers import plain
from abrank.report.saved.alike import require_same
from abrank.report.saved.merged import require_merged
from abrank.report.saved.schema import Damaged, shown
from abrank.report.sections.notes.cautions import NO_LONGER_TOLD, WORDS, caution
from abrank.report.sections.notes.names import Names
from abrank.soundness import Soundness
from abrank.verdict import Decision, Gate, Rule


def require_consistent(comparison: Comparison) -> None:
    """Refuse a comparison whose parts contradict each other.

    Parameters
    ----------
    comparison : Comparison
        As it was read.

    Raises
    ------
    Damaged
        At the first contradiction; it names both sides.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> require_consistent(compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}))
    """
    _rule(comparison.rule)
    if comparison.merged is not None:
        require_merged(comparison, comparison.merged)
    for i, row in enumerate(comparison.rows):
        if comparison.merged is None:
            _row_of_scores(comparison, i)
        _row_of_test(row, comparison.rule, f"measures[{i}]")
    _guards(comparison)
    _verdict(comparison)
    _tests(comparison)
    whole = comparison.merged is None
    for i, segmentation in enumerate(comparison.segmentations if whole else ()):
        _segments(comparison, segmentation, f"segments[{i}]")
    _design(comparison)
    _known_queries(comparison)
    _curves(comparison)
    _machine(comparison)
    for i, each in enumerate(comparison.alternatives):
        _alternative(comparison, each, f"sensitivity[{i}]")
    _notes(comparison)


def _rule(rule: Rule) -> None:
    tests = {*inference.TESTS, WITH_MACHINE}
    if rule.test not in tests:
        known = ", ".join(sorted(tests))
        raise Damaged("settings.test", f"expected one of {known}, found {shown(rule.test)}")


def _row_of_scores(comparison: Comparison, i: int) -> None:
    """Compare a measure's row with the scores of the queries."""
    row, place, scores = comparison.rows[i], f"measures[{i}]", "the scores of the queries"
    a, b = comparison.a[:, i], comparison.b[:, i]
    scale = float(np.abs([a, b]).max(initial=0.0))
    means = [float(each.mean()) if len(each) else math.nan for each in (a, b)]
    require_same(f"{place}.mean_a", row.mean_a, means[0], scores, scale=scale)
    require_same(f"{place}.mean_b", row.mean_b, means[1], scores, scale=scale)
    require_same(f"{place}.diff", row.diff, row.mean_b - row.mean_a, "the means", scale=scale)
    relative = row.diff / row.mean_a if row.mean_a else math.nan
    require_same(f"{place}.rel_diff", row.rel_diff, relative, "the means")
    signs = outcomes(differences_of(a, b)) * (1 if row.higher_is_better else -1)
    for key, sign in (("wins", 1), ("ties", 0), ("losses", -1)):
        require_same(f"{place}.{key}", getattr(row, key), int(np.sum(signs == sign)), scores)
    low, high = row.ci_low_adj, row.ci_high_adj
    gain = (low, high) if row.higher_is_better else (-high, -low)
    declared = row.reading != "differs"
    reading = row_reading(*gain, moved=bool(signs.any()), pvalue=row.pvalue, declared=declared)
    require_same(f"{place}.reading", row.reading, reading, "the scores and the adjusted interval")


def _row_of_test(row: MeasureResult, rule: Rule, place: str) -> None:
    """Compare interval and p-value, plain and adjusted: they come from one procedure."""
    _one_procedure(place, row.ci_low, row.ci_high, row.pvalue, rule.alpha)
    _one_procedure(place, row.ci_low_adj, row.ci_high_adj, row.pvalue_adj, rule.alpha, "_adj")
    if row.measure == rule.primary and rule.family != "all":
        for key in ("ci_low", "ci_high", "pvalue"):
            plain, adjusted = getattr(row, key), getattr(row, f"{key}_adj")
            require_same(f"{place}.{key}_adj", adjusted, plain, "the primary measure's own numbers")


def _one_procedure(
    place: str, low: float, high: float, pvalue: float, alpha: float, which: str = ""
) -> None:
    """Refuse limits in the wrong order, and an interval that speaks against its p-value."""
    for key, limit in (("ci_low", low), ("ci_high", high)):
        if math.isnan(limit) and not math.isnan(pvalue):
            raise Damaged(f"{place}.{key}{which}", "is not defined, but there is a p-value")
    if low > high:
        raise Damaged(f"{place}.ci_low{which}", f"is {low:g}, above the upper limit {high:g}")
    outside = low > 0 or high < 0
    if not math.isnan(pvalue) and outside != (pvalue < alpha):
        does = "excludes" if outside else "includes"
        raise Damaged(
            f"{place}.pvalue{which}",
            f"is {pvalue:g}, but its interval, {low:g} to {high:g}, {does} 0 (alpha {alpha:g})",
        )


def _verdict(comparison: Comparison) -> None:
    """Decide again from the numbers, and compare every part of the decision."""
    row, rule, saved = comparison.primary, comparison.rule, comparison.decision
    require_same(
        "settings.higher_is_better", rule.higher_is_better, row.higher_is_better, "the measures"
    )
    lead = comparison.measures.index(rule.primary)
    scores = comparison.a[:, lead], comparison.b[:, lead]
    again = decide_again(rule, row, None if comparison.merged else scores, saved)
    again = with_soundness(replace(comparison, decision=again)).decision
    names = {"verdict": "state", "ci_low": "interval.low", "ci_high": "interval.high"}
    for each in fields(Decision):
        place = f"verdict.{names.get(each.name, each.name)}"
        _same_part(place, getattr(saved, each.name), getattr(again, each.name))
    # Not "<" and ">": a limit that is not defined is not inside, unless there is no test at all.
    inside = row.ci_low_adj <= saved.tost_low <= saved.tost_high <= row.ci_high_adj
    if not inside and not math.isnan(row.pvalue):
        raise Damaged("verdict.equivalence_interval", "is not inside the interval that decides")


def _same_part(place: str, saved: Any, again: Any) -> None:  # noqa: ANN401 - a field of a decision
    if isinstance(again, RelativeChange) and isinstance(saved, RelativeChange):
        for each in fields(RelativeChange):
            _same_part(f"{place}.{each.name}", getattr(saved, each.name), getattr(again, each.name))
    else:
        require_same(place, _plain(saved), _plain(again), "the numbers")


def _plain(value: Any) -> Any:  # noqa: ANN401 - a gate, a part of a decision, an enum, a number
    if isinstance(value, Soundness):
        return plain(value)
    if isinstance(value, Gate):
        return f"{value.require}: {'passed' if value.passed else 'not passed'}"
    if isinstance(value, str):
        return str(value)
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _tests(comparison: Comparison) -> None:
    """Compare each test's interval with its p-value, and the one that decides with the row."""
    row, rule = comparison.primary, comparison.rule
    deciding = [i for i, each in enumerate(comparison.test_rows) if each.decides]
    if len(deciding) > 1:
        raise Damaged("tests", f"{len(deciding)} of the rows decide, and only one can")
    for i, each in enumerate(comparison.test_rows):
        _one_procedure(f"tests[{i}]", each.ci_low, each.ci_high, each.pvalue, rule.alpha)
    for i in deciding:
        each = comparison.test_rows[i]
        require_same(f"tests[{i}].test", each.test, rule.test, "the settings")
        for key in ("estimate", "ci_low", "ci_high", "statistic", "pvalue"):
            require_same(f"tests[{i}].{key}", getattr(each, key), getattr(row, key), "the measures")


def _segments(comparison: Comparison, segmentation: Segmentation, place: str) -> None:
    """Compare the rows of a segmentation with the labels and the scores of the queries."""
    differences = comparison.differences()
    scale = float(np.abs(differences).max(initial=0.0))
    labels = np.array(segmentation.labels, dtype=object)
    counts = Counter(segmentation.labels)
    if sorted(row.label for row in segmentation.rows) != sorted(counts):
        raise Damaged(f"{place}.rows", "are not those of the labels")
    for i, row in enumerate(segmentation.rows):
        where = f"{place}.rows[{i}]"
        require_same(f"{where}.n_queries", row.n_queries, counts[row.label], "the labels")
        mean = float(differences[labels == row.label].mean())
        require_same(f"{where}.mean", row.mean, mean, "the scores of the queries", scale=scale)
        reading = segment_reading(comparison.rule, row.ci_low_adj, row.ci_high_adj)
        require_same(f"{where}.reading", row.reading, reading, "its adjusted limits")


def _guards(comparison: Comparison) -> None:
    """Compare what was found of each guard with what was declared, and with its own limits."""
    rule, found = comparison.rule, comparison.decision.guards
    require_same("verdict.guards", len(found), len(rule.guards), "the settings")
    for i, (declared, guard) in enumerate(zip(rule.guards, found, strict=True)):
        place = f"verdict.guards[{i}]"
        if declared.measure not in comparison.measures:
            raise Damaged(
                f"settings.guards[{i}].measure",
                f"{shown(declared.measure)} is not among the measures",
            )
        higher = comparison[declared.measure].higher_is_better
        again = judge_guard(declared, guard.estimate, guard.low, guard.high, is_higher=higher)
        for each in fields(guard):
            value, computed = getattr(guard, each.name), getattr(again, each.name)
            require_same(f"{place}.{each.name}", value, computed, "the settings and its limits")


def _design(comparison: Comparison) -> None:
    """Compare the design with the level, and clusters with the rule and with the queries."""
    found, design = comparison.clusters, comparison.rule.design
    named = design.clusters if design is not None else ""
    if design is not None and design.seen:
        level = level_of_seen(
            design.seen, design.n_planned, spending=design.spending, alpha=design.alpha
        )
        require_same("settings.alpha", comparison.rule.alpha, level, "the queries seen")
        require_same("settings.design.seen", design.seen[-1], comparison.n_queries, "the queries")
    if design is not None and design.look:
        level = level_of_look(
            design.look, design.n_looks, spending=design.spending, alpha=design.alpha
        )
        require_same("settings.alpha", comparison.rule.alpha, level, "the looks planned")
    require_same("settings.design.clusters", named, found.name if found else "", "the clusters")
    if found is not None and comparison.merged is None:
        counts = Counter(found.labels)
        require_same("clusters.labels", len(found.labels), comparison.n_queries, "the queries")
        require_same("clusters.n_clusters", found.n_clusters, len(counts), "the labels")
        require_same(
            "clusters.largest", found.largest, max(counts.values(), default=0), "the labels"
        )


def _known_queries(comparison: Comparison) -> None:
    """Refuse texts and rankings of queries that were not compared."""
    known = set(comparison.query_ids)
    parts: Mapping[str, Mapping[str, Any]] = {
        "topics": comparison.topics,
        "evidence.rankings": comparison.evidence.rankings,
    }
    for place, part in parts.items():
        for query_id in part:
            if query_id not in known:
                raise Damaged(place, f"{shown(query_id)} is not among the queries")


def _machine(comparison: Comparison) -> None:
    """Answer again from the scores by people and machine, and compare every part."""
    found, test = comparison.machine, comparison.rule.test
    together = test == WITH_MACHINE
    if together if found is None else not (together or found.set_aside):
        raise Damaged("machine", f"does not go with the test {test}")
    if found is None:
        return
    differences = comparison.differences()
    scale = float(np.abs(differences).max(initial=0.0))
    try:
        again = judge_again(found, comparison.query_ids, differences, comparison.rule)
    except LookupError as problem:
        raise Damaged("machine", f"holds no {shown(problem.args[0])}") from None
    except ArgumentError as problem:
        raise Damaged("machine", str(problem)) from None
    for i, (one, two) in enumerate(zip(found.answers, again.answers, strict=True)):
        for each in fields(one):
            place = f"machine.answers[{i}].{each.name}"
            value, computed = getattr(one, each.name), getattr(two, each.name)
            require_same(place, value, computed, "the scores of the queries", scale=scale)
    if found.worth_low is None:
        again = replace(again, worth_low=None, worth_high=None)  # of an earlier version
    numbers = ("slope", "correlation", "worth", "worth_low", "worth_high", "outside")
    for key in (*numbers, "floored", "refused"):
        value, computed = getattr(found, key), getattr(again, key)
        require_same(f"machine.{key}", value, computed, "the scores of the queries", scale=1.0)


def _curves(comparison: Comparison) -> None:
    """Refuse a curve whose columns are not of one length."""
    evidence = comparison.evidence
    for name, curve in (("cutoff", evidence.cutoff_curve), ("recall", evidence.recall_curve)):
        if curve is None:
            continue
        columns = {each.name: getattr(curve, each.name) for each in fields(curve)}
        lengths = {key: len(each) for key, each in columns.items() if isinstance(each, tuple)}
        first = next(iter(lengths))
        for key, length in lengths.items():
            if length != lengths[first]:
                place = f"evidence.{name}_curve.{key}"
                raise Damaged(
                    place, f"has {length} entries, and there are {lengths[first]} {first}"
                )


def _alternative(comparison: Comparison, found: Alternative, place: str) -> None:
    """Compare an alternative with itself, and its verdict with the declared one."""
    scale = max(abs(found.mean_a), abs(found.mean_b), 0.0)
    require_same(f"{place}.diff", found.diff, found.mean_b - found.mean_a, "the means", scale=scale)
    _one_procedure(place, found.ci_low, found.ci_high, found.pvalue, comparison.rule.alpha)
    changes = found.verdict is not (comparison.decision.of_numbers or comparison.verdict)
    require_same(f"{place}.changes", found.changes, changes, "the verdicts")


def _notes(comparison: Comparison) -> None:
    """Refuse a note that has no words, or whose values are not those that its words ask for."""
    names = Names(
        comparison.baseline,
        comparison.candidate,
        digits=3,
        alpha=comparison.rule.alpha,
        topics=comparison.topics,
    )
    for i, note in enumerate(comparison.notes):
        if note.code in NO_LONGER_TOLD:
            continue
        if note.code not in WORDS:
            raise Damaged(f"notes[{i}].code", f"{shown(note.code)} is no note of abrank")
        _words(note, names, f"notes[{i}].values")


def _words(note: Note, names: Names, place: str) -> None:
    try:
        caution(note, names)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise Damaged(place, f"are not those that the note {note.code} asks for") from None
