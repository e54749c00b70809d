"""The first documents of each query, and what they tell where ids differ from the judgments'."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from abrank._support.typing import IntArray
from abrank.inputs import ids
from abrank.inputs.id_differences import LEAST_SHARE, IdDifference, id_difference
from abrank.inputs.ids import Ids
from abrank.inputs.judged import JudgedRun
from abrank.inputs.qrels import Qrels

# Documents that are looked at where ids may differ: so many queries, and their first documents.
SAMPLED_QUERIES, SAMPLED_RANKS = 50, 10


@dataclass(frozen=True, eq=False)
class TopDocs:
    """The first documents of each judged query.

    Attributes
    ----------
    query : int64[n_rows]
        Index into the queries of the qrels, ascending.
    rank : int64[n_rows]
        From 1, ascending within a query.
    docs : Ids
    """

    query: IntArray
    rank: IntArray
    docs: Ids

    def top(self, depth: int) -> TopDocs:
        """Return the documents down to a rank."""
        rows = np.flatnonzero(self.rank <= depth)
        if len(rows) == len(self.rank):
            return self
        return TopDocs(self.query[rows], self.rank[rows], ids.take(self.docs, rows))


def sampled_queries(n_queries: int) -> IntArray:
    """Return the queries of the qrels whose first documents are looked at, whatever the run."""
    return np.linspace(0, n_queries - 1, min(n_queries, SAMPLED_QUERIES)).astype(np.int64)


def ranks_kept(n_queries: int, top: int) -> IntArray:
    """Return how many documents are kept of each query: int64[n_queries]."""
    ranks = np.full(n_queries, top, dtype=np.int64)
    ranks[sampled_queries(n_queries)] = max(top, SAMPLED_RANKS)
    return ranks


def document_ids(qrels: Qrels, judged: JudgedRun, shown: TopDocs) -> IdDifference | None:
    """Say why first documents of the sampled queries are not judged, where ids are to blame."""
    sampled = np.isin(shown.query, sampled_queries(len(qrels.query_ids)))
    rows = np.flatnonzero(sampled & (shown.rank <= SAMPLED_RANKS))
    near = judged.rank <= SAMPLED_RANKS
    known = judged.query[near] * SAMPLED_RANKS + judged.rank[near]
    place = shown.query[rows] * SAMPLED_RANKS + shown.rank[rows]
    unknown = rows[~np.isin(place, known)]
    if len(unknown) < LEAST_SHARE * len(rows):
        return None
    judgments = np.flatnonzero(np.isin(qrels.query, shown.query[unknown]))
    return id_difference(
        _placed(shown.query, shown.docs, unknown),
        _placed(qrels.query, qrels.docs, judgments),
        n_compared=len(rows),
    )


def _placed(query: IntArray, docs: Ids, rows: IntArray) -> list[tuple[int, str]]:
    return list(zip(query[rows].tolist(), ids.decode(ids.take(docs, rows)), strict=True))
