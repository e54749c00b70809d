"""The report as a single, self-contained HTML page."""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count, takewhile, zip_longest
from typing import NamedTuple, TypeAlias
from urllib.parse import quote

from markupsafe import Markup

import abrank
from abrank import plots
from abrank._support import display
from abrank._support.display import clean, cut
from abrank.report.formats.html import Drawing, drawing, environment, shares
from abrank.report.formats.queries import query_rows
from abrank.report.formats.text import SHOWN
from abrank.report.model import (
    Block,
    Download,
    Figure,
    Fold,
    Group,
    Report,
    Scorecard,
    Section,
    Table,
    Text,
)

# Figures and tables of half width, of which two are side by side.
HALVES = frozenset({"scatter", "paired", "planning", "power", "cutoffs"} | {"quality"})


def panels_of(section: Section, *, without: Block | None) -> list[tuple[list[Block], bool]]:
    """Group a section's blocks into panels; with each, whether it has half the width."""
    # Text belongs to the block before it, halves and wholes are not mixed, and a half without a
    # neighbour gets the full width. The scorecard is above all sections. The table of queries is
    # left out with its caption, because the page has an interactive one.
    blocks: Iterable[Block] = (block for block in section.blocks if block is not without)
    if section.key == "queries":
        blocks = takewhile(lambda block: not isinstance(block, Table), blocks)
    result: list[list[Block]] = []
    for block in blocks:
        halves = result and any(_key(item) in HALVES for item in (result[-1][0], block))
        joined = isinstance(block, Text) or not halves
        if not (result and joined):
            result.append([])
        result[-1].append(block)
    return list(zip(result, _paired([_key(item[0]) in HALVES for item in result]), strict=True))


def _key(block: Block) -> str:

    if isinstance(block, Figure):
        return block.plot
    return block.key if isinstance(block, (Table, Fold)) else ""


def _paired(halves: Sequence[bool]) -> list[bool]:
    """Keep the halves that have a neighbour."""
    result: list[bool] = []
    follows_half = False
    for half, after in zip_longest(halves, halves[1:], fillvalue=False):
        result.append(half and (follows_half or after))
        follows_half = result[-1] and not follows_half
    return result


# A function of a plot's name, its subject and the options of ``plots.svg`` that returns SVG.
Drawer: TypeAlias = Callable[..., str]
# Each colour in light and dark themes. Figures have colours as attributes, which stay correct if a
# policy blocks all styles; otherwise a CSS rule adapts them to the theme.
DRAWN: Mapping[str, tuple[str, str]] = {
    name: (colour, plots.DARK.colours()[name]) for name, colour in plots.LIGHT.colours().items()
}
PALETTE: Mapping[str, tuple[str, str]] = {
    **DRAWN,
    "page": ("#f5f6f8", "#0d1117"),
    "line": ("#d9dee5", "#2f3842"),
    "edge": ("#8b95a3", "#667080"),
    "a-wash": ("#fdf3ec", "#231912"),
    "b-wash": ("#eef6fc", "#101f2c"),
    "warn": ("#855600", "#f0c060"),
    "warn-wash": ("#fff7e3", "#292112"),
    "warn-line": ("#dcc48c", "#6b5628"),
    "find": ("#fff2c2", "#3b3314"),
    "grade-1": ("#bfe5c3", "#1c4426"),
    "on-grade-1": ("#0c3316", "#c9f0d0"),
    "grade-2": ("#2b7a3c", "#3f9e55"),
    "on-grade-2": ("#ffffff", "#04140a"),
    "grade-3": ("#0d4a20", "#9be8ac"),
    "on-grade-3": ("#ffffff", "#04140a"),
}

LONGEST_NAME, LONGEST_LABEL, MOST_ROWS = 120, 24, 20
# Widths in inches at which letters in figures are as large as the text: full page, beside the
# cautions, and on phones. Half-width figures are drawn once, at a width that fits the page
# (report.css) and is only slightly scaled on phones.
WIDE, MAIN, PHONE, ONCE = 11.8, 7.2, 3.18, 3.55
WIDTHS: Mapping[str, float] = {
    **dict.fromkeys(("deltas", "distribution", "matrix", "queries", "ranks"), WIDE),
    "forest": MAIN,
}
# Heights in inches of figures next to something equally tall.
HEIGHTS: Mapping[str, float] = {
    **dict.fromkeys(("scatter", "paired"), 3.2),
    "cutoffs": 2.5,
    "power": 2.6,
}
LABELS = {"depth": "Depth", "judge": "Judge", "quality": "Data quality", "per-query": "Queries"}
# The groups of sections in page order, with the headings of folded groups.
GROUPS: tuple[tuple[Group, str, str], ...] = (
    ("change", "What could change this?", "Doubts"),
    ("open", "", ""),
    ("appendix", "Appendix", "Appendix"),
)


