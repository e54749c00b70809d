"""Samples other than two runs: votes, and a machine's judgments."""

from __future__ import annotations

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.comparison import Comparison
from abrank.comparison.rows import LEVEL, MachineJudgments, Preferences, SampleCheck
from abrank.report.model import EVERYWHERE, Block, Cell, Column, Section, Table, Text, Words, label
from abrank.report.sections import words

_WHO = {"people": "People alone", "both": "People and machine", "machine": "Machine alone"}
# Why people alone decide, of n queries judged by them.
ASIDE = {
    "errors": "{n} queries are too few to know the machine's errors",
    "draw": "the queries that people judged are no random draw",
}
_ROLE = {"people": "for comparison", "both": "for comparison", "machine": "never decides"}
# Measured in reports/calibration/machine.md, of the noisy machine with 25 to 100 human queries.
PICKED = (
    "Where they were picked, simulated 95% intervals covered the truth less often than 95%: in 76"
    " to 91% of samples where"
    " the easier or the harder half was judged, in 37 to 50% where the queries with the largest"
    " differences were."
)
RARE = (
    "Where a machine failed for B alone on 3% of the queries, simulated 95% intervals covered the"
    " truth in 89"
    " to 91% of samples of 25 to 100 of them, in 82% for the worst pair of systems."
)
SHARED = {
    "a": "A was declared to share its model with the machine.",
    "b": "B was declared to share its model with the machine.",
    "both": "Both systems were declared to share their model with the machine.",
    "neither": "Neither system was declared to share its model with the machine.",
}
_CHECKED = {"difference": "Machine's Δ", "difficulty": "Machine's mean of A and B"}


def machine_sentence(comparison: Comparison) -> str:
    """Say what people alone and the machine alone find, and what the machine is worth."""
    w, found = Words(comparison), comparison.machine
    if found is None:
        return ""
    deciding = _decides(comparison)
    said = (
        f"{_WHO[each.who]}: Δ {w.signed(each.estimate)} ({w.interval(*each.interval)})"
        for each in (found.of("people"), found.of("machine"))
        if each.who != deciding
    )
    return " ".join(
        [*_aside(found), f"{'. '.join(said)}; it never decides. {worth(found)}".strip()]
    )


def _decides(comparison: Comparison) -> str:
    """Return who decides; files of earlier versions name the other test where none is used."""
    found = comparison.machine
    return "both" if comparison.with_machine and not (found and found.refused) else "people"


def _aside(found: MachineJudgments) -> list[str]:
    """Say why people alone decide; nothing where the machine is used."""
    if not found.set_aside:
        return []
    why = ASIDE[found.set_aside].format(n=f.count(found.of("both").n_queries))
    return [f"People alone decide: {why}."]


def worth(found: MachineJudgments) -> str:
    """Say how many human queries alone would give an interval as narrow; empty without a use."""
    if found.worth is None or found.set_aside:
        return ""
    n = words.queries(found.of("both").n_queries)
    return f"With the machine, {n} judged by people are worth about {_worth(found)}."


def judge(comparison: Comparison) -> str:
    """Say which machine judged, and where that was declared; empty without a machine."""
    found = comparison.machine
    if found is None:
        return ""
    if found.judge is None:
        return "Which machine judged was not declared (machine.judge)."
    name = shorten(found.judge, width=60)
    stated = comparison.provenance.get("declared") or {}
    changed = {each.get("setting") for each in stated.get("deviations") or ()}
    if not stated or "machine.judge" in changed:
        return f"The machine was named with the call: {name}."
    day = f" on {stated['date']}" if stated.get("date") else ""
    path, digest = shorten(str(stated.get("path")), width=60), str(stated.get("sha256"))[:12]
    return f"The machine, {name}, was declared beforehand{day} in {path} (sha256 {digest}…)."


def sizes(comparison: Comparison) -> str:
    """Return the numbers of queries, as they stand at the end of a sentence of numbers."""
    found = comparison.machine
    if found is None:
        return words.queries_of(comparison)
    every = f.count(len(found.query_ids))
    said = f"{f.count(comparison.n_queries)} of {every} queries judged by people"
    left = len(found.missing)
    # So many that a reader who counts people's judgments would not expect the number.
    return f"{said}, {f.count(left)} more left out" if left >= comparison.n_queries else said


