"""Tests of many systems against other programs, and how well a measure tells systems apart."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.inference import JOINT_TESTS, adjust, run_joint_test, run_test
from abrank.inference.families import max_t
from abrank.inference.systems.friedman import friedman_test, ranks_within, two_way_anova
from abrank.inference.systems.pairwise import within_query_interval

GRID = np.array(
    [[(7 * q * q + 5 * q * s + 3 * s * s + 2 * s) % 11 for s in range(5)] for q in range(12)]
)
FINE = (
    0.0137 * GRID
    + 0.05 * np.arange(12)[:, None] % 0.4
    + [0.0, 0.03, 0.05, 0.11, 0.06]
    + 0.001 * np.arange(5)
)
# Two thirds of its rows have ties.
TIED = np.round(FINE, 1)
UPPER = np.triu_indices(5, 1)

# By sp.posthoc_conover_friedman(TIED).to_numpy()[UPPER] of scikit-posthocs 0.17.1.
CONOVER = [
    1.9771118498838523e-02, 3.1228024423811042e-02, 1.2510827857185280e-06, 7.2765428417543257e-02,
    8.4744874831054984e-01, 2.6016714358503665e-03, 5.6451530030937436e-01, 1.5002656463177907e-03,
    7.0060441608649626e-01, 4.7787175084203329e-04,
]  # fmt: skip


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-11)


def test_anova_against_statsmodels():
    way_anova = two_way_anova(TIED)
    long = pd.DataFrame(TIED).rename_axis("q").melt(ignore_index=False, var_name="s").reset_index()
    table = anova_lm(ols("value ~ C(q) + C(s)", long).fit())
    close([way_anova.ss_query, way_anova.ss_system, way_anova.ss_error], table["sum_sq"])
    close((way_anova.f, way_anova.pvalue), table.loc["C(s)", ["F", "PR(>F)"]].astype(float))
    assert sum(way_anova.shares.values()) == pytest.approx(1.0)


def test_tukey_against_scipys_law():
    joint_test = run_joint_test("tukey", TIED)
    error = np.sqrt(two_way_anova(TIED).ss_error / 44 / 12)
    differences = np.abs(np.subtract(*TIED.mean(axis=0)[np.array(UPPER)]))
    close(joint_test.pvalue_adj, stats.studentized_range.sf(differences / error, 5, 44))
    half = stats.studentized_range.isf(0.05, 5, 44) * error
    close((joint_test.ci_high - joint_test.ci_low) / 2, half)


def test_friedman_against_scipy():
    test = friedman_test(TIED)
    close((test.chi2, test.pvalue), stats.friedmanchisquare(*TIED.T))
    # Iman and Davenport's F by their own formula.
    close(test.f, 11 * test.chi2 / (48 - test.chi2))
    close(test.pvalue_f, stats.f.sf(test.f, 4, 44))


def test_conover_against_scikit_posthocs():
    joint_test = run_joint_test("conover", TIED)
    close(joint_test.pvalue, CONOVER)
    close(joint_test.pvalue_adj, adjust(CONOVER, "holm"))


def test_nemenyi_corrects_for_ties_where_scikit_posthocs_does_not():
    joint_test = run_joint_test("nemenyi", TIED)
    variance = friedman_test(TIED).variance
    assert variance < 5 * 6 / 12
    ranks = stats.rankdata(TIED, axis=1).mean(axis=0)[np.array(UPPER)]
    statistic = np.abs(np.subtract(*ranks)) / np.sqrt(5 * 6 / (6 * 12)) * np.sqrt(2.0)
    uncorrected = stats.studentized_range.sf(statistic, 5, np.inf)
    corrected = stats.studentized_range.sf(statistic * np.sqrt(2.5 / variance), 5, np.inf)
    close(joint_test.pvalue_adj, corrected)
    assert np.all(joint_test.pvalue_adj <= uncorrected)


def test_shares_of_nothing_are_not_defined():
    assert np.isnan(list(two_way_anova(np.full((3, 2), 0.5)).shares.values())).all()


def test_ranks_tell_ties_to_ten_decimals():
    np.testing.assert_array_equal(
        ranks_within(np.array([[0.3, 0.1 + 0.2, 0.5, 0.1]])), [[2.5, 2.5, 1.0, 4.0]]
    )


def test_within_query_interval_against_its_definition():
    block = np.random.default_rng(3).normal(0.4, 0.1, (25, 4))
    block += np.random.default_rng(4).normal(0, 0.5, (25, 1))
    custom = block - block.mean(axis=1, keepdims=True) + block.mean()
    half = stats.t.isf(0.05, 24) * np.sqrt(custom.var(axis=0, ddof=1) * 4 / 3 / 25)
    low, high = within_query_interval(block, confidence=0.9)
    np.testing.assert_allclose(low, block.mean(axis=0) - half)
    np.testing.assert_allclose(high, block.mean(axis=0) + half)


def test_dunnett_lies_between_one_test_and_bonferroni():
    joint_test = run_joint_test("dunnett", FINE, baseline=0)
    assert np.all(joint_test.pvalue < joint_test.pvalue_adj)
    assert np.all(joint_test.pvalue_adj < 4 * joint_test.pvalue)
    # multivariate_t.cdf of the four, two-sided, correlations 1/2, 44 degrees, maxpts=4e6: 1e-7.
    expected = [0.17453182261692468, 0.0683947671351135, 1.2505514942695584e-05,
                0.12295735521871654]  # fmt: skip
    np.testing.assert_allclose(joint_test.pvalue_adj, expected, atol=5e-7)


def test_max_t_is_that_of_the_differences():
    joint_test = run_joint_test("max-t", FINE, baseline=1)
    expected = max_t(np.delete(FINE, 1, axis=1) - FINE[:, [1]])
    np.testing.assert_array_equal(joint_test.pvalue_adj, expected.pvalue_step_down)
    np.testing.assert_allclose(joint_test.ci_low, expected.ci_low, rtol=1e-12)
    assert joint_test.method == "exact"


@pytest.mark.parametrize("test", ["t", "permutation", "wilcoxon", "sign"])
def test_pairwise_asks_the_paired_test(test):
    joint_test = run_joint_test("pairwise", TIED, test=test, adjust="bonferroni")
    differences = TIED[:, UPPER[1]] - TIED[:, UPPER[0]]
    alone = run_test(test, differences)
    np.testing.assert_array_equal(joint_test.pvalue, alone.pvalue)
    np.testing.assert_array_equal(joint_test.estimate, alone.estimate)
    np.testing.assert_allclose(joint_test.pvalue_adj, np.minimum(10 * alone.pvalue, 1.0))
    close(run_joint_test("pairwise", TIED, test=test).pvalue_adj, adjust(alone.pvalue, "holm"))


# ---- arguments


def test_arguments_are_checked():
    with pytest.raises(UnknownNameError, match="did you mean tukey"):
        run_joint_test("tuky", FINE)
    with pytest.raises(ArgumentError, match=r"compares with a baseline; name one, or use .*tukey"):
        run_joint_test("dunnett", FINE)
    with pytest.raises(ArgumentError, match=r"with a baseline use .*dunnett"):
        run_joint_test("tukey", FINE, baseline=0)
    with pytest.raises(ArgumentError, match="from 0 to 4"):
        run_joint_test("max-t", FINE, baseline=5)
    with pytest.raises(ArgumentError, match="tukey holds for all pairs as it is: adjust is for"):
        run_joint_test("tukey", FINE, adjust="holm")
    with pytest.raises(ArgumentError, match="two systems or more"):
        run_joint_test("tukey", FINE[:, :1])
    with pytest.raises(ArgumentError, match="array of numbers"):
        run_joint_test("tukey", [["a", "b"]])
    bad = FINE.copy()
    bad[3, 2] = np.nan
    with pytest.raises(ArgumentError, match="query 3, system 2 is nan"):
        run_joint_test("tukey", bad)
    with pytest.raises(ArgumentError, match="confidence"):
        run_joint_test("tukey", FINE, confidence=1.0)
    assert set(JOINT_TESTS) == {
        "bonferroni-dunn", "conover", "dunnett", "max-t", "nemenyi", "pairwise",
        "randomised-tukey", "tukey",
    }  # fmt: skip
