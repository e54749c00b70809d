"""The report of a ranking: who leads, the leaderboard, and further results."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from abrank import inference
from abrank._support import checks
from abrank._support import display as f
from abrank._support.files import name_of
from abrank._support.result import Deferred
from abrank.ranking import Ranking
from abrank.report.model import (
    Block,
    Caution,
    Fact,
    Figure,
    Headline,
    Place,
    Report,
    Section,
    Text,
    Words,
    report_of,
)
from abrank.report.sections import appendix
from abrank.report.sections.cautions import SystemNames, caution, say
from abrank.report.sections.words import capital, in_sentence, joined, name, queries
from abrank.report.subjects import compose, leaderboard
from abrank.report.subjects.leaderboard import IntervalKind
from abrank.rule import LEVELS

# With more systems a page has no table of all pairs.
MOST_PAIRS = 12
_PICTURE = (
    "The system of the row less that of the column; filled where they differ significantly, blue"
    " where the row is better, orange where it is worse, the deeper the larger the difference. The"
    " CSV and results.json have every pair."
)
# Tests with one error for all pairs; and the ratio of the largest variance of a pair to the pooled
# one above which they reject far too often.
ONE_ERROR, MOST_UNEQUAL = ("tukey", "randomised-tukey", "dunnett"), 2.0


@compose.register
def compose_ranking(
    ranking: Ranking,
    *,
    digits: int | None = None,
    interval: IntervalKind = "difference",
    pairs: bool = False,
) -> Report:
    """Return everything a report says about a ranking."""
    checks.one_of("interval", interval, ("difference", "own", "within"))
    w = Words(ranking, digits)
    head = headline(w)
    card = leaderboard.leaderboard(w, interval)
    sources = appendix.cited(_sources(ranking))
    context = [
        f.plural(len(ranking.systems), "system"),
        queries(ranking.n_queries),
        ", ".join(name(measure) for measure in ranking.measures),
    ]
    return report_of(
        w,
        head,
        context=context,
        who=f"{context[0]} by {context[2]}",
        file=f"ranking-{name_of(ranking.measure) or 'measure'}",
        cautions=cautions(ranking),
        sections=(
            Section("leaderboard", "Leaderboard", _of_pairs(ranking), (card,)),
            measures(w),
            *_pairs(w, listed=pairs),
            per_query(ranking),
            stability(w),
            Section.line("test", "The test", joined(*cautions_of_test(ranking))),
            appendix.methods(methods_text(ranking), sources),
            appendix.reproduce(ranking.provenance, ranking.seed),
        ),
        facts=tuple(_facts(w, head)),
        methods=methods_text(ranking),
        sources=sources,
        papers=lambda style: leaderboard.paper(w, style, interval),
        hint='.to_frame()  .pairs  .plot.ranks()  .report("ranking.html")',
    )


def headline(w: Words[Ranking]) -> Headline:
    """Return who leads, who does not differ, and the number of comparisons."""
    ranking, top = w.result, w.result.rows[0]
    verdict, glyph, tag, title = verdict_of(ranking)
    # The test, its comparisons, and the level.
    against = "all pairs"
    if ranking.baseline is not None:
        against = f"every other system against {' and '.join(map(name, ranking.baselines))}"
    shared = " for all measures together" if ranking.n_families > 1 else ""
    alpha = f"α = {f.number(ranking.alpha)}{shared}"
    text = f"{ranking.title}, {against}{_paired(ranking)}, {alpha}."
    return Headline(
        verdict=verdict,
        glyph=glyph,
        tag=tag,
        tone="b" if verdict in ("leads", "better") else "tie",
        title=title,
        numbers=f"{name(top.system)} has the mean {w.score(top.mean)}. {_of_pairs(ranking)}",
        main_number=w.score(top.mean),
        numbers_in_table=True,
        meaning=joined(first_places(ranking), highest_of_many(ranking)),
        next_step=_next_step(ranking),
        rule=f"{text} {name(ranking.measure)} orders the systems." if ranking.secondary else text,
    )


def verdict_of(ranking: Ranking) -> tuple[str, str, str, str]:
    """Return the verdict, its glyph and tag, and the sentence."""
    on = f" on {name(ranking.measure)}" if ranking.measure != "score" else ""
    if ranking.n_queries < 2:
        few = "No query can" if ranking.n_queries == 0 else "One query cannot"
        return "cannot-test", "!", "Cannot test", f"{few} show that systems differ{on}."
    if all(row.reading == "identical" for row in ranking.pair_rows):
        return "identical", "=", "Identical", f"All systems score the same on every query{on}."
    if not ranking.direction_declared:
        first = name(ranking.systems[0])
        text = (
            f"{first} has the {ranking.best} mean{on}; it is not declared whether that is the best."
        )
        return "not-decided", "!", "Not decided", text
    if ranking.systems[0] in ranking.unsound:
        why = {
            "document-ids": "its document ids are not those of the judgments",
            "none-judged": "none of its documents is judged",
        }[ranking.unsound[ranking.systems[0]]]
        text = f"{name(ranking.systems[0])} has the {ranking.best} mean{on}, but {why}"
        return "not-decided", "!", "Not decided", f"{text}: no system leads."
    if ranking.baseline is not None:
        return _against(ranking, on)
    first, *rest = map(name, ranking.leaders)
    n = len(ranking.systems) - 1
    better = [name(item) for item in leaderboard.ahead(ranking)]
    if better:
        text = f"{f.first_of(better, 3)} {'is' if len(better) == 1 else 'are'} significantly better"
        return "shared", "?", "No leader", f"{first} has the {ranking.best} mean{on}, but {text}."
    if not rest:
        than = f"all {f.count(n)} others" if n > 1 else name(ranking.systems[1])
        return "leads", "▲", "One leader", f"{first} is better than {than}{on}."
    text = f"{f.first_of(rest, 3)} may be as good"
    if len(rest) > 3:
        text = f"{f.count(len(rest))} of {f.count(n)} others may be as good"
    if worse := n - len(rest):
        text += f", {f.count(worse)} {'is' if worse == 1 else 'are'} worse"
    return "shared", "≈", "Shared lead", f"{first} leads{on}; {text}."


def _against(ranking: Ranking, on: str) -> tuple[str, str, str, str]:
    """Return how many systems are better than the baselines."""
    bases = " or ".join(map(name, ranking.baselines))
    better = {row.b for row in ranking.pair_rows if row.reading == "better"}
    lost = len({row.b for row in ranking.pair_rows if row.reading == "worse"})
    worse = f"; {f.count(lost)} {'is' if lost == 1 else 'are'} worse" if lost else ""
    n = len({row.b for row in ranking.pair_rows})
    if len(better) == n == 1:
        return "better", "▲", "Better", f"{name(next(iter(better)))} is better than {bases}{on}."
    if better:
        verb = "is" if len(better) == 1 else "are"
        text = (
            f"{f.count(len(better))} of {f.count(n)} systems {verb} better than {bases}{on}{worse}."
        )
        return "better", "▲", "Better than the baseline", text
    text = f"No system is significantly better than {bases}{on}{worse}."
    return "none", "?", "None better", text


def _of_pairs(ranking: Ranking) -> str:
    noun = f.plural(len(ranking.pair_rows), "pair" if ranking.baseline is None else "comparison")
    if ranking.baseline is None and not ranking.has_all_pairs:
        noun += " with the first"
    n = ranking.n_significant
    return f"Of {noun}, {f.count(n) if n else 'none'} differ{'s' * (n == 1)} significantly."


def _next_step(ranking: Ranking) -> str:
    if ranking.n_queries < 2:
        return "Give more judged queries."
    if not ranking.direction_declared:
        return say(ranking.measure)
    for note in ranking.cautions:
        if note.code == "clusters-ignored" and note.values["measure"] == ranking.measure:
            column = shlex.quote(note.values["clusters"])
            return f"Test the pairs by whole clusters: abrank compare --clusters {column}."
    if ranking.baseline is None and len(ranking.leaders) > 1:
        return "Compare the leaders in pairs (abrank compare), or judge more queries."
    if ranking.baseline is not None and not ranking.n_significant:
        return "Judge more queries: abrank power says how many."
    return "Check the lead by other measures (-m) and per query (--report html)."


def _paired(ranking: Ranking) -> str:
    return "" if "paired" in ranking.title else ", paired by query"


def first_places(ranking: Ranking) -> str:
    """Say how often the leader would lead with other queries."""
    if not ranking.stability or ranking.n_queries < 2:
        return ""
    top = max(ranking.stability, key=lambda row: row.first)
    leader = ranking.stability[0]
    text = (
        f"In {leaderboard.chance(leader.first)} of {f.count(ranking.n_drawn)} resamples of the"
        f" queries {name(leader.system)} has the {ranking.best} mean"
    )
    if top.first > leader.first:
        text += f"; {name(top.system)} has it more often, in {leaderboard.chance(top.first)}"
    return f"{text}."


def highest_of_many(ranking: Ranking) -> str:
    """Say that the best of several was selected by its observed result."""
    n = len(ranking.systems)
    if (
        n < 3
        or ranking.n_queries < 2
        or ranking.systems[0] in ranking.unsound
        or not ranking.direction_declared
        or all(row.reading == "identical" for row in ranking.pair_rows)
    ):
        return ""
    top = name(ranking.rows[0].system)
    return (
        f"The mean of {top} is the {ranking.best} of {f.count(n)} on these queries. Expect a"
        f" {'lower' if ranking.higher_is_better else 'higher'} mean and a smaller lead on new"
        " queries."
    )


def _facts(w: Words[Ranking], head: Headline) -> Iterator[Fact]:
    """Yield what was ranked, what it means, and what a reader must know."""
    ranking = w.result
    text = f"{f.plural(len(ranking.systems), 'system')} by {name(ranking.measure)}"
    yield Fact("ranked", f"{text} on {queries(ranking.n_queries)}.", everywhere=True)
    if head.meaning:
        yield Fact("meaning", head.meaning)
    if ranking.secondary and ranking.n_families == 1:
        text = f"Each of the {f.word(len(ranking.measures))} measures is a family of its own"
        yield Fact("measures", f"{text}: α is for each, not for all together.", everywhere=True)
    if text := omnibus(w):
        yield Fact("together", text, everywhere=True)
    for text in cautions_of_test(ranking):
        yield Fact("test", text, loud=True, everywhere=True)
    yield Fact("next", head.next_step, "strong")
    yield Fact("rule", head.rule, "muted")


def omnibus(w: Words[Ranking]) -> str:
    """Return the result of Friedman's test, and Nemenyi's critical difference."""
    result = w.result.omnibus
    if result is None or math.isnan(result["pvalue"]):
        return ""
    text = (
        f"Friedman's test that all rank alike: chi-squared {f.score(result['chi2'], digits=1)} with"
        f" {f.count(int(result['df']))} df, {w.p_clause(result['pvalue'])}"
    )
    apart = result.get("critical_difference", math.nan)
    if math.isfinite(apart):
        text += f". Critical difference of two mean ranks: {f.score(apart, digits=2)}"
    return f"{text}."


def cautions_of_test(ranking: Ranking) -> Iterator[str]:
    """Say where the test has another hypothesis, rejects too often, or cannot reject."""
    if ranking.test in ("nemenyi", "conover", "bonferroni-dunn"):
        yield "The test asks whether all orders of the systems are equally likely: not about means."
    spread = ranking.spread
    if ranking.test in ONE_ERROR and spread is not None:
        yield "The test takes the differences of all pairs to vary alike." + (
            f" Here the largest variance of a pair is {f.score(spread, digits=1)} times the"
            " pooled one: it finds false differences. Max-T sign flips (without --test)"
            " give each pair its own error."
            if spread > MOST_UNEQUAL
            else ""
        )
    minimum = 2.0 ** (1 - ranking.n_queries)
    if ranking.test in ("max-t", "permutation") and ranking.n_queries and minimum >= ranking.level:
        yield (
            f"With {queries(ranking.n_queries)} no flip of signs gives a p"
            f" below {f.number(minimum)}: no difference can be significant."
        )


def cautions(ranking: Ranking) -> tuple[Caution, ...]:
    """Return cautions on the runs, most severe first, and how inputs were interpreted."""
    notes = [Caution("input", "Input", f"{note}.", 1) for note in ranking.notes]
    return (*of_runs(ranking), *notes)


def of_runs(ranking: Ranking) -> tuple[Caution, ...]:
    """Return cautions on the runs, most severe first."""
    names = SystemNames("", "", digits=ranking.decimals, alpha=ranking.alpha)
    notes = [
        replace(note, severity=4) if LEVELS.get(note.code) == "unsound" else note
        for note in ranking.cautions
    ]
    return tuple(caution(note, names) for note in notes)


def methods_text(ranking: Ranking) -> str:
    """Return the methods paragraph: systems, method, test."""
    measures = ", ".join(name(measure) for measure in ranking.measures)
    against = "all pairs"
    if ranking.baseline is not None:
        against = f"every other system with {' and '.join(map(name, ranking.baselines))}"
    held = " for each measure" if ranking.n_families == 1 else " for all measures together"
    systems = f.plural(len(ranking.systems), "system")
    text = (
        f"{capital(systems)} were scored on {queries(ranking.n_queries)} by {measures}. Means were"
        f" compared, {against}, by {in_sentence(ranking.title)}"
        f" ({_source(ranking)}){_paired(ranking)}, at α ="
        f" {f.number(ranking.alpha)}{held if ranking.secondary else ''}."
    )
    if ranking.stability:
        text += f" Ranks were resampled over the queries {f.count(ranking.n_drawn)} times."
    return f"{text} {appendix.computed_with(ranking.provenance, ranking.seed)}"


def _source(ranking: Ranking) -> str:
    return {**inference.TESTS, **inference.JOINT_TESTS}[ranking.test].source


def _sources(ranking: Ranking) -> Iterator[tuple[str, str]]:
    yield from appendix.of_measures(ranking.measures)
    yield ranking.title, _source(ranking)
    if source := appendix.ADJUSTMENTS.get(ranking.adjust or ""):
        yield "Adjustment of p-values", source


def measures(w: Words[Ranking]) -> Section | None:
    """Return the means by all measures, and the correlation of their orders."""
    ranking = w.result
    if not ranking.secondary:
        return None
    agreements = [agreement for agreement in ranking.agreements if agreement.a == ranking.measure]
    first = [f"{name(item.systems[0])} ({name(item.measure)})" for item in ranking.secondary]
    finding = f"First by other measures: {f.first_of(first, 4)}."
    if agreements:
        minimum, maximum = (choose(agreements, key=lambda row: row.tau) for choose in (min, max))
        ends = {f.score(item.tau, digits=2): None for item in (minimum, maximum)}
        finding += f" Kendall's τ with {name(ranking.measure)}: {' to '.join(ends)}."
    legend = "Systems that share a letter in a column are not significantly different."
    if ranking.baseline is not None:
        bases = ", ".join(f"{i} {name(base)}" for i, base in enumerate(ranking.baselines, start=1))
        base = name(ranking.baseline) if len(ranking.baselines) == 1 else f"one of {bases}"
        legend = f"▲ better, ▼ worse than {base}, ? no significant difference."
    blocks: list[Block] = [leaderboard.by_measure(w)]
    if ranking.baseline is not None or leaderboard.lettered(ranking):
        blocks.append(Text(legend, "caption"))
    places: frozenset[Place] = frozenset({"page", "details", "markdown"})
    return Section("measures", "Other measures", finding, tuple(blocks), places, group="change")


def _pairs(w: Words[Ranking], *, listed: bool) -> Iterator[Section]:
    """Yield all pairs; of many systems a page has a picture."""
    ranking = w.result
    # Against one baseline the leaderboard holds them.
    if ranking.n_queries < 2 or (len(ranking.baselines) == 1 and not listed):
        return
    finding, is_few = _of_pairs(ranking), len(ranking.systems) <= MOST_PAIRS
    if not is_few and ranking.baseline is None and ranking.has_all_pairs:
        summary = f"{finding} The first system is in the top row."
        blocks = (Figure("matrix", summary), Text(_PICTURE, "caption"))
        yield Section("matrix", "Every pair", finding, blocks, group="appendix")
    places: dict[Place, bool] = {"folded": True, "text": listed, "page": is_few}
    stands = frozenset(place for place, is_there in places.items() if is_there)
    # A text has the numbers above the table.
    finding, table = "" if listed else finding, Deferred(partial(leaderboard.all_pairs, w))
    yield Section("pairs", "Every pair", finding, table, stands, group="appendix")


def per_query(ranking: Ranking) -> Section | None:
    """Return the scores of every system on every query."""
    if not ranking.n_queries:
        return None
    shares = ranking.shares
    finding = "The scores do not vary."
    if not math.isnan(shares["query"]):
        query, system, rest = (
            f.percent(shares[key], sign=False) for key in ("query", "system", "error")
        )
        finding = (
            f"Of the variance of the scores {query} lies between queries, {system} between systems,"
            f" and {rest} is interaction: queries that are easy for some systems only."
        )
    order = " then ".join(map(name, ranking.systems[:3]))
    summary = (
        f"Scores of {f.plural(len(ranking.systems), 'system')}, from the top {order}, on"
        f" {queries(ranking.n_queries)}. {finding}"
    )
    caption = (
        f"A row is a system, {ranking.best} mean on top, a column a query, highest mean at the"
        " left. A strong cell in a faint column is a hard query that this system answers, a faint"
        " cell in a strong column an easy one that it misses."
    )
    blocks = (Figure("queries", summary), Text(caption, "caption"))
    return Section("per-query", "Query by query", finding, blocks)


def stability(w: Words[Ranking]) -> Section | None:
    """Return the probabilities of ranks under resampling of the queries."""
    ranking, finding = w.result, first_places(w.result)
    if not finding:
        return None
    first = ranking.stability[0]
    rank = f"{first.low} to {first.high} in {w.level} of them"
    summary = f"{finding} The rank of {name(first.system)} is from {rank}."
    caption = (
        "The queries are drawn anew, with replacement, for all systems at once. It shows how far"
        " the order rests on which queries were asked; it is no test, and of systems that are"
        " nearly equal it is too sure (Xie, Singh and Zhang 2009)."
    )
    blocks = (Figure("ranks", summary), Text(caption, "caption"))
    return Section("stability", "Other queries", finding, blocks, group="change")
