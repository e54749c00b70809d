"""Resolve a question and the data into the analysis plan: measures, margin, guards, design."""

# Code after this step reads no names, texts or defaults.

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from abrank import inference
from abrank._support import checks, display
from abrank._support.errors import AlignmentError, ArgumentError
from abrank._support.result import record
from abrank._support.rng import entropy
from abrank.comparison.choosing import (
    SEQUENCE,
    Directions,
    canonical_name,
    choose,
    choose_from,
    directions,
    require_direction,
    unchosen,
)
from abrank.comparison.pairing import SAME_UNITS, require_finite, require_one_scale
from abrank.comparison.query_data import QueryData
from abrank.comparison.result import Comparison
from abrank.comparison.rows import WITH_MACHINE
from abrank.comparison.units import known_range
from abrank.diagnostics import Note
from abrank.inference.clusters import CLUSTER_TESTS
from abrank.inference.sequential import level_of_seen
from abrank.measures import Measure, parse
from abrank.measures.names import RequestedMeasures, known
from abrank.options import Question
from abrank.rule import Design, Guard
from abrank.scoring.scores import Scores
from abrank.verdict import Rule

ADJUSTMENTS = ("max-t", "holm", "bonferroni", "bh", "none")


class Margin(NamedTuple):
    """A margin in the measure's unit, or as a share of the baseline's mean."""

    value: float
    is_relative: bool


@record
class AnalysisPlan:
    """What a question means for these scores; fixed before anything is tested."""

    rule: Rule
    directions: Directions
    # Largest possible difference of one query; infinite if unknown.
    span: float
    seed: int = 0
    n_resamples: int | None = None
    # Notes on the choice of the primary measure.
    notes: tuple[Note, ...] = ()

    @property
    def definition(self) -> Measure | None:
        """The definition of the primary measure; None for scores that are no known measure."""
        return known(self.rule.primary)


def resolve(scores: Scores, question: Question, data: QueryData) -> tuple[Scores, AnalysisPlan]:
    """Return the scores to compare and the plan; questions without an answer are refused."""
    scores, primary, notes = choose_from(scores, question)
    if data.machine is not None:
        _require_fit_for_machine(question, data)
    if len(scores.systems) != 2:
        raise ArgumentError(f"two systems are compared, not {len(scores.systems)}")
    if not question.independent:
        require_finite(scores)
    require_one_scale(scores)
    if question.independent:
        _require_independent(scores, question, data)
    better = directions(scores.measures, question.lower_is_better, question.higher_is_better)
    guards = read_guards(question.guard, scores.measures)
    deciding = [primary, *(guard.measure for guard in guards)]
    better = better.by_name(deciding)
    if question.gate is not None:
        require_direction(better.undeclared, deciding)
    margin = read_margin(question.margin)
    relative = margin.is_relative or any(guard.margin_is_relative for guard in guards)
    design = Design(
        clusters="" if data.clusters is None else data.clusters[0],
        weights="" if data.weights is None else data.weights[0],
        look=question.look[0] if question.look else 0,
        n_looks=question.look[1] if question.look else 0,
        spending=question.spending,
        planned=question.anytime or 0,
        alpha=question.level,
        n_planned=question.planned or 0,
        seen=_queries_seen(question, primary, scores.query_ids),
        independent=question.independent,
    )
    _require_fit(design, question.decided_by, relative=relative)
    is_default = design == Design(alpha=design.alpha, spending=design.spending)
    rule = Rule(
        primary=primary,
        test=question.decided_by,
        alpha=_level(design),
        margin=margin.value,
        margin_is_relative=margin.is_relative and margin.value > 0.0,
        adjust=_adjustment(question, design, with_machine=data.machine is not None),
        family=question.family,
        require=question.gate,
        higher_is_better=better.higher[primary],
        direction_declared=primary not in better.undeclared,
        design=None if is_default else design,
        guards=guards,
        accept_doubt=question.accept_doubt,
        judged=float(question.judged or 0.0),
        best_of=question.best_of or 1,
    )
    _require_judgeable_margins(rule, question.test)
    if rule.test == "bounded":
        require_bounded(scores)
    for guard in guards:
        reach = _span(scores, guard.measure, Margin(0.0, is_relative=False))
        if guard.margin >= reach and not guard.margin_is_relative:
            raise ArgumentError(
                f"the guard {guard} excludes nothing: no difference of {guard.measure} is larger"
                f" than {reach:g}"
            )
    return scores, AnalysisPlan(
        rule, better, _span(scores, primary, margin),
        entropy(question.rng), question.resamples, notes,
    )  # fmt: skip


