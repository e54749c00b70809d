"""CSV at full precision: the table of measures, the scores of every query, the segments."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from typing import Any

import numpy as np

from abrank.comparison import Comparison, MeasureResult
from abrank.comparison.groups import SegmentRow

# A spreadsheet takes a cell that begins so for a formula, and runs it.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def measures_csv(comparison: Comparison) -> str:
    """Return the table of measures as CSV, one row a measure.

    Returns
    -------
    str
        The columns of ``Comparison.table``, and the soundness of the evidence. Floats have all
        their digits and a decimal point; what is not a finite number is an empty cell. Text that a
        spreadsheet would take for a formula begins with an apostrophe.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> print(measures_csv(compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}))[:26])
    measure,mean_a,mean_b,diff
    """
    columns = [*(each.name for each in fields(MeasureResult)), "soundness"]
    level = comparison.soundness.level
    return csv_text(columns, ((*astuple(row), level) for row in comparison.rows))


def queries_csv(comparison: Comparison) -> str:
    """Return the scores of every query as CSV, one row a query and measure.

    Returns
    -------
    str
        Columns ``query_id measure a b diff``, measure by measure in the order of ``measures``.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> print(queries_csv(compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})))
    query_id,measure,a,b,diff
    q1,score,0.5,0.75,0.25
    q2,score,0.25,0.75,0.5
    <BLANKLINE>
    """
    columns = ["query_id", "measure", "a", "b", "diff"]
    rows = (
        (query, measure, a, b, b - a)
        for i, measure in enumerate(comparison.measures)
        for query, a, b in zip(
            comparison.query_ids,
            comparison.a[:, i].tolist(),
            comparison.b[:, i].tolist(),
            strict=True,
        )
    )
    return csv_text(columns, rows)


def segments_csv(comparison: Comparison) -> str:
    r"""Return what the primary measure says in every segment as CSV, one row a segment.

    Returns
    -------
    str
        The property, the columns of :class:`abrank.comparison.groups.SegmentRow`, and the p-value
        that all segments of the property have one mean, plain and adjusted over the properties.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a, b = {"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75}
    >>> found = compare_scores(a, b, segments={"intent": {"q1": "buy", "q2": "know"}})
    >>> print("\n".join(line[:22] for line in segments_csv(found).splitlines()))
    property,label,n_queri
    intent,buy,1,0.25,,,,,
    intent,know,1,0.5,,,,,
    """
    both = ("interaction_pvalue", "interaction_pvalue_adj")
    columns = ["property", *(each.name for each in fields(SegmentRow)), *both]
    rows = (
        (each.name, *astuple(row), *(getattr(each, name) for name in both))
        for each in comparison.segmentations
        for row in each.rows
    )
    return csv_text(columns, rows)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    r"""Return rows as CSV under a heading, each cell as :func:`measures_csv` says.

    Examples
    --------
    >>> csv_text(["system", "mean"], [("=A", 0.1), ("B", float("nan"))])
    "system,mean\n'=A,0.1\nB,\n"
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def _cell(value: Any) -> Any:  # noqa: ANN401 - text, a whole number or a float
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    if isinstance(value, (float, np.floating)):
        return repr(float(value)) if math.isfinite(value) else ""
    return value
