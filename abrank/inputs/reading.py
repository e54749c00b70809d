"""Read a run, join it with its judgments, and collect facts about both."""

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
    """Counts of one run and its judgments.

    Attributes
    ----------
    n_queries : int
        Queries in the qrels.
    missing : tuple of str
        Queries of the qrels for which the run has no document.
    extra : tuple of str
        Queries of the run that are not in the qrels; they are ignored.
    n_rows : int
        Documents of the run, including those of extra queries.
    n_tied_rows, n_queries_with_ties : int
        Documents that share their score with another document of the query, and their queries.
    n_rank_conflicts : int
        Queries whose rank column contradicts the scores; the scores are used.
    n_duplicates_dropped : int
        Rows dropped by ``duplicates="best"``.
    n_same_id_dropped : int
        Documents dropped by ``same_id="drop"``.
    n_same_id_first : int
        Judged queries whose first document has the id of the query and is unjudged or has a grade
        of 0 or less.
    judged_at_10 : float
        Share of the first 10 documents (or all, if fewer were retrieved) with a grade of 0 or more,
        in [0, 1]; mean over the judged queries with results.
    n_unjudged_at_10 : int
        Number of these documents without such a grade, over all queries.
    n_judgments, n_negative_grades : int
        Judgments, and those with a negative grade, which count as unjudged.
    grades : tuple of int, or of float if one is a fraction
        Distinct grades of the qrels, ascending; if more than 100, the lowest and highest.
    tags : tuple of str
        Run tags in the file.
    n_comments : int
        Lines of the run file that were skipped because they begin with # and are no record.
    byte_order_mark : bool
        Whether a byte order mark at the start of the run file was dropped.
    path, sha256 : str or None
        Path and hash of the run file.
    n_judged_rows : int or None
        Judged documents of the run at any rank; None if not counted.
    document_ids : IdDifference or None
        Why documents are unjudged although their ids resemble judged ones. Only the first 10
        documents of 50 queries are checked.
    query_ids : IdDifference or None
        Why queries are missing although ids of extra queries resemble theirs.
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
        """Return the counts as plain values, with tuples as lists."""
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(self).items()
        }


_UNIT = 1 << 1074  # every float64 is a multiple of 1 / _UNIT


@dataclass(frozen=True)
class RunCounts:
    """Counts of a run and its judgments for some queries; they can be added. See :class:`Audit`."""

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
    # Sum of the judged shares of the first 10 documents in units of 2**-1074. It is exact, so that
    # the order of the parts has no effect.
    share_at_10: int = 0
    n_found: int = 0  # judged queries with results


_COUNTED = ("n_rows", "n_tied_rows", "n_queries_with_ties", "n_same_id_dropped")  # during join


def counted(
    qrels: Qrels, judged: JudgedRun, counts: ReadCounts, *, n_duplicates_dropped: int = 0
) -> RunCounts:
    """Collect the counts that describe the inputs."""
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
    """Combine the counts of parts, in any order, to the audit of a run."""
    parts, total, counts = [*parts], dict[str, Any](), read_counts or ReadCounts()
    for name in (item.name for item in fields(RunCounts)):
        values = [getattr(item, name) for item in parts]
        if name in ("grades", "missing", "extra"):  # a query is in one part only
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
    """Refuse a run that shares no query with the qrels, and guess how their ids differ."""
    if (
        read_counts.n_shared or not read_counts.n_rows
    ):  # a system without results has no ids to compare
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
        Counts.
    top_docs : TopDocs
        The first documents of each judged query, down to the requested rank.
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
    # A file is read block by block and never kept in memory. If something in it is unusual, it is
    # read again as a whole by the careful reader, which gives the same result or an error with file
    # and line. Rows of a table are joined as they are if the rows of a query are adjacent, else
    # sorted first. `name` is used in messages for runs that are no files. `top` keeps that number
    # of documents per query; `keep_scores` keeps the scores of unjudged documents. Without `hashes`
    # a streamed file is not hashed, because hashing takes longer than everything else.
    # `max_input_size` limits the unpacked bytes of a file; by default 4 GiB for compressed files
    # and pipes, else no limit.
    lay_on = partial(join_pieces, qrels, keep_scores=keep_scores, top=top, same_id=same_id)
    joined, source, n_dropped = None, Source(None, None, 0), 0
    # A pipe cannot be read a second time if the first attempt fails.
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
