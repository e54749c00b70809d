"""Read the JSON report of a comparison, check it and recompute it."""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple, NoReturn

import numpy as np

from abrank import inference
from abrank._support import __version__
from abrank._support.display import plural, shorten
from abrank._support.errors import AbrankError, AlignmentError, ArgumentError, ReadError
from abrank._support.typing import FloatArray
from abrank.comparison import Comparison
from abrank.comparison.compare import compare_again
from abrank.comparison.rows import WITH_MACHINE
from abrank.inputs import Audit
from abrank.inputs.files import contents
from abrank.report.data import SCHEMA, content, plain
from abrank.report.saved.restoring import DamagedValue, annotations_of, brief, restore_part
from abrank.report.sections.cautions import WORDS, Names, caution
from abrank.rule import Soundness
from abrank.verdict import Decision, Rule

# Other processors add in another order, and differ in the last digits of exp and log. The
# tolerances are relative to the value and, for differences of larger values, to the largest score.
RELATIVE, ABSOLUTE = 1e-9, 1e-12


class Difference(NamedTuple):
    """A place in the file, the value there, and the value recomputed from the scores."""

    place: str
    saved: Any
    again: Any


def differences(
    saved: Any,  # noqa: ANN401 - trees of plain values
    again: Any,  # noqa: ANN401
    place: str = "",
    *,
    scale: float = 1.0,
) -> Iterator[Difference]:
    """Yield the differences of two trees of plain values; numbers by more than rounding."""
    # `scale`: the largest score; 1 for p-values.
    if isinstance(saved, dict) and isinstance(again, dict):
        for key in {**again, **saved}:
            path = f"{place}.{key}" if place else str(key)
            if key not in saved or key not in again:
                yield Difference(path, saved.get(key), again.get(key))
            else:
                yield from differences(saved[key], again[key], path, scale=scale)
    elif isinstance(saved, list) and isinstance(again, list) and len(saved) == len(again):
        if saved != again:
            for i, (first, second) in enumerate(zip(saved, again, strict=True)):
                yield from differences(first, second, f"{place}[{i}]", scale=scale)
    elif all(type(item) in (int, float) for item in (saved, again)):
        minimum = ABSOLUTE * (1.0 if "pvalue" in place.rpartition(".")[2] else scale)
        if not math.isclose(saved, again, rel_tol=RELATIVE, abs_tol=minimum):
            yield Difference(place, saved, again)
    elif saved != again or type(saved) is not type(again):
        yield Difference(place, saved, again)


def of_this_version(value: Mapping[str, Any]) -> bool:
    """Whether a file was written by this version, which must reproduce its numbers."""
    versions = restore_part(value, "provenance.versions", Mapping[str, str], {})
    written_by = versions.get("abrank", __version__)
    return bool(written_by == __version__)


def require_none(different: Iterable[Difference], source: str = "scores and rule") -> None:
    """Refuse a file with a value that does not follow from its scores."""
    for place, saved, again in different:
        text = f"is {brief(saved)}, but the {source} of the file give {brief(again)}"
        raise DamagedValue(place, text)


def remarks_on(different: Iterable[Difference]) -> tuple[str, ...]:
    """Return remarks on a file of another version: how much its numbers differ."""
    changed = [item for item in different if None not in (item.saved, item.again)]
    if not changed:
        return ()
    place, saved, again = changed[0]
    return (
        f"computed again: {plural(len(changed), 'value')} of this file, which another version of"
        f" abrank wrote, changed; the first is {place}, {brief(saved)} in the file and"
        f" {brief(again)} now",
    )


def require_showable(comparison: Comparison) -> None:
    """Refuse texts and lists of other queries, curves with gaps, and unknown notes."""
    query_ids, evidence = set(comparison.query_ids), comparison.evidence
    parts: Mapping[str, Mapping[str, Any]] = {
        "topics": comparison.topics,
        "evidence.rankings": evidence.rankings,
    }
    for place, part in parts.items():
        for query_id in part:
            if query_id not in query_ids:
                raise DamagedValue(place, f"{brief(query_id)} is not among the queries")
    if (curve := evidence.cutoff_curve) is not None:
        columns = {field.name: getattr(curve, field.name) for field in fields(curve)}
        lengths = {key: len(column) for key, column in columns.items() if isinstance(column, tuple)}
        first = next(iter(lengths))
        for key, length in lengths.items():
            if length != lengths[first]:
                raise DamagedValue(
                    f"evidence.cutoff_curve.{key}",
                    f"has {length} entries, and there are {lengths[first]} {first}",
                )
    names = Names.of(comparison)
    for i, note in enumerate(comparison.notes):
        if note.code not in WORDS:
            raise DamagedValue(f"notes[{i}].code", f"{brief(note.code)} is no note of abrank")
        try:
            caution(note, names)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            raise DamagedValue(
                f"notes[{i}].values", f"are not those that the note {note.code} asks for"
            ) from None


