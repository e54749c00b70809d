"""LaTeX: one booktabs table to put into a paper; it needs no other package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from abrank._support import checks
from abrank._support import display as f
from abrank.comparison import Comparison, MeasureResult
from abrank.comparison.scales import difference, is_relative, rows_in_unit
from abrank.report.cells import one_line
from abrank.report.formats.tex import escape, number
from abrank.report.formats.tex_table import LONGEST_NAME, MOST, tex_table
from abrank.report.sections import headline, soundness, words
from abrank.report.sections.measures_and_tests import primary_first
from abrank.report.sections.next_step import next_step

Style: TypeAlias = Literal["interval", "superscript"]


def latex(comparison: Comparison, *, digits: int | None = None, style: Style = "interval") -> str:
    r"""Return the table of measures for LaTeX, the primary measure first.

    Parameters
    ----------
    style : {"interval", "superscript"}
        Difference, interval and p of every measure; or the means alone, with a superscript at the
        one that is shown to be better.

    Returns
    -------
    str
        ASCII. The caption states test, number of queries, level and adjustment; what the preamble
        needs stands in a comment.

    Raises
    ------
    UnknownNameError
        If there is no such style.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a = {"q1": 0.5, "q2": 0.25, "q3": 0.5}
    >>> result = compare_scores(a, {"q1": 0.625, "q2": 0.5, "q3": 0.75}, candidate="new_50%")
    >>> print("\n".join(latex(result).splitlines()[-6:-1]))
        Measure & A & B & $\Delta$ & 95\% interval & $p$ \\
        \midrule
        score & $0.417$ & $0.625$ & $+0.208$ & $[0.029, 0.388]$ & $0.038$ \\
        \bottomrule
      \end{tabular}
    """
    digits = comparison.decimals if digits is None else digits
    checks.one_of("style", style, get_args(Style))
    rows = primary_first(comparison, rows_in_unit(comparison))
    if style == "superscript":
        (head, align), body, told = _superscripts(rows[:MOST], digits)
    else:
        (head, align), body, told = _intervals(comparison, rows[:MOST], digits)
    step = next_step(comparison, digits=digits).sentence
    left = len(rows) - MOST
    more = f" {f.plural(left, 'more measure')} not shown." if left > 0 else ""
    return tex_table(
        comment=f"{headline.short(comparison, digits=digits)}. {step}",
        caption=f"{_caption(comparison, told, digits)}{more}",
        named=f"{comparison.candidate} {comparison.baseline} {comparison.rule.primary}",
        align=align,
        head=head,
        body=body,
    )


def _caption(comparison: Comparison, told: str, digits: int) -> str:
    """Return what the table shows: systems, queries, test, level, adjustment."""
    rule = comparison.rule
    a, b = (
        one_line(name, width=LONGEST_NAME) for name in (comparison.baseline, comparison.candidate)
    )
    by = f"by a two-sided {words.declared_test(comparison)} at α = {words.alpha(comparison)}"
    said = f"{b} (B) against the baseline {a} (A), means over"
    said += f" {words.queries(comparison.n_queries)}; {told} {by}."
    if len(comparison.rows) > 1:
        how = headline.adjustment(comparison)
        alone = ", tested alone" if rule.family == "secondary" else ""
        said += f" {_measure(rule.primary)} decides{alone}; {how}."
    if comparison.soundness.level == "unsound":
        return f"{said} Nothing is tested: {soundness.cannot_test(comparison, digits=digits)}."
    return f"{said} {soundness.sentence(comparison, digits=digits)}".rstrip()


_Table: TypeAlias = tuple[tuple[list[str], str], list[list[str]], str]


def _intervals(comparison: Comparison, rows: Sequence[MeasureResult], digits: int) -> _Table:
    """Return head, body and what the caption says of difference, interval and p."""
    level = f.level(comparison.rule.confidence)
    adjusts = comparison.rule.adjust != "none" and len(comparison.rows) > 1
    estimand = words.estimand(comparison)
    of_mean, relative = estimand == words.MEAN, is_relative(comparison)
    head = ["Measure", "A", "B", r"$\Delta$\%" if relative else r"$\Delta$"]
    head += [] if of_mean else ["Estimate"]
    head += [escape(f"{level} interval", width=40), "adj.~$p$" if adjusts else "$p$"]
    body = []
    for row in rows:
        shown = [f.score(row.mean_a, digits=digits), f.score(row.mean_b, digits=digits)]
        shown.append(difference(comparison, row.diff, digits=digits))
        if not of_mean:
            shown.append(f.signed(row.estimate, digits=digits))
        ends = (row.ci_low_adj, row.ci_high_adj)
        limits = [difference(comparison, each, digits=digits).removeprefix("+") for each in ends]
        shown.append(limits[0] if f.UNDEFINED in limits else f"[{', '.join(limits)}]")
        shown.append(f.pvalue(row.pvalue_adj, alpha=comparison.rule.alpha))
        body.append([_name(row), *map(number, shown)])
    interval = f"{level} confidence interval and p"
    told = f"the difference Δ = B − A with {interval}"
    if relative:
        told = f"the change of the mean Δ%, in per cent of A's, with {interval}"
    if not of_mean:
        told = f"the difference Δ = B − A, and the {estimand} with {interval}"
    return (head, "l" + "r" * (len(head) - 3) + "cr"), body, told


def _superscripts(rows: Sequence[MeasureResult], digits: int) -> _Table:
    """Return head, body and what the caption says of means with superscripts."""
    body = []
    for row in rows:
        a, b = (number(f.score(mean, digits=digits)) for mean in (row.mean_a, row.mean_b))
        if row.reading == "worse":
            a = f"{a[:-1]}^{{b}}$"
        if row.reading == "better":
            b = f"{b[:-1]}^{{a}}$"
        body.append([_name(row), a, b])
    told = "the superscript a marks a mean of B shown to be better than A's, b one of A better than"
    return (["Measure", "A", "B"], "lll"), body, f"{told} B's,"


def _name(row: MeasureResult) -> str:
    return escape(row.measure, width=LONGEST_NAME)


def _measure(name: str) -> str:
    return one_line(name, width=LONGEST_NAME)
