"""From the scores of two systems to their comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.keywords import explained, fields_of
from abrank._support.typing import RandomSource
from abrank.comparison.alternatives import alternatives
from abrank.comparison.beside import Beside, with_titles
from abrank.comparison.choice import choose, choose_from, directions_again
from abrank.comparison.companions import IGNORING, companion_rows
from abrank.comparison.deciding import decide_alternative, decide_primary
from abrank.comparison.declared import Declared, declare_on, declared_again
from abrank.comparison.designs import describe_clusters, error_inflation
from abrank.comparison.effects import effects, spread
from abrank.comparison.evidence import collect_details
from abrank.comparison.family import SEQUENCE, measure_rows
from abrank.comparison.groups import segment
from abrank.comparison.guards import guard_results
from abrank.comparison.machine.decide import WithMachine
from abrank.comparison.machine.judgments import SharedModel
from abrank.comparison.machine.source import MachineSource
from abrank.comparison.pairing import pair_scores, require_finite
from abrank.comparison.posterior import beliefs
from abrank.comparison.power_analysis import Clustered, plan_next_test
from abrank.comparison.question import Question
from abrank.comparison.result import Comparison
from abrank.comparison.soundness import with_soundness
from abrank.diagnostics import (
    Note,
    inspect_depth,
    inspect_differences,
    inspect_directions,
    inspect_evidence,
    inspect_inputs,
    inspect_margin,
    inspect_relevance,
    inspect_segments,
    unequal_depth,
)
from abrank.inference.designs.clusters import cluster_sizes
from abrank.inference.rounding import differences_of
from abrank.inputs import Audit
from abrank.provenance import provenance
from abrank.rule import Spending
from abrank.scoring.scores import Scores
from abrank.verdict import Family, Requirement, Verdict


@explained
def compare_scores(
    a: Any,  # noqa: ANN401 - Series, dict, or what read_scores reads
    b: Any = None,  # noqa: ANN401
    *,
    measures: Sequence[str] | str | None = None,
    primary: str | None = None,
    margin: float | str | None = None,
    test: str = "t",
    alpha: float = 0.05,
    adjust: str | None = None,
    family: Family = "secondary",
    require: Requirement | None = None,
    lower_is_better: Sequence[str] | str = (),
    higher_is_better: Sequence[str] | str = (),
    baseline: str | None = None,
    candidate: str | None = None,
    segments: Any = None,  # noqa: ANN401 - whatever read_segments reads
    topics: Any = None,  # noqa: ANN401 - whatever read_topics reads
    clusters: Any = None,  # noqa: ANN401 - whatever read_clusters reads, or a column of segments
    look: str | tuple[int, int] | None = None,
    spending: Spending = "obrien-fleming",
    anytime: int | None = None,
    planned: int | None = None,
    earlier: Any = None,  # noqa: ANN401 - a result, or where it was written
    guards: Sequence[str] | str = (),
    accept_doubt: bool = False,
    bayes: bool = False,
    machine_scores: Any = None,  # noqa: ANN401 - a pair of what a and b are
    machine_judge: str | None = None,
    shared_model: SharedModel | None = None,
    n_resamples: int | None = None,
    rng: RandomSource = 0,
) -> Comparison:
    """Compare ready scores, paired by query id.

    Parameters
    ----------
    a, b : Series, dict, path, DataFrame or Scores
        Without ``b`` all are in ``a``. For what each may hold, see :func:`abrank.read_scores`.
    measures : sequence of str, optional
        The first decides. Else all, the same for both, and a ranking measure is taken.
    baseline, candidate : str, optional
        Names to give them; without ``b`` those to take, else the two there are.
    primary, margin, test, alpha, adjust, family, require, lower_is_better, higher_is_better,
    n_resamples, rng
        What decides, and how it is resampled, as in :func:`abrank.compare`.
    segments, topics, clusters, look, spending, anytime, planned, earlier, guards, accept_doubt,
    bayes, machine_scores, machine_judge, shared_model
        As in :func:`abrank.compare`.

    Returns
    -------
    Comparison
        What the sources were taken for stands in ``remarks``.

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
    question = Question(**fields_of(Question, locals()))
    beside = Beside.of(segments=segments, topics=topics, clusters=clusters)
    machine = MachineSource(None, machine_scores, shared_model, machine_judge)
    scores = pair_scores(a, b, baseline=baseline, candidate=candidate, measures=measures)
    return compare_recorded(scores, question, beside=machine.beside(beside, scores))


