"""From a sample to the decision on its primary measure, with every interval that it needs."""

from __future__ import annotations

import numpy as np

from abrank.comparison.choice import Directions
from abrank.comparison.family import interval_of_primary, measure_rows
from abrank.comparison.guards import flip_signs, guard_results
from abrank.comparison.rows import MeasureResult
from abrank.comparison.sample import Sample
from abrank.inference.designs.equivalence import bound_unseen
from abrank.verdict import Decision, Rule, decide

FEW_CLUSTERS = "too-few-clusters"


def decide_on(
    sample: Sample, rule: Rule, better: Directions, span: float
) -> tuple[tuple[MeasureResult, ...], int, Decision]:
    """Return the row of every measure, the flips that max-t shared, and the decision.

    ``span`` is the largest difference that a query can have; infinite where it is not known.
    """
    rows, n_joint = measure_rows(sample, rule, better)
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
        reason=sample.alike() if identical else _untestable(sample, row),
        unseen=bound_unseen(sample.n_units, alpha=rule.alpha, span=span) if n else None,
        sign_flips=flip_signs(sample, rule),
        guards=guard_results(sample, rule, better),
    )
    return rows, n_joint, decision


def _untestable(sample: Sample, row: MeasureResult) -> str:
    """Return why there is no test; empty where there is one."""
    if sample.n < 2:
        return "too-few-queries"
    if np.isfinite(row.pvalue):
        return ""
    return FEW_CLUSTERS if sample.few_clusters else "no-variance"
