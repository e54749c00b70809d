"""What can be said of two systems that score the same on every query."""

from __future__ import annotations

import math

from abrank._support import display as f
from abrank.comparison import Comparison
from abrank.report.numbers import plain
from abrank.report.sections import words

_TITLES = {
    "same-file": "{a} and {b} are the same file.",
    "same-rankings": "{a} and {b} rank alike on every query.",
}
_TIED = "{a} and {b} score the same on every query."

_LACKS = {
    "same-file": "both runs are the same file, so nothing was compared",
    "same-rankings": "both rankings have the same grades at the same ranks, which is no evidence",
}


def title(comparison: Comparison) -> str:
    """Return the verdict as one sentence: one file, rankings that are alike, or scores that tie."""
    if words.missing_policy(comparison) == "drop":
        shared = f"the {words.queries_of(comparison)} that both runs have"
        return f"{comparison.baseline} and {comparison.candidate} score the same on {shared}."
    pattern = _TITLES.get(comparison.decision.reason, _TIED)
    return pattern.format(a=comparison.baseline, b=comparison.candidate)


def meaning(comparison: Comparison) -> str:
    """Say which of the three it is, what to check, and what other queries could still show."""
    digest = _shared_file(comparison)
    if digest:
        return f"Both runs are the same file (sha256 {digest[:12]}…): compare two different runs."
    if comparison.decision.reason == "same-rankings":
        start = (
            "Both rankings have the same grades at the same ranks, so these judgments cannot tell"
            " them apart by any measure. Check that two different systems were compared."
        )
    elif comparison.decision.reason == "tied-scores":
        start = "The scores tie query by query; the rankings may still differ."
    else:
        start = "Check that two different systems were compared."
    left = unseen(comparison)
    return (
        f"{start} No difference on these queries is no proof for others: {left}." if left else start
    )


def gate_lacks(comparison: Comparison) -> str:
    """Say why a gate that asks for evidence does not pass, as a clause."""
    reason = comparison.decision.reason
    tied = f"the scores tie on all {f.count(comparison.n_queries)} queries, which is no evidence"
    said = _LACKS.get(reason, tied)
    left = "" if reason == "same-file" else unseen(comparison)
    return f"{said}: {left}" if left else said


def unseen(comparison: Comparison) -> str:
    """Say how many queries could still differ, and what loss that bounds; empty where unknown."""
    found = comparison.decision.unseen
    if found is None:
        return ""
    level = f.level(comparison.rule.confidence)
    said = f"up to {f.percent(found.share, sign=False)} of queries could still differ"
    if math.isfinite(found.difference):
        said += f", a mean loss of up to {f.least(found.difference, digits=comparison.decimals)}"
    return f"{said} ({level} confidence)"


def _shared_file(comparison: Comparison) -> str:
    """Return the hash of the file that both systems are; empty where they are two."""
    inputs = plain(comparison.provenance.get("inputs") or {})
    if not isinstance(inputs, dict):
        return ""
    hashes = {str(inputs.get(key, {}).get("sha256") or "") for key in "ab"}
    return hashes.pop() if len(hashes) == 1 else ""
