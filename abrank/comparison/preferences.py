"""Compare two systems by votes: the score of a query is B's share of its votes."""

# A's score is 1/2 on every query, which means no preference. B's score is its share of the votes,
# ties as half. The difference lies in [-1/2, 1/2], so votes can be analysed like scores. If one
# judge's verdicts in the two orders disagree, they count as a tie.

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from abrank import inference
from abrank._support import display as f
from abrank._support.errors import ArgumentError
from abrank._support.typing import Asked, BoolArray, FloatArray, IntArray, RandomSource
from abrank._support.work import without_collecting
from abrank.comparison.compare import compare_recorded
from abrank.comparison.query_data import QueryData
from abrank.comparison.result import Comparison
from abrank.comparison.rows import Preferences, share_of_net
from abrank.comparison.two_systems import system_names
from abrank.diagnostics import CREDITS, SHARES
from abrank.estimate import Estimate
from abrank.inference.independent import welch
from abrank.inputs.votes import GROUPS, Vote, Votes, read_votes
from abrank.ledger.record import recorded
from abrank.measures.names import listed
from abrank.options import Designs, Inputs, Question
from abrank.rule_file import answered_by
from abrank.scoring.evaluate import silent
from abrank.scoring.scores import Scores


def with_test(question: Question) -> Question:
    """Set the default test for votes if the question names none."""
    by_t = (
        question.anytime
        or question.independent
        or question.weights is not None
        or str(question.margin or "").strip().endswith("%")
    )
    return question if question.test else replace(question, test="t" if by_t else "permutation")


@without_collecting()
def compare_votes(
    inputs: Inputs, question: Question, *, on_stage: Callable[[str], None] = silent
) -> Comparison:
    """Compare as :func:`compare_preferences` does, and report each stage of the work."""
    on_stage("reading the votes")
    votes = read_votes(inputs.votes, name_a=inputs.name_a, name_b=inputs.name_b)
    scores, result = count_votes(votes, alpha=question.alpha)
    # Scores of a single order contain the position effect, so they are used only if named.
    chosen: Sequence[str] = [name for name in scores.measures if name not in SHARES[2:]]
    if question.measures is not None:
        chosen = listed(question.measures)
        lacking = [name for name in chosen if name not in scores.measures]
        if lacking:
            raise ArgumentError(
                f"votes give no {lacking[0]}; there are {', '.join(scores.measures)}"
            )
        scores = replace(scores, named=tuple(chosen))
    scores = scores.take(chosen)
    # Impressions of one user are dependent, so users are clusters by default.
    clusters: Any = question.clusters
    if clusters is None and not question.anytime:
        clusters = next((name for name in GROUPS if name in votes.groups), None)
    group = None
    if isinstance(clusters, str) and clusters in votes.groups:
        group = dict(zip(votes.impressions, votes.groups[clusters], strict=True))
    on_stage("testing")
    data = QueryData.of(inputs, clusters=None if group else clusters, weights=question.weights)
    data = replace(data, votes=result, clusters=(clusters, group) if group else data.clusters)
    return compare_recorded(scores, question, data=data, command=inputs.command)


