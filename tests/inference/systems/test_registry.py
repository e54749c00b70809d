"""Tests of many systems against other programs, and against published counts.

The numbers of ``STORED`` were printed by scipy 1.17.1, statsmodels 0.15.0, scikit-posthocs 0.17.1
(sp) and pingouin 0.7.0 (pg) for S = FINE and S = TIED::

    long = pd.DataFrame([(q, s, S[q, s]) for q in range(12) for s in range(5)], columns=[*"qsy"])
    AnovaRM(long, "y", "q", within=["s"]).fit().anova_table
    anova_lm(smf.ols("y ~ C(q) + C(s)", long).fit())["sum_sq"]         # pg.rm_anova: the same F
    stats.friedmanchisquare(*S.T)                                      # pg.friedman: the same Q
    sp.posthoc_nemenyi_friedman(S).to_numpy()[UPPER]
    sp.posthoc_conover_friedman(S).to_numpy()[UPPER]                   # and p_adjust="holm"
    pg.pairwise_tests(long, dv="y", within="s", subject="q", padjust="holm")[["p_unc", "p_corr"]]
    stats.studentized_range.sf(abs(d) / sqrt(mse / 12), 5, 44)         # d: differences of means
    stats.studentized_range.isf(0.05, 5, 44) * sqrt(mse / 12)

How well a measure tells systems apart.
"""

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.inference import JOINT_TESTS, run_joint_test, run_test
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
    "fine": {
        "F": (7.315492556570344, 0.00013160903707998232),
        "ss": (0.820077297833333, 0.062290465666666586, 0.09366356633333332),
        "friedman": (13.533333333333331, 0.00894352390393124),
        "nemenyi": [
            0.4474346757109315, 0.1815990347898541, 0.002780484873415, 0.5302985918319806,
            0.9857568612101599, 0.2978886634030208, 0.9999375536621582, 0.6146309432106245,
            0.9675206759118825, 0.2351305894769452],
        "conover": [
            6.4505908743757209e-02, 1.7049979159457024e-02, 1.8400080615225850e-04,
            8.7023458010599672e-02, 5.6256272621865699e-01, 3.4026349401246304e-02,
            8.8469418207548911e-01, 1.1575536616599080e-01, 4.6966768563777611e-01,
            2.4235563309586684e-02],
        "conover holm": [
            0.3870354524625432, 0.1534498124351132, 0.0018400080615226, 0.4351172900529984,
            1.0, 0.2381844458087241, 1.0, 0.4630214646639632, 1.0, 0.1938845064766935],
        "pairwise": [
            7.3877750733263928e-02, 1.3264014397904813e-02, 1.4507254692491773e-04,
            2.3193079648700494e-02, 6.5850240907158208e-01, 3.7214504607558335e-03,
            8.6808973249995758e-01, 1.9318884864922035e-02, 8.0677688080124810e-01,
            2.7755512110836447e-02],
        "pairwise holm": [
            0.2955110029330557, 0.1061121151832385, 0.0014507254692492, 0.139158477892203,
            1.0, 0.0334930541468025, 1.0, 0.1352321940544542, 1.0, 0.139158477892203],
        "tukey": [
            3.0769109672341954e-01, 1.3526037105488509e-01, 3.0484581829193225e-05,
            2.2800948578569258e-01, 9.9136377827466926e-01, 1.2491707574264210e-02,
            9.9977585959901660e-01, 4.0052385875582686e-02, 9.9874966223012507e-01,
            2.0027385751087978e-02],
        "hsd": 0.05357090329729178,
    },
    "tied": {
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
        "conover holm": [
            1.1862671099303114e-01, 1.5614012211905520e-01, 1.2510827857185280e-05,
            2.9106171367017303e-01, 1.0, 1.8211700050952566e-02, 1.0, 1.2002125170542326e-02,
            1.0, 4.3008457575782998e-03],
        "pairwise": [
            5.3803582040278082e-02, 1.7180487343013209e-02, 2.2695974271967398e-05,
            1.0391572266321419e-01, 1.0, 1.5371149789801147e-03, 7.5449934702266874e-01,
            1.2079839471921370e-02, 6.7423723816622627e-01, 1.0482361140934999e-02],
        "pairwise holm": [
            2.6901791020139043e-01, 1.0308292405807926e-01, 2.2695974271967398e-04,
            4.1566289065285678e-01, 1.0, 1.3834034810821032e-02, 1.0, 8.4558876303449590e-02,
            1.0, 8.3858889127479991e-02],
        "tukey": [
            3.0632004797289936e-01, 3.0632004797290036e-01, 1.9662470991277381e-05,
            5.2944691784050857e-01, 1.0, 8.7396105403708679e-03, 9.9490923203750969e-01,
            8.7396105403708679e-03, 9.9490923203750981e-01, 2.8350280853597365e-03],
        "hsd": 0.060720676015186846,
    },
}  # fmt: skip

