"""Ready scores in columns: variant, query, measure and score of each row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from abrank._support.display import plural, shorten
from abrank._support.errors import BadLine, ReadError, UnclearError, nearest
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inputs import ids
from abrank.inputs import score_reading as terms
from abrank.inputs.columns import Source, folded
from abrank.inputs.exports import INDEX
from abrank.inputs.ids import Ids
from abrank.inputs.score_column import BLANKS, ScoreColumn, by_appearance, label_of_cell, renumbered
from abrank.inputs.score_reading import ROWS, UNNAMED, NameTest, Reading, TableOptions, baseline_of
from abrank.inputs.score_roles import read_roles
from abrank.inputs.score_source import AGGREGATES, NamedTable, read_source

MOST_BAD = 3  # bad lines to show; they are mostly similar


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of names, stored as distinct names and codes."""

    names: tuple[str, ...]  # distinct, in order of appearance
    codes: IntArray  # int64[n_rows]; index into ``names``

    def __getitem__(self, row: int | np.integer[Any]) -> str:
        return self.names[int(self.codes[row])]

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, eq=False)
class Queries:
    """A column of query ids, stored as bytes because there may be a million."""

    distinct: Ids  # in byte order
    codes: IntArray  # int64[n_rows]; index into ``distinct``

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The distinct ids as text, in byte order."""
        return tuple(ids.decode(self.distinct))

    def __getitem__(self, row: int | np.integer[Any]) -> str:
        code = int(self.codes[row])
        return ids.decode(self.distinct[code : code + 1])[0]

    def is_one_of(self, names: Iterable[str]) -> BoolArray:
        """Return which rows have one of a few names: bool[n_rows]."""
        values = np.zeros(len(self.codes), dtype=np.bool_)
        for name in names:
            place = ids.place(self.distinct, name.encode("utf-8", "surrogateescape"))
            if place >= 0:
                values |= self.codes == place
        return values


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Ready scores as read, one per row, with measure names as in the source."""

    at: IntArray  # int64[n_rows]; line from 1, or row from 0
    query: Queries
    # ``query`` is one of ``AGGREGATES`` for aggregate rows. ``system`` is empty if the source names
    # no system.
    system: Coded
    measure: Coded
    value: FloatArray  # float64[n_rows]; finite, or NaN for missing entries
    # float64[n_rows]; rounding error of the value: half a unit of the last printed digit. It is
    # only used to check aggregates, and is 0 if there are none.
    rounding: FloatArray
    # Measures with only text values (trec_eval's runid and relstring), and their numbers of rows.
    left_out: Mapping[str, int]
    source: Source
    reading: Reading
    notes: tuple[str, ...] = ()  # how cells in other notations than Python's were read
    # The repeat of each row; None if the source has no repeats.
    run: Coded | None = None


def read_score_table(
    source: object,  # whatever read_source reads
    *,
    is_measure: NameTest,
    is_cost: NameTest = lambda _: False,
    options: TableOptions | None = None,
) -> ScoreTable:
    """Read ready scores."""
    options = options or TableOptions()
    asked = {*map(str.casefold, options.measures)}

    def names_measure(name: str) -> bool:
        return name.casefold() in asked or is_measure(name)

    table = _where(read_source(source, names_measure), options.where)
    table, options = _with_joined_ids(table, options)
    table = _of_runs_in_columns(table, options)
    if options.alone:
        table = _of_arms_in_columns(table, options)
        table = _of_tasks(table, options, names_measure, is_cost)
    reading = read_roles(table, options, names_measure, is_cost)
    for without in (_without_totals, _without_unassigned):
        rest = without(table, reading)
        if rest.n_rows < table.n_rows:
            reading = read_roles(rest, options, names_measure, is_cost)
        table = rest
    return _scores(table, reading)


def _with_joined_ids(table: NamedTable, options: TableOptions) -> tuple[NamedTable, TableOptions]:
    """Join several query columns, such as query and locale, into one column of ids."""
    names = options.columns.get("query", ())
    if len(names) < 2 or not {*names} <= {*table.by_name}:
        return table, options
    coded = [table.column(name).coded for name in names]
    texts = [[labels[code] for code in codes.tolist()] for labels, codes in coded]
    joined = ScoreColumn.of(
        " / ".join(names), [" / ".join(row) for row in zip(*texts, strict=True)]
    )
    table = replace(table, columns=(*table.columns, joined))
    return table, replace(options, columns={**options.columns, "query": (joined.name,)})


