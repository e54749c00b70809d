"""Cautions as text for the terminal: a label, and the sentences beside it."""

from __future__ import annotations

from collections.abc import Sequence

from abrank._support import display as f
from abrank.report import cells
from abrank.report.model import Caution
from abrank.report.sections.notes.cautions import SHOWN

_LABEL = "note  "


def first_lines(found: Sequence[Caution], *, width: int) -> list[str]:
    """Return what stands before the verdict."""
    return [line for each in found if each.stands_first for line in cells.wrap(str(each), width)]


def note_lines(found: Sequence[Caution], *, width: int) -> list[str]:
    r"""Return the first cautions, and how many more there are and where.

    Examples
    --------
    >>> tied = Caution("tied-scores", "Documents of b share scores", "Their order is left open.", 1)
    >>> print("\n".join(note_lines([tied], width=40)))
    note  Documents of b share scores. Their
          order is left open.
    """
    lines = []
    found = [each for each in found if not each.stands_first]
    for each in found[:SHOWN]:
        said = cells.wrap(str(each), width - len(_LABEL))
        lines += [f"{'' if i else _LABEL:{len(_LABEL)}}{line}" for i, line in enumerate(said)]
    more = len(found) - SHOWN
    if more > 0:
        lines += cells.wrap(
            f"{f.plural(more, 'more note')} in the report: --report report.html", width
        )
    return lines
