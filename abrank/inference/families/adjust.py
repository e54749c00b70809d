"""Adjusted p-values of a family.

==================  =====================================================================
p-values            adjusted, by any method
==================  =====================================================================
none                none
one                 left as it is
two                 as any other family
all 0               0
one value           that times their number, by bonferroni and holm; left as it is by hochberg,
                    hommel and bh
one differs         as any other family
two values          as any other family
NaN                 stays NaN, and is no member of the family: nothing could be tested
not in [0, 1]       refused, infinities among them
==================  =====================================================================
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray

# Our names, and those of statsmodels.
ADJUSTMENTS = {
    "none": "",
    "bonferroni": "bonferroni",
    "sidak": "sidak",
    "holm": "holm",
    "holm-sidak": "holm-sidak",
    "hochberg": "simes-hochberg",
    "hommel": "hommel",
    "bh": "fdr_bh",
    "by": "fdr_by",
}


def adjust(pvalues: npt.ArrayLike, method: str) -> FloatArray:
    """Adjust the p-values of a family for their number.

    Parameters
    ----------
    pvalues : array_like of any shape
        Between 0 and 1. NaN (a test that is not defined) stays NaN and is no member of the family.
    method : str
        A key of ``ADJUSTMENTS``. "bonferroni", "sidak", "holm", "holm-sidak", "hochberg" and
        "hommel" bound the chance of any false finding, "bh" and "by" the expected share of false
        ones. All but "bonferroni", "holm" and "by" ask for independent or positively dependent
        tests.

    Returns
    -------
    ndarray of the shape of ``pvalues``
        Reject at level alpha where the adjusted value is below alpha.

    Raises
    ------
    UnknownNameError
        If the method is none of these.
    ArgumentError
        If a p-value is not in [0, 1].

    Notes
    -----
    Computed by ``statsmodels.stats.multitest.multipletests``; but its Holm collects the garbage of
    the whole program at every call, some tenth of a second, and its import takes one: Holm and
    "bh" are ours.

    References
    ----------
    .. [1] Holm (1979), Scandinavian Journal of Statistics 6, 65-70; Benjamini & Hochberg (1995),
       Journal of the Royal Statistical Society B 57, 289-300.

    Examples
    --------
    >>> adjust([0.01, float("nan"), 0.04, 0.03], "holm")
    array([0.03,  nan, 0.06, 0.06])
    """
    checks.one_of("adjustment", method, ADJUSTMENTS)
    adjusted = np.array(pvalues, dtype=np.float64)
    known = ~np.isnan(adjusted)
    if not np.all((adjusted[known] >= 0.0) & (adjusted[known] <= 1.0)):
        raise ArgumentError("p-values must lie between 0 and 1")
    if method == "none" or not known.any():
        return adjusted
    if method in ("holm", "bh"):
        own = _holm if method == "holm" else _benjamini_hochberg
        adjusted[known] = own(adjusted[known])
        return adjusted
    from statsmodels.stats.multitest import multipletests

    # The Sidak forms take the logarithm of 1 - p, and p may be 1.
    with np.errstate(divide="ignore"):
        adjusted[known] = multipletests(adjusted[known], method=ADJUSTMENTS[method])[1]
    return adjusted


def _holm(pvalues: FloatArray) -> FloatArray:
    """Return the p-values times the number of those not smaller, never below a smaller one's."""
    order = np.argsort(pvalues, kind="stable")
    multiplied = pvalues[order] * np.arange(pvalues.size, 0, -1)
    adjusted = np.empty_like(pvalues)
    adjusted[order] = np.minimum(np.maximum.accumulate(multiplied), 1.0)
    return adjusted


def _benjamini_hochberg(pvalues: FloatArray) -> FloatArray:
    """Return the p-values over the share of those not larger, never above a larger one's."""
    order = np.argsort(pvalues, kind="stable")
    divided = pvalues[order] / (np.arange(1, pvalues.size + 1) / pvalues.size)
    adjusted = np.empty_like(pvalues)
    adjusted[order] = np.minimum(np.minimum.accumulate(divided[::-1])[::-1], 1.0)
    return adjusted