# Errors raised by scores and settings that do not fit together.
_OF_PARTS = (AlignmentError, ArgumentError)
NOT_COMPUTED = (AbrankError, LookupError, TypeError, ValueError, ArithmeticError)
HOW = "write it again: abrank compare … --report results.json"


def read_json(source: str | os.PathLike[str]) -> tuple[Any, str]:
    """Parse a JSON file or text; also return its name for messages."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        data, label = source.encode(), "the JSON text"
    else:
        data, file = contents(source, lines=False)
        label = file.label
    try:
        value = json.loads(data, parse_constant=_refuse)
    except json.JSONDecodeError as problem:
        raise ReadError(
            label,
            f"not JSON: {problem.msg}",
            at=f"line {problem.lineno}, column {problem.colno}",
            hint=HOW,
        ) from None
    except (ValueError, RecursionError) as problem:
        raise ReadError(label, f"not JSON: {problem}", hint=HOW) from None
    return value, label


def from_dict(value: Mapping[str, Any], label: str = "results.json") -> Comparison:
    """Rebuild a comparison from the plain values of :func:`abrank.report.to_dict`.

    It equals the saved one; all formats written from it are identical byte by byte.

    Parameters
    ----------
    label : str
        Its name in messages.

    Raises
    ------
    ReadError
        If it has another or a newer schema, or is damaged or inconsistent; the message says where.

    Examples
    --------
    >>> from abrank import compare_scores
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> from_dict(result.to_dict()) == result
    True
    >>> from_dict({"schema": "abrank/3"})
    Traceback (most recent call last):
    abrank._support.errors.ReadError: results.json: was written by a newer abrank, in schema 3; this
    version reads schema 2
      update abrank, or render it with the version that wrote it
    """
    schema = value.get("schema") if isinstance(value, Mapping) else None
    if schema != SCHEMA:
        raise _other_schema(label, schema)
    with reading(label, HOW):
        return _computed_again(_comparison(value), value)


@contextmanager
def reading(label: str, hint: str, *, parts: bool = False) -> Iterator[None]:
    """Add the place to errors about a file; with ``parts``, errors of parts pass unchanged."""
    try:
        yield
    except DamagedValue as problem:
        hint = problem.hint or hint
        raise ReadError(label, problem.problem, at=problem.place, hint=hint) from None
    except _OF_PARTS if parts else NOT_COMPUTED as problem:  # noqa: B030 - one of two tuples
        reason, _, _ = str(problem).partition("\n")  # advice for calls does not apply to files
        text = str(problem) if parts else f"cannot be computed again: {reason}"
        position = "collections" if parts else "settings"
        raise ReadError(label, text, at=position, hint=hint) from None


def _computed_again(result: Comparison, value: Mapping[str, Any]) -> Comparison:
    """Recompute everything that follows from a comparison's scores."""
    require_showable(result)
    test = result.rule.test
    if test not in {*inference.TESTS, WITH_MACHINE}:
        text = ", ".join(sorted(inference.TESTS))
        raise DamagedValue(
            "settings.test",
            f"expected one of {text}, found {brief(test)}",
            hint="a test of your own is to be installed where its results are read",
        )
    again = compare_again(result)
    numbers = plain({key: item for key, item in content(again).items() if key not in _AS_READ})
    saved = {key: item for key, item in value.items() if key not in _AS_READ}
    scale = float(max(*(np.nanmax(np.abs(scores), initial=0.0) for scores in (result.a, result.b))))
    different = differences(saved, numbers, scale=scale or 1.0)
    if of_this_version(value):
        require_none(different)
        return result
    return replace(again, remarks=(*again.remarks, *remarks_on(different)))


# Long parts that are not recomputed; versions may add or leave out values here.
_AS_READ = frozenset(
    ["schema", "queries", "quality", "topics", "evidence", "provenance", "remarks"]
)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def _other_schema(label: str, schema: object) -> ReadError:
    """Return the error that says what the file is, and what to do."""
    match = re.fullmatch(
        r"abrank(?:-([a-z-]+))?/(\d{1,9})", schema if isinstance(schema, str) else ""
    )
    if match is None:
        named = (
            f"its schema is {brief(schema)}" if isinstance(schema, str) else "it names no schema"
        )
        return ReadError(label, f"holds no results of abrank: {named}", hint=HOW)
    kind, version, current = match[1], int(match[2]), int(SCHEMA.removeprefix("abrank/"))
    if version > current:
        return ReadError(
            label,
            f"was written by a newer abrank, in schema {version}; this version reads schema"
            f" {current}",
            hint="update abrank, or render it with the version that wrote it",
        )
    if version < current:
        text = f"was written by an older abrank, in schema {version}; this version reads {current}"
        return ReadError(label, text, hint="render it with the version of abrank that wrote it")
    return ReadError(label, f"is a {kind}, not a comparison", hint=HOW)


