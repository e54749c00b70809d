"""Achieved significance levels: how many pairs of systems each measure tells apart."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.transforms import Affine2D, ScaledTranslation

from abrank._support import display
from abrank._support.display import shorten
from abrank.plots.registry import RANKING_PLOTS, plot
from abrank.plots.style.style import (
    NARROW,
    dress,
    inches,
    label_x,
    label_y,
    new_axes,
    say,
    sizes,
    write,
)
from abrank.plots.style.theme import LIGHT, Theme

if TYPE_CHECKING:
    from abrank.ranking import Ranking

SIZE = (5.6, 3.1)
# The axis ends at so many times alpha: above it no claim is near.
MOST_ALPHAS, MOST_MEASURES = 4.0, 8
_DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))


@plot("achieved", title="Achieved significance levels by measure", size=SIZE, of=RANKING_PLOTS)
def achieved(ranking: Ranking, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the p-values of all pairs by each measure, smallest first.

    Where a curve meets the line at alpha, the share of pairs below is the measure's discriminative
    power: the further right, the more pairs it tells apart (Sakai 2006, SIGIR, 525-532). It takes
    :func:`abrank.ranking.with_extras` with ``instruments``. Of more than 8 measures the first are
    drawn.

    Examples
    --------
    >>> from abrank.ranking import rank_scores, with_extras
    >>> ranking = rank_scores({"X": {"q1": 0.3, "q2": 0.6}, "Y": {"q1": 0.5, "q2": 0.9}})
    >>> achieved(with_extras(ranking, instruments=True)).get_ylabel()
    'p, not adjusted'
    """
    ax = ax if ax is not None else new_axes(theme, SIZE)
    shown = ranking.extras.instruments[:MOST_MEASURES]
    if not shown:
        return say(ax, theme, "Measures were not looked at as instruments (--instruments).")
    dress(ax, theme, grid="both", spines=("bottom", "left"))
    top = min(1.0, MOST_ALPHAS * ranking.alpha)
    ax.set(xlim=(0.0, 100.0), ylim=(0.0, top))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0f}%")
    ticks = [each * ranking.alpha for each in range(5) if each * ranking.alpha <= top]
    ax.set_yticks(ticks, list(map(display.number, ticks)))
    ax.axhline(ranking.alpha, color=theme.muted, linewidth=1.0, zorder=1.0)
    colours = cycle((theme.b, theme.a, theme.ink, theme.muted))
    for place, (each, colour) in enumerate(zip(shown, colours, strict=False)):
        n = len(each.achieved_levels)
        shares = [0.0, *(100.0 * (i + 1) / n for i in range(n))]
        dash = _DASHES[(place + place // len(_DASHES)) % len(_DASHES)]
        look: dict[str, Any] = {"color": colour, "linestyle": dash, "linewidth": 2.0, "zorder": 3.0}
        ax.step(shares, [0.0, *each.achieved_levels], where="pre", **look)
        _name(ax, theme, place, each.measure, look)
    level = display.number(ranking.alpha)
    pairs = display.plural(len(shown[0].achieved_levels), "pair")
    label_x(ax, theme, f"share of {pairs}, the smallest p first; line: alpha {level}")
    label_y(ax, theme, "p, not adjusted")
    return ax


def _name(ax: Axes, theme: Theme, place: int, measure: str, look: dict[str, Any]) -> None:
    """Name a curve right of the frame, beside a piece of it."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    down = -0.6 * sizes(ax).small - 1.6 * place * sizes(ax).small
    write(
        ax, shorten(measure, width=14 if inches(ax) < NARROW else 20), (1.0, 1.0),
        coords="axes fraction", shift=(34.0, down), ha="left", va="center", color=theme.ink,
    )  # fmt: skip
    shift = ScaledTranslation(0.0, down / 72.0, figure.dpi_scale_trans)
    # In points right of the corner of the frame.
    corner = ScaledTranslation(1.0, 1.0, ax.transAxes) + shift  # type: ignore[arg-type]
    ends = Affine2D().scale(1.0 / 72.0) + figure.dpi_scale_trans + corner
    ax.plot([8.0, 30.0], [0.0, 0.0], transform=ends, clip_on=False, **look)
