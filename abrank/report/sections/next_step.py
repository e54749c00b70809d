"""The one next step after a comparison: ship, do not, or what would settle what is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.comparison import Comparison
from abrank.comparison.result import on_each
from abrank.report.sections import notes, planning, words
from abrank.verdict import Action, Condition, Step, Verdict, choose_step

LONGEST_NAME = 40


@dataclass(frozen=True)
class NextStep:
    """What to do: stable codes for programs, one sentence with a full stop, and its first words."""

    # `headline` is what stands before the verdict, without a full stop; empty where nothing was
    # tested.

    action: Action
    sentence: str
    condition: Condition = ""
    headline: str = ""


def next_step(comparison: Comparison) -> NextStep:
    """Say what to do next, from soundness, gate and verdict together."""
    for note in comparison.notes:
        if note.code == "nobody-chose":
            said = f"-m {comparison.rule.primary} (measures=), or another"
            return NextStep("choose-measure", f"Choose the measure that decides: {said}.")
    step = choose_step(comparison.rule, comparison.decision)
    said = _sentence(comparison, step)
    return NextStep(step.action, said, step.condition, _headline(comparison, step))


def _headline(comparison: Comparison, step: Step) -> str:
    """Return the step in few words; those that remove what hinders a test follow the verdict."""
    if comparison.verdict is Verdict.CANNOT_TEST:
        return ""
    what = "looks" if step.because == "looks" else step.condition or step.action
    pattern = _HEADLINES.get(what)
    if pattern is None:
        return ""
    margin = planning.margin(comparison)
    said = pattern.format(a=comparison.baseline, b=comparison.candidate, margin=margin)
    if step.action == "do-not-ship" and step.because in ("gate", "guards", "out-of-reach"):
        said += " by this rule"
    shown = comparison.decision.direction != 0
    return f"{said} first" if shown and step.action in ("add-queries", "judge", "sample") else said


_HEADLINES: Mapping[str, str] = {
    "ship": "Ship {b}",
    "looks": "Continue",
    "any-gain": "Ship {b} if any gain is worth the change",
    "gain-below-margin": "Ship {b} if a gain below {margin} is worth the change",
    "no-loss-is-enough": "Ship {b} if not losing {margin} is enough",
    "do-not-ship": "Do not ship {b}",
    "either": "Keep {a} or ship {b}",
    "add-queries": "Add queries",
    "judge": "Judge more documents",
    "sample": "Draw the judged queries at random",
    "mend-inputs": "Check the inputs",
    "declare-margin": "Do not decide yet",
}


def _sentence(comparison: Comparison, step: Step) -> str:
    """Say a step in words: by its reason where that has words of its own, else by the verdict."""
    a, b, verdict = comparison.baseline, comparison.candidate, comparison.verdict
    if step.because in _OF_EVIDENCE:
        return _of_evidence(comparison, step.because)
    if step.because == "looks":
        return _look_again(comparison)
    if step.because == "few-queries":
        units = "queries" if comparison.clusters is None else "clusters of queries"
        said = f"Add {units}: take ten at the very least"
        return f"{said}, so that the result does not depend on a few differences."
    if step.because == "gate" and step.action == "ship":
        why = "nothing changed" if verdict is Verdict.IDENTICAL else "it passes the gate"
        return f"Ship {b}: {why}."
    # Of the gates only that of equivalence does not pass where B is better.
    if step.because == "out-of-reach" or (step.because == "gate" and verdict is Verdict.BETTER):
        return _out_of_reach(comparison)
    if step.because == "guards" and comparison.rule.on == "each":
        parts = on_each(comparison.rule, comparison.strata)
        failed = [name for name, each in parts.items() if each.decision.exit_code]
        return f"Do not ship {b} by this rule: the gate fails on {f.first_of(failed, 3)}."
    if step.because == "guards":
        lost = [each.measure for each in comparison.decision.guards if not each.passed]
        return f"Do not ship {b} by this rule: {f.listed(lost)} may be worse by its margin."
    if step.action == "declare-margin":
        said = "Declare the smallest Δ worth having (--margin, margin=)"
        return f"{said}: abrank margin helps to choose."
    if step.action == "add-queries":
        return _more_queries(comparison)
    pattern = (_WITH_MARGIN if comparison.rule.margin else _WITHOUT_MARGIN)[step.action, verdict]
    return pattern.format(a=a, b=b, margin=planning.margin(comparison))


_UNCHANGED: Mapping[tuple[Action, Verdict], str] = {
    ("either", Verdict.IDENTICAL): (
        "Keep {a} or ship {b}. If a change was expected, check which systems were compared."
    ),
    ("do-not-ship", Verdict.IDENTICAL): "Do not ship {b} by this rule: it is not better.",
}
_WITH_MARGIN: Mapping[tuple[Action, Verdict], str] = {
    ("ship", Verdict.BETTER): "Ship {b}: its gain is larger than the margin.",
    ("ship-if", Verdict.BETTER_SIZE_UNCLEAR): (
        "Ship {b} if a gain below the margin of {margin} is worth the change, too."
    ),
    ("ship-if", Verdict.NOT_WORSE): (
        "Ship {b} if not losing {margin} is enough; a gain would need more queries."
    ),
    ("either", Verdict.SAME): (
        "Keep {a} or ship {b}, as cost decides: the difference is too small to matter."
    ),
    **_UNCHANGED,
    ("do-not-ship", Verdict.SAME): (
        "Do not ship {b} by this rule: its gain is too small to matter."
    ),
    ("do-not-ship", Verdict.NOT_BETTER): (
        "Do not ship {b} for its quality: a gain of {margin} or more is excluded."
    ),
    ("do-not-ship", Verdict.WORSE_SIZE_UNCLEAR): (
        "Do not ship {b}: its loss may be smaller than the margin."
    ),
    ("do-not-ship", Verdict.WORSE): "Do not ship {b}: its loss is larger than the margin.",
}
_WITHOUT_MARGIN: Mapping[tuple[Action, Verdict], str] = {
    **_UNCHANGED,
    ("ship-if", Verdict.BETTER): "Ship {b} if any gain is worth the change.",
    ("do-not-ship", Verdict.WORSE): "Do not ship {b}: it is worse than {a}.",
}


def _out_of_reach(comparison: Comparison) -> str:
    """Say that no number of queries is to be expected to let the gate pass."""
    rule, b = comparison.rule, comparison.candidate
    margin = planning.margin_of_what(comparison)
    shown = planning.estimate(comparison)
    change = comparison.decision.relative
    estimate = comparison.decision.estimate if change is None else change.estimate
    if (estimate > 0.0) != rule.higher_is_better:
        return (
            f"Do not ship {b} by this rule: the loss seen ({shown}) is larger than the margin of"
            f" {margin}, so that more queries are unlikely to help."
        )
    return (
        f"Do not ship {b} by this rule: it gains more ({shown}) than the margin of {margin}, so"
        " more queries will not make the two equivalent. Where a gain is welcome, ask for"
        " --require better, or for --require non-inferior."
    )


_OF_EVIDENCE: Mapping[str, str] = {
    "document-ids": "Make the document ids alike, and compare again.",
    "missing-queries": (
        "Run both systems on all judged queries: the verdict rests on those that are missing."
    ),
    "missing-scores": "Score the queries whose scores are missing: the verdict rests on them.",
    "guard-scores": "Score the queries whose scores are missing: a guard rests on them.",
    "same-judgments": "Give each collection once: queries that count twice make the test too sure.",
    "sample-differs": (
        "Have a random sample of the queries judged by people (abrank sample queries), and compare"
        " again."
    ),
    "order-fixed": (
        "Show the two in both orders, or in an order drawn for each query, and compare again: one"
        " order cannot tell the answer from its place."
    ),
    "skewness-decides": (
        "Add queries: the more there are, the less the skewness of their differences matters."
    ),
    "too-few-queries": "Compare more queries: a test takes two at the very least.",
    "too-few-clusters": "Add queries of other clusters: these are too few for a test.",
    "margin-of-ties": "Decide by --test t or permutation (test=), which count queries that tie.",
    "no-variance": "Check that the scores are those of two different rankers.",
    # Those whose numbers stand in the sentence, see below.
    "none-judged": "",
    "none-relevant": "",
    "guard-turned": (
        "Run both systems on all judged queries: the guard rests on those that are missing."
    ),
    "unjudged-decide": "",
    "few-judged": "",
    "one-cluster-carries": "",
    "direction-not-declared": "",
}


def _of_evidence(comparison: Comparison, code: str) -> str:
    """Say what removes what speaks against the evidence, or lets it be tested."""
    a, b = comparison.baseline, comparison.candidate
    if code == "direction-not-declared":
        return notes.say(comparison.rule.primary)
    if _OF_EVIDENCE[code]:
        return _OF_EVIDENCE[code].format(a=a, b=b)
    told = [each.values for each in comparison.soundness.reasons if each.code == code]
    values = told[0]
    if code == "none-judged":
        own, other = (a, b) if values["system"] == "a" else (b, a)
        if len(told) > 1:
            return "Take judgments that fit the runs, and compare again."
        if not values["n_rows"]:
            return f"Give the run that was meant: {own} holds no document."
        return (
            f"See over which documents {own} was made, and how their ids are written: documents of"
            f" {other} are judged, and none of {own}."
        )
    if code == "none-relevant":
        said = "Choose a grade that the judgments have as the lowest relevant one (--config rel=…)"
        if values["highest"] < 1:
            said = "Take judgments with a relevant document"
        return f"{said}, and compare again."
    if code == "one-cluster-carries":
        cluster = shorten(values["cluster"], width=LONGEST_NAME)
        return (
            f"Add queries of other clusters: without “{cluster}” the difference is not significant."
        )
    of_a, of_b = (f.count(number) for number in comparison.evidence.n_unjudged)
    said = f"Judge the unjudged documents, {of_b} of {b} and {of_a} of {a}"
    return f"{said}: they could change the verdict."


def _look_again(comparison: Comparison) -> str:
    """Go on where more looks are planned, or allowed, and this one is inconclusive."""
    design = comparison.rule.design
    if design is not None and design.seen:
        left = words.queries(design.n_planned - design.seen[-1])
        return (
            f"Go on with the {left} still planned, and give this look's results.json as --earlier"
            " (Planned(earlier=)): its result is inconclusive."
        )
    if design is not None and design.look:
        said = f"Go on to look {design.look + 1} of {design.n_looks}, with the queries planned"
        return f"{said} for it: this one is inconclusive."
    said = "Add queries and look again as often as you like: the question is open"
    return f"{said}, and the interval holds at any number of them."


def _more_queries(comparison: Comparison) -> str:
    """Say how many queries in all see a difference of the margin."""
    margin = comparison.decision.margin
    rows = comparison.planning.differences
    needed = next((row.queries_needed for row in rows if row.difference == margin), None)
    shown = f"a Δ of the margin, {planning.margin_of_what(comparison)}"
    power = f.level(comparison.planning.power)
    asked = {"non-inferior": "not-worse", "equivalent": "same"}.get(
        comparison.rule.require or "", ""
    )
    if asked and comparison.decision.direction:
        change = "gain" if comparison.decision.direction > 0 else "loss"
        return (
            f"Add queries: the {change} seen ({planning.estimate(comparison)}) is smaller than"
            f" the margin of {planning.margin_of_what(comparison)}, but a larger one is not"
            " excluded yet."
        )
    claim = comparison.planning.claim(asked)
    if claim is not None:
        needed = claim.queries_needed
        least = planning.margin_of_what(comparison)
        shown = f"that {comparison.candidate} is not worse by {least} or more"
        if claim.claim == "same":
            shown = f"that the two differ by less than {least}"
        shown += " if the true Δ is 0"
    if not margin:
        said = "the interval is too wide for the gate."
    elif comparison.clusters is not None and not rows:
        said = "these are too few to say how many it takes."
    elif needed is None:
        said = f"no practical number of them would prove {shown}."
    elif needed <= comparison.n_queries:
        queries = words.queries(comparison.n_queries)
        said = f"{queries} show {shown}, in {power} of samples, but not in this one."
    else:
        said = f"about {f.about(needed)} in all would prove {shown} {power} of the time."
    new = " in new clusters" if comparison.clusters is not None else ""
    return f"Add queries{new}: {said}"
