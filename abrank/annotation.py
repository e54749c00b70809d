"""What to judge next: a random draw of queries, and the documents that could turn a difference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abrank import inputs
from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.rng import entropy, stream
from abrank._support.typing import FloatArray, IntArray, RandomSource
from abrank.evaluation import EvaluateOptions
from abrank.inputs import JudgedRun
from abrank.inspection import Unjudged, depth_of, highest_grade, unjudged_documents
from abrank.measures import Measure
from abrank.measures.sensitivity.swing import swing
from abrank.measures.sensitivity.unjudged import with_judgments

DEPTH = 10  # ranks that are looked at where the measure has no cut-off
MOST_TIPPING = 200  # documents, after which a tipping list is given up


def sample_queries(query_ids: tuple[str, ...], n: int, *, rng: RandomSource = 0) -> tuple[str, ...]:
    """Draw queries for people to judge, at random without replacement.

    Parameters
    ----------
    query_ids : tuple of str
        All queries, such as those that a machine judged; their order does not matter.
    n : int
    rng : int, Generator, SeedSequence or None

    Returns
    -------
    tuple of str, length n
        In the order drawn: the first of them are a random draw, too.

    Raises
    ------
    ArgumentError
        If there are fewer than n.

    Examples
    --------
    >>> sample_queries(("q1", "q2", "q3", "q4"), 2, rng=7)
    ('q4', 'q2')
    """
    every = sorted(set(query_ids))
    if checks.count("n", n) > len(every):
        raise ArgumentError(f"{n} queries cannot be drawn from {len(every)}")
    drawn = stream(entropy(rng), "sample queries").permutation(len(every))[:n]
    return tuple(every[i] for i in drawn)


@dataclass(frozen=True)
class ToJudge:
    """Documents that nobody judged, of all queries, and those that could turn the difference.

    Attributes
    ----------
    measure : str
    difference : float
        Mean of B - A, unjudged documents not relevant.
    documents : tuple of Unjudged
        In depth order: those first that a run has highest.
    tipping : tuple of Unjudged
        The fewest, found one at a time, that would turn the sign of the mean if each had the
        highest grade; its swing is that at its turn. Empty where no number of them does.
    grade : int
        The highest grade of the qrels.
    """

    measure: str
    difference: float
    documents: tuple[Unjudged, ...]
    tipping: tuple[Unjudged, ...]
    grade: int


def documents_to_judge(
    qrels: Any,  # noqa: ANN401 - whatever read_qrels reads
    a: Any,  # noqa: ANN401 - whatever read_run reads
    b: Any,  # noqa: ANN401
    *,
    measure: str | None = None,
    depth: int | None = None,
) -> ToJudge:
    """Return the unjudged documents in the top ranks of either run.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        Only queries with a judgment are looked at.
    a, b : path, DataFrame, dict of dicts, iterable of tuples, or Run
    measure : str, optional
        nDCG@10 without it.
    depth : int, optional
        Ranks to look at; the measure's cut-off, else 10, without it.

    Returns
    -------
    ToJudge

    References
    ----------
    Carterette, Allan & Sitaraman (2006), SIGIR: judge first what tells two systems apart. Depth
    order needed no more judgments than the order of the swings on TREC Web 2012 and CAsT 2021.

    Examples
    --------
    >>> runs = {"q1": {"d1": 3.0, "d2": 2.0}}, {"q1": {"d9": 3.0, "d2": 2.0}}
    >>> found = documents_to_judge({"q1": {"d1": 1, "d2": 0}}, *runs, measure="P@2")
    >>> [(each.doc_id, each.rank_b, each.swing) for each in found.documents], len(found.tipping)
    ([('d9', 1, 0.5)], 1)
    """
    read, runs = inputs.read_qrels(qrels), [inputs.read_run(a), inputs.read_run(b)]
    (asked,) = EvaluateOptions().measures([measure or "nDCG@10"])
    joined = [inputs.join(read, run, keep_scores=True) for run in runs]
    deep = checks.count("depth", depth_of(asked, DEPTH) if depth is None else depth)
    every = range(len(read.query_ids))
    found = unjudged_documents(asked, read, runs, joined, places=every, depth=deep)
    place = {query_id: at for at, query_id in enumerate(read.query_ids)}
    query = np.array([place[each.query_id] for each in found], dtype=np.int64)
    ranks = np.array([(each.rank_a, each.rank_b) for each in found], np.int64).reshape(-1, 2)
    moved, grade = np.array([each.swing for each in found]), highest_grade(read)
    order = sorted(found, key=lambda each: (_first(each), each.query_id, each.doc_id))
    difference = float((asked(joined[1]) - asked(joined[0])).mean())
    tipping = _tip(asked, joined, query, ranks, moved, grade)
    turned = tuple(replace(found[i], swing=by) for i, by in tipping)
    return ToJudge(asked.name, difference, tuple(order), turned, grade)


def _first(document: Unjudged) -> int:
    """Return the better of the two ranks."""
    return min(rank for rank in (document.rank_a, document.rank_b) if rank)


def _tip(
    measure: Measure,
    joined: list[JudgedRun],
    query: IntArray,
    ranks: IntArray,
    moved: FloatArray,
    grade: int,
) -> list[tuple[int, float]]:
    """Return documents, each the one that takes most of the mean, until its sign has turned."""
    runs, left, by = list(joined), np.ones(len(query), np.bool_), moved.copy()
    total = float((measure(runs[1]) - measure(runs[0])).sum())
    sign, found = np.sign(total), list[tuple[int, float]]()
    while total * sign > 0.0 and len(found) < MOST_TIPPING and left.any():
        gain = np.where(left, sign * by, np.inf)
        best = int(gain.argmin())
        if gain[best] >= 0.0:
            return []
        found.append((best, float(by[best])))
        left[best] = False
        total += float(by[best])
        one = query[best : best + 1]
        runs = [
            with_judgments(run, one, ranks[best : best + 1, side], grade)
            for side, run in enumerate(runs)
        ]
        same = np.flatnonzero(left & (query == query[best]))
        by[same] = swing(measure, runs[0], runs[1], query[same], *ranks[same].T, grade=grade)
    return found if total * sign <= 0.0 else []
