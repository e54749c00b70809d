"""Late binding by name: heavier packages are imported when they are first used."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as `typing` has it, which is not imported here: see `abrank/__init__.py`
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def attribute(module: str, name: str) -> Any:  # noqa: ANN401 - whatever the module holds
    """Return ``name`` from ``module``, imported now."""
    # A method of a lower room that hands its object to a higher one (`comparison.report(path)`)
    # goes through here: the room is loaded when the method is called, never when the object is
    # made.
    return getattr(importlib.import_module(module), name)


def homes(owner: Mapping[str, str]) -> dict[str, str]:
    """Return the module of each name, from the names of each module."""
    return {name: module for module, names in owner.items() for name in names.split()}


def module_getattr(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a PEP 562 ``__getattr__`` that imports a public name when it is first asked for."""

    def __getattr__(name: str) -> Any:  # noqa: ANN401
        if name not in homes:
            from abrank._support.errors import nearest

            close = [] if name[0] == "_" else nearest(name, homes, "name")
            hint = f"; did you mean {close[0]}?" if close else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        return attribute(homes[name], name)

    return __getattr__
