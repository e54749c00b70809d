"""Measures and queries in tables, and the short case that a paper makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from abrank._support import display as f
from abrank.comparison import Comparison, MeasureResult
from abrank.comparison.declared import difference_in_unit, is_relative, rows_in_unit
from abrank.comparison.rows import ExtremeQuery
from abrank.engines.merge import TIED
from abrank.inference.rounding import ascending
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
)
from abrank.report.sections import decision, headline, planning, samples, words
from abrank.report.sections.next_step import next_step
from abrank.report.sections.scorecard import delta_title, primary_first, scorecard

SHOWN = 10


def measures(comparison: Comparison) -> Section:
    """Return the section of all measures: forest and table."""
    blocks: list[Block] = [scorecard(comparison)]
    if comparison.n_queries > max(1, min(row.ties for row in comparison.rows)):
        shown = "one measure with its interval"
        if len(comparison.rows) > 1:
            shown = f"{f.count(len(comparison.rows))} measures with their intervals"
        said = f"{words.capital(_of_what(comparison))}: {shown}; the table has the same numbers."
        drawn = Figure("forest", said, repeats=True)
        reading = Text(_reading_guide(comparison), "caption")
        every = measure_table(comparison)
        guide = Text(_forest_guide(comparison), "caption")
        effect = Figure("effect", headline.numbers(comparison))
        blocks += [every, reading, drawn, guide, effect]
    finding = measures_finding(comparison)
    return Section("measures", "All measures", finding, tuple(blocks), group="appendix")


def measures_finding(comparison: Comparison) -> str:
    """Count what the secondary measures say.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> measures_finding(compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6}))
    'One measure was compared, and it decides: score.'
    """
    primary = comparison.rule.primary
    others = [row for row in comparison.rows if row.measure != primary]
    if not others:
        return f"One measure was compared, and it decides: {primary}."
    if len(others) == 1:
        return f"The secondary measure {others[0].measure} is {others[0].reading}."
    count = {name: sum(row.reading == name for row in others) for name in words.READINGS}
    after = " after adjustment" if comparison.rule.adjust != "none" else ""
    alike = next((name for name in ("better", "worse") if count[name] == len(others)), "")
    if alike:
        every = "Both" if len(others) == 2 else f"All {f.word(len(others))}"
        return f"{every} secondary measures are {alike}{after}."
    if count["better"] or count["worse"]:
        start = (
            f"{words.capital(f.word(count['better']))} of {f.count(len(others))} secondary"
            f" measures {'is' if count['better'] < 2 else 'are'} better{after},"
            f" {f.word(count['worse'])} {'is' if count['worse'] < 2 else 'are'} worse"
        )
    else:
        start = f"None of {f.count(len(others))} secondary measures is better or worse{after}"
    rest = [f"{f.word(count[name])} {name}" for name in _REST if count[name]]
    return f"{', '.join([start, *rest])}."


_REST = ("unclear", "identical", "untested")


def _forest_guide(comparison: Comparison) -> str:
    level = f.level(comparison.rule.confidence)
    guide = f"Bar: {level} interval of the {_of_what(comparison)}."
    guide += _margin_guide(comparison)
    if len(comparison.rows) == 1 or comparison.rule.adjust == "none":
        return guide
    return f"{guide} Thin line: the same, adjusted; it decides the colour."


def _reading_guide(comparison: Comparison) -> str:
    level = f.level(comparison.rule.confidence)
    if len(comparison.rows) == 1 and comparison.with_machine:
        return _of_both(comparison)
    if len(comparison.rows) == 1:
        return f"Interval: {level} confidence interval of the {_of_what(comparison)}."
    if comparison.with_machine:
        return f"{_of_both(comparison)} {words.capital(headline.adjustment(comparison))}."
    if comparison.rule.adjust == "none":
        return (
            f"Intervals at {level}. The secondary measures are not adjusted, so a chance finding"
            " among them is likelier than α says."
        )
    alone = comparison.rule.family == "secondary"
    start = f"{comparison.rule.primary} is tested alone. " if alone else ""
    return (
        f"{start}The {level} interval, the adjusted p and the reading of every"
        f"{' other' if alone else ''} measure come from one procedure:"
        f" {headline.adjustment(comparison)}."
    )


def _of_what(comparison: Comparison) -> str:
    """Return what the intervals are of."""
    if is_relative(comparison):
        return "relative change of the mean (Δ%, in per cent of A's), by Fieller"
    return f"{words.estimand(comparison)}, B − A"


def _of_both(comparison: Comparison) -> str:
    n = words.queries_of(comparison)
    return (
        f"A, B, Δ and the wins are those of the {n} judged by people; the mean difference over all"
        " queries, its interval and p use the machine's judgments too."
    )


def _margin_guide(comparison: Comparison) -> str:
    """Say that the interval and p of the primary measure are not what its reading rests on."""
    if not comparison.decision.by_margin:
        return ""
    inner = f.level(comparison.rule.confidence_equivalence)
    return (
        f" The reading of {comparison.rule.primary} is that of its {inner} interval against the"
        " margin; the interval and p shown here ask whether the difference is 0."
    )


def measure_table(comparison: Comparison) -> Table:
    """Return one row a measure; interval, adjusted p and reading come from one procedure."""
    adjusts = comparison.rule.adjust != "none" and len(comparison.rows) > 1
    of_mean = words.estimand(comparison) == words.MEAN
    level = f"{f.level(comparison.rule.confidence)} interval"
    relative = is_relative(comparison)
    interval = f"{level} of Δ%" if relative else level
    columns = [
        Column("Measure", numeric=False),
        Column("A"),
        Column("B"),
        Column("Δ"),
        *([Column("Δ%")] if relative else []),
        *([] if of_mean else [Column(_estimate_title(comparison))]),
        Column(f"{interval}, adjusted" if adjusts else interval),
        *([] if relative else [Column("Δ%")]),
        Column(f"B {words.wins(comparison)}"),
        Column("Ties"),
        Column(f"A {words.wins(comparison)}"),
        Column("p"),
        *([Column("Adjusted p")] if adjusts else []),
        Column("Reading", numeric=False),
    ]
    shown = primary_first(comparison, rows_in_unit(comparison))
    rows = tuple(
        _measure_row(comparison, *both, adjusts=adjusts, of_mean=of_mean)
        for both in zip(primary_first(comparison), shown, strict=True)
    )
    return Table("measures", tuple(columns), rows)


def _estimate_title(comparison: Comparison) -> str:
    if comparison.with_machine:
        return "Δ, all queries"
    return words.capital(words.estimand(comparison))


def _measure_row(
    comparison: Comparison,
    row: MeasureResult,
    shown: MeasureResult,
    *,
    adjusts: bool,
    of_mean: bool,
) -> tuple[Cell, ...]:
    digits = comparison.decimals
    alpha, lead = comparison.rule.alpha, row.measure == comparison.rule.primary
    tone = words.reading_tone(row.reading)
    marked = f"{row.measure} ★" if lead and len(comparison.rows) > 1 else row.measure
    relative = is_relative(comparison)
    ends = shown.adjusted
    limits = f.interval(*ends, digits=digits)
    if relative:
        limits = planning.limits(comparison, *ends)
    cells = [
        Cell(marked, row.measure, strong=lead),
        Cell(f.score(row.mean_a, digits=digits), row.mean_a),
        Cell(f.score(row.mean_b, digits=digits), row.mean_b),
    ]
    # What the interval is of stands out, and not a mean difference beside it.
    differences = [row.diff] if of_mean else [row.diff, row.estimate]
    cells += [Cell(f.signed(each, digits=digits), each) for each in differences]
    # A count of wins says who is better, which nobody said of this measure.
    unsaid = comparison.rule.direction_declared and row.measure in comparison.asked
    change = Cell(difference_in_unit(comparison, row.rel_diff, digits=digits), row.rel_diff)
    if relative:
        cells.append(change)
    cells[-1] = replace(cells[-1], tone=tone, strong=lead)
    cells += [
        Cell(limits, shown.ci_low_adj),
        *([] if relative else [Cell(f.percent(row.rel_diff), row.rel_diff)]),
        Cell("–" if unsaid else f.count(row.wins), row.wins),
        Cell(f.count(row.ties), row.ties),
        Cell("–" if unsaid else f.count(row.losses), row.losses),
        Cell(f.pvalue(row.pvalue, alpha=alpha), row.pvalue),
    ]
    if adjusts:
        cells.append(Cell(f.pvalue(row.pvalue_adj, alpha=alpha), row.pvalue_adj))
    return (*cells, Cell(words.reading(comparison, row), row.reading, tone, strong=lead))


def queries(comparison: Comparison) -> Section | None:
    """Return the section of single queries; None where there is no query."""
    if comparison.n_queries == 0:
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
    blocks: list[Block] = [] if comparison.merged or level else [deltas]
    blocks.append(query_table(comparison))
    if comparison.n_queries > 2 * SHOWN:
        n = f.word(SHOWN)
        caption = (
            f"The {n} queries with the lowest difference and the {n} with the highest, of"
            f" {f.count(comparison.n_queries)}."
        )
        blocks.append(Text(caption, "caption"))
    if comparison.merged is not None:
        return Section("extremes", "Largest differences", finding, tuple(blocks))
    group: Group = "appendix" if level else "open"
    return Section("queries", "Query by query", finding, tuple(blocks), group=group)


def extremes(comparison: Comparison, most: int) -> tuple[list[int], list[int]]:
    """Return the positions of the queries with the lowest and the highest difference.

    Both ascending. No query is in both; equal differences stand in the order of the query ids.
    """
    differences = comparison.differences()
    order = ascending(differences)
    n_low = n_high = most
    if len(order) <= 2 * most:
        n_low, n_high = (len(order) + 1) // 2, len(order) // 2
    return order[:n_low].tolist(), order[len(order) - n_high :].tolist()


def _outermost(comparison: Comparison, most: int) -> Iterator[tuple[ExtremeQuery, int]]:
    """Yield the queries with the lowest and the highest difference, ascending, with who wins."""
    sign = 1 if comparison.primary.higher_is_better else -1
    if comparison.merged is not None:
        low, high = comparison.merged.smallest[:most], comparison.merged.largest[:most]
        for query in {each.query_id: each for each in (*low, *reversed(high))}.values():
            size = abs(query.difference) > TIED * max(abs(query.a), abs(query.b))
            yield query, sign * int(size) * (1 if query.difference > 0 else -1)
        return
    column = comparison.measures.index(comparison.rule.primary)
    differences, outcomes = comparison.differences(), comparison.outcomes()
    for i in [each for side in extremes(comparison, most) for each in side]:
        a, b = float(comparison.a[i, column]), float(comparison.b[i, column])
        query = ExtremeQuery(comparison.query_ids[i], a, b, float(differences[i]))
        yield query, int(outcomes[i])


def query_table(comparison: Comparison, *, most: int = SHOWN) -> Table:
    """Return the queries with the lowest and highest differences, ascending."""
    digits = comparison.decimals
    named: dict[int, tuple[str, Tone]] = {
        1: (f"B {words.wins(comparison)}", "b"),
        0: ("tie", "tie"),
        -1: (f"A {words.wins(comparison)}", "a"),
    }
    rows = []
    for query, outcome in _outermost(comparison, most):
        a, b, difference = query.a, query.b, query.difference
        text, tone = named[outcome]
        rows.append(
            (
                Cell(query.query_id, query.query_id),
                Cell(f.score(a, digits=digits), a),
                Cell(f.score(b, digits=digits), b),
                Cell(f.signed(difference, digits=digits), difference, tone),
                Cell(text, text, tone),
            )
        )
    columns = (
        Column("Query", numeric=False),
        Column("A"),
        Column("B"),
        Column("Δ"),
        Column("Outcome", numeric=False),
    )
    return Table("extremes" if comparison.merged else "queries", columns, tuple(rows))


LONGEST_NAME = 30


def paper(comparison: Comparison, *, style: Style) -> Paper:
    """Return the table of measures, the primary one first."""
    rows = primary_first(comparison, rows_in_unit(comparison))
    if style == "superscript":
        table, told = _superscripts(rows, comparison.decimals)
    else:
        table, told = _intervals(comparison, rows)
    said = decision.doubted(comparison, headline.short(comparison))
    return Paper(
        comment=f"{said}. {next_step(comparison).sentence}",
        caption=_caption(comparison, told),
        label=f"{comparison.candidate} {comparison.baseline} {comparison.rule.primary}",
        table=table,
    )


def _caption(comparison: Comparison, told: str) -> str:
    """Return what the table shows: systems, queries, test, level, adjustment."""
    rule = comparison.rule
    a, b = (
        one_line(name, width=LONGEST_NAME) for name in (comparison.baseline, comparison.candidate)
    )
    by = f"by a two-sided {words.declared_test(comparison)} at α = {words.alpha(comparison)}"
    said = f"{words.followed(b, 'B')} against the baseline {words.followed(a, 'A')}, means over"
    said += f" {words.queries_of(comparison)}; {told} {by}."
    if len(comparison.rows) > 1:
        how = headline.adjustment(comparison)
        alone = ", tested alone" if rule.family == "secondary" else ""
        primary = one_line(rule.primary, width=LONGEST_NAME)
        said += f" {primary} decides{alone}; {how}."
    if comparison.soundness.level == "unsound":
        return f"{said} Nothing is tested: {decision.cannot_test(comparison)}."
    more = [*samples.vote_sentences(comparison), decision.doubts(comparison)]
    return " ".join([said, *more]).rstrip()


def _intervals(comparison: Comparison, rows: Sequence[MeasureResult]) -> tuple[Table, str]:
    """Return difference, interval and p of every measure, and what the caption says of them."""
    digits = comparison.decimals
    level = f.level(comparison.rule.confidence)
    adjusts = comparison.rule.adjust != "none" and len(comparison.rows) > 1
    estimand = words.estimand(comparison)
    of_mean = estimand == words.MEAN
    heads = [Column("Measure", numeric=False, role="name"), Column("A"), Column("B")]
    heads += [Column(delta_title(comparison)), *([] if of_mean else [Column("Estimate")])]
    heads += [Column(f"{level} interval", role="interval"), Column("adj p" if adjusts else "p")]
    body = []
    for row in rows:
        shown = [f.score(row.mean_a, digits=digits), f.score(row.mean_b, digits=digits)]
        shown.append(difference_in_unit(comparison, row.diff, digits=digits))
        shown += [] if of_mean else [f.signed(row.estimate, digits=digits)]
        ends = row.adjusted
        limits = [difference_in_unit(comparison, each, digits=digits) for each in ends]
        shown.append(limits[0] if f.UNDEFINED in limits else " to ".join(limits))
        shown.append(f.pvalue(row.pvalue_adj, alpha=comparison.rule.alpha))
        body.append((Cell(row.measure), *map(Cell, shown)))
    interval = f"{level} confidence interval and p"
    told = f"the difference Δ = B − A with {interval}"
    if is_relative(comparison):
        told = f"the change of the mean Δ%, in per cent of A's, with {interval}"
    if not of_mean:
        told = f"the difference Δ = B − A, and the {estimand} with {interval}"
    return Table("paper", tuple(heads), tuple(body), noun="measure"), told


def _superscripts(rows: Sequence[MeasureResult], digits: int) -> tuple[Table, str]:
    """Return the means alone, a superscript at the one that is shown to be better."""
    heads = (
        Column("Measure", numeric=False, role="name"),
        Column("A", numeric=False, role="mean"),
        Column("B", numeric=False, role="mean"),
    )
    body = tuple(
        (
            Cell(row.measure),
            Cell(f.score(row.mean_a, digits=digits), mark="b" * (row.reading == "worse")),
            Cell(f.score(row.mean_b, digits=digits), mark="a" * (row.reading == "better")),
        )
        for row in rows
    )
    told = "the superscript a marks a mean of B shown to be better than A's, b one of A better than"
    return Table("paper", heads, body, noun="measure"), f"{told} B's,"
