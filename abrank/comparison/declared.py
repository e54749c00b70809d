"""The rule as it was declared, and for which margins a comparison has which verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np

from abrank._support import checks, display
from abrank._support.errors import AlignmentError, ArgumentError
from abrank._support.result import record
from abrank.comparison.choosing import (
    Directions,
    canonical_name,
    choose,
    directions,
    require_direction,
)
from abrank.comparison.deciding import resolve_adjustment
from abrank.comparison.groups import Segmentation, SegmentRow, declare_design
from abrank.comparison.result import Comparison
from abrank.comparison.rows import MeasureResult, TestRow
from abrank.comparison.sample import Sample
from abrank.diagnostics.notes import bounds
from abrank.estimate import Interval
from abrank.inference.equivalence import change_interval
from abrank.inference.sequential import level_of_look, level_of_seen
from abrank.measures import parse
from abrank.measures.names import DEFAULT_MEASURES, known, parse_measures
from abrank.options import Question
from abrank.rule import Design, Guard
from abrank.verdict import Rule, Verdict, decide

Row = TypeVar("Row", MeasureResult, SegmentRow)


class Margin(NamedTuple):
    """A margin in the measure's unit, or as a share of the baseline's mean."""

    value: float
    is_relative: bool


def read_margin(margin: float | str | None) -> Margin:
    """Return a margin as it was given: a number, its text, or a percentage of A's mean."""
    if margin is None:
        return Margin(0.0, is_relative=False)
    text = str(margin).strip()
    is_relative = text.endswith("%")
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0.0):
        raise ArgumentError(
            f"margin must be a number of 0 or more, or a percentage of the baseline's mean such as"
            f" 2%, not {margin!r}"
        )
    return Margin(round(value / 100.0, 12) if is_relative else value, is_relative)


def require_margin_in_range(margin: Margin, measure: str, *, range_: tuple[float, float]) -> None:
    """Refuse a margin that no difference of the measure can reach: all would be "the same"."""
    low, high = range_
    if margin.is_relative or not margin.value >= high - low:
        return
    share = f"{display.number(margin.value if margin.value < 50 else 5.0)}%"
    raise ArgumentError(
        f"no difference of {measure}, which runs from {low:g} to {high:g}, can reach the margin"
        f" {display.number(margin.value)}: all would count as the same; a margin of {share} of the"
        f' baseline\'s mean is --margin {share} (margin="{share}")'
    )


def known_range(measure: str, *, minimum: float, largest: float) -> tuple[float, float]:
    """Return the range of a measure, infinite where it is not known."""
    # Scores that leave the measure's range are of another scale, such as per cent.
    low, high = bounds(measure)
    inside = low <= minimum + 1e-9 and largest - 1e-9 <= high
    return (low, high) if inside else (-math.inf, math.inf)


def reachable(measure: str, *, minimum: float, largest: float) -> Interval:
    """Return the smallest and the largest difference that two means of a measure can have."""
    width = Interval(*known_range(measure, minimum=minimum, largest=largest)).width
    return Interval(-width, width)


def read_guards(guards: Sequence[str] | str, measures: Sequence[str]) -> tuple[Guard, ...]:
    """Return the guards by the canonical names of their measures."""
    result = []
    for text in [guards] if isinstance(guards, str) else guards:
        guard = Guard.read(text)
        measure = guard.measure if guard.measure in measures else canonical_name(guard.measure)
        if measure not in measures:
            raise ArgumentError(
                f"guard: {guard.measure} is not among the measures {', '.join(measures)}; name it,"
                f" too: -m {guard.measure} (measures=)"
            )
        result.append(replace(guard, measure=measure))
    return tuple(result)


def with_guards(
    measures: Sequence[str] | str | None, guards: Sequence[str] | str
) -> Sequence[str] | str | None:
    """Return the measures asked for, and after them those that only guards name."""
    texts = [guards] if isinstance(guards, str) else guards
    if not texts:
        return measures
    names = DEFAULT_MEASURES if measures is None else measures
    names = [names] if isinstance(names, str) else list(names)
    there = {measure.name for measure in parse_measures(names)}
    fromkeys = dict.fromkeys(Guard.read(text).measure for text in texts)
    return [*names, *(name for name in fromkeys if str(parse(name)) not in there)]


