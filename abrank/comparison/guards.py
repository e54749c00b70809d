"""What was found of each guard: the interval that must exclude a loss as large as its margin."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.comparison.choice import Directions
from abrank.comparison.sample import Sample
from abrank.estimate import Estimate
from abrank.inference import run_test
from abrank.rule import GuardResult
from abrank.verdict import FEW_QUERIES, Rule, SignFlips


def guard_results(sample: Sample, rule: Rule, better: Directions) -> tuple[GuardResult, ...]:
    """Test every guard of a rule by the test that decides, at alpha one-sided.

    Of a few queries or clusters the exact flips of their signs must agree. What could not be tested
    has not passed.
    """
    results = []
    for guard in rule.guards:
        # What a gate asks of the primary measure is asked of the guard's.
        own = replace(
            rule,
            primary=guard.measure,
            margin=guard.margin,
            margin_is_relative=guard.margin_is_relative,
            higher_is_better=better.higher[guard.measure],
        )
        try:
            found = _limits(sample, own)
        except ArgumentError as problem:
            raise ArgumentError(f"the guard {guard}: {problem}") from None
        flips = flip_signs(sample, own)
        excluded = own.gain(*found.interval).low > -own.margin
        results.append(
            GuardResult(
                measure=own.primary,
                margin=own.margin,
                margin_is_relative=own.margin_is_relative,
                estimate=found.estimate,
                low=found.low,
                high=found.high,
                higher_is_better=own.higher_is_better,
                passed=excluded and (flips is None or flips.agree("non-inferior", own.alpha)),
                flips=None if flips is None else flips.non_inferior,
            )
        )
    return tuple(results)


def _limits(sample: Sample, own: Rule) -> Estimate:
    """Return the estimate in the unit of the margin, its limits of level ``1 - 2 alpha``."""
    column = sample.measures.index(own.primary)
    if own.margin_is_relative and sample.n:
        change = sample.relative(column, own.alpha)
        return Estimate(change.estimate, change.tost_low, change.tost_high)
    return Estimate.of(sample.test(own.confidence_equivalence, [column]))


def flip_signs(sample: Sample, rule: Rule) -> SignFlips | None:
    """Flip the signs of a few queries, or clusters, about the thresholds of the gates.

    None from ten of them on, and without one.
    """
    if not 0 < sample.n_units < FEW_QUERIES:
        return None
    units = sample.units(sample.measures.index(rule.primary))
    gains: FloatArray = units.differences if rule.higher_is_better else -units.differences
    margins = rule.margin * (units.scores if rule.margin_is_relative else units.sizes)
    shifted = np.stack([gains - margins, gains + margins, margins - gains], axis=1)
    better, not_worse, not_better = run_test(
        "permutation", shifted, alternative="greater", confidence=1.0
    ).pvalue.tolist()
    if not rule.margin:
        return SignFlips(better, math.nan, math.nan)
    return SignFlips(better, not_worse, max(not_worse, not_better))
