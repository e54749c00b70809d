"""From a sample to the decision: rows, the family adjusted together, guards, choices, doubts."""

# The family is that of the secondary measures, the primary one tested alone; that of all measures;
# or a fixed sequence, tested one after the other at the full level until one shows no difference.

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, get_args

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.comparison.choosing import SEQUENCE
from abrank.comparison.evidence import Alternative, Kind, OtherChoice, RunDetails
from abrank.comparison.resolve import AnalysisPlan
from abrank.comparison.rows import MeasureResult
from abrank.comparison.samples.sample import Sample
from abrank.diagnostics import Note
from abrank.estimate import Estimate, Interval
from abrank.inference import run_test
from abrank.inference.equivalence import bound_unseen
from abrank.inference.families import share_of_alpha
from abrank.inference.registry import as_alpha
from abrank.rule import GATES, LEVELS, GuardResult, Reason, Soundness, Verdict
from abrank.verdict import FEW_QUERIES, Decision, Rule, SignFlips, decide, says_more_than

FEW_CLUSTERS = "too-few-clusters"


class Adjusted(NamedTuple):
    """Adjusted p-values and intervals of the measures, and the flips that max-t shared (else 0)."""

    pvalue: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    n_resamples: int


def measure_rows(sample: Sample, plan: AnalysisPlan) -> tuple[tuple[MeasureResult, ...], int]:
    """Return one row a measure, and the number of sign flips that max-t shared."""
    rule = plan.rule
    plain = sample.test(rule.confidence)
    adjusted = adjust_family(sample, plain, rule)
    rows = []
    for i, name in enumerate(sample.measures):
        planned, alone = plan.measures[name], Estimate.of(plain, i)
        higher = planned.higher_is_better
        together = Interval(float(adjusted.ci_low[i]), float(adjusted.ci_high[i]))
        mean_a, mean_b = sample.means[:, i].tolist()
        # Where B is higher, tied, lower.
        wins, ties, losses = sample.wins[i].tolist()[:: 1 if higher else -1]
        reading = together.read(
            tested=math.isfinite(alone.pvalue),
            moved=bool(wins + losses),
            higher=higher,
            declared=planned.direction_declared,
        )
        rows.append(
            MeasureResult(
                measure=name,
                mean_a=mean_a,
                mean_b=mean_b,
                diff=mean_b - mean_a,
                ci_low=alone.low,
                ci_high=alone.high,
                ci_low_adj=together.low,
                ci_high_adj=together.high,
                rel_diff=(mean_b - mean_a) / mean_a if mean_a else math.nan,
                wins=wins,
                ties=ties,
                losses=losses,
                statistic=float(plain.statistic[i]),
                pvalue=alone.pvalue,
                pvalue_adj=float(adjusted.pvalue[i]),
                reading=reading,
                estimate=alone.estimate,
                higher_is_better=higher,
            )
        )
    return tuple(rows), adjusted.n_resamples


