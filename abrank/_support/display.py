"""How numbers are rounded and written, the same in every output.

A difference always has its sign, the minus is a true minus, whole numbers are grouped by a narrow
no-break space, and a number that does not exist is said to be not defined.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

MINUS = "−"
GROUP = "\u202f"
UNDEFINED = "not defined"

DIGITS = 3
_MOST_DECIMALS = 10
# From here on a score is written as a power of ten, so that no table is blown up by one number.
_LARGE = 1e6
# Differences below this are rounding of the sum, not data (as where ties are counted).
_NOTHING = 5e-11

# What a terminal obeys rather than shows.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def score(value: float, *, digits: int = DIGITS) -> str:
    """Return a score or mean with a fixed number of decimals.

    Parameters
    ----------
    value : float
        In the measure's own unit.
    digits : int
        Decimals.

    Examples
    --------
    >>> score(0.4404), score(-0.25, digits=2), score(float("nan")), score(2_500_000)
    ('0.440', '−0.25', 'not defined', '2.500e+06')
    """
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    shown = f"{abs(value):.{digits}{'e' if abs(value) >= _LARGE else 'f'}}"
    return f"{MINUS}{shown}" if value < -_NOTHING else shown


def signed(value: float, *, digits: int = DIGITS) -> str:
    """Return a difference with its sign; only an exact 0 has none.

    A difference too small for the decimals keeps its sign, so that the limit of an interval still
    says on which side of 0 it lies.

    Examples
    --------
    >>> signed(0.0372), signed(-0.25), signed(0.0), signed(-0.0002), signed(float("inf"))
    ('+0.037', '−0.250', '0.000', '−0.000', '+∞')
    """
    shown = score(value, digits=digits)
    return f"+{shown}" if value > _NOTHING else shown


def decimals(intervals: Iterable[tuple[float, float]], *, least: int = DIGITS) -> int:
    """Return with how many decimals the narrowest of some intervals can be read.

    Half its width has two significant digits then. The narrowest is looked for among those that
    exclude 0, where there are any: the others are not told apart from it with more decimals either.

    Examples
    --------
    >>> decimals([(0.012, 0.062)]), decimals([(0.0003, 0.0011)]), decimals([(-0.002, 0.009)])
    (3, 5, 4)
    >>> decimals([(0.1, 0.3), (-0.00001, 0.00001)]), decimals([(float("-inf"), 1.0)])
    (3, 3)
    """
    known = [each for each in intervals if math.isfinite(each[1] - each[0])]
    told = [each for each in known if each[0] * each[1] > 0.0] or known
    half = min((0.5 * (high - low) for low, high in told if high > low), default=1.0)
    return min(max(least, 1 - math.floor(math.log10(half))), _MOST_DECIMALS)


def least(value: float, *, digits: int = DIGITS) -> str:
    """Return the smallest difference that can be seen: never 0, with more decimals where it needs.

    Examples
    --------
    >>> least(0.0364), least(0.00041), least(0.0)
    ('0.036', '0.0004', '0.000')
    """
    if 0.0 < value < 0.5 * 10.0**-digits:
        digits = -math.floor(math.log10(value))
    return score(value, digits=digits)


def pvalue(value: float, *, alpha: float = 0.05) -> str:
    """Return a p-value with 3 decimals, more where fewer would hide its side of alpha.

    Parameters
    ----------
    alpha : float
        Level of the test; the decimals grow where rounding would print alpha itself.

    Examples
    --------
    >>> [pvalue(p) for p in (0.0042, 0.0001, 0.0503, 0.0497, 0.05)]
    ['0.004', '< 0.001', '0.0503', '0.0497', '0.050']
    >>> pvalue(0.0004, alpha=0.001)
    '0.0004'
    """
    if math.isnan(value):
        return UNDEFINED
    decimals = max(3, math.ceil(round(-math.log10(alpha), 9)) + 1)
    if value < 10.0**-decimals:
        return f"< {10.0**-decimals:.{decimals}f}"
    while decimals < 12 and value != alpha and f"{value:.{decimals}f}" == f"{alpha:.{decimals}f}":
        decimals += 1
    return f"{value:.{decimals}f}"


def p_clause(value: float, *, alpha: float = 0.05) -> str:
    """Return a p-value as it stands in a sentence.

    Examples
    --------
    >>> p_clause(0.0042), p_clause(0.0001), p_clause(float("nan"))
    ('p = 0.004', 'p < 0.001', 'p not defined')
    """
    shown = pvalue(value, alpha=alpha)
    return f"p {shown}" if shown.startswith(("<", "not")) else f"p = {shown}"


def percent(share: float, *, sign: bool = True, digits: int = 1) -> str:
    """Return a share as a percentage, with its sign unless told otherwise.

    Examples
    --------
    >>> percent(0.0916), percent(-0.5), percent(0.1, sign=False), percent(float("nan"))
    ('+9.2%', '−50.0%', '10.0%', 'not defined')
    """
    if not math.isfinite(share):
        return UNDEFINED
    shown = (signed if sign else score)(100.0 * share, digits=digits)
    return f"{shown}%"


def level(confidence: float, *, digits: int = DIGITS) -> str:
    """Return a confidence level, an error rate or a power as a percentage.

    Parameters
    ----------
    digits : int
        Significant ones of the smaller side, of level or error; of a level above 99.9% one.

    Examples
    --------
    >>> level(0.95), level(1 - 2 * 0.0125), level(0.99695474), level(0.9999853), level(0.046256)
    ('95%', '97.5%', '99.695%', '99.999%', '4.63%')
    """
    rest = 100.0 * min(confidence, 1.0 - confidence)
    digits = 1 if confidence > 0.999 else digits
    decimals = digits - 1 - math.floor(math.log10(rest)) if rest > 0.0 else 0
    return f"{round(100.0 * confidence, decimals):.15g}%"


def level_digits(alpha: float, pvalues: Iterable[float]) -> int:
    """Return how many digits of a level show on which side of it each p-value lies: 3 or more.

    Examples
    --------
    >>> level_digits(0.046256, [0.003, 0.2]), level_digits(0.046256, [0.04629])
    (3, 4)
    """
    digits, told = DIGITS, [p for p in pvalues if not math.isnan(p)]
    while digits < 12 and any(_looks_otherwise(p, alpha, digits) for p in told):
        digits += 1
    return digits


def _looks_otherwise(p: float, alpha: float, digits: int) -> bool:
    """Whether p, as it is written, is on another side of the level written with so many digits."""
    shown, level = (
        float(text.removeprefix("< "))
        for text in (pvalue(p, alpha=alpha), number_short(alpha, digits=digits))
    )
    return (shown > level, shown < level) != (p > alpha, p < alpha)


def number_short(value: float, *, digits: int = DIGITS) -> str:
    """Return a number to so many significant digits, such as the level of a look.

    Examples
    --------
    >>> number_short(0.0030452635), number_short(1.0545e-06), number_short(0.046256, digits=4)
    ('0.00305', '0.00000105', '0.04626')
    """
    if not 0.0 < abs(value) < 1.0:
        return number(value)
    return f"{value:.{digits - 1 - math.floor(math.log10(abs(value)))}f}".rstrip("0")


def alpha(value: float, pvalues: Iterable[float]) -> str:
    """Return the level of a test as it is written beside the p-values held against it.

    Examples
    --------
    >>> alpha(0.05, [0.0497]), alpha(0.046256, [0.003]), alpha(0.046256, [0.04629])
    ('0.05', '0.0463', '0.04626')
    """
    return number_short(value, digits=level_digits(value, pvalues))


def declared_percent(share: float) -> str:
    """Return a share that was declared, such as a margin, as a percentage with all its digits.

    Examples
    --------
    >>> declared_percent(0.07), declared_percent(0.012345)
    ('7%', '1.2345%')
    """
    return f"{number(100.0 * share)}%"


def number(value: float) -> str:
    """Return a setting such as alpha as it was given.

    Examples
    --------
    >>> number(0.05), number(0.0)
    ('0.05', '0')
    """
    return f"{value:.12g}"


def count(value: int) -> str:
    """Return a whole number, its thousands grouped by a narrow no-break space.

    Examples
    --------
    >>> count(249), count(20000) == "20\u202f000"
    ('249', True)
    """
    return f"{value:,}".replace(",", GROUP).replace("-", MINUS)


def about(value: int) -> str:
    """Return a planned number of queries, rounded to two figures from 100 on.

    Examples
    --------
    >>> about(34), about(813), about(2287) == "2\u202f300"
    ('34', '810', True)
    """
    if value < 100:
        return count(value)
    return count(round(value, 2 - len(str(value))))


def plural(value: int, singular: str, several: str | None = None) -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> plural(1, "query", "queries"), plural(3, "test"), plural(0, "test")
    ('1 query', '3 tests', '0 tests')
    """
    return f"{count(value)} {singular if value == 1 else several or singular + 's'}"


