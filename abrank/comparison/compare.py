"""From the scores of two systems to their comparison."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abrank._support.errors import ArgumentError, calling
from abrank._support.rng import entropy
from abrank._support.typing import Asked, Missing, RandomSource
from abrank.comparison.choosing import SEQUENCE, choose_from, directions_again
from abrank.comparison.deciding import (
    decide_on,
    find_alternatives,
    guard_results,
    is_reversed,
    judge,
)
from abrank.comparison.declared import Declared, declare_on, declared_again
from abrank.comparison.designs import Clustered, Sequential, Weighted
from abrank.comparison.evidence import FAILED, RunDetails, find_titles, treatments
from abrank.comparison.groups import error_inflation
from abrank.comparison.machine import MachineSource, WithMachine, declare_machine, scores_again
from abrank.comparison.pairing import pair_scores, require_finite, require_one_scale
from abrank.comparison.plans import plan_from_spread
from abrank.comparison.query_data import QueryData
from abrank.comparison.result import Comparison
from abrank.comparison.sample import QuerySample, Sample
from abrank.diagnostics import Note
from abrank.diagnostics.notes import inspect_margin
from abrank.diagnostics.runs import (
    inspect_gaps,
    inspect_relevance,
)
from abrank.estimate import Estimate
from abrank.inference.clusters import numbered, run_cluster_test
from abrank.inference.rounding import has_spread
from abrank.ledger.record import recording
from abrank.options import Designs, Inputs, Machine, Question
from abrank.provenance import provenance
from abrank.rule import Reason
from abrank.rule_file import ruled
from abrank.scoring.evaluate import silent
from abrank.scoring.scores import Scores
from abrank.verdict import Verdict, settle

# Notes on what a saved result holds no more.
KEPT = frozenset({"nobody-chose", "shown-apart", "missing-scores"})


@ruled("a")
def compare_scores(
    a: Any = None,  # noqa: ANN401 - Series, dict, or what read_scores reads
    b: Any = None,  # noqa: ANN401
    *,
    config: Question | str | os.PathLike[str] | None = None,
    baseline: str | None = None,
    candidate: str | None = None,
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
    segments: Any = None,  # noqa: ANN401 - whatever read_segments reads
    topics: Any = None,  # noqa: ANN401 - whatever read_topics reads
    design: Designs | None = None,
    machine: Machine | None = None,
    resamples: int | None = None,
    rng: RandomSource = 0,
) -> Comparison:
    """Compare ready scores, paired by query id.

    What the sources were taken for stands in the ``remarks`` of the comparison.

    Source: as :func:`abrank.compare`.

    Parameters
    ----------
    a, b : Series, dict, path, DataFrame or Scores
        Without ``b`` all variants are in ``a``. For what each may hold, see
        :func:`abrank.read_scores`. Two Series of one name carry the measure's name, of different
        names the systems'.
    config : path or Question, optional
        The rule declared beforehand; see :func:`abrank.compare`.
    baseline, candidate : str, optional
        The variants to take of a table of several. Without them one called control, baseline, old,
        production or the like, and the only other one. ``"method=keyword"`` is the mean of all
        variants of which the column has this value.
    columns, variant, where : optional
        Which column of a table holds what, and which rows are taken; see
        :func:`abrank.read_scores`.
    measures : sequence of str, optional
        The first decides. Else all, the same for both, and a ranking measure is taken.
    margin, require, fail_on, guard, accept_doubt, alpha, test, lower_is_better, resamples, rng
        What decides, and how it is resampled, as in :func:`abrank.compare`.
    missing : {"error", "drop", "worst", "zero"}
        A score that is missing, as where a judge failed, is an error; its query is left out; or it
        has the worst score of the measure (of one whose range is not known, the worst seen), or 0.
        The sensitivity analysis shows the verdict under the others.
    name_a, name_b, segments, topics, design
        As in :func:`abrank.compare`.
    machine : Machine, optional
        Scores by a machine's judgments beside these of people: ``Machine(scores=(a, b))``.

    Raises
    ------
    AlignmentError
        If the query ids or the measures of the two differ.
    NotFoundError, ReadError
        If a file or frame cannot be used, or a score is missing there.
    ArgumentError
        If a score of a Series or dict is missing, or it is not clear which systems are meant.

    Examples
    --------
    >>> a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    >>> b = {"q1": 0.3, "q2": 0.6, "q3": 0.2, "q4": 0.9}
    >>> result = compare_scores(a, b)
    >>> round(result.mean_difference, 3), round(result.pvalue, 3), str(result.verdict)
    (0.2, 0.066, 'inconclusive')
    """
    question = replace(
        Question.of(config), measures=measures, margin=margin, require=require, fail_on=fail_on,
        guard=guard, accept_doubt=accept_doubt, alpha=alpha, test=test,
        lower_is_better=lower_is_better, design=design, machine=machine, resamples=resamples,
        rng=rng,
    )  # fmt: skip
    inputs = Inputs(
        a=a, b=b, baseline=baseline, candidate=candidate, columns=columns, variant=variant,
        where=where, name_a=name_a, name_b=name_b, missing=missing, segments=segments,
        topics=topics,
    )  # fmt: skip
    keywords = {
        "baseline": baseline, "candidate": candidate, "columns": columns, "variant": variant,
        "where": where, "measures": measures, "missing": missing,
    }  # fmt: skip
    with calling("compare_scores", {"a": a, "b": b}, keywords), recording(question) as record:
        return record.compare(lambda requested: compare_ready(inputs, requested))


def compare_ready(
    inputs: Inputs,
    question: Question,
    *,
    command: str | None = None,
    on_stage: Callable[[str], None] = silent,
) -> Comparison:
    """Compare ready scores as :func:`compare_scores` does, and tell the stages of the work."""
    on_stage("reading the scores")
    scores = pair_scores(
        inputs.a, inputs.b, baseline=inputs.baseline, candidate=inputs.candidate, **inputs.names,
        measures=question.measures, missing=inputs.missing,
        lower_is_better=question.lower_is_better, options=inputs.table,
        independent=question.independent,
    )  # fmt: skip
    context = QueryData.of(
        **inputs.known, clusters=question.clusters, weights=question.weights,
        properties=scores.reading.properties if scores.reading is not None else {},
    )  # fmt: skip
    context = MachineSource.of(question.machine).beside(context, scores)
    on_stage("testing")
    return compare_recorded(scores, question, context=context, command=command)


def compare_recorded(
    scores: Scores,
    question: Question,
    *,
    context: QueryData,
    settings: Mapping[str, Any] | None = None,
    command: str | None = None,
) -> Comparison:
    """Compare the two systems of ``scores``, A first, and record where everything came from."""
    # `settings` say how runs were scored, empty for ready scores; `command` is what was typed.
    roles = dict(zip(("a", "b"), scores.systems, strict=True))
    recorded = provenance(
        scores, roles, settings=settings or {}, context=context.sources, command=command
    )
    everything = scores
    scores, primary, message = choose_from(
        everything,
        question.primary,
        gate=question.gate is not None,
        in_sequence=question.family == SEQUENCE,
    )
    question = replace(question, primary=primary)
    machine = context.machine
    if machine is not None and scores is not everything:
        places = [everything.measures.index(name) for name in scores.measures]
        machine = replace(machine, scores=machine.scores.take(places))
    if machine is not None:
        if context.weights is not None:
            raise ArgumentError(
                "--weights cannot be combined with machine judgments: the correction takes the"
                " judged queries to count alike; leave out one of them"
            )
        question = declare_machine(question, segments=context.segments, clusters=context.clusters)
    _require_two(scores, independent=question.independent)
    sample = rows_of(scores, question, context)
    if machine is not None and isinstance(sample, QuerySample):
        sample = WithMachine.beside(sample, machine, primary, question.alpha)
    comparison = compare_sample(sample, question)
    notes = sorted(
        (*message, *inspect_gaps(scores), *comparison.notes), key=lambda note: -note.severity
    )
    comparison = replace(comparison, notes=tuple(notes), provenance=recorded)
    if context.docs is None:
        return comparison
    titles, remark = find_titles(
        context.docs, comparison.evidence, primary, comparison.query_ids, comparison.differences()
    )
    return replace(
        comparison,
        evidence=replace(comparison.evidence, documents=titles),
        remarks=(*comparison.remarks, remark) if remark else comparison.remarks,
    )


def compare_systems(
    scores: Scores,
    question: Question | None = None,
    *,
    segments: Mapping[str, Mapping[str, str]] | None = None,
    topics: Mapping[str, str] | None = None,
    clusters: tuple[str, Mapping[str, str]] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compare the two systems of ``scores``, A first, as a question asks or by every default."""
    # `segments` have for each property the segment of each query id, `clusters` the name of a
    # property and the cluster of each; `provenance` is kept as it is.
    question = question or Question()
    _require_two(scores, independent=question.independent)
    context = QueryData(segments=segments or {}, topics=topics or {}, clusters=clusters)
    comparison = compare_sample(rows_of(scores, question, context), question)
    return replace(comparison, provenance=dict(provenance or {}))


