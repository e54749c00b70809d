"""Tests at planned looks."""

from __future__ import annotations

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.inference.designs.sequential import run_at_looks


def test_a_look_that_is_too_early_never_stops() -> None:
    d = np.linspace(0.5, 0.6, 100)
    tested = run_at_looks(d, [2, 100, 200])
    assert (tested.ci_low[0], tested.ci_high[0]) == (-np.inf, np.inf)
    assert tested.stopped.tolist() == [False, True]
    assert tested.first_stop == 100


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
        (lambda: run_at_looks([0.1], []), "rise"),
        (lambda: run_at_looks([0.1], [5, 3]), "rise"),
        (lambda: run_at_looks([0.1, np.inf], [2]), "finite"),
        (lambda: run_at_looks([[0.1, 0.2]], [1]), "one column"),
    ],
)
def test_arguments_without_meaning(call, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        call()
