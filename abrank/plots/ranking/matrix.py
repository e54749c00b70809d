"""Every pair of systems."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from abrank._support import display
from abrank._support.display import shorten
from abrank.plots.ranking import levels
from abrank.plots.registry import RANKING_PLOTS, plot
from abrank.plots.style import labels
from abrank.plots.style.style import NARROW, inches, label_x, new_axes, say, sizes, write
from abrank.plots.style.theme import LIGHT, Theme

if TYPE_CHECKING:
    from abrank.ranking import PairRow, Ranking

# Up to so many systems the cells have numbers; up to so many lines between them and names; up to so
# many there is a picture.
NUMBERED, RULED, MOST = 20, 40, 400
# Inches across a cell that a difference needs, and so many for a p-value under it.
ROOM_FOR_NUMBER, ROOM_FOR_P = 0.4, 0.5


def matrix_size(ranking: Ranking) -> tuple[float, float]:
    """Return width and height in inches."""
    k = len(ranking.systems)
    if k <= NUMBERED:
        return max(4.5, 2.0 + 0.56 * k), 1.4 + 0.4 * k
    if k > RULED:
        return 7.0, 6.6
    return 2.0 + 0.2 * k, 1.4 + 0.2 * k


@plot("matrix", title="Every pair of systems", size=matrix_size, of=RANKING_PLOTS)
def matrix(ranking: Ranking, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the mean difference of every pair, the system of the row less that of the column.

    A cell is filled and its number bold only where the pair is told apart after adjustment: in the
    colour of B where the system of the row is better, of A where it is worse, the deeper the larger
    the difference. The small number is the adjusted p-value. More than 20 systems have no numbers,
    of more than 40 every tenth has its name, and more than 400 have no picture.

    Examples
    --------
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scores import Scores
    >>> values = np.array([[0.3, 0.4, 0.8], [0.5, 0.6, 0.9], [0.1, 0.3, 0.6]])[:, :, None]
    >>> ranking = rank_scores(Scores(("q1", "q2", "q3"), ("X", "Y", "Z"), ("AP",), values))
    >>> [text.get_text() for text in matrix(ranking).texts][:2]
    ['+0.333', '0.001']
    """
    ax = ax if ax is not None else new_axes(theme, matrix_size(ranking))
    k = len(ranking.systems)
    sentence = _nothing_to_draw(ranking)
    if sentence:
        return say(ax, theme, sentence)
    if k > RULED:
        return _many(ax, theme, ranking)
    _frame(ax, theme, ranking)
    place = {system: i for i, system in enumerate(ranking.systems)}
    largest = max(abs(pair.diff) for pair in ranking.pair_rows) or 1.0
    cell = _cell(ax, k)
    for pair in ranking.pair_rows:
        i, j = place[pair.b], place[pair.a]
        told = pair.reading in ("better", "worse")
        opposite = {"better": "worse", "worse": "better"}.get(pair.reading, "")
        for row, column, reading, sign in ((i, j, pair.reading, 1.0), (j, i, opposite, -1.0)):
            if told:
                _fill(ax, theme, row, column, reading, abs(pair.diff) / largest)
            if k <= NUMBERED and cell >= ROOM_FOR_NUMBER:
                _number(ax, theme, ranking, pair, (column, row), sign, told, cell)
    label_x(ax, theme, _words(ranking))
    return ax


def _many(ax: Axes, theme: Theme, ranking: Ranking) -> Axes:
    """Fill the cells of very many systems, without lines and numbers."""
    k = len(ranking.systems)
    place = {system: i for i, system in enumerate(ranking.systems)}
    better, worse = np.zeros((k, k)), np.zeros((k, k))
    largest = max(abs(pair.diff) for pair in ranking.pair_rows) or 1.0
    for pair in ranking.pair_rows:
        if pair.reading in ("better", "worse"):
            up, down = (pair.b, pair.a) if pair.reading == "better" else (pair.a, pair.b)
            depth = 0.25 + 0.75 * abs(pair.diff) / largest
            better[place[up], place[down]] = worse[place[down], place[up]] = depth
    levels.frame(ax, theme, ranking.systems, k)
    # As many columns have their number as there is room for; a number asks for 1.8 of its height
    # and 0.6 a digit.
    asked = (1.8 + 0.6 * len(str(k))) * sizes(ax).small
    step = 10 * math.ceil(asked / (720.0 * _cell(ax, k)))
    ticks = sorted({0, *range(step - 1, k, step)})
    ax.set_xticks(ticks, [str(tick + 1) for tick in ticks])
    for shares, reading in ((better, "better"), (worse, "worse")):
        levels.draw_levels(ax, shares, theme.of_reading(reading), deepest=0.7)
    label_x(ax, theme, _words(ranking))
    return ax