def declare(
    question: Question,
    primary: str,
    better: Directions,
    *,
    clusters: str = "",
    weights: str = "",
    visited: tuple[int, ...] = (),
) -> Rule:
    """Return the rule that a question declares; a margin that its test cannot judge is refused."""
    margin = read_margin(question.margin)
    guards = read_guards(question.guard, tuple(better.higher))
    if question.gate is not None:
        require_direction(better.undeclared, [primary, *(guard.measure for guard in guards)])
    design, alpha = declare_design(
        test=question.decided_by,
        alpha=question.level,
        look=question.look or (0, 0),
        spending=question.spending,
        anytime=question.anytime,
        clusters=clusters,
        planned=question.planned,
        visited=visited,
        weights=weights,
        independent=question.independent,
        relative=margin.is_relative or any(guard.margin_is_relative for guard in guards),
    )
    rule = Rule(
        primary=primary,
        test=question.decided_by,
        alpha=alpha,
        margin=margin.value,
        margin_is_relative=margin.is_relative and margin.value > 0.0,
        adjust=resolve_adjustment(
            question.adjust, question.decided_by, question.family, design=design
        ),
        family=question.family,
        require=question.gate,
        higher_is_better=better.higher[primary],
        direction_declared=primary not in better.undeclared,
        design=design,
        guards=guards,
        accept_doubt=question.accept_doubt,
        judged=float(question.judged or 0.0),
        best_of=question.best_of or 1,
    )
    shares = {f"the guard {guard}": guard.measure for guard in guards if guard.margin_is_relative}
    shares = {"a relative margin": primary} | shares if rule.margin_is_relative else shares
    for name, measure in shares.items():
        if rule.test != "t":
            raise ArgumentError(
                f"{name} is decided by the paired t test (Fieller's interval), not by {rule.test}"
                f"{', which best_of asks for' if rule.test != question.test else ''};"
                f" choose test t, or give it in the unit of {measure}"
            )
    if rule.margin_is_relative and rule.family == "all":
        raise ArgumentError(
            "a relative margin is decided by the interval of one measure alone; family all adjusts"
            " it for the others: choose family secondary or fixed-sequence"
        )
    if rule.margin and rule.test == "sign":
        raise ArgumentError(
            f"the margin is in the unit of {primary}, but the sign test estimates a share of"
            " wins: choose another test, or no margin"
        )
    return rule


@record
class Declared:
    """A question put to a sample: the rule, the directions, the largest difference of a query."""

    rule: Rule
    better: Directions
    span: float


def declare_on(sample: Sample, question: Question) -> Declared:
    """Return what a question declares for a sample; see :func:`declare` for what is refused."""
    if question.resamples is not None:
        # as few as the command takes
        checks.resamples(question.resamples, at_least=99, argument="resamples")
    primary = choose(sample.measures, None, question.primary).primary
    better = directions(sample.measures, question.lower_is_better, question.higher_is_better)
    guards = read_guards(question.guard, sample.measures)
    better = better.by_name([primary, *(guard.measure for guard in guards)])
    visited = _seen(question, primary, sample.query_ids)
    rule = declare(
        question, primary, better,
        clusters=sample.clustered_by, weights=sample.weighted_by, visited=visited,
    )  # fmt: skip
    if rule.test == "bounded":
        require_bounded({name: sample.range_of(i) for i, name in enumerate(sample.measures)})
    span = _span(sample, primary, read_margin(question.margin))
    for guard in rule.guards:
        reach = _span(sample, guard.measure, Margin(0.0, is_relative=False))
        if guard.margin >= reach and not guard.margin_is_relative:
            raise ArgumentError(
                f"the guard {guard} excludes nothing: no difference of {guard.measure} is larger"
                f" than {reach:g}"
            )
    return Declared(replace(rule, test=sample.by), better, span)


