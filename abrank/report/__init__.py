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

from abrank._support.lazy import homes, module_getattr

if TYPE_CHECKING:
    from abrank.report.data import to_dict as to_dict
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
    from abrank.report.registry import write_figures as write_figures
    from abrank.report.registry import writer as writer
    from abrank.report.saved.comparison import from_dict as from_dict
    from abrank.report.saved.many import read_results as read_results
    from abrank.report.sections.cautions import note_sentences as note_sentences
    from abrank.report.sections.decision import gate_sentence as gate_sentence
    from abrank.report.subjects import compose as compose

_HOMES = homes(
    {
        "abrank.report.data": "to_dict",
        "abrank.report.formats.html": "card",
        "abrank.report.formats.latex": "latex",
        "abrank.report.formats.markdown": "markdown",
        "abrank.report.formats.page": "html",
        "abrank.report.formats.text": "text text_lines",
        "abrank.report.model": "Report",
        "abrank.report.registry": "WRITERS in_format write write_figures writer",
        "abrank.report.saved.comparison": "from_dict",
        "abrank.report.saved.many": "read_results",
        "abrank.report.sections.cautions": "note_sentences",
        "abrank.report.sections.decision": "gate_sentence",
        "abrank.report.subjects": "compose",
    }
)

__all__ = [*_HOMES]

__getattr__ = module_getattr(__name__, _HOMES)
