"""Measures and queries in tables, and the short case that a paper makes."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.comparison.units import deciding_interval, difference_in_unit, is_relative, rows_in_unit
from abrank.report.cells import one_line
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
from abrank.report.sections import decision, headline, planning, samples, words
from abrank.report.sections.next_step import next_step
from abrank.report.sections.scorecard import primary_first, scorecard

SHOWN = 10


def measures(comparison: Comparison) -> Section:
    """Return the section of all measures: the table, and the interval that decides."""
    blocks: list[Block] = [scorecard(comparison)]
    if comparison.n_queries > max(1, min(row.ties for row in comparison.rows)):
        reading = Text(_reading_guide(comparison), "caption")
        table = measure_table(comparison)
        blocks += [table, reading]
        if not math.isinf(deciding_interval(comparison).width):
            blocks.append(Figure("effect", headline.numbers(comparison)))
    finding = measures_finding(comparison)
    return Section("measures", "All measures", finding, tuple(blocks), group="appendix")


def measures_finding(comparison: Comparison) -> str:
    """Count what the secondary measures say."""
    primary = comparison.rule.primary
    rows = [row for row in comparison.rows if row.measure != primary]
    if not rows:
        return f"One measure was compared, and it decides: {primary}."
    if len(rows) == 1:
        return f"The secondary measure {rows[0].measure} is {rows[0].reading}."
    count = {name: sum(row.reading == name for row in rows) for name in words.READINGS}
    after = " after adjustment" if comparison.rule.adjust != "none" else ""
    alike = next((name for name in ("better", "worse") if count[name] == len(rows)), "")
    if alike:
        text = "Both" if len(rows) == 2 else f"All {f.word(len(rows))}"
        return f"{text} secondary measures are {alike}{after}."
    if count["better"] or count["worse"]:
        start = (
            f"{words.capital(f.word(count['better']))} of {f.word(len(rows))} secondary"
            f" measures {'is' if count['better'] < 2 else 'are'} better{after},"
            f" {f.word(count['worse'])} {'is' if count['worse'] < 2 else 'are'} worse"
        )
    else:
        start = f"None of {f.word(len(rows))} secondary measures is better or worse{after}"
    rest = [f"{f.word(count[name])} {name}" for name in _REST if count[name]]
    return f"{', '.join([start, *rest])}."


_REST = ("unclear", "identical", "untested")


def _reading_guide(comparison: Comparison) -> str:
    rule, level = comparison.rule, f.level(comparison.rule.confidence)
    if comparison.with_machine:
        text = (
            f"A, B, Δ and the wins are those of the {words.queries_of(comparison)} judged by"
            " people; the mean difference over all queries, its interval and p use the machine's"
            " judgments too."
        )
        options = f" {words.capital(headline.adjustment(comparison))}."
        return text if len(comparison.rows) == 1 else f"{text}{options}"
    if len(comparison.rows) == 1:
        quantity = f"{words.estimand(comparison)}, B − A"
        if is_relative(comparison):
            quantity = "relative change of the mean (Δ%, in per cent of A's), by Fieller"
        return f"Interval: {level} confidence interval of the {quantity}."
    if rule.adjust == "none":
        return (
            f"Intervals at {level}. The secondary measures are not adjusted, so a false"
            " positive among them is likelier than α."
        )
    alone = rule.family == "secondary"
    start = f"{rule.primary} is tested alone. " if alone else ""
    return (
        f"{start}The {level} interval, the adjusted p and the reading of every"
        f"{' other' if alone else ''} measure come from one procedure:"
        f" {headline.adjustment(comparison)}."
    )


def measure_table(comparison: Comparison) -> Table:
    """Return one row a measure; interval, adjusted p and reading come from one procedure."""
    w, rule, relative = Words(comparison), comparison.rule, is_relative(comparison)
    rows, win = primary_first(comparison), words.wins(comparison)
    in_unit = primary_first(comparison, rows_in_unit(comparison))
    multiple = len(rows) > 1
    adjusts = rule.adjust != "none" and multiple
    of_mean = words.estimand(comparison) == words.MEAN
    leads = [row.measure == rule.primary for row in rows]
    names = [
        Cell(f"{row.measure} ★" if lead and multiple else row.measure, row.measure, strong=lead)
        for row, lead in zip(rows, leads, strict=True)
    ]
    changes = [
        Cell(difference_in_unit(comparison, row.rel_diff, digits=w.digits), row.rel_diff)
        if relative
        else Cell(f.percent(row.rel_diff), row.rel_diff)
        for row in rows
    ]
    differences = [(Column("Δ"), [w.change(row.diff) for row in rows])]
    if relative:
        differences.append((Column("Δ%"), changes))
    if not of_mean:
        title = words.capital(words.estimand(comparison))
        title = "Δ, all queries" if comparison.with_machine else title
        differences.append((Column(title), [w.change(row.estimate) for row in rows]))
    # What the interval is of stands out, and not a mean difference beside it.
    tones = [words.reading_tone(row.reading) for row in rows]
    last = 1 if relative else -1
    loud = zip(differences[last][1], tones, leads, strict=True)
    differences[last] = (
        differences[last][0],
        [replace(cell, tone=tone, strong=lead) for cell, tone, lead in loud],
    )
    limits = [
        Cell(planning.limits(comparison, *item.adjusted), item.ci_low_adj)
        if relative
        else w.limits(item.adjusted)
        for item in in_unit
    ]
    readings = [
        Cell(words.reading(comparison, row), row.reading, tone, strong=lead)
        for row, tone, lead in zip(rows, tones, leads, strict=True)
    ]
    outcomes = (
        (Column(f"A {win}"), [Cell.count(row.losses) for row in rows]),
        (Column("Ties"), [Cell.count(row.ties) for row in rows]),
        (Column(f"B {win}"), [Cell.count(row.wins) for row in rows]),
    )
    # Only as one of a family of all is the primary measure adjusted.
    all_adjusted = adjusts and rule.family == "all"
    interval = f"{w.level} interval{' of Δ%' * relative}{', adjusted' * all_adjusted}"
    adjusted = [
        Cell("–") if lead and not all_adjusted else w.chance(row.pvalue_adj)
        for row, lead in zip(rows, leads, strict=True)
    ]
    return Table.of(
        "measures",
        (Column.words("Measure"), names),
        (Column("A"), [w.mean(row.mean_a) for row in rows]),
        (Column("B"), [w.mean(row.mean_b) for row in rows]),
        *differences,
        (Column(interval), limits),
        *([] if relative else [(Column("Δ%"), changes)]),
        *([] if rule.independent else outcomes),
        (Column("p"), [w.chance(row.pvalue) for row in rows]),
        *([(Column("Adjusted p"), adjusted)] if adjusts else []),
        (Column.words("Reading"), readings),
    )


def queries(comparison: Comparison) -> Section | None:
    """Return the section of single queries; None where there is no query, or none is paired."""
    if comparison.n_queries == 0 or comparison.rule.independent:
        return None
    row = comparison.primary
    tied = {0: "none is tied", 1: "1 is tied"}.get(row.ties, f"{f.count(row.ties)} are tied")
    ahead = "higher" if row.higher_is_better else "lower, that is better,"
    finding = (
        f"On {row.measure}, {comparison.candidate} scores {ahead} on {words.queries(row.wins)},"
        f" {comparison.baseline} on {f.count(row.losses)}; {tied}."
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
        n = f.word(SHOWN)
        caption = (
            f"The {n} queries with the lowest difference and the {n} with the highest, of"
            f" {f.count(comparison.n_queries)}."
        )
        blocks.append(Text(caption, "caption"))
    group: Group = "appendix" if level else "open"
    return Section("queries", "Query by query", finding, tuple(blocks), group=group)


def extremes(comparison: Comparison, maximum: int) -> tuple[list[int], list[int]]:
    """Return the positions of the queries with the lowest and the highest difference."""
    order = np.argsort(comparison.differences(), kind="stable").tolist()
    n_low, n_high = (min(maximum, n // 2) for n in (len(order) + 1, len(order)))
    return order[:n_low], order[len(order) - n_high :]


def query_table(comparison: Comparison, *, maximum: int = SHOWN) -> Table:
    """Return the queries with the lowest and highest differences, ascending."""
    w, win = Words(comparison), words.wins(comparison)
    column, outcomes = comparison.measures.index(comparison.rule.primary), comparison.outcomes()
    a, b, differences = comparison.a[:, column], comparison.b[:, column], comparison.differences()
    tones: tuple[Tone, ...] = ("tie", "b", "a")
    texts = ("tie", f"B {win}", f"A {win}")

    def outcome(i: int) -> Cell:
        return Cell(texts[outcomes[i]], texts[outcomes[i]], tones[outcomes[i]])

    return Table.by_row(
        "queries",
        [i for side in extremes(comparison, maximum) for i in side],
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
        interval = planning.equivalence_interval(comparison)
        text += f" The margin of {margin} is held against the {interval} of two one-sided tests."
    if comparison.soundness.level == "unsound":
        return f"{text} Nothing is tested: {decision.cannot_test(comparison)}."
    more = [*samples.vote_sentences(comparison), decision.doubts(comparison)]
    return " ".join([text, *more]).rstrip()
