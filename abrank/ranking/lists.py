"""How alike the ranked lists of systems are: rank-biased overlap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from abrank._support.typing import FloatArray, IntArray
from abrank.inputs import ids
from abrank.ranking.rows import Overlap
from abrank.scoring.scores import Scores

# Persistence, the depth to which lists are kept, and up to so many systems they are compared.
PERSISTENCE, DEPTH, MOST = 0.9, 20, 20


def list_overlaps(scores: Scores, systems: Sequence[str]) -> tuple[Overlap, ...]:
    """Return the rank-biased overlap of every two systems, in the mean over the queries.

    Source: Webber, Moffat & Zobel (2010), ACM Transactions on Information Systems 28(4),
    equation 32: extrapolated from the first 20 documents, persistence 0.9.
    """
    runs = scores.judged_runs
    if len(systems) > MOST or set(systems) - set(runs) or not scores.query_ids:
        return ()
    tops = [runs[system].top_docs.top(DEPTH) for system in systems]
    if not any(len(top.rank) for top in tops):
        return ()
    place = {query: i for i, query in enumerate(runs[systems[0]].judged.query_ids)}
    kept = np.array([place[query] for query in scores.query_ids])
    distinct, code = ids.number(ids.joined([top.docs for top in tops]))
    stops = np.cumsum([0, *(len(top.rank) for top in tops)])
    keys = [
        top.query * len(distinct) + code[start:stop]
        for top, start, stop in zip(tops, stops, stops[1:], strict=False)
    ]
    lengths = [np.bincount(top.query, minlength=len(place)) for top in tops]
    found = []
    for i, j in combinations(range(len(tops)), 2):
        _, own, others = np.intersect1d(keys[i], keys[j], return_indices=True)
        deeper = np.maximum(tops[i].rank[own], tops[j].rank[others])
        shared = np.zeros((len(place), DEPTH), np.int64)
        np.add.at(shared, (tops[i].query[own], deeper - 1), 1)
        each = overlap(np.cumsum(shared, axis=1), lengths[i], lengths[j])[kept]
        some = ~np.isnan(each)
        mean = float(each[some].mean()) if some.any() else float("nan")
        found.append(Overlap(systems[i], systems[j], mean))
    return tuple(found)


def overlap(
    shared: IntArray, one: IntArray, other: IntArray, persistence: float = PERSISTENCE
) -> FloatArray:
    """Return the extrapolated rank-biased overlap of two lists for each query."""
    p, depth = persistence, shared.shape[1]
    rank = np.arange(1, depth + 1)
    short, long = np.minimum(one, other)[:, None], np.maximum(one, other)[:, None]
    at_long = np.take_along_axis(shared, np.maximum(long - 1, 0), axis=1)
    at_short = np.take_along_axis(shared, np.maximum(short - 1, 0), axis=1)
    safe = np.maximum(short, 1)
    beyond = np.where(rank > short, at_short * (rank - short) / (safe * rank), 0.0)
    terms = np.where(rank <= long, (shared / rank + beyond) * p**rank, 0.0)
    last = (at_long - at_short) / np.maximum(long, 1) + at_short / safe
    found = (1.0 - p) / p * terms.sum(axis=1) + (last * p ** np.maximum(long, 1))[:, 0]
    found = np.where(short[:, 0] == 0, 0.0, found)
    return np.where(long[:, 0] == 0, np.nan, found)
