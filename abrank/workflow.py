"""From files or frames to a result with its provenance, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from abrank._support.errors import ArgumentError
from abrank._support.typing import Asked, RandomSource, RankingFamily
from abrank.comparison import Comparison, name_runs
from abrank.comparison.compare import compare_recorded
from abrank.comparison.pairing import require_common_queries
from abrank.comparison.query_data import QueryData
from abrank.comparison.resolve import measures_to_score
from abrank.comparison.samples.machine import require_runs_again, with_machine
from abrank.comparison.two_systems import require_two_files
from abrank.inputs.run import named_runs
from abrank.ledger.record import recorded
from abrank.measures.names import DEFAULT_MEASURES
from abrank.options import (
    Designs,
    Engine,
    Inputs,
    Machine,
    Question,
    RankingQuestion,
    Scoring,
)
from abrank.provenance import provenance
from abrank.rule_file import answered_by
from abrank.scoring.evaluate import score_runs, silent

if TYPE_CHECKING:
    from abrank.ranking import Ranking

TOP = 20  # documents of each ranking that a report can show


def compare_runs(
    inputs: Inputs,
    question: Question,
    *,
    command: str | None = None,
    on_stage: Callable[[str], None] = silent,
) -> Comparison:
    """Compare two runs as :func:`compare` does, and tell the stages of the work."""
    require_two_files(inputs.a, inputs.b)
    scoring, engine = question.scoring, question.engine
    runs = name_runs(inputs.a, inputs.b, name_a=inputs.name_a, name_b=inputs.name_b)
    data = QueryData.of(inputs, clusters=question.clusters, weights=question.weights)
    requested, primary = measures_to_score(question)
    require_runs_again(question.machine, runs)
    scores = score_runs(
        inputs.qrels, runs, requested, scoring, engine=engine, top=TOP, on_stage=on_stage
    )
    require_common_queries(scores)
    data = with_machine(
        data, question.machine, scores,
        lambda qrels: score_runs(
            qrels, runs, requested, scoring,
            engine=engine, on_stage=lambda stage: on_stage(f"{stage} (machine)"),
        ),
    )  # fmt: skip
    on_stage("testing")
    if primary is not None:  # by its name in the scores, which says the scale of the judgments
        name = scores.measures[requested.measures.index(primary)]
        question = replace(question, primary=name)
    return compare_recorded(
        scores, question, data=data, settings=scoring.settings(), command=command
    )


@answered_by(recorded(compare_runs), Question, "qrels", "a", "b")
def compare(
    qrels: object = None,  # whatever read_qrels reads
    a: object = None,  # whatever read_run reads
    b: object = None,
    *,
    config: Question | str | os.PathLike[str] | None = None,
    measures: Sequence[str] | str | None = None,
    margin: float | str | None = None,
    require: Asked | None = None,
    fail_on: str | None = None,
    guard: Sequence[str] | str = (),
    accept_doubt: bool = False,
    alpha: float = 0.05,
    test: str = "t",
    lower_is_better: Sequence[str] | str = (),
    name_a: str | None = None,
    name_b: str | None = None,
    segments: object = None,  # whatever read_segments reads
    topics: object = None,  # whatever read_topics reads
    docs: object = None,  # whatever read_documents reads
    design: Designs | None = None,
    scoring: Scoring | None = None,
    machine: Machine | None = None,
    engine: Engine | str | None = None,
    resamples: int | None = None,
    rng: RandomSource = 0,
) -> Comparison:
    """Compare candidate B with baseline A on the same judged queries.

    The hypothesis tested: the mean difference B - A per query of the primary measure is 0.

    Source: Smucker, Allan & Carterette (2007), CIKM, 623-632: paired tests of rankers; Schuirmann
    (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680: the margin. The sources of
    tests and measures stand in their catalogues, those of a result in its ``.bib``.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        The judgments.
    a, b : path, DataFrame, dict of dicts, iterable of tuples, or Run
        The runs of the baseline and of the candidate.
    config : path or Question, optional
        The rule declared beforehand: a file as for ``abrank compare --config``, see
        :func:`abrank.rule_file.answered_by`, of which what the call changes is recorded; or a
        :class:`abrank.Question`, which has what is no keyword here, such as ``family``.
    measures : sequence of str, optional
        Names in any of the field's dialects; nDCG@10, AP, RR, P@10 and R@100 without it. The first
        decides, the others are adjusted together.
    margin : float or str, optional
        Smallest difference worth having: in the primary measure's unit, or such as ``"2%"`` of the
        baseline's mean. Without one no verdict is "the same".
    require : {"better", "non-inferior", "equivalent"}, optional
        A gate; whether it passed stands in ``decision.gate``.
    fail_on : {"worse"}, optional
        A gate that only a shown loss fails.
    guard : str or sequence of str
        Measures that must be shown not to be worse, for the gate: ``"R@100:-0.02"``.
    accept_doubt : bool
        Let the gate pass although the evidence is doubtful: see :mod:`abrank.rule`.
    alpha : float
        Two-sided level.
    test : {"t", "permutation", "bootstrap", "wilcoxon", "sign", "hall", "bounded"}
        The test that decides: its p-value, its interval.
    lower_is_better : str or sequence of str
        Scores without a declared direction, of which less is better.
    name_a, name_b : str, optional
        Names to give the systems; those of the runs without them.
    segments : path, DataFrame or mapping, optional
        Properties of the queries, such as their intent: a CSV file has a column query_id too.
    topics : path, mapping, Series or DataFrame, optional
        Texts of the queries: TREC topics, JSON lines, or lines with a tab.
    docs : path or mapping, optional
        Titles or texts by document id, to show in ranked lists: JSON lines, or lines with a tab.
    design : Clusters, Looks, Planned, Anytime, str or tuple, optional
        How queries were sampled and are looked at, or several of these in a tuple: ``"2/4"`` is a
        look, any other text a file or a column of ``segments`` with clusters.
    scoring : Scoring, optional
        How runs are read and scored: missing queries, ties, depth, what counts as relevant.
    machine : Machine, optional
        Judgments by a machine of many queries; ``qrels`` are then those of people, for a random
        draw from these.
    engine : Engine or str, optional
        Where runs in Parquet are scored.
    resamples, rng
        Resamples of the Monte Carlo tests, and their source; the seed is recorded.

    Raises
    ------
    ReadError, NotFoundError
        If an input cannot be used; the message names file and line.
    AlignmentError
        If qrels and runs have no query in common.
    ArgumentError
        If an argument has no meaning.

    Examples
    --------
    >>> from abrank.simulate import simulate_runs
    >>> made = simulate_runs(100, rng=6)
    >>> result = compare(made.qrels, made.baseline, made.candidate, measures=["nDCG@10", "AP"])
    >>> str(result.verdict), result.mean_difference > 0
    ('better', True)
    >>> docs = dict.fromkeys(made.qrels.doc_id, "Tea pots")
    >>> titled = compare(made.qrels, made.baseline, made.candidate, docs=docs)
    >>> set(titled.evidence.documents.values())
    {'Tea pots'}
    """
    raise NotImplementedError  # answered by compare_runs


def rank_runs(
    inputs: Inputs,
    question: RankingQuestion,
    *,
    command: str | None = None,
    on_stage: Callable[[str], None] = silent,
) -> Ranking:
    """Rank runs as :func:`rank` does, and tell the stages of the work."""
    # To compare two runs needs none of it.
    from abrank.ranking.rank import baselines_of, ranking_of

    runs = named_runs(inputs.runs, joins_parts=True)
    # A mistyped name should not cost the reading of all runs.
    measures = DEFAULT_MEASURES[0] if question.measures is None else question.measures
    requested = question.scoring.requested(measures)
    if len(runs) < 2:
        found = f", and there is one, {next(iter(runs))}" if runs else ""
        raise ArgumentError(
            f"a ranking takes two systems or more{found}; abrank score (evaluate) takes one"
        )
    baselines_of(question.baseline, runs)
    scores = score_runs(
        inputs.qrels, runs, requested, question.scoring,
        engine=question.engine, on_stage=on_stage,
    )  # fmt: skip
    require_common_queries(scores)
    roles = {name: name for name in runs}
    settings = question.scoring.settings()
    recorded_origin = provenance(scores, roles, settings=settings, command=command)
    # All that was scored is ranked: a name such as P_5,10 is that of several measures.
    question = replace(question, measures=None)
    return ranking_of(scores, question, provenance=recorded_origin, on_stage=on_stage)


@answered_by(rank_runs, RankingQuestion, "qrels", "runs")
def rank(
    qrels: object,  # whatever read_qrels reads
    runs: Mapping[str, Any] | Sequence[Any],
    *,
    measures: Sequence[str] | str | None = None,
    baseline: str | Sequence[str] | None = None,
    test: str | None = None,
    adjust: str | None = None,
    alpha: float = 0.05,
    family: RankingFamily = "measure",
    lower_is_better: Sequence[str] | str = (),
    higher_is_better: Sequence[str] | str = (),
    pairs: bool = False,
    scoring: Scoring | None = None,
    engine: Engine | str | None = None,
    resamples: int | None = None,
    rng: RandomSource = 0,
) -> Ranking:
    """Rank many systems, and say which of them differ significantly.

    The hypothesis is that all systems have one mean; the query pairs the scores.

    Source: as :func:`abrank.rank_scores`.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        The judgments.
    runs : mapping of str to path, DataFrame, dict of dicts, iterable of tuples, or Run
        System name to its run; two or more. Those of a list go by their own names.
    measures : sequence of str, optional
        Names in any of the field's dialects; nDCG@10 without it. The first orders the systems.
    baseline : str or sequence of str, optional
        The system to compare every other with, or several, corrected across; all pairs without it.
    test, adjust, family : str, optional
        See :func:`abrank.rank_scores`: without them ``max-t``, and alpha for each measure.
    alpha : float
        Joint level.
    lower_is_better, higher_is_better, pairs
        As for :func:`abrank.rank_scores`.
    scoring, engine : optional
        How and where the runs are read and scored, as in :func:`abrank.evaluate`.
    resamples : int, optional
        Of tests that draw.
    rng : int, Generator, SeedSequence or None
        Source of all resampling; the seed is recorded.

    Raises
    ------
    ReadError, NotFoundError, AlignmentError, ArgumentError
        As :func:`compare`.

    Examples
    --------
    >>> from abrank.simulate import simulate_runs
    >>> made = simulate_runs(100, rng=6)
    >>> runs = {"A": made.baseline, "B": made.candidate, "A again": made.baseline}
    >>> [(row.system, row.group) for row in rank(made.qrels, runs).rows]
    [('B', 'a'), ('A', 'b'), ('A again', 'b')]
    """
    raise NotImplementedError  # answered by rank_runs
