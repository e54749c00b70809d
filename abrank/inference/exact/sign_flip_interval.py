"""The exact sign-flip test of one sample, and the shifts of the sample that it does not reject."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from itertools import count

import numpy as np

from abrank._support.records import record
from abrank._support.typing import Alternative, FloatArray, IntArray
from abrank.inference.exact.fourier import Bracket
from abrank.inference.exact.signed_sums import lattice_tail, upper_tail
from abrank.inference.exact.subset_means import ADDITIONS, additions, subset_mean_distribution
from abrank.inference.rounding import common_step

# Limits are found to within this share of the standard error.
LIMIT_ERROR = 1e-4
# As many secants are tried before halving takes turns with them.
SECANTS = 6
# By how much a secant may be steeper or flatter than the normal distribution has it.
STEEPEST = 4.0


@record
class Sample:
    """The distinct differences of a sample, ascending, and how often each occurs.

    Values are in units, so that what is computed of them does not depend on the unit. ``numbers``
    are the same as multiples of a coarse step, if there is one.
    """

    values: FloatArray
    counts: IntArray
    numbers: IntArray | None
    unit: float

    @property
    def size(self) -> int:
        """The number of differences."""
        return int(self.counts.sum())

    def mirrored(self) -> Sample:
        """Return the sample of the negated differences."""
        numbers = None if self.numbers is None else -self.numbers[::-1]
        return Sample(-self.values[::-1], self.counts[::-1], numbers, self.unit)


def sign_flip_test(
    numbers: IntArray, unit: float, *, alpha: float, alternative: Alternative
) -> tuple[Bracket, float, float]:
    """Return the p-value of "the mean is 0" under all 2**n sign flips, and the interval."""
    distinct, counts = np.unique(numbers, return_counts=True)
    return sign_flip_of_counts(distinct, counts, unit, alpha=alpha, alternative=alternative)


def sign_flip_of_counts(
    distinct: IntArray, counts: IntArray, unit: float, *, alpha: float, alternative: Alternative
) -> tuple[Bracket, float, float]:
    """Return :func:`sign_flip_test` of ascending distinct differences and their counts."""
    n = int(counts.sum())
    coarse = common_step(distinct, n_terms=n)
    sample = Sample(distinct.astype(np.float64), counts, coarse, unit)
    total = int(counts @ distinct)
    total = 0 if abs(total) <= n else total
    slack = float(n)
    if alternative == "greater":
        greater = _at_zero(sample, total, slack)
        return greater, _lower_limit(sample, alpha, greater.value >= alpha), math.inf
    if alternative == "less":
        less = _at_zero(sample, -total, slack)
        return less, -math.inf, -_lower_limit(sample.mirrored(), alpha, less.value >= alpha)
    pvalue = Bracket(*(min(1.0, 2.0 * bound) for bound in _at_zero(sample, abs(total), slack)))
    # On the side of the mean 0 is never rejected.
    accepted = pvalue.value >= alpha
    low = _lower_limit(sample, alpha / 2.0, accepted or total <= 0)
    high = -_lower_limit(sample.mirrored(), alpha / 2.0, accepted or total >= 0)
    return pvalue, low, high


def _at_zero(sample: Sample, total: int, slack: float) -> Bracket:
    """Return P(sum of flipped differences >= their sum), which has the sign of ``total``."""
    some, strict = sample.values != 0.0, total <= 0
    counts = sample.counts[some]
    if sample.numbers is None:
        sizes = np.abs(sample.values[some])
        threshold = abs(float(sample.counts @ sample.values)) if total else 0.0
        found = upper_tail(sizes, counts, threshold, slack=slack, strict=strict)
    else:
        threshold = abs(int(sample.counts @ sample.numbers)) if total else 0
        found = lattice_tail(np.abs(sample.numbers[some]), counts, threshold, strict=strict)
    return _complement(found) if strict else found


def _complement(found: Bracket) -> Bracket:
    return Bracket(1.0 - found.high, 1.0 - found.value, 1.0 - found.low)


def _lower_limit(sample: Sample, alpha: float, zero_is_accepted: bool) -> float:
    """Return the least shift with a one-sided p of at least alpha.

    It is the mean of some of the differences, unless no p is as small as alpha.
    """
    if math.ldexp(1.0, -sample.size) >= alpha:
        return -math.inf
    if sample.numbers is None or additions(sample.numbers, sample.counts) > ADDITIONS:
        limit = _searched(sample, alpha)
    else:
        means, chances = subset_mean_distribution(sample.numbers, sample.counts)
        step = float(np.abs(sample.values).max()) / float(np.abs(sample.numbers).max())
        limit = float(means[np.searchsorted(chances, alpha)]) * step
    limit *= sample.unit
    # What rounding may do to a limit near 0 must not contradict the p-value.
    return min(limit, 0.0) if zero_is_accepted else max(limit, sys.float_info.min)


def _searched(sample: Sample, alpha: float) -> float:
    """Return the shift where the one-sided p crosses alpha, from where the normal law has it."""
    from scipy.special import ndtri

    def normal(shift: float) -> float:
        """Return the normal quantile of P(sum of flipped differences >= their sum), shifted."""
        shifted = sample.values - shift
        some = shifted != 0.0
        sizes, counts = np.abs(shifted[some]), sample.counts[some]
        total, slack = float(sample.counts @ shifted), 1e-12 * float(counts @ sizes)
        strict = total <= slack
        tail = upper_tail(sizes, counts, abs(total), slack=slack, strict=strict, quick=True)
        pvalue = (_complement(tail) if strict else tail).value
        return float(ndtri(min(max(pvalue, 1e-300), 1.0 - 1e-15)))

    n, level = sample.size, float(ndtri(alpha))
    mean = float(sample.counts @ sample.values) / n
    spread = float(sample.counts @ (sample.values - mean) ** 2)
    guess = mean + level * math.sqrt(spread / (n * max(n - level**2, 0.5)))
    ends = float(np.nextafter(sample.values[0], -np.inf)), float(sample.values[-1])
    return _crossing(normal, level, ends, start=guess, unit=math.sqrt(spread) / n)


def _crossing(
    rising: Callable[[float], float],
    level: float,
    between: tuple[float, float],
    *,
    start: float,
    unit: float,
) -> float:
    """Return where a function that rises by about 1 a ``unit`` reaches a level.

    The left end is below the level and the right one is not, whatever the function says. Secants,
    and halvings where they leave the bracket or take long because the function jumps.
    """
    left, right = between
    point, slope, last = start, 1.0 / unit if unit > 0.0 else 0.0, None
    for step in count():
        if not left < point < right or (step >= SECANTS and step % 2):
            point = left + (right - left) / 2.0
        if right - left <= LIMIT_ERROR * unit or not left < point < right:
            return right
        value = rising(point)
        left, right = (point, right) if value < level else (left, point)
        if last is not None:
            secant = (value - last[1]) / (point - last[0])
            slope = min(max(secant, 1.0 / STEEPEST / unit), STEEPEST / unit)
        last = (point, value)
        jump = (level - value) / slope
        point += jump
        if abs(jump) <= LIMIT_ERROR * unit:
            break
    return min(max(point, math.nextafter(left, math.inf)), right)
