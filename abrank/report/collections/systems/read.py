"""The JSON report of many systems on several collections read back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from abrank._support.errors import ReadError
from abrank.collections import CollectionsRanking, MeasureStandings, StandingRow
from abrank.collections.standings import standing_rows
from abrank.ranking import Ranking
from abrank.report.collections.systems.numbers import SCHEMA
from abrank.report.numbers import checksum, plain
from abrank.report.ranking.read import ranking_of
from abrank.report.saved.restore import restore
from abrank.report.saved.schema import Damaged, published, validate
from abrank.report.saved.write import read_json, require_unchanged

HOW = "write it again: abrank rank --collections … --report results.json"


def read_standings(path: str | os.PathLike[str]) -> CollectionsRanking:
    """Read the JSON report of many systems on several collections.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from abrank.collections import rank_collections
    >>> one = {"X": {"q1": 0.3, "q2": 0.6, "q3": 0.1}, "Y": {"q1": 0.6, "q2": 0.8, "q3": 0.3}}
    >>> found = rank_collections({"web": one, "news": one})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_standings(found.report(Path(folder) / "results.json")) == found
    True
    """
    value, label = read_json(path)
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        raise ReadError(label, "is no ranking on several collections", hint=HOW)
    return standings_of(value, label)


def standings_of(value: Mapping[str, Any], label: str = "results.json") -> CollectionsRanking:
    """Return what :func:`standings_dict` gave the plain values of."""
    try:
        validate(value, published("abrank-collections-ranking-1"))
        require_unchanged(value)
        rankings = {
            each["name"]: _ranking(each["ranking"], f"{label}, collections[{i}]")
            for i, each in enumerate(value["collections"])
        }
        measures = tuple(
            _measure(each, f"{label}, measures[{i}]") for i, each in enumerate(value["measures"])
        )
        if set(rankings) != set(measures[0].these.query_ids):
            raise Damaged("measures", "the collections are not those of the rankings")
    except Damaged as problem:
        hint = problem.hint or HOW
        raise ReadError(label, problem.problem, at=problem.place, hint=hint) from None
    return CollectionsRanking(
        rankings=rankings, measures=measures, alpha=value["alpha"], provenance=value["provenance"]
    )


def _measure(value: Mapping[str, Any], label: str) -> MeasureStandings:
    these, like = (_ranking(value[key], f"{label}.{key}") for key in ("these", "like"))
    rows = restore(tuple[StandingRow, ...], value["standings"])
    again = standing_rows(these, like) if these.systems == like.systems else ()
    if plain([asdict(row) for row in rows]) != plain([asdict(row) for row in again]):
        raise Damaged("measures", "the standings are not those of the pairs")
    return MeasureStandings(these, like, rows)


def _ranking(value: Mapping[str, Any], label: str) -> Ranking:
    return ranking_of({**value, "checksum": checksum(value)}, label)
