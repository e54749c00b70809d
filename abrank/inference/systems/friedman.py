"""Compare systems on all queries at once: by ranks (Friedman) and by analysis of variance."""

# With two systems F is the square of the paired t. Post-hoc tests are listed in
# :mod:`abrank.inference.systems.registry`.

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from abrank._support.result import record
from abrank._support.typing import FloatArray
from abrank.inference.families import adjust as adjust_pvalues
from abrank.inference.paired import t_pvalue
from abrank.inference.rounding import TIE, round_off
from abrank.inference.student import quantile_of, range_tail
from abrank.inference.systems.registry import JointAnswer, SystemPairs, as_scores, joint_test

# --- Two-way analysis of variance of queries x systems


@record
class Anova:
    """Sums of squares, degrees of freedom and the F test of the systems."""

    # `mean_square_error` is the error for paired differences. It is NaN with too few queries; F and
    # p are also NaN if the error is 0 and the systems differ.

    ss_query: float
    ss_system: float
    ss_error: float
    df_system: int
    df_error: int
    mean_square_error: float
    f: float
    pvalue: float

    @property
    def shares(self) -> dict[str, float]:
        """Shares of query, system and error in the total sum of squares; NaN if that is 0."""
        total = self.ss_query + self.ss_system + self.ss_error
        parts = {"query": self.ss_query, "system": self.ss_system, "error": self.ss_error}
        return {name: part / total if total > 0.0 else np.nan for name, part in parts.items()}


def two_way_anova(scores: npt.ArrayLike) -> Anova:
    """Split the variance of scores into queries, systems and error; test the systems by F."""
    # The query effect is removed before systems are compared. Residuals are assumed to have equal
    # variance. If all systems are equal on every query, F is 0 and p 1.
    # Source: Tague-Sutcliffe & Blustein (1994), TREC-3, 385-398; Carterette (2012), ACM
    # Transactions on Information Systems 30(1), article 4.
    block = as_scores(scores)
    n_queries, n_systems = block.shape
    df_system = n_systems - 1
    df_error = max(n_queries - 1, 0) * df_system
    if n_queries == 0:
        return Anova(0.0, 0.0, 0.0, df_system, df_error, np.nan, np.nan, np.nan)
    from scipy.special import fdtrc

    centred = block - block.mean()
    query, system = centred.mean(axis=1), centred.mean(axis=0)
    residual = centred - query[:, None] - system
    noise = TIE * np.abs(block).max()
    query, system, residual = (
        np.where(np.abs(part) > noise, part, 0.0) for part in (query, system, residual)
    )
    ss_query = n_systems * float(query @ query)
    ss_system = n_queries * float(system @ system)
    ss_error = float(np.sum(residual**2))
    mean_square = ss_error / df_error if df_error else np.nan
    f, pvalue = np.nan, np.nan
    if ss_system == 0.0:
        f, pvalue = 0.0, 1.0
    elif mean_square > 0.0:
        f = ss_system / df_system / mean_square
        pvalue = float(fdtrc(df_system, df_error, f))
    return Anova(ss_query, ss_system, ss_error, df_system, df_error, mean_square, f, pvalue)


# --- Comparison by ranks within each query: Friedman and its post-hoc tests

ESTIMAND = "mean rank difference"


@record
class Friedman:
    """Mean ranks (1 is best) and the tests that all systems have equal ranks."""

    # `chi2` is Friedman's statistic with `df` degrees of freedom; `f` is Iman and Davenport's with
    # `df` and `df_error`. `variance` is that of a rank within a query, k (k + 1) / 12 minus the
    # effect of ties. Undefined values are NaN.

    mean_ranks: FloatArray
    chi2: float
    pvalue: float
    f: float
    pvalue_f: float
    df: int
    df_error: int
    variance: float


