"""Formatting of numbers and texts, the same in every output."""

# A difference always has its sign, minus is the Unicode minus, thousands are separated by a narrow
# no-break space, and an undefined number is "not defined".

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
# Larger scores are written in scientific notation, so that no column gets too wide.
_LARGE = 1e6
# Smaller differences are rounding errors of sums, not data (for example if ties are counted).
_NOTHING = 5e-11

# Control characters that a terminal would execute.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def score(value: float, *, digits: int = DIGITS) -> str:
    """Format a score or mean with a fixed number of decimals."""
    if math.isnan(value):
        return UNDEFINED
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    text = f"{abs(value):.{digits}{'e' if abs(value) >= _LARGE else 'f'}}"
    return f"{MINUS}{text}" if value < -_NOTHING else text


def mean(value: float, *, digits: int = DIGITS) -> str:
    """Format a mean; a small one, such as a cost, gets two digits instead of rounding to 0."""
    if _NOTHING < abs(value) < 0.5 * 10.0**-digits:
        needed = 1 - math.floor(math.log10(abs(value)))
        digits = needed if needed <= digits + _MAX_MORE_DECIMALS else digits
    return score(value, digits=digits)


def signed(value: float, *, digits: int = DIGITS) -> str:
    """Format a difference with its sign; only an exact 0 has none."""
    # A difference that would round to 0 gets up to three more decimals.
    if _NOTHING < abs(value) < 0.5 * 10.0**-digits:
        needed = -math.floor(math.log10(abs(value)))
        digits = needed if needed <= digits + _MAX_MORE_DECIMALS else digits
    displayed = score(value, digits=digits)
    return f"+{displayed}" if value > _NOTHING else displayed


def decimals(intervals: Iterable[tuple[float, float]], *, minimum: int = DIGITS) -> int:
    """Return the number of decimals needed to read the narrowest of some intervals."""
    # Half its width then has two significant digits. If some intervals exclude 0, only these count,
    # because more decimals do not separate the others from 0.
    finite = [(low, high) for low, high in intervals if math.isfinite(high - low)]
    without_zero = [(low, high) for low, high in finite if low * high > 0.0] or finite
    half = min(
        (0.5 * (high - low) for low, high in without_zero if high - low > _NOTHING), default=1.0
    )
    return min(max(minimum, 1 - math.floor(math.log10(half))), _MAX_DECIMALS)


def merged(notes: Iterable[str]) -> tuple[str, ...]:
    """Merge notes that differ only in source and numbers; the first one is kept."""
    groups: dict[str, dict[str, None]] = {}
    for note in notes:
        kind = re.sub(rf"[\d{GROUP}]+", "", note.partition(": ")[2] or note)
        groups.setdefault(kind, {})[note] = None
    return tuple(
        f"{first} (likewise {len(rest)} more)" if rest else first
        for first, *rest in groups.values()
    )


def least(value: float, *, digits: int = DIGITS) -> str:
    """Format the smallest detectable difference: never as 0, with as many decimals as needed."""
    if 0.0 < value < 0.5 * 10.0**-digits:
        digits = -math.floor(math.log10(value))
    return score(value, digits=digits)


def pvalue(value: float, *, alpha: float = 0.05) -> str:
    """Format a p-value with 3 decimals, or more if needed to show its side of alpha."""
    if math.isnan(value):
        return UNDEFINED
    decimals = 3 if value >= 0.001 else max(3, math.ceil(round(-math.log10(alpha), 9)) + 1)
    if value < 10.0**-decimals:
        return f"< {10.0**-decimals:.{decimals}f}"
    while decimals < 12 and value != alpha and f"{value:.{decimals}f}" == f"{alpha:.{decimals}f}":
        decimals += 1
    return f"{value:.{decimals}f}"


def p_clause(value: float, *, alpha: float = 0.05) -> str:
    """Format a p-value for use in a sentence."""
    displayed = pvalue(value, alpha=alpha)
    return f"p {displayed}" if displayed.startswith(("<", "not")) else f"p = {displayed}"


def percent(share: float, *, sign: bool = True, digits: int = 1) -> str:
    """Format a share as a percentage, with its sign by default."""
    if not math.isfinite(share):
        return UNDEFINED
    displayed = (signed if sign else score)(100.0 * share, digits=digits)
    return f"{displayed}%"


