"""The report as one HTML file that opens anywhere: offline, without scripts, dark, on paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args
from urllib.parse import quote

from markupsafe import Markup

import abrank
from abrank import plots
from abrank._support import checks, display
from abrank.comparison.power_analysis import NOTHING
from abrank.comparison.scales import difference, rows_in_unit
from abrank.report.compose import compose
from abrank.report.formats import layout
from abrank.report.formats.clean import clean, cut
from abrank.report.formats.jinja import environment
from abrank.report.formats.query_rows import query_rows
from abrank.report.model import Block, Caution, Download, Figure, Fold, Report, Section, Table
from abrank.report.sections import words
from abrank.report.sections.notes.cautions import SHOWN

if TYPE_CHECKING:
    from abrank.comparison import Comparison
    from abrank.plots.registry import Subject

# Takes a plot's name, its subject and the options of ``plots.svg``, and returns an SVG element.
Drawer: TypeAlias = Callable[..., str]
Figures: TypeAlias = Literal["needed", "all"]
Kind: TypeAlias = Literal[
    "figure", "table", "fold", "plain", "caption", "code", "source", "quote", "download"
]  # fmt: skip

# Each colour in light and in dark. Those of the figures stand in them as attributes, so they are
# right where a policy drops all styles; elsewhere a rule turns them with the theme.
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

LONGEST_NAME = 120
# Widths in inches at which the letters of a figure are as large as the text around: across the
# page, beside the cautions, and on a telephone. What takes half of the page is drawn once, at a
# width from which it is scaled to both without letters that are too small or too large.
WIDE, MAIN, PHONE, ONCE = 11.8, 7.2, 3.33, 4.1
WIDTHS: Mapping[str, float] = {
    **dict.fromkeys(("deltas", "tests", "segments", "matrix", "queries", "ranks"), WIDE),
    "forest": MAIN,
}
# Heights in inches, where a figure stands beside something as tall.
HEIGHTS: Mapping[str, float] = {
    "effect": 2.3,
    **dict.fromkeys(("scatter", "paired", "distribution", "qq"), 3.6),
    **dict.fromkeys(("null", "pvalue", "cutoffs", "recall"), 2.7),
    "power": 2.9,
    "judged": 2.7,
    "achieved": 2.5,
}
LABELS = {"depth": "Depth", "judge": "Judge", "quality": "Data quality", "per-query": "Queries"}


@dataclass(frozen=True)
class Shown:
    """A block as the template shows it."""

    kind: Kind
    text: str = ""
    lines: tuple[str, ...] = ()
    table: Table | None = None
    caption: str = ""
    svg: str = ""
    narrow: str = ""
    parts: tuple[Shown, ...] = ()
    address: str = ""


@dataclass(frozen=True)
class Panel:
    """Blocks on one card, as wide as the page or half of it."""

    blocks: tuple[Shown, ...]
    half: bool


class Chip(NamedTuple):
    """A number beside the leaderboard."""

    title: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Page:
    """A section with its blocks put into panels, and its short name for the bar at the top."""

    section: Section
    label: str
    panels: tuple[Panel, ...]


def html(
    comparison: Comparison,
    *,
    digits: int | None = None,
    report: Report | None = None,
    figures: Figures = "needed",
    drawer: Drawer | None = None,
) -> str:
    """Return the report as one HTML document without any outside part.

    Parameters
    ----------
    comparison : Comparison
        A against B.
    report : Report, optional
        What it says, where it was composed before.
    figures : {"needed", "all"}
        Whether figures that show again what another shows are drawn as well: where the mean lies
        under chance signs, the p-value of every difference, the normal plot, deciles.
    drawer : callable, optional
        Draws the figures, called as ``abrank.plots.svg`` is; ``abrank.plots.svg`` without it.

    Examples
    --------
    >>> import abrank
    >>> a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    >>> b = {"q1": 0.3, "q2": 0.6, "q3": 0.2, "q4": 0.9}
    >>> html(abrank.compare_scores(a, b))[:15]
    '<!doctype html>'
    """
    digits = comparison.decimals if digits is None else digits
    comparison = replace(
        comparison,
        baseline=cut(comparison.baseline, LONGEST_NAME),
        candidate=cut(comparison.candidate, LONGEST_NAME),
    )
    report = report or compose(comparison, digits=digits)
    checks.one_of("figures", figures, get_args(Figures))
    rows = query_rows(comparison, digits=digits)
    sections, left_out = layout.with_figures(report.sections, every=figures == "all")
    drawer = drawer or plots.svg
    draw = partial(figure_of, drawer=drawer, subject=comparison, digits=digits)
    fill = {name: PALETTE[name][0] for name in ("a", "b", "tie")} | {"axis": PALETTE["muted"][0]}
    return page(
        "report.html",
        report=report,
        comparison=comparison,
        numbers=around(report.headline.numbers, _leading(comparison, digits)),
        gate=_gate(comparison),
        effect=draw(Figure("effect", report.headline.numbers)),
        pages=[page_of(section, draw) for section in sections],
        left_out=[plots.PLOTS[name].title for name in left_out],
        first=report.first,
        cautions=folded_cautions(report.notes),
        chips=_chips(comparison, digits=digits) | {"aside": _room_aside(report, comparison)},
        rows=rows,
        island=Markup(rows.island(fill)) if rows else "",
        fill=fill,
    )


def page(template: str, **values: Any) -> str:  # noqa: ANN401
    """Return a page made of a template, with its colours and the version that wrote it."""
    shared = {"version": abrank.__version__, "palette": PALETTE, "drawn": DRAWN}
    text = environment().get_template(template).render(**shared, **values)
    # An id may hold half of a surrogate pair, which no file can.
    return text.encode("utf-8", "replace").decode("utf-8")


def systems_page(
    report: Report,
    subject: Subject,
    leading: Figure,
    chips: Sequence[Chip],
    *,
    first: str,
    digits: int,
    drawer: Drawer | None = None,
) -> str:
    """Return the page of many systems; ``first`` is the mean that stands out in the headline."""
    draw = partial(figure_of, drawer=drawer or plots.svg, subject=subject, digits=digits)
    return page(
        "ranking.html",
        report=report,
        numbers=around(report.headline.numbers, first),
        leading=draw(leading, "leading"),
        pages=[page_of(section, draw) for section in report.sections],
        first=report.first,
        cautions=folded_cautions(report.notes),
        chips=chips,
    )


def _leading(comparison: Comparison, digits: int) -> str:
    """Return the difference of the headline that stands out: of all queries, with a machine."""
    (row,) = (row for row in rows_in_unit(comparison) if row.measure == comparison.rule.primary)
    value = row.estimate if comparison.with_machine else row.diff
    return difference(comparison, value, digits=digits)


def around(sentence: str, part: str) -> tuple[str, str, str]:
    """Split a sentence around the first appearance of a part."""
    before, found, after = sentence.partition(part)
    return before, found, after


def _gate(comparison: Comparison) -> str:
    """Return how the gate went, for the tag; empty where none was asked for."""
    gate = comparison.decision.gate
    if gate is None:
        return ""
    return "gate passed" if gate.passed else "gate not passed"


def page_of(section: Section, draw: Callable[[Figure, str], Shown]) -> Page:
    """Return a section as the template shows it."""
    panels = tuple(
        Panel(tuple(_show(block, section, draw, place) for place, block in blocks), half)
        for blocks, half in layout.panels(section)
    )
    return Page(section, LABELS.get(section.key, section.key.capitalize()), panels)


def _show(
    block: Block, section: Section, draw: Callable[[Figure, str], Shown], place: int
) -> Shown:
    """Turn a block of the report into what the template shows."""
    if isinstance(block, Figure):
        # A section may hold one figure several times.
        return draw(block, f"{block.plot}-{place}")
    if isinstance(block, Table):
        return Shown("table", table=block, caption=f"Table: {cut(block.key, LONGEST_NAME)}")
    if isinstance(block, Download):
        return Shown("download", block.line, caption=block.file, address=_address(block))
    if isinstance(block, Fold):
        parts = tuple(_show(each, section, draw, place) for each in block.blocks)
        return Shown("fold", block.line, caption=block.key, parts=parts)
    if section.key == "methods" and block.kind == "code":
        return Shown("quote", lines=tuple(block.text.split("\n\n")))
    return Shown(block.kind, block.text)


def _address(block: Download) -> str:
    """Return the file as an address: a link saves it without a script and from any folder."""
    return f"data:text/plain;charset=utf-8,{quote(block.text, errors='replace')}"


def figure_of(
    figure: Figure, name: str = "", *, drawer: Drawer, subject: Subject, digits: int
) -> Shown:
    """Draw a figure: twice where it spans the page, for wide screens and for telephones."""

    def drawn(kind: str, width: float, height: float | None) -> Markup:
        return Markup(
            drawer(
                figure.plot,
                subject,
                summary=clean(figure.summary),
                width=width,
                height=height,
                prefix=f"{name or figure.plot}{kind}",
                digits=digits,
                **figure.options,
            )
        )

    height = HEIGHTS.get(figure.plot)
    rows = getattr(subject, "rows", ())
    if figure.plot == "forest":  # lower than in a paper, so that the table is on the first screen
        height = 0.75 + 0.25 * max(2, len(rows))
    if figure.plot not in WIDTHS:
        return Shown("figure", svg=drawn("", ONCE, height))
    wide = drawn("w", WIDTHS[figure.plot], height)
    return Shown("figure", svg=wide, narrow=drawn("n", PHONE, None))


def folded_cautions(cautions: Sequence[Caution]) -> dict[str, Sequence[Caution]]:
    """Show the most severe ones; a reader opens the others."""
    return {"shown": cautions[:SHOWN], "more": cautions[SHOWN:]}


def _room_aside(report: Report, comparison: Comparison) -> bool:
    """Whether the numbers have room under the cautions, or else stand under the forest.

    A caution is taken to be as tall as three rows of the forest, which has a heading of as many.
    """
    cautions = min(len(report.notes), SHOWN)
    return 3 * cautions <= 3 + len(comparison.rows) or comparison.n_queries < 2


def _chips(comparison: Comparison, *, digits: int) -> dict[str, Any]:
    """Return the numbers beside the forest: who wins, what can be seen, how large it is."""
    row, planning = comparison.primary, comparison.planning
    seen = planning.smallest_visible
    pieces = []
    start = 0.0
    total = max(row.wins + row.ties + row.losses, 1)
    for count, tone in ((row.wins, "b"), (row.ties, "tie"), (row.losses, "a")):
        if count:
            width = 1000.0 * count / total
            gap = 0.0 if start == 0 else 5.0
            pieces.append(
                {
                    "x": round(start + gap, 1),
                    "width": round(max(width - gap, 2.0), 1),
                    "fill": PALETTE[tone][0],
                }
            )
            start += width
    return {
        "verb": words.wins(comparison),
        "wins": display.count(row.wins),
        "ties": display.count(row.ties),
        "losses": display.count(row.losses),
        "bar": pieces,
        "visible": display.least(seen, digits=digits) if seen > NOTHING else "none",
        "visible_note": (
            f"{display.level(planning.power)} power,"
            f" {display.plural(comparison.n_queries, 'query', 'queries')}"
            if seen > NOTHING
            else "the differences do not vary"
        ),
        "d_z": display.signed(comparison.effect_size(), digits=2),
    }
