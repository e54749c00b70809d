"""Every query by its two scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from abrank._support import display
from abrank._support.display import shorten
from abrank._support.typing import FloatArray, IntArray
from abrank.plots.registry import plot
from abrank.plots.style import labels
from abrank.plots.style.labels import PlainTicks
from abrank.plots.style.style import (
    NARROW,
    dress,
    inches,
    label_x,
    label_y,
    new_axes,
    say,
    score_limits,
    write,
)
from abrank.plots.style.theme import LIGHT, Theme
from abrank.plots.style.words import systems

if TYPE_CHECKING:
    from abrank.comparison import Comparison, MeasureResult

SIZE = (4.6, 4.6)
# More dots than these hide each other.
MANY = 2_000
LEVELS = 6
_MARKERS = {1: "^", -1: "v", 0: "o"}


@plot("scatter", title="Every query by its two scores", size=SIZE)
def scatter(
    comparison: Comparison,
    *,
    measure: str | None = None,
    ax: Axes | None = None,
    theme: Theme = LIGHT,
) -> Axes:
    """Draw the score of A across and that of B upwards: above the diagonal B scores higher.

    Shape and colour both tell who wins. The cross stands at the two means, which the axes name.
    For more than 2 000 queries hexagons count them, the darker the more, on a logarithmic scale.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6})
    >>> scatter(result).get_xlabel()
    'A, score (mean 0.300)'
    """
    ax = ax if ax is not None else new_axes(theme, SIZE)
    if comparison.n_queries == 0:
        return say(ax, theme, "No queries: nothing to draw.")
    row = comparison[measure or comparison.rule.primary]
    column = comparison.measures.index(row.measure)
    a, b = comparison.a[:, column], comparison.b[:, column]
    signs = comparison.outcomes(row.measure)
    dress(ax, theme, grid="both", spines=("bottom", "left"))
    limits = score_limits(a, b)
    ax.set(xlim=limits, ylim=limits, aspect="equal")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(PlainTicks())
    ax.yaxis.set_ticks(_ticks(limits))
    ax.xaxis.set_ticks(_ticks(limits))
    ax.plot(limits, limits, color=theme.ink, linewidth=1.0, zorder=2.0)
    shade = ""
    # A complex number a spot: numpy sorts these fast, rows of a table slowly.
    spot = a + 1j * b
    if len(np.unique(spot[: 10 * MANY])) > MANY or len(np.unique(spot)) > MANY:
        shade = _hexagons(ax, theme, a, b, signs)
    else:
        _, place, times = np.unique(spot, return_index=True, return_counts=True)
        shade = _dots(ax, theme, np.column_stack([a, b])[place], signs[place], times)
    if len(a) > 1:
        _mean(ax, theme, row.mean_a, row.mean_b)
    _counts(ax, theme, row)
    words = shorten(row.measure, width=20)
    means = [labels.plain(mean, digits=theme.digits) for mean in (row.mean_a, row.mean_b)]
    first, second = systems(comparison, 14 if inches(ax) < NARROW else 24)
    label_x(ax, theme, f"{first}, {words} (mean {means[0]}){shade}")
    label_y(ax, theme, f"{second}, {words} (mean {means[1]})")
    return ax


def _ticks(limits: tuple[float, float]) -> list[float]:
    from matplotlib.ticker import MaxNLocator

    places = MaxNLocator(6, steps=[1, 2, 5, 10]).tick_values(*limits)
    return [float(place) for place in places if limits[0] <= place <= limits[1]]


def _dots(ax: Axes, theme: Theme, spots: FloatArray, signs: IntArray, times: IntArray) -> str:
    """Draw a dot a spot, the larger the more queries share it; return what the size means."""
    size = 26.0 if len(spots) <= 100 else 15.0 if len(spots) <= 600 else 8.0
    areas = np.minimum(size * times**0.7, 420.0)
    for outcome, marker in _MARKERS.items():
        chosen = signs == outcome
        if chosen.any():
            ax.scatter(
                spots[chosen, 0],
                spots[chosen, 1],
                s=areas[chosen],
                marker=marker,
                color=theme.of_outcome(outcome),
                alpha=0.7,
                linewidths=0.0,
                zorder=3.0,
                clip_on=False,
            )
    most = int(times.max())
    if most < 3:
        return ""
    return f"\nlarger: more queries at one spot, up to {display.count(most)}"


def _hexagons(ax: Axes, theme: Theme, a: FloatArray, b: FloatArray, signs: IntArray) -> str:
    """Draw cells by who wins most of them and by log count; return what the shade means."""
    limits = ax.get_xlim()
    lattice: dict[str, Any] = {"gridsize": 32, "extent": (*limits, *limits)}
    drawn = [ax.hexbin(a[who], b[who], **lattice) for who in (signs < 2, signs > 0, signs < 0)]
    centres = np.asarray(drawn[0].get_offsets(), dtype=np.float64)
    corners = np.asarray(drawn[0].get_paths()[0].vertices)
    counts, won, lost = (np.asarray(each.get_array(), dtype=np.float64) for each in drawn)
    for each in drawn:
        each.remove()
    ax.set(xlim=limits, ylim=limits)
    held = counts > 0.0
    centres, counts, won, lost = centres[held], counts[held], won[held], lost[held]
    # Who wins most of the queries of a cell; nobody where half of them are ties.
    winner = np.where(2.0 * (won + lost) > counts, np.sign(won - lost), 0.0)
    most = float(counts.max())
    # The queries are more than the cells, so that at least two share one.
    depth = 1 + np.round((LEVELS - 1) * np.log(counts) / np.log(most)).astype(np.int64)
    for outcome in _MARKERS:
        for level in range(1, LEVELS + 1):
            chosen = centres[(winner == outcome) & (depth == level)]
            if len(chosen):
                cells = [Path(corners + centre, closed=True) for centre in chosen]
                patch = PathPatch(
                    Path.make_compound_path(*cells),
                    facecolor=theme.of_outcome(outcome),
                    edgecolor="none",
                    # From pale to full; the palest can still be seen on the paper.
                    alpha=0.1 + 0.9 * level / LEVELS,
                    zorder=1.5,
                )
                ax.add_patch(patch)
    return f"\ndarker: more queries in a cell, 1 to {display.count(int(most))}, logarithmic"


def _mean(ax: Axes, theme: Theme, a: float, b: float) -> None:
    """Mark the two means by a cross, with thin lines to the axes that name them."""
    low_x, low_y = ax.get_xlim()[0], ax.get_ylim()[0]
    ax.plot(
        [low_x, a, a],
        [b, b, low_y],
        color=theme.ink,
        linewidth=0.8,
        linestyle=(0, (2, 2)),
        zorder=3.5,
    )
    halo = {"color": theme.paper, "markersize": 12.0, "markeredgewidth": 4.5}
    cross = {"color": theme.ink, "markersize": 10.0, "markeredgewidth": 2.2}
    for look in (halo, cross) if theme.paper != "none" else (cross,):
        ax.plot([a], [b], marker="+", linestyle="none", zorder=4.0, **look)  # type: ignore[arg-type]


def _counts(ax: Axes, theme: Theme, row: MeasureResult) -> None:
    """Write above the frame how many queries each side wins, on its side of the diagonal."""
    at: dict[str, Any] = {"coords": "axes fraction", "va": "bottom", "shift": (0.0, 5.0)}
    parts = [(1, row.wins, "▲ B wins"), (0, row.ties, "● ties"), (-1, row.losses, "▼ A wins")]
    if not row.higher_is_better:
        parts.reverse()
    sides = (("left", 0.0), ("center", 0.5), ("right", 1.0))
    for (outcome, number, words), (side, place) in zip(parts, sides, strict=True):
        colour = theme.of_outcome(outcome) if outcome else theme.muted
        write(ax, f"{words} {display.count(number)}", (place, 1.0), ha=side, color=colour, **at)