def adjust_family(sample: Sample, plain: inference.TestResult, rule: Rule) -> Adjusted:
    """Adjust the measures of the family together, p-values and intervals by one procedure."""
    # An adjusted p-value is never below the plain one, nor an adjusted interval inside the plain
    # one. For a procedure on p-values (Holm, Bonferroni, BH, a fixed sequence) the interval of a
    # measure has the level at which the procedure tested it, so that it excludes 0 exactly when the
    # adjusted p-value is below alpha.
    # `plain` is the answer of the rule's test, at the level to adjust.
    # Source of the fixed sequence: Maurer, Hothorn & Lehmacher (1995), Biometrie in der
    # chemisch-pharmazeutischen Industrie 6, 3-18; Westfall & Krishen (2001), Journal of Statistical
    # Planning and Inference 99, 25-40.
    primary = sample.measures.index(rule.primary)
    pvalue, low, high = plain.pvalue.copy(), plain.ci_low.copy(), plain.ci_high.copy()
    alpha = float(as_alpha(plain.confidence, len(pvalue))[0])
    tested = np.isfinite(plain.pvalue)
    if rule.family == "secondary":
        tested[primary] = False
    family = np.flatnonzero(tested)
    if not family.size or rule.adjust == "none":
        return Adjusted(pvalue, low, high, 0)
    if rule.adjust == "max-t":
        joint = sample.joint(1.0 - alpha, family)
        pvalue[family] = np.maximum(pvalue[family], joint.pvalue)
        low[family] = np.minimum(low[family], joint.ci_low)
        high[family] = np.maximum(high[family], joint.ci_high)
        return Adjusted(pvalue, low, high, joint.n_resamples)
    raw = plain.pvalue[family]
    if rule.adjust == SEQUENCE:
        # The largest p up to each measure, the primary one first; after NaN nothing is shown.
        order = [primary, *(i for i in range(len(pvalue)) if i != primary)]
        adjusted = np.empty_like(pvalue)
        adjusted[order] = np.maximum.accumulate(np.where(np.isnan(pvalue), 1.0, pvalue)[order])
        pvalue = np.where(np.isnan(pvalue), np.nan, adjusted)
        alone = np.full(raw.shape, 1.0 / len(raw))
        share = np.divide(raw, pvalue[family], out=alone, where=raw > 0)
    else:
        pvalue[family] = inference.adjust(raw, rule.adjust)
        share = share_of_alpha(raw, rule.adjust, alpha)
    wide = sample.test(1.0 - alpha * share, family)
    low[family], high[family] = wide.ci_low, wide.ci_high
    return Adjusted(pvalue, low, high, 0)


def interval_of_primary(sample: Sample, rule: Rule, confidence: float) -> Interval:
    """Return the interval of the primary measure that decides: adjusted if it is in the family."""
    primary = sample.measures.index(rule.primary)
    if rule.family != "all":
        return Estimate.of(sample.test(confidence, [primary])).interval
    family = adjust_family(sample, sample.test(confidence), rule)
    return Interval(float(family.ci_low[primary]), float(family.ci_high[primary]))


def guard_results(
    sample: Sample, plan: AnalysisPlan, rows: Sequence[MeasureResult] = ()
) -> tuple[GuardResult, ...]:
    """Test every guard of a rule by the test that decides, at alpha one-sided."""
    # Of a few queries or clusters the exact flips of their signs must agree. What could not be
    # tested has not passed.
    results = []
    rule = plan.rule
    by_measure = {row.measure: row for row in rows}
    for guard in rule.guards:
        row = by_measure.get(guard.measure)
        if row is not None and row.wins + row.losses and _leaves_out_ties(rule, row):
            raise ArgumentError(
                f"the guard {guard}: {row.ties} queries tie on {guard.measure}, and the Wilcoxon"
                " test leaves them out; decide by --test t or permutation (test=)"
            )
        # What a gate asks of the primary measure is asked of the guard's.
        guard_rule = replace(
            rule,
            primary=guard.measure,
            margin=guard.margin,
            margin_is_relative=guard.margin_is_relative,
            higher_is_better=plan.measures[guard.measure].higher_is_better,
        )
        try:
            limits = _limits(sample, guard_rule)
        except ArgumentError as problem:
            raise ArgumentError(f"the guard {guard}: {problem}") from None
        flips = flip_signs(sample, guard_rule)
        excluded = guard_rule.gain(*limits.interval).low > -guard_rule.margin
        results.append(
            GuardResult(
                measure=guard_rule.primary,
                margin=guard_rule.margin,
                margin_is_relative=guard_rule.margin_is_relative,
                estimate=limits.estimate,
                low=limits.low,
                high=limits.high,
                higher_is_better=guard_rule.higher_is_better,
                passed=excluded
                and (flips is None or flips.agree("non-inferior", guard_rule.alpha)),
                flips=None if flips is None else flips.non_inferior,
            )
        )
    return tuple(results)


def _limits(sample: Sample, rule: Rule) -> Estimate:
    """Return the estimate in the unit of the margin, its limits of level ``1 - 2 alpha``."""
    column = sample.measures.index(rule.primary)
    if rule.margin_is_relative and sample.n:
        change = sample.relative(column, rule.alpha)
        return Estimate(change.estimate, change.tost_low, change.tost_high)
    return Estimate.of(sample.test(rule.confidence_equivalence, [column]))


