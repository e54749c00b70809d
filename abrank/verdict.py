"""Turn the interval of the primary measure into a verdict, a gate result and a next step."""

# The verdicts are codes; the sentences for them are in abrank.report.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import Family, OnCollections, Requirement
from abrank.estimate import Interval
from abrank.rule import (
    GATES,
    Design,
    Gate,
    GateDefinition,
    Guard,
    GuardResult,
    Lack,
    Soundness,
    Verdict,
)

if TYPE_CHECKING:
    from abrank.inference.equivalence import RelativeChange, Unseen

__all__ = [
    "FEW_QUERIES",
    "GATES",
    "STATEMENTS",
    "Decision",
    "Gate",
    "GateDefinition",
    "Rule",
    "Verdict",
    "apply_soundness",
    "check_gate",
    "decide",
    "says_more_than",
]


# The sign that reports and plots print before the name of a verdict.
GLYPHS: Mapping[Verdict, str] = {
    Verdict.BETTER: "▲",
    Verdict.BETTER_SIZE_UNCLEAR: "△",
    Verdict.SAME: "=",
    Verdict.NOT_WORSE: "≥",
    Verdict.NOT_BETTER: "≤",
    Verdict.INCONCLUSIVE: "?",
    Verdict.WORSE_SIZE_UNCLEAR: "▽",
    Verdict.WORSE: "▼",
    Verdict.IDENTICAL: "=",
    Verdict.CANNOT_TEST: "!",
}

# What a verdict claims about B: a gain or a loss, its size, and what is excluded.
STATEMENTS: Mapping[Verdict, frozenset[str]] = {
    Verdict.BETTER: frozenset({"gain", "gain of that size", "no loss"}),
    Verdict.BETTER_SIZE_UNCLEAR: frozenset({"gain", "no loss"}),
    Verdict.NOT_WORSE: frozenset({"no loss"}),
    Verdict.SAME: frozenset({"no loss", "no gain"}),
    Verdict.IDENTICAL: frozenset({"no loss", "no gain", "no difference"}),
    Verdict.NOT_BETTER: frozenset({"no gain"}),
    Verdict.WORSE_SIZE_UNCLEAR: frozenset({"loss", "no gain"}),
    Verdict.WORSE: frozenset({"loss", "loss of that size", "no gain"}),
}


def says_more_than(verdict: Verdict, other: Verdict) -> bool:
    """Whether a verdict claims something about B that the other verdict does not."""
    nothing = frozenset[str]()
    return not STATEMENTS.get(verdict, nothing) <= STATEMENTS.get(other, nothing)


# With fewer queries than this, a gate that needs evidence also needs the exact sign-flip test.
FEW_QUERIES = 10


@record
class Rule:
    """The rule that was declared before the runs were compared.

    primary : str
        The measure that decides.
    test : str
        The test whose interval and p-value decide.
    alpha : float
        Two-sided significance level; the confidence interval has level ``1 - alpha``.
    margin : float
        Smallest difference that matters, in the unit of the measure; 0 means no margin.
    adjust, family : str
        How, and together with which measures, p-values are adjusted; see
        :mod:`abrank.comparison.deciding`.
    require : str, optional; one of :data:`GATES`
    higher_is_better : bool
        Direction of the primary measure. If lower is better, all intervals are read mirrored.
    on : {"all", "each"}
        With several collections: whether the gate applies to the mean over all, or to each one.
    direction_declared : bool
        False if the measure's name sounds like a cost and its direction was not declared; then
        there is no decision.
    margin_is_relative : bool
        Whether the margin is a share of A's mean: 0.02 is 2%.
    design : Design, optional
        Clusters, planned looks or a confidence sequence; ``alpha`` is the level of this look.
    guards : tuple of Guard
        Measures that must not get worse by more than their own margin, for the gate to pass.
    accept_doubt : bool
        Whether the gate may pass on doubtful evidence.
    judged : float
        Minimum share of judged documents among the first ten of each run; 0 sets no minimum.
    best_of : int
        Number of candidates from which B was chosen on these queries; ``alpha`` is the level for
        each candidate.
    """

    primary: str
    test: str = "t"
    alpha: float = 0.05
    margin: float = 0.0
    adjust: str = "max-t"
    require: Requirement | None = None
    higher_is_better: bool = True
    margin_is_relative: bool = False
    family: Family = "secondary"
    design: Design | None = None
    guards: tuple[Guard, ...] = ()
    accept_doubt: bool = False
    judged: float = 0.0
    direction_declared: bool = True
    best_of: int = 1
    on: OnCollections = "all"

    def __post_init__(self) -> None:
        checks.level("alpha", self.alpha)
        checks.one_of("family", self.family, get_args(Family))
        if self.alpha >= 0.5:
            raise ArgumentError(f"alpha must be below 0.5, not {self.alpha!r}")
        checks.not_negative("margin", self.margin)
        if self.margin_is_relative and self.margin >= 1.0:
            raise ArgumentError(
                f"a margin of {self.margin:.0%} of the baseline's mean allows the candidate to lose"
                " everything; give one below 100%"
            )
        if self.require is not None:
            checks.one_of("gate", self.require, get_args(Requirement))
            if GATES[self.require].needs_margin and self.margin == 0:
                raise ArgumentError(
                    f'the gate "{self.require}" needs a margin above 0\n'
                    "  how to choose one: abrank guide margin"
                )

    @property
    def independent(self) -> bool:
        """Whether A and B are groups of different users."""
        return self.design is not None and self.design.independent

    @property
    def confidence(self) -> float:
        """Level of the interval that decides better and worse."""
        return 1.0 - self.alpha

    @property
    def confidence_equivalence(self) -> float:
        """Level of the interval of the two one-sided tests of equivalence."""
        return 1.0 - 2.0 * self.alpha

    def gain(self, low: float, high: float) -> Interval:
        """Return an interval of B - A as an interval of B's gain: mirrored if lower is better."""
        return Interval(low, high).gain(higher=self.higher_is_better)


