"""How well a measure tells systems apart."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from abrank.inference.systems.registry import achieved_levels, swap_rate


def test_levels_are_the_paired_t_tests_of_all_pairs() -> None:
    scores = np.random.default_rng(2).normal(size=(20, 4))
    wanted = sorted(
        stats.ttest_rel(scores[:, i], scores[:, j]).pvalue for i, j in combinations(range(4), 2)
    )
    np.testing.assert_allclose(achieved_levels(scores), wanted)


def test_systems_alike_swap_half_of_the_time_and_others_never() -> None:
    random = np.random.default_rng(3)
    alike = [swap_rate(random.normal(size=(40, 2)), n_splits=40) for _ in range(40)]
    assert np.mean(alike) == pytest.approx(0.5, abs=0.12)
    apart = random.normal(size=(40, 1)) + np.array([0.0, 5.0, 10.0])
    assert swap_rate(apart) == 0.0


def test_nothing_to_part_is_not_a_number() -> None:
    assert np.isnan(swap_rate([[0.1, 0.2]]))
    assert np.isnan(swap_rate([[0.1, 0.1], [0.2, 0.2]]))
