"""Plots of many systems: by means and by ranks, on one collection or several."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from abrank._support import checks, display
from abrank._support.display import shorten
from abrank._support.errors import ArgumentError
from abrank.plots import grids, style
from abrank.plots.axes import draw_interval, name_rows, stripe
from abrank.plots.registry import plot
from abrank.plots.style import LIGHT, NARROW, Theme

if TYPE_CHECKING:
    from abrank.collections import CollectionsRanking, Standing
    from abrank.ranking import Ranking, SystemRow


# --- Many systems by their means

# Maximum number of groups with lines; width of a line with its space in points.
MOST_GROUPS, _LANE = 8, 7.0
# Up to this number of systems all have rows; else only the first ones and the baseline.
MOST_ROWS, FIRST = 60, 20


def leaderboard_size(ranking: Ranking) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 0.95 + 0.24 * max(3, len(_shown(ranking)))


@plot("leaderboard", title="The systems by their means", size=leaderboard_size, subject="Ranking")
def leaderboard(
    ranking: Ranking,
    *,
    interval: Literal["own", "within", "difference"] = "own",
    maximum: int | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the mean of every system with its interval and groups, best first.

    A vertical line on the right connects the systems of a group by dots: no two of them differ
    significantly. With more than eight groups there are no lines. Systems that do not differ from
    the first have the colour of B. With a baseline, marked by a diamond, better systems have the
    colour of B and worse ones that of A. Of more than 60 systems the first 20 and the baseline are
    drawn.

    Parameters
    ----------
    interval : {"own", "within", "difference"}
        ``own``: of each mean; overlapping intervals can still differ significantly, because all
        systems have the same queries. ``within``: without the variance between queries, for
        comparing systems; these do not limit the means. ``difference``: of the difference from the
        first system or the baseline by the test of the ranking, drawn around the mean; a system
        whose interval does not reach the line differs significantly.
    maximum : int, optional
        Maximum number of systems, besides the baseline.

    Examples
    --------
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scoring.scores import Scores
    >>> values = np.array([[0.3, 0.4, 0.8], [0.5, 0.6, 0.9], [0.1, 0.3, 0.6]])[:, :, None]
    >>> ranking = rank_scores(Scores(("q1", "q2", "q3"), ("X", "Y", "Z"), ("AP",), values))
    >>> [label.get_text() for label in leaderboard(ranking).get_yticklabels()]
    ['1  Z', '2  Y', '3  X']
    """
    ax = ax if ax is not None else style.new_axes(theme, leaderboard_size(ranking))
    if ranking.n_queries == 0:
        return style.say(ax, theme, "No queries: nothing to draw.")
    checks.one_of("interval", interval, ("own", "within", "difference"))
    rows = _shown(ranking, maximum)
    ends = _ends(ranking, rows, interval)
    style.dress(ax, theme)
    stripe(ax, theme, len(rows))
    ends_and_means = np.array([*ends, *((row.mean, row.mean) for row in rows)])
    finite = ends_and_means[np.isfinite(ends_and_means)]
    low, high = float(finite.min()), float(finite.max())
    room = 0.04 * ((high - low) or abs(high) or 1.0)
    ax.set_xlim(low - room, high + room)
    narrow = style.inches(ax) < NARROW
    style.round_ticks(ax.xaxis, 4 if narrow else 7)
    # A row has one line of text.
    longest = 16 if narrow else 26
    names = [shorten(f"{row.position}  {row.system}", width=longest) for row in rows]
    name_rows(ax, theme, names, [row.system == ranking.baseline for row in rows], lines=1)
    readings = ranking.readings
    colours = [theme.of_reading(readings.get(row.system, "")) for row in rows]
    for place, (row, colour) in enumerate(zip(rows, colours, strict=True)):
        draw_interval(ax, ends[place], place, colour=colour, width=4.0)
        marker = "D" if row.system == ranking.baseline else "o"
        style.dot(ax, theme, (row.mean, float(place)), colour=colour, size=7.0, marker=marker)
    if interval == "difference":
        base = ranking[ranking.baseline or ranking.systems[0]].mean
        ax.axvline(base, color=theme.ink, linewidth=1.1, zorder=2.0)
    place_of = {row.system: i for i, row in enumerate(rows)}
    lanes = [[place_of[x] for x in group if x in place_of] for group in ranking.groups]
    lanes = [group for group in lanes if len(group) > 1]  # groups of two or more systems
    lanes = lanes if interval != "difference" and len(lanes) <= MOST_GROUPS else []
    _groups(ax, theme, lanes)
    texts = [
        "" if interval == "difference" or np.isnan(end[0]) else " to ".join(map(theme.score, end))
        for end in ends
    ]
    _numbers(ax, theme, rows, colours, texts, _LANE * len(lanes))
    style.label_x(ax, theme, _means_words(ranking, len(rows), interval, grouped=bool(lanes)))
    return ax