def resolve_again(
    rule: Rule,
    better: Directions,
    scores: Scores,
    *,
    clusters: str = "",
    seed: int = 0,
    n_resamples: int | None = None,
) -> AnalysisPlan:
    """Return the plan for a rule that was declared before, at the level of its look."""
    # `clusters` names the property that holds the cluster of each query.
    design = rule.design or Design()
    if design.seen and design.seen[-1] != len(scores.query_ids):
        raise ArgumentError(
            f"this look saw {design.seen[-1]} queries, and {len(scores.query_ids)} are here"
        )
    if design.clusters != clusters:
        raise ArgumentError("the clusters of the design are not those of the queries")
    alpha = _level(design) if design.shared else rule.alpha
    rule = replace(rule, alpha=alpha, higher_is_better=better.higher[rule.primary])
    margin = Margin(rule.margin, rule.margin_is_relative)
    span = _span(scores, rule.primary, margin)
    return AnalysisPlan(rule, better, span, seed, n_resamples)


# --- Margins and guards


def read_margin(margin: float | str | None) -> Margin:
    """Parse a margin: a number, its text, or a percentage of A's mean."""
    if margin is None:
        return Margin(0.0, is_relative=False)
    text = str(margin).strip()
    is_relative = text.endswith("%")
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0.0):
        raise ArgumentError(
            f"margin must be a number of 0 or more, or a percentage of the baseline's mean such as"
            f" 2%, not {margin!r}"
        )
    return Margin(round(value / 100.0, 12) if is_relative else value, is_relative)


def require_margin_in_range(margin: Margin, measure: str, *, range_: tuple[float, float]) -> None:
    """Refuse a margin larger than any possible difference: everything would be "the same"."""
    low, high = range_
    if margin.is_relative or not margin.value >= high - low:
        return
    share = f"{display.number(margin.value if margin.value < 50 else 5.0)}%"
    raise ArgumentError(
        f"no difference of {measure}, which runs from {low:g} to {high:g}, can reach the margin"
        f" {display.number(margin.value)}: all would count as the same; a margin of {share} of the"
        f' baseline\'s mean is --margin {share} (margin="{share}")'
    )


def _score_range(scores: Scores, measure: str) -> tuple[float, float]:
    values = scores.values[:, :, scores.measures.index(measure)]
    return float(np.nanmin(values, initial=np.inf)), float(np.nanmax(values, initial=-np.inf))


def _span(scores: Scores, measure: str, margin: Margin) -> float:
    """Return the largest possible difference of one query; a margin must be smaller."""
    minimum, largest = _score_range(scores, measure)
    low, high = known_range(measure, minimum=minimum, largest=largest)
    require_margin_in_range(margin, measure, range_=(low, high))
    return high - low


def read_guards(guards: Sequence[str] | str, measures: Sequence[str]) -> tuple[Guard, ...]:
    """Parse guards, with the canonical names of their measures."""
    result = []
    for text in [guards] if isinstance(guards, str) else guards:
        guard = Guard.read(text)
        measure = guard.measure if guard.measure in measures else canonical_name(guard.measure)
        if measure not in measures:
            raise ArgumentError(
                f"guard: {guard.measure} is not among the measures {', '.join(measures)}; name it,"
                f" too: -m {shlex.quote(guard.measure)} (measures=)"
            )
        result.append(replace(guard, measure=measure))
    return tuple(result)


def guarded(question: Question) -> list[str]:
    """Return the measures that have a guard, as the user named them."""
    guards = [question.guard] if isinstance(question.guard, str) else question.guard
    return [*dict.fromkeys(Guard.read(text).measure for text in guards)]


def measures_to_score(question: Question) -> tuple[RequestedMeasures, Measure | None]:
    """Return the measures by which to score runs, and the primary one if named."""
    # Checked first: a mistyped name or a bad margin must fail before two runs are read.
    scoring = question.scoring
    requested = scoring.requested(question.measures, further=guarded(question))
    named = question.primary
    primary = None if named is None else scoring.requested(str(parse(named))).measures[0]
    requested = replace(requested, by_default=requested.by_default - {primary})
    names = [measure.name for measure in requested.measures]
    chosen = choose(names, requested.named_among(names), primary and primary.name)
    unchosen(chosen, question)
    first = requested.measures[names.index(chosen.primary)].entry
    require_margin_in_range(read_margin(question.margin), first.name, range_=first.bounds)
    return requested, primary


