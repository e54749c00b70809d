"""Relevance judgments: documents, queries and grades."""

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
    """Judgments, one per row, sorted by query and document id.

    With judgments by subtopic, the grade of a document is the highest over its subtopics.

    Attributes
    ----------
    name : str
    query_ids : tuple of str
        The judged queries in byte order.
    query : int64[n_rows]
        Index into ``query_ids``, ascending.
    docs : Ids
        Document ids as bytes, ascending within a query; :attr:`doc_id` returns text.
    grade : int64[n_rows], or float64[n_rows] if one is a fraction
        Negative grades are kept.
    source : Source
        File, hash, number of rows.
    subtopics : Subtopics or None
        The judgments by subtopic, if requested.

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
        """Return the grades of one query's documents; empty if the query was not judged.

        Examples
        --------
        >>> read_qrels({"301": {"d2": 1, "d1": 0}}).grades("301")
        {'d1': 0, 'd2': 1}
        """
        doc_ids, rows = self._documents(query_id)
        return dict(zip(doc_ids, self.grade[rows].tolist(), strict=True))

    def frame(self) -> pd.DataFrame:
        """Return a new DataFrame: query_id and doc_id as str, relevance as int64 or float64.

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

        Judgments by subtopic are written with their subtopics.

        Parameters
        ----------
        path : str or path
        blanks : str, optional
            Replacement for blanks in ids, such as ``"_"``; Quepid uses texts as query ids.

        Raises
        ------
        ArgumentError
            If an id contains a blank, or if ``blanks`` makes two ids equal.
        WriteError
            If the file cannot be written; an existing file is then kept.
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
        A path (``-`` is standard input; compressed files are unpacked) to lines with exactly four
        fields, ``query_id 0 doc_id grade``; a frame with the columns query_id, doc_id, relevance
        (or the names that other tools use); ``{query_id: {doc_id: grade}}``; tuples (query_id,
        doc_id, grade). A Qrels is returned unchanged. Ids are text, never numbers.
    name : str, optional
        Default: the file name without folder and endings, or ``qrels``.
    columns : mapping, optional
        Column names of a frame: ``{"query_id": "topic number"}``.
    subtopics : bool
        Whether these are judgments by subtopic, as in the diversity tasks of TREC: lines
        ``query_id subtopic doc_id grade``, a frame with a column subtopic (or iteration), tuples
        (query_id, subtopic, doc_id, grade). A document may occur once for each subtopic of a
        query. Plain measures use its highest grade.
    duplicates : {"error", "first", "max"}
        If a document is judged twice for a query (and subtopic): raise an error, or keep the first
        judgment, or the highest grade. The source notes how many were dropped.
    max_input_size : int, optional
        Maximum size of an unpacked file in bytes. Default: 4 GiB for compressed files and pipes,
        no limit for other files.

    Raises
    ------
    NotFoundError
        If there is no such file.
    ReadError
        If a line or value is not valid; if a document is judged twice for a query (and subtopic)
        with ``duplicates="error"``, even with the same grade; or if subtopics are requested and
        all rows have the same one. The message names file and line.
    ArgumentError
        If the source has another type, or is a Qrels without the requested subtopics.

    Notes
    -----
    Blank lines are skipped. Lines that begin with ``#`` are skipped unless they have the four
    fields of a judgment, because a query may be called ``#c++``; the source notes their number.
    A grade may be a fraction (trec_eval silently reads 0.5 as 0). Measures of gain use it as it
    is. Measures of relevance need the lowest relevant grade, as in ``AP(rel=1)``.

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
    # The rows have no name here, so that they are freed while the Qrels are built.
    return construct(
        files.read_columns(source, layout, columns=columns, max_input_size=max_input_size),
        name or "qrels", duplicates,
    )  # fmt: skip


def build(columns: Columns, name: str, duplicates: Duplicates = "error") -> Qrels:
    """Build judgments from checked columns, each document once per query."""
    distinct, query = ids.number(columns.query)
    if has_duplicates(query, columns.doc, ids.fingerprint(columns.doc)):
        columns, rows = _once(columns, query, duplicates)
        query = query[rows]
    docs, grade, source = columns.doc, columns.value, columns.source
    del columns  # line numbers of millions of rows take as much memory as the grades
    order = ids.order_within(query, docs)
    query, grade = query[order], grade[order]
    docs = ids.take(docs, order)
    return Qrels(name, tuple(ids.decode(distinct)), query, docs, grade, source)


def _build_by_subtopic(columns: Columns, name: str, duplicates: Duplicates) -> Qrels:
    """Keep each document once with its highest grade, and the judgments by subtopic."""
    if columns.subtopic is None:  # LETOR files have no subtopics
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
