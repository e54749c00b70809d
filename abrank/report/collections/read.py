"""The JSON report of several collections read back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from abrank._support.errors import AlignmentError, ArgumentError, ReadError
from abrank.collections import (
    CollectionsComparison,
    CollectionsRanking,
    summarise_collections,
)
from abrank.comparison import Comparison
from abrank.ranking import Ranking
from abrank.report.collections.numbers import SCHEMA, decided
from abrank.report.collections.systems.read import SCHEMAS as STANDINGS_SCHEMAS
from abrank.report.collections.systems.read import standings_of
from abrank.report.numbers import checksum, plain
from abrank.report.ranking.read import SCHEMAS as RANKING_SCHEMAS
from abrank.report.ranking.read import ranking_of
from abrank.report.saved.alike import differences, of_this_version, require_none
from abrank.report.saved.schema import Damaged, published, validate
from abrank.report.saved.write import from_dict, read_json, require_unchanged

_HOW = "write it again: abrank compare --collections … --report results.json"


def read_results(
    path: str | os.PathLike[str],
) -> Comparison | CollectionsComparison | Ranking | CollectionsRanking:
    """Read ``results.json`` of a comparison or ranking, on one collection or on several.

    Raises
    ------
    NotFoundError, ReadError
        As :meth:`abrank.Comparison.from_json`.
    """
    value, label = read_json(path)
    schema = value.get("schema") if isinstance(value, Mapping) else None
    if schema in RANKING_SCHEMAS:
        return ranking_of(value, label)
    if schema in STANDINGS_SCHEMAS:
        return standings_of(value, label)
    is_several = schema in (SCHEMA, "abrank-collections/1")
    return _collections(value, label) if is_several else from_dict(value, label)


def read_collections_report(path: str | os.PathLike[str]) -> CollectionsComparison:
    """Read the JSON report of several collections.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from abrank.comparison import compare_scores
    >>> one = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> found = summarise_collections({"x": one, "y": one})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_collections_report(found.report(Path(folder) / "results.json")) == found
    True
    """
    found = read_results(path)
    if isinstance(found, CollectionsComparison):
        return found
    raise ReadError(os.fspath(path), "is no comparison on several collections", hint=_HOW)


def _collections(value: Mapping[str, Any], label: str) -> CollectionsComparison:
    try:
        validate(value, published("abrank-collections-2"))
        comparisons = {
            each["name"]: from_dict(
                {**each["comparison"], "checksum": checksum(each["comparison"])},
                f"{label}, collections[{i}]",
            )
            for i, each in enumerate(value["collections"])
        }
        settings = value.get("settings", {})  # files of old have none
        if settings:
            rule = {"$ref": "#/$defs/settings", "$defs": published()["$defs"]}
            validate(settings, rule, place="settings")
        again = summarise_collections(
            comparisons,
            require=settings.get("require"),
            accept_doubt=settings.get("accept_doubt", False),
            baseline=value["systems"]["a"],
            candidate=value["systems"]["b"],
            provenance=value["provenance"],
        )
        if of_this_version(value):
            compared = {"alpha": again.alpha, "measures": [asdict(each) for each in again.measures]}
            compared |= decided(again)
            saved = {key: value.get(key) for key in compared}
            require_none(differences(saved, plain(compared)), "comparisons")
        require_unchanged(value)
    except Damaged as problem:
        hint = problem.hint or _HOW
        raise ReadError(label, problem.problem, at=problem.place, hint=hint) from None
    except (AlignmentError, ArgumentError) as problem:
        raise ReadError(label, str(problem), at="collections", hint=_HOW) from None
    return again
