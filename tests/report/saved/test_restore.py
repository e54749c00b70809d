"""What a field's annotation says, a saved value becomes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from abrank.report.saved.comparison import restore


@dataclass(frozen=True)
class Part:
    name: str
    limits: tuple[float, float] = (0.0, 0.0)


def test_values_become_what_their_annotation_says() -> None:
    assert restore(float, 1) == 1.0
    assert isinstance(restore(float, 1), float)
    assert math.isnan(restore(float, None))
    assert restore(float | None, None) is None
    assert restore(tuple[float, ...], ["-inf", 2]) == (-math.inf, 2.0)
    assert restore(Mapping[str, tuple[str, int | None]], {"q": ["d", None]}) == {"q": ("d", None)}
    assert restore(Literal["a", "b"], "b") == "b"
    assert restore(Any, {"free": [1]}) == {"free": [1]}


def test_a_field_that_came_later_has_its_default() -> None:
    assert restore(Part, {"name": "x"}) == Part("x")
    assert restore(tuple[Part, ...], [{"name": "y", "limits": [None, "inf"]}])[0].limits[1] > 1e308
