"""One call for the questions of planning: what n queries see, and how many a difference needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import Printed, record
from abrank._support.rng import entropy
from abrank._support.typing import FloatArray, RandomSource
from abrank.inference.prediction_powered import UNSEEN_FAILURES
from abrank.inference.registry import as_column
from abrank.measures.names import known
from abrank.planning import student
from abrank.planning.simulation import (
    N_REPLICATIONS,
    queries_by_simulation,
    simulate_power,
    spread_of,
    visible_by_simulation,
)
from abrank.planning.student import (
    PairedT,
    queries_for_width,
    queries_needed,
    queries_to_show_same,
    smallest_visible,
    spread_interval,
)


@record
class PlanRow:
    """What one true difference asks for.

    ``n`` are the queries needed (None: no number, or too many to count), ``n_low`` and ``n_high``
    those at the ends of the interval of the pilot's standard deviation (None without a pilot).
    ``power`` is the chance to show the difference with the queries at hand (NaN without any);
    ``power_low`` and ``power_high`` its 95 % interval where it was simulated, else NaN.
    """

    difference: float
    n: int | None
    power: float
    power_low: float = math.nan
    power_high: float = math.nan
    n_low: int | None = None
    n_high: int | None = None


@record
class SameRow:
    """The queries that exclude a loss, or any difference, of a margin where the true one is 0."""

    margin: float
    n: int | None
    n_low: int | None = None
    n_high: int | None = None


@record
class WidthRow:
    """The queries whose interval is expected to be as narrow as wanted, and their range."""

    width: float
    n: int | None
    n_low: int | None = None
    n_high: int | None = None


@record
class JudgedPlan:
    """The human queries needed where a machine judges ``n_queries``, at one correlation with it.

    ``mde`` is what the human queries at hand show with its help (NaN for fewer than 25 of them),
    ``needed`` what each difference of the plan needs, ``same`` and ``width`` what margin and width
    do. None: the machine's queries are too few, or nothing was asked.
    """

    correlation: float
    n_queries: int
    mde: float
    needed: tuple[int | None, ...]
    same: int | None = None
    width: int | None = None


@record
class Plan(Printed):
    """Answers to what was asked of :func:`power`.

    Attributes
    ----------
    test : str
    alpha, target : float
        Level of the two-sided test, and the power wanted.
    sd, sd_low, sd_high : float
        Standard deviation of the differences, and its 95 % interval by the chi-square distribution;
        NaN without a pilot.
    n_queries : int, optional
        The queries at hand.
    mde, mde_low, mde_high : float
        Smallest true difference that ``n_queries`` show with the wanted power, at ``sd`` and both
        ends of its interval; NaN without them.
    rows : tuple of PlanRow
        One a difference asked for, the margin among them; round ones around ``mde`` without any.
    n_replications : int
        Of the simulation; 0 for the t test, which needs none.
    not_worse, same, width : SameRow, SameRow, WidthRow, optional
        For the margin and the width that were asked for; by the t test, whatever the test.
    judged : tuple of JudgedPlan
        One a correlation with a machine; empty without one.
    """

    test: str
    alpha: float
    target: float
    sd: float
    n_queries: int | None
    mde: float
    rows: tuple[PlanRow, ...]
    n_replications: int = 0
    sd_low: float = math.nan
    sd_high: float = math.nan
    mde_low: float = math.nan
    mde_high: float = math.nan
    same: SameRow | None = None
    width: WidthRow | None = None
    judged: tuple[JudgedPlan, ...] = ()
    not_worse: SameRow | None = None

    @property
    def n(self) -> int | None:
        """Queries needed for the one difference that was asked for."""
        return self._only().n

    @property
    def power(self) -> float:
        """Chance to show the one difference that was asked for, with the queries at hand."""
        return self._only().power

    def _only(self) -> PlanRow:
        if len(self.rows) != 1:
            raise ArgumentError(f"the plan has {len(self.rows)} differences; see its rows")
        return self.rows[0]


@record
class JudgedT(PairedT):
    """The t test of people and a machine together, as it is planned: by the queries people judge.

    The square of the error is s2 (1/n + (1/n - 1/N) / (n - 3)) + r**2 / N with
    s2 = max(1 - r**2, min(1, 3/n)): the variance of
    :func:`abrank.inference.run_prediction_powered`, where the squared distance of the machine's two
    means takes its expectation for normal differences. The power is within .02 of simulations from
    25 human queries on. Of fewer the test often sets the machine aside (with normal residuals in
    26 % of samples of 18 in place of 5 %), so that a plan for fewer would not be kept.
    Source: Cochran (1977), Sampling Techniques, 3rd ed., 7.3.
    """

    # Of people's differences and the machine's; its sign does not matter.
    correlation: float = 0.0
    # That the machine judges, those of people among them, who judge a random draw of these.
    n_queries: int = 0
    minimum: ClassVar[int] = 25

    @property
    def maximum(self) -> int:
        """Those that the machine judges."""
        return self.n_queries

    def error(self, n: int) -> float:
        """Return the standard error, in standard deviations of people's differences."""
        r2 = self.correlation**2
        if not r2 <= 1.0:
            raise ArgumentError(f"correlation must be in [-1, 1], not {self.correlation!r}")
        if checks.count("n_judged", n, at_least=4) > self.n_queries:
            raise ArgumentError(
                f"people cannot judge {n} of {self.n_queries} queries of the machine"
            )
        residual = max(1.0 - r2, min(1.0, UNSEEN_FAILURES / n))
        leverage = (1.0 / n - 1.0 / self.n_queries) / (n - 3)
        return math.sqrt(residual * (1.0 / n + leverage) + r2 / self.n_queries)

    def freedom(self, n: int) -> float:
        """Return the degrees of freedom: one more goes to the slope."""
        return n - 2.0

    def shrinkage(self, n: int) -> float:  # noqa: ARG002 - as of any test
        """Return 1: the error that is expected is taken as it is."""
        return 1.0


