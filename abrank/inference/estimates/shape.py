"""How the differences are spread: information about them, never a gate to a test.

=====================  =======  ======  ============  ==================
differences            mean     sd      skew, excess  normality
=====================  =======  ======  ============  ==================
no query               NaN      NaN     NaN           NaN, no test
one query              itself   NaN     NaN           NaN, no test
two queries            theirs   theirs  0 and -2      NaN, no test
all 0                  0        0       NaN           NaN, no test
one value, not 0       it       0       NaN           NaN, no test
one query differs      as any other data, everywhere
two values             the same
not finite             refused
=====================  =======  ======  ============  ==================
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from abrank._support.records import record
from abrank._support.typing import FloatArray
from abrank.inference.registry import as_differences
from abrank.inference.rounding import round_off

# Beyond this Shapiro and Wilk's p-value is not accurate.
MOST_FOR_SHAPIRO = 5_000
# A smooth curve through few values, or through a heap at one, shows what is not there.
FEWEST_FOR_DENSITY, FEW_VALUES, HEAP = 10, 25, 0.2

Form: TypeAlias = Literal["dots", "values", "bins", "density"]


@record
class Shape:
    """Moments of the differences, and what a test of normality says.

    ``sd`` has n - 1 below it; ``skew`` is g1 and ``excess`` the kurtosis g2, 0 for the normal
    distribution. ``zero_share`` is the share of ties, ``normality`` a p-value by the test that
    ``normality_test`` names.
    """

    n_queries: int
    mean: float
    sd: float
    skew: float
    excess: float
    zero_share: float
    normality: float
    normality_test: str


def describe_shape(differences: npt.ArrayLike) -> Shape:
    """Return moments of the differences and the p-value of a test that they are normal.

    With few queries such a test sees nothing and with many it sees what does no harm, so it decides
    nothing here: the paired t test asks for a mean that is near normal, not for such differences.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline; taken to 10 digits of the largest.

    Returns
    -------
    Shape
        Shapiro and Wilk's test up to 5,000 queries, D'Agostino and Pearson's beyond.

    Raises
    ------
    ArgumentError
        If a difference is not finite.

    References
    ----------
    .. [1] Shapiro & Wilk (1965), Biometrika 52, 591-611; D'Agostino & Pearson (1973), Biometrika
       60, 613-622; both by scipy.stats.

    Examples
    --------
    >>> shape = describe_shape([0.0, 0.0, 0.1, -0.1, 0.0, 0.9])
    >>> round(shape.skew, 2), round(shape.zero_share, 2), shape.normality < 0.05
    (1.67, 0.5, True)
    """
    values = round_off(as_differences(differences)[:, 0])
    n = len(values)
    mean = float(values.mean()) if n else np.nan
    zeros = float(np.mean(values == 0.0)) if n else np.nan
    if n < 2 or np.ptp(values) == 0.0:
        sd = 0.0 if n > 1 else np.nan
        return Shape(n, mean, sd, np.nan, np.nan, zeros, np.nan, "none")
    skew, excess = moments(values)
    pvalue, test = _normality(values)
    return Shape(
        n_queries=n,
        mean=mean,
        sd=float(values.std(ddof=1)),
        skew=skew,
        excess=excess,
        zero_share=zeros,
        normality=pvalue,
        normality_test=test,
    )


def spread_form(differences: FloatArray) -> Form:
    """Return the picture that shows how differences are spread without making anything up.

    Dots below 10 queries; a bar a value where there are few values; bins where more than a fifth
    of the queries have one value; a density else.

    Examples
    --------
    >>> spread_form(np.zeros(3)), spread_form(np.arange(99) % 3), spread_form(np.arange(99))
    ('dots', 'values', 'density')
    """
    n = len(differences)
    counts = np.unique(differences, return_counts=True)[1]
    if n < FEWEST_FOR_DENSITY:
        return "dots"
    if len(counts) <= min(FEW_VALUES, n // 2):
        return "values"
    return "bins" if counts.max() > HEAP * n else "density"


def moments(differences: npt.ArrayLike) -> tuple[float, float]:
    """Return skewness g1 and excess kurtosis g2, as :func:`describe_shape` does, without a test.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Taken to 10 digits of the largest.

    Returns
    -------
    tuple of float
        NaN where the differences are fewer than two, or all the same.

    Examples
    --------
    >>> [round(each, 2) for each in moments([0.0, 0.0, 0.1, -0.1, 0.0, 0.9])]
    [1.67, 1.0]
    """
    values = round_off(as_differences(differences)[:, 0])
    if len(values) < 2 or np.ptp(values) == 0.0:
        return np.nan, np.nan
    centred = (values - values.mean()) / values.std()
    return float(np.mean(centred**3)), float(np.mean(centred**4)) - 3.0


def _normality(values: FloatArray) -> tuple[float, str]:
    """Return p-value and name of the test of normality; at least 3 values are needed."""
    from scipy import stats

    if len(values) < 3:
        return np.nan, "none"
    if len(values) <= MOST_FOR_SHAPIRO:
        return float(stats.shapiro(values).pvalue), "Shapiro-Wilk"
    return float(stats.normaltest(values).pvalue), "D'Agostino-Pearson"
