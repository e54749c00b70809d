"""How numbers and texts are written, the same in every output: rounded, safe, of one width."""

# A difference always has its sign, the minus is a true minus, whole numbers are grouped by a narrow
# no-break space, and a number that does not exist is said to be not defined.

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence

MINUS = "−"
GROUP = "\u202f"
UNDEFINED = "not defined"

DIGITS = 3
_MAX_DECIMALS, _MAX_MORE_DECIMALS = 10, 3
# From here on a score is written as a power of ten, so that no table is blown up by one number.
_LARGE = 1e6
# Differences below this are rounding of the sum, not data (as where ties are counted).
_NOTHING = 5e-11

# What a terminal obeys rather than shows.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def score(value: float, *, digits: int = DIGITS) -> str:
    """Return a score or mean with a fixed number of decimals."""
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{abs(value):.{digits}{'e' if abs(value) >= _LARGE else 'f'}}"
    return f"{MINUS}{text}" if value < -_NOTHING else text


def mean(value: float, *, digits: int = DIGITS) -> str:
    """Return a mean; two digits of one that the decimals would show as 0, such as a cost."""
    if _NOTHING < abs(value) < 0.5 * 10.0**-digits:
        needed = 1 - math.floor(math.log10(abs(value)))
        digits = needed if needed <= digits + _MAX_MORE_DECIMALS else digits
    return score(value, digits=digits)


def signed(value: float, *, digits: int = DIGITS) -> str:
    """Return a difference with its sign; only an exact 0 has none."""
    # A difference too small for the decimals has up to three more, so that it is no zero with a
    # sign.
    if _NOTHING < abs(value) < 0.5 * 10.0**-digits:
        needed = -math.floor(math.log10(abs(value)))
        digits = needed if needed <= digits + _MAX_MORE_DECIMALS else digits
    displayed = score(value, digits=digits)
    return f"+{displayed}" if value > _NOTHING else displayed


def decimals(intervals: Iterable[tuple[float, float]], *, minimum: int = DIGITS) -> int:
    """Return with how many decimals the narrowest of some intervals can be read."""
    # Half its width has two significant digits then. The narrowest is looked for among those that
    # exclude 0, where there are any: the others are not told apart from it with more decimals
    # either.
    finite = [(low, high) for low, high in intervals if math.isfinite(high - low)]
    without_zero = [(low, high) for low, high in finite if low * high > 0.0] or finite
    half = min(
        (0.5 * (high - low) for low, high in without_zero if high - low > _NOTHING), default=1.0
    )
    return min(max(minimum, 1 - math.floor(math.log10(half))), _MAX_DECIMALS)


def merged(notes: Iterable[str]) -> tuple[str, ...]:
    """Return notes, of those that differ in their source and in numbers alone the first."""
    groups: dict[str, dict[str, None]] = {}
    for note in notes:
        kind = re.sub(rf"[\d{GROUP}]+", "", note.partition(": ")[2] or note)
        groups.setdefault(kind, {})[note] = None
    return tuple(
        f"{first} (likewise {len(rest)} more)" if rest else first
        for first, *rest in groups.values()
    )


def least(value: float, *, digits: int = DIGITS) -> str:
    """Return the smallest difference that can be seen: never 0, with decimals as it needs."""
    if 0.0 < value < 0.5 * 10.0**-digits:
        digits = -math.floor(math.log10(value))
    return score(value, digits=digits)


def pvalue(value: float, *, alpha: float = 0.05) -> str:
    """Return a p-value with 3 decimals, more where fewer would hide its side of alpha."""
    if math.isnan(value):
        return UNDEFINED
    decimals = 3 if value >= 0.001 else max(3, math.ceil(round(-math.log10(alpha), 9)) + 1)
    if value < 10.0**-decimals:
        return f"< {10.0**-decimals:.{decimals}f}"
    while decimals < 12 and value != alpha and f"{value:.{decimals}f}" == f"{alpha:.{decimals}f}":
        decimals += 1
    return f"{value:.{decimals}f}"


def p_clause(value: float, *, alpha: float = 0.05) -> str:
    """Return a p-value as it stands in a sentence."""
    displayed = pvalue(value, alpha=alpha)
    return f"p {displayed}" if displayed.startswith(("<", "not")) else f"p = {displayed}"


