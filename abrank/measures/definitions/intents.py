"""Plain measures taken for each subtopic, the intent of a reader, and averaged over them."""

from __future__ import annotations

import numpy as np

from abrank._support import checks
from abrank._support.typing import FloatArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.novelty import Aspects
from abrank.measures.kernels.segments import share, within
from abrank.measures.registry.entries import measure


@measure(
    "AP_IA",
    bounds=(0, 1),
    source="Agrawal et al. 2009; ndeval.c",
    aliases=("MAP_IA",),
    needs="subtopics",
)
def intent_aware_average_precision(judged: JudgedRun, *, rel: int = 1) -> FloatArray:
    """Average precision of each subtopic, averaged over the subtopics.

    Unitless, in [0, 1]; 0 where no document relevant to a subtopic was retrieved.

    AP over the whole run as if a subtopic's documents were the only relevant ones, then the mean
    over the subtopics that have any, each with the same weight [1]_. Equals ndeval's ``MAP-IA``.

    References
    ----------
    .. [1] Agrawal, Gollapudi, Halverson & Ieong (2009), Diversifying search results, WSDM; TREC Web
       Track ndeval.c, computeMAP.

    Examples
    --------
    AP is 1 for the first subtopic and 1/2 for the second:

    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1, "b": 1}]])
    >>> intent_aware_average_precision(judged)
    array([0.75])
    """
    aspects = Aspects.of(judged, rel=rel)
    precision = aspects.total(aspects.nth / aspects.rank / aspects.n_relevant)
    return share(precision, aspects.n_subtopics)


@measure(
    "P_IA",
    bounds=(0, 1),
    source="Agrawal et al. 2009; ndeval.c",
    discrete=True,
    needs="subtopics",
)
def intent_aware_precision(judged: JudgedRun, *, cutoff: int, rel: int = 1) -> FloatArray:
    """Precision of each subtopic at a cut-off, averaged over the subtopics.

    Unitless, in [0, 1]; 0 where no document relevant to a subtopic was retrieved.

    P@k of each subtopic that has a relevant document, then their mean [1]_. Equals ndeval's
    ``P-IA@k``.

    Parameters
    ----------
    cutoff : int
        Ranks counted, from 1; the divisor, even where fewer documents were retrieved.

    References
    ----------
    .. [1] Agrawal, Gollapudi, Halverson & Ieong (2009), Diversifying search results, WSDM; TREC Web
       Track ndeval.c, computePrecision.

    Examples
    --------
    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1, "b": 1}]])
    >>> intent_aware_precision(judged, cutoff=2)
    array([0.75])
    """
    aspects = Aspects.of(judged, rel=rel)
    counted = within(aspects.rank, checks.count("cutoff", cutoff))
    return share(aspects.total(counted.astype(np.float64)), cutoff * aspects.n_subtopics)


@measure(
    "StRecall",
    bounds=(0, 1),
    source="Zhai et al. 2003; ndeval.c",
    aliases=("strec",),
    discrete=True,
    needs="subtopics",
)
def subtopic_recall(judged: JudgedRun, *, cutoff: int | None = None, rel: int = 1) -> FloatArray:
    """Share of the subtopics that the ranking serves with at least one document.

    Unitless, in [0, 1]; 0 where no document relevant to a subtopic was retrieved.

    Subtopics without any relevant document do not count [1]_. Equals ndeval's ``strec@k``.

    References
    ----------
    .. [1] Zhai, Cohen & Lafferty (2003), Beyond independent relevance, SIGIR; TREC Web Track
       ndeval.c, computeSTRecall.

    Examples
    --------
    >>> judged = JudgedRun.from_subtopics([[{"a": 1}, {"a": 1, "b": 1}]])
    >>> subtopic_recall(judged, cutoff=1)
    array([0.5])
    """
    aspects = Aspects.of(judged, rel=rel)
    first = (aspects.nth == 1) & within(aspects.rank, cutoff)
    return share(aspects.total(first.astype(np.float64)), aspects.n_subtopics)
