"""Expected width of the interval, against the published design and a simulation."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy import stats

from abrank import ArgumentError, planning
from abrank.inference import run_test


def test_acceptance_case(shared_data) -> None:
    cases = json.loads((shared_data / "stat_cases.json").read_text())["cases"]
    expected = next(case for case in cases if case["id"] == "pow02")["expected"]
    assert planning.expected_width(0.2, 50) == pytest.approx(
        expected["expected_width_n50"], abs=1e-12
    )
    assert planning.queries_for_width(0.2, 0.1) == expected["n"]


def test_width_against_itself() -> None:
    d = np.random.default_rng(1).normal(0, 0.2, (6, 40_000))
    result = run_test("t", d, confidence=0.9)
    widths = result.ci_high - result.ci_low
    error = widths.std() / math.sqrt(widths.size)
    assert planning.expected_width(0.2, 6, confidence=0.9) == pytest.approx(
        widths.mean(), abs=4 * error
    )


def test_spread_interval_against_theory() -> None:
    low, high = planning.spread_interval(0.2, 26, confidence=0.9)
    assert 25 * 0.2**2 / low**2 == pytest.approx(stats.chi2.ppf(0.95, 25), rel=1e-12)
    assert 25 * 0.2**2 / high**2 == pytest.approx(stats.chi2.ppf(0.05, 25), rel=1e-12)


@pytest.mark.parametrize("n", [2, 5, 40])
def test_spread_interval_covers_the_truth(n: int) -> None:
    spreads = np.random.default_rng(n).normal(0, 0.2, (4_000, n)).std(axis=1, ddof=1)
    factors = np.array(planning.spread_interval(1.0, n))
    inside = (spreads * factors[0] < 0.2) & (spreads * factors[1] > 0.2)
    assert stats.binomtest(int(inside.sum()), 4_000, 0.95).pvalue > 0.01


def test_the_size_is_the_smallest() -> None:
    n = planning.queries_for_width(0.2, 0.013)
    assert planning.expected_width(0.2, n) <= 0.013 < planning.expected_width(0.2, n - 1)


def test_many_queries_have_the_normal_width() -> None:
    normal = 2 * 1.959963984540054 * 0.2 / 1e4
    assert planning.expected_width(0.2, 100_000_000) == pytest.approx(normal, rel=1e-7)


def test_degenerate() -> None:
    assert planning.expected_width(0.2, 0) == planning.expected_width(0.2, 1) == math.inf
    assert planning.expected_width(0.0, 10) == 0.0
    assert planning.queries_for_width(0.0, 0.1) == 2
    assert planning.queries_for_width(1.0, 1e-9) is None
    assert planning.spread_interval(0.0, 10) == (0.0, 0.0)
    for sd, n in ((0.2, 0), (0.2, 1), (math.nan, 10)):
        assert all(map(math.isnan, planning.spread_interval(sd, n)))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: planning.queries_for_width(0.2, 0.0), "width"),
        (lambda: planning.expected_width(math.nan, 10), "sd"),
        (lambda: planning.expected_width(-0.1, 10), "sd"),
        (lambda: planning.spread_interval(-0.1, 10), "sd"),
        (lambda: planning.expected_width(0.1, 10, confidence=1.0), "confidence"),
    ],
)
def test_arguments_without_meaning(call, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        call()
