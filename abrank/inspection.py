"""One query of two runs: the documents of both, where relevant ones went, what to judge next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from abrank import inputs
from abrank._support import checks, lazy
from abrank._support.display import shorten
from abrank._support.errors import ArgumentError, nearest
from abrank.evaluation import EvaluateOptions
from abrank.inputs import ids
from abrank.inputs.documents import read_documents
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


@dataclass(frozen=True)
class Unjudged:
    """An unjudged document, and how far B - A of its query moves if it has the highest grade."""

    query_id: str
    doc_id: str
    rank_a: int
    rank_b: int
    swing: float


@dataclass(frozen=True)
class Inspection:
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

    def __str__(self) -> str:
        text: str = lazy.attribute("abrank.report.formats.query_text", "query_text")(self)
        return text


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
    grade = max(1, int(read.grade.max(initial=1)))
    open_ = _unjudged(asked[0], grades, lists)
    ranks = [np.array([_rank(found, doc) for doc in open_], dtype=np.int64) for found in lists]
    query = np.full(len(open_), place)
    moved = swing(asked[0], joined[0], joined[1], query, *ranks, grade=grade).tolist()
    each = zip(open_, *(found.tolist() for found in ranks), moved, strict=True)
    by_swing = sorted((Unjudged(query_id, *row) for row in each), key=lambda row: -abs(row.swing))
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
        grade=grade,
        documents={}
        if documents is None
        else read_documents(documents, {*grades, *open_, *lists[0][:DEEPEST], *lists[1][:DEEPEST]}),
    )


def _judgments(qrels: inputs.Qrels, query_id: str) -> dict[str, int]:
    """Return the grades of a query by document."""
    if query_id not in qrels.query_ids:
        close = nearest(query_id, qrels.query_ids)
        hint = f"; did you mean {close[0]}?" if close else f"; the first is {qrels.query_ids[0]}"
        raise ArgumentError(f'query "{shorten(query_id)}" is not judged in the qrels{hint}')
    rows = np.flatnonzero(qrels.query == qrels.query_ids.index(query_id))
    docs = ids.decode(ids.take(qrels.docs, rows))
    return dict(zip(docs, qrels.grade[rows].tolist(), strict=True))


def _unjudged(measure: Measure, grades: Mapping[str, int], lists: list[list[str]]) -> list[str]:
    """Return the documents that the measure looks at and nobody judged, A's first."""
    cutoff = dict(measure.parameters).get("cutoff")
    depth = cutoff if isinstance(cutoff, int) else DEEPEST
    seen = dict.fromkeys(doc for found in lists for doc in found[:depth])
    return [doc for doc in seen if doc not in grades]


def _rank(ranking: list[str], doc: str) -> int:
    return ranking.index(doc) + 1 if doc in ranking else 0
