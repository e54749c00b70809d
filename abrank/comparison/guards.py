"""What was found of each guard: the interval that must exclude a loss as large as its margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.comparison.choice import Directions
from abrank.comparison.deciding import sign_flips_of
from abrank.comparison.designs import run_declared
from abrank.inference.estimates.relative_change import relative_change
from abrank.inference.rounding import differences_of
from abrank.rule import Guard, GuardResult, excludes_loss
from abrank.verdict import Rule, SignFlips


def guard_results(
    rule: Rule,
    measures: Sequence[str],
    a: FloatArray,
    b: FloatArray,
    *,
    better: Directions,
    seed: int,
    n_resamples: int | None,
    clusters: Sequence[str] | None = None,
) -> tuple[GuardResult, ...]:
    """Test every guard of a rule by the test that decides, at alpha one-sided.

    Returns
    -------
    tuple of GuardResult
        In the order of the rule's guards. What could not be tested has not passed.
    """
    found = []
    for guard in rule.guards:
        column = measures.index(guard.measure)
        before, after = a[:, column], b[:, column]
        if guard.margin_is_relative:
            try:
                estimate, low, high = _share(rule, before, after)
            except ArgumentError as problem:
                raise ArgumentError(f"the guard {guard}: {problem}") from None
        else:
            one = run_declared(
                rule,
                differences_of(before, after),
                confidence=rule.confidence_equivalence,
                seed=seed,
                n_resamples=n_resamples,
                clusters=clusters,
            )
            estimate, low, high = (
                float(each[0]) for each in (one.estimate, one.ci_low, one.ci_high)
            )
        own = rule_of_guard(rule, guard, is_higher=better.higher[guard.measure])
        flips = sign_flips_of(own, before, after, clusters)
        found.append(judge_guard(own, estimate, low, high, flips))
    return tuple(found)


def rule_of_guard(rule: Rule, guard: Guard, *, is_higher: bool) -> Rule:
    """Return the rule that asks of a guard's measure what a gate asks of the primary one."""
    return replace(
        rule,
        primary=guard.measure,
        margin=guard.margin,
        margin_is_relative=guard.margin_is_relative,
        higher_is_better=is_higher,
    )


def judge_guard(
    own: Rule, estimate: float, low: float, high: float, flips: SignFlips | None
) -> GuardResult:
    """Hold an interval of level ``1 - 2 alpha``, and flips of a few signs, against a guard."""
    excluded = excludes_loss(own.margin, low, high, higher_is_better=own.higher_is_better)
    return GuardResult(
        measure=own.primary,
        margin=own.margin,
        margin_is_relative=own.margin_is_relative,
        estimate=estimate,
        low=low,
        high=high,
        higher_is_better=own.higher_is_better,
        passed=excluded and (flips is None or flips.agree("non-inferior", own.alpha)),
        flips=None if flips is None else flips.non_inferior,
    )


def _share(rule: Rule, before: FloatArray, after: FloatArray) -> tuple[float, float, float]:
    """Return the relative change of the mean and its interval, by Fieller."""
    if not len(before):
        return np.nan, np.nan, np.nan
    change = relative_change(before, after, alpha=rule.alpha)
    return change.estimate, change.tost_low, change.tost_high
