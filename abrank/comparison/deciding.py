"""From a sample to the decision: test results, adjustment, guards, alternatives, soundness."""

# The family is one of: the secondary measures, with the primary one tested alone; all measures; or
# a fixed sequence, in which each measure is tested at the full level until one is not significant.

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, get_args

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.comparison.choosing import SEQUENCE
from abrank.comparison.evidence import Alternative, Kind, OtherChoice, RunDetails
from abrank.comparison.resolve import AnalysisPlan
from abrank.comparison.result import Comparison
from abrank.comparison.rows import MeasureResult
from abrank.comparison.samples.sample import Sample
from abrank.diagnostics import Note
from abrank.estimate import Estimate, Interval
from abrank.inference import run_test
from abrank.inference.equivalence import bound_unseen
from abrank.inference.families import share_of_alpha
from abrank.inference.registry import as_alpha
from abrank.rule import GATES, LEVELS, GuardResult, Reason, Verdict
from abrank.verdict import FEW_QUERIES, Decision, Rule, SignFlips, decide, says_more_than

FEW_CLUSTERS = "too-few-clusters"


class Adjusted(NamedTuple):
    """Adjusted p-values and intervals of the measures, and the number of max-t sign flips or 0."""

    pvalue: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    n_resamples: int


def measure_rows(sample: Sample, plan: AnalysisPlan) -> tuple[tuple[MeasureResult, ...], int]:
    """Return one row per measure, and the number of sign flips that max-t used."""
    rule = plan.rule
    plain = sample.test(rule.confidence)
    adjusted = adjust_family(sample, plain, rule)
    rows = []
    for i, name in enumerate(sample.measures):
        alone, higher = Estimate.of(plain, i), plan.directions.higher[name]
        together = Interval(float(adjusted.ci_low[i]), float(adjusted.ci_high[i]))
        mean_a, mean_b = sample.means[:, i].tolist()
        # In the order: B better, tied, B worse.
        wins, ties, losses = sample.wins[i].tolist()[:: 1 if higher else -1]
        reading = together.read(
            tested=math.isfinite(alone.pvalue),
            moved=bool(wins + losses),
            higher=higher,
            declared=name not in plan.directions.undeclared,
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
    """Adjust p-values and intervals of the family by the same procedure."""
    # `plain` is the result of the rule's test, not adjusted. An adjusted p-value is never below the
    # plain one, and an adjusted interval is never narrower. For procedures on p-values (Holm,
    # Bonferroni, BH, fixed sequence) each interval has the level at which its measure was tested,
    # so it excludes 0 exactly if the adjusted p-value is below alpha.
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
        # Running maximum of p, primary measure first; after a NaN nothing is significant.
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


def guard_results(
    sample: Sample, plan: AnalysisPlan, rows: Sequence[MeasureResult] = ()
) -> tuple[GuardResult, ...]:
    """Test every guard of a rule by the deciding test, one-sided at alpha."""
    # With few queries or clusters the exact sign-flip test must agree. An untestable guard fails.
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
        # The guard must meet the same conditions that a gate sets for the primary measure.
        guard_rule = replace(
            rule,
            primary=guard.measure,
            margin=guard.margin,
            margin_is_relative=guard.margin_is_relative,
            higher_is_better=plan.directions.higher[guard.measure],
        )
        column = sample.measures.index(guard.measure)
        try:
            if guard.margin_is_relative and sample.n:
                change = sample.relative(column, rule.alpha)
                limits = Estimate(change.estimate, change.tost_low, change.tost_high)
            else:
                limits = Estimate.of(sample.test(rule.confidence_equivalence, [column]))
        except ArgumentError as problem:
            raise ArgumentError(f"the guard {guard}: {problem}") from None
        flips = flip_signs(sample, guard_rule)
        excluded = guard_rule.gain(*limits.interval).low > -guard.margin
        results.append(
            GuardResult(
                measure=guard.measure,
                margin=guard.margin,
                margin_is_relative=guard.margin_is_relative,
                estimate=limits.estimate,
                low=limits.low,
                high=limits.high,
                higher_is_better=guard_rule.higher_is_better,
                passed=excluded and (flips is None or flips.agree("non-inferior", rule.alpha)),
                flips=None if flips is None else flips.non_inferior,
            )
        )
    return tuple(results)


def flip_signs(sample: Sample, rule: Rule) -> SignFlips | None:
    """Run the exact sign-flip tests of few queries or clusters at the gates' thresholds."""
    # None with ten units or more, with none, and if all queries tie.
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
    """Return the rows of all measures, the number of max-t sign flips, and the decision."""
    rule = plan.rule
    rows, n_joint = measure_rows(sample, plan)
    lead = sample.measures.index(rule.primary)
    row, n = rows[lead], sample.n
    identical = n > 1 and not row.wins + row.losses
    if rule.family == "all":
        family = adjust_family(sample, sample.test(rule.confidence_equivalence), rule)
        equivalence = Interval(float(family.ci_low[lead]), float(family.ci_high[lead]))
    else:
        equivalence = Estimate.of(sample.test(rule.confidence_equivalence, [lead])).interval
    decision = decide(
        rule,
        estimate=row.estimate,
        interval=row.adjusted,
        equivalence_interval=equivalence,
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


# The Wilcoxon interval only uses the queries that differ. With a larger share of ties it says
# nothing about a margin for all queries.
MOST_TIED = 0.1


def _leaves_out_ties(rule: Rule, row: MeasureResult) -> bool:
    """Whether the test leaves out too many ties to be compared with a margin."""
    n = row.wins + row.ties + row.losses
    return rule.test == "wilcoxon" and row.ties > MOST_TIED * n


def _untestable(sample: Sample, rule: Rule, row: MeasureResult) -> str:
    """Return the code of why no test is possible; empty if one is."""
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
    """Return the sensitivity analysis: the decision of the same rule under other choices."""
    rule = plan.rule
    if rule.family == "all":
        return ()
    # The scores contain only the primary measure.
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
        # The remaining queries may have no variance; that does not take back the verdict.
        tested = item.verdict is not Verdict.CANNOT_TEST
        return tested and says_more_than(decision.verdict, item.verdict)

    # Most verdicts survive the removal of all these queries at once, which one test shows.
    all_left_out = next(subsets, None) if decision.direction else None
    if all_left_out is not None and is_fallen(decided(*all_left_out)):
        result.append(next(filter(is_fallen, (decided(*subset) for subset in subsets))))
    for item in sample.saved_alternatives:
        # Saved alternatives are not recomputed, but their p-value and interval must agree.
        outside = item.interval.excludes_zero
        if math.isfinite(item.pvalue) and outside != (item.pvalue < rule.alpha):
            raise ArgumentError(f"p and interval of the choice {item.kind} contradict each other")
        result.append(replace(item, changes=item.verdict is not decision.verdict))
    return tuple(sorted(result, key=lambda element: get_args(Kind).index(element.kind)))


def reasons_against(result: Comparison, verdict: Verdict, direction: int) -> list[Reason]:
    """Collect the reasons in notes and alternatives against the evidence for a verdict."""
    primary = result.rule.primary
    reasons = [reason for note in result.notes if (reason := _of_note(note, direction, primary))]
    empty = any(reason.values.get("n_rows") == 0 for reason in reasons)  # also shares no query
    for alternative in () if empty else result.alternatives:
        code = _OF_ALTERNATIVES.get(alternative.kind)
        # Clustered testing answers an equally valid question, so only overclaiming is doubtful.
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
    return reasons


# Kinds of alternatives, and the reason code if they change the verdict.
_OF_ALTERNATIVES = {
    "shared-queries": "missing-queries",
    "missing-as-zero": "missing-queries",
    "partly-condensed": "unjudged-decide",
    "failed-dropped": "missing-scores",
    "failed-worst": "missing-scores",
    "whole-clusters": "clusters-ignored",
}


def is_reversed(declared: Verdict, second: Verdict) -> bool:
    """Whether better becomes worse, or worse becomes better."""
    return _DIRECTIONS.get(declared, 0) * _DIRECTIONS.get(second, 0) < 0


def is_turned(declared: Verdict, second: Verdict) -> bool:
    """Whether another verdict contradicts the declared one."""
    # It does if it points in another direction, or if it fails a gate that the declared one passes.
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
    values = note.values
    if note.code == "machine-sample-differs":
        return Reason("sample-differs", values)
    if note.code == "skewness-decides" and not direction:
        return None  # about a difference that nobody claims
    of_another = primary not in values.get("measures", (primary,))
    if note.code not in LEVELS or of_another or note.code in _OF_ALTERNATIVES.values():
        return None
    return Reason(note.code, values)
