"""The published schema: every results.json obeys it, and it knows every field there is."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from importlib import resources
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from abrank import rule
from abrank._support.typing import Family, Requirement
from abrank.comparison import (
    Alternative,
    Comparison,
    Effect,
    MeasureResult,
    PlannedClaim,
    PlannedDifference,
    Planning,
    Spread,
    TestRow,
    compare_scores,
)
from abrank.comparison.choosing import SEQUENCE
from abrank.comparison.evidence import CutoffCurve, Kind, RunDetails
from abrank.comparison.groups import QueryWeights, Segmentation, SegmentRow
from abrank.comparison.resolve import ADJUSTMENTS
from abrank.comparison.rows import MachineJudgments, Preferences
from abrank.diagnostics import Note
from abrank.estimate import Estimate
from abrank.inputs import Audit
from abrank.inputs.join import IdDifference
from abrank.report.data import SCHEMA, json_bytes
from abrank.report.saved.restoring import annotations_of
from abrank.scoring.judging import ToJudge, Unjudged
from abrank.verdict import Action, Condition, Rule, Verdict

PUBLISHED = json.loads(
    resources.files("abrank.report.saved").joinpath("abrank-2.schema.json").read_text("utf-8")
)
VALIDATOR = Draft202012Validator(PUBLISHED)


def violations(value: Any) -> list[str]:
    return [f"{error.json_path}: {error.message[:200]}" for error in VALIDATOR.iter_errors(value)]


def saved(comparison: Comparison) -> dict[str, Any]:
    loads: dict[str, Any] = json.loads(json_bytes(comparison))
    return loads


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(PUBLISHED)
    assert PUBLISHED["properties"]["schema"]["const"] == SCHEMA


def test_every_situation_obeys_it(situation: Comparison) -> None:
    assert violations(saved(situation)) == []


def test_runs_hostile_names_gates_and_segments_obey_it(judged, hostile, make) -> None:
    rng = np.random.default_rng(2)
    a = {f"q{i}": float(x) for i, x in enumerate(rng.random(30))}
    intents = {query: "a" if i < 28 else "b" for i, query in enumerate(a)}
    b = {query: value / 2 for query, value in a.items()}
    split = compare_scores(a, b, segments={"intent": intents}, topics={"q1": "jaguar"})
    gated = make(0.05, measures=3, margin=0.01, require="non-inferior")
    for comparison in (judged, hostile, gated, replace(split, remarks=("a note",))):
        assert violations(saved(comparison)) == []


@pytest.mark.parametrize(("name", "kind"), [
    ("measure", MeasureResult),
    ("test", TestRow),
    ("effect", Effect),
    ("spread", Spread),
    ("planning", Planning),
    ("planned_difference", PlannedDifference),
    ("planned_claim", PlannedClaim),
    ("note", Note),
    ("audit", Audit),
    ("id_difference", IdDifference),
    ("alternative", Alternative),
    ("segmentation", Segmentation),
    ("segment", SegmentRow),
    ("evidence", RunDetails),
    ("cutoff_curve", CutoffCurve),
    ("machine", MachineJudgments),
    ("preferences", Preferences),
    ("share", Estimate),
    ("weights", QueryWeights),
    ("to_judge", ToJudge),
    ("unjudged", Unjudged),
])  # fmt: skip
def test_fields_are_those_of_the_class(name: str, kind: type[Any]) -> None:
    properties = PUBLISHED["$defs"][name]["properties"]
    written = {key: part for key, part in properties.items() if not part.get("deprecated")}
    assert [*written] == [field.name for field in fields(kind)]
    annotations = annotations_of(kind)
    for key, part in written.items():
        assert types_in(part) <= types_of(annotations[key]), key


def types_of(kind: Any) -> set[str]:
    """Return the types that JSON may have where a class is annotated so."""
    origin = get_origin(kind) or kind
    if origin in (Union, UnionType):
        return set().union(*map(types_of, get_args(kind)))
    if origin is Literal:
        return {"string"}
    if is_dataclass(kind) or issubclass(origin, Mapping):
        return {"object"}
    texts = {"number", "string", "null"} if kind is float else {"string"}
    types = {tuple: {"array"}, bool: {"boolean"}, int: {"integer"}, NoneType: {"null"}}
    return types.get(origin, texts)


def types_in(part: Any) -> set[str]:
    """Return the types that a part of the schema allows."""
    if "$ref" in part:
        return types_in(PUBLISHED["$defs"][part["$ref"].rpartition("/")[2]])
    if "anyOf" in part:
        return set().union(*map(types_in, part["anyOf"]))
    if "type" in part:
        return {part["type"]} if isinstance(part["type"], str) else {*part["type"]}
    named = {str: "string", bool: "boolean", int: "integer", float: "number", NoneType: "null"}
    return {named[type(value)] for value in part.get("enum", [part.get("const")])}


def test_what_every_file_has_can_be_told_from_what_came_later() -> None:
    """A key that was added later is optional, and stands after those that every file has."""
    for item in objects(PUBLISHED):
        required = item.get("required", [])
        assert list(item["properties"])[: len(required)] == required


def test_choices_are_those_of_the_program() -> None:
    defined = PUBLISHED["$defs"]
    settings = defined["settings"]["properties"]
    assert defined["verdict"]["properties"]["state"]["enum"] == [item.value for item in Verdict]
    alternative = defined["alternative"]["properties"]
    assert alternative["verdict"]["enum"] == [item.value for item in Verdict]
    assert alternative["kind"]["enum"] == [*get_args(Kind)]
    assert settings["require"]["enum"] == [None, *get_args(Requirement)]
    assert settings["adjust"]["enum"] == [*ADJUSTMENTS, SEQUENCE]
    assert settings["family"]["enum"] == list(get_args(Family))
    custom = ["n_resamples", "n_resamples_joint"]
    assert set(settings) == {*(field.name for field in fields(Rule)), *custom}


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every part of the schema that describes an object with properties of its own."""
    if isinstance(schema, dict):
        if "properties" in schema and schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects(value)


