"""The ranking as one HTML file that opens anywhere: offline, without scripts, dark, on paper."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import abrank
from abrank import plots
from abrank._support import display as f
from abrank.report.formats.html import (
    DRAWN,
    PALETTE,
    Drawer,
    around,
    figure_of,
    folded_cautions,
    page_of,
)
from abrank.report.formats.jinja import environment
from abrank.report.model import Figure
from abrank.report.ranking import columns
from abrank.report.ranking.compose import compose_ranking
from abrank.report.ranking.sections import chance

if TYPE_CHECKING:
    from abrank.ranking import Ranking

# Systems in the figure beside the headline.
LEADING = 12


def ranking_html(ranking: Ranking, *, digits: int = f.DIGITS, drawer: Drawer | None = None) -> str:
    """Return the report of a ranking as one HTML document without any outside part.

    Parameters
    ----------
    drawer : callable, optional
        Draws the figures, called as ``abrank.plots.svg`` is; ``abrank.plots.svg`` without it.

    Returns
    -------
    str
        The same text for the same ranking.

    Examples
    --------
    >>> from abrank.ranking import rank_scores
    >>> made = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.5, "q2": 0.9, "q3": 0.2}}
    >>> ranking_html(rank_scores(made))[:15]
    '<!doctype html>'
    """
    report = compose_ranking(ranking, digits=digits)
    draw = partial(figure_of, drawer=drawer or plots.svg, subject=ranking, digits=digits)
    interval = "difference" if columns.has_intervals(ranking) else "within"
    leading = Figure(
        "leaderboard", report.headline.numbers, {"interval": interval, "most": LEADING}
    )
    page = environment().get_template("ranking.html")
    text = page.render(
        version=abrank.__version__,
        report=report,
        numbers=around(
            report.headline.numbers,
            f.score(ranking.rows[0].mean, digits=digits),
        ),
        leading=draw(leading, "leading"),
        pages=[page_of(section, draw) for section in report.sections],
        cautions=folded_cautions(report.cautions),
        chips=_chips(ranking),
        palette=PALETTE,
        drawn=DRAWN,
    )
    return text.encode("utf-8", "replace").decode("utf-8")


def _chips(ranking: Ranking) -> list[dict[str, str]]:
    """Return the numbers beside the leaderboard."""
    n = len(ranking.pair_rows)
    what = "pairs" if ranking.baseline is None else "comparisons"
    found = [
        {
            "title": f"{what.capitalize()} told apart",
            "value": f"{f.count(ranking.n_significant)} of {f.count(n)}",
            "note": ranking.title,
        }
    ]
    if ranking.stability and ranking.n_queries > 1:
        first = ranking.stability[0]
        found.append(
            {
                "title": "Chance to lead again",
                "value": chance(first.first),
                "note": f"{f.count(ranking.n_drawn)} resamples of the queries",
            }
        )
    return found
