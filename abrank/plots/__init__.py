"""Plots of results: each is a function that draws onto an Axes and returns it.

Nothing here opens a window, keeps a figure or changes matplotlib's settings. The parameters that
all plots share are described in :mod:`~abrank.plots.registry` and added to the docstrings here.
"""

from abrank._support.registry import complete
from abrank.plots.curves import cutoffs, distribution, power
from abrank.plots.grids import matrix, queries
from abrank.plots.intervals import collections, forest, segments
from abrank.plots.per_query import deltas, paired, scatter
from abrank.plots.picture import Picture, Plots
from abrank.plots.registry import PARAMETERS, PLOTS, WIDTHS, Plot, plot, plots_of
from abrank.plots.render import png, save, svg
from abrank.plots.style import DARK, LIGHT, NOTEBOOK, Theme
from abrank.plots.systems import cd, leaderboard, means, rank_intervals, ranks

__all__ = [
    "DARK", "LIGHT", "NOTEBOOK", "PLOTS", "WIDTHS", "Picture", "Plot", "Plots", "Theme",
    "cd", "collections", "cutoffs", "deltas", "distribution", "forest",
    "leaderboard", "matrix", "means", "paired", "plot", "plots_of", "png", "power", "queries",
    "rank_intervals", "ranks", "save", "scatter", "segments", "svg",
]  # fmt: skip

for _plot in PLOTS.values():
    complete(_plot.draw, PARAMETERS, Returns="Axes")
