"""Runs: the documents that a system retrieved, in rank order; also from groups of a matrix."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, get_args

import numpy as np

from abrank._support import checks
from abrank._support.checks import explained
from abrank._support.display import plural, shorten
from abrank._support.errors import ArgumentError, ReadError
from abrank._support.result import missing_attribute
from abrank._support.typing import Duplicates, FloatArray, IntArray, ScoreDtype
from abrank.inputs import columns as raw
from abrank.inputs import files, ids
from abrank.inputs.columns import QRELS, RUN, Columns, RowsByQuery, Source, at_precision, rank_rows
from abrank.inputs.files import contents, distinct_names, short_name
from abrank.inputs.objects import checked
from abrank.inputs.qrels import Qrels
from abrank.inputs.qrels import build as build_qrels
from abrank.inputs.text_files import read_letor
from abrank.inputs.trec import write_lines

if TYPE_CHECKING:
    import pandas as pd

# --- Runs: the documents that a system retrieved, in rank order


UNNAMED = "run"
DTYPES = ("float64", "float32")


@dataclass(frozen=True, eq=False, repr=False)
class Run(RowsByQuery):
    """A run with one row per retrieved document, sorted by query and rank.

    Attributes
    ----------
    name : str
    query_ids : tuple of str
        The queries with a retrieved document, in byte order.
    query : int64[n_rows]
        Index into ``query_ids``, ascending.
    docs : Ids
        Document ids as bytes, in rank order within a query; :attr:`doc_id` returns text.
    score : float64[n_rows]
        Finite, not increasing within a query; rounded with ``score_dtype="float32"``.
    tags : tuple of str
        Distinct run tags of the file, in order of appearance.
    source : Source
        File, hash, number of rows.
    score_dtype : {"float64", "float32"}
    n_rank_conflicts : int
        Queries whose rank column contradicts the scores; the scores are used.
    n_duplicates_dropped : int
        Rows dropped by ``duplicates``.

    Examples
    --------
    >>> run = read_run({"301": {"d1": 1.0, "d2": 2.0, "d3": 1.0}}, name="bm25")
    >>> run, run.doc_id.tolist(), run.rank
    (Run('bm25': 1 query, 3 documents), ['d2', 'd3', 'd1'], array([1, 2, 3]))
    """

    score: FloatArray
    tags: tuple[str, ...] = ()
    source: Source = field(default=Source(None, None, 0))
    score_dtype: ScoreDtype = "float64"
    n_rank_conflicts: int = 0
    n_duplicates_dropped: int = 0

    if not TYPE_CHECKING:  # hidden so that type checkers still report unknown attributes

        def __getattr__(self, name: str) -> NoReturn:
            raise missing_attribute(self, name)

    def __repr__(self) -> str:
        return self._repr_of("document")

    @property
    def first_row(self) -> IntArray:
        """First row of each query, and the number of rows: int64[n_queries + 1]."""
        return np.searchsorted(self.query, np.arange(len(self.query_ids) + 1)).astype(np.int64)

    @property
    def rank(self) -> IntArray:
        """Rank of each row within its query, from 1: int64[n_rows]."""
        return np.arange(1, len(self) + 1) - self.first_row[self.query]

    def ranking(self, query_id: str, *, top: int | None = None) -> list[tuple[str, float]]:
        """Return the first ``top`` or all documents and scores of a query in rank order.

        The list is empty if the run has no documents for the query.

        Examples
        --------
        >>> read_run({"301": {"d1": 1.0, "d2": 2.0}}).ranking("301", top=1)
        [('d2', 2.0)]
        """
        doc_ids, rows = self._documents(query_id, None if top is None else checks.count("top", top))
        return list(zip(doc_ids, self.score[rows].tolist(), strict=True))

    def frame(self) -> pd.DataFrame:
        """Return a new DataFrame: query_id, doc_id (str), score (float64), rank (int64).

        Examples
        --------
        >>> read_run({"301": {"d1": 1.0, "d2": 2.0}}).frame()
          query_id doc_id  score  rank
        0      301     d2    2.0     1
        1      301     d1    1.0     2
        """
        return self._frame(score=self.score.copy(), rank=self.rank)

    def write(self, path: str | os.PathLike[str], *, blanks: str | None = None) -> Path:
        """Write a TREC run (gzip if the name ends in .gz) and return its path.

        Scores have enough digits to be read back exactly. The tag is the run's name with
        underscores for blanks.

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
        queries = [self.query_ids[i].encode("utf-8", "surrogateescape") for i in self.query]
        ranks = [b"%d" % rank for rank in self.rank.tolist()]
        scores = [repr(score).encode() for score in self.score.tolist()]
        tag = "_".join(self.name.split()).encode("utf-8", "surrogateescape") or b"run"
        constant = [b"Q0"] * len(self), [tag] * len(self)
        columns = [queries, constant[0], ids.unpack(self.docs), ranks, scores, constant[1]]
        return write_lines(path, columns, blanks)


