"""The few numbers and names that a plot writes, as text."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.ticker import Formatter

from abrank._support import errors

MINUS = "\N{MINUS SIGN}"
GROUP = "\N{NARROW NO-BREAK SPACE}"
GLYPHS = {"better": "▲", "worse": "▼", "unclear": "?", "identical": "=", "untested": "!"}

# Less than this is the rounding of a sum, no difference.
_NOTHING = 5e-11
_LARGE = 1e6


def plain(value: float, *, digits: int = 3) -> str:
    """Return a score with a true minus sign.

    Examples
    --------
    >>> plain(0.4044), plain(-2.0), plain(float("inf")), plain(float("nan"))
    ('0.404', '−2.000', '∞', '–')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{abs(value):.{digits}{'e' if abs(value) >= _LARGE else 'f'}}"
    return f"{MINUS}{text}" if value < -_NOTHING else text


def signed(value: float, *, digits: int = 3) -> str:
    """Return a difference with its sign; only 0 has none.

    Examples
    --------
    >>> signed(0.0371), signed(-0.004), signed(0.0), signed(-0.0001)
    ('+0.037', '−0.004', '0.000', '−0.000')
    """
    text = plain(value, digits=digits)
    return f"+{text}" if value > _NOTHING else text


def pvalue(value: float, *, alpha: float) -> str:
    """Return a p-value with 3 decimals, more where fewer would print alpha itself.

    Examples
    --------
    >>> pvalue(0.00371, alpha=0.05), pvalue(0.0002, alpha=0.05), pvalue(0.0503, alpha=0.05)
    ('0.004', '< 0.001', '0.0503')
    """
    if math.isnan(value):
        return "–"
    digits = max(3, math.ceil(round(-math.log10(alpha), 9)) + 1)
    if value < 10.0**-digits:
        return f"< {10.0**-digits:.{digits}f}"
    while digits < 12 and value != alpha and f"{value:.{digits}f}" == f"{alpha:.{digits}f}":
        digits += 1
    return f"{value:.{digits}f}"


def count(value: int) -> str:
    """Return a count, its thousands set apart by a narrow space.

    Examples
    --------
    >>> count(7000).replace(GROUP, "_")
    '7_000'
    """
    return f"{value:,}".replace(",", GROUP)


def queries(value: int) -> str:
    """Return a count of queries.

    Examples
    --------
    >>> queries(1), queries(25)
    ('1 query', '25 queries')
    """
    return f"{count(value)} {'query' if value == 1 else 'queries'}"


def margin(value: float) -> str:
    """Return a margin as it was declared, with three digits at least.

    Examples
    --------
    >>> margin(0.01), margin(0.0025)
    ('0.010', '0.0025')
    """
    text = plain(value)
    return text if math.isclose(float(text), value) else f"{value:g}"


def name(text: str, width: int = 32) -> str:
    """Return an id or a name on one line of at most ``width`` letters.

    Examples
    --------
    >>> name("q" * 50, 9)
    'qqqq…qqqq'
    """
    return errors.shorten(text, width=width)


class PlainTicks(Formatter):
    """Ticks with as many digits as their distance needs, a true minus, and a plus if ``signed``."""

    def __init__(self, *, signed: bool = False) -> None:
        self.signed = signed
        self.digits = 1

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Return the labels of the ticks, with digits enough for their distance."""
        step = float(np.min(np.diff(np.sort(values)))) if len(values) > 1 else 0.0
        self.digits = max(0, -math.floor(math.log10(step) + 1e-9)) if step > 0 else 1
        return [self(value) for value in values]

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002
        """Return the label of a tick."""
        return (signed if self.signed else plain)(float(x), digits=self.digits)
