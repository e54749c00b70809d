"""The section on the inputs: what was counted, and what judging and ties leave open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.report.model import Block, Cell, Column, Figure, Section, Table, Text
from abrank.report.sections import words

_COUNTS: tuple[tuple[str, Callable[[Any], str]], ...] = (
    ("Queries in the qrels", lambda audit: f.count(audit.n_queries)),
    ("Missing from the run", lambda audit: f.count(len(audit.missing))),
    ("In the run only, ignored", lambda audit: f.count(len(audit.extra))),
    ("Documents in the run", lambda audit: f.count(audit.n_rows)),
    ("Duplicates left out", lambda audit: f.count(audit.n_duplicates_dropped)),
    ("Documents that share their score", lambda audit: f.count(audit.n_tied_rows)),
    ("Queries with such ties", lambda audit: f.count(audit.n_queries_with_ties)),
    ("Queries with ranks against the scores", lambda audit: f.count(audit.n_rank_conflicts)),
    ("Comment lines skipped", lambda audit: f.count(audit.n_comments)),
    ("Judged among the top 10", lambda audit: f.percent(audit.judged_at_10, sign=False)),
    ("Unjudged among the top 10, in all", lambda audit: f.count(audit.n_unjudged_at_10)),
    ("Run tags", lambda audit: _listed(audit.tags)),
    ("Judgments", lambda audit: f.count(audit.n_judgments)),
    ("Judgments with a grade below 0", lambda audit: f.count(audit.n_negative_grades)),
    ("Grades in the qrels", lambda audit: _listed(audit.grades)),
)


def quality(comparison: Comparison) -> Section | None:
    """Return the section on the inputs; None where nothing was seen of them."""
    said = tuple(Text(f"Note: {remark}.") for remark in comparison.remarks)
    title = "Data quality"
    if set(comparison.audits) != {"a", "b"}:
        what = "Votes" if comparison.preferences is not None else "Ready scores"
        finding = f"{what} were compared, no run was read."
        return Section("quality", title, finding, said, group="appendix") if said else None
    a, b = comparison.audits["a"], comparison.audits["b"]
    rows = tuple(
        (Cell(title), Cell(show(a), show(a)), Cell(show(b), show(b))) for title, show in _COUNTS
    )
    columns = (Column("What was counted", numeric=False), Column("A"), Column("B"))
    lacking = [
        f"{words.queries(len(audit.missing))} missing from {name}"
        for audit, name in ((a, comparison.baseline), (b, comparison.candidate))
        if audit.missing
    ]
    asked = f"{words.queries(a.n_queries)} in the qrels"
    finding = f"{asked}; {' and '.join(lacking) or 'both runs have them all'}"
    judged = (
        f"{f.percent(a.judged_at_10, sign=False)} of A's and"
        f" {f.percent(b.judged_at_10, sign=False)} of B's top 10 are judged"
    )
    blocks: list[Block] = [Table("quality", columns, rows)]
    if comparison.evidence.cutoff_curve is not None:
        blocks += [
            # The table of the cut-offs has the same shares.
            Figure("judged", f"Share of judged documents by depth. {judged}.", repeats=True),
            Text("A document that nobody judged counts as not relevant.", "caption"),
        ]
    blocks += [
        Text(unjudged_sentence(comparison)),
        Text(tie_sentence(comparison)),
        *said,
    ]
    unusual = any(
        each.missing or each.extra or each.n_duplicates_dropped or each.n_rank_conflicts
        for each in (a, b)
    )
    mark = "!" if unusual else ""
    return Section(
        "quality", title, f"{finding}. {judged}.", tuple(blocks), group="appendix", mark=mark
    )


def unjudged_sentence(comparison: Comparison) -> str:
    """Say what unjudged documents could make of the difference."""
    evidence, measure = comparison.evidence, comparison.rule.primary
    seen = (evidence.rankings, evidence.cutoff_curve, evidence.recall_curve, evidence.tie_range)
    if not any(seen):
        # Runs that were scored in partitions: nobody held the documents of all queries.
        a, b = (f.count(comparison.audits[key].n_unjudged_at_10) for key in "ab")
        return (
            f"Of the first ten documents {a} of A's and {b} of B's are unjudged and count as not"
            " relevant; what they could make of Δ was not worked out."
        )
    if not any(evidence.n_unjudged):
        return f"Every document that {measure} looks at is judged: more judgments change nothing."
    a, b = (f.count(number) for number in evidence.n_unjudged)
    met = f"{measure} meets {a} unjudged documents of A and {b} of B, which count as not relevant"
    if evidence.unjudged_range is None:
        return f"{met}; what they could make of Δ was not worked out."
    limits = f.interval(*evidence.unjudged_range, digits=comparison.decimals)
    return (
        f"{met}; were those of one system relevant and those of the other not, Δ would lie within"
        f" {limits}."
    )


def tie_sentence(comparison: Comparison) -> str:
    """Say what the order of tied documents could make of the difference."""
    digits = comparison.decimals
    ties, audits = comparison.evidence.tie_range, comparison.audits
    if ties is not None:
        low, high = (f.signed(value, digits=digits) for value in ties)
        found = f"is {low}" if low == high else f"lies within {f.interval(*ties, digits=digits)}"
        return f"Over all orders of documents with equal scores Δ {found}."
    if any(audit.n_tied_rows for audit in audits.values()):
        return "Documents share scores; how far their order could move Δ was not worked out."
    return "No two documents of a query share a score, so no order was left open."


def _listed(values: Any, most: int = 4) -> str:  # noqa: ANN401 - any sequence
    shown = [str(value) for value in values]
    if not shown:
        return "none"
    return ", ".join(shown[:most]) + (" …" if len(shown) > most else "")
