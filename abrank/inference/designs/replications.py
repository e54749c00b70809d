"""One test on many samples at once, as simulations ask it."""

from __future__ import annotations

from typing import Any

import numpy as np

from abrank._support.typing import BoolArray, FloatArray
from abrank.inference.paired.wilcoxon import wilcoxon_pvalues
from abrank.inference.registry import run_test

# Made for one sample, the exact permutation test would take a second for a dozen.
_FOR_MANY: dict[str, dict[str, Any]] = {"permutation": {"method": "monte-carlo"}}


def find_differences(
    name: str,
    samples: FloatArray,
    *,
    alpha: float,
    seed: int,
    n_resamples: int,
    **options: Any,  # noqa: ANN401 - each test has its own
) -> BoolArray:
    """Return whether a two-sided test finds a difference in each sample.

    Parameters
    ----------
    name : str
        A name in ``TESTS``; the permutation test is that of random flips.
    samples : ndarray of shape (n_queries, n_samples)
    alpha, seed
        As for :func:`run_test`.
    n_resamples : int
        What a test draws is shared by all samples. So the level of a test that draws m is off by
        some sqrt(alpha (1 - alpha) / m), the same way for all of them.
    **options
        The test's own.

    Returns
    -------
    ndarray of bool of shape (n_samples,)
        A p that is not defined finds nothing.

    Examples
    --------
    >>> import numpy as np
    >>> samples = np.array([[0.1, 0.1], [0.2, -0.1], [0.2, 0.0], [0.3, 0.1]])
    >>> find_differences("t", samples, alpha=0.05, seed=0, n_resamples=99)
    array([ True, False])
    """
    if name == "wilcoxon":
        return np.asarray(wilcoxon_pvalues(samples, **options) < alpha)
    given = _FOR_MANY.get(name, {}) | options
    result = run_test(name, samples, confidence=1.0, seed=seed, n_resamples=n_resamples, **given)
    return np.asarray(result.pvalue < alpha)
