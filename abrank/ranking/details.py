"""Rows of a ranking: pairs and systems, and what stands beside the deciding test."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from functools import partial
from itertools import combinations, compress

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.result import Deferred
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.diagnostics import Note
from abrank.diagnostics.notes import is_undone, undone_by_skewness
from abrank.inference.clusters import run_cluster_test
from abrank.inference.effect_size import geo_risk, risk
from abrank.inference.paired import mean_and_error, skewness_of, t_answer
from abrank.inference.rounding import TIE, has_spread
from abrank.inference.systems import stability
from abrank.inference.systems.friedman import friedman_test
from abrank.inference.systems.pairwise import group_letters, within_query_interval
from abrank.inference.systems.registry import pairwise_pvalues, swap_rate
from abrank.inference.systems.stability import N_AGREEMENT, N_RESAMPLES, resample_means
from abrank.inference.wilcoxon import wilcoxon_pvalues
from abrank.inputs import ids
from abrank.ranking.result import (
    Agreement,
    Extras,
    Instrument,
    OtherTest,
    Overlap,
    PairRow,
    PairSpread,
    RankChance,
    Ranking,
    RiskRow,
    SystemRow,
)
from abrank.scoring.scores import Scores


def system_rows(
    systems: tuple[str, ...],
    block: FloatArray,
    means: FloatArray,
    result: inference.JointResult,
    sign: float,
) -> tuple[SystemRow, ...]:
    """Return the leaderboard, best first; the parameters are those of :func:`pair_rows`."""
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
    """Return percentile bootstrap limits of each mean, infinite where none can be told."""
    n, tail = len(block), (1.0 - confidence) / 2.0
    if n < 2 or float(n) ** -n >= tail:  # the chance of a single resample
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
    """Return the pairs, b the one that stands above, or the one that is not the baseline."""
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
    """Count the queries on which the second system of a pair, times the sign, stands higher."""
    slack = TIE * np.abs(block).max(initial=0.0)
    wins: list[int] = []
    losses: list[int] = []
    for _, part in pairs.parts():
        difference = sign * part.of(block)
        wins += (difference > slack).sum(axis=0).tolist()
        losses += (difference < -slack).sum(axis=0).tolist()
    return wins, losses


def _reading(
    result: inference.JointResult, k: int, advantage: float, *, distinct: bool, declared: bool
) -> str:
    """Say in one word what the adjusted p-value says of the second system of a row."""
    if np.isnan(result.pvalue_adj[k]):
        return "untested"
    if result.identical[k]:
        return "identical"
    if not distinct:
        return "unclear"
    if not declared:
        return "differs"
    return "better" if advantage > 0.0 else "worse"


# Of so many pairs and more, Wilcoxon's p-values beside come from its normal approximation.
MANY_PAIRS_FOR_EXACT_WILCOXON = 1_000
# Joint and paired tests that skewness misleads; pairs that are held at once, and named.
OF_THE_MEAN = ("max-t", "tukey", "randomised-tukey", "dunnett", "t", "permutation")
PAIRS_AT_ONCE, MAX_NAMED = 4_096, 3
# So many times as wide the intervals of whole clusters are, on average, before a caution names
# pairs. Of 2, 4 and 8 systems on 200 queries of 40 users it comes in 2, 11 and 6 % of rankings with
# a significant pair if queries are independent, in 15, 49 and 73 % at an intraclass correlation of
# .1.
WIDER_BY_CLUSTERS = 1.1
# Above so many systems fewer resamples are drawn, and the chance to lead is kept alone; above so
# many nothing is said of ranks.
MANY_SYSTEMS, MAX_RANKED = 300, 2_000
# Pairs of systems, times resamples, that one comparison of two measures looks at.
MAX_SIGNS = 20_000_000
SYSTEMS_AT_ONCE = 1_000  # whose pairs with all that follow are looked at together
# The tests shown beside the deciding one: the joint or paired test, its adjustment, its title.
ALL_PAIRS = (
    ("max-t", "", "Max-T sign flips"),
    ("tukey", "", "Tukey HSD"),
    ("randomised-tukey", "", "Randomised Tukey HSD"),
    ("t", "holm", "Paired t, adjusted by Holm"),
    ("wilcoxon", "bh", "Wilcoxon, adjusted by Benjamini-Hochberg"),
)
WITH_BASELINE = (ALL_PAIRS[0], *ALL_PAIRS[3:])


def rank_chances(ranking: Ranking) -> tuple[tuple[RankChance, ...], int]:
    """Return how often each system has each rank under resampling of the queries."""
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
    """Return how alike every two measures order the systems."""
    first = rankings[0]
    if len(rankings) < 2 or not first.n_queries:
        return ()
    n_systems = len(first.systems)
    blocks = [_oriented(ranking, first.systems) for ranking in rankings]
    n_resamples = min(N_AGREEMENT, max(99, MAX_SIGNS // n_systems**2))
    stacked = np.concatenate(blocks, axis=1)
    resampled = resample_means(stacked, n_resamples=n_resamples, seed=first.seed)
    # The scores as they are come first.
    means = np.vstack([stacked.mean(axis=0), resampled]).round(12)
    by_measure = np.split(means, len(rankings), axis=1)
    return tuple(
        _agreement(
            rankings[i].measure, rankings[j].measure, by_measure[i], by_measure[j], first.alpha
        )
        for i, j in combinations(range(len(rankings)), 2)
    )


def _oriented(ranking: Ranking, systems: Sequence[str]) -> FloatArray:
    """Return the scores in an order of the systems, the higher the better."""
    sign = 1.0 if ranking.higher_is_better else -1.0
    return np.asarray(sign * ranking.scores_of(systems))


def _agreement(a: str, b: str, first: FloatArray, second: FloatArray, alpha: float) -> Agreement:
    step = max(1, MAX_SIGNS // (10 * first.shape[1] ** 2))
    parts = [slice(start, start + step) for start in range(0, len(first), step)]
    values_and_limits: list[float] = []
    for function in (stability.kendall_tau, stability.tau_ap):
        values = np.concatenate([function(first[part], second[part]) for part in parts])
        resampled = values[1:][~np.isnan(values[1:])]
        ends = (
            np.quantile(resampled, [alpha / 2.0, 1.0 - alpha / 2.0])
            if len(resampled)
            else [np.nan] * 2
        )
        values_and_limits += [float(values[0]), *map(float, ends)]
    return Agreement(a, b, len(first) - 1, *values_and_limits)


def other_tests(ranking: Ranking) -> Sequence[OtherTest]:
    """Return what the usual tests find of the pairs of a ranking; the deciding one left out."""
    if ranking.n_queries < 2:
        return ()
    tests = ALL_PAIRS if ranking.baseline is None else WITH_BASELINE
    return Deferred(
        *(
            partial(_other_test, ranking, test, adjust, title)
            for test, adjust, title in tests
            if ranking.test != test or not ranking.title.endswith(f" by {adjust}" if adjust else "")
        )
    )


def _other_test(ranking: Ranking, test: str, adjust: str, title: str) -> OtherTest:
    decided = np.array([row.told_apart for row in ranking.pair_rows])
    pairs = inference.SystemPairs(*(
        np.array([ranking.place[getattr(row, side)] for row in ranking.pair_rows]) for side in "ab"
    ))  # fmt: skip
    rejected, title = _told_apart(ranking, pairs, test, adjust, title)
    n_beaten = int(rejected[(pairs.first == 0) | (pairs.second == 0)].sum())
    n_leaders = 0 if ranking.baseline is not None else len(ranking.systems) - n_beaten
    return OtherTest(title, int(rejected.sum()), int((rejected != decided).sum()), n_leaders)


def _told_apart(
    ranking: Ranking, pairs: inference.SystemPairs, test: str, adjust: str, title: str
) -> tuple[BoolArray, str]:
    """Return which pairs, in the order of the ranking's, a test tells apart, and its title."""
    if test in inference.TESTS:
        differences = pairs.of(ranking.scores)
        if test == "wilcoxon":
            is_many = len(pairs.first) >= MANY_PAIRS_FOR_EXACT_WILCOXON
            title += ", normal approximation" * is_many
            pvalue = wilcoxon_pvalues(differences, method="asymptotic" if is_many else "auto")
        else:
            pvalue = inference.run_test(test, differences, confidence=1.0 - ranking.alpha).pvalue
        # A pair without a p-value is not told apart.
        return np.asarray(inference.adjust(pvalue, adjust) < ranking.level), title
    columns = [ranking.systems.index(baseline) for baseline in ranking.baselines]
    result = inference.run_joint_test(
        test, ranking.scores, baseline=columns or None,
        seed=ranking.seed, confidence=1.0 - ranking.level,
    )  # fmt: skip
    return result.matrix(result.distinct)[pairs.first, pairs.second], title


