"""How far two judges give the same grades: Cohen's kappa and Krippendorff's alpha.

=======================  ======================================
judgments                kappa; alpha
=======================  ======================================
none                     NaN
one grade, by both       NaN: there is nothing to agree on
the same everywhere      1
=======================  ======================================
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import numpy as np

from abrank._support import checks
from abrank._support.typing import FloatArray

Level: TypeAlias = Literal["ordinal", "nominal"]
LEVELS: tuple[str, ...] = get_args(Level)
Weights: TypeAlias = Literal["none", "linear", "quadratic"]
WEIGHTS: tuple[str, ...] = get_args(Weights)


def cohen_kappa(table: FloatArray, *, weights: Weights = "none") -> FloatArray:
    """Return Cohen's kappa over leading axes at once.

    Source: Cohen (1960), A coefficient of agreement for nominal scales, Educational and
    Psychological Measurement 20, 37-46; (1968), Weighted kappa, Psychological Bulletin 70, 213-220.
    """
    checks.one_of("weights", weights, WEIGHTS)
    grade = np.arange(table.shape[-1])
    apart = np.abs(grade[:, None] - grade).astype(np.float64) ** WEIGHTS.index(weights)
    np.fill_diagonal(apart, 0.0)
    seen = table.sum(axis=(-2, -1)) * (table * apart).sum(axis=(-2, -1))
    by_chance = np.einsum("...i,...j,ij->...", table.sum(axis=-1), table.sum(axis=-2), apart)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1.0 - seen / by_chance)


def krippendorff_alpha(coincidences: FloatArray, *, level: Level = "ordinal") -> FloatArray:
    """Return Krippendorff's alpha, over leading axes at once.

    Source: Krippendorff (2011), Computing Krippendorff's alpha-reliability.
    """
    checks.one_of("level", level, LEVELS)
    n = coincidences.sum(axis=-1)
    if level == "ordinal":
        middle = np.cumsum(n, axis=-1) - n / 2.0
        apart = (middle[..., :, None] - middle[..., None, :]) ** 2
    else:
        apart = 1.0 - np.eye(coincidences.shape[-1])
    seen = (coincidences * apart).sum(axis=(-2, -1))
    expected = (n[..., :, None] * n[..., None, :] * apart).sum(axis=(-2, -1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(1.0 - (n.sum(axis=-1) - 1.0) * seen / expected)
