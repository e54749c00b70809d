"""Combine the rankings on several collections."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abrank import inference
from abrank._support.errors import AlignmentError, ArgumentError
from abrank._support.typing import FloatArray, RandomSource
from abrank.collections.result import CollectionsRanking, MeasureStandings, Standing, StandingRow
from abrank.collections.table import (
    on_collection,
    ranking_inputs_of,
    read_collections,
    refuse_repeated,
)
from abrank.diagnostics import bounds
from abrank.estimate import Estimate
from abrank.inference.systems.pairwise import group_letters
from abrank.inference.systems.stability import chances_of_ranks, compare_within_collections
from abrank.inputs.run import named_runs
from abrank.options import Engine, Inputs, RankingQuestion, Scoring
from abrank.provenance import origin
from abrank.ranking import Ranking
from abrank.ranking.details import pair_rows
from abrank.ranking.rank import rank_recorded, ranking_of
from abrank.ranking.result import RankChance
from abrank.rule_file import answered_by
from abrank.scoring.evaluate import silent
from abrank.scoring.scores import Scores
from abrank.workflow import rank_runs

# Across collections every pair has its own error, because systems are good on different
# collections.
TEST, ADJUST = "t", "holm"
WITHIN, WITHIN_TITLE = "within-collections", "min-P bootstrap of the queries within collections"


def rank_each(
    inputs: Inputs, question: RankingQuestion, *, on_stage: Callable[[str], None] = silent
) -> CollectionsRanking:
    """Rank as :func:`rank_collections` does, and report each stage of the work."""
    source = collections = inputs.collections
    if not isinstance(collections, Mapping):
        collections = ranking_inputs_of(read_collections(collections))
    if len(collections) < 2:
        raise ArgumentError(
            f"give two collections or more, not {len(collections)}; for one use rank"
        )
    rankings = {}
    for name, collection in collections.items():
        on_stage(f"ranking on {name}")
        with on_collection(name, source):
            inputs_here = replace(inputs, command=None)
            rankings[name] = _ranking(collection, inputs_here, replace(question, pairs=True))
    on_stage("testing over the collections")
    systems = {system for ranking in rankings.values() for system in ranking.systems}
    lacking = [name for name, ranking in rankings.items() if {*ranking.systems} != systems]
    if inputs.missing == "drop" and 0 < len(lacking) < len(rankings):
        rankings = {name: rankings[name] for name in rankings if name not in lacking}
        name, ranking = next(iter(rankings.items()))
        note = f"left out, for not every system is there: {', '.join(lacking)}"
        rankings[name] = replace(ranking, notes=(*ranking.notes, note))
    return summarise_rankings(
        rankings, test=question.test, adjust=question.adjust, provenance=origin(inputs.command)
    )


def _ranking(collection: object, inputs: Inputs, question: RankingQuestion) -> Ranking:
    if isinstance(collection, Ranking):
        return collection
    if isinstance(collection, tuple) and len(collection) == 2:
        qrels, runs = collection
        inputs_here = replace(inputs, qrels=qrels, runs=named_runs(runs))
        return rank_runs(inputs_here, question)
    return rank_recorded(replace(inputs, scores=collection), question)


@answered_by(rank_each, RankingQuestion, "collections")
def rank_collections(
    collections: Mapping[str, Any] | str | os.PathLike[str],
    *,
    measures: Sequence[str] | str | None = None,
    test: str | None = None,
    adjust: str | None = None,
    alpha: float = 0.05,
    lower_is_better: Sequence[str] | str = (),
    higher_is_better: Sequence[str] | str = (),
    columns: Mapping[str, str | Sequence[str]] | Sequence[str] | str | None = None,
    variant: Sequence[str] | str | None = None,
    where: Mapping[str, Any] | Sequence[str] | str | None = None,
    scoring: Scoring | None = None,
    engine: Engine | str | None = None,
    resamples: int | None = None,
    rng: RandomSource = 0,
) -> CollectionsRanking:
    """Rank many systems by their mean over several collections, and find which could be the best.

    Two questions are answered. How do the systems compare on these collections if their queries
    were sampled again (``fixed``)? And on similar collections, of which these are a sample
    (``random``)? The query pairs the systems within a collection; for ``random`` the collection
    does. Collections have equal weight, and share no query.

    Parameters
    ----------
    collections : mapping of str to (qrels, runs), ready scores or Ranking; or path or frame
        Two or more collections by name, with the same systems and at least two queries each:
        judgments and runs, as for :func:`abrank.rank`; ready scores, as for
        :func:`abrank.rank_scores`; or the result of either. Or one table of scores with a column
        ``collection``, or a file or folder; see :func:`abrank.collections.read_collections`.
    measures : sequence of str, optional
        As for :func:`abrank.rank`; the first orders the systems.
    test, adjust : str, optional
        As for :func:`abrank.rank`. Default: max-T sign flips for each collection, and the paired t
        test over collections, adjusted by Holm, for similar collections.
    columns, variant, where : optional
        The roles of the columns of a table of scores, and the rows to use; see
        :func:`abrank.read_scores`.
    alpha, lower_is_better, higher_is_better, resamples, rng
        As for :func:`abrank.rank`.
    scoring, engine : optional
        How and where runs are read and scored. Without ``scoring`` a missing ready score is an
        error.

    Raises
    ------
    ReadError, NotFoundError, AlignmentError, ArgumentError
        As :func:`abrank.rank`, or if a system is not on every collection, or the collections differ
        in their measures.

    Notes
    -----
    The rank intervals follow from tests of all pairs at one joint level, so they are simultaneous
    [1]_: a system whose interval begins at 1 could be the best. For these collections the joint
    test is in :mod:`abrank.inference.systems.stability`. For similar collections, each collection
    is one observation, and limits are from t: with 5 to 20 collections, percentiles of resampled
    collections would miss the mean in 6 to 18 % instead of 5 %.

    References
    ----------
    .. [1] Mogstad, Romano, Shaikh & Wilhelm (2024), Review of Economic Studies 91, 476-518.

    Examples
    --------
    >>> random = np.random.default_rng(3)
    >>> made = {}
    >>> for name in ("web", "news", "code", "law"):
    ...     easy = random.uniform(0.2, 0.6, 30)
    ...     scores = {"bm25": easy, "t5": easy + random.normal(0.1, 0.05, 30)}
    ...     scores["rrf"] = scores["t5"] + random.normal(0.0, 0.02, 30)
    ...     made[name] = {key: dict(enumerate(each)) for key, each in scores.items()}
    >>> found = rank_collections(made, measures="AP")
    >>> found.primary.first(), found.primary["bm25"].fixed.rank_low
    (('rrf', 't5'), 3)
    """
    raise NotImplementedError  # answered by rank_each


def summarise_rankings(
    rankings: Mapping[str, Ranking],
    *,
    test: str | None = None,
    adjust: str | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> CollectionsRanking:
    """Combine rankings on several collections; see :func:`rank_collections`."""
    _require_alike(rankings)
    first = next(iter(rankings.values()))
    boards = {
        name: np.stack([ranking.of(m).scores_of(first.systems) for m in first.measures], axis=2)
        for name, ranking in rankings.items()
    }
    refuse_repeated({name: (rankings[name].query_ids, boards[name]) for name in rankings})
    means = Scores(
        query_ids=tuple(rankings),
        systems=first.systems,
        measures=first.measures,
        values=np.stack([block.mean(axis=0) for block in boards.values()]),
    )
    by_measure = [item for item in first.by_measure if item.measure not in first.undeclared]
    question = RankingQuestion(
        test=test or TEST,
        adjust=adjust if test else adjust or ADJUST,
        alpha=first.alpha,
        rng=first.seed,
        pairs=True,
        lower_is_better=[item.measure for item in by_measure if not item.higher_is_better],
        higher_is_better=[item.measure for item in by_measure if item.higher_is_better],
    )
    random = ranking_of(means, question)
    return CollectionsRanking(
        rankings=dict(rankings),
        measures=tuple(
            measure_standings(item, rankings, {name: boards[name][:, :, m] for name in boards})
            for m, item in enumerate(random.by_measure)
        ),
        alpha=first.alpha,
        provenance=dict(provenance or {}),
    )


def _require_alike(rankings: Mapping[str, Ranking]) -> None:
    if len(rankings) < 2:
        raise ArgumentError("two collections or more are ranked together")
    first_name, first = next(iter(rankings.items()))
    all_systems = list(
        dict.fromkeys(system for other in rankings.values() for system in other.systems)
    )
    for name, ranking in rankings.items():
        missing = [system for system in all_systems if system not in ranking.systems]
        if missing:
            names = ", ".join(missing[:3]) + (", …" if len(missing) > 3 else "")
            raise AlignmentError(
                f"the collection {name} has no {names}; a mean over collections takes every system"
                " on each: add what is missing, leave the system out, or leave such collections out"
                ' (--missing drop; scoring=Scoring(missing="drop"))'
            )
        if (ranking.measures, ranking.alpha) != (first.measures, first.alpha):
            raise AlignmentError(
                f"the collection {name} was ranked by {', '.join(ranking.measures)} at alpha"
                f" {ranking.alpha}, {first_name} by {', '.join(first.measures)} at {first.alpha}"
            )
        reversed_measures = [m for m in first.measures if ranking.of(m).best != first.of(m).best]
        if reversed_measures:
            raise AlignmentError(
                f"{reversed_measures[0]} is better when {first.of(reversed_measures[0]).best} in"
                f" the collection {first_name}, and when"
                f" {ranking.of(reversed_measures[0]).best} in {name}"
            )
        if ranking.baseline is not None:
            raise ArgumentError(
                f"the collection {name} was ranked against a baseline, not by pairs"
            )


def measure_standings(
    random: Ranking, rankings: Mapping[str, Ranking], blocks: Mapping[str, FloatArray]
) -> MeasureStandings:
    """Return one measure; ``blocks`` have the systems in the order of the first collection."""
    systems = next(iter(rankings.values())).systems
    order = [systems.index(system) for system in random.systems]
    sign, confidence = 1.0 if random.higher_is_better else -1.0, 1.0 - random.alpha
    within = compare_within_collections(
        {name: block[:, order] for name, block in blocks.items()},
        confidence=confidence,
        seed=random.seed,
    )
    over_collections = inference.run_test("t", random.scores, confidence=confidence)
    means = random.scores.mean(axis=0)
    pairs = pair_rows(
        random.systems, random.scores, means, within.compared, sign,
        declared=random.direction_declared,
    )  # fmt: skip
    fixed = replace(
        random,
        pair_rows=pairs,
        test=WITHIN,
        title=WITHIN_TITLE,
        method=within.compared.method,
        n_resamples=within.compared.n_resamples,
    )
    fixed = _with_limits(
        fixed,
        (within.ci_low, within.ci_high),
        sign * within.same_collections,
        group_letters(within.compared.matrix(within.compared.distinct)),
    )
    random = _with_limits(
        random,
        (over_collections.ci_low, over_collections.ci_high),
        sign * within.other_collections,
        [row.group for row in random.rows],
    )
    return MeasureStandings(fixed, random, standing_rows(fixed, random))


def _with_limits(
    ranking: Ranking,
    ends: tuple[FloatArray, FloatArray],
    resampled: FloatArray,
    groups: Sequence[str],
) -> Ranking:
    """Return a ranking with limits of its means, and rank probabilities from resamples."""
    # A mean over collections lies within the range of the measure.
    lowest, highest = bounds(ranking.measure)
    chances = chances_of_ranks(
        resampled,
        scale=float(np.abs(resampled).max()),
        confidence=1.0 - ranking.alpha,
        seed=ranking.seed,
    )
    rows, stability = [], []
    for i, (row, low, high) in enumerate(zip(ranking.rows, *ends, strict=True)):
        low, high = max(float(low), lowest), min(float(high), highest)
        rows.append(replace(row, ci_low=low, ci_high=high, group=groups[i]))
        ranks = int(chances.low[i]), int(chances.high[i])
        stability.append(RankChance(row.system, *ranks, tuple(chances.chances[i].tolist())))
    return replace(
        ranking, rows=tuple(rows), secondary=(), stability=tuple(stability), n_drawn=len(resampled)
    )


def standing_rows(fixed: Ranking, random: Ranking) -> tuple[StandingRow, ...]:
    """Return one row per system from both rankings of the means."""
    sign = 1.0 if fixed.higher_is_better else -1.0
    highest = (sign * fixed.scores).max(axis=1, keepdims=True)
    n_first = (sign * fixed.scores >= highest).sum(axis=0)
    return tuple(
        StandingRow(
            row.position,
            row.system,
            row.mean,
            row.mean - fixed.rows[0].mean,
            int(first),
            *standings,
        )
        for row, first, *standings in zip(
            fixed.rows, n_first, _standing(fixed), _standing(random), strict=True
        )
    )


def _standing(ranking: Ranking) -> list[Standing]:
    better, worse = np.zeros((2, len(ranking.systems)), np.int64)
    for pair in ranking.pair_rows:
        a, b = ranking.place[pair.a], ranking.place[pair.b]
        if pair.told_apart:
            above, below = (b, a) if pair.b_is_ahead else (a, b)
            worse[above] += 1
            better[below] += 1
    from_first = {ranking.systems[0]: Estimate(0.0, math.nan, math.nan), **ranking.distances}
    return [
        Standing(
            ci_low=row.ci_low,
            ci_high=row.ci_high,
            diff_low=from_first[row.system].low,
            diff_high=from_first[row.system].high,
            rank_low=1 + int(better[i]),
            rank_high=len(ranking.systems) - int(worse[i]),
            chance_first=ranking.stability[i].first,
        )
        for i, row in enumerate(ranking.rows)
    ]
