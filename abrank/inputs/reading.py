"""A run from wherever it is, joined with its judgments, and the audit of the two."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from abrank._support.display import shorten
from abrank._support.errors import AlignmentError
from abrank._support.typing import Duplicates, SameId, ScoreDtype
from abrank.inputs import files
from abrank.inputs.columns import RUN, Source
from abrank.inputs.join import (
    IdDifference,
    ReadCounts,
    TopDocs,
    block_of,
    how_ids_differ,
    join_pieces,
    query_id_difference,
)
from abrank.inputs.judged import JudgedRun
from abrank.inputs.qrels import Qrels
from abrank.inputs.run import Run, build, name_of, read_run
from abrank.inputs.storage import is_uri
from abrank.inputs.trec import NotPlain, block, chunks, ranked, slices

DEPTH = 10
MOST_GRADES = 100


@dataclass(frozen=True)
class Audit:
    """Counts on one run and its judgments.

    Attributes
    ----------
    n_queries : int
        Queries of the qrels.
    missing : tuple of str
        Queries of the qrels for which the run has no document.
    extra : tuple of str
        Queries of the run that the qrels lack; ignored.
    n_rows : int
        Documents of the run, extra queries included.
    n_tied_rows, n_queries_with_ties : int
        Documents whose score another document of their query has too, and the queries they are of.
    n_rank_conflicts : int
        Queries in which the rank column contradicts the scores (the scores decide).
    n_duplicates_dropped : int
        Rows left out by ``duplicates="best"``.
    n_same_id_dropped : int
        Documents left out by ``same_id="drop"``.
    n_same_id_first : int
        Judged queries whose first document has the id of the query and is unjudged or judged 0 or
        less.
    judged_at_10 : float
        Mean share of a query's first 10 documents (or fewer, if fewer were retrieved) that have a
        grade of 0 or more, in [0, 1], over the judged queries with results.
    n_unjudged_at_10 : int
        Documents among those that have no such grade, all queries together.
    n_judgments, n_negative_grades : int
        Judgments, and those with a grade below 0, which count as unjudged.
    grades : tuple of int, or of float where one is a fraction
        Distinct grades of the qrels, ascending; of more than 100 the lowest and the highest.
    tags : tuple of str
        Run tags of the file.
    n_comments : int
        Lines of the run file that begin with #, are no record, and were skipped.
    byte_order_mark : bool
        Whether a byte order mark at the start of the run file was dropped.
    path, sha256 : str or None
        Of the run file.
    n_judged_rows : int or None
        Documents of the run that are judged, down to any rank; None where it was not counted.
    document_ids : IdDifference or None
        Why documents of the run are not judged, where their ids look like judged ones. Looked at
        are the first 10 documents of 50 queries.
    query_ids : IdDifference or None
        Why queries are missing, where ids of extra queries look like theirs.
    """

    n_queries: int
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    n_rows: int
    n_tied_rows: int
    n_queries_with_ties: int
    n_rank_conflicts: int
    n_duplicates_dropped: int
    judged_at_10: float
    n_unjudged_at_10: int
    n_judgments: int
    n_negative_grades: int
    grades: tuple[int | float, ...]
    tags: tuple[str, ...]
    n_comments: int = 0
    byte_order_mark: bool = False
    path: str | None = None
    sha256: str | None = None
    n_judged_rows: int | None = None
    document_ids: IdDifference | None = None
    query_ids: IdDifference | None = None
    n_same_id_dropped: int = 0
    n_same_id_first: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain values; tuples become lists."""
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(self).items()
        }


_UNIT = 1 << 1074  # every float64 is a whole number of its parts


@dataclass(frozen=True)
class RunCounts:
    """Counts on a run and its judgments for some queries; they add up. See :class:`Audit`."""

    n_queries: int = 0
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    n_rows: int = 0
    n_tied_rows: int = 0
    n_queries_with_ties: int = 0
    n_duplicates_dropped: int = 0
    n_same_id_dropped: int = 0
    n_same_id_first: int = 0
    n_unjudged_at_10: int = 0
    n_judged_rows: int = 0
    n_judgments: int = 0
    n_negative_grades: int = 0
    grades: tuple[int | float, ...] = ()
    # Sum of the judged shares of the first 10 documents, in units of 2**-1074: exact, so that the
    # order of the parts changes nothing
    share_at_10: int = 0
    n_found: int = 0  # judged queries with results


_COUNTED = ("n_rows", "n_tied_rows", "n_queries_with_ties", "n_same_id_dropped")  # by the join


def counted(
    qrels: Qrels, judged: JudgedRun, counts: ReadCounts, *, n_duplicates_dropped: int = 0
) -> RunCounts:
    """Count what a reader of the result should know of its inputs."""
    graded = (judged.rank <= DEPTH) & (judged.grade >= 0)
    n_graded = np.bincount(judged.query[graded], minlength=judged.n_queries)
    at_hand = np.minimum(judged.n_retrieved, DEPTH)
    shares = n_graded[at_hand > 0] / at_hand[at_hand > 0]
    pairs = zip(*(item.tolist() for item in np.unique(shares, return_counts=True)), strict=True)
    grades = np.unique(qrels.grade).tolist()
    return RunCounts(
        n_queries=judged.n_queries,
        missing=tuple(qrels.query_ids[i] for i in np.flatnonzero(judged.n_retrieved == 0)),
        extra=tuple(counts.extra),
        **{name: getattr(counts, name) for name in _COUNTED},
        n_duplicates_dropped=n_duplicates_dropped,
        n_same_id_first=len(counts.first_has_query_id),
        n_unjudged_at_10=int(at_hand.sum() - n_graded.sum()),
        n_judged_rows=len(judged.rank),
        n_judgments=len(qrels),
        n_negative_grades=int(np.sum(qrels.grade < 0)),
        grades=tuple(grades if len(grades) <= MOST_GRADES else [grades[0], grades[-1]]),
        share_at_10=sum(int(Fraction(value) * _UNIT) * count for value, count in pairs),
        n_found=len(shares),
    )


