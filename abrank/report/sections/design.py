"""What the design of the comparison changes, and what was asked beside the primary measure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.comparison.groups import ClusterSummary
from abrank.comparison.units import within_reach
from abrank.report.model import Section, Text
from abrank.report.sections import planning, words
from abrank.rule import Design, GuardResult

SPENDING = {"obrien-fleming": "O'Brien–Fleming", "pocock": "Pocock"}


_TITLES = {
    "sequence": "confidence sequence",
    "declared": "declared rule",
    "changed": "declared rule, changed",
    "groups": "independent groups",
}


def design(comparison: Comparison) -> Section | None:
    """Return the section on clusters, looks and guards; None without any."""
    text = sentences(comparison)
    if not text:
        return None
    blocks = tuple(Text(item) for _, item in text[1:])
    title = words.capital(f.listed([_TITLES.get(label, label) for label, _ in text]))
    return Section("design", title, text[0][1], blocks, group="change")


def sentences(comparison: Comparison) -> list[tuple[str, str]]:
    """Return a label and a sentence for each part of the design, and for guards."""
    result, rule, stated = [], comparison.rule, comparison.provenance.get("declared")
    declared, n = rule.design, rule.best_of
    if isinstance(stated, Mapping):
        label = "changed" if stated.get("deviations") else "declared"  # the first screen has it
        result.append((label, _declared(stated)))
    if n > 1:
        level = declared.alpha if declared is not None and declared.shared else rule.alpha
        text = (
            f"B is the best of {f.count(n)} candidates tried on these queries: each has the level"
            f" {f.number(n * level)} / {f.count(n)} = {f.number_short(level, digits=3)}, so that"
            " interval and p-value are valid whichever of them was chosen (Bonferroni)."
        )
        result.append(("selection", text))
    if rule.independent:
        result.append(("groups", _groups(comparison)))
    if comparison.clusters is not None:
        result.append(("clusters", _clusters(comparison, comparison.clusters)))
    if comparison.weights is not None:
        result.append(("weights", _weights(comparison)))
    if declared is not None and declared.shared:
        result.append(("look", _look(comparison, declared)))
    if declared is not None and declared.planned:
        result.append(("sequence", _sequence(comparison, declared)))
    if comparison.decision.guards:
        capital = "; ".join(guard(comparison, item) for item in comparison.decision.guards)
        capital = words.capital(capital) if capital.startswith("a loss") else capital
        result.append(("guards", f"{capital}."))
    return result


def _declared(stated: Mapping[str, Any]) -> str:
    """Say in which file the rule was declared, and what the call changed of it."""
    text = f"The rule was declared{words.declared_where(stated)}"
    changes = [
        f"{words.name(item.get('setting'))} {words.name(item.get('used'))} in place of"
        f" {words.name(item.get('declared'))}"
        for item in stated.get("deviations") or ()
        if isinstance(item, Mapping)
    ]
    if not changes:
        return f"{text}, and not changed."
    return f"{text}, but changed for this call: {'; '.join(changes)}."


def _clusters(comparison: Comparison, result: ClusterSummary) -> str:
    effective, (_, units) = "", words.unit(comparison)
    if result.n_effective < result.n_clusters - 0.05:  # so many of one size would tell as much
        effective = (
            f": as much evidence as {f.score(result.n_effective, digits=1)} clusters of one"
            f" {'size' if comparison.weights is None else 'weight'} (their effective number)"
        )
    text = (
        f"The {words.queries_of(comparison)} come in"
        f" {f.plural(result.n_clusters, 'cluster')}{words.by_property(result.name)}, of"
        f" {f.count(result.largest)} at most{effective}. The {words.name_of_rule(comparison)} takes"
        f" clusters, not {units}, to be independent"
    )
    if not math.isfinite(result.error_ratio):
        return f"{text}."
    return (
        f"{text}: the standard error is {f.score(result.error_ratio, digits=2)} times that of"
        f" independent {units}."
    )


def _groups(comparison: Comparison) -> str:
    """Say how many units each group has, and what is taken of them."""
    sides = comparison.a[:, 0], comparison.b[:, 0]
    n_a, n_b = (f.count(int(np.isfinite(side).sum())) for side in sides)
    return (
        f"A and B are independent groups: {n_a} units saw A and {n_b} others saw B. Welch's t test"
        " takes them as assigned at random, and their variances as different."
    )


def _weights(comparison: Comparison) -> str:
    weights = comparison.weights
    assert weights is not None
    n, head = comparison.n_queries, f.count(weights.n_head)
    text = (
        f"Queries count by {words.name(weights.name)}, in the means and in the t test: as much"
        f" evidence as {f.score(weights.n_effective, digits=1)} queries of one weight (of"
        f" {f.count(n)}; their effective number), the heaviest has"
        f" {f.percent(weights.largest, sign=False)} of the weight. {head} of them, the head, have"
        " half of it"
    )
    rows = {
        row.label: row
        for segmentation in comparison.segmentations
        if segmentation.name == "weight"
        for row in segmentation.rows
    }
    means = [
        f"Δ {f.signed(rows[label].mean, digits=comparison.decimals)} in the {label}"
        for label in ("head", "tail")
        if label in rows
    ]
    text = f"{text}: {' and '.join(means)}. Wins and effect sizes are of single queries."
    if weights.n_others:
        text += (
            f" {f.plural(weights.n_others, 'other query has', 'other queries have')}"
            f" {f.percent(weights.of_others, sign=False)} of all weight, and"
            f" {'is' if weights.n_others == 1 else 'are'} not compared."
        )
    return text


def _look(comparison: Comparison, declared: Design) -> str:
    spending = f"({SPENDING[declared.spending]} spending)"
    if declared.seen:
        *earlier, now = map(f.count, declared.seen)
        after = (
            f" after {'a look' if len(earlier) == 1 else 'looks'} at {f.listed(earlier)}"
            if earlier
            else ", the first look"
        )
        start = f"{now} of {words.queries(declared.n_planned)} planned{after} {spending}"
    else:
        start = f"Look {declared.look} of {declared.n_looks}, evenly spaced {spending}"
    start += (
        f": this one decides at α = {words.alpha(comparison)}, all together at"
        f" {f.number(declared.alpha)}."
    )
    if not declared.seen and not comparison.strata:
        start += (
            " That no other looks were taken is not checked: --config planned=N records them, and a"
            " --ledger knows them."
        )
    if comparison.decision.direction and declared.is_last:
        return f"{start} The difference is significant."
    if comparison.decision.direction:
        return (
            f"{start} The difference is significant: you may stop here, but Δ at an early stop is"
            " larger than the true one on average."
        )
    if declared.is_last:
        return f"{start} It is the last, and the difference is not significant."
    return f"{start} The difference is not significant yet."


def _sequence(comparison: Comparison, declared: Design) -> str:
    wider = comparison.planning.inflation
    if comparison.rule.test == "bounded":
        text = "The betting interval is valid however often you look and whenever you stop, at any"
        text += " number of queries and for any differences of a bounded measure. The other tests"
        text += " are valid for one look"
    else:
        narrowest = words.queries(declared.planned)
        text = (
            f"The confidence sequence, narrowest at {narrowest}, is valid however often you look"
            " and whenever you stop, from 25 queries on, for differences like these: with rare"
            " large losses, still unseen, it is not. The other tests are valid for one look"
        )
    if comparison.decision.direction:
        text += "; Δ where one stops early is larger than the true one on average"
    if wider == 1.0:
        return f"{text}."
    times = f.score(wider, digits=2)
    return f"{text}. It is {times} times as wide as the interval of one look."


def guard(comparison: Comparison, result: GuardResult) -> str:
    """Say whether a guard passed, with the interval that it is held against, as a clause."""
    digits = comparison.decimals
    level = f.level(comparison.rule.confidence_equivalence)
    limits = f"{level} interval {_limits(comparison, result, digits)}"
    margin = f.least(result.margin, digits=digits)
    if result.margin_is_relative:
        margin = f"{f.number(round(100.0 * result.margin, 10))}%"
    if result.passed:
        return f"{result.measure} is not worse by {margin} or more ({limits})"
    lost = words.lost(
        result.measure, margin, higher=result.higher_is_better, certain=result.shows_loss
    )
    lead = result.measure == comparison.rule.primary
    unsound = comparison.soundness.forbids(result.measure, is_primary=lead)
    if unsound or not math.isfinite(result.estimate + result.low + result.high):
        return f"{lost}: it could not be tested"
    if result.excludes_loss and result.flips is not None:
        p = f.p_clause(result.flips, alpha=comparison.rule.alpha)
        limits += f", but the exact sign flips of so few queries are not significant: one-sided {p}"
    return f"{lost} ({limits})"


def _limits(comparison: Comparison, result: GuardResult, digits: int) -> str:
    if not result.interval.is_finite:
        return "unbounded" if result.margin_is_relative else f.interval(*result.interval)
    percent = result.margin_is_relative
    return planning.limits_beside(
        within_reach(comparison, result.interval, result.measure, relative=percent),
        result.margin,
        percent=percent,
        digits=1 if percent else digits,
    )
