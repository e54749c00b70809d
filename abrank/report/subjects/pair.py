"""The report of a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from abrank._support import display as f
from abrank._support.files import name_of
from abrank.comparison import Comparison
from abrank.report.cells import NO_BREAK, one_line
from abrank.report.model import Case, Fact, Report, Words, report_of
from abrank.report.sections import (
    appendix,
    cautions,
    decision,
    design,
    headline,
    inputs,
    measures,
    planning,
    samples,
    scorecard,
    words,
)
from abrank.report.sections.next_step import next_step
from abrank.report.subjects import compose

LONGEST_NAME = 120


@compose.register
def compose_pair(comparison: Comparison, *, digits: int | None = None) -> Report:
    """Return everything a report says about a comparison."""
    b, a = (
        name_of(name) or letter
        for name, letter in ((comparison.candidate, "B"), (comparison.baseline, "A"))
    )
    # Names stay on one line, and short enough for a heading.
    comparison = comparison.renamed(
        *(
            one_line(name, width=LONGEST_NAME)
            for name in (comparison.baseline, comparison.candidate)
        ),
        digits=comparison.digits if digits is None else digits,
    )
    methods, sources = appendix.methods_text(comparison), appendix.bibliography(comparison)
    result = {
        "votes": samples.votes(comparison),
        "measures": measures.measures(comparison),
        "machine": samples.machine(comparison),
        "design": design.design(comparison),
        "sensitivity": inputs.sensitivity(comparison),
        "judge": inputs.judging(comparison),
        "tests": scorecard.all_tests(comparison),
        "margin": headline.other_margins(comparison),
        "unseen": decision.rare_losses(comparison),
        "planning": appendix.plan(comparison),
        "queries": measures.queries(comparison),
        "segments": scorecard.segments(comparison),
        "effects": appendix.effects(comparison),
        "distribution": scorecard.distribution(comparison),
        "depth": inputs.depth(comparison),
        "quality": inputs.quality(comparison),
        "methods": appendix.methods(methods, sources, "A paragraph to paste, with its sources."),
        "reproduce": appendix.reproduce(
            comparison.provenance,
            comparison.seed,
            comparison.provenance.get("inputs") or {},
            appendix.setting_table(comparison),
        ),
    }
    head = headline.headline(comparison)
    text = decision.doubted(comparison, headline.short(comparison))
    return report_of(
        Words(comparison),
        head,
        who=f"{comparison.candidate} against {comparison.baseline}",
        file=f"{b}-vs-{a}",
        title=f"{text} · abrank",
        context=_context(comparison),
        cautions=cautions.cautions(comparison),
        sections=tuple(
            replace(section, places=section.places | {"folded"}) if key in _FOLDED else section
            for key, section in result.items()
            if section is not None
        ),
        omitted=(() if result["segments"] or comparison.rule.independent else (_NO_SEGMENTS,)),
        facts=tuple(_facts(comparison)),
        methods=methods,
        sources=sources,
        cases=tuple(cases(comparison)),
        papers=lambda style: measures.paper(comparison, style=style),
        hint='.to_frame()  .queries  .plot.deltas()  .report("report.html")',
    )


_FOLDED = ("queries", "segments", "judge", "quality")


def _facts(comparison: Comparison) -> Iterator[Fact]:
    """Yield who A and B are, who wins how often, what it means and by which rule."""
    baseline, candidate, *_ = _context(comparison)
    yield Fact("systems", f"{baseline} {NO_BREAK}{NO_BREAK}{candidate}")
    if comparison.rule.independent:
        yield from (Fact("units", text) for text in [_visible(comparison)] if text)
    elif comparison.n_queries:
        # Who wins how often, A left as in every picture, and what so many queries can see.
        row, win = comparison.primary, words.wins(comparison)
        parts = (
            f"A {win} {f.count(row.losses)}",
            f"ties {f.count(row.ties)}",
            f"B {win} {f.count(row.wins)}",
            _visible(comparison),
        )
        yield Fact(
            "queries", f" {NO_BREAK}".join(part.replace(" ", NO_BREAK) for part in parts if part)
        )
    yield from (Fact("votes", text) for text in samples.vote_sentences(comparison))
    if meaning := headline.meaning(comparison):
        yield Fact("meaning", meaning)
    if left := decision.unseen(comparison):
        yield Fact("unseen", left)
    yield from (Fact(label, text) for label, text in design.sentences(comparison))
    if against := headline.contradictions(comparison):
        yield Fact("but", against, loud=True)
    yield Fact("next", next_step(comparison).sentence, "strong")
    if planned := planning.queries_planned(comparison):
        yield Fact("plan", planned)
    rule = "; ".join(headline.rule_parts(comparison))
    held = headline.controlled(comparison)
    yield Fact("rule", f"{rule}. {held}", "muted")
    if comparison.segmentations:
        yield Fact("segments", scorecard.exploratory(comparison))


def _visible(comparison: Comparison) -> str:
    """Return what so many queries can see; empty where that is not known."""
    visible = planning.smallest_visible(comparison)
    power = f.level(comparison.planning.power)
    return f"smallest visible Δ {visible} ({power} power)" if visible else ""


def cases(comparison: Comparison) -> Iterator[Case]:
    """Yield a case for the gate on the primary measure and one for each guard, or the verdict."""
    gate = comparison.decision.gate
    if gate is None:
        yield Case("verdict", True, decision.doubted(comparison, headline.title(comparison)))
        return
    text, passed = decision.primary_sentence(comparison, gate), gate.lacks in ("", "guards")
    yield Case(f"{gate.require} on {comparison.rule.primary}", passed, text)
    for item in comparison.decision.guards:
        yield Case(f"guard on {item.measure}", item.passed, design.guard(comparison, item))


_NO_SEGMENTS = "Segments: none given; use --segments (segments=)."


def _context(comparison: Comparison) -> Iterator[str]:
    """Yield what stands above the verdict: the systems, the queries, the judgments."""
    qrels = comparison.provenance.get("inputs", {}).get("qrels", {})
    path = qrels.get("path") if isinstance(qrels, Mapping) else None
    yield f"{words.system('A', comparison.baseline)} (baseline)"
    yield f"{words.system('B', comparison.candidate)} (candidate)"
    yield words.queries_of(comparison)
    if path:  # by their file and its folder
        text = f.shorten("/".join(Path(path).parts[-2:]).lstrip("/"), width=60)
        yield f"judgments {text}"
