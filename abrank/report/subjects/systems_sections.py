"""The sections of a ranking's report: measures, pairs, queries, stability, the test."""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank.ranking import Ranking
from abrank.report.model import Block, Cell, Column, Figure, Section, Table, Text, Words
from abrank.report.sections.words import in_sentence, name, queries
from abrank.report.subjects.leaderboard import (
    all_pairs,
    by_measure,
    chance,
    lettered,
    to_lead,
)

# Rows of a table that a page shows; the CSV and results.json have all.
MOST_ROWS = 20
# Up to so many systems a page has a table of all pairs.
MOST_PAIRS = 12
_ALIKE = "It takes the differences of all pairs to vary alike"
_SYMMETRIC = "It takes the differences of each pair to be symmetric if there is no effect"
_OWN = "each pair has an error of its own"
_ORDERS = "It asks whether all orders of the systems are equally likely, not about means"
# What each test takes for granted; of the paired ones, for each pair by itself.
_ASSUMED = {
    **dict.fromkeys(("tukey", "dunnett"), f"{_ALIKE}, and means of differences to be normal"),
    "randomised-tukey": f"{_ALIKE} if there is no effect, but assumes no distribution",
    **dict.fromkeys(("nemenyi", "conover", "bonferroni-dunn"), _ORDERS),
    "max-t": f"{_SYMMETRIC}; {_OWN}",
    "t": f"It takes the mean difference of each pair to be normal; {_OWN}",
    "permutation": f"{_SYMMETRIC}; {_OWN}",
    "bootstrap": "It takes the queries to be a sample of those in question",
    "wilcoxon": "It takes the differences of each pair to be symmetric, and is about their"
    " pseudo-median, not the mean",
    "sign": "It is about which system wins more queries, not about means",
}
_SPREADING = frozenset({"tukey", "dunnett", "randomised-tukey"})
_PICTURE = (
    "The system of the row less that of the column; filled where they differ significantly, blue"
    " where the row is better, orange where it is worse, the deeper the larger the difference. The"
    " CSV and results.json have every pair."
)


def measures(w: Words[Ranking]) -> Section | None:
    """Return the means by all measures, and how alike these order the systems."""
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
    blocks: list[Block] = [by_measure(w)]
    if ranking.baseline is not None or lettered(ranking):
        blocks.append(Text(legend, "caption"))
    return Section("measures", "Other measures", finding, tuple(blocks), group="change")


def pairs(w: Words[Ranking]) -> Section | None:
    """Return all pairs; of many systems a picture."""
    ranking = w.result
    if ranking.n_queries < 2:
        return None
    text = f.count(ranking.n_significant) if ranking.n_significant else "None"
    kind = "pairs" if ranking.baseline is None else "comparisons"
    if ranking.baseline is None and not ranking.has_all_pairs:
        kind += " with the first"
    total = f"{f.count(len(ranking.pair_rows))} {kind}"
    finding = f"{text} of {total} differ significantly by {in_sentence(ranking.title)}."
    if len(ranking.systems) <= MOST_PAIRS:
        return Section("pairs", "Every pair", finding, (all_pairs(w),), group="appendix")
    blocks: list[Block] = []
    if ranking.baseline is None and ranking.has_all_pairs:
        summary = f"{finding} The first system is in the top row."
        blocks += [Figure("matrix", summary), Text(_PICTURE, "caption")]
    return Section("pairs", "Every pair", finding, tuple(blocks), group="appendix")


def per_query(ranking: Ranking) -> Section | None:
    """Return every system on every query."""
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
    """Return the chances of the ranks under resampling of the queries."""
    ranking = w.result
    if not ranking.stability:
        return None
    first = ranking.stability[0]
    finding = "One query gives one order."
    if ranking.n_queries > 1:
        finding = (
            f"{name(first.system)} leads in {chance(first.first)} of {f.count(ranking.n_drawn)}"
            " resamples of the queries."
        )
    summary = f"{finding} Its rank is from {first.low} to {first.high} in {w.level} of them."
    rows = ranking.stability[:MOST_ROWS]
    folded = Table.of(
        "stability",
        (Column.words("System"), [Cell(row.system) for row in rows]),
        (Column("Place"), [Cell.count(place) for place, _ in enumerate(rows, start=1)]),
        (Column(to_lead(ranking)), [Cell(chance(row.first), row.first) for row in rows]),
        (
            Column(f"Rank, {w.level} of resamples"),
            [Cell(f"{row.low} to {row.high}", row.low) for row in rows],
        ),
        folded="The chances in numbers",
    )
    caption = (
        "The queries are drawn anew, with replacement, for all systems at once. It shows how far"
        " the order rests on which queries were asked; it is no test, and of systems that are"
        " nearly equal it is too sure (Xie, Singh and Zhang 2009)."
    )
    blocks = (Figure("ranks", summary), Text(caption, "caption"), folded)
    return Section("stability", "Other queries", finding, blocks, group="change")


def test(w: Words[Ranking]) -> Section | None:
    """Return what the test takes for granted."""
    ranking = w.result
    if ranking.n_queries < 2:
        return None
    assumed = f"{_ASSUMED[ranking.test]}."
    if ranking.spread is not None and ranking.test in _SPREADING:
        ends = w.score(ranking.spread.least), w.score(ranking.spread.most)
        assumed += (
            f" Here the standard deviation of a pair's differences is from {ends[0]} to {ends[1]}:"
            " the test rejects too often for the pairs that vary most."
        )
    finding = f"{ranking.title} decided at α = {f.number(ranking.alpha)}. {assumed}"
    return Section("test", "The test", finding, (), group="change")
