"""Leave-one-out influence, against the test run again without each query."""

from __future__ import annotations

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.inference.estimates.shape import calls_without, leave_out


def call_of(d, alpha=0.05):
    result = run_test("t", d, confidence=1 - alpha)
    return int(np.sign(result.estimate[0])) if result.pvalue[0] < alpha else 0


@pytest.mark.parametrize("seed", range(12))
def test_against_the_test_run_again(seed) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 40))
    d = np.round(random.normal(random.choice([-0.1, 0.0, 0.1]), 0.2, n), 2)
    found = leave_out(d, confidence=0.9)
    assert found.call == call_of(d, 0.1)
    for i in range(n):
        rest = np.delete(d, i)
        again = run_test("t", rest)
        assert found.mean_without[i] == pytest.approx(rest.mean(), abs=1e-12)
        assert found.pvalue_without[i] == pytest.approx(again.pvalue[0], rel=1e-8, nan_ok=True)
        assert found.flips[i] == (call_of(rest, 0.1) != found.call)
    shifts = found.mean_without - d.mean()
    assert abs(found.largest_shift) == pytest.approx(np.abs(shifts).max())
    assert found.largest_shift == pytest.approx(shifts[found.most_influential])


@pytest.mark.parametrize("seed", range(12))
def test_removed_is_the_first_step_that_changes_the_call(seed) -> None:
    random = np.random.default_rng(100 + seed)
    d = np.round(random.normal(random.choice([-0.15, 0.05, 0.15]), 0.2, 25), 2)
    found = leave_out(d)
    direction = found.call or -np.sign(d.sum())
    order = np.argsort(-direction * d, kind="stable")
    k = next((k for k in range(1, 24) if call_of(np.delete(d, order[:k])) != found.call), None)
    assert found.removed.tolist() == ([] if k is None else order[:k].tolist())


def test_one_query_that_carries_the_call() -> None:
    d = np.r_[np.tile([0.1, -0.04], 10), 0.25]
    found = leave_out(d)
    assert found.call == 1
    assert found.most_influential == 20
    assert found.removed.tolist() == [20]
    assert found.flips[20]


def test_a_million_queries() -> None:
    d = np.random.default_rng(1).normal(0.01, 0.2, 1_000_000)
    found = leave_out(d)
    assert found.call == 1
    assert not found.flips.any()
    assert len(found.removed) > 1000


def test_numbers_far_from_zero_lose_no_digits() -> None:
    d = np.random.default_rng(2).normal(0, 1e-3, 50) + 1e4
    found = leave_out(d)
    again = run_test("t", np.round(np.delete(d, 7), 10) - 1e4)
    assert found.call == 1
    assert found.mean_without[7] - 1e4 == pytest.approx(again.estimate[0], abs=1e-9)


@pytest.mark.parametrize(
    ("d", "call", "n_flips", "removed"),
    [
        ([], 0, 0, []),
        ([0.3], 0, 0, []),
        ([0.1, 0.2], 0, 0, []),
        ([0.1, 0.1001], 1, 2, []),
        ([0.0] * 6, 0, 0, []),
        ([0.2] * 6, 0, 0, []),
        ([0.0] * 6 + [0.4], 0, 0, []),
        # Without the one that differs the rest is one value, of which t says nothing.
        ([0.2] * 6 + [0.25], 1, 1, [6]),
        ([0.1, 0.3] * 4, 1, 0, [1, 3, 5, 7]),
    ],
)
def test_degenerate(d, call, n_flips, removed) -> None:
    found = leave_out(d)
    assert (found.call, int(found.flips.sum()), found.removed.tolist()) == (call, n_flips, removed)
    if len(d) < 2:
        assert np.isnan(found.largest_shift)
        assert found.most_influential == -1
        assert np.isnan(found.mean_without).all()


def test_infinities_are_refused() -> None:
    with pytest.raises(ArgumentError, match="finite"):
        leave_out([0.1, np.nan])


def test_where_the_mean_is_zero_a_loss_is_removed_first() -> None:
    # The mean is 0, so either side might go; without the one loss what is left is a clear gain.
    assert leave_out(np.array([0.25, 0.375, 0.125, 0.25, -1.0])).removed.tolist() == [4]


def test_a_few_queries_are_looked_at_as_all_are():
    d = np.random.default_rng(5).normal(0.05, 0.15, 40)
    found = leave_out(d)
    places = np.array([7, 0, 39])
    call, calls, pvalues = calls_without(d, places)
    assert call == found.call
    assert (calls != call).tolist() == found.flips[places].tolist()
    assert pvalues.tolist() == found.pvalue_without[places].tolist()
