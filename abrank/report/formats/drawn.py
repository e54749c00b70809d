"""The intervals of a scorecard on one axis, as places in a drawing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from abrank._support import display
from abrank.report.model import Scale, Scorecard

Ends = tuple[float, float]


class Row(NamedTuple):
    """What is drawn of a row, in units of the drawing; None where there is nothing."""

    thick: Ends | None
    thin: Ends | None
    dot: float | None
    tone: str
    tall: bool
    limit: float | None


@dataclass(frozen=True)
class Drawing:
    """The rows of a scorecard on one axis from ``left`` to ``right``."""

    rows: tuple[Row | None, ...]
    ticks: tuple[tuple[float, str], ...]
    zero: float
    band: Ends | None
    scale: Scale
    left: float
    right: float


def drawing(card: Scorecard, left: float, right: float, *, n_ticks: int = 5) -> Drawing | None:
    """Lay out the rows between two places; None where nothing is to be drawn."""
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
        return round(left + share * (right - left), 1)

    def ends(start: float, stop: float) -> Ends | None:
        return None if math.isnan(start) or math.isnan(stop) else (place(start), place(stop))

    step = _step(low, high, n_ticks)
    return Drawing(
        rows=tuple(
            None
            if bar is None
            else Row(
                thick=ends(bar.low, bar.high),
                thin=ends(bar.thin_low, bar.thin_high),
                dot=None if math.isnan(bar.estimate) else place(bar.estimate),
                tone=bar.tone,
                tall=i in card.tall,
                limit=None if math.isnan(bar.limit) else place(bar.limit),
            )
            for i, bar in enumerate(card.bars)
        ),
        ticks=tuple(
            (place(value), _tick(value, step, card.scale)) for value in _multiples(step, low, high)
        ),
        zero=place(0.0),
        band=ends(-margin, margin) if margin else None,
        scale=card.scale,
        left=left,
        right=right,
    )


def _step(low: float, high: float, n_ticks: int) -> float:
    """Return a round step that gives at most so many ticks."""
    size = 10.0 ** math.floor(math.log10((high - low) / n_ticks))
    return next(size * k for k in (1, 2, 5, 10) if size * k >= (high - low) / n_ticks)


def _multiples(step: float, low: float, high: float) -> Iterator[float]:
    for k in range(math.ceil(low / step), math.floor(high / step) + 1):
        yield k * step


def _tick(value: float, step: float, scale: Scale) -> str:
    """Return the label of a tick, with as many digits as their distance needs."""
    digits = max(0, -math.floor(math.log10(step)))
    if scale.percent:
        return display.percent(value, digits=max(0, digits - 2))
    return display.signed(value, digits=digits) if value else "0"


def shares(parts: Sequence[int], width: float) -> list[tuple[float, float, str]]:
    """Return where the pieces of a bar of counts begin, how wide they are, and their tones."""
    total = max(sum(parts), 1)
    found, start = [], 0.0
    for count, tone in zip(parts, ("a", "tie", "b"), strict=True):
        if count:
            wide = width * count / total
            found.append((round(start, 1), round(wide, 1), tone))
            start += wide
    return found


def heat(card: Scorecard) -> dict[tuple[int, int], float]:
    """Return how deep the colour of each cell of a pair is, by row and column: 0 to 1."""
    places = [i for i, column in enumerate(card.columns) if column.role == "pair"]
    values = {
        (r, i): abs(float(row[i].value or 0.0))
        for r, row in enumerate(card.rows)
        for i in places
        if row[i].text
    }
    most = max(values.values(), default=0.0) or 1.0
    return {place: round(0.25 + 0.75 * value / most, 2) for place, value in values.items()}
