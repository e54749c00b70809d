"""Independent groups: every number is that of scipy and statsmodels."""

import tracemalloc

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from abrank.inference import independent
from abrank.inference.independent import EFFECTS, bootstrap_groups, permute_labels, welch


@pytest.mark.every_case
@pytest.mark.parametrize(("n_a", "n_b"), [(2, 2), (7, 30), (60, 41), (400, 500)])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_welch_is_that_of_scipy_and_statsmodels(n_a: int, n_b: int, level: float) -> None:
    random = np.random.default_rng(n_a + n_b)
    a, b = random.exponential(1.0, (n_a, 3)), random.exponential(1.3, (n_b, 3))
    result = welch(a, b, confidence=level)
    for column in range(3):
        x, y = a[:, column], b[:, column]
        expected = stats.ttest_ind(y, x, equal_var=False)
        limits = expected.confidence_interval(level)
        assert result.pvalue[column] == pytest.approx(expected.pvalue, abs=1e-12)
        assert result.statistic[column] == pytest.approx(expected.statistic, abs=1e-12)
        both = CompareMeans(DescrStatsW(y), DescrStatsW(x))
        assert result.pvalue[column] == pytest.approx(
            both.ttest_ind(usevar="unequal")[1], abs=1e-12
        )
        for ends in (limits, both.tconfint_diff(1.0 - level, usevar="unequal")):
            assert (result.ci_low[column], result.ci_high[column]) == pytest.approx(
                tuple(ends), abs=1e-12
            )
        excludes = result.ci_low[column] > 0 or result.ci_high[column] < 0
        assert excludes == (result.pvalue[column] < 1.0 - level)


def test_groups_without_spread_or_units_have_no_test() -> None:
    same, values, first = np.full((4, 1), 0.5), np.full((3, 1), 0.75), np.full((1, 1), 0.5)
    assert welch(same, same[:2], confidence=0.95).pvalue.tolist() == [1.0]
    for a, b in ((same, values), (same, first)):
        assert np.isnan(welch(a, b, confidence=0.95).pvalue).all()


def test_labels_are_permuted_and_groups_drawn_as_scipy_does() -> None:
    random = np.random.default_rng(5)
    a, b = random.exponential(1.0, 25), random.exponential(1.8, 20)
    labels = permute_labels(a, b, confidence=0.95, seed=3)
    method = stats.PermutationMethod(n_resamples=9999, rng=np.random.default_rng(3))
    expected = stats.ttest_ind(b, a, equal_var=False, method=method)
    assert (labels.pvalue[0], labels.n_resamples) == (expected.pvalue, 9999)
    assert permute_labels(a[:3], b[:4], confidence=0.95, seed=3).method == "exact"
    # Without scipy's warning of labels that put all that is alike in one group.
    ties = np.array([4.0, 3.0, 2.0, 2.0, 2.0, 2.0]), np.array([1.0, 1.0, 2.0, 5.0, 2.0, 1.0])
    assert permute_labels(*ties, confidence=0.95, seed=3).pvalue[0] > 0.1
    groups = bootstrap_groups(a, b, confidence=0.9, seed=3)
    means = stats.bootstrap(
        (b, a), lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis), method="percentile",
        confidence_level=0.9, rng=np.random.default_rng(3),
    )  # fmt: skip
    assert (groups.ci_low[0], groups.ci_high[0]) == pytest.approx(
        tuple(means.confidence_interval), abs=1e-12
    )
    assert groups.pvalue[0] < 0.1


