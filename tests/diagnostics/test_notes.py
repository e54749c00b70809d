"""What the cautions ask of differences."""

from __future__ import annotations

import numpy as np

from abrank.diagnostics import outcomes


def test_outcomes_ignore_float_noise() -> None:
    assert outcomes(np.array([1e-12, -1e-12, 1e-9])).tolist() == [0, 0, 1]
