"""Judgments: who was judged for which query, and how."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import IntArray
from abrank.inputs import files, frames, ids
from abrank.inputs.columns import QRELS, Columns, Source, duplicate_error, duplicates
from abrank.inputs.ids import Ids
from abrank.inputs.write import trec_bytes, write_file

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Judgments, a row each, by query and then by document id.

    Attributes
    ----------
    name : str
    query_ids : tuple of str
        The judged queries, ascending by bytes.
    query : int64[n_rows]
        Index into ``query_ids``, ascending.
    docs : Ids
        Document ids as bytes, ascending within a query; :attr:`doc_id` gives text.
    grade : int64[n_rows]
        Negative grades are kept.
    source : Source
        File, hash, number of rows.

    Examples
    --------
    >>> qrels = read_qrels({"301": {"d2": 1, "d1": 0}})
    >>> qrels, qrels.query_ids, qrels.grade
    (Qrels('qrels': 1 query, 2 judgments), ('301',), array([0, 1]))
    """

    name: str
    query_ids: tuple[str, ...]
    query: IntArray
    docs: Ids
    grade: IntArray
    source: Source = field(default=Source(None, None, 0))

    def __len__(self) -> int:
        """Return the number of judgments."""
        return len(self.grade)

    def __repr__(self) -> str:
        queries = "query" if len(self.query_ids) == 1 else "queries"
        judgments = "judgment" if len(self) == 1 else "judgments"
        return f"Qrels({self.name!r}: {len(self.query_ids)} {queries}, {len(self)} {judgments})"

    @property
    def query_id(self) -> np.ndarray[Any, np.dtype[np.object_]]:
        """Query id of each row, as text: object[n_rows]."""
        return np.array(self.query_ids, dtype=object)[self.query]

    @property
    def doc_id(self) -> np.ndarray[Any, np.dtype[np.object_]]:
        """Document id of each row, as text: object[n_rows]."""
        return np.array(ids.decode(self.docs), dtype=object)

    def grades(self, query_id: str) -> dict[str, int]:
        """Return the grades of one query's documents; empty if it was not judged.

        Examples
        --------
        >>> read_qrels({"301": {"d2": 1, "d1": 0}}).grades("301")
        {'d1': 0, 'd2': 1}
        """
        if query_id not in self.query_ids:
            return {}
        number = self.query_ids.index(query_id)
        start, stop = np.searchsorted(self.query, [number, number + 1])
        found = ids.decode(self.docs[int(start) : int(stop)])
        return dict(zip(found, self.grade[start:stop].tolist(), strict=True))

    def frame(self) -> pd.DataFrame:
        """Return a fresh DataFrame with the columns query_id, doc_id (of str), relevance (int64).

        Examples
        --------
        >>> read_qrels({"301": {"d2": 1, "d1": 0}}).frame()
          query_id doc_id  relevance
        0      301     d1          0
        1      301     d2          1
        """
        import pandas as pd

        return pd.DataFrame(
            {
                # pandas' own text columns refuse ids that are not UTF-8.
                "query_id": pd.Series(self.query_id, dtype=object),
                "doc_id": pd.Series(self.doc_id, dtype=object),
                "relevance": self.grade.copy(),
            }
        )

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write a qrels file (gzip if the name ends in .gz) and return its path.

        Raises
        ------
        ArgumentError
            If an id cannot stand in such a file: it holds a blank, or the query's begins with #.
        """
        columns = [ids.unpack(self.docs), [b"%d" % grade for grade in self.grade.tolist()]]
        queries = [self.query_ids[i].encode("utf-8", "surrogateescape") for i in self.query]
        zeros = [b"0"] * len(self)
        return write_file(path, trec_bytes([queries, zeros, *columns]))


def read_qrels(
    source: Any,  # noqa: ANN401 - one of the kinds below
    *,
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Qrels:
    """Read judgments.

    Parameters
    ----------
    source : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        A path (``-`` is standard input; .gz, .bz2 and .zst are unpacked) to lines of exactly four
        fields, ``query_id 0 doc_id grade``; a frame with the columns query_id, doc_id, relevance
        (or the names other tools give them); ``{query_id: {doc_id: grade}}``; tuples (query_id,
        doc_id, grade). A Qrels is returned as it is. Ids are text, never numbers.
    name : str, optional
        The file's name without folder and endings, or ``qrels``, without it.
    columns : mapping, optional
        Which columns of a frame to take: ``{"query_id": "topic number"}``.

    Returns
    -------
    Qrels

    Raises
    ------
    NotFoundError
        If there is no such file.
    ReadError
        If a line or value cannot be used, or a document is judged twice for a query, whether the
        grades agree or not. The message names file and line.
    ArgumentError
        If the source is none of these.

    Notes
    -----
    Blank lines are skipped, and lines that begin with ``#`` (trec_eval 10 stops at both in qrels
    where they follow one another). Grades are whole numbers: trec_eval reads 0.5 as 0 in silence.

    Examples
    --------
    >>> read_qrels([("301", "d1", 1), ("302", "d1", 0)]).query_ids
    ('301', '302')
    """
    if isinstance(source, Qrels):
        return source if name is None else replace(source, name=name)
    if isinstance(source, (str, os.PathLike)):
        if columns:
            raise ArgumentError("columns= is for DataFrames and named tuples, not for files")
        return _build(files.read_columns(source, QRELS), name or files.short_name(source))
    return _build(frames.read_columns(source, QRELS, columns=columns), name or "qrels")


def _build(columns: Columns, name: str) -> Qrels:
    distinct, query = ids.number(columns.query)
    first, again = duplicates(query, columns.doc)
    if len(again):
        one, two = int(columns.value[first[0]]), int(columns.value[again[0]])
        note = (
            f", both graded {one}" if one == two else f", graded {one} and {two}: they contradict"
        )
        raise duplicate_error(columns, first, again, note=note, hint="keep one line of the two")
    order = np.lexsort((ids.order(columns.doc), query))
    return Qrels(
        name=name,
        query_ids=tuple(ids.decode(distinct)),
        query=query[order],
        docs=ids.take(columns.doc, order),
        grade=columns.value[order],
        source=columns.source,
    )