def flip_signs(sample: Sample, rule: Rule) -> SignFlips | None:
    """Flip the signs of a few queries, or clusters, about the thresholds of the gates."""
    # None from ten of them on, without one, and where no query differs.
    column = sample.measures.index(rule.primary)
    wins, _, losses = sample.wins[column].tolist()
    if rule.independent or not 0 < sample.n_units < FEW_QUERIES or not wins + losses:
        return None
    units = sample.units(column)
    gains: FloatArray = units.differences if rule.higher_is_better else -units.differences
    margins = rule.margin * (units.scores if rule.margin_is_relative else units.sizes)
    shifted = np.stack([gains - margins, gains + margins, margins - gains], axis=1)
    better, not_worse, not_better = run_test(
        "permutation", shifted, alternative="greater", confidence=1.0
    ).pvalue.tolist()
    if not rule.margin:
        return SignFlips(better, math.nan, math.nan)
    return SignFlips(better, not_worse, max(not_worse, not_better))


def decide_on(
    sample: Sample, plan: AnalysisPlan
) -> tuple[tuple[MeasureResult, ...], int, Decision]:
    """Return the row of every measure, the flips that max-t shared, and the decision."""
    rule = plan.rule
    rows, n_joint = measure_rows(sample, plan)
    lead = sample.measures.index(rule.primary)
    row, n = rows[lead], sample.n
    identical = n > 1 and not row.wins + row.losses
    decision = decide(
        rule,
        estimate=row.estimate,
        interval=row.adjusted,
        equivalence_interval=interval_of_primary(sample, rule, rule.confidence_equivalence),
        relative=sample.relative(lead, rule.alpha) if rule.margin_is_relative and n else None,
        identical=identical,
        reason=sample.why_identical() if identical else _untestable(sample, rule, row),
        unseen=(
            bound_unseen(sample.n_units, alpha=rule.alpha, span=plan.span)
            if n and not rule.independent
            else None
        ),
        sign_flips=flip_signs(sample, rule),
        guards=guard_results(sample, plan, rows),
    )
    return rows, n_joint, decision


# The interval of the Wilcoxon test is of the queries that differ. Where more tie than this share it
# says nothing of a margin for all of them.
MOST_TIED = 0.1


def _leaves_out_ties(rule: Rule, row: MeasureResult) -> bool:
    """Say whether the test leaves out too many ties to judge a margin."""
    n = row.wins + row.ties + row.losses
    return rule.test == "wilcoxon" and row.ties > MOST_TIED * n


def _untestable(sample: Sample, rule: Rule, row: MeasureResult) -> str:
    """Return why there is no test; empty where there is one."""
    if sample.n < 2:
        return "too-few-queries"
    if rule.margin and _leaves_out_ties(rule, row):
        return "margin-of-ties"
    if np.isfinite(row.pvalue):
        return ""
    if sample.few_clusters:
        return FEW_CLUSTERS
    return "too-few-queries" if sample.n_smallest < 2 else "no-variance"


def find_alternatives(
    sample: Sample, plan: AnalysisPlan, decision: Decision, evidence: RunDetails
) -> tuple[Alternative, ...]:
    """Return the sensitivity analysis: what the same rule decides under other choices."""
    rule = plan.rule
    if rule.family == "all":
        return ()
    # the scores are of the primary measure alone
    unguarded = replace(plan, rule=replace(rule, guards=()))

    def decided(choice: OtherChoice, second: Sample) -> Alternative:
        (row,), _, other = decide_on(second, unguarded)
        return Alternative(
            kind=choice.kind,
            n_queries=second.n,
            mean_a=row.mean_a,
            mean_b=row.mean_b,
            diff=row.diff,
            ci_low=row.ci_low,
            ci_high=row.ci_high,
            pvalue=row.pvalue,
            verdict=other.verdict,
            changes=other.verdict is not decision.verdict,
            depth=choice.depth,
            left_out=choice.left_out,
            relative=other.relative,
            clusters=choice.clusters,
        )

    result = [decided(*choice) for choice in sample.alternative_samples(plan, evidence)]
    subsets = iter(sample.without_supporting(rule, decision.direction))

    def is_fallen(item: Alternative) -> bool:
        # What is left may have no spread, which takes nothing back.
        tested = item.verdict is not Verdict.CANNOT_TEST
        return tested and says_more_than(decision.verdict, item.verdict)

    # Most verdicts stay without all that may be left out, which one test shows.
    all_left_out = next(subsets, None) if decision.direction else None
    if all_left_out is not None and is_fallen(decided(*all_left_out)):
        result.append(next(filter(is_fallen, (decided(*subset) for subset in subsets))))
    for item in sample.saved_alternatives:
        # Nothing computes these again, but p and interval are of one procedure.
        outside = item.interval.excludes_zero
        if math.isfinite(item.pvalue) and outside != (item.pvalue < rule.alpha):
            raise ArgumentError(f"p and interval of the choice {item.kind} contradict each other")
        result.append(replace(item, changes=item.verdict is not decision.verdict))
    return tuple(sorted(result, key=lambda element: get_args(Kind).index(element.kind)))