def _require_judgeable_margins(rule: Rule, requested_test: str) -> None:
    """Refuse a margin or guard if the test has no interval for it."""
    shares = {
        f"the guard {guard}": guard.measure for guard in rule.guards if guard.margin_is_relative
    }
    if rule.margin_is_relative:
        shares = {"a relative margin": rule.primary} | shares
    for name, measure in shares.items():
        if rule.test != "t":
            raise ArgumentError(
                f"{name} is decided by the paired t test (Fieller's interval), not by {rule.test}"
                f"{', which best_of asks for' if rule.test != requested_test else ''};"
                f" choose test t, or give it in the unit of {measure}"
            )
    if rule.margin_is_relative and rule.family == "all":
        raise ArgumentError(
            "a relative margin is decided by the interval of one measure alone; family all adjusts"
            " it for the others: choose family secondary or fixed-sequence"
        )
    if rule.margin and rule.test == "sign":
        raise ArgumentError(
            f"the margin is in the unit of {rule.primary}, but the sign test estimates a share of"
            " wins: choose another test, or no margin"
        )


def require_bounded(scores: Scores) -> None:
    """Refuse measures with an unknown range or a range wider than 1."""
    for measure in scores.measures:
        minimum, largest = _score_range(scores, measure)
        low, high = known_range(measure, minimum=min(0.0, minimum), largest=max(0.0, largest))
        if high - low <= 1.0:
            continue
        range_ = f"its range, {low:g} to {high:g}, is wider"
        if not math.isfinite(high - low):
            range_ = "nobody knows how far its scores can lie apart"
        raise ArgumentError(
            f"the bounded test takes measures whose scores lie at most 1 apart, and of {measure}"
            f" {range_}: choose another test, or leave the measure out"
        )


# --- Family, design, and the level of a look


def _adjustment(question: Question, design: Design, *, with_machine: bool) -> str:
    """Return the adjustment: max-t for tests of the mean, Holm for the others."""
    # Max-t uses the joint distribution of mean differences under sign flips of single queries. It
    # does not apply to the hypotheses of the Wilcoxon and sign tests, to clusters or to confidence
    # sequences, and is refused there. A fixed sequence needs no adjustment.
    adjust, test = question.adjust, question.decided_by
    of_the_mean = inference.TESTS[test].estimand == "mean difference"
    if question.family == SEQUENCE:
        if adjust not in (None, "none"):
            raise ArgumentError(
                "a fixed sequence tests one measure after the other and adjusts none: leave out"
                f" {adjust}, or choose family secondary or all"
            )
        return SEQUENCE
    if adjust is None:
        return "max-t" if of_the_mean and design.is_plain and not with_machine else "holm"
    checks.one_of("adjust", adjust, ADJUSTMENTS)
    if adjust == "max-t" and not design.is_plain:
        raise ArgumentError(
            "max-t flips the signs of single queries at one look; with clusters, weights or a"
            " confidence sequence use holm, bonferroni or bh"
        )
    if adjust == "max-t" and not of_the_mean:
        raise ArgumentError(
            f"max-t adjusts tests of the mean, not {test}; use holm, bonferroni or bh"
        )
    return adjust


def _require_fit(design: Design, test: str, *, relative: bool) -> None:
    """Refuse a design that does not fit the test, the margin or another design."""
    if design.clusters and test not in CLUSTER_TESTS:
        raise ArgumentError(
            f"clusters are tested by {', '.join(CLUSTER_TESTS)}, not by {test}: its ranks, signs"
            " or bets are of single queries, which clusters make dependent"
        )
    if design.weights and test != "t":
        raise ArgumentError(
            f"weights work only with the t test, not with {test}: other tests count every query"
            " once"
        )
    if design.planned and test not in ("t", "bounded"):
        raise ArgumentError(
            f"a confidence sequence is of the mean, by t or bounded, not of {test}: leave out"
            " --test (test=)"
        )
    if design.planned and design.clusters:
        raise ArgumentError(
            "a confidence sequence takes queries to be independent, and clusters say they are not;"
            " with clusters plan the looks: --look 1/3 (Looks(1, of=3))"
        )
    if relative and design.planned:
        raise ArgumentError(
            "a margin or guard in per cent is decided by Fieller's interval, which is for one look;"
            " give it in the unit of the measure"
        )


def _level(design: Design) -> float:
    """Return the level of this look: alpha for a single look, else the alpha spent on it."""
    seen, planned = design.seen, design.n_planned
    text, advice = f"{seen[-1] if seen else 0} of {planned} queries are", "look later"
    if design.look:
        seen, planned = tuple(range(1, design.look + 1)), design.n_looks
        text, advice = f"look {design.look} of {planned} comes", "plan fewer looks"
    if not seen:
        return design.alpha
    level = level_of_seen(seen, planned, spending=design.spending, alpha=design.alpha)
    if level == 0.0:
        raise ArgumentError(
            f"{text} too early: {design.spending} leaves it none of alpha = {design.alpha:g}, so it"
            f" could show nothing; {advice}, or choose pocock"
        )
    return level