@explained
def read_run(
    source: object,  # one of the kinds below
    *,
    name: str | None = None,
    score_dtype: ScoreDtype = "float64",
    columns: Mapping[str, str] | None = None,
    duplicates: Duplicates = "error",
    max_input_size: int | None = None,
) -> Run:
    """Read a run.

    Documents are ranked by descending score; ties by descending document id in byte order. As in
    trec_eval [1]_, the rank column and the order of lines are ignored.

    Parameters
    ----------
    source : path, DataFrame, dict of dicts, iterable of tuples, or Run
        A path (``-`` is standard input; compressed files are unpacked) to lines with at least six
        fields, ``query_id Q0 doc_id rank score tag``; a frame with the columns query_id, doc_id,
        score (or the names that other tools use); ``{query_id: {doc_id: score}}``; tuples
        (query_id, doc_id, score). Parquet, CSV, JSON and objects of other libraries are also read:
        see ``abrank guide inputs``. A Run is returned unchanged, but ranked again if
        ``score_dtype`` asks for lower precision. Ids are text, never numbers.
    name : str, optional
        Default: the file name without folder and endings, or ``run``.
    score_dtype : {"float64", "float32"}
        ``float32`` rounds scores first and so produces more ties, like trec_eval 9 and
        pytrec_eval. ``float64`` is the precision of trec_eval 10.
    columns : mapping, optional
        Column names of a frame: ``{"score": "bm25"}``.
    duplicates : {"error", "first", "max"}
        If a document occurs twice in a query: raise an error, or keep the first row, or the
        highest score.
    max_input_size : int, optional
        Maximum size of an unpacked file in bytes. Default: 4 GiB for compressed files and pipes,
        no limit for other files.

    Raises
    ------
    NotFoundError
        If there is no such file.
    ReadError
        If a line or value is not valid. The message names file and line.
    ArgumentError
        If an argument is not valid.

    Notes
    -----
    Scores must be decimal numbers. trec_eval's ``atof`` silently reads "12,5" as 12 and "high" as
    0, and accepts hexadecimal numbers, NaN and infinity; here all of these are errors.

    References
    ----------
    .. [1] trec_eval 10.0, form_res_rels.c:111-113 and 266-275; get_trec_results.c:210.

    Examples
    --------
    >>> read_run([("301", "d1", 2), ("301", "d2", 2)]).ranking("301")
    [('d2', 2.0), ('d1', 2.0)]
    """
    checks.one_of("score_dtype", score_dtype, DTYPES)
    checks.one_of("duplicates", duplicates, get_args(Duplicates))
    if isinstance(source, Run):
        run = source if name is None else replace(source, name=name)
        if score_dtype == run.score_dtype or score_dtype == "float64":
            return run
        score = at_precision(run.score, score_dtype)
        rows = rank_rows(run.query, score, run.docs)
        docs = ids.take(run.docs, rows)
        return replace(run, docs=docs, score=score[rows], score_dtype=score_dtype)
    # The rows have no name here, so that they are freed while the run is built.
    return build(
        files.read_columns(source, RUN, columns=columns, max_input_size=max_input_size),
        name or name_of(source), score_dtype, duplicates,
    )  # fmt: skip


def name_of(source: Any) -> str:  # noqa: ANN401
    """Return the name of a run: its own, else that of its file, else ``run``."""
    if isinstance(source, Run):
        return source.name
    if isinstance(source, (str, os.PathLike)):
        return files.short_name(source)
    named = type(source).__module__.partition(".")[0] == "ranx" and source.name
    return named or UNNAMED