def _shown(ranking: Ranking, maximum: int | None = None) -> list[SystemRow]:
    if len(ranking.rows) <= (maximum or MOST_ROWS):
        return list(ranking.rows)
    first = maximum or FIRST
    rows = (row for row in ranking.rows[first:] if row.system == ranking.baseline)
    return [*ranking.rows[:first], *rows]


def _ends(ranking: Ranking, rows: list[SystemRow], interval: str) -> list[tuple[float, float]]:
    if interval != "difference":
        is_own = interval == "own"
        return [row.interval if is_own else (row.within_low, row.within_high) for row in rows]
    start = ranking[ranking.baseline or ranking.systems[0]].mean
    result = {}
    for system, distance in ranking.distances.items():
        low, high = ranking.within_reach(distance.interval)
        result[system] = start + low, start + high
    return [result.get(row.system, (np.nan, np.nan)) for row in rows]


def _groups(ax: Axes, theme: Theme, lanes: list[list[int]]) -> None:
    figure = style.figure_of(ax)
    for lane, group in enumerate(lanes):
        shift = ScaledTranslation((6.0 + _LANE * lane) / 72.0, 0.0, figure.dpi_scale_trans)
        look: dict[str, Any] = {"transform": ax.get_yaxis_transform() + shift, "clip_on": False}
        ends = [group[0], group[-1]]
        style.line(ax, [1.0, 1.0], ends, theme.muted, 1.6, zorder=3.0, **look)
        ax.plot(
            [1.0] * len(group),
            group,
            color=theme.muted,
            linestyle="none",
            marker="o",
            markersize=4.0,
            markeredgecolor="none",
            zorder=3.5,
            **look,
        )


def _numbers(
    ax: Axes,
    theme: Theme,
    rows: list[SystemRow],
    colours: list[str],
    intervals: list[str],
    groups_width: float,
) -> None:
    body = style.sizes(ax).body
    right = 8.0 + groups_width + 0.62 * (2 + theme.digits) * body
    look: dict[str, Any] = {"coords": ("axes fraction", "data"), "va": "center", "size": body}
    for place, (row, colour, text) in enumerate(zip(rows, colours, intervals, strict=True)):
        mean = theme.score(row.mean)
        style.write(ax, mean, (1.0, place), colour, "right", shift=(right, 0.0), **look)
        if text and style.inches(ax) >= NARROW:
            shift = (right + 0.7 * body, 0.0)
            style.write(ax, text, (1.0, place), theme.muted, "left", shift=shift, **look)


def _means_words(ranking: Ranking, n_drawn: int, interval: str, *, grouped: bool) -> str:
    level = display.level(1.0 - ranking.alpha)
    text = "of each mean by itself" if interval == "own" else "within queries"
    interval_text = f"{level} interval {text}"
    if interval == "difference":
        base = "the first" if ranking.baseline is None else shorten(ranking.baseline, width=24)
        interval_text = f"{ranking.interval_name}\nof the difference from {base} (line)"
    lines = [f"mean {shorten(ranking.measure, width=28)}, {interval_text}"]
    if grouped:
        lines.append(f"joined at the right: not significantly different, {ranking.title}")
    if not ranking.higher_is_better:
        lines.append("lower is better")
    if n_drawn < len(ranking.rows):
        lines.append(f"{display.count(n_drawn)} of {display.count(len(ranking.rows))} systems")
    return "\n".join(lines)


# --- The critical difference diagram: systems by their mean rank

FEWEST_SYSTEMS, FEWEST_QUERIES, MOST_RANKS = 3, 5, 40
# Inches: a row of names, a bar of systems that do not differ, and the space above the axis.
_NAME, _BAR, _HEAD = 0.21, 0.11, 0.62


def cd_size(ranking: Ranking) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, _HEAD + 0.45 + _below(ranking)


def _below(ranking: Ranking) -> float:
    """Return the inches that bars and names take below the axis."""
    rows = math.ceil(len(ranking.systems) / 2)
    return _BAR * (len(_lanes(ranking)) + 1) + _NAME * rows


