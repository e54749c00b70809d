"""What was counted of a run in each partition, and the audit that all of them give."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from abrank.engines.counted import exact_sum, exact_value
from abrank.inputs.audit import Audit, counted, judged_shares
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
        lists = {key: tuple(each) for key, each in saved.items() if isinstance(each, list)}
        return cls(**(saved | lists))


def count(
    qrels: Qrels, judged: JudgedRun, seen: ReadCounts, *, n_duplicates_dropped: int = 0
) -> RunCounts:
    """Count what an audit needs."""
    counts = counted(qrels, judged, seen, n_duplicates_dropped=n_duplicates_dropped)
    shares = judged_shares(judged)
    return RunCounts(**counts, share_at_10=exact_sum(shares), n_found=len(shares))


def audit_of(counts: Iterable[RunCounts], source: Source) -> Audit:
    """Return the audit of a run from the counts of its partitions, in whatever order."""
    every = list(counts)
    total: dict[str, Any] = {}
    for name in (each.name for each in fields(RunCounts)):
        values = [getattr(each, name) for each in every]
        if name == "grades":
            total[name] = tuple(sorted(set().union(*values)))
        elif name in ("missing", "extra"):
            total[name] = tuple(sorted(each for value in values for each in value))
        else:
            total[name] = sum(values)
    share, n_found = total.pop("share_at_10"), total.pop("n_found")
    return Audit(
        **total,
        judged_at_10=exact_value(share) / n_found if n_found else 0.0,
        n_rank_conflicts=0,
        tags=(),
        path=source.path,
        sha256=source.sha256,
    )
