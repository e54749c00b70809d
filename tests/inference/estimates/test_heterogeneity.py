"""Welch's test and Cochran's Q."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from abrank.inference.estimates.heterogeneity import heterogeneity

GROUPS = (
    [0.1, 0.2, -0.05, 0.3, 0, 0.15],
    [-0.1, 0.25, 0.05, 0.4, -0.3, 0.02, -0.2],
    [-0.4, -0.1, -0.2, 0.1, -0.35, -0.15, 0, -0.05],
)


def ask(groups):
    return heterogeneity(
        np.array([len(group) for group in groups], float),
        np.array([np.mean(group) for group in groups]),
        np.array([np.var(group, ddof=1) if len(group) > 1 else 0.0 for group in groups]),
    )


def test_against_statsmodels() -> None:
    # Of statsmodels 0.15: anova_oneway(GROUPS, use_var="unequal", welch_correction=True) and
    # combine_effects(means, variances of the means).
    found = ask(GROUPS)
    assert found.n_groups == 3
    assert found.statistic == pytest.approx(5.026968694391775, rel=1e-10)
    assert found.freedom == pytest.approx((2.0, 11.550323106244084), rel=1e-10)
    assert found.pvalue == pytest.approx(0.026882652679222355, rel=1e-9)
    assert found.q == pytest.approx(10.634235001603775, rel=1e-10)
    assert found.i_squared == pytest.approx(0.8119281735171007, rel=1e-10)
    assert found.q_pvalue == pytest.approx(stats.chi2.sf(found.q, 2), rel=1e-10)


def test_two_groups_are_welchs_t() -> None:
    expected = stats.ttest_ind(GROUPS[0], GROUPS[2], equal_var=False)
    found = ask([GROUPS[0], GROUPS[2]])
    assert found.statistic == pytest.approx(expected.statistic**2, rel=1e-10)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)


def test_groups_that_cannot_be_judged_are_left_out() -> None:
    with_others = ask([*GROUPS, [0.3], [0.25, 0.25, 0.25]])
    assert with_others == ask(GROUPS)


@pytest.mark.parametrize(
    "groups", [[], [GROUPS[0]], [GROUPS[0], [0.2]], [[0.25, 0.25], [0.5, 0.5]]]
)
def test_fewer_than_two_groups_say_nothing(groups) -> None:
    found = ask(groups)
    assert np.isnan([found.statistic, found.pvalue, found.q, found.i_squared, *found.freedom]).all()


def test_equal_means_are_no_heterogeneity() -> None:
    found = ask([[0.1, 0.3], [0.0, 0.4]])
    assert (found.q, found.pvalue, found.i_squared) == (0.0, 1.0, 0.0)


def test_level_against_itself() -> None:
    # Unequal variances and sizes, no difference: 4 standard errors of 2,000 replications.
    random = np.random.default_rng(3)
    rejected = sum(
        ask([random.normal(0, 1, 8), random.normal(0, 3, 20), random.normal(0, 0.3, 12)]).pvalue
        < 0.05
        for _ in range(2000)
    )
    assert abs(rejected / 2000 - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 2000)
