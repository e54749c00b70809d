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


def cohen_kappa(table: FloatArray) -> FloatArray:
    """Return Cohen's kappa, without weights, over leading axes at once.

    Parameters
    ----------
    table : float64[..., n_grades, n_grades]
        Counts or shares: one judge's grades in rows, the other's in columns.

    Returns
    -------
    float64[...]
        1 where all agree, 0 where they agree as often as their grades do by chance.

    References
    ----------
    .. [1] Cohen (1960), A coefficient of agreement for nominal scales, Educational and
       Psychological Measurement 20, 37-46.

    Examples
    --------
    >>> round(float(cohen_kappa(np.array([[20.0, 5.0], [10.0, 15.0]]))), 3)
    0.4
    """
    total = table.sum(axis=(-2, -1))
    same = np.trace(table, axis1=-2, axis2=-1)
    by_chance = (table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((total * same - by_chance) / (total**2 - by_chance))


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
