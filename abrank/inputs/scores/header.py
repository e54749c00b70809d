"""What the columns of a table of ready scores hold, by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from abrank._support.errors import ReadError
from abrank.inputs.objects.names import QUERY_IDS, found_in

FORMS = (
    "measure query_id value (trec_eval -q), query_id measure value (ir_measures -q), or a table"
    " whose header names a column query_id"
)

_ROLES: dict[str, tuple[tuple[str, ...], ...]] = {
    "query_id": QUERY_IDS,
    "system": (("system", "run", "runid", "name"),),
    "run": (("seed", "fold", "repeat"),),
    "measure": (("measure", "metric"),),
    "score": (("score", "value"),),
}
_LONG = "query_id, measure, score, and perhaps system and run"
# Beside a column system they name its repeated runs; alone they name systems.
_EITHER = (("run", "runid"),)


class Shape(NamedTuple):
    """Which column of a table holds what, by place; ``system measure run`` may hold nothing."""

    form: str
    query: int
    system: int | None
    measure: int | None
    scored: list[int]
    run: int | None = None


def shape_of(header: Sequence[str], label: str) -> Shape:
    """Tell a long table (a column measure and a column score) from a wide one.

    Raises
    ------
    ReadError
        If a column is missing, has two meanings or no name.

    Examples
    --------
    >>> shape_of(["query_id", "AP", "RR"], "DataFrame")
    Shape(form='a wide table', query=0, system=None, measure=None, scored=[1, 2], run=None)
    >>> shape_of(["system", "run", "query_id", "AP"], "DataFrame").run
    1
    """
    query, system, run, measure, score = (columns_of_role(header, role, label) for role in _ROLES)
    named = (*query, *system, *run, *measure, *score)
    others = [i for i in range(len(header)) if i not in named]
    of_system, of_run = (each[0] if each else None for each in (system, run))
    if measure:
        if others or not score:
            problem = "a column measure, but none score or value"
            if score:
                problem = (
                    f'the column "{header[others[0]]}" has no meaning beside measure and score'
                )
            raise ReadError(label, problem, expected=_LONG)
        return Shape("a long table", query[0], of_system, measure[0], score, of_run)
    scored = sorted([*others, *score])
    _require_names([header[i] for i in scored], label)
    return Shape("a wide table", query[0], of_system, None, scored, of_run)


def columns_of_role(header: Sequence[str], role: str, label: str) -> list[int]:
    """Return where the column of this role stands, if there is one.

    Raises
    ------
    ReadError
        If there are two.

    Examples
    --------
    >>> header = ["query_id", "system", "run", "AP"]
    >>> columns_of_role(header, "system", "a.csv"), columns_of_role(header, "run", "a.csv")
    ([1], [2])
    """
    found = found_in(header, _ROLES[role])
    systems, either = found_in(header, _ROLES["system"]), found_in(header, _EITHER)
    if len(systems) > len(either) == 1:
        found = [i for i in found if i not in either] + either * (role == "run")
    if len(found) > 1:
        both = " and ".join(header[i] for i in found)
        raise ReadError(label, f"{both} could all be the column {role}", hint="keep one of them")
    return found


def _require_names(measures: Sequence[str], label: str) -> None:
    if not measures:
        raise ReadError(label, "the table has no column of scores", expected=FORMS)
    for i, name in enumerate(measures):
        if not name.strip():
            raise ReadError(label, "a column has no name", hint="name it, or write no row numbers")
        if name in measures[:i]:
            raise ReadError(label, f'the column "{name}" stands there twice')
