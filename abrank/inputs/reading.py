"""A run from wherever it is, joined with its judgments, with all that was counted on the way."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from abrank._support.typing import Duplicates, ScoreDtype
from abrank.inputs import files
from abrank.inputs.audit import Audit, audit, require_common
from abrank.inputs.columns import Source
from abrank.inputs.id_differences import TopDocs
from abrank.inputs.join import ReadCounts, block_of, join_pieces
from abrank.inputs.judged import JudgedRun
from abrank.inputs.qrels import Qrels
from abrank.inputs.run import Run, build, name_of, read_columns, read_run
from abrank.inputs.trec.stream import NotPlain, block, chunks, ranked, slices


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
    run: Any,  # noqa: ANN401 - whatever read_run reads
    *,
    name: str | None = None,
    score_dtype: ScoreDtype = "float64",
    duplicates: Duplicates = "error",
    keep_scores: bool = False,
    top: int = 0,
    hashes: bool = True,
    max_input_size: int | None = None,
) -> JudgedSource:
    """Read a run and join it with its judgments.

    A file is read block by block and never held, unless something in it is not plain: then it is
    read whole, with care, and either the result is the same or the error says where and why. Rows
    of a table are joined as they stand where those of a query stand together, else ranked first.

    Parameters
    ----------
    qrels : Qrels
    run : path, DataFrame, dict of dicts, iterable of tuples, or Run
    name : str, optional
        What messages call the run, where it is no file.
    score_dtype : {"float64", "float32"}
    duplicates : {"error", "best"}
    keep_scores : bool
        Whether the scores of unjudged documents are kept too.
    top : int
        Ranks of which the documents are kept.
    hashes : bool
        Whether a streamed file is hashed; that takes longer than all the rest.
    max_input_size : int, optional
        Most bytes that a file may hold once it is unpacked. Without it what is packed may hold 4
        GiB and 16 times its size (Parquet and Feather 32, a plain run 250), what comes through
        a pipe 4 GiB, other files any number.

    Returns
    -------
    JudgedSource

    Raises
    ------
    NotFoundError, ReadError
        If the run cannot be used.
    AlignmentError
        If it has no query in common with the qrels.

    Examples
    --------
    >>> from abrank.inputs import read_qrels
    >>> qrels = read_qrels({"301": {"d1": 1, "d2": 0}, "302": {"d1": 2}})
    >>> found = read_judged_run(qrels, {"301": {"d9": 1.0, "d1": 1.0}, "999": {"d1": 1.0}}, top=1)
    >>> found.audit.missing, found.audit.extra, found.audit.n_tied_rows, found.audit.judged_at_10
    (('302',), ('999',), 2, 0.5)
    >>> read_judged_run(qrels, {"301.0": {"d1": 1.0}}, name="monot5")
    Traceback (most recent call last):
    abrank._support.errors.AlignmentError: no query is in both qrels and monot5
      qrels: 301, 302   run: 301.0   the ids differ by ".0"
    """
    join = partial(join_pieces, qrels, keep_scores=keep_scores, top=top)
    found = _streamed(run, join, score_dtype, hashes, max_input_size)
    if found is None and not isinstance(run, Run):
        read = read_columns(run, max_input_size=max_input_size)
        try:
            rows = slices(read)
            found = _Joined(*join(rows, partial(ranked, score_dtype=score_dtype)), read.source)
        except NotPlain:
            run = build(read, name or name_of(run), score_dtype, duplicates)
    n_dropped = 0
    if found is None:
        run = read_run(run, score_dtype=score_dtype)
        found, n_dropped = _Joined(*join([run], block_of), run.source), run.n_duplicates_dropped
    source = found.source
    require_common(qrels, found.counts, source.path or name or name_of(run))
    counts = audit(qrels, found.judged, found.counts, source=source, n_duplicates_dropped=n_dropped)
    return JudgedSource(found.judged, counts, found.top_docs, source)


class _Joined(NamedTuple):
    """What a join gives, and where the run came from."""

    judged: JudgedRun
    counts: ReadCounts
    top_docs: TopDocs
    source: Source


_Join = Callable[..., tuple[JudgedRun, ReadCounts, TopDocs]]


def _streamed(
    run: Any,  # noqa: ANN401
    join: _Join,
    score_dtype: ScoreDtype,
    hashes: bool,
    max_input_size: int | None,
) -> _Joined | None:
    """Return what the stream gives; None for what is no plain file."""
    # A pipe cannot be read a second time, should the first not do.
    if not isinstance(run, (str, os.PathLike)) or not files.is_regular(run):
        return None
    path = os.fspath(run)
    try:
        with files.opened(path, hashes=hashes, max_input_size=max_input_size) as (file, stored):
            found = join(chunks(file), partial(block, score_dtype=score_dtype))
            return _Joined(*found, Source(path, stored.sha256(), found[1].n_rows, path))
    except NotPlain:
        return None
