"""Compute scores from runs and judgments, and how ties and missing judgments could change them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from abrank import inputs
from abrank._support import display
from abrank._support.checks import explained
from abrank._support.errors import AlignmentError, ArgumentError, ReadError, reading
from abrank._support.rng import entropy
from abrank._support.typing import FloatArray, Missing, RandomSource
from abrank.engines import needs_engine
from abrank.engines.engine import fits_engine
from abrank.inputs import Run, Source
from abrank.inputs.columns import EMPTY_RUN, EMPTY_RUN_HINT, QUERY_IDS, found_in
from abrank.inputs.reading import audit_of
from abrank.inputs.run import by_seed, join_folds, named_runs
from abrank.inputs.score_reading import TableOptions
from abrank.measures import parse, resolved
from abrank.measures.names import RequestedMeasures
from abrank.measures.sensitivity import tie_range, unjudged_range
from abrank.options import Engine, Scoring
from abrank.options.values import taking
from abrank.scoring.scores import Scores, note_on_repeats, stand_ins

if TYPE_CHECKING:
    import pandas as pd

UNGRADED = "the judgments have no grade: each pair of user and item counts as grade 1"

SAME_ID_SHARE = 0.25

# --- Repeated runs of a system (seeds, folds): averaged per query, not counted as more queries


def is_repeated(source: object) -> TypeGuard[Sequence[Any]]:
    """Whether a source is a list of runs of one system, rather than rows of one run."""
    return isinstance(source, (list, tuple)) and bool(source) and all(
        not found_in(list(run), QUERY_IDS)  # a dict with such a key is a row
        if isinstance(run, Mapping)
        else isinstance(run, (str, os.PathLike, Run)) or hasattr(run, "columns")
        for run in source
    )  # fmt: skip


def expand_repeats(runs: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """Give every single run a name, and return the names of each system's runs."""
    single: dict[str, Any] = {}
    groups: dict[str, list[str]] = {}
    for system, source in runs.items():
        sources = list(source) if is_repeated(source) else [source]
        paths = [os.fspath(source) for source in sources if isinstance(source, (str, os.PathLike))]
        if len(set(paths)) < len(paths):
            raise ArgumentError(f"a run of {system} is given twice")
        repeated = is_repeated(source)
        numbers = range(1, len(sources) + 1)
        groups[system] = [f"{system} (run {i})" if repeated else system for i in numbers]
        for name, run in zip(groups[system], sources, strict=True):
            if name in single:
                raise ArgumentError(f"two runs are named {name}")
            single[name] = run
    return single, groups


def _joined(system: str, source: object, scoring: Scoring) -> object:
    sources = source if is_repeated(source) else ()
    if len(sources) < 2 or any(isinstance(run, Run) or needs_engine(run) for run in sources):
        return source
    runs: list[Any] = []
    for folds in by_seed(sources):
        with reading(system, source):
            run = None if len(folds) == 1 else join_folds(
                folds, system, score_dtype=scoring.score_dtype, duplicates=scoring.duplicates,
                max_input_size=scoring.max_input_size,
            )  # fmt: skip
        runs += folds if run is None else [run]
    return runs[0] if len(runs) == 1 else runs