def level(confidence: float, *, digits: int = DIGITS) -> str:
    """Format a confidence level, an error rate or a power as a percentage."""
    rest = 100.0 * min(confidence, 1.0 - confidence)
    digits = 1 if confidence > 0.999 else digits
    decimals = digits - 1 - math.floor(math.log10(rest)) if rest > 0.0 else 0
    return f"{round(100.0 * confidence, decimals):.15g}%"


def level_digits(alpha: float, pvalues: Iterable[float]) -> int:
    """Return how many digits of a level (3 or more) show on which side each p-value lies."""
    digits, ps = DIGITS, [p for p in pvalues if not math.isnan(p)]
    while digits < 12 and any(_looks_otherwise(p, alpha, digits) for p in ps):
        digits += 1
    return digits


def _looks_otherwise(p: float, alpha: float, digits: int) -> bool:
    """Whether p and the level, both rounded to ``digits``, compare differently than exact ones."""
    displayed, level = (
        float(text.removeprefix("< "))
        for text in (pvalue(p, alpha=alpha), number_short(alpha, digits=digits))
    )
    return (displayed > level, displayed < level) != (p > alpha, p < alpha)


def number_short(value: float, *, digits: int = DIGITS) -> str:
    """Format a number with ``digits`` significant digits, such as the level of a look."""
    if not 0.0 < abs(value) < 1.0:
        return number(value)
    return f"{value:.{digits - 1 - math.floor(math.log10(abs(value)))}f}".rstrip("0")


def alpha(value: float, pvalues: Iterable[float]) -> str:
    """Format the level of a test next to the p-values compared with it."""
    return number_short(value, digits=level_digits(value, pvalues))


def declared_percent(share: float) -> str:
    """Format a declared share, such as a margin, as a percentage with all its digits."""
    return f"{number(100.0 * share)}%"


def number(value: float) -> str:
    """Format a setting such as alpha as it was given."""
    return f"{value:.12g}"


def declared(value: float, *, digits: int) -> str:
    """Format a declared difference among scores; all its decimals if it has more than these."""
    has_more = not math.isclose(float(f"{value:.{digits}f}"), value)
    return number(value) if has_more else score(value, digits=digits)


def count(value: int) -> str:
    """Format a whole number, with a narrow no-break space between thousands."""
    return f"{value:,}".replace(",", GROUP).replace("-", MINUS)


def about(value: int) -> str:
    """Format a planned number of queries, rounded to two digits from 100."""
    if value < 100:
        return count(value)
    return count(round(value, 2 - len(str(value))))


def plural(value: int, singular: str, plural_form: str | None = None) -> str:
    """Format a count with its noun."""
    return f"{count(value)} {singular if value == 1 else plural_form or singular + 's'}"


def first_of(names: Sequence[str], maximum: int) -> str:
    """Return the first names of a list, and the number of the others."""
    more = len(names) - maximum
    return f"{', '.join(names[:maximum])} and {count(more)} more" if more > 0 else listed(names)


