"""The part of ``abrank power`` on human queries beside a machine's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from abrank._support import display
from abrank._support.errors import AlignmentError
from abrank.planning.judged import FEWEST_PLANNED

if TYPE_CHECKING:
    from abrank.planning.result import JudgedPlan, Plan


FEWEST_KNOWN = 10  # queries that both judged, of which a correlation is told


def measured(people: Mapping[str, float], machine: Mapping[str, float]) -> list[float]:
    """Return the correlation on the queries that both judged, between the ends of its interval."""
    import numpy as np

    from abrank.planning import correlation_interval

    shared = [query for query in people if query in machine]
    if len(shared) < FEWEST_KNOWN:
        raise AlignmentError(
            f"people and machine judged {display.plural(len(shared), 'query', 'queries')} in"
            f" common, and their correlation takes {FEWEST_KNOWN}: give --correlation and"
            " --machine-queries"
        )
    d, f = (np.array([judge[each] for each in shared]) for judge in (people, machine))
    found = float(np.corrcoef(d, f)[0, 1]) if np.ptp(d) > 0.0 and np.ptp(f) > 0.0 else 0.0
    low, high = correlation_interval(found, len(shared))
    return [low, found, high]


def lines(plan: Plan, *, measured: bool) -> list[str]:
    """Return the human queries needed, a line a question and a column a correlation."""
    machine = plan.judged[0].n_queries
    rows = [["human queries needed for", "people alone", *(f"r {_r(one)}" for one in plan.judged)]]
    for i, row in enumerate(plan.rows):
        needed = [one.needed[i] for one in plan.judged]
        rows.append(
            _row(f"a difference of {display.number(row.difference)}", row.n, needed, machine)
        )
    if plan.same is not None:
        same = [one.same for one in plan.judged]
        margin = display.number(plan.same.margin)
        rows.append(_row(f"the same within ±{margin}", plan.same.n, same, machine))
    if plan.width is not None:
        width = [one.width for one in plan.judged]
        wanted = display.number(plan.width.width)
        rows.append(_row(f"an interval of width {wanted}", plan.width.n, width, machine))
    visible = [plan.mde, *(one.mde for one in plan.judged)]
    if all(map(math.isfinite, visible)):
        at_hand = f"smallest visible with {display.count(plan.n_queries or 0)}"
        rows.append([at_hand, *(display.score(each, digits=4) for each in visible)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    shown = [
        f"{row[0]:<{widths[0]}}  " + "  ".join(map(str.rjust, row[1:], widths[1:])) for row in rows
    ]
    beyond = any(None in (*one.needed, one.same if plan.same else 0) for one in plan.judged)
    even = ", ".join(
        f"{display.score(1.0 / math.sqrt(n - 2), digits=2)} at {n}" for n in (FEWEST_PLANNED, 100)
    )
    return [
        f"with a machine's judgments of {display.plural(machine, 'query', 'queries')}; r is the"
        " correlation of",
        f"its differences B - A with people's{', between its 95% limits' if measured else ''}",
        *shown,
        *([f"> {display.count(machine)}: more than the machine judged"] if beyond else []),
        f"{FEWEST_PLANNED} human queries at least: with fewer the machine is often set aside",
        f"a machine of r below 1/sqrt(n - 2) widens the interval: {even}",
    ]


def _r(one: JudgedPlan) -> str:
    return display.score(one.correlation, digits=2)


def _row(what: str, alone: int | None, needed: list[int | None], machine: int) -> list[str]:
    """Return the cells of one question; with a machine no more queries can be judged than its."""
    shown = ["no number" if alone is None else display.count(alone)]
    beyond = f"> {display.count(machine)}"
    return [what, *shown, *(beyond if n is None else display.count(n) for n in needed)]
