"""The few numbers and names that a plot writes, as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.ticker import Formatter

from abrank._support import display

GLYPHS = {
    "better": "▲",
    "worse": "▼",
    "unclear": "?",
    "identical": "=",
    "untested": "!",
    "differs": "≠",
}

DASH = "–"


def plain(value: float, *, digits: int = display.DIGITS) -> str:
    """Return a score; a dash where there is none, for want of room.

    Examples
    --------
    >>> plain(0.4044), plain(float("nan"))
    ('0.404', '–')
    """
    return or_dash(display.score(value, digits=digits))


def signed(value: float, *, digits: int = display.DIGITS) -> str:
    """Return a difference with its sign; a dash where there is none.

    Examples
    --------
    >>> signed(0.0371), signed(float("nan"))
    ('+0.037', '–')
    """
    return or_dash(display.signed(value, digits=digits))


def pvalue(value: float, *, alpha: float) -> str:
    """Return a p-value; a dash where there is none.

    Examples
    --------
    >>> pvalue(0.00371, alpha=0.05), pvalue(float("nan"), alpha=0.05)
    ('0.004', '–')
    """
    return or_dash(display.pvalue(value, alpha=alpha))


def or_dash(text: str) -> str:
    """Return a number as it is written, a dash where it is not defined."""
    return DASH if text == display.UNDEFINED else text


def queries(value: int) -> str:
    """Return a count of queries.

    Examples
    --------
    >>> queries(1), queries(25)
    ('1 query', '25 queries')
    """
    return display.plural(value, "query", "queries")


def margin(value: float, *, digits: int = display.DIGITS) -> str:
    """Return a margin as it was declared, with so many decimals at least.

    Examples
    --------
    >>> margin(0.01), margin(0.0025)
    ('0.010', '0.0025')
    """
    text = plain(value, digits=digits)
    return text if math.isclose(float(text), value) else f"{value:g}"


class PlainTicks(Formatter):
    """Ticks with as many digits as their distance needs, a true minus, and a plus if ``signed``.

    In ``percent`` those of shares.
    """

    def __init__(self, *, signed: bool = False, percent: bool = False) -> None:
        self.signed = signed
        self.unit, self.end = (100.0, "%") if percent else (1.0, "")
        self.digits = 1

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Return the labels of the ticks, with digits enough for their distance."""
        step = self.unit * float(np.min(np.diff(np.sort(values)))) if len(values) > 1 else 0.0
        self.digits = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 1
        return [self(value) for value in values]

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002
        """Return the label of a tick."""
        shown = (signed if self.signed else plain)(self.unit * float(x), digits=self.digits)
        return f"{shown}{self.end}"
