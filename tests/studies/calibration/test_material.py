"""What the parts draw from has the truth that is said of it."""

from itertools import product

import numpy as np
import pytest

from abrank.inference import EFFECT_SIZES, effect_size
from reports.studies.calibration import sources
from reports.studies.calibration.material import GAIN, Block, material
from reports.studies.calibration.parts.effects import true_effects
from reports.studies.calibration.parts.ranks import pseudo_median
from reports.studies.calibration.populations import Pair, balancing_weights, populations
from tests.studies.calibration.made import normal_material


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_simulated_material() -> None:
    result = material(None, populations(None, seed=2), seed=2)
    assert result.source == "simulated"
    for pair in (*result.pairs, *result.families):
        assert pair.weights @ pair.differences == pytest.approx(0.0, abs=1e-12)
    assert result.level
    for block in (*result.level, *result.many):
        assert block.mean == pytest.approx(np.full_like(block.mean, block.mean[0]))
    for block in result.raised:
        assert block.mean[1] == pytest.approx((1.0 + GAIN) * block.mean[0])
    assert {block.scores.shape[1] for block in result.level} == {2}
    again = material(None, populations(None, seed=2), seed=2)
    np.testing.assert_array_equal(result.level[0].scores, again.level[0].scores)


@pytest.mark.slow
def test_real_material(shared_data, monkeypatch) -> None:
    monkeypatch.setattr(sources, "COLLECTIONS", ("ltr",))
    monkeypatch.setattr(sources, "SIMULATED_QUERIES", 40)
    monkeypatch.setattr(sources, "EFFECTS", np.array([0.0, 0.1]))
    result = material(shared_data, populations(shared_data, seed=0), seed=0)
    assert result.source == "collections"
    assert {block.scores.shape[1] for block in result.many} == {5}
    assert len(result.level) > len(result.many) > 0
    boards = {board.name: board.scores.shape for board in result.boards}
    assert boards["ltr, AP, 5 systems"] == (50, 5)
    assert boards["adhoc7_ap, the 10 best"] == (50, 10)
    assert boards["adhoc7_ap, 103 systems"] == (50, 103)
    assert {board.name for board in result.balanced} >= {
        "adhoc7_ap, 9 systems", "ltr, AP, 5 systems", "web2012_ndcg20, 7 systems",
    }  # fmt: skip
    for board in result.balanced:
        np.testing.assert_allclose(board.mean, board.mean[0], atol=1e-9)
        assert 1.0 / (board.weights**2).sum() >= len(board.weights) / 2.0


def test_true_effects_are_those_of_many_queries() -> None:
    """against_itself: every effect size of a large sample is near that of the population."""
    block = normal_material().raised[0]
    values = np.rint(block.scores / 0.1) * 0.1
    block = Block(values, balancing_weights(values[:, 1:] - 1.25 * values[:, [0]]))
    sample = block.draw(200_000, 1, np.random.default_rng(1))[:, 0]
    truth = true_effects(block)
    assert set(truth) == set(EFFECT_SIZES)
    for name, value in truth.items():
        assert effect_size(name, sample[:, 0], sample[:, 1])[0] == pytest.approx(value, abs=0.01)


def test_pseudo_median_is_that_of_all_draws() -> None:
    """against_theory: equal weights make it the median of all means of two values."""
    low, high = pseudo_median(Pair(np.array([[-0.3], [0.0], [0.1], [0.2], [0.6]]), np.full(5, 0.2)))
    means = [(a + b) / 2.0 for a, b in product([-0.3, 0.1, 0.2, 0.6], repeat=2)]
    assert (low + high) / 2.0 == pytest.approx(np.median(means))
    # A law with exactly half on either side of a gap has all of the gap for its medians.
    two = Pair(np.array([[-1.0], [1.0]]), np.array([0.5, 0.5]))
    assert pseudo_median(two) == (0.0, 0.0)
    share = np.sqrt(0.5)
    assert pseudo_median(Pair(two.differences, np.array([share, 1 - share]))) == (-1.0, 0.0)
