"""Many systems by their means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from abrank._support import display
from abrank._support.display import shorten
from abrank.diagnostics import higher_is_better
from abrank.plots.registry import RANKING_PLOTS, plot
from abrank.plots.style import labels
from abrank.plots.style.labels import PlainTicks
from abrank.plots.style.rows import draw_interval, name_rows, stripe
from abrank.plots.style.style import (
    NARROW,
    dot,
    dress,
    inches,
    label_x,
    new_axes,
    say,
    sizes,
    write,
)
from abrank.plots.style.theme import LIGHT, Theme

if TYPE_CHECKING:
    from abrank.ranking import Ranking, SystemRow

# Up to so many systems each has its row; of more only the first, and the baseline.
MOST, FIRST = 60, 20


def leaderboard_size(ranking: Ranking) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 0.95 + 0.24 * max(3, len(_shown(ranking)))


@plot("leaderboard", title="The systems by their means", size=leaderboard_size, of=RANKING_PLOTS)
def leaderboard(ranking: Ranking, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the mean of every system, best first, with its interval within queries.

    What the queries' difficulty adds to all systems alike is taken out of the intervals. The
    systems that cannot be told apart from the first are in the colour of B. Against a baseline,
    which has a diamond, a system is in the colour of B where it is better and of A where it is
    worse. Of more than 60 systems the first 20 are drawn, and the baseline.

    Parameters
    ----------
    ranking : Ranking
    ax : Axes, optional
        Drawn onto; a new Figure's without it.
    theme : Theme

    Returns
    -------
    Axes

    Examples
    --------
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scores import Scores
    >>> values = np.array([[0.3, 0.4, 0.8], [0.5, 0.6, 0.9], [0.1, 0.3, 0.6]])[:, :, None]
    >>> ranking = rank_scores(Scores(("q1", "q2", "q3"), ("X", "Y", "Z"), ("AP",), values))
    >>> [label.get_text() for label in leaderboard(ranking).get_yticklabels()]
    ['1  Z', '2  Y', '3  X']
    """
    ax = ax if ax is not None else new_axes(theme, leaderboard_size(ranking))
    if ranking.n_queries == 0:
        return say(ax, theme, "No queries: nothing to draw.")
    rows = _shown(ranking)
    dress(ax, theme)
    stripe(ax, theme, len(rows))
    ax.set_xlim(*_limits(rows))
    ax.xaxis.set_major_locator(MaxNLocator(4 if inches(ax) < NARROW else 7, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter(PlainTicks())
    # A row has room for one line.
    longest = 16 if inches(ax) < NARROW else 26
    names = [shorten(f"{row.position}  {row.system}", width=longest) for row in rows]
    name_rows(ax, theme, names, [row.system == ranking.baseline for row in rows])
    for place, row in enumerate(rows):
        colour = _colour(ranking, theme, row)
        draw_interval(ax, (row.ci_low, row.ci_high), place, colour=colour, width=4.0)
        marker = "D" if row.system == ranking.baseline else "o"
        dot(ax, theme, (row.mean, float(place)), colour=colour, size=7.0, marker=marker)
    _numbers(ax, theme, ranking, rows)
    label_x(ax, theme, _words(ranking, len(rows)))
    return ax


def _shown(ranking: Ranking) -> list[SystemRow]:
    """Return the systems that have a row."""
    if len(ranking.rows) <= MOST:
        return list(ranking.rows)
    first = ranking.rows[:FIRST]
    return [*first, *(row for row in ranking.rows[FIRST:] if row.system == ranking.baseline)]


def _limits(rows: list[SystemRow]) -> tuple[float, float]:
    """Return limits around all means and the finite ends."""
    ends = np.array([(row.mean, row.ci_low, row.ci_high) for row in rows])
    finite = ends[np.isfinite(ends)]
    low, high = float(finite.min()), float(finite.max())
    room = 0.04 * ((high - low) or abs(high) or 1.0)
    return low - room, high + room


def _colour(ranking: Ranking, theme: Theme, row: SystemRow) -> str:
    """Return the colour of the first group, or of what a system is to the baseline."""
    if ranking.baseline is None:
        return theme.b if row.system in ranking.leaders else theme.muted
    readings = {pair.b: pair.reading for pair in ranking.pair_rows}
    return theme.of_reading(readings.get(row.system, ""))


def _numbers(ax: Axes, theme: Theme, ranking: Ranking, rows: list[SystemRow]) -> None:
    """Write the mean right of each row, and its interval where there is room."""
    type_ = sizes(ax)
    narrow = inches(ax) < NARROW
    width = 0.62 * (2 + theme.digits) * type_.body
    for place, row in enumerate(rows):
        mean, low, high = (
            labels.plain(value, digits=theme.digits)
            for value in (row.mean, row.ci_low, row.ci_high)
        )
        at = {"coords": ("axes fraction", "data"), "va": "center", "fontsize": type_.body}
        colour = _colour(ranking, theme, row)
        write(ax, mean, (1.0, place), shift=(8.0 + width, 0.0), ha="right", color=colour, **at)
        if not narrow:
            text, left = f"[{low}, {high}]", 8.0 + width + 0.7 * type_.body
            write(ax, text, (1.0, place), shift=(left, 0.0), ha="left", color=theme.muted, **at)


def _words(ranking: Ranking, shown: int) -> str:
    """Return the words under the axis."""
    level = display.level(1.0 - ranking.alpha)
    lines = [f"mean {shorten(ranking.measure, width=28)}, {level} interval within queries"]
    if not higher_is_better(ranking.measure):
        lines.append("lower is better")
    if shown < len(ranking.rows):
        lines.append(f"{display.count(shown)} of {display.count(len(ranking.rows))} systems")
    return "\n".join(lines)
