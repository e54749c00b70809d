"""Any saved result read back, on one collection or on several."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from abrank._support.errors import AlignmentError, ArgumentError, ReadError
from abrank.collections import CollectionsComparison, CollectionsRanking
from abrank.collections.compare import summarise_collections
from abrank.collections.rank import summarise_rankings
from abrank.comparison import Comparison
from abrank.ranking import Ranking
from abrank.report.data import COLLECTIONS_SCHEMA, STANDINGS_SCHEMA, decided, standings_values
from abrank.report.numbers import checksum, plain
from abrank.report.saved.alike import differences, of_this_version, require_none
from abrank.report.saved.ranking import HOW as HOW_RANKED
from abrank.report.saved.ranking import SCHEMAS as RANKING_SCHEMAS
from abrank.report.saved.ranking import ranking_of, restored
from abrank.report.saved.schema import Damaged, published, validate
from abrank.report.saved.write import HOW, from_dict, read_json, require_unchanged

SCHEMAS = (COLLECTIONS_SCHEMA, "abrank-collections/1")
STANDINGS_SCHEMAS = (STANDINGS_SCHEMA, "abrank-collections-ranking/1")
_HOW = "write it again: abrank compare --collections … --report results.json"
_HOW_RANKED = "write it again: abrank rank --collections … --report results.json"
_KINDS = {
    "abrank": "Comparison",
    "abrank-ranking": "Ranking",
    "abrank-collections": "CollectionsComparison",
    "abrank-collections-ranking": "CollectionsRanking",
}
_HOWS = {
    "Comparison": HOW,
    "Ranking": HOW_RANKED,
    "CollectionsComparison": _HOW,
    "CollectionsRanking": _HOW_RANKED,
}


def read_results(
    path: str | os.PathLike[str], *, of: str = ""
) -> Comparison | CollectionsComparison | Ranking | CollectionsRanking:
    """Read ``results.json`` of a comparison or ranking, on one collection or on several.

    Parameters
    ----------
    of : str
        The class that is expected; any without it.

    Raises
    ------
    NotFoundError, ReadError
        As :meth:`abrank.Comparison.from_json`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from abrank.comparison import compare_scores
    >>> one = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> found = summarise_collections({"x": one, "y": one})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_results(found.report(Path(folder) / "results.json")) == found
    True
    """
    value, label = read_json(path)
    schema = value.get("schema") if isinstance(value, Mapping) else None
    kind = _KINDS.get(str(schema).partition("/")[0], "")
    if of and kind != of and (kind or of != "Comparison"):
        raise ReadError(label, f"is no report of a {of}", hint=_HOWS[of])
    if schema in RANKING_SCHEMAS:
        return ranking_of(value, label)
    if schema in STANDINGS_SCHEMAS:
        return standings_of(value, label)
    return collections_of(value, label) if schema in SCHEMAS else from_dict(value, label)


def collections_of(value: Mapping[str, Any], label: str) -> CollectionsComparison:
    """Return two systems on several collections from their plain values."""
    try:
        validate(value, published("abrank-collections-2"))
        comparisons = {
            each["name"]: from_dict(
                {**each["comparison"], "checksum": checksum(each["comparison"])},
                f"{label}, collections[{i}]",
            )
            for i, each in enumerate(value["collections"])
        }
        declared = published()
        settings = value.get("settings", {})  # files of old have none
        if settings:
            rule = {**declared["$defs"]["settings"], "$defs": declared["$defs"]}
            validate(settings, rule, place="settings")
        again = summarise_collections(
            comparisons,
            require=settings.get("require"),
            on=settings.get("on", "all"),
            accept_doubt=settings.get("accept_doubt", False),
            name_a=value["systems"]["a"],
            name_b=value["systems"]["b"],
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


def standings_of(value: Mapping[str, Any], label: str = "results.json") -> CollectionsRanking:
    """Return many systems on several collections from their plain values."""
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
                {key: each[key] for key in keys} for each in (value, standings_values(again))
            )
            require_none(differences(saved, computed), "rankings")
        require_unchanged(value)
    except Damaged as problem:
        hint = problem.hint or _HOW_RANKED
        raise ReadError(label, problem.problem, at=problem.place, hint=hint) from None
    except (AlignmentError, ArgumentError) as problem:
        raise ReadError(label, str(problem), at="collections", hint=_HOW_RANKED) from None
    return again
