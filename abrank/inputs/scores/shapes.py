"""Ready scores as other programs hold them in memory, converted to named columns.

These are: frames and tables of every library; ``{query_id: {measure: score}}`` (pytrec_eval) and
``{measure: {query_id: score}}`` (ranx' ``run.scores``); tuples (query_id, measure, value), such as
those of ``ir_measures.iter_calc``; answers of ``_rank_eval`` in Elasticsearch and OpenSearch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from abrank._support.errors import ReadError
from abrank.inputs.formats import arrow_file
from abrank.inputs.objects.arrow import table_of
from abrank.inputs.objects.names import QUERY_IDS, found_in

SHAPES = "{query_id: {measure: score}}, {measure: {query_id: score}}, or an answer of _rank_eval"

_INDEX = "__index_level_0__"  # what pandas calls an index without a name in a file
_LONG = ("query_id", "measure", "score")

Named = tuple[list[str], list[Any]]


def label_of(source: Any) -> str:  # noqa: ANN401
    """Return what messages call an object.

    Examples
    --------
    >>> label_of({}), label_of([])
    ('dict', 'list')
    """
    kind = type(source).__name__
    return "DataFrame" if kind.endswith("Frame") else kind


def columns_of(source: Any, is_measure: Callable[[str], bool], label: str) -> Named | None:  # noqa: ANN401
    """Return the names of columns and the columns, among them the query's; None for no scores.

    Raises
    ------
    ReadError
        If it cannot be told what a dict holds.

    Examples
    --------
    >>> columns_of({"301": {"map": 0.5}}, str.islower, "dict")
    (['query_id', 'measure', 'score'], [['301'], ['map'], [0.5]])
    """
    if hasattr(source, "iloc") and hasattr(source, "columns"):
        header = [str(name) for name in source.columns]
        columns = [source.iloc[:, i] for i in range(len(header))]
        if not found_in(header, QUERY_IDS):
            header, columns = ["query_id", *header], [source.index, *columns]
        return header, columns
    table = table_of(source)
    if table is not None:
        return _of_table(table.column_names, list(table.columns))
    if isinstance(source, Mapping):
        return list(_LONG), _of_dict(source, is_measure, label)
    return _of_tuples(source, label)


def columns_of_file(data: bytes, label: str) -> Named:
    """Return the names of columns and the columns of a Parquet or Feather file."""
    names: list[str] = []

    def every(found: Iterable[str]) -> list[str]:
        names.extend(found)
        return names

    return _of_table(names, arrow_file.columns_of(data, label, every))


def _of_table(names: list[str], columns: list[Any]) -> Named:
    """Return a table's columns; without one for the query its rows are the queries, from 0."""
    if found_in(names, QUERY_IDS):
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
    if not found_in(names, QUERY_IDS):
        return None
    held = [row if isinstance(row, Mapping) else row._asdict() for row in rows if _has_names(row)]
    if len(held) < len(rows) or not all(set(names) <= set(row) for row in held):
        told = ", ".join(map(str, names))
        raise ReadError(label, f"its rows are not alike; the first has {told}")
    return names, [[row[name] for row in held] for name in names]


def _has_names(row: Any) -> bool:  # noqa: ANN401
    return isinstance(row, Mapping) or hasattr(row, "_asdict")


def _of_dict(
    source: Mapping[Any, Any], is_measure: Callable[[str], bool], label: str
) -> list[list[Any]]:
    details = source.get("details")
    if isinstance(details, Mapping) and "metric_score" in source:
        answers = [row for row in details.values() if isinstance(row, Mapping)]
        if not all("metric_score" in row for row in answers) or len(answers) < len(details):
            raise ReadError(label, "is no answer of _rank_eval: a query has no metric_score")
        source = {
            query: {_measure_of(answer): answer["metric_score"]}
            for query, answer in zip(details, answers, strict=True)
        }
        by_query = True
    elif all(isinstance(row, Mapping) for row in source.values()) and source:
        by_query = _queries_first(source, is_measure, label)
    else:
        raise ReadError(label, "holds no dict of scores in each place", expected=SHAPES)
    columns: list[list[Any]] = [[], [], []]
    for outer, row in source.items():
        columns[0 if by_query else 1] += [outer] * len(row)
        columns[1 if by_query else 0] += row.keys()
        columns[2] += row.values()
    return [columns[0], list(map(str, columns[1])), columns[2]]


def _measure_of(answer: Mapping[str, Any]) -> str:
    """Return the name of the metric of ``_rank_eval``, as given: its cut-off is not known."""
    told = answer.get("metric_details")
    return f"_rank_eval {next(iter(told), 'metric') if isinstance(told, Mapping) else 'metric'}"


def _queries_first(
    source: Mapping[Any, Any], is_measure: Callable[[str], bool], label: str
) -> bool:
    """Whether a dict of dicts goes from queries to measures, and not the other way."""
    inner: Mapping[Any, Any] = next((row for row in source.values() if row), {})
    outside, inside = (any(is_measure(str(name)) for name in each) for each in (source, inner))
    if outside == inside:
        which = "both" if outside else "neither"
        raise ReadError(
            label,
            f"{which} of the two levels name a known measure",
            expected=SHAPES,
            hint="a frame tells them apart: pandas.DataFrame.from_dict(scores, orient='index')",
        )
    return inside