def percent(share: float, *, sign: bool = True, digits: int = 1) -> str:
    """Return a share as a percentage, with its sign unless told otherwise."""
    if not math.isfinite(share):
        return UNDEFINED
    displayed = (signed if sign else score)(100.0 * share, digits=digits)
    return f"{displayed}%"


def level(confidence: float, *, digits: int = DIGITS) -> str:
    """Return a confidence level, an error rate or a power as a percentage."""
    rest = 100.0 * min(confidence, 1.0 - confidence)
    digits = 1 if confidence > 0.999 else digits
    decimals = digits - 1 - math.floor(math.log10(rest)) if rest > 0.0 else 0
    return f"{round(100.0 * confidence, decimals):.15g}%"


def level_digits(alpha: float, pvalues: Iterable[float]) -> int:
    """Return how many digits of a level show on which side of it each p-value lies: 3 or more."""
    digits, ps = DIGITS, [p for p in pvalues if not math.isnan(p)]
    while digits < 12 and any(_looks_otherwise(p, alpha, digits) for p in ps):
        digits += 1
    return digits


def _looks_otherwise(p: float, alpha: float, digits: int) -> bool:
    """Whether p, as it is written, is on another side of the level written with so many digits."""
    displayed, level = (
        float(text.removeprefix("< "))
        for text in (pvalue(p, alpha=alpha), number_short(alpha, digits=digits))
    )
    return (displayed > level, displayed < level) != (p > alpha, p < alpha)


def number_short(value: float, *, digits: int = DIGITS) -> str:
    """Return a number to so many significant digits, such as the level of a look."""
    if not 0.0 < abs(value) < 1.0:
        return number(value)
    return f"{value:.{digits - 1 - math.floor(math.log10(abs(value)))}f}".rstrip("0")


def alpha(value: float, pvalues: Iterable[float]) -> str:
    """Return the level of a test as it is written beside the p-values held against it."""
    return number_short(value, digits=level_digits(value, pvalues))


def declared_percent(share: float) -> str:
    """Return a share that was declared, such as a margin, as a percentage with all its digits."""
    return f"{number(100.0 * share)}%"


def number(value: float) -> str:
    """Return a setting such as alpha as it was given."""
    return f"{value:.12g}"


def count(value: int) -> str:
    """Return a whole number, its thousands grouped by a narrow no-break space."""
    return f"{value:,}".replace(",", GROUP).replace("-", MINUS)


def about(value: int) -> str:
    """Return a planned number of queries, rounded to two figures from 100 on."""
    if value < 100:
        return count(value)
    return count(round(value, 2 - len(str(value))))


def plural(value: int, singular: str, plural_form: str | None = None) -> str:
    """Return a count with its noun."""
    return f"{count(value)} {singular if value == 1 else plural_form or singular + 's'}"


def first_of(names: Sequence[str], maximum: int) -> str:
    """Return the first names of a list, and how many more there are."""
    more = len(names) - maximum
    return f"{', '.join(names[:maximum])} and {count(more)} more" if more > 0 else listed(names)


