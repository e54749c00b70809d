"""From files or frames to a result with its provenance, in one call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from abrank._support import display as f
from abrank._support.errors import ArgumentError
from abrank._support.keywords import explained, fields_of
from abrank._support.typing import Duplicates, Interpolation, Missing, RandomSource, ScoreDtype
from abrank.comparison import Comparison, compare_recorded, name_runs
from abrank.comparison.beside import Beside
from abrank.comparison.choice import choose, unchosen
from abrank.comparison.declared import read_margin, require_margin_in_range, with_guards
from abrank.comparison.family import SEQUENCE
from abrank.comparison.machine.judgments import SharedModel
from abrank.comparison.machine.source import MachineSource
from abrank.comparison.pairing import require_common_queries
from abrank.comparison.question import Question
from abrank.engines import Engine, EngineName
from abrank.inputs.run import named_runs
from abrank.measures import parse
from abrank.measures.names import DEFAULT_MEASURES, parse_measures
from abrank.provenance import provenance
from abrank.rule import Spending
from abrank.rule_file import ruled
from abrank.scoring.evaluate import EvaluateOptions, score_runs, silent
from abrank.verdict import Family, Requirement

if TYPE_CHECKING:
    from abrank.comparison.merged.properties import Properties
    from abrank.ranking import Ranking
    from abrank.ranking.result import Family as RankingFamily

TOP = 20  # documents of each ranking that a report can show


@explained
@ruled
def compare(
    qrels: Any = None,  # noqa: ANN401 - whatever read_qrels reads
    a: Any = None,  # noqa: ANN401 - whatever read_run reads
    b: Any = None,  # noqa: ANN401
    *,
    config: str | os.PathLike[str] | None = None,  # taken by @ruled
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
    missing: Missing = "zero",
    score_dtype: ScoreDtype = "float64",
    duplicates: Duplicates = "error",
    depth: int | None = None,
    rel: int | None = None,
    judged_only: bool = False,
    interpolation: Interpolation = "10",
    max_input_size: int | None = None,
    engine: Engine | EngineName | None = None,
    merged: bool = False,
    baseline: str | None = None,
    candidate: str | None = None,
    segments: Any = None,  # noqa: ANN401 - whatever read_segments reads
    topics: Any = None,  # noqa: ANN401 - whatever read_topics reads
    clusters: Any = None,  # noqa: ANN401 - whatever read_clusters reads, or a column of segments
    docs: Any = None,  # noqa: ANN401 - whatever read_documents reads
    look: str | tuple[int, int] | None = None,
    spending: Spending = "obrien-fleming",
    anytime: int | None = None,
    planned: int | None = None,
    earlier: Any = None,  # noqa: ANN401 - a result, or where it was written
    guards: Sequence[str] | str = (),
    accept_doubt: bool = False,
    bayes: bool = False,
    machine_qrels: Any = None,  # noqa: ANN401 - whatever read_qrels reads
    machine_scores: Any = None,  # noqa: ANN401 - a pair of what read_scores reads
    machine_judge: str | None = None,
    shared_model: SharedModel | None = None,
    n_resamples: int | None = None,
    rng: RandomSource = 0,
) -> Comparison:
    """Compare candidate B with baseline A on the same judged queries.

    The hypothesis tested: the mean difference B - A per query of the primary measure is 0.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        The judgments.
    a, b : path, DataFrame, dict of dicts, iterable of tuples, or Run
        The runs of the baseline and of the candidate.
    config : path, optional
        The rule declared beforehand, as for ``abrank compare --config``: see
        :func:`abrank.rule_file.ruled`. What the call changes of it is recorded.
    measures : sequence of str, optional
        Names in any of the field's dialects; nDCG@10, AP, RR, P@10 and R@100 without it.
    primary : str, optional
        The measure that decides; the first without it. The others are adjusted together.
    margin : float or str, optional
        Smallest difference worth having: in the primary measure's unit, or such as ``"2%"`` of the
        baseline's mean. Without one no verdict is "the same".
    test : {"t", "permutation", "bootstrap", "wilcoxon", "sign"}
        The test that decides: its p-value, its interval.
    alpha : float
        Two-sided level.
    adjust, family, lower_is_better, higher_is_better : str, optional
        How which measures are adjusted together, and which are costs: see
        :class:`~abrank.comparison.Question`.
    require : {"better", "non-inferior", "equivalent", "not-worse-shown"}, optional
        A gate; whether it passed stands in ``decision.gate``.
    missing, score_dtype, duplicates, depth, rel, judged_only, interpolation, max_input_size,
    engine
        How the runs are read and scored, as in :func:`abrank.evaluate`.
    merged : bool
        Merge what partitions of Parquet add up to; no scores of queries are held here.
    baseline, candidate : str, optional
        Names to give the systems; those of the runs without them.
    segments : path, DataFrame or mapping, optional
        Properties of the queries, such as their intent: a CSV file has a column query_id too.
    topics : path, mapping, Series or DataFrame, optional
        Texts of the queries: TREC topics, JSON lines, or lines with a tab.
    clusters : path, DataFrame, mapping or str, optional
        The conversation, user or topic that each query comes from, in a table with query ids or as
        the name of a column of ``segments``: then clusters are tested, not single queries.
    docs : path or mapping, optional
        Titles or texts by document id, to show in ranked lists: JSON lines, or lines with a tab.
    look, spending, anytime, planned, earlier, guards, accept_doubt, bayes
        Looking more than once, what must not get worse, and a Bayesian view: see
        :class:`~abrank.comparison.Question`.
    machine_qrels, machine_scores, machine_judge, shared_model : optional
        Judgments by a machine, such as a language model, of all queries, or a pair of ready scores
        by them; ``qrels`` are then those of people, for a random draw from these. The machine's
        name, fixed beforehand, and whether "a", "b", "both" or "neither" shares its model. See
        :func:`abrank.inference.run_prediction_powered`.
    n_resamples, rng
        Resamples of the Monte Carlo tests, and their source; the seed is recorded.

    Returns
    -------
    Comparison

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
    given = locals()
    question = Question(**fields_of(Question, given))
    options = EvaluateOptions(**fields_of(EvaluateOptions, given))
    runs = name_runs(a, b, baseline=baseline, candidate=candidate)
    kind = kind_of_beside(merged=merged)
    beside = kind.of(segments=segments, topics=topics, clusters=clusters, docs=docs)
    machine = MachineSource(machine_qrels, machine_scores, shared_model, machine_judge)
    return compare_runs(
        qrels, runs, question, options, measures=measures, beside=beside, machine=machine
    )


