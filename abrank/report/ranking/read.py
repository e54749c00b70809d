"""The JSON report of a ranking read back, to render it in any format."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from abrank._support.errors import ReadError
from abrank.diagnostics import Note, higher_is_better
from abrank.inputs import Audit
from abrank.ranking import PairRow, Ranking, SystemRow
from abrank.ranking.rows import Agreement, OtherTest, Overlap, PairSpread, RankChance
from abrank.report.ranking.numbers import SCHEMA
from abrank.report.saved.restore import restore
from abrank.report.saved.schema import Damaged, published, validate
from abrank.report.saved.write import note_of, read_json, require_unchanged

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
}


def read_ranking(path: str | os.PathLike[str]) -> Ranking:
    """Read the JSON report of a ranking.

    Raises
    ------
    NotFoundError, ReadError
        If there is no such file, it is none of a ranking, or as :func:`ranking_of`.
    """
    value, label = read_json(path)
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        raise ReadError(label, "is no report of a ranking", hint=HOW)
    return ranking_of(value, label)


def ranking_of(value: Mapping[str, Any], label: str = "results.json") -> Ranking:
    """Return the ranking of which :func:`ranking_dict` gave the plain values.

    Parameters
    ----------
    label : str
        What a message calls it.

    Raises
    ------
    ReadError
        If it is damaged, changed after it was written, or at odds with itself.

    Examples
    --------
    >>> from abrank.ranking import rank_scores
    >>> found = rank_scores({"X": {"q1": 0.3, "q2": 0.6}, "Y": {"q1": 0.5, "q2": 0.9}})
    >>> ranking_of(found.to_dict()) == found
    True
    """
    try:
        validate(value, published("abrank-ranking-1"))
        require_unchanged(value)
        return _ranking(value)
    except Damaged as problem:
        raise ReadError(
            label, problem.problem, at=problem.place, hint=problem.hint or HOW
        ) from None


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
