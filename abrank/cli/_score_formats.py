"""Scores as text: tab separated, CSV, JSON, and trec_eval's own lines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from abrank.measures import Measure, parse
from abrank.measures.dialects import trec_eval_name, trec_eval_order, without

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
    scores: Scores,
    *,
    per_query: bool,
    digits: int,
    options: Mapping[str, object],
    run_id: bool,
) -> str:
    """Return what trec_eval prints: its names, its order, its columns.

    A measure that trec_eval lacks has its own name here, after the others.

    Parameters
    ----------
    per_query : bool
        Lines of each query first (``-q``), without the measures that trec_eval gives for all
        queries together only: num_q and the geometric means.
    digits : int
        Decimals; trec_eval has 4, and none for counts.
    options : mapping
        Parameters that were asked for all measures at once; trec_eval has flags for them, so they
        stand in no name.
    run_id : bool
        Whether the line ``runid`` is asked for; several systems have it always.
    """
    measures = [without(parse(name), options) for name in scores.measures]
    order = sorted(range(len(measures)), key=lambda m: trec_eval_order(measures[m]))
    aggregates = scores.aggregates()
    lines = []
    for s, system in enumerate(scores.systems):
        if per_query:
            shown = [m for m in order if _each_query(measures[m])]
            for q, query in enumerate(scores.query_ids):
                lines += [_line(measures[m], query, scores.values[q, s, m], digits) for m in shown]
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
