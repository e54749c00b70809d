"""Populations have a mean of 0, and ties and steps as they were."""

import numpy as np
import pytest

from abrank._support.errors import ArgumentError, NotFoundError
from reports.studies.calibration.populations import STEPS, Pair, balancing_weights, populations
from reports.studies.calibration.sources import MEASURES


def skewed(n: int = 60) -> np.ndarray:
    return np.round(np.random.default_rng(1).gamma(0.7, 0.2, n) - 0.1, 1)


def test_weights_are_the_tilted_ones() -> None:
    """against_theory: the least change that gives a mean of 0 is exponential in the values."""
    values = skewed()[:, None]
    weights = balancing_weights(values)
    assert weights @ values == pytest.approx(0.0, abs=1e-12)
    assert weights.sum() == pytest.approx(1.0)
    logs = np.log(weights)
    assert np.polyfit(values[:, 0], logs, 1, full=True)[1] == pytest.approx(0.0, abs=1e-18)


def test_no_weights_for_a_pair_that_one_system_always_wins() -> None:
    with pytest.raises(ArgumentError, match="no weights"):
        balancing_weights(np.array([[0.1], [0.2], [0.3]]))


def test_what_a_pair_knows_of_itself() -> None:
    pair = Pair(np.array([[-0.2], [0.0], [0.1]]), np.array([0.2, 0.4, 0.4]))
    assert pair.spread == pytest.approx(np.sqrt(0.2 * 0.04 + 0.4 * 0.01))
    assert pair.skewness == pytest.approx((0.4 * 0.001 - 0.2 * 0.008) / pair.spread**3)
    assert pair.decided == pytest.approx(0.6)
    assert pair.net_share == pytest.approx((0.4 - 0.2) / 0.6)
    sample = pair.draw(5, 20_000, np.random.default_rng(3))
    assert sample.shape == (5, 20_000, 1)
    assert np.mean(sample == 0.0) == pytest.approx(0.4, abs=4 * np.sqrt(0.24 / 100_000))


@pytest.mark.usefixtures("small")
def test_simulated_populations() -> None:
    result = populations(None, seed=3)
    assert [(item.source, item.measure) for item in result] == [
        ("simulated", measure) for measure in (*MEASURES, "all four")
    ]
    for population, second in zip(result, populations(None, seed=3), strict=True):
        assert population.pairs
        assert population.scope == "all"
        for pair, same in zip(population.pairs, second.pairs, strict=True):
            assert pair.weights @ pair.differences == pytest.approx(0.0, abs=1e-12)
            np.testing.assert_array_equal(pair.differences, same.differences)
    for population in result[:4]:
        steps = population.pairs[0].differences / STEPS[population.measure]
        np.testing.assert_allclose(steps, np.rint(steps), atol=1e-9)
    assert result[4].pairs[0].differences.shape[1] == 4


@pytest.mark.usefixtures("small")
def test_a_folder_without_the_runs(tmp_path) -> None:
    with pytest.raises(NotFoundError, match=r"robust03 has no qrels\.txt"):
        populations(tmp_path, seed=0)
