from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.inference import ratio_interval, run_test

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
