"""Rows of a ranking for pairs and systems, and further statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, compress

import numpy as np

from abrank import inference
from abrank._support.typing import BoolArray, FloatArray
from abrank.diagnostics import Note, is_undone, undone_by_skewness
from abrank.inference.clusters import run_cluster_test
from abrank.inference.families import pairs_at_once
from abrank.inference.paired import mean_and_error, skewness_of, t_answer
from abrank.inference.rounding import TIE, has_spread
from abrank.inference.systems import stability
from abrank.inference.systems.friedman import friedman_test
from abrank.inference.systems.pairwise import group_letters, within_query_interval
from abrank.inference.systems.stability import N_AGREEMENT, N_RESAMPLES, resample_means
from abrank.ranking.result import Agreement, PairRow, RankChance, Ranking, SystemRow


def system_rows(
    systems: tuple[str, ...],
    block: FloatArray,
    means: FloatArray,
    result: inference.JointResult,
    sign: float,
) -> tuple[SystemRow, ...]:
    """Return the leaderboard, best first; for the parameters see :func:`pair_rows`."""
    own_low, own_high = _mean_limits(block, result.confidence)
    low, high = within_query_interval(block, confidence=result.confidence)
    ranks = friedman_test(sign * block).mean_ranks
    groups: tuple[str, ...] = ("",) * len(systems)
    if len(result.pairs.first) == len(systems) * (len(systems) - 1) // 2:
        groups = group_letters(result.matrix(result.distinct))
    return tuple(
        SystemRow(
            position=i + 1,
            system=system,
            mean=float(means[i]),
            ci_low=float(own_low[i]),
            ci_high=float(own_high[i]),
            within_low=float(low[i]),
            within_high=float(high[i]),
            mean_rank=float(ranks[i]),
            group=groups[i],
        )
        for i, system in enumerate(systems)
    )


def _mean_limits(block: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return percentile bootstrap limits of each mean, infinite with too few queries."""
    n, tail = len(block), (1.0 - confidence) / 2.0
    if n < 2 or float(n) ** -n >= tail:  # probability of a single resample
        unbounded = np.full(block.shape[1], np.inf if n else np.nan)
        return -unbounded, unbounded
    means = resample_means(block, n_resamples=N_RESAMPLES, seed=0)
    low, high = np.quantile(means, [tail, 1.0 - tail], axis=0)
    varies = has_spread(block)
    return np.where(varies, low, -np.inf), np.where(varies, high, np.inf)


def pair_rows(
    systems: tuple[str, ...],
    block: FloatArray,
    means: FloatArray,
    result: inference.JointResult,
    sign: float,
    *,
    declared: bool = True,
) -> tuple[PairRow, ...]:
    """Return the pairs; b is the higher system, or the one compared with a baseline."""
    rows = []
    wins, losses = _wins(block, result.pairs, sign if result.baseline is not None else -sign)
    sign_of_pair = -1.0 if result.baseline is None else 1.0
    distinct = result.distinct
    for k, (i, j) in enumerate(zip(*result.pairs, strict=True)):
        a, b = (j, i) if result.baseline is None else (i, j)
        estimate = sign_of_pair * result.estimate[k]
        reading = _reading(result, k, sign * estimate, distinct=distinct[k], declared=declared)
        limits = sign_of_pair * result.ci_low[k], sign_of_pair * result.ci_high[k]
        rows.append(
            PairRow(
                a=systems[a],
                b=systems[b],
                diff=float(means[b] - means[a]),
                ci_low=float(min(limits)),
                ci_high=float(max(limits)),
                pvalue=float(result.pvalue[k]),
                pvalue_adj=float(result.pvalue_adj[k]),
                reading=reading,
                estimate=float(estimate),
                wins=wins[k],
                ties=len(block) - wins[k] - losses[k],
                losses=losses[k],
            )
        )
    return tuple(rows)


def _wins(
    block: FloatArray, pairs: inference.SystemPairs, sign: float
) -> tuple[list[int], list[int]]:
    slack = TIE * np.abs(block).max(initial=0.0)
    wins: list[int] = []
    losses: list[int] = []
    for _, part in pairs.parts(len(block)):
        difference = sign * part.of(block)
        wins += (difference > slack).sum(axis=0).tolist()
        losses += (difference < -slack).sum(axis=0).tolist()
    return wins, losses


def _reading(
    result: inference.JointResult, k: int, advantage: float, *, distinct: bool, declared: bool
) -> str:
    """Return one word for the adjusted p-value, about the second system of a pair."""
    if np.isnan(result.pvalue_adj[k]):
        return "untested"
    if result.identical[k]:
        return "identical"
    if not distinct:
        return "unclear"
    if not declared:
        return "differs"
    return "better" if advantage > 0.0 else "worse"


# Tests that skewness can mislead; and the maximum number of pairs named in a caution.
OF_THE_MEAN = ("max-t", "tukey", "randomised-tukey", "dunnett", "t", "permutation")
MAX_NAMED = 3
# A caution names pairs if cluster-robust intervals are on average wider by this factor. With 2, 4
# and 8 systems on 200 queries of 40 users it appears in 2, 11 and 6 % of rankings with a
# significant pair if queries are independent, and in 15, 49 and 73 % at an intraclass correlation
# of .1.
WIDER_BY_CLUSTERS = 1.1
# With more than MANY_SYSTEMS systems fewer resamples are drawn and only the chance of rank 1 is
# kept; above MAX_RANKED no rank chances are computed.
MANY_SYSTEMS, MAX_RANKED = 300, 2_000
SYSTEMS_AT_ONCE = 1_000  # systems whose pairs are held in memory together


