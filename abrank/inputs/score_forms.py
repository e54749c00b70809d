"""Which form a file, frame or object of ready scores has, and its scores in columns.

A form is told by what is there and never by a file's name: lines of three or four fields, or a
table with a header. What fits no form, or two, is an error. In memory scores are frames and tables
of every library; ``{query_id: {measure: score}}`` (pytrec_eval) and ``{measure: {query_id:
score}}`` (ranx' ``run.scores``); tuples (query_id, measure, value), such as those of
``ir_measures.iter_calc``; answers of ``_rank_eval`` in Elasticsearch and OpenSearch.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from abrank._support.errors import ReadError
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inputs import arrow, ids
from abrank.inputs.arrow import table_of
from abrank.inputs.columns import MOST_SHOWN, QUERY_IDS, Source, folded, found_in
from abrank.inputs.delimited import csv_lines, require_names, text_columns
from abrank.inputs.ids import Ids
from abrank.inputs.objects import read_id
from abrank.inputs.tree import rows_of_log

# --- Ready scores as other programs hold them in memory, converted to named columns

OF_MTEB = "holds results of MTEB, which are means over all queries: nothing can be paired"
PREDICTIONS = (
    "let mteb keep its predictions (prediction_folder=), and give these as runs, beside the"
    " judgments"
)
SHAPES = "{query_id: {measure: score}}, {measure: {query_id: score}}, or an answer of _rank_eval"

# Where no column is called as a query is, an id of something else, or the text that was asked.
SCORED_IDS = (
    *QUERY_IDS,
    ("id", "_id", "sample_id", "example_id", "question_id", "doc_id"),
    ("user_input", "question", "input", "prompt", "instruction"),
)
# What judges' tools write beside the scores: texts and lists of texts.
TEXTS = frozenset((
    "user_input", "question", "input", "prompt", "instruction", "answer", "response", "output",
    "completion", "prediction", "text", "reference", "target", "ground_truth", "expected_output",
    "actual_output", "context", "contexts", "retrieved_contexts", "reference_contexts",
    "retrieval_context", "explanation", "reason", "rationale", "feedback", "comment", "metadata",
))  # fmt: skip
_INDEX = "__index_level_0__"  # what pandas calls an index without a name in a file
_LONG_NAMES = ("query_id", "measure", "score")

Named = tuple[list[str], list[Any]]


def columns_of(source: Any, is_measure: Callable[[str], bool], label: str) -> Named | None:  # noqa: ANN401
    """Return the names of columns and the columns, among them the query's; None for no scores."""
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        header = [str(name) for name in source.columns]
        columns = [source.iloc[:, i] for i in range(len(header))]
        if not found_in(header, SCORED_IDS):
            header, columns = ["query_id", *header], [source.index, *columns]
        return header, columns
    table = table_of(source)
    if table is not None:
        return _of_table(table.column_names, list(table.columns))
    if (log := rows_of_log(source)) is not None:
        return log
    if isinstance(source, Mapping):
        return list(_LONG_NAMES), _of_dict(source, is_measure, label)
    return _of_tuples(source, label)


def columns_of_file(data: bytes, label: str) -> Named:
    """Return the names of columns and the columns of a Parquet or Feather file."""
    return _of_table(*arrow.file_columns(data, label, list, row=2 * arrow.ROW, hint=arrow.AS_CSV))


def _of_table(names: list[str], columns: list[Any]) -> Named:
    """Return a table's columns; without one for the query its rows are the queries, from 0."""
    if found_in(names, SCORED_IDS):
        kept = [i for i, name in enumerate(names) if name != _INDEX]
        return [names[i] for i in kept], [columns[i] for i in kept]
    if _INDEX in names:
        return ["query_id" if name == _INDEX else name for name in names], columns
    rows = [str(row) for row in range(len(columns[0]) if columns else 0)]
    return ["query_id", *names], [rows, *columns]


