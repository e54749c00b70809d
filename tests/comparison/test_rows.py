"""Effect sizes and spread of a comparison: those of the inference room, and of numpy and scipy.

Planning with the spread of a finished comparison, by the closed forms of the planning room.
"""

import numpy as np
import pytest
from scipy import stats

from abrank import compare_scores, inference
from abrank.comparison.rows import spread
from abrank.inference.effect_size import effect_interval
from abrank.inference.rounding import differences_of


def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    a = rng.random(n)
    return a, np.clip(a + rng.normal(0.05, 0.1, n), 0.0, 1.0)


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_effects_are_those_of_the_inference_room_at_the_level_of_the_rule(alpha: float) -> None:
    a, b = scores(40)
    ids = [f"q{i:02}" for i in range(40)]
    pairs = (dict(zip(ids, item.tolist(), strict=True)) for item in (a, b))
    comparison = compare_scores(*pairs, alpha=alpha, resamples=99)
    assert list(comparison.effects) == list(inference.EFFECT_SIZES)
    for name, effect in comparison.effects.items():
        wanted = effect_interval(name, a, b, confidence=1.0 - alpha)
        assert effect.estimate == wanted.estimate[0] == comparison.effect_size(name)
        assert (effect.ci_low, effect.ci_high) == (wanted.ci_low[0], wanted.ci_high[0])
        assert effect.method == wanted.method


def test_spread_against_scipy() -> None:
    a, b = scores(60)
    result = spread(a, b, differences_of(a, b))
    low, middle, high = np.quantile(b - a, [0.25, 0.5, 0.75])
    assert (result.lower_quartile, result.median, result.upper_quartile) == (low, middle, high)
    assert result.skew == pytest.approx(stats.skew(b - a), rel=1e-8)
    assert result.excess == pytest.approx(stats.kurtosis(b - a), rel=1e-8)
    assert result.correlation == pytest.approx(stats.pearsonr(a, b).statistic)
