"""The sign-flip permutation test of the mean difference."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from abrank._support import checks
from abrank._support.typing import Alternative, FloatArray
from abrank.inference.exact.sign_flips import flip_all, flip_randomly, sign_flip_test
from abrank.inference.exact.signed_sums import ABSOLUTE_WIDTH, RELATIVE_WIDTH
from abrank.inference.registry import Answer, paired_test
from abrank.inference.rounding import snap, to_lattice

Method = Literal["exact", "monte-carlo"]

# Up to it the exact test goes through all flips.
ENUMERATED_UP_TO = 16
N_FLIPS = 99_999
N_FLIPS_OF_MANY_QUERIES = 9_999
MANY_QUERIES = 100_000


@paired_test(
    "permutation",
    title="Sign-flip permutation",
    estimand="mean difference",
    source="Fisher 1935; Smucker, Allan & Carterette 2007; interval: Hartigan 1969",
)
def permutation(
    differences: FloatArray,
    *,
    alternative: Alternative,
    alpha: FloatArray,
    seed: int,
    n_resamples: int | None = None,
    method: Method = "exact",
    stop_after: int | None = None,
) -> Answer:
    """Test the mean difference by flipping the signs of the queries' differences.

    Estimand: the mean difference. Hypothesis: which of the two systems got which score of a query
    is a coin toss, so each difference is symmetric about 0. The query pairs the scores.

    Parameters
    ----------
    seed : int
        The flips depend on it and on the number of queries, and are shared by all columns.
    n_resamples : int, optional
        Random flips m; 99,999, or 9,999 above 100,000 queries. Where all 2**n flips are no more
        than m + 1 they are enumerated instead.
    method : {"exact", "monte-carlo"}
        "exact" draws only for a column whose p would be unsure by more than a thousandth of it and
        by more than 1e-6.
    stop_after : int, optional
        With "monte-carlo", stop drawing for the p once so many flips have reached the observed
        mean; 20 will do for a screening. By default all m are drawn.

    Returns
    -------
    Answer
        ``statistic`` is the mean difference. Method "exact", or "Monte Carlo" where any column was
        drawn; ``pvalue_low``, ``pvalue_high`` and ``pvalue_error`` tell of each.

    Notes
    -----
    Let J be the flipped queries. After a shift by theta the flipped mean is at least the observed
    one exactly when the mean of d over J is <= theta (for the empty J: always). So theta is
    rejected by a count of subset means, and the limits are subset means [1]_.

    The exact test goes through all flips of up to 16 queries, and takes the limits from the sorted
    subset means. Above, the distribution of the flipped sum is computed: differences of few
    decimals or small fractions by convolution [2]_, up to 32 others by meeting in the middle, all
    else from the characteristic function between proven bounds
    (:mod:`abrank.inference.exact.fourier`). The cost hardly grows with the number of queries, so no
    normal limit is needed up to a million and more. The limits are subset means where those can be
    listed, else roots of that p, to 1e-4 of the standard error (2e-3 where many queries tie).

    With random flips p = (b + 1) / (m + 1) [3]_. The identity and the negative of every flip count
    too, so the one-sided p is half the two-sided one. With ``stop_after`` h, p = h / l where the
    h-th flip that reaches the mean is the l-th drawn [4]_.

    The smallest two-sided p is 2**(1 - n0), n0 the number of differences other than 0 (which in
    floats is 0 above 1074). With n <= 5 at 95 % the interval is unbounded.

    References
    ----------
    .. [1] Hartigan (1969), Journal of the American Statistical Association 64, 1303-1317.
    .. [2] Pagano & Tritchler (1983), Journal of the American Statistical Association 78, 435-440.
    .. [3] Phipson & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9(1).
    .. [4] Besag & Clifford (1991), Biometrika 78, 301-304.

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> result = run_test("permutation", [0.1, 0.2, -0.05, 0.3, 0, 0.15, -0.1, 0.25, 0.05, 0.4])
    >>> result.method, result.pvalue * 256
    ('exact', array([11.]))
    >>> result.ci_low.round(4), result.ci_high.round(4)
    (array([0.0125]), array([0.25]))

    Sixty wins of one size in eighty queries, as a binomial distribution has it:

    >>> run_test("permutation", [0.1] * 60 + [-0.1] * 20).pvalue
    array([8.58...e-06])
    """
    checks.one_of("method", method, get_args(Method))
    if stop_after is not None:
        checks.count("stop_after", stop_after)
    n_queries, n_columns = differences.shape
    n_flips = n_resamples or (N_FLIPS if n_queries <= MANY_QUERIES else N_FLIPS_OF_MANY_QUERIES)
    numbers, unit = to_lattice(differences)
    estimate = snap(numbers.sum(axis=0), n_queries) / n_queries * unit
    found, precision = np.empty((3, n_columns)), np.zeros((3, n_columns))
    drawn = np.ones(n_columns, np.bool_)
    if n_queries <= (ENUMERATED_UP_TO if method == "exact" else np.log2(n_flips + 1)):
        found = flip_all(numbers, unit, alpha=alpha, alternative=alternative)
        precision[:2], drawn[:] = found[0], False
    elif method == "exact":
        for column, level in enumerate(alpha.tolist()):
            bounds, *limits = sign_flip_test(
                numbers[:, column], float(unit[column]), alpha=level, alternative=alternative
            )
            found[:, column] = bounds.value, *limits
            precision[:2, column] = bounds.low, bounds.high
            unsure = bounds.high - bounds.low
            drawn[column] = unsure > max(RELATIVE_WIDTH * bounds.value, ABSOLUTE_WIDTH)
    n_drawn = 0
    if drawn.any():
        random, n_drawn = flip_randomly(
            numbers[:, drawn], unit[drawn], alpha=alpha[drawn], alternative=alternative,
            n_flips=n_flips, seed=seed, stop_after=stop_after,
        )  # fmt: skip
        found[:, drawn] = random[:3]
        precision[:, drawn] = random[[0, 0, 3]]
    rows = np.vstack([estimate, estimate, found])
    return Answer.from_rows(rows, "Monte Carlo" if n_drawn else "exact", n_drawn, precision)
