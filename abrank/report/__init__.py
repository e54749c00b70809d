"""Reports: what a result says, in words, and the formats it is written in.

:func:`compose` makes a :class:`Report` of any result, and one writer a format takes it:
:func:`text`, :func:`markdown`, :func:`html`, :func:`latex`, :func:`card`; :func:`write` does both.
Throughout, ``digits`` are the decimals of scores, means and differences, without them those with
which half the interval that decides has two significant digits, and three at least; ``width`` the
columns of a terminal, at least 40, to which names are shortened and numbers never; with ``ascii``
no character beyond ASCII is used. Equal results give equal text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank._support.lazy import module_getattr

if TYPE_CHECKING:
    from abrank.report.data import to_dict as to_dict
    from abrank.report.formats.figures import write_figures as write_figures
    from abrank.report.formats.html import card as card
    from abrank.report.formats.latex import latex as latex
    from abrank.report.formats.markdown import markdown as markdown
    from abrank.report.formats.page import html as html
    from abrank.report.formats.text import text as text
    from abrank.report.formats.text import text_lines as text_lines
    from abrank.report.model import Report as Report
    from abrank.report.registry import WRITERS as WRITERS
    from abrank.report.registry import in_format as in_format
    from abrank.report.registry import write as write
    from abrank.report.registry import writer as writer
    from abrank.report.saved.comparison import from_dict as from_dict
    from abrank.report.saved.many import read_results as read_results
    from abrank.report.sections.cautions import note_sentences as note_sentences
    from abrank.report.sections.cautions import run_sentences as run_sentences
    from abrank.report.sections.decision import gate_sentence as gate_sentence
    from abrank.report.subjects import compose as compose

_HOMES = {
    "Report": "abrank.report.model",
    "WRITERS": "abrank.report.registry",
    "card": "abrank.report.formats.html",
    "compose": "abrank.report.subjects",
    "from_dict": "abrank.report.saved.comparison",
    "gate_sentence": "abrank.report.sections.decision",
    "html": "abrank.report.formats.page",
    "in_format": "abrank.report.registry",
    "latex": "abrank.report.formats.latex",
    "markdown": "abrank.report.formats.markdown",
    "note_sentences": "abrank.report.sections.cautions",
    "read_results": "abrank.report.saved.many",
    "run_sentences": "abrank.report.sections.cautions",
    "text": "abrank.report.formats.text",
    "text_lines": "abrank.report.formats.text",
    "to_dict": "abrank.report.data",
    "write": "abrank.report.registry",
    "write_figures": "abrank.report.formats.figures",
    "writer": "abrank.report.registry",
}

__all__ = [*_HOMES]

__getattr__ = module_getattr(__name__, _HOMES)
