"""Samples other than two runs: votes, and a machine's judgments."""

from __future__ import annotations

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.comparison import Comparison
from abrank.comparison.rows import LEVEL, MachineJudgments, Preferences
from abrank.comparison.units import within_reach
from abrank.report.model import EVERYWHERE, Block, Cell, Column, Section, Table, Text, Words
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
    " to 91% of samples where the easier or the harder half was judged, in 37 to 50%"
    " where the queries with the largest differences were."
)
RARE = (
    "Where a machine failed for B alone on 3% of the queries, simulated 95% intervals covered the"
    " truth in 89 to 91% of samples of 25 to 100 of them, in 82% for the worst pair of systems."
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
    w, result = Words(comparison), comparison.machine
    if result is None:
        return ""
    deciding = "both" if comparison.with_machine else "people"
    texts = (
        f"{_WHO[item.who]}: Δ {w.signed(item.estimate)} ({w.interval(*item.interval)})"
        for item in (result.of("people"), result.of("machine"))
        if item.who != deciding
    )
    return " ".join(
        [*_aside(result), f"{'. '.join(texts)}; it never decides. {worth(result)}".strip()]
    )


def _aside(result: MachineJudgments) -> list[str]:
    """Say why people alone decide; nothing where the machine is used."""
    if not result.set_aside:
        return []
    why = ASIDE[result.set_aside].format(n=f.count(result.of("both").n_queries))
    return [f"People alone decide: {why}."]


def worth(result: MachineJudgments) -> str:
    """Say how many human queries alone would give an interval as narrow; empty without a use."""
    if result.worth is None or result.set_aside:
        return ""
    n = words.queries(result.of("both").n_queries)
    return f"With the machine, {n} judged by people are worth about {_worth(result)}."


def judge(comparison: Comparison) -> str:
    """Say which machine judged, and where that was declared; empty without a machine."""
    result = comparison.machine
    if result is None:
        return ""
    if result.judge is None:
        return "Which machine judged was not declared (machine.judge)."
    name = shorten(result.judge, width=60)
    stated = comparison.provenance.get("declared") or {}
    changed = {item.get("setting") for item in stated.get("deviations") or ()}
    if not stated or "machine.judge" in changed:
        return f"The machine was named with the call: {name}."
    return f"The machine, {name}, was declared beforehand{words.declared_where(stated)}."


def sizes(comparison: Comparison) -> str:
    """Return the numbers of queries, as they stand at the end of a sentence of numbers."""
    result = comparison.machine
    if result is None:
        groups = comparison.clusters
        if groups is None:
            return words.queries_of(comparison)
        clusters = f.plural(groups.n_clusters, "cluster") + words.by_property(groups.name)
        return f"{words.queries_of(comparison)} in {clusters}"
    text = f.count(len(result.query_ids))
    sentence = f"{f.count(comparison.n_queries)} of {text} queries judged by people"
    left = len(result.missing)
    # So many that a reader who counts people's judgments would not expect the number.
    return (
        f"{sentence}, {f.count(left)} more left out" if left >= comparison.n_queries else sentence
    )


def machine(comparison: Comparison) -> Section | None:
    """Return the section; None where no machine's judgments were used."""
    result = comparison.machine
    if result is None:
        return None
    shared = SHARED.get(
        result.shared_model or "",
        "Whether a system shares its model with the machine was not declared"
        " (machine.shared_model).",
    )
    blocks: list[Block] = [
        _answers(comparison, result),
        Text(
            "Only the row marked ★ decides. With the machine the interval is valid where the"
            " queries"
            " that people judged are a random draw, the machine was chosen before they were looked"
            f" at, and its errors are not rarer than these queries can show. {RARE} {PICKED}",
            "caption",
        ),
        _facts(result),
        Text(
            "r is the correlation of people's and machine's differences on the queries that people"
            " judged; below the break-even the machine widens the interval. λ is the weight of the"
            f" machine's differences. {judge(comparison)} {shared}",
            "caption",
        ),
    ]
    if result.sample:
        w = Words(comparison)
        blocks += [
            Table.by_row(
                "machine-sample",
                [
                    (item, w.change if item.what == "difference" else w.mean)
                    for item in result.sample
                ],
                (
                    Column.words("Are the judged queries like the others?"),
                    lambda x: Cell(_CHECKED[x[0].what], x[0].what),
                ),
                (Column("Judged"), lambda x: x[1](x[0].mean_judged)),
                (Column("Others"), lambda x: x[1](x[0].mean_others)),
                (Column("p"), lambda x: w.chance(x[0].pvalue)),
            ),
            Text(
                "A random draw differs from the other queries by chance only. A small p says that"
                " these were picked, or that the draw was unlucky: below"
                f" {f.number(LEVEL / len(result.sample))} people alone decide.",
                "caption",
            ),
        ]
    finding = " ".join(_aside(result)) or worth(result)
    return Section("machine", "People and machine", finding, tuple(blocks))


def _answers(comparison: Comparison, result: MachineJudgments) -> Table:
    w, answers = Words(comparison), result.answers
    deciding = "both" if comparison.with_machine else "people"
    both = [(answer, answer.who == deciding) for answer in answers]
    counts, readings = [], []
    for answer, first in both:
        text = f.count(answer.n_queries)
        if answer.who == "both":
            text = f"{text} of {f.count(len(result.query_ids))}"
        counts.append(Cell(text, answer.n_queries))
        kind = comparison.rule.gain(*answer.interval).read()
        reading = Cell(words.READINGS[kind], kind, words.reading_tone(kind))
        readings.append(reading if first or answer.who != "both" else Cell("set aside"))
    return Table.of(
        "machine",
        (
            Column.words("Judged by"),
            [Cell(f"{_WHO[x.who]}{' ★' * y}", x.who, strong=y) for x, y in both],
        ),
        (Column("Δ"), [w.change(answer.estimate, strong=first) for answer, first in both]),
        (
            Column(f"{w.level} interval"),
            [w.limits(within_reach(comparison, x.interval, relative=False)) for x in answers],
        ),
        (Column("p"), [w.chance(answer.pvalue) for answer in answers]),
        (Column("Queries"), counts),
        (Column.words("Reading"), readings),
        (Column.words("Role"), [Cell("decides" if y else _ROLE[x.who], strong=y) for x, y in both]),
    )


def _facts(result: MachineJudgments) -> Table:
    facts = (
        ("Worth, in human queries", _worth(result), result.worth),
        ("Correlation r", f.signed(result.correlation, digits=2), result.correlation),
        ("Break-even r", f.score(result.break_even, digits=2), result.break_even),
        ("λ", f.signed(result.slope, digits=2), result.slope),
        ("Queries outside the range seen", f.percent(result.outside, sign=False), result.outside),
    )
    return Table.of(
        "machine-facts",
        (Column.words("What the machine adds"), [Cell(kind) for kind, _, _ in facts]),
        (Column("Value"), [Cell(text, value) for _, text, value in facts]),
    )


def _worth(result: MachineJudgments) -> str:
    if result.worth is None or result.set_aside:
        return f.UNDEFINED
    if result.worth_low is None:
        return f.about(result.worth)
    high = "any number" if result.worth_high is None else f.about(result.worth_high)
    return f"{f.about(result.worth)} ({f.about(result.worth_low)} to {high})"


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
    preferences = comparison.preferences
    if preferences is None:
        return []
    if preferences.credits is not None:
        a, b = preferences.credits
        users = f" by {f.plural(preferences.n_judges, 'user')}" if preferences.n_judges else ""
        return [
            f"Interleaved lists: {words.queries_of(comparison)}{users},"
            f" {f.count(preferences.n_without_click)} without a credit. Credits of clicks:"
            f" A {f.number(a)}, B {f.number(b)}.{_decided(comparison, preferences)}"
        ]
    judges = f" by {f.plural(preferences.n_judges, 'judge')}" if preferences.n_judges > 1 else ""
    text = f"{f.plural(preferences.n_votes, 'vote')}{judges} on {words.queries_of(comparison)}"
    left = sum(preferences.left_out.values())
    if left:
        why = ", ".join(
            f"{reason} {f.count(n)}" for reason, n in sorted(preferences.left_out.items())
        )
        text += f"; {f.count(left)} without a verdict left out ({why})"
    return [
        f"{text}.{_decided(comparison, preferences)}",
        *_order(preferences, f.level(comparison.rule.confidence)),
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


def _decided(comparison: Comparison, result: Preferences) -> str:
    if result.decided is None:
        return ""
    decided, won = comparison.primary.wins + comparison.primary.losses, result.decided
    share, low, high = (f.percent(x, sign=False) for x in (won.estimate, *won.interval))
    text = f" Of {f.count(decided)} decided B wins {share} ({low} to {high}, exact)."
    alpha = comparison.rule.alpha
    if result.attainable is None or f.level(result.attainable) == f.level(alpha):
        return text
    between = f"between {f.level(result.attainable)} and" if result.attainable else "below"
    return f"{text} Their sign flips have no p-value {between} {f.level(alpha)}."


def _order(result: Preferences, level: str) -> list[str]:
    bias = ""
    if result.bias is not None:
        limits = f.interval(*result.bias.interval, digits=2)
        bias = (
            " The answer shown first has a net share of"
            f" {f.signed(result.bias.estimate, digits=2)} of the verdicts ({level} CI {limits})."
        )
    if result.n_both and not result.n_disagree:
        return [f"Order: none of {f.count(result.n_both)} verdicts changes with the order.{bias}"]
    if result.n_both:
        half = result.n_disagree - result.n_reversed
        more = f", and {f.count(half)} more are a tie in one order only" if half else ""
        return [
            f"Order: {f.count(result.n_reversed)} of {f.count(result.n_both)} verdicts reverse with"
            f" the order, {f.count(result.n_to_first)} of them to the answer shown first{more}:"
            f" counted as ties.{bias}"
        ]
    if bias:
        return [f"Order: each verdict was given in one order, which changes.{bias}"]
    if result.shown_first["random"]:
        return [
            "Order: random, but not recorded, so a bias to the first answer cannot be"
            " measured; on average it cancels."
        ]
    return []


def votes(comparison: Comparison) -> Section | None:
    """Return the section on votes; None for scores of rankings."""
    preferences, w = comparison.preferences, Words(comparison)
    if preferences is None:
        return None
    kinds = (
        ("Decided queries that B wins (Clopper–Pearson)", preferences.decided, True),
        ("Net share of verdicts for the answer shown first (t)", preferences.bias, False),
        ("Reversed verdicts that go to the answer shown first (exact)", preferences.to_first, True),
    )
    available = [(kind, result, exact) for kind, result, exact in kinds if result is not None]
    estimates, limits = [], []
    for _, result, exact in available:
        ends = f.interval(*result.interval, digits=2)
        text = f.signed(result.estimate, digits=2)
        if exact:
            text, *both = (f.percent(x, sign=False) for x in (result.estimate, *result.interval))
            ends = " to ".join(both)
        estimates.append(Cell(text, result.estimate))
        limits.append(Cell(ends))
    first, *more = vote_sentences(comparison)
    blocks: list[Block] = [*map(Text, more)]
    if available:
        blocks.append(
            Table.of(
                "votes",
                (Column.words("What"), [Cell(kind) for kind, _, _ in available]),
                (Column("Estimate"), estimates),
                (Column(f"{w.level} interval"), limits),
                (Column("p"), [w.chance(result.pvalue) for _, result, _ in available]),
            )
        )
    blocks.append(Text(_MEANING if preferences.credits is None else _CLICKS, "caption"))
    return Section("votes", "Votes", first, tuple(blocks), EVERYWHERE - {"text"})