def compare_recorded(
    scores: Scores,
    question: Question,
    *,
    beside: Beside,
    settings: Mapping[str, Any] | None = None,
    command: str | None = None,
) -> Comparison:
    """Compare the two systems of ``scores``, and record where everything came from.

    Parameters
    ----------
    scores : Scores
        Of exactly two systems; the first is the baseline A.
    question : Question
    beside : Beside
        Segments and topics.
    settings : mapping, optional
        How the runs were scored; empty for ready scores.
    command : str, optional
        The command line that asked.

    Returns
    -------
    Comparison
    """
    roles = dict(zip(("a", "b"), scores.systems, strict=True))
    recorded = provenance(
        scores, roles, settings=settings or {}, beside=beside.sources, command=command
    )
    every = scores
    scores, primary, told = choose_from(
        every,
        question.primary,
        gate=question.require is not None,
        in_sequence=question.family == SEQUENCE,
    )
    question = replace(question, primary=primary)
    if beside.machine is not None and scores is not every:
        places = [every.measures.index(name) for name in scores.measures]
        cut = replace(beside.machine, scores=beside.machine.scores.take(places))
        beside = replace(beside, machine=cut)
    asked = WithMachine.of(scores, question, beside)
    made = compare_systems(
        asked.scores if asked else scores,
        asked.question if asked else question,
        segments=beside.segments,
        topics=beside.topics,
        clusters=beside.clusters,
        provenance=recorded,
    )
    made = asked.decide(made) if asked else made
    notes = sorted((*told, *made.notes), key=lambda note: -note.severity)
    return with_titles(replace(made, notes=tuple(notes)), beside.docs)


