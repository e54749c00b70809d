"""The JSON report of many systems on several collections read back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from abrank._support.errors import AlignmentError, ArgumentError, ReadError
from abrank.collections import CollectionsRanking, summarise_rankings
from abrank.report.collections.systems.numbers import SCHEMA, standings_dict
from abrank.report.numbers import checksum
from abrank.report.ranking.read import ranking_of, restored
from abrank.report.saved.alike import differences, of_this_version, require_none
from abrank.report.saved.schema import Damaged, published, validate
from abrank.report.saved.write import read_json, require_unchanged

SCHEMAS = (SCHEMA, "abrank-collections-ranking/1")
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
    if not isinstance(value, dict) or value.get("schema") not in SCHEMAS:
        raise ReadError(label, "is no ranking on several collections", hint=HOW)
    return standings_of(value, label)


def standings_of(value: Mapping[str, Any], label: str = "results.json") -> CollectionsRanking:
    """Return what :func:`standings_dict` gave the plain values of."""
    try:
        validate(value, published("abrank-collections-ranking-2"))
        rankings = {
            each["name"]: ranking_of(
                {**each["ranking"], "checksum": checksum(each["ranking"])},
                f"{label}, collections[{i}]",
            )
            for i, each in enumerate(value["collections"])
        }
        like = restored(value["measures"][0]["like"], f"{label}, measures[0].like")
        again = summarise_rankings(
            rankings, test=like.test, adjust=like.adjust, provenance=value["provenance"]
        )
        if of_this_version(value):
            keys = ("alpha", "n_queries", "measures")
            saved, computed = (
                {key: each[key] for key in keys} for each in (value, standings_dict(again))
            )
            require_none(differences(saved, computed), "rankings")
        require_unchanged(value)
    except Damaged as problem:
        hint = problem.hint or HOW
        raise ReadError(label, problem.problem, at=problem.place, hint=hint) from None
    except (AlignmentError, ArgumentError) as problem:
        raise ReadError(label, str(problem), at="collections", hint=HOW) from None
    return again
