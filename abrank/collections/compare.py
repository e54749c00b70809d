"""Compare two systems on several collections, and summarise over the collections."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abrank._support.checks import REASONS
from abrank._support.errors import AlignmentError, ArgumentError
from abrank._support.typing import Asked, FloatArray, OnCollections, RandomSource, Requirement
from abrank.collections.result import (
    CollectionRow,
    CollectionsComparison,
    MeasureSummary,
    SummaryRow,
)
from abrank.collections.table import (
    PROPERTIES,
    on_collection,
    pairs_of,
    properties_of,
    read_collections,
    refuse_repeated,
)
from abrank.comparison import Comparison
from abrank.comparison.choosing import directions_again, require_chosen, require_direction
from abrank.comparison.compare import compare_ready, compare_sample
from abrank.comparison.resolve import resolve_again
from abrank.comparison.result import gate_on_each
from abrank.comparison.samples.collections import Stratified
from abrank.estimate import Interval
from abrank.inference.meta_analysis import MetaAnalysis
from abrank.inference.segments import SegmentTest, answer_by_segment
from abrank.options import Clusters, Designs, Engine, Inputs, Question, Scoring
from abrank.options.parts import parts_of
from abrank.provenance import origin
from abrank.rule import Design
from abrank.rule_file import answered_by
from abrank.scoring.evaluate import silent
from abrank.workflow import compare_runs


def compare_each(
    inputs: Inputs, question: Question, *, on_stage: Callable[[str], None] = silent
) -> CollectionsComparison:
    """Compare as :func:`compare_collections` does, and report each stage of the work."""
    source = collections = inputs.collections
    name_a, name_b = inputs.name_a, inputs.name_b
    properties: dict[str, dict[str, Any]] = {}
    if not isinstance(collections, Mapping):
        files = read_collections(collections)
        properties = {
            kind: {name: file[kind] for name, file in files.items() if kind in file}
            for kind in PROPERTIES
        }
        collections, names = pairs_of(
            files, name_a=inputs.baseline or name_a, name_b=inputs.candidate or name_b
        )
        name_a, name_b = names.get("name_a"), names.get("name_b")
    _require_several(collections)
    require_poolable(question)
    segments = properties.get("segments", {}) | properties_of(
        "segments", inputs.segments, [*collections]
    )
    clusters = properties.get("clusters", {}) | _clusters_of(question, segments, [*collections])
    single = replace(question, require=None, fail_on=None, accept_doubt=False)
    comparisons = {}
    for name, collection in collections.items():
        on_stage(f"comparing on {name}")
        parts = [part for part in parts_of(single.design) if not isinstance(part, Clusters)]
        clusters_here = [Clusters(clusters[name])] if name in clusters else []
        question_of_one = replace(single, design=[*clusters_here, *parts] or None)
        with on_collection(name, source):
            inputs_here = replace(
                inputs, name_a=name_a, name_b=name_b, segments=segments.get(name), command=None
            )
            comparisons[name] = _comparison(name, collection, question_of_one, inputs_here)
    return summarise_collections(
        comparisons,
        require=question.gate,
        on=question.on,
        accept_doubt=question.accept_doubt,
        provenance=origin(inputs.command),
        name_a=name_a,
        name_b=name_b,
    )


@answered_by(compare_each, Question, "collections")
def compare_collections(
    collections: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    *,
    config: Question | str | os.PathLike[str] | None = None,
    measures: Sequence[str] | str | None = None,
    margin: float | str | None = None,
    require: Asked | None = None,
    fail_on: str | None = None,
    guard: Sequence[str] | str = (),
    on: OnCollections = "all",
    accept_doubt: bool = False,
    alpha: float = 0.05,
    test: str = "t",
    lower_is_better: Sequence[str] | str = (),
    baseline: str | None = None,
    candidate: str | None = None,
    columns: Mapping[str, str | Sequence[str]] | Sequence[str] | str | None = None,
    variant: Sequence[str] | str | None = None,
    where: Mapping[str, Any] | Sequence[str] | str | None = None,
    name_a: str | None = None,
    name_b: str | None = None,
    segments: object = None,  # what read_segments reads, by collection
    design: Designs | None = None,
    scoring: Scoring | None = None,
    engine: Engine | str | None = None,
    resamples: int | None = None,
    rng: RandomSource = 0,
) -> CollectionsComparison:
    """Compare candidate B with baseline A on several collections, separately and together.

    Two questions are answered. Does B differ from A on these collections (``stratified``: queries
    are sampled within collections)? And does it in the population that the collections are a sample
    of (``random``), where a further collection may show a different difference (the prediction
    interval)? The query pairs the scores; collections share no query.

    Source: those of :func:`abrank.inference.pool_collections`.

    Parameters
    ----------
    collections : mapping of str to (qrels, a, b), (a, b) or Comparison; or path or frame
        Two or more collections by name: judgments and two runs, as for :func:`abrank.compare`;
        ready scores of two systems, as for :func:`abrank.compare_scores`; or the result of either.
        Or one table of scores with a column ``collection``, or a file or folder; see
        :func:`abrank.collections.read_collections`.
    config : path or Question, optional
        The rule declared beforehand; see :func:`abrank.compare`.
    measures : sequence of str, optional
        As for :func:`abrank.compare`; the first decides.
    margin, require, fail_on, guard, accept_doubt
        As for :func:`abrank.compare`; gate and guards apply to the mean over all queries.
    on : {"all", "each"}
        With ``"each"``, gate and guards must pass on every single collection. No adjustment is
        needed, because all tests must reject.
    alpha, test, lower_is_better, resamples, rng
        As for :func:`abrank.compare`.
    segments : mapping of str to path, DataFrame or mapping; or path or DataFrame, optional
        Properties of the queries: by collection as for :func:`abrank.compare`, or one table with a
        column ``collection``. Collections without properties are allowed.
    design : Clusters, Looks, str or tuple, optional
        Clusters of the queries, by collection or in one table like the segments. Errors within
        collections are then cluster-robust (CR2); no cluster belongs to two collections. Looks such
        as ``"2/4"`` are for all collections together.
    baseline, candidate : str, optional
        The systems to compare if a table, file or folder has more than two.
    columns, variant, where : optional
        The roles of the columns of a table of scores, and the rows to use; see
        :func:`abrank.read_scores`.
    name_a, name_b : str, optional
        Names of the systems. Default: those of their files, if equal for all collections.
    scoring, engine : optional
        How and where runs are read and scored, as for :func:`abrank.compare`.

    Raises
    ------
    ReadError, NotFoundError, AlignmentError, ArgumentError
        As :func:`abrank.compare`, or if the collections differ in measures or rule, or if two of
        them have the same queries and scores.

    Notes
    -----
    The summaries are those of :func:`abrank.inference.pool_collections`. They use means and
    variances of the differences, whatever test decides within a collection. p-values of the
    collections are adjusted by Holm. Measures are not adjusted.

    Examples
    --------
    >>> from abrank.simulate import simulate_runs
    >>> made = {f"c{i}": simulate_runs(60, effect=0.3, rng=i) for i in range(4)}
    >>> found = compare_collections(
    ...     {name: (each.qrels, each.baseline, each.candidate) for name, each in made.items()},
    ...     measures="nDCG@10",
    ... )
    >>> found.primary.n_queries, found.primary.stratified.reading, found.primary.random.reading
    (240, 'better', 'better')
    """
    raise NotImplementedError  # answered by compare_each


def require_poolable(question: Question) -> None:
    """Refuse options that are not available for several collections."""
    reasons = REASONS["compare_collections"]
    if question.weights is not None:  # not by truth value: it may be a Series
        raise ArgumentError(f"compare_collections() takes no weights=: {reasons['weights']}")
    for name in ("anytime", "planned", "earlier"):
        if getattr(question, name):
            raise ArgumentError(f"compare_collections() takes no {name}=: {reasons[name]}")
    guards = [question.guard] if isinstance(question.guard, str) else question.guard
    if any("%" in str(amount) for amount in (question.margin, *guards)):
        raise ArgumentError(
            "a margin or guard in per cent is a share of A's mean, which is another on each"
            " collection: give it in the unit of the measure"
        )


def require_pooled(name: str, part: Comparison) -> None:
    """Refuse a comparison whose design the pooled test does not support."""
    design = part.rule.design
    reasons = {
        "its queries count by weights": part.weights is not None,
        "it was decided by a confidence sequence": design is not None and bool(design.planned),
        "a machine's judgments decide beside those of people": part.with_machine,
    }
    for reason, holds in reasons.items():
        if holds:
            raise ArgumentError(
                f"the collection {name} cannot be pooled with others: {reason}, and the mean over"
                " all queries takes queries that count alike, judged by people and looked at once"
            )


def _clusters_of(
    question: Question, segments: Mapping[str, Any], collections: Sequence[str]
) -> dict[str, Any]:
    clusters = question.clusters
    if isinstance(clusters, str) and segments and not os.path.exists(clusters):  # noqa: PTH110
        return dict.fromkeys(segments, clusters)
    return properties_of("clusters", clusters, collections)


def _require_several(collections: Mapping[str, Any]) -> None:
    if len(collections) < 2:
        raise ArgumentError(
            f"give two collections or more, not {len(collections)}; for one use compare"
        )


def _comparison(name: str, collection: object, question: Question, inputs: Inputs) -> Comparison:
    if isinstance(collection, Comparison):
        if inputs.segments is not None or question.clusters is not None:
            raise ArgumentError(
                "it is a Comparison, which has its segments and clusters: give them to compare()"
            )
        return collection
    parts = list(collection) if isinstance(collection, (list, tuple)) else []
    if len(parts) == 1:  # one table with both systems; names select them
        return compare_ready(replace(inputs, a=parts[0]), question)
    inputs = replace(inputs, baseline=None, candidate=None)  # already selected
    if len(parts) == 2:
        return compare_ready(replace(inputs, a=parts[0], b=parts[1]), question)
    if len(parts) != 3:
        raise ArgumentError(
            f"the collection {name!r} is (qrels, a, b), (a, b) of ready scores or a Comparison"
        )
    return compare_runs(replace(inputs, qrels=parts[0], a=parts[1], b=parts[2]), question)


def summarise_collections(
    comparisons: Mapping[str, Comparison],
    *,
    name_a: str | None = None,
    name_b: str | None = None,
    require: Requirement | None = None,
    on: OnCollections = "all",
    accept_doubt: bool = False,
    provenance: Mapping[str, Any] | None = None,
) -> CollectionsComparison:
    """Summarise comparisons on several collections; see :func:`compare_collections`."""
    _require_several(comparisons)
    first = next(iter(comparisons.values()))
    for name, comparison in comparisons.items():
        require_pooled(name, comparison)
        if _declared(comparison, first.rule.test) != _declared(first, first.rule.test):
            raise AlignmentError(
                f"the collection {name!r} was compared by other measures or another test than"
                f" {next(iter(comparisons))!r}: {', '.join(comparison.measures)} by"
                f" {comparison.rule.test}, {', '.join(first.measures)} by {first.rule.test}"
            )
    as_a = {comparison.baseline: name for name, comparison in reversed([*comparisons.items()])}
    for name, comparison in comparisons.items():
        if (other := as_a.get(comparison.candidate, name)) != name:
            raise AlignmentError(
                f"{comparison.candidate} is the candidate on {name} and the baseline on {other}:"
                " give the same two systems in the same order everywhere"
            )
    primary = first.rule.primary
    measures = [primary, *(name for name in first.measures if name != primary)]
    names = []  # a system's name if it is the same everywhere, else its letter
    for side, name_given, letter in (("baseline", name_a, "A"), ("candidate", name_b, "B")):
        names_of_side = {getattr(comparison, side) for comparison in comparisons.values()}
        names.append(name_given or (names_of_side.pop() if len(names_of_side) == 1 else letter))
    a, b = names
    refuse_repeated({
        name: (comparison.query_ids, np.stack([comparison.a, comparison.b], axis=1))
        for name, comparison in comparisons.items()
    })  # fmt: skip
    sample = Stratified.of_parts(dict(comparisons), (a, b), tuple(measures))
    return CollectionsComparison(
        baseline=a,
        candidate=b,
        comparisons=dict(comparisons),
        measures=tuple(_summary(sample, column, first) for column in range(len(measures))),
        alpha=first.rule.alpha,
        pooled=_decide(sample, first, require, on, accept_doubt=accept_doubt),
        provenance=dict(provenance or {}),
    )


def _declared(comparison: Comparison, test: str) -> tuple[object, ...]:
    """Return what must be equal for all collections."""
    rule = comparison.rule
    # Sign flips replace the test on a collection where all differences are equal.
    if {rule.test, test} != {"t", "permutation"}:
        test = rule.test
    margins = (rule.margin, rule.margin_is_relative, rule.guards)
    return (rule.primary, test, rule.alpha, set(comparison.measures), *margins)


def _decide(
    sample: Stratified,
    first: Comparison,
    require: Requirement | None,
    on: OnCollections,
    *,
    accept_doubt: bool,
) -> Comparison:
    """Decide by the mean over all queries, by the rule that all collections share."""
    directions = {row.measure: row.higher_is_better for row in first.rows}
    directions_declared = directions_again(directions, first.undeclared)
    rule = replace(first.rule, require=require, on=on, accept_doubt=accept_doubt)
    if require is not None:
        require_direction(
            directions_declared.undeclared,
            [rule.primary, *(guard.measure for guard in rule.guards)],
        )
        require_chosen(first.notes)
    # Measures are not adjusted, because only the primary one decides.
    rule = replace(rule, family="secondary", adjust="none")
    if sample.clustered_by:  # the first collection may have no clusters
        design = rule.design or Design(alpha=rule.alpha)
        rule = replace(rule, design=replace(design, clusters=sample.clustered_by))
    plan = resolve_again(rule, directions_declared, sample.scores, clusters=sample.clustered_by)
    comparison = compare_sample(sample, plan)
    return gate_on_each(comparison) if on == "each" else comparison


def _summary(sample: Stratified, column: int, first: Comparison) -> MeasureSummary:
    measure, alpha = sample.measures[column], first.rule.alpha
    higher, declared = first[measure].higher_is_better, measure not in first.undeclared
    parts = sample.by_part(column)
    pooled = sample.pooled(column, 1.0 - alpha)
    answers = answer_by_segment(
        [values[:, None] for values in parts],
        pooled.n_queries > 0,
        alpha,
        SegmentTest(first.rule.test, first.seed, first.n_resamples),
        [*sample.by_cluster.values()] if sample.labels else None,
    )[..., 0]
    rows = tuple(
        _row(name, part, measure, pooled, i, answers[:, i])
        for i, (name, part) in enumerate(sample.parts.items())
    )
    stratified, equal, random = (
        SummaryRow(
            **vars(summary),
            reading=summary.interval.read(
                tested=not np.isnan(summary.pvalue),
                moved=not (summary.error == 0.0 and summary.estimate == 0.0),
                higher=higher,
                declared=declared,
            ),
        )
        for summary in (pooled.stratified, pooled.equal, pooled.random)
    )
    return MeasureSummary(
        measure=measure,
        higher_is_better=higher,
        n_queries=sample.n,
        rows=rows,
        stratified=stratified,
        equal=equal,
        random=random,
        tau=pooled.tau,
        prediction_low=pooled.prediction_low,
        prediction_high=pooled.prediction_high,
        heterogeneity=pooled.heterogeneity,
    )


def _row(
    name: str,
    comparison: Comparison,
    measure: str,
    pooled: MetaAnalysis,
    index: int,
    answers: FloatArray,
) -> CollectionRow:
    row, n = comparison[measure], comparison.n_queries
    pvalue, low, high, adjusted, low_adjusted, high_adjusted = answers.tolist()
    is_tied = bool(n) and row.ties == n
    return CollectionRow(
        collection=name,
        n_queries=n,
        mean_a=row.mean_a,
        mean_b=row.mean_b,
        diff=row.diff,
        ci_low=low,
        ci_high=high,
        ci_low_adj=low_adjusted,
        ci_high_adj=high_adjusted,
        pvalue=pvalue,
        pvalue_adj=adjusted,
        wins=row.wins,
        ties=row.ties,
        losses=row.losses,
        weight_stratified=n / max(int(pooled.n_queries.sum()), 1),
        weight_random=float(pooled.weight_random[index]),
        bounded=bool(pooled.bounded[index]),
        reading=Interval(low_adjusted, high_adjusted).read(
            tested=is_tied or not np.isnan(adjusted),
            moved=not is_tied,
            higher=row.higher_is_better,
            declared=measure not in comparison.undeclared,
        ),
        estimate=row.estimate,
    )
