"""What was found of each guard: the interval that must exclude a loss as large as its margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.comparison.choice import Directions
from abrank.comparison.designs import run_declared
from abrank.inference.estimates.relative_change import relative_change
from abrank.inference.rounding import differences_of
from abrank.rule import Guard, GuardResult, excludes_loss
from abrank.verdict import Rule


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
        found.append(
            judge_guard(guard, estimate, low, high, is_higher=better.higher[guard.measure])
        )
    return tuple(found)


def judge_guard(
    guard: Guard, estimate: float, low: float, high: float, *, is_higher: bool
) -> GuardResult:
    """Hold an interval of level ``1 - 2 alpha`` against the margin of a guard."""
    passed = excludes_loss(guard.margin, low, high, higher_is_better=is_higher)
    declared = {each.name: getattr(guard, each.name) for each in fields(guard)}
    return GuardResult(
        **declared, estimate=estimate, low=low, high=high, higher_is_better=is_higher, passed=passed
    )


def _share(rule: Rule, before: FloatArray, after: FloatArray) -> tuple[float, float, float]:
    """Return the relative change of the mean and its interval, by Fieller."""
    if not len(before):
        return np.nan, np.nan, np.nan
    change = relative_change(before, after, alpha=rule.alpha)
    return change.estimate, change.tost_low, change.tost_high
