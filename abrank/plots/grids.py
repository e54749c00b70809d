"""Grids of cells for many systems: pairs of systems, and systems by queries."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from abrank._support import display
from abrank._support.display import shorten
from abrank._support.typing import FloatArray
from abrank.plots import style
from abrank.plots.registry import plot
from abrank.plots.style import LIGHT, NARROW, Theme

if TYPE_CHECKING:
    from abrank.ranking import Ranking


# --- Grids of many cells; darker means a larger value

N_LEVELS = 8
# Row heights in inches: if every row is named, and if there are very many.
NAMED, CROWDED, MOST_NAMED = 0.2, 0.075, 40


def height(n_rows: int) -> float:
    """Return the inches that rows take."""
    return n_rows * (NAMED if n_rows <= MOST_NAMED else CROWDED)


def draw_levels(ax: Axes, shares: FloatArray, colour: str, *, deepest: float = 0.95) -> None:
    """Fill cells with a few levels of one colour; each level is drawn as one path."""
    levels = np.ceil(np.clip(shares, 0.0, 1.0) * N_LEVELS).astype(np.int64)
    for level in range(1, N_LEVELS + 1):
        cells = levels == level
        if cells.any():
            look = {"facecolor": colour, "edgecolor": "none", "zorder": 1.0}
            ax.add_patch(PathPatch(_path(cells), alpha=deepest * level / N_LEVELS, **look))


def _path(cells: np.ndarray) -> Path:
    """Return a path with a rectangle for each run of adjacent cells in a row."""
    steps = np.diff(np.pad(cells.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    row, start = (row - 0.5 for row in np.nonzero(steps == 1))
    stop = np.nonzero(steps == -1)[1] - 0.5
    corners = [(start, row), (stop, row), (stop, row + 1.0), (start, row + 1.0), (start, row)]
    points = np.stack([np.stack(corner, axis=1) for corner in corners], axis=1).reshape(-1, 2)
    codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY]
    return Path(points, np.tile(codes, len(row)))


def frame(ax: Axes, theme: Theme, systems: tuple[str, ...], n_columns: int) -> None:
    """Set the limits of a grid and name its rows; of very many, number every tenth."""
    ax.patch.set_facecolor(theme.band if theme.paper != "none" else "none")
    ax.spines[:].set_visible(False)
    ax.set(xlim=(-0.5, n_columns - 0.5), ylim=(len(systems) - 0.5, -0.5))
    longest = 12 if style.inches(ax) < NARROW else 22
    step = 1 if len(systems) <= MOST_NAMED else 10
    places = sorted({0, *range(step - 1, len(systems), step)})
    names = [f"{i + 1}  {shorten(systems[i], width=longest)}" for i in places]
    small = style.sizes(ax).small
    ax.set_yticks(places, names, fontsize=small, color=theme.ink, parse_math=False)
    ax.tick_params(length=0.0, labelcolor=theme.ink, labelsize=small)
    ax.tick_params(axis="x", length=3.0, color=theme.muted, labelcolor=theme.muted)


# --- Every pair of systems

# Maximum numbers of systems: for numbers in the cells; for grid lines and names; for any picture.
NUMBERED, RULED, MOST_SYSTEMS = 20, 40, 400
# Minimum cell width in inches for a difference, and for a p-value below it.
ROOM_FOR_NUMBER, ROOM_FOR_P = 0.4, 0.5


def matrix_size(ranking: Ranking) -> tuple[float, float]:
    """Return width and height in inches."""
    k = len(ranking.systems)
    if k <= NUMBERED:
        return max(4.5, 2.0 + 0.56 * k), 1.4 + 0.4 * k
    if k > RULED:
        return 7.0, 6.6
    return 2.0 + 0.2 * k, 1.4 + 0.2 * k


@plot("matrix", title="Every pair of systems", size=matrix_size, subject="Ranking")
def matrix(ranking: Ranking, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the mean difference of every pair, row minus column.

    Half of the matrix shows every pair once, with the better system as the row. A cell is filled
    and its number bold only if the difference is significant after adjustment; darker means larger.
    The small number is the adjusted p-value. With more than 20 systems there are no numbers, with
    more than 40 only every tenth is named, and more than 400 are not drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scoring.scores import Scores
    >>> values = np.array([[0.3, 0.4, 0.8], [0.5, 0.6, 0.9], [0.1, 0.3, 0.6]])[:, :, None]
    >>> ranking = rank_scores(Scores(("q1", "q2", "q3"), ("X", "Y", "Z"), ("AP",), values))
    >>> [text.get_text() for text in matrix(ranking).texts][:2]
    ['+0.333', '0.250']
    """
    ax = ax if ax is not None else style.new_axes(theme, matrix_size(ranking))
    if sentence := _nothing_to_draw(ranking):
        return style.say(ax, theme, sentence)
    fill = _many if len(ranking.systems) > RULED else _cells
    fill(ax, theme, ranking)
    words = f"row − column, mean {shorten(ranking.measure, width=20)}"
    alpha = display.number(ranking.alpha)
    style.label_x(ax, theme, f"{words}\nfilled: adjusted p < {alpha}")
    return ax