def judge(
    verdict: Verdict,
    direction: int,
    *,
    primary: str,
    notes: Iterable[Note] = (),
    alternatives: Iterable[Alternative] = (),
    carrying: Mapping[str, Any] | None = None,
    further: Iterable[Reason] = (),
) -> Soundness:
    """Judge the evidence behind a verdict."""
    reasons = [reason for note in notes if (reason := _of_note(note, direction, primary))]
    empty = any(reason.values.get("n_rows") == 0 for reason in reasons)  # and shares no query
    for alternative in () if empty else alternatives:
        code = _OF_ALTERNATIVES.get(alternative.kind)
        # Of clusters only what is claimed too much is in doubt: they answer as sound a question.
        turned = says_more_than if alternative.kind == "whole-clusters" else is_turned
        if code and turned(verdict, alternative.verdict):
            values = {
                "kind": alternative.kind,
                "verdict": alternative.verdict.value,
                "difference": alternative.diff,
            }
            if alternative.clusters:
                values |= {"clusters": alternative.clusters, "pvalue": alternative.pvalue}
            reasons.append(Reason(code, {**values, "n_queries": alternative.n_queries}))
    if carrying is not None:
        reasons.append(Reason("one-cluster-carries", carrying))
    order = list(LEVELS)
    return Soundness(
        tuple(sorted((*reasons, *further), key=lambda reason: order.index(reason.code)))
    )


# An alternative that turns the verdict, by its kind, and the reason that it gives.
_OF_ALTERNATIVES = {
    "shared-queries": "missing-queries",
    "missing-as-zero": "missing-queries",
    "partly-condensed": "unjudged-decide",
    "failed-dropped": "missing-scores",
    "failed-worst": "missing-scores",
    "whole-clusters": "clusters-ignored",
}


def is_reversed(declared: Verdict, second: Verdict) -> bool:
    """Say whether better becomes worse, or worse better."""
    return _DIRECTIONS.get(declared, 0) * _DIRECTIONS.get(second, 0) < 0


def is_turned(declared: Verdict, second: Verdict) -> bool:
    """Say whether another verdict takes back what the declared one claims."""
    # It does where it points another way, or where a gate that the declared one passes does not
    # pass.
    passed, still = (
        {name for name, gate in GATES.items() if verdict in gate.verdicts}
        for verdict in (declared, second)
    )
    return _DIRECTIONS.get(declared, 0) != _DIRECTIONS.get(second, 0) or not passed <= still


_DIRECTIONS = {
    Verdict.BETTER: 1,
    Verdict.BETTER_SIZE_UNCLEAR: 1,
    Verdict.WORSE: -1,
    Verdict.WORSE_SIZE_UNCLEAR: -1,
}


def _of_note(note: Note, direction: int, primary: str) -> Reason | None:
    """Return the reason that a note gives, if it gives one."""
    values = note.values
    if note.code == "machine-sample-differs":
        return Reason("sample-differs", values)
    if note.code == "skewness-decides" and not direction:
        return None  # of a difference that nobody speaks of
    of_another = primary not in values.get("measures", (primary,))
    if note.code not in LEVELS or of_another or note.code in _OF_ALTERNATIVES.values():
        return None
    return Reason(note.code, values)
