"""What was counted of a run in each partition, and the audit that all of them give."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np

from abrank.engines.exact import exact_sum, exact_value
from abrank.inputs.audit import DEPTH, Audit
from abrank.inputs.columns import Source
from abrank.inputs.join import ReadCounts
from abrank.inputs.judged import JudgedRun
from abrank.inputs.qrels import Qrels


@dataclass(frozen=True)
class RunCounts:
    """Counts on a run and its judgments in one partition; they add up. See :class:`Audit`.

    share_at_10 : int
        Sum of the judged shares of the first 10 documents, exact (see :mod:`exact`).
    n_found : int
        Judged queries with results.
    """

    n_queries: int = 0
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    n_rows: int = 0
    n_tied_rows: int = 0
    n_queries_with_ties: int = 0
    n_duplicates_dropped: int = 0
    n_unjudged_at_10: int = 0
    n_judged_rows: int = 0
    n_judgments: int = 0
    n_negative_grades: int = 0
    grades: tuple[int, ...] = field(default=())
    share_at_10: int = 0
    n_found: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, which :meth:`of` takes back."""
        return asdict(self)

    @classmethod
    def of(cls, saved: dict[str, Any]) -> RunCounts:
        """Return the counts of :meth:`to_dict`, which may have gone through JSON."""
        return cls(**{key: _plain(value) for key, value in saved.items()})


def count(
    qrels: Qrels, judged: JudgedRun, seen: ReadCounts, *, n_duplicates_dropped: int = 0
) -> RunCounts:
    """Count what an audit needs."""
    at_hand = np.minimum(judged.n_retrieved, DEPTH)
    graded = (judged.rank <= DEPTH) & (judged.grade >= 0)
    n_graded = np.bincount(judged.query[graded], minlength=judged.n_queries)
    found = at_hand > 0
    return RunCounts(
        n_queries=judged.n_queries,
        missing=tuple(qrels.query_ids[i] for i in np.flatnonzero(~found)),
        extra=tuple(sorted(seen.extra)),
        n_rows=seen.n_rows,
        n_tied_rows=seen.n_tied_rows,
        n_queries_with_ties=seen.n_queries_with_ties,
        n_duplicates_dropped=n_duplicates_dropped,
        n_unjudged_at_10=int(at_hand.sum() - n_graded.sum()),
        n_judged_rows=len(judged.rank),
        n_judgments=len(qrels),
        n_negative_grades=int(np.sum(qrels.grade < 0)),
        grades=tuple(np.unique(qrels.grade).tolist()),
        share_at_10=exact_sum(n_graded[found] / at_hand[found]),
        n_found=int(found.sum()),
    )


def audit_of(counts: Iterable[RunCounts], source: Source) -> Audit:
    """Return the audit of a run from the counts of its partitions, in whatever order."""
    every = list(counts)
    total = {each.name: _total(each.name, every) for each in fields(RunCounts)}
    share, n_found = total.pop("share_at_10"), total.pop("n_found")
    return Audit(
        **total,
        judged_at_10=exact_value(share) / n_found if n_found else 0.0,
        n_rank_conflicts=0,
        tags=(),
        path=source.path,
        sha256=source.sha256,
    )


def _total(name: str, every: list[RunCounts]) -> Any:  # noqa: ANN401
    values = [getattr(each, name) for each in every]
    if name == "grades":
        return tuple(sorted(set().union(*values)))
    if name in ("missing", "extra"):
        return tuple(sorted(each for value in values for each in value))
    return sum(values)


def _plain(value: Any) -> Any:  # noqa: ANN401
    return tuple(value) if isinstance(value, list) else value