def friedman_test(scores: npt.ArrayLike) -> Friedman:
    """Test whether systems have equal ranks; higher scores are better, ties share a rank."""
    # Hypothesis: within each query all orders of the systems are equally likely. This is stronger
    # than equal means: with enough queries, real systems with equal means are found to differ
    # (`reports/calibration`). The statistics are those of a two-way analysis of variance of the
    # ranks: `chi2` is the systems' sum of squares over the variance of a rank. If all ranks are
    # tied the statistics are 0 and p 1; `f` is NaN with one query, and if every query has the same
    # order.
    # Source: Friedman (1937), Journal of the American Statistical Association 32, 675-701; Iman &
    # Davenport (1980), Communications in Statistics A9, 571-595; Conover (1999), Practical
    # Nonparametric Statistics, section 5.8.
    from scipy.special import chdtrc

    ranks = ranks_within(as_scores(scores))
    n_queries, n_systems = ranks.shape
    if n_queries == 0:
        nan, nothing = np.nan, np.full(n_systems, np.nan)
        return Friedman(nothing, nan, nan, nan, nan, n_systems - 1, 0, nan)
    table = two_way_anova(ranks)
    variance = (table.ss_system + table.ss_error) / (n_queries * table.df_system)
    chi2 = table.ss_system / variance if variance else 0.0
    return Friedman(
        ranks.mean(axis=0), chi2, float(chdtrc(table.df_system, chi2)), table.f, table.pvalue,
        table.df_system, table.df_error, variance,
    )  # fmt: skip


def ranks_within(scores: FloatArray) -> FloatArray:
    """Return the rank of each system within each query, 1 is best; ties get their mean rank."""
    # Like `scipy.stats.rankdata` along rows, whose import takes too long for a ranking.
    n_queries, n_systems = scores.shape
    codes = np.unique(-round_off(scores.ravel()), return_inverse=True)[1].reshape(scores.shape)
    query = np.arange(n_queries)[:, None]
    keys = codes + codes.size * query
    ordered = np.sort(keys, axis=None)
    doubled = ordered.searchsorted(keys) + ordered.searchsorted(keys, "right") + 1
    return np.asarray(doubled / 2.0 - n_systems * query)


def critical_difference(result: Friedman, n_queries: int, alpha: float) -> float:
    """Return Nemenyi's critical difference of two mean ranks; NaN if all ranks are tied."""
    # Source: Nemenyi (1963), thesis, Princeton; Demšar (2006), Journal of Machine Learning Research
    # 7, 1-30, section 3.2.2.
    if not result.variance > 0.0:
        return np.nan
    q = quantile_of(range_tail, alpha, len(result.mean_ranks), np.inf)
    return float(q * np.sqrt(result.variance / n_queries))


@joint_test(
    "nemenyi",
    title="Friedman with Nemenyi",
    estimand=ESTIMAND,
    source="Nemenyi 1963; Demšar 2006",
    family="all",
)
def nemenyi(scores: FloatArray, *, pairs: SystemPairs) -> JointAnswer:
    """Compare all pairs of systems by their mean ranks.

    Estimand: the mean rank difference, positive if the second of a pair ranks higher. Hypothesis:
    within each query all orders of the systems are equally likely. The query pairs the scores. The
    result for two systems depends on which others take part (Benavoli, Corani & Mangili 2016,
    Journal of Machine Learning Research 17(5), 1-10).

    Notes
    -----
    ``statistic`` is q, of the range of normal variables. Limits are NaN: the error of a rank
    difference is known only under the hypothesis, so there is no interval. The variance of a rank
    is corrected for ties. Demšar's formula (and scikit-posthocs) is not, and is conservative with
    ties.

    Examples
    --------
    >>> from abrank.inference import run_joint_test
    >>> scores = [[0.31, 0.35, 0.40], [0.52, 0.55, 0.61], [0.18, 0.12, 0.16], [0.1, 0.2, 0.4]]
    >>> result = run_joint_test("nemenyi", scores)
    >>> result.estimate, result.pvalue_adj.round(3)
    (array([0.25, 1.25, 1.  ]), array([0.933, 0.181, 0.333]))
    """
    difference, z, unadjusted = _by_mean_ranks(scores, pairs)
    q = np.abs(z) * np.sqrt(2.0)
    return _answer(difference, q, unadjusted, range_tail(q, scores.shape[1], np.inf))


