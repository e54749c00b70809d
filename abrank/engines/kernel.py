"""Parquet tables by row group, and the kernel that scores complete queries of Arrow tables."""

# The kernel runs on the worker of each partition; its join and measures are those of
# `abrank.evaluate`.

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute, fs

from abrank._support.display import shorten
from abrank._support.errors import AlignmentError, ArgumentError, NotFoundError, ReadError
from abrank._support.typing import Duplicates, FloatArray, Missing, SameId, ScoreDtype
from abrank._support.work import threaded_map
from abrank.engines.engine import files_of
from abrank.inputs import ids
from abrank.inputs.arrow import nested_column, stored_as
from abrank.inputs.columns import (
    KEEP_ONE,
    QRELS,
    RUN,
    Columns,
    Layout,
    Source,
    choose_columns,
    duplicates,
    stacked,
)
from abrank.inputs.files import likeness
from abrank.inputs.ids import kernels
from abrank.inputs.join import Judgments, ReadCounts, block_of, join_pieces
from abrank.inputs.judged import JudgedRun
from abrank.inputs.objects import of_table
from abrank.inputs.parquet import DamagedParquet, Group, Oversized, ParquetData
from abrank.inputs.qrels import Qrels
from abrank.inputs.qrels import build as build_qrels
from abrank.inputs.reading import RunCounts, counted
from abrank.inputs.run import build as build_run
from abrank.inputs.storage import Stored, Unpacked, excess, storage
from abrank.inputs.trec import NotPlain, ranked, slices
from abrank.measures import Measure, resolved
from abrank.measures.names import require_rel


def column_names(
    names: Sequence[str], layout: Layout, columns: Mapping[str, str] | None, label: str
) -> tuple[str, str, str]:
    """Find the three columns of a table in ``names``, or take those in ``columns``."""
    query, document, value = choose_columns(names, layout, columns, label=label)
    if layout == QRELS and document == value:
        raise ReadError(label, "has no grades", hint="add a column relevance, 1 in each row")
    return query, document, value


def read_rows(table: pa.Table, layout: Layout, label: str) -> Columns:
    """Check the three columns of a table, given in the order of the layout."""
    columns = [stored_as(table.column(i)) for i in range(3)]
    if len(columns[0]):
        return of_table(columns, label, QRELS if layout == QRELS else RUN)
    return _empty(label)


def concatenated(tables: Sequence[Columns]) -> Columns:
    """Concatenate the rows of several tables; for errors see :func:`require_once`."""
    return stacked(tables, "") if len(tables) > 1 else tables[0] if tables else _empty("")


def require_once(row_groups: Sequence[Columns]) -> None:
    """Refuse a document that occurs twice in a query; the message names both row groups."""
    rows = concatenated(row_groups)
    first, again = duplicates(ids.number(rows.query)[1], rows.doc)
    if not len(again):
        return
    ends = np.cumsum([len(row_group.value) for row_group in row_groups])
    places = []
    for row in (int(first[0]), int(again[0])):
        row_group = row_groups[int(np.searchsorted(ends, row, side="right"))]
        places.append((row_group.source.label, int(rows.position[row])))
    first_row = np.array([first[0]])
    query, document = (
        ids.decode(ids.take(column, first_row))[0] for column in (rows.query, rows.doc)
    )
    (label, row), (label_of_other, row_of_other) = places
    where = f"rows {row} and {row_of_other}"
    if label_of_other != label:
        where = f"row {row}, and {label_of_other}, row {row_of_other}"
    problem = f"document {shorten(document)} twice in query {shorten(query)}"
    raise ReadError(label, problem, at=where, hint=KEEP_ONE)


def by_query(rows: Columns) -> Columns:
    """Sort rows by query; within a query they keep their order."""
    starts, _ = ids.runs(rows.query)
    if len(kernels.unique(starts)) == len(starts):
        return rows
    order = np.argsort(ids.number(rows.query)[1], kind="stable").astype(np.int64)
    return rows.take(order)


def _empty(label: str) -> Columns:
    none, nowhere = ids.encode([]), np.empty(0, np.int64)
    return Columns(none, none, np.empty(0), nowhere, Source(None, None, 0, label, "row"))


# --- The kernel of all engines: from complete rankings and judgments to scores


SCHEMA = pa.schema([("query_id", pa.string()), ("measure", pa.string()), ("value", pa.float64())])