def kind_of_beside(*, merged: bool) -> type[Beside | Properties]:
    """Return what holds the properties of queries: read here, or beside each partition.

    Examples
    --------
    >>> kind_of_beside(merged=False).__name__, kind_of_beside(merged=True).__name__
    ('Beside', 'Properties')
    """
    if not merged:
        return Beside
    # Scores that stay on the workers take the engines with them.
    from abrank.comparison.merged.properties import Properties

    return Properties


def compare_runs(
    qrels: Any,  # noqa: ANN401 - whatever read_qrels reads
    runs: Mapping[str, Any],
    question: Question,
    options: EvaluateOptions,
    *,
    measures: Sequence[str] | str | None,
    beside: Beside | Properties,
    machine: MachineSource | None = None,
    command: str | None = None,
    on_stage: Callable[[str], None] = silent,
) -> Comparison:
    """Compare two runs as :func:`compare` does, and tell the stages of the work.

    Parameters
    ----------
    qrels, measures
        As for :func:`compare`.
    runs : mapping of str to run
        The baseline and the candidate, by name.
    question, options, beside, machine
        What decides, how runs are scored, what is known of the queries, and of a machine.
    command : str, optional
        Recorded in the provenance.
    on_stage : callable
        Told the name of each stage as it begins.
    """
    # A mistyped name should not cost the reading of two runs.
    measures = with_guards(measures, question.guards)
    parsed = options.measures(measures)
    primary = question.primary
    lead = None if primary is None else options.measures(str(parse(primary)))[0]
    own = options.named(measures)
    named = None if len(own) == len(parsed) else [each.name for each in own]
    chosen = choose([each.name for each in parsed], named, lead and lead.name)
    told = unchosen(
        chosen,
        gate=question.require is not None,
        in_sequence=question.family == SEQUENCE,
    )
    first = parse(chosen.primary).entry
    require_margin_in_range(read_margin(question.margin), first.name, range_=first.bounds)
    machine = machine or MachineSource()
    how: dict[str, Any] = {"measures": measures, "on_stage": on_stage}
    if not isinstance(beside, Beside):
        from abrank.comparison.merged.run import compare_merged

        machine.require_none("merged statistics have no place for them")
        if named is not None:  # one of trec_eval's sets: what its counts are stands in no family
            kept = [each for each in parsed if each.name in chosen.measures]
            lead = next(each for each in kept if each.name == chosen.primary)
            how["measures"] = [lead.name, *(each.name for each in kept if each != lead)]
        how |= {"primary": lead, "properties": beside, "command": command}
        made = compare_merged(qrels, runs, question, options, **how)
        apart = f.listed(list(chosen.apart))
        said = (f"counts are not compared in merged statistics: {apart}",) if apart else ()
        return replace(made, notes=(*told, *made.notes), remarks=(*made.remarks, *said))
    machine.require_runs_again(runs)
    scores = score_runs(qrels, runs, options=options, top=TOP, **how)
    require_common_queries(scores)
    beside = machine.beside(beside, scores, runs=runs, options=options, **how)
    on_stage("testing")
    if lead is not None:
        primary = dict(zip(parsed, scores.measures, strict=True)).get(lead, lead.name)
    return compare_recorded(
        scores,
        replace(question, primary=primary),
        beside=beside,
        settings=options.settings(),
        command=command,
    )


