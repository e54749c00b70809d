"""Which measures' differences can be read on one axis."""

from __future__ import annotations

import math

import numpy as np

from abrank._support.errors import ArgumentError
from abrank.comparison.result import Comparison
from abrank.measures import parse

# Ranges as wide as each other, but for less than this factor: that of alpha_nDCG, whose ideal list
# is only near the best, is 1.58.
ALIKE = 2.0


def shares_scale(comparison: Comparison, measure: str) -> bool:
    """Whether a measure's differences can be read on the axis of the primary one's.

    Parameters
    ----------
    measure : str
        One of its measures. The range of a user's own is read off the scores.

    Examples
    --------
    >>> import pandas as pd
    >>> from abrank.comparison import compare_scores
    >>> a = pd.DataFrame({"clicked": [0.1, 0.2, 0.3], "ms": [90.0, 80.0, 85.0]})
    >>> b = pd.DataFrame({"clicked": [0.2, 0.2, 0.4], "ms": [95.0, 70.0, 90.0]})
    >>> shares_scale(compare_scores(a, b), "ms")
    False
    """
    primary, own = (_range(comparison, name) for name in (comparison.rule.primary, measure))
    if primary == own:
        return True
    narrow, wide = sorted((primary[1] - primary[0], own[1] - own[0]))
    return math.isfinite(wide) and wide < ALIKE * narrow


def _range(comparison: Comparison, measure: str) -> tuple[float, float]:
    """Return the range of a measure, from 0 to 1 where a user's own scores lie there."""
    try:
        low, high = parse(measure).entry.bounds
    except ArgumentError:
        column = comparison.measures.index(measure)
        scores = np.concatenate([comparison.a[:, column], comparison.b[:, column]])
        low, high = scores.min(initial=0.0), scores.max(initial=1.0)
    return float(low), float(high)