def undone_pairs(
    ranking: Ranking, clusters: tuple[str, Mapping[str, str]] | None = None
) -> list[Note]:
    """Return cautions, one a measure, on significant pairs that another t test does not confirm.

    That is t corrected for skewness and, with a name and the cluster of each query, t by whole
    clusters.
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
        for start in range(0, len(significant), PAIRS_AT_ONCE):
            rows = significant[start : start + PAIRS_AT_ONCE]
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
    """Return which significant pairs t corrected for skewness, and t by clusters, take back."""
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
        # Of queries that are independent, too, pairs near alpha come to lie beyond it.
        with np.errstate(invalid="ignore"):
            wider = np.mean((whole.ci_high - whole.ci_low) / (high - low))
        if wider > WIDER_BY_CLUSTERS:
            by_cluster = is_undone(whole.pvalue, by_t, rows, n_family=n_family, alpha=level)
    return by_skewness, by_cluster


def _named_pairs(rows: Sequence[PairRow]) -> dict[str, object]:
    """Return how many pairs there are, and the names of the first, the better one ahead."""
    pairs = [(row.b, row.a) if row.b_is_ahead else (row.a, row.b) for row in rows[:MAX_NAMED]]
    return {
        "count": len(rows),
        "pairs": [{"ahead": ahead, "behind": behind} for ahead, behind in pairs],
    }


def pair_spread(scores: FloatArray) -> PairSpread | None:
    """Return how unequally the differences of two systems vary over the pairs."""
    if len(scores) < 2:
        return None
    n_systems, centred = scores.shape[1], scores - scores.mean(axis=0)
    variances = (centred**2).sum(axis=0) / (len(scores) - 1)
    # What rounding leaves of the difference of two systems that are one is nothing.
    smallest, largest, total, rounding = np.inf, 0.0, 0.0, 1e-14 * variances.max()
    for start in range(0, n_systems - 1, SYSTEMS_AT_ONCE):
        stop = start + SYSTEMS_AT_ONCE
        covariance = centred[:, start:stop].T @ centred[:, start:] / (len(scores) - 1)
        variance_of_pairs = variances[start:stop, None] + variances[None, start:] - 2.0 * covariance
        variance_of_pairs = variance_of_pairs[
            np.triu_indices(len(variance_of_pairs), 1, variance_of_pairs.shape[1])
        ]
        total += float(variance_of_pairs.sum())
        varying = variance_of_pairs[variance_of_pairs > rounding]
        smallest = min(smallest, float(varying.min(initial=np.inf)))
        largest = max(largest, float(varying.max(initial=0.0)))
    if not largest:
        return None
    n_pairs = n_systems * (n_systems - 1) // 2
    return PairSpread(math.sqrt(smallest), math.sqrt(largest), math.sqrt(total / n_pairs))


# Persistence, the depth to which lists are kept, and up to so many systems they are compared.
PERSISTENCE, OVERLAP_DEPTH, MAX_LISTS = 0.9, 20, 20


def list_overlaps(scores: Scores, systems: Sequence[str]) -> tuple[Overlap, ...]:
    """Return the rank-biased overlap of every two systems, in the mean over the queries."""
    # Source: Webber, Moffat & Zobel (2010), ACM Transactions on Information Systems 28(4), equation
    # 32: extrapolated from the first 20 documents, persistence 0.9.
    runs = scores.judged_runs
    if len(systems) > MAX_LISTS or set(systems) - set(runs) or not scores.query_ids:
        return ()
    tops = [runs[system].top_docs.top(OVERLAP_DEPTH) for system in systems]
    if not any(len(top.rank) for top in tops):
        return ()
    row_of = {query: i for i, query in enumerate(runs[systems[0]].judged.query_ids)}
    selected = np.array([row_of[query] for query in scores.query_ids])
    distinct, code = ids.number(ids.joined([top.docs for top in tops]))
    stops = np.cumsum([0, *(len(top.rank) for top in tops)])
    keys = [
        top.query * len(distinct) + code[start:stop]
        for top, start, stop in zip(tops, stops, stops[1:], strict=False)
    ]
    lengths = [np.bincount(top.query, minlength=len(row_of)) for top in tops]
    result = []
    for i, j in combinations(range(len(tops)), 2):
        _, rows_first, rows_second = np.intersect1d(keys[i], keys[j], return_indices=True)
        deeper = np.maximum(tops[i].rank[rows_first], tops[j].rank[rows_second])
        shared = np.zeros((len(row_of), OVERLAP_DEPTH), np.int64)
        np.add.at(shared, (tops[i].query[rows_first], deeper - 1), 1)
        overlaps = overlap(np.cumsum(shared, axis=1), lengths[i], lengths[j])[selected]
        is_defined = ~np.isnan(overlaps)
        mean = float(overlaps[is_defined].mean()) if is_defined.any() else float("nan")
        result.append(Overlap(systems[i], systems[j], mean))
    return tuple(result)


def overlap(
    shared: IntArray, first: IntArray, second: IntArray, persistence: float = PERSISTENCE
) -> FloatArray:
    """Return the extrapolated rank-biased overlap of two lists for each query."""
    p, depth = persistence, shared.shape[1]
    rank = np.arange(1, depth + 1)
    short, long = np.minimum(first, second)[:, None], np.maximum(first, second)[:, None]
    at_long = np.take_along_axis(shared, np.maximum(long - 1, 0), axis=1)
    at_short = np.take_along_axis(shared, np.maximum(short - 1, 0), axis=1)
    safe = np.maximum(short, 1)
    beyond = np.where(rank > short, at_short * (rank - short) / (safe * rank), 0.0)
    terms = np.where(rank <= long, (shared / rank + beyond) * p**rank, 0.0)
    last = (at_long - at_short) / np.maximum(long, 1) + at_short / safe
    rows = (1.0 - p) / p * terms.sum(axis=1) + (last * p ** np.maximum(long, 1))[:, 0]
    rows = np.where(short[:, 0] == 0, 0.0, rows)
    return np.where(long[:, 0] == 0, np.nan, rows)


def with_extras(
    ranking: Ranking, *, instruments: bool = False, risk: float | None = None
) -> Ranking:
    """Return the ranking with what it is asked for beside the leaderboard, in ``extras``."""
    if not ranking.n_queries:
        raise ArgumentError("without queries there is nothing to say of measures or of risk")
    extras = Extras(
        instruments=tuple(
            _instrument(ranking_by_measure, ranking) for ranking_by_measure in ranking.by_measure
        )
        if instruments
        else (),
        risk_weight=float("nan") if risk is None else risk,
        risk=() if risk is None else _risks(ranking, risk),
    )
    return replace(ranking, extras=extras)


def _instrument(ranking: Ranking, primary: Ranking) -> Instrument:
    pvalues = pairwise_pvalues(ranking.scores)
    rejected = pvalues < ranking.alpha
    means = ranking.scores.mean(axis=0)
    first, second = np.triu_indices(len(means), 1)
    gaps = np.abs(means[second] - means[first])[rejected]
    orders = (_oriented(by, primary.systems).mean(axis=0) for by in (ranking, primary))
    return Instrument(
        measure=ranking.measure,
        discriminative_power=float(rejected.mean()),
        swap_rate=swap_rate(ranking.scores, seed=ranking.seed),
        smallest_told=float(gaps.min(initial=math.inf)) if gaps.size else math.nan,
        tau=float(stability.kendall_tau(*orders)),
        achieved_levels=tuple(np.sort(pvalues).tolist()),
    )


def _risks(ranking: Ranking, weight: float) -> tuple[RiskRow, ...]:
    baseline = ranking.baseline or ranking.systems[-1]
    scores, confidence = _oriented(ranking, ranking.systems), 1.0 - ranking.alpha
    base = scores[:, ranking.systems.index(baseline)]
    geo = np.full((3, len(ranking.systems)), np.nan)
    if (scores >= 0.0).all():
        geo = np.stack(geo_risk(scores, weight=weight, confidence=confidence, seed=ranking.seed))
    rows = []
    for i, system in enumerate(ranking.systems):
        of_pair = risk(scores[:, i] - base, weight=weight, confidence=confidence)
        rows.append(RiskRow(system, baseline, *astuple(of_pair), *geo[:, i].tolist()))
    return tuple(rows)