def _of_tuples(source: Any, label: str) -> Named | None:  # noqa: ANN401
    """Return the columns of named tuples or dicts, such as ir_measures' metrics."""
    rows = list(source) if isinstance(source, Iterable) and not isinstance(source, str) else []
    if not rows:
        return None
    first = rows[0]
    names = list(first) if isinstance(first, Mapping) else list(getattr(first, "_fields", ()))
    if not found_in(names, SCORED_IDS):
        return None
    held = [row._asdict() if hasattr(row, "_asdict") else row for row in rows]
    if not all(isinstance(row, Mapping) and bool(found_in(list(row), SCORED_IDS)) for row in held):
        told = ", ".join(map(str, names))
        raise ReadError(label, f"its rows are not alike; the first has {told}")
    names = list(dict.fromkeys(name for row in held for name in row))  # a failure has no score
    return names, [[row.get(name) for row in held] for name in names]


def _of_dict(
    source: Mapping[Any, Any], is_measure: Callable[[str], bool], label: str
) -> list[list[Any]]:
    details = source.get("details")
    if isinstance(details, Mapping) and "metric_score" in source:
        answers = [row for row in details.values() if isinstance(row, Mapping)]
        if not all("metric_score" in row for row in answers) or len(answers) < len(details):
            raise ReadError(label, "is no answer of _rank_eval: a query has no metric_score")
        source = {}
        for query, answer in zip(details, answers, strict=True):
            told = answer.get("metric_details")  # of which the cut-off is not known
            name = next(iter(told), "metric") if isinstance(told, Mapping) else "metric"
            source[query] = {f"_rank_eval {name}": answer["metric_score"]}
        by_query = True
    elif all(isinstance(row, Mapping) for row in source.values()) and source:
        inner: Mapping[Any, Any] = next((row for row in source.values() if row), {})
        names = [list(map(str, each)) for each in (source, inner)]
        hint = "a frame tells them apart: pandas.DataFrame.from_dict(scores, orient='index')"
        by_query = _measured(names, is_measure, label, "two levels", SHAPES, hint) == 1
    elif "task_name" in source:
        raise ReadError(label, OF_MTEB, hint=PREDICTIONS)
    else:
        raise ReadError(label, "holds no dict of scores in each place", expected=SHAPES)
    columns: list[list[Any]] = [[], [], []]
    for outer, row in source.items():
        columns[0 if by_query else 1] += [outer] * len(row)
        columns[1 if by_query else 0] += row.keys()
        columns[2] += row.values()
    return [columns[0], list(map(str, columns[1])), columns[2]]


def _measured(
    names: Sequence[Sequence[str]],
    is_measure: Callable[[str], bool],
    label: str,
    what: str,
    expected: str,
    hint: str,
) -> int:
    """Return which of two lists names measures; refuse both and neither."""
    known = [any(map(is_measure, each)) for each in names]
    if known[0] == known[1]:
        problem = f"{'both' if known[0] else 'neither'} of the {what} name a known measure"
        raise ReadError(label, problem, expected=expected, hint=hint)
    return known.index(True)


