"""Numbers of queries and documents, summed over the queries: NumQ, NumRet, NumRel and so on."""

from __future__ import annotations

import math

import numpy as np

from abrank._support import checks
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.segments import Hits
from abrank.measures.registry.entries import measure


@measure(
    "NumQ",
    bounds=(1, 1),
    source="trec_eval m_num_q.c",
    discrete=True,
    aggregate="sum",
    condensable=False,
    decides=False,
)
def number_of_queries(judged: JudgedRun) -> FloatArray:
    """How many queries there are: 1 for each, so that the sum counts them.

    1 where a query has nothing else, too.

    Equals trec_eval's ``num_q`` [1]_, with ``-c`` where queries that the run lacks are kept.

    References
    ----------
    .. [1] trec_eval m_num_q.c.

    Examples
    --------
    >>> number_of_queries(JudgedRun.from_grades([[1], []]))
    array([1., 1.])
    """
    return np.ones(judged.n_queries)


@measure(
    "NumRet", bounds=(0, math.inf), source="trec_eval m_num_ret.c", aggregate="sum", decides=False
)
def number_retrieved(judged: JudgedRun, *, rel: int | None = None) -> FloatArray:
    """How many documents were retrieved.

    Documents; 0 where nothing was retrieved.

    Equals trec_eval's ``num_ret``, and with ``rel`` its ``num_rel_ret``, as in ir_measures [1]_.

    Parameters
    ----------
    rel : int, optional
        Lowest grade that is counted, from 1; ``None`` counts all, judged or not.

    References
    ----------
    .. [1] trec_eval m_num_ret.c.

    Examples
    --------
    >>> judged = JudgedRun.from_grades([[1, None, 0], []])
    >>> number_retrieved(judged), number_retrieved(judged, rel=1)
    (array([3., 0.]), array([1., 0.]))
    """
    if rel is None:
        return judged.n_retrieved.astype(np.float64)
    return number_relevant_retrieved(judged, rel=rel)


@measure(
    "NumRel",
    bounds=(0, math.inf),
    source="trec_eval m_num_rel.c",
    aggregate="sum",
    condensable=False,
    decides=False,
)
def number_relevant(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """How many documents are relevant, retrieved or not.

    Documents; 0 where a query has no relevant document.

    Equals trec_eval's ``num_rel`` [1]_, but for its sum under ``-c``, which counts every grade
    above 0 whatever ``-l`` is.

    References
    ----------
    .. [1] trec_eval m_num_rel.c.

    Examples
    --------
    >>> number_relevant(JudgedRun.from_grades([[1], []], ideal=[[2, 1, 0], [0]]))
    array([2., 0.])
    """
    return judged.n_relevant(rel=checks.count("rel", rel)).astype(np.float64)


@measure(
    "NumRelRet",
    bounds=(0, math.inf),
    source="trec_eval m_num_rel_ret.c",
    aggregate="sum",
    decides=False,
)
def number_relevant_retrieved(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """How many of the retrieved documents are relevant.

    Documents; 0 where nothing relevant was retrieved.

    Equals trec_eval's ``num_rel_ret`` [1]_. Hits is the same count with a mean over the queries.

    References
    ----------
    .. [1] trec_eval m_num_rel_ret.c.

    Examples
    --------
    >>> number_relevant_retrieved(JudgedRun.from_grades([[1, None, 0, 2], []]))
    array([2., 0.])
    """
    found = Hits.of(judged, rel=rel, cutoff=None).count(judged.n_queries)
    return found.astype(np.float64)


@measure(
    "NumNonrelJudgedRet",
    bounds=(0, math.inf),
    source="trec_eval m_num_nonrel_judged_ret.c",
    aggregate="sum",
    higher_is_better=False,
    decides=False,
)
def number_refused_retrieved(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """How many of the retrieved documents were judged and are not relevant.

    Documents; 0 where nothing of the kind was retrieved.

    Documents with a negative grade do not count: trec_eval takes them as unjudged. Equals
    trec_eval's ``num_nonrel_judged_ret`` [1]_.

    Parameters
    ----------
    rel : int
        Lowest grade that is relevant, from 1; the grades from 0 to ``rel`` - 1 are judged
        non-relevant.

    References
    ----------
    .. [1] trec_eval m_num_nonrel_judged_ret.c.

    Examples
    --------
    >>> number_refused_retrieved(JudgedRun.from_grades([[1, None, 0, -1, 0], []]))
    array([2., 0.])
    """
    judged_here = judged.query[judged.grade >= 0]
    known = np.bincount(judged_here, minlength=judged.n_queries)
    return known - number_relevant_retrieved(judged, rel=rel)
