"""Reports: what a comparison says, in words, and the formats it is written in.

Throughout, ``digits`` are the decimals of scores, means and differences, without them those with
which half the interval that decides has two significant digits, and three at least; ``width`` the
columns of a terminal, at least 40, to which names are shortened and numbers never; with ``ascii``
no character beyond ASCII is used. Equal results give equal text; that for a terminal has no line
end at its last line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank._support.lazy import module_getattr

if TYPE_CHECKING:
    from abrank.report.formats.card_html import card as card
    from abrank.report.formats.figures import write_figures as write_figures
    from abrank.report.formats.markdown import markdown as markdown
    from abrank.report.formats.terminal.plain_text import text as text
    from abrank.report.formats.terminal.plain_text import text_lines as text_lines
    from abrank.report.numbers import to_dict as to_dict
    from abrank.report.saved.write import from_dict as from_dict
    from abrank.report.sections.notes.cautions import note_sentences as note_sentences
    from abrank.report.sections.notes.cautions import run_sentences as run_sentences
    from abrank.report.writers import COLLECTIONS_WRITERS as COLLECTIONS_WRITERS
    from abrank.report.writers import RANKING_WRITERS as RANKING_WRITERS
    from abrank.report.writers import STANDINGS_WRITERS as STANDINGS_WRITERS
    from abrank.report.writers import WRITERS as WRITERS
    from abrank.report.writers import write as write
    from abrank.report.writers import writer as writer

_HOMES = {
    "COLLECTIONS_WRITERS": "abrank.report.writers",
    "RANKING_WRITERS": "abrank.report.writers",
    "STANDINGS_WRITERS": "abrank.report.writers",
    "WRITERS": "abrank.report.writers",
    "card": "abrank.report.formats.card_html",
    "from_dict": "abrank.report.saved.write",
    "markdown": "abrank.report.formats.markdown",
    "note_sentences": "abrank.report.sections.notes.cautions",
    "run_sentences": "abrank.report.sections.notes.cautions",
    "text": "abrank.report.formats.terminal.plain_text",
    "text_lines": "abrank.report.formats.terminal.plain_text",
    "to_dict": "abrank.report.numbers",
    "write": "abrank.report.writers",
    "write_figures": "abrank.report.formats.figures",
    "writer": "abrank.report.writers",
}

__all__ = [*_HOMES]

__getattr__ = module_getattr(__name__, _HOMES)
