"""Sections that let a reader plan the next test, trust the inputs, and get the result again."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from abrank import planning
from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.planning.plan import round_differences
from abrank.report import _headline, _words
from abrank.report.model import Block, Cell, Column, Figure, Section, Table, Text
from abrank.report.numbers import plain

# A smaller "smallest visible difference" is the rounding of differences that are all the same.
NOTHING = 1e-9

_EFFECTS = {
    "d_z": ("Cohen's d_z", "mean difference ÷ its standard deviation"),
    "hedges_g": ("Hedges' g", "d_z corrected for few queries"),
    "d_av": ("d_av", "mean difference ÷ average standard deviation of A and B"),
    "rank_biserial": ("Rank-biserial r", "from −1 (A wins all) to +1 (B wins all), by rank"),
    "p_better": ("Share of queries B wins", "ties count half"),
}


def plan(comparison: Comparison, *, digits: int) -> Section | None:
    """Return the section of effect sizes and power; None where no difference varies."""
    visible, sd = comparison.planning.smallest_visible, comparison.planning.sd
    if not visible > NOTHING:
        return None
    power = f.level(comparison.planning.power)
    finding = (
        f"{_words.queries(comparison.n_queries)} show a true Δ of"
        f" {f.score(visible, digits=digits)} in {comparison.rule.primary} with {power} power."
    )
    step = _headline.next_step(comparison, digits=digits)
    blocks: tuple[Block, ...] = (
        effect_table(comparison),
        Figure("power", f"Power against the true difference. {finding}"),
        _needed_table(comparison),
        Text(
            "For a two-sided paired t test, if the differences keep the standard"
            f" deviation seen here, {f.score(sd, digits=digits)}.",
            "caption",
        ),
    )
    finding = f"{finding} {step}".strip()
    return Section("planning", "Effect size, and what these queries can show", finding, blocks)


def effect_table(comparison: Comparison) -> Table:
    """Return the effect sizes of the primary measure with what they mean."""
    rows = [
        _effect_row("Relative change", comparison.primary.rel_diff, "of A's mean", percent=True)
    ]
    for name, value in comparison.effects.items():
        title, meaning = _EFFECTS.get(name, (name, ""))
        rows.append(_effect_row(title, float(value), meaning, percent=name == "p_better"))
    rows.append(
        _effect_row("Correlation of A and B", _correlation(comparison), "why pairing helps")
    )
    columns = (
        Column("Effect size", numeric=False),
        Column("Value"),
        Column("What it is", numeric=False),
    )
    return Table("effects", columns, tuple(rows))


def _effect_row(
    title: str, value: float, meaning: str, *, percent: bool = False
) -> tuple[Cell, ...]:
    if percent:
        shown = f.percent(value, sign=title == "Relative change")
    else:
        shown = f.signed(value, digits=2)
    return Cell(title), Cell(shown, value), Cell(meaning)


def _correlation(comparison: Comparison) -> float:
    column = comparison.measures.index(comparison.rule.primary)
    a, b = comparison.a[:, column], comparison.b[:, column]
    if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])


def planned_differences(visible: float, margin: float) -> list[float]:
    """Return round differences around the smallest visible one, with the margin among them.

    Examples
    --------
    >>> planned_differences(0.036, 0.015)
    [0.005, 0.01, 0.015, 0.02, 0.05]
    """
    return sorted({*round_differences(visible), *([margin] if margin else [])})


def _needed_table(comparison: Comparison) -> Table:
    rule, plan_ = comparison.rule, comparison.planning
    rows = []
    for difference in planned_differences(plan_.smallest_visible, rule.margin):
        needed = planning.queries_needed(plan_.sd, difference, alpha=rule.alpha, target=plan_.power)
        chance = planning.power(
            comparison.n_queries, effect=difference / plan_.sd, alpha=rule.alpha
        )
        marked = f"{f.number(difference)} (margin)" if difference == rule.margin else ""
        rows.append(
            (
                Cell(marked or f.number(difference), difference, strong=bool(marked)),
                Cell("more than 100 million" if needed is None else f.count(needed), needed),
                Cell(f.percent(chance, sign=False), chance),
            )
        )
    columns = (
        Column("True Δ"),
        Column(f"Queries for {f.level(plan_.power)} power"),
        Column(f"Power with {_words.queries(comparison.n_queries)}"),
    )
    return Table("planning", columns, tuple(rows))


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


def quality(comparison: Comparison, *, digits: int) -> Section | None:
    """Return the section on the inputs; None where nothing was seen of them."""
    said = tuple(Text(f"Note: {remark}.") for remark in comparison.remarks)
    title = "Data quality"
    if set(comparison.audits) != {"a", "b"}:
        finding = "Ready scores were compared, no run was read."
        return Section("quality", title, finding, said) if said else None
    a, b = comparison.audits["a"], comparison.audits["b"]
    rows = tuple(
        (Cell(title), Cell(show(a), show(a)), Cell(show(b), show(b))) for title, show in _COUNTS
    )
    columns = (Column("What was counted", numeric=False), Column("A"), Column("B"))
    lacking = [
        f"{_words.queries(len(audit.missing))} missing from {name}"
        for audit, name in ((a, comparison.baseline), (b, comparison.candidate))
        if audit.missing
    ]
    asked = f"{_words.queries(a.n_queries)} in the qrels"
    finding = f"{asked}; {' and '.join(lacking) or 'both runs have them all'}"
    judged = (
        f"{f.percent(a.judged_at_10, sign=False)} of A's and"
        f" {f.percent(b.judged_at_10, sign=False)} of B's top 10 are judged"
    )
    reach = evidence_sentence(comparison, digits=digits)
    blocks = (Table("quality", columns, rows), *((Text(reach),) if reach else ()), *said)
    return Section("quality", title, f"{finding}. {judged}.", blocks)


def evidence_sentence(comparison: Comparison, *, digits: int) -> str:
    """Say what unjudged documents and ties could make of the difference; empty where nothing."""
    evidence, measure = comparison.evidence, comparison.rule.primary
    said = []
    if evidence.unjudged_range is not None and any(evidence.n_unjudged):
        a, b = (f.count(number) for number in evidence.n_unjudged)
        limits = f.interval(*evidence.unjudged_range, digits=digits)
        said.append(
            f"{measure} meets {a} unjudged documents of A and {b} of B, which count as not"
            f" relevant; were those of one system relevant and those of the other not, Δ would lie"
            f" within {limits}."
        )
    if evidence.tie_range is not None:
        limits = f.interval(*evidence.tie_range, digits=digits)
        said.append(f"Over all orders of documents with equal scores Δ lies within {limits}.")
    return " ".join(said)


def _listed(values: Any, most: int = 4) -> str:  # noqa: ANN401 - any sequence
    shown = [str(value) for value in values]
    if not shown:
        return "none"
    return ", ".join(shown[:most]) + (" …" if len(shown) > most else "")


def methods(comparison: Comparison, *, digits: int) -> Section:
    """Return a paragraph to paste into a paper or a change request."""
    finding = "To paste, and to change where your plan said otherwise."
    return Section(
        "methods", "Methods", finding, (Text(methods_text(comparison, digits=digits), "code"),)
    )


def methods_text(comparison: Comparison, *, digits: int) -> str:
    """Return the methods paragraph: what was compared, how, and by which rule."""
    rule, settings = comparison.rule, _known(comparison, "settings")
    sentences = [
        f"We compared {comparison.candidate} (B) with the baseline {comparison.baseline} (A) on"
        f" {_words.queries(comparison.n_queries)} by {rule.primary}.",
        f"The differences B − A, paired by query, were tested with a two-sided"
        f" {_words.declared_test(comparison)} at α = {f.number(rule.alpha)}; intervals have the"
        f" level {f.level(rule.confidence)}.",
    ]
    if rule.margin:
        sentences.append(
            f"The smallest difference worth having was {f.score(rule.margin, digits=digits)};"
            " equivalence and non-inferiority were judged by two one-sided tests, that is by the"
            f" {f.level(rule.confidence_equivalence)} interval."
        )
    others = len(comparison.rows) - 1
    if others:
        names = ", ".join(row.measure for row in comparison.rows if row.measure != rule.primary)
        how = _headline.adjustment(comparison)
        sentences.append(f"{_words.capital(how)}: {names}.")
    if settings.get("missing") == "zero":
        sentences.append("A query missing from a run scored 0.")
    elif settings.get("missing") == "drop":
        sentences.append("A query missing from a run was left out for both systems.")
    version = _known(comparison, "versions").get("abrank")
    tool = f"abrank {version}" if version else "abrank"
    sentences.append(f"Computed with {tool}, seed {comparison.seed}.")
    return " ".join(sentences)


def reproduce(comparison: Comparison) -> Section:
    """Return the section with command, seed, versions and inputs, as far as they are known."""
    command = comparison.provenance.get("command")
    created = comparison.provenance.get("created")
    versions = _known(comparison, "versions")
    inputs = _known(comparison, "inputs")
    facts = [f"seed {comparison.seed}"]
    if created:
        facts.append(f"made {created}")
    facts += [f"{name} {version}" for name, version in versions.items()]
    blocks: list[Block] = [Text(str(command), "code")] if command else []
    blocks.append(Text(", ".join(facts) + "."))
    if inputs:
        blocks.append(_input_table(inputs))
    how = "The command below gives" if command else "The same inputs and seed give"
    return Section("reproduce", "Reproduce", f"{how} the same numbers again.", tuple(blocks))


def _input_table(inputs: Mapping[str, Any]) -> Table:
    roles = {"qrels": "Judgments", "a": "A", "b": "B"}
    rows = []
    for role in [*roles, *(key for key in inputs if key not in roles)]:
        source = inputs.get(role)
        if source is None:
            continue
        path, digest, n_rows = (source.get(key) for key in ("path", "sha256", "rows"))
        rows.append(
            (
                Cell(roles.get(role, role)),
                Cell(str(path) if path else "in memory"),
                Cell("" if n_rows is None else f.count(n_rows), n_rows),
                Cell(str(digest or "")),
            )
        )
    columns = (
        Column("Input", numeric=False),
        Column("Path", numeric=False),
        Column("Rows"),
        Column("sha256", numeric=False),
    )
    return Table("inputs", columns, tuple(rows))


def _known(comparison: Comparison, key: str) -> Mapping[str, Any]:
    """Return a part of the provenance as plain values; empty where it is unknown."""
    found = plain(comparison.provenance.get(key) or {})
    return found if isinstance(found, dict) else {}
