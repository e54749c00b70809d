"""What was counted while a run was laid on its judgments, and whether the two belong together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from abrank._support.errors import AlignmentError
from abrank.inputs.judged import JudgedRun
from abrank.inputs.qrels import Qrels
from abrank.inputs.run import Run
from abrank.inputs.ties import tied_rows

DEPTH = 10


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
    judged_at_10 : float
        Mean share of a query's first 10 documents (or fewer, if fewer were retrieved) that have a
        grade of 0 or more, in [0, 1], over the judged queries with results; NaN without one.
    n_unjudged_at_10 : int
        Documents among those that have no such grade, all queries together.
    n_judgments, n_negative_grades : int
        Judgments, and those with a grade below 0, which count as unjudged.
    grades : tuple of int
        Distinct grades of the qrels, ascending.
    tags : tuple of str
        Run tags of the file.
    n_comments : int
        Lines of the run file that begin with # and were skipped.
    byte_order_mark : bool
        Whether a byte order mark at the start of the run file was dropped.
    path, sha256 : str or None
        Of the run file.
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
    grades: tuple[int, ...]
    tags: tuple[str, ...]
    n_comments: int = 0
    byte_order_mark: bool = False
    path: str | None = None
    sha256: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as plain values: tuples become lists, NaN becomes None."""
        plain = {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in asdict(self).items()
        }
        if np.isnan(self.judged_at_10):
            plain["judged_at_10"] = None
        return plain


def audit(qrels: Qrels, run: Run, judged: JudgedRun) -> Audit:
    """Count what a reader of the result should know of its inputs.

    Parameters
    ----------
    qrels : Qrels
    run : Run
    judged : JudgedRun
        ``join(qrels, run)``.

    Returns
    -------
    Audit

    Examples
    --------
    >>> from abrank.inputs import join, read_qrels, read_run
    >>> qrels = read_qrels({"301": {"d1": 1, "d2": 0}, "302": {"d1": 2}})
    >>> run = read_run({"301": {"d9": 1.0, "d1": 1.0}, "999": {"d1": 1.0}})
    >>> counts = audit(qrels, run, join(qrels, run))
    >>> counts.missing, counts.extra, counts.n_tied_rows, counts.judged_at_10
    (('302',), ('999',), 2, 0.5)
    """
    known = set(qrels.query_ids)
    tied = tied_rows(run.query, run.score)
    seen = np.minimum(judged.n_retrieved, DEPTH)
    graded = (judged.rank <= DEPTH) & (judged.grade >= 0)
    n_graded = np.bincount(judged.query[graded], minlength=judged.n_queries)
    found = seen > 0
    share = float(np.mean(n_graded[found] / seen[found])) if found.any() else float("nan")
    return Audit(
        n_queries=judged.n_queries,
        missing=tuple(qrels.query_ids[i] for i in np.flatnonzero(judged.n_retrieved == 0)),
        extra=tuple(each for each in run.query_ids if each not in known),
        n_rows=len(run),
        n_tied_rows=len(tied),
        n_queries_with_ties=len(np.unique(run.query[tied])),
        n_rank_conflicts=run.n_rank_conflicts,
        n_duplicates_dropped=run.n_duplicates_dropped,
        judged_at_10=share,
        n_unjudged_at_10=int(seen.sum() - n_graded.sum()),
        n_judgments=len(qrels),
        n_negative_grades=int(np.sum(qrels.grade < 0)),
        grades=tuple(np.unique(qrels.grade).tolist()),
        tags=run.tags,
        n_comments=run.source.n_comments,
        byte_order_mark=run.source.byte_order_mark,
        path=run.source.path,
        sha256=run.source.sha256,
    )


def require_common(qrels: Qrels, run: Run) -> None:
    """Refuse a run that shares no query with the qrels, and guess how the ids differ.

    Raises
    ------
    AlignmentError
        With the first ids of both sides.

    Examples
    --------
    >>> from abrank.inputs import read_qrels, read_run
    >>> require_common(read_qrels({"301": {"d": 1}}), read_run({"301.0": {"d": 1}}, name="monot5"))
    Traceback (most recent call last):
    abrank._support.errors.AlignmentError: no query is in both qrels and monot5
      qrels: 301   run: 301.0   the ids differ by ".0"
    """
    if not set(qrels.query_ids).isdisjoint(run.query_ids):
        return
    names = qrels.source.path or qrels.name, run.source.path or run.name
    guess = how_ids_differ(qrels.query_ids, run.query_ids)
    raise AlignmentError(
        f"no query is in both {names[0]} and {names[1]}\n"
        f"  qrels: {_some(qrels.query_ids)}   run: {_some(run.query_ids)}"
        + (f"   {guess}" if guess else "")
    )


def how_ids_differ(qrels: Sequence[str], run: Sequence[str]) -> str:
    """Guess how two lists of query ids that share none differ; empty where nothing fits.

    Examples
    --------
    >>> how_ids_differ(["1", "2"], ["01", "02"])
    'the ids differ by leading zeros'
    >>> how_ids_differ(["303"], ["x303"])
    'the ids differ by the prefix "x"'
    """
    changes: tuple[tuple[str, Callable[[str], str]], ...] = (
        ('".0"', lambda text: text.removesuffix(".0")),
        ("leading zeros", lambda text: text.lstrip("0")),
        ("upper and lower case", str.casefold),
        ("blanks or quotes around them", lambda text: text.strip(" \t\r\n\"'")),
        ("a byte order mark", lambda text: text.replace("\ufeff", "")),
    )
    for name, change in changes:
        if not set(map(change, qrels)).isdisjoint(map(change, run)):
            return f"the ids differ by {name}"
    for longer, shorter in ((run, qrels), (qrels, run)):
        for one in longer[:DEPTH]:
            for other in shorter:
                if one.endswith(other):
                    return f'the ids differ by the prefix "{one.removesuffix(other)}"'
                if one.startswith(other):
                    return f'the ids differ by the ending "{one.removeprefix(other)}"'
    return ""


def _some(query_ids: Sequence[str]) -> str:
    return ", ".join(query_ids[:3]) + (" …" if len(query_ids) > 3 else "")
