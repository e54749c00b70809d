"""What a comparison is asked: the rule, as declared before anything is looked at."""

from __future__ import annotations

from dataclasses import dataclass

from abrank._support.typing import RandomSource
from abrank.verdict import Requirement


@dataclass(frozen=True)
class Question:
    """The keywords of :func:`abrank.compare` that say what decides, and how it is resampled.

    Attributes
    ----------
    primary : str, optional
        The measure that decides; the first without it.
    margin : float, optional
        Smallest difference worth having, in the unit of the primary measure; None declares none.
    test : str
        The test that decides: ``t``, ``permutation``, ``bootstrap``, ``wilcoxon`` or ``sign``.
    alpha : float
        Two-sided level.
    adjust : {"max-t", "holm", "bonferroni", "bh", "none"}, optional
        Over the secondary measures. Without it ``max-t`` for tests of the mean, and ``holm`` for
        ``wilcoxon`` and ``sign``, whose hypothesis is another one than max-t's.
    require : {"better", "non-inferior", "equivalent", "not-worse-shown"}, optional
        A gate, recorded with the verdict.
    n_resamples : int, optional
        Resamples of the Monte Carlo tests; each test's own default without it.
    rng : int, Generator, SeedSequence or None
        Source of the resamples; the seed that replays them is recorded.

    Examples
    --------
    >>> Question(margin=0.01).alpha
    0.05
    """

    primary: str | None = None
    margin: float | None = None
    test: str = "t"
    alpha: float = 0.05
    adjust: str | None = None
    require: Requirement | None = None
    n_resamples: int | None = None
    rng: RandomSource = 0
