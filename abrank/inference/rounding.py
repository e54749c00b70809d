"""Convert differences to whole numbers so that ties are exact; align p-values and intervals."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from abrank._support.typing import BoolArray, FloatArray, IntArray

# Values closer than this share of the largest are equal.
TIE = 1e-10
# Scores closer than this share of the largest are equal.
SUMMED = 1e-13
# The largest number if there is no common step: a prime, so that no step is found by chance, with a
# unit of 1.2e-10 of it. With more rows fewer bits are available.
FINEST = 2**33 - 9
# Sums, and twice a sum minus another, must stay below 2**63.
BITS_OF_A_SUM = 61
# A common step is accepted up to these multiples: in a single value, and in the largest of all.
LARGEST_DENOMINATOR = 10**6
LARGEST_NUMBER = 5000**2
# As a share of the largest value; well above the rounding error of differences of scores in [0, 1].
STEP_ERROR = 5e-13
# Number of values tried first; most samples without a common step already fail here.
PROBED = 32
# With more rows, columns are rounded one at a time to save memory.
MANY_ROWS = 50_000


def round_off(values: FloatArray, *, scale: npt.ArrayLike | None = None) -> FloatArray:
    """Make values equal that differ by rounding only: .0712 - .0548 and .0164, or 1e-17 and 0."""
    # Absolute values within 1e-10 of the largest one form a group, which gets its smallest value,
    # or 0. So ties do not depend on the unit. A million values of a heavy tail are that close
    # without being equal, so a group is split where it gets wider.
    if values.ndim == 2 and len(values) > MANY_ROWS and values.shape[1] > 1:
        scales = (
            [None] * values.shape[1] if scale is None else np.broadcast_to(scale, len(values.T))
        )
        pairs = zip(values.T, scales, strict=True)
        # Columns that are contiguous in memory, because the next steps read whole columns.
        return np.stack([round_off(column, scale=item) for column, item in pairs]).T
    sizes = np.abs(values)
    largest = sizes.max(axis=0, initial=0.0) if scale is None else np.asarray(scale, np.float64)
    ascending = np.sort(sizes, axis=0)
    gaps = ascending.copy()
    np.subtract(ascending[1:], ascending[:-1], out=gaps[1:])
    grouped = ((gaps > 0.0) & (gaps <= TIE * largest)).any(axis=0)
    if not grouped.any():
        return np.asarray(values + 0.0)  # already rounded: each group has one value
    width = np.maximum(TIE * largest, np.finfo(np.float64).tiny)
    begins = gaps > width
    groups = np.maximum.accumulate(np.where(begins, ascending, 0.0), axis=0)
    cells = np.floor((ascending - groups) / width)
    if cells.any():
        begins[1:] |= cells[1:] != cells[:-1]
        groups = np.maximum.accumulate(np.where(begins, ascending, 0.0), axis=0)
    rounded = sizes.copy()
    arrays = (sizes, groups, rounded)
    columns = [array.reshape(len(sizes), -1).T for array in arrays]
    for column in np.flatnonzero(grouped).tolist():
        size, group, result = (array[column] for array in columns)
        result[np.argsort(size)] = group
    # Adding 0.0 turns -0.0 into 0.0.
    return np.asarray(np.copysign(rounded, values) + 0.0)


def differences_of(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return b - a, rounded to the precision of the scores: equal scores differ by 0."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    largest = np.maximum(np.abs(a), np.abs(b)).max(axis=0, initial=0.0)
    # Floats are accurate to about 1e-15: for times or amounts of 1e9, differences of 0.01 count.
    return round_off(b - a, scale=SUMMED / TIE * largest)


def has_spread(values: FloatArray) -> BoolArray:
    """Return whether the values of each column differ by more than rounding error."""
    if not len(values):
        return np.zeros(values.shape[1:], np.bool_)
    low, high = values.min(axis=0), values.max(axis=0)
    return np.asarray(high - low > TIE * np.maximum(high, -low))


def to_lattice(differences: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return whole numbers and the unit of each column: differences = numbers * unit."""
    # If the differences are multiples of one step (few decimals, or small fractions such as
    # reciprocal ranks) the numbers are exact. Else the unit is 1.2e-10 of the largest difference,
    # and numbers are off by at most half a unit. Sums of n numbers that should be equal then differ
    # by at most n units, which is the tolerance for comparing them. The numbers, and p-values
    # computed from them, do not depend on the unit of the differences.
    largest = np.abs(differences).max(axis=0, initial=0.0)
    largest = np.where(largest > 0.0, largest, 1.0)
    share = round_off(differences) / largest
    finest = min(FINEST, 2 ** (BITS_OF_A_SUM - len(differences).bit_length()))
    parts = _common_denominator(np.abs(share))
    rows = np.where(parts > 0, finest // np.maximum(parts, 1), 1)
    shares = np.where(parts > 0, parts, finest)
    return np.rint(share * shares).astype(np.int64) * rows, largest / (shares * rows)


def common_step(numbers: IntArray, *, n_terms: int | None = None) -> IntArray | None:
    """Return the numbers in their largest common unit, if that is coarse enough; else None."""
    step = int(np.gcd.reduce(numbers))
    return np.asarray(numbers // step) if step > 2 * (n_terms or numbers.size) else None


def snap(sums: IntArray, tolerance: int) -> IntArray:
    """Set sums to 0 that differ from 0 by rounding only."""
    return np.where(np.abs(sums) <= tolerance, 0, sums)


def _common_denominator(shares: FloatArray) -> IntArray:
    """Return how many steps the largest value of each column has, 0 without a common step."""
    values = np.ones(shares.shape[1], np.int64)
    for start in (0, PROBED):
        unresolved = np.flatnonzero(values)
        rows = shares[start : PROBED if start == 0 else None, unresolved]
        # Most values are multiples of the current step; no other fraction can be as close.
        steps = rows * values[unresolved]
        steps -= np.rint(steps)
        fits = np.abs(steps, out=steps) <= STEP_ERROR / 2.0 * values[unresolved]
        fits &= values[unresolved] <= LARGEST_DENOMINATOR
        rows = rows[~fits.all(axis=1)]
        if rows.shape[1] == 1:
            rows = np.unique(rows)[:, None]
        if rows.size:
            # Least common multiples; 0 if above the maximum, or if a denominator is 0.
            parts = np.vstack([values[None, unresolved], denominators(rows)])
            parts = np.where(parts == 0, LARGEST_NUMBER + 1, parts)
            while len(parts) > 1:
                half = len(parts) // 2
                multiples = np.lcm(parts[:half], parts[half : 2 * half])
                parts = np.vstack([np.minimum(multiples, LARGEST_NUMBER + 1), parts[2 * half :]])
            values[unresolved] = np.where(parts[0] > LARGEST_NUMBER, 0, parts[0])
    return values


def denominators(shares: FloatArray) -> IntArray:
    """Return the denominator of the simplest fraction near each of [0, 1]; 0 if none is near."""
    # The fractions are convergents of continued fractions, which are best approximations.
    values = np.zeros(shares.size, np.int64)
    target = shares.ravel()
    index, rest = np.arange(target.size), target
    top, before_top = np.zeros_like(target), np.ones_like(target)
    bottom, before_bottom = np.ones_like(target), np.zeros_like(target)
    while index.size:
        is_near = np.abs(top - target * bottom) <= STEP_ERROR * bottom
        values[index[is_near]] = bottom[is_near].astype(np.int64)
        going = np.flatnonzero(~is_near & (bottom <= LARGEST_DENOMINATOR) & (rest > 0.0))
        index, target, rest = index[going], target[going], 1.0 / rest[going]
        whole = np.floor(rest)
        rest -= whole
        top, before_top = whole * top[going] + before_top[going], top[going]
        bottom, before_bottom = whole * bottom[going] + before_bottom[going], bottom[going]
    return np.where(values > LARGEST_DENOMINATOR, 0, values).reshape(shares.shape)


def align_interval_with_pvalue(
    pvalue: FloatArray, estimate: FloatArray, low: FloatArray, high: FloatArray, alpha: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Make a closed-form interval exclude 0 exactly if p < alpha."""
    # The two agree mathematically, but rounding can separate them if p is nearly alpha. The p-value
    # decides, and a limit that is 0 up to rounding is moved to the correct side.
    rejected = pvalue < alpha
    # A mean that is 0 up to rounding is far smaller than this share of its interval.
    bounded = np.isfinite(low) & np.isfinite(high)
    width = np.subtract(high, low, out=np.zeros_like(low), where=bounded)
    rounding = 1e-6 * np.abs(estimate) + 1e-12 * width
    at_low, at_high = np.abs(low) <= rounding, np.abs(high) <= rounding
    low = np.where(at_low & ~rejected, np.minimum(low, 0.0), low)
    high = np.where(at_high & ~rejected, np.maximum(high, 0.0), high)
    out_low, out_high = beside_zero(rejected, estimate, low, high)
    return np.where(at_low, out_low, low), np.where(at_high, out_high, high)


def beside_zero(
    rejected: BoolArray, estimate: npt.ArrayLike, low: FloatArray, high: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """For rejected hypotheses, move the limit next to 0 to the side of the estimate."""
    sign, tiny = np.sign(estimate), np.nextafter(0.0, 1.0)
    low = np.where(rejected & (sign > 0), np.maximum(low, tiny), low)
    return low, np.where(rejected & (sign < 0), np.minimum(high, -tiny), high)
