"""Results are equal to their copies, NaN and arrays included, and print themselves."""

from __future__ import annotations

import copy
import importlib
import math
import pkgutil
import pydoc
from dataclasses import MISSING, fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

import abrank
from abrank import ArgumentError, Comparison, Ranking, power
from abrank._support.result import Result, record, same
from abrank.collections import CollectionsComparison

# What a user is given; other rooms hold what is made and used inside one call.
ROOMS = (
    "agreement",
    "annotation",
    "collections",
    "comparison",
    "design",
    "inference",
    "inspection",
    "planning",
    "ranking",
    "verdict",
)


def results_with_numbers() -> list[type[Any]]:
    found = {}
    for module in pkgutil.walk_packages(abrank.__path__, "abrank."):
        if module.name.split(".")[1] not in ROOMS:
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if not (isinstance(value, type) and is_dataclass(value)) or name.startswith("_"):
                continue
            # Results with a report are compared by what the report holds.
            compared = value.__eq__ not in (object.__eq__, Result.__eq__)
            if compared and value.__module__ == module.name and numbers_of(value):
                found[f"{module.name}.{name}"] = value
    return list(found.values())


def numbers_of(cls: type[Any]) -> list[str]:
    return [f.name for f in fields(cls) if f.compare and ("float" in f.type or "Array" in f.type)]


def filled(cls: type[Any], number: float) -> Any:
    """An instance with a number of its own in every field of numbers, and None elsewhere."""
    made = object.__new__(cls)
    for field in fields(cls):
        value: Any = None if field.default is MISSING else field.default
        if field.name in numbers_of(cls):
            fresh = number * 1.0  # NaN by NaN: `is` does not tell that they are one object
            value = np.array([fresh, 0.5]) if "Array" in field.type else fresh
        object.__setattr__(made, field.name, value)
    return made


@pytest.mark.parametrize("cls", results_with_numbers(), ids=lambda cls: cls.__name__)
def test_a_result_of_nans_equals_another_and_no_other_number(cls: type[Any]) -> None:
    nan, other = filled(cls, math.nan), filled(cls, 0.25)
    assert nan == filled(cls, float("nan"))
    assert nan == copy.deepcopy(nan)
    assert nan != other
    assert other == filled(cls, 0.25)
    assert nan != "text"


def test_a_plan_equals_its_copy_and_the_same_plan() -> None:
    plan = power(sd=0.2, effect=0.05)
    assert math.isnan(plan.mde)
    assert plan == copy.deepcopy(plan)
    assert hash(plan) == hash(copy.deepcopy(plan))
    assert plan == power(sd=0.2, effect=0.05)
    assert plan != replace(plan, rows=(replace(plan.rows[0], difference=0.06),))


def test_records_are_frozen_and_of_one_class() -> None:
    @record
    class Width:
        value: float

    @record
    class Height:
        value: float

    assert Width(0.5) != Height(0.5)
    assert len({Width(float("nan")), Width(float("nan")), Width(0.5)}) == 2
    with pytest.raises(AttributeError):
        Width(0.5).value = 1.0  # type: ignore[misc]
    with pytest.raises(TypeError, match="unhashable"):
        hash(Width(np.zeros(2)))  # type: ignore[arg-type]


def test_what_is_the_same_is_so_all_the_way_down() -> None:
    nan = float("nan")
    assert same([{"a": (nan, np.array([nan]))}], [{"a": (nan, np.array([nan]))}])
    assert not same({"a": 1.0}, {"b": 1.0})
    assert not same((1.0,), (1.0, 2.0))
    assert not same((1.0,), [1.0])
    assert not same(np.array(["a"]), np.array(["b"]))
    assert same(np.array(["a"], object), np.array(["a"], object))
    assert not same(nan, None)


@pytest.mark.parametrize("kind", [Comparison, Ranking, CollectionsComparison])
def test_each_result_documents_what_all_of_them_offer(kind: type[Result]) -> None:
    help_text = pydoc.plaintext.document(kind)
    inherited = help_text.partition("inherited from")[2]
    for name in ("to_dict", "from_json", "report", "plot"):
        assert name in vars(kind)
        assert f"{name}(" not in inherited
    assert "A format alone, such as ``html``" in help_text


def test_results_of_two_kinds_are_not_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    class One(Result): ...

    class Other(Result): ...

    with pytest.raises(ArgumentError, match="a One is not written in this format"):
        One().to_dict()
    monkeypatch.setattr(Result, "to_dict", lambda self: {"kind": "any"})
    for kind in (One, Other):
        monkeypatch.setattr(kind, "to_dict", Result.to_dict)
    assert One() == One()
    assert One() != Other()
    with pytest.raises(TypeError, match="unhashable"):
        hash(One())
