"""Effects of ties and unjudged documents on scores and differences; the ideal ranking."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from abrank._support import checks, rng
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.graded import dcg_of
from abrank.measures.definitions.user_models import expected_reciprocal_rank, resolved
from abrank.measures.kernels import Dcg, ordinal, share
from abrank.measures.registry import Measure, measure

# --- How much a score depends on the order of tied documents

MAX_SHUFFLED = 20_000_000


@dataclass(frozen=True, eq=False)
class TieRange:
    """Scores of each query over the orders of its tied documents."""

    low: FloatArray
    expected: FloatArray
    high: FloatArray
    n_orders: int


def tie_range(
    measure: Measure, judged: JudgedRun, *, n_orders: int = 100, seed: int = 0
) -> TieRange:
    """Score a run with the best, the worst and random orders of its tied documents."""
    # The best order has the relevant documents of a tie first, by grade, and its judged
    # non-relevant ones last; the worst order is the reverse. These are the extremes of every
    # measure for which a better document never lowers the score by moving up. This holds for all
    # measures of trec_eval except infAP, but not for diversity measures. For others `low` and
    # `high` are the extremes of all computed orders, including random ones. `expected` is the mean
    # for a program that breaks ties at random.
    # Source: McSherry & Najork (2008), Computing information retrieval performance measures
    # efficiently in the presence of tied scores, ECIR; Lin & Yang (2019), The impact of score ties
    # on repeatability in document ranking, SIGIR.
    low, high = extremes(measure, judged)
    # Documents, judged or not, in ties that contain a judged one.
    begins = np.diff(_groups(judged), prepend=-1) > 0
    sizes = judged.tie_last[begins] - judged.tie_first[begins] + 1
    shuffled_at_once = int(sizes[sizes > 1].sum())
    if not shuffled_at_once:
        return TieRange(low, low, high, 0)
    n_orders = min(checks.count("n_orders", n_orders), max(MAX_SHUFFLED // shuffled_at_once, 1))
    total = np.zeros(judged.n_queries)
    for order in _shuffled(judged, n_orders, seed):
        value = measure(order)
        total += value
        low, high = np.minimum(low, value), np.maximum(high, value)
    return TieRange(low, np.clip(total / n_orders, low, high), high, n_orders)


def extremes(measure: Measure, judged: JudgedRun) -> tuple[FloatArray, FloatArray]:
    """Return the scores with the worst and the best order of the ties: float64[n_queries] each."""
    scores = [
        measure(ordered_run)
        for ordered_run in (judged, _ordered(judged, best=False), _ordered(judged))
    ]
    return np.min(scores, axis=0), np.max(scores, axis=0)


def _ordered(judged: JudgedRun, *, best: bool = True) -> JudgedRun:
    # Relevant documents are at one end of a tie, judged non-relevant ones at the other, unjudged
    # ones between them.
    order = np.lexsort((-judged.grade if best else judged.grade, judged.tie_first, judged.query))
    group = _groups(judged)  # rows of a tie are adjacent, so the numbers are already sorted
    place, size = ordinal(group), np.bincount(group)[group]
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.where(
        (judged.grade[order] > 0) == best,
        judged.tie_first + place - 1,
        judged.tie_last - size + place,
    )
    return _ranked(judged, rank)


def _groups(judged: JudgedRun) -> IntArray:
    """Return the number of each row's tie, from 0, counting single documents: int64[n_rows]."""
    new_query = np.diff(judged.query, prepend=-1) > 0
    return np.cumsum(new_query | (np.diff(judged.tie_first, prepend=0) > 0)) - 1


def _shuffled(judged: JudgedRun, n_orders: int, seed: int) -> Iterator[JudgedRun]:
    tied = np.flatnonzero(judged.tie_last > judged.tie_first)
    group = _groups(judged)[tied]
    begins = np.flatnonzero(ordinal(group) == 1)
    first, last = judged.tie_first[tied][begins], judged.tie_last[tied][begins]
    sizes = last - first + 1
    slot_group = np.repeat(np.arange(len(sizes)), sizes)
    # Slot k of a tie is for its k-th judged document; the slots after those are for the others.
    slot = (np.cumsum(sizes) - sizes)[np.cumsum(np.diff(group, prepend=-1) > 0) - 1]
    slot = slot + ordinal(group) - 1
    generator = rng.stream(seed, "ties")
    rank = judged.rank.copy()
    for _ in range(n_orders):
        order = np.lexsort((generator.random(len(slot_group)), slot_group))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = ordinal(slot_group) - 1 + np.repeat(first, sizes)
        rank[tied] = place[slot]
        yield _ranked(judged, rank)