def listed(items: Sequence[str]) -> str:
    """Return items as a list in a sentence."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def word(value: int) -> str:
    """Return a small whole number as a word, a larger one in digits."""
    return _WORDS[value] if value < len(_WORDS) else count(value)


def interval(low: float, high: float, *, digits: int = DIGITS) -> str:
    """Format the limits of an interval for use in a sentence."""
    if math.isnan(low) or math.isnan(high):
        return UNDEFINED
    return f"{signed(low, digits=digits)} to {signed(high, digits=digits)}"


def no_interval(n_queries: int) -> str:
    """Return the text for an interval that is unbounded on both sides."""
    # Besides a single query, clusters or a collection with one query may be the reason.
    return f"no interval{' with 1 query' * (n_queries == 1)}"


def visible(text: str) -> str:
    """Make control characters and direction overrides visible as escape codes."""
    # Line ends and tabs are kept. A terminal would execute the others.
    return _CONTROL.sub(lambda result: result.group().encode("unicode_escape").decode(), text)


def shorten(text: str, *, width: int = 72) -> str:
    r"""Shorten ``text`` to one line by cutting its middle; control characters become visible."""
    if len(text) > 2 * width:
        text = text[:width] + text[-width:]  # the rest is cut anyway
    displayed = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shorten_line(displayed, width=width)


def shorten_line(text: str, *, width: int) -> str:
    """Shorten a line by cutting its middle; characters are not changed."""
    if len(text) <= width:
        return text
    half = (width - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


# --- Safe text with limited width

NO_BREAK = "\N{NO-BREAK SPACE}"
ASCII = {
    "≥": ">=", "≤": "<=", "▲": "+", "▼": "-", "△": "+", "▽": "-", "✓": "ok", "✗": "x", "≈": "~",
    "−": "-", "→": "->", "★": "*", "Δ": "diff", "α": "alpha", "κ": "kappa", "λ": "lambda",
    "τ": "tau", "±": "+/-", "∞": "inf", "…": "..", "“": '"', "”": '"', "’": "'", "◂": "<", "▸": ">",
    "·": "-", "÷": "/", "–": "-", "×": "x", "²": "2", "●": "o", "━": "=", "─": "-", "≠": "!=",
    "┊": "|", "╎": ":", "┼": "+", "╋": "+", "\N{NO-BREAK SPACE}": " ", GROUP: "",
}  # fmt: skip


def cut_mark(plain: bool) -> str:
    """Return the mark for omitted characters: one Unicode or two ASCII characters."""
    return ASCII["…"] if plain else "…"


def one_line(text: str, *, width: int) -> str:
    """Return text on one line with at most ``width`` characters, control characters visible."""
    # Keep the space that separates thousands.
    return GROUP.join(shorten(part, width=width) for part in text.split(GROUP))[:width]


def to_ascii(text: str) -> str:
    """Convert text to ASCII; characters without equivalent become escape codes."""
    replaced = "".join(ASCII.get(character, character) for character in text)
    return replaced.encode("ascii", "backslashreplace").decode()


def display_width(text: str) -> int:
    """Return the width of a text in terminal columns."""
    return len(text) if text.isascii() else sum(_wide(character) for character in text)


def _wide(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def fit(text: str, width: int, *, mark: str = "…", earlier: int = 0) -> str:
    """Shorten text to ``width`` columns by cutting near the middle, ``earlier`` columns before."""
    if display_width(text) <= width:
        return text
    room = width - display_width(mark)
    if room < 2:
        return _head(text, width)
    tail = _head(text[::-1], min(max(room // 2 + earlier, 0), room))[::-1]
    return f"{_head(text, room - display_width(tail))}{mark}{tail}"


def fit_apart(texts: Sequence[str], width: int, *, mark: str = "…") -> list[str]:
    """Shorten texts to ``width`` columns so that they still differ, cutting near the middle."""
    n_different = len({*texts})
    long = [text for text in texts if display_width(text) > width]
    letters = enumerate(zip(*long, strict=False))
    start = next((place for place, column in letters if len({*column}) > 1), 0)
    # If all texts only differ in the middle, drop their common beginning.
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
    """Pad text with spaces on the right."""
    return text + " " * (width - display_width(text))


def pad_left(text: str, width: int) -> str:
    """Pad text with spaces on the left."""
    return " " * (width - display_width(text)) + text


def wrap(text: str, width: int, *, mark: str = "…") -> list[str]:
    """Wrap text to ``width`` columns; longer words are cut in the middle."""
    lines = [""]
    for word in text.split(" "):
        fitted = fit(word, width, mark=mark)
        joined = f"{lines[-1]} {fitted}" if lines[-1] else fitted
        if display_width(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(fitted)
    return lines


# Control characters, direction overrides and lone surrogates, which would break a page or change
# how its sentences read.
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """Return text that is safe in a page: control characters and direction overrides visible."""
    return _UNSAFE.sub("\ufffd", text)


def cut(text: str, longest: int) -> str:
    """Return safe text of at most ``longest`` characters, cut between words."""
    cleaned = clean(text)
    if len(cleaned) <= longest:
        return cleaned
    start = cleaned[: longest - 1]
    last = start.rfind(" ") if cleaned[longest - 1] != " " else -1
    return f"{start[:last] if last > longest // 2 else start}…"
