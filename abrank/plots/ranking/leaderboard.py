"""Many systems by their means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from abrank._support import checks, display
from abrank._support.display import shorten
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

# So many groups have lines, each so many points wide with the space beside it.
MOST_GROUPS, _LANE = 8, 7.0
# Up to so many systems each has its row; of more only the first, and the baseline.
MOST, FIRST = 60, 20


def leaderboard_size(ranking: Ranking) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 0.95 + 0.24 * max(3, len(_shown(ranking)))


@plot("leaderboard", title="The systems by their means", size=leaderboard_size, of=RANKING_PLOTS)
def leaderboard(
    ranking: Ranking,
    *,
    interval: Literal["own", "within", "difference"] = "own",
    most: int | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the mean of every system, best first, with its interval and its groups.

    An upright line at the right joins the systems of a group by dots: no two of them are told apart
    by the test of the ranking; more than eight groups have none. The systems that cannot be told
    apart from the first are in the colour of B. Against a baseline, which has a diamond, a system
    is in the colour of B where it is better and of A where it is worse. Of more than 60 systems the
    first 20 are drawn, and the baseline.

    Parameters
    ----------
    interval : {"own", "within", "difference"}
        Of each mean by itself; two that overlap can still be told apart, as all systems answer the
        same queries. Or with what a query adds to all systems taken out: for comparing systems, and
        no limits of a mean. Or of the difference from the first or the baseline, as the test of the
        ranking has it, drawn around the mean: what does not reach the line is told apart.
    most : int, optional
        Draw so many systems, and the baseline, at most.

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
    checks.one_of("interval", interval, ("own", "within", "difference"))
    rows = _shown(ranking, most)
    ends = _ends(ranking, rows, interval)
    dress(ax, theme)
    stripe(ax, theme, len(rows))
    ax.set_xlim(*_limits(rows, ends))
    ax.xaxis.set_major_locator(MaxNLocator(4 if inches(ax) < NARROW else 7, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter(PlainTicks())
    # A row has room for one line.
    longest = 16 if inches(ax) < NARROW else 26
    names = [shorten(f"{row.position}  {row.system}", width=longest) for row in rows]
    name_rows(ax, theme, names, [row.system == ranking.baseline for row in rows])
    for place, row in enumerate(rows):
        colour = _colour(ranking, theme, row)
        draw_interval(ax, ends[place], place, colour=colour, width=4.0)
        marker = "D" if row.system == ranking.baseline else "o"
        dot(ax, theme, (row.mean, float(place)), colour=colour, size=7.0, marker=marker)
    if interval == "difference":
        base = ranking[ranking.baseline or ranking.systems[0]].mean
        ax.axvline(base, color=theme.ink, linewidth=1.1, zorder=2.0)
    lanes = _lanes(ranking, rows) if interval != "difference" else []
    _groups(ax, theme, lanes)
    _numbers(
        ax,
        theme,
        ranking,
        list(zip(rows, ends, strict=True)),
        _LANE * len(lanes),
        around=interval == "difference",
    )
    label_x(ax, theme, _words(ranking, len(rows), interval, grouped=bool(lanes)))
    return ax


def _shown(ranking: Ranking, most: int | None = None) -> list[SystemRow]:
    """Return the systems that have a row."""
    if len(ranking.rows) <= (most or MOST):
        return list(ranking.rows)
    first = most or FIRST
    others = (row for row in ranking.rows[first:] if row.system == ranking.baseline)
    return [*ranking.rows[:first], *others]


def _ends(ranking: Ranking, rows: list[SystemRow], interval: str) -> list[tuple[float, float]]:
    """Return the ends of the intervals that are drawn; NaN where there is none."""
    if interval != "difference":
        own = interval == "own"
        return [
            (row.ci_low, row.ci_high) if own else (row.within_low, row.within_high) for row in rows
        ]
    base = ranking.baseline or ranking.systems[0]
    start, found = ranking[base].mean, {}
    for pair in ranking.pair_rows:
        if pair.a == base and ranking.baseline is not None:
            found[pair.b] = start + pair.ci_low, start + pair.ci_high
        elif pair.b == base and ranking.baseline is None:
            found[pair.a] = start - pair.ci_high, start - pair.ci_low
    return [found.get(row.system, (np.nan, np.nan)) for row in rows]


def _limits(rows: list[SystemRow], ends: list[tuple[float, float]]) -> tuple[float, float]:
    """Return limits around all means and the finite ends."""
    all_ = np.array([(row.mean, *limits) for row, limits in zip(rows, ends, strict=True)])
    finite = all_[np.isfinite(all_)]
    low, high = float(finite.min()), float(finite.max())
    room = 0.04 * ((high - low) or abs(high) or 1.0)
    return low - room, high + room


def _colour(ranking: Ranking, theme: Theme, row: SystemRow) -> str:
    """Return the colour of the first group, or of what a system is to the baseline."""
    if ranking.baseline is None:
        return theme.b if row.system in ranking.leaders else theme.muted
    readings = {pair.b: pair.reading for pair in ranking.pair_rows}
    return theme.of_reading(readings.get(row.system, ""))


def _lanes(ranking: Ranking, rows: list[SystemRow]) -> list[list[int]]:
    """Return the rows of each group of two or more; none where there are too many groups."""
    place = {row.system: i for i, row in enumerate(rows)}
    found = [[place[system] for system in group if system in place] for group in ranking.groups]
    found = [group for group in found if len(group) > 1]
    return found if len(found) <= MOST_GROUPS else []


def _groups(ax: Axes, theme: Theme, lanes: list[list[int]]) -> None:
    """Draw an upright line a group right of the axes, with a dot at each system that is in it."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    for lane, group in enumerate(lanes):
        shift = ScaledTranslation((6.0 + _LANE * lane) / 72.0, 0.0, figure.dpi_scale_trans)
        look: dict[str, Any] = {"transform": ax.get_yaxis_transform() + shift, "clip_on": False}
        ends = [group[0], group[-1]]
        ax.plot([1.0, 1.0], ends, color=theme.muted, linewidth=1.6, zorder=3.0, **look)
        ax.plot(
            [1.0] * len(group), group, color=theme.muted, linestyle="none", marker="o",
            markersize=4.0, markeredgecolor="none", zorder=3.5, **look,
        )  # fmt: skip


