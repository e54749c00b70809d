"""People and machine: three answers side by side, and what the one that decides rests on."""

from __future__ import annotations

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.comparison import Comparison
from abrank.comparison.machine import LEVEL, JudgedBy, MachineJudgments, SampleCheck
from abrank.report.model import Block, Cell, Column, Section, Table, Text
from abrank.report.sections import words

_WHO = {"people": "People alone", "both": "People and machine", "machine": "Machine alone"}
# Why people alone decide, of n queries judged by them.
ASIDE = {
    "errors": "{n} queries are too few to know the machine's errors",
    "draw": "the queries that people judged are no random draw",
}
_ROLE = {"people": "shown beside it", "both": "shown beside it", "machine": "never decides"}
# Measured in reports/calibration/machine.md, of the noisy machine with 25 to 100 human queries.
PICKED = (
    "Where they were picked, simulated 95% intervals held less often: in 76 to 91% of samples where"
    " the easier or the harder half was judged, in 37 to 50% where the queries with the largest"
    " differences were."
)
RARE = (
    "Where a machine failed for B alone on 3% of the queries, simulated 95% intervals held in 89"
    " to 91% of samples of 25 to 100 of them, in 82% for the worst pair of systems."
)
SHARED = {
    "a": "A was declared to share its model with the machine.",
    "b": "B was declared to share its model with the machine.",
    "both": "Both systems were declared to share their model with the machine.",
    "neither": "Neither system was declared to share its model with the machine.",
}
_CHECKED = {"difference": "Machine's Δ", "difficulty": "Machine's mean of A and B"}


def sentence(comparison: Comparison) -> str:
    """Say what people alone and the machine alone find, and what the machine is worth.

    Empty where no machine's judgments were used.
    """
    digits = comparison.decimals
    found = comparison.machine
    if found is None:
        return ""
    deciding = _decides(comparison)
    said = (
        f"{_WHO[each.who]}: Δ {f.signed(each.estimate, digits=digits)}"
        f" ({f.interval(*each.interval, digits=digits)})"
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
            "Only the row marked ★ decides. With the machine the interval holds where the queries"
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
            _sample(found, alpha=comparison.rule.alpha, digits=comparison.decimals),
            Text(
                "A random draw differs from the other queries by chance only. A small p says that"
                " these were picked, or that the draw was unlucky: below"
                f" {f.number(LEVEL / len(found.sample))} people alone decide.",
                "caption",
            ),
        ]
    finding = " ".join(_aside(found)) or worth(found)
    return Section("machine", "People and machine", finding, tuple(blocks))


def _reading(comparison: Comparison, answer: JudgedBy) -> str:
    """Say what an interval shows of B."""
    return comparison.rule.gain(*answer.interval).read()


def _answers(comparison: Comparison, found: MachineJudgments) -> Table:
    digits = comparison.decimals
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
        reading, decides = _reading(comparison, each), each.who == _decides(comparison)
        role = "decides" if decides else _ROLE[each.who]
        used = decides or each.who != "both"
        rows.append(
            (
                Cell(f"{_WHO[each.who]}{' ★' if decides else ''}", each.who, strong=decides),
                Cell(f.signed(each.estimate, digits=digits), each.estimate, strong=decides),
                Cell(f.interval(*each.interval, digits=digits), each.ci_low),
                Cell(f.pvalue(each.pvalue, alpha=comparison.rule.alpha), each.pvalue),
                Cell(_queries(found, each), each.n_queries),
                Cell(words.READINGS[reading], reading, words.reading_tone(reading))
                if used
                else Cell("set aside"),
                Cell(role, strong=decides),
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
    if found.worth is None or found.set_aside:
        return f.UNDEFINED
    if found.worth_low is None:
        return f.about(found.worth)
    high = "any number" if found.worth_high is None else f.about(found.worth_high)
    return f"{f.about(found.worth)} ({f.about(found.worth_low)} to {high})"


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
