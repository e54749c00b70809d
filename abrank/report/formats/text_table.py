"""Tables on a terminal: columns that fit, and the intervals of a scorecard drawn in characters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from abrank.report import cells
from abrank.report.model import GUARD, Bar, Cell, Scorecard, Table

Line = list[tuple[str, str]]

_GAP = "  "
LEAST = 11  # cells of a drawing
_ENOUGH, _WIDEST = 20, 30
_LEAST_NAME, _NAME = 9, 16
_MARK = " ★"


@dataclass(frozen=True)
class Axis:
    """Where a difference lies among ``width`` cells; the cell of 0 is ``zero``."""

    low: float
    high: float
    width: int

    def cell(self, value: float) -> int:
        """Return the cell of a value; a value off the axis is put at its end."""
        share = (value - self.low) / (self.high - self.low)
        return min(max(round(share * (self.width - 1)), 0), self.width - 1)

    @property
    def zero(self) -> int:
        """The cell of 0, never an end of the axis, so that both sides have a place."""
        return min(max(self.cell(0.0), 1), self.width - 2)

    def bar(self, low: float, high: float) -> range:
        """Return the cells of an interval: among them that of 0 exactly if it contains 0."""
        first, last = self.cell(max(low, self.low)), self.cell(min(high, self.high))
        if low > 0:
            first = max(first, self.zero + 1)
        elif high < 0:
            last = min(last, self.zero - 1)
        else:
            first, last = min(first, self.zero), max(last, self.zero)
        return range(min(first, last), last + 1) if high < 0 else range(first, max(first, last) + 1)


def axis(bars: Sequence[Bar], width: int, reach: Sequence[float] = ()) -> Axis | None:
    """Return an axis that holds every finite limit and 0; None where there is nothing to draw."""
    values = [value for bar in bars for value in bar.places if math.isfinite(value)]
    values += reach if bars else ()
    low, high = min([0.0, *values]), max([0.0, *values])
    if low == high or width < LEAST:
        return None
    # One cell of air beyond the shorter side, so that "A better" and "B better" both have a place.
    air = (high - low) / (width - 1)
    return Axis(min(low, -air), max(high, air), width)


def draw(bar: Bar, scale: Axis) -> str:
    """Return a row: thick the interval that decides, thin the other one, a dot, a line at 0.

    A limit that a guard must exclude is a tick on it.

    Examples
    --------
    >>> draw(Bar(0.1, 0.04, 0.16, -0.02, 0.22), Axis(-0.02, 0.22, 25))
    '──┼───━━━━━━●━━━━━━──────'
    """
    drawn = [" "] * scale.width
    drawn[scale.zero] = "┊"
    thin, thick = _cells(*bar[3:5], scale), _cells(*bar[1:3], scale)
    for each, mark, crossing in ((thin, "─", "┼"), (thick, "━", "╋")):
        for i in each:
            drawn[i] = crossing if i == scale.zero else mark
    if math.isfinite(bar.limit):
        drawn[scale.cell(bar.limit)] = GUARD
    if math.isfinite(bar.estimate):
        dot = scale.cell(bar.estimate)
        drawn[min(max(dot, thick[0]), thick[-1]) if thick else dot] = "●"
    return "".join(drawn)


def _cells(low: float, high: float, scale: Axis) -> range:
    return range(0) if math.isnan(low) or math.isnan(high) else scale.bar(low, high)


def heading(scale: Axis, left: str, right: str) -> str:
    """Return the heading over the drawing, split at the cell of 0; a word goes for want of room.

    Examples
    --------
    >>> heading(Axis(-0.1, 0.1, 25), "A better", "B better")
    ' ◂ A better ┊ B better ▸ '
    >>> heading(Axis(-0.02, 0.22, 25), "A better", "B better")
    '◂ ┊ B better ▸           '
    """
    rooms = scale.zero - 1, scale.width - scale.zero - 2
    sides = []
    for side, room, form in ((left, rooms[0], "◂ {}"), (right, rooms[1], "{} ▸")):
        ways = (form.format(side), form.format(side.split(" ")[0]), form.format("").strip())
        sides.append(next((way for way in ways if len(way) <= room), ""))
    before, after = sides[0].rjust(scale.zero - 1), sides[1]
    return f"{before} ┊ {after}".ljust(scale.width)


def scorecard_lines(card: Scorecard, *, width: int, plain: bool) -> list[Line]:
    """Return a heading, a line a row, and the legend.

    Names give way first, then the drawing, then what has the role ``mean``; numbers are never cut.
    """
    put: Callable[[str], str] = cells.to_ascii if plain else str
    left_out = {"wins", "pair", "drawn", *card.narrow}
    shown = [i for i, column in enumerate(card.columns) if column.role not in left_out]
    head = [put(card.columns[i].title) for i in shown]
    roles = [card.columns[i].role for i in shown]
    body = [[put(_shown(row[i])) for i in shown] for row in card.rows]
    for row in body if "p" in roles else ():
        row[roles.index("p")] = row[roles.index("p")].replace("< ", "<")
    name = roles.index("name")
    bars = [bar for bar in card.bars if bar is not None]
    numeric = [card.columns[i].numeric for i in shown]
    wide = [max(map(cells.columns, column)) for column in zip(head, *body, strict=True)]
    kept, plot = _fit(wide, roles, name, width, draws=bool(bars))
    scale = axis(bars, plot, card.scale.reach) if plot else None
    room = width - sum(wide[i] + len(_GAP) for i in kept if i != name)
    room -= (plot + len(_GAP)) if scale else 0
    wide[name] = min(wide[name], max(2, room))
    at = next((k for k, i in enumerate(kept) if roles[i] in ("p", "reading")), len(kept))
    cut = cells.cut_mark(plain)

    def line(texts: Sequence[str], drawn: str, styles: tuple[str, str]) -> Line:
        made: Line = []
        for k, i in enumerate(kept):
            if scale is not None and k == at:
                made.append((_GAP + drawn, styles[1]))
            text = _named(texts[i], wide[i], cut) if i == name else texts[i]
            text = (cells.right if numeric[i] else cells.left)(text, wide[i])
            style = styles[0] if i == name else styles[1] if roles[i] == "reading" else ""
            made.append(((_GAP if k else "") + text, style))
        if scale is not None and at == len(kept):
            made.append((_GAP + drawn, styles[1]))
        return made

    sides = put(heading(scale, card.scale.left, card.scale.right)) if scale else ""
    first = "".join(text for text, _ in line(head, sides, ("", ""))).rstrip()
    lines: list[Line] = [[(first, "muted")]]
    for place, (row, bar) in enumerate(zip(body, card.bars, strict=True)):
        tone = bar.tone if bar is not None else "plain"
        drawn = put(draw(bar, scale)) if scale and bar is not None else " " * plot
        strong = "strong" if place in card.tall else ""
        lines.append(line(row, drawn, (strong, tone if tone in ("a", "b") else "muted")))
    for said in card.legend:
        if scale is None and said.startswith(("thick", GUARD)):
            continue
        said = said.replace("thick:", "━").replace("thin:", "─")
        lines += [[(each, "muted")] for each in cells.wrap(put(said), width)]
    return lines


def _shown(cell: Cell) -> str:
    return cells.one_line(f"{cell.text} {cell.mark}".rstrip(), width=200)


def _named(text: str, width: int, cut: str) -> str:
    """Return a name cut to a width, its star kept."""
    for star in (_MARK, cells.to_ascii(_MARK)):
        if text.endswith(star):
            return cells.fit(text.removesuffix(star), width - len(star), mark=cut) + star
    return cells.fit(text, width, mark=cut)


def _fit(
    wide: Sequence[int], roles: Sequence[str], name: int, width: int, *, draws: bool
) -> tuple[list[int], int]:
    """Return which columns are shown, and how many cells the drawing has."""
    every = list(range(len(wide)))
    least = [i for i in every if roles[i] != "mean"]
    without_limits = [i for i in every if roles[i] != "interval"]
    # Where no column has the limits the drawing stands for them, and the means give way to it.
    ways = [(every, draws), *([(least, True)] if draws and without_limits == every else [])]
    ways += [(every, False), (without_limits, draws), (least, False)]
    ways.append(([i for i in least if roles[i] != "interval"], False))
    for kept, plots in ways:
        room = width - sum(wide[i] + len(_GAP) for i in kept if i != name) - plots * len(_GAP)
        plot = min(_WIDEST, max(room - wide[name], min(_ENOUGH, room // 2))) if plots else 0
        if room - plot >= min(wide[name], _LEAST_NAME) and (not plots or plot >= LEAST):
            break
    return kept, plot


def table_lines(table: Table, *, width: int, plain: bool) -> Iterator[list[Line]]:
    """Yield a table in parts of as many columns as fit beside the first one, which gives way."""
    put: Callable[[str], str] = cells.to_ascii if plain else str
    cut = cells.cut_mark(plain)
    rows = [[put(cells.one_line(column.title, width=24)) for column in table.columns]]
    rows += [[put(_shown(cell)) for cell in row] for row in table.rows]
    names = [i for i, column in enumerate(table.columns) if column.role == "name"] or [0]
    wide = [max(map(cells.columns, column)) for column in zip(*rows, strict=True)]
    rest = [i for i in range(len(wide)) if i not in names]
    parts: list[list[int]] = [[]]
    for i in rest:
        taken = sum(wide[j] + len(_GAP) for j in [*parts[-1], i])
        if parts[-1] and sum(min(wide[n], _NAME) + len(_GAP) for n in names) + taken > width + 2:
            parts.append([])
        parts[-1].append(i)
    for part in parts:
        kept = [*names, *part]
        room = width - sum(wide[i] + len(_GAP) for i in part)
        most = {n: max(6, min(wide[n], room // len(names) - len(_GAP))) for n in names}
        most = {n: min(wide[n], room) if len(names) == 1 else most[n] for n in names}
        lines: list[Line] = []
        for place, row in enumerate(rows):
            line: Line = []
            for k, i in enumerate(kept):
                numeric = table.columns[i].numeric and i not in most
                text = cells.fit(row[i], most[i], mark=cut) if i in most else row[i]
                text = (cells.right if numeric else cells.left)(text, most.get(i, wide[i]))
                tone = table.rows[place - 1][i].tone if place else "muted"
                style = {"plain": "", "tie": "muted"}.get(tone, tone)
                line += [(_GAP if k else "", ""), (text, style)]
            lines.append(line)
        yield lines
