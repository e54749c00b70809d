"""What every reader hands on: raw columns, and where they came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank._support.display import shorten
from abrank._support.errors import ReadError
from abrank._support.typing import IntArray
from abrank.inputs import ids
from abrank.inputs.ids import Ids

if TYPE_CHECKING:
    import numpy.typing as npt

_MIXER = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio


@dataclass(frozen=True)
class Source:
    """Where judgments or a run came from.

    Attributes
    ----------
    path : str or None
        The file as it was named; None for standard input and for objects.
    sha256 : str or None
        Of the file's bytes as they are stored (compressed, if it is); None for objects.
    n_rows : int
        Rows read, before duplicates were dropped.
    label : str
        What messages call it: the path, ``stdin``, ``DataFrame``, ``dict``, ``tuples``.
    unit : str
        What its rows are numbered as: ``line`` (from 1) or ``row`` (from 0).
    n_comments : int
        Lines skipped because they begin with ``#``.
    byte_order_mark : bool
        Whether a UTF-8 byte order mark at the start was dropped.
    """

    path: str | None
    sha256: str | None
    n_rows: int
    label: str = ""
    unit: str = "line"
    n_comments: int = 0
    byte_order_mark: bool = False


@dataclass(frozen=True)
class Layout:
    """The form of one kind of input.

    kind : str
        ``run`` or ``qrels``.
    line : str
        The fields of a line, as messages give them.
    value : str
        Name of the number in a frame: ``score`` or ``relevance``.
    value_at : int
        Which field of a line holds it.
    n_fields : int
    """

    kind: str
    line: str
    value: str
    value_at: int
    n_fields: int


RUN = Layout("run", "query_id Q0 doc_id rank score tag", "score", 4, 6)
QRELS = Layout("qrels", "query_id 0 doc_id grade", "relevance", 3, 4)
SUBTOPIC_QRELS = Layout("qrels", "query_id subtopic doc_id grade", "relevance", 3, 4)


@dataclass(frozen=True, eq=False)
class Columns:
    """Rows as read, in the order read, not yet checked for duplicates.

    query, doc : Ids
        Columns of bytes, n_rows long.
    value : float64[n_rows] or int64[n_rows]
        Scores (finite) or grades.
    position : int64[n_rows]
        Line of the file from 1, or row of the object from 0.
    rank : int64[n_rows] or None
        The rank column, where every row of it is a whole number.
    tags : tuple of str
        Distinct run tags, in order of appearance.
    source : Source
    subtopic : Ids or None
        The second field of qrels lines: a subtopic, or a number without meaning. None for runs and
        for objects that were not asked for it.
    """

    query: Ids
    doc: Ids
    value: npt.NDArray[Any]
    position: IntArray
    source: Source
    rank: IntArray | None = None
    tags: tuple[str, ...] = ()
    subtopic: Ids | None = None


def duplicates(query: IntArray, doc: Ids) -> tuple[IntArray, IntArray]:
    """Find documents that a query names more than once."""
    distinct, codes = ids.code(doc)
    key = query * len(distinct) + codes
    order = np.argsort(key, kind="stable")
    same = key[order][1:] == key[order][:-1]
    first, again = order[:-1][same], order[1:][same]
    by_reading = np.argsort(again, kind="stable")
    return first[by_reading], again[by_reading]


def has_duplicates(query: IntArray, doc: Ids, mark: npt.NDArray[np.uint64]) -> bool:
    """Whether a query names a document more than once; much faster than finding which."""
    key = np.sort(mark ^ (query.astype(np.uint64) * np.uint64(_MIXER)))
    # Equal pairs have equal keys, different pairs hardly ever.
    return bool((key[1:] == key[:-1]).any()) and len(duplicates(query, doc)[0]) > 0


def duplicate_error(
    columns: Columns, first: IntArray, again: IntArray, *, note: str = "", hint: str = ""
) -> ReadError:
    """Return the error that names both places of the first duplicate."""
    one, two = int(first[0]), int(again[0])
    document = ids.decode(ids.take(columns.doc, np.array([one])))[0]
    query = ids.decode(ids.take(columns.query, np.array([one])))[0]
    problem = f"document {shorten(document)} twice in query {shorten(query)}{note}"
    if len(again) > 1:
        problem += f" ({len(again)} duplicates in all)"
    at = f"{columns.source.unit}s {columns.position[one]} and {columns.position[two]}"
    return ReadError(columns.source.label, problem, at=at, hint=hint)
