"""What a comparison is asked: the rule, as declared before anything is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from abrank._support.records import record
from abrank._support.typing import RandomSource
from abrank.rule import Spending
from abrank.verdict import Family, Requirement


@record
class Question:
    """The keywords of :func:`abrank.compare` that say what decides, and how it is resampled.

    Attributes
    ----------
    primary : str, optional
        The measure that decides; without it the first that was named. Where nobody named one of
        several, a ranking measure is taken, the result says so, and no gate passes by it.
    margin : float or str, optional
        Smallest difference worth having: in the unit of the primary measure, or a percentage of the
        baseline's mean such as ``"2%"``; None and 0 declare none.
    test : str
        The test that decides: ``t``, ``permutation``, ``bootstrap``, ``wilcoxon`` or ``sign``.
    alpha : float
        Two-sided level.
    adjust : {"max-t", "holm", "bonferroni", "bh", "none"}, optional
        Over the secondary measures. Without it ``max-t`` for tests of the mean, and ``holm`` for
        ``wilcoxon`` and ``sign``, whose hypothesis is another one than max-t's.
    family : {"secondary", "all", "fixed-sequence"}
        What is held to ``alpha``: the primary measure alone and the secondary ones together; all of
        them together; or one after the other in the order given, the primary first, each at
        ``alpha`` until one shows no difference, which bounds the chance of any false finding too
        and adjusts nothing else.
    require : {"better", "non-inferior", "equivalent", "not-worse-shown"}, optional
        A gate, recorded with the verdict.
    lower_is_better, higher_is_better : str or sequence of str
        Names of scores without a declared direction, of which the lower or the higher one is
        better: ``"ms"``. Nothing is decided by a score whose name sounds like a cost until it is
        said.
    n_resamples : int, optional
        Resamples of the Monte Carlo tests; each test's own default without it.
    look : str or (int, int), optional
        This look of those planned, evenly spaced: ``"2/4"``. It decides by its own boundary.
    spending : {"obrien-fleming", "pocock"}
        How the looks share out ``alpha``: hardly any of it early, or all alike.
    anytime : int, optional
        Decide by a confidence sequence, which holds however often one looks; it is narrowest at so
        many queries.
    planned : int, optional
        Queries planned in all: one may look before they are all there, and each look spends a share
        of ``alpha`` by the queries seen so far.
    earlier : path or Comparison, optional
        The result of the look before this one, which holds how many queries each look so far had.
    guards : sequence of str
        Measures that must be shown not to be worse, for a gate to pass: ``"R@100:-0.02"`` or
        ``"R@100:-2%"`` of the baseline's mean. Each is tested at ``alpha``.
    accept_doubt : bool
        Let a gate pass although the evidence is doubtful: see :mod:`abrank.soundness`.
    bayes : bool
        Show the posterior of the mean difference beside the tests; it decides nothing.
    rng : int, Generator, SeedSequence or None
        Source of the resamples; the seed that replays them is recorded.

    Examples
    --------
    >>> Question(margin=0.01).alpha
    0.05
    """

    primary: str | None = None
    margin: float | str | None = None
    test: str = "t"
    alpha: float = 0.05
    adjust: str | None = None
    family: Family = "secondary"
    require: Requirement | None = None
    lower_is_better: Sequence[str] | str = ()
    higher_is_better: Sequence[str] | str = ()
    n_resamples: int | None = None
    look: str | tuple[int, int] | None = None
    spending: Spending = "obrien-fleming"
    anytime: int | None = None
    planned: int | None = None
    earlier: Any = None  # a result, or where it was written
    guards: Sequence[str] | str = ()
    accept_doubt: bool = False
    bayes: bool = False
    rng: RandomSource = 0
