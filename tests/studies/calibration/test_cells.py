"""Counts are those of the tests; tests that must keep their level keep it."""

import numpy as np
import pytest

from abrank.inference import run_test
from abrank.inference.wilcoxon import wilcoxon_pvalues
from reports.studies.calibration import cells
from reports.studies.calibration.cells import measure
from reports.studies.calibration.populations import Pair, Population, balancing_weights
from tests.studies.calibration.made import rates


def population(values, *, name="AP", scope="all") -> Population:
    values = np.asarray(values, float)
    values = values if values.ndim == 2 else values[:, None]
    return Population("made", name, (Pair(values, balancing_weights(values)),) * 2, scope)


def symmetric(n: int = 40) -> np.ndarray:
    half = np.round(np.random.default_rng(4).gamma(2.0, 0.1, n), 2)
    return np.r_[half, -half]


def test_every_test_is_asked_and_counted() -> None:
    result = rates(measure(population(symmetric()), 12, replications=60, seed=1))
    assert list(result) == [
        "t", "permutation", "wilcoxon", "sign", "bootstrap, studentised", "TOST, t",
    ]  # fmt: skip
    for test, of_test in result.items():
        assert of_test["false_01"] <= of_test["false_05"]
        if test not in ("TOST, t", "sign"):
            # One procedure: what is not found is covered.
            assert of_test["covers"] == pytest.approx(1.0 - of_test["false_05"])
        if test != "TOST, t":
            assert of_test["false_05"] <= of_test["found_small"] <= of_test["found_large"]


@pytest.mark.parametrize("scope", ["quick", "flips"])
def test_scopes_leave_tests_out(scope) -> None:
    result = rates(measure(population(symmetric(), scope=scope), 12, replications=10, seed=1))
    few = {"t", "permutation", "wilcoxon", "sign"}
    assert set(result) == (few if scope == "flips" else few | {"bootstrap, studentised", "TOST, t"})


def test_moved_differences_are_found_as_the_test_itself_would() -> None:
    d = np.random.default_rng(7).choice(symmetric(), (12, 30))
    for name in ("t", "permutation"):
        ask_interval = cells._ask_interval(name, d, [0.06, 0.12])
        np.testing.assert_array_equal(ask_interval.found[1], run_test(name, d + 0.12).excludes_zero)


def test_ranks_without_intervals_have_the_same_p() -> None:
    d = np.random.default_rng(8).choice(np.r_[symmetric(), np.zeros(20)], (30, 20))
    d[:, 0] = 0.0
    for options in ({}, {"method": "asymptotic"}):
        whole = run_test("wilcoxon", d, **options).pvalue
        np.testing.assert_array_equal(wilcoxon_pvalues(d, **options), whole)


@pytest.mark.slow
def test_family_of_measures() -> None:
    values = np.random.default_rng(9).normal(0.0, 0.2, (60, 4))
    values[:, 1] = values[:, 0] + 0.02 * values[:, 1]
    result = rates(measure(population(values, name="all four"), 12, replications=200, seed=2))
    assert list(result) == ["max-T", "t, Holm", "t, unadjusted"]
    assert result["max-T"]["covers"] == pytest.approx(1.0 - result["max-T"]["false_05"])
    assert result["t, Holm"]["false_05"] < result["t, unadjusted"]["false_05"]
    assert result["max-T"]["false_05"] < 0.1


def test_replications_are_shared_out() -> None:
    result = measure(population(symmetric(), scope="flips"), 10, replications=205, seed=1)
    assert {row["replications"] for row in result} == {205}
    assert result == measure(population(symmetric(), scope="flips"), 10, replications=205, seed=1)