def average_repeats(
    scores: Scores, groups: Mapping[str, list[str]], *, options: TableOptions | None = None
) -> Scores:
    """Average the runs of each system per query; ``notes`` say how much they differ."""
    # A score missing in some runs is replaced for `worst` and `zero`, and ignored for `drop`. A
    # score missing in all runs stays NaN.
    options = options or TableOptions()
    index_of = {name: i for i, name in enumerate(scores.systems)}
    blocks = {
        system: scores.values[:, [index_of[name] for name in names], :]
        for system, names in groups.items()
    }
    wanted = options.wanted(scores.measures)
    complete = ~np.isnan(scores.values[:, :, wanted]).any(axis=(1, 2))
    full = {system: block[complete][:, :, wanted] for system, block in blocks.items()}
    repeated = [system for system, names in groups.items() if len(names) > 1]
    shown = tuple(scores.measures[m] for m in wanted)
    notes = [_repeats_text(scores, shown, system, full[system]) for system in repeated]
    if len(groups) == len(repeated) == 2 and complete.sum() > 1:
        some = f" on the {complete.sum()} queries that no run lacks" if not complete.all() else ""
        text = _other_runs_text(shown, *full.items())
        notes.append(f"{text}{some}")
    counts = {}
    if options.missing != "error":
        for system, block in blocks.items():
            is_hole = np.isnan(block) & ~np.isnan(block).all(axis=1, keepdims=True)
            counts[system] = int(is_hole[:, :, wanted].any(axis=2).sum())
            if options.missing == "drop":  # average the others
                n_scores = np.maximum((~np.isnan(block)).sum(axis=1, keepdims=True), 1)
                ends = np.nansum(block, axis=1, keepdims=True) / n_scores
            else:
                ends = stand_ins(
                    scores.measures, scores.values, options.missing, options.lower_is_better
                )
            blocks[system] = np.where(is_hole, ends, block)
    notes += note_on_repeats(counts, options.missing)
    notes += [
        f"{name} lacks {display.plural(len(audit.missing), 'judged query', 'judged queries')}"
        for name, audit in scores.audits.items()
        if audit.missing
    ]
    return replace(
        scores,
        systems=tuple(groups),
        values=np.stack([block.mean(axis=1) for block in blocks.values()], axis=1),
        audits={},
        judged_runs={},
        notes=(*scores.notes, *notes),
    )


def _repeats_text(scores: Scores, measures: Sequence[str], system: str, block: FloatArray) -> str:
    """Describe how much the runs of a system differ, compared with its queries."""
    # `block`: float64[n_queries, n_runs, n_measures] for the queries without missing scores.
    n_queries, n_runs, _ = block.shape
    n_all = len(scores.query_ids)
    text = (
        f"{system} is the mean of {display.plural(n_runs, 'run')} on every query: tests count"
        f" {display.plural(n_all, 'query', 'queries')}, not {display.count(n_all * n_runs)}"
    )
    if n_queries < 2:
        return text
    of_runs = block.mean(axis=0)
    if not np.ptp(of_runs, axis=0).any():
        return text
    # In a two-way layout of runs and queries, the standard error of the mean with respect to one
    # factor is the standard deviation of its marginal means divided by the root of their number.
    run_errors = of_runs.std(axis=0, ddof=1) / n_runs**0.5
    query_errors = block.mean(axis=1).std(axis=0, ddof=1) / n_queries**0.5
    spreads = [
        f"{measure} {display.score(float(means.min()))} to {display.score(float(means.max()))}"
        f" (standard error {display.least(float(run_error))} from runs,"
        f" {display.least(float(query_error))} from queries)"
        for measure, means, run_error, query_error in zip(
            measures, of_runs.T, run_errors, query_errors, strict=True
        )
    ]
    some = f" on the {n_queries} queries that no run lacks" if n_queries < n_all else ""
    return f"{text}. Means of the runs{some}: {', '.join(spreads)}"


def _other_runs_text(
    measures: Sequence[str], baseline: tuple[str, FloatArray], candidate: tuple[str, FloatArray]
) -> str:
    """Describe the comparison of two systems if their runs are also treated as random."""
    from abrank.inference import compare_repeats

    (name_a, a), (name_b, b) = baseline, candidate
    texts = []
    for m, measure in enumerate(measures):
        result = compare_repeats(a[:, :, m], b[:, :, m])
        text = f"{measure} {display.signed(result.estimate)}"
        if not result.error > 0.0:
            texts.append(f"{text}, without any spread")
            continue
        more = ""
        if result.runs_needed is None:
            more = ", and more runs do not help"
        elif result.runs_needed > a.shape[1]:
            more = f", 10% with {display.plural(result.runs_needed, 'run')} of each"
        interval = display.interval(result.ci_low, result.ci_high)
        texts.append(
            f"{text} (95% interval {interval}, p {display.pvalue(result.pvalue)},"
            f" {result.share_of_runs:.0%} of the variance from runs{more})"
        )
    return f"{name_b} - {name_a}, for other runs of both systems, too: {', '.join(texts)}"