def _require_two(scores: Scores, *, independent: bool) -> None:
    if len(scores.systems) != 2:
        raise ArgumentError(f"two systems are compared, not {len(scores.systems)}")
    if not independent:
        require_finite(scores)
    require_one_scale(scores)


def rows_of(scores: Scores, question: Question, context: QueryData) -> Sample:
    """Return the sample that scores of two systems are, as the question takes them."""
    if question.independent:
        requested = {
            "segments": bool(context.segments), "topics": bool(context.topics),
            "machine": context.machine is not None, "votes": context.votes is not None,
            "bayes": question.bayes, "ledger": question.ledger is not None,
        }  # fmt: skip
        from abrank.comparison.independent import IndependentGroups, require_independent

        require_independent(scores, requested)
        return IndependentGroups(scores, entropy(question.rng), question.resamples)
    options: dict[str, Any] = {
        "by": question.decided_by, "seed": entropy(question.rng), "n_resamples": question.resamples,
        "segments": context.segments, "topics": context.topics, "bayes": question.bayes,
        "votes": context.votes,
    }  # fmt: skip
    if context.clusters is not None:
        options["name"], options["of_query"] = context.clusters
    if context.weights is not None:
        options["weighted_by"], options["of_weight"] = context.weights
        weighted = Weighted(scores, **options)
        cut = {**weighted.segments, "weight": weighted.weights.head_and_tail(scores.query_ids)}
        return replace(weighted, segments=cut)
    if context.clusters is not None:
        return Clustered(scores, **options)
    if question.anytime:
        return Sequential(scores, **options, planned=question.anytime, alpha=question.alpha)
    primary = question.primary or scores.measures[0]
    sample = QuerySample(scores, **options)
    differences = sample.differences[:, scores.measures.index(primary)]
    constant = sample.n > 1 and differences.any() and not has_spread(differences)
    if sample.by in MEAN_AND_ERROR and constant:
        return replace(sample, by="permutation")  # the others have no answer without a spread
    return sample


