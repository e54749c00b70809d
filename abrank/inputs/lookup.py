"""Judgments, ready for the queries and documents of a run to be looked up among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from abrank._support.typing import IntArray
from abrank.inputs import ids
from abrank.inputs.ids import Ids
from abrank.inputs.qrels import Qrels
from abrank.inputs.trec.stream import Block

if TYPE_CHECKING:
    import numpy.typing as npt

_PLACES = 16  # for each id of a group, at most: few places have two ids
_MOST_PLACES = 1 << 24  # of all groups, as long as there are fewer ids


@dataclass(frozen=True, eq=False)
class Places:
    """A hash table of ids by group.

    The places of a group lie side by side, so that a processor's cache holds them while documents
    of that group are looked up.

    ids : Ids
    mark : uint64[n_ids]
        Their fingerprints.
    start : int64[n_groups + 1]
        First place of each group; last that of no group, which is empty.
    mask : uint64[n_groups + 1]
        The bits of a fingerprint that choose among the places of the group.
    last : int32[n_places]
        The last id that belongs in a place; -1 in an empty one.
    before : int32[n_ids]
        The id that belongs in the same place before it, or -1.
    """

    ids: Ids
    mark: npt.NDArray[np.uint64]
    start: IntArray
    mask: npt.NDArray[np.uint64]
    last: npt.NDArray[np.int32]
    before: npt.NDArray[np.int32]

    @classmethod
    def of(cls, group: IntArray, column: Ids, n_groups: int) -> Places:
        """Return the places of ids, each with the number of its group."""
        mark = ids.fingerprint(column)
        share = max(min(_PLACES, _MOST_PLACES // max(len(column), 1)), 1)
        wanted = np.maximum(np.bincount(group, minlength=n_groups) * share, 1)
        size = np.exp2(np.ceil(np.log2(np.append(wanted, 1)))).astype(np.int64)
        start = np.cumsum(size) - size
        mask = (size - 1).astype(np.uint64)
        place = start[group] + (mark & mask[group]).astype(np.int64)
        order = np.argsort(place, kind="stable").astype(np.int32)
        ordered = place[order]
        last = np.full(size.sum(), -1, dtype=np.int32)
        last[ordered] = order
        before = np.full(len(order), -1, dtype=np.int32)
        again = np.flatnonzero(ordered[1:] == ordered[:-1])
        before[order[again + 1]] = order[again]
        return cls(column, mark, start, mask, last, before)

    def find(
        self, group: IntArray, length: IntArray, column: Ids, mark: npt.NDArray[np.uint64]
    ) -> tuple[IntArray, IntArray]:
        """Return which rows hold an id of their group, and the places of those among the ids."""
        place = (mark & np.repeat(self.mask[group], length)).astype(np.int64)
        place += np.repeat(self.start[group], length)
        at = self.last[place]
        rows = np.flatnonzero(at >= 0)
        at = at[rows]
        found = [(rows[:0], at[:0])]
        while len(rows):
            alike = np.flatnonzero(self.mark[at] == mark[rows])
            found.append((rows[alike], at[alike]))
            at = self.before[at]
            more = np.flatnonzero(at >= 0)
            rows, at = rows[more], at[more]
        rows, at = (np.concatenate(each) for each in zip(*found, strict=True))
        order = np.argsort(rows, kind="stable")
        rows, which = rows[order], at[order].astype(np.int64)
        same = ids.same(ids.take(column, rows), ids.take(self.ids, which))
        return rows[same], which[same]


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judgments, ready to be looked up; ``ideal`` has them by query, the best first."""

    queries: Places
    docs: Places
    ideal: IntArray

    @classmethod
    def of(cls, qrels: Qrels) -> Judgments:
        """Return those of ``qrels``."""
        n_queries = len(qrels.query_ids)
        one = np.zeros(n_queries, dtype=np.int64)
        return cls(
            queries=Places.of(one, ids.encode(qrels.query_ids), 1),
            docs=Places.of(qrels.query, qrels.docs, n_queries),
            ideal=np.lexsort((-qrels.grade, qrels.query)),
        )

    def numbers(self, queries: Ids) -> IntArray:
        """Return the number in the qrels of each query, or -1."""
        found = np.full(len(queries), -1, dtype=np.int64)
        all_of_them = np.array([len(queries)])
        mark = ids.fingerprint(queries)
        rows, at = self.queries.find(np.array([0]), all_of_them, queries, mark)
        found[rows] = at
        return found

    def find(self, block: Block, query: IntArray) -> tuple[IntArray, IntArray]:
        """Return which rows of ``block.docs`` are judged, and their judgments.

        ``query`` has the number of each ranking's query in the qrels, or -1.
        """
        return self.docs.find(query, np.diff(block.first_row), block.docs, block.mark)