@dataclass(frozen=True)
class KernelOptions:
    """The measures, and how runs are read: like the options of :func:`abrank.evaluate`."""

    measures: tuple[Measure, ...]
    score_dtype: ScoreDtype = "float64"
    duplicates: Duplicates = "error"
    depth: int | None = None
    missing: Missing = "zero"
    same_id: SameId = "keep"
    # Measures for which the user set the lowest relevant grade; None: all.
    stated: frozenset[str] | None = None

    def __post_init__(self) -> None:
        for measure in self.measures:
            if measure.needs == "subtopics":
                raise ArgumentError(
                    f"{measure} needs judgments by subtopic, which no engine reads: leave out the"
                    " engine, and give judgments and runs as TREC files or as single Parquet files"
                    " below 256 MB"
                )


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of the judged queries of one partition."""

    query_ids: tuple[str, ...]  # ascending
    values: FloatArray  # float64[n_queries, n_systems, n_measures]
    # Counts of each system's run.
    counts: Mapping[str, RunCounts] = field(default_factory=dict)


def score_table(run: pa.Table, qrels: pa.Table, scoring: KernelOptions) -> pa.Table:
    """Score complete queries of one run."""
    ranked_rows = read_rows(run, RUN, RUN.kind)
    judged_rows = read_rows(qrels, QRELS, QRELS.kind)
    scored = score_rows({"run": [ranked_rows]}, [judged_rows], scoring)
    return long_table(scored, scoring.measures).cast(SCHEMA)


def score_rows(
    runs: Mapping[str, Sequence[Columns]], judgments: Sequence[Columns], scoring: KernelOptions
) -> Scored:
    """Score the same complete queries of several systems."""
    try:
        qrels = build_qrels(concatenated(judgments), "qrels", scoring.duplicates)
    except ValueError:
        require_once(judgments)
        raise
    require_rel(scoring.measures, qrels.grade, scoring.stated)
    lookup, query_ids = Judgments.of(qrels), qrels.query_ids
    values, counts = [], {}
    for system, parts in runs.items():
        judged, read_counts, dropped = _join(parts, qrels, lookup, scoring)
        if scoring.depth is not None:
            judged = judged.top(scoring.depth)
        values.append(np.stack([measure(judged) for measure in scoring.measures], axis=1))
        counts[system] = counted(qrels, judged, read_counts, n_duplicates_dropped=dropped)
    lacking = {query for count in counts.values() for query in count.missing}
    if scoring.missing == "error" and lacking:
        some = ", ".join(sorted(lacking)[:3])
        raise AlignmentError(f'judged queries are missing from a run: {some}; see missing="zero"')
    selected = [
        i for i, query in enumerate(query_ids)
        if scoring.missing != "drop" or query not in lacking
    ]  # fmt: skip
    return Scored(tuple(query_ids[i] for i in selected), np.stack(values, axis=1)[selected], counts)


def long_table(scored: Scored, measures: Sequence[str], system: int = 0) -> pa.Table:
    """Return one system's scores as a table ``query_id measure value``, by query."""
    n_queries, n_measures = len(scored.query_ids), len(measures)
    query_codes, measure_codes = (np.arange(n, dtype=np.int32) for n in (n_queries, n_measures))
    query_ids = ids.encode(scored.query_ids).cast(pa.binary()).cast(pa.string(), safe=False)
    columns = [
        pa.DictionaryArray.from_arrays(np.repeat(query_codes, n_measures), query_ids),
        pa.DictionaryArray.from_arrays(np.tile(measure_codes, n_queries), list(map(str, measures))),
        pa.array(np.ascontiguousarray(scored.values[:, system, :]).reshape(-1)),
    ]
    return pa.table(columns, names=SCHEMA.names)


def _join(
    parts: Sequence[Columns], qrels: Qrels, judgments: Judgments, scoring: KernelOptions
) -> tuple[JudgedRun, ReadCounts, int]:
    keep_scores = any(measure.needs == "scores" for measure in scoring.measures)
    join = partial(
        join_pieces, qrels, judgments=judgments, keep_scores=keep_scores, threads=1,
        same_id=scoring.same_id,
    )  # fmt: skip
    rows = by_query(concatenated(parts))
    # In slices that fit the processor cache; each partition already has its own thread.
    block = partial(ranked, score_dtype=scoring.score_dtype)
    try:
        judged, counts, _ = join(slices(rows), block)
    except NotPlain:
        if scoring.duplicates == "error":
            require_once(parts)
        run = build_run(rows, "run", scoring.score_dtype, scoring.duplicates)
        judged, counts, _ = join([run], block_of)
        return judged, counts, run.n_duplicates_dropped
    return judged, counts, 0


