"""The reference of every public name, by pdoc (the extra ``docs``)."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from types import ModuleType

# What a user may import. All else is internal, whatever its name begins with.
PUBLIC = (
    "abrank", "abrank.agreement", "abrank.collections", "abrank.comparison", "abrank.diagnostics",
    "abrank.engines", "abrank.engines.dask", "abrank.engines.spark", "abrank.inference",
    "abrank.inputs", "abrank.measures", "abrank.planning", "abrank.plots", "abrank.ranking",
    "abrank.report", "abrank.rule_file", "abrank.scoring", "abrank.simulate",
)  # fmt: skip


def build_reference(folder: Path) -> Path:
    """Write a page for each public module into a folder; return the first one."""
    import pdoc
    from pdoc import render

    for name in PUBLIC:
        bind(importlib.import_module(name))
    render.configure(docformat="numpy", show_source=False, search=False)
    with warnings.catch_warnings():
        # Of names that only a type checker imports it links none, and says so of five of them.
        warnings.filterwarnings("ignore", "Error parsing type annotation")
        pdoc.pdoc(*PUBLIC, output_directory=folder)
    return folder / "abrank.html"


def bind(module: ModuleType) -> None:
    """Import all that a module offers on demand: pdoc sees only what is there."""
    for name in getattr(module, "__all__", ()):
        setattr(module, name, getattr(module, name))
