"""The card of a ranking in a notebook: who leads, and the means; readable on any background."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abrank._support import display as f
from abrank.report.formats.card_html import LONGEST_ASIDE, LONGEST_LABEL, MOST_ROWS, TONES
from abrank.report.formats.clean import cut
from abrank.report.ranking import columns
from abrank.report.ranking.cautions import of_runs
from abrank.report.ranking.compose import headline

if TYPE_CHECKING:
    from abrank.ranking import Ranking

_LEFT, _RIGHT, _TOP, _ROW = 162.0, 480.0, 6.0, 24.0


@dataclass(frozen=True)
class Line:
    """One system; the ends of its bar and its dot in units of the drawing, or None."""

    y: float
    label: str
    colour: str
    mean: str
    mark: str
    ends: tuple[float, float] | None
    dot: float | None


def ranking_card(ranking: Ranking) -> str:
    """Return who leads and the first 12 means as an HTML fragment for notebooks.

    It has no background, no script, no style sheet and no id.

    Examples
    --------
    >>> from abrank.ranking import rank_scores
    >>> made = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.5, "q2": 0.9, "q3": 0.2}}
    >>> ranking_card(rank_scores(made)).startswith("<div")
    True
    """
    # Here, not above: a room that only writes text does not load the templates.
    from abrank.report.formats.jinja import environment

    said = headline(ranking, digits=ranking.decimals)
    told = of_runs(ranking, digits=ranking.decimals)
    titles = [each.title for each in told if not each.stands_first]
    lines, zero = _lines(ranking)
    guide = f"mean {cut(ranking.measure, LONGEST_LABEL)}"
    if columns.has_intervals(ranking):
        guide += f", with the simultaneous interval of the difference from {_base(ranking)} (line)"
    card = environment().get_template("ranking_card.html")
    return card.render(
        first=[cut(str(each), LONGEST_ASIDE) for each in told if each.stands_first],
        headline=said,
        tone=TONES[said.tone],
        asides=[f"Read before you decide: {'; '.join(titles[:3])}."] if titles else [],
        lines=lines,
        zero=zero,
        guide=guide,
        bottom=_TOP + _ROW * len(lines),
        more=max(len(ranking.rows) - MOST_ROWS, 0),
    ).strip()


def _base(ranking: Ranking) -> str:
    return "the first" if ranking.baseline is None else cut(ranking.baseline, LONGEST_LABEL)


def _lines(ranking: Ranking) -> tuple[list[Line], float | None]:
    """Return the lines, and where the mean of the first or the baseline stands."""
    rows = ranking.rows[:MOST_ROWS]
    base = ranking[ranking.baseline or ranking.systems[0]].mean
    found = {
        system: (base + each.low, base + each.high)
        for system, each in columns.distances(ranking).items()
    }
    ends = {row.system: found.get(row.system, (math.nan, math.nan)) for row in rows}
    place = _axis([base, *(row.mean for row in rows), *(x for pair in ends.values() for x in pair)])
    marks, blue = columns.marks(ranking), set(ranking.leaders)
    blue |= {row.b for row in ranking.pair_rows if ranking.baseline and row.reading == "better"}
    lines = []
    for number, row in enumerate(rows):
        low, high = ends[row.system]
        lines.append(
            Line(
                y=_TOP + _ROW * (number + 0.5),
                label=cut(row.system, LONGEST_LABEL),
                colour=TONES["b" if row.system in blue else "tie"],
                mean=f.score(row.mean, digits=ranking.decimals),
                mark=marks[row.system],
                ends=None if math.isnan(low) else (place(low), place(high)),
                dot=None if math.isnan(row.mean) else place(row.mean),
            )
        )
    return lines, None if math.isnan(base) else place(base)


def _axis(values: list[float]) -> Callable[[float], float]:
    """Return what places a value between the least and the largest finite one."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    span = (high - low) or 1.0

    def place(value: float) -> float:
        share = (min(max(value, low), high) - low) / span
        return round(_LEFT + 8.0 + share * (_RIGHT - _LEFT - 16.0), 1)

    return place
