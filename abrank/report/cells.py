"""Text that is safe and fits: on one line, in columns of a terminal, without controls."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from abrank._support.display import GROUP, shorten

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
    for earlier in sorted(range(-(width // 2), width // 2 + 1), key=abs):
        result = [fit(text, width, mark=mark, earlier=earlier) for text in texts]
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
