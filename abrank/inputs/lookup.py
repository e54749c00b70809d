"""Judgments, ready for the documents of a run to be looked up among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from abrank._support.typing import BoolArray, IntArray
from abrank.inputs import ids
from abrank.inputs.columns import pair_keys
from abrank.inputs.ids import Ids
from abrank.inputs.qrels import Qrels
from abrank.inputs.trec.stream import Block

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Judgments:
    """The judgments, ready to be looked up; ``ideal`` has them by query, the best first."""

    place: dict[str, int]
    docs: Ids
    key: npt.NDArray[np.uint64]
    row: IntArray
    known: BoolArray
    first: npt.NDArray[np.int32]
    ideal: IntArray

    @classmethod
    def of(cls, qrels: Qrels) -> Judgments:
        """Return those of ``qrels``."""
        key = pair_keys(qrels.query, ids.fingerprint(qrels.docs))
        row = np.argsort(key)
        place = {query_id: i for i, query_id in enumerate(qrels.query_ids)}
        # By the last bits of the keys: most documents of a run are known to be unjudged from here.
        known = np.zeros(1 << min(max(len(key).bit_length() + 5, 16), 24), dtype=np.bool_)
        known[key & np.uint64(len(known) - 1)] = True
        # Where the keys with the same first bits begin: hardly ever more than a few.
        n_bits = min(len(key).bit_length() + 2, 24)
        prefix = np.arange((1 << n_bits) + 1, dtype=np.uint64) << np.uint64(64 - n_bits)
        first = np.searchsorted(key[row], prefix).astype(np.int32)
        first[-1] = len(key)
        ideal = np.lexsort((-qrels.grade, qrels.query))
        return cls(place, qrels.docs, key[row], row, known, first, ideal)

    def find(self, block: Block, query: IntArray) -> tuple[IntArray, IntArray]:
        """Return which rows of ``block.docs`` are judged, and their judgments.

        ``query`` has the number of each ranking's query in the qrels, or -1.
        """
        key = pair_keys(np.repeat(query, np.diff(block.first_row)), block.mark)
        rows = np.flatnonzero(self.known[key & np.uint64(len(self.known) - 1)])
        rows, at = self._with_key(rows, key[rows])
        same = ids.same(ids.take(block.docs, rows), ids.take(self.docs, at))
        return rows[same], at[same]

    def _with_key(self, rows: IntArray, key: npt.NDArray[np.uint64]) -> tuple[IntArray, IntArray]:
        """Return the rows whose key judgments have, and those; once for each of them."""
        n_bits = (len(self.first) - 1).bit_length() - 1
        prefix = (key >> np.uint64(64 - n_bits)).astype(np.int64)
        place, end = self.first[prefix].astype(np.int64), self.first[prefix + 1]
        found = [(rows[:0], self.row[:0])]
        while len(place):
            live = np.flatnonzero(place < end)
            rows, key, place, end = rows[live], key[live], place[live], end[live]
            same = self.key[place] == key
            found.append((rows[same], self.row[place[same]]))
            place = place + 1
        every, at = (np.concatenate(each) for each in zip(*found, strict=True))
        order = np.argsort(every, kind="stable")
        return every[order], at[order]
