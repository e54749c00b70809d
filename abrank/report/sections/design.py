"""Sentences on the design, guards, votes, and machine judgments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.comparison import Comparison
from abrank.comparison.groups import ClusterSummary
from abrank.comparison.rows import MachineJudgments, Preferences
from abrank.comparison.units import within_reach
from abrank.report.model import EVERYWHERE, Cell, Column, Section, Table, Text, Words
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
        label = "changed" if stated.get("deviations") else "declared"  # shown on the first screen
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
    """Say in which file the rule was declared, and what the call changed."""
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
    if result.n_effective < result.n_clusters - 0.05:  # mention the effective number
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
    """Say how many units each group has, and what they measure."""
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
    """Say whether a guard passed, with its interval, as a clause."""
    digits = comparison.decimals
    level = f.level(comparison.rule.confidence_equivalence)
    limits = f"{level} interval {_limits(comparison, result, digits)}"
    margin = f.declared(result.margin, digits=digits)
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


# --- Machine judgments, and votes

_WHO = {"people": "People alone", "both": "People and machine", "machine": "Machine alone"}
# Why human judgments alone decide; n is the number of human-judged queries.
ASIDE = {
    "errors": "{n} queries are too few to know the machine's errors",
    "draw": "the queries that people judged are no random draw",
}
SHARED = {
    "a": "A was declared to share its model with the machine.",
    "b": "B was declared to share its model with the machine.",
    "both": "Both systems were declared to share their model with the machine.",
    "neither": "Neither system was declared to share its model with the machine.",
}


def machine_sentence(comparison: Comparison) -> str:
    """Say what human and machine judgments find separately, and what the machine is worth."""
    w, result = Words(comparison), comparison.machine
    if result is None:
        return ""
    deciding = "both" if comparison.with_machine else "people"
    texts = (
        f"{_WHO[item.who]}: Δ {w.signed(item.estimate)} ({w.interval(*item.interval)})"
        for item in (result.of("people"), result.of("machine"))
        if item.who != deciding
    )
    text = f"{'. '.join(texts)}; it never decides."
    return words.joined(_aside(result), text, worth(result))


def _aside(result: MachineJudgments) -> str:
    """Say why human judgments alone decide; empty if the machine is used."""
    if not result.set_aside:
        return ""
    why = ASIDE[result.set_aside].format(n=f.count(result.of("both").n_queries))
    return f"People alone decide: {why}."


def worth(result: MachineJudgments) -> str:
    """Say how many human-judged queries would be equally precise; empty if unused."""
    if result.worth is None or result.set_aside:
        return ""
    n, text = words.queries(result.of("both").n_queries), f.about(result.worth)
    if result.worth_low is not None:
        high = "any number" if result.worth_high is None else f.about(result.worth_high)
        text += f" ({f.about(result.worth_low)} to {high})"
    return f"With the machine, {n} judged by people are worth about {text}."


def judge(comparison: Comparison, result: MachineJudgments) -> str:
    """Say which machine judged, and where that was declared."""
    if result.judge is None:
        return "Which machine judged was not declared (machine.judge)."
    name = shorten(result.judge, width=60)
    stated = comparison.provenance.get("declared") or {}
    changed = {item.get("setting") for item in stated.get("deviations") or ()}
    if not stated or "machine.judge" in changed:
        return f"The machine was named with the call: {name}."
    return f"The machine, {name}, was declared beforehand{words.declared_where(stated)}."


def sizes(comparison: Comparison) -> str:
    """Return the numbers of queries for the end of a sentence."""
    result = comparison.machine
    if result is None:
        groups = comparison.clusters
        if groups is None:
            return words.queries_of(comparison)
        clusters = f.plural(groups.n_clusters, "cluster") + words.by_property(groups.name)
        return f"{words.queries_of(comparison)} in {clusters}"
    text = f.count(len(result.query_ids))
    return f"{f.count(comparison.n_queries)} of {text} queries judged by people"


def machine(comparison: Comparison) -> Section | None:
    """Return the section on machine judgments; None without them."""
    result = comparison.machine
    if result is None:
        return None
    shared = SHARED.get(
        result.shared_model or "",
        "Whether a system shares its model with the machine was not declared"
        " (machine.shared_model).",
    )
    text = (
        "Only the row marked ★ decides. With the machine the interval is valid where the queries"
        " that people judged are a random draw, the machine was chosen before they were looked at,"
        " and its errors are not rarer than these queries can show (abrank guide machine)."
        f" {judge(comparison, result)} {shared}"
    )
    blocks = (_answers(comparison, result), Text(text, "caption"))
    return Section("machine", "People and machine", _aside(result) or worth(result), blocks)


def _answers(comparison: Comparison, result: MachineJudgments) -> Table:
    w, answers = Words(comparison), result.answers
    deciding = "both" if comparison.with_machine else "people"
    both = [(answer, answer.who == deciding) for answer in answers]
    counts, readings = [], []
    for answer, first in both:
        text = f.count(answer.n_queries)
        if answer.who == "both":
            text = f"{text} of {f.count(len(result.query_ids))}"
        counts.append(Cell(text, answer.n_queries))
        kind = comparison.rule.gain(*answer.interval).read()
        reading = Cell(words.READINGS[kind], kind, words.reading_tone(kind))
        readings.append(reading if first or answer.who != "both" else Cell("set aside"))
    return Table.of(
        "machine",
        (
            Column.words("Judged by"),
            [Cell(f"{_WHO[x.who]}{' ★' * y}", x.who, strong=y) for x, y in both],
        ),
        (Column("Δ"), [w.change(answer.estimate, strong=first) for answer, first in both]),
        (
            Column(f"{w.level} interval"),
            [w.limits(within_reach(comparison, x.interval, relative=False)) for x in answers],
        ),
        (Column("p"), [w.chance(answer.pvalue) for answer in answers]),
        (Column("Queries"), counts),
        (Column.words("Reading"), readings),
    )


_MEANING = (
    "Δ is B's share of the queries, a tie as half a query, less one half, which is A's score where"
    " neither is preferred: +0.05 is 55 of 100 queries."
)

_CLICKS = (
    "Δ of preference is the share of impressions that B wins, a tie as half of one, less one half;"
    " of credit share the same of its credits. Clicks say which of two lists people prefer; they do"
    " not say how large the gain is in nDCG, nor how the two would fare alone."
)


def vote_sentences(comparison: Comparison) -> list[str]:
    """Describe the votes, their reversals with the order, and the position effect."""
    preferences = comparison.preferences
    if preferences is None:
        return []
    if preferences.credits is not None:
        a, b = (f.number(x) if x % 1 else f.count(int(x)) for x in preferences.credits)
        users = f" by {f.plural(preferences.n_judges, 'user')}" if preferences.n_judges else ""
        return [
            f"Interleaved lists: {words.queries_of(comparison)}{users},"
            f" {f.count(preferences.n_without_click)} without a credit. Credits of clicks:"
            f" A {a}, B {b}.{_decided(comparison, preferences)}"
        ]
    judges = f" by {f.plural(preferences.n_judges, 'judge')}" if preferences.n_judges > 1 else ""
    text = f"{f.plural(preferences.n_votes, 'vote')}{judges} on {words.queries_of(comparison)}"
    left = sum(preferences.left_out.values())
    if left:
        why = ", ".join(
            f"{reason} {f.count(n)}" for reason, n in sorted(preferences.left_out.items())
        )
        text += f"; {f.count(left)} without a verdict left out ({why})"
    return [
        f"{text}.{_decided(comparison, preferences)}",
        *_order(preferences, f.level(comparison.rule.confidence)),
    ]


def order_decides(comparison: Comparison) -> str:
    """Say that reversals favour one position, if this is significant; else empty."""
    votes = comparison.preferences
    reversals = None if votes is None else votes.to_first
    if votes is None or reversals is None or not reversals.pvalue < comparison.rule.alpha:
        return ""
    first = reversals.estimate > 0.5
    number = votes.n_to_first if first else votes.n_reversed - votes.n_to_first
    return (
        f"Order decides: {f.count(number)} of {f.count(votes.n_reversed)} reversals go to the"
        f" answer shown {'first' if first else 'second'}. "
    )


def _decided(comparison: Comparison, result: Preferences) -> str:
    if result.decided is None:
        return ""
    decided, won = comparison.primary.wins + comparison.primary.losses, result.decided
    share, low, high = (f.percent(x, sign=False) for x in (won.estimate, *won.interval))
    text = f" Of {f.count(decided)} decided B wins {share} ({low} to {high}, exact)."
    alpha = comparison.rule.alpha
    if result.attainable is None or result.attainable > 0.9 * alpha:  # as good as alpha
        return text
    between = f"between {f.level(result.attainable)} and" if result.attainable else "below"
    return f"{text} Their sign flips have no p-value {between} {f.level(alpha)}."


def _order(result: Preferences, level: str) -> list[str]:
    bias = ""
    if result.bias is not None:
        limits = f.interval(*result.bias.interval, digits=2)
        bias = (
            " The answer shown first has a net share of"
            f" {f.signed(result.bias.estimate, digits=2)} of the verdicts ({level} CI {limits})."
        )
    if result.n_both and not result.n_disagree:
        return [f"Order: none of {f.count(result.n_both)} verdicts changes with the order.{bias}"]
    if result.n_both:
        half = result.n_disagree - result.n_reversed
        more = f", and {f.count(half)} more are a tie in one order only" if half else ""
        return [
            f"Order: {f.count(result.n_reversed)} of {f.count(result.n_both)} verdicts reverse with"
            f" the order, {f.count(result.n_to_first)} of them to the answer shown first{more}:"
            f" counted as ties.{bias}"
        ]
    if bias:
        return [f"Order: each verdict was given in one order, which changes.{bias}"]
    if result.shown_first["random"]:
        return [
            "Order: random, but not recorded, so a bias to the first answer cannot be"
            " measured; on average it cancels."
        ]
    return []


def votes(comparison: Comparison) -> Section | None:
    """Return the section on votes; None for other scores."""
    preferences = comparison.preferences
    if preferences is None:
        return None
    first, *more = vote_sentences(comparison)
    meaning = Text(_MEANING if preferences.credits is None else _CLICKS, "caption")
    blocks = (*map(Text, more), meaning)
    return Section("votes", "Votes", first, blocks, EVERYWHERE - {"text"})