def rank_chances(ranking: Ranking) -> tuple[tuple[RankChance, ...], int]:
    """Return how often each system has each rank if queries are resampled."""
    n_systems = len(ranking.systems)
    if not ranking.n_queries or n_systems > MAX_RANKED:
        return (), 0
    n_drawn, n_kept = (N_RESAMPLES, n_systems) if n_systems <= MANY_SYSTEMS else (N_AGREEMENT, 1)
    ranks = stability.rank_stability(
        ranking.scores,
        higher_is_better=ranking.higher_is_better,
        confidence=1.0 - ranking.alpha,
        n_resamples=n_drawn,
        seed=ranking.seed,
    )
    rows = (
        RankChance(name, int(ranks.low[i]), int(ranks.high[i]), tuple(chances))
        for i, (name, chances) in enumerate(
            zip(ranking.systems, ranks.chances[:, :n_kept].tolist(), strict=True)
        )
    )
    return tuple(rows), n_drawn


def measure_agreements(rankings: Sequence[Ranking]) -> tuple[Agreement, ...]:
    """Return the rank correlation of every pair of measures."""
    first = rankings[0]
    if len(rankings) < 2 or not first.n_queries:
        return ()
    means = {
        ranking.measure: (1.0 if ranking.higher_is_better else -1.0)
        * ranking.scores_of(first.systems).mean(axis=0).round(12)
        for ranking in rankings
    }
    return tuple(
        Agreement(a, b, float(stability.kendall_tau(means[a], means[b])))
        for a, b in combinations(means, 2)
    )


def undone_pairs(
    ranking: Ranking, clusters: tuple[str, Mapping[str, str]] | None = None
) -> list[Note]:
    """Return cautions, one per measure, on significant pairs that another t test does not confirm.

    The other test is t corrected for skewness and, given clusters, the cluster-robust t.
    """
    if ranking.test not in OF_THE_MEAN or ranking.n_queries < 2:
        return []
    name, of_query = clusters or ("", {})
    labels = [of_query[query_id] for query_id in ranking.query_ids] if clusters else []
    result: list[Note] = []
    for of_measure in ranking.by_measure:
        significant = [row for row in of_measure.pair_rows if row.told_apart]
        by_skewness: list[PairRow] = []
        by_cluster: list[PairRow] = []
        for part in pairs_at_once(len(significant), ranking.n_queries):
            rows = significant[part]
            skewed, clustered = _undone(of_measure, rows, labels, ranking.level)
            by_skewness += compress(rows, skewed)
            by_cluster += compress(rows, clustered)
        severity = 2 if of_measure is ranking else 1
        counted = {"measure": of_measure.measure, "of": len(significant)}
        if by_skewness:
            values = {**counted, **_named_pairs(by_skewness)}
            result.append(Note("skewness-decides", severity, values))
        if by_cluster:
            values = {**counted, **_named_pairs(by_cluster), "clusters": name}
            result.append(Note("clusters-ignored", severity, values))
    return result


def _undone(
    ranking: Ranking, rows: Sequence[PairRow], labels: Sequence[str], level: float
) -> tuple[BoolArray, BoolArray]:
    """Return which pairs t corrected for skewness, and cluster-robust t, do not confirm."""
    # Source: Hall (1992), as `skewed_t`; Bell & McCaffrey (2002), as `run_cluster_test`.
    first, second = (ranking.scores_of(getattr(row, side) for row in rows) for side in "ab")
    d = second - first
    mean, error = mean_and_error(d)
    n_family = len(ranking.pair_rows)
    _, by_skewness = undone_by_skewness(
        (mean, error, skewness_of(d)), len(d), rows, n_family=n_family, alpha=level
    )
    by_cluster = np.zeros(len(rows), np.bool_)
    if 1 < len({*labels}) < len(labels):
        levels = np.full(len(rows), level)
        _, by_t, low, high = t_answer(mean, error, len(d) - 1.0, levels)
        whole = run_cluster_test("t", d, labels, confidence=1.0 - levels)
        # Even if queries are independent, pairs near alpha can change sides.
        with np.errstate(invalid="ignore"):
            wider = np.mean((whole.ci_high - whole.ci_low) / (high - low))
        if wider > WIDER_BY_CLUSTERS:
            by_cluster = is_undone(whole.pvalue, by_t, rows, n_family=n_family, alpha=level)
    return by_skewness, by_cluster


def _named_pairs(rows: Sequence[PairRow]) -> dict[str, object]:
    pairs = [(row.b, row.a) if row.b_is_ahead else (row.a, row.b) for row in rows[:MAX_NAMED]]
    return {
        "count": len(rows),
        "pairs": [{"ahead": ahead, "behind": behind} for ahead, behind in pairs],
    }


def pair_spread(scores: FloatArray) -> float | None:
    """Return the largest variance of a pair's differences divided by the mean over all pairs."""
    if len(scores) < 2:
        return None
    n_systems, centred = scores.shape[1], scores - scores.mean(axis=0)
    variances = (centred**2).sum(axis=0)
    largest = total = 0.0
    for start in range(0, n_systems - 1, SYSTEMS_AT_ONCE):
        rows = slice(start, start + SYSTEMS_AT_ONCE)
        shared = 2.0 * centred[:, rows].T @ centred[:, start:]
        of_pairs = np.triu(variances[rows, None] + variances[None, start:] - shared, 1)
        total += float(of_pairs.sum())
        largest = max(largest, float(of_pairs.max()))
    # The difference of two equal systems has only rounding errors.
    n_pairs = n_systems * (n_systems - 1) // 2
    return largest / (total / n_pairs) if largest > 1e-14 * variances.max() else None
