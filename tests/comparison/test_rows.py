"""Effect sizes and spread of a comparison: those of the inference room, and of numpy and scipy.

Planning with the spread of a finished comparison, by the closed forms of the planning room.
"""

import math

import numpy as np
import pytest
from scipy import stats

from abrank import compare_scores, inference
from abrank.comparison.rows import effects, spread
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


def test_the_interval_of_d_z_excludes_0_exactly_when_the_t_test_rejects() -> None:
    rejected = []
    for n in (3, 5, 8, 13, 21, 34):
        a, b = scores(n)
        effect = effects(a, b, differences_of(a, b), confidence=0.95)["d_z"]
        rejected.append(stats.ttest_rel(b, a).pvalue < 0.05)
        assert (effect.ci_low > 0 or effect.ci_high < 0) == rejected[-1]
    assert {*rejected} == {True, False}


def test_spread_against_scipy() -> None:
    a, b = scores(60)
    result = spread(a, b, differences_of(a, b))
    low, middle, high = np.quantile(b - a, [0.25, 0.5, 0.75])
    assert (result.lower_quartile, result.median, result.upper_quartile) == (low, middle, high)
    assert result.skew == pytest.approx(stats.skew(b - a), rel=1e-8)
    assert result.excess == pytest.approx(stats.kurtosis(b - a), rel=1e-8)
    assert result.correlation == pytest.approx(stats.pearsonr(a, b).statistic)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_queries_have_little_spread(n: int) -> None:
    a, b = scores(n)
    result = spread(a, b, differences_of(a, b))
    assert math.isnan(result.correlation)
    assert math.isnan(result.median) == (n == 0)
    assert math.isnan(result.skew) == (n < 2)


def test_scores_all_alike_have_no_correlation() -> None:
    a, b = np.full(5, 0.5), np.linspace(0.0, 1.0, 5)
    result = spread(a, b, differences_of(a, b))
    assert math.isnan(result.correlation)
    flat = spread(a, a + 0.1, differences_of(a, a + 0.1))
    assert math.isnan(flat.skew)
    assert flat.median == pytest.approx(0.1)
