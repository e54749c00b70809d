from __future__ import annotations

import pytest

from abrank import ArgumentError, UnknownNameError
from abrank._support.registry import Registry


def test_registry_keeps_the_order_and_refuses_a_second_entry() -> None:
    registry: Registry[int] = Registry("size")
    registry.add("small", 1)
    registry.add("large", 2)
    assert list(registry) == ["small", "large"]
    assert len(registry) == 2
    assert "small" in registry
    with pytest.raises(ArgumentError, match="registered already"):
        registry.add("small", 3)


def test_registry_names_the_nearest() -> None:
    registry: Registry[int] = Registry("size")
    registry.add("small", 1)
    with pytest.raises(UnknownNameError, match="did you mean small"):
        registry["smal"]
