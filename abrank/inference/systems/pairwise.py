"""Every pair by a paired test of its own, and the means with intervals within queries.

=====================  ========================================================
differences            interval of each mean
=====================  ========================================================
no query               NaN
one query              unbounded
two queries            as any other data
all 0                  the mean itself
one value, not 0       unbounded: no spread to judge by
one query differs      as any other data
two values             as any other data
not finite             refused
=====================  ========================================================

Of every system from every other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from abrank._support.typing import FloatArray
from abrank.inference.families import N_FLIPS, max_t_of_systems
from abrank.inference.families import adjust as adjust_pvalues
from abrank.inference.paired.t_and_sign import mean_and_error, t_interval
from abrank.inference.registry import as_alpha, run_test
from abrank.inference.rounding import round_off
from abrank.inference.systems.registry import JointAnswer, Pairs, as_scores, joint_test

MANY_PAIRS, N_FLIPS_OF_MANY_PAIRS = 50_000, 1_999

# --- Every pair by a paired test of its own, adjusted together


@joint_test(
    "pairwise",
    title="Paired tests",
    estimand="mean difference",
    source="Holm 1979; the paired test's own",
    family="either",
)
def pairwise(
    scores: FloatArray,
    *,
    pairs: Pairs,
    alpha: float,
    seed: int,
    n_resamples: int | None = None,
    test: str = "t",
    adjust: str = "holm",
    span: float | None = None,
) -> JointAnswer:
    """Run a paired test on every pair, and adjust the p-values for their number.

    Estimand: that of the paired test, the mean difference for ``t`` and ``permutation``.
    Hypothesis: the paired test's, pair by pair. The query pairs the scores. No pair depends on what
    other systems do, but for the number of pairs.

    Parameters
    ----------
    test : str
        A name in ``TESTS``.
    adjust : str
        A name in ``ADJUSTMENTS``. A pair whose test is not defined is no member of the family.
    span : float, optional
        Of ``bounded``: the largest difference that a query can have.

    Returns
    -------
    JointAnswer
        The interval of a pair has the level at which the procedure tested it, alpha p / p adjusted,
        so that it excludes 0 exactly when the adjusted p < alpha. Only with "bonferroni" do the
        intervals hold jointly.

    Examples
    --------
    >>> from abrank.inference import run_joint_test
    >>> scores = [[0.31, 0.35, 0.40], [0.52, 0.55, 0.61], [0.12, 0.18, 0.16], [0.70, 0.66, 0.78]]
    >>> run_joint_test("pairwise", scores).pvalue_adj.round(3)
    array([0.377, 0.024, 0.329])
    """
    differences = pairs.of(scores)
    own: dict[str, Any] = {} if span is None else {"span": span}
    plain = run_test(test, differences, confidence=1.0, seed=seed, n_resamples=n_resamples, **own)
    adjusted = adjust_pvalues(plain.pvalue, adjust)
    share = np.ones_like(adjusted)
    np.divide(plain.pvalue, adjusted, out=share, where=adjusted > 0.0)
    share[np.isnan(share)] = 1.0
    share[plain.pvalue == 0.0] = 1.0 / len(share)
    level = 1.0 - alpha * share
    wide = run_test(test, differences, confidence=level, seed=seed, n_resamples=n_resamples, **own)
    return JointAnswer(
        plain.estimate, plain.statistic, plain.pvalue, adjusted, wide.ci_low, wide.ci_high,
        plain.method, plain.n_resamples, plain.estimand,
    )  # fmt: skip


@joint_test(
    "max-t",
    title="Max-T sign flips",
    estimand="mean difference",
    source="Westfall & Young 1993; Romano & Wolf 2005",
    family="either",
)
def max_t_of_pairs(
    scores: FloatArray,
    *,
    pairs: Pairs,
    alpha: float,
    seed: int,
    n_resamples: int | None = None,
    on_part: Callable[[int, int], None] | None = None,
) -> JointAnswer:
    """Compare pairs of systems with the largest studentised difference under sign flips.

    Estimand: the mean difference. Hypothesis: all differences of a query change sign together by
    the toss of one coin. The query pairs the scores. Each pair has an error of its own, so variants
    of one system do not lend another one their small error; against a baseline it is Dunnett's test
    without his normal distribution. The p-values step down from the largest statistic: they hold
    the chance of any false finding at alpha. The intervals are those of a single step, which hold
    jointly; where only the steps reject, the limit next to 0 is put at 0, so that intervals and
    findings agree. Both promises at once are not guaranteed; see
    :func:`abrank.inference.families.max_t_of_systems`.

    Parameters
    ----------
    n_resamples : int, optional
        Random flips; 19,999, or 1,999 above 50,000 pairs.
    on_part : callable, optional
        Told now and then how many pairs are tested, and how many there are.

    Returns
    -------
    JointAnswer
        ``statistic`` is the mean difference. Method "exact" where all flips were enumerated.

    Examples
    --------
    >>> from abrank.inference import run_joint_test
    >>> scores = [[0.3, 0.4, 0.2], [0.5, 0.6, 0.5], [0.1, 0.3, 0.2], [0.7, 0.8, 0.7]]
    >>> run_joint_test("max-t", scores, baseline=0).pvalue_adj
    array([0.125, 1.   ])
    """
    drawn = n_resamples or (N_FLIPS if len(pairs.first) <= MANY_PAIRS else N_FLIPS_OF_MANY_PAIRS)
    found = max_t_of_systems(
        scores, *pairs, confidence=1.0 - alpha, n_resamples=drawn, seed=seed, on_part=on_part
    )
    mean = pairs.means(scores)
    method = "Monte Carlo" if found.n_resamples else "exact"
    return JointAnswer(
        mean, mean, found.pvalue_alone, found.pvalue_step_down, found.ci_low, found.ci_high,
        method, found.n_resamples,
    )  # fmt: skip


# --- Intervals of several means with what the queries add to all of them taken out


def within_query_interval(
    scores: npt.ArrayLike, *, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Return an interval of each system's mean that shows differences, not the queries' spread.

    A query that is hard is hard for all systems; in an ordinary interval of a mean that spread
    hides differences that every query shows. Here it is taken out, so the intervals go with paired
    comparisons: each says how steadily the system keeps its distance to the mean of all. They are
    not adjusted for the number of systems, and two that overlap can still differ.

    Parameters
    ----------
    scores : array_like of shape (n_queries, n_systems)
    confidence : float

    Returns
    -------
    low, high : ndarray of shape (n_systems,)
        Unbounded with one query, and for a system that keeps one distance on all queries; all of
        them are the mean itself where the systems are the same on every query. NaN without queries.

    Raises
    ------
    ArgumentError
        If a score is not finite, there are fewer than two systems, or the level is no level.

    Notes
    -----
    The t interval of the scores less the query's mean plus the mean of all, its width times
    ``sqrt(k / (k - 1))`` for what that takes too much [1]_, [2]_. With two systems a difference of
    means is significant by the paired t test exactly when it exceeds sqrt(2) times half a width.

    References
    ----------
    .. [1] Cousineau (2005), Tutorials in Quantitative Methods for Psychology 1, 42-45; Morey
       (2008), the same 4, 61-64.
    .. [2] Loftus & Masson (1994), Psychonomic Bulletin & Review 1, 476-490, pool the errors of all
       systems; these do not, as systems differ in how erratic they are.

    Examples
    --------
    >>> low, high = within_query_interval([[0.1, 0.3], [0.6, 0.7], [0.2, 0.5]])
    >>> low.round(3), high.round(3)
    (array([0.124, 0.324]), array([0.476, 0.676]))
    """
    block = as_scores(scores)
    n_queries, n_systems = block.shape
    alpha = np.full(n_systems, as_alpha(float(confidence), 1)[0])
    if n_queries == 0:
        nothing = np.full(n_systems, np.nan)
        return nothing, nothing
    mean = block.mean(axis=0)
    if n_queries > 1 and not np.any(round_off(block - block[:, :1], scale=np.abs(block).max())):
        return mean, mean
    own = block - block.mean(axis=1, keepdims=True)
    _, error = mean_and_error(own)
    error = error * np.sqrt(n_systems / (n_systems - 1))
    return t_interval(mean, error, n_queries - 1, alpha, "two-sided")