def _numbers(
    ax: Axes,
    theme: Theme,
    ranking: Ranking,
    rows: list[tuple[SystemRow, tuple[float, float]]],
    beside: float,
    *,
    around: bool,
) -> None:
    """Write the mean right of each row and its groups, and its interval where there is room."""
    type_ = sizes(ax)
    narrow = inches(ax) < NARROW
    width = beside + 0.62 * (2 + theme.digits) * type_.body
    for place, (row, ends) in enumerate(rows):
        mean, low, high = (labels.plain(value, digits=theme.digits) for value in (row.mean, *ends))
        at = {"coords": ("axes fraction", "data"), "va": "center", "fontsize": type_.body}
        colour = _colour(ranking, theme, row)
        write(ax, mean, (1.0, place), shift=(8.0 + width, 0.0), ha="right", color=colour, **at)
        if not narrow and not (np.isnan(ends[0]) or around):
            text, left = f"[{low}, {high}]", 8.0 + width + 0.7 * type_.body
            write(ax, text, (1.0, place), shift=(left, 0.0), ha="left", color=theme.muted, **at)


def _words(ranking: Ranking, shown: int, interval: str, *, grouped: bool) -> str:
    """Return the words under the axis."""
    level = display.level(1.0 - ranking.alpha)
    own = "of each mean by itself" if interval == "own" else "within queries"
    of = f"{level} interval {own}"
    if interval == "difference":
        base = "the first" if ranking.baseline is None else shorten(ranking.baseline, width=24)
        of = f"simultaneous interval\nof the difference from {base} (line)"
    lines = [f"mean {shorten(ranking.measure, width=28)}, {of}"]
    if grouped:
        lines.append(f"joined at the right: not told apart, {ranking.title}")
    if not ranking.higher_is_better:
        lines.append("lower is better")
    if shown < len(ranking.rows):
        lines.append(f"{display.count(shown)} of {display.count(len(ranking.rows))} systems")
    return "\n".join(lines)