# --- Measures whose scale comes from the judgments: here from those of all partitions


def has_open_scale(measure: Measure) -> bool:
    """Whether a measure takes the highest grade of its scale from the judgments."""
    return resolved(measure, JudgedRun.from_grades([[0]])) != measure


# --- Tables in Parquet: a file, a folder, Hive partitions or a pattern, on any file system

# A table is listed by the footers of its files: per row group the number of rows and the lowest and
# highest query id. Nothing else is read.


_LOOKED_AT = 1 << 16  # bytes checked to identify a file that is not Parquet
_ONLY_PARQUET = (
    "--engine (engine=) reads Parquet only; leave it out, and this file is read as it is"
)

Key = bytes | int  # query id as bytes, or as a number in a numeric column


@dataclass(frozen=True)
class Piece:
    """A row group of a file."""

    path: str
    group: int
    n_rows: int
    # Lowest and highest query id; None if the file does not have them.
    low: Key | None = None
    high: Key | None = None

    @property
    def label(self) -> str:
        """Name of the row group in messages."""
        return f"{self.path}, row group {self.group}"


@dataclass(frozen=True)
class ParquetTable:
    """A table in Parquet, and its row groups."""

    label: str  # as named by the user
    layout: Layout
    # Names of the columns with query id, document id and number.
    columns: tuple[str, str, str]
    pieces: tuple[Piece, ...]
    filesystem: Any = field(repr=False, compare=False)
    # Path, size and hash of every file, set by :func:`stamped`.
    stamp: tuple[tuple[str, int, str], ...] = ()
    # Maximum bytes of a row group; default: 4 GiB.
    max_input_size: int | None = None

    @property
    def n_rows(self) -> int:
        """Total number of rows."""
        return sum(piece.n_rows for piece in self.pieces)

    def load(self, piece: Piece) -> list[Columns]:
        """Read and check a row group."""
        query = self.columns[0]
        with storage(piece.label, self.filesystem):
            try:
                with self.filesystem.open_input_file(piece.path) as file:
                    data = ParquetData(file, maximum=self.max_input_size)
                    # In nested tables the query id may also name the document: read it once.
                    names = list(dict.fromkeys(self.columns))
                    table = data.read(names, group=piece.group, coded=[query])
            except Oversized as error:
                raise ReadError(piece.label, str(error), hint=error.hint) from None
            except (IndexError, DamagedParquet) as error:
                raise ReadError(piece.label, f"cannot be read: {error}") from error
        _require_range(table.column(query), piece)
        table = table.select(list(self.columns))
        return [read_rows(table, self.layout, piece.label)]


def open_table(
    source: object,  # a path, or several
    layout: Layout,
    *,
    max_input_size: int | None = None,
) -> ParquetTable:
    """List the row groups of a table."""
    names = [source] if isinstance(source, (str, os.PathLike)) else source
    if not isinstance(names, (list, tuple)) or not all(
        isinstance(name, (str, os.PathLike)) for name in names
    ):
        raise ArgumentError(
            f"an engine reads tables of Parquet, by their paths, not {type(source).__name__}: leave"
            " out --engine (engine=) for what is in memory"
        )
    label = os.fspath(names[0]) if names else ""
    filesystem, paths = files_of(names)
    if not paths:
        raise NotFoundError(f"{label}: no Parquet file there")
    files = dict(zip(paths, threaded_map(partial(_footer, filesystem), paths), strict=True))
    first, (schema, _) = next(iter(files.items()))
    if nested_column(schema) is not None:
        raise ReadError(
            first,
            "its documents stand in lists, a row a query, which is read only of one small file",
            hint='LensKit writes a row a document with save_parquet(path, layout="flat")',
        )
    chosen = column_names(schema.names, layout, None, first)
    pieces: list[Piece] = []
    total = 0
    for path, (schema, groups) in files.items():
        pieces += _pieces(path, schema, groups, chosen)
        total += sum(chunk.n_decoded for group in groups for chunk in group.of(chosen))
        if max_input_size is not None:
            problem, hint = excess(total, max_input_size, n_rows=0, n_packed=0)
            if problem:
                raise ReadError(label, f"holds {problem}", hint=hint)
    return ParquetTable(
        label, layout, chosen, tuple(pieces), filesystem, max_input_size=max_input_size
    )


