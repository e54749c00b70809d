"""Reports: what a comparison says, in words, and the formats it is written in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank._support.lazy import module_getattr

# Not lazy: a function with the name of its module must be bound after the module is imported, or
# the module would hide it.
from abrank.report.card import card
from abrank.report.markdown import markdown
from abrank.report.text import text, text_lines

if TYPE_CHECKING:
    from abrank.report.catalogue import WRITERS as WRITERS
    from abrank.report.catalogue import write as write
    from abrank.report.catalogue import writer as writer
    from abrank.report.figures import write_figures as write_figures
    from abrank.report.numbers import to_dict as to_dict
    from abrank.report.saved import from_dict as from_dict

_HOMES = {
    "WRITERS": "abrank.report.catalogue",
    "from_dict": "abrank.report.saved",
    "to_dict": "abrank.report.numbers",
    "write": "abrank.report.catalogue",
    "write_figures": "abrank.report.figures",
    "writer": "abrank.report.catalogue",
}

__all__ = ["card", "markdown", "text", "text_lines", *_HOMES]

__getattr__ = module_getattr(__name__, _HOMES)
