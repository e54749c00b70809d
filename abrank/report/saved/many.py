"""Read the JSON reports of rankings and of several collections."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from abrank._support.errors import ReadError
from abrank.collections import CollectionsComparison, CollectionsRanking
from abrank.collections.compare import summarise_collections
from abrank.collections.rank import summarise_rankings
from abrank.comparison import Comparison
from abrank.diagnostics import Note
from abrank.inputs import Audit
from abrank.ranking import PairRow, Ranking, SystemRow
from abrank.ranking.rank import rank_again
from abrank.report.data import (
    RANKING_BESIDE,
    RANKING_SETTINGS,
    decided,
    plain,
    ranking_values,
    standings_values,
)
from abrank.report.saved.comparison import (
    HOW,
    differences,
    from_dict,
    of_this_version,
    provenance_of,
    read_json,
    reading,
    remarks_on,
    require_distinct,
    require_none,
    score_columns,
)
from abrank.report.saved.restoring import DamagedValue, annotations_of, brief, restore_part
from abrank.report.sections.cautions import WORDS
from abrank.verdict import Rule

HOW_RANKING = "write it again: abrank rank … --report results.json"


def ranking_of(value: Mapping[str, Any], label: str = "results.json") -> Ranking:
    """Rebuild a ranking from the plain values of :func:`abrank.report.to_dict`."""
    with reading(label, HOW_RANKING):
        saved = _ranking(value)
        again = rank_again(saved)
        different = list(differences(_numbers(value), _numbers(ranking_values(again))))
        if of_this_version(value):
            require_none(different)
            return saved
    return replace(again, notes=(*again.notes, *remarks_on(different)))


# Long parts that are not recomputed.
_AS_READ = ("schema", "queries", "quality", "cautions", "provenance")


def _numbers(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers that follow from the scores, without the scores."""
    numbers = {key: part for key, part in value.items() if key not in (*_AS_READ, "notes")}
    numbers["secondary"] = [
        {key: part for key, part in measure.items() if key != "scores"}
        for measure in value["secondary"]
    ]
    return numbers


def _ranking(value: Mapping[str, Any]) -> Ranking:
    kinds = annotations_of(Ranking) | {"audits": Mapping[str, Audit]}
    shared = {
        name: restore_part(value, f"settings.{name}", kinds[name]) for name in RANKING_SETTINGS
    }
    shared["query_ids"] = restore_part(value, "queries.query_id", tuple[str, ...])
    shared["seed"] = restore_part(value, "seed", int)
    require_distinct(shared["query_ids"])
    restore_parts = {
        name: restore_part(value, name, kinds[name], Ranking.__dataclass_fields__[name].default)
        for name in RANKING_BESIDE
        if name in value
    }
    cautions = restore_part(value, "cautions", tuple[Note, ...])
    for i, caution in enumerate(cautions):
        if caution.code not in WORDS:
            text = f"{brief(caution.code)} is no note of abrank"
            raise DamagedValue(f"cautions[{i}].code", text)
    secondary = restore_part(value, "secondary", tuple[dict[str, Any], ...])
    return Ranking(
        **_facts(value, shared, "", "queries.scores"),
        audits=restore_part(value, "quality", kinds["audits"]),
        cautions=cautions,
        provenance=provenance_of(value),
        secondary=tuple(
            Ranking(**_facts(measure, shared, f"secondary[{i}].", "scores"))
            for i, measure in enumerate(secondary)
        ),
        **restore_parts,
    )


def _facts(
    value: Mapping[str, Any], shared: Mapping[str, Any], place: str, scores_at: str
) -> dict[str, Any]:
    """Return the fields of one measure; DamagedValue if its parts do not fit together."""
    rows = restore_part(value, "systems", tuple[SystemRow, ...])
    pairs = restore_part(value, "pairs", tuple[PairRow, ...])
    scores = restore_part(value, scores_at, Mapping[str, tuple[float, ...]])
    systems = tuple(row.system for row in rows)
    if not systems or len(set(systems)) < len(systems) or set(systems) != set(scores):
        raise DamagedValue(f"{place}systems", "the systems are not those of the scores")
    compared = {name for row in pairs for name in (row.a, row.b)} | set(shared["baselines"])
    if not compared <= set(systems):
        raise DamagedValue(
            f"{place}pairs", f"there is no system {sorted(compared - set(systems))[0]}"
        )
    columns = {system: scores[system] for system in systems}
    array = score_columns(columns, f"{place}{scores_at}", len(shared["query_ids"]))
    return {
        **shared,
        "measure": restore_part(value, "measure", str),
        "higher_is_better": restore_part(value, "higher_is_better", bool),
        "systems": systems,
        "scores": np.ascontiguousarray(array),
        "rows": rows,
        "pair_rows": pairs,
        "shares": restore_part(value, "shares", Mapping[str, float]),
        "method": restore_part(value, "method", str),
        "n_resamples": restore_part(value, "n_resamples", int),
    }


