"""Plots of a comparison or a ranking: each a function that draws onto an Axes and returns it.

Nothing here shows a window, keeps a figure or changes a setting of matplotlib. What the parameters
of all plots are is said in :mod:`~abrank.plots.registry` and added to their docstrings here.
"""

from itertools import chain

from abrank._support.docstrings import complete
from abrank.plots.collections import collections
from abrank.plots.comparison.cutoffs import cutoffs, judged
from abrank.plots.comparison.deltas import deltas
from abrank.plots.comparison.distribution import distribution
from abrank.plots.comparison.effect import effect
from abrank.plots.comparison.forest import forest
from abrank.plots.comparison.null import null
from abrank.plots.comparison.paired import paired
from abrank.plots.comparison.power import power
from abrank.plots.comparison.pvalue import pvalue
from abrank.plots.comparison.qq import qq
from abrank.plots.comparison.recall import recall
from abrank.plots.comparison.scatter import scatter
from abrank.plots.comparison.segments import segments
from abrank.plots.comparison.tests import tests
from abrank.plots.picture import Picture, Plots
from abrank.plots.ranking.achieved import achieved
from abrank.plots.ranking.critical_difference import cd
from abrank.plots.ranking.leaderboard import leaderboard
from abrank.plots.ranking.matrix import matrix
from abrank.plots.ranking.queries import queries
from abrank.plots.ranking.ranks import ranks
from abrank.plots.registry import (
    COLLECTIONS_PLOTS,
    PARAMETERS,
    PLOTS,
    RANKING_PLOTS,
    STANDINGS_PLOTS,
    WIDTHS,
    Plot,
    plot,
)
from abrank.plots.render import png, save, svg
from abrank.plots.standings import means, rank_intervals
from abrank.plots.style.theme import DARK, LIGHT, NOTEBOOK, Theme

__all__ = [
    "COLLECTIONS_PLOTS",
    "DARK",
    "LIGHT",
    "NOTEBOOK",
    "PLOTS",
    "RANKING_PLOTS",
    "STANDINGS_PLOTS",
    "WIDTHS",
    "Picture",
    "Plot",
    "Plots",
    "Theme",
    "achieved",
    "cd",
    "collections",
    "cutoffs",
    "deltas",
    "distribution",
    "effect",
    "forest",
    "judged",
    "leaderboard",
    "matrix",
    "means",
    "null",
    "paired",
    "plot",
    "png",
    "power",
    "pvalue",
    "qq",
    "queries",
    "rank_intervals",
    "ranks",
    "recall",
    "save",
    "scatter",
    "segments",
    "svg",
    "tests",
]

_REGISTRIES = (PLOTS, RANKING_PLOTS, COLLECTIONS_PLOTS, STANDINGS_PLOTS)
for _plot in chain.from_iterable(each.values() for each in _REGISTRIES):
    complete(_plot.draw, PARAMETERS, Returns="Axes")