@explained
def rank(
    qrels: Any,  # noqa: ANN401 - whatever read_qrels reads
    runs: Mapping[str, Any] | Sequence[Any],
    *,
    measures: Sequence[str] | str = DEFAULT_MEASURES[0],
    test: str | None = None,
    adjust: str | None = None,
    alpha: float = 0.05,
    baseline: str | Sequence[str] | None = None,
    family: RankingFamily = "measure",
    lower_is_better: Sequence[str] | str = (),
    higher_is_better: Sequence[str] | str = (),
    n_resamples: int | None = None,
    pairs: bool = False,
    missing: Missing = "zero",
    score_dtype: ScoreDtype = "float64",
    duplicates: Duplicates = "error",
    depth: int | None = None,
    rel: int | None = None,
    judged_only: bool = False,
    interpolation: Interpolation = "10",
    max_input_size: int | None = None,
    engine: Engine | EngineName | None = None,
    rng: RandomSource = 0,
) -> Ranking:
    """Rank many systems, and say which of them are told apart.

    The hypothesis is that all systems have one mean; the query pairs the scores.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        The judgments.
    runs : mapping of str to path, DataFrame, dict of dicts, iterable of tuples, or Run
        System name to its run; two or more. Those of a list go by their own names.
    measures : sequence of str
        Names in any of the field's dialects. The first orders the systems.
    test, adjust, family : str, optional
        See :func:`abrank.rank_scores`: without them ``max-t``, and alpha for each measure.
    alpha : float
        Joint level.
    baseline : str or sequence of str, optional
        The system to compare every other with, or several, corrected across; all pairs without it.
    lower_is_better, higher_is_better, pairs
        As for :func:`abrank.rank_scores`.
    n_resamples : int, optional
        Of tests that draw.
    rng : int, Generator, SeedSequence or None
        Source of all resampling; the seed is recorded.
    missing, score_dtype, duplicates, depth, rel, judged_only, interpolation, max_input_size,
    engine
        How the runs are read and scored, as in :func:`abrank.evaluate`.

    Returns
    -------
    Ranking

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
    options = EvaluateOptions(**fields_of(EvaluateOptions, locals()))
    how: dict[str, Any] = {"test": test, "adjust": adjust, "alpha": alpha, "family": family}
    how |= {"baseline": baseline, "n_resamples": n_resamples, "rng": rng, "pairs": pairs}
    how |= {"lower_is_better": lower_is_better, "higher_is_better": higher_is_better}
    return rank_runs(qrels, named_runs(runs), options, measures=measures, **how)


def rank_runs(
    qrels: Any,  # noqa: ANN401 - whatever read_qrels reads
    runs: Mapping[str, Any],
    options: EvaluateOptions,
    *,
    measures: Sequence[str] | str = DEFAULT_MEASURES[0],
    baseline: str | Sequence[str] | None = None,
    beside: bool = True,
    command: str | None = None,
    on_stage: Callable[[str], None] = silent,
    **how: Any,  # noqa: ANN401 - those of rank_scores
) -> Ranking:
    """Rank runs as :func:`rank` does, and tell the stages of the work."""
    # To compare two runs needs none of it.
    from abrank.ranking import lists, rank_scores
    from abrank.ranking.rank import baselines_of, require_baselines

    # A mistyped name should not cost the reading of all runs.
    parse_measures(measures)
    if len(runs) < 2:
        raise ArgumentError(
            "a ranking takes two systems or more; abrank score (evaluate) takes one"
        )
    require_baselines(baselines_of(baseline), runs)
    top = lists.DEPTH if beside and len(runs) <= lists.MOST else 0
    scores = score_runs(qrels, runs, measures, options, top=top, on_stage=on_stage)
    require_common_queries(scores)
    roles = {name: name for name in runs}
    found = provenance(scores, roles, settings=options.settings(), command=command)
    return rank_scores(
        scores, baseline=baseline, beside=beside, provenance=found, on_stage=on_stage, **how
    )