def _seen(question: Question, primary: str, query_ids: Sequence[str]) -> tuple[int, ...]:
    """Return the queries at each look so far, as the look before recorded them, this one last."""
    planned, earlier = question.planned, question.earlier
    if planned is None:
        return ()
    n = len(query_ids)
    if earlier is None:
        return (n,)
    result = earlier if isinstance(earlier, Comparison) else Comparison.from_json(earlier)
    design = result.rule.design or Design()
    declared = {
        "planned": (design.n_planned, planned), "primary": (result.rule.primary, primary),
        "alpha": (design.alpha, question.level), "spending": (design.spending, question.spending),
    }  # fmt: skip
    if not design.seen:
        raise ArgumentError("the earlier result records no looks: it was made without planned")
    for name, (then, now) in declared.items():
        if then != now:
            raise ArgumentError(
                f"the earlier look was at {name} {then}, this one is at {now}: the plan is made"
                " before the first look and kept"
            )
    lacking = len(set(result.query_ids) - set(query_ids))
    if lacking:
        raise AlignmentError(
            f"{lacking} of {design.seen[-1]} queries of the earlier look are not among these {n}:"
            " between looks queries are added, none is taken away"
        )
    if design.is_last or n <= design.seen[-1]:
        spent = f"all {planned} queries planned were seen" if design.is_last else "no query is new"
        raise ArgumentError(
            f"{spent} since the look at {design.seen[-1]} queries, so there is nothing left to test"
        )
    return (*design.seen, n)


def require_bounded(visited: Mapping[str, tuple[float, float]]) -> None:
    """Refuse measures whose scores may lie further apart than 1, or nobody knows how far."""
    for measure, (minimum, largest) in visited.items():
        low, high = known_range(measure, minimum=min(0.0, minimum), largest=max(0.0, largest))
        if high - low <= 1.0:
            continue
        range_ = f"its range, {low:g} to {high:g}, is wider"
        if not math.isfinite(high - low):
            range_ = "nobody knows how far its scores can lie apart"
        raise ArgumentError(
            f"the bounded test takes measures whose scores lie at most 1 apart, and of {measure}"
            f" {range_}: choose another test, or leave the measure out"
        )


def declared_again(sample: Sample, rule: Rule, better: Directions) -> Declared:
    """Return a rule that was declared before, for the same sample; see :func:`rule_again`."""
    again = rule_again(rule, better, sample.clustered_by, sample.n)
    span = _span(sample, rule.primary, Margin(rule.margin, rule.margin_is_relative))
    return Declared(replace(again, test=sample.by), better, span)


def rule_again(rule: Rule, better: Directions, clusters: str, n_queries: int) -> Rule:
    """Return a rule that was declared before, with the level of its look and the true direction."""
    design, alpha = rule.design, rule.alpha
    if design is not None and design.look:
        alpha = level_of_look(
            design.look, design.n_looks, spending=design.spending, alpha=design.alpha
        )
    if design is not None and design.seen:
        alpha = level_of_seen(
            design.seen, design.n_planned, spending=design.spending, alpha=design.alpha
        )
        if design.seen[-1] != n_queries:
            raise ArgumentError(
                f"this look saw {design.seen[-1]} queries, and {n_queries} are here"
            )
    if (design.clusters if design else "") != clusters:
        raise ArgumentError("the clusters of the design are not those of the queries")
    return replace(rule, alpha=alpha, higher_is_better=better.higher[rule.primary])


def _span(sample: Sample, measure: str, margin: Margin) -> float:
    """Return the largest difference that a query can have, which a margin must stay below."""
    minimum, largest = sample.range_of(sample.measures.index(measure))
    low, high = known_range(measure, minimum=minimum, largest=largest)
    require_margin_in_range(margin, measure, range_=(low, high))
    return high - low


# Ranges as wide as each other, but for less than this factor: that of alpha_nDCG, whose ideal list
# is only near the best, is 1.58.
ALIKE = 2.0


def is_relative(comparison: Comparison) -> bool:
    """Whether differences are shown in per cent of A's mean, as the margin was declared."""
    return comparison.decision.relative is not None


def within_reach(
    comparison: Comparison, ends: Interval, measure: str = "", *, relative: bool | None = None
) -> Interval:
    """Return limits within what the measure can differ at all, in the unit of differences."""
    if is_relative(comparison) if relative is None else relative:
        return ends.within(-1.0, math.inf)  # a relative margin needs scores of 0 or more
    row = comparison[measure or comparison.rule.primary]
    minimum, largest = sorted((row.mean_a, row.mean_b))
    return ends.within(*reachable(row.measure, minimum=minimum, largest=largest))


