"""The JSON reports of rankings and of several collections read back."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from typing import Any, TypeVar, get_type_hints

import numpy as np

from abrank._support.errors import ReadError
from abrank.collections import CollectionsComparison, CollectionsRanking
from abrank.collections.compare import summarise_collections
from abrank.collections.rank import summarise_rankings
from abrank.comparison import Comparison
from abrank.diagnostics import Note
from abrank.diagnostics.notes import higher_is_better
from abrank.inputs import Audit
from abrank.ranking import PairRow, Ranking, SystemRow
from abrank.ranking.rank import rank_again
from abrank.report.data import (
    RANKING_BESIDE,
    RANKING_SETTINGS,
    decided,
    ranking_values,
    standings_values,
)
from abrank.report.numbers import checksum, plain
from abrank.report.saved.comparison import (
    HOW,
    differences,
    from_dict,
    note_of,
    of_this_version,
    read_json,
    reading,
    remarks_on,
    require_none,
    require_unchanged,
    restore,
)
from abrank.report.saved.schema import Damaged, published, validate

Part = TypeVar("Part", Comparison, Ranking)

HOW_RANKING = "write it again: abrank rank … --report results.json"


def ranking_of(value: Mapping[str, Any], label: str = "results.json") -> Ranking:
    """Return the ranking of which :func:`abrank.report.to_dict` gave the plain values."""
    with reading(label, HOW_RANKING):
        validate(value, published("abrank-ranking-2"))
        found = _ranking(value)
        again = rank_again(found)
        different = list(differences(_numbers(value), _numbers(ranking_values(again))))
        if of_this_version(value):
            require_none(different)
            again = found
        require_unchanged(value)
    if again is found:
        return found
    return replace(again, notes=(*again.notes, *remarks_on(different)))


def restored(value: Mapping[str, Any], label: str) -> Ranking:
    """Return the ranking of plain values as they are, which are part of a larger result."""
    with reading(label, HOW_RANKING):
        validate(value, published("abrank-ranking-2"))
        return _ranking(value)


# Long, and taken as they are.
_AS_READ = ("schema", "checksum", "queries", "quality", "cautions", "provenance", "overlaps")


def _numbers(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the scores give, and not the scores."""
    found = {key: each for key, each in value.items() if key not in (*_AS_READ, "notes")}
    found["secondary"] = [
        {key: each for key, each in one.items() if key != "scores"} for one in value["secondary"]
    ]
    return found


def _ranking(value: Mapping[str, Any]) -> Ranking:
    settings = value["settings"]
    base = settings["baseline"]
    shared = {
        **{name: settings[name] for name in RANKING_SETTINGS if name in settings},
        "query_ids": tuple(value["queries"]["query_id"]),
        "baselines": tuple(settings.get("baselines", [] if base is None else [base])),
        "seed": value["seed"],
    }
    if len(shared["query_ids"]) != value["n_queries"]:
        raise Damaged("n_queries", f"is {value['n_queries']}, and there are other query ids")
    # What stands beside the pairs; files of old have none of it.
    kinds = get_type_hints(Ranking)
    beside = [key for key in (*RANKING_BESIDE, "extras") if key in value]
    facts = {**value, "scores": value["queries"]["scores"]}
    return Ranking(
        **_facts(facts, shared, "systems"),
        audits=restore(Mapping[str, Audit], value["quality"]),
        cautions=tuple(map(note_of, restore(tuple[Note, ...], value["cautions"]))),
        provenance=value["provenance"],
        secondary=tuple(
            Ranking(**_facts(each, shared, f"secondary[{i}]"))
            for i, each in enumerate(value["secondary"])
        ),
        **{key: restore(kinds[key], value[key]) for key in beside},
    )


def _facts(value: Mapping[str, Any], shared: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Return what belongs to one measure; Damaged where its parts do not fit together."""
    rows = restore(tuple[SystemRow, ...], value["systems"])
    pairs = restore(tuple[PairRow, ...], value["pairs"])
    systems, scores = tuple(row.system for row in rows), value["scores"]
    if len(set(systems)) < len(systems) or set(systems) != set(scores):
        raise Damaged(place, "the systems are not those of the scores")
    known = {name for row in pairs for name in (row.a, row.b)} | set(shared["baselines"])
    if not known <= set(systems):
        raise Damaged(place, f"there is no system {sorted(known - set(systems))[0]}")
    if {len(each) for each in scores.values()} != {len(shared["query_ids"])}:
        raise Damaged(place, "not every system has one score a query")
    columns = [restore(tuple[float, ...], scores[system]) for system in systems]
    return {
        **shared,
        "measure": value["measure"],
        "higher_is_better": value.get("higher_is_better", higher_is_better(value["measure"])),
        "systems": systems,
        "scores": np.ascontiguousarray(np.array(columns, dtype=np.float64).T),
        "rows": rows,
        "pair_rows": pairs,
        "shares": restore(Mapping[str, float], value["shares"]),
        "method": value["method"],
        "n_resamples": value["n_resamples"],
    }


_HOW = "write it again: abrank compare --collections … --report results.json"
_HOW_RANKED = "write it again: abrank rank --collections … --report results.json"
# What each kind of file holds, and how it is written again.
_KINDS = {
    "abrank": ("Comparison", HOW),
    "abrank-ranking": ("Ranking", HOW_RANKING),
    "abrank-collections": ("CollectionsComparison", _HOW),
    "abrank-collections-ranking": ("CollectionsRanking", _HOW_RANKED),
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
    known, _, version = str(schema).partition("/")
    kind, _ = _KINDS.get(known, ("", ""))
    if of and kind != of and (kind or of != "Comparison"):
        raise ReadError(label, f"is no report of a {of}", hint=dict(_KINDS.values())[of])
    # A schema that is not known has a message of its own there.
    read = _READERS.get(known, from_dict) if version in ("1", "2") else from_dict
    return read(value, label)


def _each(
    value: Mapping[str, Any], key: str, read: Callable[[Mapping[str, Any], str], Part], label: str
) -> dict[str, Part]:
    """Return the result on each collection by its name."""
    return {
        each["name"]: read(
            {**each[key], "checksum": checksum(each[key])}, f"{label}, collections[{i}]"
        )
        for i, each in enumerate(value["collections"])
    }


def collections_of(value: Mapping[str, Any], label: str) -> CollectionsComparison:
    """Return two systems on several collections from their plain values."""
    with reading(label, _HOW, parts=True):
        validate(value, published("abrank-collections-2"))
        comparisons = _each(value, "comparison", from_dict, label)
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
    return again


def standings_of(value: Mapping[str, Any], label: str = "results.json") -> CollectionsRanking:
    """Return many systems on several collections from their plain values."""
    with reading(label, _HOW_RANKED, parts=True):
        validate(value, published("abrank-collections-ranking-2"))
        rankings = _each(value, "ranking", ranking_of, label)
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
    return again


_READERS: Mapping[str, Callable[[Mapping[str, Any], str], Any]] = {
    "abrank-ranking": ranking_of,
    "abrank-collections": collections_of,
    "abrank-collections-ranking": standings_of,
}
