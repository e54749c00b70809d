"""Sensitivity: what becomes of the verdict under other choices, as a sentence and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from abrank._support import display as f
from abrank._support.display import shorten
from abrank.comparison import Alternative, Comparison, MeasureResult
from abrank.report.model import Cell, Column, Section, Table, Text
from abrank.report.sections import words
from abrank.verdict import Verdict

LONGEST_ID = 40


# What each verdict claims of B: a gain, a loss, its size, and what is ruled out.
_CLAIMS = {
    Verdict.BETTER: {"gain", "gain of that size", "no loss"},
    Verdict.BETTER_SIZE_UNCLEAR: {"gain", "no loss"},
    Verdict.NOT_WORSE: {"no loss"},
    Verdict.SAME: {"no loss", "no gain"},
    Verdict.IDENTICAL: {"no loss", "no gain", "no difference"},
    Verdict.NOT_BETTER: {"no gain"},
    Verdict.WORSE_SIZE_UNCLEAR: {"loss", "no gain"},
    Verdict.WORSE: {"loss", "loss of that size", "no gain"},
}


def falls(comparison: Comparison, other: Alternative) -> bool:
    """Whether something that the verdict claims is not shown under another choice."""
    claimed, shown = (_CLAIMS.get(each.verdict, set()) for each in (comparison, other))
    return not claimed <= shown


_NOTHING = "Nothing is shown that another choice could take away."


def sentence(comparison: Comparison) -> str:
    """Say under which other choices a verdict that is shown falls, or that it stays.

    A verdict that arises under another choice is not told: of many samples without a difference one
    arises in some, the more so without the queries that weigh most. The table has it. Nor is that
    one in doubt stays: no other choice takes the doubt away.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a = {f"q{i:02}": i / 100 for i in range(12)}
    >>> b = {query: score + 0.01 * (int(query[1:]) % 3) for query, score in a.items()}
    >>> sentence(compare_scores(a, b))
    'The verdict stays “Better” without the three most influential queries (Δ +0.0111).'
    """
    if comparison.verdict not in _CLAIMS or comparison.decision.of_numbers is not None:
        return ""
    fallen: dict[Verdict, list[str]] = {}
    stays = []
    for each in comparison.alternatives:
        # Chosen queries take a verdict against a margin back too often though it is right.
        if each.kind == "without-influential" and not comparison.decision.direction:
            continue
        said = f"{_choice(each)} (Δ {f.signed(each.diff, digits=comparison.decimals)})"
        if falls(comparison, each):
            fallen.setdefault(each.verdict, []).append(said)
        elif not each.changes:
            stays.append(said)
    if comparison.soundness.level == "doubtful":
        stays = []
    kept = f"stays {_tag(comparison.verdict)} {_listed(stays)}"
    if not fallen:
        return f"The verdict {kept}." if stays else ""
    others = [f"{_tag(each)} {_listed(said)}" for each, said in fallen.items()]
    return f"The verdict would be {'; '.join(others)}{f'; it {kept}' if stays else ''}."


def sensitivity(comparison: Comparison) -> Section | None:
    """Return the section with the numbers of every alternative; None where there is none."""
    if not comparison.alternatives or words.all_tied(comparison):
        return None
    level = f.level(comparison.rule.confidence)
    columns = (
        Column("Analysis", numeric=False),
        Column("Verdict", numeric=False),
        *(Column(title) for title in ("Δ", f"{level} interval", "p", "Queries", "A", "B")),
    )
    row = partial(_row, alpha=comparison.rule.alpha, digits=comparison.decimals)
    declared = comparison.decision.of_numbers or comparison.verdict
    rows = [row("As declared", comparison.n_queries, comparison.primary, declared)]
    rows += [
        row(
            words.capital(_choice(each)), each.n_queries, each, each.verdict,
            strong=falls(comparison, each),
        )
        for each in comparison.alternatives
    ]  # fmt: skip
    said = "Each row changes one choice and keeps everything else as it was declared."
    left_out = [each for each in comparison.alternatives if each.left_out]
    if left_out:
        ids = [shorten(query_id, width=LONGEST_ID) for query_id in left_out[0].left_out]
        said += (
            " The most influential queries are those whose removal moves the mean difference most:"
            f" {_listed(ids)}."
        )
    blocks = (Table("sensitivity", columns, tuple(rows)), Text(said, "caption"))
    finding = sentence(comparison) or _NOTHING
    if comparison.decision.of_numbers is not None:
        finding = f"Nothing is decided; the numbers alone would say {_tag(declared)}."
    turned = any(falls(comparison, each) for each in comparison.alternatives)
    mark = "!" if turned else "✓" * (comparison.verdict in _CLAIMS)
    title = "Other choices"
    return Section("sensitivity", title, finding, blocks, group="change", mark=mark)


def _choice(each: Alternative) -> str:
    """Return the choice as it stands after a verdict."""
    return {
        "shared-queries": f"on the {words.queries(each.n_queries)} that both runs have",
        "missing-as-zero": (
            f"on all {words.queries(each.n_queries)} with the missing ones scored 0"
        ),
        "failed-dropped": f"on the {words.queries(each.n_queries)} with both scores",
        "failed-worst": "with the worst score where one is missing",
        "failed-best": "with the best score where one is missing",
        "judged-only": "with judged documents only",
        "common-depth": f"with both runs cut at rank {f.count(each.depth or 0)}",
        "without-influential": "without the three most influential queries",
    }[each.kind]


def _tag(verdict: Verdict) -> str:
    return f"“{words.tag(verdict)[1]}”"


def _listed(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _row(
    title: str,
    n_queries: int,
    found: Alternative | MeasureResult,
    verdict: Verdict,
    *,
    alpha: float,
    digits: int,
    strong: bool = False,
) -> tuple[Cell, ...]:
    limits = f.interval(*found.interval, digits=digits)
    return (
        Cell(title),
        Cell(" ".join(words.tag(verdict)), tone=words.verdict_tone(verdict), strong=strong),
        Cell(f.signed(found.diff, digits=digits), found.diff),
        Cell(limits, found.ci_low),
        Cell(f.pvalue(found.pvalue, alpha=alpha), found.pvalue),
        Cell(f.count(n_queries), n_queries),
        Cell(f.score(found.mean_a, digits=digits), found.mean_a),
        Cell(f.score(found.mean_b, digits=digits), found.mean_b),
    )
