"""Plots of a comparison or a ranking: each a function that draws onto an Axes and returns it.

Nothing here shows a window, keeps a figure or changes a setting of matplotlib.
"""

from abrank.plots._theme import DARK, LIGHT, NOTEBOOK, Theme
from abrank.plots.catalogue import PLOTS, RANKING_PLOTS, WIDTHS, Plot, Plots, plot
from abrank.plots.draw_cd import cd
from abrank.plots.draw_cutoffs import cutoffs, judged
from abrank.plots.draw_deltas import deltas
from abrank.plots.draw_distribution import distribution
from abrank.plots.draw_effect import effect
from abrank.plots.draw_forest import forest
from abrank.plots.draw_leaderboard import leaderboard
from abrank.plots.draw_matrix import matrix
from abrank.plots.draw_null import null
from abrank.plots.draw_paired import paired
from abrank.plots.draw_power import power
from abrank.plots.draw_pvalue import pvalue
from abrank.plots.draw_qq import qq
from abrank.plots.draw_recall import recall
from abrank.plots.draw_scatter import scatter
from abrank.plots.draw_segments import segments
from abrank.plots.draw_tests import tests
from abrank.plots.render import png, save, svg

__all__ = [
    "DARK",
    "LIGHT",
    "NOTEBOOK",
    "PLOTS",
    "RANKING_PLOTS",
    "WIDTHS",
    "Plot",
    "Plots",
    "Theme",
    "cd",
    "cutoffs",
    "deltas",
    "distribution",
    "effect",
    "forest",
    "judged",
    "leaderboard",
    "matrix",
    "null",
    "paired",
    "plot",
    "png",
    "power",
    "pvalue",
    "qq",
    "recall",
    "save",
    "scatter",
    "segments",
    "svg",
    "tests",
]
