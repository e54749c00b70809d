"""The agreement of two judges on a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator

from abrank._support import display as f
from abrank.agreement import Estimate, JudgeAgreement, JudgedPair
from abrank.report import cells
from abrank.report.formats.terminal.plain_text import WIDTH

_LABEL = 24


def agreement_text(found: JudgeAgreement, *, width: int = WIDTH, ascii: bool = False) -> str:
    """Return the agreement of two judges as plain text.

    Examples
    --------
    >>> from abrank.agreement import judge_agreement
    >>> people = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d3": 0}}
    >>> print(agreement_text(judge_agreement(people, people)).splitlines()[0])
    human (qrels) and machine (qrels) judged 4 documents of 2 queries
    """
    blocks = [list(_head(found)), list(_table(found, width)), list(_grades(found))]
    if found.measure is not None:
        blocks += [list(_systems(found)), *(list(_pair(found, pair)) for pair in found.pairs)]
    note = f"{f.count(found.n_resamples)} resamples of the queries, seed {found.seed}"
    blocks.append([f"intervals: 95%, from {note}"])
    if found.pairs:
        each = "; each pair at its own level" if len(found.pairs) > 1 else ""
        blocks[-1].append(f"those of Δ: the t test of compare{each}")
    lines = [[part for line in block for part in _fit(line, width)] for block in blocks]
    return cells.blocks_of_text(lines, ascii=ascii)


def _fit(line: str, width: int) -> list[str]:
    """Return a line as it is where it fits, else wrapped."""
    return [line] if cells.columns(line) <= width else cells.wrap(line, width)


def _head(found: JudgeAgreement) -> Iterator[str]:
    human, machine = (f.shorten(name, width=_LABEL) for name in (found.human, found.machine))
    queries = f.plural(found.n_queries, "query", "queries")
    yield (
        f"human ({human}) and machine ({machine}) judged"
        f" {f.plural(found.n_documents, 'document')} of {queries}"
    )
    for who, documents, others in zip(
        ("human", "machine"), found.n_other_documents, found.n_other_queries, strict=True
    ):
        if documents or others:
            left = [f"{f.plural(documents, 'document')} of these queries"] * (documents > 0)
            left += [f.plural(others, "other query", "other queries")] * (others > 0)
            yield f"judged by the {who} alone: {' and '.join(left)}"
    alone = (*found.n_other_documents, *found.n_other_queries)
    if found.same.value == 1.0 and not any(alone):
        yield "both hold the same judgments: was one file given twice?"


def _table(found: JudgeAgreement, width: int) -> Iterator[str]:
    """Yield the confusion table, or where it is: it does not fit with many grades."""
    total = [sum(column) for column in zip(*found.table, strict=True)]
    rows = [[*row, sum(row)] for row in (*found.table, total)]
    cell = 2 + max(len(f.count(value)) for row in rows for value in row)
    cell = max(cell, 5, *(2 + len(str(grade)) for grade in found.grades))
    if 15 + cell * len(rows[0]) > width:
        yield f"the table of {len(found.grades)} grades is too wide here: --format json has it"
        return
    names = [*map(str, found.grades), "all"]
    yield "human \\ machine" + "".join(name.rjust(cell) for name in names)
    for name, row in zip(names, rows, strict=True):
        yield name.rjust(15) + "".join(f.count(value).rjust(cell) for value in row)


def _grades(found: JudgeAgreement) -> Iterator[str]:
    yield _line("same grade", found.same, share=True)
    yield _line("Cohen's kappa", found.kappa)
    if len(found.grades) > 2:
        yield _line("  with linear weights", found.kappa_linear)
        yield _line("  with quadratic weights", found.kappa_quadratic)
    yield _line(f"Krippendorff's alpha, {found.level}", found.alpha)
    yield _line("both relevant or both not", found.relevant_same, share=True)
    yield _line("  Cohen's kappa", found.relevant_kappa)
    yield f"relevant is grade {found.rel} and up"


def _line(name: str, value: Estimate, *, share: bool = False) -> str:
    write = (lambda x: f.percent(x, sign=False)) if share else f.score
    limits = f"{write(value.low)} to {write(value.high)}"
    return (
        f"{name:<31}{write(value.value):>8}   {limits if value.low == value.low else ''}".rstrip()
    )


def _systems(found: JudgeAgreement) -> Iterator[str]:
    head = f.shorten(found.measure or "", width=_LABEL)
    yield f"{head:<{_LABEL}}{'human':>9}{'machine':>9}"
    for name, means in found.means.items():
        shown = "".join(f"{f.score(mean):>9}" for mean in means)
        yield f"{f.shorten(name, width=_LABEL - 1):<{_LABEL}}{shown}"
    if len(found.means) > 2 and found.tau is not None and found.tau_ap is not None:
        yield f"orders of the {len(found.means)} systems:"
        yield _line("  Kendall's tau", found.tau)
        yield _line("  tau_AP", found.tau_ap)


def _pair(found: JudgeAgreement, pair: JudgedPair) -> Iterator[str]:
    a, b = (f.shorten(name, width=_LABEL) for name in (pair.baseline, pair.candidate))
    yield f"is {b} better than {a}, by {found.measure}?"
    for who, one in (("human", pair.human), ("machine", pair.machine)):
        limits = f.interval(one.low, one.high)
        yield f"  {who:<9}{one.verdict:<18}Δ {f.signed(one.difference)} ({limits})"
    apart, same = pair.apart, pair.human.verdict == pair.machine.verdict
    if math.isfinite(apart.low):
        limits = f"{f.interval(apart.low, apart.high)}), {f.p_clause(apart.pvalue, alpha=0.05)}"
        yield f"  {'human less machine':<27}Δ {f.signed(apart.difference)} ({limits}"
    if same:
        size = "; the size of the difference depends on the judge" if apart.shown else ""
        yield f"  the verdict is the same{size}"
    elif apart.shown:
        yield "  the verdict depends on the judge"
    else:
        yield "  the verdicts differ, but the judges are not shown to see different Δ"
    shares = [f.percent(x, sign=False) for x in (pair.same_candidate, pair.same_baseline)]
    gap = pair.same_difference
    yield f"  same grade in the top {found.depth}: {shares[0]} of {b}, {shares[1]} of {a}"
    limits = f"{f.percent(gap.low)} to {f.percent(gap.high)}"
    yield f"    difference {f.percent(gap.value)} ({limits})"
    yield from _favour(pair.favour, a, b)


def _favour(favour: Estimate, a: str, b: str) -> Iterator[str]:
    """Yield whether the machine grades one system's documents higher."""
    shown = favour.low > 0.0 or favour.high < 0.0
    favoured = b if favour.value > 0.0 else a
    yield f"  machine's grade of {b}'s documents less {a}'s, at the same human grade:"
    yield f"    {f.signed(favour.value)} ({f.interval(favour.low, favour.high)})"
    yield f"    the machine favours {favoured}" if shown else "    no favour shown for either"