both = pytest.mark.parametrize(
    ("scores", "stored"), [(FINE, STORED["fine"]), (TIED, STORED["tied"])], ids=["fine", "tied"]
)


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-11)


@both
def test_anova_against_statsmodels_and_pingouin(scores, stored):
    way_anova = two_way_anova(scores)
    # AnovaRM takes its error through a fitted model: eight digits of p.
    assert (way_anova.f, way_anova.pvalue) == pytest.approx(stored["F"], rel=1e-10)
    close([way_anova.ss_query, way_anova.ss_system, way_anova.ss_error], stored["ss"])
    assert sum(way_anova.shares.values()) == pytest.approx(1.0)
    assert way_anova.ss_query + way_anova.ss_system + way_anova.ss_error == pytest.approx(
        np.sum((scores - scores.mean()) ** 2)
    )


@both
def test_tukey_against_scipys_law(scores, stored):
    joint_test = run_joint_test("tukey", scores)
    close(joint_test.pvalue_adj, stored["tukey"])
    close((joint_test.ci_high - joint_test.ci_low) / 2, stored["hsd"])


@both
def test_friedman_against_scipy_and_pingouin(scores, stored):
    test = friedman_test(scores)
    close((test.chi2, test.pvalue), stored["friedman"])
    # Iman and Davenport's F by their own formula.
    close(test.f, 11 * test.chi2 / (48 - test.chi2))
    close(test.pvalue_f, stats.f.sf(test.f, 4, 44))


@both
def test_conover_against_scikit_posthocs(scores, stored):
    joint_test = run_joint_test("conover", scores)
    close(joint_test.pvalue, stored["conover"])
    close(joint_test.pvalue_adj, stored["conover holm"])


def test_nemenyi_against_scikit_posthocs():
    close(run_joint_test("nemenyi", FINE).pvalue_adj, STORED["fine"]["nemenyi"])


def test_nemenyi_corrects_for_ties_where_scikit_posthocs_does_not():
    joint_test = run_joint_test("nemenyi", TIED)
    variance = friedman_test(TIED).variance
    assert variance < 5 * 6 / 12
    uncorrected = range_tail(joint_test.statistic * np.sqrt(variance / (5 * 6 / 12)), 5, np.inf)
    close(uncorrected, STORED["tied"]["nemenyi"])
    assert np.all(joint_test.pvalue_adj <= uncorrected)


@both
def test_pairwise_against_pingouin(scores, stored):
    joint_test = run_joint_test("pairwise", scores)
    close(joint_test.pvalue, stored["pairwise"])
    close(joint_test.pvalue_adj, stored["pairwise holm"])


def test_paired_where_others_forget_the_pairs():
    """Tukey of ranx and scipy takes the queries for independent groups, and sees nothing."""
    random = np.random.default_rng(0)
    a = random.uniform(0, 0.9, 200)
    b = a + 0.01 + random.normal(0, 0.004, 200)
    assert stats.tukey_hsd(a, b).pvalue[0, 1] > 0.5
    paired = run_joint_test("tukey", np.column_stack([a, b]))
    expected = stats.ttest_rel(b, a)
    assert paired.pvalue_adj[0] == pytest.approx(expected.pvalue, rel=1e-8)
    assert paired.pvalue_adj[0] < 1e-60
    limits = expected.confidence_interval()
    assert (paired.ci_low[0], paired.ci_high[0]) == pytest.approx((limits.low, limits.high))


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
