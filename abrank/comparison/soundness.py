"""The soundness of a comparison's evidence, judged from everything that the comparison holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abrank.comparison.result import Comparison
from abrank.diagnostics import lists_only_relevant
from abrank.estimate import Estimate
from abrank.inference.designs.as_tests import cluster_result
from abrank.soundness import LEVELS, Reason, Soundness, judge
from abrank.verdict import settle

# A cluster with so much of the difference carries it, if nothing is shown without it.
MOST_OF_IT = 0.5


def with_soundness(made: Comparison, further: Sequence[Reason] = ()) -> Comparison:
    """Return a comparison whose decision takes account of the soundness of its evidence.

    ``further`` are reasons that its parts give.
    """
    decision = made.decision
    verdict = decision.of_numbers or decision.verdict
    soundness = judge(
        verdict,
        decision.direction,
        primary=made.rule.primary,
        same_file=decision.reason == "same-file",
        notes=made.notes,
        alternatives=made.alternatives,
        to_judge=None if lists_only_relevant(made.audits) else made.evidence.to_judge,
        carrying=_carrying_cluster(made) if decision.direction else None,
    )
    if further:
        order = list(LEVELS)
        reasons = sorted((*soundness.reasons, *further), key=lambda each: order.index(each.code))
        soundness = Soundness(tuple(reasons))
    return replace(made, decision=settle(made.rule, decision, soundness))


def _carrying_cluster(made: Comparison) -> Mapping[str, Any] | None:
    """Return the cluster with most of a shown difference, if nothing is shown without it."""
    if made.clusters is None or made.merged is not None:
        return None
    differences = made.differences()
    names, place = np.unique(np.array(made.clusters.labels, dtype=object), return_inverse=True)
    sums = np.bincount(place, weights=differences)
    share = sums / sums.sum()
    largest = int(np.argmax(share))
    others = place != largest
    if share[largest] <= MOST_OF_IT:
        return None
    labels = [made.clusters.labels[i] for i in np.flatnonzero(others)]
    found = cluster_result(
        "t", differences[others], labels, confidence=made.rule.confidence, seed=made.seed
    )
    alone = Estimate.of(found)
    if alone.interval.excludes_zero and alone.interval.side == np.sign(sums.sum()):
        return None
    return {
        "name": made.clusters.name,
        "cluster": str(names[largest]),
        "share": float(share[largest]),
        "n_queries": int(np.sum(~others)),
        "difference": alone.estimate,
        "low": alone.low,
        "high": alone.high,
    }
