"""What runs where a partition is: rows of Arrow tables as checked columns, and their scores.

It is the join and the measures of :func:`abrank.evaluate`; only the rows come from Arrow tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute

from abrank._support.display import shorten
from abrank._support.errors import AlignmentError, ArgumentError, ReadError
from abrank._support.typing import Duplicates, FloatArray, Missing, SameId, ScoreDtype
from abrank.inputs import ids
from abrank.inputs.arrow import stored_as, to_grades
from abrank.inputs.columns import (
    KEEP_ONE,
    QRELS,
    RUN,
    Columns,
    Layout,
    Source,
    choose_columns,
    duplicates,
)
from abrank.inputs.ids import kernels
from abrank.inputs.join import Judgments, ReadCounts, block_of, join_pieces
from abrank.inputs.judged import JudgedRun
from abrank.inputs.objects import of_table
from abrank.inputs.qrels import Qrels
from abrank.inputs.qrels import build as build_qrels
from abrank.inputs.reading import Audit, counted, judged_shares
from abrank.inputs.run import build as build_run
from abrank.inputs.trec import NotPlain, ranked, slices
from abrank.measures import Measure, resolved
from abrank.measures.names import require_rel

# One row a shown document: its position from 1, empty where a judged document was not shown, and
# its grade, empty where it was not judged.
JOINED = Layout("joined table", "query_id position relevance", "relevance", 2, 3)
_POSITIONS = ("position", "rank")


def column_names(
    names: Sequence[str], layout: Layout, columns: Mapping[str, str] | None, label: str
) -> tuple[str, str, str]:
    """Find the three columns of a table among its ``names``, or those that ``columns`` gives."""
    if layout != JOINED:
        query, document, value = choose_columns(names, layout, columns, label=label)
        if layout == QRELS and document == value:
            raise ReadError(label, "has no grades", hint="add a column relevance, 1 in each row")
        return query, document, value
    arguments = dict(columns or {})
    place = arguments.pop("position", None) or next(
        (name for name in names if name.casefold() in _POSITIONS), None
    )
    if place not in names:
        raise ReadError(label, f"no column position (nor rank); it has {', '.join(names)}")
    # The third column of the layout is not there: the position stands in for the document.
    arguments["doc_id"] = "doc_id"
    query, _, value = choose_columns([*names, "doc_id"], QRELS, arguments, label=label)
    return query, str(place), value


def read_rows(table: pa.Table, layout: Layout, label: str) -> Columns:
    """Check the three columns of a table, which stand in the order of the layout."""
    columns = [stored_as(table.column(i)) for i in range(3)]
    if len(columns[0]):
        return of_table(columns, label, QRELS if layout == QRELS else RUN)
    return _empty(label)


def split_joined(table: pa.Table, label: str) -> tuple[Columns, Columns]:
    """Return the run and the judgments that a joined table holds."""
    query, position, grade = (table.column(i).combine_chunks() for i in range(3))
    valid, judged = position.is_valid(), grade.is_valid()
    rank = to_grades(position.filter(valid))
    if rank is None or (rank < 1).any():
        raise ReadError(label, "position is no rank: they are whole numbers from 1")
    numbers = pa.array(np.arange(len(valid))).cast(pa.string())
    row = compute.binary_join_element_wise(f"{label}, row", numbers, " ")
    place = compute.binary_join_element_wise("position", position.cast(pa.int64()).cast("str"), " ")
    document = compute.if_else(valid, place, row)
    run = [query.filter(valid), document.filter(valid), pa.array(-rank.astype(np.float64))]
    judgments = [query.filter(judged), document.filter(judged), grade.filter(judged)]
    return (
        read_rows(pa.table(run, names=["query", "doc", "value"]), RUN, label),
        read_rows(pa.table(judgments, names=["query", "doc", "value"]), QRELS, label),
    )


def joined(parts: Sequence[Columns]) -> Columns:
    """Return the rows of several tables as one; see :func:`require_once` for its messages."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return _empty("")
    return Columns(
        query=ids.joined([part.query for part in parts]),
        doc=ids.joined([part.doc for part in parts]),
        value=np.concatenate([part.value for part in parts]),
        position=np.concatenate([part.position for part in parts]),
        source=Source(None, None, sum(part.source.n_rows for part in parts), "", "row"),
    )


