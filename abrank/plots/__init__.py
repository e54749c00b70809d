"""Plots of a comparison: each a function that draws onto an Axes and returns it.

Nothing here shows a window, keeps a figure or changes a setting of matplotlib.
"""

from abrank.plots._style import DARK, LIGHT, NOTEBOOK, Theme
from abrank.plots.catalogue import PLOTS, WIDTHS, Plot, Plots, plot
from abrank.plots.draw_deltas import deltas
from abrank.plots.draw_distribution import distribution
from abrank.plots.draw_effect import effect
from abrank.plots.draw_forest import forest
from abrank.plots.draw_power import power
from abrank.plots.draw_scatter import scatter
from abrank.plots.draw_tests import tests
from abrank.plots.render import png, save, svg

__all__ = [
    "DARK",
    "LIGHT",
    "NOTEBOOK",
    "PLOTS",
    "WIDTHS",
    "Plot",
    "Plots",
    "Theme",
    "deltas",
    "distribution",
    "effect",
    "forest",
    "plot",
    "png",
    "power",
    "save",
    "scatter",
    "svg",
    "tests",
]
