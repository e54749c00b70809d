"""Compat: overlap of a ranking with the ideal one."""

from __future__ import annotations

import numpy as np

from abrank._support import checks
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.segments import ordinal, share
from abrank.measures.registry.entries import measure


@measure("Compat", bounds=(0, 1), source="Clarke et al. 2020; ir_measures compat_provider.py")
def compatibility(judged: JudgedRun, *, p: float = 0.95, normalize: bool = True) -> FloatArray:
    """Compatibility: rank-biased overlap of the ranking with the ideal ranking nearest to it.

    Unitless, in [0, 1]; 0 where no document with a grade above 0 was retrieved.

    The ideal ranking holds the documents with a grade above 0, best grade first; documents of one
    grade stand in it as the run ranks them, those it did not retrieve last. With o(d) the number of
    documents that both have among their first d, and n the length of the longer of the two:

        RBO = sum over d to n of p**(d - 1) * o(d) / d  over  sum over d to n of p**(d - 1)

    Equals ir_measures [1]_ where no scores are tied (it breaks ties by ascending document) and none
    is below 0 (it takes 0 for the score of a document that was not retrieved).

    Parameters
    ----------
    p : float
        Weight of a depth over that of the depth above it, between 0 and 1.
    normalize : bool
        Whether to divide by the overlap of the ideal ranking with itself, which is below 1 where
        it is shorter than the ranking.

    References
    ----------
    .. [1] Clarke, Vtyurina & Smucker (2020), Offline evaluation without gain, ICTIR; rank-biased
       overlap: Webber, Moffat & Zobel (2010), ACM TOIS 28(4); ir_measures compat_provider.py.

    Examples
    --------
    The better of two documents stands second: no overlap at depth 1, all of it at depth 2.

    >>> compatibility(JudgedRun.from_grades([[1, 2], [0]]), p=0.5).round(4)
    array([0.3333, 0.    ])
    """
    weight = checks.fraction("p", p)
    good = judged.ideal_grade > 0
    ideal_query = judged.ideal_query[good]
    ideal_rank = ordinal(ideal_query)
    n_ideal = np.bincount(ideal_query, minlength=judged.n_queries)
    depth = np.maximum(judged.n_retrieved, n_ideal)

    each = np.arange(int(depth.max(initial=0)))
    weights = np.power(weight, each)
    shares = np.concatenate([[0.0], np.cumsum(weights / (each + 1.0))])

    def overlap(query: IntArray, both_from: IntArray) -> FloatArray:
        """Add up, for documents that both rankings have from some depth on."""
        return judged.total(query, shares[depth[query]] - shares[both_from - 1])

    query, both_from = _found_in_both(judged)
    found = overlap(query, both_from)
    if normalize:
        return share(found, overlap(ideal_query, ideal_rank))
    return share(found, np.concatenate([[0.0], np.cumsum(weights)])[depth])


def _found_in_both(judged: JudgedRun) -> tuple[IntArray, IntArray]:
    """Return, of each good document retrieved, its query and the lower of its two ranks."""
    good = judged.grade > 0
    query, rank, grade = judged.query[good], judged.rank[good], judged.grade[good]
    by_grade = np.lexsort((rank, -grade, query))
    query, rank, grade = query[by_grade], rank[by_grade], grade[by_grade]
    # Both sides stand by query and falling grade: one ascending number says which.
    span = int(judged.ideal_grade.max(initial=0)) + 1
    key = query * span - grade
    above = np.searchsorted(judged.ideal_query * span - np.maximum(judged.ideal_grade, 0), key)
    above -= np.searchsorted(judged.ideal_query, query)
    beside = np.arange(len(key)) - np.searchsorted(key, key)
    return query, np.maximum(rank, above + beside + 1)
