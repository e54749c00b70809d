"""One query of two runs: the documents of both, where relevant ones went, what to judge next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from abrank import inputs
from abrank._support import checks
from abrank._support.display import shorten
from abrank._support.errors import ArgumentError, nearest
from abrank._support.records import record
from abrank._support.result import Printed
from abrank.evaluation import EvaluateOptions
from abrank.inputs import ids
from abrank.inputs.texts.documents import read_documents
from abrank.measures import Measure
from abrank.measures.sensitivity.swing import swing

TO_JUDGE = 12
# How far a list is searched for unjudged documents where the measure has no cut-off.
DEEPEST = 100


@dataclass(frozen=True)
class Found:
    """A document of a query: its grade (None: not judged), its ranks (0: not retrieved)."""

    doc_id: str
    grade: int | None
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
class Inspection(Printed, text="abrank.report.formats.terminal.query_text:query_text"):
    """One query of A and B.

    Attributes
    ----------
    query_id, text : str
        The text is empty where none is known.
    baseline, candidate : str
    measures : tuple of str
    a, b : tuple of float
        The scores of the query, a measure each.
    rankings : pair of tuple of (str, int or None)
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
    rankings: tuple[tuple[tuple[str, int | None], ...], tuple[tuple[str, int | None], ...]]
    relevant: tuple[Found, ...]
    to_judge: tuple[Unjudged, ...]
    grade: int
    documents: Mapping[str, str]


def inspect_query(
    qrels: Any,  # noqa: ANN401 - whatever read_qrels reads
    a: Any,  # noqa: ANN401 - whatever read_run reads
    b: Any,  # noqa: ANN401
    query_id: str,
    *,
    measures: Sequence[str] | str | None = None,
    documents: Any = None,  # noqa: ANN401 - whatever read_documents reads
    text: str = "",
    n_to_judge: int = TO_JUDGE,
) -> Inspection:
    """Lay the two rankings of one query side by side.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
    a, b : path, DataFrame, dict of dicts, iterable of tuples, or Run
    query_id : str
        One of the judged queries.
    measures : sequence of str, optional
        As in :func:`abrank.compare`; what to judge goes by the first.
    documents : path or mapping, optional
        Titles or texts by document id.
    text : str
        Of the query.
    n_to_judge : int
        How many unjudged documents are named.

    Returns
    -------
    Inspection

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
    checks.count("n_to_judge", n_to_judge, at_least=0)
    read, runs = inputs.read_qrels(qrels), [inputs.read_run(a), inputs.read_run(b)]
    asked = EvaluateOptions().measures(measures)
    grades = _judgments(read, query_id)
    lists = [[doc for doc, _ in run.ranking(query_id)] for run in runs]
    joined = [inputs.join(read, run, keep_scores=True) for run in runs]
    place = read.query_ids.index(query_id)
    scores = [tuple(float(measure(run)[place]) for measure in asked) for run in joined]
    depth = depth_of(asked[0], DEEPEST)
    found = unjudged_documents(asked[0], read, runs, joined, places=(place,), depth=depth)
    by_swing = sorted(found, key=lambda each: -abs(each.swing))
    rel = dict(asked[0].parameters).get("rel", 1)
    return Inspection(
        query_id=query_id,
        text=text,
        baseline=runs[0].name,
        candidate=runs[1].name,
        measures=tuple(measure.name for measure in asked),
        a=scores[0],
        b=scores[1],
        rankings=tuple(tuple((doc, grades.get(doc)) for doc in found) for found in lists),  # type: ignore[arg-type] # two
        relevant=tuple(
            Found(doc, known, *(_rank(found, doc) for found in lists))
            for doc, known in sorted(grades.items(), key=lambda item: (-item[1], item[0]))
            if known >= (rel if isinstance(rel, int) else 1)
        ),
        to_judge=tuple(by_swing[:n_to_judge]),
        grade=highest_grade(read),
        documents={}
        if documents is None
        else read_documents(documents, {*grades, *lists[0][:DEEPEST], *lists[1][:DEEPEST]}),
    )


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
    """Return the documents in the top ranks of A or B that nobody judged, and their swings.

    Parameters
    ----------
    runs, joined : A and B
        As they were read, and joined with the qrels.
    places : sequence of int
        The queries to look at, as places in the qrels, ascending.
    depth : int
        Ranks to look at; a document found there has its ranks in both lists, however deep.

    Returns
    -------
    list of Unjudged
        By query, A's documents first.
    """
    query, docs, ranks = list[int](), list[str](), list[tuple[int, int]]()
    for place in places:
        name = qrels.query_ids[place]
        start, stop = np.searchsorted(qrels.query, [place, place + 1])
        judged = set(ids.decode(qrels.docs[int(start) : int(stop)]))
        lists = [[doc for doc, _ in run.ranking(name)] for run in runs]
        at_a, at_b = ({doc: rank for rank, doc in enumerate(each, 1)} for each in lists)
        seen = dict.fromkeys(doc for each in lists for doc in each[:depth])
        found = [doc for doc in seen if doc not in judged]
        docs += found
        query += [place] * len(found)
        ranks += [(at_a.get(doc, 0), at_b.get(doc, 0)) for doc in found]
    rank_a, rank_b = np.array(ranks, dtype=np.int64).reshape(len(docs), 2).T
    a, b = joined
    at = np.array(query, dtype=np.int64)
    moved = swing(measure, a, b, at, rank_a, rank_b, grade=highest_grade(qrels))
    rows = zip(query, docs, ranks, moved.tolist(), strict=True)
    return [Unjudged(qrels.query_ids[place], doc, *both, by) for place, doc, both, by in rows]


def _judgments(qrels: inputs.Qrels, query_id: str) -> dict[str, int]:
    """Return the grades of a query by document."""
    if query_id not in qrels.query_ids:
        close = nearest(query_id, qrels.query_ids)
        hint = f"; did you mean {close[0]}?" if close else f"; the first is {qrels.query_ids[0]}"
        raise ArgumentError(f'query "{shorten(query_id)}" is not judged in the qrels{hint}')
    return qrels.grades(query_id)


def _rank(ranking: list[str], doc: str) -> int:
    return ranking.index(doc) + 1 if doc in ranking else 0