def _cells(ax: Axes, theme: Theme, ranking: Ranking) -> None:
    k = len(ranking.systems)
    _frame(ax, theme, ranking)
    # Light enough for the letters on it.
    _fill(ax, theme, ranking, deepest=0.25 if theme.paper == "none" else 0.5)
    cell, small = _cell(ax, k), style.sizes(ax).small
    if k > NUMBERED or cell < ROOM_FOR_NUMBER:
        return
    place = {system: i for i, system in enumerate(ranking.systems)}
    with_p = cell >= ROOM_FOR_P
    for pair in ranking.pair_rows:
        colour = theme.ink if pair.told_apart else theme.muted
        lines = [(theme.signed(pair.diff), 0.55 * small * with_p, pair.told_apart)]
        if with_p:
            pvalue = style.pvalue(pair.pvalue_adj, alpha=ranking.alpha)
            lines.append((pvalue, -0.65 * small, False))
        for text, up, bold in lines:
            look: dict[str, Any] = {"shift": (0.0, up), "bold": bold, "zorder": 4.0}
            position = (place[pair.a], place[pair.b])
            note = style.write(ax, text, position, colour, "center", "center", **look)
            # It stays in its cell, so layout can skip it, which saves time for hundreds of texts.
            note.set_in_layout(False)


def _fill(ax: Axes, theme: Theme, ranking: Ranking, *, deepest: float) -> None:
    """Fill the cells of significant pairs; darker means a larger difference."""
    k = len(ranking.systems)
    place = {system: i for i, system in enumerate(ranking.systems)}
    depth = {reading: np.zeros((k, k)) for reading in ("better", "worse")}
    largest = max(abs(pair.diff) for pair in ranking.pair_rows) or 1.0
    for pair in ranking.pair_rows:
        if pair.told_apart:
            share = 0.25 + 0.75 * abs(pair.diff) / largest
            depth[pair.reading][place[pair.b], place[pair.a]] = share
    for reading, shares in depth.items():
        draw_levels(ax, shares, theme.of_reading(reading), deepest=deepest)


def _many(ax: Axes, theme: Theme, ranking: Ranking) -> None:
    """Fill the cells for very many systems, without lines and numbers."""
    k = len(ranking.systems)
    frame(ax, theme, ranking.systems, k)
    ax.patch.set_visible(False)
    ax.yaxis.tick_right()
    # Number as many columns as fit; a number needs 1.8 times its height, plus 0.6 per digit.
    room = (1.8 + 0.6 * len(str(k))) * style.sizes(ax).small
    step = 10 * math.ceil(room / (720.0 * _cell(ax, k)))
    ticks = sorted({0, *range(step - 1, k, step)})
    ax.set_xticks(ticks, [str(tick + 1) for tick in ticks])
    ax.xaxis.tick_top()
    half = [(-0.5, -0.5), (k - 0.5, -0.5), (k - 0.5, k - 0.5)]
    ax.fill(*zip(*half, strict=True), facecolor=theme.band, linewidth=0.0, zorder=0.5)
    _fill(ax, theme, ranking, deepest=0.7)


def _nothing_to_draw(ranking: Ranking) -> str:
    if ranking.n_queries < 2:
        return f"{style.few(ranking.n_queries)}: no pair can be tested."
    if ranking.baseline is not None:
        return "Only pairs with the baseline were tested: see the leaderboard."
    if len(ranking.systems) > MOST_SYSTEMS or not ranking.has_all_pairs:
        k = display.count(len(ranking.systems))
        return f"{k} systems are too many for a picture of all pairs: see the table."
    return ""