@joint_test(
    "bonferroni-dunn",
    title="Friedman with Bonferroni-Dunn",
    estimand=ESTIMAND,
    source="Dunn 1961; Demšar 2006",
    family="baseline",
)
def bonferroni_dunn(scores: FloatArray, *, pairs: SystemPairs) -> JointAnswer:
    """Compare every system with one baseline by their mean ranks.

    Estimand: the mean rank difference, positive if the system ranks above the baseline. Hypothesis:
    within each query all orders of the systems are equally likely. The query pairs the scores.

    Notes
    -----
    ``statistic`` is z = difference of mean ranks / sqrt(2 v / n) for k systems on n queries, with
    v = k (k + 1) / 12 minus the effect of ties. p is from the normal distribution, times the number
    of comparisons.

    Examples
    --------
    >>> from abrank.inference import run_joint_test
    >>> scores = [[0.31, 0.35, 0.40], [0.52, 0.55, 0.61], [0.18, 0.12, 0.16], [0.1, 0.2, 0.4]]
    >>> run_joint_test("bonferroni-dunn", scores, baseline=0).pvalue_adj.round(3)
    array([1.   , 0.154])
    """
    difference, z, unadjusted = _by_mean_ranks(scores, pairs)
    return _answer(difference, z, unadjusted, adjust_pvalues(unadjusted, "bonferroni"))


@joint_test(
    "conover",
    title="Friedman with Conover",
    estimand=ESTIMAND,
    source="Conover & Iman 1979; Conover 1999",
    family="either",
)
def conover(scores: FloatArray, *, pairs: SystemPairs, adjust: str = "holm") -> JointAnswer:
    """Compare systems by their mean ranks, with the error of an analysis of variance of ranks.

    Estimand: the mean rank difference, positive if the second of a pair ranks higher. Hypothesis:
    within each query all orders of the systems are equally likely. The query pairs the scores. It
    has more power than Nemenyi's test, because its error excludes the variance between systems.

    Parameters
    ----------
    adjust : str
        A name in ``ADJUSTMENTS``, for the number of pairs.

    Notes
    -----
    ``statistic`` is t = difference of mean ranks / sqrt(2 e / n), where e is the mean square error
    of the two-way analysis of variance of the ranks within n queries, with (n - 1)(k - 1) degrees
    of freedom. p is NaN if e is 0, as with one query, or the same order on every query.

    Examples
    --------
    >>> from abrank.inference import run_joint_test
    >>> scores = [[0.31, 0.35, 0.40], [0.52, 0.55, 0.61], [0.18, 0.12, 0.16], [0.1, 0.2, 0.4]]
    >>> run_joint_test("conover", scores).pvalue_adj.round(3)
    array([0.697, 0.262, 0.307])
    """
    ranks = ranks_within(scores)
    table = two_way_anova(ranks)
    difference = -pairs.of(ranks.mean(axis=0))
    square = table.mean_square_error
    error = np.sqrt(2.0 * square / len(ranks)) if square > 0.0 else np.nan
    statistic = difference / error
    unadjusted = t_pvalue(statistic, table.df_error, "two-sided")
    return _answer(difference, statistic, unadjusted, adjust_pvalues(unadjusted, adjust))


def _by_mean_ranks(
    scores: FloatArray, pairs: SystemPairs
) -> tuple[FloatArray, FloatArray, FloatArray]:
    from scipy.special import ndtr

    test = friedman_test(scores)
    difference = -pairs.of(test.mean_ranks)
    z = difference / np.sqrt(2.0 * test.variance / len(scores))
    return difference, z, np.asarray(2.0 * ndtr(-np.abs(z)))


def _answer(
    difference: FloatArray, statistic: FloatArray, unadjusted: FloatArray, adjusted: FloatArray
) -> JointAnswer:
    none = np.full_like(difference, np.nan)
    return JointAnswer(
        difference, statistic, unadjusted, adjusted, none, none, "normal approximation"
    )
