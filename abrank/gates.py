"""The verdicts that there are, and the gates: which verdicts let a candidate pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Literal, TypeAlias

Requirement: TypeAlias = Literal["better", "non-inferior", "equivalent", "not-worse-shown"]


class Verdict(StrEnum):
    """What the interval of the primary measure says about B against A."""

    BETTER = "better"
    BETTER_SIZE_UNCLEAR = "better-size-unclear"
    SAME = "same"
    NOT_WORSE = "not-worse"
    NOT_BETTER = "not-better"
    INCONCLUSIVE = "inconclusive"
    WORSE_SIZE_UNCLEAR = "worse-size-unclear"
    WORSE = "worse"
    IDENTICAL = "identical"
    CANNOT_TEST = "cannot-test"


@dataclass(frozen=True)
class GateDefinition:
    """How the command line asks for a gate, when it passes, and the verdicts that pass it."""

    flag: str
    passes: str
    verdicts: frozenset[Verdict]
    needs_margin: bool = False

    @property
    def passing(self) -> str:
        """The verdicts that pass, in words; where most do, those that do not."""
        fails = [each.value for each in Verdict if each not in self.verdicts]
        passes = [each.value for each in Verdict if each in self.verdicts]
        return ", ".join(passes) if len(passes) < len(fails) else f"all but {', '.join(fails)}"


# Sets of verdicts, so that gate and verdict cannot contradict each other.
GATES: Mapping[Requirement, GateDefinition] = MappingProxyType(
    {
        "non-inferior": GateDefinition(
            "--require non-inferior",
            "B is shown not to be worse by the margin or more",
            frozenset(
                {Verdict.BETTER, Verdict.BETTER_SIZE_UNCLEAR, Verdict.SAME, Verdict.NOT_WORSE}
            ),
            needs_margin=True,
        ),
        "better": GateDefinition(
            "--require better",
            "B is shown to be better; with a margin, by more than the margin",
            frozenset({Verdict.BETTER}),
        ),
        "equivalent": GateDefinition(
            "--require equivalent",
            "A and B are shown to differ by less than the margin",
            frozenset({Verdict.SAME}),
            needs_margin=True,
        ),
        "not-worse-shown": GateDefinition(
            "--fail-on worse",
            "B is not shown to be worse by the margin or more: no proof that it is not worse",
            frozenset(Verdict) - {Verdict.WORSE, Verdict.WORSE_SIZE_UNCLEAR, Verdict.CANNOT_TEST},
        ),
    }
)


# What a gate that did not pass lacks: the weightiest first.
Lack: TypeAlias = Literal["", "soundness", "test", "verdict", "guards", "queries", "trust"]


@dataclass(frozen=True)
class Gate:
    """The gate that was asked for, whether it passed, and what it lacks where it did not.

    ``soundness``: the evidence is unsound. ``test``: nothing could be tested, or all scores are
    equal. ``verdict``: the verdict is not one of those that pass. ``guards``: a guard was not
    passed. ``queries``: fewer than ten, and the exact sign-flip test does not agree. ``trust``: the
    evidence is doubtful, and the doubt was not accepted.
    """

    require: Requirement
    passed: bool
    lacks: Lack = ""
