"""The next step after a comparison: ship, do not ship, or what would settle the question."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.comparison.result import on_each
from abrank.report.sections import planning, words
from abrank.report.sections.cautions import say
from abrank.verdict import Action, Condition, Step, Verdict, choose_step


@dataclass(frozen=True)
class NextStep:
    """The next step: stable codes for programs, one sentence, and its first words."""

    # `headline` is the beginning of the sentence before the verdict. It is empty if nothing was
    # tested, because the remedy then follows the verdict.

    action: Action
    sentence: str
    condition: Condition = ""
    headline: str = ""


def next_step(comparison: Comparison) -> NextStep:
    """Choose the next step from soundness, gate and verdict."""
    for note in comparison.notes:
        if note.code == "nobody-chose":
            text = f"-m {comparison.rule.primary} (measures=), or another"
            return NextStep("choose-measure", f"Choose the measure that decides: {text}.")
    step = choose_step(comparison.rule, comparison.decision)
    start, rest = _sentence(comparison, step)
    headline = "" if comparison.verdict is Verdict.CANNOT_TEST else start
    if comparison.decision.direction and step.action in ("add-queries", "judge", "sample"):
        headline += " first" * bool(headline)
    return NextStep(step.action, f"{start}{rest}", step.condition, headline)


def _sentence(comparison: Comparison, step: Step) -> tuple[str, str]:
    """Return the action, and the rest of the sentence, by its reason or else by the verdict."""
    b, verdict, rule = comparison.candidate, comparison.verdict, comparison.rule
    units = words.unit(comparison)[1]
    if text := _of_evidence(comparison, step.because):
        return text
    if step.because == "looks":
        return _look_again(comparison)
    if step.because == "few-queries":
        units = units if comparison.clusters is None else f"clusters of {units}"
        rest = ": take ten at the very least, so that the result does not depend on a few"
        return f"Add {units}", f"{rest} differences."
    if step.because == "gate" and step.action == "ship":
        why = "nothing changed" if verdict is Verdict.IDENTICAL else "it passes the gate"
        return f"Ship {b}", f": {why}."
    by_rule = f"Do not ship {b} by this rule"
    # Among the gates only that of equivalence fails if B is better.
    if step.because == "out-of-reach" or (step.because == "gate" and verdict is Verdict.BETTER):
        return by_rule, _out_of_reach(comparison)
    if step.because == "guards" and rule.on == "each":
        parts = on_each(rule, comparison.strata)
        failed = [name for name, part in parts.items() if part.decision.exit_code]
        return by_rule, f": the gate fails on {f.first_of(failed, 3)}."
    if step.because == "guards":
        lost = [guard for guard in comparison.decision.guards if not guard.passed]
        return by_rule, f": {words.beyond_margin(lost)}."
    if step.action == "declare-margin":
        rest = " (--margin, margin=): abrank margin helps to choose."
        return _judge_first(comparison, "Declare the smallest Δ worth having", rest)
    if step.action == "add-queries":
        new = " in new clusters" if comparison.clusters is not None else ""
        return _judge_first(comparison, f"Add {units}{new}", f": {_more_queries(comparison)}")
    start, rest = (_WITH_MARGIN if rule.margin else _WITHOUT_MARGIN)[step.action, verdict]
    margin = planning.margin(comparison)
    names = {"a": comparison.baseline, "b": b, "margin": margin, "units": units}
    return start.format(**names), rest.format(**names)


# The action, and the rest of the sentence.
_Sentences: TypeAlias = Mapping[tuple[Action, Verdict], tuple[str, str]]
_UNCHANGED: _Sentences = {
    ("either", Verdict.IDENTICAL): (
        "Keep {a} or ship {b}",
        ". If a change was expected, check which systems were compared.",
    ),
    ("do-not-ship", Verdict.IDENTICAL): ("Do not ship {b} by this rule", ": it is not better."),
}
_WITH_MARGIN: _Sentences = {
    **_UNCHANGED,
    ("ship", Verdict.BETTER): ("Ship {b}", ": its gain is larger than the margin."),
    ("ship-if", Verdict.BETTER_SIZE_UNCLEAR): (
        "Ship {b} if a gain below the margin of {margin} is worth the change", "."
    ),
    ("ship-if", Verdict.NOT_WORSE): (
        "Ship {b} if not losing {margin} is enough", "; a gain would need more {units}."
    ),
    ("either", Verdict.SAME): (
        "Keep {a} or ship {b}", ", as cost decides: the difference is too small to matter."
    ),
    ("do-not-ship", Verdict.SAME): (
        "Do not ship {b} by this rule", ": its gain is too small to matter."
    ),
    ("do-not-ship", Verdict.NOT_BETTER): (
        "Do not ship {b}", " for its quality: a gain of {margin} or more is excluded."
    ),
    ("do-not-ship", Verdict.WORSE_SIZE_UNCLEAR): (
        "Do not ship {b}", ": its loss may be smaller than the margin."
    ),
    ("do-not-ship", Verdict.WORSE): ("Do not ship {b}", ": its loss is larger than the margin."),
}  # fmt: skip
_WITHOUT_MARGIN: _Sentences = {
    **_UNCHANGED,
    ("ship-if", Verdict.BETTER): ("Ship {b} if any gain is worth the change", "."),
    ("do-not-ship", Verdict.WORSE): ("Do not ship {b}", ": it is worse than {a}."),
}


def _out_of_reach(comparison: Comparison) -> str:
    """Say that more queries are not expected to pass the gate."""
    rule = comparison.rule
    margin, units = planning.margin_of_what(comparison), words.unit(comparison)[1]
    difference = planning.estimate(comparison)
    change = comparison.decision.relative
    estimate = comparison.decision.estimate if change is None else change.estimate
    if (estimate > 0.0) != rule.higher_is_better:
        return (
            f": the loss seen ({difference}) is larger than the margin of {margin}, so that more"
            f" {units} are unlikely to help."
        )
    return (
        f": it gains more ({difference}) than the margin of {margin}, so more {units} will not make"
        " the two equivalent. Where a gain is welcome, ask for --require better, or for --require"
        " non-inferior."
    )


_ALL_QUERIES = "Run both systems on all judged queries"
_ALL_SCORES = "Score the queries whose scores are missing"
_OF_EVIDENCE: Mapping[str, tuple[str, str]] = {
    "document-ids": ("Make the document ids alike", ", and compare again."),
    "missing-queries": (_ALL_QUERIES, ": the verdict rests on those that are missing."),
    "guard-turned": (_ALL_QUERIES, ": the guard rests on those that are missing."),
    "missing-scores": (_ALL_SCORES, ": the verdict rests on them."),
    "guard-scores": (_ALL_SCORES, ": a guard rests on them."),
    "same-judgments": (
        "Give each collection once", ": queries that count twice make the test too sure."
    ),
    "unequal-groups": (
        "Find out why one group has more units",
        ": if both were to have half of them, the assignment or the logging is broken.",
    ),
    "sample-differs": (
        "Have a random sample of the queries judged by people",
        " (abrank sample queries), and compare again.",
    ),
    "order-fixed": (
        "Show the two in both orders",
        ", or in an order drawn for each query, and compare again: one order cannot tell the answer"
        " from its place.",
    ),
    "skewness-decides": (
        "Add queries",
        ": the more there are, the less the skewness of their differences matters.",
    ),
    "too-few-queries": ("Compare more {units}", ": a test takes two at the very least."),
    "too-few-clusters": ("Add queries of other clusters", ": these are too few for a test."),
    "margin-of-ties": (
        "Decide by --test t or permutation (test=)", ", which count queries that tie."
    ),
    "no-variance": ("Check that the scores are those of two different rankers", "."),
}  # fmt: skip

# Actions whose sentences contain numbers.
_BY_NUMBERS = (
    "none-judged", "none-relevant", "unjudged-decide", "few-judged", "clusters-ignored",
    "one-cluster-carries",
)  # fmt: skip


def _of_evidence(comparison: Comparison, code: str) -> tuple[str, str] | None:
    """Say how to repair the evidence or make it testable; None for other codes."""
    a, b = comparison.baseline, comparison.candidate
    if code == "direction-not-declared":
        return say(comparison.rule.primary), ""
    if code not in _BY_NUMBERS:
        start, rest = _OF_EVIDENCE.get(code, ("", ""))
        return (start.format(units=words.unit(comparison)[1]), rest) if start else None
    matching = [reason.values for reason in comparison.soundness.reasons if reason.code == code]
    values = matching[0]
    if code == "none-judged":
        unjudged, judged = (a, b) if values["system"] == "a" else (b, a)
        if len(matching) > 1:
            return "Take judgments that fit the runs", ", and compare again."
        if not values["n_rows"]:
            return "Give the run that was meant", f": {unjudged} holds no document."
        return f"See over which documents {unjudged} was made", (
            f", and how their ids are written: documents of {judged} are judged, and none of"
            f" {unjudged}."
        )
    if code == "none-relevant":
        text = "Choose a grade that the judgments have as the lowest relevant one (--config rel=…)"
        if values["highest"] < 1:
            text = "Take judgments with a relevant document"
        return text, ", and compare again."
    if code == "clusters-ignored":
        name = values["clusters"]
        if comparison.rule.independent:
            columns = {"query": name, "repeat": "rows"}
            flag = shlex.quote(f"query={name},repeat=rows")
            start = f"Compare the means of each {name}"
            return start, f": --columns {flag} (columns={columns!r})."
        return "Test whole clusters", f": --clusters {shlex.quote(name)} (design={name!r})."
    if code == "one-cluster-carries":
        without = f"without “{words.name(values['cluster'])}” the difference is not significant"
        return "Add queries of other clusters", f": {without}."
    of_a, of_b = (f.count(number) for number in comparison.evidence.n_unjudged)
    rest = f", {of_b} of {b} and {of_a} of {a}: they could change the verdict."
    return "Judge the unjudged documents", rest


# Judged share of the first ten documents: a larger difference between two runs than this is uneven.
# Of 185 inconclusive pairs of real runs with such uneven shares, 108 had a verdict after all
# documents were judged; of 329 others 86 (nDCG@10, the pairs of `reports/calibration/doubt.md`). Of
# 39 inconclusive pairs of runs with all judgments, 4 are that uneven.
_UNEVEN = 0.1


def _judge_first(comparison: Comparison, start: str, rest: str) -> tuple[str, str]:
    """Recommend judging first if one run is judged much less than the other."""
    shares = {key: audit.judged_at_10 for key, audit in comparison.audits.items()}
    if {*shares} != {"a", "b"} or abs(shares["a"] - shares["b"]) < _UNEVEN:
        return start, rest
    name = comparison.baseline if shares["a"] < shares["b"] else comparison.candidate
    a, b = (f.percent(shares[key], sign=False) for key in "ab")
    return f"Judge more documents of {name}", (
        f" first (abrank sample documents): of the first ten {a} of A and {b} of B are judged."
        f" Then: {start}{rest}"
    )


def _look_again(comparison: Comparison) -> tuple[str, str]:
    """Recommend to continue if further looks are planned or allowed."""
    design = comparison.rule.design
    if design is not None and design.seen:
        left = words.queries(design.n_planned - design.seen[-1])
        return f"Go on with the {left} still planned", (
            ", and --config earlier=results.json of this look (Planned(earlier=)): its result is"
            " inconclusive."
        )
    if design is not None and design.look:
        text = f"Go on to look {design.look + 1} of {design.n_looks}"
        return text, ", with the queries planned for it: this one is inconclusive."
    return "Add queries and look again", (
        " as often as you like: the question is open, and the interval holds at any number of them."
    )


def _more_queries(comparison: Comparison) -> str:
    """Say why more queries are needed, and how many in total detect a difference of the margin."""
    margin = comparison.decision.margin
    rows = comparison.planning.differences
    needed = next((row.queries_needed for row in rows if row.difference == margin), None)
    text = f"a Δ of the margin, {planning.margin_of_what(comparison)}"
    power = f.level(comparison.planning.power)
    kind = {"non-inferior": "not-worse", "equivalent": "same"}.get(
        comparison.rule.require or "", ""
    )
    better = comparison.rule.require == "better" and bool(margin)  # must exceed the margin
    if better or (kind and comparison.decision.direction):
        change = "gain" if better or comparison.decision.direction > 0 else "loss"
        size, other = ("larger", "smaller")[:: 1 if better else -1]
        return (
            f"the {change} seen ({planning.estimate(comparison)}) is {size} than the"
            f" margin of {planning.margin_of_what(comparison)}, but a {other} one is not excluded"
            " yet."
        )
    claim = comparison.planning.claim(kind)
    if claim is not None:
        needed = claim.queries_needed
        minimum = planning.margin_of_what(comparison)
        text = f"that {comparison.candidate} is not worse by {minimum} or more"
        if claim.claim == "same":
            text = f"that the two differ by less than {minimum}"
        text += " if the true Δ is 0"
    if not margin:
        sentence = "the interval is too wide for the gate."
    elif comparison.clusters is not None and not rows:
        sentence = "these are too few to say how many it takes."
    elif needed is None:
        sentence = f"no practical number of them would prove {text}."
    elif needed <= comparison.n_queries:
        queries = words.queries_of(comparison)
        sentence = f"{queries} show {text}, in {power} of samples, but not in this one."
    else:
        sentence = f"about {f.about(needed)} in all would, {power} of the time, prove {text}."
    return sentence
