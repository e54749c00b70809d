"""Power, smallest visible difference and queries needed, against statsmodels and the published.

Expected width of the interval, against the published design and a simulation.

Power and size of the comparison of several systems.
"""

import math
import warnings

import numpy as np
import pytest
from scipy import integrate, special, stats
from statsmodels.stats.power import TTestPower

from abrank import ArgumentError
from abrank.planning.student import (
    expected_width,
    power,
    power_curve,
    queries_for_width,
    queries_needed,
    queries_to_show_same,
    smallest_size,
    smallest_visible,
    spread_interval,
)


# Of statsmodels 0.15: its TTestPower().power(effect, n, alpha).
@pytest.mark.every_case
@pytest.mark.parametrize(
    ("n", "effect", "alpha", "expected"),
    [
        (5, 0.5, 0.05, 0.140516689990298), (5, 0.5, 0.01, 0.03418409854557359),
        (50, 0.4, 0.05, 0.7917871892678123), (50, 0.4, 0.01, 0.5622996849945693),
        (250, 0.1, 0.05, 0.35035127614386924), (250, 0.1, 0.01, 0.15741622978612532),
        (2000, 0.05, 0.05, 0.6083669123508458), (2000, 0.05, 0.01, 0.36632047495080106),
    ],
)  # fmt: skip
def test_power_against_statsmodels(n, effect, alpha, expected) -> None:
    assert power(n, effect=effect, alpha=alpha) == pytest.approx(expected, abs=1e-12)
    assert power(n, effect=-effect, alpha=alpha) == pytest.approx(expected, abs=1e-12)


def test_the_smallest_visible_difference_has_the_power_where_statsmodels_misses_it() -> None:
    library = TTestPower()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = float(library.solve_power(nobs=3, alpha=0.01, power=0.8))
    ours = smallest_visible(1.0, 3, alpha=0.01)
    assert library.power(ours, 3, 0.01) == pytest.approx(0.8, abs=1e-12)
    assert abs(library.power(theirs, 3, 0.01) - 0.8) > 0.01  # else use it, off the cold path


def test_power_is_the_level_where_there_is_no_effect() -> None:
    for n in (2, 3, 50, 10_000, 100_000_000):
        assert power(n, effect=0.0) == pytest.approx(0.05, rel=1e-9)


def test_power_never_fails_for_large_values() -> None:
    # Where scipy.stats.nct.cdf gives NaN; at so many queries t is normal to 1e-5.
    assert power(7_000, effect=38 / math.sqrt(7_000)) == 1.0
    assert power(1_000_000, effect=1.0) == 1.0
    for n in (1_000_000, 100_000_000):
        normal = float(special.ndtr(2.8 - 1.959963984540054))
        assert power(n, effect=2.8 / math.sqrt(n)) == pytest.approx(normal, abs=1e-6)


def test_power_curve_is_power_at_each_place() -> None:
    effects = np.array([0.0, 0.1, 0.7, 30.0])
    for n in (10, 90, 4000):
        curve = power_curve(n, effects, alpha=0.02)
        for j, effect in enumerate(effects):
            assert curve[j] == pytest.approx(power(n, effect=effect, alpha=0.02), rel=1e-13)
        assert np.all(np.diff(curve) >= 0)


@pytest.mark.parametrize(
    ("sd", "difference", "expected"),
    [
        (0.2, 0.0, None), (0.2, 1e-9, None), (math.nan, 0.1, None), (0.2, math.nan, None),
        (0.0, 0.1, 2),
    ],
)  # fmt: skip
def test_queries_needed_degenerate(sd, difference, expected) -> None:
    assert queries_needed(sd, difference) == expected


@pytest.mark.parametrize(("sd", "n"), [(0.2, 1), (0.2, 0), (math.nan, 50)])
def test_smallest_visible_undefined(sd, n) -> None:
    assert math.isnan(smallest_visible(sd, n))


def test_a_target_below_the_level_needs_no_difference() -> None:
    assert smallest_visible(0.2, 50, target=0.04) == 0.0


