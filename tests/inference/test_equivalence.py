from functools import partial

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.inference.equivalence import change_interval, mean_interval, relative_change

A = np.array([0.3, 0.45, 0.12, 0.6, 0.25, 0.5, 0.33, 0.41, 0.08, 0.55])
B = np.array([0.4, 0.65, 0.07, 0.9, 0.25, 0.65, 0.23, 0.66, 0.13, 0.95])


def limits(a, b, alpha=0.05):
    change = relative_change(partial(run_test, "t"), a, b, alpha=alpha)
    return change.ci_low, change.ci_high


def test_fieller_limits_are_where_the_t_test_of_the_rest_turns():
    for alpha in (0.2, 0.05):
        for limit in limits(A, B, alpha):
            assert run_test("t", B - (1 + limit) * A).pvalue[0] == pytest.approx(alpha)
    plain = run_test("t", B - A)  # as wide as its interval they are the same
    half = (plain.ci_high[0] - plain.ci_low[0]) / 2
    assert change_interval(A, B, half)[1:] == pytest.approx(limits(A, B))


def test_edges():
    assert limits([0.2], [0.3]) == (-np.inf, np.inf)
    assert limits(A, A) == pytest.approx((0.0, 0.0), abs=1e-7)
    assert limits(A, 1.5 * A) == pytest.approx((0.5, 0.5), abs=1e-7)
    assert limits(A, 0.0 * A) == pytest.approx((-1.0, -1.0), abs=1e-7)
    low, high = limits(A[:2], B[:2])
    assert low < B[:2].mean() / A[:2].mean() - 1 < high
    # The baseline scores on one query only: with a chance of a third a resample misses it.
    assert limits([0.0, 0.0, 0.3], [0.1, 0.2, 0.4]) == (-np.inf, np.inf)
    # Of six queries a third of the resamples miss it, too.
    assert limits([0.0] * 5 + [0.3], [0.1, 0.2, 0.1, 0.2, 0.1, 0.4])[1] == np.inf
    assert limits(A, np.append(A[:-1], 0.9))[0] <= 0.0
    refused = {"finite": [0.1, np.nan], "which is 0": [0.0, 0.0], "of 0 or more": [-0.1, 0.2]}
    for message, a in refused.items():
        with pytest.raises(ArgumentError, match=message):
            limits(a, [0.1, 0.2])


def test_limits_as_wide_as_others_of_little_data():
    assert np.isnan(change_interval([0.0, 0.0], [0.1, 0.2], 0.1)).all()
    assert change_interval([0.5], [0.6], np.inf) == pytest.approx((0.2, 0.2, 0.2))
    assert change_interval(A, 1.5 * A, np.inf)[1:] == (-np.inf, np.inf)


def test_the_mean_of_one_system_has_limits() -> None:
    scores = np.array([0.2, 0.4, 0.1, 0.7, 0.5, 0.3])
    assert [round(item, 3) for item in mean_interval(scores, bounds=(0.0, 1.0))] == [0.14, 0.593]
