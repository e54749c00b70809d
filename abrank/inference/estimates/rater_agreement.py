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

    Parameters
    ----------
    table : float64[..., n_grades, n_grades]
        Counts or shares: one judge's grades in rows, the other's in columns, ascending.
    weights : {"none", "linear", "quadratic"}
        Of a disagreement: 1 whatever the grades, the number of grades between them, its square.

    Returns
    -------
    float64[...]
        1 where all agree, 0 where they agree as often as their grades do by chance.

    References
    ----------
    .. [1] Cohen (1960), A coefficient of agreement for nominal scales, Educational and
       Psychological Measurement 20, 37-46; (1968), Weighted kappa, Psychological Bulletin 70,
       213-220.

    Examples
    --------
    >>> round(float(cohen_kappa(np.array([[20.0, 5.0], [10.0, 15.0]]))), 3)
    0.4
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

    Parameters
    ----------
    coincidences : float64[..., n_grades, n_grades]
        Coincidence matrix, symmetric, grades ascending: of two judges without gaps their table and
        its transpose, added.
    level : {"ordinal", "nominal"}
        Whether far apart grades count as more disagreement, or all that differ as the same.

    Returns
    -------
    float64[...]

    References
    ----------
    .. [1] Krippendorff (2011), Computing Krippendorff's alpha-reliability.

    Examples
    --------
    >>> table = np.array([[5.0, 3.0], [1.0, 1.0]])
    >>> round(float(krippendorff_alpha(table + table.T)), 3)
    0.095
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
