"""Sections on the inputs, and on what other judgments, depths and choices would change."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import quote

from abrank._support import display as f
from abrank.comparison import Alternative, Comparison, MeasureResult
from abrank.comparison.units import difference_in_unit, reachable, within_reach
from abrank.estimate import Interval
from abrank.report.model import (
    FOLDED,
    Block,
    Cell,
    Column,
    Download,
    Figure,
    Section,
    Table,
    Text,
    Tone,
    Words,
)
from abrank.report.sections import words
from abrank.scoring.judging import ToJudge, Unjudged, pool_text
from abrank.verdict import STATEMENTS, Verdict, says_more_than

_COUNTS: tuple[tuple[str, Callable[[Any], str]], ...] = (
    ("Queries in the qrels", lambda audit: f.count(audit.n_queries)),
    ("Missing from the run", lambda audit: f.count(len(audit.missing))),
    ("In the run only, ignored", lambda audit: f.count(len(audit.extra))),
    ("Documents in the run", lambda audit: f.count(audit.n_rows)),
    ("Duplicates left out", lambda audit: f.count(audit.n_duplicates_dropped)),
    ("With the id of their query, left out", lambda audit: f.count(audit.n_same_id_dropped)),
    ("Documents that share their score", lambda audit: f.count(audit.n_tied_rows)),
    ("Queries with such ties", lambda audit: f.count(audit.n_queries_with_ties)),
    ("Queries with ranks against the scores", lambda audit: f.count(audit.n_rank_conflicts)),
    ("Judged among the top 10", lambda audit: f.percent(audit.judged_at_10, sign=False)),
    ("Unjudged among the top 10, in all", lambda audit: f.count(audit.n_unjudged_at_10)),
    ("Judgments", lambda audit: f.count(audit.n_judgments)),
    ("Judgments with a grade below 0", lambda audit: f.count(audit.n_negative_grades)),
)


def quality(comparison: Comparison) -> Section | None:
    """Return the section on the inputs; None if nothing is known about them."""
    texts = tuple(Text(f"Note: {remark}.") for remark in comparison.remarks)
    title = "Data quality"
    if set(comparison.audits) != {"a", "b"}:
        finding = "How the inputs were read."
        return Section("quality", title, finding, texts, FOLDED, "appendix") if texts else None
    a, b = comparison.audits["a"], comparison.audits["b"]
    table = Table.of(
        "quality",
        (Column.words("What was counted"), [Cell(kind) for kind, _ in _COUNTS]),
        (Column("A"), [Cell(show(a), show(a)) for _, show in _COUNTS]),
        (Column("B"), [Cell(show(b), show(b)) for _, show in _COUNTS]),
    )
    lacking = [
        f"{words.queries(len(audit.missing))} missing from {name}"
        for audit, name in ((a, comparison.baseline), (b, comparison.candidate))
        if audit.missing
    ]
    in_qrels = f"{words.queries(a.n_queries)} in the qrels"
    finding = f"{in_qrels}; {' and '.join(lacking) or 'both runs have them all'}"
    judged = (
        f"{f.percent(a.judged_at_10, sign=False)} of A's and"
        f" {f.percent(b.judged_at_10, sign=False)} of B's top 10 are judged"
    )
    blocks: list[Block] = [table]
    if (ties := comparison.evidence.tie_range) is not None:
        low, high = map(Words(comparison).signed, ties)
        lies = f"is {low}" if low == high else f"lies within {low} to {high}"
        blocks.append(Text(f"Over all orders of documents with equal scores Δ {lies}."))
    blocks += texts
    unusual = any(
        item.missing or item.extra or item.n_duplicates_dropped or item.n_rank_conflicts
        for item in (a, b)
    )
    finding = f"{finding}. {judged}."
    return Section("quality", title, finding, tuple(blocks), FOLDED, "appendix", "!" * unusual)


POOL_FILE = "to-judge.txt"
_NOT_THERE, _TITLE = "–", "Unjudged documents"


def judging(comparison: Comparison) -> Section | None:
    """Return the section on what to judge; None if there is nothing, or it is unknown."""
    result = comparison.evidence.to_judge
    # If ids do not match the judgments, further judgments do not help.
    is_misread = any(note.code in ("document-ids", "none-judged") for note in comparison.notes)
    if result is None or not result.documents or is_misread:
        return None
    text = f.plural(result.n_documents, "document")
    are = "is" if result.n_documents == 1 else "are"
    finding = f"{text} that nobody judged {are} in the top {result.depth} of A or B."
    if not any(document.swing for document in result.documents):
        finding += f" No judgment of them moves {_delta(comparison)}."
        return Section("judge", _TITLE, finding, (), FOLDED, "change", "✓")
    count = len(result.documents)
    n = words.queries_of(comparison)
    blocks: list[Block] = [
        _table(comparison, result.documents),
        Text(
            f"Swing: how far Δ of its query would move were the document of grade {result.grade:g},"
            f" the highest; the mean over {n} moves by that divided by their number."
            f" {_NOT_THERE}: not among the first documents of that list. A pool file has a line for"
            " each: add a grade to its end, put the lines under the judgments, and compare again.",
            "caption",
        ),
        Download(
            f"Save these {f.plural(count, 'document')} as a pool file ({POOL_FILE})",
            POOL_FILE,
            pool_text(result.documents),
        ),
    ]
    command = _command(comparison, result)
    if command:
        blocks += [
            Text("All of them in depth order, as a file to add grades to:", "caption"),
            Text(command, "code"),
        ]
    if count < result.n_documents:
        finding += f" These {f.count(count)} could move {_delta(comparison)} the most."
    return Section("judge", _TITLE, finding, tuple(blocks), FOLDED, "change")


def _delta(comparison: Comparison) -> str:
    """Name the mean difference that the judgments are about."""
    alone = "" if not comparison.with_machine else " by people alone"
    return f"Δ {comparison.rule.primary}{alone}"


def _table(comparison: Comparison, documents: tuple[Unjudged, ...]) -> Table:
    w, titles = Words(comparison), comparison.evidence.documents

    def query(document: Unjudged) -> Cell:
        name, text = document.query_id, comparison.topics.get(document.query_id, "")
        link = f"query={quote(name, safe='', errors='replace')}"
        return Cell(f"{name} “{f.shorten(text, width=40)}”" if text else name, link=link)

    def rank(place: int) -> Cell:
        return Cell(str(place) if place else _NOT_THERE, place)

    def swing(document: Unjudged) -> Cell:
        ahead: Tone = "b" if (document.swing > 0) == comparison.rule.higher_is_better else "a"
        return w.change(document.swing, ahead if document.swing else "tie")

    title = (Column.words("Title"), lambda x: Cell(titles.get(x.doc_id, "")))
    return Table.by_row(
        "judge",
        documents,
        (Column.words("Query"), query),
        (Column.words("Document"), lambda x: Cell(x.doc_id)),
        (Column("Rank in A"), lambda x: rank(x.rank_a)),
        (Column("Rank in B"), lambda x: rank(x.rank_b)),
        (Column("Swing of Δ"), swing),
        *[title] * any(item.doc_id in titles for item in documents),
    )


def _command(comparison: Comparison, result: ToJudge) -> str:
    inputs = comparison.provenance.get("inputs", {})
    paths = [(inputs.get(role) or {}).get("path") for role in ("qrels", "a", "b")]
    settings = comparison.provenance.get("settings", {})
    if not all(paths) or settings.get("depth") or settings.get("missing") == "drop":
        return ""
    more = ["-m", result.measure, "--pool", "pool.txt"]
    return shlex.join(["abrank", "sample", "documents", *map(str, paths), *more])


def depth(comparison: Comparison) -> Section | None:
    """Return the section on cut-offs; None if there is no curve, or all depths tie."""
    curve = comparison.evidence.cutoff_curve
    if curve is None or (not any(curve.diff) and words.all_tied(comparison)):
        return None
    limits = [Interval(*ends) for ends in zip(curve.ci_low, curve.ci_high, strict=True)]
    sides = [comparison.rule.gain(*ends).side for ends in limits]
    w, lead = Words(comparison), comparison.rule.primary
    reach = reachable(
        comparison.primary.measure, minimum=min(curve.mean_a), largest=max(curve.mean_a)
    )
    names = [f"{curve.measure}@{k}" for k in curve.cutoffs]
    tones: list[Tone] = [("plain", "b", "a")[side] for side in sides]
    blocks = (
        Figure("cutoffs", f"{curve.measure}@k of A and B and their difference by k."),
        Text(
            f"{curve.measure} of the first k documents. Each interval is the"
            f" {f.level(comparison.rule.confidence)} one of the paired t test at that k alone,"
            " not adjusted.",
            "caption",
        ),
        Table.of(
            "depths",
            (Column.words("Measure"), [Cell(name, name, strong=name == lead) for name in names]),
            (Column("A"), map(w.mean, curve.mean_a)),
            (Column("B"), map(w.mean, curve.mean_b)),
            (Column("Δ"), map(w.change, curve.diff, tones)),
            (Column(f"{w.level} interval"), [w.limits(ends.within(*reach)) for ends in limits]),
            (Column("Judged, A"), map(Cell.share, curve.judged_a)),
            (Column("Judged, B"), map(Cell.share, curve.judged_b)),
        ),
    )
    finding = f"{curve.measure}@k at other depths k, for comparison."
    return Section("depth", "Depth", finding, blocks, group="appendix")


def sensitivity_sentence(comparison: Comparison) -> str:
    """Say under which other choices a significant verdict changes, or that it does not."""
    # New verdicts under other choices are not reported: in many samples without a difference one
    # occurs. The table has them. Nor is it said that a doubtful verdict does not change, because
    # other choices do not remove the doubt.
    fallen: dict[Verdict, list[str]] = {}
    stays = []
    kinds = {reason.values.get("kind") for reason in comparison.soundness.main}
    for item in telling(comparison):
        if item.kind in kinds:
            continue  # mentioned with the doubt
        choice = _choice(item, words.unit(comparison)[1])
        if words.estimand(comparison) == words.MEAN:
            difference, _ = _in_unit(comparison, item)
            choice += (
                f" (Δ {difference_in_unit(comparison, difference, digits=comparison.decimals)})"
            )
        if says_more_than(comparison.verdict, item.verdict):
            fallen.setdefault(item.verdict, []).append(choice)
        elif not item.changes:
            stays.append(choice)
    if comparison.soundness.level == "doubtful":
        stays = []
    text = f"stays {_tag(comparison.verdict)} {f.listed(stays)}"
    if not fallen:
        return f"The verdict {text}." if stays else ""
    texts = [f"{_tag(name)} {f.listed(sentence)}" for name, sentence in fallen.items()]
    return f"The verdict would be {'; '.join(texts)}{f'; it {text}' if stays else ''}."


def _in_unit(comparison: Comparison, row: Alternative | MeasureResult) -> tuple[float, Interval]:
    """Return the difference under another choice and its interval, in the displayed unit."""
    change = row.relative if isinstance(row, Alternative) else comparison.decision.relative
    if change is None:
        return row.diff, within_reach(comparison, row.interval)
    return change.estimate, within_reach(comparison, Interval(change.ci_low, change.ci_high))


def telling(comparison: Comparison) -> list[Alternative]:
    """Return the choices that are informative about the claims of the verdict."""
    if comparison.verdict not in STATEMENTS or comparison.decision.of_numbers is not None:
        return []
    return [item for item in comparison.alternatives if item.kind != "partly-condensed"]


def sensitivity(comparison: Comparison) -> Section | None:
    """Return the section with the numbers of all alternatives; None without any."""
    if not comparison.alternatives or words.all_tied(comparison):
        return None
    w, units = Words(comparison), words.unit(comparison)[1]
    in_unit = partial(difference_in_unit, comparison, digits=w.digits)
    declared = comparison.decision.of_numbers or comparison.verdict
    rows: list[tuple[str, Verdict, Alternative | MeasureResult, int]] = [
        ("As declared", declared, comparison.primary, comparison.n_queries),
        *(
            (words.capital(_choice(x, units)), x.verdict, x, x.n_queries)
            for x in comparison.alternatives
        ),
    ]

    def verdict(row: tuple[str, Verdict, Alternative | MeasureResult, int]) -> Cell:
        _, second, item, _ = row
        loud = item is not comparison.primary and says_more_than(comparison.verdict, second)
        return Cell(" ".join(words.tag(second)), tone=words.verdict_tone(second), strong=loud)

    def change(item: Alternative | MeasureResult) -> Cell:
        value, _ = _in_unit(comparison, item)
        return Cell(in_unit(value), value)

    def limits(item: Alternative | MeasureResult) -> Cell:
        _, ends = _in_unit(comparison, item)
        text = " to ".join(map(in_unit, ends)) if ends.is_finite else w.limits(ends).text
        return Cell(text, ends.low)

    table = Table.by_row(
        "sensitivity",
        rows,
        (Column.words("Analysis"), lambda x: Cell(x[0])),
        (Column.words("Verdict"), verdict),
        (Column(words.delta_title(comparison)), lambda x: change(x[2])),
        (Column(f"{w.level} interval"), lambda x: limits(x[2])),
        (Column("p"), lambda x: w.chance(x[2].pvalue)),
        (Column("Queries"), lambda x: Cell.count(x[3])),
        (Column("A"), lambda x: w.mean(x[2].mean_a)),
        (Column("B"), lambda x: w.mean(x[2].mean_b)),
    )
    text = "Each row changes one choice and keeps everything else as it was declared."
    if words.estimand(comparison) != words.MEAN:
        text += f" Interval and p: {words.estimand(comparison)} (B − A), not Δ."
    left_out = [item for item in comparison.alternatives if item.left_out]
    if left_out:
        ids = f.listed(list(map(words.name, left_out[0].left_out)))
        text += f" The {units} that speak most for the verdict: {ids}."
    blocks = (table, Text(text, "caption"))
    sentence = sensitivity_sentence(comparison)
    turned = any(says_more_than(comparison.verdict, item.verdict) for item in telling(comparison))
    mark = "!" if turned else "✓" * bool(sentence)
    finding = sentence or "The verdicts by other choices."
    return Section("sensitivity", "Other choices", finding, blocks, group="change", mark=mark)


def _choice(alternative: Alternative, units: str) -> str:
    """Return the choice for use after a verdict; ``units`` are queries or impressions."""
    if alternative.kind == "common-depth":
        return f"with both runs cut at rank {f.count(alternative.depth or 0)}"
    if alternative.kind == "whole-clusters":
        return f"tested by whole clusters ({alternative.clusters})"
    if alternative.kind == "without-supporting":
        count = len(alternative.left_out)
        which = "the one that speaks" if count == 1 else "those that speak"
        total = f.count(alternative.n_queries + count)
        return f"without {count} of {total} {units}, {which} most for it"
    return words.choice(alternative.kind, alternative.n_queries)


def _tag(verdict: Verdict) -> str:
    return f"“{words.tag(verdict)[1]}”"
