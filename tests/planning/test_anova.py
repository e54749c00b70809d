"""Power and size of the comparison of several systems."""

from __future__ import annotations

import math

import pytest

from abrank import ArgumentError, planning


# Of statsmodels 0.15, its FTestAnovaPower().power(f, n * m, 0.05, k_groups=m) with Cohen's
# f = effect / sqrt(2 m).
@pytest.mark.parametrize(
    ("n", "m", "effect", "expected"),
    [
        (60, 5, 0.6, 0.7457399639418677),
        (20, 3, 0.5, 0.26121902880473324),
        (96, 5, 0.5, 0.7979393456416812),
        (200, 10, 0.3, 0.5083514571547583),
    ],
)
def test_power_against_statsmodels(n, m, effect, expected) -> None:
    assert planning.anova_power(n, n_systems=m, effect=effect) == pytest.approx(expected, abs=1e-10)


def test_no_effect_has_the_level_and_a_huge_one_is_certain() -> None:
    assert planning.anova_power(50, n_systems=4, effect=0.0) == pytest.approx(0.05, abs=1e-10)
    assert planning.anova_power(1_000_000, n_systems=4, effect=100.0) == 1.0


def test_the_size_is_the_smallest() -> None:
    assert planning.queries_for_anova(0.04, 0.1, n_systems=5) == 97
    assert planning.anova_power(97, n_systems=5, effect=0.5) >= 0.8
    assert planning.anova_power(96, n_systems=5, effect=0.5) < 0.8


def test_degenerate() -> None:
    assert planning.queries_for_anova(0.04, 0.0, n_systems=3) is None
    assert planning.queries_for_anova(0.04, math.nan, n_systems=3) is None
    assert planning.queries_for_anova(0.04, 1e-6, n_systems=3) is None
    assert planning.queries_for_anova(0.0, 0.1, n_systems=3) == 2


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: planning.anova_power(1, n_systems=3, effect=0.1), "n_queries"),
        (lambda: planning.anova_power(9, n_systems=1, effect=0.1), "n_systems"),
        (lambda: planning.anova_power(9, n_systems=3, effect=-0.1), "effect"),
        (lambda: planning.queries_for_anova(-1.0, 0.1, n_systems=3), "variance"),
    ],
)
def test_arguments_without_meaning(call, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        call()