def _nothing_to_draw(ranking: Ranking) -> str:
    """Return why there is no picture, or nothing."""
    if ranking.n_queries < 2:
        few = "No queries" if ranking.n_queries == 0 else "Only 1 query"
        return f"{few}: no pair can be told apart."
    if ranking.baseline is not None:
        return "Only pairs with the baseline were tested: the leaderboard shows them."
    if len(ranking.systems) > MOST:
        k = display.count(len(ranking.systems))
        return f"{k} systems are too many for a picture of all pairs: see the table."
    return ""


def _frame(ax: Axes, theme: Theme, ranking: Ranking) -> None:
    """Name rows and columns, and draw the lines between the cells."""
    k = len(ranking.systems)
    small = sizes(ax).small if k <= NUMBERED else 7.0
    names = [shorten(name, width=12 if inches(ax) < NARROW else 22) for name in ranking.systems]
    ax.patch.set_visible(False)
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set(xlim=(-0.5, k - 0.5), ylim=(k - 0.5, -0.5))
    ax.xaxis.tick_top()
    look: dict[str, Any] = {"fontsize": small, "color": theme.ink, "parse_math": False}
    points = 72.0 * _cell(ax, k)
    # Slanted names need 1.4 of their height; where they have less, the columns are numbered.
    if points >= 1.6 * small:
        slanted: dict[str, Any] = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"}
        ax.set_xticks(range(k), names, **slanted, **look)
    else:
        names = [f"{number}  {name}" for number, name in enumerate(names, start=1)]
        numbered = range(0, k, math.ceil(1.8 * small / points))
        ax.set_xticks(numbered, [str(column + 1) for column in numbered], **look)
    ax.set_yticks(range(k), names, **look)
    ax.tick_params(length=0.0)
    for line in range(k + 1):
        ax.axhline(line - 0.5, color=theme.grid, linewidth=0.8, zorder=2.0)
        ax.axvline(line - 0.5, color=theme.grid, linewidth=0.8, zorder=2.0)


def _cell(ax: Axes, k: int) -> float:
    """Return the width of a cell in inches, about."""
    return 0.8 * inches(ax) / k


def _fill(ax: Axes, theme: Theme, row: int, column: int, reading: str, share: float) -> None:
    """Fill a cell, pale enough for the letters on it."""
    deepest = 0.25 if theme.paper == "none" else 0.5
    ax.add_patch(
        Rectangle(
            (column - 0.5, row - 0.5),
            1.0,
            1.0,
            facecolor=theme.of_reading(reading),
            edgecolor="none",
            # Six depths, so that a drawing holds no more than it needs.
            alpha=round(deepest * (0.25 + 0.75 * round(6.0 * share) / 6.0), 3),
            zorder=1.0,
        )
    )


def _number(
    ax: Axes,
    theme: Theme,
    ranking: Ranking,
    pair: PairRow,
    at: tuple[int, int],
    sign: float,
    told: bool,
    cell: float,
) -> None:
    """Write the difference, and under it the adjusted p-value where there is room."""
    small = sizes(ax).small
    with_p = cell >= ROOM_FOR_P
    shown = labels.signed(sign * pair.diff, digits=theme.digits)
    look: dict[str, Any] = {"color": theme.ink if told else theme.muted, "zorder": 4.0}
    heavy = {"fontweight": "bold" if told else "normal", "fontsize": small}
    lines = [(shown, 0.55 * small if with_p else 0.0, heavy)]
    if with_p:
        lines.append(
            (labels.pvalue(pair.pvalue_adj, alpha=ranking.alpha), -0.65 * small, {"fontsize": 7.0})
        )
    for text, up, own in lines:
        note = write(ax, text, at, shift=(0.0, up), ha="center", va="center", **look, **own)
        # Within its cell it asks for no room, and hundreds of them take their time.
        note.set_in_layout(False)


def _words(ranking: Ranking) -> str:
    return (
        f"row − column, mean {shorten(ranking.measure, width=20)}\n"
        f"filled: told apart, adjusted p < {display.number(ranking.alpha)}"
    )
