"""Whether the evidence of a verdict is sound: what forbids a decision, and what puts it in doubt.

Unsound evidence decides nothing: the verdict is ``cannot-test``, whatever the numbers say.
Doubtful evidence decides, but passes no gate unless the doubt is accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias

from abrank._support.records import record
from abrank.rule import GATES, Verdict

Level: TypeAlias = Literal["sound", "doubtful", "unsound"]

# Every reason there is, the weightiest first.
LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        "same-file": "unsound",
        "document-ids": "unsound",
        "none-judged": "unsound",
        "none-relevant": "unsound",
        "missing-queries": "unsound",
        "common-depth": "unsound",
        "sample-differs": "doubtful",
        "unjudged-favour": "doubtful",
        "few-judgments-turn": "doubtful",
        "one-cluster-carries": "doubtful",
        "skewness-decides": "doubtful",
        "order-fixed": "doubtful",
    }
)
_OF_SOME_MEASURES = frozenset(["none-relevant", "common-depth"])
# A shorter list of unjudged documents that would turn the sign of the difference is a doubt.
TIPPING_SHARE = 0.05


@record
class Reason:
    """Why evidence is not sound: a stable code of :data:`LEVELS`, and the numbers behind it."""

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def level(self) -> Level:
        """What it makes of the evidence."""
        return LEVELS[self.code]


@record
class Soundness:
    """What speaks against the evidence; sound where nothing does.

    reasons : tuple of Reason
        The weightiest first.
    """

    reasons: tuple[Reason, ...] = ()

    @property
    def level(self) -> Level:
        """``sound``, ``doubtful`` or ``unsound``: that of the weightiest reason."""
        levels = {reason.level for reason in self.reasons}
        return "unsound" if "unsound" in levels else "doubtful" if levels else "sound"

    def forbids(self, measure: str, *, lead: bool) -> bool:
        """Say whether nothing may be read from a measure; ``lead`` where it is the primary one."""
        unsound = [reason for reason in self.reasons if reason.level == "unsound"]
        named = {name for reason in unsound for name in reason.values.get("measures", ())}
        every = any(reason.code not in _OF_SOME_MEASURES for reason in unsound)
        return every or measure in named or (lead and bool(unsound))

    @property
    def told(self) -> tuple[Reason, ...]:
        """The reasons of that level: a doubt says nothing beside what forbids a decision."""
        return tuple(reason for reason in self.reasons if reason.level == self.level)


class _Note(Protocol):
    @property
    def code(self) -> str: ...
    @property
    def values(self) -> Mapping[str, Any]: ...


class _Alternative(Protocol):
    @property
    def kind(self) -> str: ...
    @property
    def verdict(self) -> Verdict: ...
    @property
    def n_queries(self) -> int: ...
    @property
    def diff(self) -> float: ...
    @property
    def depth(self) -> int | None: ...


class _ToJudge(Protocol):
    @property
    def tipping(self) -> Sequence[object]: ...
    @property
    def n_documents(self) -> int: ...


def judge(
    verdict: Verdict,
    direction: int,
    *,
    primary: str,
    same_file: bool = False,
    notes: Iterable[_Note] = (),
    alternatives: Iterable[_Alternative] = (),
    to_judge: _ToJudge | None = None,
    carrying: Mapping[str, Any] | None = None,
) -> Soundness:
    """Judge the evidence behind a verdict."""
    found = [Reason("same-file")] if same_file else []
    found += [reason for note in notes if (reason := _of_note(note, direction, primary))]
    empty = any(reason.values.get("n_rows") == 0 for reason in found)  # and shares no query
    for each in () if empty else alternatives:
        code = _OF_QUERIES_AND_DEPTH.get(each.kind)
        if code and is_turned(verdict, each.verdict):
            depth = {} if each.depth is None else {"depth": each.depth}
            values = {"kind": each.kind, "verdict": each.verdict.value, "difference": each.diff}
            found.append(Reason(code, {**values, "n_queries": each.n_queries, **depth}))
    if direction and to_judge is not None and to_judge.tipping:
        least, of = len(to_judge.tipping), to_judge.n_documents
        if least < TIPPING_SHARE * of:
            found.append(Reason("few-judgments-turn", {"count": least, "of": of}))
    if carrying is not None:
        found.append(Reason("one-cluster-carries", carrying))
    order = list(LEVELS)
    return Soundness(tuple(sorted(found, key=lambda reason: order.index(reason.code))))


# An alternative that turns the verdict, by its kind, and the reason that it gives.
_OF_QUERIES_AND_DEPTH = {
    "shared-queries": "missing-queries",
    "missing-as-zero": "missing-queries",
    "common-depth": "common-depth",
}


def is_turned(declared: Verdict, other: Verdict) -> bool:
    """Say whether another verdict takes back what the declared one claims.

    It does where it points another way, or where a gate that the declared one passes does not pass.
    """
    passed, still = (
        {name for name, gate in GATES.items() if verdict in gate.verdicts}
        for verdict in (declared, other)
    )
    return _DIRECTIONS.get(declared, 0) != _DIRECTIONS.get(other, 0) or not passed <= still


_DIRECTIONS = {
    Verdict.BETTER: 1,
    Verdict.BETTER_SIZE_UNCLEAR: 1,
    Verdict.WORSE: -1,
    Verdict.WORSE_SIZE_UNCLEAR: -1,
}


def _of_note(note: _Note, direction: int, primary: str) -> Reason | None:
    """Return the reason that a note gives, if it gives one."""
    values = note.values
    if note.code == "machine-sample-differs":
        return Reason("sample-differs", values)
    if note.code in LEVELS:
        of_another = primary not in values.get("measures", (primary,))
        return None if of_another or note.code == "missing-queries" else Reason(note.code, values)
    if note.code not in ("unjudged-documents", "judged-gap"):
        return None
    favours = values.get("favours", "")
    if note.code == "judged-gap":
        favours = "b" if values["b"] > values["a"] else "a"
    # A system that is ahead although judgments are missing on its side is ahead all the more.
    behind = favours and favours != {1: "b", -1: "a"}.get(direction)
    return Reason("unjudged-favour", values) if behind else None
