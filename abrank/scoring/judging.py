"""Inspect one query of two runs, and choose what to judge next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank import inputs
from abrank._support import checks
from abrank._support.checks import explained
from abrank._support.display import shorten
from abrank._support.errors import ArgumentError, nearest
from abrank._support.result import Printed, record
from abrank._support.rng import entropy, stream
from abrank._support.typing import IntArray, RandomSource
from abrank.inputs import JudgedRun, TopDocs, ids
from abrank.inputs.join import block_of, join_pieces
from abrank.inputs.topics import read_documents
from abrank.measures import Measure
from abrank.measures.names import RequestedMeasures, lowest_relevant
from abrank.measures.sensitivity import assumed_grade, swing

if TYPE_CHECKING:
    import pandas as pd

# --- Inspect one query of two runs

TO_JUDGE = 12
# Depth to which unjudged documents are searched if the measure has no cut-off.
INSPECTED_DEPTH = 100


@dataclass(frozen=True)
class QueryDocument:
    """A document of a query: its grade (None if unjudged) and its ranks."""

    # Rank 0: not retrieved. Rank -1: unknown, because results only store the first documents.

    doc_id: str
    grade: float | None
    rank_a: int
    rank_b: int


@record
class Unjudged:
    """An unjudged document, and the change of the query's B - A if it has the highest grade."""

    query_id: str
    doc_id: str
    rank_a: int
    rank_b: int
    swing: float


@record
class Inspection(Printed):
    """One query of A and B.

    query_id, text : str
        The text is empty if unknown.
    baseline, candidate : str
    measures : tuple of str
    a, b : tuple of float
        The scores of the query, one per measure.
    rankings : pair of tuple of (str, float or None)
        All documents of A and of B with their grades.
    relevant : tuple of QueryDocument
        The relevant documents, sorted by grade, with their ranks in both runs.
    to_judge : tuple of Unjudged
        The documents whose judgment could change the difference in the first measure most.
    grade : int or float
        The grade assumed for them: the highest in the judgments.
    documents : mapping of str to str
        Titles or texts of documents, if known.
    """

    query_id: str
    text: str
    baseline: str
    candidate: str
    measures: tuple[str, ...]
    a: tuple[float, ...]
    b: tuple[float, ...]
    rankings: tuple[tuple[tuple[str, float | None], ...], tuple[tuple[str, float | None], ...]]
    relevant: tuple[QueryDocument, ...]
    to_judge: tuple[Unjudged, ...]
    grade: float
    documents: Mapping[str, str]

    def to_frame(self) -> pd.DataFrame:
        """Return a new frame with one row per measure: ``measure a b``."""
        import pandas as pd

        return pd.DataFrame({"measure": self.measures, "a": self.a, "b": self.b})

    def __repr__(self) -> str:
        first_measure = zip(self.measures[:1], self.a, self.b, strict=False)
        scores = "".join(f", {name} {a:.3f} → {b:.3f}" for name, a, b in first_measure)
        names = f"{self.candidate!r} against {self.baseline!r}"
        return f"<Inspection of query {self.query_id!r}: {names}{scores}>"


