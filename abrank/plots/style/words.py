"""Which unit an interval has, and the words that say so on an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank._support import display
from abrank._support.display import shorten
from abrank.comparison import scales
from abrank.comparison.scales import is_relative
from abrank.plots.style import labels

if TYPE_CHECKING:
    from abrank.comparison import Comparison, TestRow

MEAN = "mean difference"
# The sign test counts queries; what it estimates is not on the scale of a measure.
COUNTING = frozenset({"sign"})


def deciding(comparison: Comparison) -> TestRow:
    """Return the row of the test that decides."""
    return next(row for row in comparison.test_rows if row.decides)


def of_the_mean(comparison: Comparison) -> bool:
    """Whether the test that decides is about the mean difference."""
    return deciding(comparison).estimand == MEAN


def unit_is_measure(comparison: Comparison) -> bool:
    """Whether the interval that decides is in the unit of the measure."""
    return comparison.rule.test not in COUNTING


def interval_axis(comparison: Comparison, of_mean: str) -> str:
    """Return the words under an axis of intervals; ``of_mean`` where a mean is estimated."""
    if of_the_mean(comparison):
        return of_mean
    estimand = deciding(comparison).estimand
    return f"{estimand} (B − A)"


def margin_words(comparison: Comparison, *, digits: int) -> str:
    """Return the margin as it stands on an axis."""
    rule = comparison.rule
    if is_relative(comparison):
        return f"{display.declared_percent(rule.margin)} of A's mean"
    return labels.margin(rule.margin, digits=digits)


def difference(comparison: Comparison, value: float, *, digits: int) -> str:
    """Return a difference in the unit in which it is shown; a dash where there is none."""
    return labels.or_dash(scales.difference(comparison, value, digits=digits))


def relative_change(measure: str) -> str:
    """Return the words for the difference of a measure in per cent of A's mean."""
    return f"change of {shorten(measure, width=28)}, in per cent of A's mean"


def systems(comparison: Comparison, longest: int) -> tuple[str, str]:
    """Return the letter of each system with its name, or the letter alone if that is the name."""
    first, second = (
        key if name == key else f"{key} {shorten(name.removesuffix(f' ({key})'), width=longest)}"
        for key, name in (("A", comparison.baseline), ("B", comparison.candidate))
    )
    return first, second


def query_name(comparison: Comparison, query: int) -> str:
    """Return the text of the query at a position, or its id where no text is known."""
    query_id = comparison.query_ids[query]
    return comparison.topics.get(query_id) or query_id


def delta(measure: str) -> str:
    """Return the words for the difference of a measure.

    Examples
    --------
    >>> delta("AP")
    'Δ AP (B − A)'
    """
    return f"Δ {shorten(measure, width=28)} (B − A)"