def decision_intervals(comparison: Comparison) -> tuple[Interval, Interval]:
    """Return the interval against 0 and that of the one-sided tests, in the unit of the margin."""
    decision = comparison.decision
    return (
        within_reach(comparison, decision.interval),
        within_reach(comparison, decision.equivalence_interval),
    )


def deciding_interval(comparison: Comparison) -> Interval:
    """Return the interval that verdict and gate rest on, in the unit of the margin."""
    return decision_intervals(comparison)[comparison.decision.by_equivalence]


def deciding_level(comparison: Comparison) -> float:
    """Return the level of the interval that verdict and gate rest on."""
    rule, by_equivalence = comparison.rule, comparison.decision.by_equivalence
    return rule.confidence_equivalence if by_equivalence else rule.confidence


def rows_in_unit(comparison: Comparison) -> tuple[MeasureResult, ...]:
    """Return the rows with differences and intervals in the unit in which they are shown."""
    # With a margin in per cent of A's mean those are shares of each measure's own mean of A, their
    # intervals Fieller's; secondary measures of clusters or with weights have none.
    rows: Iterable[MeasureResult] = comparison.rows
    if is_relative(comparison):
        rows = (_as_share(comparison, row) for row in rows)
    return tuple(row_within_reach(comparison, row) for row in rows)


def row_within_reach(comparison: Comparison, row: Row, *, relative: bool | None = None) -> Row:
    """Return a row whose two intervals lie within what the measure can differ at all."""
    measure = row.measure if isinstance(row, MeasureResult) else ""
    alone, adjusted = (
        within_reach(comparison, ends, measure, relative=relative)
        for ends in (row.interval, row.adjusted)
    )
    return replace(
        row,
        ci_low=alone.low,
        ci_high=alone.high,
        ci_low_adj=adjusted.low,
        ci_high_adj=adjusted.high,
    )


def tests_in_unit(comparison: Comparison) -> tuple[TestRow, ...]:
    """Return the tests with estimates and intervals in the unit in which differences are shown."""
    # In per cent of A's mean, the limits of a mean difference are Fieller's, as wide as the test's
    # own. A count of wins has its own unit.
    rows = []
    for row in comparison.test_rows:
        if "difference" not in row.estimand:
            rows.append(row)
            continue
        estimate, ends = row.estimate, row.interval
        change = comparison.decision.relative
        if change is not None and row.decides:
            estimate, ends = change.estimate, comparison.decision.interval
        elif change is not None and row.estimand == "mean difference":
            place = comparison.measures.index(comparison.rule.primary)
            a, b = comparison.a[:, place], comparison.b[:, place]
            estimate, *limits = change_interval(a, b, 0.5 * ends.width)
            ends = Interval(*limits)
        elif change is not None:
            factor = 1.0 / change.baseline
            estimate, ends = estimate * factor, ends.times(factor)
        low, high = within_reach(comparison, ends)
        rows.append(replace(row, estimate=estimate, ci_low=low, ci_high=high))
    return tuple(rows)


def _as_share(comparison: Comparison, row: MeasureResult) -> MeasureResult:
    change = comparison.decision.relative
    limits: tuple[float, ...] = (math.nan,) * 4
    if change is not None and row.measure == comparison.rule.primary:
        limits = comparison.decision.interval * 2
    elif comparison.clusters is None and comparison.weights is None:
        place = comparison.measures.index(row.measure)
        a, b = comparison.a[:, place], comparison.b[:, place]
        halves = (row.ci_high - row.diff, row.ci_high_adj - row.diff)
        custom, adjusted = (change_interval(a, b, half)[1:] for half in halves)
        limits = (*custom, *adjusted)
    low, high, low_adj, high_adj = limits
    return replace(
        row, diff=row.rel_diff, estimate=row.rel_diff, ci_low=low, ci_high=high,
        ci_low_adj=low_adj, ci_high_adj=high_adj,
    )  # fmt: skip


