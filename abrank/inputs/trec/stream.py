"""A plain run file as blocks of whole rankings: read, ranked and checked without holding the file.

Plain is what nearly every run is: six or more fields a line, the lines of a query together, every
document once, no comments. Whatever is not plain raises :class:`NotPlain`, and the caller
reads the whole file with the careful parser, which knows what to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from abrank._support.typing import FloatArray, IntArray, ScoreDtype
from abrank.inputs import ids
from abrank.inputs.archives import Readable
from abrank.inputs.columns import RUN, Columns, has_duplicates
from abrank.inputs.ids import Ids
from abrank.inputs.ties import at_precision, rank_conflicts, rank_rows
from abrank.inputs.trec.lines import first_long_line, parse_fast

if TYPE_CHECKING:
    import numpy.typing as npt

BLOCK = 2 << 20
ROWS = 250_000  # of a table, ranked together; of fewer, threads wait for each other more often
LARGEST = 64 << 20  # bytes of a query's lines that are held at once


class NotPlain(Exception):
    """The file needs the careful parser; never seen by a user."""


@dataclass(frozen=True, eq=False)
class Block:
    """Whole rankings of some queries, the rows of each together and in rank order.

    queries : Ids
        In the order in which they stand.
    first_row : int64[n_queries + 1]
        Row at which each query begins, and the number of rows.
    docs : Ids
        Documents as they were read, by query.
    mark : uint64[n_rows]
        Fingerprints of ``docs``.
    ranking : int64[n_rows]
        Number of the ranking that each row is of.
    row : int64[n_rows] or None
        Where the document at each rank stands in ``docs``; None where they stand in rank order.
    score : float64[n_rows]
        In rank order.
    tags : tuple of str
    n_rank_conflicts : int
        Queries whose rank column contradicts the scores.
    """

    queries: Ids
    first_row: IntArray
    docs: Ids
    mark: npt.NDArray[np.uint64]
    ranking: IntArray
    row: IntArray | None
    score: FloatArray
    tags: tuple[str, ...] = ()
    n_rank_conflicts: int = 0


def chunks(file: Readable) -> Iterator[bytes]:
    r"""Cut a run where a query ends, into chunks of about ``BLOCK`` bytes or one query.

    Where the lines of a query do not stand together, a cut may part them.
    """
    held = b""
    while data := file.read(max(BLOCK, len(held))):
        data = held + data
        if first_long_line(data) >= 0:
            raise NotPlain("a line that is too long")
        cut = _last_query(data)
        if not cut and len(data) > LARGEST:
            raise NotPlain("a ranking that is too large to be held")
        if cut:
            yield data[:cut]
        held = data[cut:]
    yield held  # of an empty file too: whoever reads it says what is wrong


def _last_query(data: bytes) -> int:
    """Return where the lines of the last query begin, by halving: its lines stand together."""
    end = data.rfind(b"\n") + 1
    first, last = 0, data.rfind(b"\n", 0, max(end - 1, 0)) + 1
    query = _query(data, last)
    while first < last:
        line = data.rfind(b"\n", 0, (first + last) // 2) + 1
        if _query(data, line) == query:
            last = line
        else:
            first = data.find(b"\n", line) + 1
    return last


def _query(data: bytes, line: int) -> list[bytes]:
    """Return the first field of the line that begins here."""
    return data[line : data.find(b"\n", line)].split(None, 1)[:1]


def block(chunk: bytes, *, score_dtype: ScoreDtype = "float64") -> Block:
    r"""Read, check and rank whole queries."""
    rows = parse_fast(chunk, RUN)
    if rows is None:
        raise NotPlain("a bad line, a comment or a number in need of care")
    if rows.rank is None:
        raise NotPlain("a rank that is no number, so that no rank of the file counts")
    return ranked(rows, score_dtype=score_dtype)


def ranked(rows: Columns, *, score_dtype: ScoreDtype = "float64") -> Block:
    """Check and rank the rows of whole queries."""
    queries, ends = ids.runs(rows.query)
    first_row = np.concatenate([[0], ends])
    query = np.repeat(np.arange(len(ends)), np.diff(first_row))
    mark = ids.fingerprint(rows.doc)
    if has_duplicates(query, rows.doc, mark):
        raise NotPlain("a document twice in a query")
    score = at_precision(rows.value, score_dtype)
    row = None if _falls(score, ends) else rank_rows(query, score, rows.doc)
    n_rank_conflicts = 0
    if rows.rank is not None and not (row is None and _falls(-rows.rank, ends)):
        n_rank_conflicts = rank_conflicts(query, score, rows.rank)
    return Block(
        queries=queries,
        first_row=first_row,
        docs=rows.doc,
        mark=mark,
        ranking=query,
        row=row,
        score=score if row is None else score[row],
        tags=rows.tags,
        n_rank_conflicts=n_rank_conflicts,
    )


def slices(columns: Columns) -> Iterator[Columns]:
    """Cut columns where a query ends, into slices of about ``ROWS`` rows or one query."""
    ends = ids.runs(columns.query)[1]
    start = 0
    if not len(columns.value):
        yield columns
    while start < len(columns.value):
        stop = int(ends[min(int(np.searchsorted(ends, start + ROWS)), len(ends) - 1)])
        yield replace(
            columns,
            query=columns.query[start:stop],
            doc=columns.doc[start:stop],
            value=columns.value[start:stop],
            rank=None if columns.rank is None else columns.rank[start:stop],
        )
        start = stop


def _falls(values: FloatArray | IntArray, ends: IntArray) -> bool:
    """Whether the values of every query fall from row to row, without a tie."""
    falls = values[1:] < values[:-1]
    falls[ends[:-1] - 1] = True
    return bool(falls.all())
