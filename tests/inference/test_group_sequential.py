"""Group-sequential boundaries against published tables, and the tests held against them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.inference.group_sequential import run_at_looks, stopping_boundaries


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


def test_a_look_that_is_too_early_never_stops() -> None:
    found = stopping_boundaries([0.01, 0.5, 1.0])
    assert np.isinf(found.critical[0])
    assert (found.level[0], found.spent[0]) == (0.0, 0.0)
    d = np.linspace(0.5, 0.6, 100)
    tested = run_at_looks(d, [2, 100, 200])
    assert (tested.ci_low[0], tested.ci_high[0]) == (-np.inf, np.inf)
    assert tested.stopped.tolist() == [False, True]
    assert tested.first_stop == 100


def test_spending_needs_no_fixed_times() -> None:
    # What was spent by a share does not depend on the looks before it.
    one, other = (
        stopping_boundaries(looks, kind="spend-pocock") for looks in ([0.5, 1.0], [0.2, 0.5, 1.0])
    )
    assert one.spent[-2] == pytest.approx(other.spent[-2], abs=1e-12)


@pytest.mark.parametrize("test", ["t", "permutation"])
def test_each_look_is_the_test_at_its_level(test) -> None:
    d = np.round(np.random.default_rng(1).normal(0.08, 0.2, 40), 2)
    found = run_at_looks(d, [12, 24, 36, 48], test=test, kind="pocock")
    assert found.n_queries.tolist() == [12, 24, 36]
    for i, n in enumerate(found.n_queries):
        alone = run_test(test, d[:n], confidence=1 - found.level[i])
        assert found.pvalue[i] == alone.pvalue[0]
        assert (found.ci_low[i], found.ci_high[i]) == (alone.ci_low[0], alone.ci_high[0])
        assert found.stopped[i] == (found.pvalue[i] < found.level[i])
    assert len(found.boundaries.level) == 4


def test_level_against_itself() -> None:
    # Four looks at t; looking without boundaries finds twice too much. 4 standard errors.
    random = np.random.default_rng(5)
    looks, stopped, naive = [50, 100, 150, 200], 0, 0
    for _ in range(400):
        d = random.normal(0, 0.2, 200)
        found = run_at_looks(d, looks, kind="spend-pocock")
        stopped += found.first_stop is not None
        naive += bool((found.pvalue < 0.05).any())
    assert abs(stopped / 400 - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 400)
    assert naive / 400 > 0.09


@pytest.mark.parametrize(
    ("d", "n_reached", "pvalue", "interval"),
    [
        ([], 0, None, None),
        ([0.1], 0, None, None),
        ([0.0] * 4, 2, 1.0, (0.0, 0.0)),
        ([0.25] * 4, 2, np.nan, (-np.inf, np.inf)),
    ],
)
def test_degenerate(d, n_reached, pvalue, interval) -> None:
    found = run_at_looks(d, [2, 4, 6], kind="pocock")
    assert len(found.n_queries) == n_reached
    assert found.first_stop is None
    if n_reached:
        assert found.pvalue[-1] == pytest.approx(pvalue, nan_ok=True)
        assert (found.ci_low[-1], found.ci_high[-1]) == interval


def test_two_queries_and_one_that_differs_have_an_answer() -> None:
    for d in ([0.1, 0.2], [0.0, 0.0, 0.0, 0.4]):
        found = run_at_looks(d, [2, 4, 6], kind="pocock")
        assert not found.stopped.any()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: stopping_boundaries(0), "looks"),
        (lambda: stopping_boundaries([]), "rise within 0 and 1"),
        (lambda: stopping_boundaries([0.5, 0.5]), "rise within 0 and 1"),
        (lambda: stopping_boundaries([0.5, 1.1]), "rise within 0 and 1"),
        (lambda: stopping_boundaries([0.5, 0.5 + 1e-6]), "1/40000"),
        (lambda: stopping_boundaries(3, alpha=1.0), "alpha"),
        (lambda: stopping_boundaries(3, kind="haybittle"), "unknown kind"),
        (lambda: run_at_looks([0.1], []), "rise"),
        (lambda: run_at_looks([0.1], [5, 3]), "rise"),
        (lambda: run_at_looks([0.1, np.inf], [2]), "finite"),
        (lambda: run_at_looks([[0.1, 0.2]], [1]), "one column"),
    ],
)
def test_arguments_without_meaning(call, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        call()
