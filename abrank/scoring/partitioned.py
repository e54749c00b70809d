"""Scores Parquet runs on an engine: the same scores and audits as from reading all rows at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from abrank._support import display
from abrank._support.errors import AlignmentError, ReadError
from abrank.engines import Engine, kernel
from abrank.engines.drive import EngineScores, score_tables
from abrank.inputs import Audit, Source
from abrank.inputs.columns import EMPTY_RUN, EMPTY_RUN_HINT
from abrank.inputs.reading import audit_of
from abrank.measures import Measure
from abrank.options import Scoring
from abrank.scoring.scores import Scores

_STEPS = 50  # times that progress is reported


def score_partitioned(
    qrels: object,  # Parquet, or whatever read_qrels reads; None for joined tables
    runs: Mapping[str, object],
    measures: tuple[Measure, ...],
    scoring: Scoring,
    engine: Engine,
    *,
    stated: frozenset[str] | None,
    notes: tuple[str, ...],
    on_stage: Callable[[str], None],
) -> Scores:
    """Score runs in Parquet on an engine; see :func:`abrank.evaluate`."""
    kernel_options = kernel.KernelOptions(
        measures, scoring.score_dtype, scoring.duplicates, scoring.depth, scoring.missing,
        scoring.same_id, stated,
    )  # fmt: skip
    engine_scores = score_tables(
        qrels, runs, kernel_options, engine,
        max_input_size=scoring.max_input_size, on_progress=partial(_tell, on_stage),
    )  # fmt: skip
    sources, audits, judgments = _sources_and_audits(engine_scores, qrels, runs)
    if skipped := engine_scores.skipped:
        partitions = display.plural(len(engine_scores.done), "partition")
        notes = (
            *notes,
            f"{len(skipped)} of {partitions} could not be read and"
            f" {'was' if len(skipped) == 1 else 'were'} skipped: the queries there are in no number"
            f" of this report. The first: {skipped[0].bad}",
        )
    return Scores(
        query_ids=engine_scores.query_ids,
        systems=tuple(runs),
        measures=engine_scores.scoring.measures,
        values=engine_scores.values,
        audits=audits,
        sources=sources,
        notes=notes,
        judgments=judgments,
    )


def _tell(on_stage: Callable[[str], None], done: int, total: int) -> None:
    if done * _STEPS // total != (done - 1) * _STEPS // total:
        on_stage(f"scoring partitions: {done} of {total} done")


def _sources_and_audits(
    engine_scores: EngineScores, qrels: object, runs: Mapping[str, object]
) -> tuple[dict[str, Source], dict[str, Audit], Source | None]:
    """Return where the runs came from, what was counted of them, and where the judgments did."""
    first_run = 0 if qrels is None else 1
    sources = {
        system: Source(table.label, None, table.n_rows, table.label)
        for system, table in zip(runs, engine_scores.tables[first_run:], strict=False)
    }
    audits = {
        system: audit_of(
            (partition.counts[system] for partition in engine_scores.done if not partition.bad),
            source,
        )
        for system, source in sources.items()
    }
    for system, audit in audits.items():
        if not audit.n_rows:
            raise ReadError(sources[system].label, EMPTY_RUN, hint=EMPTY_RUN_HINT)
        if len(audit.missing) == audit.n_queries:
            raise AlignmentError(f"no query is in both the judgments and {system}")
    judgments = engine_scores.tables[0]
    return sources, audits, Source(judgments.label, None, judgments.n_rows) if first_run else None