@answered_by(lambda x, y: recorded(compare_votes)(x, with_test(y)), Question, "votes")
def compare_preferences(
    votes: object = None,  # a path, a frame, a list of mappings
    *,
    config: Question | str | os.PathLike[str] | None = None,
    measures: Sequence[str] | str | None = None,
    margin: float | str | None = None,
    require: Asked | None = None,
    fail_on: str | None = None,
    guard: Sequence[str] | str = (),
    accept_doubt: bool = False,
    alpha: float = 0.05,
    test: str | None = None,
    name_a: str | None = None,
    name_b: str | None = None,
    segments: object = None,  # whatever read_segments reads
    topics: object = None,  # whatever read_topics reads
    design: Designs | None = None,
    resamples: int | None = None,
    rng: RandomSource = 0,
) -> Comparison:
    """Compare two systems by preference votes or by interleaved lists.

    Source: Zheng et al. (2023), NeurIPS: judges asked in both orders; McNemar (1947), Psychometrika
    12, 153-157: effect of the order; Joachims (2002), KDD, 133-142, and Radlinski, Kurup & Joachims
    (2008), CIKM, 43-52: balanced and team-draft interleaving.

    Parameters
    ----------
    votes : path, DataFrame, or list of dict
        One row per vote: ``query_id`` and ``winner`` (A, B, tie, or a system's name), and if known
        ``shown_first`` (A, B, a name, or random), ``judge``, ``strength``, ``weight``. These
        formats are recognised: RAGElo (``agent_a``, ``agent_b``, ``answer``), FastChat judges
        (``g1_winner``, ``g2_winner``), arenas (``model_a``, ``model_b``, ``winner``), AlpacaEval,
        and ``chosen`` with ``rejected``. Numbers in ``preference`` run from -1 (A) to 1 (B), from 1
        to 2, or are B's probability. For interleaved lists a row is an impression: ``credit_a`` and
        ``credit_b``; or ``clicks`` (positions from 0) with ``team``, or with ``ranking``, ``a`` and
        ``b`` (balanced); and optionally ``user`` or ``session``, which are the clusters.
    config : path or Question, optional
        The rule declared beforehand; see :func:`abrank.compare`.
    measures : sequence of str, optional
        What decides. Default: ``preference``, where verdicts that change with the order are ties.
        If every query was judged in both orders, ``mean of orders`` is also reported, and
        ``A shown first`` and ``B shown first`` can be named.
    margin : float or str, optional
        Smallest difference that matters, as a share of the queries above one half.
    test : str, optional
        The test that decides. Default: the exact sign-flip test (``permutation``), but the t test
        if the margin is in per cent or with ``design=Anytime(...)``.
    name_a, name_b : str, optional
        Which of the named systems are baseline and candidate; else names for A and B.
    require, fail_on, guard, accept_doubt, alpha, segments, topics, design, resamples, rng
        As in :func:`abrank.compare_scores`.

    Returns
    -------
    Comparison
        The difference is B's share of the queries, ties as half, minus one half. ``preferences``
        has further statistics of the votes.

    Raises
    ------
    ReadError, NotFoundError
        If the votes cannot be read; the message names the rows.
    ArgumentError
        If it is not clear which of several systems to compare.

    Examples
    --------
    >>> votes = [{"query_id": f"q{i}", "winner": "B" if i < 12 else "tie"} for i in range(16)]
    >>> result = compare_preferences(votes)
    >>> str(result.verdict), result.mean_difference, round(result.pvalue, 5)
    ('better', 0.375, 0.00049)
    """
    raise NotImplementedError  # answered by compare_votes


def count_votes(votes: Votes, *, alpha: float) -> tuple[Scores, Preferences]:
    """Return B's share of each query's votes, and statistics on the order of presentation."""
    if votes.credits is not None:
        return _with_credits(votes, votes.credits)
    ballots = _ballots(votes.votes)
    both = np.isfinite(ballots.a_first + ballots.b_first)
    middle = np.where(both, (ballots.a_first + ballots.b_first) / 2.0, ballots.mean)
    agree = ~both | (np.sign(ballots.a_first) == np.sign(ballots.b_first))
    n = len(ballots.query_ids)
    weights = np.bincount(ballots.query, ballots.weight, n)
    table = np.stack(
        [
            (np.bincount(ballots.query, ballots.weight * share, n) / weights + 1.0) / 2.0
            for share in (np.where(agree, middle, 0.0), middle, ballots.a_first, ballots.b_first)
        ],
        axis=1,
    )
    mixed = len(np.unique(ballots.query[ballots.has_two_winners]))
    selected = [0, 1, 2, 3] if both.any() and np.isfinite(table).all() else [0]
    b = table[:, selected]
    remarks = list(votes.remarks)
    if mixed:
        queries = f.plural(mixed, "query has", "queries have")
        remarks.append(f"{queries} two winners by one judge in one order: their mean counts")
    a, b_name = system_names(*votes.names)
    scores = Scores(
        query_ids=ballots.query_ids,
        systems=(a, b_name),
        measures=tuple(SHARES[i] for i in selected),
        values=np.stack([np.full_like(b, 0.5), b], axis=1),
        sources={} if votes.source is None else {a: votes.source, b_name: votes.source},
        notes=tuple(remarks),
    )
    in_order = np.stack([ballots.a_first, ballots.b_first], axis=1)[both]
    return scores, _preferences(votes, in_order, alpha)


class _Ballots(NamedTuple):
    """The votes of each judge, query and turn: means from -1 (A) to 1 (B), by query."""

    query_ids: tuple[str, ...]
    query: IntArray  # index into ``query_ids`` of each ballot
    weight: FloatArray
    mean: FloatArray
    a_first: FloatArray  # votes where A was shown first; NaN if there is none
    b_first: FloatArray
    has_two_winners: BoolArray  # in one order


