"""Reports: what a comparison says, in words, and the formats it is written in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank._support.lazy import module_getattr

if TYPE_CHECKING:
    from abrank.report._cautions import input_sentences as input_sentences
    from abrank.report.card_html import card as card
    from abrank.report.catalogue import WRITERS as WRITERS
    from abrank.report.catalogue import write as write
    from abrank.report.catalogue import writer as writer
    from abrank.report.figures import write_figures as write_figures
    from abrank.report.markdown_text import markdown as markdown
    from abrank.report.numbers import to_dict as to_dict
    from abrank.report.plain_text import text as text
    from abrank.report.plain_text import text_lines as text_lines
    from abrank.report.ranking_files import write_ranking as write_ranking
    from abrank.report.saved import from_dict as from_dict

_HOMES = {
    "WRITERS": "abrank.report.catalogue",
    "card": "abrank.report.card_html",
    "from_dict": "abrank.report.saved",
    "input_sentences": "abrank.report._cautions",
    "markdown": "abrank.report.markdown_text",
    "text": "abrank.report.plain_text",
    "text_lines": "abrank.report.plain_text",
    "to_dict": "abrank.report.numbers",
    "write": "abrank.report.catalogue",
    "write_figures": "abrank.report.figures",
    "write_ranking": "abrank.report.ranking_files",
    "writer": "abrank.report.catalogue",
}

__all__ = [*_HOMES]

__getattr__ = module_getattr(__name__, _HOMES)
