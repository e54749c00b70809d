"""From merged statistics to a comparison, by the same rule as from the scores of every query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.rng import entropy
from abrank._support.typing import FloatArray
from abrank.comparison.choice import Directions, choose, directions, directions_again
from abrank.comparison.deciding import FEW_CLUSTERS, flip_signs, sign_flips_of
from abrank.comparison.declared import declare, rule_again
from abrank.comparison.designs import error_inflation
from abrank.comparison.family import adjust_family, interval_of_primary, row_of_measure
from abrank.comparison.guards import judge_guard, rule_of_guard
from abrank.comparison.merged import parts
from abrank.comparison.merged.moments import (
    FlippedClusters,
    Moments,
    cluster_sums,
    moments_of,
    moments_of_clusters,
    score_moments,
)
from abrank.comparison.power_analysis import Clustered, plan_from_spread
from abrank.comparison.question import Question
from abrank.comparison.result import Comparison
from abrank.comparison.rows import MeasureResult
from abrank.comparison.soundness import with_soundness
from abrank.diagnostics import (
    Note,
    bounds,
    inspect_inputs,
    inspect_losses,
    inspect_margin,
    inspect_relevance,
    inspect_segments,
)
from abrank.engines.counted import exact_value
from abrank.engines.merge import MeasureStatistics, Statistics
from abrank.inference.designs.clusters import FEWEST_EFFECTIVE, effective_clusters
from abrank.inference.designs.equivalence import bound_unseen
from abrank.inference.estimates.relative_change import (
    RelativeChange,
    relative_change_of_moments,
)
from abrank.inputs import Audit
from abrank.rule import GuardResult
from abrank.verdict import FEW_QUERIES, Decision, Rule, SignFlips, decide

_NONE: FloatArray = np.empty((0, 0))


def compare_statistics(
    statistics: Statistics,
    question: Question | None = None,
    *,
    baseline: str = "A",
    candidate: str = "B",
    clusters: str = "",
    partitions: tuple[int, int] = (0, 0),
    audits: Mapping[str, Audit] | None = None,
    missing: str = "",
    remarks: tuple[str, ...] = (),
    same_file: bool = False,
    provenance: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compare two systems from the merged statistics of all partitions.

    Parameters
    ----------
    question : Question, optional
        The t test decides, cluster-robust where there are clusters. What needs the scores of every
        query is refused.
    clusters : str
        Name of the property whose values are the clusters.
    partitions : (int, int)
        How many were scored, and how many could not be.
    audits : mapping of str to Audit, optional
        Under ``"a"`` and ``"b"``.
    missing : str
        What became of queries that a run lacks.
    same_file : bool
        Whether both were read from files of the same content.

    Returns
    -------
    Comparison
        Without the scores of queries: ``merged`` has what stands in their place.

    Raises
    ------
    ArgumentError
        If the question asks for the scores of every query, or there are fewer than two queries.

    Examples
    --------
    >>> from abrank.engines.merge import statistics_of
    >>> scores = np.array([[[0.2], [0.3]], [[0.4], [0.6]], [[0.1], [0.2]], [[0.5], [0.9]]])
    >>> result = compare_statistics(statistics_of(["q1", "q2", "q3", "q4"], scores, ["AP"]))
    >>> round(result.mean_difference, 3), round(result.pvalue, 3), str(result.verdict)
    (0.2, 0.066, 'inconclusive')
    """
    question = require_mergeable(question or Question())
    n, measures = statistics.n_queries, statistics.measures
    if n < 2:
        raise ArgumentError("two queries at least are compared")
    better = directions(measures, question.lower_is_better, question.higher_is_better)
    primary = choose(measures, None, question.primary).primary
    rule = declare(question, primary, better, clusters=clusters)
    made = _answer(
        statistics,
        rule,
        better,
        entropy(question.rng),
        audits,
        partitions=partitions,
        missing=missing,
        same_file=same_file,
    )
    return replace(
        made,
        baseline=baseline,
        candidate=candidate,
        remarks=remarks,
        provenance=dict(provenance or {}),
    )


def merged_again(saved: Comparison) -> Comparison:
    """Return a comparison computed again from the statistics and the rule that it holds.

    Raises
    ------
    ArgumentError
        If its parts do not go together.

    Examples
    --------
    >>> from abrank.engines.merge import statistics_of
    >>> scores = np.array([[[0.2], [0.3]], [[0.4], [0.6]], [[0.1], [0.2]], [[0.5], [0.9]]])
    >>> result = compare_statistics(statistics_of(["q1", "q2", "q3", "q4"], scores, ["AP"]))
    >>> merged_again(result) == result
    True
    """
    merged, rule = saved.merged, saved.rule
    if merged is None or merged.statistics is None:
        raise ArgumentError("the statistics of the partitions are not there")
    statistics = parts.statistics_again(merged.statistics)
    if statistics.measures != saved.measures or statistics.n_queries < 2:
        raise ArgumentError("the statistics of the partitions are of other measures")
    clusters = rule.design.clusters if rule.design is not None and statistics.clusters else ""
    higher = {row.measure: row.higher_is_better for row in saved.rows}
    better = directions_again(higher, saved.asked)
    rule = rule_again(rule, better, clusters, statistics.n_queries)
    decision = saved.decision
    told = {decision.reason, *(each.code for each in decision.soundness.reasons)}
    made = _answer(
        statistics,
        rule,
        better,
        saved.seed,
        saved.audits,
        partitions=(merged.n_partitions, merged.n_skipped),
        missing=merged.missing,
        same_file="same-file" in told,
    )
    before = [note for note in saved.notes if note.code in ("nobody-chose", "shown-apart")]
    return replace(
        made,
        notes=tuple(sorted((*before, *made.notes), key=lambda note: -note.severity)),
        baseline=saved.baseline,
        candidate=saved.candidate,
        remarks=saved.remarks,
        provenance=saved.provenance,
    )


