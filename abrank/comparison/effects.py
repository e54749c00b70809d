"""How large the difference is without a unit, and how the differences are spread."""

from __future__ import annotations

import math

import numpy as np

from abrank import inference
from abrank._support.records import record
from abrank._support.typing import FloatArray
from abrank.inference.estimates.effect_size import EffectInterval
from abrank.inference.estimates.shape import moments
from abrank.inference.rounding import differences_of


@record
class Effect:
    """An effect size of the primary measure, its interval, and how that is made."""

    estimate: float
    ci_low: float
    ci_high: float
    method: str

    @classmethod
    def of(cls, found: EffectInterval, *, has_interval: bool) -> Effect:
        """Return the first of the effect sizes found."""
        known = 1.0 if has_interval else math.nan
        low, high = known * float(found.ci_low[0]), known * float(found.ci_high[0])
        return cls(float(found.estimate[0]), low, high, found.method)


@record
class Spread:
    """The differences of the primary measure in six numbers.

    Their quartiles, skewness and excess kurtosis (0 for a normal distribution), and the correlation
    of the scores of A and B, which is why pairing helps. NaN where there is nothing to compute it
    from.
    """

    lower_quartile: float
    median: float
    upper_quartile: float
    skew: float
    excess: float
    correlation: float


# Effect sizes that say which system wins, whatever the sign of its differences.
WHO_WINS = frozenset({"rank_biserial", "p_better"})


def effects(
    a: FloatArray,
    b: FloatArray,
    *,
    confidence: float,
    higher_is_better: bool = True,
    independent: bool = True,
) -> dict[str, Effect]:
    """Return every effect size of B over A, by name.

    Parameters
    ----------
    higher_is_better : bool
        Where it is not, those that say which system wins are of A - B.
    independent : bool
        Whether queries are; where they come in clusters no effect size has an interval.

    Returns
    -------
    dict of str to Effect
        In the order of :data:`abrank.inference.EFFECT_SIZES`.

    Examples
    --------
    >>> found = effects(np.array([0.1, 0.2, 0.4]), np.array([0.3, 0.3, 0.8]), confidence=0.95)
    >>> round(found["d_z"].estimate, 3), found["d_z"].method, found["p_better"].estimate
    (1.528, 'noncentral t', 1.0)
    """
    found = {}
    for name in inference.EFFECT_SIZES:
        swap = name in WHO_WINS and not higher_is_better
        pair = (b, a) if swap else (a, b)
        found[name] = inference.effect_interval(name, *pair, confidence=confidence)
    return {name: Effect.of(each, has_interval=independent) for name, each in found.items()}


def spread(a: FloatArray, b: FloatArray) -> Spread:
    """Return how the differences B - A are spread.

    Examples
    --------
    >>> found = spread(np.array([0.1, 0.2, 0.4, 0.4]), np.array([0.3, 0.3, 0.4, 0.8]))
    >>> round(found.median, 3), round(found.skew, 3), round(found.correlation, 3)
    (0.15, 0.435, 0.7)
    """
    if len(a) == 0:
        return Spread(*[math.nan] * 6)
    differences = differences_of(a, b)
    low, middle, high = np.quantile(differences, [0.25, 0.5, 0.75]).tolist()
    skew, excess = moments(differences)
    return Spread(low, middle, high, skew, excess, _correlation(a, b))


def _correlation(a: FloatArray, b: FloatArray) -> float:
    if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])
