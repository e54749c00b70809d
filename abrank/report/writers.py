"""The formats that abrank writes, of a comparison, a ranking, and several collections.

A format's room is imported when the format is asked for: writing text loads neither the plots nor
the templates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank._support.registry import Registry
from abrank.comparison import Comparison
from abrank.report.formats.terminal.plain_text import WIDTH
from abrank.report.registry import (
    COLLECTIONS_WRITERS,
    RANKING_WRITERS,
    STANDINGS_WRITERS,
    WRITERS,
    Format,
    Writes,
    write,
    writer,
)

if TYPE_CHECKING:
    from abrank.collections import CollectionsComparison, CollectionsRanking
    from abrank.ranking import Ranking
    from abrank.report.formats.html import Figures
    from abrank.report.ranking.columns import Interval

__all__ = [
    "COLLECTIONS_WRITERS",
    "RANKING_WRITERS",
    "STANDINGS_WRITERS",
    "WRITERS",
    "write",
    "writer",
]


def _html(comparison: Comparison, *, digits: int | None = None, figures: Figures = "needed") -> str:
    from abrank.report.formats.html import html

    return html(comparison, digits=digits, figures=figures)


def _text(comparison: Comparison, *, digits: int | None = None) -> str:
    from abrank.report.formats.terminal.plain_text import text

    return text(comparison, digits=digits) + "\n"


def _queries(comparison: Comparison) -> str:
    from abrank.report.formats.csv import queries_csv

    return "" if comparison.merged else queries_csv(comparison)


def _segments(comparison: Comparison) -> str:
    from abrank.report.formats.csv import segments_csv

    return segments_csv(comparison) if comparison.segmentations else ""


def _ranking_html(ranking: Ranking, *, digits: int | None = None) -> str:
    from abrank.report.ranking.html import ranking_html

    return ranking_html(ranking, digits=digits)


def _leaderboard(ranking: Ranking) -> str:
    from abrank.report.ranking.numbers import ranking_csv

    return ranking_csv(ranking, pairs=False)


def _pairs(ranking: Ranking) -> str:
    from abrank.report.ranking.numbers import ranking_csv

    return ranking_csv(ranking, pairs=True)


def _ranking_text(
    ranking: Ranking,
    *,
    digits: int | None = None,
    interval: Interval = "difference",
    ascii: bool = False,
    width: int = WIDTH,
    pairs: bool = True,
) -> str:
    from abrank.report.ranking.text import ranking_text

    return (
        ranking_text(
            ranking, digits=digits, interval=interval, width=width, ascii=ascii, pairs=pairs
        )
        + "\n"
    )


def _collections_text(
    found: CollectionsComparison,
    *,
    digits: int | None = None,
    ascii: bool = False,
    width: int = 80,
) -> str:
    from abrank.report.collections.text import collections_text

    return collections_text(found, digits=digits, ascii=ascii, width=width) + "\n"


def _standings_text(
    found: CollectionsRanking,
    *,
    digits: int | None = None,
    ascii: bool = False,
    width: int = 80,
) -> str:
    from abrank.report.collections.systems.text import standings_text

    return standings_text(found, digits=digits, ascii=ascii, width=width) + "\n"


# The functions that write each format, those of other rooms as ``module:name`` in ``report``. The
# last suffix of ``.queries.csv`` names the format beside which it is written.
_FUNCTIONS: tuple[tuple[Registry[Format], dict[str, Writes | str]], ...] = (
    (
        WRITERS,
        {
            ".html": _html,
            ".md": "formats.markdown:markdown",
            ".json": "numbers:json_bytes",
            ".csv": "formats.csv:measures_csv",
            ".txt": _text,
            ".tex": "formats.latex:latex",
            ".methods": "formats.methods:methods",
            ".junit": "formats.junit:junit",
            ".bib": "sections.bibliography:bibliography",
            ".parquet": "formats.parquet:queries_parquet",
            ".queries.csv": _queries,
            ".segments.csv": _segments,
        },
    ),
    (
        RANKING_WRITERS,
        {
            ".html": _ranking_html,
            ".md": "ranking.markdown:ranking_markdown",
            ".tex": "ranking.latex:ranking_latex",
            ".csv": _leaderboard,
            ".pairs.csv": _pairs,
            ".json": "ranking.numbers:ranking_json",
            ".txt": _ranking_text,
        },
    ),
    (
        COLLECTIONS_WRITERS,
        {
            ".html": "collections.page:collections_html",
            ".md": "collections.markdown:collections_markdown",
            ".json": "collections.numbers:collections_json",
            ".csv": "collections.numbers:collections_csv",
            ".summaries.csv": "collections.numbers:summaries_csv",
            ".txt": _collections_text,
            ".tex": "collections.markdown:collections_latex",
        },
    ),
    (
        STANDINGS_WRITERS,
        {
            ".html": "collections.systems.page:standings_html",
            ".md": "collections.systems.markdown:standings_markdown",
            ".json": "collections.systems.numbers:standings_json",
            ".csv": "collections.systems.numbers:standings_csv",
            ".means.csv": "collections.systems.numbers:means_csv",
            ".pairs.csv": "collections.systems.numbers:pairs_csv",
            ".txt": _standings_text,
            ".tex": "collections.systems.markdown:standings_latex",
        },
    ),
)

for _of, _functions in _FUNCTIONS:
    for _suffix, _function in _functions.items():
        _door = _function if callable(_function) else f"abrank.report.{_function}"
        _format, (_first, _, _last) = Format(_suffix, _door), _suffix[1:].rpartition(".")
        if _first:
            _of[f".{_last}"].beside[_suffix] = _format
        elif _suffix not in _of:  # a module imported again finds its formats
            _of.add(_suffix, _format)
