"""Systems by queries: who scores what where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from abrank._support import display
from abrank._support.display import shorten
from abrank._support.typing import FloatArray
from abrank.plots.ranking import levels
from abrank.plots.registry import RANKING_PLOTS, plot
from abrank.plots.style.style import label_x, new_axes, say
from abrank.plots.style.theme import LIGHT, Theme

if TYPE_CHECKING:
    from abrank.ranking import Ranking

MOST_COLUMNS = 240


def queries_size(ranking: Ranking) -> tuple[float, float]:
    """Return width and height in inches."""
    return 7.0, 0.75 + levels.height(len(ranking.systems))


@plot("queries", title="Every system on every query", size=queries_size, of=RANKING_PLOTS)
def queries(ranking: Ranking, *, ax: Axes | None = None, theme: Theme = LIGHT) -> Axes:
    """Draw the score of every system on every query, the higher the deeper.

    The systems stand as in the leaderboard, the queries by their mean over the systems, highest
    first. Of more than 240 queries neighbours in that order share a column, which shows their mean.

    Examples
    --------
    >>> from abrank.ranking import rank_scores
    >>> ranking = rank_scores({"X": {"q1": 0.3, "q2": 0.6}, "Y": {"q1": 0.5, "q2": 0.9}})
    >>> print(queries(ranking).get_xlabel())
    2 queries, the highest mean over the systems first
    score 0.300 to 0.900, deeper is higher
    """
    ax = ax if ax is not None else new_axes(theme, queries_size(ranking))
    if ranking.n_queries == 0:
        return say(ax, theme, "No queries: nothing to draw.")
    scores = ranking.scores.T
    columns = by_difficulty(scores)
    least, most = float(scores.min()), float(scores.max())
    levels.frame(ax, theme, ranking.systems, columns.shape[1])
    ax.set_xticks([])
    floor = min(least, 0.0)
    levels.draw_levels(ax, (columns - floor) / ((most - floor) or 1.0), theme.b)
    ends = " to ".join(display.score(value, digits=theme.digits) for value in (least, most))
    count = display.plural(ranking.n_queries, "query", "queries")
    shared = " (neighbours share a column)" if columns.shape[1] < scores.shape[1] else ""
    score = "score" if ranking.measure == "score" else shorten(ranking.measure, width=24)
    label_x(
        ax, theme,
        f"{count}{shared}, the highest mean over the systems first\n"
        f"{score} {ends}, deeper is higher",
    )  # fmt: skip
    return ax


def by_difficulty(scores: FloatArray) -> FloatArray:
    """Return a column a query, highest mean first; of very many, the means of neighbours.

    Parameters
    ----------
    scores : float64[n_systems, n_queries]

    Returns
    -------
    float64[n_systems, n_columns]
        At most 240 columns.

    Examples
    --------
    >>> by_difficulty(np.array([[0.1, 0.5], [0.2, 0.4]]))
    array([[0.5, 0.1],
           [0.4, 0.2]])
    """
    ordered = scores[:, np.argsort(-scores.mean(axis=0), kind="stable")]
    if ordered.shape[1] <= MOST_COLUMNS:
        return ordered
    parts = np.array_split(ordered, MOST_COLUMNS, axis=1)
    return np.stack([part.mean(axis=1) for part in parts], axis=1)
