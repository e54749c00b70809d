"""Systems by the ranks that other queries would give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from abrank._support import display
from abrank.plots.ranking import levels
from abrank.plots.registry import RANKING_PLOTS, plot
from abrank.plots.style.style import label_x, new_axes, say
from abrank.plots.style.theme import LIGHT, Theme

if TYPE_CHECKING:
    from abrank.ranking import Ranking

# Of more systems the first, and as many ranks as they reach.
MOST = 40


def ranks_size(ranking: Ranking) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 0.95 + levels.height(max(3, min(MOST, len(ranking.systems))))


@plot("ranks", title="Chances of the ranks", size=ranks_size, of=RANKING_PLOTS)
def ranks(ranking: Ranking, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw how often each system has each rank where the queries are drawn anew.

    The deeper a cell, the more resamples give the system that rank; the line spans the ranks that
    hold 1 - alpha of them. Of more than 40 systems the first 40 are drawn.

    Examples
    --------
    >>> from abrank.ranking import rank_scores
    >>> ranking = rank_scores({"X": {"q1": 0.3, "q2": 0.6}, "Y": {"q1": 0.5, "q2": 0.9}})
    >>> print(ranks(ranking).get_xlabel().splitlines()[1])
    line: 95% of them
    """
    ax = ax if ax is not None else new_axes(theme, ranks_size(ranking))
    if not ranking.stability:
        return say(ax, theme, "No queries: nothing to draw.")
    rows = ranking.stability[:MOST]
    last = max(row.high for row in rows)
    levels.frame(ax, theme, ranking.systems[: len(rows)], last)
    # A chance of a tenth is to be seen beside one of nine tenths.
    chances = np.sqrt([row.chances[:last] for row in rows])
    levels.draw_levels(ax, np.where(chances**2 < 0.001, 0.0, chances), theme.b, deepest=0.8)
    for place, row in enumerate(rows):
        ends = [row.low - 1.35, row.high - 0.65]
        ax.plot(ends, [place, place], color=theme.ink, linewidth=1.4, solid_capstyle="butt")
    locator = MaxNLocator(12, integer=True, steps=[1, 2, 5, 10])
    ticks = [round(rank) for rank in locator.tick_values(1, last) if 1 <= rank <= last]
    ticks = sorted({1, *ticks})
    ax.set_xticks([rank - 1 for rank in ticks], [str(rank) for rank in ticks])
    shown = "" if len(rows) == len(ranking.systems) else f"; the first {len(rows)} systems"
    label_x(
        ax, theme,
        f"rank in {display.count(ranking.n_drawn)} resamples of the queries\nline:"
        f" {display.level(1.0 - ranking.alpha)} of them{shown}",
    )  # fmt: skip
    return ax
