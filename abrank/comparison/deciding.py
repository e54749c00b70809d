"""From the scores of the primary measure to the decision, with every interval that it needs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from abrank._support.typing import FloatArray
from abrank.comparison.choice import Directions
from abrank.comparison.designs import labels_of
from abrank.comparison.family import interval_of_primary, measure_rows
from abrank.comparison.rows import MeasureResult
from abrank.diagnostics import outcomes
from abrank.inference import run_test
from abrank.inference.designs.clusters import FEWEST_EFFECTIVE, cluster_sizes, effective_clusters
from abrank.inference.designs.equivalence import Unseen, bound_unseen
from abrank.inference.estimates.relative_change import RelativeChange, relative_change
from abrank.inference.rounding import differences_of
from abrank.inputs import JudgedRun, Source
from abrank.rule import GuardResult
from abrank.scoring.scores import Scores
from abrank.verdict import FEW_QUERIES, Decision, Rule, SignFlips, decide

FEW_CLUSTERS = "too-few-clusters"


class DecidingInterval(NamedTuple):
    """The interval that the verdict rests on, in the unit of the primary measure.

    ``by_margin`` says that it is that of the two one-sided tests and that it decides alone: no
    difference from 0 is shown. For a relative margin the limits are those of the relative change
    times A's mean.
    """

    confidence: float
    low: float
    high: float
    by_margin: bool


def deciding_interval(rule: Rule, decision: Decision) -> DecidingInterval:
    """Return the interval that the verdict rests on.

    Examples
    --------
    >>> from abrank.verdict import Rule, decide
    >>> rule, limits = Rule("AP", margin=0.01), {"equivalence_interval": (-0.004, 0.021)}
    >>> deciding_interval(rule, decide(rule, estimate=0.01, interval=(-0.006, 0.023), **limits))
    DecidingInterval(confidence=0.9, low=-0.004, high=0.021, by_margin=True)
    """
    by_margin = decision.by_equivalence and decision.direction == 0
    low, high = decision.equivalence_interval if by_margin else decision.interval
    unit = 1.0 if decision.relative is None else abs(decision.relative.baseline)
    level = rule.confidence_equivalence if by_margin else rule.confidence
    return DecidingInterval(level, low * unit, high * unit, by_margin)


def decide_primary(
    rule: Rule,
    row: MeasureResult,
    scores: Scores,
    *,
    span: float,
    seed: int,
    n_resamples: int | None,
    clusters: Sequence[str] | None = None,
    guards: tuple[GuardResult, ...] = (),
) -> Decision:
    """Decide on the primary measure, with the second interval that equivalence asks for.

    Parameters
    ----------
    span : float
        Largest difference that a query can have; infinite where it is not known.
    """
    a, b = _of_primary(rule, scores)
    differences = differences_of(a, b)
    narrow = interval_of_primary(
        rule,
        differences_of(*(scores.of(system) for system in scores.systems)),
        scores.measures.index(rule.primary),
        confidence=rule.confidence_equivalence,
        seed=seed,
        n_resamples=n_resamples,
        clusters=clusters,
    )
    identical = len(differences) > 1 and not outcomes(differences).any()
    few = (
        clusters is not None
        and effective_clusters(cluster_sizes(clusters)) < FEWEST_EFFECTIVE[rule.test]
    )
    return decide(
        rule,
        estimate=row.estimate,
        interval=(row.ci_low_adj, row.ci_high_adj),
        equivalence_interval=narrow,
        relative=_relative(rule, a, b),
        identical=identical,
        reason=_same(scores) if identical else _untestable(len(differences), row, few),
        unseen=unseen_of(rule, len(differences), span, clusters),
        sign_flips=sign_flips_of(rule, a, b, clusters),
        guards=guards,
    )


def decide_again(
    rule: Rule,
    row: MeasureResult,
    scores: tuple[FloatArray, FloatArray] | None,
    saved: Decision,
) -> Decision:
    """Decide from saved numbers; nothing is resampled.

    Parameters
    ----------
    scores : (float64[n_queries], float64[n_queries]), optional
        Its scores; None where they were merged.
    saved : Decision
        Only what cannot be had from the others is taken from it: the narrower interval, what two
        identical systems share, what other queries could still show, and of merged scores the
        relative change.
    """
    n = row.wins + row.ties + row.losses if scores is None else len(scores[0])
    identical = n > 1 and not row.wins + row.losses
    relative = saved.relative
    if scores is not None:
        identical = n > 1 and not outcomes(differences_of(*scores)).any()
        relative = _relative(rule, *scores)
    return decide(
        rule,
        estimate=row.estimate,
        interval=(row.ci_low_adj, row.ci_high_adj),
        equivalence_interval=(saved.tost_low, saved.tost_high),
        relative=relative,
        identical=identical,
        reason=saved.reason if identical else _untestable(n, row, saved.reason == FEW_CLUSTERS),
        unseen=saved.unseen,
        guards=saved.guards,
        sign_flips=saved.sign_flips,
    )


def decide_alternative(
    rule: Rule,
    better: Directions,
    span: float,
    drawn: Mapping[str, Any],
    clusters: tuple[str, Mapping[str, str]] | None,
    scores: Scores,
) -> tuple[MeasureResult, Decision]:
    """Return the row and the decision of other scores of the primary measure.

    Parameters
    ----------
    span : float
        As for :func:`decide_primary`.
    drawn : mapping
        ``seed`` and ``n_resamples``.
    clusters : (str, mapping of str to str), optional
        Their name, and the cluster of each query id.
    scores : Scores
        Of the primary measure alone.
    """
    a, b = (scores.of(system) for system in scores.systems)
    asked = {**drawn, "clusters": labels_of(clusters, scores.query_ids)}
    (row,), _ = measure_rows(scores.measures, a, b, rule, better=better, **asked)
    return row, decide_primary(rule, row, scores, span=span, **asked)


def _of_primary(rule: Rule, scores: Scores) -> tuple[FloatArray, FloatArray]:
    column = scores.measures.index(rule.primary)
    a, b = (scores.of(system)[:, column] for system in scores.systems)
    return a, b


def _relative(rule: Rule, a: FloatArray, b: FloatArray) -> RelativeChange | None:
    if not rule.margin_is_relative or not len(a):
        return None
    return relative_change(a, b, alpha=rule.alpha)


def _untestable(n_queries: int, row: MeasureResult, few_clusters: bool) -> str:
    """Return why there is no test; empty where there is one."""
    if n_queries < 2:
        return "too-few-queries"
    if np.isfinite(row.pvalue):
        return ""
    return FEW_CLUSTERS if few_clusters else "no-variance"


def sign_flips_of(
    rule: Rule, a: FloatArray, b: FloatArray, clusters: Sequence[str] | None = None
) -> SignFlips | None:
    """Flip the signs of a few differences, or sums of clusters, about the thresholds of the gates.

    Parameters
    ----------
    a, b : float64[n_queries]
        Scores of the primary measure.

    Returns
    -------
    SignFlips or None
        None from ten queries or clusters on, and without one.

    Examples
    --------
    >>> rule = Rule("AP", margin=0.1)
    >>> sign_flips_of(rule, np.zeros(5), np.array([0.1, 0.2, 0.1, 0.3, 0.2]))
    SignFlips(better=0.125, non_inferior=0.03125, equivalent=1.0)
    """
    unit = np.arange(len(a)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    if not 0 < len(np.unique(unit)) < FEW_QUERIES:
        return None
    gains = differences_of(a, b) if rule.higher_is_better else differences_of(b, a)
    margins = rule.margin * np.abs(a) if rule.margin_is_relative else np.full(len(a), rule.margin)
    sums = (np.bincount(unit, each).astype(np.float64) for each in (gains, margins))
    return flip_signs(rule, *sums)


def flip_signs(rule: Rule, gains: FloatArray, margins: FloatArray) -> SignFlips:
    """Flip the signs of what each query, or cluster, gains beyond its share of the margin."""
    shifted = np.stack([gains - margins, gains + margins, margins - gains], axis=1)
    better, not_worse, not_better = run_test(
        "permutation", shifted, alternative="greater", confidence=1.0
    ).pvalue.tolist()
    if not rule.margin:
        return SignFlips(better, math.nan, math.nan)
    return SignFlips(better, not_worse, max(not_worse, not_better))


def unseen_of(
    rule: Rule, n_queries: int, span: float, clusters: Sequence[str] | None = None
) -> Unseen | None:
    """Bound what queries, or clusters of them, leave open that are like none of those compared."""
    n = n_queries if clusters is None else len(set(clusters))
    return bound_unseen(n, alpha=rule.alpha, span=span) if n else None


def _same(scores: Scores) -> str:
    """Say what two systems share that score the same on every query: file, rankings, or no more."""
    if same_content(scores.sources, *scores.systems):
        return "same-file"
    one, two = (scores.judged_runs.get(system) for system in scores.systems)
    if one is not None and two is not None and _same_grades(one.judged, two.judged):
        return "same-rankings"
    return "tied-scores"


def same_content(sources: Mapping[str, Source], a: str, b: str) -> bool:
    """Say whether two systems were read from files of the same content, repeated runs and all.

    Examples
    --------
    >>> sources = {"A": Source("a", "5e", 9), "B": Source("b", "5e", 9), "C": Source("c", "f", 1)}
    >>> same_content(sources, "A", "B"), same_content(sources, "A", "C")
    (True, False)
    """
    found = [
        [each for name, each in sources.items() if f"{name} (run ".startswith(f"{system} (run ")]
        for system in (a, b)
    ]
    # One file of ready scores may hold both systems: then they share its source.
    apart = not {id(each) for each in found[0]} & {id(each) for each in found[1]}
    keys = [sorted(each.sha256 or each.path or "" for each in part) for part in found]
    return apart and keys[0] == keys[1] and bool(keys[0]) and all(keys[0])


def _same_grades(one: JudgedRun, two: JudgedRun) -> bool:
    """Say whether two runs have the same grades at the same ranks of every query."""
    return all(
        np.array_equal(getattr(one, name), getattr(two, name))
        for name in ("query", "rank", "grade", "n_retrieved")
    )
