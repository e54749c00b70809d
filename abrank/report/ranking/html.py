"""The ranking as one HTML file that opens anywhere: offline, without scripts, dark, on paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abrank._support import display as f
from abrank.report.formats.html import Chip, Drawer, systems_page
from abrank.report.model import Figure
from abrank.report.ranking import columns
from abrank.report.ranking.compose import compose_ranking
from abrank.report.ranking.sections import chance, to_lead

if TYPE_CHECKING:
    from abrank.ranking import Ranking

# Systems in the figure beside the headline.
LEADING = 12


def ranking_html(
    ranking: Ranking, *, digits: int | None = None, drawer: Drawer | None = None
) -> str:
    """Return the report of a ranking as one HTML document without any outside part.

    Parameters
    ----------
    drawer : callable, optional
        Draws the figures, called as ``abrank.plots.svg`` is; ``abrank.plots.svg`` without it.

    Examples
    --------
    >>> from abrank.ranking import rank_scores
    >>> made = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.5, "q2": 0.9, "q3": 0.2}}
    >>> ranking_html(rank_scores(made))[:15]
    '<!doctype html>'
    """
    digits = ranking.decimals if digits is None else digits
    report = compose_ranking(ranking, digits=digits)
    interval = "difference" if columns.has_intervals(ranking) else "within"
    shown = {"interval": interval, "most": LEADING}
    return systems_page(
        report,
        ranking,
        Figure("leaderboard", report.headline.numbers, shown),
        _chips(ranking),
        first=f.score(ranking.rows[0].mean, digits=digits),
        digits=digits,
        drawer=drawer,
    )


def _chips(ranking: Ranking) -> list[Chip]:
    """Return the numbers beside the leaderboard."""
    what = "pairs" if ranking.baseline is None else "comparisons"
    share = f"{f.count(ranking.n_significant)} of {f.count(len(ranking.pair_rows))}"
    found = [Chip(f"{what.capitalize()} told apart", share, ranking.title)]
    if ranking.stability and ranking.n_queries > 1:
        drawn = f"{f.count(ranking.n_drawn)} resamples of the queries"
        found.append(Chip(f"{to_lead(ranking)} again", chance(ranking.stability[0].first), drawn))
    return found
