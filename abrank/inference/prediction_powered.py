"""Tests of the mean difference from few human-judged and many machine-judged queries."""

# The machine's differences narrow the interval; the human-judged queries keep it valid. If the
# machine's differences on the judged queries are constant, the slope is 0 and the result is that of
# the paired t test. There is no exact sign-flip version: with slope 1 and 100 queries, sign flips
# rejected 7.5 to 10 % of true hypotheses at the level 5 %.

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.rng import stream
from abrank._support.typing import BoolArray, FloatArray, IntArray
from abrank.inference.independent import welch
from abrank.inference.paired import mean_and_error, t_answer
from abrank.inference.registry import TestResult, as_alpha, as_differences
from abrank.inference.rounding import TIE, has_spread
from abrank.inference.student import student_quantile

# Rule of three: a failure with a rate of 3 / n can be absent from a sample of n queries.
UNSEEN_FAILURES = 3.0
# The mean and the slope are estimated, and one degree of freedom must remain.
MIN_JUDGED = 3
# Resamples of the judged queries for the interval of their worth, and a limit of memory.
N_RESAMPLES = 1_999
VALUES_AT_ONCE = 1_000_000
# If fewer errors make up the sum of squares, it is unreliable and the machine is set aside.
FEWEST_ERRORS = 6.0


@record
class PredictionPowered(TestResult):
    """The result of :func:`run_prediction_powered`, with arrays of shape (n_comparisons,).

    ``slope`` is lambda. ``correlation`` is that of human and machine differences on the judged
    queries. ``floored`` says that the residual variance was raised to its minimum, ``refused`` that
    only human judgments are used. ``outside`` is the share of all queries whose machine difference
    is outside the range of the judged ones. ``worth`` is the number of human-judged queries that
    would be equally precise without the machine. The other fields are those of
    :class:`~abrank.inference.TestResult`.
    """

    _: KW_ONLY
    standard_error: FloatArray
    freedom: FloatArray
    slope: FloatArray
    correlation: FloatArray
    floored: BoolArray
    refused: BoolArray
    outside: FloatArray
    worth: FloatArray
    n_judged: int


