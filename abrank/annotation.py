"""What to judge next: a random draw of queries, and the documents that could turn a difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from abrank import inputs
from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.rng import entropy, stream
from abrank._support.typing import BoolArray, IntArray, RandomSource
from abrank.evaluation import EvaluateOptions
from abrank.inputs import JudgedRun, ids
from abrank.inspection import TO_JUDGE, Unjudged, depth_of, highest_grade, unjudged_documents
from abrank.measures import Measure
from abrank.measures.sensitivity.swing import swing, tipping_rows

DEPTH = 10  # ranks that are looked at where the measure has no cut-off
MOST_TIPPING = 200  # documents; a longer list that would turn the difference is not given


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


@record
class ToJudge:
    """Documents that nobody judged, of all queries, and those that could turn the difference.

    Attributes
    ----------
    measure : str
    difference : float
        Mean of B - A, unjudged documents not relevant.
    documents : tuple of Unjudged
        In depth order: those first that a run has highest. In a comparison only the 12 with the
        largest swings, largest first; there a rank of 0 is one beyond those that were kept, 20.
    tipping : tuple of Unjudged
        The fewest, found one at a time, that would turn the sign of the mean if each had the
        highest grade; its swing is that at its turn. Empty where no 200 of them do.
    grade : int
        The highest grade of the qrels.
    tipped : float
        Mean of B - A if those of the tipping list were relevant; NaN where it is empty.
    depth : int
        Ranks of either run that were looked at.
    n_documents : int
        All that nobody judged there, shown or not.
    """

    measure: str
    difference: float
    documents: tuple[Unjudged, ...]
    tipping: tuple[Unjudged, ...]
    grade: int
    tipped: float = math.nan
    depth: int = DEPTH
    n_documents: int = 0


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
    kept = np.ones(len(every), np.bool_)
    return rank_documents(asked, joined, found, kept=kept, depth=deep, grade=highest_grade(read))


def rank_documents(
    measure: Measure,
    joined: Sequence[JudgedRun],
    found: Sequence[Unjudged],
    *,
    kept: BoolArray,
    depth: int,
    grade: int,
) -> ToJudge:
    """Put unjudged documents in depth order, and find those that would turn the mean.

    Parameters
    ----------
    measure : Measure
    joined : A and B
    found : sequence of Unjudged
    kept : bool[n_queries]
        The queries of the qrels that the mean is over.
    depth, grade : int
        Where the documents were found, and what each would have.
    """
    place = {query_id: at for at, query_id in enumerate(joined[0].query_ids)}
    query = np.array([place[each.query_id] for each in found], dtype=np.int64)
    ranks = np.array([(each.rank_a, each.rank_b) for each in found], np.int64).reshape(-1, 2).T
    moved = np.array([each.swing for each in found])
    differences = (measure(joined[1]) - measure(joined[0]))[kept]
    total = float(differences.sum())
    a, b = joined
    rows = tipping_rows(
        measure, a, b, query, ranks[0], ranks[1], moved,
        total=total, grade=grade, most=MOST_TIPPING,
    )  # fmt: skip
    tipped = (total + sum(by for _, by in rows)) / len(differences) if rows else math.nan
    return ToJudge(
        measure.name,
        float(differences.mean()),
        tuple(sorted(found, key=lambda each: (_first(each), each.query_id, each.doc_id))),
        tuple(replace(found[i], swing=by) for i, by in rows),
        grade,
        tipped,
        depth,
        len(found),
    )


def pool_text(documents: Sequence[Unjudged]) -> str:
    r"""Return a pool file: ``query_id 0 doc_id`` a line, to which a grade is to be added.

    Examples
    --------
    >>> pool_text([Unjudged("q1", "d9", 0, 1, 0.5)])
    'q1 0 d9\n'
    """
    return "".join(f"{each.query_id} 0 {each.doc_id}\n" for each in documents)


def _first(document: Unjudged) -> int:
    """Return the better of the two ranks."""
    return min(rank for rank in (document.rank_a, document.rank_b) if rank)


def top_documents_to_judge(
    measure: Measure, a: inputs.JudgedSource, b: inputs.JudgedSource, kept: IntArray
) -> ToJudge | None:
    """Return the unjudged documents that could most move the mean difference.

    Parameters
    ----------
    measure : Measure
    a, b : inputs.JudgedSource
        With the first documents of each query.
    kept : int64[n_kept]
        The queries that were compared.

    Returns
    -------
    ToJudge or None
        None where the measure looks at the whole ranking or beyond the ranks that were kept, or
        passes unjudged documents by.
    """
    parameters = dict(measure.parameters)
    depth = parameters.get("cutoff")
    if not isinstance(depth, int) or parameters.get("judged_only"):
        return None
    wanted = np.zeros(a.judged.n_queries, dtype=np.bool_)
    wanted[kept] = True
    if not all(_reaches(each, depth, wanted) for each in (a, b)):
        return None
    at_a, at_b = (_unjudged(each, wanted) for each in (a, b))
    found = {doc: (at_a.get(doc, 0), at_b.get(doc, 0)) for doc in {**at_a, **at_b}}
    near = {
        doc: ranks for doc, ranks in found.items() if min(rank for rank in ranks if rank) <= depth
    }
    query = np.array([place for place, _ in near], dtype=np.int64)
    rank_a, rank_b = np.array(list(near.values()), dtype=np.int64).reshape(-1, 2).T
    grade = max(1, int(a.judged.ideal_grade.max(initial=1)))
    moved = swing(measure, a.judged, b.judged, query, rank_a, rank_b, grade=grade)
    documents = [
        Unjudged(a.judged.query_ids[place], doc, *ranks, by)
        for ((place, doc), ranks), by in zip(near.items(), moved.tolist(), strict=True)
    ]
    joined = a.judged, b.judged
    every = rank_documents(measure, joined, documents, kept=wanted, depth=depth, grade=grade)
    largest = sorted(every.documents, key=lambda each: -round(abs(each.swing), 12))
    return replace(every, documents=tuple(largest[:TO_JUDGE]))


def _reaches(each: inputs.JudgedSource, depth: int, wanted: BoolArray) -> bool:
    """Whether the documents of all the first ranks were kept."""
    top = each.top_docs
    kept = np.bincount(top.query[top.rank <= depth], minlength=len(wanted))
    return bool((kept >= np.minimum(each.judged.n_retrieved, depth))[wanted].all())


def _unjudged(each: inputs.JudgedSource, wanted: BoolArray) -> dict[tuple[int, str], int]:
    """Return the ranks of the unjudged documents among the first, by query and document."""
    top, judged = each.top_docs, each.judged
    beyond = 1 + int(top.rank.max(initial=0))
    near = judged.rank < beyond
    known = judged.query[near] * beyond + judged.rank[near]
    unknown = wanted[top.query] & (top.rank <= judged.n_retrieved[top.query])
    unknown &= ~np.isin(top.query * beyond + top.rank, known)
    rows = np.flatnonzero(unknown)
    docs = ids.decode(ids.take(top.docs, rows))
    places = zip(top.query[rows].tolist(), docs, strict=True)
    return dict(zip(places, top.rank[rows].tolist(), strict=True))
