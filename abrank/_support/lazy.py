"""Lazy imports by name: heavier packages are imported on first use."""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # `typing` is not imported here: see `abrank/__init__.py`
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def attribute(module: str, name: str) -> Any:  # noqa: ANN401 - whatever the module holds
    """Import ``module`` and return its ``name``."""
    # Methods of lower packages that need a higher one (`comparison.report(path)`) use this, so that
    # the package is imported when the method is called, not when the object is created.
    return getattr(importlib.import_module(module), name)


def homes(owner: Mapping[str, str]) -> dict[str, str]:
    """Invert a mapping of module to names into one of name to module."""
    return {name: module for module, names in owner.items() for name in names.split()}


def module_getattr(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a PEP 562 ``__getattr__`` that imports public names on first use."""

    def __getattr__(name: str) -> Any:  # noqa: ANN401
        if name not in homes:
            from abrank._support.errors import nearest

            close = [] if name[0] == "_" else nearest(name, homes, "name")
            hint = f"; did you mean {close[0]}?" if close else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        return attribute(homes[name], name)

    return __getattr__
