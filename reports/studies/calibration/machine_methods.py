"""The methods that the study of people and machine compares: samples in, limits out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inference import run_prediction_powered, run_test
from abrank.inference.prediction_powered import FEWEST_ERRORS
from abrank.inference.student import student_quantile

LEVEL = 0.05

# Human and machine differences, (n_queries, n_samples), the first n of them judged by people ->
# limits and how many queries people judge, (n_samples,).
Limits = tuple[FloatArray, FloatArray, FloatArray]
Method = Callable[[FloatArray, FloatArray, int], Limits]


def people(d: FloatArray, _: FloatArray, n: int) -> Limits:
    """Return the t interval of the human differences."""
    test = run_test("t", d[:n])
    return test.ci_low, test.ci_high, np.full(d.shape[1], float(n))


def machine(_: FloatArray, f: FloatArray, __: int) -> Limits:
    """Return the t interval of all machine differences."""
    test = run_test("t", f)
    return test.ci_low, test.ci_high, np.zeros(f.shape[1])


def regression(
    d: FloatArray, f: FloatArray, n: int, *, floor: float = 3.0, fewest_errors: float = 0.0
) -> Limits:
    """Return the interval of people and machine, with a floor of the residual variance."""
    result = run_prediction_powered(
        d[:n], np.arange(n), f, floor=floor, fewest_errors=fewest_errors
    )
    return result.ci_low, result.ci_high, np.full(d.shape[1], float(n))


def plain(d: FloatArray, f: FloatArray, n: int) -> Limits:
    """Return the interval of plain PPI++: slope in [0, 1], the normal distribution."""
    visited, judged = f[:n], d[:n]
    covariance = ((judged - judged.mean(axis=0)) * (visited - visited.mean(axis=0))).sum(axis=0) / (
        n - 1
    )
    slope = np.clip(covariance / np.maximum(f.var(axis=0, ddof=1), 1e-12), 0.0, 1.0)
    residual = (judged - slope * visited).var(axis=0, ddof=1)
    variance = residual * (1 / n - 1 / len(f)) + judged.var(axis=0, ddof=1) / len(f)
    centre = judged.mean(axis=0) + slope * (f.mean(axis=0) - visited.mean(axis=0))
    half = 1.959963984540054 * np.sqrt(variance)
    return centre - half, centre + half, np.full(d.shape[1], float(n))


def take_all(d: FloatArray, f: FloatArray, n: int) -> Limits:
    """Return the interval where people judge every query beyond the range of f on the drawn ones.

    The others are a stratum of which the drawn queries are a random sample; of those beyond the
    range nothing is estimated. The range is that of the sample, so the strata are not fixed
    beforehand; what that costs is in the coverage.
    """
    visited = f[:n]
    beyond = (f < visited.min(axis=0)) | (f > visited.max(axis=0))
    share = beyond.mean(axis=0)
    weight = 1.0 - share
    inside = np.where(beyond, np.nan, f)
    f_mean, f_var = np.nanmean(inside, axis=0), np.nanvar(inside, axis=0, ddof=1)
    dc, fc = d[:n] - d[:n].mean(axis=0), visited - visited.mean(axis=0)
    s_ff = np.maximum((fc**2).sum(axis=0), 1e-300)
    slope = (dc * fc).sum(axis=0) / s_ff
    custom = ((dc - slope * fc) ** 2).sum(axis=0) / (n - 2)
    minimum = min(1.0, 3.0 / n) * np.maximum(dc.var(axis=0, ddof=1), slope**2 * f_var)
    gap = f_mean - visited.mean(axis=0)
    outer = np.where(beyond, d, 0.0).mean(axis=0)
    centre = outer + weight * (d[:n].mean(axis=0) + slope * gap)
    both = np.where(beyond, d, d[:n].mean(axis=0) + slope * (f - visited.mean(axis=0)))
    variance = weight**2 * np.maximum(custom, minimum) * (1 / n + gap**2 / s_ff)
    variance = variance + both.var(axis=0, ddof=1) / len(f)
    half = -student_quantile(n - 2.0, LEVEL / 2) * np.sqrt(variance)
    return centre - half, centre + half, n + beyond.sum(axis=0)


METHODS: Mapping[str, Method] = {
    "people alone": people,
    "plain PPI++": plain,
    "regression": partial(regression, floor=0.0),
    "with floor": regression,
    "floor 8/n": partial(regression, floor=8.0),
    "take all": take_all,
    "refusing": partial(regression, fewest_errors=FEWEST_ERRORS),
    "machine alone": machine,
}
