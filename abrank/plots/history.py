"""What a ledger's comparisons found, added up over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from abrank._support.display import shorten
from abrank.plots.registry import plot
from abrank.plots.style import LIGHT, Theme, dress, label_x, label_y, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from abrank.ledger import History

SIZE = (7.0, 2.6)


@plot("gains", title="Gains found, added up", size=SIZE, of="History")
def gains(history: History, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the sum of the gains found, and of what is to be expected again of them.

    A comparison that found nothing adds nothing to either.

    Examples
    --------
    >>> from abrank.ledger import History
    >>> gains(History("gates", (), (), (), ())).get_xlabel()
    'comparison'
    """
    ax = ax if ax is not None else new_axes(theme, SIZE)
    dress(ax, theme)
    found = history.gains()
    places = np.arange(len(found) + 1)
    sums = np.vstack([np.zeros(2), np.cumsum(np.array(found).reshape(-1, 2), axis=0)])
    for column, (label, colour) in enumerate((("found", theme.muted), ("expected again", theme.b))):
        ax.step(places, sums[:, column], where="post", color=colour, linewidth=1.8)
        ax.annotate(
            label,
            (float(places[-1]), float(sums[-1, column])),
            xytext=(4, 0), textcoords="offset points", va="center", color=colour,
        )  # fmt: skip
    ax.xaxis.set_major_locator(MaxNLocator(7, integer=True))
    ax.set_xlim(0, max(len(found), 1) * 1.16)
    label_x(ax, theme, "comparison")
    label_y(ax, theme, f"sum of gains, {shorten(history.measure, width=24)}")
    return ax
