"""The A/A check: a right test passes, a wrong one is found."""

import numpy as np
import pytest
from scipy.stats import binom

from abrank._support.errors import ArgumentError
from abrank.inference import TESTS, run_test
from abrank.inference.aa_test import check_level, rejections

D = np.round(np.random.default_rng(3).gamma(0.5, 0.2, 40), 3) - 0.02


def test_the_rate_is_that_of_the_definition() -> None:
    # Four equal signs have p = 1/8 < .13, which an eighth of all flips give.
    level = check_level("permutation", [1.0] * 4, alpha=0.13, n_replications=2000)
    assert level.low < 0.125 < level.high
    assert not level.too_often


def test_a_test_that_finds_too_much_is_found() -> None:
    # The sign test of resampled skewed differences asks about wins, not about the mean.
    skewed = np.append(np.full(45, 0.02), np.full(5, -0.3))
    assert check_level("sign", skewed, by="resampled").too_often


def test_band_is_binomial() -> None:
    level = check_level("t", D, n_replications=400, alpha=0.1)
    assert level.band_low == binom.ppf(0.025, 400, 0.1) / 400
    assert level.band_high == binom.ppf(0.975, 400, 0.1) / 400


@pytest.mark.parametrize(("given", "said"), [
    ({"differences": [0.1, np.inf]}, "finite"),
    ({"by": "thirds"}, "unknown way"),
    ({"alpha": 0.0}, "alpha"),
    ({"n_replications": 0}, "n_replications"),
    ({"name": "z"}, "unknown test"),
])  # fmt: skip
def test_arguments_without_meaning(given, said) -> None:
    requested = {"name": "t", "differences": D, **given}
    with pytest.raises(ArgumentError, match=said):
        check_level(**requested)


# --- One test on many samples at once

SAMPLES = np.round(np.random.default_rng(1).normal(0.1, 0.2, (20, 50)), 3)


@pytest.mark.slow
@pytest.mark.parametrize("name", TESTS)
def test_each_sample_is_the_test_alone(name) -> None:
    differences = rejections(name, SAMPLES, alpha=0.1, seed=2, n_resamples=1999)
    alone = run_test(name, SAMPLES, confidence=0.9, n_resamples=1999)
    # Random flips in place of all, and another seed: only what is all but alpha may differ.
    clear = np.abs(alone.pvalue - 0.1) > 4 * np.sqrt(2 * 0.09 / 1999)
    assert clear.sum() > 30
    np.testing.assert_array_equal(differences[clear], (alone.pvalue < 0.1)[clear])
