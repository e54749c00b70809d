"""Normalized gain: documents discounted by what the ranking fell behind, not by rank: G, binG."""

from __future__ import annotations

import numpy as np

from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.gains import Gained, ideal_total
from abrank.measures.kernels.segments import Hits, ordinal, running, share
from abrank.measures.registry.entries import measure
from abrank.measures.registry.parameters import Gains


@measure("G", bounds=(0, 1), source="trec_eval m_G.c")
def normalized_gain(judged: JudgedRun, *, gains: Gains | None = None) -> FloatArray:
    """Gain of each document, discounted by how far the ranking is behind the ideal one.

    Unitless, in [0, 1] (below 0 with a negative gain), 1 for the ideal ranking where no gain is
    below 1; 0 where a query has no relevant document or nothing was retrieved.

    With g(r) the gain at rank r, g*(r) that of the ideal ranking, and sums over ranks i <= r:

        G = sum_r g(r) / log2(2 + sum_i max(g*(i), 1) - sum_i g(i))  /  sum_r g*(r)

    So a document that comes after better ones loses little, unlike in nDCG. Equals trec_eval's
    ``G`` [1]_.

    Parameters
    ----------
    gains : mapping of int to float, optional
        Gain of the grades named, from grade 0, instead of the grade itself.

    References
    ----------
    .. [1] trec_eval m_G.c.

    Examples
    --------
    Grade 2 at rank 2 alone: 2 / log2(2 + (2 + 1) - 2) / 2.

    >>> normalized_gain(JudgedRun.from_grades([[0, 2]])).round(4)
    array([0.6309])
    """
    found, best = Gained.retrieved(judged, gains=gains), Gained.ideal(judged, gains=gains)
    due = ideal_total(best, np.maximum(best.gain, 1.0), query=found.query, rank=found.rank)
    n_best = np.bincount(best.query, minlength=judged.n_queries)
    due += np.maximum(found.rank - n_best[found.query], 0)
    behind = due - running(np.add, found.query, found.gain)
    reached = judged.total(found.query, found.gain / np.log2(2.0 + behind))
    return share(reached, judged.total(best.query, best.gain))


@measure("binG", bounds=(0, 1), source="trec_eval m_binG.c")
def binary_normalized_gain(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Binary G: each relevant document discounted by the number of others above it.

    Unitless, in [0, 1]; 0 where a query has no relevant document or nothing was retrieved.

    With R relevant documents in the qrels and n(d) documents that are not relevant above a
    retrieved relevant document d:

        binG = (1 / R) * sum_d  1 / log2(2 + n(d))

    Equals trec_eval's ``binG`` [1]_.

    References
    ----------
    .. [1] trec_eval m_binG.c.

    Examples
    --------
    Relevant at ranks 1 and 4, two others between them: (1 + 1/2) / 2.

    >>> binary_normalized_gain(JudgedRun.from_grades([[1, 0, None, 1]]))
    array([0.75])
    """
    hits = Hits.of(judged, rel=rel, cutoff=None)
    others = hits.rank - ordinal(hits.query)
    kept = judged.total(hits.query, 1.0 / np.log2(2.0 + others))
    return share(kept, judged.n_relevant(rel=rel))
