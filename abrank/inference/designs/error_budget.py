"""The level of each comparison of a stream, so that errors are bounded over all of the stream.

A team compares candidate after candidate on the same queries. At a level of 5 % each, false
findings pile up. An online procedure gives every comparison a level before its result is known,
from what came before it, and pays some of it back for each finding.

Sources: Javanmard and Montanari (2018), Online rules for control of false discovery rate, Annals of
Statistics 46 (LOND, and the sequence of eq. 31); Ramdas, Yang, Wainwright and Jordan (2017), Online
control of the false discovery rate with decaying memory, NeurIPS (LORD++); Ramdas, Zrnic,
Wainwright and Jordan (2018), SAFFRON, ICML; Foster and Stine (2008), alpha-investing, JRSS B 70
(spending). Levels equal those of Bioconductor's onlineFDR 2.10.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray

OnlineMethod: TypeAlias = Literal["lord++", "saffron", "lond", "lond-dependent", "spending"]

# 1 / zeta(1.6), and what makes the weights of Javanmard and Montanari's sequence sum to 1.
_ZETA, _LORD = 0.4374901658, 0.07720838
_CANDIDATE = 0.5  # SAFFRON: a p-value above it costs level, one below it does not


def online_levels(
    pvalues: Sequence[float] | FloatArray,
    method: OnlineMethod = "lord++",
    *,
    alpha: float = 0.05,
    first: float | None = None,
    most: float = 1.0,
) -> FloatArray:
    """Return the level of every comparison of a stream so far, and of the next.

    A comparison finds something where its p-value is at most its level, which depends on nothing
    but the p-values before it.

    ==================  ==============================================================
    method              what is held to ``alpha``
    ==================  ==============================================================
    ``lord++``          false discovery rate, where p-values are independent
    ``saffron``         the same; more power where many candidates are better
    ``lond``            the same, also where they are positively dependent (PRDS)
    ``lond-dependent``  the same, however they depend on each other
    ``spending``        chance of any false finding, however they depend on each other
    ==================  ==============================================================

    Parameters
    ----------
    pvalues : sequence of float, length n
        In the order of the comparisons.
    method : {"lord++", "saffron", "lond", "lond-dependent", "spending"}
    alpha : float
        The bound on the errors of the whole stream.
    first : float, optional
        What LORD++ and SAFFRON may spend before the first finding; half of ``alpha`` without it.
    most : float
        No level is above it.

    Returns
    -------
    float64[n + 1]

    Raises
    ------
    ArgumentError
        If a p-value is not between 0 and 1, or the method is not known.

    Examples
    --------
    >>> levels = online_levels([0.0001, 0.6, 0.03])
    >>> [round(float(level), 5) for level in levels]
    [0.00134, 0.00163, 0.00054, 0.00045]
    """
    checks.one_of("method", method, get_args(OnlineMethod))
    alpha = checks.level("alpha", alpha)
    p = np.asarray(pvalues, dtype=float)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise ArgumentError("pvalues must be a sequence of numbers from 0 to 1")
    wealth = alpha / 2 if first is None else first
    if not 0 < wealth < alpha:
        raise ArgumentError(f"first must lie between 0 and alpha = {alpha:g}, not {first}")
    weights = _weights(len(p) + 1, method)
    levels = np.zeros(len(p) + 1)
    clock = 0  # comparisons that cost level; those that SAFFRON takes for candidates do not
    marks: list[int] = []  # the clock right after each finding
    for t in range(len(p) + 1):
        if method in ("lord++", "saffron"):
            # The first finding earns what was not there to begin with, each further one alpha.
            earned = alpha * weights[clock - np.array(marks, dtype=int)]
            paid = wealth * (weights[clock] - (weights[clock - marks[0]] if marks else 0))
            paid += float(earned.sum())
            levels[t] = paid if method == "lord++" else min(_CANDIDATE, (1 - _CANDIDATE) * paid)
        else:
            levels[t] = alpha * weights[t] * (1 if method == "spending" else len(marks) + 1)
            if method == "lond-dependent":
                levels[t] /= np.sum(1 / np.arange(1, t + 2))
        levels[t] = min(levels[t], most)
        if t == len(p):
            break
        clock += method != "saffron" or bool(p[t] > _CANDIDATE)
        if p[t] <= levels[t]:
            marks.append(clock)
    return levels


def _weights(n: int, method: OnlineMethod) -> FloatArray:
    """Return the first weights of a sequence that falls and sums to at most 1."""
    j = np.arange(1.0, n + 1)
    if method == "saffron":
        return np.asarray(_ZETA * j**-1.6)
    return np.asarray(_LORD * np.log(np.maximum(j, 2)) / (j * np.exp(np.sqrt(np.log(j)))))
