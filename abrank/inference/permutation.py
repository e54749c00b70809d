"""The sign-flip permutation test of the mean difference."""

from __future__ import annotations

import numpy as np

from abrank._support.typing import Alternative, FloatArray, IntArray
from abrank.inference.catalogue import paired_test
from abrank.inference.flips import all_subsets, random_subsets
from abrank.inference.inversion import invert
from abrank.inference.lattice import snap, to_lattice
from abrank.inference.result import Answer

N_FLIPS = 99_999
N_FLIPS_OF_MANY_QUERIES = 9_999
MANY_QUERIES = 100_000
COLUMNS_AT_ONCE = 32


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
) -> Answer:
    """Test the mean difference by flipping the signs of the queries' differences.

    Estimand: the mean difference. Hypothesis: which of the two systems got which score of a query
    is a coin toss, so each difference is symmetric about 0. The query pairs the scores.

    Parameters
    ----------
    differences : ndarray of shape (n_queries, n_comparisons)
        Candidate minus baseline; taken to 10 decimals.
    alternative : {"two-sided", "greater", "less"}
    alpha : ndarray of shape (n_comparisons,)
    seed : int
        The flips depend on it and on the number of queries, and are shared by all columns.
    n_resamples : int, optional
        Random flips m; 99,999, or 9,999 above 100,000 queries. Where all 2**n flips are no more
        than m + 1 they are enumerated instead.

    Returns
    -------
    Answer
        ``statistic`` is the mean difference. Method "exact" or "Monte Carlo".

    Notes
    -----
    With all flips p is a count / 2**n; with random ones (b + 1) / (m + 1) [1]_. The identity and
    the negative of every flip count too, so the one-sided p is half the two-sided one.

    Let J be the flipped queries. After a shift by theta the flipped mean is at least the observed
    one exactly when the mean of d over J is <= theta (for the empty J: always). So theta is
    rejected by a count of subset means, and the limits are order statistics of the subset means
    [2]_; no root is searched. With n <= 5 at 95 % the interval is unbounded.

    The smallest two-sided p is 2**(1 - n0), n0 the number of differences other than 0.

    References
    ----------
    .. [1] Phipson & Smyth (2010), Statistical Applications in Genetics and Molecular Biology 9(1).
    .. [2] Hartigan (1969), Journal of the American Statistical Association 64, 1303-1317.

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> result = run_test("permutation", [0.1, 0.2, -0.05, 0.3, 0, 0.15, -0.1, 0.25, 0.05, 0.4])
    >>> result.method, result.pvalue * 256
    ('exact', array([11.]))
    >>> result.ci_low.round(4), result.ci_high.round(4)
    (array([0.0125]), array([0.25]))
    """
    n_queries, n_columns = differences.shape
    n_flips = n_resamples or (N_FLIPS if n_queries <= MANY_QUERIES else N_FLIPS_OF_MANY_QUERIES)
    exact = n_queries < 63 and 2**n_queries <= n_flips + 1
    numbers, unit = to_lattice(differences)
    found = np.empty((5, n_columns))
    for start in range(0, n_columns, COLUMNS_AT_ONCE):
        group = numbers[:, start : start + COLUMNS_AT_ONCE]
        if exact:
            sums, sizes = all_subsets(group)
        else:
            sums, sizes = _with_mirrors(group, *random_subsets(group, n_flips, seed=seed))
        table = np.arange(sizes.size + 1) / sizes.size
        taken = sizes > 0
        for column, row in enumerate(sums, start):
            means = snap(row[taken], n_queries) / sizes[taken] * unit[column]
            found[2:, column] = invert(
                means, table, table, alpha=alpha[column], alternative=alternative,
                always=int(np.count_nonzero(~taken)),
            )  # fmt: skip
    found[:2] = snap(numbers.sum(axis=0), n_queries) / n_queries * unit
    method = "exact" if exact else "Monte Carlo"
    return Answer.of(found, method, 0 if exact else n_flips)


def _with_mirrors(numbers: IntArray, sums: IntArray, sizes: IntArray) -> tuple[IntArray, IntArray]:
    """Add the complement of every subset, the empty one and the whole: 2 (m + 1) subsets."""
    total = numbers.sum(axis=0)[:, None]
    all_sums = np.concatenate([sums, total - sums, np.zeros_like(total), total], axis=1)
    n_queries = len(numbers)
    return all_sums, np.concatenate([sizes, n_queries - sizes, [0, n_queries]])
