"""What every reader hands on: raw columns, and where they came from."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank._support.display import shorten
from abrank._support.errors import BadLine, ReadError
from abrank._support.typing import IntArray
from abrank.inputs import ids
from abrank.inputs.ids import Ids

if TYPE_CHECKING:
    import numpy.typing as npt

MOST_SHOWN = 20  # bad lines of a file

_CODED = ("query", "subtopic")  # the same on many lines
_MIXER = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio


@dataclass(frozen=True)
class Source:
    """Where judgments or a run came from.

    Attributes
    ----------
    path : str or None
        The file as it was named; None for standard input and for objects.
    sha256 : str or None
        Of the file's bytes as they are stored (compressed, if it is); None for objects. Of files
        joined into one, of their hashes one after another.
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
    ungraded : bool
        Whether judgments came without grades, so that each row counts as grade 1.
    """

    path: str | None
    sha256: str | None
    n_rows: int
    label: str = ""
    unit: str = "line"
    n_comments: int = 0
    byte_order_mark: bool = False
    ungraded: bool = False


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
    source: Source = Source(None, None, 0)
    rank: IntArray | None = None
    tags: tuple[str, ...] = ()
    subtopic: Ids | None = None


@dataclass
class Gathered:
    """What was read of a file so far: its columns part by part, and its bad lines.

    The texts of a part make way for its columns before the next part is read: as objects of
    Python's they would take ten times the memory of the file.
    """

    layout: Layout
    label: str
    unit: str = "line"
    expected: str = ""
    n_lines: int = 0
    n_good: int = 0
    n_comments: int = 0
    n_bad: int = 0
    byte_order_mark: bool = False
    bad: list[BadLine] = field(default_factory=list)
    widths: set[int] = field(default_factory=set)
    tags: dict[str, None] = field(default_factory=dict)
    held: defaultdict[str, list[Any]] = field(default_factory=lambda: defaultdict(list))

    def refuse(self, number: int, text: bytes, problem: str) -> None:
        """Count a bad line of the next part, by its number in it."""
        self.n_bad += 1
        if len(self.bad) < MOST_SHOWN:
            shown = text.decode("utf-8", "backslashreplace")
            self.bad.append(BadLine(self.n_lines + number, shown, problem))

    def add(self, part: Columns, n_lines: int) -> None:
        """Add the rows of so many lines; with a bad line in the file none will be used."""
        part.position[:] += self.n_lines
        self.n_lines += n_lines
        if self.n_bad:
            self.held.clear()
        elif len(part.position):
            for name in ("query", "doc", "value", "position", "rank", "subtopic"):
                column = getattr(part, name)
                if column is not None:
                    # Of a small file, which is one part, it would take longer than it saves.
                    coded = self.n_good and name in _CODED
                    self.held[name].append(ids.coded(column) if coded else column)
            self.tags |= dict.fromkeys(part.tags)
        self.n_good += len(part.position)

    def joined(self, nothing: str = "no rows") -> Columns:
        """Return the rows of all parts."""
        if self.n_bad:
            raise ReadError(self.label, lines=self.bad, total=self.n_bad, expected=self.expected)
        if not self.n_good and self.layout is not RUN:
            raise ReadError(self.label, nothing, expected=self.expected)
        # A run without rows is of a system that found nothing.
        n_parts = len(self.held["doc"])
        has_ranks = len(self.held["rank"]) == n_parts > 0

        def column(name: str, empty: Any) -> Any:  # noqa: ANN401 - ids or numbers
            parts = self.held.pop(name, None) or [empty]  # they go once they are joined
            if len(parts) == 1:
                return parts[0]
            if name in _CODED:
                parts[0] = ids.coded(parts[0])
            return np.concatenate(parts) if isinstance(empty, np.ndarray) else ids.joined(parts)

        none = ids.encode([])
        return Columns(
            query=column("query", none),
            doc=column("doc", none),
            value=column("value", np.empty(0)),
            position=column("position", np.empty(0, np.int64)),
            rank=column("rank", np.empty(0, np.int64)) if has_ranks else None,
            tags=tuple(self.tags),
            subtopic=column("subtopic", none) if self.held["subtopic"] else None,
            source=Source(
                None, None, self.n_good, self.label, self.unit, self.n_comments,
                self.byte_order_mark,
            ),
        )  # fmt: skip


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
    key = query.astype(np.uint64)
    key *= np.uint64(_MIXER)
    key ^= mark
    key.sort()
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
