"""Votes: who was preferred among those that decide, and what the order of the two does to it."""

from __future__ import annotations

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.comparison.rows import Preferences
from abrank.estimate import Estimate
from abrank.report.model import EVERYWHERE, Block, Cell, Column, Section, Table, Text
from abrank.report.sections import words

_MEANING = (
    "Δ is B's share of the queries, a tie as half a query, less one half, which is A's score where"
    " neither is preferred: +0.05 is 55 of 100 queries."
)

_CLICKS = (
    "Δ of preference is the share of impressions that B wins, a tie as half of one, less one half;"
    " of credit share the same of its credits. Clicks say which of two lists people prefer; they do"
    " not say how large the gain is in nDCG, nor how the two would fare alone."
)


def sentences(comparison: Comparison) -> list[str]:
    """Say what was voted, what reverses with the order, and how much the place is worth."""
    found = comparison.preferences
    if found is None:
        return []
    if found.credits is not None:
        a, b = found.credits
        users = f" by {f.plural(found.n_judges, 'user')}" if found.n_judges else ""
        return [
            f"Interleaved lists: {words.queries_of(comparison)}{users},"
            f" {f.count(found.n_without_click)} without a credit. Credits of clicks:"
            f" A {f.number(a)}, B {f.number(b)}.{_decided(comparison, found)}"
        ]
    judges = f" by {f.plural(found.n_judges, 'judge')}" if found.n_judges > 1 else ""
    said = f"{f.plural(found.n_votes, 'vote')}{judges} on {words.queries_of(comparison)}"
    left = sum(found.left_out.values())
    if left:
        why = ", ".join(f"{reason} {f.count(n)}" for reason, n in sorted(found.left_out.items()))
        said += f"; {f.count(left)} without a verdict left out ({why})"
    return [
        f"{said}.{_decided(comparison, found)}",
        *_order(found, f.level(comparison.rule.confidence)),
    ]


def _decided(comparison: Comparison, found: Preferences) -> str:
    if found.decided is None:
        return ""
    decided = comparison.primary.wins + comparison.primary.losses
    return f" Of {f.count(decided)} decided B wins {_percent(found.decided)}."


def _order(found: Preferences, level: str) -> list[str]:
    bias = ""
    if found.bias is not None:
        limits = f.interval(*found.bias.interval, digits=2)
        bias = (
            " The answer shown first has a net share of"
            f" {f.signed(found.bias.estimate, digits=2)} of the verdicts ({level} CI {limits})."
        )
    if found.n_both and not found.n_disagree:
        return [f"Order: none of {f.count(found.n_both)} verdicts changes with the order.{bias}"]
    if found.n_both:
        half = found.n_disagree - found.n_reversed
        more = f", and {f.count(half)} more are a tie in one order only" if half else ""
        return [
            f"Order: {f.count(found.n_reversed)} of {f.count(found.n_both)} verdicts reverse with"
            f" the order, {f.count(found.n_to_first)} of them to the answer shown first{more}:"
            f" counted as ties.{bias}"
        ]
    if bias:
        return [f"Order: each verdict was given in one order, which changes.{bias}"]
    if found.shown["random"]:
        return ["Order: drawn at random and not kept, so the bias to a place averages out unseen."]
    return []


def _percent(share: Estimate) -> str:
    return (
        f"{f.percent(share.estimate, sign=False)} ({f.percent(share.low, sign=False)} to"
        f" {f.percent(share.high, sign=False)}, exact)"
    )


def votes(comparison: Comparison) -> Section | None:
    """Return the section on votes; None for scores of rankings."""
    found = comparison.preferences
    if found is None:
        return None
    level = f.level(comparison.rule.confidence)
    columns = (
        Column("What", numeric=False), Column("Estimate"), Column(f"{level} interval"), Column("p")
    )  # fmt: skip
    kinds = (
        ("Decided queries that B wins (Clopper–Pearson)", found.decided, _percents),
        ("Net share of verdicts for the answer shown first (t)", found.bias, _signed),
        ("Reversed verdicts that go to the answer shown first (exact)", found.to_first, _percents),
    )
    rows = tuple(
        (
            Cell(what), *show(share),
            Cell(f.pvalue(share.pvalue, alpha=comparison.rule.alpha), share.pvalue),
        )
        for what, share, show in kinds
        if share is not None
    )  # fmt: skip
    first, *more = sentences(comparison)
    blocks: list[Block] = [*map(Text, more), *([Table("votes", columns, rows)] if rows else [])]
    blocks.append(Text(_MEANING if found.credits is None else _CLICKS, "caption"))
    return Section("votes", "Votes", first, tuple(blocks), EVERYWHERE - {"text"})


def _percents(share: Estimate) -> tuple[Cell, Cell]:
    low, high = (f.percent(each, sign=False) for each in share.interval)
    return Cell(f.percent(share.estimate, sign=False), share.estimate), Cell(f"{low} to {high}")


def _signed(share: Estimate) -> tuple[Cell, Cell]:
    limits = f.interval(*share.interval, digits=2)
    return Cell(f.signed(share.estimate, digits=2), share.estimate), Cell(limits)
