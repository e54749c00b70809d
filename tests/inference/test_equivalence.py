from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.stats import binomtest

from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.inference import ratio_interval, relative_tost, run_test, tost
from abrank.inference.equivalence import clopper_pearson, mean_interval

A = np.array([0.3, 0.45, 0.12, 0.6, 0.25, 0.5, 0.33, 0.41, 0.08, 0.55])
B = np.array([0.4, 0.65, 0.07, 0.9, 0.25, 0.65, 0.23, 0.66, 0.13, 0.95])


@pytest.mark.parametrize("test", ["t", "permutation"])
def test_tost_is_the_interval_inside_the_margin(test):
    random = np.random.default_rng(4)
    seen = set()
    for drift in np.linspace(-0.1, 0.1, 21):
        d = np.round(random.normal(drift, 0.2, (40, 1)), 2)
        result = tost(d, margin=0.1, test=test)
        inside = bool(result.ci_low[0] > -0.1 and result.ci_high[0] < 0.1)
        assert inside == (result.pvalue[0] < 0.05)
        assert (result.p_not_worse[0] < 0.05) == (result.ci_low[0] > -0.1)
        assert (result.p_not_better[0] < 0.05) == (result.ci_high[0] < 0.1)
        assert (result.p_better[0] < 0.05) == (result.ci_low[0] > 0.1)
        assert (result.p_worse[0] < 0.05) == (result.ci_high[0] < -0.1)
        seen.add(inside)
    assert seen == {True, False}


@pytest.mark.parametrize("d", [[], [0.1], [0.1] * 5, [0.0] * 5])
def test_tost_without_spread_has_no_answer(d):
    result = tost(d, margin=0.1)
    assert np.isnan(result.pvalue[0])
    assert not np.isfinite(result.ci_low[0])


@pytest.mark.parametrize("arguments", [{"margin": 0.0}, {"margin": -1.0}, {"margin": np.nan},
                                       {"margin": np.inf}, {"margin": np.array([0.1, 0.2])},
                                       {"margin": 0.1, "alpha": 0.5}])  # fmt: skip
def test_tost_bad_arguments(arguments):
    with pytest.raises(ArgumentError):
        tost([0.1, 0.2], **arguments)


# statsmodels 0.15.0: statsmodels.stats.weightstats.ttost_paired(B, A, -margin, margin)
@pytest.mark.parametrize(
    ("margin", "not_worse", "not_better"),
    [(0.15, 0.0001836244579123627, 0.35110206341874994), (0.3, None, 0.004224318421803354)],
)
def test_against_statsmodels(margin, not_worse, not_better):
    result = tost(B - A, margin=margin)
    assert result.pvalue[0] == pytest.approx(not_better, rel=1e-8)
    assert result.p_not_better[0] == pytest.approx(not_better, rel=1e-8)
    if not_worse:
        assert result.p_not_worse[0] == pytest.approx(not_worse, rel=1e-8)


def test_permutation_is_the_sign_flip_test_of_the_moved_differences():
    d = B - A
    result = tost(d, margin=0.2, test="permutation")
    expected = {
        "p_not_worse": run_test("permutation", d + 0.2, alternative="greater"),
        "p_not_better": run_test("permutation", d - 0.2, alternative="less"),
        "p_better": run_test("permutation", d - 0.2, alternative="greater"),
        "p_worse": run_test("permutation", d + 0.2, alternative="less"),
    }
    for name, theirs in expected.items():
        assert getattr(result, name)[0] == theirs.pvalue[0], name
    signs = np.array(np.meshgrid(*[[-1, 1]] * 10)).reshape(10, -1)
    flipped = (np.round(d + 0.2, 10)[:, None] * signs).sum(axis=0)
    assert result.p_not_worse[0] == np.mean(flipped >= (d + 0.2).sum() - 1e-9)
    assert result.pvalue[0] == max(result.p_not_worse[0], result.p_not_better[0])
    plain = run_test("permutation", d, alternative="greater")
    assert result.ci_low[0] == pytest.approx(plain.ci_low[0], abs=1e-6)


