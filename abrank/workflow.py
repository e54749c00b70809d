"""Compare or rank runs, given as files or data frames, in one call."""

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
from abrank.options import Designs, Engine, Inputs, Machine, Question, RankingQuestion, Scoring
from abrank.provenance import provenance
from abrank.rule_file import answered_by
from abrank.scoring.evaluate import score_runs, silent

if TYPE_CHECKING:
    from abrank.ranking import Ranking

TOP = 20  # documents per query that are kept for reports


def compare_runs(
    inputs: Inputs, question: Question, *, on_stage: Callable[[str], None] = silent
) -> Comparison:
    """Compare two runs as :func:`compare` does, and report each stage of the work."""
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
    if primary is not None:  # the scores use the canonical name; its definition sets the scale
        name = scores.measures[requested.measures.index(primary)]
        question = replace(question, primary=name)
    return compare_recorded(
        scores, question, data=data, settings=scoring.settings(), command=inputs.command
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

    The null hypothesis is that the mean per-query difference B - A of the primary measure is 0.

    Source: Smucker, Allan & Carterette (2007), CIKM, 623-632, for paired tests of rankers;
    Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680, for the margin.
    The catalogues list the sources of all tests and measures; a report as ``.bib`` lists those
    that its comparison uses.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        The relevance judgments.
    a, b : path, DataFrame, dict of dicts, iterable of tuples, or Run
        The runs of the baseline and of the candidate.
    config : path or Question, optional
        The decision rule, declared before the comparison: a TOML file as for
        ``abrank compare --config``, or a :class:`abrank.Question`. A Question also has the options
        that are not keywords here, such as ``family``. Arguments of the call override a file, and
        the result records what they change; see :func:`abrank.rule_file.answered_by`.
    measures : sequence of str, optional
        Measure names in any common spelling. Default: nDCG@10, AP, RR, P@10 and R@100. The first
        measure decides; the p-values of the others are adjusted together.
    margin : float or str, optional
        Smallest difference that matters: in the unit of the primary measure, or a percentage of
        the baseline's mean such as ``"2%"``. Without a margin the verdict is never "the same".
    require : {"better", "non-inferior", "equivalent"}, optional
        The gate: what the comparison must show. ``decision.gate`` says whether it passed.
    fail_on : {"worse"}, optional
        A gate that fails only if B is significantly worse.
    guard : str or sequence of str
        Measures that must not get worse by a margin of their own, for the gate to pass:
        ``"R@100:-0.02"``.
    accept_doubt : bool
        Whether the gate may pass on doubtful evidence; see :mod:`abrank.rule`.
    alpha : float
        Two-sided significance level.
    test : {"t", "permutation", "bootstrap", "wilcoxon", "sign", "hall", "bounded"}
        The test whose p-value and interval decide.
    lower_is_better : str or sequence of str
        Names of scores, other than known measures, for which lower is better.
    name_a, name_b : str, optional
        Names of the systems. Default: the names in the runs.
    segments : path, DataFrame or mapping, optional
        Properties of the queries, such as their intent. A CSV file needs a column query_id.
    topics : path, mapping, Series or DataFrame, optional
        Texts of the queries: TREC topics, JSON lines, or tab-separated lines.
    docs : path or mapping, optional
        Titles or texts by document id, to show in ranked lists: JSON lines or tab-separated lines.
    design : Clusters, Looks, Planned, Anytime, str or tuple, optional
        How queries were sampled and how often the data are analysed, or a tuple of several designs.
        The string ``"2/4"`` is the second of four looks; any other string is a file, or a column of
        ``segments``, with the cluster of each query.
    scoring : Scoring, optional
        How runs are read and scored: missing queries, ties, depth, lowest relevant grade.
    machine : Machine, optional
        Judgments of many queries by a machine. ``qrels`` are then human judgments of a random
        sample of these queries.
    engine : Engine or str, optional
        Where runs in Parquet files are scored.
    resamples : int
        Number of resamples of Monte Carlo tests.
    rng : int, Generator, SeedSequence or None
        Random source; the result records the seed.

    Raises
    ------
    ReadError, NotFoundError
        If an input cannot be read; the message names file and line.
    AlignmentError
        If qrels and runs have no query in common.
    ArgumentError
        If an argument is not valid.

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
    inputs: Inputs, question: RankingQuestion, *, on_stage: Callable[[str], None] = silent
) -> Ranking:
    """Rank runs as :func:`rank` does, and report each stage of the work."""
    # Imported here because a comparison of two runs does not need it.
    from abrank.ranking.rank import baselines_of, ranking_of

    runs = named_runs(inputs.runs, joins_parts=True)
    # Checked first: a mistyped measure name must fail before all runs are read.
    measures = DEFAULT_MEASURES[0] if question.measures is None else question.measures
    requested = question.scoring.requested(measures)
    if len(runs) < 2:
        found = f", and there is one, {next(iter(runs))}" if runs else ""
        raise ArgumentError(
            f"a ranking needs two systems or more{found}; for one system use abrank score"
            " (evaluate)"
        )
    baselines_of(question.baseline, runs)
    scores = score_runs(
        inputs.qrels, runs, requested, question.scoring,
        engine=question.engine, on_stage=on_stage,
    )  # fmt: skip
    require_common_queries(scores)
    roles = {name: name for name in runs}
    settings = question.scoring.settings()
    recorded_origin = provenance(scores, roles, settings=settings, command=inputs.command)
    # Rank by every scored measure: one name such as P_5,10 can stand for several.
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
    """Rank many systems, and find which of them differ significantly.

    The null hypothesis is that all systems have the same mean. Scores are paired by query.

    Source: as :func:`abrank.rank_scores`.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        The relevance judgments.
    runs : mapping of str to path, DataFrame, dict of dicts, iterable of tuples, or Run
        Two or more runs by system name. The runs of a list are named as the runs name themselves.
    measures : sequence of str, optional
        Measure names in any common spelling. Default: nDCG@10. The first orders the systems.
    baseline : str or sequence of str, optional
        One system, or several, to compare all others with; p-values are adjusted over all these
        comparisons. Default: all pairs are compared.
    test, adjust, family : str, optional
        See :func:`abrank.rank_scores`. Default: ``max-t``, at level alpha for each measure.
    alpha : float
        Familywise significance level.
    lower_is_better, higher_is_better, pairs
        As for :func:`abrank.rank_scores`.
    scoring, engine : optional
        How and where the runs are read and scored, as in :func:`abrank.evaluate`.
    resamples : int, optional
        Number of resamples of Monte Carlo tests.
    rng : int, Generator, SeedSequence or None
        Random source; the result records the seed.

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
