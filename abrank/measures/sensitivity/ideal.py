"""The ideal ranking of each query as a run, and what it is worth: IDCG and nERR."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.graded import dcg_of
from abrank.measures.definitions.user_models import expected_reciprocal_rank
from abrank.measures.kernels.gains import Dcg
from abrank.measures.kernels.segments import ordinal, share
from abrank.measures.registry.entries import measure


def ideal_run(judged: JudgedRun) -> JudgedRun:
    """Return the run that ranks all judged documents by grade, and no others.

    Examples
    --------
    >>> ideal_run(JudgedRun.from_grades([[0, None, 1]], ideal=[[2, 1, 0]])).grade
    array([2, 1, 0])
    """
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
    """Ideal DCG: discounted cumulative gain of the ideal ranking, whatever was retrieved.

    Parameters
    ----------
    judged : JudgedRun
        A run joined with its qrels.
    cutoff : int, optional
        Ranks counted, from 1; ``None`` counts all judged.
    dcg : {"log2", "exp-log2"}
        Gain of grade g: g, or 2**g - 1. A negative grade gains 0.

    Returns
    -------
    float64[n_queries]
        In units of gain, from 0; 0 where a query has no relevant document. Order of
        ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``cutoff`` is below 1, ``dcg`` is unknown, or a grade above 1000 asks for an exponential
        gain.

    Notes
    -----
    The DCG of all judged documents of the query by falling grade: what nDCG divides by [1]_. It
    says something about the judgments, and nothing about the run.

    References
    ----------
    .. [1] Järvelin & Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, ACM TOIS
       20(4).

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
    """nERR: expected reciprocal rank over that of the ideal ranking.

    Parameters
    ----------
    judged : JudgedRun
        A run joined with its qrels.
    cutoff : int, optional
        Ranks counted, from 1, in the ranking and in the ideal one; ``None`` counts all retrieved
        and all judged.
    max_grade : int, optional
        Highest grade of the scale, from 1; ``None`` takes the highest grade in the qrels, over all
        queries.

    Returns
    -------
    float64[n_queries]
        Unitless, in [0, 1]; 0 where a query has no relevant document or none was retrieved. Order
        of ``judged.query_ids``.

    Raises
    ------
    ArgumentError
        If ``cutoff`` or ``max_grade`` is below 1, or a judgment is above ``max_grade``.

    Notes
    -----
    ERR [1]_ over the ERR of all judged documents of the query by falling grade, which is the
    highest it can have, as nERR-IA is ERR-IA over that of an ideal ranking [2]_.

    References
    ----------
    .. [1] Chapelle, Metzler, Zhang & Grinspan (2009), Expected reciprocal rank for graded
       relevance, CIKM.
    .. [2] Clarke, Craswell, Soboroff & Ashkan (2011), A comparative analysis of cascade measures
       for novelty and diversity, WSDM.

    Examples
    --------
    Grades 1 and 2 on a scale to 2, the wrong way round: 17/32, and 25/32 the right way.

    >>> normalized_err(JudgedRun.from_grades([[1, 2], [0]])).round(4)
    array([0.68, 0.  ])
    """
    found = expected_reciprocal_rank(judged, cutoff=cutoff, max_grade=max_grade)
    best = expected_reciprocal_rank(ideal_run(judged), cutoff=cutoff, max_grade=max_grade)
    return share(found, best)