def _answer(
    statistics: Statistics,
    rule: Rule,
    better: Directions,
    seed: int,
    audits: Mapping[str, Audit] | None,
    *,
    partitions: tuple[int, int],
    missing: str,
    same_file: bool,
) -> Comparison:
    """Answer what was declared."""
    n, measures = statistics.n_queries, statistics.measures
    clusters = rule.design.clusters if rule.design is not None else ""
    lead = measures.index(rule.primary)
    moments = (
        moments_of_clusters(statistics, seed=seed)
        if statistics.clusters
        else moments_of(statistics)
    )
    rows = _rows(statistics, moments, rule, better)
    alike = "same-file" if same_file else "tied-scores"
    decision = _decide(statistics, moments, rule, rows, better, alike)
    own, one = statistics.of[lead], moments_of(statistics).take([lead])
    grouped = parts.clusters_of(clusters, statistics, lead, rule)
    clustered = None
    if grouped is not None:
        clustered = Clustered(cluster_sums(statistics)[1], grouped.lasting_share)
    sd = float(one.errors[0]) * n**0.5
    made = Comparison(
        baseline="A",
        candidate="B",
        query_ids=(),
        measures=measures,
        a=np.empty((0, len(measures))),
        b=np.empty((0, len(measures))),
        rule=rule,
        decision=decision,
        rows=rows,
        test_rows=parts.rows_of_tests(statistics, lead, moments, rule, seed=seed),
        effects=parts.effects_of(own, rows[lead], one, rule, clustered=grouped is not None),
        spread=parts.spread_of(own, n),
        planning=plan_from_spread(
            sd if np.isfinite(sd) else 0.0, n, rule, decision.margin,
            inflation=error_inflation(rule, grouped, n), clustered=clustered,
        ),
        notes=(),
        seed=seed,
        audits=dict(audits or {}),
        segmentations=parts.segmentations(statistics, lead, rule),
        clusters=grouped,
        merged=parts.queries_of(statistics, lead, moments, partitions=partitions, missing=missing),
    )  # fmt: skip
    return with_soundness(replace(made, notes=_notes(made, statistics)))


def require_mergeable(question: Question) -> Question:
    """Return the question with Holm's adjustment where none was asked for.

    Raises
    ------
    ArgumentError
        If it asks for the scores of every query.

    Examples
    --------
    >>> require_mergeable(Question()).adjust
    'holm'
    """
    asked = {
        f"the {question.test} test as the one that decides": question.test != "t",
        "max-t": question.adjust == "max-t",
        "a confidence sequence (--anytime, anytime=)": question.anytime is not None,
        "a record of looks (--planned, planned=)": question.planned is not None,
        "a posterior (--bayes, bayes=)": question.bayes,
    }
    for what, is_asked in asked.items():
        if is_asked:
            raise ArgumentError(
                f"{what} needs the scores of every query, which merged statistics do not hold:"
                " leave out --merged (merged=), or this"
            )
    plain = question.adjust is None and question.family != "fixed-sequence"
    return replace(question, adjust="holm") if plain else question


def _rows(
    statistics: Statistics,
    moments: Moments | FlippedClusters,
    rule: Rule,
    better: Directions,
) -> tuple[MeasureResult, ...]:
    plain = moments.run(_NONE, rule.confidence)
    lead, n = statistics.measures.index(rule.primary), statistics.n_queries
    nothing = np.empty((0, len(statistics.measures)))
    adjusted = adjust_family(nothing, plain, lead, rule, **_answered_by(moments))
    rows = []
    for m, (name, own) in enumerate(zip(statistics.measures, statistics.of, strict=True)):
        means = exact_value(own.sums[0]) / n, exact_value(own.sums[1]) / n
        counts = (own.wins, own.ties, own.losses)[:: 1 if better.higher[name] else -1]
        rows.append(row_of_measure(name, means, counts, plain, adjusted, m, better))
    return tuple(rows)


def _answered_by(moments: Moments | FlippedClusters) -> dict[str, Any]:
    return {"seed": 0, "n_resamples": None, "answers": moments}


