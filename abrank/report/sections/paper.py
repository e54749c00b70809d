"""The table of a comparison for a paper: its cells, and a caption that says all of the design."""

from __future__ import annotations

from collections.abc import Sequence

from abrank._support import display as f
from abrank.comparison import Comparison, MeasureResult
from abrank.comparison.margins import difference_in_unit, is_relative, rows_in_unit
from abrank.report.cells import one_line
from abrank.report.model import Cell, Column, Paper, Style, Table
from abrank.report.sections import headline, soundness, votes, words
from abrank.report.sections.next_step import next_step
from abrank.report.sections.scorecard import delta_title, primary_first

LONGEST_NAME = 30


def paper(comparison: Comparison, *, style: Style) -> Paper:
    """Return the table of measures, the primary one first."""
    rows = primary_first(comparison, rows_in_unit(comparison))
    if style == "superscript":
        table, told = _superscripts(rows, comparison.decimals)
    else:
        table, told = _intervals(comparison, rows)
    said = soundness.doubted(comparison, headline.short(comparison))
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
    said = f"{b} (B) against the baseline {a} (A), means over"
    said += f" {words.queries_of(comparison)}; {told} {by}."
    if len(comparison.rows) > 1:
        how = headline.adjustment(comparison)
        alone = ", tested alone" if rule.family == "secondary" else ""
        primary = one_line(rule.primary, width=LONGEST_NAME)
        said += f" {primary} decides{alone}; {how}."
    if comparison.soundness.level == "unsound":
        return f"{said} Nothing is tested: {soundness.cannot_test(comparison)}."
    return " ".join([said, *votes.sentences(comparison), soundness.sentence(comparison)]).rstrip()


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