def machine(comparison: Comparison) -> Section | None:
    """Return the section; None where no machine's judgments were used."""
    found = comparison.machine
    if found is None:
        return None
    shared = SHARED.get(
        found.shared_model or "",
        "Whether a system shares its model with the machine was not declared"
        " (machine.shared_model).",
    )
    blocks: list[Block] = [
        _answers(comparison, found),
        Text(
            "Only the row marked ★ decides. With the machine the interval is valid where the"
            " queries"
            " that people judged are a random draw, the machine was chosen before they were looked"
            f" at, and its errors are not rarer than these queries can show. {RARE} {PICKED}",
            "caption",
        ),
        _facts(found),
        Text(
            "r is the correlation of people's and machine's differences on the queries that people"
            " judged; below the break-even the machine widens the interval. λ is the weight of the"
            f" machine's differences. {judge(comparison)} {shared}",
            "caption",
        ),
    ]
    if found.sample:
        blocks += [
            _sample(Words(comparison), found),
            Text(
                "A random draw differs from the other queries by chance only. A small p says that"
                " these were picked, or that the draw was unlucky: below"
                f" {f.number(LEVEL / len(found.sample))} people alone decide.",
                "caption",
            ),
        ]
    finding = " ".join(_aside(found)) or worth(found)
    return Section("machine", "People and machine", finding, tuple(blocks))


def _answers(comparison: Comparison, found: MachineJudgments) -> Table:
    w, every = Words(comparison), found.answers
    decides = [each.who == _decides(comparison) for each in every]
    both = list(zip(every, decides, strict=True))
    counts, readings = [], []
    for each, first in both:
        said = f.count(each.n_queries)
        if each.who == "both":
            said = f"{said} of {f.count(len(found.query_ids))}"
        counts.append(Cell(said, each.n_queries))
        shown = comparison.rule.gain(*each.interval).read()
        reading = Cell(words.READINGS[shown], shown, words.reading_tone(shown))
        readings.append(reading if first or each.who != "both" else Cell("set aside"))
    return Table.of(
        "machine",
        (label("Judged by"), [Cell(f"{_WHO[x.who]}{' ★' * y}", x.who, strong=y) for x, y in both]),
        (Column("Δ"), [w.change(each.estimate, strong=first) for each, first in both]),
        (Column(f"{w.level} interval"), [w.limits(each.interval) for each in every]),
        (Column("p"), [w.chance(each.pvalue) for each in every]),
        (Column("Queries"), counts),
        (label("Reading"), readings),
        (label("Role"), [Cell("decides" if y else _ROLE[x.who], strong=y) for x, y in both]),
    )


def _facts(found: MachineJudgments) -> Table:
    facts = (
        ("Worth, in human queries", _worth(found), found.worth),
        ("Correlation r", f.signed(found.correlation, digits=2), found.correlation),
        ("Break-even r", f.score(found.break_even, digits=2), found.break_even),
        ("λ", f.signed(found.slope, digits=2), found.slope),
        ("Queries outside the range seen", f.percent(found.outside, sign=False), found.outside),
    )
    return Table.of(
        "machine-facts",
        (label("What the machine adds"), [Cell(what) for what, _, _ in facts]),
        (Column("Value"), [Cell(shown, value) for _, shown, value in facts]),
    )


def _worth(found: MachineJudgments) -> str:
    if found.worth is None or found.set_aside:
        return f.UNDEFINED
    if found.worth_low is None:
        return f.about(found.worth)
    high = "any number" if found.worth_high is None else f.about(found.worth_high)
    return f"{f.about(found.worth)} ({f.about(found.worth_low)} to {high})"


def _sample(w: Words[Comparison], found: MachineJudgments) -> Table:
    def mean(each: SampleCheck, value: float) -> Cell:
        return w.change(value) if each.what == "difference" else w.mean(value)

    return Table.of(
        "machine-sample",
        (
            label("Are the judged queries like the others?"),
            [Cell(_CHECKED[each.what], each.what) for each in found.sample],
        ),
        (Column("Judged"), [mean(each, each.mean_judged) for each in found.sample]),
        (Column("Others"), [mean(each, each.mean_others) for each in found.sample]),
        (Column("p"), [w.chance(each.pvalue) for each in found.sample]),
    )


_MEANING = (
    "Δ is B's share of the queries, a tie as half a query, less one half, which is A's score where"
    " neither is preferred: +0.05 is 55 of 100 queries."
)

_CLICKS = (
    "Δ of preference is the share of impressions that B wins, a tie as half of one, less one half;"
    " of credit share the same of its credits. Clicks say which of two lists people prefer; they do"
    " not say how large the gain is in nDCG, nor how the two would fare alone."
)


