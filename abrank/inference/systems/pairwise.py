"""Every pair by a paired test of its own, adjusted together."""

from __future__ import annotations

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inference.families.adjust import adjust as adjust_pvalues
from abrank.inference.families.max_t import max_t
from abrank.inference.registry import run_test
from abrank.inference.systems.pairs import JointAnswer, Pairs
from abrank.inference.systems.registry import joint_test


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
    plain = run_test(test, differences, confidence=1.0, seed=seed, n_resamples=n_resamples)
    adjusted = adjust_pvalues(plain.pvalue, adjust)
    share = np.ones_like(adjusted)
    np.divide(plain.pvalue, adjusted, out=share, where=adjusted > 0.0)
    share[np.isnan(share)] = 1.0
    share[plain.pvalue == 0.0] = 1.0 / len(share)
    wide = run_test(
        test, differences, confidence=1.0 - alpha * share, seed=seed, n_resamples=n_resamples
    )
    return JointAnswer(
        plain.estimate,
        plain.statistic,
        plain.pvalue,
        adjusted,
        wide.ci_low,
        wide.ci_high,
        plain.method,
        plain.n_resamples,
        plain.estimand,
    )


@joint_test(
    "max-t",
    title="Max-T sign flips",
    estimand="mean difference",
    source="Westfall & Young 1993; Boytsov, Belova & Westfall 2013",
    family="either",
)
def max_t_of_pairs(
    scores: FloatArray,
    *,
    pairs: Pairs,
    alpha: float,
    seed: int,
    n_resamples: int | None = None,
) -> JointAnswer:
    """Compare pairs of systems with the largest studentised difference under sign flips.

    Estimand: the mean difference. Hypothesis: all differences of a query change sign together by
    the toss of one coin. The query pairs the scores. Each pair has an error of its own; against a
    baseline it is Dunnett's test without his normal distribution. Single step, so that the
    intervals belong to the p-values; see :func:`abrank.inference.max_t`.

    Parameters
    ----------
    n_resamples : int, optional
        Random flips; 19,999.

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
    differences = pairs.of(scores)
    drawn = {} if n_resamples is None else {"n_resamples": n_resamples}
    found = max_t(differences, confidence=1.0 - alpha, seed=seed, **drawn)
    mean = differences.mean(axis=0)
    return JointAnswer(
        mean,
        mean,
        found.pvalue_alone,
        found.pvalue,
        found.ci_low,
        found.ci_high,
        "Monte Carlo" if found.n_resamples else "exact",
        found.n_resamples,
    )