def test_every_comparison_may_have_its_own_margin():
    d = np.column_stack([B - A, B - A])
    both = tost(d, margin=np.array([0.15, 0.3]))
    assert both.pvalue.tolist() == [tost(B - A, margin=m).pvalue[0] for m in (0.15, 0.3)]


def test_permutation_of_little():
    def answer(d):
        found = tost(d, margin=0.1, test="permutation")
        return found.p_not_worse[0], found.pvalue[0], found.ci_low[0], found.ci_high[0]

    assert np.isnan(answer([])).all()
    assert answer([0.05]) == (0.5, 0.5, -np.inf, np.inf)
    assert answer([-0.3]) == (1.0, 1.0, -np.inf, np.inf)
    assert answer([0.0, 0.0])[:2] == (0.25, 0.25)
    assert answer([0.02, 0.05])[0] == 0.25
    assert answer([0.05] * 10)[:2] == (2.0**-10, 2.0**-10)
    zero = answer([0.0] * 10)
    assert zero[:2] == (2.0**-10, 2.0**-10)
    assert -0.1 < zero[2] <= 0.0 <= zero[3] < 0.1
    differs = answer([0.0] * 19 + [0.2])
    assert differs[1] < 0.05
    assert -0.1 < differs[2] < differs[3] < 0.1
    with pytest.raises(ArgumentError, match="row 1, column 0 is inf"):
        answer([0.1, np.inf])


def test_relative_margins_are_fiellers_interval():
    random = np.random.default_rng(6)
    seen = set()
    for _ in range(40):
        a = random.beta(2.0, 3.0, 30)
        b = np.clip(a * random.uniform(0.9, 1.1) + random.normal(0.0, 0.03, 30), 0.0, 1.0)
        found = relative_tost(a, b, margin=0.06)
        interval = ratio_interval(a, b, confidence=0.9)
        assert (found.ci_low[0], found.ci_high[0]) == (interval.ci_low[0], interval.ci_high[0])
        assert (found.p_not_worse[0] < 0.05) == (found.ci_low[0] > -0.06)
        assert (found.p_not_better[0] < 0.05) == (found.ci_high[0] < 0.06)
        assert (found.p_better[0] < 0.05) == (found.ci_low[0] > 0.06)
        assert (found.p_worse[0] < 0.05) == (found.ci_high[0] < -0.06)
        assert found.pvalue[0] == max(found.p_not_worse[0], found.p_not_better[0])
        seen.add(bool(found.pvalue[0] < 0.05))
    assert seen == {True, False}


def test_relative_margins_of_little():
    for a, b in (([], []), ([0.0] * 5, [0.1, 0.2, 0.1, 0.1, 0.3])):
        found = relative_tost(a, b, margin=0.1)
        assert np.isnan([found.pvalue[0], found.p_better[0], found.ci_low[0]]).all()
    alone = relative_tost([0.2], [0.2], margin=0.1)
    assert np.isnan(alone.pvalue[0])
    assert (alone.ci_low[0], alone.ci_high[0]) == (-np.inf, np.inf)
    same = relative_tost(A, A, margin=0.1)
    assert same.pvalue[0] < 0.05
    assert (same.ci_low[0], same.ci_high[0]) == pytest.approx((0.0, 0.0), abs=1e-7)
    with pytest.raises(ArgumentError, match="0 or more"):
        relative_tost([0.1, -0.1], [0.1, 0.2], margin=0.1)


def test_unknown_test():
    with pytest.raises(UnknownNameError, match="did you mean permutation"):
        tost(B - A, margin=0.1, test="permutations")


# --- Clopper and Pearson's interval, against scipy