def vote_sentences(comparison: Comparison) -> list[str]:
    """Say what was voted, what reverses with the order, and how much the place is worth."""
    found = comparison.preferences
    if found is None:
        return []
    if found.credits is not None:
        a, b = found.credits
        users = f" by {f.plural(found.n_judges, 'user')}" if found.n_judges else ""
        return [
            f"Interleaved lists: {words.queries_of(comparison)}{users},"
            f" {f.count(found.n_without_click)} without a credit. Credits of clicks:"
            f" A {f.number(a)}, B {f.number(b)}.{_decided(comparison, found)}"
        ]
    judges = f" by {f.plural(found.n_judges, 'judge')}" if found.n_judges > 1 else ""
    said = f"{f.plural(found.n_votes, 'vote')}{judges} on {words.queries_of(comparison)}"
    left = sum(found.left_out.values())
    if left:
        why = ", ".join(f"{reason} {f.count(n)}" for reason, n in sorted(found.left_out.items()))
        said += f"; {f.count(left)} without a verdict left out ({why})"
    return [
        f"{said}.{_decided(comparison, found)}",
        *_order(found, f.level(comparison.rule.confidence)),
    ]


def order_decides(comparison: Comparison) -> str:
    """Say that reversals go to one place, where their exact test shows it; empty otherwise."""
    votes = comparison.preferences
    reversals = None if votes is None else votes.to_first
    if votes is None or reversals is None or not reversals.pvalue < comparison.rule.alpha:
        return ""
    first = reversals.estimate > 0.5
    number = votes.n_to_first if first else votes.n_reversed - votes.n_to_first
    return (
        f"Order decides: {f.count(number)} of {f.count(votes.n_reversed)} reversals go to the"
        f" answer shown {'first' if first else 'second'}. "
    )


def _decided(comparison: Comparison, found: Preferences) -> str:
    if found.decided is None:
        return ""
    decided, won = comparison.primary.wins + comparison.primary.losses, found.decided
    share, low, high = (f.percent(x, sign=False) for x in (won.estimate, *won.interval))
    said = f" Of {f.count(decided)} decided B wins {share} ({low} to {high}, exact)."
    alpha = comparison.rule.alpha
    if found.attainable is None or f.level(found.attainable) == f.level(alpha):
        return said
    between = f"between {f.level(found.attainable)} and" if found.attainable else "below"
    return f"{said} Their sign flips have no p-value {between} {f.level(alpha)}."


def _order(found: Preferences, level: str) -> list[str]:
    bias = ""
    if found.bias is not None:
        limits = f.interval(*found.bias.interval, digits=2)
        bias = (
            " The answer shown first has a net share of"
            f" {f.signed(found.bias.estimate, digits=2)} of the verdicts ({level} CI {limits})."
        )
    if found.n_both and not found.n_disagree:
        return [f"Order: none of {f.count(found.n_both)} verdicts changes with the order.{bias}"]
    if found.n_both:
        half = found.n_disagree - found.n_reversed
        more = f", and {f.count(half)} more are a tie in one order only" if half else ""
        return [
            f"Order: {f.count(found.n_reversed)} of {f.count(found.n_both)} verdicts reverse with"
            f" the order, {f.count(found.n_to_first)} of them to the answer shown first{more}:"
            f" counted as ties.{bias}"
        ]
    if bias:
        return [f"Order: each verdict was given in one order, which changes.{bias}"]
    if found.shown["random"]:
        return ["Order: drawn at random and not kept, so the bias to a place averages out unseen."]
    return []


def votes(comparison: Comparison) -> Section | None:
    """Return the section on votes; None for scores of rankings."""
    found, w = comparison.preferences, Words(comparison)
    if found is None:
        return None
    kinds = (
        ("Decided queries that B wins (Clopper–Pearson)", found.decided, True),
        ("Net share of verdicts for the answer shown first (t)", found.bias, False),
        ("Reversed verdicts that go to the answer shown first (exact)", found.to_first, True),
    )
    known = [(what, each, exact) for what, each, exact in kinds if each is not None]
    estimates, limits = [], []
    for _, each, exact in known:
        ends = f.interval(*each.interval, digits=2)
        said = f.signed(each.estimate, digits=2)
        if exact:
            said, *both = (f.percent(x, sign=False) for x in (each.estimate, *each.interval))
            ends = " to ".join(both)
        estimates.append(Cell(said, each.estimate))
        limits.append(Cell(ends))
    first, *more = vote_sentences(comparison)
    blocks: list[Block] = [*map(Text, more)]
    if known:
        blocks.append(
            Table.of(
                "votes",
                (label("What"), [Cell(what) for what, _, _ in known]),
                (Column("Estimate"), estimates),
                (Column(f"{w.level} interval"), limits),
                (Column("p"), [w.chance(each.pvalue) for _, each, _ in known]),
            )
        )
    blocks.append(Text(_MEANING if found.credits is None else _CLICKS, "caption"))
    return Section("votes", "Votes", first, tuple(blocks), EVERYWHERE - {"text"})