_RUN = re.compile(
    r"(?i)(?:(.*?)[ _.-])?(?:run|seed|trial|repeat|repetition|replicate|rep)[ _.-]?([0-9]+)"
)


def _of_runs_in_columns(table: NamedTable, options: TableOptions) -> NamedTable:
    """Convert columns run_1, run_2, … of a score to one row per run."""
    names = [column.name for column in table.columns if column.is_numeric]
    matches = {name: match for name in names if (match := _RUN.fullmatch(name))}
    scores: dict[str, dict[str, str]] = {}
    for name, match in matches.items():
        scores.setdefault(match[1] or UNNAMED, {})[match[2]] = name
    numbers = [*next(iter(scores.values()), ())]
    is_whole = all(runs.keys() == {*numbers} for runs in scores.values())
    is_said = table.roles or options.columns or not {*options.measures}.isdisjoint(matches)
    if len(numbers) < 2 or not is_whole or is_said:
        return table
    others = [column for column in table.columns if column.name not in matches]
    wanted = {system.casefold() for system in options.systems} or {""}
    # If there is only one score, run_1 and run_2 may be two systems.
    known = {"exp_group", *terms.VARIANT_NAMES[0], *terms.VARIANT_NAMES[1], *terms.VARIANT_NAMES[2]}
    has_variant = len(scores) > 1 or any(
        (folded(column.name) in known and 2 * column.n_distinct <= table.n_rows)
        or wanted <= {label.casefold() for label in column.labels} for column in others
    )  # fmt: skip
    if not has_variant:
        return table
    tall = table.take(np.tile(np.arange(table.n_rows), len(numbers)))
    cells = {"(run)": [number for number in numbers for _ in range(table.n_rows)]} | {
        score: np.concatenate([table.column(runs[n]).numbers for n in numbers]).tolist()
        for score, runs in scores.items()
    }
    columns = [column for column in tall.columns if column.name not in matches]
    columns += [ScoreColumn.of(name, cells[name]) for name in cells]
    return replace(tall, columns=tuple(columns), roles={"repeat": ("(run)",)})


def _of_arms_in_columns(table: NamedTable, options: TableOptions) -> NamedTable:
    """Convert rows per query and measure, with a column per variant, to one row per score."""
    words = {column.name: folded(column.name) for column in table.columns}
    names = [column.name for column in table.columns if column.is_numeric]
    metric = [name for name in words if words[name] in terms.METRIC_NAMES and name not in names]
    is_said = table.roles or {"variant", "value", "measures"} & {*options.columns}
    if len(metric) != 1 or options.purpose == "read" or is_said:
        return table
    wanted = {system.casefold() for system in options.systems}
    arms = [name for name in names if name.casefold() in wanted] or [
        name for name in names if words[name] in (*terms.BASELINES, *terms.CANDIDATES)
    ]  # fmt: skip
    behind = [name for name in names if [*words].index(name) > [*words].index(metric[0])]
    if not arms and len(behind) == 2 and not any(
        terms.NO_QUALITY.fullmatch(words[name]) or words[name] in terms.VALUE_NAMES
        for name in behind
    ):  # fmt: skip
        arms = behind
    if len(arms) < 2 or not wanted <= {name.casefold() for name in arms}:
        return table
    n_rows = table.n_rows
    tall = table.take(np.tile(np.arange(n_rows), len(arms)))
    variants = [name for name in arms for _ in range(n_rows)]
    scores = np.concatenate([table.column(name).numbers for name in arms]).tolist()
    columns = (
        *(column for column in tall.columns if column.name not in arms),
        ScoreColumn.of("(variant)", variants), ScoreColumn.of(UNNAMED, scores),
    )  # fmt: skip
    roles = {"metric": (metric[0],), "variant": ("(variant)",), "value": (UNNAMED,)}
    return replace(tall, columns=columns, roles=roles)