def build(read: Columns, name: str, score_dtype: ScoreDtype, duplicates: Duplicates) -> Run:
    """Build a run from rows: ranked, each document once per query."""
    distinct, query = ids.number(read.query)
    n_rows = len(query)
    if raw.has_duplicates(query, read.doc, ids.fingerprint(read.doc)):
        if duplicates == "error":
            raise raw.duplicate_error(read, *raw.duplicates(query, read.doc), hint=raw.KEEP_ONE)
        rows = raw.without_duplicates(read, query, duplicates)
        read, query = read.take(rows), query[rows]
    score = at_precision(read.value, score_dtype)
    rows = rank_rows(query, score, read.doc)
    conflicts = 0 if read.rank is None else raw.rank_conflicts(query, score, read.rank)
    docs, tags, source = read.doc, read.tags, read.source
    del read  # line numbers and ranks of millions of rows take as much memory as the scores
    docs, query, score = ids.take(docs, rows), query[rows], score[rows]
    return Run(
        name, tuple(ids.decode(distinct)), query, docs, score, tags, source, score_dtype,
        n_rank_conflicts=conflicts, n_duplicates_dropped=n_rows - len(rows),
    )  # fmt: skip


# --- Runs that are parts of one system

# Endings of names for a part of a system's run: a fold of the queries, or a repeat by seed.
_FOLD, _PART = (
    re.compile(rf"(?:^|[/._-])(?:{words})[._=-]?\d+", re.IGNORECASE)
    for words in ("fold|split|cv", "fold|split|cv|seed")
)


def by_seed(sources: Sequence[Any]) -> list[list[Any]]:
    """Group the files of a system: names that differ only by fold form one list."""
    groups: dict[str, list[Any]] = {}
    if all(isinstance(source, (str, os.PathLike)) for source in sources):
        for source in sources:
            groups.setdefault(_FOLD.sub("", os.fspath(source)), []).append(source)
    return [*groups.values()] if 1 < len(groups) < len(sources) else [list(sources)]


def by_system(runs: Mapping[str, Any]) -> dict[str, Any]:
    """Return runs by system; names that differ only by fold or seed form one list.

    Examples
    --------
    >>> by_system({"bm25_fold1": "1.run", "bm25_fold2": "2.run", "dpr": "3.run"})
    {'bm25': ['1.run', '2.run'], 'dpr': '3.run'}
    """
    systems: dict[str, list[str]] = {}
    for name in runs:
        systems.setdefault(_PART.sub("", name).lstrip("/._-"), []).append(name)
    result: dict[str, Any] = {}
    for system, names in systems.items():
        is_whole = len(names) == 1 or not system or system in runs
        paths = [runs[name] for name in names]
        if is_whole or not all(isinstance(path, (str, os.PathLike)) for path in paths):
            result |= {name: runs[name] for name in names}
        else:
            result[system] = paths
    return result


def join_folds(
    sources: Sequence[Any],
    name: str,
    *,
    score_dtype: ScoreDtype = "float64",
    duplicates: Duplicates = "error",
    max_input_size: int | None = None,
) -> Run | None:
    """Join parts with different queries to one run; None if two parts share a query."""
    parts: list[Columns] = []
    queries: set[str] = set()
    for source in sources:
        part = files.read_columns(source, RUN, max_input_size=max_input_size)
        queries_of_part = ids.decode(ids.number(part.query)[0])
        if not queries.isdisjoint(queries_of_part):
            shared = queries.intersection(queries_of_part)
            if 2 * len(shared) < min(len(queries), len(queries_of_part)):
                raise ReadError(
                    name,
                    f"its files share {plural(len(shared), 'query', 'queries')}, such as"
                    f" {shorten(min(shared))}, and differ in most: neither folds nor repeats",
                    hint="name them apart (x=a.run y=b.run), or give each query to one file",
                )
            return None
        queries.update(queries_of_part)
        parts.append(part)
    note = f"{len(parts)} files hold different queries ({len(queries)} in all), and are joined"
    return build(raw.stacked(parts, name, [note]), name, score_dtype, duplicates)


def named_runs(runs: object, *, joins_parts: bool = False) -> Mapping[str, Any]:
    """Return runs by name; those of a list by their own names, or ``run 1``, ``run 2``."""
    # Parts of a system are recognised by file names only; the names of a mapping are final.
    if isinstance(runs, Mapping):
        return {str(name): run for name, run in runs.items()}
    rows = [
        run for run in (runs if isinstance(runs, (list, tuple)) else ())
        if isinstance(run, tuple) and len(run) > 1 and isinstance(run[0], (str, int))
    ]  # fmt: skip
    if rows or not isinstance(runs, (list, tuple)):
        kind = type(runs).__name__
        raise ArgumentError(f'runs are a mapping by name, not one {kind}: give {{"bm25": run}}')
    names = [name_of(run) for run in runs]
    paths = [run for run in runs if isinstance(run, (str, os.PathLike))]
    if len(paths) == len(runs):
        names = distinct_names(paths)
    unclear = {name for name in names if name == UNNAMED or names.count(name) > 1}
    numbered = (f"{name} {i}" if name in unclear else name for i, name in enumerate(names, 1))
    named = dict(zip(numbered, runs, strict=True))
    return by_system(named) if joins_parts else named


