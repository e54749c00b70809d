"""The report of two judges: their agreement, and its effect on verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator

from abrank._support import display as f
from abrank.agreement import JudgeAgreement, JudgedPair
from abrank.estimate import Estimate
from abrank.report.model import (
    EVERYWHERE,
    Block,
    Cell,
    Column,
    Fact,
    Headline,
    Report,
    Section,
    Table,
    Text,
    Words,
    report_of,
)
from abrank.report.sections.words import queries
from abrank.report.subjects import compose

_LABEL = 24


@compose.register
def compose_judges(result: JudgeAgreement, *, digits: int | None = None) -> Report:
    """Return everything a report says about the agreement of two judges."""
    w = Words(result, digits)
    human, machine = (f.shorten(name, width=_LABEL) for name in (result.human, result.machine))
    n = queries(result.n_queries)
    documents = f.plural(result.n_documents, "document")
    same = f.percent(result.same.estimate, sign=False)
    limits, kappa = _limits(w, result.same, share=True), w.score(result.kappa.estimate)
    rule = f"intervals: 95%, from {f.count(result.n_resamples)} resamples of the queries, seed"
    rule += f" {result.seed}"
    if result.pairs:
        text = "; each pair at its own level" if len(result.pairs) > 1 else ""
        rule += f"; those of Δ: the t test of compare{text}"
    head = Headline(
        verdict="agreement",
        title=f"Human ({human}) and machine ({machine}) gave {same} of {documents} the same grade",
        numbers=f"95% interval {limits}; Cohen's κ {kappa}; {n}",
        rule=rule,
    )
    return report_of(
        w,
        head,
        context=(f"human {human}", f"machine {machine}", documents, n),
        who=f"agreement of {human} and {machine}",
        file="agreement",
        sections=(
            _grades(w),
            _systems(w) if result.measure is not None else None,
            *(_pair(w, pair) for pair in result.pairs),
        ),
        facts=tuple(_facts(result, head)),
        hint=".to_dict()",
    )


def _facts(result: JudgeAgreement, head: Headline) -> Iterator[Fact]:
    for who, documents, rest in zip(
        ("human", "machine"), result.n_other_documents, result.n_other_queries, strict=True
    ):
        if documents or rest:
            left = [f"{f.plural(documents, 'document')} of these queries"] * (documents > 0)
            left += [f.plural(rest, "other query", "other queries")] * (rest > 0)
            yield Fact(
                "left out", f"judged by the {who} alone: {' and '.join(left)}", "", False, True
            )
    alone = (*result.n_other_documents, *result.n_other_queries)
    if result.same.estimate == 1.0 and not any(alone):
        text = "both files have the same judgments: was one file given twice?"
        yield Fact("note", text, loud=True, everywhere=True)
    yield Fact("relevant", f"is grade {result.rel} and up", everywhere=False)
    yield Fact("rule", head.rule, "muted")


def _limits(w: Words[JudgeAgreement], value: Estimate, *, share: bool = False) -> str:
    if math.isnan(value.low):
        return ""
    if share:
        return " to ".join(f.percent(item, sign=False) for item in value.interval)
    return w.range(*value.interval)


def _estimates(w: Words[JudgeAgreement], key: str, rows: list[tuple[str, Estimate, bool]]) -> Table:
    return Table.by_row(
        key,
        rows,
        (Column.name("Agreement"), lambda x: Cell(x[0])),
        (Column("Value"), lambda x: (Cell.share if x[2] else w.mean)(x[1].estimate)),
        (Column("95% interval", role="interval"), lambda x: Cell(_limits(w, x[1], share=x[2]))),
    )


def _grades(w: Words[JudgeAgreement]) -> Section:
    result, grades = w.result, [*map(str, w.result.grades), "all"]
    rows = [*result.table, [sum(column) for column in zip(*result.table, strict=True)]]
    by_machine = [*zip(*rows, strict=True), [sum(row) for row in rows]]
    table = Table.of(
        "grades",
        (Column.name("Human \\ machine"), map(Cell, grades)),
        *(
            (Column(name), map(Cell.count, counts))
            for name, counts in zip(grades, by_machine, strict=True)
        ),
    )
    estimates = [("same grade", result.same, True), ("Cohen's kappa", result.kappa, False)]
    if len(result.grades) > 2:
        estimates.append(("kappa with linear weights", result.kappa_linear, False))
        estimates.append(("kappa with quadratic weights", result.kappa_quadratic, False))
    estimates.append((f"Krippendorff's alpha, {result.level}", result.alpha, False))
    estimates.append(("both relevant or both not", result.relevant_same, True))
    estimates.append(("Cohen's kappa of these two", result.relevant_kappa, False))
    blocks = (table, _estimates(w, "agreement", estimates))
    return Section("grades", "Grades", "", blocks, EVERYWHERE)


def _systems(w: Words[JudgeAgreement]) -> Section:
    """Return the means of the systems by either judge, and the correlation of the orders."""
    result = w.result
    table = Table.by_row(
        "systems",
        result.means.items(),
        (Column.name(result.measure or ""), lambda x: Cell(x[0])),
        (Column("Human"), lambda x: w.mean(x[1][0])),
        (Column("Machine"), lambda x: w.mean(x[1][1])),
    )
    blocks: list[Block] = [table]
    finding = ""
    if len(result.means) > 2 and result.tau is not None and result.tau_ap is not None:
        finding = (
            f"Orders of the {len(result.means)} systems: Kendall's τ"
            f" {w.score(result.tau.estimate)}."
        )
        estimates = [("Kendall's tau", result.tau, False), ("tau_AP", result.tau_ap, False)]
        blocks.append(_estimates(w, "orders", estimates))
    return Section("systems", "Systems", finding, tuple(blocks), EVERYWHERE)


def _pair(w: Words[JudgeAgreement], pair: JudgedPair) -> Section:
    """Return the verdict by either judge, whether they differ, and whom the machine favours."""
    result = w.result
    a, b = (f.shorten(name, width=_LABEL) for name in (pair.baseline, pair.candidate))
    apart = pair.apart
    rows: list[tuple[str, str, Estimate, str]] = [
        ("human", pair.human.verdict, pair.human, ""),
        ("machine", pair.machine.verdict, pair.machine, ""),
    ]
    if math.isfinite(apart.low):  # then the difference of the judges has a p-value
        rows.append(("human less machine", "", apart, f.pvalue(apart.pvalue, alpha=0.05)))
    table = Table.by_row(
        f"verdicts {b}",
        rows,
        (Column.name("Judge"), lambda x: Cell(x[0])),
        (Column.words("Verdict"), lambda x: Cell(x[1])),
        (Column("Δ"), lambda x: w.change(x[2].estimate)),
        (Column("95% interval", role="interval"), lambda x: Cell(w.interval(*x[2].interval))),
        (Column("p"), lambda x: Cell(x[3])),
    )
    depends = apart.interval.excludes_zero
    if pair.human.verdict == pair.machine.verdict:
        size = "; the size of the difference depends on the judge" if depends else ""
        finding = f"The verdict is the same{size}."
    elif depends:
        finding = "The verdict depends on the judge."
    else:
        finding = (
            "The verdicts differ, but the difference of Δ between the judges is not significant."
        )
    shares = [f.percent(x, sign=False) for x in (pair.same_candidate, pair.same_baseline)]
    gap = pair.same_difference
    limits_ = f"{f.percent(gap.low)} to {f.percent(gap.high)}"
    same = (
        f"Same grade in the top {result.depth}: {shares[0]} of {b}, {shares[1]} of {a}; difference"
        f" {f.percent(gap.estimate)} ({limits_})."
    )
    favour = pair.favour
    side = favour.interval.side
    text = f"the machine favours {b if side > 0 else a}" if side else "no significant favour"
    graded = (
        f"Machine's grade of {b}'s documents less {a}'s, at the same human grade:"
        f" {w.signed(favour.estimate)} ({w.interval(*favour.interval)}): {text}."
    )
    question = f"Is {b} better than {a}, by {result.measure}?"
    blocks = (table, Text(same), Text(graded))
    key, title = f"pair-{pair.candidate}", f"{b} against {a}"
    return Section(key, title, f"{question} {finding}", blocks, EVERYWHERE)