def _of_tasks(
    table: NamedTable, options: TableOptions, is_measure: NameTest, is_cost: NameTest
) -> NamedTable:
    """Convert a leaderboard, with a row per system and a column per task, to one row per score."""
    words = {column.name: folded(column.name) for column in table.columns}
    of_systems = (*terms.VARIANT_NAMES[1], "model_name", "name", INDEX)
    named = [name for name, word in words.items() if word in of_systems]
    if len(named) != 1 or options.columns or table.roles or terms.naming_queries(words):
        return table
    systems = table.column(named[0]).labels
    wanted = {system.casefold() for system in options.systems}
    has_named = wanted <= {system.casefold() for system in systems}
    is_plain = words[named[0]] in ("name", INDEX)  # could also be names of queries
    if not has_named or len(systems) < table.n_rows:
        return table
    scores = [
        column for column in table.columns
        if column.is_numeric and column.name not in named and not (
            is_cost(column.name) or terms.NO_QUALITY.fullmatch(words[column.name])
            or not {words[column.name], words[column.name].split("_")[0]}.isdisjoint(terms.TOTALS)
        )
    ]  # fmt: skip
    names = [column.name for column in scores]
    if any(map(is_measure, names)):
        if options.purpose == "read" or len(systems) < 2 or named == [INDEX]:
            return table
        raise ReadError(
            table.origin.label, f"each system of {named[0]} has one row, of means over its queries",
            hint="give a row per query and system (of PyTerrier's Experiment: perquery=True)",
        )  # fmt: skip
    if is_plain and not (wanted or baseline_of(systems)):
        return table
    if len(scores) < 3 or any(
        words[name].rpartition("_")[2] in terms.SCORE_WORDS for name in names
    ):
        return table
    columns = {
        "task": [column.name for column in scores for _ in systems],
        named[0]: [*systems] * len(scores),
        UNNAMED: np.concatenate([column.numbers for column in scores]).tolist(),
    }
    return NamedTable(
        tuple(ScoreColumn.of(name, cells) for name, cells in columns.items()),
        table.origin, "a row per variant, a column per query",
        {"query": ("task",), "variant": (named[0],), "measures": (UNNAMED,)},
    )  # fmt: skip


def _without_totals(table: NamedTable, reading: Reading) -> NamedTable:
    """Remove rows called a total that are the mean or sum of the others."""
    if not reading.query or table.form:
        return table
    query = table.column(reading.query)
    is_called = query.matches(rf"(?i)^[ ()*]*({'|'.join(terms.TOTALS)})[ ()*]*$")
    is_called &= ~aggregates(query.is_one_of(AGGREGATES), reading)  # those are checked later
    called = np.flatnonzero(is_called)
    if not 0 < len(called) < table.n_rows:
        return table
    names = [*reading.variant, *filter(None, (reading.metric,))]
    columns = [
        table.column(name).as_scores()
        for name in ([reading.value] if reading.metric else reading.variants or reading.measures)
    ]
    keys = [table.column(name) for name in names]  # variant and measure

    def are_totals(rows: IntArray, others: BoolArray) -> bool:
        alike = {
            row: np.flatnonzero(np.all(
                [others, *((key.codes == key.codes[row]) | key.empty[row] for key in keys)], axis=0
            )) for row in rows.tolist()
        }  # fmt: skip
        return all(_is_total(column, alike[row], row) for row in alike for column in columns)

    is_total = np.zeros(table.n_rows, np.bool_)
    for code in np.unique(query.codes[called]):
        of_label = query.codes == code
        rows = np.flatnonzero(of_label)
        is_total |= of_label & (are_totals(rows, ~is_called) or are_totals(rows, ~of_label))
    if not is_total.any() and called[-1] < table.n_rows - 1:
        return table
    row = int(np.argmax(is_total)) if is_total.any() else int(called[-1])
    label = f"{table.origin.label}: {reading.query} {shorten(str(query.cell(row)))}"
    note = f"{label} counts as a query, for it is neither the mean nor the sum of the others"
    if is_total.any():
        rows_out = plural(int(is_total.sum()), "row")
        note = f"{label}: {rows_out} left out, as the mean or the sum of the others"
    notes = (*table.origin.notes, note)
    table = replace(table, origin=replace(table.origin, notes=notes))
    return table.take(np.flatnonzero(~is_total)) if is_total.any() else table


