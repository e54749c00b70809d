"""One query of two runs, document by document, and what to judge next."""

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
from abrank._support.typing import BoolArray, IntArray, RandomSource
from abrank.inputs import JudgedRun, ids
from abrank.inputs.topics import read_documents
from abrank.measures import Measure
from abrank.measures.names import parse_measures
from abrank.measures.sensitivity import swing

if TYPE_CHECKING:
    import pandas as pd

# --- One query of two runs: the documents of both, where relevant ones went, what to judge next

TO_JUDGE = 12
# How far a list is searched for unjudged documents where the measure has no cut-off.
DEEPEST = 100


@dataclass(frozen=True)
class Found:
    """A document of a query: its grade (None: not judged) and its ranks."""

    # A rank of 0 is not retrieved, of -1 unknown: not among the documents that a result keeps.

    doc_id: str
    grade: float | None
    rank_a: int
    rank_b: int


@record
class Unjudged:
    """An unjudged document, and how far B - A of its query moves if it has the highest grade."""

    query_id: str
    doc_id: str
    rank_a: int
    rank_b: int
    swing: float


@record
class Inspection(Printed):
    """One query of A and B.

    query_id, text : str
        The text is empty where none is known.
    baseline, candidate : str
    measures : tuple of str
    a, b : tuple of float
        The scores of the query, a measure each.
    rankings : pair of tuple of (str, float or None)
        All documents of A and of B with their grades.
    relevant : tuple of Found
        The relevant documents, by their grade, with their places in both.
    to_judge : tuple of Unjudged
        The documents whose judgment could move the first measure's difference the most.
    grade : int
        The grade that was assumed for them: the highest of the judgments.
    documents : mapping of str to str
        Title or text of the documents, where they are known.
    """

    query_id: str
    text: str
    baseline: str
    candidate: str
    measures: tuple[str, ...]
    a: tuple[float, ...]
    b: tuple[float, ...]
    rankings: tuple[tuple[tuple[str, float | None], ...], tuple[tuple[str, float | None], ...]]
    relevant: tuple[Found, ...]
    to_judge: tuple[Unjudged, ...]
    grade: int
    documents: Mapping[str, str]

    def to_frame(self) -> pd.DataFrame:
        """Return a fresh frame, one row a measure: ``measure a b``."""
        import pandas as pd

        return pd.DataFrame({"measure": self.measures, "a": self.a, "b": self.b})

    def __repr__(self) -> str:
        lead = zip(self.measures[:1], self.a, self.b, strict=False)
        text = "".join(f", {name} {a:.3f} → {b:.3f}" for name, a, b in lead)
        names = f"{self.candidate!r} against {self.baseline!r}"
        return f"<Inspection of query {self.query_id!r}: {names}{text}>"


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
    """Lay the two rankings of one query side by side.

    Source: Carterette, Allan & Sitaraman (2006), SIGIR, 268-275: what to judge first.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
    a, b : path, DataFrame, dict of dicts, iterable of tuples, or Run
    query_id : str or int
        One of the judged queries.
    measures : sequence of str, optional
        As in :func:`abrank.compare`; what to judge goes by the first.
    docs : path or mapping, optional
        Titles or texts by document id.
    text : str
        Of the query.
    judge : int
        How many unjudged documents are named.

    Raises
    ------
    ArgumentError
        If nobody judged a document for the query.
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
    read, runs = inputs.read_qrels(qrels), [inputs.read_run(a), inputs.read_run(b)]
    requested = parse_measures(measures)
    place = place_of_query(query_id, read.query_ids, "judged in the qrels")
    query_id = read.query_ids[place]
    grades = read.grades(query_id)
    lists = [[doc for doc, _ in run.ranking(query_id)] for run in runs]
    joined = [inputs.join(read, run, keep_scores=True) for run in runs]
    scores = [tuple(float(measure(run)[place]) for measure in requested) for run in joined]
    depth = depth_of(requested[0], DEEPEST)
    documents = unjudged_documents(requested[0], read, runs, joined, places=(place,), depth=depth)
    by_swing = sorted(documents, key=lambda item: -abs(item.swing))
    rel = dict(requested[0].parameters).get("rel", 1)
    return Inspection(
        query_id=query_id,
        text=text,
        baseline=runs[0].name,
        candidate=runs[1].name,
        measures=tuple(measure.name for measure in requested),
        a=scores[0],
        b=scores[1],
        rankings=tuple(tuple((doc, grades.get(doc)) for doc in result) for result in lists),  # type: ignore[arg-type] # two
        relevant=tuple(
            Found(doc, names, *(item.index(doc) + 1 if doc in item else 0 for item in lists))
            for doc, names in sorted(grades.items(), key=lambda item: (-item[1], item[0]))
            if names >= (rel if isinstance(rel, (int, float)) else 1)
        ),
        to_judge=tuple(by_swing[:judge]),
        grade=highest_grade(read),
        documents={}
        if docs is None
        else read_documents(docs, {*grades, *lists[0][:DEEPEST], *lists[1][:DEEPEST]}),
    )


def place_of_query(query_id: str | int, query_ids: Sequence[str], kind: str) -> int:
    """Return where a query stands among others; ``kind`` says of what it is not one."""
    name = str(query_id)
    if name in query_ids:
        return query_ids.index(name)
    close = nearest(name, query_ids)
    first = f"; the first is {query_ids[0]}" if query_ids else "; there is none"
    hint = f"; did you mean {close[0]}?" if close else first
    raise ArgumentError(f'query "{shorten(name)}" is not {kind}{hint}')


def highest_grade(qrels: inputs.Qrels) -> int:
    """Return the grade that a document is given which nobody judged: the highest, at least 1."""
    return max(1, int(qrels.grade.max(initial=1)))


def depth_of(measure: Measure, otherwise: int) -> int:
    """Return the cut-off of a measure, or the depth to take where it has none."""
    cutoff = dict(measure.parameters).get("cutoff")
    return cutoff if isinstance(cutoff, int) else otherwise


def unjudged_documents(
    measure: Measure,
    qrels: inputs.Qrels,
    runs: Sequence[inputs.Run],
    joined: Sequence[inputs.JudgedRun],
    *,
    places: Sequence[int],
    depth: int,
) -> list[Unjudged]:
    """Return the documents in the top ranks of A or B that nobody judged, and their swings."""
    query, docs, ranks = list[int](), list[str](), list[tuple[int, int]]()
    for place in places:
        name = qrels.query_ids[place]
        start, stop = np.searchsorted(qrels.query, [place, place + 1])
        judged = set(ids.decode(qrels.docs[int(start) : int(stop)]))
        lists = [[doc for doc, _ in run.ranking(name)] for run in runs]
        at_a, at_b = ({doc: rank for rank, doc in enumerate(item, 1)} for item in lists)
        fromkeys = dict.fromkeys(doc for item in lists for doc in item[:depth])
        result = [doc for doc in fromkeys if doc not in judged]
        docs += result
        query += [place] * len(result)
        ranks += [(at_a.get(doc, 0), at_b.get(doc, 0)) for doc in result]
    rank_a, rank_b = np.array(ranks, dtype=np.int64).reshape(len(docs), 2).T
    a, b = joined
    values = np.array(query, dtype=np.int64)
    moved = swing(measure, a, b, values, rank_a, rank_b, grade=highest_grade(qrels))
    rows = zip(query, docs, ranks, moved.tolist(), strict=True)
    return [Unjudged(qrels.query_ids[place], doc, *both, by) for place, doc, both, by in rows]


# --- What to judge next: a random draw of queries, the unjudged documents

DEPTH = 10  # ranks that are looked at where the measure has no cut-off


@explained
def sample_queries(
    query_ids: tuple[str, ...] | inputs.Qrels | inputs.Run, n: int, *, rng: RandomSource = 0
) -> tuple[str, ...]:
    """Draw queries for people to judge, of ids, judgments or a run; at random, none twice.

    Source: Cochran (1977), Sampling Techniques, 3rd ed., chapter 2: a simple random sample.
    """
    arguments: Any = query_ids
    ids = getattr(arguments, "query_ids", arguments)
    if isinstance(ids, str) or not isinstance(ids, Iterable):
        raise ArgumentError(f"query_ids are judgments, a run or a list of ids, not {arguments!r}")
    everything = sorted(set(ids))
    if checks.count("n", n) > len(everything):
        raise ArgumentError(f"{n} queries cannot be drawn from {len(everything)}")
    permutation = stream(entropy(rng), "sample queries").permutation(len(everything))[:n]
    return tuple(everything[i] for i in permutation)


@record
class ToJudge:
    """Documents that nobody judged, of all queries.

    measure : str
    difference : float
        Mean of B - A, unjudged documents not relevant.
    documents : tuple of Unjudged
        In depth order: those first that a run has highest. In a comparison only the 12 with the
        largest swings, largest first; there a rank of 0 is one beyond those that were kept, 20.
    grade : int
        The highest grade of the qrels.
    depth : int
        Ranks of either run that were looked at.
    n_documents : int
        All that nobody judged there, shown or not.
    """

    measure: str
    difference: float
    documents: tuple[Unjudged, ...]
    grade: int
    depth: int = DEPTH
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

    Source: Carterette, Allan & Sitaraman (2006), SIGIR. Depth order needed no more judgments than
    the order of the swings on TREC Web 2012 and CAsT 2021.
    """
    read, runs = inputs.read_qrels(qrels), [inputs.read_run(a), inputs.read_run(b)]
    (requested,) = parse_measures([measure or "nDCG@10"])
    joined = [inputs.join(read, run, keep_scores=True) for run in runs]
    deep = checks.count("depth", depth_of(requested, DEPTH) if depth is None else depth)
    everything = range(len(read.query_ids))
    documents = unjudged_documents(requested, read, runs, joined, places=everything, depth=deep)
    values = np.ones(len(everything), np.bool_)
    return rank_documents(
        requested, joined, documents, selected=values, depth=deep, grade=highest_grade(read)
    )


