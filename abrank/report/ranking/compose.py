"""From a ranking to a report in words: the headline, and the sections that have data."""

from __future__ import annotations

from abrank._support import display as f
from abrank.ranking import Ranking
from abrank.report.model import Headline, Report
from abrank.report.ranking import appendix, columns, extras, pairs, sections
from abrank.report.ranking.cautions import cautions
from abrank.report.ranking.names import name
from abrank.report.sections.notes.declared import say


def compose_ranking(ranking: Ranking, *, digits: int | None = None) -> Report:
    """Return everything a report says about a ranking.

    Returns
    -------
    Report
        Sections without data are left out and named in ``omitted``, with the reason.

    Examples
    --------
    >>> from abrank.ranking import rank_scores
    >>> made = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.5, "q2": 0.9, "q3": 0.2}}
    >>> report = compose_ranking(rank_scores(made))
    >>> report.headline.title
    'Y leads, but X is not told apart from it.'
    """
    digits = ranking.decimals if digits is None else digits
    found = {
        "leaderboard": sections.leaderboard(ranking, digits=digits),
        "measures": sections.measures(ranking, digits=digits),
        "pairs": pairs.pairs(ranking, digits=digits),
        "per-query": sections.per_query(ranking),
        "stability": sections.stability(ranking),
        "lists": sections.lists(ranking),
        "test": appendix.test(ranking, digits=digits),
        "methods": appendix.methods(ranking),
        "reproduce": appendix.reproduce(ranking),
    }
    # What was asked for beside the leaderboard stands before what is said of the test.
    asked = extras.sections(ranking, digits=digits)
    head = headline(ranking, digits=digits)
    created = str(ranking.provenance.get("created") or "")[:10]
    context = [
        f.plural(len(ranking.systems), "system"),
        f.plural(ranking.n_queries, "query", "queries"),
        ", ".join(name(each) for each in ranking.measures),
    ]
    return Report(
        title=f"{head.title.removesuffix('.')} · abrank",
        context=(*context, *([created] if created else [])),
        headline=head,
        cautions=cautions(ranking, digits=digits),
        sections=tuple(
            part
            for key, section in found.items()
            for part in (*(asked if key == "test" else ()), section)
            if part is not None
        ),
        omitted=tuple(_OMITTED[key] for key, section in found.items() if section is None),
    )


_OMITTED = {
    "measures": "Agreement of measures: the systems were ranked by one; give more with --measure.",
    "pairs": "Pairs: it takes two queries.",
    "per-query": "Query by query: there is no query.",
    "stability": "Stability of the ranks: there is no query.",
    "lists": "Overlap of the ranked lists: it takes runs, and 20 systems at most.",
    "test": "Other tests: it takes two queries.",
}


def headline(ranking: Ranking, *, digits: int) -> Headline:
    """Return who leads, who is not told apart from it, and after how many comparisons."""
    verdict, glyph, tag, title = _verdict(ranking)
    return Headline(
        verdict=verdict,
        glyph=glyph,
        tag=tag,
        tone="b" if verdict in ("leads", "better") else "tie",
        title=title,
        numbers=_numbers(ranking, digits),
        meaning=f"{sections.first_places(ranking)} {columns.highest_of_many(ranking)}".strip(),
        next_step=_next_step(ranking),
        rule=_rule(ranking),
    )