def _without_unassigned(table: NamedTable, reading: Reading) -> NamedTable:
    """Remove rows with an empty variant if the others are complete without them."""
    if len(reading.variant) != 1 or not reading.query:
        return table
    column = table.column(reading.variant[0])
    words = [label.casefold() for label in column.labels]
    # NULL is not a third arm beside two arms of an experiment.
    is_arms = baseline_of([word for word in words if word not in _UNASSIGNED])
    unassigned = [word in _UNASSIGNED if is_arms else not word for word in words]
    is_out = np.array(unassigned)[column.codes]
    if not 0 < 2 * is_out.sum() < table.n_rows:
        return table
    query = table.column(reading.query).codes
    pairs = np.unique(np.stack([query, column.codes])[:, ~is_out], axis=1)
    n_variants = np.bincount(pairs[0], minlength=int(query.max()) + 1)[query[is_out]]
    if not np.isin(n_variants, [0, len(np.unique(pairs[1]))]).all():  # some lost their variant
        return table
    rows = plural(int(is_out.sum()), "row")
    note = f"{table.origin.label}: {rows} without a variant ({column.name}) left out"
    table = replace(table, origin=replace(table.origin, notes=(*table.origin.notes, note)))
    return table.take(np.flatnonzero(~is_out))


_UNASSIGNED = BLANKS | {"", "(not set)", "(none)", "unassigned"}


def aggregates(rows: BoolArray, reading: Reading) -> BoolArray:
    """Return which ``all`` rows are means: none if a query column with that id is certain."""
    return rows & (folded(reading.query) not in terms.SEARCHES or bool(rows[-1:].any()))


def _is_total(column: ScoreColumn, rows: IntArray, row: int) -> bool:
    """Whether a cell is empty, or the mean or sum of others within its rounding error."""
    value, others = column.numbers[row], column.numbers[rows]
    others = others[~np.isnan(others)]
    if np.isnan(value):
        return not column.wrong[row]
    if not len(others):
        return False
    rounding = column.rounding()
    slack = rounding[row] + 1e-9 * max(1.0, abs(value))
    cells = float(rounding[rows].max(initial=0.0))
    total = float(others.sum())
    return bool(
        abs(value - total / len(others)) <= slack + cells
        or abs(value - total) <= slack + len(others) * cells
    )


def _where(table: NamedTable, wanted: Mapping[str, str]) -> NamedTable:
    names = [column.name for column in table.columns]
    values = np.ones(table.n_rows, np.bool_)
    for name, value in wanted.items():
        if name not in names:
            choices = [{"where": {name: None, close: value}} for close in nearest(name, names)[:1]]
            problem = f"has no column {name!r} for where; its columns: {', '.join(names)}"
            raise UnclearError(table.origin.label, problem, choices)
        labels, codes = table.column(name).coded
        options = [value, label_of_cell(value)]
        selected = [label for label in options if label in labels][:1]
        if not selected and "," in value:  # several values, each may match
            parts = [part if part in labels else label_of_cell(part) for part in value.split(",")]
            selected = parts if {*parts} <= {*labels} else []
        if not selected:
            some = ", ".join(shorten(text) for text in labels[:8])
            choices = [{"where": {name: close}} for close in nearest(value, labels)[:1]]
            problem = f"no row has {name}={value}; there are {some}"
            raise UnclearError(table.origin.label, problem, choices)
        values &= np.isin(codes, [labels.index(label) for label in selected])
    return table.take(np.flatnonzero(values)) if wanted else table


