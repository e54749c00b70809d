"""The sections of a ranking's report: measures, pairs, queries, stability, lists, tests, risk."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from abrank._support import display as f
from abrank._support.result import Deferred
from abrank.ranking import Ranking
from abrank.ranking.details import OVERLAP_DEPTH, PERSISTENCE
from abrank.report.model import Block, Cell, Column, Figure, Fold, Section, Table, Text, Words
from abrank.report.sections.words import in_sentence, name, queries
from abrank.report.subjects.leaderboard import (
    all_pairs,
    by_measure,
    chance,
    lettered,
    to_lead,
)

# Rows of a table that a page shows; the CSV and results.json have all.
MOST_ROWS, MOST_OVERLAPS = 20, 12
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
_ON_AGREEMENT = (
    "How alike two measures order the systems: 1 for the same order, −1 for the reverse. τ_AP"
    " holds the order by the second measure against that by the first and weighs the first"
    " places most (Yilmaz, Aslam and Robertson 2008). Both see the same {} resamples of the"
    " queries."
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
    if ranking.agreements:
        text = f.count(ranking.agreements[0].n_resamples)
        inner = (_agreements(w), Text(_ON_AGREEMENT.format(text), "caption"))
        blocks.append(Fold("agreement", "How alike the measures order the systems", inner))
    return Section("measures", "Other measures", finding, tuple(blocks), group="change")


def _agreements(w: Words[Ranking]) -> Table:
    def ends(low: float, high: float) -> Cell:
        sentence = " to ".join(f.score(item, digits=2) for item in (low, high))
        return Cell(f.UNDEFINED if math.isnan(low) else sentence, low)

    rows, text = w.result.agreements, f"{w.level} of resamples"
    return Table.of(
        "agreements",
        (Column.words("Measures"), [Cell(f"{name(row.a)}, {name(row.b)}") for row in rows]),
        (Column("Kendall's τ"), [Cell(f.score(row.tau, digits=2), row.tau) for row in rows]),
        (Column(text), [ends(row.tau_low, row.tau_high) for row in rows]),
        (Column("τ_AP"), [Cell(f.score(row.tau_ap, digits=2), row.tau_ap) for row in rows]),
        (Column(text), [ends(row.tau_ap_low, row.tau_ap_high) for row in rows]),
    )


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


def lists(ranking: Ranking) -> Section | None:
    """Return how alike the ranked lists of the systems are."""
    rows = [row for row in ranking.overlaps if not math.isnan(row.rbo)]
    if not rows:
        return None
    maximum, minimum = (choose(rows, key=lambda row: row.rbo) for choose in (max, min))
    ends = [
        f"{name(row.a)} and {name(row.b)} ({f.score(row.rbo, digits=2)})"
        for row in (maximum, minimum)
    ]
    finding = f"The lists of {ends[0]} are the most alike"
    finding += f", those of {ends[1]} the least" if len(rows) > 1 else ""
    caption = (
        f"Rank-biased overlap (Webber, Moffat and Zobel 2010), persistence {f.number(PERSISTENCE)},"
        f" of the first {OVERLAP_DEPTH} documents, in the mean over the queries: 1 for the same"
        " lists, 0 for lists without a common document. Lists that are alike bring little new when"
        " they are fused."
    )
    systems = ranking.systems[:MOST_OVERLAPS]
    rbos = {frozenset((row.a, row.b)): row.rbo for row in ranking.overlaps}
    table = Table.of(
        "overlaps",
        (Column.words("RBO"), map(Cell, systems[:-1])),
        *(
            (
                Column(name(item)),
                [
                    Cell("" if j <= i else f.score(rbos[frozenset((first, item))], digits=2))
                    for i, first in enumerate(systems[:-1])
                ],
            )
            for j, item in enumerate(systems[1:], start=1)
        ),
    )
    blocks = (table, Text(caption, "caption"))
    return Section("lists", "Overlap of the lists", f"{finding}.", blocks, group="appendix")


def other_tests(w: Words[Ranking]) -> Section | None:
    """Return what the test takes for granted, and what others find."""
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
    if not ranking.other_tests:
        return Section("test", "Other tests", finding, (), group="change")
    flag = " --baseline …" if ranking.baseline is not None else ""
    caption = Text(
        "Wilcoxon with Benjamini-Hochberg often finds more, as it controls another error: the share"
        " of false differences among those found, not the chance of any. Otero, Parapar and"
        " Barreiro (2025, arXiv 2501.03930) recommend it for many systems. Let it decide with"
        f" abrank rank …{flag} --test wilcoxon --adjust bh.",
        "caption",
    )
    # A terminal does not show them, and need not wait for the tests.
    blocks = Deferred[Block](lambda: _others(ranking), lambda: caption)
    return Section("test", "Other tests", finding, blocks, group="change")


def _others(ranking: Ranking) -> Table:
    rest, text = ranking.other_tests, f"of {f.count(len(ranking.pair_rows))}"
    cell = Cell(f"{ranking.title} (decides)", strong=True)
    cells = [Cell(f"{f.count(x.n_significant)} {text}", x.n_significant) for x in rest]
    alike = [len(ranking.leaders) - 1, *(item.n_leaders - 1 for item in rest)]
    leading = [
        (Column("Not significantly different from the first"), map(Cell, map(f.count, alike)))
    ]
    return Table.of(
        "other-tests",
        (Column.words("Test"), [cell, *(Cell(item.title) for item in rest)]),
        (Column("Shown to differ"), [Cell(f"{f.count(ranking.n_significant)} {text}"), *cells]),
        (Column("Other than decided"), [Cell(""), *(Cell.count(item.n_differ) for item in rest)]),
        *leading * (ranking.baseline is None),
    )


def instruments(w: Words[Ranking]) -> Section:
    """Return what pairs each measure shows to differ, its swap rate, its agreement."""
    ranking = w.result
    rows = ranking.extras.instruments
    table = Table.of(
        "instruments",
        (Column.name("Measure"), [Cell(row.measure, row.measure) for row in rows]),
        (Column("Shown to differ"), [Cell.share(row.discriminative_power) for row in rows]),
        (Column("Swap rate"), [Cell.share(row.swap_rate) for row in rows]),
        (Column("Smallest Δ"), [w.mean(row.smallest_told) for row in rows]),
        (Column("Tau"), [Cell(f.score(row.tau, digits=2), row.tau) for row in rows]),
    )
    best = max(rows, key=lambda item: item.discriminative_power)
    n = f.plural(len(best.achieved_levels), "pair")
    finding = (
        f"{best.measure} tells most pairs apart: {f.percent(best.discriminative_power, sign=False)}"
        f" of {n}, by paired t tests that are not adjusted."
    )
    text = Text(
        f"Shown to differ: pairs with p < {f.number(ranking.alpha)} by these tests (discriminative"
        " power; the p-values of all pairs stand in the JSON). Swap rate: how often disjoint halves"
        " of the queries order a pair the other way round. Smallest Δ: of two means that differ"
        " significantly. Tau: Kendall's, with the order by the first measure.",
        "caption",
    )
    summary = (
        f"{finding} The p-values of all pairs by each measure, smallest first: the further right a"
        " curve meets the line, the more pairs the measure shows to differ (Sakai 2006)."
    )
    blocks = (table, text, Figure("achieved", summary))
    return Section("instruments", "Measures as instruments", finding, blocks)


def risk(w: Words[Ranking]) -> Section:
    """Return URisk, TRisk and GeoRisk against a baseline."""
    ranking = w.result
    extras = ranking.extras
    baseline = extras.risk[0].baseline

    def limited(values: Sequence[float], write: Callable[[float], str]) -> Cell:
        estimate, low, high = map(write, values)
        has_limits = f.UNDEFINED not in (estimate, low)
        return Cell(f"{estimate} ({low} to {high})" if has_limits else estimate, values[0])

    def one(value: float) -> str:
        return f.signed(value, digits=1)

    urisk, trisk = [], []
    for row in extras.risk:
        if row.system == baseline:
            urisk.append(Cell("baseline"))
            trisk.append(Cell(""))
        else:
            urisk.append(limited((row.urisk, row.urisk_low, row.urisk_high), w.signed))
            trisk.append(limited((row.trisk, row.trisk_low, row.trisk_high), one))
    georisk = [
        limited((row.georisk, row.georisk_low, row.georisk_high), w.score) for row in extras.risk
    ]
    table = Table.of(
        "risk",
        (Column.name("System"), [Cell(row.system, row.system) for row in extras.risk]),
        (Column("URisk"), urisk),
        (Column("TRisk"), trisk),
        (Column("GeoRisk"), georisk),
    )
    risky = [row.system for row in extras.risk if row.trisk < -2.0]
    weight = f.number(1.0 + extras.risk_weight)
    verb, wins = ("loses", "it wins") if len(risky) == 1 else ("lose", "they win")
    last = "" if baseline in ranking.baselines else ", the last by its mean, as none was named"
    finding = f"Against {baseline}{last}, a loss counted {weight} times: "
    finding += (
        f"{f.first_of(risky, 3)} {verb} more than {wins} (TRisk < −2)."
        if risky
        else "no TRisk below −2."
    )
    text = Text(
        f"{ranking.measure}. URisk: mean gain with losses weighted, interval by t. TRisk: URisk"
        " over its standard error. GeoRisk: mean score and risk against all systems together,"
        " interval from resampled queries.",
        "caption",
    )
    return Section("risk", "Risk", finding, (table, text))