@plot("cd", title="Critical difference diagram of mean ranks", size=cd_size, subject="Ranking")
def cd(ranking: Ranking, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the critical difference diagram: systems at their mean rank, 1 is best.

    A bar connects systems of which no two differ significantly. The test of the ranking must
    compare mean ranks: Nemenyi's, whose critical difference is shown above the axis, or Conover's.
    Other tests compare means, which distances of ranks do not show; for their groups see
    :func:`leaderboard`.

    Raises
    ------
    ArgumentError
        If the test does not compare mean ranks, or there are fewer than 3 systems or 5 queries.

    References
    ----------
    Demšar (2006), Journal of Machine Learning Research 7, 1-30, section 3.2.4.

    Examples
    --------
    >>> from abrank.ranking import rank_scores
    >>> scores = {
    ...     name: {f"q{i}": (i * k) % 7 / 7 for i in range(9)}
    ...     for name, k in (("X", 1), ("Y", 2), ("Z", 3))
    ... }
    >>> cd(rank_scores(scores, test="nemenyi")).get_xlabel().splitlines()[0]
    'mean rank within queries, 1 is best'
    """
    if sentence := _nothing_to_draw(ranking):
        raise ArgumentError(sentence)
    ax = ax if ax is not None else style.new_axes(theme, cd_size(ranking))
    tall = _below(ranking)
    ranks = [row.mean_rank for row in ranking.rows]
    ends = math.floor(min(ranks)), math.ceil(max(ranks))
    ends = ends if ends[1] > ends[0] else (ends[0], ends[0] + 1)
    ax.patch.set_visible(False)
    ax.spines[:].set_visible(False)
    # Heights are in inches below the axis of ranks.
    ax.set(xlim=ends, ylim=(tall, -0.3))
    ax.set_yticks([])
    ax.set_xticks([])
    style.line(ax, ends, [0.0, 0.0], theme.ink, 1.2, zorder=3.0, clip_on=False)
    step = max(1, round((ends[1] - ends[0]) / (8 if style.inches(ax) < NARROW else 16)))
    for rank in range(ends[0], ends[1] + 1, step):
        style.line(ax, [rank] * 2, [0.0, -0.06], theme.ink, 1.2, clip_on=False)
        style.write(ax, str(rank), (rank, -0.06), theme.muted, "center", "bottom", shift=(0.0, 2.0))
    beyond = 0.006 * (ends[1] - ends[0])
    for lane, bars in enumerate(_lanes(ranking)):
        for start, stop in bars:
            across, height = [start - beyond, stop + beyond], _BAR * (lane + 1)
            look = {"solid_capstyle": "butt", "zorder": 3.5, "clip_on": False}
            style.line(ax, across, [height] * 2, theme.b, 4.0, **look)
    _names(ax, theme, ranking)
    _ruler(ax, theme, ranking, ends)
    lines = [
        "mean rank within queries, 1 is best",
        f"bars: not significantly different, {ranking.title}",
    ]
    if ranking.by_mean_rank[0] != ranking.systems[0]:
        lines.append(f"by its mean, {shorten(ranking.systems[0], width=26)} leads")
    style.label_x(ax, theme, "\n".join(lines))
    return ax


def _nothing_to_draw(ranking: Ranking) -> str:
    from abrank.ranking.result import RANK_TESTS  # imported late: not needed for comparisons

    n, k = ranking.n_queries, len(ranking.systems)
    if k < FEWEST_SYSTEMS:
        return f"Only {k} systems: mean ranks say no more than who wins more queries."
    if n < FEWEST_QUERIES:
        few = "No queries" if n == 0 else f"Only {display.plural(n, 'query', 'queries')}"
        return f"{few}: too few for mean ranks ({FEWEST_QUERIES} are needed)."
    if k > MOST_RANKS:
        return f"{display.count(k)} systems are too many for a diagram: see the table."
    if ranking.baseline is not None:
        return "Only pairs with the baseline were tested: no group can be drawn."
    if ranking.test not in RANK_TESTS:
        return (
            f"{ranking.title} does not compare mean ranks: see the groups in the leaderboard, or"
            " rank by the test nemenyi or conover."
        )
    return ""


def _lanes(ranking: Ranking) -> list[list[tuple[float, float]]]:
    """Return the bars as rank intervals, in as few rows as needed to avoid overlaps."""
    rank = {row.system: row.mean_rank for row in ranking.rows}
    lanes: list[list[tuple[float, float]]] = []
    apart = 0.04 * len(ranking.systems)
    for clique in ranking.cliques:
        bar = rank[clique[0]], rank[clique[-1]]
        free = next((lane for lane in lanes if lane[-1][1] + apart < bar[0]), None)
        if free is None:
            lanes.append([bar])
        else:
            free.append(bar)
    return lanes


def _names(ax: Axes, theme: Theme, ranking: Ranking) -> None:
    ordered = [ranking[system] for system in ranking.by_mean_rank]
    half = math.ceil(len(ordered) / 2)
    start = _BAR * (len(_lanes(ranking)) + 1) + 0.5 * _NAME
    longest = 10 if style.inches(ax) < NARROW else 26
    low, high = ax.get_xlim()
    sides = ((ordered[:half], low, "right", -4.0), (ordered[half:][::-1], high, "left", 4.0))
    for rows, edge, side, shift in sides:
        for place, row in enumerate(rows):
            height = start + _NAME * place
            style.line(
                ax,
                [row.mean_rank, row.mean_rank, edge],
                [0.0, height, height],
                theme.muted,
                0.9,
                zorder=2.0,
                clip_on=False,
            )
            name = shorten(row.system, width=longest)
            rank = display.score(row.mean_rank, digits=2)
            text = f"{name}  {rank}" if side == "right" else f"{rank}  {name}"
            position: dict[str, Any] = {"ha": side, "va": "center", "color": theme.ink}
            style.write(ax, text, (edge, height), shift=(shift, 0.0), **position)


def _ruler(ax: Axes, theme: Theme, ranking: Ranking, ends: tuple[int, int]) -> None:
    if ranking.test != "nemenyi":
        return
    from abrank.inference.systems.friedman import critical_difference, friedman_test

    friedman = friedman_test(ranking.scores)
    length = critical_difference(friedman, ranking.n_queries, ranking.level)
    if not np.isfinite(length) or length > ends[1] - ends[0]:
        return
    height = -0.34
    style.line(
        ax,
        [ends[0], ends[0], ends[0], ends[0] + length, ends[0] + length, ends[0] + length],
        [height - 0.04, height + 0.04, height, height, height - 0.04, height + 0.04],
        theme.ink,
        1.4,
        clip_on=False,
    )
    text = f"critical difference {display.score(length, digits=2)}"
    style.write(
        ax, text, (ends[0] + length, height), theme.muted, "left", "center", shift=(5.0, 0.0)
    )


# --- Ranks of systems under resampling of the queries

# Of more systems the first ones are drawn, and the ranks that they reach.
MOST_RANKED = 40


def ranks_size(ranking: Ranking) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 0.95 + grids.height(max(3, min(MOST_RANKED, len(ranking.systems))))


@plot("ranks", title="Chances of the ranks", size=ranks_size, subject="Ranking")
def ranks(ranking: Ranking, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw how often each system has each rank if queries are resampled.

    A darker cell means that more resamples give the system that rank; the line spans the ranks with
    1 - alpha of the resamples. Of more than 40 systems the first 40 are drawn.

    Examples
    --------
    >>> from abrank.ranking import rank_scores
    >>> ranking = rank_scores({"X": {"q1": 0.3, "q2": 0.6}, "Y": {"q1": 0.5, "q2": 0.9}})
    >>> print(ranks(ranking).get_xlabel().splitlines()[1])
    line: 95% of them
    """
    ax = ax if ax is not None else style.new_axes(theme, ranks_size(ranking))
    if not ranking.stability:
        return style.say(ax, theme, "No queries: nothing to draw.")
    rows = ranking.stability[:MOST_RANKED]
    last = max(row.high for row in rows)
    grids.frame(ax, theme, ranking.systems[: len(rows)], last)
    # A probability of .1 must be visible next to one of .9.
    # With very many systems only the probability of rank 1 is stored.
    chances = np.zeros((len(rows), last))
    for place, row in enumerate(rows):
        chances[place, : len(row.chances)] = np.sqrt(row.chances[:last])
    grids.draw_levels(ax, np.where(chances**2 < 0.001, 0.0, chances), theme.b, deepest=0.8)
    for place, row in enumerate(rows):
        ends = [row.low - 1.35, row.high - 0.65]
        style.line(ax, ends, [place, place], theme.ink, 1.4, solid_capstyle="butt")
    locator = MaxNLocator(12, integer=True, steps=[1, 2, 5, 10])
    ticks = [round(rank) for rank in locator.tick_values(1, last) if 1 <= rank <= last]
    ticks = sorted({1, *ticks})
    ax.set_xticks([rank - 1 for rank in ticks], [str(rank) for rank in ticks])
    text = "" if len(rows) == len(ranking.systems) else f"; the first {len(rows)} systems"
    style.label_x(
        ax,
        theme,
        f"rank in {display.count(ranking.n_drawn)} resamples of the queries\nline:"
        f" {display.level(1.0 - ranking.alpha)} of them{text}",
    )
    return ax


# --- Many systems on several collections: means and rank intervals

# Of more systems the first ones are drawn.
MOST_STANDINGS = 60


def means_size(result: CollectionsRanking) -> tuple[float, float]:
    """Return width and height in inches."""
    return leaderboard_size(result.primary.fixed)


@plot(
    "means", title="The systems by their mean over the collections", size=means_size,
    subject="CollectionsRanking",
)  # fmt: skip
def means(
    result: CollectionsRanking,
    *,
    maximum: int | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the mean of every system over the collections, best first.

    The intervals are for the difference from the first system on these collections, simultaneous
    for all pairs.

    Parameters
    ----------
    result : CollectionsRanking
    maximum : int, optional
        Maximum number of systems.

    Examples
    --------
    >>> from abrank.collections import rank_collections
    >>> one = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.6, "q2": 0.8, "q3": 0.3}}
    >>> two = {"X": {"p1": 0.3, "p2": 0.6, "p3": 0.1}, "Y": {"p1": 0.6, "p2": 0.8, "p3": 0.3}}
    >>> drawn = means(rank_collections({"web": one, "news": two}))
    >>> [label.get_text() for label in drawn.get_yticklabels()]
    ['1  Y', '2  X']
    """
    ax = ax if ax is not None else style.new_axes(theme, means_size(result))
    return leaderboard(
        result.primary.fixed, interval="difference", maximum=maximum, ax=ax, theme=theme
    )


def rank_intervals_size(result: CollectionsRanking) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 1.0 + 0.24 * max(3, min(MOST_STANDINGS, len(result.systems)))


@plot(
    "ranks",
    title="Rank intervals over the collections",
    size=rank_intervals_size,
    subject="CollectionsRanking",
)
def rank_intervals(
    result: CollectionsRanking, *, ax: Axes | None = None, theme: Theme = LIGHT
) -> Axes:
    """Draw the rank interval of every system: thick on these collections, thin on similar ones.

    Systems that could be the best on these collections have the colour of B. Of more than 60
    systems the first 60 are drawn.

    Parameters
    ----------
    result : CollectionsRanking

    Examples
    --------
    >>> from abrank.collections import rank_collections
    >>> one = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.6, "q2": 0.8, "q3": 0.3}}
    >>> two = {"X": {"p1": 0.3, "p2": 0.6, "p3": 0.1}, "Y": {"p1": 0.6, "p2": 0.8, "p3": 0.3}}
    >>> print(rank_intervals(rank_collections({"web": one, "news": two})).get_xlabel())
    rank by score, 95% for all systems together
    thick: these 2 collections; thin: collections like them
    """
    ax = ax if ax is not None else style.new_axes(theme, rank_intervals_size(result))
    rows = result.primary.rows[:MOST_STANDINGS]
    style.dress(ax, theme)
    stripe(ax, theme, len(rows))
    last = max(max(row.fixed.rank_high, row.random.rank_high) for row in rows)
    ax.set_xlim(0.4, last + 0.6)
    narrow = style.inches(ax) < NARROW
    locator = MaxNLocator(5 if narrow else 12, integer=True, steps=[1, 2, 5, 10])
    ticks = {1, *(round(tick) for tick in locator.tick_values(1, last) if 1 < tick <= last)}
    ax.set_xticks(sorted(ticks))
    longest = 16 if narrow else 26
    names = [shorten(f"{row.position}  {row.system}", width=longest) for row in rows]
    name_rows(ax, theme, names, [row.fixed.may_be_first for row in rows], lines=1)
    for place, row in enumerate(rows):
        colour = theme.b if row.fixed.may_be_first else theme.muted
        _span(ax, row.random, place, colour=colour, width=1.4)
        _span(ax, row.fixed, place, colour=colour, width=6.0)
    text = "" if len(rows) == len(result.systems) else f"; the first {len(rows)} systems"
    level = display.level(1.0 - result.alpha)
    measure = shorten(result.primary.measure, width=24)
    style.label_x(
        ax,
        theme,
        f"rank by {measure}, {level} for all systems together{text}\n"
        f"thick: these {display.count(len(result.rankings))} collections; thin: collections like"
        " them",
    )
    return ax


def _span(ax: Axes, standing: Standing, place: int, *, colour: str, width: float) -> None:
    """Draw a line from the first rank to the last, visible even for a single rank."""
    ends = [standing.rank_low - 0.25, standing.rank_high + 0.25]
    style.line(ax, ends, [place, place], colour, width, solid_capstyle="butt", zorder=3.0)
