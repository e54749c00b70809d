"""Measures and queries in tables, and the short case that a paper makes."""

from __future__ import annotations

from functools import partial

import numpy as np

from abrank._support import display as f
from abrank._support.display import one_line
from abrank.comparison import Comparison
from abrank.comparison.units import (
    decision_intervals,
    difference_in_unit,
    is_relative,
    rows_in_unit,
)
from abrank.report.model import (
    Block,
    Cell,
    Column,
    Figure,
    Group,
    Paper,
    Section,
    Style,
    Table,
    Text,
    Tone,
    Words,
)
from abrank.report.sections import decision, design, headline, planning, words
from abrank.report.sections.next_step import next_step
from abrank.report.sections.scorecard import primary_first, scorecard

SHOWN = 10


def measures(comparison: Comparison) -> Section:
    """Return the section of all measures: the scorecard, and what it has no column for."""
    blocks: list[Block] = [scorecard(comparison)]
    varies = comparison.n_queries > max(1, min(row.ties for row in comparison.rows))
    if varies and len(comparison.rows) > 1:
        blocks.append(measure_table(comparison))
    finding = measures_finding(comparison)
    return Section("measures", "All measures", finding, tuple(blocks), group="appendix")


def measures_finding(comparison: Comparison) -> str:
    """Count what the secondary measures say."""
    primary = comparison.rule.primary
    rows = [row for row in comparison.rows if row.measure != primary]
    if not rows:
        return f"One measure was compared, and it decides: {primary}."
    after = ", after adjustment" if comparison.rule.adjust != "none" and len(rows) > 1 else ""
    return f"Secondary measures{after}: {words.counted(row.reading for row in rows)}."


def measure_table(comparison: Comparison) -> Table:
    """Return what the scorecard has no column for: the change in its other unit, p by itself."""
    w, estimand = Words(comparison), words.estimand(comparison)
    change = (Column("Δ%"), lambda x: Cell(f.percent(x.rel_diff), x.rel_diff))
    if is_relative(comparison):
        change = (Column("Δ"), lambda x: w.change(x.diff))
    title = "Δ, all queries" if comparison.with_machine else words.capital(estimand)
    estimate = (Column(title), lambda x: w.change(x.estimate))
    adjusts = comparison.rule.adjust != "none"
    return Table.by_row(
        "measures",
        primary_first(comparison),
        (
            Column.words("Measure"),
            lambda x: Cell(x.measure, x.measure, strong=x.measure == comparison.rule.primary),
        ),
        change,
        *[estimate] * (estimand != words.MEAN),
        (Column("p, not adjusted" if adjusts else "p"), lambda x: w.chance(x.pvalue)),
    )


def queries(comparison: Comparison) -> Section | None:
    """Return the section of single queries; None where there is no query, or none is paired."""
    if comparison.n_queries == 0 or comparison.rule.independent:
        return None
    row = comparison.primary
    ahead = "higher" if row.higher_is_better else "lower, that is better,"
    finding = (
        f"On {row.measure}, {comparison.candidate} scores {ahead} on {words.queries(row.wins)},"
        f" {comparison.baseline} on {f.count(row.losses)}; ties: {f.count(row.ties)}."
    )
    above, below = (row.wins, row.losses)[:: 1 if row.higher_is_better else -1]
    deltas = Figure(
        "deltas",
        f"Difference B − A of every query, sorted: {f.count(above)} above 0,"
        f" {f.count(row.ties)} at 0, {f.count(below)} below.",
    )
    level = words.all_tied(comparison)
    blocks: list[Block] = [] if level else [deltas]
    blocks.append(query_table(comparison))
    if comparison.n_queries > 2 * SHOWN:
        n = f.count(comparison.n_queries)
        caption = f"The {SHOWN} queries with the lowest and the {SHOWN} with the highest Δ, of {n}."
        blocks.append(Text(caption, "caption"))
    group: Group = "appendix" if level else "open"
    return Section("queries", "Query by query", finding, tuple(blocks), group=group)