def _scores(table: NamedTable, reading: Reading) -> ScoreTable:
    label, n_rows = table.origin.label, table.n_rows
    if reading.query:
        _require_filled(table, reading.query)
        query = Queries(*table.column(reading.query).ids_in_order(reading.query, label))
    else:
        first = int(not table.numbered)  # files number from 1, objects from 0
        rows = ids.numerals(n_rows + first)
        query = Queries(*ids.number(ids.take(rows, np.arange(first, n_rows + first))))
    aggregate = aggregates(query.is_one_of(AGGREGATES), reading)
    for name in (*reading.variant, reading.metric, reading.repeat):
        if name and name != ROWS and len(reading.variant) < 2:
            _require_filled(table, name)
    system, parts = _variants(table, reading.variant)
    notes = [*table.origin.notes]
    if not parts:
        system, note = _without_case(system, query)
        notes += [f"{label}: {note}"] if note else []
    run = _numbered(query, system, table, reading) if reading.repeat == ROWS else None
    if reading.repeat and run is None:
        run = Coded(*table.column(reading.repeat).coded)
    columns = [reading.value] if reading.metric else list(reading.variants or reading.measures)
    n_columns = len(columns)  # their values are concatenated
    system = Coded(system.names, np.tile(system.codes, n_columns))
    if reading.metric:
        measure = Coded(*table.column(reading.metric).coded)
    elif reading.variants:
        systems, names = zip(*reading.variants.values(), strict=True)
        system, measure = (_of_columns(labels, n_rows) for labels in (systems, names))
    else:
        measure = _of_columns(columns, n_rows)
    cells = [table.column(name).as_scores() for name in columns]
    for column in cells:
        names_of_rows = measure if reading.metric else _of_columns([column.name], n_rows)
        _require_numbers(table, column, query, names_of_rows)
    rounding = np.broadcast_to(0.0, n_rows * n_columns)
    if aggregate.any():
        rounding = np.concatenate([column.rounding() for column in cells])
    noted: dict[str, list[str]] = {}  # columns by the note on their notation
    for column in filter(lambda column: column.note, cells):
        noted.setdefault(column.note, []).append(shorten(column.name))
    notes += (f"{label}: {', '.join(some)}: {note}" for note, some in noted.items())
    return ScoreTable(
        at=np.tile(table.positions, n_columns),
        query=Queries(query.distinct, np.tile(query.codes, n_columns)),
        system=system,
        measure=measure,
        value=np.concatenate([column.numbers for column in cells]),
        rounding=rounding,
        left_out=table.left_out,
        source=replace(table.origin, n_rows=n_rows * n_columns),
        reading=replace(
            reading,
            labels=tuple(name for name in system.names if name),
            properties=_properties(table, reading, query),
            parts=parts,
            arms={} if reading.variants else _arms(system, query, n_rows),
        ),
        notes=tuple(notes),
        run=run and Coded(run.names, np.tile(run.codes, n_columns)),
    )


def _of_columns(labels: Sequence[str], n_rows: int) -> Coded:
    names = tuple(dict.fromkeys(labels))
    return Coded(names, np.repeat([names.index(label) for label in labels], n_rows))


def _variants(table: NamedTable, names: Sequence[str]) -> tuple[Coded, dict[str, dict[str, str]]]:
    if not names:
        return Coded(("",), np.zeros(table.n_rows, np.int64)), {}
    if len(names) == 1:
        return Coded(*table.column(names[0]).coded), {}
    columns = [table.column(name).coded for name in names]
    codes = np.zeros(table.n_rows, np.int64)
    for labels, of_column in columns:
        n_codes = (int(codes.max(initial=-1)) + 1) * len(labels)
        codes = renumbered(codes * len(labels) + of_column, n_codes)
    first, codes = by_appearance(codes)
    cells = [
        {
            name: labels[of_column[row]]
            for name, (labels, of_column) in zip(names, columns, strict=True)
        }
        for row in first.tolist()
    ]
    variants = ["/".join(filter(None, row.values())) for row in cells]
    if len({*variants}) < len(variants):
        variants = [",".join(f"{name}={text}" for name, text in row.items()) for row in cells]
    return Coded(tuple(variants), codes), dict(zip(variants, cells, strict=True))


def _without_case(system: Coded, query: Queries) -> tuple[Coded, str]:
    """Merge variants that differ only in case or blanks, unless a query has both."""
    words = [name.strip().casefold() for name in system.names]
    places = {word: place for place, word in reversed([*enumerate(words)])}
    if not 1 < len(places) < len(words):
        return system, ""
    codes = np.array([places[word] for word in words])[system.codes]
    pairs = query.codes * len(words)
    if len(np.unique(pairs + codes)) < len(np.unique(pairs + system.codes)):
        return system, ""
    used, codes = np.unique(codes, return_inverse=True)
    some = ", ".join(map(repr, sorted(system.names, key=str.casefold)))
    names = tuple(system.names[place].strip() for place in used.tolist())
    return Coded(names, codes), f"variants that differ in case or blanks alone are one: {some}"


