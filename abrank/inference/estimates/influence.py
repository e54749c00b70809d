"""Leave-one-out influence of single queries on the decision of the t test.

==================  =====================================================================
differences         answer
==================  =====================================================================
no query            no call; no shift (NaN) and nothing flips
one query           the same
two queries         one remains without the other, and no call: a call flips
all 0               no call, nothing flips; p 1 without any
one value, not 0    no call, nothing flips; p NaN without any
one query differs   without it the others are one value: p 1 if that is 0, else NaN
two values          as any other data
not finite          refused
==================  =====================================================================
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from abrank._support.records import record
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference.registry import as_alpha, as_differences
from abrank.inference.rounding import round_off


@record
class Influence:
    """Answers of :func:`leave_out`.

    Attributes
    ----------
    call : int
        +1 where the mean is shown to be above 0, -1 below, else 0.
    mean_without, pvalue_without : ndarray of shape (n_queries,)
        Mean and two-sided p of the t test without each query.
    flips : ndarray of bool of shape (n_queries,)
        Whether the call is another one without that query.
    largest_shift : float
        The largest change of the mean by leaving one query out, with its sign.
    most_influential : int
        The place of that query; -1 without one.
    removed : ndarray of int
        The fewest queries, largest first, whose removal changes the call as found by taking away
        one after the other; empty where none does.
    """

    call: int
    mean_without: FloatArray
    pvalue_without: FloatArray
    flips: BoolArray
    largest_shift: float
    most_influential: int
    removed: IntArray


def leave_out(differences: npt.ArrayLike, *, confidence: float = 0.95) -> Influence:
    """Return how the call of the paired t test changes without single queries, in O(n log n).

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        Candidate minus baseline; taken to 10 digits of the largest.
    confidence : float

    Returns
    -------
    Influence
        Without query i the mean is (n mean - d_i) / (n - 1), and the sum of squares about it is
        less by n / (n - 1) (d_i - mean)**2. For ``removed``, queries are taken away by size in the
        direction of the call (against the mean, where nothing is shown) until another call is
        reached; fewer might do it in rare cases.

    Raises
    ------
    ArgumentError
        If a difference is not finite or the level not in (0, 1).

    Examples
    --------
    >>> found = leave_out([0.1, 0.2, 0.1, 0.0, 0.1, 0.3, -0.1, 0.2])
    >>> found.call, int(found.flips.sum()), found.removed
    (1, 6, array([5]))
    """
    values = round_off(as_differences(differences)[:, 0])
    alpha = float(as_alpha(confidence, 1)[0])
    n = len(values)
    if n < 2:
        nothing = np.full(n, np.nan)
        none = np.empty(0, np.int64)
        return Influence(0, nothing, nothing, np.zeros(n, np.bool_), np.nan, -1, none)
    mean, centred = values.mean(), _centred(values)
    call, without, pvalue, calls = _without_each(values, np.arange(n), alpha)
    most = int(np.argmax(np.abs(centred)))
    return Influence(
        call=call,
        mean_without=without,
        pvalue_without=pvalue,
        flips=calls != call,
        largest_shift=float(without[most] - mean),
        most_influential=most,
        removed=_removed(values, call, alpha, (centred**2).sum()),
    )


def calls_without(
    differences: npt.ArrayLike, places: IntArray, *, confidence: float = 0.95
) -> tuple[int, IntArray, FloatArray]:
    """Return what :func:`leave_out` says of a few queries of many, without a look at the others.

    Parameters
    ----------
    differences : array_like of shape (n_queries,)
        At least two.
    places : int64 ndarray
        The queries to leave out, one at a time.
    confidence : float

    Returns
    -------
    call : int
        Of all queries.
    calls, pvalues : ndarray of the shape of ``places``
        Without each of them.

    Examples
    --------
    >>> calls_without([0.1, 0.2, 0.1, 0.0, 0.1, 0.3, -0.1, 0.2], np.array([5, 6]))
    (1, array([0, 1]), array([0.07814075, 0.00823735]))
    """
    values = round_off(as_differences(differences)[:, 0])
    call, _, pvalues, calls = _without_each(values, places, float(as_alpha(confidence, 1)[0]))
    return call, calls, pvalues


def _without_each(
    values: FloatArray, places: IntArray, alpha: float
) -> tuple[int, FloatArray, FloatArray, IntArray]:
    """Return the call of all values, and mean, p-value and call without one after the other."""
    n, mean, centred = len(values), values.mean(), _centred(values)
    squares = (centred**2).sum()
    whole = _pvalue(np.array([mean]), np.array([squares]), np.array([n]), squares)
    call = int(_calls(np.array([mean]), whole, alpha)[0])
    without = mean - centred[places] / (n - 1)
    left = squares - centred[places] ** 2 * n / (n - 1)
    pvalue = _pvalue(without, left, np.full(len(places), n - 1), squares)
    return call, without, pvalue, _calls(without, pvalue, alpha)


def means_without(differences: FloatArray) -> FloatArray:
    """Return the mean without each query in turn: float64[n_queries]; at least two queries.

    Examples
    --------
    >>> means_without(np.array([0.25, 0.5, 0.75]))
    array([0.625, 0.5  , 0.375])
    """
    values = round_off(differences)
    return np.asarray(values.mean() - _centred(values) / (len(values) - 1))


def _removed(values: FloatArray, call: int, alpha: float, squares: float) -> IntArray:
    """Return the first of the largest queries whose removal changes the call."""
    direction = call or -(np.sign(values.sum()) or 1.0)
    order = np.argsort(-direction * values, kind="stable")
    # From the end, so that what remains is summed and not subtracted.
    rest = _centred(values)[order][::-1]
    counts = np.arange(1, len(values) + 1)
    shift = np.cumsum(rest) / counts
    remaining = np.cumsum(rest**2) - counts * shift**2
    means = values.mean() + shift
    calls = _calls(means, _pvalue(means, remaining, counts, squares), alpha)[::-1]
    # At least two must remain for a call to be one.
    changed = np.flatnonzero(calls[1 : len(values) - 1] != call)
    return order[: changed[0] + 1].astype(np.int64) if changed.size else np.empty(0, np.int64)


def _centred(values: FloatArray) -> FloatArray:
    """Return the distances from the mean; 0 where all are one value, to the last digit."""
    from_first: FloatArray = values - values[0]
    return np.asarray(from_first - from_first.mean())


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
