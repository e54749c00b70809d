"""Power, smallest visible difference and queries needed, against statsmodels and the published."""

from __future__ import annotations

import math
import warnings

import pytest

from abrank import ArgumentError, planning


@pytest.mark.parametrize("n", [5, 20, 50, 250, 2000])
@pytest.mark.parametrize("effect", [0.0, 0.05, 0.2, 0.5, 1.0])
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_power_against_statsmodels(n, effect, alpha) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # statsmodels' own deprecations, not ours
        from statsmodels.stats.power import TTestPower

    expected = TTestPower().power(effect, n, alpha)
    if not math.isfinite(expected):
        expected = 1.0  # its distribution function gives up where the power is 1 to all digits
    # Below a non-centrality of 25 both are exact; beyond, the normal form is good to 1e-3.
    assert planning.power(n, effect=effect, alpha=alpha) == pytest.approx(expected, abs=1e-6)


def test_power_normal_form_continues_the_exact_one() -> None:
    # df = 5000 is the last exact one.
    for effect in (0.01, 0.03, 0.05):
        exact, normal = (planning.power(n, effect=effect) for n in (5001, 5002))
        assert normal == pytest.approx(exact, abs=1e-3)


def test_power_never_fails_for_large_values() -> None:
    assert planning.power(1_000_000, effect=1.0) == pytest.approx(1.0)
    assert planning.power(7_000, effect=38 / math.sqrt(7_000)) == pytest.approx(1.0)


# Sakai (2018): queries for 80 and 90 % power at alpha 0.05.
@pytest.mark.parametrize(
    ("effect", "target", "n"),
    [(0.2, 0.8, 199), (0.2, 0.9, 265), (0.3, 0.8, 90), (0.3, 0.9, 119), (0.5, 0.8, 34),
     (0.5, 0.9, 44), (0.8, 0.8, 15), (0.8, 0.9, 19)],
)  # fmt: skip
def test_queries_needed_published(effect, target, n) -> None:
    assert planning.queries_needed(1.0, effect, target=target) == n
    assert planning.queries_needed(1.0, -effect, target=target) == n


def test_queries_needed_is_the_smallest() -> None:
    n = planning.queries_needed(0.2, 0.013)
    assert planning.power(n, effect=0.013 / 0.2) >= 0.8 > planning.power(n - 1, effect=0.013 / 0.2)


@pytest.mark.parametrize(
    ("sd", "difference", "expected"),
    [
        (0.2, 0.0, None),
        (0.2, 1e-9, None),
        (math.nan, 0.1, None),
        (0.2, math.nan, None),
        (0.0, 0.1, 2),
    ],
)
def test_queries_needed_degenerate(sd, difference, expected) -> None:
    assert planning.queries_needed(sd, difference) == expected


def test_smallest_visible_inverts_power() -> None:
    # statsmodels' TTestPower gives .4041829997 standard deviations for 50 queries.
    assert planning.smallest_visible(1.0, 50) == pytest.approx(0.4041829997, abs=1e-8)
    assert planning.smallest_visible(0.2, 2) > 0.2


@pytest.mark.parametrize(("sd", "n"), [(0.2, 1), (0.2, 0), (math.nan, 50)])
def test_smallest_visible_undefined(sd, n) -> None:
    assert math.isnan(planning.smallest_visible(sd, n))


def test_smallest_visible_without_spread() -> None:
    assert planning.smallest_visible(0.0, 50) == 0.0


def test_power_refuses_one_query() -> None:
    with pytest.raises(ArgumentError, match="n_queries"):
        planning.power(1, effect=0.5)
