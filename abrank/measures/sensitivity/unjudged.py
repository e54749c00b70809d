"""How far the documents that nobody judged could move a score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.segments import ordinal
from abrank.measures.registry.entries import Measure, measure

DENSE = 20
MOST_ROWS = 2_000_000


def unjudged_range(
    measure: Measure, judged: JudgedRun, *, grade: int | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the lowest and the highest score when unjudged documents may be relevant.

    Parameters
    ----------
    grade : int, optional
        The grade that an unjudged document might have; the highest of the qrels without it.

    Returns
    -------
    low, high : float64[n_queries]
        The scores where every unjudged document of the run is non-relevant (the usual rule) or the
        first m of them are relevant, for the m that is worst and best for each query.

    Raises
    ------
    ArgumentError
        If ``grade`` is below 1, the measure is of diversity (nobody can say to which subtopics an
        unjudged document may be relevant), or the documents to look at are more than 2 million; a
        cut-off helps.

    Notes
    -----
    A document found relevant enters the ideal ranking too, so "all relevant" need not be the best
    case: more relevant documents further down lower AP and nDCG. m runs from 0 to 20 and then
    doubles up to all unjudged documents within the cut-off, so the range is exact for cut-offs up
    to 20 and, for measures that grow with every relevant document (P, RBP, RR, Success), always.
    Documents that the run did not retrieve stay unjudged.

    References
    ----------
    .. [1] Moffat & Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness,
       ACM TOIS 27(1), on residuals; Lu, Moffat & Culpepper (2016), The effect of pooling and
       evaluation depth on IR metrics, Information Retrieval Journal 19.

    Examples
    --------
    >>> from abrank.measures import parse
    >>> unjudged_range(parse("P@2"), JudgedRun.from_grades([[1, None, None]]))
    (array([0.5]), array([1.]))
    """
    if measure.entry.needs == "subtopics":
        raise ArgumentError(f"{measure} has no range: unjudged documents have no subtopics")
    parameters = dict(measure.parameters)
    here = measure(judged)
    if parameters.get("judged_only"):
        return here, here
    cutoff = parameters.get("cutoff")
    query, rank = _unjudged(judged, cutoff if isinstance(cutoff, int) else None)
    if grade is None:
        grade = max(int(judged.ideal_grade.max(initial=1)), 1)
    assumed = checks.count("grade", grade)
    low, high = here, here
    for m in _steps(int(ordinal(query).max(initial=0))):
        first = ordinal(query) <= m
        value = measure(with_judgments(judged, query[first], rank[first], assumed))
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
    """Residual of RBP: what unjudged and unretrieved documents could add to it.

    Parameters
    ----------
    judged : JudgedRun
        A run joined with its qrels.
    p : float
        Probability of going on, between 0 and 1; as in RBP.

    Returns
    -------
    float64[n_queries]
        Unitless, in [0, 1]; 1 where nothing was retrieved. Order of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``p`` is not between 0 and 1.

    Notes
    -----
    The weights (1 - p) * p**(r - 1) of all ranks add to 1, so the residual is 1 less the weights of
    the judged documents [1]_. A negative grade counts as unjudged. trec_eval 10's ``rbp_resid``
    leaves out the tail p**n behind the last rank n and is 0 where no unjudged document was
    retrieved.

    References
    ----------
    .. [1] Moffat & Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness,
       ACM TOIS 27(1), section 3.2.

    Examples
    --------
    The first of two documents is unjudged: its 0.5, and 0.25 behind the last rank.

    >>> rank_biased_residual(JudgedRun.from_grades([[None, 1], []]), p=0.5)
    array([0.75, 1.  ])
    """
    checks.fraction("p", p)
    known = judged.grade >= 0
    weights = (1.0 - p) * np.power(p, judged.rank[known] - 1.0)
    residual: FloatArray = np.clip(1.0 - judged.total(judged.query[known], weights), 0.0, 1.0)
    return residual


def _unjudged(judged: JudgedRun, cutoff: int | None) -> tuple[IntArray, IntArray]:
    """Return query and rank of the retrieved documents that the qrels do not know."""
    lengths = judged.n_retrieved
    lengths = lengths if cutoff is None else np.minimum(lengths, cutoff)
    if lengths.sum() > MOST_ROWS:
        raise ArgumentError(
            f"{lengths.sum():,} retrieved documents are too many to try as relevant; "
            "take a measure with a cut-off"
        )
    query = np.repeat(np.arange(judged.n_queries), lengths)
    begins = np.cumsum(lengths) - lengths
    unknown = np.ones(len(query), dtype=np.bool_)
    counted = judged.rank <= lengths[judged.query]
    unknown[begins[judged.query[counted]] + judged.rank[counted] - 1] = False
    return query[unknown], ordinal(query)[unknown]


def _steps(most: int) -> Iterator[int]:
    """Count from 1 to 20, double from there, and end with ``most``."""
    step = 1
    while step < most:
        yield step
        step = step + 1 if step < DENSE else 2 * step
    if most:
        yield most


def with_judgments(judged: JudgedRun, query: IntArray, rank: IntArray, grade: int) -> JudgedRun:
    """Return the run as it is when the documents at these ranks have this grade.

    At rank 0 stands a document that the run did not retrieve: it is judged all the same.
    """
    grades = np.full(len(query), grade, dtype=np.int64)
    ideal_query = np.concatenate([judged.ideal_query, query])
    ideal_grade = np.concatenate([judged.ideal_grade, grades])
    ideal = np.lexsort((-ideal_grade, ideal_query))
    query, rank, grades = query[rank > 0], rank[rank > 0], grades[rank > 0]
    every_query = np.concatenate([judged.query, query])
    every_rank = np.concatenate([judged.rank, rank])
    order = np.lexsort((every_rank, every_query))
    return replace(
        judged,
        query=every_query[order],
        rank=every_rank[order],
        grade=np.concatenate([judged.grade, grades])[order],
        score=np.concatenate([judged.score, np.full(len(rank), np.nan)])[order],
        tie_first=np.concatenate([judged.tie_first, rank])[order],
        tie_last=np.concatenate([judged.tie_last, rank])[order],
        ideal_query=ideal_query[ideal],
        ideal_grade=ideal_grade[ideal],
        subtopics=None,
        judgment=None,
    )