# Tests that divide the mean by its error.
MEAN_AND_ERROR = frozenset({"t", "bootstrap", "hall"})


def compare_sample(sample: Sample, question: Question | Declared) -> Comparison:
    """Answer a question by a sample: the one way to a decision, whatever the sample is."""
    # A rule that was declared before stands in the place of the question.
    requested = question if isinstance(question, Declared) else declare_on(sample, question)
    rule, better = requested.rule, requested.better
    lead = sample.measures.index(rule.primary)
    rows, n_joint, decision = decide_on(sample, rule, better, requested.span)
    grouped, sizes = sample.clusters(rule, lead) or (None, None)
    tests = sample.tests(rule, rows[lead], lead)
    inflation = error_inflation(rule, grouped, sample.n)
    if rule.test == "bounded" and decision.reason == "":
        custom, plain = (
            next(row for row in tests if row.test == name) for name in ("bounded", "t")
        )
        inflation = custom.interval.width / plain.interval.width
    baseline, candidate = sample.names
    result = sample.found(rule, decision)
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
        effects=sample.effects(rule, rows[lead], lead),
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
        alternatives=find_alternatives(sample, rule, better, requested.span, decision, evidence),
        **result,
    )  # fmt: skip
    return with_soundness(
        replace(comparison, notes=_notes(comparison, requested, sample)), sample.doubts()
    )


def compare_again(saved: Comparison) -> Comparison:
    """Return a comparison computed again from what it holds of its sample, and its rule."""
    # What only the runs and the judgments tell is taken from it: what was counted while they were
    # read, ranked lists and curves, how far ties and unjudged documents reach, and the primary
    # measure under other judgments or to another depth.
    sample = sample_of(saved)
    higher = {row.measure: row.higher_is_better for row in saved.rows}
    again = declared_again(sample, saved.rule, directions_again(higher, saved.undeclared))
    comparison = compare_sample(sample, again)
    message = [note for note in saved.notes if note.code in KEPT]
    notes = tuple(sorted((*message, *comparison.notes), key=lambda note: -note.severity))
    return replace(comparison, notes=notes, provenance=saved.provenance)


