from itertools import product

import numpy as np
import pytest
from scipy import stats

from abrank.inference import run_test, wilcoxon
from abrank.inference.wilcoxon import Walsh, wilcoxon_pvalues


def enumerated(d):
    """Exact two-sided p and W+ by going through all signs of the observed ranks."""
    d = d[d != 0]
    ranks = stats.rankdata(np.abs(d))
    w = np.array(list(product((0, 1), repeat=ranks.size))) @ ranks
    observed = ranks[d > 0].sum()
    return min(1.0, 2 * min(np.mean(w <= observed + 1e-9), np.mean(w >= observed - 1e-9))), observed


def test_exact_law_with_ties_and_zeros_against_enumeration():
    random = np.random.default_rng(8)
    for _ in range(30):
        d = random.integers(-3, 5, int(random.integers(2, 12))) / 10
        if not d.any():
            continue
        result = run_test("wilcoxon", d)
        p, w = enumerated(d)
        assert result.pvalue[0] == pytest.approx(p, rel=1e-12)
        assert result.statistic[0] == w
        assert result.method == "exact"


@pytest.mark.every_case
@pytest.mark.parametrize("n", [5, 20, 50])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_without_ties_it_is_scipys(n, alternative):
    d = np.random.default_rng(n).normal(0.1, 1.0, n)
    theirs = stats.wilcoxon(d, alternative=alternative, method="exact")
    ours = run_test("wilcoxon", d, alternative=alternative)
    assert ours.pvalue[0] == pytest.approx(theirs.pvalue, rel=1e-11)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_approximation_is_scipys(alternative):
    d = np.random.default_rng(3).integers(-4, 8, 60).astype(float)
    theirs = stats.wilcoxon(d, alternative=alternative, method="asymptotic")
    ours = run_test("wilcoxon", d, alternative=alternative, method="asymptotic")
    assert ours.pvalue[0] == pytest.approx(theirs.pvalue, rel=1e-11)
    assert ours.method == "normal approximation"


def test_exact_up_to_300_queries():
    d = np.random.default_rng(4).integers(-4, 5, 301).astype(float)
    assert run_test("wilcoxon", d[:300]).method == "exact"
    assert run_test("wilcoxon", d).method == "normal approximation"
    exact = run_test("wilcoxon", d, method="exact")
    assert exact.pvalue[0] == pytest.approx(run_test("wilcoxon", d).pvalue[0], abs=2e-3)


def test_the_interval_is_that_of_the_shifted_tests():
    # No two Walsh averages are equal, so that a shift keeps the law of the ranks.
    d = np.array([0.13, -0.041, 0.257, 0.311, -0.083, 0.179, 0.224, 0.0517, 0.4, 0.353])
    result = run_test("wilcoxon", d)
    for end, outwards in ((result.ci_low[0], -1), (result.ci_high[0], 1)):
        assert stats.wilcoxon(d - (end - outwards * 1e-6), method="exact").pvalue >= 0.05
        assert stats.wilcoxon(d - (end + outwards * 1e-6), method="exact").pvalue < 0.05


def test_the_interval_under_ties_holds_the_shifts_with_an_ordinary_count():
    """The law is that of the observed ranks; a Walsh average at the shift counts by half."""
    random = np.random.default_rng(5)
    for _ in range(20):
        d = random.integers(-3, 6, int(random.integers(6, 11))) / 10
        d = d[d != 0]
        result = run_test("wilcoxon", d, confidence=0.9)
        ranks = stats.rankdata(np.abs(d))
        law = np.array(list(product((0, 1), repeat=d.size))) @ ranks
        averages = [(d[i] + d[j]) / 2 for i in range(d.size) for j in range(i, d.size)]
        for shift in np.unique(np.round([*averages, *np.add(averages, 0.01)], 10)):
            count = sum(1.0 * (x > shift + 1e-9) + 0.5 * (abs(x - shift) < 1e-9) for x in averages)
            p = 2 * min(np.mean(law <= count + 1e-9), np.mean(law >= count - 1e-9))
            inside = result.ci_low[0] <= shift <= result.ci_high[0]
            assert inside == (p >= 0.1), (d, shift)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["continuous", "few decimals", "two clusters"])
def test_averages_looked_for_are_those_of_the_list(monkeypatch, kind):
    random = np.random.default_rng(6)
    sample = {
        "continuous": random.normal(0.1, 1, 61),
        "few decimals": np.round(random.normal(0.1, 0.3, 90), 2),
        "two clusters": np.append(random.normal(1, 1e-3, 20), random.normal(-1, 1e-3, 20)),
    }[kind]
    listed = Walsh(sample)
    for at_once in (3, 40, 400):
        monkeypatch.setattr(wilcoxon, "MOST_PAIRS", at_once)
        monkeypatch.setattr(wilcoxon, "MOST_LISTED", at_once)
        walsh = Walsh(sample)
        assert walsh.median() == pytest.approx(listed.median(), abs=1e-12)
        for bound in range(1, listed.total, 97):
            assert walsh.first_below(bound) == pytest.approx(listed.first_below(bound), abs=1e-12)
            assert walsh.last_above(bound) == pytest.approx(listed.last_above(bound), abs=1e-12)
    assert walsh.doubled_count(-99.0) == listed.total


@pytest.mark.parametrize("method", ["exact", "asymptotic"])
def test_many_columns_have_the_p_values_of_scipy_whatever_ties_and_zeros(method: str) -> None:
    d = np.random.default_rng(4).integers(-3, 5, (12, 30)) / 10.0
    d[:, 0] = 0.0
    found = wilcoxon_pvalues(d, method=method)
    assert found[0] == 1.0
    for p, column in zip(found[1:], d.T[1:], strict=True):
        assert p == run_test("wilcoxon", column, method=method, confidence=1.0).pvalue[0]
        if method == "asymptotic":
            assert p == pytest.approx(stats.wilcoxon(column, method="asymptotic").pvalue)