@pytest.mark.parametrize(("call", "said"), [
    (lambda: power(1, effect=0.5), "n_queries"),
    (lambda: power(50, effect=math.nan), "finite effect"),
    (lambda: power_curve(1, [0.1]), "n_queries"),
    (lambda: power(50, effect=0.5, alpha=1.0), "alpha"),
    (lambda: smallest_visible(-0.1, 50), "sd must be 0 or more"),
    (lambda: queries_needed(0.2, 0.1, target=1.0), "target"),
    (lambda: queries_for_width(0.2, 0.0), "width"),
    (lambda: expected_width(math.nan, 10), "sd"),
    (lambda: expected_width(-0.1, 10), "sd"),
    (lambda: spread_interval(-0.1, 10), "sd"),
    (lambda: expected_width(0.1, 10, confidence=1.0), "confidence"),
])  # fmt: skip
def test_arguments_without_meaning(call, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        call()


def test_acceptance_case(stat_case) -> None:
    expected = stat_case("pow01")["expected"]
    assert power(50, effect=0.4) == pytest.approx(expected["power_n50_dz0p4"], abs=1e-12)
    # The stored root was searched to 5e-9 of power only; ours meets .8 to the last digit.
    visible = smallest_visible(1.0, 50)
    assert visible == pytest.approx(expected["mde_dz_n50_power0p8"], abs=1e-8)
    assert power(50, effect=visible) == pytest.approx(0.8, abs=1e-14)
    assert queries_needed(1.0, 0.5) == expected["n_dz0p5_power0p8"]
    for key, n in expected["n_table"].items():
        # As published by Sakai (2018) for 80 and 90 % power at alpha 0.05.
        effect, target = map(float, key.split("_"))
        assert queries_needed(1.0, effect, target=target) == n
        assert queries_needed(1.0, -effect, target=target) == n


def same_by_integration(n, sd, margin, alpha=0.05):
    """Return the chance that both one-sided tests reject, at no difference."""
    freedom, critical = n - 1, stats.t.isf(alpha, n - 1)

    def given(seen):
        room = (margin - critical * seen / math.sqrt(n)) / (sd / math.sqrt(n))
        density = stats.chi2.pdf(freedom * seen**2 / sd**2, freedom) * 2 * seen * freedom / sd**2
        return (2 * stats.norm.cdf(room) - 1) * density

    largest = margin * math.sqrt(n) / critical
    return integrate.quad(given, 0, min(largest, 6 * sd), limit=200)[0]


@pytest.mark.slow
@pytest.mark.parametrize(("margin", "target"), [(0.1, 0.8), (0.05, 0.9), (0.02, 0.8), (0.3, 0.8)])
def test_queries_to_show_same_against_theory(margin, target) -> None:
    n = queries_to_show_same(0.2, margin, target=target)
    assert same_by_integration(n - 1, 0.2, margin) < target <= same_by_integration(n, 0.2, margin)


def test_queries_to_show_same_degenerate() -> None:
    assert queries_to_show_same(0.0, 0.1) == 2
    assert queries_to_show_same(math.nan, 0.1) is None
    assert queries_to_show_same(1.0, 1e-9) is None
    for margin in (0.0, -0.1, math.nan):
        with pytest.raises(ArgumentError, match="margin"):
            queries_to_show_same(0.2, margin)
    with pytest.raises(ArgumentError, match="target"):
        queries_to_show_same(0.2, 0.1, target=1.0)


@pytest.mark.every_case
@pytest.mark.parametrize("most", [2, 3, 100, 100_000_000])
@pytest.mark.parametrize("near", [0.0, 2.0, 41.4, 1e300])
def test_the_smallest_size_is_found_from_any_guess(most, near):
    for needed in (2, 3, 41, 42, 99, 100, 101):
        size = smallest_size(lambda n, least=needed: n >= least, maximum=most, near=near)
        assert size == (needed if needed <= most else None)


def test_a_good_guess_takes_few_calls():
    requested = []
    assert (
        smallest_size(lambda n: requested.append(n) or n >= 813, maximum=10_000, near=811.2) == 813
    )
    assert len(requested) <= 4


def test_a_difference_too_small_to_count_queries_for_has_no_number() -> None:
    # Its square leaves the range of float64; as an error, the warning would fail this test.
    assert queries_needed(1.0, 1e-300) is None


def test_acceptance_case_of_a_width(stat_case) -> None:
    expected = stat_case("pow02")["expected"]
    assert expected_width(0.2, 50) == pytest.approx(expected["expected_width_n50"], abs=1e-12)
    assert queries_for_width(0.2, 0.1) == expected["n"]


def test_spread_interval_against_theory() -> None:
    low, high = spread_interval(0.2, 26, confidence=0.9)
    assert 25 * 0.2**2 / low**2 == pytest.approx(stats.chi2.ppf(0.95, 25), rel=1e-12)
    assert 25 * 0.2**2 / high**2 == pytest.approx(stats.chi2.ppf(0.05, 25), rel=1e-12)


def test_degenerate_widths() -> None:
    assert expected_width(0.2, 0) == expected_width(0.2, 1) == math.inf
    assert (expected_width(0.0, 10), queries_for_width(0.0, 0.1)) == (0.0, 2)
    assert queries_for_width(1.0, 1e-9) is None
    assert spread_interval(0.0, 10) == (0.0, 0.0)
    for sd, n in ((0.2, 0), (0.2, 1), (math.nan, 10)):
        assert all(map(math.isnan, spread_interval(sd, n)))