def test_fixed_objects_are_closed() -> None:
    open_ones = list(objects(PUBLISHED["$defs"]["provenance"]))
    for item in objects(PUBLISHED):
        if item in open_ones:
            continue
        assert item["additionalProperties"] is False


@pytest.mark.parametrize(("place", "codes"), [
    (("$defs", "reason", "properties", "code"), rule.LEVELS),
    (("properties", "next_step"), get_args(Action)),
    (("properties", "next_step_condition"), [arg for arg in get_args(Condition) if arg]),
])  # fmt: skip
def test_a_code_that_a_result_can_have_is_in_the_schema(place: Any, codes: Any) -> None:
    part: Any = PUBLISHED
    for key in place:
        part = part[key]
    assert {*codes} <= {*part["enum"]}


@pytest.mark.parametrize("damage", [
    lambda d: d.pop("seed"),
    lambda d: d.update(more=1),
    lambda d: d["measures"][0].update(stars="***"),
    lambda d: d["measures"][0].update(pvalue=1.5),
    lambda d: d["tests"][0].update(method="magic"),
    lambda d: d["verdict"].update(state="splendid"),
    lambda d: d["verdict"]["interval"].update(low="-infinity"),
    lambda d: d["queries"]["scores"]["nDCG@10"]["a"].__setitem__(0, "0.5"),
    lambda d: d["evidence"]["rankings"].update(q=[[["d1"]], []]),
    lambda d: d["quality"]["a"].update(sha256="x"),
    lambda d: d["evidence"].update(tie_range=[0.1, 0.2, 0.3]),
])  # fmt: skip
def test_what_is_wrong_is_refused(judged: Comparison, damage: Callable[[Any], Any]) -> None:
    value = saved(judged)
    damage(value)
    assert len(violations(value)) >= 1