# --- Ready scores in columns, each name held once: a million queries have five measures


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of names."""

    names: tuple[str, ...]  # distinct, in order of appearance
    codes: IntArray  # int64[n_rows]; index into ``names`` of each row

    @classmethod
    def of(cls, texts: Sequence[str]) -> Coded:
        """Return the column of these texts."""
        place = {name: i for i, name in enumerate(dict.fromkeys(texts))}
        return cls(tuple(place), np.fromiter(map(place.__getitem__, texts), np.int64, len(texts)))

    @classmethod
    def of_ids(cls, column: Ids) -> Coded:
        """Return the column of these ids."""
        distinct, codes = ids.code(column)
        return cls(tuple(ids.decode(distinct)), codes)

    def __getitem__(self, row: int | np.integer[Any]) -> str:
        return self.names[int(self.codes[row])]

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, eq=False)
class Queries:
    """A column of query ids, which may be a million: as bytes, not as Python's texts."""

    distinct: Ids  # ascending by bytes
    codes: IntArray  # int64[n_rows]; index into ``distinct`` of each row

    @classmethod
    def of(cls, texts: Sequence[str]) -> Queries:
        """Return the column of these texts."""
        return cls(*ids.number(ids.encode(texts)))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The distinct ids as text, ascending by bytes."""
        return tuple(ids.decode(self.distinct))

    def __getitem__(self, row: int | np.integer[Any]) -> str:
        code = int(self.codes[row])
        return ids.decode(self.distinct[code : code + 1])[0]

    def repeated(self, times: int) -> Queries:
        """Return the column ``times`` one behind the other."""
        return self if times == 1 else Queries(self.distinct, np.tile(self.codes, times))

    def texts(self) -> list[str]:
        """Return the id of each row."""
        return ids.decode(ids.take(self.distinct, self.codes))

    def is_one_of(self, names: Iterable[str]) -> BoolArray:
        """Return which rows have one of few names: bool[n_rows]."""
        found = np.zeros(len(self.codes), dtype=np.bool_)
        for name in names:
            place = ids.place(self.distinct, name.encode("utf-8", "surrogateescape"))
            if place >= 0:
                found |= self.codes == place
        return found


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Ready scores as read, in columns; names are not yet those of the catalogue."""

    at: IntArray  # int64[n_rows]; line from 1, or row from 0
    query: Queries
    # system, measure: aggregates have one of ``AGGREGATES`` for their query. ``system`` is
    # empty text where the source names none.
    system: Coded
    measure: Coded
    value: FloatArray  # float64[n_rows]; finite, or NaN where a table has no entry
    # Float64[n_rows]; how far the value may be off: half a unit of the last digit printed. 0
    # where there is no aggregate, which is all that it is for.
    rounding: FloatArray
    # Measures whose rows are all text (trec_eval's runid and relstring), and how many rows
    left_out: Mapping[str, int]
    form: str  # what it was taken for
    source: Source
    # Which of the repeated runs of its system; None where the source names none
    run: Coded | None = None


# --- What the columns of a table of ready scores hold, by their names

FORMS = (
    "measure query_id value (trec_eval -q), query_id measure value (ir_measures -q), or a table"
    " whose header names a column query_id"
)

_ROLES: dict[str, tuple[tuple[str, ...], ...]] = {
    "query_id": SCORED_IDS,
    "system": (("system", "run", "runid", "name"),),
    "run": (("seed", "fold", "repeat", "epoch", "judge_run", "trial"),),
    "measure": (("measure", "metric"),),
    "score": (("score", "value"),),
}
_LONG = "query_id, measure, score, and perhaps system and run"
# Beside a column system they name its repeated runs; alone they name systems.
_EITHER = (("run", "runid"),)


class Shape(NamedTuple):
    """Which column of a table holds what, by place; ``system measure run`` may hold nothing."""

    form: str
    query: int
    system: int | None
    measure: int | None
    scored: list[int]
    run: int | None = None
    apart: tuple[str, ...] = ()


def shape_of(header: Sequence[str], label: str) -> Shape:
    """Tell a long table (a column measure and a column score) from a wide one."""
    query, system, run, measure, score = (columns_of_role(header, role, label) for role in _ROLES)
    named = (*query, *system, *run, *measure, *score)
    others = [i for i in range(len(header)) if i not in named and folded(header[i]) not in TEXTS]
    apart = tuple(header[i] for i in range(len(header)) if i not in (*named, *others))
    of_system, of_run = (each[0] if each else None for each in (system, run))
    if measure:
        if others or not score:
            problem = "a column measure, but none score or value"
            if score:
                problem = (
                    f'the column "{header[others[0]]}" has no meaning beside measure and score'
                )
            raise ReadError(label, problem, expected=_LONG)
        return Shape("a long table", query[0], of_system, measure[0], score, of_run, apart)
    scored = sorted([*others, *score])
    if not scored:
        raise ReadError(label, "the table has no column of scores", expected=FORMS)
    require_names([header[i] for i in scored], label)
    return Shape("a wide table", query[0], of_system, None, scored, of_run, apart)