def audit_of(
    parts: Iterable[RunCounts], source: Source, read_counts: ReadCounts | None = None
) -> Audit:
    """Return the audit of a run from the counts of its parts, in whatever order."""
    parts, total, counts = [*parts], dict[str, Any](), read_counts or ReadCounts()
    for name in (item.name for item in fields(RunCounts)):
        values = [getattr(item, name) for item in parts]
        if name in ("grades", "missing", "extra"):  # no query is in two parts
            total[name] = tuple(sorted(set().union(*values)))
        else:
            total[name] = sum(values)
    share, n_found = total.pop("share_at_10"), total.pop("n_found")
    return Audit(
        **total,
        n_rank_conflicts=counts.n_rank_conflicts,
        judged_at_10=float(Fraction(share, _UNIT)) / n_found if n_found else 0.0,
        tags=tuple(counts.tags),
        n_comments=source.n_comments,
        byte_order_mark=source.byte_order_mark,
        path=source.path,
        sha256=source.sha256,
        document_ids=counts.document_ids,
        query_ids=query_id_difference(total["extra"], total["missing"]) if read_counts else None,
    )


def require_common(qrels: Qrels, read_counts: ReadCounts, run: str) -> None:
    """Refuse a run that shares no query with the qrels, and guess how the ids differ."""
    if (
        read_counts.n_shared or not read_counts.n_rows
    ):  # a system that found nothing has the ids of nothing
        return
    extra = sorted(read_counts.extra)
    guess = how_ids_differ(qrels.query_ids, extra)
    texts = [
        ", ".join(map(shorten, some[:3])) + (" …" if len(some) > 3 else "")
        for some in (qrels.query_ids, extra)
    ]
    raise AlignmentError(
        f"no query is in both {qrels.source.path or qrels.name} and {run}\n"
        f"  qrels: {texts[0]}   run: {texts[1]}"
        + (f"   {shorten(guess, width=200)}" if guess else "")
    )


@dataclass(frozen=True, eq=False)
class JudgedSource:
    """A run joined with its judgments.

    Attributes
    ----------
    judged : JudgedRun
    audit : Audit
        What was counted.
    top_docs : TopDocs
        The first documents of each judged query, as many as were asked for.
    source : Source
    """

    judged: JudgedRun
    audit: Audit
    top_docs: TopDocs
    source: Source


def read_judged_run(
    qrels: Qrels,
    run: object,  # whatever read_run reads
    *,
    name: str | None = None,
    score_dtype: ScoreDtype = "float64",
    duplicates: Duplicates = "error",
    same_id: SameId = "keep",
    keep_scores: bool = False,
    top: int = 0,
    hashes: bool = True,
    max_input_size: int | None = None,
) -> JudgedSource:
    """Read a run and join it with its judgments."""
    # A file is read block by block and never held, unless something in it is not plain: then it is
    # read whole, with care, and either the result is the same or the error says where and why. Rows
    # of a table are joined as they stand where those of a query stand together, else ranked first.
    # `name` is what messages call a run that is no file. With `top` the documents of so many ranks
    # are kept, with `keep_scores` the scores of unjudged documents, too. Without `hashes` a
    # streamed file is not hashed, which takes longer than all the rest. `max_input_size`: the most
    # bytes of a file, unpacked. Without it what is packed or comes through a pipe may hold 4 GiB,
    # others any number.
    lay_on = partial(join_pieces, qrels, keep_scores=keep_scores, top=top, same_id=same_id)
    joined, source, n_dropped = None, Source(None, None, 0), 0
    # A pipe cannot be read a second time, should the first not do.
    if isinstance(run, (str, os.PathLike)) and (files.is_regular(run) or is_uri(run)):
        opened = files.opened(run, hashes=hashes, max_input_size=max_input_size)
        with suppress(NotPlain), opened as (file, stored):
            joined = lay_on(chunks(file), partial(block, score_dtype=score_dtype))
            path = os.fspath(run)
            source = Source(path, stored.sha256(), joined[1].n_rows, path)
    if joined is None and not isinstance(run, Run):
        read = files.read_columns(run, RUN, max_input_size=max_input_size)
        try:
            joined = lay_on(slices(read), partial(ranked, score_dtype=score_dtype))
            source = read.source
        except NotPlain:
            run = build(read, name or name_of(run), score_dtype, duplicates)
    if joined is None:
        run = read_run(run, score_dtype=score_dtype)
        joined = lay_on([run], block_of)
        source, n_dropped = run.source, run.n_duplicates_dropped
    judged, counts, top_docs = joined
    require_common(qrels, counts, source.path or name or name_of(run))
    in_all = counted(qrels, judged, counts, n_duplicates_dropped=n_dropped)
    return JudgedSource(judged, audit_of([in_all], source, counts), top_docs, source)
