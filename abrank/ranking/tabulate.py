"""From a joint test of a block of scores to the rows of a ranking."""

from __future__ import annotations

import numpy as np

from abrank import inference
from abrank._support.typing import FloatArray
from abrank.inference.rounding import TIE
from abrank.ranking.rows import PairRow, SystemRow


def system_rows(
    systems: tuple[str, ...],
    block: FloatArray,
    means: FloatArray,
    found: inference.JointResult,
    sign: float,
) -> tuple[SystemRow, ...]:
    """Return the leaderboard, best first; the parameters are those of :func:`pair_rows`."""
    own = inference.run_test(
        "bootstrap", block, method="percentile", bounded=False, confidence=found.confidence
    )
    low, high = inference.within_query_interval(block, confidence=found.confidence)
    ranks = inference.friedman_test(sign * block).mean_ranks
    groups: tuple[str, ...] = ("",) * len(systems)
    if len(found.pairs.first) == len(systems) * (len(systems) - 1) // 2:
        groups = inference.group_letters(found.matrix(found.distinct))
    return tuple(
        SystemRow(
            position=i + 1,
            system=system,
            mean=float(means[i]),
            ci_low=float(own.ci_low[i]),
            ci_high=float(own.ci_high[i]),
            within_low=float(low[i]),
            within_high=float(high[i]),
            mean_rank=float(ranks[i]),
            group=groups[i],
        )
        for i, system in enumerate(systems)
    )


def pair_rows(
    systems: tuple[str, ...],
    block: FloatArray,
    means: FloatArray,
    found: inference.JointResult,
    sign: float,
    *,
    declared: bool = True,
) -> tuple[PairRow, ...]:
    """Return the pairs, b the one that stands above, or the one that is not the baseline."""
    rows = []
    wins, losses = _wins(block, found.pairs, sign if found.baseline is not None else -sign)
    turned = -1.0 if found.baseline is None else 1.0
    for k, (i, j) in enumerate(zip(*found.pairs, strict=True)):
        a, b = (j, i) if found.baseline is None else (i, j)
        estimate = turned * found.estimate[k]
        limits = turned * found.ci_low[k], turned * found.ci_high[k]
        rows.append(
            PairRow(
                a=systems[a],
                b=systems[b],
                diff=float(means[b] - means[a]),
                ci_low=float(min(limits)),
                ci_high=float(max(limits)),
                pvalue=float(found.pvalue[k]),
                pvalue_adj=float(found.pvalue_adj[k]),
                reading=_reading(found, k, sign * estimate, declared=declared),
                estimate=float(estimate),
                wins=wins[k],
                ties=len(block) - wins[k] - losses[k],
                losses=losses[k],
            )
        )
    return tuple(rows)


def _wins(block: FloatArray, pairs: inference.Pairs, sign: float) -> tuple[list[int], list[int]]:
    """Count the queries on which the second system of a pair, times the sign, stands higher."""
    slack = TIE * np.abs(block).max(initial=0.0)
    wins, losses = [], []
    for i, j in zip(*pairs, strict=True):
        difference = sign * (block[:, j] - block[:, i])
        wins.append(int((difference > slack).sum()))
        losses.append(int((difference < -slack).sum()))
    return wins, losses


def _reading(found: inference.JointResult, k: int, advantage: float, *, declared: bool) -> str:
    """Say in one word what the adjusted p-value says of the second system of a row."""
    if np.isnan(found.pvalue_adj[k]):
        return "untested"
    if found.identical[k]:
        return "identical"
    if not found.distinct[k]:
        return "unclear"
    if not declared:
        return "differs"
    return "better" if advantage > 0.0 else "worse"