def query_table(comparison: Comparison) -> Table:
    """Return the queries with the lowest and highest differences, ascending."""
    w, win = Words(comparison), words.wins(comparison)
    column, outcomes = comparison.measures.index(comparison.rule.primary), comparison.outcomes()
    a, b, differences = comparison.a[:, column], comparison.b[:, column], comparison.differences()
    tones: tuple[Tone, ...] = ("tie", "b", "a")
    texts = ("tie", f"B {win}", f"A {win}")

    def outcome(i: int) -> Cell:
        return Cell(texts[outcomes[i]], texts[outcomes[i]], tones[outcomes[i]])

    order = np.argsort(differences, kind="stable").tolist()
    n_low, n_high = (min(SHOWN, n // 2) for n in (len(order) + 1, len(order)))
    return Table.by_row(
        "queries",
        [*order[:n_low], *order[len(order) - n_high :]],
        (Column.words("Query"), lambda i: Cell(comparison.query_ids[i], comparison.query_ids[i])),
        (Column("A"), lambda i: w.mean(float(a[i]))),
        (Column("B"), lambda i: w.mean(float(b[i]))),
        (Column("Δ"), lambda i: w.change(float(differences[i]), tones[outcomes[i]])),
        (Column.words("Outcome"), outcome),
    )


LONGEST_NAME = 30


def paper(comparison: Comparison, *, style: Style) -> Paper:
    """Return the table of measures, the primary one first."""
    w, rule = Words(comparison), comparison.rule
    rows = primary_first(comparison, rows_in_unit(comparison))
    named_, a_, b_ = Column.name("Measure"), [x.mean_a for x in rows], [x.mean_b for x in rows]
    names = [Cell(row.measure) for row in rows]
    if style == "superscript":
        over = [("b" * (x.reading == "worse"), "a" * (x.reading == "better")) for x in rows]
        table = Table.of(
            "paper",
            (named_, names),
            *(
                (
                    Column.words(side, "mean"),
                    [Cell(w.score(x), mark=y[i]) for x, y in zip(means, over, strict=True)],
                )
                for i, (side, means) in enumerate((("A", a_), ("B", b_)))
            ),
            noun="measure",
        )
        text = (
            "the superscript a marks a mean of B that is significantly better than A's, b one"
            " of A better"
        )
        text += " than B's,"
    else:
        estimand = words.estimand(comparison)
        in_unit = partial(difference_in_unit, comparison, digits=w.digits)
        ends = [[in_unit(end) for end in row.adjusted] for row in rows]
        adjusts = rule.adjust != "none" and len(rows) > 1
        estimates = [Cell(w.signed(row.estimate)) for row in rows]
        table = Table.of(
            "paper",
            (named_, names),
            (Column("A"), [Cell(w.score(x)) for x in a_]),
            (Column("B"), [Cell(w.score(x)) for x in b_]),
            (Column(words.delta_title(comparison)), [Cell(in_unit(row.diff)) for row in rows]),
            *([] if estimand == words.MEAN else [(Column("Estimate"), estimates)]),
            (
                Column(f"{w.level} interval", role="interval"),
                [Cell(x[0] if f.UNDEFINED in x else " to ".join(x)) for x in ends],
            ),
            (Column("adj p" if adjusts else "p"), [Cell(w.p(row.pvalue_adj)) for row in rows]),
            noun="measure",
        )
        text = f"the difference Δ = B − A{f', and the {estimand}' * (estimand != words.MEAN)}"
        if is_relative(comparison) and estimand == words.MEAN:
            text = "the change of the mean Δ%, in per cent of A's,"
        text += f" with {w.level} confidence interval and p"
    sentence = decision.doubted(comparison, headline.short(comparison))
    return Paper(
        comment=f"{sentence}. {next_step(comparison).sentence}",
        caption=_caption(comparison, text, has_intervals=style == "interval"),
        label=f"{comparison.candidate} {comparison.baseline} {rule.primary}",
        table=table,
    )


# Adjustments that make the intervals of a family wider, as they make its p-values larger.
_WITH_INTERVALS = ("max-t", "holm", "hochberg", "hommel", "bonferroni")


def _caption(comparison: Comparison, contents: str, *, has_intervals: bool) -> str:
    """Return what the table shows: systems, queries, test, level, adjustment."""
    rule = comparison.rule
    a, b = (
        one_line(name, width=LONGEST_NAME) for name in (comparison.baseline, comparison.candidate)
    )
    by = f"by a two-sided {words.declared_test(comparison)} at α = {words.alpha(comparison)}"
    text = f"{words.followed(b, 'B')} against the baseline {words.followed(a, 'A')}, means over"
    text += f" {words.queries_of(comparison)}; {contents} {by}."
    if len(comparison.rows) > 1:
        adjustment = headline.adjustment(comparison)
        alone = ", tested alone" if rule.family == "secondary" else ""
        primary = one_line(rule.primary, width=LONGEST_NAME)
        alike = ", intervals and p alike" * (has_intervals and rule.adjust in _WITH_INTERVALS)
        text += f" {primary} decides{alone}; {adjustment}{alike}."
    if comparison.decision.by_equivalence:
        margin = planning.margin_of_what(comparison)
        level = f"{f.level(rule.confidence_equivalence)} interval"
        interval = planning.labelled(comparison, level, decision_intervals(comparison)[1])
        text += f" The margin of {margin} is held against the {interval} of two one-sided tests."
    if comparison.soundness.level == "unsound":
        return f"{text} Nothing is tested: {decision.cannot_test(comparison)}."
    more = [*design.vote_sentences(comparison), decision.doubts(comparison)]
    return " ".join([text, *more]).rstrip()
