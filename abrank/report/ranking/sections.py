"""The sections of a ranking's report: means, measures, queries, stability, lists."""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank.ranking import Ranking
from abrank.ranking.lists import DEPTH, PERSISTENCE
from abrank.ranking.rows import Agreement, Overlap
from abrank.report.model import Block, Cell, Column, Figure, Section, Table, Text
from abrank.report.ranking import columns, tables
from abrank.report.ranking.names import name

# Rows of a table that a page shows; the CSV and results.json have all.
MOST_ROWS, MOST_OVERLAPS = 20, 12


def leaderboard(ranking: Ranking, *, digits: int) -> Section:
    """Return the leaderboard: means, the interval that decides, letters."""
    table = tables.leaderboard(ranking, digits=digits)
    # The rows are in order, and a telephone has no room for their places.
    table = Table(table.key, table.columns[1:], tuple(row[1:] for row in table.rows))
    finding = columns.explained(ranking, "difference")
    if ranking.baseline is None and ranking.has_all_pairs:
        finding = f"Systems that share a letter are not told apart. {finding}"
    blocks: list[Block] = [Table(table.key, table.columns, table.rows[:MOST_ROWS])]
    left = len(table.rows) - MOST_ROWS
    if left > 0:
        more = f"The other {f.plural(left, 'system')}"
        blocks.append(Table("leaderboard-more", table.columns, table.rows[MOST_ROWS:], more))
    if ranking.n_queries and ranking.by_mean_rank != ranking.systems:
        by_rank = ", ".join(
            f"{name(each)} ({f.score(ranking[each].mean_rank, digits=2)})"
            for each in ranking.by_mean_rank[:3]
        )
        ends = ", …" if len(ranking.systems) > 3 else "."
        said = f"By mean rank within the queries the order is another: {by_rank}{ends}"
        blocks.append(Text(said))
    return Section("leaderboard", "Leaderboard", finding.strip(), tuple(blocks))


def chance(share: float) -> str:
    """Return a share of resamples; what is not none and not all is never printed as such.

    Examples
    --------
    >>> chance(1.0), chance(0.99991), chance(0.256), chance(0.0001), chance(0.0)
    ('100%', '> 99.9%', '25.6%', '< 0.1%', '0%')
    """
    if share in (0.0, 1.0):
        return f"{100 * share:.0f}%"
    if not 0.0005 <= share < 0.9995:
        return "< 0.1%" if share < 0.5 else "> 99.9%"
    return f.percent(share, sign=False)


def to_lead(ranking: Ranking) -> str:
    """Return what the share of resamples is called in which a system has the first mean."""
    return "Chance to lead" if ranking.direction_declared else "Chance of the highest mean"


def first_places(ranking: Ranking) -> str:
    """Say how often the leader would lead with other queries."""
    if not ranking.stability or ranking.n_queries < 2:
        return ""
    top = max(ranking.stability, key=lambda row: row.first)
    lead = ranking.stability[0]
    said = (
        f"In {chance(lead.first)} of {f.count(ranking.n_drawn)} resamples of the"
        f" queries {name(lead.system)} has the {ranking.best} mean"
    )
    if top.first > lead.first:
        said += f"; {name(top.system)} has it more often, in {chance(top.first)}"
    return f"{said}."


def _by_others(ranking: Ranking) -> str:
    """Say by how many of the further measures the same system leads."""
    lead, others = ranking.systems[0], ranking.secondary
    same = sum(each.systems[0] == lead for each in others)
    if len(others) == 1:
        by = name(others[0].measure)
        return (
            f"{name(lead)} leads by {by}, too."
            if same
            else f"By {by} {name(others[0].systems[0])} leads, not {name(lead)}."
        )
    of = f"{f.word(len(others))} further measures"
    if same == len(others):
        return f"{name(lead)} leads by all {of}, too."
    return f"{name(lead)} leads by {f.word(same)} of the {of}."


def measures(ranking: Ranking, *, digits: int) -> Section | None:
    """Return the means by all measures, and how alike these order the systems."""
    if not ranking.secondary:
        return None
    own = [each for each in ranking.agreements if each.a == ranking.measure]
    finding = _by_others(ranking)
    if own:
        ends = sorted({f.score(each.tau, digits=2) for each in own}, key=_number)
        finding += (
            f" Kendall's τ with {name(ranking.measure)}: {' to '.join({ends[0]: 0, ends[-1]: 0})}."
        )
    table = tables.by_measure(ranking, digits=digits)
    blocks: list[Block] = [Table(table.key, table.columns, table.rows[:MOST_ROWS])]
    blocks.append(Text(_legend(ranking), "caption"))
    if ranking.agreements:
        blocks += [
            _agreements(ranking.agreements, ranking.alpha),
            Text(_on_agreement(ranking), "caption"),
        ]
    return Section("measures", "Measures", finding, tuple(blocks))


def _number(shown: str) -> float:
    return float(shown.replace("−", "-")) if shown != f.UNDEFINED else math.inf


def _legend(ranking: Ranking) -> str:
    """Say what stands beside the means."""
    alpha = f"Alpha {f.number(ranking.alpha)} holds for each measure, not for all together."
    if ranking.n_families > 1:
        alpha = (
            f"Alpha {f.number(ranking.alpha)} holds for the {f.word(len(ranking.measures))}"
            " measures together (Bonferroni)."
        )
    if ranking.baseline is None:
        return f"Systems that share a letter in a column are not told apart. {alpha}"
    bases = ", ".join(f"{i} {name(base)}" for i, base in enumerate(ranking.baselines, start=1))
    of = f"than {name(ranking.baseline)}" if len(ranking.baselines) == 1 else f"than: {bases}"
    return f"▲ better, ▼ worse, ? not told apart {of}. {alpha}".replace("apart than", "apart from")


