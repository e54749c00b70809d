"""How the differences are spread, and which queries stand apart."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from abrank._support.typing import FloatArray, IntArray
from abrank.inference.registry import as_differences
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

    Hypothesis: the differences are a sample of one normal distribution; ``alpha`` is the share of
    such samples in which any outlier is found. At most ``maximum`` are looked for, one below 15
    queries, where the test of several is too free. The studentised deviates do not depend on the
    mean and its standard error (Basu's theorem), so of normal differences as many samples have an
    outlier among those with a small p of the t test as among all others.
    Source: Rosner (1983), Technometrics 25(2), 165-172, equation 2.5; of one outlier Grubbs (1969).
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
