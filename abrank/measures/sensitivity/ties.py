"""How much of a score is due to the order in which tied documents happen to stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from abrank._support import checks, rng
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.segments import ordinal
from abrank.measures.registry.entries import Measure

MOST_DRAWN = 20_000_000


@dataclass(frozen=True, eq=False)
class TieRange:
    """Scores of each query over the orders of its tied documents.

    Attributes
    ----------
    low, high : float64[n_queries]
        Lowest and highest value.
    expected : float64[n_queries]
        Mean over random orders.
    n_orders : int
        Random orders drawn; 0 where no judged document stands in a tie.
    """

    low: FloatArray
    expected: FloatArray
    high: FloatArray
    n_orders: int


def tie_range(
    measure: Measure, judged: JudgedRun, *, n_orders: int = 100, seed: int = 0
) -> TieRange:
    """Score a run under the best, the worst and random orders of its tied documents.

    Parameters
    ----------
    n_orders : int
        Random orders to draw; fewer where that would shuffle more than 20 million documents.
    seed : int
        Equal seeds give equal orders.

    Notes
    -----
    The best order puts the relevant documents of a tie first, by grade, and its judged
    non-relevant ones last; the worst order is the reverse. They are the extremes of every measure
    in which a better document never does harm further up, which holds for all of trec_eval's but
    infAP, and not for measures of diversity. For any other measure ``low`` and ``high`` are the
    extremes of what was seen, the random orders included. A program that breaks ties at random
    reports ``expected`` on average [1]_.

    References
    ----------
    .. [1] McSherry & Najork (2008), Computing information retrieval performance measures
       efficiently in the presence of tied scores, ECIR; Lin & Yang (2019), The impact of score
       ties on repeatability in document ranking, SIGIR.

    Examples
    --------
    One relevant document among three of the same score: reciprocal rank 1, 1/2 or 1/3.

    >>> from abrank.measures import parse
    >>> judged = JudgedRun.from_grades([[0, 1, 0]], scores=[[1.0, 1.0, 1.0]])
    >>> found = tie_range(parse("RR"), judged, n_orders=2000)
    >>> found.low.round(4), found.expected.round(1), found.high
    (array([0.3333]), array([0.6]), array([1.]))
    """
    low, high = extremes(measure, judged)
    shuffled_at_once = _n_tied(judged)
    if not shuffled_at_once:
        return TieRange(low, low, high, 0)
    n_orders = min(checks.count("n_orders", n_orders), max(MOST_DRAWN // shuffled_at_once, 1))
    total = np.zeros(judged.n_queries)
    for order in _shuffled(judged, n_orders, seed):
        value = measure(order)
        total += value
        low, high = np.minimum(low, value), np.maximum(high, value)
    return TieRange(low, np.clip(total / n_orders, low, high), high, n_orders)


def extremes(measure: Measure, judged: JudgedRun) -> tuple[FloatArray, FloatArray]:
    """Return the scores under the worst and the best order of the ties: float64[n_queries] each.

    Examples
    --------
    >>> from abrank.measures import parse
    >>> judged = JudgedRun.from_grades([[0, 1, 0]], scores=[[2.0, 1.0, 1.0]])
    >>> extremes(parse("P@2"), judged)
    (array([0.]), array([0.5]))
    """
    seen = [measure(each) for each in (judged, _ordered(judged, best=False), _ordered(judged))]
    return np.min(seen, axis=0), np.max(seen, axis=0)


def _ordered(judged: JudgedRun, *, best: bool = True) -> JudgedRun:
    """Return the run with every tie in its best or its worst order.

    Relevant documents stand at one end of a tie, judged non-relevant ones at the other, unjudged
    ones between them.
    """
    order = np.lexsort((-judged.grade if best else judged.grade, judged.tie_first, judged.query))
    group = _groups(judged)  # rows of a tie stand together, so the numbers are in order already
    place, size = ordinal(group), np.bincount(group)[group]
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.where(
        (judged.grade[order] > 0) == best,
        judged.tie_first + place - 1,
        judged.tie_last - size + place,
    )
    return _ranked(judged, rank)


def _n_tied(judged: JudgedRun) -> int:
    """Count the documents, judged or not, in ties that hold a judged one."""
    begins = np.diff(_groups(judged), prepend=-1) > 0
    sizes = judged.tie_last[begins] - judged.tie_first[begins] + 1
    return int(sizes[sizes > 1].sum())


def _groups(judged: JudgedRun) -> IntArray:
    """Give each row the number of its tie, from 0; a document alone is one too: int64[n_rows]."""
    new_query = np.diff(judged.query, prepend=-1) > 0
    return np.cumsum(new_query | (np.diff(judged.tie_first, prepend=0) > 0)) - 1


def _shuffled(judged: JudgedRun, n_orders: int, seed: int) -> Iterator[JudgedRun]:
    """Draw orders of the documents of each tie that holds a judged one."""
    tied = np.flatnonzero(judged.tie_last > judged.tie_first)
    group = _groups(judged)[tied]
    begins = np.flatnonzero(ordinal(group) == 1)
    first, last = judged.tie_first[tied][begins], judged.tie_last[tied][begins]
    sizes = last - first + 1
    slot_group = np.repeat(np.arange(len(sizes)), sizes)
    # Slot k of a tie stands for its k-th judged document, the slots behind those for the others.
    slot = (np.cumsum(sizes) - sizes)[np.cumsum(np.diff(group, prepend=-1) > 0) - 1]
    slot = slot + ordinal(group) - 1
    draw = rng.stream(seed, "ties")
    rank = judged.rank.copy()
    for _ in range(n_orders):
        order = np.lexsort((draw.random(len(slot_group)), slot_group))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = ordinal(slot_group) - 1 + np.repeat(first, sizes)
        rank[tied] = place[slot]
        yield _ranked(judged, rank)


def _ranked(judged: JudgedRun, rank: IntArray) -> JudgedRun:
    """Return the run with other ranks for its rows, and the rows in their order."""
    order = np.lexsort((rank, judged.query))
    rows = {name: getattr(judged, name)[order] for name in ("grade", "score")}
    ties = {name: getattr(judged, name)[order] for name in ("tie_first", "tie_last")}
    subtopics = None if judged.subtopics is None else judged.subtopics.reordered(order)
    return replace(judged, rank=rank[order], subtopics=subtopics, **rows, **ties)
