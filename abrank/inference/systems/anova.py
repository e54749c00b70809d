"""Two-way analysis of variance of queries x systems: where the scores' variance comes from.

=====================  ========================================================
differences            F and p
=====================  ========================================================
no query               NaN
one query              NaN: there is no error
two queries            as any other data
all 0                  F 0, p 1
one value, not 0       NaN: the error is 0
one query differs      as any other data
two values             as any other data
not finite             refused
=====================  ========================================================

Of every system from every other; with two systems F is the square of the paired t.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from abrank._support.records import record
from abrank._support.typing import FloatArray
from abrank.inference.rounding import TIE
from abrank.inference.systems.registry import as_scores


@record
class Anova:
    """Sums of squares, degrees of freedom and the F test of the systems.

    ``mean_square_error`` is what paired differences are judged by. NaN where there are too few
    queries for an error, and for F and p where the error is 0 but the systems differ.
    """

    ss_query: float
    ss_system: float
    ss_error: float
    df_query: int
    df_system: int
    df_error: int
    mean_square_error: float
    f: float
    pvalue: float

    @property
    def shares(self) -> dict[str, float]:
        """Shares of query, system and error in the total sum of squares; NaN where that is 0.

        Examples
        --------
        >>> two_way_anova([[0.1, 0.3], [0.6, 0.8]]).shares["query"].__round__(3)
        0.862
        """
        total = self.ss_query + self.ss_system + self.ss_error
        parts = {"query": self.ss_query, "system": self.ss_system, "error": self.ss_error}
        return {name: part / total if total > 0.0 else np.nan for name, part in parts.items()}


def two_way_anova(scores: npt.ArrayLike) -> Anova:
    """Split the variance of scores into queries, systems and the rest; test the systems.

    Hypothesis: all systems have one mean. The query pairs the scores: what it adds to all systems
    alike is taken out before systems are compared. Rests are taken to have one variance.

    Parameters
    ----------
    scores : array_like of shape (n_queries, n_systems)

    Returns
    -------
    Anova
        With all systems the same on every query F is 0 and p 1.

    Raises
    ------
    ArgumentError
        If a score is not finite or there are fewer than two systems.

    References
    ----------
    .. [1] Tague-Sutcliffe & Blustein (1994), TREC-3, 385-398; Carterette (2012), ACM Transactions
       on Information Systems 30(1), article 4.

    Examples
    --------
    >>> found = two_way_anova([[0.31, 0.35, 0.40], [0.52, 0.55, 0.61], [0.12, 0.18, 0.16]])
    >>> round(found.f, 3), found.df_error, round(found.shares["query"], 3)
    (8.247, 4, 0.961)
    """
    block = as_scores(scores)
    n_queries, n_systems = block.shape
    df_query, df_system = max(n_queries - 1, 0), n_systems - 1
    df_error = df_query * df_system
    if n_queries == 0:
        return Anova(0.0, 0.0, 0.0, df_query, df_system, df_error, np.nan, np.nan, np.nan)
    query, system, rest = _parts(block)
    ss_query = n_systems * float(query @ query)
    ss_system = n_queries * float(system @ system)
    ss_error = float(np.sum(rest**2))
    mean_square = ss_error / df_error if df_error else np.nan
    f, pvalue = _f_test(ss_system, df_system, mean_square, df_error)
    return Anova(
        ss_query, ss_system, ss_error, df_query, df_system, df_error, mean_square, f, pvalue
    )


def _parts(block: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the effects of queries and of systems, and the rest; rounding noise is 0."""
    centred = block - block.mean()
    query, system = centred.mean(axis=1), centred.mean(axis=0)
    rest = centred - query[:, None] - system
    largest = np.abs(block).max()
    query, system, rest = (
        np.where(np.abs(part) > TIE * largest, part, 0.0) for part in (query, system, rest)
    )
    return query, system, rest


def _f_test(
    ss_system: float, df_system: int, mean_square: float, df_error: int
) -> tuple[float, float]:
    from scipy.special import fdtrc

    if ss_system == 0.0:
        return 0.0, 1.0
    if not mean_square > 0.0:
        return np.nan, np.nan
    f = ss_system / df_system / mean_square
    return f, float(fdtrc(df_system, df_error, f))