class ScorecardPart(NamedTuple):
    """Rows of a scorecard for the template; ``start`` is the position of the first one."""

    table: Scorecard
    caption: str
    drawn: Drawing | None
    start: int


class SectionPanels(NamedTuple):
    """A section with its blocks in panels, and its short name for the navigation bar."""

    section: Section
    label: str
    panels: list[tuple[list[Block], bool]]


def html(report: Report, *, drawer: Drawer | None = None) -> str:
    """Return a report as one self-contained HTML document.

    Parameters
    ----------
    drawer : callable, optional
        Draws the figures, with the signature of ``abrank.plots.svg``, the default.

    Examples
    --------
    >>> import abrank
    >>> from abrank.report import compose
    >>> a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    >>> b = {"q1": 0.3, "q2": 0.6, "q3": 0.2, "q4": 0.9}
    >>> html(compose(abrank.compare_scores(a, b)))[:15]
    '<!doctype html>'
    """
    sections, card = report.in_place("page"), report.scorecard
    fill = {name: PALETTE[name][0] for name in ("a", "b", "tie")} | {"axis": PALETTE["muted"][0]}
    rows = query_rows(report.subject, digits=report.digits)
    pages = []
    for section in sections:
        label = section.title if "-" in section.key else section.key.capitalize()
        label = LABELS.get(section.key, cut(label, LONGEST_LABEL))
        panels = panels_of(section, without=card)
        if panels or not section.blocks or (rows and section.key == "queries"):
            pages.append(SectionPanels(section, label, panels))
    head = report.headline
    text = (
        environment()
        .get_template("page.html")
        .render(
            version=abrank.__version__,
            palette=PALETTE,
            drawn=DRAWN,
            shares=shares,
            kind_of=kind_of,
            parts_of=scorecard_of,
            address_of=address_of,
            draw=partial(figure_of, number=count(1), drawer=drawer or plots.svg, report=report),
            report=report,
            numbers=head.numbers.partition(head.main_number)
            if head.main_number
            else (head.numbers, "", ""),
            # Left out, because a line below says it in more detail.
            sentences=[]
            if any(section.key == "margin" for section in sections)
            else [item for item in (head.sensitivity, head.design, head.meaning) if item],
            groups=[
                (*group, [page for page in pages if page.section.group == group[0]])
                for group in GROUPS
            ],
            cautions={"first": report.notes[:SHOWN], "more": report.notes[SHOWN:]},
            rows=rows,
            island=packed(rows.island(fill)) if rows else "",
            fill=fill,
            ahead=card.scale.left.split()[-1] if card else "better",
        )
    )
    # Ids may contain lone surrogates, which files cannot.
    return text.encode("utf-8", "replace").decode("utf-8")


def packed(text: str) -> str:
    """Return text deflated and in base64, because rows are most of a page's size."""
    return b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode("ascii")


def kind_of(block: Block) -> str:
    """Return the kind of a block for the template: its class, or the kind of a text."""
    return block.kind if isinstance(block, Text) else type(block).__name__


def address_of(block: Download) -> str:
    """Return a file as a data URL, so that a link can save it without a script."""
    return f"data:text/plain;charset=utf-8,{quote(block.text, errors='replace')}"


def scorecard_of(card: Scorecard) -> list[ScorecardPart]:
    """Return a scorecard for the template: the first rows, and the others folded if many."""
    drawn = drawing(card, 4.0, 96.0, pixels=115.0)  # in per cent
    result = []
    for start, stop in ((0, MOST_ROWS), (MOST_ROWS, len(card.rows))):
        if start and stop <= start:
            break
        rows = card.rows[start:stop]
        line = f"The other {display.plural(len(rows), card.noun)}" if start else card.folded
        part = replace(
            card,
            rows=rows,
            bars=card.bars[start:stop],
            tall=frozenset(i - start for i in card.tall),
            folded=line,
        )
        caption = f"Scorecard: {cut(card.key, LONGEST_NAME)}{', continued' if start else ''}"
        result.append(ScorecardPart(part, caption, drawn, start))
    return result


def figure_of(
    figure: Figure, *, number: Iterator[int], drawer: Drawer, report: Report
) -> tuple[Markup, Markup | None]:
    """Draw a figure; twice if it spans the page, for wide screens and for phones."""
    # Its ids have its number as prefix, because they occur many times.
    name = f"f{next(number)}"

    def draw(kind: str, width: float, height: float | None) -> Markup:
        return Markup(
            drawer(
                figure.plot,
                report.subject,
                summary=clean(figure.summary),
                width=width,
                height=height,
                prefix=f"{name}{kind}",
                digits=report.digits,
            )
        )

    height = HEIGHTS.get(figure.plot)
    if figure.plot not in WIDTHS:
        return draw("", ONCE, height), None
    return draw("w", WIDTHS[figure.plot], height), draw("n", PHONE, None)
