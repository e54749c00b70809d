"""Many systems on several collections: their means, and the ranks that can be claimed of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from abrank._support import display
from abrank._support.display import shorten
from abrank.plots.ranking import leaderboard as board
from abrank.plots.registry import STANDINGS_PLOTS, plot
from abrank.plots.style.rows import name_rows, stripe
from abrank.plots.style.style import NARROW, dress, inches, label_x, new_axes
from abrank.plots.style.theme import LIGHT, Theme

if TYPE_CHECKING:
    from abrank.collections import CollectionsRanking, Standing

# Of more systems the first.
MOST = 60


def means_size(found: CollectionsRanking) -> tuple[float, float]:
    """Return width and height in inches."""
    return board.leaderboard_size(found.primary.these)


@plot(
    "means", title="The systems by their mean over the collections", size=means_size,
    of=STANDINGS_PLOTS,
)  # fmt: skip
def means(
    found: CollectionsRanking,
    *,
    most: int | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the mean of every system over the collections, best first.

    The interval is of the difference from the first on these collections, for all pairs together.

    Parameters
    ----------
    found : CollectionsRanking
    most : int, optional
        Draw so many systems at most.

    Examples
    --------
    >>> from abrank.collections import rank_collections
    >>> one = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.6, "q2": 0.8, "q3": 0.3}}
    >>> drawn = means(rank_collections({"web": one, "news": one}))
    >>> [label.get_text() for label in drawn.get_yticklabels()]
    ['1  Y', '2  X']
    """
    ax = ax if ax is not None else new_axes(theme, means_size(found))
    return board.leaderboard(
        found.primary.these, interval="difference", most=most, ax=ax, theme=theme
    )


def ranks_size(found: CollectionsRanking) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 1.0 + 0.24 * max(3, min(MOST, len(found.systems)))


@plot("ranks", title="Rank intervals over the collections", size=ranks_size, of=STANDINGS_PLOTS)
def rank_intervals(
    found: CollectionsRanking, *, ax: Axes | None = None, theme: Theme = LIGHT
) -> Axes:
    """Draw the rank interval of every system: thick on these collections, thin on others like them.

    A system is in the colour of B where it may be called first on these collections. Of more than
    60 systems the first 60 are drawn.

    Parameters
    ----------
    found : CollectionsRanking

    Examples
    --------
    >>> from abrank.collections import rank_collections
    >>> one = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.6, "q2": 0.8, "q3": 0.3}}
    >>> print(rank_intervals(rank_collections({"web": one, "news": one})).get_xlabel())
    rank by score, 95% for all systems together
    thick: these 2 collections; thin: collections like them
    """
    ax = ax if ax is not None else new_axes(theme, ranks_size(found))
    rows = found.primary.rows[:MOST]
    dress(ax, theme)
    stripe(ax, theme, len(rows))
    last = max(max(row.these.rank_high, row.like.rank_high) for row in rows)
    ax.set_xlim(0.4, last + 0.6)
    narrow = inches(ax) < NARROW
    locator = MaxNLocator(5 if narrow else 12, integer=True, steps=[1, 2, 5, 10])
    ticks = {1, *(round(tick) for tick in locator.tick_values(1, last) if 1 < tick <= last)}
    ax.set_xticks(sorted(ticks))
    longest = 16 if narrow else 26
    names = [shorten(f"{row.position}  {row.system}", width=longest) for row in rows]
    name_rows(ax, theme, names, [row.these.may_be_first for row in rows])
    for place, row in enumerate(rows):
        colour = theme.b if row.these.may_be_first else theme.muted
        _span(ax, row.like, place, colour=colour, width=1.4)
        _span(ax, row.these, place, colour=colour, width=6.0)
    shown = "" if len(rows) == len(found.systems) else f"; the first {len(rows)} systems"
    level = display.level(1.0 - found.alpha)
    measure = shorten(found.primary.measure, width=24)
    label_x(
        ax, theme,
        f"rank by {measure}, {level} for all systems together{shown}\n"
        f"thick: these {display.count(len(found.rankings))} collections; thin: collections like"
        " them",
    )  # fmt: skip
    return ax


def _span(ax: Axes, standing: Standing, place: int, *, colour: str, width: float) -> None:
    """Draw a line from the first rank to the last, with room for a single one."""
    ends = [standing.rank_low - 0.25, standing.rank_high + 0.25]
    ax.plot(ends, [place, place], color=colour, linewidth=width, solid_capstyle="butt", zorder=3.0)
