"""The JSON report of a ranking read back, to render it in any format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from abrank._support.errors import ReadError
from abrank.diagnostics import Note, higher_is_better
from abrank.inputs import Audit
from abrank.ranking import PairRow, Ranking, SystemRow
from abrank.ranking.rank import rank_again
from abrank.ranking.rows import Agreement, Extras, OtherTest, Overlap, PairSpread, RankChance
from abrank.report.data import RANKING_SCHEMA as SCHEMA
from abrank.report.data import ranking_values
from abrank.report.saved.alike import differences, of_this_version, remarks_on, require_none
from abrank.report.saved.restore import restore
from abrank.report.saved.schema import Damaged, published, validate
from abrank.report.saved.write import (
    NOT_COMPUTED,
    not_computed,
    note_of,
    require_unchanged,
)

SCHEMAS = (SCHEMA, "abrank-ranking/1")
HOW = "write it again: abrank rank … --report results.json"
# What stands beside the pairs; files of old have none of it.
_BESIDE: Mapping[str, Any] = {
    "notes": tuple[str, ...],
    "stability": tuple[RankChance, ...],
    "n_drawn": int,
    "agreements": tuple[Agreement, ...],
    "overlaps": tuple[Overlap, ...],
    "beside": tuple[OtherTest, ...],
    "spread": PairSpread | None,
    "extras": Extras,
}


def ranking_of(value: Mapping[str, Any], label: str = "results.json") -> Ranking:
    """Return the ranking of which :func:`abrank.report.to_dict` gave the plain values.

    Parameters
    ----------
    label : str
        What a message calls it.

    Raises
    ------
    ReadError
        If it is damaged, changed after it was written, or other than its scores give. What
        another version wrote is shown as it is computed now, with a note.

    Examples
    --------
    >>> from abrank.ranking import rank_scores
    >>> found = rank_scores({"X": {"q1": 0.3, "q2": 0.6}, "Y": {"q1": 0.5, "q2": 0.9}})
    >>> ranking_of(found.to_dict()) == found
    True
    """
    try:
        validate(value, published("abrank-ranking-2"))
        found = _ranking(value)
        again = rank_again(found)
        different = list(differences(_numbers(value), _numbers(ranking_values(again))))
        if of_this_version(value):
            require_none(different)
            again = found
        require_unchanged(value)
    except Damaged as problem:
        raise ReadError(
            label, problem.problem, at=problem.place, hint=problem.hint or HOW
        ) from None
    except NOT_COMPUTED as problem:
        raise not_computed(label, problem, HOW) from None
    if again is found:
        return found
    return replace(again, notes=(*again.notes, *remarks_on(different)))


def restored(value: Mapping[str, Any], label: str) -> Ranking:
    """Return the ranking of plain values as they are, which are part of a larger result."""
    try:
        validate(value, published("abrank-ranking-2"))
        return _ranking(value)
    except Damaged as problem:
        raise ReadError(
            label, problem.problem, at=problem.place, hint=problem.hint or HOW
        ) from None


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
        "query_ids": tuple(value["queries"]["query_id"]),
        "test": settings["test"],
        "title": settings["title"],
        "alpha": settings["alpha"],
        "baseline": base,
        "baselines": tuple(settings.get("baselines", [] if base is None else [base])),
        "adjust": settings.get("adjust"),
        "family": settings.get("family", "measure"),
        "n_families": settings.get("n_families", 1),
        "seed": value["seed"],
    }
    if len(shared["query_ids"]) != value["n_queries"]:
        raise Damaged("n_queries", f"is {value['n_queries']}, and there are other query ids")
    newer = {key: restore(kind, value[key]) for key, kind in _BESIDE.items() if key in value}
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
        **newer,
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
