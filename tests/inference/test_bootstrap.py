from itertools import product

import numpy as np
import pytest

from abrank.inference import bootstrap, run_test

# --- Bounds of bootstrap p-values, held against the law of all resamples in whole fractions


D = np.array([0.12, -0.03, 0.25, 0.31, -0.08, 0.17, 0.22, 0.05, 0.4, -0.11, 0.02, 0.19])


# In the second sample 2.6 % of the resamples have the observed t but for its last digits.
@pytest.mark.parametrize("d", [D[:5], np.array([0.1, 0.3, 0.4, 0.3, 0.1])])
def test_against_theory_of_all_resamples(d):
    index = np.array(list(product(range(5), repeat=5)))
    means, spreads = d[index].mean(axis=1), d[index].std(axis=1, ddof=1)
    endless = np.where(np.isclose(means, d.mean()), 0.0, np.inf)
    alike = spreads < 1e-12
    t_star = np.where(
        alike, endless, np.abs(means - d.mean()) / np.where(alike, 1, spreads) * np.sqrt(5)
    )
    observed = abs(d.mean()) / (d.std(ddof=1) / np.sqrt(5))
    exact = np.mean(t_star >= observed * (1 - 1e-9))
    # 65 of the second sample's 3,125 resamples are of one value: too many, see below.
    ours = run_test("bootstrap", d, n_resamples=20_000)
    assert ours.statistic[0] == pytest.approx(observed)
    if alike.mean() > 0.01:
        assert ours.pvalue[0] == run_test("t", d).pvalue[0]
        return
    assert abs(ours.pvalue[0] - exact) < 4 * np.sqrt(exact * (1 - exact) / 20_000) + 1e-4
    # Resamples of one value have infinite t: 5 of 3,125, above this level.
    assert run_test("bootstrap", d, n_resamples=20_000, confidence=0.9999).ci_high[0] == np.inf


def one_differs(n: int) -> np.ndarray:
    return np.append(np.zeros(n - 1), 0.5)


@pytest.mark.every_case
@pytest.mark.parametrize(
    "d", [D[:2], D[:3], D[:4], one_differs(25), one_differs(20_000), np.repeat([0.0, 1.0], [21, 4])]
)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_t_stands_in_where_resamples_have_no_spread(d, alternative):
    ours, t = (run_test(name, d, alternative=alternative) for name in ("bootstrap", "t"))
    assert (ours.method, ours.n_resamples) == ("closed form", 0)
    for field in ("statistic", "pvalue", "ci_low", "ci_high"):
        assert getattr(ours, field)[0] == getattr(t, field)[0], field


def test_one_column_of_two_is_drawn():
    d = np.column_stack([D, one_differs(12)])
    both, alone = run_test("bootstrap", d, seed=2), run_test("bootstrap", D, seed=2)
    assert both.method == "Monte Carlo"
    assert both.pvalue.tolist() == [alone.pvalue[0], run_test("t", d[:, 1]).pvalue[0]]
    p = alone.pvalue[0]
    assert both.pvalue_error.tolist() == [pytest.approx(np.sqrt(p * (1 - p) / 9_999)), 0.0]


def test_how_many_draws_are_held_at_once_changes_nothing(monkeypatch) -> None:
    d = np.random.default_rng(5).normal(0.1, 1.0, (40, 3))
    whole = run_test("bootstrap", d, n_resamples=999, seed=3)
    monkeypatch.setattr("abrank.inference.bootstrap.DRAWS_AT_ONCE", 40 * 17)
    parts = run_test("bootstrap", d, n_resamples=999, seed=3)
    np.testing.assert_array_equal(whole.pvalue, parts.pvalue)
    np.testing.assert_array_equal(whole.ci_low, parts.ci_low)


@pytest.mark.parametrize("decimals", [1, 10])
def test_counts_of_values_give_what_queries_give_far_from_zero(monkeypatch, decimals):
    # The spread is about a mean that is not 0.
    d = np.random.default_rng(4).normal(1.0, 0.2, 60).round(decimals)
    by_query = run_test("bootstrap", d, seed=1)
    monkeypatch.setattr(bootstrap, "MANY_QUERIES", 10)
    by_value = run_test("bootstrap", d, seed=1)
    assert by_value.ci_low[0] != by_query.ci_low[0]
    assert by_value.ci_low[0] == pytest.approx(by_query.ci_low[0], abs=0.003)
    assert by_value.ci_high[0] == pytest.approx(by_query.ci_high[0], abs=0.003)