def _verdict(ranking: Ranking) -> tuple[str, str, str, str]:
    """Return the verdict, its glyph and tag, and the sentence."""
    on = f" on {name(ranking.measure)}" if ranking.measure != "score" else ""
    if ranking.n_queries < 2:
        few = "No query" if ranking.n_queries == 0 else "One query"
        return "cannot-test", "!", "Cannot test", f"{few} cannot tell systems apart{on}."
    if all(row.reading == "identical" for row in ranking.pair_rows):
        return "identical", "=", "Identical", f"All systems score the same on every query{on}."
    if not ranking.direction_declared:
        first = name(ranking.systems[0])
        said = f"{first} has the {ranking.best} mean{on}; whether that is the best was not said."
        return "not-decided", "!", "Not decided", said
    if ranking.systems[0] in ranking.unsound:
        return "not-decided", "!", "Not decided", columns.no_leader(ranking, on)
    if ranking.baseline is not None:
        return _against(ranking, on)
    first, *others = map(name, ranking.leaders)
    n = len(ranking.systems) - 1
    ahead = [name(each) for each in columns.ahead(ranking)]
    if ahead:
        said = f"{f.first_of(ahead, 3)} {'is' if len(ahead) == 1 else 'are'} shown to be better"
        return "shared", "?", "No leader", f"{first} has the {ranking.best} mean{on}, but {said}."
    if not others:
        than = f"all {f.count(n)} others" if n > 1 else name(ranking.systems[1])
        return "leads", "▲", "One leader", f"{first} is better than {than}{on}."
    if len(others) == 1:
        said = f"{others[0]} is"
    else:
        said = f"{f.count(len(others))} of {f.count(n)} others are"
    return "shared", "≈", "Shared lead", f"{first} leads{on}, but {said} not told apart from it."


def _against(ranking: Ranking, on: str) -> tuple[str, str, str, str]:
    """Return how many systems are better than the baselines."""
    bases = " or ".join(map(name, ranking.baselines))
    better = {row.b for row in ranking.pair_rows if row.reading == "better"}
    n = len({row.b for row in ranking.pair_rows})
    if len(better) == n == 1:
        return "better", "▲", "Better", f"{name(next(iter(better)))} is better than {bases}{on}."
    if better:
        verb = "is" if len(better) == 1 else "are"
        said = f"{f.count(len(better))} of {f.count(n)} systems {verb} better than {bases}{on}."
        return "better", "▲", "Better than the baseline", said
    said = f"No system is shown to be better than {bases}{on}."
    return "none", "?", "None better", said


def _numbers(ranking: Ranking, digits: int) -> str:
    """Return the leader's mean, who is not told apart from it, and the count of comparisons."""
    top = ranking.rows[0]
    start = f"{name(top.system)} has the mean {f.score(top.mean, digits=digits)}"
    others = [name(each) for each in ranking.leaders[1:]]
    if others and len(ranking.systems) > 2 and ranking.n_queries > 1:
        start += f"; not told apart from it: {f.first_of(others, 3)}"
    n = len(ranking.pair_rows)
    compared = f.plural(n, "pair" if ranking.baseline is None else "comparison")
    if ranking.baseline is None and not ranking.has_all_pairs:
        compared += " with the first"
    told = f.count(ranking.n_significant) if ranking.n_significant else "none"
    return f"{start}. Of {compared}, {told} {'is' if told == '1' else 'are'} told apart."


def _next_step(ranking: Ranking) -> str:
    """Return what to do about the lead."""
    if ranking.n_queries < 2:
        return "Give more judged queries."
    if not ranking.direction_declared:
        return say(ranking.measure)
    if ranking.baseline is None and len(ranking.leaders) > 1:
        return (
            "Compare the leaders pair by pair below; what no pair shows takes more judged queries:"
            " abrank power says how many."
        )
    if ranking.baseline is not None and not ranking.n_significant:
        return "More judged queries: abrank power says how many."
    return "Read below on how many queries the lead rests, and whether other measures agree."


def _rule(ranking: Ranking) -> str:
    """Return the test, what it compares, and the level."""
    against = "all pairs"
    if ranking.baseline is not None:
        against = f"every other system against {' and '.join(map(name, ranking.baselines))}"
    shared = " for all measures together" if ranking.n_families > 1 else ""
    said = f"{ranking.title}, {against}, paired by query, alpha {f.number(ranking.alpha)}{shared}."
    return f"{said} {name(ranking.measure)} orders the systems." if ranking.secondary else said
