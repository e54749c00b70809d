"""What ``abrank score`` writes: scores as text, CSV, JSON, trec_eval's lines; the measures."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from abrank.measures import Measure, MeasureEntry, catalogue, parse
from abrank.measures.names import OTHERS, TREC_EVAL, trec_eval_name, trec_eval_order, without
from abrank.measures.registry import Parameter, literal, load_plugins

if TYPE_CHECKING:
    from abrank.scoring.scores import Scores


COLUMNS = ("system", "query_id", "measure", "score")
ALL = "all"


def rows(scores: Scores, *, per_query: bool) -> Iterator[tuple[str, str, str, float]]:
    """Yield system, query id, measure and value; a system's aggregates come last, under ``all``."""
    aggregates = scores.aggregates()
    for s, system in enumerate(scores.systems):
        if per_query:
            for q, query in enumerate(scores.query_ids):
                for m, measure in enumerate(scores.measures):
                    yield system, query, measure, float(scores.values[q, s, m])
        for m, measure in enumerate(scores.measures):
            yield system, ALL, measure, float(aggregates[s, m])


def as_text(scores: Scores, *, per_query: bool, digits: int) -> str:
    """Return query id, measure and value between tabs; the system first where there are several."""
    first = 0 if len(scores.systems) > 1 else 1
    lines = []
    for *names, value in rows(scores, per_query=per_query):
        lines.append("\t".join([*names[first:], f"{value:.{digits}f}"]) + "\n")
    return "".join(lines)


def as_csv(scores: Scores, *, per_query: bool) -> str:
    """Return a table with a header; values with all their digits, and no text a formula."""
    from abrank.report.data import csv_text

    return csv_text(COLUMNS, rows(scores, per_query=per_query))


def as_json(scores: Scores, *, per_query: bool) -> str:
    """Return a list of objects with the columns of the table; a value that is NaN is null."""
    import json

    records = [
        dict(zip(COLUMNS, (*names, None if math.isnan(value) else value), strict=True))
        for *names, value in rows(scores, per_query=per_query)
    ]
    return json.dumps(records, indent=1) + "\n"


def as_trec_eval(
    scores: Scores, *, per_query: bool, digits: int, options: Mapping[str, object], run_id: bool
) -> str:
    """Return what trec_eval prints: its names, its order, its columns."""
    # A measure that trec_eval lacks has its own name here, after the others.
    measures = [without(parse(name), options) for name in scores.measures]
    order = sorted(range(len(measures)), key=lambda m: trec_eval_order(measures[m]))
    aggregates = scores.aggregates()
    lines = []
    for s, system in enumerate(scores.systems):
        if per_query:
            ms = [m for m in order if _each_query(measures[m])]
            for q, query in enumerate(scores.query_ids):
                lines += [_line(measures[m], query, scores.values[q, s, m], digits) for m in ms]
        if run_id or len(scores.systems) > 1:
            lines.append(f"{'runid':<22}\t{ALL}\t{(*scores.audits[system].tags, system)[0]}\n")
        lines += [_line(measures[m], ALL, aggregates[s, m], digits) for m in order]
    return "".join(lines)


def _each_query(measure: Measure) -> bool:
    return measure.entry.aggregate != "geometric" and measure.entry.name != "NumQ"


def _line(measure: Measure, query: str, value: float, digits: int) -> str:
    name = trec_eval_name(measure) or measure.name
    number = f"{value:.0f}" if measure.entry.aggregate == "sum" else f"{value:6.{digits}f}"
    return f"{name:<22}\t{query}\t{number}\n"


WIDTH = 80
_HEAD = (
    "NAME(parameter=default)@k, then the range. A parameter in [] may be left out. Where nothing"
    " else is said, the mean over the queries is reported, a higher value is better, and"
    " judged_only=True takes the unjudged documents out of the ranking first. Names of trec_eval,"
    " pytrec_eval and ranx are understood as well."
)
_AGGREGATES = {
    "mean": "",
    "sum": "added up over the queries",
    "geometric": "geometric mean over the queries",
}


def measure_list() -> str:
    """Return every measure with parameters, range, definition, source; 80 columns wide."""
    load_plugins()
    return "\n".join([textwrap.fill(_HEAD, WIDTH), *map(_described, catalogue().values()), ""])


def _described(entry: MeasureEntry) -> str:
    low, high = entry.bounds
    lines = [f"{_form(entry)}   {low:g} to {high:g}"]
    lines += [entry.definition, _unusual(entry), _also(entry), entry.source]
    first, *rest = [line for line in lines if line]
    return "\n".join(
        [
            "",
            textwrap.fill(first, WIDTH, subsequent_indent="    ", break_on_hyphens=False),
            *(
                textwrap.fill(line, WIDTH, initial_indent="    ", subsequent_indent="    ")
                for line in rest
            ),
        ]
    )


def _form(entry: MeasureEntry) -> str:
    """Write the name with all that may stand in it: ``AP(rel=1)[@k]``."""
    inside = [
        _written(parameter)
        for parameter in entry.parameters
        if parameter.name not in (entry.at, "judged_only")
    ]
    position = next(
        (parameter for parameter in entry.parameters if parameter.name == entry.at), None
    )
    behind = ""
    if position is not None:
        letter = "@k" if position.name == "cutoff" else "@r"
        behind = letter if position.required else f"[{letter}]"
    return entry.name + (f"({', '.join(inside)})" if inside else "") + behind


def _written(parameter: Parameter) -> str:
    if parameter.required:
        return parameter.name
    if parameter.default is None:
        return f"[{parameter.name}]"
    return f"{parameter.name}={literal(parameter.default)}"


def _unusual(entry: MeasureEntry) -> str:
    """Say what differs from most measures: aggregation, direction, needs."""
    text = [
        _AGGREGATES[entry.aggregate],
        "" if entry.higher_is_better else "lower is better",
        f"needs {entry.needs}" if entry.needs else "",
        ""
        if any(parameter.name == "judged_only" for parameter in entry.parameters)
        else "no judged_only",
    ]
    return "; ".join(filter(None, text))


def _also(entry: MeasureEntry) -> str:
    spellings = {**TREC_EVAL, **OTHERS}.items()
    names = [
        *entry.aliases,
        *(name for name, item in spellings if item.name == entry.name and not item.fixed),
    ]
    registered = {entry.name.casefold()}
    fresh = []
    for name in names:
        if name.casefold() not in registered:
            fresh.append(name)
            registered.add(name.casefold())
    return f"also {', '.join(fresh)}" if fresh else ""