def run_prediction_powered(
    differences: npt.ArrayLike,
    judged: npt.ArrayLike,
    predicted: npt.ArrayLike,
    *,
    confidence: float | FloatArray = 0.95,
    floor: float = UNSEEN_FAILURES,
    fewest_errors: float = FEWEST_ERRORS,
) -> PredictionPowered:
    """Test the mean difference, two-sided, by regression on a machine's differences.

    Estimand: the mean human difference in the population that all queries are a sample of.
    Hypothesis: it is 0. The query pairs the scores. The judged queries must be a random sample of
    all queries. The machine may be arbitrary, but must not depend on which queries were sampled.

    Parameters
    ----------
    differences : array_like of shape (n_judged,) or (n_judged, n_comparisons)
        Candidate minus baseline by human judgments.
    judged : array_like of int, shape (n_judged,)
        The row of ``predicted`` of each judged query; rows must be distinct.
    predicted : array_like of shape (n_queries,) or (n_queries, n_comparisons)
        Candidate minus baseline by the machine's judgments, including the judged queries.
    confidence : float or array_like of shape (n_comparisons,)
    floor : float
        The residual variance is at least floor / n_judged (at most 1) times the variance of the
        human differences, or of the predicted part if that is larger.
    fewest_errors : float
        Minimum effective number of residuals e, (sum e**2)**2 / sum e**4. Below it the slope is 0
        and the t test uses human judgments only. A machine that is right except for rare large
        errors shows few of them in a sample; without this rule, 95 % intervals from 50 human-judged
        queries covered only 84 % in the worst pair (``reports/calibration``).

    Raises
    ------
    ArgumentError
        If shapes do not fit, a value is not finite, fewer than three queries are judged, or
        ``judged`` has repeated rows.

    Notes
    -----
    Let d be the human and f the machine's differences, and let n denote the judged queries and N
    all queries. With sums of products S over the judged queries, lambda = S_df / S_ff; the estimate
    is mean_n(d) + lambda (mean_N(f) - mean_n(f)); its variance is s2 (1/n + (mean_N(f) -
    mean_n(f))**2 / S_ff) + lambda**2 var(f) / N, where the residual variance is s2 = max(RSS / (n -
    2), min(1, 3/n) max(var d, lambda**2 var f)). t has n - 2 degrees of freedom. This is the
    regression estimator of survey sampling [1]_, which is prediction-powered inference with an
    estimated slope [2]_. The floor is the rule of three: n queries without a gross error of the
    machine do not exclude an error rate of 3/n [3]_.

    Adding a constant to d changes neither lambda nor the standard error, so interval and p-value
    correspond. The scale of the machine's differences has no effect.

    References
    ----------
    .. [1] Cochran (1977), Sampling Techniques, 3rd ed., chapter 7.
    .. [2] Angelopoulos, Bates, Fannjiang, Jordan & Zrnic (2023), Science 382, 669-674;
       Angelopoulos, Duchi & Zrnic (2023), arXiv:2311.01453 (PPI++).
    .. [3] Hanley & Lippman-Hand (1983), JAMA 249, 1743-1745.

    Examples
    --------
    >>> f = np.sin(np.arange(200.0)) + 0.1
    >>> d = 0.5 * f[:20] + 0.02 * np.cos(7 * np.arange(20.0))
    >>> found = run_prediction_powered(d, np.arange(20), f)
    >>> found.slope.round(1), found.freedom, found.worth > 20
    (array([0.5]), array([18.]), array([ True]))
    """
    d, predictions = as_differences(differences), as_differences(predicted)
    rows = _rows_of(judged, n_judged=len(d), n_queries=len(predictions))
    if d.shape[1] != predictions.shape[1]:
        raise ArgumentError(
            f"{d.shape[1]} human columns do not fit {predictions.shape[1]} predicted"
        )
    checks.not_negative("floor", floor)
    checks.not_negative("fewest_errors", fewest_errors)
    alpha = as_alpha(confidence, d.shape[1])
    if len(d) < MIN_JUDGED:
        raise ArgumentError(f"at least {MIN_JUDGED} judged queries are needed; got {len(d)}")
    fit = _fit(d, predictions, predictions[rows], floor=floor, fewest=fewest_errors)
    answers = np.stack([fit.estimate, *t_answer(fit.estimate, fit.error, fit.freedom, alpha)])
    answers[1:, ~d.any(axis=0)] = [[0.0], [1.0], [0.0], [0.0]]
    tested = TestResult.of_mean(
        answers, test="prediction-powered", n_queries=len(predictions),
        confidence=confidence if np.ndim(confidence) == 0 else 1.0 - alpha,
    )  # fmt: skip
    # Share of queries outside the range of the judged ones by more than rounding error.
    predicted_judged, slack = predictions[rows], TIE * np.abs(predictions).max(axis=0, initial=0.0)
    is_beyond = (predictions < predicted_judged.min(axis=0) - slack) | (
        predictions > predicted_judged.max(axis=0) + slack
    )
    return PredictionPowered(
        **vars(tested) | {"estimand": "mean difference over all queries"},
        standard_error=fit.error, freedom=fit.freedom, slope=fit.slope,
        correlation=fit.correlation, floored=fit.floored, refused=fit.refused,
        outside=np.asarray(is_beyond.mean(axis=0)), worth=_worth(d, fit, alpha), n_judged=len(d),
    )  # fmt: skip


class _Fit(NamedTuple):
    """Regression of human on machine differences: arrays of shape (n_comparisons,)."""

    estimate: FloatArray
    error: FloatArray
    freedom: FloatArray
    slope: FloatArray
    correlation: FloatArray
    floored: BoolArray
    refused: BoolArray