def columns_of_role(header: Sequence[str], role: str, label: str) -> list[int]:
    """Return where the column of this role stands, if there is one."""
    found = found_in(header, _ROLES[role])
    systems, either = found_in(header, _ROLES["system"]), found_in(header, _EITHER)
    if len(systems) > len(either) == 1:
        found = [i for i in found if i not in either] + either * (role == "run")
    if len(found) > 1:
        both = " and ".join(header[i] for i in found)
        raise ReadError(label, f"{both} could all be the column {role}", hint="keep one of them")
    return found


# --- Which form a file or frame of ready scores has, and the cells in it

# Where the mean over the queries stands: trec_eval's, ir_measures' and our word, and ndeval's.
AGGREGATES = ("all", "amean")
_PART = 1 << 20  # characters whose lines are held at once


class Cells(NamedTuple):
    """Scores as they stand in a source, text or objects, and what they are scores of."""

    at: Sequence[int]  # line from 1, or row from 0
    # query, system, measure: ``system`` is empty text where the source names none
    query: list[str]
    system: list[str]
    measure: list[str]
    raw: list[Any]
    # Which of the repeated runs of its system; empty where the source names none
    run: Sequence[str] = ()
    apart: Sequence[str] = ()  # columns of text that are left out


def cells_of_text(
    text: str, label: str, is_measure: Callable[[str], bool], *, numbered: bool = False
) -> tuple[str, Cells]:
    """Return the form of a text and its cells; a table's first line names the query."""
    # With `numbered` a table of numbers alone under names, without a column for the query, is taken
    # too: its queries are its rows, from 1. Two such files must not be paired, as nothing tells
    # that their rows are of the same queries.
    first = next((line for line in text.split("\n") if line.strip()), None)
    if first is None:
        raise ReadError(label, "no lines", expected=FORMS)
    delimiter = next((mark for mark in "\t,;" if mark in first), ",")
    if "\r" in first.strip("\r"):
        raise ReadError(label, "lines end in CR alone", hint="write LF or CR LF at their ends")
    try:
        header = next(csv.reader([first.strip("\r")], delimiter=delimiter))
    except csv.Error as error:
        raise ReadError(label, f"no line of a table: {error}", at="line 1") from error
    if found_in(header, SCORED_IDS):
        at, columns = _columns_of_text(text, delimiter, label)
        _require_filled(header, columns, at, "line", label)
        return _of_columns(at, columns, header, label)
    if numbered and _is_matrix(header, text, delimiter):
        at, columns = _columns_of_text(text, delimiter, label)
        rows = [str(number) for number in range(1, len(at) + 1)]
        return _of_columns(at, [rows, *columns], ["query_id", *header], label)
    return _of_lines(text, label, is_measure)


def _is_matrix(header: Sequence[str], text: str, delimiter: str) -> bool:
    r"""Whether names stand above numbers."""
    lines = [line for line in text.split("\n", 3)[:3] if line.strip()]
    fields = lines[1].split(delimiter) if len(lines) > 1 else []
    numbers = [not field.strip() or is_number(field) for field in fields]
    return len(header) == len(fields) and all(numbers) and not any(map(is_number, header))


