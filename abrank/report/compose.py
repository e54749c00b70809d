"""From a comparison to a report in words: the one way from numbers to English sentences."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from abrank._support import display
from abrank.comparison import Comparison
from abrank.report.model import Report
from abrank.report.sections import (
    appendix,
    depth,
    design,
    differences,
    gate,
    headline,
    judging,
    machine,
    measures_and_tests,
    merged,
    quality,
    segments,
    sensitivity,
    words,
)
from abrank.report.sections.notes import cautions

__all__ = ["compose", "gate_sentence"]

gate_sentence = gate.gate_sentence


def compose(comparison: Comparison, *, digits: int | None = None) -> Report:
    """Return everything a report says about a comparison.

    Parameters
    ----------
    comparison : Comparison
        A against B.
    digits : int
        Decimals of scores and differences.

    Returns
    -------
    Report
        Sections without data are left out and named in ``omitted``, with the reason.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    >>> b = {"q1": 0.3, "q2": 0.6, "q3": 0.2, "q4": 0.9}
    >>> report = compose(compare_scores(a, b, baseline="bm25", candidate="monot5"))
    >>> report.headline.title
    '4 queries cannot tell bm25 and monot5 apart.'
    >>> [section.key for section in report.sections]
    ['measures', 'queries', 'distribution', 'tests', 'planning', 'methods', 'reproduce']
    """
    digits = comparison.decimals if digits is None else digits
    head = headline.headline(comparison, digits=digits)
    found = {
        "machine": machine.machine(comparison, digits=digits),
        "measures": measures_and_tests.measures(comparison, digits=digits),
        "design": design.design(comparison, digits=digits),
        "queries": measures_and_tests.queries(comparison, digits=digits),
        "judge": judging.judging(comparison, digits=digits),
        "distribution": differences.distribution(comparison, digits=digits),
        "tests": differences.all_tests(comparison, digits=digits),
        "sensitivity": sensitivity.sensitivity(comparison, digits=digits),
        "planning": appendix.plan(comparison, digits=digits),
        "depth": depth.depth(comparison, digits=digits),
        "segments": segments.segments(comparison, digits=digits),
        "quality": quality.quality(comparison, digits=digits),
        "methods": appendix.methods(comparison, digits=digits),
        "reproduce": appendix.reproduce(comparison),
    }
    return Report(
        title=f"{headline.short(comparison, digits=digits)} · abrank",
        context=_context(comparison),
        headline=head,
        cautions=cautions.cautions(comparison, digits=digits),
        sections=tuple(section for section in found.values() if section is not None),
        omitted=_omitted(comparison, [key for key in _OMITTED if found[key] is None]),
    )


def _omitted(comparison: Comparison, lacking: list[str]) -> tuple[str, ...]:
    """Say of each section that is left out why; of what merging leaves out in one line."""
    if comparison.merged is None:
        return tuple(_why(comparison, key) for key in lacking)
    own = [key for key in lacking if key not in ("machine", "sensitivity", "depth")]
    return merged.LEFT_OUT, *(_why(comparison, key) for key in own)


def _why(comparison: Comparison, key: str) -> str:
    """Say why a section is left out."""
    repeated = any(role.endswith("(run 1)") for role in comparison.provenance.get("inputs", {}))
    said = _OMITTED[key]
    return said.replace(_READY, "means of repeated runs were compared.") if repeated else said


_READY = "ready scores were compared, no run was read."

_OMITTED = {
    "machine": "People and machine: no machine judgments given; use --machine-qrels"
    " (machine_qrels=).",
    "queries": "Query by query: there is no query.",
    "distribution": "Distribution: it takes three queries and a difference.",
    "tests": "Tests: none gives a p-value here.",
    "sensitivity": "Sensitivity analysis: no other choice of queries or documents applies.",
    "planning": "Planning: the differences do not vary.",
    "depth": "Ranking quality by depth: ready scores were compared, no run was read.",
    "segments": "Segments: none given; use --segments (segments=).",
    "quality": "Data quality: ready scores were compared, no run was read.",
}


def _context(comparison: Comparison) -> tuple[str, ...]:
    """Return what stands above the verdict: the systems, the queries, the day."""
    created = str(comparison.provenance.get("created") or "")
    parts = [
        f"{words.system('A', comparison.baseline)} (baseline)",
        f"{words.system('B', comparison.candidate)} (candidate)",
        display.plural(comparison.n_queries, "query", "queries"),
        *_collection(comparison),
    ]
    return tuple(parts + ([created[:10]] if created else []))


def _collection(comparison: Comparison) -> list[str]:
    """Name the judgments by their file and its folder, where they were read from one."""
    given = comparison.provenance.get("inputs", {}).get("qrels", {})
    path = given.get("path") if isinstance(given, Mapping) else None
    return (
        [f"judgments {display.shorten('/'.join(Path(path).parts[-2:]).lstrip('/'), width=60)}"]
        if path
        else []
    )