@explained
def inspect_query(
    qrels: object,  # whatever read_qrels reads
    a: object,  # whatever read_run reads
    b: object,
    query_id: str | int,
    *,
    measures: Sequence[str] | str | None = None,
    docs: object = None,  # whatever read_documents reads
    text: str = "",
    judge: int = TO_JUDGE,
) -> Inspection:
    """Show the two rankings of one query side by side.

    Source: Carterette, Allan & Sitaraman (2006), SIGIR, 268-275: what to judge first.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
    a, b : path, DataFrame, dict of dicts, iterable of tuples, or Run
    query_id : str or int
        One of the judged queries.
    measures : sequence of str, optional
        As in :func:`abrank.compare`; the first one determines what to judge.
    docs : path or mapping, optional
        Titles or texts by document id.
    text : str
        Text of the query.
    judge : int
        Number of unjudged documents to suggest.

    Raises
    ------
    ArgumentError
        If the query has no judgments.
    ReadError, NotFoundError
        If an input cannot be used.

    Examples
    --------
    >>> qrels = {"q1": {"d1": 2, "d2": 0}}
    >>> found = inspect_query(qrels, {"q1": {"d1": 1.0}}, {"q1": {"d9": 2.0, "d1": 1.0}}, "q1")
    >>> found.measures[2], found.a[2], found.b[2]
    ('RR', 1.0, 0.5)
    >>> found.to_judge
    (Unjudged(query_id='q1', doc_id='d9', rank_a=0, rank_b=1, swing=0.755...),)
    """
    checks.count("judge", judge, at_least=0)
    judgments, runs = inputs.read_qrels(qrels), [inputs.read_run(a), inputs.read_run(b)]
    parsed = RequestedMeasures.of(measures).for_grades(judgments.grade).measures
    position = position_of_query(query_id, judgments.query_ids, "judged in the qrels")
    query_id = judgments.query_ids[position]
    grades = judgments.grades(query_id)
    rankings = [[doc for doc, _ in run.ranking(query_id)] for run in runs]
    joined = [_joined(judgments, run) for run in runs]
    scores = [tuple(float(measure(run)[position]) for measure in parsed) for run, _ in joined]
    depth = depth_of(parsed[0], INSPECTED_DEPTH)
    documents = rank_documents(parsed[0], joined, np.array([position]), depth=depth).documents
    by_swing = sorted(documents, key=lambda document: -abs(document.swing))
    lowest = lowest_relevant(parsed[0])
    return Inspection(
        query_id=query_id,
        text=text,
        baseline=runs[0].name,
        candidate=runs[1].name,
        measures=tuple(measure.name for measure in parsed),
        a=scores[0],
        b=scores[1],
        rankings=tuple(tuple((doc, grades.get(doc)) for doc in ranking) for ranking in rankings),  # type: ignore[arg-type] # two
        relevant=tuple(
            QueryDocument(
                doc,
                grade,
                *(ranking.index(doc) + 1 if doc in ranking else 0 for ranking in rankings),
            )
            for doc, grade in sorted(grades.items(), key=lambda pair: (-pair[1], pair[0]))
            if grade >= lowest
        ),
        to_judge=tuple(by_swing[:judge]),
        grade=assumed_grade(judgments.grade),
        documents={}
        if docs is None
        else read_documents(
            docs, {*grades, *rankings[0][:INSPECTED_DEPTH], *rankings[1][:INSPECTED_DEPTH]}
        ),
    )


def position_of_query(query_id: str | int, query_ids: Sequence[str], kind: str) -> int:
    """Return the position of a query; ``kind`` describes the list in the error message."""
    name = str(query_id)
    if name in query_ids:
        return query_ids.index(name)
    suggestions = nearest(name, query_ids)
    otherwise = f"; the first is {query_ids[0]}" if query_ids else "; there is none"
    hint = f"; did you mean {suggestions[0]}?" if suggestions else otherwise
    raise ArgumentError(f'query "{shorten(name)}" is not {kind}{hint}')


def depth_of(measure: Measure, otherwise: int) -> int:
    """Return the cut-off of a measure, or ``otherwise`` if it has none."""
    cutoff = dict(measure.parameters).get("cutoff")
    return cutoff if isinstance(cutoff, int) else otherwise


def _joined(qrels: inputs.Qrels, run: inputs.Run) -> tuple[JudgedRun, TopDocs]:
    judged, _, docs = join_pieces(qrels, [run], block_of, keep_scores=True, top=len(run))
    return judged, docs


# --- Choose what to judge next: a random sample of queries, or unjudged documents

DEPTH_WITHOUT_CUTOFF = 10  # ranks to consider if the measure has no cut-off


@explained
def sample_queries(
    query_ids: tuple[str, ...] | inputs.Qrels | inputs.Run, n: int, *, rng: RandomSource = 0
) -> tuple[str, ...]:
    """Draw a simple random sample of queries for human judgment, without replacement.

    Source: Cochran (1977), Sampling Techniques, 3rd ed., chapter 2.
    """
    source: Any = query_ids
    ids = getattr(source, "query_ids", source)
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise ArgumentError(f"query_ids are judgments, a run or a list of ids, not {source!r}")
    population = sorted(set(ids))
    if checks.count("n", n) > len(population):
        raise ArgumentError(f"{n} queries cannot be drawn from {len(population)}")
    chosen = stream(entropy(rng), "sample queries").permutation(len(population))[:n]
    return tuple(population[i] for i in chosen)


@record
class ToJudge:
    """Unjudged documents of all queries.

    measure : str
    difference : float
        Mean of B - A with unjudged documents as not relevant.
    documents : tuple of Unjudged
        By depth: documents with the best rank in either run come first. In a comparison only the 12
        with the largest swings, largest first; there a rank of 0 is beyond the stored 20 ranks.
    grade : int or float
        The highest grade of the qrels.
    depth : int
        Ranks of each run that were searched.
    n_documents : int
        Number of unjudged documents found, listed or not.
    """

    measure: str
    difference: float
    documents: tuple[Unjudged, ...]
    grade: float
    depth: int = DEPTH_WITHOUT_CUTOFF
    n_documents: int = 0


