"""The JSON report of a comparison read back, checked and computed again."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from enum import StrEnum
from functools import lru_cache, partial
from types import NoneType, UnionType
from typing import Any, NamedTuple, NoReturn, Union, get_args, get_origin, get_type_hints

import numpy as np

from abrank import inference
from abrank._support import __version__
from abrank._support.display import count, shorten
from abrank._support.errors import AbrankError, AlignmentError, ArgumentError, ReadError
from abrank._support.typing import FloatArray
from abrank.comparison import Comparison
from abrank.comparison.compare import compare_again
from abrank.comparison.rows import WITH_MACHINE
from abrank.diagnostics import Note
from abrank.inference.equivalence import RelativeChange, Unseen
from abrank.inputs import Audit
from abrank.inputs.files import contents
from abrank.report.numbers import SCHEMA, checksum, content, plain
from abrank.report.saved.schema import Damaged, published, shown, validate
from abrank.report.sections.cautions import NO_LONGER_TOLD, WORDS, caution
from abrank.report.sections.notes import Names
from abrank.rule import Reason, Soundness
from abrank.verdict import Decision, Rule

# Another processor adds in another order and has other last digits of exp and log: a share of the
# value and, where a value is what is left of larger ones, of the largest score.
RELATIVE, ABSOLUTE = 1e-9, 1e-12


class Difference(NamedTuple):
    """A place in the file, what stands there, and what its scores give."""

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
    """Yield where two trees of plain values differ; numbers by more than rounding."""
    # `scale`: The largest score; a p-value's scale is 1.
    if isinstance(saved, dict) and isinstance(again, dict):
        for key in {**again, **saved}:
            at = f"{place}.{key}" if place else str(key)
            if key not in saved or key not in again:
                yield Difference(at, saved.get(key), again.get(key))
            else:
                yield from differences(saved[key], again[key], at, scale=scale)
    elif isinstance(saved, list) and isinstance(again, list) and len(saved) == len(again):
        if saved != again:
            for i, (one, two) in enumerate(zip(saved, again, strict=True)):
                yield from differences(one, two, f"{place}[{i}]", scale=scale)
    elif all(type(each) in (int, float) for each in (saved, again)):
        least = ABSOLUTE * (1.0 if "pvalue" in place.rpartition(".")[2] else scale)
        if not math.isclose(saved, again, rel_tol=RELATIVE, abs_tol=least):
            yield Difference(place, saved, again)
    elif saved != again or type(saved) is not type(again):
        yield Difference(place, saved, again)


def of_this_version(value: Mapping[str, Any]) -> bool:
    """Whether a file was written by this version, which then gives the same numbers again."""
    written_by = (value["provenance"].get("versions") or {}).get("abrank", __version__)
    return value["schema"].endswith("/2") and bool(written_by == __version__)


def require_none(different: Iterable[Difference], source: str = "scores and rule") -> None:
    """Refuse a file of which a value is not what its scores give."""
    for place, saved, again in different:
        said = f"is {shown(saved)}, but the {source} of the file give {shown(again)}"
        raise Damaged(place, said)


def remarks_on(different: Iterable[Difference]) -> tuple[str, ...]:
    """Return what is to be known of a file of another version: how far its numbers are others."""
    changed = [each for each in different if None not in (each.saved, each.again)]
    if not changed:
        return ()
    place, saved, again = changed[0]
    return (
        f"computed again: {count(len(changed))} values of the file, by another version of abrank,"
        f" are others now; the first is {place}, {shown(saved)} there and {shown(again)} here",
    )


INFINITE = {"inf": math.inf, "-inf": -math.inf}


def restore(kind: Any, value: Any) -> Any:  # noqa: ANN401 - any annotation, any value
    """Return a value read from JSON as its annotation has it."""
    found = _reader(kind)
    return value if found is None else found(value)


@lru_cache(maxsize=512)
def _reader(kind: Any) -> Callable[[Any], Any] | None:  # noqa: ANN401
    """Return what turns a value into its kind; None where values are taken as they are."""
    origin, kinds = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (other,) = (_reader(each) for each in kinds if each is not NoneType)
        return None if other is None else lambda value: None if value is None else other(value)
    if origin is tuple:
        return _reader_of_tuple(kinds)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        each = _reader(kinds[1])
        if each is None:
            return dict
        return lambda value: {key: each(item) for key, item in value.items()}
    if is_dataclass(kind):
        return partial(_dataclass, kind)
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind
    return _float if kind is float else None


def _float(value: float | str | None) -> float:
    if value is None:
        return math.nan
    return INFINITE[value] if isinstance(value, str) else float(value)


def _reader_of_tuple(kinds: tuple[Any, ...]) -> Callable[[list[Any]], tuple[Any, ...]]:
    """Return what makes a tuple of one kind and any length, or of as many as there are kinds."""
    readers = [_reader(each) or _as_it_is for each in kinds if each is not Ellipsis]

    def same(value: list[Any]) -> tuple[Any, ...]:
        if readers[0] is _as_it_is or set(map(type, value)) == {kinds[0]}:
            return tuple(value)  # a million scores, and none to be changed
        return tuple(map(readers[0], value))

    def several(value: list[Any]) -> tuple[Any, ...]:
        return tuple(turn(item) for turn, item in zip(readers, value, strict=True))

    return same if kinds[-1] is Ellipsis else several


def _as_it_is(value: Any) -> Any:  # noqa: ANN401
    return value


def _dataclass(kind: Any, value: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """Return a dataclass of the fields that are there; those that came later have a default."""
    found = {name: turn(value[name]) for name, turn in _fields(kind) if name in value}
    return kind(**found)


@lru_cache(maxsize=64)
def _fields(kind: Any) -> list[tuple[str, Callable[[Any], Any]]]:  # noqa: ANN401
    hints = get_type_hints(kind)
    return [(each.name, _reader(hints[each.name]) or _as_it_is) for each in fields(kind)]


def require_showable(comparison: Comparison) -> None:
    """Refuse texts and lists of other queries, curves with holes, and notes without words."""
    known, evidence = set(comparison.query_ids), comparison.evidence
    parts: Mapping[str, Mapping[str, Any]] = {
        "topics": comparison.topics,
        "evidence.rankings": evidence.rankings,
    }
    for place, part in parts.items():
        for query_id in part:
            if query_id not in known:
                raise Damaged(place, f"{shown(query_id)} is not among the queries")
    for name, curve in (("cutoff", evidence.cutoff_curve), ("recall", evidence.recall_curve)):
        if curve is None:
            continue
        columns = {each.name: getattr(curve, each.name) for each in fields(curve)}
        lengths = {key: len(each) for key, each in columns.items() if isinstance(each, tuple)}
        first = next(iter(lengths))
        for key, length in lengths.items():
            if length != lengths[first]:
                raise Damaged(
                    f"evidence.{name}_curve.{key}",
                    f"has {length} entries, and there are {lengths[first]} {first}",
                )
    names = Names(
        comparison.baseline,
        comparison.candidate,
        digits=3,
        alpha=comparison.rule.alpha,
        topics=comparison.topics,
    )
    for i, note in enumerate(comparison.notes):
        if note.code in NO_LONGER_TOLD:
            continue
        if note.code not in WORDS:
            raise Damaged(f"notes[{i}].code", f"{shown(note.code)} is no note of abrank")
        try:
            caution(note, names)
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            raise Damaged(
                f"notes[{i}].values", f"are not those that the note {note.code} asks for"
            ) from None


# What scores and settings raise that do not go together.
_OF_PARTS = (AlignmentError, ArgumentError)
NOT_COMPUTED = (AbrankError, LookupError, TypeError, ValueError, ArithmeticError)
HOW = "write it again: abrank compare … --report results.json"


def read_json(path: str | os.PathLike[str]) -> tuple[Any, str]:
    """Return what a JSON file holds, and what messages call it."""
    data, source = contents(path, lines=False)
    try:
        value = json.loads(data, parse_constant=_refuse)
    except json.JSONDecodeError as problem:
        raise ReadError(
            source.label,
            f"no JSON: {problem.msg}",
            at=f"line {problem.lineno}, column {problem.colno}",
            hint=HOW,
        ) from None
    except (ValueError, RecursionError) as problem:
        raise ReadError(source.label, f"no JSON: {problem}", hint=HOW) from None
    return value, source.label


def from_dict(value: Mapping[str, Any], label: str = "results.json") -> Comparison:
    """Return the comparison of which :func:`abrank.report.to_dict` gave the plain values.

    It equals the one that was saved; every format written from it has the same bytes.

    Parameters
    ----------
    label : str
        What a message calls it.

    Raises
    ------
    ReadError
        If it is of another or a newer schema, damaged, changed after it was written, or at odds
        with itself; the message says where.

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
    if schema not in (SCHEMA, "abrank/1"):
        raise _other_schema(label, schema)
    with reading(label, HOW):
        validate(value, published())
        found = _computed_again(_comparison(value), value)
        require_unchanged(value)
    return found