# Parts of a comparison and its decision that have another name in the file.
_PLACES = {
    "baseline": "systems.a", "candidate": "systems.b", "rule": "settings", "rows": "measures",
    "test_rows": "tests", "n_resamples": "settings.n_resamples",
    "n_resamples_joint": "settings.n_resamples_joint", "audits": "quality",
    "alternatives": "sensitivity", "segmentations": "segments", "verdict": "state",
    "ci_low": "interval.low", "ci_high": "interval.high", "tost_low": "equivalence_interval.low",
    "tost_high": "equivalence_interval.high",
}  # fmt: skip
# Fields that are built from several parts of the file, or are not in it.
_MADE = {"query_ids", "measures", "a", "b", "decision", "soundness", "strata", "digits"}


@dataclass(frozen=True)
class InputRecord:
    """An input file of the comparison."""

    path: str | None = None
    sha256: str | None = None
    rows: int | None = None


@dataclass(frozen=True)
class RuleRecord:
    """A declared rule, and the deviations of the call."""

    path: str = ""
    sha256: str = ""
    date: str = ""
    deviations: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True)
class ProvenanceRecord:
    """The parts of a provenance that reports show; it may have more."""

    created: str | None = None
    command: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    inputs: Mapping[str, InputRecord] = field(default_factory=dict)
    declared: RuleRecord | None = None


def provenance_of(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the provenance of a file, after checking what reports show."""
    restore_part(value, "provenance", ProvenanceRecord)
    result: Mapping[str, Any] = restore_part(value, "provenance", Mapping[str, Any])
    return result


def _comparison(value: Mapping[str, Any]) -> Comparison:
    """Build the comparison; DamagedValue names parts that do not fit together."""
    parts = _parts(value, Comparison, "", {"audits": Mapping[str, Audit]})
    measures = tuple(row.measure for row in parts["rows"])
    query_ids, a, b = _queries(value, measures, parts["rule"])
    for i, segmentation in enumerate(parts["segmentations"]):
        require_length(segmentation.labels, len(query_ids), f"segments[{i}].labels")
    rule = parts["rule"]
    if rule.primary not in measures:
        text = f"{brief(rule.primary)} is not among the measures"
        raise DamagedValue("settings.primary", text)
    soundness = restore_part(value, "verdict.soundness", Soundness)
    decision = Decision(**_parts(value, Decision, "verdict.", {}), soundness=soundness)
    parts |= {"query_ids": query_ids, "measures": measures, "decision": decision}
    parts["provenance"] = provenance_of(value)
    return Comparison(**parts, a=a, b=b)


def _parts(
    value: Mapping[str, Any], kind: type, place: str, kinds: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the fields of a class that are in the file under ``place``, by annotation."""
    hints = {**annotations_of(kind), **kinds}
    return {
        field.name: restore_part(
            value, f"{place}{_PLACES.get(field.name, field.name)}", hints[field.name], field.default
        )
        for field in fields(kind)
        if field.name not in _MADE
    }


def _queries(
    value: Mapping[str, Any], measures: tuple[str, ...], rule: Rule
) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
    query_ids = restore_part(value, "queries.query_id", tuple[str, ...])
    require_distinct(query_ids)
    scores = restore_part(value, "queries.scores", Mapping[str, Mapping[str, tuple[float, ...]]])
    if not measures or sorted(measures) != sorted(scores):
        raise DamagedValue("queries.scores", "not of the same measures as measures")
    for measure, columns_of_measure in scores.items():
        if sorted(columns_of_measure) != ["a", "b"]:
            place = f"queries.scores.{shorten(measure, width=40)}"
            raise DamagedValue(place, "not of the two systems a and b")
    sides = []
    for side in ("a", "b"):
        columns = {f"{measure}.{side}": scores[measure][side] for measure in measures}
        sides.append(
            score_columns(columns, "queries.scores", len(query_ids), with_gaps=rule.independent)
        )
    return query_ids, *sides


def require_distinct(query_ids: tuple[str, ...]) -> None:
    """Refuse query ids that occur twice."""
    if len(set(query_ids)) < len(query_ids):
        twice = next(query for query, count in Counter(query_ids).items() if count > 1)
        raise DamagedValue("queries.query_id", f"{brief(twice)} occurs twice")


def score_columns(
    columns: Mapping[str, tuple[float, ...]], place: str, n_queries: int, *, with_gaps: bool = False
) -> FloatArray:
    """Return columns of scores as an array; each has one finite number (or gap) per query."""
    arrays = []
    for name, scores in columns.items():
        where = f"{place}.{shorten(name, width=40)}"
        require_length(scores, n_queries, where)
        arrays.append(np.array(scores, dtype=np.float64))
        if not (with_gaps or np.isfinite(arrays[-1]).all()):
            query = int(np.flatnonzero(~np.isfinite(arrays[-1]))[0])
            raise DamagedValue(f"{where}[{query}]", "is no finite number")
    return np.column_stack(arrays)


def require_length(column: tuple[Any, ...], n_queries: int, place: str) -> None:
    """Refuse a column whose length is not the number of queries."""
    if len(column) != n_queries:
        raise DamagedValue(place, f"has {len(column)} entries, and there are {n_queries} queries")