def require_once(parts: Sequence[Columns], *, hint: str) -> None:
    """Refuse a document that a query names twice; the message names both row groups."""
    rows = joined(parts)
    first, again = duplicates(ids.number(rows.query)[1], rows.doc)
    if not len(again):
        return
    ends = np.cumsum([len(part.value) for part in parts])
    places = []
    for row in (int(first[0]), int(again[0])):
        part = parts[int(np.searchsorted(ends, row, side="right"))]
        places.append((part.source.label, int(rows.position[row])))
    values = np.array([first[0]])
    query, document = (ids.decode(ids.take(item, values))[0] for item in (rows.query, rows.doc))
    (label, row), (second, row_of_other) = places
    where = f"rows {row} and {row_of_other}"
    if second != label:
        where = f"row {row}, and {second}, row {row_of_other}"
    problem = f"document {shorten(document)} twice in query {shorten(query)}"
    raise ReadError(label, problem, at=where, hint=hint)


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


# --- What was counted of a run in each partition, and the audit that all of them give


_UNIT = 1 << 1074  # every float64 is a whole number of its parts


@dataclass(frozen=True)
class RunCounts:
    """Counts on a run and its judgments in one partition; they add up. See :class:`Audit`."""

    n_queries: int = 0
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    n_rows: int = 0
    n_tied_rows: int = 0
    n_queries_with_ties: int = 0
    n_duplicates_dropped: int = 0
    n_same_id_dropped: int = 0
    n_same_id_first: int = 0
    n_unjudged_at_10: int = 0
    n_judged_rows: int = 0
    n_judgments: int = 0
    n_negative_grades: int = 0
    grades: tuple[int | float, ...] = field(default=())
    # Sum of the judged shares of the first 10 documents, in units of 2**-1074: exact, so that the
    # order of the partitions changes nothing
    share_at_10: int = 0
    n_found: int = 0  # judged queries with results


def audit_of(counts: Iterable[RunCounts], source: Source) -> Audit:
    """Return the audit of a run from the counts of its partitions, in whatever order."""
    everything = list(counts)
    total: dict[str, Any] = {}
    for name in (item.name for item in fields(RunCounts)):
        values = [getattr(item, name) for item in everything]
        if name in ("grades", "missing", "extra"):  # no query is in two partitions
            total[name] = tuple(sorted(set().union(*values)))
        else:
            total[name] = sum(values)
    share, n_found = total.pop("share_at_10"), total.pop("n_found")
    return Audit(
        **total,
        judged_at_10=float(Fraction(share, _UNIT)) / n_found if n_found else 0.0,
        n_rank_conflicts=0,
        tags=(),
        path=source.path,
        sha256=source.sha256,
    )


def _exact_sum(shares: FloatArray) -> int:
    values, counts = np.unique(shares, return_counts=True)
    pairs = zip(values.tolist(), counts.tolist(), strict=True)
    return sum(int(Fraction(value) * _UNIT) * count for value, count in pairs)


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
    # What was seen of each system's run
    counts: Mapping[str, RunCounts] = field(default_factory=dict)


def score_table(run: pa.Table, qrels: pa.Table, scoring: KernelOptions) -> pa.Table:
    """Score whole queries of one run."""
    ranked_rows = read_rows(run, RUN, RUN.kind)
    judged_rows = read_rows(qrels, QRELS, QRELS.kind)
    scored = score_rows({"run": [ranked_rows]}, [judged_rows], scoring)
    return long_table(scored, scoring.measures).cast(SCHEMA)


