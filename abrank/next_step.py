"""The one next step after a comparison, from verdict, gate and soundness together, as codes.

The tables below are all there is: the report has the sentences.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from abrank._support.records import record
from abrank._support.typing import Requirement
from abrank.rule import Verdict
from abrank.verdict import Decision, Rule

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
]
# On what ``ship-if`` depends.
Condition: TypeAlias = Literal["", "any-gain", "gain-below-margin", "no-loss-is-enough"]
# What a table is for: no gate that asks for evidence, one that passed, or the one that did not.
_State: TypeAlias = Requirement | Literal["none", "passed", "guards"]


@record
class Step:
    """What to do, and why.

    action : str
    because : str
        The code of the reason why the evidence is not sound or nothing could be tested; else
        ``looks``, ``few-queries``, ``gate``, ``guards``, ``out-of-reach`` or ``verdict``.
    condition : str
        On what ``ship-if`` depends; else empty.
    """

    action: Action
    because: str
    condition: Condition = ""


# What removes a reason for which the evidence is not sound, or for which nothing could be tested.
REMEDIES: Mapping[str, Action] = MappingProxyType(
    {
        "same-file": "mend-inputs",
        "document-ids": "mend-inputs",
        "none-judged": "mend-inputs",
        "none-relevant": "mend-inputs",
        "missing-queries": "mend-inputs",
        "common-depth": "mend-inputs",
        "sample-differs": "sample",
        "unjudged-favour": "judge",
        "few-judgments-turn": "judge",
        "one-cluster-carries": "add-queries",
        "skewness-decides": "add-queries",
        "order-fixed": "sample",
        "too-few-queries": "add-queries",
        "too-few-clusters": "add-queries",
        "no-variance": "mend-inputs",
        "tied-scores": "add-queries",
        "same-rankings": "mend-inputs",
        "direction-not-declared": "declare-direction",
    }
)

# Of sound evidence that was tested. Where a gate did not pass that more queries may let pass, this
# is so only while the estimate lies where the gate asks for it: else see OUT_OF_REACH.
STEPS: Mapping[_State, Mapping[Verdict, Action]] = MappingProxyType(
    {
        "none": {
            Verdict.BETTER: "ship",
            Verdict.BETTER_SIZE_UNCLEAR: "ship-if",
            Verdict.SAME: "either",
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
        "not-worse-shown": {
            Verdict.WORSE_SIZE_UNCLEAR: "do-not-ship",
            Verdict.WORSE: "do-not-ship",
        },
        "guards": dict.fromkeys(Verdict, "do-not-ship"),
    }
)
# Without a margin these are other steps.
WITHOUT_MARGIN: Mapping[tuple[_State, Verdict], Action] = MappingProxyType(
    {
        ("none", Verdict.BETTER): "ship-if",
        ("none", Verdict.INCONCLUSIVE): "declare-margin",
        ("better", Verdict.INCONCLUSIVE): "declare-margin",
    }
)
# Where the estimate speaks against what the gate asks for, no number of queries is to be expected
# to show it.
OUT_OF_REACH: frozenset[tuple[_State, Verdict]] = frozenset(
    (gate, verdict)
    for gate in ("non-inferior", "equivalent")
    for verdict, action in STEPS[gate].items()
    if action == "add-queries" and verdict is not Verdict.INCONCLUSIVE
)
CONDITIONS: Mapping[Verdict, Condition] = MappingProxyType(
    {
        Verdict.BETTER: "any-gain",
        Verdict.BETTER_SIZE_UNCLEAR: "gain-below-margin",
        Verdict.NOT_WORSE: "no-loss-is-enough",
    }
)
# What shipping without a gate takes from exact flips of the signs of a few queries.
_CLAIMS: Mapping[Verdict, Requirement] = MappingProxyType(
    {
        Verdict.BETTER: "better",
        Verdict.BETTER_SIZE_UNCLEAR: "non-inferior",
        Verdict.NOT_WORSE: "non-inferior",
        Verdict.SAME: "equivalent",
    }
)
_OPEN = frozenset({Verdict.NOT_WORSE, Verdict.NOT_BETTER, Verdict.INCONCLUSIVE})


def choose_step(rule: Rule, decision: Decision) -> Step:
    """Choose the next step: what mends the evidence first, then gate and verdict."""
    if decision.soundness.level != "sound":
        code = decision.soundness.reasons[0].code
        return Step(REMEDIES[code], code)
    verdict, design = decision.verdict, rule.design
    if verdict in (Verdict.IDENTICAL, Verdict.CANNOT_TEST):
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
    if cell in OUT_OF_REACH and not _in_reach(rule, decision):
        return Step("do-not-ship", "out-of-reach")
    # A gate on each of several collections passes whatever the mean over all says.
    action = STEPS[state].get(verdict, "ship") if state == "passed" else STEPS[state][verdict]
    if not rule.margin:
        action = WITHOUT_MARGIN.get(cell, action)
    because = "verdict" if state == "none" else "guards" if state == "guards" else "gate"
    return Step(action, because, CONDITIONS[verdict] if action == "ship-if" else "")


def _state(decision: Decision) -> _State:
    """Say which table is asked; that no loss was shown settles nothing."""
    gate = decision.gate
    if gate is None or (gate.passed and gate.require == "not-worse-shown"):
        return "none"
    if gate.passed:
        return "passed"
    return "guards" if gate.lacks in ("guards", "each") else gate.require


def _in_reach(rule: Rule, decision: Decision) -> bool:
    """Say whether the estimate lies where the gate asks for it."""
    change = decision.relative
    estimate = decision.estimate if change is None else change.estimate
    gain = estimate if rule.higher_is_better else -estimate
    return -rule.margin < gain and (rule.require == "non-inferior" or gain < rule.margin)