# --- Scores from runs and judgments


def silent(stage: str) -> None:
    """Ignore progress reports."""


@taking
def evaluate(
    qrels: object,  # whatever read_qrels reads
    runs: Mapping[str, Any] | Sequence[Any],
    measures: Sequence[str] | str | None = None,
    *,
    scoring: Scoring | None = None,
    engine: Engine | str | None = None,
) -> Scores:
    """Score runs query by query.

    Source: that of each measure is ``abrank.measures.catalogue()[name].source``.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        The relevance judgments.
    runs : mapping of str to the same kinds, or Run, or list of them
        Run by system name; a list holds repeated runs of a system (seeds, folds), which are
        averaged per query.
    measures : sequence of str
        Measure names in any common spelling, including trec_eval's sets. Default:
        ``DEFAULT_MEASURES``.
    scoring : Scoring, optional
        Missing queries, ties, duplicates, depth, lowest relevant grade: see
        :class:`abrank.Scoring`.
    engine : Engine or str, optional
        Where runs in Parquet are scored, partition by partition: ``"dask"``, ``"spark"``, or by
        default this machine; see :class:`abrank.Engine`.

    Raises
    ------
    ReadError, NotFoundError
        If an input cannot be used.
    AlignmentError
        If qrels and run share no query, or a query is missing with ``missing="error"``.
    ArgumentError
        If a measure is unknown or named twice, or an option is not valid.

    Examples
    --------
    >>> scores = evaluate({"q1": {"d1": 1, "d2": 0}}, {"B": {"q1": {"d1": 2.0, "d2": 1.0}}}, ["RR"])
    >>> scores.tidy()
      query_id system measure  score
    0       q1      B      RR    1.0
    """
    scoring = scoring or Scoring()
    requested = scoring.requested(measures)
    return score_runs(qrels, named_runs(runs, joins_parts=True), requested, scoring, engine=engine)


def score_runs(
    qrels: object,  # whatever read_qrels reads
    runs: Mapping[str, Any],
    requested: RequestedMeasures,
    scoring: Scoring,
    *,
    engine: Engine | str | None = None,
    top: int = 0,
    hashes: bool = True,
    on_stage: Callable[[str], None] = silent,
) -> Scores:
    """Implement :func:`evaluate`; ``on_stage`` is called with a text for each stage."""
    if engine is None:
        runs = {system: _joined(system, source, scoring) for system, source in runs.items()}
    single, groups = expand_repeats(runs)
    if list(single) != list(runs):
        scores = score_runs(
            qrels, single, requested, scoring,
            engine=engine, top=top, hashes=hashes, on_stage=on_stage,
        )  # fmt: skip
        return average_repeats(scores, groups)
    if not runs:
        raise ArgumentError("there is no run to score")
    if scoring.missing == "worst":
        raise ArgumentError(
            'a run that lacks a query found nothing there: missing="zero" (--missing zero) scores'
            " it so; worst is for ready scores"
        )
    if any(map(needs_engine, runs.values())) and all(map(fits_engine, runs.values())):
        engine = engine or "local"
    if engine is not None:
        return _score_partitions(qrels, runs, requested, scoring, Engine.of(engine), on_stage)
    on_stage("reading the judgments")
    with reading("qrels", qrels):
        judgments = inputs.read_qrels(
            qrels,
            subtopics=any(item.entry.needs == "subtopics" for item in requested.measures),
            duplicates=scoring.duplicates,
            max_input_size=scoring.max_input_size,
        )
    requested = requested.for_grades(judgments.grade)
    parsed = requested.measures
    keep_scores = any(measure.needs == "scores" for measure in parsed)
    columns, judged_runs = [], {}
    for system, source in runs.items():
        on_stage(f"reading {system}")
        with reading(system, source):
            run = inputs.read_judged_run(
                judgments,
                source,
                name=system,
                score_dtype=scoring.score_dtype,
                duplicates=scoring.duplicates,
                same_id=scoring.same_id,
                keep_scores=keep_scores,
                top=top,
                hashes=hashes,
                max_input_size=scoring.max_input_size,
            )
        if scoring.depth is not None:
            run = replace(run, judged=run.judged.top(scoring.depth))
        judged_runs[system] = run
        columns.append(np.stack([measure(run.judged) for measure in parsed], axis=1))
    audits = {system: judged_run.audit for system, judged_run in judged_runs.items()}
    selected = _scored_queries(judgments.query_ids, audits, scoring.missing)
    resolved_measures = tuple(resolved(measure, judged_runs[system].judged) for measure in parsed)
    return Scores(
        query_ids=tuple(judgments.query_ids[i] for i in selected),
        systems=tuple(runs),
        measures=resolved_measures,
        values=np.stack(columns, axis=1)[selected],
        audits=audits,
        sources={system: judged_run.source for system, judged_run in judged_runs.items()},
        judged_runs=judged_runs,
        notes=(
            *requested.notes,
            *_notes_of_files(judgments.source, judged_runs),
            *_same_id_notes(audits),
        ),
        judgments=judgments.source,
        named=requested.named_among(resolved_measures),
    )