def score_rows(
    runs: Mapping[str, Sequence[Columns]],
    qrels: Sequence[Columns] | Mapping[str, Sequence[Columns]],
    scoring: KernelOptions,
) -> Scored:
    """Score the same whole queries of several systems."""
    custom = qrels if isinstance(qrels, Mapping) else dict.fromkeys(runs, qrels)
    names: dict[int, tuple[Qrels, Judgments]] = {}
    values, counts, result = [], {}, []
    for system, parts in runs.items():
        if id(custom[system]) not in names:
            try:
                built = build_qrels(joined(custom[system]), "qrels", scoring.duplicates)
            except ValueError:
                require_once(custom[system], hint=KEEP_ONE)
                raise
            names[id(custom[system])] = built, Judgments.of(built)
        judgments, looked_up = names[id(custom[system])]
        require_rel(scoring.measures, judgments.grade, scoring.stated)
        judged, visited, dropped = _join(parts, judgments, looked_up, scoring)
        if scoring.depth is not None:
            judged = judged.top(scoring.depth)
        values.append(np.stack([measure(judged) for measure in scoring.measures], axis=1))
        added = counted(judgments, judged, visited, n_duplicates_dropped=dropped)
        shares = judged_shares(judged)
        added |= {"share_at_10": _exact_sum(shares), "n_found": len(shares)}
        counts[system] = RunCounts(**added)
        result.append(judgments.query_ids)
    if any(item != result[0] for item in result):
        odd = sorted(set(result[0]).symmetric_difference(*result[1:]))
        raise AlignmentError(f"the systems have other judged queries: {', '.join(odd[:3])}")
    lacking = {query for count in counts.values() for query in count.missing}
    if scoring.missing == "error" and lacking:
        some = ", ".join(sorted(lacking)[:3])
        raise AlignmentError(f'judged queries are missing from a run: {some}; see missing="zero"')
    selected = [
        i for i, query in enumerate(result[0])
        if scoring.missing != "drop" or query not in lacking
    ]  # fmt: skip
    return Scored(tuple(result[0][i] for i in selected), np.stack(values, axis=1)[selected], counts)


def long_table(scored: Scored, measures: Sequence[str], system: int = 0) -> pa.Table:
    """Return one system's scores as a table ``query_id measure value``, by query."""
    n_queries, n_measures = len(scored.query_ids), len(measures)
    arange, item = np.arange(n_queries, dtype=np.int32), np.arange(n_measures, dtype=np.int32)
    text = ids.encode(scored.query_ids).cast(pa.binary()).cast(pa.string(), safe=False)
    columns = [
        pa.DictionaryArray.from_arrays(np.repeat(arange, n_measures), text),
        pa.DictionaryArray.from_arrays(np.tile(item, n_queries), list(map(str, measures))),
        pa.array(np.ascontiguousarray(scored.values[:, system, :]).reshape(-1)),
    ]
    return pa.table(columns, names=SCHEMA.names)


def _join(
    parts: Sequence[Columns], qrels: Qrels, judgments: Judgments, scoring: KernelOptions
) -> tuple[JudgedRun, ReadCounts, int]:
    keep_scores = any(measure.needs == "scores" for measure in scoring.measures)
    laid = partial(
        join_pieces, qrels, judgments=judgments, keep_scores=keep_scores, threads=1,
        same_id=scoring.same_id,
    )  # fmt: skip
    read = by_query(joined(parts))
    # In slices that stay in the processor's cache; the engine has a thread for each partition.
    block = partial(ranked, score_dtype=scoring.score_dtype)
    try:
        judged, visited, _ = laid(slices(read), block)
    except NotPlain:
        if scoring.duplicates == "error":
            require_once(parts, hint=KEEP_ONE)
        run = build_run(read, "run", scoring.score_dtype, scoring.duplicates)
        judged, visited, _ = laid([run], block_of)
        return judged, visited, run.n_duplicates_dropped
    return judged, visited, 0


# --- Measures that take the highest grade from the judgments: here that of all partitions


def has_open_scale(measure: Measure) -> bool:
    """Whether a measure takes the highest grade of its scale from the judgments."""
    return resolved(measure, JudgedRun.from_grades([[0]])) != measure


def with_scale(measure: Measure, highest: int) -> Measure:
    """Return a measure whose scale ends at the highest grade of all judgments."""
    return resolved(measure, JudgedRun.from_grades([[int(np.maximum(highest, 0))]]))
