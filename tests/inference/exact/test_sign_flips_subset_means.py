"""The tests of ``abrank/inference/exact/sign_flips.py``."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from abrank.inference import run_test
from abrank.inference.exact.sign_flips import (
    FIRST_FLIPS,
    additions,
    flip_all,
    flip_randomly,
    subset_mean_distribution,
)
from abrank.inference.rounding import to_lattice

ALTERNATIVES = ("two-sided", "greater", "less")


def draw(d, *, alpha=0.05, alternative="two-sided", n_flips=9_999, stop_after=None):
    numbers, unit = to_lattice(np.reshape(d, (len(d), -1)))
    return flip_randomly(
        numbers, unit, alpha=np.full(numbers.shape[1], alpha), alternative=alternative,
        n_flips=n_flips, seed=7, stop_after=stop_after,
    )  # fmt: skip


def test_the_formula_of_the_drawn_pvalue():
    """37 of 9,999 flips reach the mean: p = 38 / 10,000 (Phipson & Smyth 2010)."""
    d = np.random.default_rng(2).normal(0.08, 0.2, 45)
    found, drawn = draw(d)
    assert drawn == 9_999
    b = found[0, 0] * 10_000 - 1
    assert b == pytest.approx(round(b), abs=1e-6)
    assert b >= 1
    assert found[3, 0] == pytest.approx(np.sqrt(found[0, 0] * (1 - found[0, 0]) / 9_999))
    # No flip reaches it: the smallest p there is, not 0.
    assert draw(np.full(40, 0.1))[0][0, 0] == 1 / 10_000


def test_all_flips_are_the_limit_of_random_ones():
    d = np.round(np.random.default_rng(5).normal(0.1, 0.3, 14), 2)
    numbers, unit = to_lattice(d[:, None])
    exact = flip_all(numbers, unit, alpha=np.array([0.05]), alternative="two-sided")[:, 0]
    found = draw(d, n_flips=200_000)[0][:, 0]
    assert abs(found[0] - exact[0]) < 4 * found[3]
    assert found[1:3] == pytest.approx(exact[1:], abs=0.01)


def test_drawing_stops_at_the_hits_asked_for():
    weak = np.random.default_rng(3).normal(0.01, 0.3, 60)
    found, drawn = draw(weak, stop_after=20)
    assert drawn == FIRST_FLIPS
    # p = h / l with a whole l, at the first flips of all.
    needed = 20 / found[0, 0]
    assert needed == pytest.approx(round(needed), abs=1e-6)
    assert abs(found[0, 0] - draw(weak)[0][0, 0]) < 4 * found[0, 0] / np.sqrt(20)
    # What is rarer takes more; what never comes takes all, and (b + 1) / (m + 1).
    strong = np.random.default_rng(3).normal(0.11, 0.2, 60)
    assert draw(strong, stop_after=20, n_flips=50_000)[1] > FIRST_FLIPS
    found, drawn = draw(np.full(60, 0.1), stop_after=20)
    assert (found[0, 0], drawn) == (1 / 10_000, 9_999)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_a_stopped_interval_agrees_with_its_pvalue(alternative):
    random = np.random.default_rng(8)
    outcomes = set()
    for _ in range(40):
        d = random.integers(-3, 5, 30) / 10
        for alpha, hits in ((0.02, 10), (0.05, 10), (0.29, 29), (0.22, 11), (0.7, 10)):
            found = draw(d, alpha=alpha, alternative=alternative, n_flips=2000, stop_after=hits)[0]
            excludes = bool(found[1, 0] > 0 or found[2, 0] < 0)
            assert excludes == (found[0, 0] < alpha)
            outcomes.add(excludes)
    assert outcomes == {True, False}


def test_stopping_is_an_option_of_the_test():
    d = np.random.default_rng(3).normal(0.04, 0.3, (60, 2))
    result = run_test("permutation", d, method="monte-carlo", stop_after=20)
    assert result.n_resamples == FIRST_FLIPS
    assert (result.pvalue_error > 0).all()


def test_against_enumeration():
    random = np.random.default_rng(4)
    for _ in range(20):
        terms = np.sort(random.integers(-4, 7, int(random.integers(1, 11))))
        means, chances = subset_mean_distribution(*np.unique(terms, return_counts=True))
        taken = np.array(list(product((0, 1), repeat=terms.size)))
        size = taken.sum(axis=1)
        listed = (taken @ terms)[size > 0] / size[size > 0]
        assert means[0] == -np.inf
        assert chances[0] == 0.5**terms.size
        np.testing.assert_allclose(means[1:], np.unique(listed.round(12)), atol=1e-11)
        for mean, chance in zip(means[1:], chances[1:], strict=True):
            count = 1 + np.count_nonzero(listed <= mean + 1e-9)
            assert chance == pytest.approx(count / 2**terms.size, rel=1e-12)


def test_the_cost_grows_with_terms_and_range():
    numbers, counts = np.array([-1, 4]), np.array([10, 20])
    assert additions(numbers, 2 * counts) > 7 * additions(numbers, counts)
    assert additions(3 * numbers, counts) > 2 * additions(numbers, counts)