@record
class SignFlips:
    """One-sided p-values of exact sign-flip tests at the thresholds of the gates."""

    # For three claims: B is better by more than the margin; B is worse by less than the margin;
    # the two differ by less than the margin. NaN without a margin.

    better: float
    non_inferior: float
    equivalent: float

    def agree(self, require: Requirement, alpha: float) -> bool:
        """Whether the sign flips support the claim of a gate, at the level of that claim."""
        agreements = {
            "better": self.better < alpha / 2.0,
            "non-inferior": self.non_inferior < alpha,
            "equivalent": self.equivalent < alpha,
        }
        return agreements.get(require, True)


@record
class Decision:
    """The verdict and the numbers that it rests on.

    verdict : Verdict
    direction : int
        +1 if the ``1 - alpha`` interval shows that B is better, -1 if worse, else 0.
    estimate, ci_low, ci_high : float
        Difference B - A of the primary measure, and its ``1 - alpha`` interval.
    tost_low, tost_high : float
        The ``1 - 2 alpha`` interval. It lies inside the margin exactly when both one-sided tests
        reject at level alpha.
    by_equivalence : bool
        Whether the ``1 - 2 alpha`` interval decided.
    reason : str
        For ``cannot-test``: ``too-few-queries``, ``too-few-clusters``, ``no-variance``,
        ``margin-of-ties``, ``direction-not-declared``, or the code that makes the evidence unsound.
        For ``identical``: ``same-rankings`` or ``tied-scores``. Else empty.
    gate : Gate, optional
    margin : float
        In the unit of the primary measure; a relative margin is multiplied by A's observed mean.
    relative : RelativeChange, optional
        The relative change that a relative margin is compared with.
    unseen : Unseen, optional
        What this number of queries cannot exclude, whatever they show; None without queries.
    guards : tuple of GuardResult
    soundness : Soundness
        The reasons to doubt the evidence.
    of_numbers : Verdict, optional
        The verdict by the numbers alone, if unsound evidence forbids a verdict; else None.
    sign_flips : SignFlips, optional
        Exact sign-flip tests, only with fewer than ten queries.
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
    margin: float = 0.0
    relative: RelativeChange | None = None
    unseen: Unseen | None = None
    guards: tuple[GuardResult, ...] = ()
    soundness: Soundness = field(default_factory=Soundness)
    of_numbers: Verdict | None = None
    sign_flips: SignFlips | None = None

    @property
    def exit_code(self) -> int:
        """Exit code of the command: 0 gate passed or none required, 1 failed, 3 not tested."""
        if self.gate is None or self.gate.passed:
            return 0
        return 3 if self.verdict is Verdict.CANNOT_TEST else 1

    @property
    def interval(self) -> Interval:
        """The ``1 - alpha`` interval in the unit of the margin."""
        relative = self.relative or self
        return Interval(relative.ci_low, relative.ci_high)

    @property
    def equivalence_interval(self) -> Interval:
        """The ``1 - 2 alpha`` interval in the unit of the margin."""
        relative = self.relative or self
        return Interval(relative.tost_low, relative.tost_high)

    @property
    def by_margin(self) -> bool:
        """Whether only the two one-sided tests decide: no difference from 0 is significant."""
        return self.by_equivalence and self.direction == 0

    @property
    def deciding(self) -> Interval:
        """The interval that the verdict rests on, in the unit of the margin."""
        return self.equivalence_interval if self.by_margin else self.interval

    @property
    def unit(self) -> float:
        """The margin's unit in units of the primary measure: A's mean if relative, else 1."""
        return 1.0 if self.relative is None else abs(self.relative.baseline)


def decide(
    rule: Rule,
    *,
    estimate: float,
    interval: tuple[float, float],
    equivalence_interval: tuple[float, float],
    relative: RelativeChange | None = None,
    identical: bool = False,
    reason: str = "",
    unseen: Unseen | None = None,
    guards: tuple[GuardResult, ...] = (),
    sign_flips: SignFlips | None = None,
) -> Decision:
    """Return the decision on the primary measure."""
    # The `1 - alpha` interval [L, U] decides better and worse. Two one-sided tests at alpha, that
    # is the `1 - 2 alpha` interval [l, u], decide same, not worse and not better. They need a
    # margin m.
    # ======================  ===================
    # first row that holds    verdict
    # ======================  ===================
    # every difference is 0   identical
    # no test is possible     cannot-test
    # L > m                   better
    # U < -m                  worse
    # -m < l and u < m        same
    # L > 0                   better-size-unclear
    # U < 0                   worse-size-unclear
    # -m < l                  not-worse
    # u < m                   not-better
    # otherwise               inconclusive
    # ======================  ===================
    # Source: Schuirmann (1987), J. Pharmacokinetics and Biopharmaceutics 15(6): two one-sided
    # tests.
    if not (rule.direction_declared or identical or reason):
        reason = "direction-not-declared"
    decision = Decision(
        Verdict.CANNOT_TEST,
        0,
        estimate,
        *interval,
        *equivalence_interval,
        reason=reason,
        relative=relative,
        unseen=unseen,
        guards=guards,
        sign_flips=sign_flips,
    )
    decision = replace(decision, margin=rule.margin * decision.unit)
    if identical:
        decision = replace(decision, verdict=Verdict.IDENTICAL)
    elif not reason:
        direction = rule.gain(*interval).side
        verdict = _verdict(rule, decision, direction)
        by_margin = verdict in (Verdict.SAME, Verdict.NOT_WORSE, Verdict.NOT_BETTER)
        decision = replace(decision, verdict=verdict, direction=direction, by_equivalence=by_margin)
    return replace(decision, gate=check_gate(rule, decision))


def _verdict(rule: Rule, decision: Decision, direction: int) -> Verdict:
    """Compare both intervals with the margin, in the order of the table in :func:`decide`."""
    margin = rule.margin
    low, high = rule.gain(*decision.interval)
    inner_low, inner_high = rule.gain(*decision.equivalence_interval)
    not_worse = margin > 0 and inner_low > -margin
    not_better = margin > 0 and inner_high < margin
    cases = (
        (low > margin, Verdict.BETTER),
        (high < -margin, Verdict.WORSE),
        (not_worse and not_better, Verdict.SAME),
        (direction > 0, Verdict.BETTER_SIZE_UNCLEAR),
        (direction < 0, Verdict.WORSE_SIZE_UNCLEAR),
        (not_worse, Verdict.NOT_WORSE),
        (not_better, Verdict.NOT_BETTER),
    )
    return next((verdict for holds, verdict in cases if holds), Verdict.INCONCLUSIVE)


def apply_soundness(rule: Rule, decision: Decision, soundness: Soundness) -> Decision:
    """Add the soundness of the evidence to a decision; unsound evidence decides nothing."""
    result = replace(decision, soundness=soundness)
    if soundness.level == "unsound":
        result = replace(
            result,
            verdict=Verdict.CANNOT_TEST,
            of_numbers=decision.of_numbers or decision.verdict,
            direction=0,
            by_equivalence=False,
            reason=soundness.reasons[0].code,
            guards=tuple(
                replace(guard, passed=False)
                if soundness.forbids(guard.measure, is_primary=guard.measure == rule.primary)
                else guard
                for guard in decision.guards
            ),
        )
    return replace(result, gate=check_gate(rule, result))


def check_gate(rule: Rule, decision: Decision) -> Gate | None:
    """Check the gate that the rule requires; None if it requires none."""
    # The gate passes for the verdicts in `GATES` if all guards pass too. Because every one of these
    # tests must reject at alpha, none is adjusted (Berger 1982, Technometrics 24, 295-300). With
    # fewer than ten queries the exact sign-flip test must agree, for the primary measure and for
    # each guard. Doubtful evidence passes only if the rule accepts doubt.
    if rule.require is None:
        return None
    verdict, soundness, flips = decision.verdict, decision.soundness, decision.sign_flips
    passing = GATES[rule.require].verdicts
    untested = verdict is Verdict.CANNOT_TEST
    doubted = any(
        reason.level == "doubtful" and reason.values.get("verdict") not in passing
        for reason in soundness.reasons
    )
    cases: tuple[tuple[bool, Lack], ...] = (
        (soundness.level == "unsound", "soundness"),
        (verdict not in passing, "test" if untested else "verdict"),
        (not all(guard.excludes_loss for guard in decision.guards), "guards"),
        (flips is not None and not flips.agree(rule.require, rule.alpha), "queries"),
        (not all(guard.passed for guard in decision.guards), "queries"),
        (doubted and not rule.accept_doubt, "trust"),
    )
    lacks: Lack = next((lack for holds, lack in cases if holds), "")
    return Gate(rule.require, not lacks, lacks)


Action: TypeAlias = Literal[
    "ship",
    "ship-if",
    "do-not-ship",
    "either",
    "add-queries",
    "judge",
    "sample",
    "mend-inputs",
    "declare-margin",
    "declare-direction",
    "choose-measure",
    "choose-test",
]
# The condition of the action ``ship-if``.
Condition: TypeAlias = Literal["", "any-gain", "gain-below-margin", "no-loss-is-enough"]
# Selects the table of actions: no gate that needs evidence, a gate that passed, a guard that
# failed, or the requirement of a gate that failed.
_State: TypeAlias = Requirement | Literal["none", "passed", "guards"]


@record
class Step:
    """The recommended next step and its reason."""

    action: Action
    # Why this step: the code of what makes the evidence unsound or untestable, else `looks`,
    # `few-queries`, `gate`, `guards`, `out-of-reach` or `verdict`.
    because: str
    # The condition of `ship-if`; else empty.
    condition: Condition = ""


# The action that removes each reason for unsound or untestable evidence.
REMEDIES: Mapping[str, Action] = {
    "document-ids": "mend-inputs",
    "none-judged": "mend-inputs",
    "none-relevant": "mend-inputs",
    "missing-queries": "mend-inputs",
    "guard-turned": "mend-inputs",
    "missing-scores": "mend-inputs",
    "guard-scores": "mend-inputs",
    "same-judgments": "mend-inputs",
    "sample-differs": "sample",
    "unjudged-decide": "judge",
    "few-judged": "judge",
    "unequal-groups": "mend-inputs",
    "clusters-ignored": "choose-test",
    "one-cluster-carries": "add-queries",
    "skewness-decides": "add-queries",
    "order-fixed": "sample",
    "too-few-queries": "add-queries",
    "too-few-clusters": "add-queries",
    "no-variance": "mend-inputs",
    "margin-of-ties": "choose-test",
    "direction-not-declared": "declare-direction",
}

# Actions for sound evidence that was tested. "More queries" after a failed gate is right only if
# the estimate lies on the side that the gate asks for; otherwise OUT_OF_REACH applies.
STEPS: Mapping[_State, Mapping[Verdict, Action]] = {
    "none": {
        Verdict.BETTER: "ship",
        Verdict.BETTER_SIZE_UNCLEAR: "ship-if",
        Verdict.SAME: "either",
        Verdict.IDENTICAL: "either",
        Verdict.NOT_WORSE: "ship-if",
        Verdict.NOT_BETTER: "do-not-ship",
        Verdict.INCONCLUSIVE: "add-queries",
        Verdict.WORSE_SIZE_UNCLEAR: "do-not-ship",
        Verdict.WORSE: "do-not-ship",
    },
    "passed": {
        Verdict.BETTER: "ship",
        Verdict.BETTER_SIZE_UNCLEAR: "ship",
        Verdict.SAME: "ship",
        Verdict.NOT_WORSE: "ship",
        Verdict.IDENTICAL: "ship",
    },
    "non-inferior": {
        Verdict.NOT_BETTER: "add-queries",
        Verdict.INCONCLUSIVE: "add-queries",
        Verdict.WORSE_SIZE_UNCLEAR: "add-queries",
        Verdict.WORSE: "do-not-ship",
    },
    "better": {
        Verdict.BETTER_SIZE_UNCLEAR: "add-queries",
        Verdict.SAME: "do-not-ship",
        Verdict.IDENTICAL: "do-not-ship",
        Verdict.NOT_WORSE: "add-queries",
        Verdict.NOT_BETTER: "do-not-ship",
        Verdict.INCONCLUSIVE: "add-queries",
        Verdict.WORSE_SIZE_UNCLEAR: "do-not-ship",
        Verdict.WORSE: "do-not-ship",
    },
    "equivalent": {
        Verdict.BETTER: "do-not-ship",
        Verdict.BETTER_SIZE_UNCLEAR: "add-queries",
        Verdict.NOT_WORSE: "add-queries",
        Verdict.NOT_BETTER: "add-queries",
        Verdict.INCONCLUSIVE: "add-queries",
        Verdict.WORSE_SIZE_UNCLEAR: "add-queries",
        Verdict.WORSE: "do-not-ship",
    },
    "no-significant-loss": {
        Verdict.WORSE_SIZE_UNCLEAR: "do-not-ship",
        Verdict.WORSE: "do-not-ship",
    },
    "guards": dict.fromkeys(Verdict, "do-not-ship"),
}
# Actions that differ if there is no margin.
WITHOUT_MARGIN: Mapping[tuple[_State, Verdict], Action] = {
    ("none", Verdict.BETTER): "ship-if",
    ("none", Verdict.INCONCLUSIVE): "declare-margin",
    ("better", Verdict.INCONCLUSIVE): "declare-margin",
}
# The estimate lies on the wrong side of what the gate asks for, so more queries are not expected
# to pass it.
OUT_OF_REACH: frozenset[tuple[_State, Verdict]] = frozenset(
    (gate, verdict)
    for gate in ("non-inferior", "equivalent")
    for verdict, action in STEPS[gate].items()
    if action == "add-queries" and verdict is not Verdict.INCONCLUSIVE
)
CONDITIONS: Mapping[Verdict, Condition] = {
    Verdict.BETTER: "any-gain",
    Verdict.BETTER_SIZE_UNCLEAR: "gain-below-margin",
    Verdict.NOT_WORSE: "no-loss-is-enough",
}
# To ship without a gate on few queries, the exact sign-flip test must support this claim.
_CLAIMS: Mapping[Verdict, Requirement] = {
    Verdict.BETTER: "better",
    Verdict.BETTER_SIZE_UNCLEAR: "non-inferior",
    Verdict.NOT_WORSE: "non-inferior",
    Verdict.SAME: "equivalent",
}
_OPEN = frozenset({Verdict.NOT_WORSE, Verdict.NOT_BETTER, Verdict.INCONCLUSIVE})


def choose_step(rule: Rule, decision: Decision) -> Step:
    """Choose the next step: first repair the evidence, then follow gate and verdict."""
    if decision.soundness.level != "sound":
        code = decision.soundness.reasons[0].code
        return Step(REMEDIES[code], code)
    verdict, design = decision.verdict, rule.design
    if verdict is Verdict.CANNOT_TEST:
        return Step(REMEDIES[decision.reason], decision.reason)
    state = _state(decision)
    more_looks = design is not None and (bool(design.planned) or not design.is_last)
    if state != "passed" and verdict in _OPEN and more_looks:
        return Step("add-queries", "looks")
    flips = decision.sign_flips
    if decision.gate is not None and decision.gate.lacks == "queries":
        return Step("add-queries", "few-queries")
    claim = _CLAIMS.get(verdict)
    if state == "none" and flips and claim and not flips.agree(claim, rule.alpha):
        return Step("add-queries", "few-queries")
    cell = (state, verdict)
    estimate = (decision.relative or decision).estimate
    gain = estimate if rule.higher_is_better else -estimate
    # Whether the estimate lies on the side that the gate asks for.
    in_reach = -rule.margin < gain and (rule.require == "non-inferior" or gain < rule.margin)
    if cell in OUT_OF_REACH and not in_reach:
        return Step("do-not-ship", "out-of-reach")
    # A gate on each of several collections can pass whatever the verdict on their mean is.
    action = STEPS[state].get(verdict, "ship") if state == "passed" else STEPS[state][verdict]
    if not rule.margin:
        action = WITHOUT_MARGIN.get(cell, action)
    because = "verdict" if state == "none" else "guards" if state == "guards" else "gate"
    return Step(action, because, CONDITIONS[verdict] if action == "ship-if" else "")


def _state(decision: Decision) -> _State:
    """Return which table applies; a passed ``no-significant-loss`` counts as no gate."""
    gate = decision.gate
    if gate is None or (gate.passed and gate.require == "no-significant-loss"):
        return "none"
    if gate.passed:
        return "passed"
    return "guards" if gate.lacks in ("guards", "each") else gate.require
