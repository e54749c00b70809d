"""Roots between limits, against scipy and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from abrank.inference.exact.roots import find_root


def curve(x, root, steepness):
    return np.tanh(steepness * (x - root)) + (x - root) ** 3


def test_against_scipy():
    rng = np.random.default_rng(1)
    root, steepness = rng.normal(size=200), 10.0 ** rng.uniform(-2, 2, 200)
    found = find_root(lambda x: curve(x, root, steepness), np.full(200, -9.0), np.full(200, 9.0))
    expected = [brentq(curve, -9.0, 9.0, given) for given in zip(root, steepness, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


def test_a_number_gives_numbers_to_the_function():
    seen = []

    def function(x):
        seen.append(type(x))
        return x**2 - 2.0

    assert float(find_root(function, 0.0, 2.0)) == pytest.approx(2**0.5, rel=1e-15)
    assert all(issubclass(each, float) for each in seen)
    assert len(seen) < 15


@pytest.mark.parametrize("limits", [(3.0, 9.0), (0.0, 3.0)])
def test_a_root_at_a_limit_is_found(limits):
    assert float(find_root(lambda x: x - 3.0, *limits)) == 3.0


def test_a_step_is_found_within_the_tolerance():
    found = float(find_root(lambda x: np.sign(x - 1 / 3), 0.0, 1.0, xtol=1e-6, rtol=0.0))
    assert abs(found - 1 / 3) <= 1e-6


def test_no_root_between_the_limits_is_an_error():
    with pytest.raises(ValueError, match="one sign"):
        find_root(lambda x: x + 1.0, 0.0, 1.0)
