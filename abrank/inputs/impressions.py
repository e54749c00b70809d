"""Impressions of interleaved lists: what each of the two is credited for by the clicks on them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from abrank._support.errors import ReadError

# What names an impression, and what it comes in, by any of these columns.
IMPRESSION = ("impression", "impression_id")
GROUPS = {"user": ("user", "user_id", "client_id"), "session": ("session", "session_id")}
CLICKS = ("click", "item_click")
HAVE_TEAMS = (
    "join the team (A or B) of each shown object to the events, as event_attributes.team, or give"
    " a row an impression: query_id, user, credit_a, credit_b"
)


def are_impressions(columns: set[str]) -> bool:
    """Say whether a table's columns are those of impressions, not of votes."""
    return {"credit_a", "credit_b"} <= columns or "clicks" in columns


def credits_of(row: Mapping[str, Any]) -> tuple[float, float] | str:
    """Return what A and B are credited for on an impression, or what is wrong with it.

    Of team draft a click counts for the team whose document it is. Of balanced interleaving it
    counts for each list that has the document among its first k, with k the shorter reach of the
    two lists that has the lowest click. Clicks are places in the shown list, from 0.

    Examples
    --------
    >>> credits_of({"team": "ABBA", "clicks": [1, 2, 3]})
    (1.0, 2.0)
    >>> credits_of({"ranking": [2, 1, 3], "a": [1, 2], "b": [2, 3], "clicks": [0, 2]})
    (1.0, 2.0)
    """
    if "credit_a" in row:
        given = _number(row["credit_a"]), _number(row["credit_b"])
        if not all(0.0 <= each < math.inf for each in given):
            return "credits must be numbers of 0 or more"
        return given
    places = [_number(each) for each in items(row.get("clicks"))]
    team = [each.upper() for each in items(row.get("team"))]
    shown = team or items(row.get("ranking"))
    if not all(0 <= each < len(shown) and each == int(each) for each in places):
        return f"a click is no place from 0 to {len(shown) - 1} of the shown list"
    clicked = [int(each) for each in places]
    if team:
        if not {*team} <= {"A", "B", ""}:
            return "a team is A or B, or empty for what both or neither gave"
        return float(sum(team[i] == "A" for i in clicked)), float(
            sum(team[i] == "B" for i in clicked)
        )
    lists = [items(row.get(name)) for name in "ab"]
    if not all(lists):
        return "neither team nor the lists a and b"
    if not clicked:
        return 0.0, 0.0
    lowest = shown[max(clicked)]
    k = min(each.index(lowest) if lowest in each else len(each) for each in lists) + 1
    a, b = (float(sum(shown[i] in each[:k] for i in clicked)) for each in lists)
    return a, b


def items(value: Any) -> list[str]:  # noqa: ANN401 - a list, or a text with one in it
    """Return the items of a list, of ``0;2 5`` or, of teams, ``ABBA``."""
    if isinstance(value, str):
        if re.fullmatch(r"[ABab]+", value):
            return list(value)
        return [each for each in re.split(r"[\s,;|\[\]]+", value) if each]
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return ["" if each is None else str(each) for each in value]
    return [] if value is None or value != value else [str(value)]


def _number(value: Any) -> float:  # noqa: ANN401
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def of_events(rows: Sequence[Mapping[str, Any]], label: str) -> list[dict[str, Any]]:
    """Return the impressions of OpenSearch's UBI lines: events of one query_id are one of them."""
    found: dict[str, dict[str, Any]] = {}
    known = False
    for row in rows:
        if "action_name" not in row:
            continue
        about = row.get("event_attributes") or {}
        inside = about.get("object") or {}
        team = str(about.get("team") or inside.get("team") or row.get("team") or "").upper()
        query = str(row.get("query_id") or "")
        one = found.setdefault(
            query,
            {"impression": query, "query_id": row.get("user_query") or query,
             "user": row.get("client_id"), "session": row.get("session_id"),
             "credit_a": 0.0, "credit_b": 0.0},
        )  # fmt: skip
        known |= team in ("A", "B")
        if row["action_name"] in CLICKS and team in ("A", "B"):
            one[f"credit_{team.lower()}"] += 1.0
    if not known:
        raise ReadError(label, "the events of user behaviour carry no teams", hint=HAVE_TEAMS)
    return list(found.values())
