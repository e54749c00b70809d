"""Read ready scores as Scores, and check input files of any kind."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from abrank import inputs
from abrank._support import checks, display
from abrank._support.checks import explained
from abrank._support.errors import AbrankError, ArgumentError, NotFoundError, ReadError, calling
from abrank._support.typing import BoolArray
from abrank.inputs import Source, ids
from abrank.inputs.columns import DOC_IDS, folded, found_in
from abrank.inputs.files import ENDINGS, short_name
from abrank.inputs.score_facts import is_unit
from abrank.inputs.score_reading import RATER_NAMES, ROWS, TableOptions
from abrank.inputs.score_source import AGGREGATES, holds_scores, read_source
from abrank.inputs.score_table import (
    Coded,
    Queries,
    ScoreTable,
    aggregates,
    describe,
    read_score_table,
)
from abrank.inputs.storage import format_of_folder, has_parquet, require_tables_alone
from abrank.measures import Measure
from abrank.measures.names import asks_direction, is_known, known, names_measure
from abrank.scoring.evaluate import average_repeats
from abrank.scoring.scores import ASKS, Scores, note_on_repeats, stand_ins

UNNAMED = "scores"
MAX_RUNS = 1000  # maximum runs of all systems together
SUMMATION_ERROR = 1e-9  # rounding error of sums, far below the printed digits


@explained
def read_scores(
    source: object,  # whatever is listed below
    *,
    system: str | None = None,
    columns: Mapping[str, str | Sequence[str]] | Sequence[str] | str | None = None,
    variant: Sequence[str] | str | None = None,
    where: Mapping[str, Any] | Sequence[str] | str | None = None,
) -> Scores:
    """Read scores per query from other programs or from abrank.

    Parameters
    ----------
    source : path, DataFrame, or Scores
        A table in CSV, TSV, JSON, JSON lines, Parquet (also a folder) or Feather, or a frame of
        pandas, polars, pyarrow or DuckDB. It has one row per query and variant, one column per
        variant, one row per score, or one column per measure. Also: output of ``trec_eval -q``
        (measure, query, value), of ``ir_measures -q`` or ``abrank score --per-query`` (query,
        measure, value; preceded by the system if there are several); dicts of pytrec_eval and ranx;
        ir_measures' metrics; responses of _rank_eval; JSON lines of answers with assigned nuggets
        (AutoNuggetizer, TREC RAG) or sentences with judged support, which give NuggetRecall,
        SupportPrecision and others; exports of evaluation tools. A list of such sources, or
        ``"a.eval,a.jsonl"``, holds different measures of one system. Scores are returned unchanged.
    system : str, optional
        The system to select if there are several; else a name for the only one. Default: the file
        name.
    columns : mapping or str, optional
        The roles of columns that are not recognised: ``{"query": "request_id", "variant": "arm"}``.
        Roles are ``query``, ``variant`` (the column of variant names), ``variants`` (one column
        each), ``metric`` and ``value`` (one row per score), ``measures``, ``segments``, ``repeat``
        (``"rows"`` if no column distinguishes repeats), ``cluster`` and ``weight``.
    variant : str or sequence of str, optional
        The column of variant names, or several columns that together name the variant.
    where : mapping or str, optional
        Rows to keep: ``{"chunk_size": 256}``.

    Returns
    -------
    Scores
        Known measures get their canonical names. ``notes`` say how the source was interpreted and
        what was left out; ``reading`` has the role of each column.

    Raises
    ------
    NotFoundError
        If there is no such file.
    ReadError
        If the format is not recognised, a line or value is not valid, a score is missing or occurs
        twice, or an aggregate (the row ``all``) does not match the queries. If a table can be
        interpreted in two ways, the message shows the complete call for each.
    ArgumentError
        If there is no such system.

    Notes
    -----
    Text values (trec_eval's ``runid`` and ``relstring``) and measures without a score per query
    (``num_q``) are left out. Aggregates are checked and then left out: the mean, sum or geometric
    mean of the queries must round to them. The check fails if the aggregate includes queries
    without a line, as in trec_eval 9 ``-c`` for queries that a run lacks.

    Examples
    --------
    >>> import pandas as pd
    >>> scores = read_scores(pd.DataFrame({"query_id": ["302", "301"], "ndcg_cut_10": [0.5, 0.25]}))
    >>> scores.tidy()
      query_id  system  measure  score
    0      301  scores  nDCG@10   0.25
    1      302  scores  nDCG@10   0.50
    """
    options = TableOptions.of(columns, variant, where)
    keywords = {"system": system, "columns": columns, "variant": variant, "where": where}
    with calling("read_scores", {"source": source}, keywords):
        scores = read_with_gaps(source, system=system, options=options)
    require_all(scores)
    return scores


def read_with_gaps(
    source: Any,  # noqa: ANN401
    *,
    system: str | None = None,
    options: TableOptions | None = None,
) -> Scores:
    """Read scores like :func:`read_scores`, but with NaN for missing ones."""
    if isinstance(source, Scores):
        return source if system is None else one_system(source, system)
    sources = source if isinstance(source, (list, tuple)) else ()
    if isinstance(source, str) and "," in source and not Path(source).exists():
        sources = source.split(",")
    if len(sources) > 1 and all(isinstance(x, (str, os.PathLike, Scores)) for x in sources):
        # The sources hold different measures of one system.
        return _joined([read_with_gaps(part, options=options) for part in sources], system)
    is_path = isinstance(source, (str, os.PathLike))
    if is_path and os.path.isdir(source) and not format_of_folder(source):  # noqa: PTH112
        require_tables_alone(source)
    if has_parquet(source) and not (is_path and format_of_folder(source)):
        from abrank.engines.job import read_folder

        source = read_folder(Path(source))
    options = options or TableOptions()
    table = read_score_table(
        source, is_measure=names_measure, is_cost=asks_direction, options=options
    )
    aggregate = aggregates(table.query.is_one_of(AGGREGATES), table.reading)
    if aggregate.all():
        raise ReadError(
            table.source.label,
            "there is no score of a query",
            hint="print one line a query: trec_eval -q, ir_measures -q, abrank score --per-query",
        )
    if table.system.names == ("",):  # without system names, the file name is the system
        name = system or (short_name(source) if is_path else UNNAMED)
        table = replace(table, system=Coded((name,), table.system.codes))
    scores = (
        _scores(table, aggregate) if table.run is None else _averaged(table, aggregate, options)
    )
    scores = _without_gaps_of_all(scores, options)
    return scores if system is None else one_system(scores, system)


def _without_gaps_of_all(scores: Scores, options: TableOptions) -> Scores:
    """Drop queries without any score, and measures with missing scores that were not requested."""
    # A query without a relevant document has no nDCG for any variant; the rank of the first
    # relevant document is empty if none was found.
    if scores.reading is None or len(scores.systems) < 2:
        return scores
    names = [str(known(name) or name) for name in options.measures]
    holes, expected = np.isnan(scores.values), scores.expected()
    notes = list(scores.notes)
    deciding = [
        index for index, name in enumerate(scores.measures)
        if (name in names if names else is_known(name))
    ] or list(range(len(scores.measures)))  # fmt: skip
    is_empty = holes[:, :, deciding].all(axis=(1, 2))
    if expected is not None:  # if each user saw one variant, a missing score is expected
        holes &= expected[:, :, None]
    elif is_empty.any() and not is_empty.all():
        rows = np.flatnonzero(~is_empty)
        examples = ", ".join(scores.query_ids[i] for i in np.flatnonzero(is_empty)[:3])
        queries = display.plural(int(is_empty.sum()), "query", "queries")
        are = "is" if is_empty.sum() == 1 else "are"
        notes.append(f"{queries} without a score of any variant {are} left out: {examples}")
        scores = replace(
            scores, query_ids=tuple(scores.query_ids[i] for i in rows), values=scores.values[rows]
        )
        holes = holes[rows]
    if options.missing != "error":  # the option defines how they are replaced
        return replace(scores, notes=tuple(notes))
    has_gaps = np.asarray(holes.any(axis=(0, 1)))
    lacking = [scores.measures[i] for i in np.flatnonzero(has_gaps)]
    rest = [name for name in scores.measures if name not in lacking]
    # Costs must not become primary because ratings with some failures were dropped.
    may_decide = not all(map(asks_direction, rest)) or all(map(asks_direction, lacking))
    if not names and lacking and rest and may_decide and not any(map(is_known, lacking)):
        counts = dict(zip(scores.measures, holes.sum(axis=(0, 1)), strict=True))
        examples = ", ".join(f"{name} (empty {counts[name]} times)" for name in lacking)
        notes.append(f"not compared, for it has holes: {examples}")
        scores = scores.take(rest)
    return replace(scores, notes=tuple(notes))


def _joined(parts: Sequence[Scores], system: str | None) -> Scores:
    first = parts[0]
    for part in parts:
        if len(part.systems) > 1:
            raise ArgumentError(f"measures of one system are joined, not of {len(part.systems)}")
    rows = [query_id for part in parts for query_id in part.query_ids]
    query_ids = tuple(dict.fromkeys(rows))
    measures = tuple(name for part in parts for name in part.measures)
    if len(query_ids) == len(rows) and len({part.measures for part in parts}) == 1:
        measures = first.measures
        order = sorted(range(len(rows)), key=lambda i: rows[i].encode(errors="surrogateescape"))
        query_ids = tuple(rows[i] for i in order)
        values = np.concatenate([part.values for part in parts])[order]
    else:
        if len(set(measures)) < len(measures):
            raise ArgumentError(f"a measure stands in two of the sources: {', '.join(measures)}")
        row_of = {query_id: i for i, query_id in enumerate(query_ids)}
        columns = []
        for part in parts:
            column = np.full((len(query_ids), 1, len(part.measures)), np.nan)  # missing by default
            column[[row_of[query_id] for query_id in part.query_ids]] = part.values
            columns.append(column)
        values = np.concatenate(columns, axis=2)
    name = system or first.systems[0]
    sources = [source for part in parts for source in part.sources.values()]
    return replace(
        first,
        query_ids=query_ids,
        systems=(name,),
        measures=measures,
        values=values,
        audits={},
        judged_runs={},
        sources={name: _one_source(sources)} if len(sources) == len(parts) else {},
        notes=tuple(note for part in parts for note in part.notes),
        named=first.named,
    )


def _one_source(sources: Sequence[Source]) -> Source:
    hashes, paths = [source.sha256 for source in sources], [source.path for source in sources]
    digest = hashlib.sha256("".join(map(str, hashes)).encode()).hexdigest()
    return Source(
        path=None if None in paths else ",".join(map(str, paths)),
        sha256=None if None in hashes else digest,
        n_rows=sum(source.n_rows for source in sources),
        label=",".join(source.label for source in sources),
    )


def _averaged(table: ScoreTable, aggregate: BoolArray, options: TableOptions) -> Scores:
    assert table.run is not None
    n_runs = len(table.run.names)
    pairs, codes = np.unique(table.system.codes * n_runs + table.run.codes, return_inverse=True)
    systems = table.system.names
    groups: dict[str, list[str]] = {system: [] for system in systems}
    for of_system, of_run in (divmod(pair, n_runs) for pair in pairs.tolist()):
        name = f"{systems[of_system]} (run {table.run.names[of_run]})"
        groups[systems[of_system]].append(name)
    repeat = table.reading.repeat
    if folded(repeat) in RATER_NAMES:  # judges rate all systems, so they are not runs of one system
        return _mean_of_rows(table, aggregate, options)
    is_free = repeat == ROWS or is_unit(repeat)  # queries may have different numbers of repeats
    n_cells = len(table.query.distinct) * len(pairs) * len(table.measure.names)
    is_ragged = codes.size != n_cells or bool(np.isnan(table.value).any())
    if options.summed or len(pairs) > MAX_RUNS or (is_free and is_ragged):
        return _mean_of_rows(table, aggregate, options)
    single = tuple(name for names in groups.values() for name in names)
    scores = _scores(replace(table, system=Coded(single, codes.ravel())), aggregate)
    averaged = average_repeats(scores, groups, options=options)
    return replace(averaged, sources=dict.fromkeys(systems, table.source))


def _mean_of_rows(table: ScoreTable, aggregate: BoolArray, options: TableOptions) -> Scores:
    # Parts of a ratio of sums are added: clicks of all sessions of a user.
    assert table.run is not None
    shape = (len(table.query.distinct), len(table.system.names), len(table.measure.names))
    cell = np.ravel_multi_index((table.query.codes, table.system.codes, table.measure.codes), shape)
    is_used = ~aggregate & ~np.isnan(table.value)
    counts = np.bincount(cell[is_used], minlength=int(np.prod(shape)))
    is_hole = ~aggregate & ~is_used & (counts[cell] > 0)
    wanted = is_hole & np.isin(table.measure.codes, options.wanted(table.measure.names))
    lines = np.unique(table.at[wanted] * shape[1] + table.system.codes[wanted])
    lacking = np.bincount(lines % shape[1], minlength=shape[1]).tolist()
    values = table.value
    if is_hole.any() and options.missing in ("worst", "zero"):
        measures = [str(known(name) or name) for name in table.measure.names]
        one_each = np.full((len(values), len(measures)), np.nan)
        one_each[np.arange(len(values)), table.measure.codes] = values
        ends = stand_ins(measures, one_each, options.missing, options.lower_is_better)
        values = np.where(is_hole, ends[table.measure.codes], values)
        is_used |= is_hole
        counts = np.bincount(cell[is_used], minlength=int(np.prod(shape)))
    sums = np.bincount(cell[is_used], values[is_used], minlength=int(np.prod(shape)))
    first = np.unique(np.where(aggregate, -1, cell), return_index=True)[1]
    summed = {*map(folded, options.summed)}
    is_summed = np.array([folded(name) in summed for name in table.measure.names])
    with np.errstate(invalid="ignore", divide="ignore"):
        value = np.where(is_summed[table.measure.codes], sums[cell], (sums / counts)[cell])
    selected = first[~aggregate[first]]
    averaged = replace(
        table,
        at=table.at[selected],
        query=Queries(table.query.distinct, table.query.codes[selected]),
        system=Coded(table.system.names, table.system.codes[selected]),
        measure=Coded(table.measure.names, table.measure.codes[selected]),
        value=value[selected],
        rounding=table.rounding[selected],
        run=None,
    )
    scores = _scores(averaged, np.zeros(len(selected), np.bool_))
    by = "" if table.reading.repeat == ROWS else f" ({table.reading.repeat})"
    largest = display.plural(int(counts.max(initial=0)), "row")
    added = ", ".join(np.array(table.measure.names)[is_summed])
    added = f"; of a ratio they are added: {added}" if added else ""
    notes = [
        f"the rows of a query and variant{by} are averaged: up to {largest} in one mean{added}",
        *note_on_repeats(dict(zip(table.system.names, lacking, strict=True)), options.missing),
    ]
    return replace(scores, notes=(*scores.notes, *notes))


def _scores(table: ScoreTable, aggregate: BoolArray) -> Scores:
    measure_of_name = {name: known(name) for name in table.measure.names}
    names = {
        name: name if measure is None else measure for name, measure in measure_of_name.items()
    }
    scores = _block(table, aggregate, names)
    if aggregate.any() and not np.isnan(scores.values).any():
        _require_aggregates(scores, table, measure_of_name, aggregate)
    without_scores = [name for name, canonical in names.items() if canonical not in scores.measures]
    counts = len(scores.query_ids), len(scores.measures)
    return replace(
        scores,
        sources=dict.fromkeys(scores.systems, table.source),
        notes=(describe(table, *counts, without_scores), *table.notes, *_out_of_range(scores)),
        reading=table.reading,
    )


def _block(table: ScoreTable, aggregate: BoolArray, names: Mapping[str, str]) -> Scores:
    rows = np.flatnonzero(~aggregate)
    query, system, measure = (column.codes[rows] for column in (
        table.query, table.system, table.measure
    ))  # fmt: skip
    occurs = np.bincount(query, minlength=len(table.query.distinct)) > 0
    query_ids = table.query.names if occurs.all() else tuple(
        ids.decode(ids.take(table.query.distinct, np.flatnonzero(occurs)))
    )  # fmt: skip
    first = np.full(len(table.measure.names), len(rows))  # first row of each measure
    first[measure[::-1]] = np.arange(len(rows))[::-1]
    by_appearance = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(rows))]
    measures = tuple(dict.fromkeys(names[table.measure.names[i]] for i in by_appearance))
    place_of = {name: i for i, name in enumerate(measures)}
    place_of_measure = np.array([place_of.get(names[name], -1) for name in table.measure.names])
    # Columns are contiguous in memory, because the next steps read whole columns.
    shape = (len(measures), len(table.system.names), len(query_ids))
    places = place_of_measure[measure], system, (np.cumsum(occurs) - 1)[query]
    cell = np.ravel_multi_index(places, shape)
    if np.bincount(cell).max() > 1:
        order = np.argsort(cell, kind="stable")
        repeats = np.flatnonzero(np.diff(cell[order]) == 0)
        row, again = rows[order[repeats[0] : repeats[0] + 2]]
        raise ReadError(
            table.source.label,
            f"query {table.query[row]} has two scores of {names[table.measure[row]]}",
            at=f"{table.source.unit}s {table.at[row]} and {table.at[again]}",
        )
    values = np.full(shape, np.nan)
    values.reshape(-1)[cell] = table.value[rows]
    return Scores(query_ids, table.system.names, measures, values.T, named=())


def _out_of_range(scores: Scores) -> Iterator[str]:
    """Yield notes on scores above the measure's range (unless in per cent), or all 0."""
    for index, name in enumerate(scores.measures):
        measure, values = known(name), scores.values[:, :, index]
        highest = math.inf if measure is None else measure.entry.bounds[1]
        # Rounding is below 1 %. If scores were in per cent, some would exceed twice the range.
        if 0 < highest < math.inf and 1.01 < np.nanmax(values, initial=0.0) / highest <= 2:
            query = int(np.nanargmax(values)) // len(scores.systems)
            yield (
                f"{name} is {highest:g} at most, but query {scores.query_ids[query]} has"
                f" {np.nanmax(values):.4g}: whatever computed it may count a document twice, or"
                " take the ideal from what was retrieved"
            )
        is_zero = (values == 0.0).all(axis=0)
        if measure is not None and is_zero.any() and len(values) >= 10:  # unlikely by chance
            names = ", ".join(np.array(scores.systems)[is_zero])
            yield f"{name} of {names} is 0 on all {len(values)} queries: did it run?"


def require_all(*tables: Scores) -> None:
    """Refuse tables with missing scores."""
    missing = [np.argwhere(np.isnan(scores.values)) for scores in tables]
    total = sum(map(len, missing))
    if not total:
        return
    scores, holes = next(pair for pair in zip(tables, missing, strict=True) if len(pair[1]))
    query, system, measure = holes[0]
    name = scores.measures[measure]
    kind = "score" if name == "score" else f"score of {name}"  # "score" is a default name
    labels = {source.label for scored in tables for source in scored.sources.values()}
    is_of_one_table = len(tables) > 1 and len(labels) == 1  # then its label is not a system's name
    names_system = len(scores.systems) > 1 or is_of_one_table
    of_system = f" of {scores.systems[system]}" if names_system else ""
    more = f" ({total} scores are missing in all)" if total > 1 else ""
    source = scores.sources.get(scores.systems[system])
    raise ReadError(
        "scores" if source is None else source.label,
        f"query {scores.query_ids[query]} has no {kind}{of_system}{more}",
        hint=ASKS,
    )


def _require_aggregates(
    scores: Scores,
    table: ScoreTable,
    measure_of_name: Mapping[str, Measure | None],
    aggregate: BoolArray,
) -> None:
    """Refuse aggregates that do not match the queries, within rounding."""
    expected, sums = scores.aggregates(), scores.values.sum(axis=0)
    n = len(scores.query_ids)
    # Rounding error of each measure's values, over the rows of queries.
    is_query = ~aggregate
    largest_rounding = np.zeros(len(table.measure.names))
    np.maximum.at(largest_rounding, table.measure.codes, np.where(is_query, table.rounding, 0.0))
    rounding = dict(zip(table.measure.names, largest_rounding.tolist(), strict=True))
    for i in np.flatnonzero(aggregate & np.isfinite(table.value)):
        name, measure = table.measure[i], measure_of_name[table.measure[i]]
        canonical = name if measure is None else measure.name
        if canonical not in scores.measures:
            continue
        s = scores.systems.index(table.system[i])
        m = scores.measures.index(canonical)
        slack = rounding[name]
        agreements = [
            abs(table.value[i] - expected[s, m]) <= table.rounding[i] + slack + SUMMATION_ERROR
        ]
        # An unknown measure may be a sum. The rounding error of a sum of n values is n times that
        # of their mean.
        if measure is None or measure.entry.aggregate == "sum":
            error = abs(table.value[i] - sums[s, m])
            agreements.append(error <= table.rounding[i] + n * slack + SUMMATION_ERROR)
        if not any(agreements):
            raise ReadError(
                table.source.label,
                f'the row "{table.query[i]}" gives {table.value[i]:g} for {name}, but'
                f" {display.plural(n, 'query', 'queries')} {expected[s, m]:.5g}",
                at=f"{table.source.unit} {table.at[i]}",
                hint="queries were counted that have no line (trec_eval -c), or lines are missing:"
                " write one for each query, with 0 where nothing was found",
            )


def one_system(scores: Scores, system: str) -> Scores:
    """Return the scores of one system."""
    sources = {name: source for name, source in scores.sources.items() if name == system}
    values = scores.of(system)[:, np.newaxis, :]
    return replace(scores, systems=(system,), values=values, sources=sources)


# Files of tables and logs; a damaged TREC run must not be mistaken for scores.
_SCORE_FILES = (".csv", ".tsv", ".json", ".jsonl", ".eval", ".parquet", ".feather")


@dataclass(frozen=True)
class CheckedFiles:
    """The result of :func:`check`.

    Attributes
    ----------
    qrels : tuple of Qrels
    runs : tuple of Run
    scores : tuple of Scores
        Tables and logs of ready scores; their ``notes`` say how they were interpreted.
    audits : tuple of (Run, Qrels, Audit)
        Each run with each set of judgments: missing queries, ties, judged share of the top 10.
    errors : tuple of AbrankError
        Errors of files that cannot be used, and of runs that share no query with judgments.
    """

    qrels: tuple[inputs.Qrels, ...]
    runs: tuple[inputs.Run, ...]
    scores: tuple[Scores, ...]
    audits: tuple[tuple[inputs.Run, inputs.Qrels, inputs.Audit], ...]
    errors: tuple[AbrankError, ...]

    @property
    def passed(self) -> bool:
        """Whether every file can be used."""
        return not self.errors


def files_below(path: str | os.PathLike[str]) -> list[str | os.PathLike[str]]:
    """Return the files in a folder that may be inputs, by name; return other paths unchanged."""
    checks.path("file", path)
    if not os.path.isdir(path) or format_of_folder(path):  # noqa: PTH112 - a name may be too long
        return [path]
    files: list[str | os.PathLike[str]] = [
        file for file in sorted(Path(path).rglob("*"))
        if file.is_file() and file.name.endswith(ENDINGS) and not file.name.startswith(".")
    ]  # fmt: skip
    if not files:
        raise NotFoundError(f"{os.fspath(path)}: no file of judgments, runs or scores in it")
    return files


def _names_documents(path: str | os.PathLike[str]) -> bool:
    """Whether a file has a column of documents, or no columns: a run or judgments."""
    try:
        columns = read_source(path, names_measure).columns
    except AbrankError:
        return not os.fspath(path).endswith(_SCORE_FILES)
    return bool(found_in([column.name for column in columns], DOC_IDS[:2]))


def check(
    *files: str | os.PathLike[str], subtopics: bool = False, max_input_size: int | None = None
) -> CheckedFiles:
    """Read judgments, runs and ready scores, recognised by content, and describe them.

    Every file is read even if others have errors. From a folder, files with a matching ending are
    read.

    Parameters
    ----------
    subtopics : bool
        Whether the judgments are by subtopic: ``query_id subtopic doc_id grade``.
    max_input_size : int, optional
        Maximum size of an unpacked file in bytes; see :func:`abrank.read_run`.

    Examples
    --------
    >>> check("no.run").passed
    False
    """
    qrels, runs, scores, audits = [], [], [], []
    errors: list[AbrankError] = []
    for path in (path for file in files for path in files_below(file)):
        try:
            if inputs.looks_like_qrels(path):
                qrels.append(
                    inputs.read_qrels(path, subtopics=subtopics, max_input_size=max_input_size)
                )
            else:
                runs.append(inputs.read_run(path, max_input_size=max_input_size))
        except AbrankError as error:
            try:
                if not (holds_scores(os.fspath(path), alone=True) or format_of_folder(path)):
                    raise error
                scores.append(read_with_gaps(path))
            except AbrankError as second:
                errors.append(error if _names_documents(path) else second)
    for run in runs:
        for judgments in qrels:
            try:
                audits.append((run, judgments, inputs.read_judged_run(judgments, run).audit))
            except AbrankError as error:
                errors.append(error)
    return CheckedFiles(tuple(qrels), tuple(runs), tuple(scores), tuple(audits), tuple(errors))