def correlation_interval(
    correlation: float, n_judged: int, *, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval that a sample leaves of a correlation, by Fisher's z.

    NaN for fewer than four queries or a correlation that is not known.
    Source: Fisher (1921), Metron 1, 3-32.
    """
    checks.fraction("confidence", confidence)
    if n_judged < 4 or not abs(correlation) <= 1.0:
        return math.nan, math.nan
    from scipy.special import ndtri

    half = float(ndtri((1.0 + confidence) / 2.0)) / math.sqrt(n_judged - 3)
    z = math.atanh(correlation) if abs(correlation) < 1.0 else math.copysign(math.inf, correlation)
    return math.tanh(z - half), math.tanh(z + half)


# Planned for where nothing is known of the machine.
CORRELATIONS = (0.5, 0.7, 0.9)


def _is_comparison(pilot: object) -> bool:
    """Say whether it is a finished comparison, a class of a higher room, and no array."""
    return hasattr(type(pilot), "differences")


@checks.explained
def power(
    pilot: Any = None,  # noqa: ANN401 - a Comparison, or differences
    *,
    effect: float | str | Sequence[float | str] | None = None,
    margin: float | str | None = None,
    mean: float | None = None,
    sd: float | None = None,
    queries: int | None = None,
    power: float = 0.8,
    alpha: float | None = None,
    test: str | None = None,
    width: float | None = None,
    correlation: float | Sequence[float] | None = None,
    machine_queries: int | None = None,
    replications: int = N_REPLICATIONS,
    rng: RandomSource = 0,
) -> Plan:
    """Plan a comparison: queries needed for a difference, smallest difference that n queries show.

    Source: those of :mod:`abrank.planning`, whose functions answer.

    Parameters
    ----------
    pilot : Comparison or array_like of shape (n_pilot,), optional
        A finished comparison, or differences B - A query by query (of a cost A - B): their spread
        is taken for that of the queries to come. The difference that was observed is not used.
    effect : float, str or sequence of these, optional
        True differences to show, in the measure's unit or as a percentage of A's mean such as
        ``"2%"``; without it round ones around the smallest visible one.
    margin : float or str, optional
        Smallest difference worth having, in the same units: planned for as an effect, and the
        queries that show a true difference of 0 to lie within it. That of the comparison without.
    mean : float, optional
        A's mean, of which a percentage is a share; that of the comparison without it.
    sd : float, optional
        Standard deviation of the differences, instead of a pilot.
    queries : int, optional
        Queries at hand; those of the pilot without it.
    power : float
        Wanted.
    alpha : float, optional
        Level of the two-sided test; that of the comparison, else .05.
    test : str, optional
        That of the comparison, else ``t``. All tests but ``t`` are simulated from the pilot.
    width : float, optional
        Full width wanted of the interval, planned for by the t test.
    correlation : float or sequence of float, optional
        Of people's differences with a machine's: plans the human queries needed with its help, too.
        Without it that of a comparison with a machine, with its 95 % interval, or .5, .7 and .9.
    machine_queries : int, optional
        Queries that the machine judges, those of people among them; those of the comparison.
    replications : int
        Of a simulation.
    rng : int, Generator, SeedSequence or None

    Raises
    ------
    ArgumentError
        If there is neither a pilot nor ``sd`` (or both), a test other than t has no pilot, nothing
        to plan for is given, or a correlation without ``machine_queries``.

    Examples
    --------
    >>> power(sd=0.20, queries=250).mde.__round__(4), power(sd=0.20, effect=0.02).n
    (0.0356, 787)
    >>> plan = power([0.1, -0.2, 0.3, 0.1], effect=[0.1, 0.2])
    >>> [(row.difference, row.n_low, row.n, row.n_high) for row in plan.rows]
    [(0.1, 13, 36, 466), (0.2, 5, 11, 118)]
    >>> plan = power(sd=0.20, effect=0.05, correlation=[0.6, 0.8], machine_queries=2000)
    >>> plan.n, [(one.correlation, one.needed) for one in plan.judged]
    (128, [(0.6, (86,)), (0.8, (51,))])
    """
    machine = _machine(pilot, correlation, machine_queries)
    if mean is None and _is_comparison(pilot):
        mean = pilot.primary.mean_a
    effects = None
    if effect is not None:
        effects = [in_unit("effect", value, mean) for value in np.atleast_1d(effect).tolist()]
    margin = None if margin is None else in_unit("margin", margin, mean)
    differences, alpha, test, margin = _pilot(pilot, alpha, test, margin)
    margin, width = (
        None if item is None else checks.positive(name, item)
        for name, item in (("margin", margin), ("width", width))
    )
    if (differences is None) == (sd is None):
        raise ArgumentError("planning needs a pilot or sd, and not both")
    if differences is None and test != "t":
        raise ArgumentError(f"the power of {test} is simulated, which needs a pilot, not sd")
    limits = (math.nan, math.nan)
    if differences is not None:
        sd = spread_of(differences)
        queries = differences.size if queries is None else queries
        limits = spread_interval(sd, differences.size)
    else:
        sd = checks.not_negative("sd", sd or 0.0)  # one of the two is given by now
    level: dict[str, Any] = {"alpha": alpha, "target": power}
    simulation = {"test": test, "n_replications": replications, "seed": entropy(rng)}
    pilots = np.empty(0) if differences is None else differences
    planner = _Planner(test, level, sd, limits, pilots, simulation)
    mde = math.nan
    if queries is not None:
        mde = planner.visible(checks.count("queries", queries, at_least=0))
    if _is_comparison(pilot):
        require_reachable(pilot.primary.measure, effect=effects or (), margin=(margin or 0.0,))
    rows = tuple(planner.row(item, queries) for item in _wanted(effects, margin, mde))
    if not rows and queries is None and width is None:
        raise ArgumentError("planning needs an effect, a margin or a width, or the queries at hand")
    not_worse = same_row = width_row = None
    if margin is not None:
        # One one-sided test at alpha is a two-sided one at twice alpha.
        one_sided = {**level, "alpha": 2.0 * alpha}
        not_worse = SameRow(
            margin, *planner.ranged(lambda x: queries_needed(x, margin, **one_sided))
        )
        same_row = SameRow(
            margin, *planner.ranged(lambda x: queries_to_show_same(x, margin, **level))
        )
    if width is not None:
        width_row = WidthRow(width, *planner.ranged(
            lambda x: queries_for_width(x, width, confidence=1.0 - alpha)
            if math.isfinite(x) else None
        ))  # fmt: skip
    mde_low, mde_high = (mde * limit / sd if sd else limit for limit in limits)
    plan = Plan(
        test, alpha, power, sd, queries, mde, rows, 0 if test == "t" else replications, *limits,
        mde_low, mde_high, same_row, width_row, not_worse=not_worse,
    )  # fmt: skip
    return replace(plan, judged=tuple(_judged(plan, item, machine[1]) for item in machine[0]))


def in_unit(name: str, value: float | str, mean: float | None) -> float:
    """Return a difference in the measure's unit, of which a percentage is a share of A's mean."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    try:
        number = float(text.removesuffix("%"))
    except ValueError:
        raise ArgumentError(
            f"{name} must be a number, or a percentage of A's mean such as 2%, not {value!r}"
        ) from None
    if not text.endswith("%"):
        return number
    if mean is None:
        raise ArgumentError(
            f"{name} {text} is a share of A's mean, which is not known here: give runs, scores or a"
            " comparison, or mean= (--mean)"
        )
    return round(number / 100.0 * abs(mean), 12)


def require_reachable(name: str, **values: Sequence[float]) -> None:
    """Refuse differences that a measure cannot have, such as 5 where 5% is meant."""
    measure = known(name)
    if measure is None:
        return
    low, high = measure.entry.bounds
    for option, differences in values.items():
        if beyond := [value for value in differences if abs(value) > high - low]:
            raise ArgumentError(
                f"no difference of {measure}, which runs from {low:g} to {high:g}, is as large as"
                f" the {option} {beyond[0]:g}; {beyond[0]:g}% of A's mean is"
                f' --{option} {beyond[0]:g}% ({option}="{beyond[0]:g}%")'
            )


def _machine(
    pilot: Any,  # noqa: ANN401
    correlation: float | Sequence[float] | None,
    n_machine: int | None,
) -> tuple[list[float], int]:
    """Return the correlations to plan for, none without a machine, and its queries."""
    machine = pilot.machine if _is_comparison(pilot) else None
    if machine is not None:
        n_machine = len(machine.query_ids) if n_machine is None else n_machine
        if correlation is None:
            low, high = correlation_interval(machine.correlation, machine.of("both").n_queries)
            correlation = [low, machine.correlation, high]
    if n_machine is None:
        if correlation is not None:
            raise ArgumentError(
                "a correlation needs the number of queries that the machine judges: give"
                " machine_queries= (--machine-queries)"
            )
        return [], 0
    correlations = CORRELATIONS if correlation is None else correlation
    return [float(value) for value in np.atleast_1d(correlations)], checks.count(
        "n_machine", n_machine
    )


def _judged(plan: Plan, correlation: float, n_queries: int) -> JudgedPlan:
    """Return the human queries needed with a machine of that correlation."""
    by, sd = JudgedT(correlation=correlation, n_queries=n_queries), plan.sd
    level: dict[str, Any] = {"by": by, "alpha": plan.alpha, "target": plan.target}
    same = width = None
    if plan.same is not None:
        same = queries_to_show_same(sd, plan.same.margin, **level)
    if plan.width is not None:
        width = queries_for_width(sd, plan.width.width, confidence=1.0 - plan.alpha, by=by)
    needed = tuple(queries_needed(sd, row.difference, **level) for row in plan.rows)
    mde = smallest_visible(sd, plan.n_queries or 0, **level)
    return JudgedPlan(correlation, n_queries, mde, needed, same, width)


def _wanted(effects: list[float] | None, margin: float | None, mde: float) -> list[float]:
    """Return the differences to plan for: those asked for or round ones, and the margin."""
    differences = round_differences(mde) if effects is None else effects
    if margin is not None and margin not in differences:
        differences = [*differences, margin] if effects else sorted([*differences, margin])
    return [checks.finite("effect", difference) for difference in differences]


@dataclass(frozen=True)
class _Planner:
    """The settings of one plan, and its questions: in closed form or by simulation of a pilot."""

    test: str
    level: dict[str, Any]  # alpha and target
    sd: float
    limits: tuple[float, float]
    pilot: FloatArray
    simulation: dict[str, Any]

    def visible(self, n: int) -> float:
        if self.test == "t":
            return smallest_visible(self.sd, n, **self.level)
        return visible_by_simulation(self.pilot, n_queries=n, **self.level, **self.simulation)

    def ranged(self, function: Callable[[float], int | None]) -> list[int | None]:
        """Return the queries needed at the standard deviation, and at both ends of its interval."""
        return [function(sd) for sd in (self.sd, *self.limits)]

    def row(self, difference: float, n: int | None) -> PlanRow:
        alpha = self.level["alpha"]
        if self.test == "t":
            needed, low, high = self.ranged(lambda sd: queries_needed(sd, difference, **self.level))
            chance = math.nan
            if n is not None and n >= 2 and math.isfinite(self.sd):
                chance = 1.0 if difference else alpha
                if self.sd:
                    chance = student.power(n, effect=difference / self.sd, alpha=alpha)
            return PlanRow(difference, needed, chance, n_low=low, n_high=high)
        needed = queries_by_simulation(
            self.pilot, difference=difference, **self.level, **self.simulation
        )
        chances = (math.nan,) * 3
        if n:
            result = simulate_power(
                self.pilot, n_queries=n, difference=difference, alpha=alpha, **self.simulation
            )
            chances = result.power, result.low, result.high
        # The queries needed grow with the square of the spread.
        low, high = (
            max(2, math.ceil(needed * (limit / self.sd) ** 2))
            if needed is not None and self.sd and math.isfinite(limit)
            else None
            for limit in self.limits
        )
        return PlanRow(difference, needed, *chances, low, high)


def _pilot(
    pilot: Any,  # noqa: ANN401
    alpha: float | None,
    test: str | None,
    margin: float | None,
) -> tuple[FloatArray | None, float, str, float | None]:
    """Return the pilot's differences, and level, test and margin, which a comparison declares."""
    if _is_comparison(pilot):
        rule = pilot.rule
        level = rule.alpha if alpha is None else alpha
        declared = (pilot.decision.margin or None) if margin is None else margin
        test_of_comparison = "t" if pilot.machine is not None else rule.test
        # What is planned for is a gain: of a cost, a difference below 0.
        gains = pilot.differences() if rule.higher_is_better else -pilot.differences()
        return gains, level, test or test_of_comparison, declared
    level = 0.05 if alpha is None else alpha
    if pilot is None:
        return None, level, test or "t", margin
    return as_column(pilot, "a pilot is"), level, test or "t", margin


def round_differences(visible: float) -> list[float]:
    """Return round differences around the smallest visible one; none where that is not known."""
    if not (math.isfinite(visible) and visible > 0.0):
        return []
    start = math.floor(math.log10(visible)) - 1
    steps = [
        float(f"{factor}e{exponent}")
        for exponent in range(start, start + 4)
        for factor in (1, 2, 5)
    ]
    return [step for step in steps if visible / 10 <= step <= 2 * visible]
