"""Tests of many systems against other programs, and against published counts.

The numbers of ``STORED`` were printed by scipy 1.17.1, statsmodels 0.15.0, scikit-posthocs 0.17.1
(sp) and pingouin 0.7.0 (pg) for S = TIED::

    long = pd.DataFrame([(q, s, S[q, s]) for q in range(12) for s in range(5)], columns=[*"qsy"])
    AnovaRM(long, "y", "q", within=["s"]).fit().anova_table
    anova_lm(smf.ols("y ~ C(q) + C(s)", long).fit())["sum_sq"]         # pg.rm_anova: the same F
    stats.friedmanchisquare(*S.T)                                      # pg.friedman: the same Q
    sp.posthoc_nemenyi_friedman(S).to_numpy()[UPPER]
    sp.posthoc_conover_friedman(S).to_numpy()[UPPER]
    pg.pairwise_tests(long, dv="y", within="s", subject="q", padjust="none")["p_unc"]
    stats.studentized_range.sf(abs(d) / sqrt(mse / 12), 5, 44)         # d: differences of means
    stats.studentized_range.isf(0.05, 5, 44) * sqrt(mse / 12)

How well a measure tells systems apart.
"""

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.inference import JOINT_TESTS, adjust, run_joint_test, run_test
from abrank.inference.families import max_t
from abrank.inference.student import range_tail
from abrank.inference.systems.friedman import friedman_test, two_way_anova

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

# See the head of this file.
STORED = {
    "F": (8.013850415512469, 6.064163592986909e-05),
    "ss": (0.8113333333333329, 0.08766666666666653, 0.12033333333333332),
    "friedman": (20.514619883040947, 0.0003951313758387179),
    "nemenyi": [
        0.4884723531241237, 0.5724998341213732, 0.0016980402712911, 0.7359286341837634,
        0.9999375536621582, 0.2071973151245388, 0.9952451767166837, 0.1583126733168297,
        0.9990238324105165, 0.0867435359149206],
    "conover": [
        1.9771118498838523e-02, 3.1228024423811042e-02, 1.2510827857185280e-06,
        7.2765428417543257e-02, 8.4744874831054984e-01, 2.6016714358503665e-03,
        5.6451530030937436e-01, 1.5002656463177907e-03, 7.0060441608649626e-01,
        4.7787175084203329e-04],
    "pairwise": [
        5.3803582040278082e-02, 1.7180487343013209e-02, 2.2695974271967398e-05,
        1.0391572266321419e-01, 1.0, 1.5371149789801147e-03, 7.5449934702266874e-01,
        1.2079839471921370e-02, 6.7423723816622627e-01, 1.0482361140934999e-02],
    "tukey": [
        3.0632004797289936e-01, 3.0632004797290036e-01, 1.9662470991277381e-05,
        5.2944691784050857e-01, 1.0, 8.7396105403708679e-03, 9.9490923203750969e-01,
        8.7396105403708679e-03, 9.9490923203750981e-01, 2.8350280853597365e-03],
    "hsd": 0.060720676015186846,
}  # fmt: skip


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-11)


def test_anova_against_statsmodels_and_pingouin():
    way_anova = two_way_anova(TIED)
    # AnovaRM takes its error through a fitted model: eight digits of p.
    assert (way_anova.f, way_anova.pvalue) == pytest.approx(STORED["F"], rel=1e-10)
    close([way_anova.ss_query, way_anova.ss_system, way_anova.ss_error], STORED["ss"])
    assert sum(way_anova.shares.values()) == pytest.approx(1.0)
    assert way_anova.ss_query + way_anova.ss_system + way_anova.ss_error == pytest.approx(
        np.sum((TIED - TIED.mean()) ** 2)
    )


def test_tukey_against_scipys_law():
    joint_test = run_joint_test("tukey", TIED)
    close(joint_test.pvalue_adj, STORED["tukey"])
    close((joint_test.ci_high - joint_test.ci_low) / 2, STORED["hsd"])


def test_friedman_against_scipy_and_pingouin():
    test = friedman_test(TIED)
    close((test.chi2, test.pvalue), STORED["friedman"])
    # Iman and Davenport's F by their own formula.
    close(test.f, 11 * test.chi2 / (48 - test.chi2))
    close(test.pvalue_f, stats.f.sf(test.f, 4, 44))


def test_conover_against_scikit_posthocs():
    joint_test = run_joint_test("conover", TIED)
    close(joint_test.pvalue, STORED["conover"])
    close(joint_test.pvalue_adj, adjust(STORED["conover"], "holm"))


def test_nemenyi_corrects_for_ties_where_scikit_posthocs_does_not():
    joint_test = run_joint_test("nemenyi", TIED)
    variance = friedman_test(TIED).variance
    assert variance < 5 * 6 / 12
    uncorrected = range_tail(joint_test.statistic * np.sqrt(variance / (5 * 6 / 12)), 5, np.inf)
    close(uncorrected, STORED["nemenyi"])
    assert np.all(joint_test.pvalue_adj <= uncorrected)


def test_pairwise_against_pingouin():
    joint_test = run_joint_test("pairwise", TIED)
    close(joint_test.pvalue, STORED["pairwise"])
    close(joint_test.pvalue_adj, adjust(STORED["pairwise"], "holm"))


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
