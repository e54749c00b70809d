"""What the ranking of many systems over several collections says, in sentences."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from abrank._support import display as f
from abrank._support.files import name_of
from abrank.collections import CollectionsRanking, MeasureStandings, Standing
from abrank.ranking import Ranking
from abrank.report.ranking import columns
from abrank.report.ranking.names import name
from abrank.report.ranking.sections import chance

# Names that a sentence lists.
MOST_NAMES = 4
CLAIMS = (
    "Rank, on these collections: the collections stay, and their queries are drawn anew; all pairs"
    " by the smallest p of each bootstrap sample (Westfall and Young 1993). Like these: the"
    " collections are a sample, each one observation (test: {like}). Collections weigh equally. A"
    " rank interval counts the systems shown to be better and worse, for all pairs together"
    " (Mogstad, Romano, Shaikh and Wilhelm 2024). A system may be called first if no other is shown"
    " to be better."
)


def title(found: CollectionsRanking) -> str:
    """Say in one sentence who may be called first on these collections.

    Examples
    --------
    >>> from abrank.collections import rank_collections
    >>> one = {"X": {"q1": 0.3, "q2": 0.6}, "Y": {"q1": 0.5, "q2": 0.4}, "Z": {"q1": 0, "q2": 0.7}}
    >>> title(rank_collections({"web": one, "news": one}))
    'On these 2 collections any of the 3 systems may be called first.'
    """
    if not found.primary.these.direction_declared:
        measure = name(found.primary.measure)
        return f"Is lower better for {measure}? Until that is said nobody is first."
    n, first = len(found.systems), found.primary.first()
    these = f"these {f.count(len(found.rankings))} collections"
    if len(first) == n:
        which = "either of the 2" if n == 2 else f"any of the {f.count(n)}"
        return f"On {these} {which} systems may be called first."
    if len(first) == 1:
        return f"Only {name(first[0])} may be called first of {f.count(n)} systems on {these}."
    may = f"{f.count(len(first))} may be called first"
    return f"Of {f.count(n)} systems {may} on {these}: {_list(first)}."


def _list(names: tuple[str, ...]) -> str:
    """Return names in a row, of many the first."""
    shown = list(map(name, names))
    return f.listed(shown) if len(shown) <= MOST_NAMES else f.first_of(shown, MOST_NAMES)


def like_these(found: CollectionsRanking) -> str:
    """Say who may be called first on collections like these."""
    these, like = found.primary.first(), found.primary.first(like=True)
    n = len(found.systems)
    start = "On collections like these"
    if set(like) == set(these):
        if len(like) == n:
            return f"{start} nothing more can be said."
        return f"{start} the same may be." if len(like) > 1 else f"{start} it alone may, too."
    if len(like) == n:
        which = "either" if n == 2 else f"any of the {f.count(n)}"
        return f"{start} {which} may be: {f.count(len(found.rankings))} collections tell no more."
    if len(like) == 1:
        return f"{start} only {name(like[0])} may be."
    return f"{start} {f.count(len(like))} may be: {_list(like)}."


def leader(found: CollectionsRanking, *, digits: int) -> str:
    """Return the highest mean with its two intervals."""
    top = found.primary.rows[0]
    ends = [_limits(each, digits) for each in (top.these, top.like)]
    mean = f"the {_best(found.primary)} mean, {f.score(top.mean, digits=digits)}"
    return (
        f"{name(top.system)} has {mean}"
        f" ({f.level(1.0 - found.alpha)} interval {ends[0]} on these collections, {ends[1]} on"
        " collections like them)."
    )


def _best(standings: MeasureStandings) -> str:
    return standings.these.best


def _limits(standing: Standing, digits: int) -> str:
    return " to ".join(f.score(each, digits=digits) for each in (standing.ci_low, standing.ci_high))


def leads(found: CollectionsRanking) -> str:
    """Say how often the first would lead with other queries, and with other collections."""
    top = found.primary.rows[0]
    drawn = f.count(found.primary.these.n_drawn)
    return (
        f"{name(top.system)} leads in {chance(top.these.lead)} of {drawn} resamples of the queries,"
        f" and in {chance(top.like.lead)} where the collections are resampled, too."
    )


def firsts(found: CollectionsRanking) -> str:
    """Say who has the best mean on how many collections."""
    rows = sorted(found.primary.rows, key=lambda row: -row.n_first)
    shown = [row for row in rows if row.n_first][:MOST_NAMES]
    said = ", ".join(f"{name(row.system)} on {f.count(row.n_first)}" for row in shown)
    n = f.count(len(found.rankings))
    return f"Collections with the {_best(found.primary)} mean, of {n}: {said}."


def sentences(found: CollectionsRanking, *, digits: int) -> list[str]:
    """Return what is said under the table, a sentence or two each."""
    return [leader(found, digits=digits), leads(found), firsts(found), *measures(found)]


def measures(found: CollectionsRanking) -> list[str]:
    """Say who may be called first by each further measure."""
    return [
        f"By {name(each.measure)} {f.count(len(each.first()))} may be called first on these"
        f" collections ({_list(each.first())}), {f.count(len(each.first(like=True)))} on"
        " collections like them."
        for each in found.measures[1:]
    ]


def claims(found: CollectionsRanking) -> str:
    """Say what the two columns of ranks claim, and by which tests."""
    several = " Each measure is a family of its own." if len(found.measures) > 1 else ""
    level = f" All at alpha {f.number(found.alpha)}."
    return CLAIMS.format(like=found.primary.like.title) + level + several


def context(found: CollectionsRanking) -> list[str]:
    """Return what is ranked, where."""
    return [
        f.plural(len(found.systems), "system"),
        f.plural(len(found.rankings), "collection"),
        f.plural(found.n_queries, "query", "queries"),
        ", ".join(name(each.measure) for each in found.measures),
    ]


def ranks(standing: Standing) -> str:
    """Return a rank interval.

    Examples
    --------
    >>> nothing = [float("nan")] * 4
    >>> ranks(Standing(*nothing, 1, 3, 0.4)), ranks(Standing(*nothing, 2, 2, 0.0))
    ('1 to 3', '2')
    """
    if standing.rank_low == standing.rank_high:
        return f.count(standing.rank_low)
    return f"{f.count(standing.rank_low)} to {f.count(standing.rank_high)}"


def one_collection(ranking: Ranking) -> str:
    """Say who leads on one collection."""
    first, others = name(ranking.systems[0]), len(ranking.leaders) - 1
    n = f.count(len(ranking.systems) - 1)
    told = "better than all others" if not others else f"{f.count(others)} of {n} not told apart"
    ahead = len(columns.ahead(ranking))
    if ahead:
        told = f"{f.count(ahead)} of {n} shown to be better"
    return f"{f.plural(ranking.n_queries, 'query', 'queries')}, {first} leads, {told}"


def rank_command(collection: str, ranking: Ranking) -> str:
    """Return what makes the page of one collection; empty for objects in memory."""
    inputs: Mapping[str, Any] = ranking.provenance.get("inputs") or {}
    paths: dict[str, str] = {
        role: (source or {}).get("path") or "" for role, source in inputs.items()
    }
    qrels = paths.pop("qrels", "")
    if not set(ranking.systems) <= {system for system, path in paths.items() if path}:
        return ""
    runs = [
        path if Path(path).stem == system else f"{system}={path}" for system, path in paths.items()
    ]
    flags = [part for each in ranking.measures if each != "score" for part in ("-m", each)]
    report = f"html:reports/{name_of(collection) or 'collection'}.html"
    files = [qrels, *runs] if qrels else ["--scores", *dict.fromkeys(paths.values())]
    return shlex.join(["abrank", "rank", *files, *flags, "--report", report])
