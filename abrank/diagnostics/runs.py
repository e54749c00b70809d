"""Cautions about runs and judgments: missing queries, unjudged documents, unequal depth, one file.

A note on one run names it under ``system``: by ``a`` or ``b`` in a comparison, else by its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from abrank.diagnostics.notes import Note
from abrank.inputs import Audit
from abrank.measures import parse
from abrank.measures.names import ANY_GRADE, lowest_relevant
from abrank.scoring.scores import Scores

# Runs are of one depth where the shorter retrieves at least so much of the longer.
SAME_DEPTH = 0.8


@dataclass(frozen=True, eq=False)
class UnequalDepth:
    """Runs of unequal depth."""

    # Documents retrieved for a query, in the median over the queries with results, by system.
    medians: Mapping[str, float]
    # The common depth: the least of the medians.
    depth: int
    # Of the measures that look further down, with every run cut at the common depth.
    cut: Scores


def unequal_depth(scores: Scores) -> UnequalDepth | None:
    """Return how deep the runs are and what they score at a common depth."""
    if (
        len(scores.systems) < 2
        or set(scores.systems) - set(scores.judged_runs)
        or not scores.query_ids
    ):
        return None
    medians = {}
    for system in scores.systems:
        n_retrieved = scores.judged_runs[system].judged.n_retrieved
        with_results = n_retrieved[n_retrieved > 0]
        median = float(np.median(with_results)) if with_results.size else 0.0
        medians[system] = int(median) if median.is_integer() else median
    depth = int(min(medians.values()))
    if depth < 1 or depth >= SAME_DEPTH * max(medians.values()):
        return None
    deep = []
    for name in scores.measures:
        cutoff = dict(parse(name).parameters).get("cutoff")
        if not (isinstance(cutoff, int) and cutoff <= depth):
            deep.append(name)
    if not deep:
        return None
    cut = scores.rescored(lambda judged: judged.top(depth), measures=deep)
    before = scores.values[:, :, [scores.measures.index(name) for name in deep]]
    changed = np.flatnonzero((cut.values != before).any(axis=(0, 1)))
    if not changed.size:
        return None
    names = tuple(deep[i] for i in changed)
    cut = replace(cut, measures=names, values=cut.values[:, :, changed])
    return UnequalDepth(medians, depth, cut)


# Above this share of the judged queries, those that are missing are told first of all.
MANY_MISSING = 0.01
N_LISTED = 3


def missing_policy(
    audits: Sequence[Audit], query_ids: Sequence[str]
) -> Literal["zero", "drop"] | None:
    """Return what became of judged queries that a run lacks; None where every run has them all."""
    lacking = next((audit.missing[0] for audit in audits if audit.missing), None)
    if lacking is None:
        return None
    return "zero" if lacking in query_ids else "drop"


def inspect_gaps(scores: Scores) -> list[Note]:
    """Return the caution that scores of a pair were missing, by system, and what became of them."""
    if scores.gaps is None:
        return []
    failed = np.asarray(np.isnan(scores.gaps.values).any(axis=2))
    a, b = failed.sum(axis=0).tolist()
    values = {"a": a, "b": b, "both": int(failed.all(axis=1).sum()), "n": len(failed)}
    return [Note("missing-scores", 2, {**values, "left": len(scores.query_ids)})]


def inspect_run(system: str, audit: Audit, policy: str | None = None) -> list[Note]:
    """Return the cautions that one run gives beside its judgments."""
    notes = _documents(system, audit)
    if audit.missing:
        is_many = len(audit.missing) > MANY_MISSING * audit.n_queries
        values: dict[str, Any] = {
            "system": system,
            "count": len(audit.missing),
            "ids": list(audit.missing[:N_LISTED]),
            "n_queries": audit.n_queries,
        }
        if policy is not None:
            values["policy"] = policy
        if audit.query_ids is not None:
            values["difference"] = asdict(audit.query_ids)
        notes.append(Note("missing-queries", 3 if is_many else 2, values))
    if audit.n_rank_conflicts:
        values = {"system": system, "count": audit.n_rank_conflicts}
        notes.append(Note("rank-conflicts", 1, values))
    if len(audit.tags) > 1:
        values = {"system": system, "tags": list(audit.tags[:N_LISTED])}
        notes.append(Note("several-tags", 1, values))
    return notes


def _documents(system: str, audit: Audit) -> list[Note]:
    """Note documents that are not judged because their ids are written otherwise, or none is."""
    counts = {"system": system, "n_judged": audit.n_judged_rows, "n_rows": audit.n_rows}
    if audit.document_ids is not None:
        return [Note("document-ids", 3, counts | asdict(audit.document_ids))]
    return [Note("none-judged", 3, counts)] if audit.n_judged_rows == 0 else []


def inspect_relevance(
    means: Mapping[str, Sequence[float]],
    audits: Iterable[Audit],
    *,
    primary: str | None = None,
) -> list[Note]:
    """Return the caution that no document of the judgments is relevant to a measure."""
    grades = {grade for audit in audits for grade in audit.grades}
    if not grades:
        return []
    result: dict[float, list[str]] = {}
    for measure, of_systems in means.items():
        rel = lowest_relevant(measure)
        if rel > max(grades) and not any(of_systems):
            result.setdefault(rel, []).append(measure)
    return [
        Note(
            "none-relevant",
            3 if primary is None or primary in measures else 2,
            {"measures": measures, "rel": 1 if rel == ANY_GRADE else rel, "highest": max(grades)},
        )
        for rel, measures in result.items()
    ]


def inspect_depth(
    deep: UnequalDepth | None,
    scores: Scores,
    *,
    keys: Sequence[str] | None = None,
    primary: str | None = None,
) -> list[Note]:
    """Return the caution that runs are of unequal depth."""
    if deep is None:
        return []
    names = deep.cut.measures
    differences = {}
    if keys is not None:
        columns = [scores.measures.index(name) for name in names]
        before, after = scores.means()[:, columns], deep.cut.means()
        pairs = zip((before[1] - before[0]).tolist(), (after[1] - after[0]).tolist(), strict=True)
        differences = {name: list(pair) for name, pair in zip(names, pairs, strict=True)}
    values = {
        "medians": dict(zip(keys or scores.systems, deep.medians.values(), strict=True)),
        "depth": deep.depth,
        "measures": list(names),
        "differences": differences,
    }
    return [Note("unequal-depth", 3 if primary is None or primary in names else 2, values)]


def inspect_systems(scores: Scores) -> list[Note]:
    """Return the cautions that the runs of any number of systems give, most severe first."""
    audits = scores.audits
    policy = missing_policy([*audits.values()], scores.query_ids)
    notes = [note for key, audit in audits.items() for note in inspect_run(key, audit, policy)]
    means = dict(zip(scores.measures, scores.means().T.tolist(), strict=True))
    notes += inspect_relevance(means, audits.values())
    notes += inspect_depth(unequal_depth(scores), scores)
    of_file: dict[str, list[str]] = {}
    visited: set[int] = set()
    for system, source in scores.sources.items():
        # One file of ready scores may hold several systems.
        if source.sha256 and id(source) not in visited:
            visited.add(id(source))
            of_file.setdefault(source.sha256, []).append(system)
    notes += [
        Note("same-file", 2, {"systems": systems, "sha256": sha256})
        for sha256, systems in of_file.items()
        if len(systems) > 1
    ]
    return sorted(notes, key=lambda note: -note.severity)


def inspect_inputs(audits: Mapping[str, Audit], query_ids: Sequence[str] = ()) -> list[Note]:
    """Return the cautions that the runs give: missing queries, and files not as they should be."""
    if set(audits) != {"a", "b"}:
        return []
    a, b = audits["a"], audits["b"]
    notes = []
    policy = missing_policy([a, b], query_ids)
    for key, audit in (("a", a), ("b", b)):
        notes += inspect_run(key, audit, policy)
    return notes


def lists_only_relevant(audits: Mapping[str, Audit]) -> bool:
    """Whether the judgments hold relevant documents only."""
    # Then nobody knows which of the other documents were looked at.
    grades = {grade for audit in audits.values() for grade in audit.grades}
    return bool(grades) and min(grades) > 0