def is_number(field: str) -> bool:
    """Whether a field is read as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def _of_lines(text: str, label: str, is_measure: Callable[[str], bool]) -> tuple[str, Cells]:
    """Read lines of three fields, or of four where the first is the system."""
    lines = enumerate(chain.from_iterable(map(_lines, _parts(text))), 1)
    rows = (
        # Only lines with tabs can hold names with blanks.
        (at, [f.strip() for f in line.split("\t")] if "\t" in line else line.split())
        for at, line in lines
        if line.strip()
    )
    first = next(rows)
    width = 4 if len(first[1]) == 4 else 3
    columns, at = text_columns(chain([first], rows), width, label, FORMS)
    if "" in columns[-1]:
        where = f"line {at[columns[-1].index('')]}"
        raise ReadError(label, "the score is empty: the line may be cut", at=where)
    form, of_query, of_measure = form_of_lines(columns[:-1], label, is_measure)
    names = ["system"] * len(columns[:-1])
    names[of_query], names[of_measure] = "query_id", "measure"
    system = columns[0] if len(columns) > 3 else [""] * len(at)
    _require_filled(names, columns[:-1], at, "line", label)
    return form, Cells(at, columns[of_query], system, columns[of_measure], columns[-1])


def form_of_lines(
    columns: Sequence[Sequence[str]], label: str, is_measure: Callable[[str], bool]
) -> tuple[str, int, int]:
    """Return the form of lines with these names before the score: where query and measure stand."""
    if len(columns) > 2:
        return "abrank score --per-query", 1, 2
    first = _measure_first(columns, label, is_measure)
    return ("trec_eval -q", 1, 0) if first else ("ir_measures -q", 0, 1)


def _measure_first(
    columns: Sequence[Sequence[str]], label: str, is_measure: Callable[[str], bool]
) -> bool:
    """Whether the first field of the lines names the measure, and not the second."""
    aggregate = [not set(AGGREGATES).isdisjoint(column) for column in columns[:2]]
    if aggregate[0] != aggregate[1]:
        return aggregate[1]
    names: list[list[str]] = []
    for column in columns[:2]:
        first: dict[str, None] = {}
        for name in column:
            first[name] = None
            if len(first) == MOST_SHOWN:
                break
        names.append(list(first))
    hint = f"they hold {names[0][0]} … and {names[1][0]} …"
    return _measured(names, is_measure, label, "first two fields", FORMS, hint) == 0


def _columns_of_text(
    text: str, delimiter: str, label: str
) -> tuple[Sequence[int], list[list[str]]]:
    """Read a table's lines below its header: their numbers, and the columns."""
    rows = (
        (at, list(map(str.strip, fields)))
        for at, fields in csv_lines(_parts(text), delimiter, label)
        if "".join(fields).strip()
    )
    header = next(rows)[1]
    columns, at = text_columns(rows, len(header), label, delimiter.join(header))
    return at, columns


def _parts(text: str) -> Iterator[str]:
    """Yield a text in parts of whole lines."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _PART) + 1 or len(text)
        yield text[start:end]
        start = end


def _lines(part: str) -> list[str]:
    return part.removesuffix("\n").split("\n")


def cells_of_objects(
    header: Sequence[str], columns: Sequence[list[Any]], label: str
) -> tuple[str, Cells]:
    """Return the form of a table and its cells, Python's objects by column."""
    (at,) = columns_of_role(header, "query_id", label)
    held = list(columns)
    held[at] = [read_id(value, row, "query_id", label) for row, value in enumerate(columns[at])]
    rows = range(len(held[at]))
    _require_filled(header, held, rows, "row", label)
    return _of_columns(list(rows), held, header, label)


def _of_columns(
    at: Sequence[int], columns: Sequence[list[Any]], header: Sequence[str], label: str
) -> tuple[str, Cells]:
    """Return the cells of a long or a wide table."""
    form, query, system, measure, scored, run, apart = shape_of(header, label)
    queries = columns[query]
    systems = [""] * len(at) if system is None else list(map(str, columns[system]))
    runs = [] if run is None else list(map(str, columns[run]))
    if measure is not None:
        names = list(map(str, columns[measure]))
        return form, Cells(at, queries, systems, names, columns[scored[0]], runs, apart)
    wide = Cells(
        [*at] * len(scored),
        queries * len(scored),
        systems * len(scored),
        [name for i in scored for name in [header[i].strip()] * len(at)],
        [value for i in scored for value in columns[i]],
        runs * len(scored),
        apart,
    )
    return form, wide


def _require_filled(
    header: Sequence[str],
    columns: Sequence[Sequence[Any]],
    at: Sequence[int],
    unit: str,
    label: str,
) -> None:
    """Refuse a row without a name for its query, system or measure."""
    for role in ("query_id", "system", "run", "measure"):
        for i in columns_of_role(header, role, label):
            if "" in columns[i]:
                where = f"{unit} {at[columns[i].index('')]}"
                raise ReadError(label, f"the {header[i].strip()} is empty", at=where)