def _frame(ax: Axes, theme: Theme, ranking: Ranking) -> None:
    k = len(ranking.systems)
    small = style.sizes(ax).small
    names = [
        shorten(name, width=12 if style.inches(ax) < NARROW else 22) for name in ranking.systems
    ]
    ax.patch.set_visible(False)
    ax.spines[:].set_visible(False)
    # The first column and the last row have no pairs.
    ax.set(xlim=(0.5, k - 0.5), ylim=(k - 1.5, -0.5))
    ax.xaxis.tick_top()
    ax.yaxis.tick_right()
    look: dict[str, Any] = {"fontsize": small, "color": theme.ink, "parse_math": False}
    points = 72.0 * _cell(ax, k)
    # Slanted names need 1.4 times their height; with less room the columns are numbered.
    if points >= 1.6 * small:
        slanted: dict[str, Any] = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"}
        ax.set_xticks(range(1, k), names[1:], **slanted, **look)
    else:
        names = [f"{number}  {name}" for number, name in enumerate(names, start=1)]
        numbered = range(1, k, math.ceil(1.8 * small / points))
        ax.set_xticks(numbered, [str(column + 1) for column in numbered], **look)
    step = math.ceil(1.15 * small / points)
    ax.set_yticks(range(0, k - 1, step), names[: k - 1 : step], **look)
    ax.tick_params(length=0.0)
    rules: dict[str, Any] = {"colors": theme.grid, "linewidth": 0.8, "zorder": 2.0}
    places = np.arange(k) - 0.5
    ax.hlines(places, np.maximum(places, 0.5), k - 0.5, **rules)
    ax.vlines(places + 1.0, -0.5, np.minimum(places + 1.0, k - 1.5), **rules)


def _cell(ax: Axes, k: int) -> float:
    return 0.8 * style.inches(ax) / max(1, k - 1)


# --- Systems by queries

MOST_COLUMNS, MOST_DRAWN = 240, 200


def queries_size(ranking: Ranking) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 0.75 + height(min(MOST_DRAWN, len(ranking.systems)))


@plot("queries", title="Every system on every query", size=queries_size, subject="Ranking")
def queries(ranking: Ranking, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the score of every system on every query as a heat map; darker is higher.

    Systems are in the order of the leaderboard; queries are sorted by their mean over the systems,
    highest first. With more than 240 queries, neighbours share a column with their mean; of more
    than 200 systems the first 200 are drawn.

    Examples
    --------
    >>> from abrank.ranking import rank_scores
    >>> ranking = rank_scores({"X": {"q1": 0.3, "q2": 0.6}, "Y": {"q1": 0.5, "q2": 0.9}})
    >>> print(queries(ranking).get_xlabel())
    2 queries, the highest mean over the systems first
    score 0.300 to 0.900, stronger is higher
    """
    ax = ax if ax is not None else style.new_axes(theme, queries_size(ranking))
    if ranking.n_queries == 0:
        return style.say(ax, theme, "No queries: nothing to draw.")
    scores = ranking.scores.T
    columns = by_difficulty(scores)
    minimum, maximum = float(scores.min()), float(scores.max())
    systems = ranking.systems[:MOST_DRAWN]
    frame(ax, theme, systems, columns.shape[1])
    ax.set_xticks([])
    floor = min(minimum, 0.0)
    draw_levels(ax, (columns[: len(systems)] - floor) / ((maximum - floor) or 1.0), theme.b)
    ends = " to ".join(display.score(value, digits=theme.digits) for value in (minimum, maximum))
    count = display.plural(ranking.n_queries, "query", "queries")
    shared = " (neighbours share a column)" if columns.shape[1] < scores.shape[1] else ""
    score = "score" if ranking.measure == "score" else shorten(ranking.measure, width=24)
    first = "" if len(systems) == len(scores) else f"; the first {len(systems)} systems"
    style.label_x(
        ax,
        theme,
        f"{count}{shared}, the highest mean over the systems first\n"
        f"{score} {ends}, stronger is higher{first}",
    )
    return ax


def by_difficulty(scores: FloatArray) -> FloatArray:
    """Return one column per query, highest mean first; of very many, means of neighbours."""
    ordered = scores[:, np.argsort(-scores.mean(axis=0), kind="stable")]
    if ordered.shape[1] <= MOST_COLUMNS:
        return ordered
    parts = np.array_split(ordered, MOST_COLUMNS, axis=1)
    return np.stack([part.mean(axis=1) for part in parts], axis=1)