def listed(items: Sequence[str]) -> str:
    """Return items as a list in a sentence."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def word(value: int) -> str:
    """Return a small whole number in words, a larger one in digits."""
    return _WORDS[value] if value < len(_WORDS) else count(value)


def interval(low: float, high: float, *, digits: int = DIGITS) -> str:
    """Return the limits of an interval as it stands in a sentence."""
    if math.isnan(low) or math.isnan(high):
        return UNDEFINED
    return f"{signed(low, digits=digits)} to {signed(high, digits=digits)}"


def no_interval(n_queries: int) -> str:
    """Return what stands where an interval has no end on either side."""
    # Clusters, or a collection of one query, may be why, whatever the number of queries.
    return f"no interval{' with 1 query' * (n_queries == 1)}"


def visible(text: str) -> str:
    """Return text whose control characters and overrides of direction are written as codes."""
    # Line ends and tabs stay. A terminal would obey the others, wherever they come from.
    return _CONTROL.sub(lambda result: result.group().encode("unicode_escape").decode(), text)


def shorten(text: str, *, width: int = 72) -> str:
    r"""Return ``text`` on one line, its control characters made visible, cut in the middle."""
    if len(text) > 2 * width:
        text = text[:width] + text[-width:]  # what is between will not be seen
    displayed = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shorten_line(displayed, width=width)


def shorten_line(text: str, *, width: int) -> str:
    """Return a line cut in the middle, its characters as they are."""
    if len(text) <= width:
        return text
    half = (width - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


# --- Text that is safe and fits: on one line, in columns of a terminal, without controls

NO_BREAK = "\N{NO-BREAK SPACE}"
ASCII = {
    "≥": ">=", "≤": "<=", "▲": "+", "▼": "-", "△": "+", "▽": "-", "✓": "ok", "✗": "x", "≈": "~",
    "−": "-", "→": "->", "★": "*", "Δ": "diff", "α": "alpha", "κ": "kappa", "λ": "lambda",
    "τ": "tau", "±": "+/-", "∞": "inf", "…": "..", "“": '"', "”": '"', "’": "'", "◂": "<", "▸": ">",
    "·": "-", "÷": "/", "–": "-", "×": "x", "²": "2", "●": "o", "━": "=", "─": "-", "≠": "!=",
    "┊": "|", "╎": ":", "┼": "+", "╋": "+", "\N{NO-BREAK SPACE}": " ", GROUP: "",
}  # fmt: skip


def cut_mark(plain: bool) -> str:
    """Return what stands for letters left out: one character, or two of ASCII."""
    return ASCII["…"] if plain else "…"


def one_line(text: str, *, width: int) -> str:
    """Return text on one line, control characters visible, at most so many characters."""
    # The space that groups digits stays what it is.
    return GROUP.join(shorten(part, width=width) for part in text.split(GROUP))[:width]


def to_ascii(text: str) -> str:
    """Return text in ASCII; what has no likeness is written as its code."""
    replaced = "".join(ASCII.get(character, character) for character in text)
    return replaced.encode("ascii", "backslashreplace").decode()


def display_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(_wide(character) for character in text)


def _wide(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fit(text: str, width: int, *, mark: str = "…", earlier: int = 0) -> str:
    """Return text of at most so many columns, cut in the middle, or so many columns before it."""
    if display_width(text) <= width:
        return text
    room = width - display_width(mark)
    if room < 2:
        return _head(text, width)
    tail = _head(text[::-1], min(max(room // 2 + earlier, 0), room))[::-1]
    return f"{_head(text, room - display_width(tail))}{mark}{tail}"


def fit_apart(texts: Sequence[str], width: int, *, mark: str = "…") -> list[str]:
    """Return texts of at most so many columns, cut where they still differ, near the middle."""
    n_different = len({*texts})
    long = [text for text in texts if display_width(text) > width]
    letters = enumerate(zip(*long, strict=False))
    start = next((place for place, column in letters if len({*column}) > 1), 0)
    # Where all differ in the middle, what they begin with is left out.
    without_start = [f"{mark}{text[start:]}" if text in long else text for text in texts]
    for parts in (texts, without_start):
        for earlier in sorted(range(-(width // 2), width // 2 + 1), key=abs):
            result = [fit(text, width, mark=mark, earlier=earlier) for text in parts]
            if len({*result}) == n_different:
                return result
    return [fit(text, width, mark=mark) for text in texts]


def _head(text: str, width: int) -> str:
    occupied, used = [], 0
    for character in text:
        used += _wide(character)
        if used > width:
            break
        occupied.append(character)
    return "".join(occupied)


def pad_right(text: str, width: int) -> str:
    """Return text filled with spaces to the right."""
    return text + " " * (width - display_width(text))


def pad_left(text: str, width: int) -> str:
    """Return text filled with spaces to the left."""
    return " " * (width - display_width(text)) + text


def wrap(text: str, width: int, *, mark: str = "…") -> list[str]:
    """Return text in lines of at most so many columns; a word too long is cut in the middle."""
    lines = [""]
    for word in text.split(" "):
        fitted = fit(word, width, mark=mark)
        joined = f"{lines[-1]} {fitted}" if lines[-1] else fitted
        if display_width(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(fitted)
    return lines


# Controls, overrides of the writing direction and halves of surrogate pairs: they would break the
# page or change how its sentences read.
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """Return a text that cannot break a page: controls and overrides of direction made visible."""
    return _UNSAFE.sub("\ufffd", text)


def cut(text: str, longest: int) -> str:
    """Return a clean text of at most so many characters, a sentence cut between two words."""
    cleaned = clean(text)
    if len(cleaned) <= longest:
        return cleaned
    start = cleaned[: longest - 1]
    last = start.rfind(" ") if cleaned[longest - 1] != " " else -1
    return f"{start[:last] if last > longest // 2 else start}…"
