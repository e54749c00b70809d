"""The methods paragraph as plain text, to paste into a paper or a change request."""

from __future__ import annotations

from abrank.comparison import Comparison
from abrank.report.cells import one_line
from abrank.report.sections.appendix import methods_text


def methods(comparison: Comparison, *, digits: int | None = None) -> str:
    """Return the methods paragraph: what was compared, how, and by which rule.

    Returns
    -------
    str
        One paragraph on one line; :mod:`abrank.report.sections.bibliography` has the sources of
        what it names.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> print(methods(result)[:65])
    We compared B (B) with the baseline A (A) on 2 queries by score.
    """
    digits = comparison.decimals if digits is None else digits
    return one_line(methods_text(comparison, digits=digits), width=10_000) + "\n"
