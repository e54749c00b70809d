"""Names of systems and measures in a sentence."""

from __future__ import annotations

from abrank.report.cells import one_line


def name(text: str) -> str:
    """Return a name on one line, shortened where it is very long.

    Examples
    --------
    >>> name("bm25"), len(name("x" * 99)) <= 40
    ('bm25', True)
    """
    return one_line(text, width=40)
