"""Scores and audits from an engine, the same as from reading all rows here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from abrank._support import display
from abrank._support.errors import AlignmentError
from abrank.engines import Engine
from abrank.engines.counts import audit_of
from abrank.engines.drive import Result, score_tables
from abrank.engines.kernel import Scoring
from abrank.engines.merge import Statistics
from abrank.inputs import Source
from abrank.measures import Measure
from abrank.scores import Scores

_STEPS = 50  # times that progress is reported


def score_partitioned(
    qrels: Any,  # noqa: ANN401 - Parquet, or whatever read_qrels reads; None for joined tables
    runs: Mapping[str, Any],
    measures: tuple[Measure, ...],
    engine: Engine,
    *,
    notes: tuple[str, ...],
    on_stage: Callable[[str], None],
    **options: Any,  # noqa: ANN401 - the other fields of Scoring
) -> Scores:
    """Score runs in Parquet on an engine; see :func:`abrank.evaluate`.

    Returns
    -------
    Scores
        With audits and without rankings: what needs those (the reach of ties and of unjudged
        documents, lists of documents) is for runs that one machine reads.

    Raises
    ------
    AlignmentError
        If a run has no query in common with the judgments.
    """
    scoring = Scoring(measures, **options)
    progress = partial(_tell, on_stage)
    found = score_tables(qrels, runs, scoring, engine, on_progress=progress)
    tables = found.tables if qrels is None else found.tables[1:]
    sources = {
        system: Source(table.label, None, table.n_rows, table.label)
        for system, table in zip(runs, tables, strict=True)
    }
    audits = {
        system: audit_of((each.counts[system] for each in found.done if not each.bad), source)
        for system, source in sources.items()
    }
    for system, audit in audits.items():
        if len(audit.missing) == audit.n_queries:
            raise AlignmentError(f"no query is in both the judgments and {system}")
    judged = found.tables[0]
    return Scores(
        query_ids=found.query_ids,
        systems=tuple(runs),
        measures=found.scoring.measures,
        values=found.values,
        audits=audits,
        sources=sources,
        notes=(*notes, *_skipped(found)),
        judgments=None if qrels is None else Source(judged.label, None, judged.n_rows),
    )


def merge_partitioned(
    qrels: Any,  # noqa: ANN401 - as for score_partitioned
    runs: Mapping[str, Any],
    measures: tuple[Measure, ...],
    engine: Engine,
    *,
    on_stage: Callable[[str], None],
    **options: Any,  # noqa: ANN401 - the other fields of Scoring
) -> tuple[Statistics, tuple[str, ...]]:
    """Score two runs in Parquet on an engine, and return their statistics and what was skipped."""
    scoring, progress = Scoring(measures, **options), partial(_tell, on_stage)
    found = score_tables(qrels, runs, scoring, engine, merges=True, on_progress=progress)
    return cast("Statistics", found.statistics), _skipped(found)


def _tell(on_stage: Callable[[str], None], done: int, total: int) -> None:
    if done * _STEPS // total != (done - 1) * _STEPS // total:
        on_stage(f"scoring partitions: {done} of {total} done")


def _skipped(found: Result) -> tuple[str, ...]:
    """Return a remark on the partitions that were skipped."""
    skipped = found.skipped
    if not skipped:
        return ()
    partitions = display.plural(len(found.done), "partition")
    was = "was" if len(skipped) == 1 else "were"
    return (
        f"{len(skipped)} of {partitions} could not be read and {was} skipped: the queries there"
        f" are in no number of this report. The first: {skipped[0].bad}",
    )
