"""Whether the tests of the primary measure agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from abrank.plots.registry import plot
from abrank.plots.style import labels
from abrank.plots.style.rows import Row, draw_rows
from abrank.plots.style.style import label_x, new_axes, say
from abrank.plots.style.theme import LIGHT, Theme
from abrank.plots.style.words import COUNTING, MEAN, delta

if TYPE_CHECKING:
    from abrank.comparison import Comparison, TestRow
    from abrank.verdict import Rule


def tests_size(comparison: Comparison) -> tuple[float, float]:
    """Return width and height in inches."""
    drawn = sum(row.test not in COUNTING for row in comparison.test_rows)
    return 7.0, 1.1 + 0.3 * max(2, drawn)


@plot("tests", title="The tests of the primary measure", size=tests_size)
def tests(  # it tests nothing itself, whatever its name tells a linter
    comparison: Comparison,
    *,
    ax: Axes | None = None,  # noqa: PT028
    theme: Theme = LIGHT,  # noqa: PT028
) -> Axes:
    """Draw what each test of the primary measure estimates, with its interval and p-value.

    The test that decides has a diamond and stands in bold. A colour says that the interval excludes
    0. A test that estimates something not on the measure's scale is named under the axis.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> tests(result).get_yticklabels()[0].get_text()
    'Paired t'
    """
    ax = ax if ax is not None else new_axes(theme, tests_size(comparison))
    n = comparison.n_queries
    if n < 2:
        few = "No queries" if n == 0 else "Only 1 query"
        return say(ax, theme, f"{few}: nothing to test.")
    if comparison.primary.reading == "identical":
        return say(ax, theme, f"A and B score the same on all {n} queries: every p is 1.")
    located = [row for row in comparison.test_rows if row.test not in COUNTING]
    rows = [_row(row, comparison.rule) for row in located]
    draw_rows(ax, theme, rows, last="p", higher_is_better=comparison.rule.higher_is_better)
    lines = [delta(comparison.rule.primary)]
    lines += [_aside(row, comparison) for row in comparison.test_rows if row.test in COUNTING]
    label_x(ax, theme, "\n".join(lines))
    return ax


def _row(row: TestRow, rule: Rule) -> Row:
    word = "" if row.estimand == MEAN else f" ({row.estimand.removesuffix(' difference')})"
    missing = np.isnan(row.ci_low) or np.isnan(row.estimate)
    return Row(
        name=f"{row.title}{word}",
        estimate=row.estimate,
        thick=(row.ci_low, row.ci_high),
        thin=None,
        last=labels.pvalue(row.pvalue, alpha=rule.alpha),
        reading=_reading(row, rule),
        lead=row.decides,
        remark="no interval" if missing else "",
    )


def _reading(row: TestRow, rule: Rule) -> str:
    if np.isnan(row.pvalue):
        return "untested"
    low, high = rule.gain(row.ci_low, row.ci_high)
    return "better" if low > 0 else "worse" if high < 0 else "unclear"


def _aside(row: TestRow, comparison: Comparison) -> str:
    """Say what a test with a unit of its own found."""
    shown = labels.pvalue(row.pvalue, alpha=comparison.rule.alpha)
    mark = " (decides)" if row.decides else ""
    return (
        f"{row.title}{mark}: {row.estimand} {labels.signed(row.estimate, digits=2)},"
        f" p {shown if shown.startswith('<') else f'= {shown}'}"
    )
