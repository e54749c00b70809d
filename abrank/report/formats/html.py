"""Parts of HTML output: templates, safe text, drawn rows, the notebook card."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from abrank._support import display
from abrank._support.display import clean, cut
from abrank.report.formats.text import SHOWN
from abrank.report.model import Bar, Cell, Report, Role, Scale, Scorecard, Table


@cache
def environment() -> Environment:
    """Return the Jinja environment with the package's templates, style and script."""
    result = Environment(
        loader=PackageLoader("abrank.report.formats"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Escape control characters in every displayed text; our own markup passes unchanged.
        finalize=lambda value: (
            clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
        ),
    )
    result.filters |= {"cut": cut, "breaking": breaking}
    folder = resources.files("abrank.report.formats") / "templates"
    for name in ("css", "js"):
        text = (folder / f"report.{name}").read_text("utf-8")
        if name == "css":
            text = re.sub(r"/\*.*?\*/", "", re.sub(r" ?([{};:,]) ", r"\1", text), flags=re.S)
        else:
            text = re.sub(r"^ *(//.*|/\*.*\*/)$", "", text, flags=re.M)
        result.globals[name] = Markup("\n".join(filter(None, map(str.strip, text.splitlines()))))
    return result


def breaking(name: str) -> Markup:
    """Allow line breaks in a name after separators."""
    return Markup(re.sub(r"(?<=[_.:/-])(?=\w)", "<wbr>", str(escape(clean(name)))))


Ends = tuple[float, float]
_LETTER = 7.5  # width in pixels of a letter in a tick label, with spacing


class RowMarks(NamedTuple):
    """The drawing of a row, in drawing units; None for missing parts."""

    thick: Ends | None
    thin: Ends | None
    dot: float | None
    tone: str
    tall: bool
    limit: float | None


@dataclass(frozen=True)
class Drawing:
    """The rows of a scorecard on one axis."""

    rows: tuple[RowMarks | None, ...]
    ticks: tuple[tuple[float, str], ...]
    zero: float
    band: Ends | None
    scale: Scale


def drawing(card: Scorecard, left: float, right: float, *, pixels: float) -> Drawing | None:
    """Lay out the rows between two positions at least ``pixels`` apart; None without rows."""
    bars = [bar for bar in card.bars if bar is not None]
    margin = card.scale.margin
    values = [value for bar in bars for value in bar.places]
    values += [-margin, margin, *card.scale.reach]
    finite = [value for value in values if math.isfinite(value)]
    if not bars or not any(finite):
        return None
    low, high = min([0.0, *finite]), max([0.0, *finite])
    air = 0.06 * (high - low)
    low, high = low - air, high + air

    def place(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return round(left + share * (right - left), 2)

    def ends(start: float, stop: float) -> Ends | None:
        return None if math.isnan(start) or math.isnan(stop) else (place(start), place(stop))

    size = 10.0 ** math.floor(math.log10((high - low) / 5))
    step = next(size * k for k in (1, 2, 5, 10) if size * k >= (high - low) / 5)
    steps = range(math.ceil(low / step), math.floor(high / step) + 1)
    labels = {k: _tick(k * step, step, card.scale) for k in steps}
    # Leave out every second label if they would touch.
    everything = 1 + (max(map(len, labels.values())) * _LETTER > step / (high - low) * pixels)
    return Drawing(
        rows=tuple(
            None
            if bar is None
            else RowMarks(
                thick=ends(bar.low, bar.high),
                thin=ends(bar.thin_low, bar.thin_high),
                dot=None if math.isnan(bar.estimate) else place(bar.estimate),
                tone=bar.tone,
                tall=i in card.tall,
                limit=None if math.isnan(bar.limit) else place(bar.limit),
            )
            for i, bar in enumerate(card.bars)
        ),
        ticks=tuple((place(k * step), label) for k, label in labels.items() if k % everything == 0),
        zero=place(0.0),
        band=ends(-margin, margin) if margin else None,
        scale=card.scale,
    )


def _tick(value: float, step: float, scale: Scale) -> str:
    """Return the label of a tick, with as many digits as the step needs."""
    digits = max(0, -math.floor(math.log10(step)))
    if scale.percent:
        return display.percent(value, digits=max(0, digits - 2))
    write = display.signed if scale.signed else display.score
    return write(value, digits=digits) if value else "0"


def shares(parts: Sequence[int], width: float) -> list[tuple[float, float, str]]:
    """Return start, width and tone of the parts of a bar of counts."""
    total = max(sum(parts), 1)
    result, start = [], 0.0
    for count, tone in zip(parts, ("a", "tie", "b"), strict=True):
        if count:
            wide = width * count / total
            result.append((round(start, 1), round(wide, 1), tone))
            start += wide
    return result


# Tones that are readable on white and on black; everything else has the surrounding text colour.
TONES = {"a": "#d2691e", "b": "#2b87c8", "tie": "#858b94", "plain": "#858b94"}
MOST_ROWS, MOST_TABLES = 12, 3
_LEFT, _RIGHT, _TOP, _ROW = 160.0, 430.0, 22.0, 26.0


def card(report: Report) -> str:
    """Return the verdict and a small scorecard as an HTML fragment for notebooks, at most 25 kB.

    It has no background, script, style sheet or id, so it is readable in dark notebooks and does
    not affect anything else.

    Examples
    --------
    >>> import abrank
    >>> from abrank.report import compose
    >>> a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    >>> b = {"q1": 0.3, "q2": 0.6, "q3": 0.2, "q4": 0.9}
    >>> card(compose(abrank.compare_scores(a, b))).startswith("<div")
    True
    """
    head, scorecard = report.headline, report.scorecard
    drawn = None if scorecard is None else drawing(scorecard, _LEFT, _RIGHT, pixels=_RIGHT - _LEFT)
    lines: list[tuple[dict[Role, Cell], Bar | None]] = []
    titles: dict[Role, str] = {}
    tables: list[tuple[str, Table]] = []
    if scorecard is None:
        tables = [
            (section.finding, replace(block, rows=block.rows[:MOST_ROWS]))
            for section in report.in_place("text", "details")
            for block in section.blocks
            if isinstance(block, Table)
        ][:MOST_TABLES]
    elif drawn is not None:
        titles = {column.role: column.title for column in scorecard.columns}
        rows = zip(scorecard.rows[:MOST_ROWS], scorecard.bars, strict=False)
        roles = [column.role for column in scorecard.columns]
        lines = [(dict(zip(roles, row, strict=True)), bar) for row, bar in rows]
    # There is room for two columns of numbers.
    has_p = any(cells["p"].text for cells, _ in lines if "p" in cells)
    return (
        environment()
        .get_template("card.html")
        .render(
            headline=head,
            first=report.first,
            sentences=(head.sensitivity, head.design, head.meaning if not head.gate else ""),
            tones=TONES,
            drawn=drawn,
            lines=lines,
            roles=("name", *(("change", "p") if has_p else ("mean", "change")), "reading"),
            titles=titles,
            top=_TOP,
            row=_ROW,
            legend=() if scorecard is None else scorecard.legend,
            more=0 if scorecard is None else max(len(scorecard.rows) - MOST_ROWS, 0),
            asides=_asides(report),
            tables=tables,
            hint=report.hint,
        )
        .strip()
    )


def _asides(report: Report) -> list[str]:
    """Return the titles of what to read before acting."""
    # Remarks on how a table was read are only on the page.
    titles = [note.title for note in report.notes if note.code != "input"]
    result = [f"Read before you decide: {'; '.join(titles[:SHOWN])}."] if titles else []
    if len(titles) > SHOWN:
        more = display.plural(len(titles) - SHOWN, "more note")
        result.append(f'{more} in the report: .report("report.html").')
    return result + [fact.text for fact in report.facts if fact.label == "segments"]