@pytest.mark.parametrize("clicks", [True, False])
def test_many_units_are_drawn_by_value(clicks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(7)
    a, b = random.exponential(1.0, 340), random.exponential(1.13, 280)
    if clicks:
        a, b = (a > 1.5).astype(np.float64), (b > 1.5).astype(np.float64)
    tests = (permute_labels, bootstrap_groups)
    monkeypatch.setattr(independent, "MANY_UNITS", 600)
    results = [test(a, b, confidence=0.9, seed=3) for test in tests]
    monkeypatch.setattr(independent, "MANY_UNITS", 10_000)
    expected = [test(a, b, confidence=0.9, seed=3) for test in tests]
    for result, by_scipy in zip(results, expected, strict=True):
        # Of 9,999 resamples: the standard error of a p-value is .005 at most.
        assert result.pvalue[0] == pytest.approx(by_scipy.pvalue[0], abs=0.02)
        assert result.estimate[0] == by_scipy.estimate[0]
    assert results[0].statistic[0] == pytest.approx(expected[0].statistic[0], abs=1e-12)
    width = expected[1].ci_high[0] - expected[1].ci_low[0]
    for limit in ("ci_low", "ci_high"):
        gap = getattr(results[1], limit)[0] - getattr(expected[1], limit)[0]
        assert abs(gap) < 0.03 * width


def test_few_of_many_units_with_a_click_are_tested_without_a_warning() -> None:
    groups = np.zeros(3000), np.array([1.0, 1.0, 1.0])
    labels = permute_labels(*groups, confidence=0.95, seed=1)
    assert labels.pvalue[0] == 2 / 10_000
    plain = welch(*(group[:, None] for group in groups), confidence=0.95)
    np.testing.assert_array_equal(labels.statistic, plain.statistic)


def test_a_shift_of_most_units_is_found_beside_one_that_is_very_large() -> None:
    # The shift is less than half a step of the grid, whose width the two large values make.
    random = np.random.default_rng(6)
    a = np.append(random.uniform(0.0, 1e-7, 199_999), 1.0)
    b = np.append(a[:-1] + 2e-5, 1.0)
    assert welch(a[:, None], b[:, None], confidence=0.95).pvalue[0] < 0.01
    for test in (permute_labels, bootstrap_groups):
        assert test(a, b, confidence=0.95, seed=1).pvalue[0] < 0.05


@pytest.mark.parametrize("n_units", [1900, 60_000])
def test_resampling_of_groups_takes_little_memory(n_units: int) -> None:
    random = np.random.default_rng(4)
    groups = random.exponential(1.0, (2, n_units // 2))
    tracemalloc.start()
    for test in (permute_labels, bootstrap_groups):
        test(*groups, confidence=0.95, seed=1)
    assert tracemalloc.get_traced_memory()[1] < 200e6
    tracemalloc.stop()


def test_effect_sizes_are_those_of_the_textbook() -> None:
    random = np.random.default_rng(8)
    a, b = random.normal(0.0, 1.0, 30), random.normal(0.5, 1.0, 40)
    d = CompareMeans(DescrStatsW(b), DescrStatsW(a))
    pooled = (b.mean() - a.mean()) / (d.std_meandiff_pooledvar / np.sqrt(1 / 30 + 1 / 40))
    assert EFFECTS["cohens_d"](a, b) == pytest.approx(pooled, abs=1e-12)
    assert EFFECTS["hedges_g"](a, b) == pytest.approx(pooled * (1 - 3 / (4 * 68 - 1)), abs=1e-12)
    share = np.mean(b[:, None] > a[None, :])
    assert EFFECTS["p_better"](a, b) == pytest.approx(share, abs=1e-12)
    assert EFFECTS["rank_biserial"](a, b) == pytest.approx(2 * share - 1, abs=1e-12)
    assert EFFECTS["glass_delta"](a, b) == pytest.approx((b.mean() - a.mean()) / a.std(ddof=1))


def test_a_group_of_one_value_is_tested_without_a_warning() -> None:
    # Warnings are errors here; scipy.stats.ttest_ind has one of lost precision.
    a, b = np.full((3, 1), 0.1), np.array([[0.1], [0.2], [0.3]])
    t = 0.1 / (0.1 / np.sqrt(3))
    assert welch(a, b, confidence=0.95).pvalue == pytest.approx(2 * stats.t.sf(t, 2), rel=1e-12)