def worth_interval(
    differences: npt.ArrayLike,
    judged: npt.ArrayLike,
    predicted: npt.ArrayLike,
    *,
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the number of equally precise human queries."""
    # Source: Efron (1979), Annals of Statistics 7, 1-26.
    d, predictions = as_differences(differences)[:, 0], as_differences(predicted)[:, :1]
    predicted_judged = predictions[_rows_of(judged, n_judged=len(d), n_queries=len(predictions)), 0]
    random, result = stream(0, "worth"), []
    at_once = max(1, VALUES_AT_ONCE // len(d))
    for first in range(0, N_RESAMPLES, at_once):
        count = min(at_once, N_RESAMPLES - first)
        rows = random.integers(0, len(d), (len(d), count))
        judged_here = d[rows], predictions, predicted_judged[rows]
        fit = _fit(*judged_here, floor=UNSEEN_FAILURES, fewest=0.0)
        result.append(_worth(d[rows], fit, np.full(count, 1.0 - confidence)))
    values = np.concatenate(result)
    low, high = np.quantile(values[~np.isnan(values)], [0.025, 0.975], method="nearest")
    return float(low), float(high)


def _fit(
    d: FloatArray,
    predictions: FloatArray,
    predicted_judged: FloatArray,
    *,
    floor: float,
    fewest: float,
) -> _Fit:
    n, n_queries = len(d), len(predictions)
    is_flat = ~has_spread(predicted_judged)
    dc, fc = d - d.mean(axis=0), predicted_judged - predicted_judged.mean(axis=0)
    s_dd, s_ff, s_df = (np.einsum("ij,ij->j", *pair) for pair in ((dc, dc), (fc, fc), (dc, fc)))
    s_ff = np.where(is_flat, 1.0, s_ff)
    # Effective number of residuals; 0 if they are only rounding errors.
    squares = (dc - s_df / s_ff * fc) ** 2
    total = squares.sum(axis=0)
    n_errors = np.divide(
        total**2, (squares**2).sum(axis=0), out=np.zeros_like(total), where=total > TIE**2 * s_dd
    )
    refused = ~is_flat & (n_errors < fewest)
    correlation = np.where(is_flat, 0.0, s_df / np.sqrt(s_ff * np.where(s_dd > 0.0, s_dd, np.inf)))
    is_flat |= refused
    slope = np.where(is_flat, 0.0, s_df / s_ff)
    freedom = np.where(is_flat, n - 1.0, n - 2.0)
    residual = dc - slope * fc
    residual_variance = np.einsum("ij,ij->j", residual, residual) / freedom
    spread = predictions.var(axis=0, ddof=1) if n_queries > 1 else np.zeros(d.shape[1])
    minimum = min(1.0, floor / n) * np.maximum(s_dd / (n - 1), slope**2 * spread)
    gap = predictions.mean(axis=0) - predicted_judged.mean(axis=0)
    leverage = np.where(is_flat, 0.0, gap**2 / s_ff)
    variance = np.maximum(residual_variance, minimum) * (1.0 / n + leverage)
    variance = variance + slope**2 * spread / n_queries
    estimate = mean_and_error(d)[0] + slope * gap
    varies = has_spread(d)
    error, slope = np.where(varies, np.sqrt(variance), np.nan), np.where(varies, slope, 0.0)
    correlation = np.where(varies, np.clip(correlation, -1.0, 1.0), 0.0)
    return _Fit(estimate, error, freedom, slope, correlation, minimum > residual_variance, refused)


def _worth(d: FloatArray, fit: _Fit, alpha: FloatArray) -> FloatArray:
    n = len(d)
    half_of_people = (
        student_quantile(np.full(len(alpha), n - 1.0), alpha / 2.0) * mean_and_error(d)[1]
    )
    half_of_both = student_quantile(fit.freedom, alpha / 2.0) * fit.error
    return np.asarray(n * (half_of_people / half_of_both) ** 2)


def _rows_of(judged: npt.ArrayLike, *, n_judged: int, n_queries: int) -> IntArray:
    rows = np.asarray(judged)
    if rows.shape != (n_judged,):
        raise ArgumentError(f"rows of shape {rows.shape} do not fit {n_judged} differences")
    fits = rows.size == 0 or (rows.dtype.kind in "iu" and 0 <= rows.min() <= rows.max() < n_queries)
    if not fits or len(np.unique(rows)) != n_judged:
        raise ArgumentError(f"judged must be distinct rows of the {n_queries} predicted queries")
    return rows.astype(np.int64)


def welch_pvalue(first: FloatArray, second: FloatArray) -> float:
    """Return Welch's two-sided p-value for equal means of two independent samples."""
    # Source: Welch (1947), Biometrika 34, 28-35.
    if min(len(first), len(second)) < 2:
        return float("nan")
    if not has_spread(np.concatenate([first, second])):
        return 1.0
    if not (has_spread(first) or has_spread(second)):
        return 0.0
    return float(welch(second[:, None], first[:, None], confidence=0.95).pvalue[0])
