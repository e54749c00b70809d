"""The one next step after a comparison: ship, do not, or what would settle what is open."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.report.sections import margins, words
from abrank.verdict import GATES, Verdict

Action: TypeAlias = Literal[
    "ship",
    "do-not-ship",
    "either",
    "add-queries",
    "judge-documents",
    "declare-margin",
    "check-inputs",
    "look-at-depth",
]


@dataclass(frozen=True)
class NextStep:
    """What to do: a stable code for programs, and one sentence with a full stop."""

    action: Action
    sentence: str


def next_step(comparison: Comparison, *, digits: int | None = None) -> NextStep:
    """Decide what to do next: from the inputs, then the unjudged documents, gate and verdict.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    >>> b = {"q1": 0.3, "q2": 0.3, "q3": 0.2, "q4": 0.9}
    >>> next_step(compare_scores(a, b, margin=0.1), digits=1).sentence
    'Add queries: about 36 in all would show a Δ of the margin, 0.1 (80% power).'
    """
    digits = comparison.decimals if digits is None else digits
    return (
        _mend(comparison)
        or _check(comparison)
        or _passed(comparison)
        or _judge(comparison)
        or _look_again(comparison)
        or _failed(comparison, digits)
        or _by_verdict(comparison, digits)
    )


def _mend(comparison: Comparison) -> NextStep | None:
    """Ask for inputs that belong together where the verdict rests on what they lack."""
    for note in comparison.notes:
        if note.code in ("document-ids", "none-judged"):
            said = "document ids alike" if note.code == "document-ids" else "judgments fit the runs"
            return NextStep("check-inputs", f"Make the {said}, and compare again.")
        if note.code == "none-relevant" and comparison.rule.primary in note.values["measures"]:
            said = "Choose a grade that the judgments have as the lowest relevant one (--rel)"
            if note.values["highest"] < 1:
                said = "Take judgments with a relevant document"
            return NextStep("check-inputs", f"{said}, and compare again.")
    changed = {each.kind: each for each in comparison.alternatives if each.changes}
    deep = changed.get("common-depth")
    if deep is not None:
        said = f"Compare at one depth (--depth {deep.depth}), or retrieve as deep with both systems"
        return NextStep("check-inputs", f"{said}: the verdict is another there.")
    if changed.keys() & {"shared-queries", "missing-as-zero"}:
        said = "Run both systems on all judged queries: the verdict rests on those that are missing"
        return NextStep("check-inputs", f"{said}.")
    return None


def _check(comparison: Comparison) -> NextStep | None:
    """Send back what could not be tested, and what is the same twice."""
    b = comparison.candidate
    if comparison.verdict is Verdict.IDENTICAL:
        if comparison.decision.reason == "tied-scores":
            return NextStep("add-queries", "Add queries: on these the two score the same.")
        same = comparison.decision.reason == "same-file"
        what = (
            "these are one file twice" if same else "on these queries nothing tells the two apart"
        )
        return NextStep("check-inputs", f"Check that {b} is the system you meant: {what}.")
    if comparison.verdict is not Verdict.CANNOT_TEST:
        return None
    if comparison.decision.reason == "too-few-queries":
        return NextStep("add-queries", "Compare more queries: a test takes two at the very least.")
    if comparison.clusters is not None and comparison.clusters.n_clusters == 1:
        return NextStep("add-queries", "Add queries of other clusters: all of these are of one.")
    if comparison.clusters is not None and comparison.clusters.untestable(comparison.rule.test):
        return NextStep("add-queries", "Add queries of other clusters: these are too few to test.")
    return NextStep("check-inputs", "Check that the scores are those of two different rankers.")


def _judge(comparison: Comparison) -> NextStep | None:
    """Ask for judgments where the system that is not ahead may only look worse than it is."""
    gap = next((note.values for note in comparison.notes if note.code == "unjudged-documents"), {})
    direction = comparison.decision.direction
    favoured = gap.get("favours", "")
    if not favoured or favoured == {1: "b", -1: "a"}.get(direction):
        return None
    a, b = (f.count(number) for number in comparison.evidence.n_unjudged)
    return NextStep(
        "judge-documents",
        f"Judge the unjudged documents, {b} of {comparison.candidate} and {a} of"
        f" {comparison.baseline}: they could turn the difference.",
    )


def _passed(comparison: Comparison) -> NextStep | None:
    """Follow a gate that has passed; one that passes without evidence settles nothing."""
    gate = comparison.decision.gate
    if gate is None or not gate.passed or gate.require == "not-worse-shown":
        return None
    return NextStep("ship", f"Ship {comparison.candidate}: it has shown what the gate asks for.")


def _look_again(comparison: Comparison) -> NextStep | None:
    """Go on where more looks are planned, or allowed, and this one leaves the question open."""
    design = comparison.rule.design
    if design is None or comparison.decision.direction or comparison.verdict is Verdict.SAME:
        return None
    if design.look and not design.is_last:
        said = f"Go on to look {design.look + 1} of {design.n_looks}, with the queries planned"
        return NextStep("add-queries", f"{said} for it: this one leaves the question open.")
    if design.planned:
        said = "Add queries and look again as often as you like: the question is open"
        return NextStep("add-queries", f"{said}, and the interval holds at any number of them.")
    return None


def _failed(comparison: Comparison, digits: int) -> NextStep | None:
    """Follow a gate that has not passed where the verdict alone would let B ship."""
    gate, verdict = comparison.decision.gate, comparison.verdict
    if gate is None or gate.passed:
        return None
    if verdict is Verdict.SAME and gate.require == "better":
        said = f"Do not ship {comparison.candidate} by this rule: its gain is too small to matter."
        return NextStep("do-not-ship", said)
    lost = [each.measure for each in comparison.decision.guards if not each.passed]
    if lost and verdict in GATES[gate.require].verdicts:
        said = f"Do not ship {comparison.candidate} by this rule: a loss is not excluded on"
        return NextStep("do-not-ship", f"{said} {f.listed(lost)}.")
    if verdict in (Verdict.BETTER, Verdict.BETTER_SIZE_UNCLEAR, Verdict.NOT_WORSE):
        return _more_queries(comparison, digits)
    return None


def _by_verdict(comparison: Comparison, digits: int) -> NextStep:
    """Follow the verdict alone."""
    a, b, verdict = comparison.baseline, comparison.candidate, comparison.verdict
    margin = margins.margin(comparison, digits=digits)
    declared = comparison.rule.margin > 0
    match verdict:
        case Verdict.BETTER if declared:
            return NextStep("ship", f"Ship {b}: its gain is larger than the margin.")
        case Verdict.BETTER:
            return NextStep("ship", f"Ship {b} if any gain is worth the change.")
        case Verdict.BETTER_SIZE_UNCLEAR:
            said = f"Ship {b} if a gain below the margin of {margin} is worth the change, too."
            return NextStep("ship", said)
        case Verdict.WORSE if declared:
            return NextStep("do-not-ship", f"Do not ship {b}: its loss is larger than the margin.")
        case Verdict.WORSE:
            return NextStep("do-not-ship", f"Do not ship {b}: it loses against {a}.")
        case Verdict.WORSE_SIZE_UNCLEAR:
            return NextStep("do-not-ship", f"Do not ship {b}: only the size of its loss is open.")
        case Verdict.NOT_BETTER:
            said = f"Do not ship {b} for its quality: a gain of {margin} is excluded."
            return NextStep("do-not-ship", said)
        case Verdict.SAME:
            said = f"Keep {a} or ship {b}, as cost decides: the difference is too small to matter."
            return NextStep("either", said)
        case Verdict.NOT_WORSE:
            said = f"Ship {b} if not losing {margin} is enough; to show a gain takes more queries."
            return NextStep("ship", said)
        case _:
            return _more_queries(comparison, digits) if declared else _margin(comparison, digits)


def _margin(comparison: Comparison, digits: int) -> NextStep:
    """Ask for a margin, and say what these queries can show."""
    visible = comparison.planning.smallest_visible
    said = "Declare the smallest Δ worth having (--margin, margin=)"
    if math.isfinite(visible):
        n = words.queries(comparison.n_queries)
        said += f": {n} show one of {f.least(visible, digits=digits)}"
        said += f" with {f.level(comparison.planning.power)} power"
    return NextStep("declare-margin", f"{said}.")


def _more_queries(comparison: Comparison, digits: int) -> NextStep:
    """Say how many queries in all see a difference of the margin."""
    margin = comparison.decision.margin
    rows = comparison.planning.differences
    needed = next((row.queries_needed for row in rows if row.difference == margin), None)
    shown = f"a Δ of the margin, {margins.margin_of_what(comparison, digits=digits)}"
    power = f.level(comparison.planning.power)
    if not margin:
        said = "the interval is too wide for the gate."
    elif comparison.clusters is not None and not rows:
        said = "these are too few to say how many it takes."
    elif needed is None:
        said = f"no practical number of them would show {shown}."
    elif needed <= comparison.n_queries:
        said = f"{words.queries(comparison.n_queries)} show {shown}, with {power} power only."
    else:
        said = f"about {f.about(needed)} in all would show {shown} ({power} power)."
    new = " in new clusters" if comparison.clusters is not None else ""
    return NextStep("add-queries", f"Add queries{new}: {said}")
