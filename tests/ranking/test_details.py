"""Agreement of two orders against published values, the packages of others, and the definitions."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import kendalltau

from abrank.inference.systems.stability import kendall_tau, tau_ap
from abrank.ranking import rank_scores
from abrank.ranking.details import pair_spread
from abrank.ranking.rank import baselines_of, rank_again

# The example of the R package ircor (README), by the authors of "The Treatment of Ties in AP
# Correlation" (Urbano and Marrero, ICTIR 2017).
X = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
Y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])


def test_the_example_of_ircor() -> None:
    assert kendall_tau(X, Y) == pytest.approx(0.7777778, abs=5e-8)
    assert tau_ap(X, Y) == pytest.approx(0.7491182, abs=5e-8)
    tied = np.round(X * 5) / 5, np.round(Y * 5) / 5
    assert kendall_tau(*tied) == pytest.approx(0.75)


def by_definition(truth: np.ndarray, order: np.ndarray) -> float:
    """Equation 6 of Yilmaz, Aslam and Robertson (2008): the mean precision of the pairs above."""
    ranked = sorted(range(len(order)), key=lambda i: -order[i])
    share = 0.0
    for i in range(1, len(ranked)):
        share += sum(truth[ranked[j]] > truth[ranked[i]] for j in range(i)) / i
    return 2.0 * share / (len(ranked) - 1) - 1.0


def test_tau_ap_is_its_definition_for_every_order_and_0_in_their_mean() -> None:
    truth = np.arange(5.0)
    result = []
    for order in permutations(range(5)):
        value = float(tau_ap(truth, np.array(order, float)))
        assert value == pytest.approx(by_definition(truth, np.array(order, float)))
        result.append(value)
    assert (max(result), min(result), np.mean(result)) == (1.0, -1.0, pytest.approx(0.0))


def test_tau_ap_punishes_a_mistake_at_the_top_more() -> None:
    truth = np.arange(10.0)
    top, bottom = truth.copy(), truth.copy()
    top[[9, 8]], bottom[[0, 1]] = top[[8, 9]], bottom[[1, 0]]
    assert tau_ap(truth, top) < kendall_tau(truth, top) < tau_ap(truth, bottom)
    assert kendall_tau(truth, top) == kendall_tau(truth, bottom)


def test_kendall_is_scipys_with_ties_too() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        first, second = random.integers(0, 6, (2, 12)).astype(float)
        assert kendall_tau(first, second) == pytest.approx(kendalltau(first, second).statistic)


def test_rankings(monkeypatch) -> None:
    spread = pair_spread(np.array([[0.1, 0.2, 0.5], [0.3, 0.4, 0.1], [0.2, 0.5, 0.2]]))
    assert spread == pytest.approx((0.3464 / 0.2749) ** 2, abs=1e-3)
    scores = np.random.default_rng(0).random((9, 40))
    scores[:, 7] = scores[:, 3]  # one system twice
    whole = pair_spread(scores)
    monkeypatch.setattr("abrank.ranking.details.SYSTEMS_AT_ONCE", 16)
    in_parts = pair_spread(scores)
    sizes = [np.std(scores[:, i] - scores[:, j], ddof=1) for i in range(40) for j in range(i)]
    squares = np.square(sizes)
    assert (whole, in_parts) == pytest.approx((squares.max() / squares.mean(),) * 2)
    ranking = rank_scores({"X": {"q1": 0.3, "q2": 0.6}, "Y": {"q1": 0.5, "q2": 0.9}})
    assert rank_again(ranking) == ranking
    systems = ("bm25", "rm3")
    for requested, spread in ((None, ()), ("bm25", ("bm25",)), (["runs/bm25.run", "rm3"], systems)):
        assert baselines_of(requested, systems) == spread
