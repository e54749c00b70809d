"""From an interval to a verdict: the rule that was declared, and the one table of cases.

The logic, and nothing else: which words and colours a verdict gets is the report's business.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, TypeAlias, get_args

from abrank._support import checks
from abrank._support.errors import ArgumentError

Requirement: TypeAlias = Literal["better", "non-inferior", "equivalent", "not-worse-shown"]


class Verdict(StrEnum):
    """What the interval of the primary measure says about B against A."""

    BETTER = "better"
    BETTER_SIZE_UNCLEAR = "better-size-unclear"
    SAME = "same"
    NOT_WORSE = "not-worse"
    NOT_BETTER = "not-better"
    INCONCLUSIVE = "inconclusive"
    WORSE_SIZE_UNCLEAR = "worse-size-unclear"
    WORSE = "worse"
    IDENTICAL = "identical"
    CANNOT_TEST = "cannot-test"


@dataclass(frozen=True)
class Rule:
    """What was declared before the runs were compared.

    Attributes
    ----------
    primary : str
        The measure that decides.
    test : str
        The test whose interval and p-value decide.
    alpha : float
        Two-sided level of the test; the interval has the level ``1 - alpha``.
    margin : float
        Smallest difference worth having, in the measure's own unit; 0 declares none.
    adjust : str
        How the secondary measures are adjusted: ``max-t``, ``holm``, ``bonferroni``, ``bh``,
        ``none``.
    require : str, optional
        The gate: ``better``, ``non-inferior``, ``equivalent``, or ``not-worse-shown``, which fails
        only where B is shown to be worse.
    higher_is_better : bool
        Of the primary measure; where lower is better, everything below is read mirrored.

    Raises
    ------
    ArgumentError
        If alpha or margin has no meaning, or a gate needs a margin and has none.

    Examples
    --------
    >>> Rule("nDCG@10", margin=0.01).confidence
    0.95
    """

    primary: str
    test: str = "t"
    alpha: float = 0.05
    margin: float = 0.0
    adjust: str = "max-t"
    require: Requirement | None = None
    higher_is_better: bool = True

    def __post_init__(self) -> None:
        checks.fraction("alpha", self.alpha)
        if self.alpha >= 0.5:
            raise ArgumentError(f"alpha must be below 0.5, not {self.alpha!r}")
        checks.not_negative("margin", self.margin)
        if self.require is not None:
            checks.one_of("gate", self.require, get_args(Requirement))
        if self.require in ("non-inferior", "equivalent") and self.margin == 0:
            raise ArgumentError(f'the gate "{self.require}" needs a margin above 0')

    @property
    def confidence(self) -> float:
        """Level of the interval that decides better and worse."""
        return 1.0 - self.alpha

    @property
    def confidence_equivalence(self) -> float:
        """Level of the interval of the two one-sided tests of equivalence."""
        return 1.0 - 2.0 * self.alpha

    def gain(self, low: float, high: float) -> tuple[float, float]:
        """Return an interval of B - A as one of what B gains: mirrored where lower is better.

        Examples
        --------
        >>> Rule("FPR@10", higher_is_better=False).gain(-0.2, -0.1)
        (0.1, 0.2)
        """
        return (low, high) if self.higher_is_better else (-high, -low)


@dataclass(frozen=True)
class Gate:
    """The gate that was asked for, and whether it passed."""

    require: Requirement
    passed: bool


@dataclass(frozen=True)
class Decision:
    """The verdict with the numbers that gave it.

    Attributes
    ----------
    verdict : Verdict
    direction : int
        +1 where the ``1 - alpha`` interval shows B to be better, -1 where it shows B to be worse,
        else 0.
    estimate, ci_low, ci_high : float
        Of the primary measure, B - A, at the level ``1 - alpha``.
    tost_low, tost_high : float
        The interval at the level ``1 - 2 alpha``: inside the margin exactly when both one-sided
        tests at alpha reject.
    by_equivalence : bool
        True where the ``1 - 2 alpha`` interval decided.
    reason : str
        For ``cannot-test``: ``too-few-queries`` or ``no-variance``; else empty.
    gate : Gate, optional
    """

    verdict: Verdict
    direction: int
    estimate: float
    ci_low: float
    ci_high: float
    tost_low: float
    tost_high: float
    by_equivalence: bool = False
    reason: str = ""
    gate: Gate | None = None


def decide(
    rule: Rule,
    *,
    estimate: float,
    interval: tuple[float, float],
    equivalence_interval: tuple[float, float],
    identical: bool = False,
    reason: str = "",
) -> Decision:
    """Give the verdict on the primary measure.

    Better and worse are decided by the ``1 - alpha`` interval L..U; same, not worse and not better
    by two one-sided tests at alpha, that is by the ``1 - 2 alpha`` interval, and only with a
    margin m:

    ======================================  ============================================
    first row that holds                    verdict
    ======================================  ============================================
    every difference is 0                   identical
    no test is possible                     cannot-test
    L > m                                   better
    L > 0 and U < m                         same (better, by too little to matter)
    L > 0                                   better-size-unclear
    U < -m, and the mirrors of the above    worse, same, worse-size-unclear
    -m < l and u < m                        same
    -m < l                                  not-worse
    u < m                                   not-better
    otherwise                               inconclusive
    ======================================  ============================================

    Parameters
    ----------
    rule : Rule
    estimate : float
        Difference B - A of the primary measure.
    interval : tuple of float
        L and U, at the level ``rule.confidence``.
    equivalence_interval : tuple of float
        l and u, at the level ``rule.confidence_equivalence``.
    identical : bool
        Both systems score the same on every query.
    reason : str
        Why no test is possible; empty where one is.

    Returns
    -------
    Decision

    References
    ----------
    Schuirmann (1987), J. Pharmacokinetics and Biopharmaceutics 15(6): two one-sided tests.

    Examples
    --------
    >>> rule = Rule("nDCG@10", margin=0.01)
    >>> def judge(low, high, inner):
    ...     return str(
    ...         decide(rule, estimate=0, interval=(low, high), equivalence_interval=inner).verdict
    ...     )
    >>> judge(0.012, 0.062, (0.016, 0.058)), judge(-0.012, 0.014, (-0.009, 0.009))
    ('better', 'same')
    """
    low, high = rule.gain(*interval)
    by_equivalence = False
    direction = 0
    if identical:
        verdict = Verdict.IDENTICAL
    elif reason:
        verdict = Verdict.CANNOT_TEST
    elif low > 0 or high < 0:
        direction = 1 if low > 0 else -1
        verdict = _shown(direction, low, high, rule.margin)
    else:
        verdict = _not_shown(*rule.gain(*equivalence_interval), rule.margin)
        by_equivalence = verdict is not Verdict.INCONCLUSIVE
    decision = Decision(
        verdict,
        direction,
        estimate,
        *interval,
        *equivalence_interval,
        by_equivalence=by_equivalence,
        reason=reason if verdict is Verdict.CANNOT_TEST else "",
    )
    return replace(decision, gate=check_gate(rule, decision))


def check_gate(rule: Rule, decision: Decision) -> Gate | None:
    """Say whether the gate that the rule asks for passes; None where it asks for none.

    Better is asked of the ``1 - alpha`` interval, non-inferior and equivalent of the
    ``1 - 2 alpha`` interval (one-sided tests at alpha). Where nothing could be tested, nothing was
    shown, and no gate passes.

    Examples
    --------
    >>> rule = Rule("AP", margin=0.01, require="non-inferior")
    >>> outer, inner = (-0.011, 0.011), (-0.009, 0.009)
    >>> decide(rule, estimate=0.0, interval=outer, equivalence_interval=inner).gate
    Gate(require='non-inferior', passed=True)
    """
    if rule.require is None:
        return None
    passed = decision.verdict is not Verdict.CANNOT_TEST
    low, high = rule.gain(decision.tost_low, decision.tost_high)
    match rule.require:
        case "better":
            passed &= decision.verdict is Verdict.BETTER
        case "non-inferior":
            passed &= low > -rule.margin
        case "equivalent":
            passed &= -rule.margin < low and high < rule.margin
        case "not-worse-shown":
            passed &= decision.direction >= 0
    return Gate(rule.require, passed)


def _shown(direction: int, low: float, high: float, margin: float) -> Verdict:
    """Grade a difference that is shown, by where its interval lies against the margin."""
    near, far = (low, high) if direction > 0 else (-high, -low)
    if near > margin:
        return Verdict.BETTER if direction > 0 else Verdict.WORSE
    if far < margin:
        return Verdict.SAME
    return Verdict.BETTER_SIZE_UNCLEAR if direction > 0 else Verdict.WORSE_SIZE_UNCLEAR


def _not_shown(low: float, high: float, margin: float) -> Verdict:
    """Say what two one-sided tests make of a difference that is not shown."""
    not_worse, not_better = low > -margin, high < margin
    if margin == 0 or not (not_worse or not_better):
        return Verdict.INCONCLUSIVE
    if not_worse and not_better:
        return Verdict.SAME
    return Verdict.NOT_WORSE if not_worse else Verdict.NOT_BETTER
