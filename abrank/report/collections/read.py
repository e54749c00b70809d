"""The JSON report of several collections read back."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from abrank._support.errors import AbrankError, ReadError
from abrank.collections import (
    CollectionsComparison,
    CollectionsRanking,
    MeasureSummary,
    summarise_collections,
)
from abrank.comparison import Comparison
from abrank.ranking import Ranking
from abrank.report.collections.numbers import SCHEMA
from abrank.report.collections.systems.numbers import SCHEMA as STANDINGS_SCHEMA
from abrank.report.collections.systems.read import standings_of
from abrank.report.numbers import checksum, plain
from abrank.report.ranking.numbers import SCHEMA as RANKING_SCHEMA
from abrank.report.ranking.read import ranking_of
from abrank.report.saved.restore import restore
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
    if schema == RANKING_SCHEMA:
        return ranking_of(value, label)
    if schema == STANDINGS_SCHEMA:
        return standings_of(value, label)
    return _collections(value, label) if schema == SCHEMA else from_dict(value, label)


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
        validate(value, published("abrank-collections-1"))
        require_unchanged(value)
        found = CollectionsComparison(
            baseline=value["systems"]["a"],
            candidate=value["systems"]["b"],
            comparisons={
                each["name"]: _comparison(each["comparison"], f"{label}, collections[{i}]")
                for i, each in enumerate(value["collections"])
            },
            measures=restore(tuple[MeasureSummary, ...], value["measures"]),
            alpha=value["alpha"],
            provenance=value["provenance"],
        )
        _require_consistent(found)
    except Damaged as problem:
        hint = problem.hint or _HOW
        raise ReadError(label, problem.problem, at=problem.place, hint=hint) from None
    return found


def _comparison(value: Mapping[str, Any], label: str) -> Comparison:
    return from_dict({**value, "checksum": checksum(value)}, label)


def _require_consistent(found: CollectionsComparison) -> None:
    """Refuse summaries that are not those of the comparisons."""
    try:
        again = summarise_collections(found.comparisons)
    except AbrankError as problem:
        raise Damaged("collections", str(problem)) from None
    _require_alike(
        plain([asdict(each) for each in found.measures]),
        plain([asdict(each) for each in again.measures]),
        "measures",
    )


def _require_alike(found: Any, again: Any, place: str) -> None:  # noqa: ANN401
    if isinstance(again, dict) and isinstance(found, dict):
        for key, each in again.items():
            _require_alike(found.get(key), each, f"{place}.{key}")
    elif isinstance(again, list) and isinstance(found, list) and len(again) == len(found):
        for i, each in enumerate(again):
            _require_alike(found[i], each, f"{place}[{i}]")
    elif not _alike(found, again):
        raise Damaged(place, f"is {found}, but the comparisons give {again}")


def _alike(found: Any, again: Any) -> bool:  # noqa: ANN401
    """Whether two values agree; numbers to what another processor may compute."""
    if isinstance(found, float) and isinstance(again, float):
        return math.isclose(found, again, rel_tol=1e-6, abs_tol=1e-9)
    return bool(found == again)
