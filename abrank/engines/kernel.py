"""The kernel of every engine: the rankings of whole queries and their judgments, to scores.

It is the join and the measures of :func:`abrank.evaluate`; only the rows come from Arrow tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from abrank._support.errors import AlignmentError, ArgumentError
from abrank._support.typing import Duplicates, FloatArray, Missing, ScoreDtype
from abrank.engines import rows
from abrank.engines.counted import exact_sum, exact_value
from abrank.inputs import ids
from abrank.inputs.audit import Audit, counted, judged_shares
from abrank.inputs.columns import QRELS, RUN, Columns, Source
from abrank.inputs.join import Judgments, ReadCounts, block_of, join_pieces
from abrank.inputs.judged import JudgedRun
from abrank.inputs.qrels import Qrels
from abrank.inputs.qrels import build as build_qrels
from abrank.inputs.run import build as build_run
from abrank.inputs.trec.stream import NotPlain, ranked, slices
from abrank.measures import Measure, resolved

# --- What was counted of a run in each partition, and the audit that all of them give


@dataclass(frozen=True)
class RunCounts:
    """Counts on a run and its judgments in one partition; they add up. See :class:`Audit`.

    share_at_10 : int
        Sum of the judged shares of the first 10 documents, exact (see :func:`exact_sum`).
    n_found : int
        Judged queries with results.
    """

    n_queries: int = 0
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    n_rows: int = 0
    n_tied_rows: int = 0
    n_queries_with_ties: int = 0
    n_duplicates_dropped: int = 0
    n_unjudged_at_10: int = 0
    n_judged_rows: int = 0
    n_judgments: int = 0
    n_negative_grades: int = 0
    grades: tuple[int, ...] = field(default=())
    share_at_10: int = 0
    n_found: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, which :meth:`of` takes back."""
        return asdict(self)

    @classmethod
    def of(cls, saved: dict[str, Any]) -> RunCounts:
        """Return the counts of :meth:`to_dict`, which may have gone through JSON."""
        lists = {key: tuple(each) for key, each in saved.items() if isinstance(each, list)}
        return cls(**(saved | lists))


def count(
    qrels: Qrels, judged: JudgedRun, seen: ReadCounts, *, n_duplicates_dropped: int = 0
) -> RunCounts:
    """Count what an audit needs."""
    counts = counted(qrels, judged, seen, n_duplicates_dropped=n_duplicates_dropped)
    shares = judged_shares(judged)
    return RunCounts(**counts, share_at_10=exact_sum(shares), n_found=len(shares))


def audit_of(counts: Iterable[RunCounts], source: Source) -> Audit:
    """Return the audit of a run from the counts of its partitions, in whatever order."""
    every = list(counts)
    total: dict[str, Any] = {}
    for name in (each.name for each in fields(RunCounts)):
        values = [getattr(each, name) for each in every]
        if name == "grades":
            total[name] = tuple(sorted(set().union(*values)))
        elif name in ("missing", "extra"):
            total[name] = tuple(sorted(each for value in values for each in value))
        else:
            total[name] = sum(values)
    share, n_found = total.pop("share_at_10"), total.pop("n_found")
    return Audit(
        **total,
        judged_at_10=exact_value(share) / n_found if n_found else 0.0,
        n_rank_conflicts=0,
        tags=(),
        path=source.path,
        sha256=source.sha256,
    )


# --- The kernel of every engine: the rankings of whole queries and their judgments, to scores


_BEST = (
    "--duplicates best (compare: --config duplicates=best; in Python"
    ' duplicates="best") keeps the higher score'
)
SCHEMA = pa.schema([("query_id", pa.string()), ("measure", pa.string()), ("value", pa.float64())])


@dataclass(frozen=True)
class Scoring:
    """What is measured, and how runs are read: :func:`abrank.evaluate` has the same keywords."""

    measures: tuple[Measure, ...]
    score_dtype: ScoreDtype = "float64"
    duplicates: Duplicates = "error"
    depth: int | None = None
    missing: Missing = "zero"

    def __post_init__(self) -> None:
        for each in self.measures:
            if each.needs == "subtopics":
                raise ArgumentError(
                    f"{each} needs judgments by subtopic, which no engine reads: leave out the"
                    " engine, and give judgments and runs as TREC files or as single Parquet files"
                    " below 256 MB"
                )


@dataclass(frozen=True, eq=False)
class Scored:
    """Scores of the judged queries of one partition.

    query_ids : tuple of str, length n_queries
        Ascending.
    values : float64[n_queries, n_systems, n_measures]
    counts : mapping of str to RunCounts
        What was seen of each system's run.
    """

    query_ids: tuple[str, ...]
    values: FloatArray
    counts: Mapping[str, RunCounts] = field(default_factory=dict)


