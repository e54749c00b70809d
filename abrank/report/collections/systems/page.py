"""Many systems on several collections as one HTML file that opens anywhere."""

from __future__ import annotations

from functools import partial

import abrank
from abrank import plots
from abrank._support import display as f
from abrank.collections import CollectionsRanking
from abrank.report.collections.systems import words
from abrank.report.collections.systems.compose import compose_standings
from abrank.report.formats.html import (
    DRAWN,
    PALETTE,
    around,
    figure_of,
    folded_cautions,
    page_of,
)
from abrank.report.formats.jinja import environment
from abrank.report.model import Figure
from abrank.report.ranking.html import LEADING
from abrank.report.ranking.names import name
from abrank.report.ranking.sections import chance


def standings_html(found: CollectionsRanking, *, digits: int = f.DIGITS) -> str:
    """Return the report as one HTML document without any outside part.

    Returns
    -------
    str
        The same text for the same result.

    Examples
    --------
    >>> from abrank.collections import rank_collections
    >>> one = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.6, "q2": 0.8, "q3": 0.3}}
    >>> standings_html(rank_collections({"web": one, "news": one}))[:15]
    '<!doctype html>'
    """
    report = compose_standings(found, digits=digits)
    draw = partial(figure_of, drawer=plots.svg, subject=found, digits=digits)
    page = environment().get_template("ranking.html")
    text = page.render(
        version=abrank.__version__,
        report=report,
        numbers=around(report.headline.numbers, f.score(found.primary.rows[0].mean, digits=digits)),
        leading=draw(Figure("means", report.headline.numbers, {"most": LEADING}), "leading"),
        pages=[page_of(section, draw) for section in report.sections],
        cautions=folded_cautions(report.cautions),
        chips=_chips(found),
        palette=PALETTE,
        drawn=DRAWN,
    )
    return text.encode("utf-8", "replace").decode("utf-8")


def _chips(found: CollectionsRanking) -> list[dict[str, str]]:
    """Return the numbers beside the leaderboard."""
    top, n = found.primary.rows[0], f.count(len(found.systems))
    like = len(found.primary.first(like=True))
    return [
        {
            "title": "May be called first",
            "value": f"{f.count(len(found.primary.first()))} of {n}",
            "note": f"on these {f.count(len(found.rankings))} collections",
        },
        {"title": "On collections like these", "value": f"{f.count(like)} of {n}", "note": ""},
        {
            "title": "Chance to lead again",
            "value": chance(top.these.lead),
            "note": f"{name(top.system)}, rank {words.ranks(top.these)}",
        },
    ]