def compare_systems(
    scores: Scores,
    question: Question | None = None,
    *,
    segments: Mapping[str, Mapping[str, str]] | None = None,
    topics: Mapping[str, str] | None = None,
    clusters: tuple[str, Mapping[str, str]] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compare the two systems of ``scores``; the first is the baseline A.

    Parameters
    ----------
    scores : Scores
        Of exactly two systems.
    question : Question, optional
        What decides, and how it is resampled; every default without it.
    segments : mapping of str to mapping of str to str, optional
        For each property of the queries, the segment of each query id: ``{"intent": {"q1": …}}``.
    topics : mapping of str to str, optional
        Texts of the queries, by query id.
    clusters : (str, mapping of str to str), optional
        The name of a property, and the cluster in which each query comes by it.
    provenance : mapping, optional
        Kept as it is.

    Returns
    -------
    Comparison
    """
    if len(scores.systems) != 2:
        raise ArgumentError(f"two systems are compared, not {len(scores.systems)}")
    require_finite(scores)
    question = question or Question()
    primary = choose(scores.measures, None, question.primary).primary
    asked = declare_on(scores, question, primary, clusters)
    beside = Beside(segments=segments or {}, topics=topics or {}, clusters=clusters)
    made = _answer(scores, asked, beside, bayes=question.bayes)
    return replace(made, provenance=dict(provenance or {}))


def compare_again(saved: Comparison) -> Comparison:
    """Return a comparison computed again from the scores and the rule that it holds.

    What only the runs and the judgments tell is taken from it: what was counted while they were
    read, ranked lists and curves, how far ties and unjudged documents reach, and the primary
    measure under other judgments or to another depth.

    Raises
    ------
    ArgumentError
        If its parts do not go together: a rule that cannot be declared on such scores.
    AlignmentError
        If it holds machine judgments of other queries.

    Examples
    --------
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> compare_again(result) == result
    True
    """
    systems, rule = (saved.baseline, saved.candidate), saved.rule
    scores = Scores(
        saved.query_ids,
        systems,
        saved.measures,
        np.stack([saved.a, saved.b], axis=1),
        audits={name: saved.audits[key] for key, name in zip("ab", systems, strict=True)}
        if saved.audits
        else {},
        notes=saved.remarks,
    )
    clusters = None
    if saved.clusters is not None:
        labels = dict(zip(saved.query_ids, saved.clusters.labels, strict=True))
        clusters = saved.clusters.name, labels
    beside = Beside(
        segments={
            each.name: dict(zip(saved.query_ids, each.labels, strict=True))
            for each in saved.segmentations
        },
        clusters=clusters,
        topics=saved.topics,
    )
    machine = saved.machine
    asked = declared_again(
        scores,
        rule if machine is None else replace(rule, test="t"),
        better=directions_again(
            {row.measure: row.higher_is_better for row in saved.rows}, saved.asked
        ),
        clusters=clusters,
        drawn={"seed": saved.seed, "n_resamples": saved.n_resamples},
    )
    made = _answer(scores, asked, beside, bayes=bool(saved.beliefs), saved=saved)
    if machine is not None:
        made = WithMachine.again(machine, scores).decide(made)
    told = [note for note in saved.notes if note.code in ("nobody-chose", "shown-apart")]
    notes = tuple(sorted((*told, *made.notes), key=lambda note: -note.severity))
    return replace(made, notes=notes, provenance=saved.provenance)


def _answer(
    scores: Scores, asked: Declared, beside: Beside, *, bayes: bool, saved: Comparison | None = None
) -> Comparison:
    """Answer what was declared; with ``saved`` it has what the runs told, which are not there."""
    rule, clusters = asked.rule, beside.clusters
    made = _test_all(scores, asked, clusters[0] if clusters else "", saved)
    differences = made.differences()
    deep = unequal_depth(scores)
    again = partial(decide_alternative, rule, asked.better, asked.span, asked.drawn, clusters)
    made = replace(
        made,
        alternatives=alternatives(
            scores, rule, made.decision, again, deep=deep, unjudged=any(made.evidence.n_unjudged),
            saved=() if saved is None else saved.alternatives,
        ),
        segmentations=segment(
            beside.segments, scores.query_ids, differences, rule,
            seed=made.seed, clusters=asked.drawn["clusters"],
        ),
        beliefs=beliefs(
            differences, rule, margin=made.decision.margin, seed=made.seed, asked=bayes
        ),
        topics=_texts_of(scores.query_ids, beside.topics),
    )  # fmt: skip
    depths = inspect_depth(deep, scores, keys="ab", primary=rule.primary)
    if saved is not None:
        depths = [note for note in saved.notes if note.code == "unequal-depth"]
    return with_soundness(replace(made, notes=_notes(made, asked, depths)))


def _test_all(
    scores: Scores, asked: Declared, clusters: str, saved: Comparison | None
) -> Comparison:
    """Return the tests and the decision; ``clusters`` names the property that makes them."""
    rule, drawn = asked.rule, asked.drawn
    a, b = (scores.of(system) for system in scores.systems)
    lead = scores.measures.index(rule.primary)
    of_a, of_b = a[:, lead], b[:, lead]
    differences = differences_of(of_a, of_b)
    rows, joint = measure_rows(scores.measures, a, b, rule, better=asked.better, **drawn)
    guarded = guard_results(rule, scores.measures, a, b, better=asked.better, **drawn)
    decision = decide_primary(rule, rows[lead], scores, span=asked.span, guards=guarded, **drawn)
    if saved is not None and decision.verdict is Verdict.IDENTICAL:
        told = {saved.decision.reason, *(each.code for each in saved.decision.soundness.reasons)}
        reason = "same-file" if "same-file" in told else saved.decision.reason
        decision = replace(decision, reason=reason)  # the files and the lists told it
    labels = drawn["clusters"]
    grouped = describe_clusters(clusters, labels, differences, rule.test) if labels else None
    clustered = None
    if grouped is not None:
        clustered = Clustered(cluster_sizes(labels), grouped.lasting_share)
    inflation = error_inflation(rule, grouped, len(a))
    tests = companion_rows(differences, rule, **drawn)
    if rule.test == "bounded" and decision.reason == "":
        own, plain = (next(row for row in tests if row.test == name) for name in ("bounded", "t"))
        inflation = (own.ci_high - own.ci_low) / (plain.ci_high - plain.ci_low)
    return Comparison(
        baseline=scores.systems[0],
        candidate=scores.systems[1],
        query_ids=scores.query_ids,
        measures=scores.measures,
        a=a,
        b=b,
        rule=rule,
        decision=decision,
        rows=rows,
        test_rows=tests,
        effects=effects(
            of_a,
            of_b,
            confidence=rule.confidence,
            higher_is_better=rule.higher_is_better,
            independent=grouped is None,
        ),
        spread=spread(of_a, of_b),
        planning=plan_next_test(
            differences, rule, decision.margin, inflation=inflation, clustered=clustered
        ),
        notes=(),
        seed=drawn["seed"],
        n_resamples=drawn["n_resamples"],
        n_resamples_joint=joint,
        remarks=scores.notes,
        audits=_audits(scores),
        evidence=(
            collect_details(scores, rule.primary, differences) if saved is None else saved.evidence
        ),
        clusters=grouped,
    )


def _audits(scores: Scores) -> dict[str, Audit]:
    """Return what was counted while the runs were read, by role."""
    return {
        key: scores.audits[system]
        for key, system in zip("ab", scores.systems, strict=True)
        if system in scores.audits
    }


def _texts_of(query_ids: Sequence[str], topics: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of the queries compared."""
    known = set(query_ids) if topics else set()
    return {query: text for query, text in topics.items() if query in known}


def _notes(made: Comparison, asked: Declared, depths: list[Note]) -> tuple[Note, ...]:
    """Return every caution on a comparison, most severe first."""
    rule, lead = made.rule, made.primary
    means = {row.measure: (row.mean_a, row.mean_b) for row in made.rows}
    notes = [
        *_notes_on_differences(made),
        *inspect_inputs(made.audits, made.query_ids),
        *(made.clusters.notes(made.rule.test) if made.clusters else []),
        *inspect_relevance(means, made.audits.values(), primary=rule.primary),
        *depths,
        *inspect_margin(
            made.decision.margin,
            baseline=lead.mean_a,
            span=asked.span,
            n_queries=made.n_queries,
            visible=made.planning.smallest_visible,
        ),
        *inspect_directions(
            [name for name in asked.better.asked if name != rule.primary], primary=rule.primary
        ),
        *inspect_evidence(lead.diff, made.evidence, made.audits),
        *inspect_segments(made.segmentations, shown=made.decision.direction != 0),
    ]
    return tuple(sorted(notes, key=lambda note: -note.severity))


def _notes_on_differences(made: Comparison) -> list[Note]:
    """Return the notes on the differences; of other designs none on single queries."""
    rule = made.rule
    own = tuple(row for row in made.test_rows if row.title != IGNORING)
    if rule.design is not None and rule.design.planned:
        own = tuple(row for row in own if row.decides)
    notes = inspect_differences(
        made.differences(),
        own,
        alpha=rule.alpha,
        query_ids=made.query_ids,
        measure=rule.primary,
        higher_is_better=rule.higher_is_better,
    )
    if rule.design is not None and (rule.design.clusters or rule.design.planned):
        notes = [note for note in notes if note.code not in ("few-signs", "one-query-decides")]
    if not rule.direction_declared:
        notes = [note for note in notes if note.code not in _OF_A_DIRECTION]
    return notes


# Notes that say which of the two gains.
_OF_A_DIRECTION = frozenset({"mean-against-wins", "losses-behind-the-mean"})
