"""Foreign texts made safe to show: control characters made visible, long texts cut."""

from __future__ import annotations

import re

# Controls, overrides of the writing direction and halves of surrogate pairs: they would break the
# page or change how its sentences read.
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """Return a text that cannot break a page: controls and overrides of direction made visible.

    Examples
    --------
    >>> clean("a" + chr(0x202E) + "b")
    'a�b'
    """
    return _UNSAFE.sub("\ufffd", text)


def cut(text: str, longest: int) -> str:
    """Return a clean text of at most so many characters.

    Examples
    --------
    >>> cut("x" * 500, 5), cut("q1", 5)
    ('xxxx…', 'q1')
    """
    cleaned = clean(text)
    return cleaned if len(cleaned) <= longest else f"{cleaned[: longest - 1]}…"
