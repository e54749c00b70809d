"""The section on depth: the primary measure at growing cut-offs, and precision against recall."""

from __future__ import annotations

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.comparison.evidence import CutoffCurve, RecallCurve
from abrank.report.model import Block, Cell, Column, Figure, Section, Table, Text, Tone
from abrank.report.sections import words


def depth(comparison: Comparison) -> Section | None:
    """Return the section of the curves; None where no ranking was read, or all depths tie."""
    cutoffs, recall = comparison.evidence.cutoff_curve, comparison.evidence.recall_curve
    if cutoffs is not None and not any(cutoffs.diff) and words.all_tied(comparison):
        return None
    findings: list[str] = []
    blocks: list[Block] = []
    if cutoffs is not None:
        findings.append(_cutoff_finding(comparison, cutoffs))
        blocks += [
            Figure("cutoffs", f"{cutoffs.measure}@k of A and B and their difference by k."),
            Text(
                f"{cutoffs.measure} of the first k documents. Each interval is the"
                f" {f.level(comparison.rule.confidence)} one of the paired t test at that k alone,"
                " not adjusted.",
                "caption",
            ),
        ]
    if recall is not None:
        findings.append(_recall_finding(recall))
        blocks += [
            Figure("recall", "Mean interpolated precision of A and B at eleven levels of recall."),
            Text(
                "Mean interpolated precision, as trec_eval computes it: the best precision at that"
                " recall or beyond. Higher is better everywhere.",
                "caption",
            ),
        ]
    if cutoffs is not None:
        blocks.append(_cutoff_table(comparison, cutoffs))
    if not blocks:
        return None
    return Section("depth", "Depth", " ".join(findings), tuple(blocks), group="appendix")


def _sides(comparison: Comparison, curve: CutoffCurve) -> list[int]:
    """Return +1 where an interval lies on B's side of 0, -1 where on A's, else 0."""
    ends = zip(curve.ci_low, curve.ci_high, strict=True)
    return [comparison.rule.gain(*each).side for each in ends]


def _cutoff_finding(comparison: Comparison, curve: CutoffCurve) -> str:
    """Say at which cut-offs the interval excludes 0."""
    sides = _sides(comparison, curve)
    span = f"k = {', '.join(str(k) for k in curve.cutoffs)}"
    parts = []
    for side, name in ((1, comparison.candidate), (-1, comparison.baseline)):
        found = [str(k) for k, each in zip(curve.cutoffs, sides, strict=True) if each == side]
        if found:
            parts.append(f"{name} is ahead at k = {', '.join(found)}")
    if not parts:
        return f"{curve.measure}@k was looked at for {span}: every interval includes 0."
    open_ = sum(each == 0 for each in sides)
    rest = f"; at {f.word(open_)} other {'k' if open_ == 1 else 'values of k'} it includes 0"
    return f"By the interval of {curve.measure}@k, {' and '.join(parts)}{rest if open_ else ''}."


def _recall_finding(curve: RecallCurve) -> str:
    """Count the levels of recall at which each has the higher precision."""
    b = sum(y > x for x, y in zip(curve.a, curve.b, strict=True))
    a = sum(y < x for x, y in zip(curve.a, curve.b, strict=True))
    levels = len(curve.levels)
    if not a and not b:
        return f"The mean precision is the same at all {f.count(levels)} levels of recall."
    first, more = ("B", b) if b >= a else ("A", a)
    if more == levels:
        return f"{first}'s mean precision is higher at all {f.count(levels)} levels of recall."
    other = f", {'A' if first == 'B' else 'B'}'s at {f.word(min(a, b))}" if min(a, b) else ""
    return (
        f"{first}'s mean precision is higher at {f.word(more)} of {f.count(levels)} levels of"
        f" recall{other}."
    )


def _cutoff_table(comparison: Comparison, curve: CutoffCurve) -> Table:
    digits = comparison.decimals
    level = f"{f.level(comparison.rule.confidence)} interval"
    columns = (
        Column("Measure", numeric=False),
        *(Column(title) for title in ("A", "B", "Δ", level, "Judged, A", "Judged, B")),
    )
    tones: dict[int, Tone] = {1: "b", -1: "a", 0: "plain"}
    rows, sides = [], _sides(comparison, curve)
    for i, k in enumerate(curve.cutoffs):
        low, high = curve.ci_low[i], curve.ci_high[i]
        name = f"{curve.measure}@{k}"
        rows.append(
            (
                Cell(name, name, strong=name == comparison.rule.primary),
                Cell(f.score(curve.mean_a[i], digits=digits), curve.mean_a[i]),
                Cell(f.score(curve.mean_b[i], digits=digits), curve.mean_b[i]),
                Cell(
                    f.signed(curve.diff[i], digits=digits),
                    curve.diff[i],
                    tones[sides[i]],
                ),
                Cell(f.interval(low, high, digits=digits), low),
                Cell(f.percent(curve.judged_a[i], sign=False), curve.judged_a[i]),
                Cell(f.percent(curve.judged_b[i], sign=False), curve.judged_b[i]),
            )
        )
    return Table("depths", columns, tuple(rows))
