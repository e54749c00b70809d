"""From files or frames to a result in one call, with all that is needed to get it again."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from abrank import inputs
from abrank._support.errors import ArgumentError
from abrank._support.typing import Duplicates, Interpolation, Missing, RandomSource, ScoreDtype
from abrank.comparison import Comparison, compare_systems, pair_scores, system_names
from abrank.inputs.files import short_name
from abrank.inputs.topics import read_segments, read_topics
from abrank.measures import parse
from abrank.measures.naming.asked import DEFAULT_MEASURES, parse_measures
from abrank.provenance import provenance
from abrank.ranking import Ranking, rank_scores
from abrank.scores import evaluate
from abrank.verdict import Requirement

TOP = 20  # documents of each ranking that a report can show


def _quiet(stage: str) -> None:
    """Hear of a stage and say nothing."""


def compare(
    qrels: Any,  # noqa: ANN401 - whatever read_qrels reads
    a: Any,  # noqa: ANN401 - whatever read_run reads
    b: Any,  # noqa: ANN401
    *,
    measures: Sequence[str] | str | None = None,
    primary: str | None = None,
    margin: float = 0.0,
    test: str = "t",
    alpha: float = 0.05,
    adjust: str | None = None,
    require: Requirement | None = None,
    missing: Missing = "zero",
    score_dtype: ScoreDtype = "float64",
    duplicates: Duplicates = "error",
    depth: int | None = None,
    rel: int | None = None,
    judged_only: bool = False,
    interpolation: Interpolation = "10",
    name_a: str | None = None,
    name_b: str | None = None,
    segments: Any = None,  # noqa: ANN401 - whatever read_segments reads
    topics: Any = None,  # noqa: ANN401 - whatever read_topics reads
    n_resamples: int | None = None,
    rng: RandomSource = 0,
    command: str | None = None,
    on_stage: Callable[[str], None] = _quiet,
) -> Comparison:
    """Compare candidate B with baseline A on the same judged queries.

    The hypothesis tested is that the mean per-query difference B - A of the primary measure is 0;
    the query pairs the scores.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        The judgments.
    a, b : path, DataFrame, dict of dicts, iterable of tuples, or Run
        The runs of the baseline and of the candidate.
    measures : sequence of str, optional
        Names in any of the field's dialects; nDCG@10, AP, RR, P@10 and R@100 without it.
    primary : str, optional
        The measure that decides; the first without it. The others are adjusted together.
    margin : float
        Smallest difference worth having, in the primary measure's unit. Without one the verdict can
        be better, worse or inconclusive, but never "the same".
    test : {"t", "permutation", "bootstrap", "wilcoxon", "sign"}
        The test that decides: its p-value, its interval.
    alpha : float
        Two-sided level.
    adjust : {"max-t", "holm", "bonferroni", "bh", "none"}, optional
        For the secondary measures; max-t for tests of the mean, else Holm.
    require : {"better", "non-inferior", "equivalent", "not-worse-shown"}, optional
        A gate; whether it passed stands in ``decision.gate``.
    missing : {"zero", "drop", "error"}
        What becomes of a judged query that a run lacks.
    score_dtype : {"float64", "float32"}
        Precision at which two scores of a run are a tie: trec_eval 10's or trec_eval 9's.
    duplicates : {"error", "best"}
        A document twice in a query's ranking is an error, or keeps its higher score.
    depth, rel, judged_only, interpolation
        Of all measures at once, as :func:`~abrank.scores.evaluate` takes them.
    name_a, name_b : str, optional
        Names of the systems; those of the runs without them.
    segments : path, DataFrame or mapping, optional
        Properties of the queries, such as their intent: a CSV file with a column of query ids and
        one a property.
    topics : path, mapping, Series or DataFrame, optional
        Texts of the queries: TREC topics, JSON lines, or lines with a tab.
    n_resamples : int, optional
        Resamples of the Monte Carlo tests.
    rng : int, Generator, SeedSequence or None
        Source of all resampling; the seed is recorded.
    command : str, optional
        The command line that asked, recorded in the provenance.
    on_stage : callable
        Told the name of each stage as it begins.

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
    >>> str(result.verdict), result.effect > 0
    ('better', True)
    """
    # A mistyped name should not cost the reading of two runs.
    options: dict[str, Any] = {
        "rel": rel,
        "judged_only": judged_only,
        "interpolation": interpolation,
    }
    settings = {
        "missing": missing,
        "score_dtype": score_dtype,
        "duplicates": duplicates,
        "depth": depth,
        **options,
    }
    parsed = parse_measures(measures, **options)
    lead = None if primary is None else parse_measures(str(parse(primary)), **options)[0]
    properties = {} if segments is None else read_segments(segments)
    texts = {} if topics is None else read_topics(topics)
    names = system_names(name_a or _name(a), name_b or _name(b))
    runs = dict(zip(names, (a, b), strict=True))
    scores = evaluate(qrels, runs, measures, top=TOP, on_stage=on_stage, **settings)
    on_stage("testing")
    if lead is not None:
        primary = dict(zip(parsed, scores.measures, strict=True)).get(lead, lead.name)
    return compare_systems(
        scores,
        primary=primary,
        margin=margin,
        test=test,
        alpha=alpha,
        adjust=adjust,
        require=require,
        n_resamples=n_resamples,
        rng=rng,
        segments=properties,
        topics=texts,
        provenance=provenance(
            scores,
            dict(zip(("a", "b"), scores.systems, strict=True)),
            settings=settings,
            beside=_given(segments=segments, topics=topics),
            command=command,
        ),
    )


def compare_ready(
    a: Any,  # noqa: ANN401 - whatever read_scores reads
    b: Any,  # noqa: ANN401
    *,
    measures: Sequence[str] | str | None = None,
    name_a: str | None = None,
    name_b: str | None = None,
    segments: Any = None,  # noqa: ANN401 - whatever read_segments reads
    topics: Any = None,  # noqa: ANN401 - whatever read_topics reads
    command: str | None = None,
    on_stage: Callable[[str], None] = _quiet,
    **how: Any,  # noqa: ANN401 - the keywords of compare_systems
) -> Comparison:
    """Compare ready scores as :func:`abrank.compare_scores` does, and record where they came from.

    Parameters
    ----------
    a, b : path, DataFrame, Series, dict or Scores
        Scores of the baseline and of the candidate.
    measures : sequence of str, optional
        Those to compare, in any dialect; else all, which must be the same for both.
    name_a, name_b : str, optional
        Names of the systems; those of the files without them.
    segments, topics : path, DataFrame or mapping, optional
        Properties of the queries, and their texts, as in :func:`abrank.compare`.
    command : str, optional
        The command line that asked, recorded in the provenance.
    on_stage : callable
        Told the name of each stage as it begins.
    **how
        ``primary``, ``margin``, ``test``, ``alpha``, … as in :func:`abrank.compare`.

    Returns
    -------
    Comparison
        What the sources were taken for stands in ``remarks``.

    Raises
    ------
    ReadError, NotFoundError, AlignmentError, ArgumentError
        As for :func:`abrank.compare_scores`.

    Examples
    --------
    >>> result = compare_ready({"q1": 0.1, "q2": 0.3}, {"q1": 0.1, "q2": 0.3}, name_b="new")
    >>> result.candidate, sorted(result.provenance)
    ('new', ['command', 'created', 'inputs', 'settings', 'versions'])
    """
    properties = {} if segments is None else read_segments(segments)
    texts = {} if topics is None else read_topics(topics)
    on_stage("reading the scores")
    scores = pair_scores(a, b, baseline=name_a, candidate=name_b, measures=measures)
    on_stage("testing")
    recorded = provenance(
        scores,
        dict(zip("ab", scores.systems, strict=True)),
        settings={},
        beside=_given(segments=segments, topics=topics),
        command=command,
    )
    return compare_systems(scores, segments=properties, topics=texts, provenance=recorded, **how)


def rank(
    qrels: Any,  # noqa: ANN401 - whatever read_qrels reads
    runs: Mapping[str, Any],
    *,
    measure: str = DEFAULT_MEASURES[0],
    test: str | None = None,
    adjust: str | None = None,
    alpha: float = 0.05,
    baseline: str | None = None,
    n_resamples: int | None = None,
    rng: RandomSource = 0,
    command: str | None = None,
    on_stage: Callable[[str], None] = _quiet,
    **reading: Any,  # noqa: ANN401 - the keywords of evaluate()
) -> Ranking:
    """Rank many systems by one measure, and say which of them are told apart.

    The hypothesis is that all systems have one mean; the query pairs the scores.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        The judgments.
    runs : mapping of str to path, DataFrame, dict of dicts, iterable of tuples, or Run
        System name to its run; two or more.
    measure : str
        A name in any of the field's dialects.
    test, adjust : str, optional
        See :func:`abrank.ranking.rank_scores`: ``tukey`` for all pairs, ``max-t`` against a
        baseline without them.
    alpha : float
        Joint level.
    baseline : str, optional
        The system to compare every other with; all pairs are compared without it.
    n_resamples : int, optional
        Of tests that draw.
    rng : int, Generator, SeedSequence or None
        Source of all resampling; the seed is recorded.
    command : str, optional
        The command line that asked, recorded in the provenance.
    on_stage : callable
        Told the name of each stage as it begins.
    **reading
        Keywords of :func:`abrank.evaluate`: ``missing``, ``score_dtype``, ``duplicates``, …

    Returns
    -------
    Ranking

    Raises
    ------
    ReadError, NotFoundError
        If an input cannot be used; the message names file and line.
    AlignmentError
        If qrels and a run have no query in common.
    ArgumentError
        If an argument has no meaning.

    Examples
    --------
    >>> from abrank.simulate import simulate_runs
    >>> made = simulate_runs(100, rng=6)
    >>> runs = {"A": made.baseline, "B": made.candidate, "A again": made.baseline}
    >>> [(row.system, row.group) for row in rank(made.qrels, runs).rows]
    [('B', 'a'), ('A', 'b'), ('A again', 'b')]
    """
    # A mistyped name should not cost the reading of all runs.
    if len(parse_measures(measure)) != 1:
        raise ArgumentError(f"systems are ranked by one measure; {measure} stands for several")
    if baseline is not None and baseline not in runs:
        raise ArgumentError(f"the baseline {baseline!r} is not among {', '.join(runs)}")
    scores = evaluate(qrels, runs, measure, on_stage=on_stage, **reading)
    on_stage("testing")
    return rank_scores(
        scores,
        test=test,
        adjust=adjust,
        alpha=alpha,
        baseline=baseline,
        n_resamples=n_resamples,
        rng=rng,
        provenance=provenance(
            scores, {name: name for name in runs}, settings=reading, command=command
        ),
    )


def _given(**sources: Any) -> dict[str, Any]:  # noqa: ANN401
    return {name: source for name, source in sources.items() if source is not None}


def _name(run: Any) -> str:  # noqa: ANN401
    """Return the name of a run: its own, or that of its file."""
    if isinstance(run, inputs.Run):
        return run.name
    return short_name(run) if isinstance(run, (str, os.PathLike)) else "run"