_STEPS = 50  # number of progress reports


def _score_partitions(
    qrels: object,  # Parquet, or whatever read_qrels reads
    runs: Mapping[str, object],
    requested: RequestedMeasures,
    scoring: Scoring,
    engine: Engine,
    on_stage: Callable[[str], None],
) -> Scores:
    """Score runs in Parquet on an engine; scores and audits equal those without partitions."""
    # Imported here because few runs are that large.
    from abrank.engines import drive, kernel

    kernel_options = kernel.KernelOptions(
        requested.measures, scoring.score_dtype, scoring.duplicates, scoring.depth, scoring.missing,
        scoring.same_id, requested.stating_rel,
    )  # fmt: skip

    def tell(done: int, total: int) -> None:
        if done * _STEPS // total != (done - 1) * _STEPS // total:
            on_stage(f"scoring partitions: {done} of {total} done")

    engine_scores = drive.score_tables(
        qrels, runs, kernel_options, engine,
        max_input_size=scoring.max_input_size, on_progress=tell,
    )  # fmt: skip
    judged, *tables = engine_scores.tables
    sources, audits = {}, {}
    for system, table in zip(runs, tables, strict=True):
        source = Source(table.label, None, table.n_rows, table.label)
        counts = (part.counts[system] for part in engine_scores.done)
        sources[system], audits[system] = source, audit_of(counts, source)
        if not audits[system].n_rows:
            raise ReadError(source.label, EMPTY_RUN, hint=EMPTY_RUN_HINT)
        if len(audits[system].missing) == audits[system].n_queries:
            raise AlignmentError(f"no query is in both the judgments and {system}")
    return Scores(
        query_ids=engine_scores.query_ids,
        systems=tuple(runs),
        measures=engine_scores.scoring.measures,
        values=engine_scores.values,
        audits=audits,
        sources=sources,
        notes=requested.notes,
        judgments=Source(judged.label, None, judged.n_rows),
        named=requested.named_among(engine_scores.scoring.measures),
    )


def _notes_of_files(
    judgments: inputs.Source, judged_runs: Mapping[str, inputs.JudgedSource]
) -> Iterator[str]:
    if judgments.ungraded:
        yield UNGRADED
    for source in (judgments, *(run.source for run in judged_runs.values())):
        yield from (f"{source.label}: {remark}" for remark in source.remarks)


