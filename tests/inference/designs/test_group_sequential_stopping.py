"""Group-sequential boundaries, against published tables."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from abrank._support.errors import ArgumentError
from abrank.inference.designs.sequential import stopping_boundaries


# Jennison & Turnbull (2000), tables 2.1 and 2.3, alpha = .05.
@pytest.mark.parametrize(
    ("n_looks", "pocock", "obrien_fleming"),
    [(2, 2.178, 1.977), (3, 2.289, 2.004), (4, 2.361, 2.024), (5, 2.413, 2.040),
     (10, 2.555, 2.087)],
)  # fmt: skip
def test_constants_published(n_looks, pocock, obrien_fleming) -> None:
    flat = stopping_boundaries(n_looks, kind="pocock")
    assert flat.critical == pytest.approx(np.full(n_looks, pocock), abs=5e-4)
    falling = stopping_boundaries(n_looks, kind="obrien-fleming")
    assert falling.critical[-1] == pytest.approx(obrien_fleming, abs=5e-4)
    assert falling.critical * np.sqrt(falling.share) == pytest.approx(
        np.full(n_looks, falling.critical[-1])
    )


# Five looks, alpha = .05, by WinLD, the program of Reboussin, DeMets, Kim & Lan (2000),
# Controlled Clinical Trials 21, 190-207.
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("spend-obrien-fleming", [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]),
        ("spend-pocock", [2.4380, 2.4268, 2.4101, 2.3966, 2.3859]),
    ],
)
def test_spending_published(kind, expected) -> None:
    assert stopping_boundaries(5, kind=kind).critical == pytest.approx(expected, abs=1.5e-4)


@pytest.mark.parametrize(
    "kind", ["obrien-fleming", "pocock", "spend-obrien-fleming", "spend-pocock"]
)
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_all_looks_spend_alpha(kind, alpha) -> None:
    for looks in (1, 7, [0.1, 0.15, 0.9, 1.0]):
        found = stopping_boundaries(looks, alpha=alpha, kind=kind)
        assert found.spent[-1] == pytest.approx(alpha, abs=1e-10)
        assert np.all(np.diff(found.spent) > 0)
        assert found.level == pytest.approx(2 * norm.sf(found.critical), rel=1e-9)
        # The first look is reached by all, and spends the level of its own test.
        assert found.spent[0] == pytest.approx(found.level[0], rel=1e-9)


def test_two_looks_against_the_bivariate_normal_law() -> None:
    from scipy.stats import multivariate_normal

    found = stopping_boundaries([0.3, 1.0], kind="spend-pocock")
    law = multivariate_normal([0, 0], [[1, np.sqrt(0.3)], [np.sqrt(0.3), 1]], seed=1)
    stays = law.cdf(found.critical, lower_limit=-found.critical)
    assert 1 - stays == pytest.approx(0.05, abs=1e-5)


def test_spent_against_simulation() -> None:
    random = np.random.default_rng(4)
    found = stopping_boundaries(4, kind="obrien-fleming")
    z = np.cumsum(random.normal(size=(200_000, 4)), axis=1) / np.sqrt(np.arange(1, 5))
    stopped = np.logical_or.accumulate(np.abs(z) > found.critical, axis=1).mean(axis=0)
    assert np.all(np.abs(stopped - found.spent) < 4 * np.sqrt(found.spent / 200_000) + 1e-12)


def test_spending_needs_no_fixed_times() -> None:
    # What was spent by a share does not depend on the looks before it.
    one, other = (
        stopping_boundaries(looks, kind="spend-pocock") for looks in ([0.5, 1.0], [0.2, 0.5, 1.0])
    )
    assert one.spent[-2] == pytest.approx(other.spent[-2], abs=1e-12)


def test_a_look_that_is_too_early_never_stops() -> None:
    found = stopping_boundaries([0.01, 0.5, 1.0])
    assert np.isinf(found.critical[0])
    assert (found.level[0], found.spent[0]) == (0.0, 0.0)


@pytest.mark.parametrize(
    "kind", ["obrien-fleming", "pocock", "spend-obrien-fleming", "spend-pocock"]
)
def test_one_look_is_the_plain_test(kind) -> None:
    for looks in (1, [1.0]):
        assert stopping_boundaries(looks, kind=kind).critical == pytest.approx([norm.isf(0.025)])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: stopping_boundaries(0), "looks"),
        (lambda: stopping_boundaries([]), "rise within 0 and 1"),
        (lambda: stopping_boundaries([0.5, 0.5]), "rise within 0 and 1"),
        (lambda: stopping_boundaries([0.0, 1.0]), "rise within 0 and 1"),
        (lambda: stopping_boundaries([0.5, np.nan]), "rise within 0 and 1"),
        (lambda: stopping_boundaries([0.5, 1.1]), "rise within 0 and 1"),
        (lambda: stopping_boundaries([0.5, 0.5 + 1e-6]), "1/40000"),
        (lambda: stopping_boundaries(3, alpha=1.0), "alpha"),
        (lambda: stopping_boundaries(3, kind="haybittle"), "unknown kind"),
    ],
)
def test_arguments_without_meaning(call, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        call()
