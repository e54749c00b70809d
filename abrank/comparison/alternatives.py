"""Sensitivity analysis: the primary measure under other choices than those that were declared.

Each alternative changes one choice: which queries count, which documents, or how deep. The same
rule decides it, so it says whether the verdict rests on that choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.typing import FloatArray
from abrank.comparison.rows import MeasureResult
from abrank.diagnostics import UnequalDepth, missing_policy, outcomes
from abrank.estimate import IntervalRow
from abrank.inference.rounding import differences_of
from abrank.inference.shape import means_without
from abrank.inputs import JudgedRun
from abrank.measures import parse
from abrank.scoring.missing import filled
from abrank.scoring.scores import Scores
from abrank.verdict import Decision, Rule, Verdict

Kind: TypeAlias = Literal[
    "shared-queries", "missing-as-zero", "failed-dropped", "failed-worst", "failed-best",
    "judged-only", "common-depth", "without-influential",
]  # fmt: skip
# What cannot be asked again without the runs.
OF_RUNS = frozenset[Kind]([
    "missing-as-zero", "failed-dropped", "failed-worst", "failed-best", "judged-only",
    "common-depth",
])  # fmt: skip
# Decides on the primary measure of scores, as the comparison does.
Decide: TypeAlias = Callable[[Scores], tuple[MeasureResult, Decision]]

FAILED: Mapping[Kind, str] = {
    "failed-dropped": "drop", "failed-worst": "worst", "failed-best": "best",
}  # fmt: skip
INFLUENTIAL = 3
FEWEST_QUERIES = 10


@record
class Alternative(IntervalRow):
    """The primary measure under another choice.

    Attributes
    ----------
    kind : str
        ``shared-queries``: only queries that both runs have. ``missing-as-zero``: all judged
        queries, where missing ones were dropped. ``failed-dropped``, ``failed-worst``,
        ``failed-best``: of ready scores, queries of which one is missing left out, or the missing
        ones as bad, as good, as the measure can be. ``judged-only``: unjudged documents leave the
        rankings. ``common-depth``: both runs cut at ``depth``. ``without-influential``: without the
        three queries that move the mean most.
    n_queries : int
    mean_a, mean_b, diff : float
        Means, and the mean difference B - A.
    ci_low, ci_high, pvalue : float
        By the test that decides.
    verdict : Verdict
        By the declared rule.
    changes : bool
        Whether that is another verdict than the declared analysis gives.
    depth : int or None
        Of ``common-depth``.
    left_out : tuple of str
        The queries that ``without-influential`` leaves out, the most influential first.
    """

    kind: Kind
    n_queries: int
    mean_a: float
    mean_b: float
    diff: float
    ci_low: float
    ci_high: float
    pvalue: float
    verdict: Verdict
    changes: bool
    depth: int | None = None
    left_out: tuple[str, ...] = ()


def alternatives(
    scores: Scores,
    rule: Rule,
    decision: Decision,
    decide: Decide,
    *,
    deep: UnequalDepth | None,
    unjudged: bool,
    saved: Sequence[Alternative] = (),
) -> tuple[Alternative, ...]:
    """Return the alternatives that apply to a comparison."""
    if rule.family == "all":
        return ()
    column = scores.measures.index(rule.primary)
    declared = replace(
        scores, measures=(rule.primary,), values=scores.values[:, :, column : column + 1]
    )
    found = []
    for choice in _choices(
        declared, deep, unjudged=unjudged, higher_is_better=rule.higher_is_better
    ):
        row, decided = decide(choice.scores)
        found.append(
            Alternative(
                kind=choice.kind,
                n_queries=len(choice.scores.query_ids),
                mean_a=row.mean_a,
                mean_b=row.mean_b,
                diff=row.diff,
                ci_low=row.ci_low,
                ci_high=row.ci_high,
                pvalue=row.pvalue,
                verdict=decided.verdict,
                changes=decided.verdict is not decision.verdict,
                depth=choice.depth,
                left_out=choice.left_out,
            )
        )
    for each in saved:
        if each.kind in OF_RUNS:
            # Nothing computes these again, but p and interval are of one procedure.
            outside = each.interval.excludes_zero
            if math.isfinite(each.pvalue) and outside != (each.pvalue < rule.alpha):
                raise ArgumentError(
                    f"p and interval of the choice {each.kind} contradict each other"
                )
            found.append(replace(each, changes=each.verdict is not decision.verdict))
    return tuple(sorted(found, key=lambda each: get_args(Kind).index(each.kind)))


class _Choice(NamedTuple):
    """Another choice, and the scores of the primary measure under it."""

    kind: Kind
    scores: Scores
    depth: int | None = None
    left_out: tuple[str, ...] = ()


def _choices(
    declared: Scores, deep: UnequalDepth | None, *, unjudged: bool, higher_is_better: bool
) -> Iterator[_Choice]:
    """Yield the choices that apply."""
    measure = declared.measures[0]
    yield from _other_queries(declared)
    if declared.gaps is not None:
        lower = () if higher_is_better else (measure,)
        every = declared.gaps.take([declared.gaps.measures.index(measure)])
        for kind, how in FAILED.items():
            other = filled(every, how, lower_is_better=lower)
            if not np.array_equal(other.values, declared.values):
                yield _Choice(kind, other)
    if unjudged and declared.judged_runs and _can_be_condensed(measure):
        condensed = declared.rescored(JudgedRun.condensed)
        if (condensed.values != declared.values).any():
            yield _Choice("judged-only", condensed)
    if deep is not None and measure in deep.cut.measures:
        column = deep.cut.measures.index(measure)
        cut = replace(declared, values=deep.cut.values[:, :, column : column + 1])
        yield _Choice("common-depth", cut, depth=deep.depth)
    heavy = _influential(differences_of(declared.values[:, 0, 0], declared.values[:, 1, 0]))
    if heavy:
        left_out = tuple(declared.query_ids[i] for i in heavy)
        yield _Choice("without-influential", _without(declared, heavy), left_out=left_out)


def _other_queries(declared: Scores) -> Iterator[_Choice]:
    """Yield the other policy on the queries that are missing from a run."""
    audits = [declared.audits[each] for each in declared.systems if each in declared.audits]
    policy = missing_policy(audits, declared.query_ids)
    if policy == "drop" and declared.judged_runs:
        every = declared.judged_runs[declared.systems[0]].judged.query_ids
        yield _Choice("missing-as-zero", declared.rescored(lambda run: run, query_ids=every))
    elif policy == "zero":
        lacking = {query_id for audit in audits for query_id in audit.missing}
        rows = [i for i, query_id in enumerate(declared.query_ids) if query_id in lacking]
        yield _Choice("shared-queries", _without(declared, rows))


def _without(scores: Scores, rows: Sequence[int]) -> Scores:
    kept = np.ones(len(scores.query_ids), dtype=np.bool_)
    kept[list(rows)] = False
    query_ids = tuple(compress(scores.query_ids, kept.tolist()))
    return replace(scores, query_ids=query_ids, values=scores.values[kept])


def _can_be_condensed(name: str) -> bool:
    """Say whether a measure can be taken of the judged documents alone, and is not already."""
    measure = parse(name)
    known = any(parameter.name == "judged_only" for parameter in measure.entry.parameters)
    return known and not dict(measure.parameters).get("judged_only")


def _influential(differences: FloatArray) -> list[int]:
    """Return the three queries whose removal moves the mean most; none of few or of equal ones."""
    if len(differences) < FEWEST_QUERIES or not outcomes(differences - differences[0]).any():
        return []
    shift = np.abs(means_without(differences) - differences.mean())
    least = np.partition(shift, -INFLUENTIAL)[-INFLUENTIAL]
    heavy = np.flatnonzero(shift >= least)
    heaviest: list[int] = heavy[np.argsort(-shift[heavy], kind="stable")][:INFLUENTIAL].tolist()
    return heaviest