def _arms(system: Coded, query: Queries, n_rows: int) -> dict[str, str]:
    """Return the variant of each query if no query has two; else empty."""
    if len(system.names) < 2 or len(query.distinct) < len(system.names):
        return {}
    codes = system.codes[:n_rows]
    last = np.empty(len(query.distinct), np.int64)
    last[query.codes] = codes
    if not (last[query.codes] == codes).all():
        return {}
    variants = (system.names[code] for code in last.tolist())
    return dict(zip(query.names, variants, strict=True))


def _numbered(query: Queries, system: Coded, table: NamedTable, reading: Reading) -> Coded:
    """Return numbers for rows of a query and variant that no column distinguishes."""
    key = query.codes * len(system.names) + system.codes
    if reading.metric:
        labels, codes = table.column(reading.metric).coded
        key = key * len(labels) + codes
    order = np.argsort(key, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(key[order]) != 0))
    numbers = np.empty(len(key), np.int64)
    lengths = np.diff(np.append(starts, len(key)))
    numbers[order] = np.arange(len(key)) - np.repeat(starts, lengths)
    return Coded(tuple(map(str, range(int(numbers.max(initial=0)) + 1))), numbers)


def _require_filled(table: NamedTable, name: str) -> None:
    column = table.column(name)
    if column.empty.any():
        position = f"{table.origin.unit} {table.positions[np.argmax(column.empty)]}"
        raise ReadError(table.origin.label, f"the {name} is empty", at=position)


def _require_numbers(
    table: NamedTable, column: ScoreColumn, query: Queries, measure: Coded
) -> None:
    label, unit = table.origin.label, table.origin.unit
    if column.fault:
        raise ReadError(label, f"{column.name}: {column.fault}")
    rows = np.flatnonzero(column.wrong)
    lines = []
    for row in rows[:MOST_BAD].tolist():
        cell, problem = column.problem(row)
        if unit == "line" and problem in ("score is NaN", "score is infinite"):
            problem += f" (query {query[row]})"
        text = f"{query[row]}  {measure[row]}  {cell}"
        lines.append(BadLine(int(table.positions[row]), text, problem))
    if lines and unit == "line":
        raise ReadError(label, lines=lines, total=len(rows))
    if lines:
        problem = f"{lines[0].problem}: {lines[0].text}"
        raise ReadError(label, problem, at=f"row {lines[0].number}")


def _properties(table: NamedTable, reading: Reading, query: Queries) -> dict[str, dict[str, str]]:
    result = {}
    last = np.empty(len(query.distinct), np.int64)  # a row of each query
    last[query.codes] = np.arange(table.n_rows)
    for name in filter(None, dict.fromkeys((*reading.segments, reading.cluster, reading.weight))):
        labels, codes = table.column(name).coded
        filled = np.flatnonzero(~table.column(name).empty)
        row = last.copy()
        row[query.codes[filled]] = filled  # prefer rows with a value, because some may be empty
        differs = filled[codes[filled] != codes[row[query.codes[filled]]]]
        if len(differs) and {"segments", "cluster", "weight"} & {*reading.stated}:
            unit = f"{table.origin.unit} {table.positions[differs[0]]}"
            problem = f"{name} differs within query {query[differs[0]]}, and is no property of it"
            raise ReadError(table.origin.label, problem, at=unit)
        result[name] = {
            query_id: labels[code]
            for query_id, code in zip(query.names, codes[row].tolist(), strict=True)
            if labels[code] and query_id not in AGGREGATES
        }
    return result


def describe(table: ScoreTable, n_queries: int, n_measures: int, silent: Sequence[str]) -> str:
    """Describe in one line how a table was interpreted and what was left out."""
    left_out = [f"{name} ({count} of text)" for name, count in table.left_out.items()]
    left_out += [f"{name} (no score per query)" for name in silent]
    behind = f"; left out: {', '.join(left_out)}" if left_out else ""
    counts = f"{plural(n_queries, 'query', 'queries')}, {plural(n_measures, 'measure')}"
    reading = table.reading
    if reading.apart:
        behind += f"; not compared: {', '.join(map(shorten, reading.apart))}"
    is_named = len(reading.labels) > 1 and reading.variant
    by = f", by {' and '.join(reading.variant)}" if is_named else ""
    return f"{table.source.label}: read as {reading.form}{by}, {counts}{behind}"