@contextmanager
def reading(label: str, hint: str, *, parts: bool = False) -> Iterator[None]:
    """Name the place of what is wrong with a file; ``parts`` of several have own errors."""
    try:
        yield
    except Damaged as problem:
        hint = problem.hint or hint
        raise ReadError(label, problem.problem, at=problem.place, hint=hint) from None
    except _OF_PARTS if parts else NOT_COMPUTED as problem:  # noqa: B030 - one of two tuples
        said = str(problem) if parts else f"cannot be computed again: {problem}"
        at = "collections" if parts else "settings"
        raise ReadError(label, said, at=at, hint=hint) from None


def _computed_again(found: Comparison, value: Mapping[str, Any]) -> Comparison:
    """Return a comparison of which nothing is taken from the file that its scores can give."""
    require_showable(found)
    test = found.rule.test
    if test not in {*inference.TESTS, WITH_MACHINE}:
        known = ", ".join(sorted(inference.TESTS))
        raise Damaged(
            "settings.test",
            f"expected one of {known}, found {shown(test)}",
            hint="a test of your own is to be installed where its results are read",
        )
    again = compare_again(found)
    numbers = plain({key: each for key, each in content(again).items() if key not in _AS_READ})
    saved = {key: each for key, each in value.items() if key not in _AS_READ}
    scale = float(max(np.abs(found.a).max(initial=0.0), np.abs(found.b).max(initial=0.0)))
    different = differences(saved, numbers, scale=scale or 1.0)
    if of_this_version(value):
        require_none(different)
        return found
    return replace(again, remarks=(*again.remarks, *remarks_on(different)))


