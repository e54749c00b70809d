"""Leave-one-out influence, against the test run again without each query."""

from __future__ import annotations

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.inference.estimates.shape import calls_without, means_without


def call_of(d, alpha=0.05):
    result = run_test("t", d, confidence=1 - alpha)
    return int(np.sign(result.estimate[0])) if result.pvalue[0] < alpha else 0


@pytest.mark.parametrize("seed", range(12))
def test_against_the_test_run_again(seed) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(3, 40))
    d = np.round(random.normal(random.choice([-0.1, 0.0, 0.1]), 0.2, n), 2)
    call, calls, pvalues = calls_without(d, np.arange(n), confidence=0.9)
    means = means_without(d)
    assert call == call_of(d, 0.1)
    for i in range(n):
        rest = np.delete(d, i)
        again = run_test("t", rest)
        assert means[i] == pytest.approx(rest.mean(), abs=1e-12)
        assert pvalues[i] == pytest.approx(again.pvalue[0], rel=1e-8, nan_ok=True)
        assert calls[i] == call_of(rest, 0.1)


def test_one_query_that_carries_the_call() -> None:
    d = np.r_[np.tile([0.1, -0.04], 10), 0.25]
    call, calls, _ = calls_without(d, np.arange(21))
    assert call == 1
    assert calls[20] == 0


def test_a_million_queries() -> None:
    d = np.random.default_rng(1).normal(0.01, 0.2, 1_000_000)
    call, calls, _ = calls_without(d, np.arange(1_000_000))
    assert call == 1
    assert (calls == 1).all()


def test_numbers_far_from_zero_lose_no_digits() -> None:
    d = np.random.default_rng(2).normal(0, 1e-3, 50) + 1e4
    assert calls_without(d, np.array([7]))[0] == 1
    assert means_without(d)[7] - 1e4 == pytest.approx(np.delete(d, 7).mean() - 1e4, abs=1e-9)


@pytest.mark.parametrize(
    ("d", "call", "n_flips"),
    [
        ([0.1, 0.2], 0, 0),
        ([0.1, 0.1001], 1, 2),
        ([0.0] * 6, 0, 0),
        ([0.2] * 6, 0, 0),
        ([0.0] * 6 + [0.4], 0, 0),
        # Without the one that differs the rest is one value, of which t says nothing.
        ([0.2] * 6 + [0.25], 1, 1),
        ([0.1, 0.3] * 4, 1, 0),
    ],
)
def test_degenerate(d, call, n_flips) -> None:
    found, calls, _ = calls_without(d, np.arange(len(d)))
    assert (found, int((calls != found).sum())) == (call, n_flips)


def test_p_without_the_others_is_one_where_they_are_nothing() -> None:
    pvalues = [calls_without(d, np.array([0]))[2][0] for d in ([0.0] * 5, [0.2] * 5)]
    assert pvalues == pytest.approx([1.0, np.nan], nan_ok=True)


def test_infinities_are_refused() -> None:
    with pytest.raises(ArgumentError, match="finite"):
        calls_without([0.1, np.nan], np.array([0]))
