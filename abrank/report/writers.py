"""The formats that abrank writes, of a comparison and of a ranking.

A format's room is imported when the format is asked for: writing text loads neither the plots nor
the templates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank._support import display
from abrank.comparison import Comparison
from abrank.report.formats.terminal.plain_text import WIDTH
from abrank.report.registry import (
    COLLECTIONS_WRITERS,
    RANKING_WRITERS,
    STANDINGS_WRITERS,
    WRITERS,
    write,
    writer,
)

if TYPE_CHECKING:
    from abrank.collections import CollectionsComparison, CollectionsRanking
    from abrank.ranking import Ranking
    from abrank.report.formats.html import Figures
    from abrank.report.formats.latex import Style
    from abrank.report.ranking.columns import Interval

__all__ = [
    "COLLECTIONS_WRITERS",
    "RANKING_WRITERS",
    "STANDINGS_WRITERS",
    "WRITERS",
    "write",
    "writer",
]


@writer(".html")
def _html(
    comparison: Comparison, *, digits: int = display.DIGITS, figures: Figures = "needed"
) -> str:
    from abrank.report.formats.html import html

    return html(comparison, digits=digits, figures=figures)


@writer(".md")
def _markdown(comparison: Comparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.formats.markdown import markdown

    return markdown(comparison, digits=digits)


@writer(".json")
def _json(comparison: Comparison) -> bytes:
    from abrank.report.numbers import json_bytes

    return json_bytes(comparison)


@writer(".csv")
def _measures(comparison: Comparison) -> str:
    from abrank.report.formats.csv import measures_csv

    return measures_csv(comparison)


@writer(".txt")
def _text(comparison: Comparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.formats.terminal.plain_text import text

    return text(comparison, digits=digits) + "\n"


@writer(".tex")
def _latex(
    comparison: Comparison, *, digits: int = display.DIGITS, style: Style = "interval"
) -> str:
    from abrank.report.formats.latex import latex

    return latex(comparison, digits=digits, style=style)


@writer(".methods")
def _methods(comparison: Comparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.formats.methods import methods

    return methods(comparison, digits=digits)


@writer(".junit")
def _junit(comparison: Comparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.formats.junit import junit

    return junit(comparison, digits=digits)


@writer(".bib")
def _bibliography(comparison: Comparison) -> str:
    from abrank.report.sections.bibliography import bibliography

    return bibliography(comparison)


@writer(".parquet")
def _queries_parquet(comparison: Comparison) -> bytes:
    from abrank.report.formats.parquet import queries_parquet

    return queries_parquet(comparison)


@writer(".queries.csv", beside=".csv")
def _queries(comparison: Comparison) -> str:
    from abrank.report.formats.csv import queries_csv

    return "" if comparison.merged else queries_csv(comparison)


@writer(".segments.csv", beside=".csv")
def _segments(comparison: Comparison) -> str:
    from abrank.report.formats.csv import segments_csv

    return segments_csv(comparison) if comparison.segmentations else ""


@writer(".html", of=RANKING_WRITERS)
def _ranking_html(ranking: Ranking, *, digits: int = display.DIGITS) -> str:
    from abrank.report.ranking.html import ranking_html

    return ranking_html(ranking, digits=digits)


@writer(".md", of=RANKING_WRITERS)
def _ranking_markdown(
    ranking: Ranking, *, digits: int = display.DIGITS, interval: Interval = "difference"
) -> str:
    from abrank.report.ranking.markdown import ranking_markdown

    return ranking_markdown(ranking, digits=digits, interval=interval)


@writer(".tex", of=RANKING_WRITERS)
def _ranking_latex(
    ranking: Ranking,
    *,
    digits: int = display.DIGITS,
    style: Style = "interval",
    interval: Interval = "difference",
) -> str:
    from abrank.report.ranking.latex import ranking_latex

    return ranking_latex(ranking, digits=digits, style=style, interval=interval)


@writer(".csv", of=RANKING_WRITERS)
def _leaderboard(ranking: Ranking) -> str:
    from abrank.report.ranking.numbers import ranking_csv

    return ranking_csv(ranking, pairs=False)


@writer(".pairs.csv", of=RANKING_WRITERS, beside=".csv")
def _pairs(ranking: Ranking) -> str:
    from abrank.report.ranking.numbers import ranking_csv

    return ranking_csv(ranking, pairs=True)


@writer(".json", of=RANKING_WRITERS)
def _ranking_json(ranking: Ranking) -> str:
    from abrank.report.ranking.numbers import ranking_json

    return ranking_json(ranking)


@writer(".txt", of=RANKING_WRITERS)
def _ranking_text(
    ranking: Ranking,
    *,
    digits: int = display.DIGITS,
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


@writer(".html", of=COLLECTIONS_WRITERS)
def _collections_html(found: CollectionsComparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.collections.page import collections_html

    return collections_html(found, digits=digits)


@writer(".md", of=COLLECTIONS_WRITERS)
def _collections_markdown(found: CollectionsComparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.collections.markdown import collections_markdown

    return collections_markdown(found, digits=digits)


@writer(".json", of=COLLECTIONS_WRITERS)
def _collections_json(found: CollectionsComparison) -> str:
    from abrank.report.collections.numbers import collections_json

    return collections_json(found)


@writer(".csv", of=COLLECTIONS_WRITERS)
def _collections_csv(found: CollectionsComparison) -> str:
    from abrank.report.collections.numbers import collections_csv

    return collections_csv(found)


@writer(".summaries.csv", of=COLLECTIONS_WRITERS, beside=".csv")
def _summaries_csv(found: CollectionsComparison) -> str:
    from abrank.report.collections.numbers import summaries_csv

    return summaries_csv(found)


@writer(".txt", of=COLLECTIONS_WRITERS)
def _collections_text(
    found: CollectionsComparison,
    *,
    digits: int = display.DIGITS,
    ascii: bool = False,
    width: int = 80,
) -> str:
    from abrank.report.collections.text import collections_text

    return collections_text(found, digits=digits, ascii=ascii, width=width) + "\n"


@writer(".tex", of=COLLECTIONS_WRITERS)
def _collections_latex(found: CollectionsComparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.collections.markdown import collections_latex

    return collections_latex(found, digits=digits)


@writer(".html", of=STANDINGS_WRITERS)
def _standings_html(found: CollectionsRanking, *, digits: int = display.DIGITS) -> str:
    from abrank.report.collections.systems.page import standings_html

    return standings_html(found, digits=digits)


@writer(".md", of=STANDINGS_WRITERS)
def _standings_markdown(found: CollectionsRanking, *, digits: int = display.DIGITS) -> str:
    from abrank.report.collections.systems.markdown import standings_markdown

    return standings_markdown(found, digits=digits)


@writer(".json", of=STANDINGS_WRITERS)
def _standings_json(found: CollectionsRanking) -> str:
    from abrank.report.collections.systems.numbers import standings_json

    return standings_json(found)


@writer(".csv", of=STANDINGS_WRITERS)
def _standings_csv(found: CollectionsRanking) -> str:
    from abrank.report.collections.systems.numbers import standings_csv

    return standings_csv(found)


@writer(".means.csv", of=STANDINGS_WRITERS, beside=".csv")
def _means_csv(found: CollectionsRanking) -> str:
    from abrank.report.collections.systems.numbers import means_csv

    return means_csv(found)


@writer(".pairs.csv", of=STANDINGS_WRITERS, beside=".csv")
def _standings_pairs(found: CollectionsRanking) -> str:
    from abrank.report.collections.systems.numbers import pairs_csv

    return pairs_csv(found)


@writer(".txt", of=STANDINGS_WRITERS)
def _standings_text(
    found: CollectionsRanking,
    *,
    digits: int = display.DIGITS,
    ascii: bool = False,
    width: int = 80,
) -> str:
    from abrank.report.collections.systems.text import standings_text

    return standings_text(found, digits=digits, ascii=ascii, width=width) + "\n"


@writer(".tex", of=STANDINGS_WRITERS)
def _standings_latex(found: CollectionsRanking, *, digits: int = display.DIGITS) -> str:
    from abrank.report.collections.systems.markdown import standings_latex

    return standings_latex(found, digits=digits)
