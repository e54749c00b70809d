"""The critical difference diagram: systems by their mean rank."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes

from abrank import inference
from abrank._support import display
from abrank._support.display import shorten
from abrank.plots.registry import RANKING_PLOTS, plot
from abrank.plots.style.style import NARROW, inches, label_x, new_axes, say, sizes, write
from abrank.plots.style.theme import LIGHT, Theme

if TYPE_CHECKING:
    from abrank.ranking import Ranking

FEWEST_SYSTEMS, FEWEST_QUERIES, MOST = 3, 5, 40
# Inches: a row of names, a bar of systems not told apart, and what stands above the axis.
_NAME, _BAR, _HEAD = 0.21, 0.11, 0.62


def cd_size(ranking: Ranking) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, _HEAD + 0.45 + _below(ranking)


def _below(ranking: Ranking) -> float:
    """Return the inches that bars and names take under the axis."""
    rows = math.ceil(len(ranking.systems) / 2)
    return _BAR * (len(_lanes(ranking)) + 1) + _NAME * rows


@plot("cd", title="Critical difference diagram of mean ranks", size=cd_size, of=RANKING_PLOTS)
def cd(ranking: Ranking, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the systems at their mean rank within the queries, 1 the best.

    A bar joins systems of which no two are told apart by the test of the ranking, which must be one
    of mean ranks: Nemenyi's, whose critical difference stands above the axis, or Conover's. Others
    decide by means, and a distance of ranks would not show what they found: their groups stand in
    :func:`leaderboard`. Less than 3 systems or 5 queries have no diagram.

    References
    ----------
    Demšar (2006), Journal of Machine Learning Research 7, 1-30, section 3.2.4.

    Examples
    --------
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scores import Scores
    >>> values = np.array([[0.3, 0.4, 0.8], [0.5, 0.6, 0.9], [0.1, 0.3, 0.6]])[:, :, None]
    >>> ranking = rank_scores(Scores(("q1", "q2", "q3"), ("X", "Y", "Z"), ("AP",), values))
    >>> cd(ranking).texts[0].get_text()
    'Only 3 queries: too few for mean ranks (5 are needed).'
    """
    ax = ax if ax is not None else new_axes(theme, cd_size(ranking))
    sentence = _nothing_to_draw(ranking)
    if sentence:
        return say(ax, theme, sentence)
    tall = _below(ranking)
    ranks = [row.mean_rank for row in ranking.rows]
    ends = math.floor(min(ranks)), math.ceil(max(ranks))
    ends = ends if ends[1] > ends[0] else (ends[0], ends[0] + 1)
    ax.patch.set_visible(False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    # Heights are inches under the axis of ranks.
    ax.set(xlim=ends, ylim=(tall, -0.3))
    ax.set_yticks([])
    ax.set_xticks([])
    _rank_axis(ax, theme, ends)
    _bars(ax, theme, ranking)
    _names(ax, theme, ranking)
    _ruler(ax, theme, ranking, ends)
    label_x(ax, theme, _words(ranking))
    return ax


def _words(ranking: Ranking) -> str:
    """Return the words under the diagram."""
    lines = ["mean rank within queries, 1 is best", f"bars: not told apart, {ranking.title}"]
    if ranking.by_mean_rank[0] != ranking.systems[0]:
        lines.append(f"by its mean, {shorten(ranking.systems[0], width=26)} leads")
    return "\n".join(lines)


def _nothing_to_draw(ranking: Ranking) -> str:
    """Return why there is no diagram, or nothing."""
    from abrank.ranking.result import RANK_TESTS  # a page of a comparison needs nothing of it

    n, k = ranking.n_queries, len(ranking.systems)
    if k < FEWEST_SYSTEMS:
        return f"Only {k} systems: mean ranks say no more than who wins more queries."
    if n < FEWEST_QUERIES:
        few = "No queries" if n == 0 else f"Only {display.plural(n, 'query', 'queries')}"
        return f"{few}: too few for mean ranks ({FEWEST_QUERIES} are needed)."
    if k > MOST:
        return f"{display.count(k)} systems are too many for a diagram: see the table."
    if ranking.baseline is not None:
        return "Only pairs with the baseline were tested: no group can be drawn."
    if ranking.test not in RANK_TESTS:
        return (
            f"{ranking.title} does not compare mean ranks: see the groups in the leaderboard, or"
            " rank by the test nemenyi or conover."
        )
    return ""


def _rank_axis(ax: Axes, theme: Theme, ends: tuple[int, int]) -> None:
    ax.plot(ends, [0.0, 0.0], color=theme.ink, linewidth=1.2, zorder=3.0, clip_on=False)
    step = max(1, round((ends[1] - ends[0]) / (8 if inches(ax) < NARROW else 16)))
    for rank in range(ends[0], ends[1] + 1, step):
        ax.plot([rank] * 2, [0.0, -0.06], color=theme.ink, linewidth=1.2, clip_on=False)
        write(ax, str(rank), (rank, -0.06), shift=(0.0, 2.0), ha="center", va="bottom",
              color=theme.muted)  # fmt: skip


def _lanes(ranking: Ranking) -> list[list[tuple[float, float]]]:
    """Return the bars from rank to rank, in as few lanes as keep them apart."""
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


def _bars(ax: Axes, theme: Theme, ranking: Ranking) -> None:
    """Draw the bars, each reaching a little beyond its systems."""
    low, high = ax.get_xlim()
    beyond = 0.006 * (high - low)
    for lane, bars in enumerate(_lanes(ranking)):
        for start, stop in bars:
            line = ax.plot(
                [start - beyond, stop + beyond],
                [_BAR * (lane + 1)] * 2,
                color=theme.b,
                linewidth=4.0,
                zorder=3.5,
                clip_on=False,
            )
            line[0].set_solid_capstyle("butt")


def _names(ax: Axes, theme: Theme, ranking: Ranking) -> None:
    """Write the better half at the left and the rest at the right, a line to the rank of each."""
    ordered = [ranking[system] for system in ranking.by_mean_rank]
    half = math.ceil(len(ordered) / 2)
    start = _BAR * (len(_lanes(ranking)) + 1) + 0.5 * _NAME
    longest = 10 if inches(ax) < NARROW else 26
    low, high = ax.get_xlim()
    sides = ((ordered[:half], low, "right", -4.0), (ordered[half:][::-1], high, "left", 4.0))
    for rows, edge, side, shift in sides:
        for place, row in enumerate(rows):
            height = start + _NAME * place
            ax.plot(
                [row.mean_rank, row.mean_rank, edge],
                [0.0, height, height],
                color=theme.muted,
                linewidth=0.9,
                zorder=2.0,
                clip_on=False,
            )
            name = shorten(row.system, width=longest)
            rank = display.score(row.mean_rank, digits=2)
            text = f"{name}  {rank}" if side == "right" else f"{rank}  {name}"
            at: dict[str, Any] = {"ha": side, "va": "center", "color": theme.ink}
            write(ax, text, (edge, height), shift=(shift, 0.0), **at)


def _ruler(ax: Axes, theme: Theme, ranking: Ranking, ends: tuple[int, int]) -> None:
    """Draw the critical difference above the axis, where the test is the one that has it."""
    if ranking.test != "nemenyi":
        return
    found = inference.friedman_test(ranking.scores)
    length = inference.critical_difference(found, ranking.n_queries, ranking.alpha)
    if not np.isfinite(length) or length > ends[1] - ends[0]:
        return
    height = -0.34
    ax.plot(
        [ends[0], ends[0], ends[0], ends[0] + length, ends[0] + length, ends[0] + length],
        [height - 0.04, height + 0.04, height, height, height - 0.04, height + 0.04],
        color=theme.ink,
        linewidth=1.4,
        clip_on=False,
    )
    text = f"critical difference {display.score(length, digits=2)}"
    write(ax, text, (ends[0] + length, height), shift=(5.0, 0.0), ha="left", va="center",
          color=theme.muted, fontsize=sizes(ax).small)  # fmt: skip