def sample_of(saved: Comparison) -> Sample:
    """Return the sample that a comparison was made from."""
    if saved.strata:
        from abrank.comparison.designs import Stratified

        names = (saved.baseline, saved.candidate)
        return Stratified.of_parts(saved.strata, names, saved.measures)
    systems, design = (saved.baseline, saved.candidate), saved.rule.design
    if saved.rule.independent:
        from abrank.comparison.independent import IndependentGroups

        values = np.stack([saved.a, saved.b], axis=1)
        scores = Scores(saved.query_ids, systems, saved.measures, values, notes=saved.remarks)
        return IndependentGroups(scores, saved.seed, saved.n_resamples)
    audits = zip("ab", systems, strict=True) if saved.audits else ()
    scores = Scores(
        saved.query_ids,
        systems,
        saved.measures,
        np.stack([saved.a, saved.b], axis=1),
        audits={name: saved.audits[key] for key, name in audits},
        notes=saved.remarks,
    )

    def by_query(labels: Sequence[str]) -> dict[str, str]:
        return dict(zip(saved.query_ids, labels, strict=True))

    options: dict[str, Any] = {
        "by": "t" if saved.machine is not None else saved.rule.test,
        "seed": saved.seed,
        "n_resamples": saved.n_resamples,
        "segments": {
            segmentation.name: by_query(segmentation.labels) for segmentation in saved.segmentations
        },
        "topics": saved.topics,
        "bayes": bool(saved.beliefs),
        "saved": saved,
        "votes": saved.preferences,
    }
    if saved.clusters is not None:
        options["name"], options["of_query"] = saved.clusters.name, by_query(saved.clusters.labels)
    if saved.weights is not None:
        of_weight = dict(zip(saved.query_ids, saved.weights.values, strict=True))
        return Weighted(scores, **options, weighted_by=saved.weights.name, of_weight=of_weight)
    if saved.clusters is not None:
        return Clustered(scores, **options)
    if design is not None and design.planned:
        return Sequential(scores, **options, planned=design.planned, alpha=saved.rule.alpha)
    rows = QuerySample(scores, **options)
    if saved.machine is None:
        return rows
    machine, rule = scores_again(saved.machine, scores), saved.rule
    return WithMachine.beside(rows, machine, rule.primary, rule.alpha, saved.machine.missing)


def _notes(result: Comparison, requested: Declared, sample: Sample) -> tuple[Note, ...]:
    """Return every caution on a comparison, most severe first."""
    rule, lead = result.rule, result.primary
    means = {row.measure: (row.mean_a, row.mean_b) for row in result.rows}
    notes = [
        *sample.cautions(result),
        *(result.clusters.notes(rule.test) if result.clusters else []),
        *inspect_relevance(means, result.audits.values(), primary=rule.primary),
        *inspect_margin(
            result.decision.margin,
            baseline=lead.mean_a,
            span=requested.span,
            n_queries=result.n_queries,
            visible=result.planning.smallest_visible,
        ),
        *_turned_guards(result, requested, sample),
    ]
    cut = next(
        (alternative for alternative in result.alternatives if alternative.kind == "common-depth"),
        None,
    )
    if cut is None or not is_reversed(result.verdict, cut.verdict):
        notes = [note for note in notes if note.code != "unequal-depth"]
    return tuple(sorted(notes, key=lambda note: -note.severity))


def _turned_guards(result: Comparison, requested: Declared, sample: Sample) -> Iterator[Note]:
    """Yield notes on guards that pass because of what is missing, or because one run is deeper."""
    passed = {guard.measure for guard in result.decision.guards if guard.passed}
    together = isinstance(sample, WithMachine) and sample.together
    if not passed or together or not isinstance(sample, QuerySample):
        return
    guards = tuple(guard for guard in result.rule.guards if guard.measure in passed)
    rule = replace(result.rule, guards=guards)
    lower = [row.measure for row in result.rows if not row.higher_is_better]
    for choice in treatments(sample.scores, sample.deep, lower=lower):
        if choice.kind in ("failed-best", "common-depth"):
            continue
        second = sample.of(choice.scores)
        results = guard_results(second, rule, requested.better)
        if turned := [item.measure for item in results if not item.passed]:
            values = {"guards": turned, "kind": choice.kind}
            code = "guard-scores" if choice.kind in FAILED else "guard-turned"
            yield Note(code, 3, {**values, "n_queries": second.n})


# A cluster with so much of the difference carries it, if nothing is shown without it.
MOST_OF_IT = 0.5


def with_soundness(result: Comparison, further: Sequence[Reason] = ()) -> Comparison:
    """Return a comparison whose decision takes account of the soundness of its evidence."""
    decision = result.decision
    if decision.verdict is Verdict.SAME and any(
        note.code == "skewness-decides" and result.rule.primary in note.values["measures"]
        for note in result.notes
    ):
        decision = replace(decision, direction=0)  # what stays is that any difference is small
    verdict = decision.of_numbers or decision.verdict
    soundness = judge(
        verdict,
        decision.direction,
        primary=result.rule.primary,
        notes=result.notes,
        alternatives=result.alternatives,
        carrying=_carrying_cluster(result) if decision.direction else None,
        further=(*further, *_few_judged(result)),
    )
    return replace(result, decision=settle(result.rule, decision, soundness))


def _few_judged(result: Comparison) -> Iterator[Reason]:
    """Yield a doubt where fewer documents are judged than the rule demands."""
    required = result.rule.judged
    if not required or not result.audits:  # of several collections each says it of itself
        return
    shares = {key: audit.judged_at_10 for key, audit in result.audits.items()}
    if min(shares.values()) < required:
        yield Reason("few-judged", {**shares, "required": required})


def _carrying_cluster(result: Comparison) -> Mapping[str, Any] | None:
    """Return the cluster with most of a shown difference, if nothing is shown without it."""
    if result.clusters is None:
        return None
    differences = result.differences()
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
    ).as_test()
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
