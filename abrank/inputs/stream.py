"""A plain run file as blocks of whole rankings: read, ranked and checked without holding the file.

Plain is what nearly every run is: six or more fields a line, the lines of a query together, every
document once, no comments. Whatever is not plain raises :class:`NotPlain`, and the caller
reads the whole file with the careful parser, which knows what to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.csv

from abrank._support.typing import FloatArray, IntArray, ScoreDtype
from abrank.inputs import ids, kernels
from abrank.inputs.columns import has_duplicates
from abrank.inputs.ids import Ids
from abrank.inputs.plain import BYTE_ORDER_MARK, one_blank
from abrank.inputs.ties import at_precision, rank_conflicts, rank_rows

if TYPE_CHECKING:
    import numpy.typing as npt

BLOCK = 1 << 20
_SEPARATORS = (b"\0", b"\t", b"\v", b"\f", b"\r")
NAMES = ("query", "Q0", "doc", "rank", "score", "tag")
_TYPES = {
    "query": pa.large_binary(),
    "doc": pa.large_binary(),
    "rank": pa.int64(),
    "score": pa.float64(),
    "tag": pa.large_binary(),
}


class NotPlain(Exception):
    """The file needs the careful parser; never seen by a user."""


@dataclass(frozen=True, eq=False)
class Block:
    """Whole rankings of some queries, the rows of each together and in rank order.

    Attributes
    ----------
    query_ids : tuple of str
        In the order in which they stand.
    first_row : int64[n_queries + 1]
        Row at which each query begins, and the number of rows.
    docs : Ids
        Documents as they were read, by query.
    mark : uint64[n_rows]
        Fingerprints of ``docs``.
    row : int64[n_rows] or None
        Where the document at each rank stands in ``docs``; None where they stand in rank order.
    score : float64[n_rows]
        In rank order.
    tags : tuple of str
    n_rank_conflicts : int
        Queries whose rank column contradicts the scores.
    """

    query_ids: tuple[str, ...]
    first_row: IntArray
    docs: Ids
    mark: npt.NDArray[np.uint64]
    row: IntArray | None
    score: FloatArray
    tags: tuple[str, ...] = ()
    n_rank_conflicts: int = 0


def stream(file: BinaryIO, *, score_dtype: ScoreDtype = "float64") -> Iterator[Block]:
    r"""Read a run block by block.

    Parameters
    ----------
    file : binary file
        Unpacked.
    score_dtype : {"float64", "float32"}

    Yields
    ------
    Block

    Raises
    ------
    NotPlain
        As soon as something is not plain; what was yielded before is of no use then.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO(b"301 Q0 d1 1 2.5 x\n301 Q0 d2 2 2.5 x\n302 Q0 d1 1 1 x\n")
    >>> [(block.query_ids, ids.decode(block.docs), block.row) for block in stream(file)]
    [(('301',), ['d1', 'd2'], array([1, 0])), (('302',), ['d1'], None)]
    """
    seen: set[str] = set()
    for batch, ends in _whole_queries(_batches(file)):
        block = _block(batch, ends, score_dtype)
        n_seen = len(seen) + len(block.query_ids)
        seen.update(block.query_ids)
        if len(seen) < n_seen:
            raise NotPlain("the lines of a query do not stand together")
        yield block


class _Guard:
    """A file for Arrow: one blank between fields, and nothing that Arrow reads in its own way.

    The blanks are looked after where the first block needs it; if they turn up later, Arrow finds a
    line with too many fields.
    """

    closed = False

    def __init__(self, file: BinaryIO, head: bytes) -> None:
        self._file, self._head = file, head
        self._squeezes = one_blank(head) != head
        self._rest = b""
        self._tail = b"\n"

    def read(self, size: int) -> bytes:
        data, self._head = self._head or self._file.read(size), b""
        if self._squeezes:
            data = self._squeezed(data)
        for byte in _SEPARATORS:
            if byte in data:
                raise NotPlain("a separator other than a blank, or a NUL byte")
        if b"#" in data and b"\n#" in self._tail + data:
            raise NotPlain("a comment")
        for letter, number in ((b"x", b" 0x"), (b"X", b" 0X")):
            # Arrow reads 0x1f as 31.
            if letter in data and number in self._tail + data:
                raise NotPlain("perhaps a hexadecimal number")
        self._tail = data[-2:]
        return data

    def _squeezed(self, data: bytes) -> bytes:
        """Return the whole lines so far with one blank between fields; keep the rest."""
        lines = self._rest + data
        cut = lines.rfind(b"\n") + 1 if data else len(lines)
        if data and not cut:
            raise NotPlain("a line longer than a block")
        self._rest = lines[cut:]
        return one_blank(lines[:cut])


def _batches(file: BinaryIO) -> Iterator[pa.RecordBatch]:
    """Read the columns in blocks of lines."""
    head = file.read(BLOCK)
    line, newline, _ = one_blank(head).partition(b"\n")
    n_fields = line.count(b" ") + 1
    if n_fields < len(NAMES) or not newline or head.startswith(BYTE_ORDER_MARK):
        raise NotPlain("not the layout of a run, or one line only")
    others = [f"field {i}" for i in range(len(NAMES), n_fields)]
    try:
        yield from pyarrow.csv.open_csv(
            pa.PythonFile(_Guard(file, head), "r"),
            pyarrow.csv.ReadOptions(column_names=[*NAMES, *others], block_size=BLOCK),
            pyarrow.csv.ParseOptions(delimiter=" ", quote_char=False, ignore_empty_lines=False),
            pyarrow.csv.ConvertOptions(
                column_types=_TYPES,
                include_columns=list(_TYPES),
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowInvalid as error:
        raise NotPlain(str(error)) from error


def _whole_queries(
    batches: Iterator[pa.RecordBatch],
) -> Iterator[tuple[pa.RecordBatch, IntArray]]:
    """Cut the batches anew, where a query ends; with the row behind each query."""
    held = None
    for batch in batches:
        ends = _query_ends(batch)
        if held is not None:
            # Only the first query here can go on with what was held back: the rest is not copied.
            first = int(ends[0])
            held = pa.concat_batches([held, batch.slice(0, first)])
            if len(ends) == 1:
                continue
            yield held, _query_ends(held)
            batch, ends = batch.slice(first), ends[1:] - first
        cut = int(ends[-2]) if len(ends) > 1 else 0
        if cut:
            yield batch.slice(0, cut), ends[:-1]
        held = batch.slice(cut)
    if held is not None:
        yield held, _query_ends(held)


def _query_ends(batch: pa.RecordBatch) -> IntArray:
    """Return the row behind each run of equal query ids."""
    return ids.integers(kernels.run_end_encode(batch.column("query")).run_ends)


def _block(batch: pa.RecordBatch, ends: IntArray, score_dtype: ScoreDtype) -> Block:
    """Rank the rows of whole queries."""
    first_row = np.concatenate([[0], ends])
    query = np.repeat(np.arange(len(ends)), np.diff(first_row))
    docs = batch.column("doc")
    score = _floats(batch.column("score"))
    if not np.isfinite(score).all():
        raise NotPlain("a score that is not finite")
    mark = ids.fingerprint(docs)
    if has_duplicates(query, docs, mark):
        raise NotPlain("a document twice in a query")
    score = at_precision(score, score_dtype)
    rank = ids.integers(batch.column("rank"))
    row = None if _falls(score, ends) else rank_rows(query, score, docs)
    return Block(
        query_ids=tuple(ids.decode(ids.take(batch.column("query"), first_row[:-1]))),
        first_row=first_row,
        docs=docs,
        mark=mark,
        row=row,
        score=score if row is None else score[row],
        tags=tuple(ids.decode(kernels.unique(batch.column("tag")))),
        n_rank_conflicts=(
            0 if row is None and _falls(-rank, ends) else rank_conflicts(query, score, rank)
        ),
    )


def _falls(values: FloatArray | IntArray, ends: IntArray) -> bool:
    """Whether the values of every query fall from row to row, without a tie."""
    falls = values[1:] < values[:-1]
    falls[ends[:-1] - 1] = True
    return bool(falls.all())


def _floats(column: Any) -> FloatArray:  # noqa: ANN401 - an Arrow array
    values = np.frombuffer(column.buffers()[1], np.float64)
    return values[column.offset : column.offset + len(column)]
