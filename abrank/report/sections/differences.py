"""Sections on the differences behind the verdict: how they spread, and whether the tests agree."""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank.comparison import Comparison, TestRow
from abrank.inference.shape import spread_form
from abrank.report.model import (
    Bar,
    Block,
    Cell,
    Column,
    Figure,
    Scorecard,
    Section,
    Text,
    Tone,
)
from abrank.report.sections import headline, merged, words
from abrank.report.sections.scorecard import scale

PAIRS = 60  # more queries are drawn as deciles
FEW = 5  # so few queries are seen one by one where they are listed
SHAPE = 10  # fewer queries have no shape to compare
_DISTRIBUTION = ("distribution", "Distribution")


def distribution(comparison: Comparison) -> Section | None:
    """Return the section of the distribution; None below three queries."""
    if comparison.n_queries < 3 or words.all_tied(comparison):
        return None
    finding = _spread_finding(comparison)
    measure, few = comparison.rule.primary, comparison.n_queries <= FEW
    spread: list[Block] = [
        Figure(
            "distribution",
            f"Distribution of the differences in {measure}. {finding}",
            repeats=few,
        ),
        Text(_distribution_guide(comparison), "caption"),
    ]
    if comparison.merged is not None:
        spread.append(Text(merged.rounding(comparison.merged)))
        return Section(*_DISTRIBUTION, finding, tuple(spread), group="appendix")
    blocks: list[Block] = [
        Figure(
            "scatter",
            f"{measure} of every query, A across and B upwards.",
            repeats=comparison.n_queries <= PAIRS,  # the slope graph has them
        ),
        Text("Above the diagonal B scores higher, below it A does.", "caption"),
        Figure(
            "paired",
            f"{measure} of A and of B, query by query, and the mean difference.",
            repeats=few or comparison.n_queries > PAIRS,
        ),
        Text(
            f"Left, the scores; lines join the same query, or beyond {PAIRS} queries the same"
            " decile. Right, the mean difference with its interval, in the same unit.",
            "caption",
        ),
        *spread,
    ]
    if comparison.n_queries >= SHAPE:
        blocks += [
            Figure("qq", f"Differences in {measure} against a normal curve.", repeats=True),
            Text(
                "On the line, the differences are normal. The t test needs this of few queries"
                " only; of many, only that the mean is not ruled by single ones.",
                "caption",
            ),
        ]
    return Section(*_DISTRIBUTION, finding, tuple(blocks), group="appendix")


def _spread_finding(comparison: Comparison) -> str:
    """Say where the middle half of the differences lies, the median and the mean."""
    digits = comparison.decimals
    spread = comparison.spread
    low, middle, high = (
        f.signed(each, digits=digits)
        for each in (spread.lower_quartile, spread.median, spread.upper_quartile)
    )
    mean, ties = comparison.mean_difference, comparison.primary.ties
    said = (
        f"The middle half of the differences lies between {low} and {high}; the median is {middle},"
        f" the mean {f.signed(mean, digits=digits)}."
    )
    n = comparison.n_queries
    if not n > ties > n / 2:
        return said
    others = f.signed(mean * n / (n - ties), digits=digits)
    return f"{said} {f.count(ties)} of {words.queries(n)} are tied; of the others it is {others}."


def _distribution_guide(comparison: Comparison) -> str:
    """Say how to read the picture that was drawn: dots, bars, or a density with a box."""
    guides: dict[str, str] = {
        "dots": "A dot is a query.",
        "values": "A bar is a value of the difference; its height counts the queries.",
        "bins": "A bar counts the queries; those that tie have a bar of their own.",
        "density": "Box: middle half; line: 5% to 95%.",
    }
    found = comparison.merged
    form = spread_form(comparison.differences()) if found is None else found.form
    return f"Right of 0 B scores higher. {guides[form]}"


def all_tests(comparison: Comparison) -> Section | None:
    """Return the section on all tests; None where none gives a p-value, or every query ties."""
    rows = [row for row in comparison.test_rows if math.isfinite(row.pvalue)]
    if not rows or words.all_tied(comparison):
        return None
    declared = f"Only the {words.name_of_rule(comparison)} was declared, so only it decides."
    finding = headline.agreement(comparison) or declared
    blocks: list[Block] = [
        _test_table(comparison),
        Figure(
            "tests",
            f"Estimate and interval by {f.plural(len(rows), 'test')}; see the table.",
            repeats=True,
        ),
        Text(
            "Tests that estimate different things can disagree without any of them being wrong: the"
            " mean counts how large each difference is, the sign test only who wins.",
            "caption",
        ),
    ]
    design = comparison.rule.design
    plain = design is None or design.is_plain
    plain = plain and comparison.merged is None
    if plain:
        blocks += _how_p_is_found()
    return Section("tests", "Other tests", finding, tuple(blocks), group="change")


def _how_p_is_found() -> tuple[Block, ...]:
    """Return the pictures of what a p-value is: the share of chance, and a question at each Δ."""
    return (
        Figure(
            "null", "Where the mean difference lies among those of flipped signs.", repeats=True
        ),
        Text(
            "If A and B were exchangeable, the sign of each query's difference would be a matter of"
            " chance: the hill is what chance alone gives, the line what was seen.",
            "caption",
        ),
        Figure(
            "pvalue", "The p-value of every difference that could be asked about.", repeats=True
        ),
        Text(
            "p against each possible true difference. Where it is above α, the difference is inside"
            " the interval; where it crosses 0, p is the one printed above.",
            "caption",
        ),
    )


def _test_table(comparison: Comparison) -> Scorecard:
    columns = (
        Column("Test", numeric=False, role="name"),
        Column("What it estimates", numeric=False),
        Column("Estimate", role="change"),
        Column("", numeric=False, role="drawn"),
        Column(f"{f.level(comparison.rule.confidence)} interval", role="interval"),
        Column("Statistic"),
        Column("p", role="p"),
        Column("How", numeric=False),
    )
    rows = tuple(_test_row(comparison, row) for row in comparison.test_rows)
    # The sign test's estimate has another unit.
    bars = tuple(
        Bar(row.estimate, *row.interval, tone=cells[2].tone)
        if row.estimand.endswith("difference") and row.interval.is_finite
        else None
        for row, cells in zip(comparison.test_rows, rows, strict=True)
    )
    axis = scale(comparison, of="Estimate, B − A")
    tall = frozenset(i for i, row in enumerate(comparison.test_rows) if row.decides)
    return Scorecard("tests", columns, rows, bars=bars, scale=axis, tall=tall)


def _test_row(comparison: Comparison, row: TestRow) -> tuple[Cell, ...]:
    digits = comparison.decimals
    how = words.how_found(row, alpha=comparison.rule.alpha)
    tone: Tone = "plain"
    if row.pvalue < comparison.rule.alpha:
        tone = "b" if (row.estimate > 0) == comparison.rule.higher_is_better else "a"
    title = f"{row.title} ★ declared" if row.decides else row.title
    return (
        Cell(title, row.title, strong=row.decides),
        Cell(row.estimand, row.estimand),
        Cell(f.signed(row.estimate, digits=digits), row.estimate, tone, strong=row.decides),
        Cell(""),
        Cell(f.interval(*row.interval, digits=digits), row.ci_low),
        Cell(words.statistic(row, digits=digits), row.statistic),
        Cell(f.pvalue(row.pvalue, alpha=comparison.rule.alpha), row.pvalue, strong=row.decides),
        Cell(how, how),
    )