_HOW = "write it again: abrank compare --collections … --report results.json"
_HOW_RANKED = "write it again: abrank rank --collections … --report results.json"


def read_results(
    source: str | os.PathLike[str], *, expected: str = ""
) -> Comparison | CollectionsComparison | Ranking | CollectionsRanking:
    """Load ``results.json`` of a comparison or ranking, on one collection or on several.

    Parameters
    ----------
    source : str or os.PathLike
        The file of a report ``results.json``, or its text.
    expected : str
        Name of the class that the file must hold. Default: any.

    Raises
    ------
    NotFoundError, ReadError
        As :meth:`abrank.Comparison.from_json`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from abrank.comparison import compare_scores
    >>> x = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> y = compare_scores({"q3": 0.5, "q4": 0.75}, {"q3": 0.25, "q4": 0.75})
    >>> result = summarise_collections({"x": x, "y": y})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_results(result.report(Path(folder) / "results.json")) == result
    True
    """
    value, label = read_json(source)
    schema = value.get("schema") if isinstance(value, Mapping) else None
    schema_name, _, version = str(schema).partition("/")
    read, kind, _ = _KINDS.get(schema_name, (from_dict, "", ""))
    if expected and kind != expected and (kind or expected != "Comparison"):
        hint = next(hint for _, name, hint in _KINDS.values() if name == expected)
        raise ReadError(label, f"is no report of a {expected}", hint=hint)
    # `from_dict` reports unknown schemas.
    return (read if version == "2" else from_dict)(value, label)


@dataclass(frozen=True)
class NamedPart:
    """The result on one collection, as plain values."""

    name: str
    comparison: dict[str, Any] = field(default_factory=dict)
    ranking: dict[str, Any] = field(default_factory=dict)


def _parts(value: Mapping[str, Any], label: str) -> Iterator[tuple[NamedPart, str]]:
    """Yield each collection, and its name in messages."""
    for i, part in enumerate(restore_part(value, "collections", tuple[NamedPart, ...])):
        yield part, f"{label}, collections[{i}]"


def collections_of(value: Mapping[str, Any], label: str) -> CollectionsComparison:
    """Rebuild two systems on several collections from plain values."""
    with reading(label, _HOW, parts=True):
        parts = _parts(value, label)
        comparisons = {part.name: from_dict(part.comparison, where) for part, where in parts}
        rule = restore_part(value, "settings", Rule)
        again = summarise_collections(
            comparisons,
            require=rule.require,
            on=rule.on,
            accept_doubt=rule.accept_doubt,
            name_a=restore_part(value, "systems.a", str),
            name_b=restore_part(value, "systems.b", str),
            provenance=provenance_of(value),
        )
        if of_this_version(value):
            compared = {
                "alpha": again.alpha,
                "measures": [asdict(measure) for measure in again.measures],
            }
            compared |= decided(again)
            saved = {key: value.get(key) for key in compared}
            require_none(differences(saved, plain(compared)), "comparisons")
    return again


def standings_of(value: Mapping[str, Any], label: str = "results.json") -> CollectionsRanking:
    """Rebuild many systems on several collections from plain values."""
    with reading(label, _HOW_RANKED, parts=True):
        parts = _parts(value, label)
        rankings = {part.name: ranking_of(part.ranking, where) for part, where in parts}
        measures = restore_part(value, "measures", tuple[dict[str, Any], ...])
        if not measures:
            raise DamagedValue("measures", "is empty")
        with reading(f"{label}, measures[0].random", HOW_RANKING):
            random = _ranking(restore_part(measures[0], "random", dict[str, Any]))
        again = summarise_rankings(
            rankings, test=random.test, adjust=random.adjust,
            provenance=provenance_of(value),
        )  # fmt: skip
        if of_this_version(value):
            keys = ("alpha", "n_queries", "measures")
            saved = {key: value.get(key) for key in keys}
            computed = standings_values(again)
            require_none(differences(saved, {key: computed[key] for key in keys}), "rankings")
    return again


# For each kind of file: its reader, its content, and the command that writes it again.
_KINDS: Mapping[str, tuple[Callable[[Mapping[str, Any], str], Any], str, str]] = {
    "abrank": (from_dict, "Comparison", HOW),
    "abrank-ranking": (ranking_of, "Ranking", HOW_RANKING),
    "abrank-collections": (collections_of, "CollectionsComparison", _HOW),
    "abrank-collections-ranking": (standings_of, "CollectionsRanking", _HOW_RANKED),
}