def _queries_seen(question: Question, primary: str, query_ids: Sequence[str]) -> tuple[int, ...]:
    """Return the number of queries at each look, read from the previous look's record."""
    planned, earlier = question.planned, question.earlier
    if planned is None:
        return ()
    n = len(query_ids)
    if earlier is None:
        return (n,)
    result = earlier if isinstance(earlier, Comparison) else Comparison.from_json(earlier)
    design = result.rule.design or Design()
    declared = {
        "planned": (design.n_planned, planned), "primary": (result.rule.primary, primary),
        "alpha": (design.alpha, question.level), "spending": (design.spending, question.spending),
    }  # fmt: skip
    if not design.seen:
        raise ArgumentError("the earlier result records no looks: it was made without planned")
    for name, (then, now) in declared.items():
        if then != now:
            raise ArgumentError(
                f"the earlier look was at {name} {then}, this one is at {now}: the plan is made"
                " before the first look and kept"
            )
    lacking = len(set(result.query_ids) - set(query_ids))
    if lacking:
        raise AlignmentError(
            f"{lacking} of {design.seen[-1]} queries of the earlier look are not among these {n}:"
            " between looks queries are added, none is taken away"
        )
    if design.is_last or n <= design.seen[-1]:
        spent = f"all {planned} queries planned were seen" if design.is_last else "no query is new"
        raise ArgumentError(
            f"{spent} since the look at {design.seen[-1]} queries, so there is nothing left to test"
        )
    return (*design.seen, n)


# --- Options that do not apply to machine judgments or independent groups


def _require_fit_for_machine(question: Question, data: QueryData) -> None:
    """Refuse options that are not available together with machine judgments."""
    if question.test == "permutation":
        raise ArgumentError(
            "the sign-flip test has no exact counterpart for machine judgments: used on the"
            " corrected differences it rejected 7.5 to 10% of true null hypotheses at the 5% level;"
            " leave out --test (test=)"
        )
    if question.test != "t":
        raise ArgumentError(
            f"machine judgments are used by the {WITH_MACHINE} t test, not by {question.test}:"
            " leave out --test (test=)"
        )
    if read_margin(question.margin).is_relative:
        raise ArgumentError(
            "a relative margin needs A's mean over all queries, which only people's judgments give:"
            " with machine judgments state the margin in the unit of the measure"
        )
    looks = "a machine's worth changes from look to look, so that shares of alpha are not known"
    refused = {
        "--weights": (data.weights, "the correction takes the judged queries to count alike"),
        "--clusters": (data.clusters, "the correction takes the judged queries to be independent"),
        "--look": (question.look, looks),
        "--anytime": (question.anytime, looks),
        "planned": (question.planned, looks),
        "best_of": (question.best_of, "t decides, whose tails are too light for the best of many"),
    }
    for name, (value, why) in refused.items():
        if value:
            raise ArgumentError(
                f"{name} cannot be combined with machine judgments: {why}; leave out one of them"
            )
    if question.adjust == "max-t":
        raise ArgumentError(
            "max-t flips signs, for which machine judgments have no exact counterpart; use holm,"
            " bonferroni or bh"
        )
    if data.segments:
        raise ArgumentError(
            "segments hold few human queries each: leave out --segments (segments=), or compare"
            " the queries of one segment alone"
        )


def _require_independent(scores: Scores, question: Question, data: QueryData) -> None:
    """Refuse groups that share a unit, and options that need pairs."""
    finite = np.isfinite(scores.values)
    if (finite.any(axis=2).sum(axis=1) != 1).any():
        raise ArgumentError(SAME_UNITS)
    needs_pairs = "it holds for pairs only"
    refused = {
        "segments": (
            data.segments,
            "a segment is of queries that both systems answered; --where COLUMN=VALUE"
            " (where={'COLUMN': 'VALUE'}) compares the units of one segment",
        ),
        "topics": (data.topics, needs_pairs),
        "machine": (data.machine, "a machine's judgments correct differences of pairs"),
        "votes": (data.votes, needs_pairs),
        "ledger": (question.ledger, needs_pairs),
    }
    for name, (value, why) in refused.items():
        if value:
            raise ArgumentError(f"independent groups take no {name}: {why}")
