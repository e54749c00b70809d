"""The exact sign-flip test of one sample, and the shifts of the sample that it does not reject."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from abrank._support.typing import Alternative, FloatArray, IntArray
from abrank.inference.fourier import Bracket
from abrank.inference.lattice import coarsest
from abrank.inference.sign_law import lattice_tail, upper_tail

# Limits are found to within this share of the standard error.
LIMIT_ERROR = 1e-4
MOST_STEPS = 60
# As many secants are tried before halving takes turns with them.
SECANTS = 6
STEEPEST = 100.0


@dataclass(frozen=True)
class Sample:
    """The distinct differences of a sample, ascending, how often each occurs, and its size."""

    values: FloatArray
    counts: IntArray

    @property
    def size(self) -> int:
        """The number of differences."""
        return int(self.counts.sum())

    def mirrored(self) -> Sample:
        """Return the sample of the negated differences."""
        return Sample(-self.values[::-1], self.counts[::-1])


def sign_flip_test(
    numbers: IntArray, unit: float, *, alpha: float, alternative: Alternative
) -> tuple[Bracket, float, float]:
    """Return the p-value of "the mean is 0" under all 2**n sign flips, and the interval.

    Parameters
    ----------
    numbers : int64 ndarray of shape (n_queries,)
        The differences in units, as :func:`abrank.inference.lattice.to_lattice` gives them; a sum
        of at most n units is 0.
    unit : float
    alpha : float
    alternative : {"two-sided", "greater", "less"}

    Returns
    -------
    pvalue : Bracket
    low, high : float
        The limits between which shifts are not rejected, to 1e-4 of the standard error; 0 is
        between them exactly where p >= alpha.

    Examples
    --------
    >>> pvalue, low, high = sign_flip_test(
    ...     np.array([1, 2, 3, 4, 5, 6, 7]), 0.1, alpha=0.05, alternative="two-sided"
    ... )
    >>> pvalue.value * 64, round(low, 3), round(high, 3)
    (1.0, 0.2, 0.6)
    """
    values, counts = np.unique(numbers, return_counts=True)
    sample = Sample(np.asarray(values * unit, np.float64), counts)
    total = int(numbers.sum())
    total = 0 if abs(total) <= numbers.size else total
    if alternative == "greater":
        greater = _at_zero(values, counts, unit, total)
        return greater, _lower_limit(sample, alpha, greater.value >= alpha), math.inf
    if alternative == "less":
        less = _at_zero(values, counts, unit, -total)
        return less, -math.inf, -_lower_limit(sample.mirrored(), alpha, less.value >= alpha)
    nearer = _at_zero(values, counts, unit, abs(total))
    pvalue = Bracket(*(min(1.0, 2.0 * bound) for bound in nearer))
    # On the side of the mean 0 is never rejected.
    accepted = pvalue.value >= alpha
    low = _lower_limit(sample, alpha / 2.0, accepted or total <= 0)
    high = -_lower_limit(sample.mirrored(), alpha / 2.0, accepted or total >= 0)
    return pvalue, low, high


def _at_zero(values: IntArray, counts: IntArray, unit: float, total: int) -> Bracket:
    """Return P(sum of flipped differences >= total)."""
    some, n_terms, strict = values != 0, int(counts.sum()), total <= 0
    numbers, counts = values[some], counts[some]
    coarse = coarsest(numbers, unit, n_terms=n_terms)
    if coarse is None:
        sizes, slack = np.abs(numbers) * unit, n_terms * unit
        found = upper_tail(sizes, counts, abs(total) * unit, slack=slack, strict=strict)
    else:
        threshold = abs(int(counts @ coarse)) if total else 0
        found = lattice_tail(np.abs(coarse), counts, threshold, strict=strict)
    return _complement(found) if strict else found


def _complement(found: Bracket) -> Bracket:
    return Bracket(1.0 - found.high, 1.0 - found.value, 1.0 - found.low)


def _at_shift(sample: Sample, shift: float) -> float:
    """Return P(sum of flipped differences >= their sum) after a shift; it rises with the shift."""
    shifted = sample.values - shift
    some = shifted != 0.0
    sizes, counts = np.abs(shifted[some]), sample.counts[some]
    total, slack = float(sample.counts @ shifted), 1e-12 * float(counts @ sizes)
    strict = total <= slack
    tail = upper_tail(sizes, counts, abs(total), slack=slack, strict=strict, quick=True)
    return (_complement(tail) if strict else tail).value


def _lower_limit(sample: Sample, alpha: float, zero_is_accepted: bool) -> float:
    """Return the least shift with a one-sided p of at least alpha.

    It is the mean of some of the differences, unless no p is as small as alpha.
    """
    from scipy.special import ndtri

    n = sample.size
    if math.ldexp(1.0, -n) >= alpha:
        return -math.inf
    rejected, accepted = float(np.nextafter(sample.values[0], -np.inf)), float(sample.values[-1])
    if zero_is_accepted:
        accepted = min(accepted, 0.0)
    else:
        rejected = max(rejected, 0.0)
    mean = float(sample.counts @ sample.values) / n
    spread = float(sample.counts @ (sample.values - mean) ** 2)
    normal = float(ndtri(alpha))
    # Where mean / deviation of the shifted differences is the normal quantile.
    guess = mean + normal * math.sqrt(spread / (n * max(n - normal**2, 0.5)))
    return _crossing(
        lambda shift: float(ndtri(min(max(_at_shift(sample, shift), 1e-300), 1.0 - 1e-15))),
        normal, (rejected, accepted), start=guess, unit=math.sqrt(spread) / n,
    )  # fmt: skip


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
    for step in range(MOST_STEPS):
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
