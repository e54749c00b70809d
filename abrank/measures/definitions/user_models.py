"""Measures of a reader who goes down the ranking and stops somewhere: RBP and ERR."""

from __future__ import annotations

import numpy as np

from abrank._support import checks
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.cascade import cascade, scale_of
from abrank.measures.kernels.segments import Hits
from abrank.measures.registry.entries import Measure, measure


@measure("RBP", bounds=(0, 1), source="Moffat & Zobel 2008")
def rank_biased_precision(
    judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1, p: float = 0.8
) -> FloatArray:
    """Rank-biased precision: gain of a reader who goes on to the next rank with probability p.

    Unitless, in [0, 1), and never above 1 - p**R with R relevant documents; 0 where no relevant
    document was retrieved.

    RBP = (1 - p) * sum over relevant documents at rank r of p**(r - 1) [1]_. The gain is 0 or 1 and
    p is 0.8 by default, as in ir_measures. trec_eval 10.0 ``rbp`` has p = 0.9 and reads
    uninitialised memory where it scales graded gains, so it is no reference.

    Parameters
    ----------
    p : float
        Probability of going on, between 0 and 1.

    References
    ----------
    .. [1] Moffat & Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness,
       ACM TOIS 27(1), eq. 4.

    Examples
    --------
    Relevant at ranks 1 and 3: 0.5 * (1 + 0.25).

    >>> rank_biased_precision(JudgedRun.from_grades([[1, 0, 1], [0]]), p=0.5)
    array([0.625, 0.   ])
    """
    hits = Hits.of(judged, rel=rel, cutoff=cutoff)
    persistence = checks.fraction("p", p)
    seen = (1.0 - persistence) * np.float_power(persistence, hits.rank - 1)
    return judged.total(hits.query, seen)


@measure("ERR", bounds=(0, 1), source="Chapelle et al. 2009; gdeval.pl of the TREC Web Track")
def expected_reciprocal_rank(
    judged: JudgedRun, *, cutoff: int | None = None, max_grade: int | None = None
) -> FloatArray:
    """Reciprocal rank, in expectation, of the document that satisfies a reader going down.

    Unitless, in [0, 1), below 1 even for the ideal ranking; 0 where no document with a grade above
    0 was retrieved.

    A document of grade g satisfies with probability s(g) = (2**g - 1) / 2**max_grade, grades below
    0 as 0 [1]_:

        ERR = sum over ranks r of (1 / r) * s(g_r) * product over i < r of (1 - s(g_i))

    Values for different ``max_grade`` cannot be compared; state it where qrels may differ.
    ``max_grade=4`` equals gdeval.pl, which rounds to 5 digits.

    Parameters
    ----------
    max_grade : int, optional
        Highest grade of the scale, from 1; ``None`` takes the highest grade in the qrels, over all
        queries. The TREC Web Track's gdeval.pl takes 4.

    References
    ----------
    .. [1] Chapelle, Metzler, Zhang & Grinspan (2009), Expected reciprocal rank for graded
       relevance, CIKM, eq. 4 and algorithm 2; gdeval.pl of the TREC Web Track.

    Examples
    --------
    Grades 1 and 2 on a scale to 2: 1/4 at rank 1, then 3/4 * 3/4 at rank 2.

    >>> expected_reciprocal_rank(JudgedRun.from_grades([[1, 2], [0]]))
    array([0.53125, 0.     ])
    """
    return cascade(judged, lambda rank: 1.0 / rank, cutoff=cutoff, max_grade=max_grade)


def resolved(measure: Measure, judged: JudgedRun) -> Measure:
    """Return the measure with the highest grade of the scale as it is taken for these judgments.

    Only a measure whose ``max_grade`` was left open changes; its values stay the same.

    Examples
    --------
    >>> from abrank.measures import parse
    >>> print(resolved(parse("ERR@10"), JudgedRun.from_grades([[1, 4, 0]])))
    ERR(max_grade=4)@10
    """
    given = dict(measure.parameters)
    known = [parameter.name for parameter in measure.entry.parameters]
    if "max_grade" not in known or "max_grade" in given:
        return measure
    # Where nothing is relevant, every scale gives 0.
    return measure.entry.with_parameters({**given, "max_grade": max(scale_of(judged, None), 1)})
