"""Plan a comparison: what n queries can detect, and how many a difference needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.result import Printed, record
from abrank.inference.independent import deviation_of_groups
from abrank.inference.registry import as_column
from abrank.inference.rounding import has_spread
from abrank.measures.names import known
from abrank.options import Independent
from abrank.planning import student
from abrank.planning.student import (
    of_groups,
    of_queries,
    queries_for_width,
    queries_needed,
    queries_to_show_same,
    smallest_visible,
    spread_interval,
)


@record
class PlanRow:
    """What one true difference needs.

    ``n`` is the number of queries (None: no practical number), ``n_low`` and ``n_high`` the numbers
    at the ends of the interval of the pilot's standard deviation (None without a pilot). ``power``
    is the probability to detect the difference with the available queries (NaN without any).
    """

    difference: float
    n: int | None
    power: float
    n_low: int | None = None
    n_high: int | None = None


@record
class SameRow:
    """The queries that exclude a loss, or any difference, of a margin if the true one is 0."""

    margin: float
    n: int | None
    n_low: int | None = None
    n_high: int | None = None


@record
class WidthRow:
    """The queries whose interval has the desired expected width, and their range."""

    width: float
    n: int | None
    n_low: int | None = None
    n_high: int | None = None


@record
class Plan(Printed):
    """The result of :func:`power`.

    Attributes
    ----------
    alpha, target : float
        Level of the two-sided test, and the desired power.
    sd, sd_low, sd_high : float
        Standard deviation of the differences, and its 95 % chi-square interval; NaN without a
        pilot.
    n_queries : int, optional
        Number of available queries.
    mde, mde_low, mde_high : float
        Smallest true difference that ``n_queries`` detect with the desired power, at ``sd`` and at
        both ends of its interval; NaN without ``n_queries``.
    rows : tuple of PlanRow
        One per requested difference, including the margin. Default: round ones around ``mde``.
    not_worse, same, width : SameRow, SameRow, WidthRow, optional
        For the margin and the requested width.
    independent : bool
        Whether two groups of different units are compared. Then ``sd`` is that of a unit's score,
        and numbers of queries count the units of both groups.
    """

    alpha: float
    target: float
    sd: float
    n_queries: int | None
    mde: float
    rows: tuple[PlanRow, ...]
    sd_low: float = math.nan
    sd_high: float = math.nan
    mde_low: float = math.nan
    mde_high: float = math.nan
    same: SameRow | None = None
    width: WidthRow | None = None
    not_worse: SameRow | None = None
    independent: bool = False

    @property
    def n(self) -> int | None:
        """Queries needed for the only requested difference."""
        return self._only().n

    @property
    def power(self) -> float:
        """Probability to detect the only requested difference with the available queries."""
        return self._only().power

    def _only(self) -> PlanRow:
        if len(self.rows) != 1:
            raise ArgumentError(f"the plan has {len(self.rows)} differences; see its rows")
        return self.rows[0]


def _is_comparison(pilot: object) -> bool:
    """Whether a pilot is a finished comparison rather than an array."""
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
    width: float | None = None,
    design: Independent | None = None,
) -> Plan:
    """Plan a comparison: queries needed for a difference, or smallest detectable difference.

    Based on the paired t test; the power of other tests of the mean is practically the same.

    Source: those of :mod:`abrank.planning.student`.

    Parameters
    ----------
    pilot : Comparison or array_like of shape (n_pilot,), optional
        A finished comparison, or per-query differences B - A (for a cost A - B). Only their
        standard deviation is used, not the observed mean difference. With
        ``design=Independent()`` a pair of arrays: the scores of the units of A and of B.
    effect : float, str or sequence of these, optional
        True differences to detect, in the unit of the measure or as a percentage of A's mean such
        as ``"2%"``. Default: round ones around the smallest detectable one.
    margin : float or str, optional
        Smallest difference that matters, in the same units. It is planned for as an effect, and
        for showing that a true difference of 0 lies within it. Default: that of the comparison.
    mean : float, optional
        A's mean, for percentages. Default: that of the comparison.
    sd : float, optional
        Standard deviation of the differences, instead of a pilot.
    queries : int, optional
        Available queries. Default: those of the pilot.
    power : float
        Desired power.
    alpha : float, optional
        Level of the two-sided test. Default: that of the comparison, else .05.
    width : float, optional
        Desired full width of the interval.
    design : Independent, optional
        A and B are shown to different units, such as users: ``sd`` is that of a unit's score, and
        ``queries`` counts the units of both groups, split in half or as in the pilot. Default:
        that of the comparison.

    Raises
    ------
    ArgumentError
        If neither or both of a pilot and ``sd`` are given, or there is nothing to plan for.

    Examples
    --------
    >>> power(sd=0.20, queries=250).mde.__round__(4), power(sd=0.20, effect=0.02).n
    (0.0356, 787)
    >>> plan = power([0.1, -0.2, 0.3, 0.1], effect=[0.1, 0.2])
    >>> [(row.difference, row.n_low, row.n, row.n_high) for row in plan.rows]
    [(0.1, 13, 36, 466), (0.2, 5, 11, 118)]
    >>> from abrank import Independent
    >>> power(sd=1.5, effect=0.1, design=Independent()).n
    7066
    """
    if mean is None and _is_comparison(pilot):
        mean = pilot.primary.mean_a
    effects = None
    if effect is not None:
        effects = [in_unit("effect", value, mean) for value in np.atleast_1d(effect).tolist()]
    margin = None if margin is None else in_unit("margin", margin, mean)
    if _is_comparison(pilot):
        alpha = pilot.rule.alpha if alpha is None else alpha
        margin = (pilot.decision.margin or None) if margin is None else margin
    alpha = 0.05 if alpha is None else alpha
    margin, width = (
        None if item is None else checks.positive(name, item)
        for name, item in (("margin", margin), ("width", width))
    )
    if (pilot is None) == (sd is None):
        raise ArgumentError("planning needs a pilot or sd, and not both")
    independent = design is not None or (_is_comparison(pilot) and pilot.rule.independent)
    df = of_groups if independent else of_queries
    limits = (math.nan, math.nan)
    if sd is None:
        sd, n = _spread(pilot, independent=independent)
        queries = n if queries is None else queries
        limits = spread_interval(sd, n, freedom=df(n))
    else:
        checks.not_negative("sd", sd)
    level: dict[str, Any] = {"alpha": alpha, "target": power, "df": df}
    # With half of the units in each group the standard error is 2 sd / sqrt(n).
    spreads = tuple((2.0 if independent else 1.0) * spread for spread in (sd, *limits))
    mde = math.nan
    if queries is not None:
        mde = smallest_visible(spreads[0], checks.count("queries", queries, at_least=0), **level)
    if _is_comparison(pilot):
        require_reachable(pilot.primary.measure, effect=effects or (), margin=(margin or 0.0,))
    rows = tuple(_row(item, queries, spreads, level) for item in _wanted(effects, margin, mde))
    if not rows and queries is None and width is None:
        raise ArgumentError("planning needs an effect, a margin or a width, or the queries at hand")
    not_worse = same_row = width_row = None
    if margin is not None:
        # A one-sided test at alpha equals a two-sided one at 2 alpha.
        one_sided = {**level, "alpha": 2.0 * alpha}
        not_worse = SameRow(margin, *(queries_needed(x, margin, **one_sided) for x in spreads))
        same_row = SameRow(margin, *(queries_to_show_same(x, margin, **level) for x in spreads))
    if width is not None:
        width_row = WidthRow(width, *(
            queries_for_width(x, width, confidence=1.0 - alpha, df=df) if math.isfinite(x) else None
            for x in spreads
        ))  # fmt: skip
    mde_low, mde_high = (mde * limit / sd if sd else limit for limit in limits)
    return Plan(
        alpha, power, sd, queries, mde, rows, *limits, mde_low, mde_high, same_row, width_row,
        not_worse, independent,
    )  # fmt: skip


def _row(
    difference: float, n: int | None, spreads: tuple[float, ...], level: dict[str, Any]
) -> PlanRow:
    needed, low, high = (queries_needed(spread, difference, **level) for spread in spreads)
    chance, sd = math.nan, spreads[0]
    if n is not None and n >= 2 and math.isfinite(sd):
        chance = 1.0 if difference else level["alpha"]
        if sd:
            chance = student.power(n, effect=difference / sd, alpha=level["alpha"], df=level["df"])
    return PlanRow(difference, needed, chance, low, high)


def in_unit(name: str, value: float | str, mean: float | None) -> float:
    """Return a difference in the measure's unit; a percentage is a share of A's mean."""
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
    """Refuse impossible differences, such as 5 if 5% is meant."""
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


def _wanted(effects: list[float] | None, margin: float | None, mde: float) -> list[float]:
    differences = round_differences(mde) if effects is None else effects
    if margin is not None and not any(math.isclose(margin, effect) for effect in differences):
        differences = [*differences, margin] if effects else sorted([*differences, margin])
    return [checks.finite("effect", difference) for difference in differences]


def _spread(pilot: Any, *, independent: bool) -> tuple[float, int]:  # noqa: ANN401
    if independent:
        if _is_comparison(pilot):
            return pilot.planning.sd / 2.0, pilot.n_queries
        a, b = (as_column(group, "a pilot is") for group in pilot)
        return deviation_of_groups(a, b), len(a) + len(b)
    differences = as_column(pilot.differences() if _is_comparison(pilot) else pilot, "a pilot is")
    if differences.size < 2:
        return math.nan, differences.size
    # A deviation of 0 up to rounding is 0.
    sd = float(differences.std(ddof=1)) if has_spread(differences) else 0.0
    return sd, differences.size


def round_differences(visible: float) -> list[float]:
    """Return round differences around the smallest detectable one; none if it is unknown."""
    if not (math.isfinite(visible) and visible > 0.0):
        return []
    start = math.floor(math.log10(visible)) - 1
    steps = [
        float(f"{factor}e{exponent}")
        for exponent in range(start, start + 4)
        for factor in (1, 2, 5)
    ]
    return [step for step in steps if visible / 10 <= step <= 2 * visible]