@explained
def sample_documents(
    qrels: object,  # whatever read_qrels reads
    a: object,  # whatever read_run reads
    b: object,
    *,
    measure: str | None = None,
    depth: int | None = None,
) -> ToJudge:
    """Return the unjudged documents in the top ranks of either run.

    Source: Carterette, Allan & Sitaraman (2006), SIGIR. On TREC Web 2012 and CAsT 2021, depth order
    needed no more judgments than ordering by swing.
    """
    judgments, runs = inputs.read_qrels(qrels), [inputs.read_run(a), inputs.read_run(b)]
    (requested,) = RequestedMeasures.of([measure or "nDCG@10"]).for_grades(judgments.grade).measures
    depth = checks.count(
        "depth", depth_of(requested, DEPTH_WITHOUT_CUTOFF) if depth is None else depth
    )
    joined = [_joined(judgments, run) for run in runs]
    return rank_documents(requested, joined, np.arange(len(judgments.query_ids)), depth=depth)


def rank_documents(
    measure: Measure,
    joined: Sequence[tuple[JudgedRun, TopDocs]],  # A and B
    selected: IntArray,
    *,
    depth: int,
) -> ToJudge:
    """Return the unjudged documents of some queries in the top ranks of A or B, by depth."""
    at_a, at_b = (_unjudged(judged, docs, selected) for judged, docs in joined)
    a, b = (judged for judged, _ in joined)
    ranks_of = {doc: (at_a.get(doc, 0), at_b.get(doc, 0)) for doc in {**at_a, **at_b}}
    near_top = {doc: r for doc, r in ranks_of.items() if min(filter(None, r)) <= depth}
    query = np.array([position for position, _ in near_top], dtype=np.int64)
    rank_a, rank_b = np.array(list(near_top.values()), dtype=np.int64).reshape(-1, 2).T
    grade = assumed_grade(a.ideal_grade)
    swings = swing(measure, a, b, query, rank_a, rank_b, grade=grade).tolist()
    documents = [
        Unjudged(a.query_ids[position], doc, *ranks, moved_by)
        for ((position, doc), ranks), moved_by in zip(near_top.items(), swings, strict=True)
    ]
    documents.sort(key=lambda unjudged: (
        min(filter(None, (unjudged.rank_a, unjudged.rank_b))), unjudged.query_id, unjudged.doc_id
    ))  # fmt: skip
    difference = float((measure(b) - measure(a))[selected].mean())
    return ToJudge(measure.name, difference, tuple(documents), grade, depth, len(documents))


def pool_text(documents: Sequence[Unjudged]) -> str:
    """Return a pool file with lines ``query_id 0 doc_id``, to which a judge adds grades."""
    return "".join(f"{document.query_id} 0 {document.doc_id}\n" for document in documents)


def top_documents_to_judge(
    measure: Measure, a: inputs.JudgedSource, b: inputs.JudgedSource, selected: IntArray
) -> ToJudge | None:
    """Return the unjudged documents that could change the mean difference most."""
    parameters = dict(measure.parameters)
    depth = parameters.get("cutoff")
    if not isinstance(depth, int) or parameters.get("judged_only"):
        return None
    for source in (a, b):  # requires that the first documents of both runs are stored
        top = source.top_docs
        n_kept = np.bincount(top.query[top.rank <= depth], minlength=a.judged.n_queries)
        if (n_kept < np.minimum(source.judged.n_retrieved, depth))[selected].any():
            return None
    joined = [(source.judged, source.top_docs) for source in (a, b)]
    ranked = rank_documents(measure, joined, selected, depth=depth)
    largest = sorted(ranked.documents, key=lambda document: -round(abs(document.swing), 12))
    return replace(ranked, documents=tuple(largest[:TO_JUDGE]))


def _unjudged(judged: JudgedRun, top: TopDocs, selected: IntArray) -> dict[tuple[int, str], int]:
    beyond = 1 + int(top.rank.max(initial=0))
    is_near = judged.rank < beyond
    judged_keys = judged.query[is_near] * beyond + judged.rank[is_near]
    is_unjudged = np.isin(top.query, selected) & (top.rank <= judged.n_retrieved[top.query])
    is_unjudged &= ~np.isin(top.query * beyond + top.rank, judged_keys)
    rows = np.flatnonzero(is_unjudged)
    docs = ids.decode(ids.take(top.docs, rows))
    keys = zip(top.query[rows].tolist(), docs, strict=True)
    return dict(zip(keys, top.rank[rows].tolist(), strict=True))