def _same_id_notes(audits: Mapping[str, inputs.Audit]) -> Iterator[str]:
    for system, audit in audits.items():
        n_retrieved = audit.n_queries - len(audit.missing)
        # By chance, for example with numbered ids, only few queries retrieve their own id first.
        if audit.n_same_id_first > max(1.0, SAME_ID_SHARE * n_retrieved):
            yield (
                f"{system}: the first document of {display.count(audit.n_same_id_first)} of"
                f" {display.plural(n_retrieved, 'query', 'queries')} has the id of its query and"
                " is not judged relevant. If queries are documents of the collection, as in ArguAna"
                " and Quora, leave them out: --same-id drop (of compare --config same_id=drop;"
                ' Scoring(same_id="drop"))'
            )


def _scored_queries(
    query_ids: Sequence[str], audits: Mapping[str, inputs.Audit], missing: Missing
) -> list[int]:
    lacking = {query for audit in audits.values() for query in audit.missing}
    if missing == "error" and lacking:
        lines = [
            f"{'1 query is' if (n := len(audit.missing)) == 1 else f'{n} queries are'} missing from"
            f" {system}: {', '.join(audit.missing[:3])}{' …' if n > 3 else ''}"
            for system, audit in audits.items()
            if audit.missing
        ]
        raise AlignmentError(
            f'{"; ".join(lines)}; missing="zero" scores them 0, "drop" leaves them out'
        )
    if missing == "drop":
        return [i for i, query in enumerate(query_ids) if query not in lacking]
    return list(range(len(query_ids)))


@explained
def score_ranges(
    qrels: object,  # whatever read_qrels reads
    runs: Mapping[str, Any],
    measures: Sequence[str] | str | None = None,
    *,
    n_orders: int = 100,
    rng: RandomSource = 0,
    scoring: Scoring | None = None,
) -> pd.DataFrame:
    """Return each score with its range over the orders of ties and over missing judgments.

    Source: McSherry & Najork (2008), ECIR: ties; Moffat & Zobel (2008), ACM Transactions on
    Information Systems 27(1): missing judgments.

    Parameters
    ----------
    qrels, runs, measures
        As for :func:`abrank.evaluate`.
    n_orders : int
        Number of random orders of tied documents, for the expected score.
    rng : int, Generator, SeedSequence or None
        Random source of the orders.
    scoring : Scoring, optional
        How runs are read and scored, as in :func:`abrank.evaluate`.

    Returns
    -------
    DataFrame
        One row per system, query and measure: ``query_id system measure score tie_low tie_expected
        tie_high unjudged_low unjudged_high``. See :func:`abrank.measures.sensitivity.tie_range` and
        :func:`abrank.measures.sensitivity.unjudged_range`, in which unjudged documents are not
        relevant or have the highest grade. Both are NaN for diversity measures.

    Raises
    ------
    ArgumentError
        If a run has too many documents to assume each of them relevant; a cut-off helps.

    Examples
    --------
    >>> qrels, run = {"q1": {"d1": 1}}, {"q1": {"d1": 1.0, "d2": 1.0, "d3": 0.5}}
    >>> found = score_ranges(qrels, {"run": run}, ["RR"])
    >>> found[["score", "tie_low", "tie_high", "unjudged_low", "unjudged_high"]].iloc[0].tolist()
    [0.5, 0.5, 1.0, 0.5, 1.0]
    """
    scores = evaluate(qrels, runs, measures, scoring=scoring)
    table = scores.tidy()
    seed = entropy(rng)
    row_of = {query_id: i for i, query_id in enumerate(scores.query_ids)}
    columns = ["tie_low", "tie_expected", "tie_high", "unjudged_low", "unjudged_high"]
    table[columns] = float("nan")
    for system in scores.systems:
        judged = scores.judged_runs[system].judged
        selected = [i for i, query_id in enumerate(judged.query_ids) if query_id in row_of]
        for name in scores.measures:
            measure = parse(name)
            if measure.entry.needs == "subtopics":
                continue
            ties = tie_range(measure, judged, n_orders=n_orders, seed=seed)
            ranges = (ties.low, ties.expected, ties.high, *unjudged_range(measure, judged))
            rows = (table["system"] == system) & (table["measure"] == name)
            for column, values in zip(columns, ranges, strict=True):
                table.loc[rows, column] = values[selected]
    return table
