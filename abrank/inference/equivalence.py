"""Equivalence and non-inferiority of means, by two one-sided t tests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.inference.catalogue import as_differences
from abrank.inference.student import mean_and_error, t_interval, t_pvalue


@dataclass(frozen=True)
class Equivalence:
    """Answers of :func:`tost`: arrays of shape (n_comparisons,).

    ``pvalue`` is for "the mean difference lies within the margin", ``p_not_worse`` for "it lies
    above minus the margin" and ``p_not_better`` for "below plus the margin". The interval is the
    1 - 2 alpha one.
    """

    pvalue: FloatArray
    p_not_worse: FloatArray
    p_not_better: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    margin: float


def tost(differences: npt.ArrayLike, *, margin: float, alpha: float = 0.05) -> Equivalence:
    """Test whether the mean difference lies within a margin of 0 (two one-sided paired t tests).

    Estimand: the mean difference. Hypothesis to reject: it is at least ``margin`` away from 0. The
    query pairs the scores. Equivalent at level alpha where ``pvalue < alpha``, which is where the
    1 - 2 alpha interval lies inside (-margin, margin); not worse where ``p_not_worse < alpha``,
    which is where ``ci_low > -margin``.

    Parameters
    ----------
    differences : array_like of shape (n_queries,) or (n_queries, n_comparisons)
        Candidate minus baseline.
    margin : float
        The smallest difference that matters, above 0, in the unit of the differences.
    alpha : float
        Below one half.

    Returns
    -------
    Equivalence
        p-values are NaN and the interval is unbounded with fewer than two queries, or where all
        differences are one value: there is no spread to judge them by.

    Raises
    ------
    ArgumentError
        If the margin is not above 0, alpha not in (0, .5), or a difference not finite.

    References
    ----------
    .. [1] Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680.

    Examples
    --------
    >>> result = tost([0.01, -0.02, 0.03, 0.0, 0.01, -0.01, 0.02, 0.0], margin=0.05)
    >>> bool(result.pvalue[0] < 0.05), result.ci_low.round(4), result.ci_high.round(4)
    (True, array([-0.0057]), array([0.0157]))
    """
    if not margin > 0.0:
        raise ArgumentError(f"margin must be above 0, not {margin!r}")
    if not 0.0 < alpha < 0.5:
        raise ArgumentError(f"alpha must lie between 0 and .5, not {alpha!r}")
    data = as_differences(differences)
    n_queries, n_columns = data.shape
    mean, error = mean_and_error(data) if n_queries else np.full((2, n_columns), np.nan)
    not_worse = t_pvalue((mean + margin) / error, n_queries - 1, "greater")
    not_better = t_pvalue((mean - margin) / error, n_queries - 1, "less")
    levels = np.full(n_columns, alpha)
    low, _ = t_interval(mean, error, n_queries - 1, levels, "greater")
    _, high = t_interval(mean, error, n_queries - 1, levels, "less")
    pvalue = np.maximum(not_worse, not_better)
    return Equivalence(pvalue, not_worse, not_better, low, high, margin)