def segments_in_unit(comparison: Comparison, result: Segmentation) -> tuple[SegmentRow, ...]:
    """Return the rows of segments in the unit in which differences are shown."""
    if not is_relative(comparison):
        return tuple(row_within_reach(comparison, row) for row in result.rows)
    place, labels = comparison.measures.index(comparison.rule.primary), np.array(result.labels)
    rows = []
    for row in result.rows:
        a, b = (side[labels == row.label, place] for side in (comparison.a, comparison.b))
        halves = (row.ci_high - row.mean, row.ci_high_adj - row.mean)
        alone, adjusted = (change_interval(a, b, half) for half in halves)
        rows.append(row_within_reach(comparison, replace(
            row, mean=alone[0], ci_low=alone[1], ci_high=alone[2],
            ci_low_adj=adjusted[1], ci_high_adj=adjusted[2],
        )))  # fmt: skip
    return tuple(rows)


def difference_in_unit(comparison: Comparison, value: float, *, digits: int) -> str:
    """Return a difference as it is shown: in the measure's unit, or in per cent of A's mean."""
    # Percentages have decimals enough for the interval that decides.
    if not is_relative(comparison) or not math.isfinite(value):
        return display.signed(value, digits=digits)
    return display.percent(value, digits=percent_digits(comparison))


def percent_digits(comparison: Comparison) -> int:
    """Return the decimals of percentages with which the interval that decides can be read."""
    low, high = comparison.decision.interval
    return display.decimals([(100.0 * low, 100.0 * high)], minimum=1)


def shares_scale(comparison: Comparison, measure: str) -> bool:
    """Whether a measure's differences can be read on the axis of the primary one's."""
    if is_relative(comparison):
        return True
    primary, custom = (_range(comparison, name) for name in (comparison.rule.primary, measure))
    if primary == custom:
        return True
    narrow, wide = sorted((primary[1] - primary[0], custom[1] - custom[0]))
    return math.isfinite(wide) and wide < ALIKE * narrow


def _range(comparison: Comparison, measure: str) -> tuple[float, float]:
    """Return the range of a measure, from 0 to 1 where a user's own scores lie there."""
    if result := known(measure):
        return result.entry.bounds
    column = comparison.measures.index(measure)
    scores = np.concatenate([comparison.a[:, column], comparison.b[:, column]])
    return float(np.nanmin(scores, initial=0.0)), float(np.nanmax(scores, initial=1.0))


# What the sign test estimates is no difference of scores, which a margin is.
_COUNTING = ("sign",)


@record
class MarginRange:
    """The verdict for every margin above ``low`` and below ``high``, in the unit of the margin."""

    verdict: Verdict
    low: float
    high: float


def margin_ranges(comparison: Comparison) -> tuple[MarginRange, ...]:
    """Return the verdicts that margins would give, from 0 upwards: where each begins and ends."""
    # Closed form: the verdict changes only where the margin passes a limit of the two intervals
    # that decide. A margin that no difference of the measure can reach is left out.
    rule, decision = comparison.rule, comparison.decision
    none = (Verdict.IDENTICAL, Verdict.CANNOT_TEST)
    if decision.verdict in none or rule.test in _COUNTING:
        return ()
    low, high = rule.gain(*decision.interval)
    inner_low, inner_high = rule.gain(*decision.equivalence_interval)
    last = 1.0  # of A's mean
    if not rule.margin_is_relative:
        row = comparison.primary
        minimum, largest = sorted((row.mean_a, row.mean_b))
        last = reachable(row.measure, minimum=minimum, largest=largest).high
    edges = sorted({item for item in (low, -high, -inner_low, inner_high) if 0.0 < item < last})
    result: list[MarginRange] = []
    for start, end in pairwise([0.0, *edges, last]):
        between = 0.5 * (start + end) if math.isfinite(end) else 2.0 * start or 1.0
        verdict = verdict_with(comparison, between)
        if result and result[-1].verdict is verdict:
            start = result.pop().low
        result.append(MarginRange(verdict, start, end if end < last else math.inf))
    return tuple(result)


def verdict_with(comparison: Comparison, margin: float) -> Verdict:
    """Return the verdict by the same intervals under another margin."""
    decision = comparison.decision
    return decide(
        replace(comparison.rule, margin=margin, require=None),
        estimate=decision.estimate,
        interval=(decision.ci_low, decision.ci_high),
        equivalence_interval=(decision.tost_low, decision.tost_high),
        relative=decision.relative,
    ).verdict
