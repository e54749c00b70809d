"""Scores Parquet runs on an engine: the same scores and audits as from reading all rows at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from abrank._support.errors import AlignmentError, ReadError
from abrank.engines import Engine, kernel
from abrank.engines.drive import score_tables
from abrank.inputs import Source
from abrank.inputs.columns import EMPTY_RUN, EMPTY_RUN_HINT
from abrank.inputs.reading import audit_of
from abrank.measures.names import RequestedMeasures
from abrank.options import Scoring
from abrank.scoring.scores import Scores

_STEPS = 50  # times that progress is reported


def score_partitioned(
    qrels: object,  # Parquet, or whatever read_qrels reads; None for joined tables
    runs: Mapping[str, object],
    requested: RequestedMeasures,
    scoring: Scoring,
    engine: Engine,
    on_stage: Callable[[str], None],
) -> Scores:
    """Score runs in Parquet on an engine; see :func:`abrank.evaluate`."""
    kernel_options = kernel.KernelOptions(
        requested.measures, scoring.score_dtype, scoring.duplicates, scoring.depth, scoring.missing,
        scoring.same_id, requested.stating_rel,
    )  # fmt: skip

    def tell(done: int, total: int) -> None:
        if done * _STEPS // total != (done - 1) * _STEPS // total:
            on_stage(f"scoring partitions: {done} of {total} done")

    engine_scores = score_tables(
        qrels, runs, kernel_options, engine,
        max_input_size=scoring.max_input_size, on_progress=tell,
    )  # fmt: skip
    tables = engine_scores.tables if qrels is None else engine_scores.tables[1:]
    sources, audits = {}, {}
    for system, table in zip(runs, tables, strict=True):
        source = Source(table.label, None, table.n_rows, table.label)
        counts = (part.counts[system] for part in engine_scores.done)
        sources[system], audits[system] = source, audit_of(counts, source)
        if not audits[system].n_rows:
            raise ReadError(source.label, EMPTY_RUN, hint=EMPTY_RUN_HINT)
        if len(audits[system].missing) == audits[system].n_queries:
            raise AlignmentError(f"no query is in both the judgments and {system}")
    judged = engine_scores.tables[0]
    return Scores(
        query_ids=engine_scores.query_ids,
        systems=tuple(runs),
        measures=engine_scores.scoring.measures,
        values=engine_scores.values,
        audits=audits,
        sources=sources,
        notes=requested.notes,
        judgments=None if qrels is None else Source(judged.label, None, judged.n_rows),
        named=requested.named_among(engine_scores.scoring.measures),
    )
