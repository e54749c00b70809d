"""One test on many samples at once."""

from __future__ import annotations

import numpy as np
import pytest

from abrank.inference import TESTS, run_test
from abrank.inference.designs.replications import find_differences

SAMPLES = np.round(np.random.default_rng(1).normal(0.1, 0.2, (20, 50)), 3)


@pytest.mark.parametrize("name", TESTS)
def test_each_sample_is_the_test_alone(name) -> None:
    found = find_differences(name, SAMPLES, alpha=0.1, seed=2, n_resamples=1999)
    alone = run_test(name, SAMPLES, confidence=0.9, n_resamples=1999)
    # Random flips in place of all, and another seed: only what is all but alpha may differ.
    clear = np.abs(alone.pvalue - 0.1) > 4 * np.sqrt(2 * 0.09 / 1999)
    assert clear.sum() > 30
    np.testing.assert_array_equal(found[clear], (alone.pvalue < 0.1)[clear])


def test_options_are_handed_on() -> None:
    few = SAMPLES[:5]
    enumerated = find_differences("permutation", few, alpha=0.1, seed=0, n_resamples=99)
    np.testing.assert_array_equal(enumerated, run_test("permutation", few).pvalue < 0.1)
    shown = {
        method: find_differences(
            "bootstrap", few, alpha=0.05, seed=0, n_resamples=499, method=method
        ).sum()
        for method in ("percentile", "studentised")
    }
    # Five queries are far too few for percentiles, which find more than there is.
    assert shown["percentile"] > shown["studentised"]
