"""Many systems on several collections as one HTML file that opens anywhere."""

from __future__ import annotations

from abrank._support import display as f
from abrank.collections import CollectionsRanking
from abrank.report.collections.systems import words
from abrank.report.collections.systems.compose import compose_standings
from abrank.report.formats.html import Chip, systems_page
from abrank.report.model import Figure
from abrank.report.ranking.html import LEADING
from abrank.report.ranking.names import name
from abrank.report.ranking.sections import chance, to_lead


def standings_html(found: CollectionsRanking, *, digits: int | None = None) -> str:
    """Return the report as one HTML document without any outside part.

    Examples
    --------
    >>> from abrank.collections import rank_collections
    >>> one = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.6, "q2": 0.8, "q3": 0.3}}
    >>> standings_html(rank_collections({"web": one, "news": one}))[:15]
    '<!doctype html>'
    """
    digits = found.decimals if digits is None else digits
    report = compose_standings(found, digits=digits)
    return systems_page(
        report,
        found,
        Figure("means", report.headline.numbers, {"most": LEADING}),
        _chips(found),
        first=f.score(found.primary.rows[0].mean, digits=digits),
        digits=digits,
    )


def _chips(found: CollectionsRanking) -> list[Chip]:
    """Return the numbers beside the leaderboard."""
    top, n = found.primary.rows[0], f.count(len(found.systems))
    first, like = (len(found.primary.first(like=each)) for each in (False, True))
    here = f"on these {f.count(len(found.rankings))} collections"
    leader = f"{name(top.system)}, rank {words.ranks(top.these)}"
    return [
        Chip("May be called first", f"{f.count(first)} of {n}", here),
        Chip("On collections like these", f"{f.count(like)} of {n}"),
        Chip(f"{to_lead(found.primary.these)} again", chance(top.these.lead), leader),
    ]