def _ranked(judged: JudgedRun, rank: IntArray) -> JudgedRun:
    """Return the run with new ranks for its rows, sorted by rank."""
    order = np.lexsort((rank, judged.query))
    rows = {name: getattr(judged, name)[order] for name in ("grade", "score")}
    ties = {name: getattr(judged, name)[order] for name in ("tie_first", "tie_last")}
    subtopics = None if judged.subtopics is None else judged.subtopics.take(order)
    return replace(judged, rank=rank[order], subtopics=subtopics, **rows, **ties)


# --- How much unjudged documents could change a score

EXACT_UP_TO = 20
MAX_UNJUDGED = 2_000_000


def assumed_grade(grades: IntArray | FloatArray) -> float:
    """Return the grade assumed for unjudged documents: the highest one, or 1."""
    highest = float(grades.max(initial=0))
    return checks.relevant_grade("grade", highest if highest > 0 else 1)


def unjudged_range(
    measure: Measure, judged: JudgedRun, *, grade: float | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and highest score if unjudged documents may be relevant."""
    # A document found relevant also enters the ideal ranking, so "all relevant" need not be the
    # best case: further relevant documents at low ranks reduce AP and nDCG. The first m unjudged
    # documents of each query are assumed relevant, for every m from 0 to 20, then 40, 80 and so on,
    # up to all within the cut-off. So the range is exact for cut-offs up to 20, and always for
    # measures that increase with every relevant document (P, RBP, RR, Success). Documents that were
    # not retrieved stay unjudged.
    # Source: Moffat & Zobel (2008), Rank-biased precision for measurement of retrieval
    # effectiveness, ACM TOIS 27(1), on residuals; Lu, Moffat & Culpepper (2016), The effect of
    # pooling and evaluation depth on IR metrics, Information Retrieval Journal 19.
    if measure.entry.needs == "subtopics":
        raise ArgumentError(f"{measure} has no range: unjudged documents have no subtopics")
    parameters = dict(measure.parameters)
    observed = measure(judged)
    if parameters.get("judged_only"):
        return observed, observed
    cutoff = parameters.get("cutoff")
    query, rank = _unjudged(judged, cutoff if isinstance(cutoff, int) else None)
    if grade is None:
        grade = assumed_grade(judged.ideal_grade)
    assumed = checks.relevant_grade("grade", grade)
    low, high = observed, observed
    nth = ordinal(query)
    maximum, m = int(nth.max(initial=0)), 0
    while m < maximum:
        m = min(m + 1 if m < EXACT_UP_TO else 2 * m, maximum)
        is_assumed = nth <= m
        value = measure(with_judgments(judged, query[is_assumed], rank[is_assumed], assumed))
        low, high = np.minimum(low, value), np.maximum(high, value)
    return low, high


@measure(
    "RBPResid",
    bounds=(0, 1),
    source="Moffat & Zobel 2008, section 3.2",
    higher_is_better=False,
    condensable=False,
    decides=False,
)
def rank_biased_residual(judged: JudgedRun, *, p: float = 0.8) -> FloatArray:
    """Residual of RBP: what unjudged documents and ranks below the last could add to it.

    Unitless, in [0, 1]; 1 where nothing was retrieved.

    The weights (1 - p) * p**(r - 1) of all ranks sum to 1, so the residual is 1 minus the weights
    of the judged documents [1]_. A negative grade counts as unjudged. trec_eval 10's ``rbp_resid``
    omits the tail p**n after the last rank n, and is 0 if no unjudged document was retrieved.

    Examples
    --------
    The first of two documents is unjudged: its 0.5, and 0.25 after the last rank.

    >>> rank_biased_residual(JudgedRun.from_grades([[None, 1], []]), p=0.5)
    array([0.75, 1.  ])
    """
    checks.fraction("p", p)
    is_judged = judged.grade >= 0
    weights = (1.0 - p) * np.power(p, judged.rank[is_judged] - 1.0)
    residual: FloatArray = np.clip(1.0 - judged.total(judged.query[is_judged], weights), 0.0, 1.0)
    return residual


def _unjudged(judged: JudgedRun, cutoff: int | None) -> tuple[IntArray, IntArray]:
    lengths = judged.n_retrieved
    lengths = lengths if cutoff is None else np.minimum(lengths, cutoff)
    if lengths.sum() > MAX_UNJUDGED:
        raise ArgumentError(
            f"{lengths.sum():,} retrieved documents are too many to try as relevant; "
            "take a measure with a cut-off"
        )
    query = np.repeat(np.arange(judged.n_queries), lengths)
    begins = np.cumsum(lengths) - lengths
    is_unjudged = np.ones(len(query), dtype=np.bool_)
    is_counted = judged.rank <= lengths[judged.query]
    is_unjudged[begins[judged.query[is_counted]] + judged.rank[is_counted] - 1] = False
    return query[is_unjudged], ordinal(query)[is_unjudged]


def with_judgments(judged: JudgedRun, query: IntArray, rank: IntArray, grade: float) -> JudgedRun:
    """Return the run if the documents at these ranks have this grade."""
    # Rank 0 means a document that was not retrieved; it still counts as judged.
    grades = np.full(len(query), grade)
    ideal_query = np.concatenate([judged.ideal_query, query])
    ideal_grade = np.concatenate([judged.ideal_grade, grades])
    ideal = np.lexsort((-ideal_grade, ideal_query))
    query, rank, grades = query[rank > 0], rank[rank > 0], grades[rank > 0]
    all_queries = np.concatenate([judged.query, query])
    all_ranks = np.concatenate([judged.rank, rank])
    order = np.lexsort((all_ranks, all_queries))
    return replace(
        judged,
        query=all_queries[order],
        rank=all_ranks[order],
        grade=np.concatenate([judged.grade, grades])[order],
        score=np.concatenate([judged.score, np.full(len(rank), np.nan)])[order],
        tie_first=np.concatenate([judged.tie_first, rank])[order],
        tie_last=np.concatenate([judged.tie_last, rank])[order],
        ideal_query=ideal_query[ideal],
        ideal_grade=ideal_grade[ideal],
        subtopics=None,
        judgment=None,
    )


# --- The ideal ranking of each query as a run, and its scores: IDCG and nERR


def ideal_run(judged: JudgedRun) -> JudgedRun:
    """Return the run that ranks all judged documents by grade, and no others."""
    rank = ordinal(judged.ideal_query)
    return replace(
        judged,
        query=judged.ideal_query,
        rank=rank,
        grade=judged.ideal_grade,
        score=-rank.astype(np.float64),
        tie_first=rank,
        tie_last=rank,
        n_retrieved=np.bincount(judged.ideal_query, minlength=judged.n_queries),
        retrieved_scores=None,
    )


@measure(
    "IDCG",
    bounds=(0, math.inf),
    source="Järvelin & Kekäläinen 2002",
    condensable=False,
    decides=False,
)
def ideal_dcg(judged: JudgedRun, *, cutoff: int | None = None, dcg: Dcg = "log2") -> FloatArray:
    """Ideal DCG: discounted cumulative gain of the ideal ranking.

    In units of gain, from 0; 0 where a query has no relevant document.

    The DCG of all judged documents of the query by descending grade, by which nDCG divides [1]_. It
    describes the judgments, not the run.

    Parameters
    ----------
    dcg : {"log2", "exp-log2"}
        Gain of grade g: g, or 2**g - 1, for grades up to 1000. A negative grade gains 0.

    Examples
    --------
    2 / log2(2) + 1 / log2(3), though only the 1 was retrieved:

    >>> ideal_dcg(JudgedRun.from_grades([[0, 1]], ideal=[[2, 1, 0]])).round(4)
    array([2.6309])
    """
    return dcg_of(ideal_run(judged), cutoff=cutoff, dcg=dcg)


@measure("nERR", bounds=(0, 1), source="Chapelle et al. 2009; Clarke et al. 2011")
def normalized_err(
    judged: JudgedRun, *, cutoff: int | None = None, max_grade: int | None = None
) -> FloatArray:
    """nERR: expected reciprocal rank divided by that of the ideal ranking.

    Unitless, in [0, 1]; 0 where a query has no relevant document or none was retrieved.

    ERR [1]_ divided by the ERR of all judged documents by descending grade, its highest possible
    value, in analogy to nERR-IA.

    Examples
    --------
    Grades 1 and 2 on a scale up to 2, in the wrong order: 17/32; in the right order 25/32.

    >>> normalized_err(JudgedRun.from_grades([[1, 2], [0]])).round(4)
    array([0.68, 0.  ])
    """
    reciprocal_rank = expected_reciprocal_rank(judged, cutoff=cutoff, max_grade=max_grade)
    best = expected_reciprocal_rank(ideal_run(judged), cutoff=cutoff, max_grade=max_grade)
    return share(reciprocal_rank, best)


# --- The unjudged documents that could change the difference of two runs most

MAX_SWING_ROWS = 500_000  # judgments processed at once


def swing(
    measure: Measure,
    a: JudgedRun,
    b: JudgedRun,
    query: IntArray,
    rank_a: IntArray,
    rank_b: IntArray,
    *,
    grade: float,
) -> FloatArray:
    """Return how much B - A of its query changes if a document is judged, one at a time."""
    # Each document is judged in a copy of its query; a document found relevant enters the ideal
    # ranking of both runs.
    # Source: Carterette, Allan & Sitaraman (2006), Minimal test collections for retrieval
    # evaluation, SIGIR 2006: judge first what tells two systems apart.
    if measure.entry.needs == "subtopics":
        raise ArgumentError(f"{measure} has no swing: unjudged documents have no subtopics")
    measure = resolved(measure, a)  # an open scale depends on all queries
    before = (measure(b) - measure(a))[query]
    values = np.empty(len(query))
    rows_per_query = 1 + (len(a.ideal_query) + max(len(a.query), len(b.query))) // max(
        1, a.n_queries
    )
    step = max(1, MAX_SWING_ROWS // rows_per_query)
    for start in range(0, len(query), step):
        rows = slice(start, start + step)
        queries_copied, copy_numbers = query[rows], np.arange(len(query[rows]))
        judged_a, judged_b = (
            measure(
                with_judgments(_of_queries(run, queries_copied), copy_numbers, rank[rows], grade)
            )
            for run, rank in ((a, rank_a), (b, rank_b))
        )
        values[rows] = judged_b - judged_a - before[rows]
    return values


def _of_queries(judged: JudgedRun, which: IntArray) -> JudgedRun:
    row, query = _rows_of(judged.query, which)
    ideal_row, ideal_query = _rows_of(judged.ideal_query, which)
    scores = judged.retrieved_scores
    if scores is not None:
        repeat = np.repeat(np.arange(judged.n_queries), judged.n_retrieved)
        scores = scores[_rows_of(repeat, which)[0]]
    columns = {name: getattr(judged, name)[row] for name in _ROWS}
    return replace(
        judged,
        query_ids=tuple(judged.query_ids[i] for i in which.tolist()),
        query=query,
        n_retrieved=judged.n_retrieved[which],
        ideal_query=ideal_query,
        ideal_grade=judged.ideal_grade[ideal_row],
        retrieved_scores=scores,
        subtopics=None,
        judgment=None,
        **columns,
    )


_ROWS = ("rank", "grade", "score", "tie_first", "tie_last")


def _rows_of(query: IntArray, which: IntArray) -> tuple[IntArray, IntArray]:
    """Return the rows of selected queries, and the index of each row's query among them."""
    begins = np.searchsorted(query, which)
    ends = np.searchsorted(query, which, side="right")
    count = ends - begins
    rows = np.repeat(begins - (np.cumsum(count) - count), count) + np.arange(count.sum())
    return rows, np.repeat(np.arange(len(which)), count)