# Long, and taken as they are; what a version may add or leave out is no difference.
_AS_READ = frozenset(
    ["schema", "checksum", "queries", "quality", "topics", "evidence", "provenance", "remarks"]
)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no number of JSON")


def _other_schema(label: str, schema: object) -> ReadError:
    """Say what the file is, and what to do."""
    if not isinstance(schema, str):
        return ReadError(label, "holds no results of abrank: it names no schema", hint=HOW)
    if schema.startswith("abrank-"):
        kind = schema.removeprefix("abrank-").partition("/")[0]
        return ReadError(label, f"is a {kind}, not a comparison", hint=HOW)
    newer = re.fullmatch(r"abrank/(\d{1,9})", schema)
    if newer and int(newer[1]) > int(SCHEMA.removeprefix("abrank/")):
        return ReadError(
            label,
            f"was written by a newer abrank, in schema {newer[1]}; this version reads schema"
            f" {SCHEMA.removeprefix('abrank/')}",
            hint="update abrank, or render it with the version that wrote it",
        )
    return ReadError(
        label,
        f'is of schema {shown(schema)}, not "{SCHEMA}"',
        hint="render it with the version of abrank that wrote it",
    )


def require_unchanged(value: Mapping[str, Any]) -> None:
    """Compare the content with its checksum; files of the first version have none."""
    recorded = value.get("checksum")
    if recorded is not None and recorded != (found := checksum(value)):
        raise Damaged(
            "checksum",
            f"the content was changed after it was written: it gives {found[:19]}…, and"
            f" {recorded[:19]}… is recorded",
            hint="take the file as it was written, or write it again:"
            " abrank compare … --report results.json",
        )


# Where the parts of a comparison, and of its decision, have another name in the file.
_PLACES = {
    "baseline": "systems.a",
    "candidate": "systems.b",
    "rule": "settings",
    "rows": "measures",
    "test_rows": "tests",
    "n_resamples": "settings.n_resamples",
    "n_resamples_joint": "settings.n_resamples_joint",
    "audits": "quality",
    "alternatives": "sensitivity",
    "segmentations": "segments",
    "verdict": "state",
    "ci_low": "interval.low",
    "ci_high": "interval.high",
    "tost_low": "equivalence_interval.low",
    "tost_high": "equivalence_interval.high",
}
# Made of several parts of the file, or not in it.
_MADE = {"query_ids", "measures", "a", "b", "decision", "soundness", "strata", "digits"}


