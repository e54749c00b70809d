"""From the scores of two systems to their comparison."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np

from abrank._support.typing import Asked, Missing, RandomSource
from abrank.comparison.choosing import directions_again
from abrank.comparison.deciding import (
    decide_on,
    find_alternatives,
    guard_results,
    is_reversed,
    reasons_against,
)
from abrank.comparison.evidence import FAILED, RunDetails, find_titles, treatments
from abrank.comparison.groups import error_inflation
from abrank.comparison.pairing import pair_scores
from abrank.comparison.plans import plan_from_spread
from abrank.comparison.query_data import QueryData
from abrank.comparison.resolve import AnalysisPlan, guarded, resolve, resolve_again
from abrank.comparison.result import Comparison
from abrank.comparison.samples.clusters import (
    Clustered,
    IndependentGroups,
    PerhapsClustered,
    Weighted,
)
from abrank.comparison.samples.collections import Stratified
from abrank.comparison.samples.machine import (
    WithMachine,
    beside_machine,
    scores_again,
    with_machine,
)
from abrank.comparison.samples.sample import MEAN_AND_ERROR, QuerySample, Sample, Sequential
from abrank.diagnostics import (
    Note,
    inspect_gaps,
    inspect_margin,
    inspect_relevance,
    most_severe_first,
)
from abrank.estimate import Estimate
from abrank.inference.clusters import numbered, run_cluster_test
from abrank.inference.rounding import has_spread
from abrank.ledger.record import recorded
from abrank.measures.names import listed
from abrank.options import Designs, Inputs, Machine, Question
from abrank.provenance import provenance
from abrank.rule import LEVELS, Reason, Soundness
from abrank.rule_file import answered_by
from abrank.scoring.evaluate import silent
from abrank.scoring.scores import Scores
from abrank.verdict import Rule, Verdict, apply_soundness

# Notes that depend on how the inputs were read, which a saved result does not contain.
NOTES_OF_INPUTS = frozenset({"nobody-chose", "not-tested", "missing-scores"})


def compare_ready(
    inputs: Inputs, question: Question, *, on_stage: Callable[[str], None] = silent
) -> Comparison:
    """Compare ready scores as :func:`compare_scores` does, and report each stage of the work."""
    on_stage("reading the scores")
    measures = question.measures
    if measures is not None:
        measures = [*listed(measures), *guarded(question)]
    scores = pair_scores(
        inputs.a, inputs.b, baseline=inputs.baseline, candidate=inputs.candidate,
        name_a=inputs.name_a, name_b=inputs.name_b,
        measures=measures, missing=inputs.missing,
        lower_is_better=question.lower_is_better, options=inputs.table,
        independent=question.independent,
    )  # fmt: skip
    properties = scores.reading.properties if scores.reading is not None else None
    data = QueryData.of(
        inputs, clusters=question.clusters, weights=question.weights, properties=properties
    )
    if question.clusters is None:
        data = replace(data, unused_clusters=scores.cluster_column())
    data = with_machine(data, question.machine, scores)
    on_stage("testing")
    return compare_recorded(scores, question, data=data, command=inputs.command)


@answered_by(recorded(compare_ready), Question, "a")
def compare_scores(
    a: object = None,  # Series, dict, or what read_scores reads
    b: object = None,
    *,
    config: Question | str | os.PathLike[str] | None = None,
    baseline: str | int | None = None,
    candidate: str | int | None = None,
    columns: Mapping[str, str | Sequence[str]] | Sequence[str] | str | None = None,
    variant: Sequence[str] | str | None = None,
    where: Mapping[str, Any] | Sequence[str] | str | None = None,
    measures: Sequence[str] | str | None = None,
    margin: float | str | None = None,
    require: Asked | None = None,
    fail_on: str | None = None,
    guard: Sequence[str] | str = (),
    accept_doubt: bool = False,
    alpha: float = 0.05,
    test: str = "t",
    lower_is_better: Sequence[str] | str = (),
    missing: Missing = "error",
    name_a: str | None = None,
    name_b: str | None = None,
    segments: object = None,  # whatever read_segments reads
    topics: object = None,  # whatever read_topics reads
    design: Designs | None = None,
    machine: Machine | None = None,
    resamples: int | None = None,
    rng: RandomSource = 0,
) -> Comparison:
    """Compare ready scores, paired by query id.

    The ``remarks`` of the result say how the sources were interpreted.

    Source: as :func:`abrank.compare`.

    Parameters
    ----------
    a, b : Series, dict, path, DataFrame or Scores
        The scores of baseline and candidate; without ``b``, ``a`` holds both. For the accepted
        forms see :func:`abrank.read_scores`. If two Series have the same name, it is the name of
        the measure; different names are those of the systems.
    config : path or Question, optional
        The rule declared beforehand; see :func:`abrank.compare`.
    baseline, candidate : str or int, optional
        The variants to compare if a table has several. Default: the one called control, baseline,
        old, production or similar, and the only other one. ``"method=keyword"`` is the mean of
        all variants with this value in this column.
    columns, variant, where : optional
        The roles of the columns of a table, and the rows to use; see :func:`abrank.read_scores`.
    measures : sequence of str, optional
        The measures to compare; the first decides. Default: all, which must be the same for both;
        then a ranking measure decides.
    margin, require, fail_on, guard, accept_doubt, alpha, test, lower_is_better, resamples, rng
        As in :func:`abrank.compare`.
    missing : {"error", "drop", "worst", "zero"}
        How to treat a missing score, for example where a judge failed: raise an error, leave out
        the query, or use the measure's worst possible score (the worst observed one if its range
        is unknown) or 0. The sensitivity analysis shows the verdict under the other choices.
    name_a, name_b, segments, topics, design
        As in :func:`abrank.compare`.
    machine : Machine, optional
        Scores by a machine's judgments, to add to these by humans: ``Machine(scores=(a, b))``.

    Raises
    ------
    AlignmentError
        If the query ids or the measures of the two differ.
    NotFoundError, ReadError
        If a file or frame cannot be used, or if it lacks a score.
    ArgumentError
        If a Series or dict lacks a score, or if it is not clear which systems to compare.

    Examples
    --------
    >>> a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    >>> b = {"q1": 0.3, "q2": 0.6, "q3": 0.2, "q4": 0.9}
    >>> result = compare_scores(a, b)
    >>> round(result.mean_difference, 3), round(result.pvalue, 3), str(result.verdict)
    (0.2, 0.066, 'inconclusive')
    """
    raise NotImplementedError  # answered by compare_ready


def compare_recorded(
    scores: Scores,
    question: Question,
    *,
    data: QueryData | None = None,
    settings: Mapping[str, Any] | None = None,
    command: str | None = None,
) -> Comparison:
    """Compare the two systems of ``scores``, A first, and record the provenance."""
    # `settings` say how runs were scored (empty for ready scores); `command` is the command line.
    data = data or QueryData()
    roles = dict(zip(("a", "b"), scores.systems, strict=False))
    recorded = provenance(
        scores, roles, settings=settings or {}, context=data.sources, command=command
    )
    compared, plan = resolve(scores, question, data)
    if data.machine is not None and compared is not scores:
        machine = replace(data.machine, scores=data.machine.scores.take(compared.measures))
        data = replace(data, machine=machine)
    comparison = compare_sample(sample_of(compared, plan, data), plan)
    notes = most_severe_first([*plan.notes, *inspect_gaps(compared), *comparison.notes])
    comparison = replace(comparison, notes=notes, provenance=recorded)
    if data.docs is None:
        return comparison
    titles, remark = find_titles(
        data.docs, comparison.evidence, plan.definition, comparison.query_ids,
        comparison.differences(),
    )  # fmt: skip
    return replace(
        comparison,
        evidence=replace(comparison.evidence, documents=titles),
        remarks=(*comparison.remarks, remark) if remark else comparison.remarks,
    )


def sample_of(
    scores: Scores, plan: AnalysisPlan, data: QueryData, saved: Comparison | None = None
) -> Sample:
    """Return the sample for scores of two systems; ``saved`` provides what only runs can tell."""
    rule = plan.rule
    if rule.independent:
        of_unit = data.unused_clusters or ("", {})
        return IndependentGroups(scores, plan.seed, plan.n_resamples, saved, *of_unit)
    by = rule.test if data.machine is None else "t"
    fields = (
        scores, by, plan.seed, plan.n_resamples, data.segments, data.topics, saved,
        data.votes,
    )  # fmt: skip
    if data.weights is not None:
        weighted = Weighted(*fields, *(data.clusters or ("", {})), *data.weights)
        cut = {**weighted.segments, "weight": weighted.weights.head_and_tail(scores.query_ids)}
        return replace(weighted, segments=cut)
    if data.clusters is not None:
        return _with_answer(Clustered(*fields, *data.clusters), rule)
    if rule.design is not None and rule.design.planned:
        return Sequential(*fields, rule.design.planned, rule.alpha)
    if data.unused_clusters is None:
        sample = QuerySample(*fields)
    else:
        sample = PerhapsClustered(*fields, *data.unused_clusters)
    sample = _with_answer(sample, rule)
    if data.machine is None:
        return sample
    missing = None if saved is None or saved.machine is None else saved.machine.missing
    return beside_machine(sample, data.machine, rule, missing)


OfQueries = TypeVar("OfQueries", bound=QuerySample)


def _with_answer(sample: OfQueries, rule: Rule) -> OfQueries:
    """Use sign flips for the decision if the test cannot handle differences without variance."""
    differences = sample.differences[:, sample.measures.index(rule.primary)]
    constant = sample.n > 1 and differences.any() and not has_spread(differences)
    return replace(sample, by="permutation") if constant and sample.by in MEAN_AND_ERROR else sample


def compare_sample(sample: Sample, plan: AnalysisPlan) -> Comparison:
    """Make the decision from a sample and a plan; every comparison goes through here."""
    rule = replace(plan.rule, test=sample.by)
    plan = replace(plan, rule=rule)
    lead = sample.measures.index(rule.primary)
    rows, n_joint, decision = decide_on(sample, plan)
    grouped, sizes = sample.clusters(rule, lead) or (None, None)
    tests = sample.tests(rule, lead)
    inflation = error_inflation(rule, grouped, sample.n)
    if rule.test == "bounded" and decision.reason == "":
        bounded, plain = (
            next(row for row in tests if row.test == name) for name in ("bounded", "t")
        )
        inflation = bounded.interval.width / plain.interval.width
    baseline, candidate = sample.names
    result = sample.comparison_fields(plan, decision)
    evidence: RunDetails = result.get("evidence", RunDetails())
    comparison = Comparison(
        baseline=baseline,
        candidate=candidate,
        query_ids=sample.query_ids,
        measures=sample.measures,
        rule=rule,
        decision=decision,
        rows=rows,
        test_rows=tests,
        effects=sample.effects(rule, lead),
        spread=sample.spread(lead),
        planning=plan_from_spread(
            sample.deviation(lead), sample.n, rule, decision.margin,
            inflation=inflation, clustered=sizes,
        ),
        notes=(),
        seed=sample.seed,
        n_resamples=sample.n_resamples,
        n_resamples_joint=n_joint,
        segmentations=sample.segmentations(rule, lead),
        clusters=grouped,
        alternatives=find_alternatives(sample, plan, decision, evidence),
        **result,
    )  # fmt: skip
    return with_soundness(
        replace(comparison, notes=_notes(comparison, plan, sample)), sample.doubts()
    )


def compare_again(saved: Comparison) -> Comparison:
    """Recompute a comparison from its stored scores and its rule."""
    # Results that need the runs and judgments are copied from `saved`: reading counts, ranked
    # lists, curves, the effects of ties and unjudged documents, and alternative analyses with other
    # judgments or depths.
    comparison = compare_sample(*reopened(saved))
    of_inputs = [note for note in saved.notes if note.code in NOTES_OF_INPUTS]
    notes = most_severe_first([*of_inputs, *comparison.notes])
    return replace(comparison, notes=notes, provenance=saved.provenance)


def reopened(saved: Comparison) -> tuple[Sample, AnalysisPlan]:
    """Return the sample and the plan of a saved comparison."""
    systems = (saved.baseline, saved.candidate)
    higher = {row.measure: row.higher_is_better for row in saved.rows}
    better = directions_again(higher, saved.undeclared)
    if saved.strata:
        sample = Stratified.of_parts(saved.strata, systems, saved.measures)
        clusters = sample.clustered_by
        return sample, resolve_again(saved.rule, better, sample.scores, clusters=clusters)
    by_side = dict(zip("ab", systems, strict=True))
    scores = Scores(
        saved.query_ids,
        systems,
        saved.measures,
        np.stack([saved.a, saved.b], axis=1),
        audits={by_side[side]: audit for side, audit in saved.audits.items()},
        notes=saved.remarks,
    )
    machine, grouped, weighed = saved.machine, saved.clusters, saved.weights
    by_query = partial(zip, saved.query_ids, strict=True)
    data = QueryData(
        segments={item.name: dict(by_query(item.labels)) for item in saved.segmentations},
        clusters=None if grouped is None else (grouped.name, dict(by_query(grouped.labels))),
        weights=None if weighed is None else (weighed.name, dict(by_query(weighed.values))),
        topics=saved.topics,
        machine=None if machine is None else scores_again(machine, scores),
        votes=saved.preferences,
    )
    plan = resolve_again(
        saved.rule, better, scores, clusters="" if grouped is None else grouped.name,
        seed=saved.seed, n_resamples=saved.n_resamples,
    )  # fmt: skip
    return sample_of(scores, plan, data, saved), plan


def _notes(result: Comparison, plan: AnalysisPlan, sample: Sample) -> tuple[Note, ...]:
    rule, lead = result.rule, result.primary
    means = {row.measure: (row.mean_a, row.mean_b) for row in result.rows}
    notes = [
        *sample.cautions(result),
        *(result.clusters.notes(rule.test) if result.clusters else []),
        *inspect_relevance(means, result.audits.values(), primary=rule.primary),
        *inspect_margin(
            result.decision.margin,
            baseline=lead.mean_a,
            span=plan.span,
            n_queries=result.n_queries,
            # With many queries a significant difference needs a margin to be interpreted.
            smallest_visible=result.planning.smallest_visible if result.decision.direction else 0.0,
        ),
        *_turned_guards(result, plan, sample),
    ]
    by_kind = {alternative.kind: alternative.verdict for alternative in result.alternatives}
    at_common_depth = by_kind.get("common-depth", result.verdict)
    if not is_reversed(result.verdict, at_common_depth):
        notes = [note for note in notes if note.code != "unequal-depth"]
    return most_severe_first(notes)


def _turned_guards(result: Comparison, plan: AnalysisPlan, sample: Sample) -> Iterator[Note]:
    """Yield notes on guards that pass only because of missing data or unequal depth."""
    passed = {guard.measure for guard in result.decision.guards if guard.passed}
    if not passed or isinstance(sample, WithMachine) or not isinstance(sample, QuerySample):
        return
    guards = tuple(guard for guard in result.rule.guards if guard.measure in passed)
    plan = replace(plan, rule=replace(result.rule, guards=guards))
    lower = [row.measure for row in result.rows if not row.higher_is_better]
    for choice in treatments(sample.scores, sample.deep, lower=lower):
        if choice.kind in ("failed-best", "common-depth"):
            continue
        second = sample.of(choice.scores)
        results = guard_results(second, plan)
        if turned := [item.measure for item in results if not item.passed]:
            values = {"guards": turned, "kind": choice.kind}
            code = "guard-scores" if choice.kind in FAILED else "guard-turned"
            yield Note(code, 3, {**values, "n_queries": second.n})


# A cluster with this share of the difference carries it, if the rest is not significant.
MOST_OF_IT = 0.5


def with_soundness(result: Comparison, further: Sequence[Reason] = ()) -> Comparison:
    """Add the soundness of the evidence to a comparison's decision."""
    decision = result.decision
    if decision.verdict is Verdict.SAME and any(
        note.code == "skewness-decides" and result.rule.primary in note.values["measures"]
        for note in result.notes
    ):
        decision = replace(decision, direction=0)  # still valid: any difference is small
    verdict = decision.of_numbers or decision.verdict
    reasons = reasons_against(result, verdict, decision.direction)
    if decision.direction and (carrying := _carrying_cluster(result)):
        reasons.append(Reason("one-cluster-carries", carrying))
    reasons += further
    # With several collections, each checks its own share of judged documents.
    required = result.rule.judged
    shares = {key: audit.judged_at_10 for key, audit in result.audits.items()}
    if required and shares and min(shares.values()) < required:
        reasons.append(Reason("few-judged", {**shares, "required": required}))
    order = list(LEVELS)
    soundness = Soundness(tuple(sorted(reasons, key=lambda reason: order.index(reason.code))))
    return replace(result, decision=apply_soundness(result.rule, decision, soundness))


def _carrying_cluster(result: Comparison) -> Mapping[str, Any] | None:
    """Return the cluster that carries a significant difference: without it nothing is shown."""
    if result.clusters is None:
        return None
    differences = result.differences()
    most = result.clusters.largest * np.abs(differences).max(initial=0.0)
    if most <= MOST_OF_IT * abs(differences.sum()):
        return None  # no cluster can be that large
    names, place = numbered(result.clusters.labels)
    sums = np.bincount(place, weights=differences)
    share = sums / sums.sum()
    largest = int(np.argmax(share))
    rest = place != largest
    if share[largest] <= MOST_OF_IT:
        return None
    labels = [result.clusters.labels[i] for i in np.flatnonzero(rest)]
    outcome = run_cluster_test(
        "t", differences[rest], labels, confidence=result.rule.confidence, seed=result.seed
    )
    alone = Estimate.of(outcome)
    if alone.interval.excludes_zero and alone.interval.side == np.sign(sums.sum()):
        return None
    return {
        "name": result.clusters.name,
        "cluster": names[largest],
        "share": float(share[largest]),
        "n_queries": int(np.sum(~rest)),
        "difference": alone.estimate,
        "low": alone.low,
        "high": alone.high,
    }