def rank_documents(
    measure: Measure,
    joined: Sequence[JudgedRun],
    result: Sequence[Unjudged],
    *,
    selected: BoolArray,
    depth: int,
    grade: int,
) -> ToJudge:
    """Put unjudged documents in depth order."""
    differences = (measure(joined[1]) - measure(joined[0]))[selected]
    return ToJudge(
        measure.name,
        float(differences.mean()),
        tuple(sorted(result, key=lambda item: (
            min(filter(None, (item.rank_a, item.rank_b))), item.query_id, item.doc_id
        ))),
        grade,
        depth,
        len(result),
    )  # fmt: skip


def pool_text(documents: Sequence[Unjudged]) -> str:
    r"""Return a pool file: ``query_id 0 doc_id`` a line, to which a grade is to be added."""
    return "".join(f"{document.query_id} 0 {document.doc_id}\n" for document in documents)


def top_documents_to_judge(
    measure: Measure, a: inputs.JudgedSource, b: inputs.JudgedSource, selected: IntArray
) -> ToJudge | None:
    """Return the unjudged documents that could most move the mean difference."""
    parameters = dict(measure.parameters)
    depth = parameters.get("cutoff")
    if not isinstance(depth, int) or parameters.get("judged_only"):
        return None
    wanted = np.zeros(a.judged.n_queries, dtype=np.bool_)
    wanted[selected] = True
    if not all(_reaches(item, depth, wanted) for item in (a, b)):
        return None
    at_a, at_b = (_unjudged(item, wanted) for item in (a, b))
    result = {doc: (at_a.get(doc, 0), at_b.get(doc, 0)) for doc in {**at_a, **at_b}}
    near = {
        doc: ranks for doc, ranks in result.items() if min(rank for rank in ranks if rank) <= depth
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
    everything = rank_documents(
        measure, joined, documents, selected=wanted, depth=depth, grade=grade
    )
    largest = sorted(everything.documents, key=lambda item: -round(abs(item.swing), 12))
    return replace(everything, documents=tuple(largest[:TO_JUDGE]))


def _reaches(item: inputs.JudgedSource, depth: int, wanted: BoolArray) -> bool:
    """Whether the documents of all the first ranks were kept."""
    top = item.top_docs
    count = np.bincount(top.query[top.rank <= depth], minlength=len(wanted))
    return bool((count >= np.minimum(item.judged.n_retrieved, depth))[wanted].all())


def _unjudged(item: inputs.JudgedSource, wanted: BoolArray) -> dict[tuple[int, str], int]:
    """Return the ranks of the unjudged documents among the first, by query and document."""
    top, judged = item.top_docs, item.judged
    beyond = 1 + int(top.rank.max(initial=0))
    near = judged.rank < beyond
    names = judged.query[near] * beyond + judged.rank[near]
    unknown = wanted[top.query] & (top.rank <= judged.n_retrieved[top.query])
    unknown &= ~np.isin(top.query * beyond + top.rank, names)
    rows = np.flatnonzero(unknown)
    docs = ids.decode(ids.take(top.docs, rows))
    places = zip(top.query[rows].tolist(), docs, strict=True)
    return dict(zip(places, top.rank[rows].tolist(), strict=True))
