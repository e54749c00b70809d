"""Times as ratios against scipy in one run: printed, never asserted."""

from statistics import median
from time import perf_counter

import numpy as np
import pytest
from scipy import stats

from abrank.inference import run_test
from abrank.inference.families import max_t

pytestmark = pytest.mark.benchmarks


def seconds(function, times=5):
    used = []
    for _ in range(times):
        start = perf_counter()
        function()
        used.append(perf_counter() - start)
    return median(used)


def differences(n, decimals):
    random = np.random.default_rng(n)
    d = random.gamma(0.5, 0.15, n) * random.choice([-1, 1], n) + 0.3 / np.sqrt(n)
    return np.round(d, decimals)


def theirs(d, n_resamples):
    return stats.permutation_test(
        (d, np.zeros_like(d)), lambda x, y, axis: (x - y).mean(axis=axis), vectorized=True,
        permutation_type="samples", n_resamples=n_resamples, rng=np.random.default_rng(1),
    )  # fmt: skip


@pytest.mark.parametrize("n", [50, 250, 1000])
@pytest.mark.parametrize("decimals", [1, 4, 17])
def test_exact_p_and_interval_against_ten_thousand_flips_of_scipy(n, decimals):
    """The goal for p alone: 20 ms at 50 queries, 100 ms at 250."""
    d = differences(n, decimals)
    whole, alone = run_test("permutation", d), run_test("permutation", d, confidence=1)
    assert whole.method == alone.method == "exact"
    assert whole.pvalue == alone.pvalue
    both = seconds(lambda: run_test("permutation", d), times=9)
    p_only = seconds(lambda: run_test("permutation", d, confidence=1), times=9)
    scipys = seconds(lambda: theirs(d, 10_000), times=3)
    print(
        f"\n{n} queries, {decimals} decimals: exact p {1e3 * p_only:.1f} ms, with its interval "
        f"{1e3 * both:.1f} ms; scipy, 10,000 flips, p only {1e3 * scipys:.1f} ms, "
        f"{scipys / p_only:.1f} and {scipys / both:.1f} times as long"
    )


def test_a_million_queries():
    d = differences(1_000_000, 17)
    test, students = run_test("permutation", d), run_test("t", d)
    assert test.method == "exact"
    # So many differences are as good as normal.
    assert test.pvalue == pytest.approx(students.pvalue, rel=1e-3)
    assert test.ci_low == pytest.approx(students.ci_low, rel=1e-3)
    ours = seconds(lambda: run_test("permutation", d), times=1)
    print(f"\n1,000,000 queries: exact p and interval {ours:.2f} s")


def test_flips_of_six_measures_against_those_of_one_by_scipy():
    d = differences(250 * 6, 17).reshape(250, 6)
    arguments = {"n_resamples": 100_000}
    exact, adjusted = run_test("permutation", d), max_t(d, **arguments)
    test = run_test("permutation", d, method="monte-carlo", **arguments)
    error = np.sqrt(exact.pvalue * (1 - exact.pvalue) / 100_000)
    assert np.all(np.abs(test.pvalue - exact.pvalue) < 4 * error)
    assert np.all(adjusted.pvalue >= adjusted.pvalue_alone)
    joint = seconds(lambda: max_t(d, **arguments))
    sample = seconds(lambda: run_test("permutation", d, method="monte-carlo", **arguments))
    scipys = seconds(lambda: theirs(d[:, 0], 100_000), times=1)
    print(
        f"\n250 queries x 6 measures, 100,000 flips: max-T {1e3 * joint:.0f} ms, p and intervals "
        f"{1e3 * sample:.0f} ms; scipy, one measure {1e3 * scipys:.0f} ms; "
        f"{scipys / joint:.0f} and {scipys / sample:.0f} times as long"
    )