@pytest.mark.parametrize(("count", "total"), [(0, 20), (1, 20), (13, 20), (20, 20), (500, 10_000)])
@pytest.mark.parametrize("confidence", [0.9, 0.99])
def test_against_scipy(count, total, confidence) -> None:
    expected = binomtest(count, total).proportion_ci(confidence, "exact")
    found = clopper_pearson(count, total, confidence=confidence)
    assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_nothing_tried_nothing_known() -> None:
    assert clopper_pearson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(("count", "total"), [(-1, 5), (6, 5)])
def test_counts_without_meaning(count, total) -> None:
    with pytest.raises(ArgumentError, match="count must lie"):
        clopper_pearson(count, total)


A = np.array([0.3, 0.45, 0.12, 0.6, 0.25, 0.5, 0.33, 0.41, 0.08, 0.55])
B = np.array([0.4, 0.65, 0.07, 0.9, 0.25, 0.65, 0.23, 0.66, 0.13, 0.95])


def test_fieller_limits_are_where_the_t_test_of_the_rest_turns():
    for confidence in (0.8, 0.95):
        result = ratio_interval(A, B, confidence=confidence)
        for limit in (result.ci_low[0], result.ci_high[0]):
            p = run_test("t", B - (1 + limit) * A).pvalue[0]
            assert p == pytest.approx(1 - confidence)


def test_ratio_edges():
    unbounded = ratio_interval([0.0, 0.0, 0.3], [0.1, 0.2, 0.1])
    assert unbounded.g[0] >= 1
    assert (unbounded.ci_low[0], unbounded.ci_high[0]) == (-np.inf, np.inf)
    nothing = ratio_interval([0.0, 0.0], [0.1, 0.2])
    assert np.isnan([nothing.change[0], nothing.ci_low[0], nothing.g[0]]).all()
    assert ratio_interval([0.2], [0.3]).ci_high[0] == np.inf
    assert np.isnan(ratio_interval([], []).change[0])
    same = ratio_interval(A, A)
    assert (same.change[0], same.ci_low[0]) == (0.0, pytest.approx(0.0, abs=1e-7))


def test_delta_is_the_error_of_the_rest():
    found = ratio_interval(A, B, method="delta")
    ratio = B.mean() / A.mean()
    error = stats.sem(B - ratio * A) / A.mean()
    half = stats.t.isf(0.025, 9) * error
    assert found.change[0] == pytest.approx(ratio - 1)
    assert [found.ci_low[0], found.ci_high[0]] == pytest.approx(
        [ratio - 1 - half, ratio - 1 + half]
    )


def test_bootstrap_against_theory_of_all_resamples():
    index = np.array(list(product(range(6), repeat=6)))
    ratios = B[:6][index].sum(axis=1) / A[:6][index].sum(axis=1)
    found = ratio_interval(A[:6], B[:6], method="bootstrap", confidence=0.9)
    expected = np.quantile(ratios, [0.05, 0.95], method="inverted_cdf") - 1
    assert [found.ci_low[0], found.ci_high[0]] == pytest.approx(expected, abs=2e-3)


def test_bootstrap_against_drawn_resamples_and_swapped():
    found = ratio_interval(A, B, method="bootstrap")
    index = np.random.default_rng(1).integers(0, 10, (100_000, 10))
    drawn = np.quantile(B[index].mean(axis=1) / A[index].mean(axis=1), [0.025, 0.975]) - 1
    assert [found.ci_low[0], found.ci_high[0]] == pytest.approx(drawn, abs=4 * 0.01 * 0.36 / 3.92)
    back = ratio_interval(B, A, method="bootstrap")
    assert 1 / (1 + back.ci_high[0]) - 1 == pytest.approx(found.ci_low[0], abs=1e-4)


def test_bootstrap_excludes_no_change_when_the_percentile_does():
    random = np.random.default_rng(3)
    for _ in range(20):
        a = random.beta(0.8, 1.5, 30)
        b = np.clip(a + random.normal(0.03, 0.1, 30), 0.0, 1.0)
        found = ratio_interval(a, b, method="bootstrap")
        mean = run_test("bootstrap", b - a, method="percentile")
        assert (found.ci_low[0] > 0) == (mean.ci_low[0] > 0)


