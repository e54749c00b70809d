"""People and machine: three answers side by side, and what the one that decides rests on."""

from __future__ import annotations

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.comparison import Comparison
from abrank.comparison.machine.judgments import JudgedBy, MachineJudgments, SampleCheck
from abrank.report.model import Block, Cell, Column, Section, Table, Text
from abrank.report.sections import words

_WHO = {"people": "People alone", "both": "People and machine ★", "machine": "Machine alone"}
_ROLE = {"people": "shown beside it", "both": "decides", "machine": "never decides"}
# Measured in reports/calibration/machine.md, of the noisy machine with 25 to 100 human queries.
PICKED = (
    "Where they were picked, simulated 95% intervals held less often: in 76 to 91% of samples where"
    " the easier or the harder half was judged, in 37 to 50% where the queries with the largest"
    " differences were."
)
SHARED = {
    "a": "A was declared to share its model with the machine.",
    "b": "B was declared to share its model with the machine.",
    "both": "Both systems were declared to share their model with the machine.",
    "neither": "Neither system was declared to share its model with the machine.",
}
_CHECKED = {"difference": "Machine's Δ", "difficulty": "Machine's mean of A and B"}


def sentence(comparison: Comparison, *, digits: int) -> str:
    """Say what people alone and the machine alone find, and what the machine is worth.

    Empty where no machine's judgments were used.
    """
    found = comparison.machine
    if found is None:
        return ""
    people, machine = (
        f"{_WHO[who]}: {_reading(comparison, found.of(who))},"
        f" Δ {f.signed(found.of(who).estimate, digits=digits)}"
        f" ({f.interval(found.of(who).ci_low, found.of(who).ci_high, digits=digits)})"
        for who in ("people", "machine")
    )
    return f"{people}. {machine}; it never decides. {worth(found)}"


def worth(found: MachineJudgments) -> str:
    """Say how many human queries alone would give an interval as narrow."""
    n = found.of("both").n_queries
    together = f"With the machine, {words.queries(n)} judged by people"
    if found.worth is None:
        return ""
    if found.refused:
        return "The machine made too few errors to correct it by: people alone decide."
    return f"{together} are worth about {f.about(found.worth)}."


def judge(comparison: Comparison) -> str:
    """Say which machine judged, and where that was declared; empty without a machine."""
    found = comparison.machine
    if found is None:
        return ""
    if found.judge is None:
        return "Which machine judged was not declared (--machine-judge)."
    name = shorten(found.judge, width=60)
    stated = comparison.provenance.get("declared") or {}
    changed = {each.get("setting") for each in stated.get("deviations") or ()}
    if not stated or "machine-judge" in changed:
        return f"The machine was named with the call: {name}."
    day = f" on {stated['date']}" if stated.get("date") else ""
    path, digest = shorten(str(stated.get("path")), width=60), str(stated.get("sha256"))[:12]
    return f"The machine, {name}, was declared beforehand{day} in {path} (sha256 {digest}…)."


def sizes(comparison: Comparison) -> str:
    """Return the numbers of queries, as they stand at the end of a sentence of numbers."""
    found = comparison.machine
    if found is None:
        return words.queries(comparison.n_queries)
    every = f.count(len(found.query_ids))
    return f"{f.count(comparison.n_queries)} of {every} queries judged by people"


def machine(comparison: Comparison, *, digits: int) -> Section | None:
    """Return the section; None where no machine's judgments were used."""
    found = comparison.machine
    if found is None:
        return None
    shared = SHARED.get(
        found.shared_model or "",
        "Whether a system shares its model with the machine was not declared (--shared-model).",
    )
    blocks: list[Block] = [
        _answers(comparison, found, digits=digits),
        Text(
            "Only the row marked ★ decides: its interval holds whatever the machine's faults, as"
            " long as the queries that people judged are a random draw and the machine was chosen"
            f" before they were looked at. {PICKED}",
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
            _sample(found, alpha=comparison.rule.alpha, digits=digits),
            Text(
                "A random draw differs from the other queries by chance only. A small p says that"
                " these were picked, or that the draw was unlucky.",
                "caption",
            ),
        ]
    return Section("machine", "People and machine", worth(found), tuple(blocks))


def _reading(comparison: Comparison, answer: JudgedBy) -> str:
    """Say what an interval shows of B."""
    low, high = comparison.rule.gain(answer.ci_low, answer.ci_high)
    return "better" if low > 0 else "worse" if high < 0 else "unclear"


def _answers(comparison: Comparison, found: MachineJudgments, *, digits: int) -> Table:
    columns = (
        Column("Judged by", numeric=False),
        Column("Δ"),
        Column(f"{f.level(comparison.rule.confidence)} interval"),
        Column("p"),
        Column("Queries"),
        Column("Reading", numeric=False),
        Column("Role", numeric=False),
    )
    rows = []
    for each in found.answers:
        reading, decides = _reading(comparison, each), each.who == "both"
        rows.append(
            (
                Cell(_WHO[each.who], each.who, strong=decides),
                Cell(f.signed(each.estimate, digits=digits), each.estimate, strong=decides),
                Cell(f.interval(each.ci_low, each.ci_high, digits=digits), each.ci_low),
                Cell(f.pvalue(each.pvalue, alpha=comparison.rule.alpha), each.pvalue),
                Cell(_queries(found, each), each.n_queries),
                Cell(words.READINGS[reading], reading, words.reading_tone(reading)),
                Cell(_ROLE[each.who], strong=decides),
            )
        )
    return Table("machine", columns, tuple(rows))


def _queries(found: MachineJudgments, answer: JudgedBy) -> str:
    if answer.who != "both":
        return f.count(answer.n_queries)
    return f"{f.count(answer.n_queries)} of {f.count(len(found.query_ids))}"


def _facts(found: MachineJudgments) -> Table:
    facts = (
        ("Worth, in human queries", _worth(found), found.worth),
        ("Correlation r", f.signed(found.correlation, digits=2), found.correlation),
        ("Break-even r", f.score(found.break_even, digits=2), found.break_even),
        ("λ", f.signed(found.slope, digits=2), found.slope),
        ("Queries outside the range seen", f.percent(found.outside, sign=False), found.outside),
    )
    columns = (Column("What the machine adds", numeric=False), Column("Value"))
    return Table("machine-facts", columns, tuple((Cell(a), Cell(b, c)) for a, b, c in facts))


def _worth(found: MachineJudgments) -> str:
    return f.UNDEFINED if found.worth is None else f.about(found.worth)


def _sample(found: MachineJudgments, *, alpha: float, digits: int) -> Table:
    def row(each: SampleCheck) -> tuple[Cell, ...]:
        show = f.signed if each.what == "difference" else f.score
        return (
            Cell(_CHECKED[each.what], each.what),
            Cell(show(each.mean_judged, digits=digits), each.mean_judged),
            Cell(show(each.mean_others, digits=digits), each.mean_others),
            Cell(f.pvalue(each.pvalue, alpha=alpha), each.pvalue),
        )

    columns = (
        Column("Are the judged queries like the others?", numeric=False),
        Column("Judged"),
        Column("Others"),
        Column("p"),
    )
    return Table("machine-sample", columns, tuple(map(row, found.sample)))
