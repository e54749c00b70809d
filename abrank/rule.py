"""The parts of a decision rule, and the reasons that can make its evidence unsound or doubtful.

Unsound evidence gives the verdict ``cannot-test``, whatever the numbers are. Doubtful evidence
gives a verdict, but passes a gate only if the rule accepts doubt. This module computes nothing, so
that the command line can import it quickly for its help.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, TypeAlias, get_args

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.typing import Requirement, Spending
from abrank.estimate import Interval


class Verdict(StrEnum):
    """What the interval of the primary measure shows about B compared with A."""

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
    """A gate: its command-line option, its condition, and the verdicts that pass it."""

    flag: str
    passes: str
    verdicts: frozenset[Verdict]
    needs_margin: bool = False

    @property
    def passing(self) -> str:
        """The verdicts that pass, as text; if most pass, those that do not."""
        fails = [verdict.value for verdict in Verdict if verdict not in self.verdicts]
        passes = [verdict.value for verdict in Verdict if verdict in self.verdicts]
        return ", ".join(passes) if len(passes) <= len(fails) else f"all but {', '.join(fails)}"


# Gates are sets of verdicts, so that gate and verdict cannot contradict each other.
GATES: Mapping[Requirement, GateDefinition] = {
    "non-inferior": GateDefinition(
        "--require non-inferior",
        "the data rule out a loss of the margin or more, or nothing changed",
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
        "the data rule out a difference of the margin or more, or nothing changed",
        frozenset({Verdict.SAME, Verdict.IDENTICAL}),
        needs_margin=True,
    ),
    "no-significant-loss": GateDefinition(
        "--fail-on worse",
        "B is not significantly worse; this does not prove that B is as good as A",
        frozenset(Verdict) - {Verdict.WORSE, Verdict.WORSE_SIZE_UNCLEAR, Verdict.CANNOT_TEST},
    ),
}


# Why a gate did not pass, most serious first.
Lack: TypeAlias = Literal["", "soundness", "test", "verdict", "guards", "queries", "trust", "each"]


@dataclass(frozen=True)
class Gate:
    """The required gate, whether it passed, and if not, why."""

    # `soundness`: the evidence is unsound. `test`: no test was possible. `verdict`: the verdict is
    # not one that passes. `guards`: a guard failed. `queries`: there are fewer than ten queries and
    # the exact sign-flip test does not agree. `trust`: the evidence is doubtful and the rule does
    # not accept doubt. `each`: at least one of several collections does not pass.

    require: Requirement
    passed: bool
    lacks: Lack = ""


# --- Sampling design and guards

_GUARD = re.compile(r"(?P<measure>.+):\s*(?P<sign>[-+−]?)\s*(?P<size>[0-9.eE-]+)(?P<percent>%?)\s*")


@record
class Design:
    """How queries were sampled and how often the data are analysed, if not simply once."""

    # Property that holds the cluster of each query; empty if queries are independent.
    clusters: str = ""
    # Number of this look, and of all planned looks, evenly spaced; 0 if there is only one.
    look: int = 0
    n_looks: int = 0
    # Lan-DeMets function that spends alpha over the looks.
    spending: Spending = "obrien-fleming"
    # Number of queries at which the confidence sequence is narrowest; 0 if none is used.
    planned: int = 0
    # Overall level of all looks; `Rule.alpha` is the level of this look.
    alpha: float = 0.05
    # Total planned number of queries, if each look spends alpha by its queries; else 0.
    n_planned: int = 0
    # Number of queries at each look so far, including this one.
    seen: tuple[int, ...] = ()
    # Property that holds the weight of each query; empty if all count the same.
    weights: str = ""
    # Whether A and B were shown to different users, so that scores are not paired.
    independent: bool = False

    def __post_init__(self) -> None:
        checks.one_of("spending", self.spending, get_args(Spending))
        checks.level("alpha", self.alpha)
        if (self.look or self.n_looks) and not 1 <= self.look <= self.n_looks:
            raise ArgumentError(
                f"look {self.look} of {self.n_looks} is impossible: give this look and the looks"
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
        """Whether this is the simple design: independent queries, equal weights, one look."""
        return not (self.clusters or self.planned or self.weights or self.independent)

    @property
    def is_last(self) -> bool:
        """Whether no further look is planned."""
        return self.seen[-1] >= self.n_planned if self.seen else self.look == self.n_looks

    @property
    def shared(self) -> bool:
        """Whether alpha is spent over several looks."""
        return bool(self.look or self.seen)


@record
class Guard:
    """A measure that must be shown not to be worse by ``margin`` or more, for a gate to pass."""

    # `margin` > 0, in the unit of the measure or as a share of the baseline's mean.

    measure: str
    margin: float
    margin_is_relative: bool = False

    def __str__(self) -> str:
        size = f"{100.0 * self.margin:g}%" if self.margin_is_relative else f"{self.margin:g}"
        return f"{self.measure}:-{size}"

    @classmethod
    def read(cls, text: str) -> Guard:
        """Parse ``MEASURE:-X`` or ``MEASURE:-X%``; a loss of X or more fails the gate."""
        # The sign is optional; for measures where lower is better it may be a plus.
        match = _GUARD.fullmatch(str(text))
        try:
            size = float(match["size"]) if match else math.nan
        except ValueError:
            size = math.nan
        if match is None or not 0.0 < size < math.inf:
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


@record
class GuardResult:
    """The result of a guard: the declared margin and the interval compared with it."""

    # `estimate`, `low` and `high`: B - A and its interval of level `1 - 2 alpha`, as shares of A's
    # mean if the margin is one. `passed`: the whole interval lies on the better side of the margin,
    # and with fewer than ten queries the exact sign-flip test agrees. `flips`: the one-sided
    # p-value of that test at the margin; None with ten queries or more.

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
        """The interval as one object."""
        return Interval(self.low, self.high)

    @property
    def excludes_loss(self) -> bool:
        """Whether the interval excludes a loss of the margin, regardless of the sign-flip test."""
        return self.interval.gain(higher=self.higher_is_better).low > -self.margin

    @property
    def shows_loss(self) -> bool:
        """Whether the whole interval lies on the worse side of the margin."""
        return self.interval.gain(higher=self.higher_is_better).high < -self.margin


Level: TypeAlias = Literal["sound", "doubtful", "unsound"]

# All reasons, most serious first.
LEVELS: Mapping[str, Level] = {
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


@record
class Reason:
    """Why evidence is not sound: a stable code from :data:`LEVELS` and its numbers."""

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def level(self) -> Level:
        """Whether this reason makes the evidence doubtful or unsound."""
        return LEVELS[self.code]


@record
class Soundness:
    """The reasons against the evidence; sound if there are none."""

    # Most serious first.
    reasons: tuple[Reason, ...] = ()

    @property
    def level(self) -> Level:
        """``sound``, ``doubtful`` or ``unsound``, as the most serious reason says."""
        levels = {reason.level for reason in self.reasons}
        return "unsound" if "unsound" in levels else "doubtful" if levels else "sound"

    def forbids(self, measure: str, *, is_primary: bool) -> bool:
        """Whether no conclusion may be drawn from a measure."""
        unsound = [reason for reason in self.reasons if reason.level == "unsound"]
        named = {
            name
            for reason in unsound
            for key in ("measures", "guards")
            for name in reason.values.get(key, ())
        }
        forbids_all = any(reason.code != "none-relevant" for reason in unsound)
        return forbids_all or measure in named or (is_primary and bool(unsound))

    @property
    def main(self) -> tuple[Reason, ...]:
        """The reasons at the level of the whole: only the unsound ones if there are any."""
        return tuple(reason for reason in self.reasons if reason.level == self.level)