def _agreements(rows: tuple[Agreement, ...], alpha: float) -> Table:
    level = f.level(1.0 - alpha)
    heads = [
        Column("Measures", numeric=False),
        Column("Kendall's τ"),
        Column(f"{level} of resamples"),
    ]
    heads += [Column("τ_AP"), Column(f"{level} of resamples")]
    return Table(
        "agreements",
        tuple(heads),
        tuple(
            (
                Cell(f"{name(row.a)}, {name(row.b)}"),
                Cell(f.score(row.tau, digits=2), row.tau),
                Cell(_ends(row.tau_low, row.tau_high), row.tau_low),
                Cell(f.score(row.tau_ap, digits=2), row.tau_ap),
                Cell(_ends(row.tau_ap_low, row.tau_ap_high), row.tau_ap_low),
            )
            for row in rows
        ),
    )


def _ends(low: float, high: float) -> str:
    if math.isnan(low):
        return f.UNDEFINED
    return " to ".join(f.score(each, digits=2) for each in (low, high))


def _on_agreement(ranking: Ranking) -> str:
    drawn = f.count(ranking.agreements[0].n_resamples)
    return (
        "How alike two measures order the systems: 1 for the same order, −1 for the reverse. τ_AP"
        " holds the order by the second measure against that by the first and weighs the first"
        f" places most (Yilmaz, Aslam and Robertson 2008). Both see the same {drawn} resamples of"
        " the queries."
    )


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
            f" and {rest} in what only some systems find easy."
        )
    order = " then ".join(map(name, ranking.systems[:3]))
    summary = (
        f"Scores of {f.plural(len(ranking.systems), 'system')}, from the top {order}, on"
        f" {f.plural(ranking.n_queries, 'query', 'queries')}. {finding}"
    )
    caption = (
        f"A row is a system, {ranking.best} mean on top, a column a query, highest mean at the"
        " left. A deep cell in a pale column is a hard query that this system answers, a pale cell"
        " in a deep column an easy one that it misses."
    )
    blocks = (Figure("queries", summary), Text(caption, "caption"))
    return Section("per-query", "Query by query", finding, blocks)


def stability(ranking: Ranking) -> Section | None:
    """Return the chances of the ranks under resampling of the queries."""
    if not ranking.stability:
        return None
    first, level = ranking.stability[0], f.level(1.0 - ranking.alpha)
    finding = first_places(ranking) or "One query gives one order."
    summary = f"{finding} Its rank is from {first.low} to {first.high} in {level} of them."
    heads = (
        Column("System", numeric=False), Column("Place"), Column(to_lead(ranking)),
        Column(f"Rank, {level} of resamples"),
    )  # fmt: skip
    rows = tuple(
        (
            Cell(row.system),
            Cell(f.count(place), place),
            Cell(chance(row.first), row.first),
            Cell(f"{row.low} to {row.high}", row.low),
        )
        for place, row in enumerate(ranking.stability[:MOST_ROWS], start=1)
    )
    caption = (
        "The queries are drawn anew, with replacement, for all systems at once. It shows how far"
        " the order rests on which queries were asked; it is no test, and of systems that are"
        " nearly equal it is too sure (Xie, Singh and Zhang 2009)."
    )
    blocks = (Figure("ranks", summary), Text(caption, "caption"), Table("stability", heads, rows))
    return Section("stability", "Stability of the ranks", finding, blocks)


def lists(ranking: Ranking) -> Section | None:
    """Return how alike the ranked lists of the systems are."""
    known = [row for row in ranking.overlaps if not math.isnan(row.rbo)]
    if not known:
        return None
    most, least = (choose(known, key=lambda row: row.rbo) for choose in (max, min))
    finding = f"The lists of {_overlap(most)} are the most alike"
    if len(known) > 1:
        finding += f", those of {_overlap(least)} the least"
    caption = (
        f"Rank-biased overlap (Webber, Moffat and Zobel 2010), persistence {f.number(PERSISTENCE)},"
        f" of the first {DEPTH} documents, in the mean over the queries: 1 for the same lists, 0"
        " for lists without a common document. Lists that are alike bring little new when they are"
        " fused."
    )
    blocks = (_overlaps(ranking), Text(caption, "caption"))
    return Section("lists", "Overlap of the lists", f"{finding}.", blocks)


def _overlap(row: Overlap) -> str:
    return f"{name(row.a)} and {name(row.b)} ({f.score(row.rbo, digits=2)})"


def _overlaps(ranking: Ranking) -> Table:
    """Return a table of systems by systems, of more than 12 the first ones."""
    shown = ranking.systems[:MOST_OVERLAPS]
    found = {(row.a, row.b): row.rbo for row in ranking.overlaps}
    found |= {(b, a): rbo for (a, b), rbo in found.items()}
    heads = (Column("RBO", numeric=False), *(Column(name(each)) for each in shown))
    rows = tuple(
        (
            Cell(one),
            *(
                Cell("" if one == other else f.score(found[one, other], digits=2))
                for other in shown
            ),
        )
        for one in shown
    )
    return Table("overlaps", heads, rows)
