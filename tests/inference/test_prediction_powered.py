"""Prediction-powered comparison: few human queries, many machine-judged ones."""

import numpy as np
import pytest
from scipy import stats

from abrank._support.errors import ArgumentError
from abrank.inference import run_prediction_powered, run_test
from abrank.inference.prediction_powered import welch_pvalue

RANDOM = np.random.default_rng(18)
N_JUDGED, N_QUERIES = 40, 300
F = RANDOM.normal(0.02, 0.2, (N_QUERIES, 3))
ROWS = RANDOM.permutation(N_QUERIES)[:N_JUDGED]
D = np.array([0.8, 0.1, -1.5]) * F[ROWS] + RANDOM.normal(0.0, 0.15, (N_JUDGED, 3))


@pytest.mark.slow
def test_against_ordinary_least_squares() -> None:
    from statsmodels.api import OLS

    # A large residual: the floor, 3/40 of a variance, is far below it.
    result = run_prediction_powered(D, ROWS, F)
    assert not result.floored.any()
    for i in range(3):
        centred = F[ROWS, i] - F[:, i].mean()
        fit = OLS(D[:, i], np.column_stack([np.ones(N_JUDGED), centred])).fit()
        assert result.estimate[i] == pytest.approx(fit.params[0], rel=1e-10)
        assert result.slope[i] == pytest.approx(fit.params[1], rel=1e-10)
        assert result.freedom[i] == fit.df_resid
        more = fit.params[1] ** 2 * F[:, i].var(ddof=1) / N_QUERIES
        assert result.standard_error[i] ** 2 == pytest.approx(fit.bse[0] ** 2 + more, rel=1e-10)
        assert result.correlation[i] ** 2 == pytest.approx(fit.rsquared, rel=1e-10)


@pytest.mark.parametrize("floor", [0.0, 3.0, 30.0])
def test_no_scale_of_the_machine_matters(floor) -> None:
    plain = run_prediction_powered(D, ROWS, F, floor=floor)
    moved = run_prediction_powered(D, ROWS, 7.0 - 100.0 * F, floor=floor)
    for name in ("estimate", "standard_error", "pvalue", "ci_low", "ci_high", "worth", "outside"):
        np.testing.assert_allclose(getattr(moved, name), getattr(plain, name), rtol=1e-9)
    np.testing.assert_allclose(moved.correlation, -plain.correlation, rtol=1e-9)
    np.testing.assert_allclose(moved.slope, plain.slope / -100.0, rtol=1e-9)


@pytest.mark.parametrize("end", ["ci_low", "ci_high"])
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_p_is_alpha_at_both_ends(end, confidence) -> None:
    limits = getattr(run_prediction_powered(D, ROWS, F, confidence=confidence), end)
    position = run_prediction_powered(D - limits, ROWS, F, confidence=confidence)
    np.testing.assert_allclose(position.pvalue, 1.0 - confidence, rtol=1e-9)


def test_a_constant_machine_leaves_the_t_test_of_people_alone() -> None:
    result, alone = run_prediction_powered(D, ROWS, np.full_like(F, 0.3)), run_test("t", D)
    for name in ("estimate", "statistic", "pvalue", "ci_low", "ci_high"):
        np.testing.assert_allclose(getattr(result, name), getattr(alone, name), rtol=1e-13)
    assert result.slope.tolist() == [0.0] * 3
    np.testing.assert_allclose(result.worth, N_JUDGED)


def test_a_perfect_machine_is_not_believed_beyond_the_rule_of_three() -> None:
    result = run_prediction_powered(F[ROWS], ROWS, F, fewest_errors=0)
    minimum = 3.0 / N_JUDGED * F.var(axis=0, ddof=1)
    gap = (F.mean(axis=0) - F[ROWS].mean(axis=0)) ** 2 / (N_JUDGED - 1)
    share = 1 / N_JUDGED + gap / F[ROWS].var(axis=0, ddof=1)
    assert result.floored.all()
    np.testing.assert_allclose(result.estimate, F.mean(axis=0), rtol=1e-9)
    expected = np.maximum(minimum, 3.0 / N_JUDGED * F[ROWS].var(axis=0, ddof=1)) * share
    expected += F.var(axis=0, ddof=1) / N_QUERIES
    np.testing.assert_allclose(result.standard_error**2, expected, rtol=1e-9)


