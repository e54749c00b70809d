"""Reports: results in words, and the formats in which they are written.

:func:`compose` makes a :class:`Report` from any result, and one writer per format takes it:
:func:`text`, :func:`markdown`, :func:`html`, :func:`latex`, :func:`card`; :func:`write` does both.
Throughout, ``digits`` is the number of decimals of scores, means and differences; by default at
least three, with two significant digits for half the width of the deciding interval. ``width`` is
the number of terminal columns, at least 40: names are shortened to fit, numbers are not. With
``ascii`` only ASCII characters are used. Equal results give equal text.
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