def first_of(names: Sequence[str], most: int) -> str:
    """Return the first names of a list, and how many more there are.

    Examples
    --------
    >>> first_of(["AP", "RR"], 3), first_of(["AP", "RR", "P@5"], 1)
    ('AP, RR', 'AP and 2 more')
    """
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {count(more)} more" if more > 0 else "")


def listed(items: Sequence[str]) -> str:
    """Return items as a list in a sentence.

    Examples
    --------
    >>> listed(["t"]), listed(["t", "sign"]), listed(["t", "sign", "BCa"])
    ('t', 't and sign', 't, sign and BCa')
    """
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def word(value: int) -> str:
    """Return a small whole number in words, a larger one in digits.

    Examples
    --------
    >>> word(2), word(0), word(11)
    ('two', 'none', '11')
    """
    return _WORDS[value] if value < len(_WORDS) else count(value)


def interval(low: float, high: float, *, digits: int = DIGITS) -> str:
    """Return the limits of an interval as it stands in a sentence.

    Examples
    --------
    >>> interval(0.0121, 0.0619), interval(float("-inf"), float("inf"))
    ('+0.012 to +0.062', '−∞ to +∞')
    >>> interval(float("nan"), float("nan"))
    'not defined'
    """
    if math.isnan(low) or math.isnan(high):
        return UNDEFINED
    return f"{signed(low, digits=digits)} to {signed(high, digits=digits)}"


def visible(text: str) -> str:
    r"""Return text whose control characters and overrides of direction are written as codes.

    Line ends and tabs stay. A terminal would obey the others, wherever they come from.

    Examples
    --------
    >>> print(visible("one\ttwo\x1b[31m" + chr(0x202E)))
    one	two\x1b[31m\u202e
    """
    return _OBEYED.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def shorten(text: str, *, width: int = 72) -> str:
    r"""Return ``text`` on one line, its control characters made visible, cut in the middle.

    Examples
    --------
    >>> shorten("a" * 100, width=11)
    'aaaaa…aaaaa'
    >>> shorten("tag\x00")
    'tag\\x00'
    """
    if len(text) > 2 * width:
        text = text[:width] + text[-width:]  # what is between will not be seen
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shorten_line(shown, width=width)


def shorten_line(text: str, *, width: int) -> str:
    """Return a line cut in the middle, its characters as they are.

    Examples
    --------
    >>> shorten_line("a" * 100, width=11), shorten_line("short", width=11)
    ('aaaaa…aaaaa', 'short')
    """
    if len(text) <= width:
        return text
    half = (width - 1) // 2
    return f"{text[:half]}…{text[-half:]}"