def test_outside_counts_queries_beyond_the_range_of_the_judged() -> None:
    f = np.array([0.0, 1.0, 2.0, 3.0, -1.0, 0.5])
    assert run_prediction_powered([0.1, 0.2, 0.4, 0.3], [0, 1, 2, 5], f).outside.tolist() == [2 / 6]


def test_no_difference_and_no_spread() -> None:
    d = np.column_stack([np.zeros(N_JUDGED), np.full(N_JUDGED, 0.25)])
    result = run_prediction_powered(d, ROWS, F[:, :2])
    assert (result.pvalue[0], result.ci_low[0], result.ci_high[0]) == (1.0, 0.0, 0.0)
    assert np.isnan(result.pvalue[1])
    assert (result.ci_low[1], result.ci_high[1]) == (-np.inf, np.inf)


@pytest.mark.parametrize(("d", "judged", "f", "words"), [
    ([0.1, 0.2], [0, 1], [1.0, 2.0, 3.0], "at least 3 judged queries are needed"),
    ([0.1, 0.2, 0.3], [0, 1, 1], [1.0, 2.0, 3.0], "distinct rows"),
    ([0.1, 0.2, 0.3], [0, 1, 3], [1.0, 2.0, 3.0], "distinct rows of the 3"),
    ([0.1, 0.2, 0.3], [0, 1], [1.0, 2.0, 3.0], "do not fit 3 differences"),
    ([0.1, 0.2, 0.3], [0, 1, 2], [[1.0, 1.0]] * 3, "1 human columns do not fit 2"),
    ([0.1, 0.2, 0.3], [0, 1, 2], [1.0, np.nan, 3.0], "finite"),
])  # fmt: skip
def test_refused(d, judged, f, words) -> None:
    with pytest.raises(ArgumentError, match=words):
        run_prediction_powered(d, judged, f)


def test_few_errors_set_the_machine_aside() -> None:
    alone = run_test("t", D)
    few = D.copy()
    few[:, 0], few[:, 1] = F[ROWS, 0], F[ROWS, 1]
    few[:3, 1] += 1.0
    result = run_prediction_powered(few, ROWS, F)
    assert result.refused.tolist() == [True, True, False]
    expected = run_test("t", few)
    for name in ("estimate", "pvalue", "ci_low", "ci_high"):
        np.testing.assert_allclose(getattr(result, name)[:2], getattr(expected, name)[:2])
        assert getattr(result, name)[2] != getattr(alone, name)[2]
    assert result.worth[:2] == pytest.approx(N_JUDGED)
    assert result.correlation[0] == pytest.approx(1.0)
    assert not run_prediction_powered(few, ROWS, F, fewest_errors=0).refused.any()


def test_welch_against_scipy_and_where_a_sample_does_not_vary() -> None:
    first, two = F[:12, 0], 2.0 * F[20:60, 1]
    expected = stats.ttest_ind(first, two, equal_var=False).pvalue
    assert welch_pvalue(first, two) == pytest.approx(expected, rel=1e-10)
    assert np.isnan(welch_pvalue(first[:1], two))
    assert welch_pvalue(np.full(3, 0.2), np.full(5, 0.2)) == 1.0
    assert welch_pvalue(np.full(3, 0.25), np.full(5, 0.5)) == 0.0


@pytest.mark.parametrize(("n_errors", "refused"), [(4, True), (5, False)])
def test_the_fewest_errors_that_are_believed(n_errors: int, refused: bool) -> None:
    few = F[ROWS, :1].copy()
    few[:n_errors] += 1.0
    assert run_prediction_powered(few, ROWS, F[:, :1]).refused.tolist() == [refused]
