"""Cautions as text for the terminal: a label, and the sentences beside it."""

from __future__ import annotations

from collections.abc import Sequence

from abrank._support import display as f
from abrank.report import cells
from abrank.report.model import Caution
from abrank.report.sections.notes.cautions import SHOWN

_LABEL = "note  "


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
    for each in found[:SHOWN]:
        said = cells.wrap(f"{each.title}. {each.text}", width - len(_LABEL))
        lines += [f"{'' if i else _LABEL:{len(_LABEL)}}{line}" for i, line in enumerate(said)]
    more = len(found) - SHOWN
    if more > 0:
        lines += cells.wrap(
            f"{f.plural(more, 'more note')} in the report: --report report.html", width
        )
    return lines
