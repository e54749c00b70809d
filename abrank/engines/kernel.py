"""Scores whole queries that Arrow tables hold; it runs on the worker that has the partition.

The join and the measures are those of :func:`abrank.evaluate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pyarrow as pa

from abrank._support.display import shorten
from abrank._support.errors import AlignmentError, ArgumentError, ReadError
from abrank._support.typing import Duplicates, FloatArray, Missing, SameId, ScoreDtype
from abrank.inputs import ids
from abrank.inputs.arrow import stored_as
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
from abrank.inputs.ids import kernels
from abrank.inputs.join import Judgments, ReadCounts, block_of, join_pieces
from abrank.inputs.judged import JudgedRun
from abrank.inputs.objects import of_table
from abrank.inputs.qrels import Qrels
from abrank.inputs.qrels import build as build_qrels
from abrank.inputs.reading import RunCounts, counted
from abrank.inputs.run import build as build_run
from abrank.inputs.trec import NotPlain, ranked, slices
from abrank.measures import Measure, resolved
from abrank.measures.names import require_rel


def column_names(
    names: Sequence[str], layout: Layout, columns: Mapping[str, str] | None, label: str
) -> tuple[str, str, str]:
    """Find the three columns of a table among its ``names``, or those that ``columns`` gives."""
    query, document, value = choose_columns(names, layout, columns, label=label)
    if layout == QRELS and document == value:
        raise ReadError(label, "has no grades", hint="add a column relevance, 1 in each row")
    return query, document, value


def read_rows(table: pa.Table, layout: Layout, label: str) -> Columns:
    """Check the three columns of a table, which stand in the order of the layout."""
    columns = [stored_as(table.column(i)) for i in range(3)]
    if len(columns[0]):
        return of_table(columns, label, QRELS if layout == QRELS else RUN)
    return _empty(label)


def concatenated(tables: Sequence[Columns]) -> Columns:
    """Return the rows of several tables as one; see :func:`require_once` for its messages."""
    return stacked(tables, "") if len(tables) > 1 else tables[0] if tables else _empty("")


def require_once(row_groups: Sequence[Columns]) -> None:
    """Refuse a document that a query names twice; the message names both row groups."""
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
    """Return the rows with those of each query together, in the order read within one."""
    starts, _ = ids.runs(rows.query)
    if len(kernels.unique(starts)) == len(starts):
        return rows
    order = np.argsort(ids.number(rows.query)[1], kind="stable").astype(np.int64)
    return rows.take(order)


def _empty(label: str) -> Columns:
    none, nowhere = ids.encode([]), np.empty(0, np.int64)
    return Columns(none, none, np.empty(0), nowhere, Source(None, None, 0, label, "row"))


# --- The kernel of every engine: the rankings of whole queries and their judgments, to scores


SCHEMA = pa.schema([("query_id", pa.string()), ("measure", pa.string()), ("value", pa.float64())])


@dataclass(frozen=True)
class KernelOptions:
    """What is measured, and how runs are read: :func:`abrank.evaluate` has the same keywords."""

    measures: tuple[Measure, ...]
    score_dtype: ScoreDtype = "float64"
    duplicates: Duplicates = "error"
    depth: int | None = None
    missing: Missing = "zero"
    same_id: SameId = "keep"
    # Of which measures the user said from which grade on a document is relevant; None for all
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
    # Counts on each system's run
    counts: Mapping[str, RunCounts] = field(default_factory=dict)


def score_table(run: pa.Table, qrels: pa.Table, scoring: KernelOptions) -> pa.Table:
    """Score whole queries of one run."""
    ranked_rows = read_rows(run, RUN, RUN.kind)
    judged_rows = read_rows(qrels, QRELS, QRELS.kind)
    scored = score_rows({"run": [ranked_rows]}, [judged_rows], scoring)
    return long_table(scored, scoring.measures).cast(SCHEMA)


def score_rows(
    runs: Mapping[str, Sequence[Columns]], judgments: Sequence[Columns], scoring: KernelOptions
) -> Scored:
    """Score the same whole queries of several systems."""
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
    # In slices that stay in the processor's cache; the engine has a thread for each partition.
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


# --- Measures that take the highest grade from the judgments: here that of all partitions


def has_open_scale(measure: Measure) -> bool:
    """Whether a measure takes the highest grade of its scale from the judgments."""
    return resolved(measure, JudgedRun.from_grades([[0]])) != measure


def with_scale(measure: Measure, highest: int) -> Measure:
    """Return a measure whose scale ends at the highest grade of all judgments."""
    return resolved(measure, JudgedRun.from_grades([[int(np.maximum(highest, 0))]]))
