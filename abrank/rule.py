"""What is declared beforehand, and what may speak against the evidence of a verdict.

Unsound evidence decides nothing: the verdict is ``cannot-test``, whatever the numbers say.
Doubtful evidence decides, but passes no gate unless the doubt is accepted. No numbers are worked
out here, so that the command line can load it for its help.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import Requirement, Spending
from abrank.estimate import Interval


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
        fails = [verdict.value for verdict in Verdict if verdict not in self.verdicts]
        passes = [verdict.value for verdict in Verdict if verdict in self.verdicts]
        return ", ".join(passes) if len(passes) <= len(fails) else f"all but {', '.join(fails)}"


# Sets of verdicts, so that gate and verdict cannot contradict each other.
GATES: Mapping[Requirement, GateDefinition] = MappingProxyType(
    {
        "non-inferior": GateDefinition(
            "--require non-inferior",
            "a loss of the margin or more is excluded, or nothing changed",
            frozenset(
                {
                    Verdict.BETTER,
                    Verdict.BETTER_SIZE_UNCLEAR,
                    Verdict.SAME,
                    Verdict.NOT_WORSE,
                    Verdict.IDENTICAL,
                }
            ),
            needs_margin=True,
        ),
        "better": GateDefinition(
            "--require better",
            "B is significantly better; with a margin, by more than the margin",
            frozenset({Verdict.BETTER}),
        ),
        "equivalent": GateDefinition(
            "--require equivalent",
            "a difference of the margin or more is excluded, or nothing changed",
            frozenset({Verdict.SAME, Verdict.IDENTICAL}),
            needs_margin=True,
        ),
        "no-significant-loss": GateDefinition(
            "--fail-on worse",
            "B is not significantly worse: this does not prove that it is as good",
            frozenset(Verdict) - {Verdict.WORSE, Verdict.WORSE_SIZE_UNCLEAR, Verdict.CANNOT_TEST},
        ),
    }
)


# What a gate that did not pass lacks: the weightiest first.
Lack: TypeAlias = Literal["", "soundness", "test", "verdict", "guards", "queries", "trust", "each"]


@dataclass(frozen=True)
class Gate:
    """The gate that was asked for, whether it passed, and what it lacks where it did not."""

    # `soundness`: the evidence is unsound. `test`: nothing could be tested. `verdict`: the verdict
    # is not one of those that pass. `guards`: a guard was not passed.
    # `queries`: fewer than ten, and the exact sign-flip test does not agree. `trust`: the evidence
    # is doubtful, and the doubt was not accepted. `each`: of several collections one does not pass
    # by itself.

    require: Requirement
    passed: bool
    lacks: Lack = ""


# --- What is declared beside the test: how queries were sampled and looked at, and what may
# not drop

_GUARD = re.compile(r"(?P<measure>.+):\s*(?P<sign>[-+−]?)\s*(?P<size>[0-9.eE-]+)(?P<percent>%?)\s*")


@record
class Design:
    """How queries came and how often they are looked at, where it is not one by one and once."""

    # Property whose values are the clusters that queries come in; empty where they are independent.
    clusters: str = ""
    # look, n_looks: this look and the looks planned, evenly spaced; 0 where only one is.
    look: int = 0
    n_looks: int = 0
    # Lan and DeMets' function that shares out alpha among the looks.
    spending: Spending = "obrien-fleming"
    # Queries for which a confidence sequence is narrowest; 0 where there is none.
    planned: int = 0
    # Level of all looks together; that of this look is the rule's.
    alpha: float = 0.05
    # Queries planned in all, of looks whose shares of alpha go by the queries seen; 0 for none.
    n_planned: int = 0
    # Queries at each of these looks so far, this one last.
    seen: tuple[int, ...] = ()
    # Property by which queries count; empty where all count alike.
    weights: str = ""
    # Whether A and B were seen by different users, so that nothing is paired.
    independent: bool = False

    def __post_init__(self) -> None:
        checks.one_of("spending", self.spending, get_args(Spending))
        checks.level("alpha", self.alpha)
        if (self.look or self.n_looks) and not 1 <= self.look <= self.n_looks:
            raise ArgumentError(
                f"look {self.look} is not one of {self.n_looks}: give this look and the looks"
                " planned, such as 2/4"
            )
        if self.n_planned and (self.look or self.planned):
            raise ArgumentError(
                "planned (Planned(...)) shares out alpha by the queries seen: leave out --look"
                " and --anytime"
            )
        if self.look and self.planned:
            raise ArgumentError(
                "planned looks and a confidence sequence are two ways of looking more than once;"
                " choose --look (Looks(...)) or --anytime (Anytime(...))"
            )

    @property
    def is_plain(self) -> bool:
        """Whether single queries are tested, each for one, at one look."""
        return not (self.clusters or self.planned or self.weights or self.independent)

    @property
    def is_last(self) -> bool:
        """Whether no other look is planned after this one."""
        return self.seen[-1] >= self.n_planned if self.seen else self.look == self.n_looks

    @property
    def shared(self) -> bool:
        """Whether this is one of several looks, among which alpha is shared out."""
        return bool(self.look or self.seen)


@record
class Guard:
    """A measure that must be shown not to be worse by a margin or more, for a gate to pass."""

    # `margin` is above 0: in the measure's unit, or a share of the baseline's mean.

    measure: str
    margin: float
    margin_is_relative: bool = False

    def __str__(self) -> str:
        size = f"{100.0 * self.margin:g}%" if self.margin_is_relative else f"{self.margin:g}"
        return f"{self.measure}:-{size}"

    @classmethod
    def read(cls, text: str) -> Guard:
        """Read ``MEASURE:-X`` or ``MEASURE:-X%``: the loss from which on a gate does not pass."""
        # The sign may be left out; of a measure of which lower is better it may be a plus.
        match = _GUARD.fullmatch(str(text))
        size = _size(match["size"]) if match else math.nan
        if match is None or not (math.isfinite(size) and size > 0.0):
            raise ArgumentError(
                f"a guard is MEASURE:-X, the loss that must be excluded, such as R@100:-0.02 or"
                f" R@100:-2%, not {text!r}"
            )
        relative = bool(match["percent"])
        if relative and size >= 100.0:
            raise ArgumentError(f"the guard {text} allows to lose everything; give less than 100%")
        return cls(
            match["measure"].strip(), round(size / 100.0, 12) if relative else size, relative
        )


def _size(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


@record
class GuardResult:
    """What was found of a guard: ``margin`` as declared, and the interval it is held against."""

    # `estimate`, `low` and `high` are of B - A, at the level `1 - 2 alpha`; where the margin is a
    # share of A's mean they are shares of it, too. `passed` says that the whole interval lies on
    # the better side of the margin; with fewer than ten queries the exact flips of their signs must
    # agree, whose one-sided p-value at the margin is `flips`, None of more.

    measure: str
    margin: float
    margin_is_relative: bool
    estimate: float
    low: float
    high: float
    higher_is_better: bool
    passed: bool
    flips: float | None = None

    @property
    def interval(self) -> Interval:
        """The limits."""
        return Interval(self.low, self.high)

    @property
    def excludes_loss(self) -> bool:
        """Whether the interval excludes the loss, whatever the flips of a few signs say."""
        return self.interval.gain(higher=self.higher_is_better).low > -self.margin

    @property
    def shows_loss(self) -> bool:
        """Whether the whole interval lies beyond the margin, on the worse side."""
        return self.interval.gain(higher=self.higher_is_better).high < -self.margin


Level: TypeAlias = Literal["sound", "doubtful", "unsound"]

# Every reason there is, the weightiest first.
LEVELS: Mapping[str, Level] = MappingProxyType(
    {
        "document-ids": "unsound",
        "none-judged": "unsound",
        "none-relevant": "unsound",
        "missing-queries": "doubtful",
        "guard-turned": "doubtful",
        "missing-scores": "doubtful",
        "guard-scores": "doubtful",
        "same-judgments": "doubtful",
        "sample-differs": "doubtful",
        "unjudged-decide": "doubtful",
        "few-judged": "doubtful",
        "unequal-groups": "doubtful",
        "clusters-ignored": "doubtful",
        "one-cluster-carries": "doubtful",
        "skewness-decides": "doubtful",
        "order-fixed": "doubtful",
    }
)
_OF_SOME_MEASURES = frozenset(["none-relevant"])


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
    """What speaks against the evidence; sound where nothing does."""

    # The weightiest first.
    reasons: tuple[Reason, ...] = ()

    @property
    def level(self) -> Level:
        """``sound``, ``doubtful`` or ``unsound``: that of the weightiest reason."""
        levels = {reason.level for reason in self.reasons}
        return "unsound" if "unsound" in levels else "doubtful" if levels else "sound"

    def forbids(self, measure: str, *, is_primary: bool) -> bool:
        """Whether nothing may be read from a measure."""
        unsound = [reason for reason in self.reasons if reason.level == "unsound"]
        named = {
            name
            for reason in unsound
            for key in ("measures", "guards")
            for name in reason.values.get(key, ())
        }
        forbids_all = any(reason.code not in _OF_SOME_MEASURES for reason in unsound)
        return forbids_all or measure in named or (is_primary and bool(unsound))

    @property
    def main(self) -> tuple[Reason, ...]:
        """The reasons of that level: a doubt says nothing beside what forbids a decision."""
        return tuple(reason for reason in self.reasons if reason.level == self.level)