def test_all_methods_agree_for_many_queries():
    random = np.random.default_rng(7)
    a = random.beta(2.0, 3.0, 20_000)
    b = a * random.uniform(0.8, 1.3, 20_000)
    limits = [
        (found.ci_low[0], found.ci_high[0])
        for found in (ratio_interval(a, b, method=m) for m in ("fieller", "delta", "bootstrap"))
    ]
    width = limits[0][1] - limits[0][0]
    for other in limits[1:]:
        assert other == pytest.approx(limits[0], abs=0.01 * width)


@pytest.mark.parametrize("method", ["fieller", "delta", "bootstrap"])
def test_edges_of_every_method(method):
    def limits(a, b):
        found = ratio_interval(a, b, method=method)
        return found.ci_low[0], found.ci_high[0]

    assert np.isnan(limits([], [])).all()
    assert np.isnan(limits([0.0, 0.0], [0.1, 0.2])).all()
    assert limits([0.2], [0.3]) == (-np.inf, np.inf)
    assert limits(A, A) == pytest.approx((0.0, 0.0), abs=1e-7)
    assert limits(A, 1.5 * A) == pytest.approx((0.5, 0.5), abs=1e-7)
    assert limits(A, 0.0 * A) == pytest.approx((-1.0, -1.0), abs=1e-7)
    low, high = limits(A[:2], B[:2])
    assert low < B[:2].mean() / A[:2].mean() - 1 < high
    # The baseline scores on one query only: with a chance of a third a resample misses it.
    low, high = limits([0.0, 0.0, 0.3], [0.1, 0.2, 0.4])
    assert high == np.inf or method == "delta"
    # Of six queries a third of the resamples miss it, too.
    high = limits([0.0] * 5 + [0.3], [0.1, 0.2, 0.1, 0.2, 0.1, 0.4])[1]
    assert high == np.inf or method == "delta"
    assert limits(A, np.append(A[:-1], 0.9))[0] <= 0.0
    with pytest.raises(ArgumentError, match="finite"):
        limits([0.1, np.nan], [0.1, 0.2])


def test_what_is_refused():
    with pytest.raises(ArgumentError, match="0 or more"):
        ratio_interval([0.1, -0.2, 0.4], [0.1, 0.2, 0.3], method="bootstrap")
    with pytest.raises(UnknownNameError, match="did you mean fieller"):
        ratio_interval(A, B, method="fielle")


METHODS = ("fieller", "delta", "bootstrap")
BASELINE = np.full(8, 0.5)


@pytest.mark.parametrize("method", METHODS)
def test_every_line_of_the_table(method) -> None:
    def found(a, b):
        interval = ratio_interval(a, b, method=method)
        return interval.change[0], interval.ci_low[0], interval.ci_high[0]

    assert np.isnan(found([], [])).all()
    assert np.isnan(found(np.zeros(5), np.ones(5))).all()
    assert found([0.5], [0.6]) == (pytest.approx(0.2), -np.inf, np.inf)
    assert found(BASELINE, BASELINE) == (0.0, 0.0, 0.0)
    assert found(BASELINE, 1.2 * BASELINE) == pytest.approx((0.2, 0.2, 0.2))
    for moved in (np.r_[0.3, np.zeros(7)], np.r_[np.full(4, 0.3), np.full(4, -0.1)]):
        change, low, high = found(BASELINE, BASELINE + moved)
        assert low < change < high
    with pytest.raises(ArgumentError, match="finite"):
        found(BASELINE, np.full(8, np.inf))


def test_the_mean_of_one_system_has_limits() -> None:
    scores = np.array([0.2, 0.4, 0.1, 0.7, 0.5, 0.3])
    assert [round(each, 3) for each in mean_interval(scores, bounds=(0.0, 1.0))] == [0.14, 0.593]
