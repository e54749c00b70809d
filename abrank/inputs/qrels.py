"""Judgments: who was judged for which query, and how."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from abrank._support import checks, display
from abrank._support.checks import explained
from abrank._support.errors import ArgumentError
from abrank._support.typing import Duplicates, IntArray
from abrank.inputs import columns as raw
from abrank.inputs import files, ids
from abrank.inputs.columns import KEEP_ONE, QRELS, SUBTOPIC_QRELS, Columns, Source, has_duplicates
from abrank.inputs.columns import duplicates as duplicate_rows
from abrank.inputs.judged import Subtopics, gather
from abrank.inputs.trec import write_lines

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Qrels(raw.RowsByQuery):
    """Judgments, a row each, by query and then by document id.

    Judgments by subtopic are kept beside them; then a document's grade is its highest one.

    Attributes
    ----------
    name : str
    query_ids : tuple of str
        The judged queries, ascending by bytes.
    query : int64[n_rows]
        Index into ``query_ids``, ascending.
    docs : Ids
        Document ids as bytes, ascending within a query; :attr:`doc_id` gives text.
    grade : int64[n_rows], or float64[n_rows] where one is a fraction
        Negative grades are kept.
    source : Source
        File, hash, number of rows.
    subtopics : Subtopics or None
        The judgments by subtopic, where they were asked for.

    Examples
    --------
    >>> qrels = read_qrels({"301": {"d2": 1, "d1": 0}})
    >>> qrels, qrels.query_ids, qrels.grade
    (Qrels('qrels': 1 query, 2 judgments), ('301',), array([0, 1]))
    """

    grade: IntArray
    source: Source = field(default=Source(None, None, 0))
    subtopics: Subtopics | None = None

    def __repr__(self) -> str:
        return self._repr_of("judgment")

    def grades(self, query_id: str) -> dict[str, int]:
        """Return the grades of one query's documents; empty if it was not judged.

        Examples
        --------
        >>> read_qrels({"301": {"d2": 1, "d1": 0}}).grades("301")
        {'d1': 0, 'd2': 1}
        """
        doc_ids, rows = self._documents(query_id)
        return dict(zip(doc_ids, self.grade[rows].tolist(), strict=True))

    def frame(self) -> pd.DataFrame:
        """Return a fresh DataFrame with the columns query_id, doc_id (of str), relevance (int64).

        Examples
        --------
        >>> read_qrels({"301": {"d2": 1, "d1": 0}}).frame()
          query_id doc_id  relevance
        0      301     d1          0
        1      301     d2          1
        """
        return self._frame(relevance=self.grade.copy())

    def write(self, path: str | os.PathLike[str], *, blanks: str | None = None) -> Path:
        """Write a qrels file (gzip if the name ends in .gz) and return its path.

        Judgments by subtopic are written as such.

        Parameters
        ----------
        path : str or path
        blanks : str, optional
            What stands for the blanks of an id, such as ``"_"``: the queries of Quepid are texts.

        Raises
        ------
        ArgumentError
            If an id cannot stand in such a file: it holds a blank, or is another's with ``blanks``.
        WriteError
            If the file cannot be written; one that was there stays.
        """
        rows, grades, iterations = np.arange(len(self)), self.grade, ["0"] * len(self)
        if self.subtopics is not None:
            rows, grades = self.subtopics.document, self.subtopics.grade
            iterations = [self.subtopics.ids[i] for i in self.subtopics.subtopic]
        queries = ids.encode([self.query_ids[i] for i in self.query[rows]])
        texts = (queries, ids.encode(iterations), ids.take(self.docs, rows))
        columns = [*map(ids.unpack, texts), [repr(grade).encode() for grade in grades.tolist()]]
        return write_lines(path, columns, blanks)


@explained
def read_qrels(
    source: object,  # one of the kinds below
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    subtopics: bool = False,
    duplicates: Duplicates = "error",
    max_input_size: int | None = None,
) -> Qrels:
    """Read judgments.

    Parameters
    ----------
    source : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        A path (``-`` is standard input; packed files are unpacked) to lines of exactly four
        fields, ``query_id 0 doc_id grade``; a frame with the columns query_id, doc_id, relevance
        (or the names other tools give them); ``{query_id: {doc_id: grade}}``; tuples (query_id,
        doc_id, grade). A Qrels is returned as it is. Ids are text, never numbers.
    name : str, optional
        The file's name without folder and endings, or ``qrels``, without it.
    columns : mapping, optional
        Which columns of a frame to take: ``{"query_id": "topic number"}``.
    subtopics : bool
        Whether these are judgments by subtopic, as the diversity tasks of TREC have them: lines
        ``query_id subtopic doc_id grade``, a frame with a column subtopic (or iteration), tuples
        (query_id, subtopic, doc_id, grade). A document may stand there once for each subtopic of a
        query. Plain measures take its highest grade.
    duplicates : {"error", "first", "max"}
        What to do where a document is judged twice for a query (and subtopic): refuse, or keep the
        first judgment, or the highest grade. How many are left out is a note of the source.
    max_input_size : int, optional
        Most bytes that a file may hold once it is unpacked. Without it what is packed or comes
        through a pipe may hold 4 GiB, other files any number.

    Raises
    ------
    NotFoundError
        If there is no such file.
    ReadError
        If a line or value cannot be used, or a document is judged twice for a query (and subtopic)
        under ``duplicates="error"``, whether the grades agree or not, or subtopics were asked for
        and all rows have the same. The message names file and line.
    ArgumentError
        If the source is none of these, or a Qrels without the subtopics that were asked for.

    Notes
    -----
    Blank lines are skipped, and lines that begin with ``#`` unless they have the four fields of a
    judgment: a query may be called ``#c++``. How many were skipped is a note. A grade may
    be a fraction (trec_eval reads 0.5 as 0 in silence): measures of gain take it as it is, those of
    relevance ask from which grade on, ``AP(rel=1)``.

    Examples
    --------
    >>> read_qrels([("301", "d1", 1), ("302", "d1", 0)]).query_ids
    ('301', '302')
    >>> rows = [("301", "a", "d1", 0), ("301", "b", "d1", 2), ("301", "b", "d2", 1)]
    >>> read_qrels(rows, subtopics=True).grades("301")
    {'d1': 2, 'd2': 1}
    """
    if isinstance(source, Qrels):
        if subtopics and source.subtopics is None:
            raise ArgumentError(
                f"{source.name} holds no judgments by subtopic; read it with subtopics=True"
            )
        return source if name is None else replace(source, name=name)
    checks.one_of("duplicates", duplicates, get_args(Duplicates))
    layout = SUBTOPIC_QRELS if subtopics else QRELS
    if isinstance(source, (str, os.PathLike)):
        name = name or files.short_name(source)
    construct = _build_by_subtopic if subtopics else build
    # The rows read have no name here: they go while judgments are made of them.
    return construct(
        files.read_columns(source, layout, columns=columns, max_input_size=max_input_size),
        name or "qrels", duplicates,
    )  # fmt: skip


def build(columns: Columns, name: str, duplicates: Duplicates = "error") -> Qrels:
    """Return judgments of checked columns, each document of a query there once."""
    distinct, query = ids.number(columns.query)
    if has_duplicates(query, columns.doc, ids.fingerprint(columns.doc)):
        columns, rows = _once(columns, query, duplicates)
        query = query[rows]
    docs, grade, source = columns.doc, columns.value, columns.source
    del columns  # of millions of rows the lines' numbers take as much as the grades
    order = ids.order_within(query, docs)
    query, grade = query[order], grade[order]
    docs = ids.take(docs, order)
    return Qrels(name, tuple(ids.decode(distinct)), query, docs, grade, source)


def _build_by_subtopic(columns: Columns, name: str, duplicates: Duplicates) -> Qrels:
    """Keep each document once, with its highest grade, and the judgments by subtopic beside it."""
    if columns.subtopic is None:  # of LETOR, which has none
        columns = replace(columns, subtopic=ids.pack([b""] * len(columns.value)))
    distinct, query = ids.number(columns.query)
    _, subtopic = ids.code(columns.subtopic)
    per_subtopic = query * (subtopic.max() + 1) + subtopic
    if has_duplicates(per_subtopic, columns.doc, ids.fingerprint(columns.doc)):
        columns, rows = _once(columns, per_subtopic, duplicates)
        query = query[rows]
    doc_ids, doc = ids.number(columns.doc)
    key, row = np.unique(query * len(doc_ids) + doc, return_inverse=True)
    grade = np.full(len(key), columns.value.min())
    np.maximum.at(grade, row, columns.value)
    docs, subtopics = ids.take(doc_ids, key % len(doc_ids)), gather(columns, row, query)
    query_ids = tuple(ids.decode(distinct))
    return Qrels(name, query_ids, key // len(doc_ids), docs, grade, columns.source, subtopics)


def _once(columns: Columns, group: IntArray, rule: Duplicates) -> tuple[Columns, IntArray]:
    """Return judgments without those that stand there twice, and their rows, or refuse these."""
    if rule != "error":
        rows = raw.without_duplicates(columns, group, rule)
        n_dropped = display.plural(len(columns.value) - len(rows), "judgment")
        note = f"{n_dropped} of a document that was judged before left out (--duplicates)"
        source = replace(columns.source, notes=(*columns.source.notes, note))
        return replace(columns.take(rows), source=source), rows
    first, again = duplicate_rows(group, columns.doc)
    grades = columns.value[[first[0], again[0]]].tolist()
    note = f", both graded {grades[0]}"
    if grades[0] != grades[1]:
        note = f", graded {grades[0]} and {grades[1]}: they contradict"
    hint = KEEP_ONE
    if columns.subtopic is not None:
        pair = ids.decode(ids.take(columns.subtopic, np.array([first[0], again[0]])))
        if pair[0] != pair[1]:
            note = f", with {pair[0]} and {pair[1]} in the second field"
            hint = (
                "if these are subtopics, choose a measure of diversity too, such as StRecall@10"
                " (in Python: read_qrels(..., subtopics=True))"
            )
    raise raw.duplicate_error(columns, first, again, note=note, hint=hint)