def _ballots(votes: Sequence[Vote]) -> _Ballots:
    codes, texts = [], []
    for name in ("query", "judge", "turn", "first"):
        column = list(map(attrgetter(name), votes))
        texts.append(sorted(set(column)))
        place = {text: i for i, text in enumerate(texts[-1])}
        codes.append(np.fromiter(map(place.__getitem__, column), np.int64, len(column)))
    query, judge, turn, first = codes
    shape = tuple(map(len, texts[:3]))
    if texts[1] == [""]:
        # More than both orders of one judge: votes of several people, whose names are not given.
        _, turns, times = np.unique(
            query * shape[2] + turn, return_inverse=True, return_counts=True
        )
        judge = np.where(times[turns] > 2, 1 + np.arange(len(votes)), 0)
        shape = (shape[0], 1 + len(votes), shape[2])
    keys, ballot = np.unique(np.ravel_multi_index((query, judge, turn), shape), return_inverse=True)
    value, weight = (
        np.array(list(map(attrgetter(name), votes)), np.float64) for name in ("value", "weight")
    )
    n = len(keys)

    def mean(rows: BoolArray) -> FloatArray:
        sums = np.bincount(ballot[rows], (value * weight)[rows], n)
        total = np.bincount(ballot[rows], weight[rows], n)
        return np.asarray(np.divide(sums, total, out=np.full(n, np.nan), where=total > 0.0))

    in_order = ballot * len(texts[3]) + first
    wins, losses = (
        np.bincount(in_order[side], minlength=n * len(texts[3])).reshape(n, -1) > 0
        for side in (value > 0.0, value < 0.0)
    )
    side_of_first = np.array(texts[3])[first]
    return _Ballots(
        query_ids=tuple(texts[0]),
        query=np.unravel_index(keys, shape)[0],
        weight=np.bincount(ballot, weight, n) / np.bincount(ballot, minlength=n),
        mean=mean(np.ones(len(votes), np.bool_)),
        a_first=mean(side_of_first == "a"),
        b_first=mean(side_of_first == "b"),
        has_two_winners=np.asarray((wins & losses).any(axis=1)),
    )


def _with_credits(votes: Votes, credits: FloatArray) -> tuple[Scores, Preferences]:
    """Return the winner of each impression, B's share of its credits, and the credits."""
    ids = votes.impressions
    order = sorted(range(len(ids)), key=ids.__getitem__)
    a, b = credits[order].T
    clicked = a + b > 0.0
    share = np.divide(b, a + b, out=np.full_like(a, 0.5), where=clicked)
    half = np.full_like(a, 0.5)
    names = system_names(*votes.names)
    scores = Scores(
        query_ids=tuple(map(ids.__getitem__, order)),
        systems=names,
        measures=(SHARES[0], *CREDITS),
        values=np.stack(
            [
                np.column_stack([half, half, a]),
                np.column_stack([(np.sign(b - a) + 1.0) / 2.0, share, b]),
            ],
            axis=1,
        ),
        sources={} if votes.source is None else dict.fromkeys(names, votes.source),
        notes=votes.remarks,
    )
    return scores, Preferences(
        n_votes=len(ids), n_judges=len({*votes.groups.get("user", ())}), left_out={},
        shown_first={"a": 0, "b": 0, "random": len(ids), "": 0},
        credits=(float(a.sum()), float(b.sum())), n_without_click=int((~clicked).sum()),
    )  # fmt: skip


def _preferences(votes: Votes, ballots: FloatArray, alpha: float) -> Preferences:
    counted = Counter[str]()
    for vote in votes.votes:
        counted[vote.first] += vote.times
    signs = np.sign(ballots)
    reversed_ = signs[:, 0] * signs[:, 1] < 0.0
    to_first = signs[reversed_, 1] > 0.0  # B wins when shown first
    bias = turned = None
    if len(ballots) > 1:
        to_place = (ballots[:, 1] - ballots[:, 0]) / 2.0
        bias = Estimate.of(inference.run_test("t", to_place, confidence=1.0 - alpha))
        if reversed_.any():
            signs_of = np.where(to_first, 1.0, -1.0)
            sign_test = inference.run_test("sign", signs_of, confidence=1.0 - alpha)
            turned = share_of_net(sign_test)
    elif min(counted["a"], counted["b"]) > 1:
        # Half of B's gain from being shown first, from independent votes.
        halves = [
            np.array(
                [[v.value / 2.0] for v in votes.votes if v.first == side for _ in range(v.times)]
            )
            for side in "ab"
        ]
        if any(map(np.ptp, halves)):
            bias = Estimate.of(welch(*halves, confidence=1.0 - alpha))
    return Preferences(
        n_votes=counted.total(),
        n_judges=len({vote.judge for vote in votes.votes}),
        left_out=dict(votes.left_out),
        shown_first={first: counted[first] for first in ("a", "b", "random", "")},
        n_both=len(ballots),
        n_reversed=int(reversed_.sum()),
        n_to_first=int(to_first.sum()),
        n_disagree=int((signs[:, 0] != signs[:, 1]).sum()),
        bias=bias,
        to_first=turned,
    )