def stamped(table: ParquetTable) -> ParquetTable:
    """Return a table with hashes of its files, by which a later job recognises them."""
    # Local files are hashed completely, because their time can be set back. Objects in a store are
    # identified by the store's time, and hashed if there is none.
    paths = sorted({piece.path for piece in table.pieces})
    local = isinstance(table.filesystem, fs.LocalFileSystem)

    def mark(info: fs.FileInfo) -> tuple[str, int, str]:
        if not local and info.mtime is not None:
            return info.path, info.size, str(info.mtime)
        digest = hashlib.sha256()
        with table.filesystem.open_input_stream(info.path) as file:
            while data := file.read(1 << 20):
                digest.update(data)
        return info.path, info.size, digest.hexdigest()

    with storage(table.label, table.filesystem):
        marks = tuple(threaded_map(mark, table.filesystem.get_file_info(paths)))
    return replace(table, stamp=marks)


def _footer(filesystem: fs.FileSystem, path: str) -> tuple[Any, tuple[Group, ...]]:
    try:
        with filesystem.open_input_file(path) as file:
            data = ParquetData(file)
            return data.schema, data.groups
    except (OSError, pa.ArrowException, DamagedParquet) as error:
        form = ""
        with (
            suppress(OSError, pa.ArrowException, ReadError),
            filesystem.open_input_file(path) as file,
        ):
            start = Unpacked(Stored(file, path, hashes=False), path).read(_LOOKED_AT)
            form = likeness(start)
        if form and form != "a file of Parquet":
            problem = f"this looks like {form}, not like a Parquet file"
            raise ReadError(path, problem, hint=_ONLY_PARQUET) from error
        raise ReadError(path, f"cannot be read as a Parquet file: {error}") from error


def _pieces(
    path: str,
    schema: Any,  # noqa: ANN401 - of pyarrow
    groups: Sequence[Group],
    columns: Sequence[str],
) -> list[Piece]:
    lacking = [name for name in columns if name not in schema.names]
    if lacking:
        raise ReadError(path, f"no column {lacking[0]}; it has {', '.join(schema.names)}")
    kind = schema.field(columns[0]).type
    result = []
    for number, group in enumerate(groups):
        (query,) = group.of(columns[:1])
        low = high = None
        if query.n_missing == 0 and query.low is not None and query.high is not None:
            low, high = _key(query.low, kind), _key(query.high, kind)
        has_bounds = low is not None and high is not None and low <= high  # type: ignore[operator]
        result.append(Piece(path, number, group.n_rows, *((low, high) if has_bounds else ())))
    return [piece for piece in result if piece.n_rows]


def _key(value: bytes, kind: pa.DataType) -> Key | None:
    """Decode a stored bound of the query ids."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_integer(kind):
        return int.from_bytes(value, "little", signed=pa.types.is_signed_integer(kind))
    return value if str(kind) in ("string", "large_string", "binary", "large_binary") else None


def _require_range(queries: pa.ChunkedArray, piece: Piece) -> None:
    """Refuse query ids outside the range in the footer, by which partitions were made."""
    if piece.low is None or piece.high is None:
        return
    low, high = piece.low, piece.high
    for chunk in queries.chunks:
        array = chunk
        if pa.types.is_dictionary(chunk.type):
            array = chunk.dictionary.take(compute.unique(chunk.indices.drop_null()))
        if not pa.types.is_integer(array.type):
            array = array.cast(pa.large_binary())
        limits = compute.min_max(array).as_py()
        lowest, highest = limits["min"], limits["max"]
        if lowest is not None and (lowest < low or highest > high):
            outside = shorten(_text(lowest if lowest < low else highest))
            expected = f"from {shorten(_text(low))} to {shorten(_text(high))}"
            problem = (
                f"cannot be read: its footer says that its queries go {expected}, and {outside} is"
                " there"
            )
            raise ReadError(piece.label, problem)


def _text(key: Key) -> str:
    return key.decode("utf-8", "replace") if isinstance(key, bytes) else str(key)