@explained
def from_groups(
    y: object,  # an array, a column, or a path
    score: object,  # an array, a column, a path, or a mapping of them
    group: object = None,
    *,
    names: object = None,
) -> tuple[Qrels, Run] | tuple[Qrels, dict[str, Run]]:
    """Return qrels and one or more runs from LightGBM, XGBoost, CatBoost or a LETOR file.

    Parameters
    ----------
    y : array_like of int[n_rows], or path
        The grade of each row; or a LETOR file (``grade qid:query_id 1:… 2:…``), which also holds
        the groups.
    score : array_like of float[n_rows], path, or mapping of str to these
        The predicted score of each row; a file has one number per line. A mapping gives one run
        per name.
    group : array_like
        Either the sizes of consecutive groups (LightGBM's and XGBoost's ``group``), with sum
        n_rows, or the query id of each row (XGBoost's ``qid``, CatBoost's ``group_id``).
    names : array_like of length n_rows, optional
        Document ids. Default: the row numbers.

    Raises
    ------
    ArgumentError
        If lengths differ, or if it is unclear what ``group`` contains.
    ReadError
        If a grade is not a whole number or a score is not finite.

    Examples
    --------
    >>> qrels, run = from_groups([2, 0, 1, 0], [0.3, 0.9, 0.8, 0.1], group=[2, 2])
    >>> qrels.query_ids, run.ranking("0")
    (('0', '1'), [('1', 0.9), ('0', 0.3)])
    >>> _, run = from_groups([2, 0, 1, 0], [0.3, 0.9, 0.8, 0.1], group=["a", "a", "b", "b"])
    >>> run.query_ids
    ('a', 'b')
    """
    if isinstance(y, (str, os.PathLike)):
        data, _ = contents(y)
        judged = read_letor([data], os.fspath(y), QRELS)
        qrels = build_qrels(judged, short_name(y))
    else:
        grades = list(np.asarray(y).ravel().tolist())
        held = _queries(group, len(grades))
        docs = range(len(grades)) if names is None else np.asarray(names).tolist()
        if len(docs) != len(held):
            raise ArgumentError(f"{len(docs)} names for {len(held)} rows")
        judged = checked([[held, list(docs), grades]], "arrays", QRELS)
        qrels = build_qrels(judged, "qrels")
    if isinstance(score, Mapping):
        return qrels, {str(name): _run(scores, judged, str(name)) for name, scores in score.items()}
    name = short_name(score) if isinstance(score, (str, os.PathLike)) else "run"
    return qrels, _run(score, judged, name)


def _queries(group: object, n_rows: int) -> list[Any]:
    if group is None:
        raise ArgumentError("group= is missing: sizes of the groups, or the query id of each row")
    held = np.asarray(group).ravel()
    sizes = held.dtype.kind in "iu" and (held >= 0).all() and int(held.sum()) == n_rows
    if sizes and len(held) == n_rows and n_rows > 1:
        raise ArgumentError(
            "group could be the sizes of groups and the query ids of rows; give ids as text:"
            " [str(each) for each in group]"
        )
    if sizes:
        return list(np.repeat(np.arange(len(held)), held).tolist())
    if len(held) != n_rows:
        raise ArgumentError(
            f"group has {len(held)} entries, for {n_rows} rows: neither sizes that add up to them"
            " nor an id for each"
        )
    return list(held.tolist())


def _run(score: object, judged: Columns, name: str) -> Run:
    if isinstance(score, (str, os.PathLike)):  # as written by LightGBM, RankLib and SVMrank
        data, _ = contents(score)
        try:
            values = np.array([float(line) for line in data.split()], dtype=np.float64)
        except ValueError as error:
            raise ArgumentError(
                f"{os.fspath(score)} does not hold one number a line: {error}"
            ) from error
    else:
        values = np.asarray(score)
    if values.size != len(judged.value):
        raise ArgumentError(f"{values.size} scores of {name} for {len(judged.value)} rows")
    queries, docs = ids.decode(judged.query), ids.decode(judged.doc)
    read = checked([[queries, docs, list(values.ravel().tolist())]], name, RUN)
    return build(read, name, "float64", "error")