def _decide(
    statistics: Statistics,
    moments: Moments | FlippedClusters,
    rule: Rule,
    rows: tuple[MeasureResult, ...],
    better: Directions,
    alike: str,
) -> Decision:
    lead = statistics.measures.index(rule.primary)
    row, own, n = rows[lead], statistics.of[lead], statistics.n_queries
    interval = interval_of_primary(
        rule, np.empty((0, len(rows))), lead,
        confidence=rule.confidence_equivalence, **_answered_by(moments),
    )  # fmt: skip
    identical = not own.wins + own.losses
    low, high = bounds(rule.primary)
    return decide(
        rule,
        estimate=row.estimate,
        interval=(row.ci_low_adj, row.ci_high_adj),
        equivalence_interval=interval,
        relative=_relative(statistics, lead, rule) if rule.margin_is_relative else None,
        identical=identical,
        reason=alike if identical else _untestable(statistics, row),
        unseen=bound_unseen(len(statistics.clusters) or n, alpha=rule.alpha, span=high - low),
        sign_flips=_sign_flips(statistics, lead, rule),
        guards=_guards(statistics, moments, rule, better),
    )


def _sign_flips(statistics: Statistics, lead: int, rule: Rule) -> SignFlips | None:
    """Flip the signs of a few queries or clusters: of so few the statistics hold each."""
    if not statistics.clusters and statistics.n_queries < FEW_QUERIES:
        every = statistics.of[lead].smallest
        a, b = np.array([(each.a, each.b) for each in every]).T
        return sign_flips_of(rule, a, b)
    if not 0 < len(statistics.clusters) < FEW_QUERIES:
        return None
    sizes = np.array([float(each[0]) for each in statistics.clusters.values()])
    sums = np.array([exact_value(each[1 + lead]) for each in statistics.clusters.values()])
    return flip_signs(rule, sums if rule.higher_is_better else -sums, sizes * rule.margin)


def _untestable(statistics: Statistics, row: MeasureResult) -> str:
    """Return why there is no test; empty where there is one."""
    if np.isfinite(row.pvalue):
        return ""
    sizes = [each[0] for each in statistics.clusters.values()]
    few = bool(sizes) and effective_clusters(sizes) < FEWEST_EFFECTIVE["t"]
    return FEW_CLUSTERS if few else "no-variance"


def _relative(statistics: Statistics, measure: int, rule: Rule) -> RelativeChange:
    n = statistics.n_queries
    means, moments = score_moments(n, statistics.of[measure].sums)
    return relative_change_of_moments(n, means, moments, alpha=rule.alpha)


def _guards(
    statistics: Statistics,
    moments: Moments | FlippedClusters,
    rule: Rule,
    better: Directions,
) -> tuple[GuardResult, ...]:
    narrow = moments.run(_NONE, rule.confidence_equivalence)
    found = []
    for guard in rule.guards:
        m = statistics.measures.index(guard.measure)
        estimate, low, high = (
            float(each[m]) for each in (narrow.estimate, narrow.ci_low, narrow.ci_high)
        )
        if guard.margin_is_relative:
            change = _relative(statistics, m, rule)
            estimate, low, high = change.estimate, change.tost_low, change.tost_high
        own = rule_of_guard(rule, guard, is_higher=better.higher[guard.measure])
        found.append(judge_guard(own, estimate, low, high, _sign_flips(statistics, m, own)))
    return tuple(found)


def _notes(made: Comparison, statistics: Statistics) -> tuple[Note, ...]:
    """Return the cautions that merged statistics can give, most severe first."""
    low, high = bounds(made.rule.primary)
    own = statistics.of[made.measures.index(made.rule.primary)]
    known = {query for audit in made.audits.values() for query in audit.missing}
    dropped = made.merged is not None and made.merged.missing == "drop"
    means = {row.measure: (row.mean_a, row.mean_b) for row in made.rows}
    notes = [
        *_losses(made, own),
        *inspect_inputs(made.audits, () if dropped else tuple(known)),
        *inspect_relevance(means, made.audits.values(), primary=made.rule.primary),
        *(made.clusters.notes(made.rule.test) if made.clusters else []),
        *inspect_margin(
            made.decision.margin, baseline=made.primary.mean_a, span=high - low,
            n_queries=made.n_queries, visible=made.planning.smallest_visible,
        ),
        *inspect_segments(made.segmentations, shown=made.decision.direction != 0),
    ]  # fmt: skip
    return tuple(sorted(notes, key=lambda note: -note.severity))


def _losses(made: Comparison, own: MeasureStatistics) -> list[Note]:
    """Return the caution on large losses, where B is shown to be better; see there."""
    sign = 1.0 if made.rule.higher_is_better else -1.0
    if not made.pvalue < made.rule.alpha or sign * made.mean_difference <= 0.0:
        return []
    n_below, below, n_above, above = own.beyond
    lost, n_gained = (n_below, exact_value(below)), n_above
    if sign < 0.0:
        lost, n_gained = (n_above, -exact_value(above)), n_below
    end = (own.smallest if sign > 0.0 else own.largest)[0]
    worst = end.query_id, sign * end.difference
    return inspect_losses(
        made.n_queries, made.rule.primary, lost=lost, n_gained=n_gained, worst=worst
    )