def _comparison(value: Mapping[str, Any]) -> Comparison:
    """Build the comparison part by part; Damaged names the parts that do not fit together."""
    parts = _parts(value, Comparison, audits=Mapping[str, Audit])
    measures = tuple(row.measure for row in parts["rows"])
    query_ids, a, b = _queries(value, measures)
    for i, each in enumerate(parts["segmentations"]):
        _same_length(each.labels, len(query_ids), f"segments[{i}].labels")
    rule = parts["rule"]
    if rule.primary not in measures:
        raise Damaged("settings.primary", f"{shown(rule.primary)} is not among the measures")
    parts["notes"] = tuple(map(note_of, parts["notes"]))
    decision = _decision(value["verdict"], rule)
    parts |= {"query_ids": query_ids, "measures": measures, "decision": decision}
    return Comparison(**parts, a=a, b=b)


def _parts(value: Mapping[str, Any], kind: type, **kinds: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the fields of a class that stand in the file, by the class's annotations."""
    # The verdict's own module names these for the type checker alone.
    known = {each.__name__: each for each in (RelativeChange, Unseen)}
    hints = {**get_type_hints(kind, localns=known), **kinds}
    return {
        each.name: _take(value, _PLACES.get(each.name, each.name), hints[each.name], each.default)
        for each in fields(kind)
        if each.name not in _MADE
    }


def _take(value: Any, path: str, kind: Any, default: Any = MISSING) -> Any:  # noqa: ANN401
    """Return what stands at a path of keys, as its kind; a key that came later has a default."""
    for key in path.split("."):
        if key not in value and default is not MISSING:
            return default
        value = value[key]
    return restore(kind, value)


@dataclass(frozen=True)
class _Pair:
    """The scores of one measure, in the order of the query ids."""

    a: tuple[float, ...]
    b: tuple[float, ...]


def _queries(
    value: Mapping[str, Any], measures: tuple[str, ...]
) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
    """Return the ids of the queries, and the scores of A and of B as the comparison holds them."""
    query_ids = _take(value, "queries.query_id", tuple[str, ...])
    _same_length(query_ids, value["n_queries"], "queries.query_id")
    pairs = _take(value, "queries.scores", Mapping[str, _Pair])
    if sorted(measures) != sorted(pairs):
        raise Damaged("queries.scores", "not of the same measures as measures")
    columns: dict[str, list[FloatArray]] = {"a": [], "b": []}
    for measure in measures:
        for key, found in columns.items():
            place = f"queries.scores.{shorten(measure, width=40)}.{key}"
            scores = getattr(pairs[measure], key)
            _same_length(scores, len(query_ids), place)
            found.append(np.array(scores, dtype=np.float64))
    return query_ids, np.column_stack(columns["a"]), np.column_stack(columns["b"])


def _same_length(found: tuple[Any, ...], n_queries: int, place: str) -> None:
    if len(found) != n_queries:
        raise Damaged(place, f"has {len(found)} entries, and there are {n_queries} queries")


def _decision(verdict: Mapping[str, Any], rule: Rule) -> Decision:
    """Return the decision that stands under ``verdict``; files of old have fewer parts there."""
    levels = {"interval": rule.confidence, "equivalence_interval": rule.confidence_equivalence}
    for key, level in levels.items():
        found = verdict[key]["confidence"]
        if not math.isclose(found, level, rel_tol=1e-9):
            raise Damaged(f"verdict.{key}.confidence", f"is {found}, but alpha gives {level:g}")
    parts = _parts({"margin": rule.margin, **verdict}, Decision)
    return Decision(**parts, soundness=_soundness(verdict.get("soundness")))


def _soundness(value: Mapping[str, Any] | None) -> Soundness:
    """Return what speaks against the evidence; files of old do not say it."""
    reasons = () if value is None else restore(tuple[Note, ...], [
        {**each, "severity": 0} for each in value["reasons"]
    ])  # fmt: skip
    return Soundness(tuple(Reason(each.code, note_of(each).values) for each in reasons))


def note_of(note: Note) -> Note:
    """Return a note whose undefined numbers are NaN again."""
    values = {key: math.nan if each is None else each for key, each in note.values.items()}
    return Note(note.code, note.severity, values)
