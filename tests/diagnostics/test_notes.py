"""What the cautions ask of differences."""

from __future__ import annotations

import numpy as np

from abrank.diagnostics import outcomes


def test_outcomes_ignore_float_noise() -> None:
    differences = np.array([1e-12, -1e-12, 1e-9, 0.3])
    for factor in (1.0, 1e-9, 2.0**-40, 1e6):
        assert outcomes(differences * factor).tolist() == [0, 0, 1, 1]
