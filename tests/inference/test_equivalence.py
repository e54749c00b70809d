import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inference import ratio_interval, run_test
from abrank.inference.equivalence import mean_interval

A = np.array([0.3, 0.45, 0.12, 0.6, 0.25, 0.5, 0.33, 0.41, 0.08, 0.55])
B = np.array([0.4, 0.65, 0.07, 0.9, 0.25, 0.65, 0.23, 0.66, 0.13, 0.95])


# statsmodels 0.15.0: statsmodels.stats.weightstats.ttost_paired(B, A, -margin, margin)


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


def test_edges():
    def limits(a, b):
        interval = ratio_interval(a, b)
        return interval.ci_low[0], interval.ci_high[0]

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
    assert high == np.inf
    # Of six queries a third of the resamples miss it, too.
    high = limits([0.0] * 5 + [0.3], [0.1, 0.2, 0.1, 0.2, 0.1, 0.4])[1]
    assert high == np.inf
    assert limits(A, np.append(A[:-1], 0.9))[0] <= 0.0
    with pytest.raises(ArgumentError, match="finite"):
        limits([0.1, np.nan], [0.1, 0.2])


BASELINE = np.full(8, 0.5)


def test_every_line_of_the_table() -> None:
    def found(a, b):
        interval = ratio_interval(a, b)
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
    assert [round(item, 3) for item in mean_interval(scores, bounds=(0.0, 1.0))] == [0.14, 0.593]