def score_table(run: Any, qrels: Any, scoring: Scoring) -> Any:  # noqa: ANN401
    """Score whole queries of one run."""
    ranked_rows = rows.read_rows(run, RUN, RUN.kind)
    judged_rows = rows.read_rows(qrels, QRELS, QRELS.kind)
    scored = score_rows({"run": [ranked_rows]}, [judged_rows], scoring)
    return long_table(scored, scoring.measures).cast(SCHEMA)


def score_rows(
    runs: Mapping[str, Sequence[Columns]],
    qrels: Sequence[Columns] | Mapping[str, Sequence[Columns]],
    scoring: Scoring,
) -> Scored:
    """Score the same whole queries of several systems."""
    own = qrels if isinstance(qrels, Mapping) else dict.fromkeys(runs, qrels)
    known: dict[int, tuple[Qrels, Judgments]] = {}
    values, counts, found = [], {}, []
    for system, parts in runs.items():
        if id(own[system]) not in known:
            try:
                built = build_qrels(rows.joined(own[system]), "qrels")
            except ValueError:
                rows.require_once(own[system], hint="keep one row of the two")
                raise
            known[id(own[system])] = built, Judgments.of(built)
        judgments, looked_up = known[id(own[system])]
        judged, seen, dropped = _join(parts, judgments, looked_up, scoring)
        if scoring.depth is not None:
            judged = judged.top(scoring.depth)
        values.append(np.stack([each(judged) for each in scoring.measures], axis=1))
        counts[system] = count(judgments, judged, seen, n_duplicates_dropped=dropped)
        found.append(judgments.query_ids)
    if any(each != found[0] for each in found):
        odd = sorted(set(found[0]).symmetric_difference(*found[1:]))
        raise AlignmentError(f"the systems have other judged queries: {', '.join(odd[:3])}")
    lacking = {query for each in counts.values() for query in each.missing}
    if scoring.missing == "error" and lacking:
        some = ", ".join(sorted(lacking)[:3])
        raise AlignmentError(f'judged queries are missing from a run: {some}; see missing="zero"')
    kept = [
        i for i, query in enumerate(found[0])
        if scoring.missing != "drop" or query not in lacking
    ]  # fmt: skip
    return Scored(tuple(found[0][i] for i in kept), np.stack(values, axis=1)[kept], counts)


def long_table(scored: Scored, measures: Sequence[str], system: int = 0) -> Any:  # noqa: ANN401
    """Return one system's scores as a table ``query_id measure value``, by query."""
    n_queries, n_measures = len(scored.query_ids), len(measures)
    every, each = np.arange(n_queries, dtype=np.int32), np.arange(n_measures, dtype=np.int32)
    text = ids.encode(scored.query_ids).cast(pa.binary()).cast(pa.string(), safe=False)
    columns = [
        pa.DictionaryArray.from_arrays(np.repeat(every, n_measures), text),
        pa.DictionaryArray.from_arrays(np.tile(each, n_queries), list(map(str, measures))),
        pa.array(np.ascontiguousarray(scored.values[:, system, :]).reshape(-1)),
    ]
    return pa.table(columns, names=SCHEMA.names)


def _join(
    parts: Sequence[Columns], qrels: Qrels, judgments: Judgments, scoring: Scoring
) -> tuple[JudgedRun, ReadCounts, int]:
    keep_scores = any(each.needs == "scores" for each in scoring.measures)
    laid = partial(join_pieces, qrels, judgments=judgments, keep_scores=keep_scores, threads=1)
    read = rows.by_query(rows.joined(parts))
    # In slices that stay in the processor's cache; the engine has a thread for each partition.
    block = partial(ranked, score_dtype=scoring.score_dtype)
    try:
        judged, seen, _ = laid(slices(read), block)
    except NotPlain:
        if scoring.duplicates == "error":
            rows.require_once(parts, hint=_BEST)
        run = build_run(read, "run", scoring.score_dtype, scoring.duplicates)
        judged, seen, _ = laid([run], block_of)
        return judged, seen, run.n_duplicates_dropped
    return judged, seen, 0


# --- Measures that take the highest grade from the judgments: here that of all partitions


def has_open_scale(measure: Measure) -> bool:
    """Whether a measure takes the highest grade of its scale from the judgments."""
    return resolved(measure, JudgedRun.from_grades([[0]])) != measure


def with_scale(measure: Measure, highest: int) -> Measure:
    """Return a measure whose scale ends at the highest grade of all judgments."""
    return resolved(measure, JudgedRun.from_grades([[int(np.maximum(highest, 0))]]))
