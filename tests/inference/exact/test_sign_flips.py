"""The exact test of one sample by every route, against going through all signs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from abrank.inference.exact import sign_flips, signed_sums
from abrank.inference.exact.sign_flips import flip_all, sign_flip_test
from abrank.inference.rounding import to_lattice

ALTERNATIVES = ("two-sided", "greater", "less")


def samples(n_samples, largest):
    """Ties, zeros, fractions, an outlier, one value, and numbers without any pattern."""
    random = np.random.default_rng(16)
    for i in range(n_samples):
        n = int(random.integers(2, largest + 1))
        d = (
            random.integers(-3, 5, n) / 10,
            random.integers(-2, 4, n) * random.integers(0, 2, n) / 3,
            np.append(random.normal(0.02, 0.02, n - 1), 3.0),
            np.full(n, 0.1),
            np.round(random.normal(0.05, 0.2, n), 4),
            random.normal(0.1, 0.3, n),
        )[i % 6]
        if d.any():
            yield d


def enumerated(d, alternative):
    sums = np.array(list(product((1, -1), repeat=d.size))) @ d
    observed, noise = d.sum(), 1e-9
    return {
        "two-sided": np.mean(np.abs(sums) >= abs(observed) - noise),
        "greater": np.mean(sums >= observed - noise),
        "less": np.mean(sums <= observed + noise),
    }[alternative]


def ask(d, alternative, alpha=0.05):
    numbers, unit = to_lattice(d[:, None])
    return sign_flip_test(numbers[:, 0], float(unit[0]), alpha=alpha, alternative=alternative)


def test_pvalues_are_those_of_all_signs():
    compared = 0
    for d in samples(100, 11):
        for alternative in ALTERNATIVES:
            found, truth = ask(d, alternative)[0], enumerated(d, alternative)
            assert found.value == pytest.approx(truth, rel=1e-12)
            assert found.low == found.value == found.high
            compared += 1
    assert compared > 250


def test_bounds_hold_the_pvalue_where_nothing_else_is_allowed(monkeypatch):
    monkeypatch.setattr(signed_sums, "ADDITIONS", 0)
    monkeypatch.setattr(signed_sums, "SUMS_OF_A_HALF", 0)
    monkeypatch.setattr(signed_sums, "MOST_FREQUENCIES", 4096)
    for d in samples(60, 10):
        for alternative in ALTERNATIVES:
            found, truth = ask(d, alternative)[0], enumerated(d, alternative)
            assert found.low - 1e-12 <= truth <= found.high + 1e-12


def test_limits_of_every_route_are_the_subset_means(monkeypatch):
    """Listed as multiples of a step, or searched by meeting halves; order statistics otherwise."""
    compared = 0
    for d in samples(60, 12):
        numbers, unit = to_lattice(d[:, None])
        error = d.std() / np.sqrt(d.size)
        for alternative, alpha in (("two-sided", 0.05), ("greater", 0.1), ("less", 0.1)):
            expected = flip_all(numbers, unit, alpha=np.array([alpha]), alternative=alternative)
            for most in (sign_flips.ADDITIONS, 0):
                with monkeypatch.context() as patch:
                    patch.setattr(sign_flips, "ADDITIONS", most)
                    _, *limits = ask(d, alternative, alpha)
                np.testing.assert_allclose(
                    limits, expected[1:, 0], rtol=1e-9, atol=2e-4 * error + 1e-10
                )
                compared += int(np.isfinite(limits).sum())
    assert compared > 200


@pytest.mark.parametrize("n", [40, 300])
def test_limits_are_where_the_test_of_the_shifted_sample_turns(n):
    d = np.random.default_rng(n).gamma(0.5, 0.2, n) - 0.08
    error = 1e-3 * d.std() / np.sqrt(n)
    for alternative in ALTERNATIVES:
        _, low, high = ask(d, alternative)
        for end, inwards in ((low, error), (high, -error)):
            if np.isfinite(end):
                assert ask(d - (end + inwards), alternative)[0].value > 0.05
                assert ask(d - (end - inwards), alternative)[0].value < 0.05


def test_ties_cost_little_where_means_cannot_be_listed(monkeypatch):
    d = np.random.default_rng(6).integers(-4, 6, 100) / 10
    _, low, high = ask(d, "two-sided")
    monkeypatch.setattr(sign_flips, "ADDITIONS", 0)
    _, low_searched, high_searched = ask(d, "two-sided")
    error = d.std() / np.sqrt(d.size)
    assert low_searched == pytest.approx(low, abs=4e-3 * error)
    assert high_searched == pytest.approx(high, abs=4e-3 * error)


def test_a_limit_never_contradicts_the_pvalue():
    """With alpha set to the p-value itself 0 is in the interval; a little above, it is out."""
    random = np.random.default_rng(9)
    for n in (18, 40, 120):
        for d in (random.normal(0.1, 0.3, n), random.integers(-3, 5, n) / 10):
            for alternative in ALTERNATIVES:
                p = ask(d, alternative)[0].value
                _, low, high = ask(d, alternative, p)
                assert low <= 0.0 <= high
                _, low, high = ask(d, alternative, min(p * (1 + 1e-9), 1 - 1e-9))
                assert low > 0.0 or high < 0.0
