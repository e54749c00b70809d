"""One comparison in a ledger."""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from abrank._support.errors import ReadError
from abrank._support.result import record
from abrank.inference.student import student_quantile
from abrank.verdict import Verdict

_HASHED = 16  # hexadecimal digits of hashes for query sets and systems


def hash_of(items: Iterable[str]) -> str:
    """Return a hash of texts in order; different lists have different hashes."""
    digest = hashlib.sha256()
    for item in items:
        raw = item.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "big") + raw)
    return digest.hexdigest()[:_HASHED]


# Fields that may differ between an entry and its exact repetition.
_NOT_IN_KEY = ("key", "created")


@record
class LedgerEntry:
    """One comparison in a ledger.

    Attributes
    ----------
    key : str
        sha256 of everything except the time; an exact repetition has the same key.
    created : str
        ISO 8601, UTC.
    queries, judgments : str
        Hashes of the set of query ids and of the judgments; empty for ready scores.
    n_queries : int
    baseline, candidate : str
        Names of A and B.
    a, b : str
        Hashes of their per-query scores.
    measure : str
    higher_is_better : bool
    rule : str
        The declared rule, in JSON.
    budget : str
        The error budget that set the level, such as ``fdr:0.05``; empty without one.
    alpha : float
        Two-sided level of this comparison.
    difference, low, high, pvalue : float
        B - A with the deciding interval, and the two-sided p-value.
    standard_error : float
        Of the difference.
    verdict : str
    gate : str
        The requirement; empty without a gate.
    passed : bool
        Whether the gate passed; True without one.
    look : str
        With planned looks, ``"2/4"`` or ``"50 of 400"``; else empty.
    """

    key: str
    created: str
    queries: str
    n_queries: int
    judgments: str
    baseline: str
    candidate: str
    a: str
    b: str
    measure: str
    higher_is_better: bool
    rule: str
    budget: str
    alpha: float
    difference: float
    low: float
    high: float
    pvalue: float
    standard_error: float
    verdict: str
    gate: str
    passed: bool
    look: str

    @property
    def gain(self) -> float:
        """Gain of B; negative if B is worse."""
        return self.difference if self.higher_is_better else -self.difference

    @property
    def pvalue_better(self) -> float:
        """One-sided p-value of "B is not better than A"; 1 if nothing could be tested."""
        if not self.pvalue <= 1 or self.verdict == Verdict.CANNOT_TEST:
            return 1.0
        return self.pvalue / 2 if self.gain > 0 else 1 - self.pvalue / 2

    @property
    def is_better(self) -> bool:
        """Whether the verdict says that B is better, by any amount."""
        return self.verdict in (Verdict.BETTER, Verdict.BETTER_SIZE_UNCLEAR)

    @property
    def spends(self) -> tuple[str, ...]:
        """What spends level: the same scores with another margin or gate spend nothing more."""
        return self.budget, self.queries, self.a, self.b, self.measure

    @property
    def day(self) -> str:
        """The day of the comparison."""
        return self.created[:10]

    @property
    def plan(self) -> tuple[object, ...]:
        """What the looks of the same plan have in common, including the systems' names."""
        design = json.loads(self.rule).get("design") or {}
        selected = ("n_looks", "n_planned", "spending", "alpha", "clusters")
        names = self.baseline, self.candidate, self.measure
        return *names, *(design.get(name) for name in selected)

    @classmethod
    def of(cls, comparison: Any, *, budget: str = "") -> LedgerEntry:  # noqa: ANN401 - a Comparison
        """Make an entry from a comparison.

        Raises
        ------
        ArgumentError
            If it has no per-query scores, or tested nothing.
        """
        primary, decision, rule = comparison.primary, comparison.decision, comparison.rule
        quantile = float(student_quantile(max(comparison.n_queries - 1, 1), 1 - rule.alpha / 2))
        column = comparison.measures.index(primary.measure)
        qrels = comparison.provenance.get("inputs", {}).get("qrels") or {}
        look, design = "", rule.design
        if design is not None and design.look:
            look = f"{design.look}/{design.n_looks}"
        elif design is not None and design.n_planned:
            look = f"{design.seen[-1]} of {design.n_planned}"
        values: dict[str, Any] = {
            "queries": hash_of(sorted(comparison.query_ids)),
            "n_queries": comparison.n_queries,
            "judgments": str(qrels.get("sha256") or "")[:_HASHED],
            "baseline": comparison.baseline,
            "candidate": comparison.candidate,
            "a": _hash_of_scores(comparison.query_ids, comparison.a[:, column].tolist()),
            "b": _hash_of_scores(comparison.query_ids, comparison.b[:, column].tolist()),
            "measure": primary.measure,
            "higher_is_better": rule.higher_is_better,
            "rule": json.dumps(asdict(rule), sort_keys=True, default=str),
            "budget": budget,
            "alpha": float(rule.alpha),
            "difference": float(primary.diff),
            "low": float(decision.ci_low),
            "high": float(decision.ci_high),
            "pvalue": float(primary.pvalue),
            "standard_error": float(decision.ci_high - decision.ci_low) / 2 / quantile,
            "verdict": str(decision.verdict),
            "gate": decision.gate.require if decision.gate else "",
            "passed": decision.gate is None or bool(decision.gate.passed),
            "look": look,
        }
        created = datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")
        return cls(key=_digest(values), created=created, **values)

    def to_json(self) -> str:
        """Return it as one line of JSON."""
        values = {name: getattr(self, name) for name in _TYPES}  # asdict() would copy deeply
        return json.dumps(values, sort_keys=True, ensure_ascii=True)

    @classmethod
    def from_json(cls, text: str, source: str) -> LedgerEntry:
        """Parse an entry from a line.

        Raises
        ------
        ReadError
            If it is not an entry, or was changed after it was written.
        """
        try:
            values = json.loads(text)
            entry = cls(**values)
            has_rule = _is_rule(entry.rule)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ReadError(source, "holds an entry that is no entry of a ledger") from error
        wrong_types = [
            name for name, value in values.items() if type(value).__name__ != _TYPES[name]
        ]
        selected = {name: value for name, value in values.items() if name not in _NOT_IN_KEY}
        is_unchanged = (
            not wrong_types and entry.verdict in _VERDICTS and entry.key == _digest(selected)
        )
        if not (is_unchanged and has_rule):
            raise changed(source, str(entry.key))
        return entry


def changed(source: str, key: str) -> ReadError:
    """Return the error for an entry that was changed after it was written."""
    return ReadError(source, f"the entry {key[:12]} was changed since it was written")


_TYPES = {field.name: str(field.type) for field in fields(LedgerEntry)}
_VERDICTS = frozenset(Verdict)


@functools.lru_cache(maxsize=64)
def _is_rule(text: str) -> bool:
    """Whether a text is a rule; cached, because most entries have the same."""
    return isinstance(json.loads(text).get("design") or {}, dict)


def _hash_of_scores(query_ids: Sequence[str], scores: Sequence[float]) -> str:
    """Return a hash of a system's scores that does not depend on the order of queries."""
    pairs = sorted(zip(query_ids, scores, strict=True))
    return hash_of(text for query, score in pairs for text in (query, score.hex()))


def _digest(values: Mapping[str, Any]) -> str:
    text = json.dumps({name: repr(value) for name, value in values.items()}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
