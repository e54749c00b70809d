"""Which unjudged document could move the difference of two runs the most."""

from __future__ import annotations

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.inputs.judged import JudgedRun
from abrank.measures.kernels.segments import ordinal
from abrank.measures.registry.entries import Measure
from abrank.measures.sensitivity.unjudged import with_judgments


def swing(
    measure: Measure,
    a: JudgedRun,
    b: JudgedRun,
    query: IntArray,
    rank_a: IntArray,
    rank_b: IntArray,
    *,
    grade: int,
) -> FloatArray:
    """Return how far B - A of its query moves where a document is judged, one at a time.

    Parameters
    ----------
    measure : Measure
    a, b : JudgedRun
        Joined with the same qrels.
    query : int64[n_documents]
        Index into the queries of the qrels, ascending.
    rank_a, rank_b : int64[n_documents]
        Ranks of the document in either run, 0 where it was not retrieved.
    grade : int
        The grade that each is given.

    Returns
    -------
    float64[n_documents]
        In the measure's unit: B - A with the judgment less B - A without it.

    Raises
    ------
    ArgumentError
        If the measure needs subtopics: nobody can say to which of them a document is relevant.

    Notes
    -----
    As many passes as the query with the most documents has; each judges one document of every
    query. A document found relevant enters the ideal ranking of both.

    References
    ----------
    .. [1] Carterette, Allan & Sitaraman (2006), Minimal test collections for retrieval evaluation,
       SIGIR 2006: judge first what tells two systems apart.

    Examples
    --------
    >>> from abrank.measures import parse
    >>> a, b = (JudgedRun.from_grades([[None, 1]], ideal=[[1]]) for _ in range(2))
    >>> one = np.array([0])
    >>> swing(parse("P@2"), a, b, one, np.array([1]), np.array([0]), grade=1)
    array([-0.5])
    """
    if measure.entry.needs == "subtopics":
        raise ArgumentError(f"{measure} has no swing: unjudged documents have no subtopics")
    before = measure(b) - measure(a)
    found = np.zeros(len(query))
    turn = ordinal(query)
    for place in range(1, int(turn.max(initial=0)) + 1):
        rows = np.flatnonzero(turn == place)
        judged_a, judged_b = (
            measure(with_judgments(run, query[rows], rank[rows], grade))
            for run, rank in ((a, rank_a), (b, rank_b))
        )
        found[rows] = (judged_b - judged_a - before)[query[rows]]
    return found
