"""How the differences are spread, which queries stand apart, and which decide."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from abrank._support.typing import FloatArray, IntArray
from abrank.inference.registry import as_alpha, as_differences
from abrank.inference.rounding import round_off

# A smooth curve through few values, or through a heap at one, shows what is not there.
MIN_FOR_DENSITY, FEW_VALUES, HEAP = 10, 25, 0.2

Form: TypeAlias = Literal["dots", "values", "bins", "density"]


def spread_form(differences: FloatArray) -> Form:
    """Return the picture that shows how differences are spread without making anything up."""
    # Dots below 10 queries; a bar a value where there are few values; bins where more than a fifth
    # of the queries have one value; a density else.
    n = len(differences)
    counts = np.unique(differences, return_counts=True)[1]
    if n < MIN_FOR_DENSITY:
        return "dots"
    if len(counts) <= min(FEW_VALUES, n // 2):
        return "values"
    return "bins" if counts.max() > HEAP * n else "density"


def moments(differences: npt.ArrayLike) -> tuple[float, float]:
    """Return skewness g1 and excess kurtosis g2; NaN for fewer than two or one value."""
    values = round_off(as_differences(differences)[:, 0])
    if len(values) < 2 or np.ptp(values) == 0.0:
        return np.nan, np.nan
    centred = (values - values.mean()) / values.std()
    squares = centred * centred  # a power takes 7 times as long
    return float(np.mean(squares * centred)), float(np.mean(squares * squares)) - 3.0


# --- Queries further from the others than chance leaves of normal differences

# Rosner's percentage points for several outliers are right from so many values on; for one, always.
MIN_FOR_SEVERAL = 15


def rosner_outliers(
    differences: npt.ArrayLike, *, maximum: int = 3, alpha: float = 0.05
) -> IntArray:
    """Return the places of outliers, the furthest first, by the generalised extreme deviate (ESD).

    Fewer than three differences, and those of one value, have none.

    Hypothesis: the differences are a sample of one normal distribution. The studentised deviates do
    not depend on the mean and its standard error (Basu's theorem), so of normal differences as many
    samples have an outlier among those with a small p of the t test as among all others.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline; taken to 10 decimals.
    maximum : int
        Outliers that are looked for; one below 15 queries, where the test of several is too free.
    alpha : float
        Share of normal samples in which any is found.

    References
    ----------
    .. [1] Rosner (1983), Percentage points for a generalized ESD many-outlier procedure,
       Technometrics 25(2), 165-172, equation 2.5. One outlier is Grubbs' test (1969).

    Examples
    --------
    >>> rosner_outliers([0.1, 0.0, -0.1, 0.05, 0.9, -0.05, 0.0])
    array([4])
    """
    from scipy.special import stdtrit

    values = round_off(as_differences(differences)[:, 0])
    remaining, order, n_outliers = np.arange(len(values)), [], 0
    n_steps = (
        maximum if len(values) >= MIN_FOR_SEVERAL else min(maximum, 1, max(len(values) - 2, 0))
    )
    for step in range(1, n_steps + 1):
        deviates = values[remaining] - values[remaining].mean()
        spread = deviates.std(ddof=1)
        if np.ptp(values[remaining]) == 0.0:
            break
        furthest = int(np.argmax(np.abs(deviates)))
        order.append(remaining[furthest])
        # How many standard deviations the largest deviate of this step may be from the mean.
        m = len(remaining)
        t = float(stdtrit(m - 2, 1.0 - alpha / (2.0 * m)))
        if abs(deviates[furthest]) > (m - 1) * t / np.sqrt((m - 2 + t * t) * m) * spread:
            n_outliers = step
        remaining = np.delete(remaining, furthest)
    return np.array(order[:n_outliers], np.int64)


# --- Leave-one-out influence of single queries on the decision of the t test


def calls_without(
    differences: npt.ArrayLike, places: IntArray, *, confidence: float = 0.95
) -> tuple[int, IntArray, FloatArray]:
    """Return the call of the paired t test, and how it changes without a few queries, in turn."""
    # A call is +1 where the mean is shown to be above 0, -1 below, else 0. Returned are that of all
    # queries, and calls and p-values without each of `places`. Without query i the mean is (n mean
    # - d_i) / (n - 1), and the sum of squares about it less by n / (n - 1) (d_i - mean)**2.
    values = round_off(as_differences(differences)[:, 0])
    alpha = float(as_alpha(confidence, 1)[0])
    n, mean, centred = len(values), values.mean(), values - values[0]
    centred = centred - centred.mean()  # 0 where all are one value, to the last digit
    squares = (centred**2).sum()
    whole = _pvalue(np.array([mean]), np.array([squares]), np.array([n]), squares)
    call = int(_calls(np.array([mean]), whole, alpha)[0])
    without = mean - centred[places] / (n - 1)
    squares_left = squares - centred[places] ** 2 * n / (n - 1)
    pvalues = _pvalue(without, squares_left, np.full(len(places), n - 1), squares)
    return call, _calls(without, pvalues, alpha), pvalues


def _pvalue(means: FloatArray, squares: FloatArray, counts: IntArray, scale: float) -> FloatArray:
    """Return p of t; what is left of the squares by rounding is no spread: p 1 or NaN."""
    from scipy.special import stdtr

    pvalue = np.where(np.abs(means) <= 1e-10 * np.sqrt(scale), 1.0, np.nan)
    spread = (counts > 1) & (squares > 1e-12 * scale)
    freedom = counts[spread] - 1.0
    error = np.sqrt(squares[spread] / (freedom * (freedom + 1.0)))
    pvalue[spread] = 2.0 * stdtr(freedom, -np.abs(means[spread]) / error)
    return pvalue


def _calls(means: FloatArray, pvalue: FloatArray, alpha: float) -> IntArray:
    return np.where(pvalue < alpha, np.sign(means), 0.0).astype(np.int64)
