"""Runs by names that tell them apart."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from abrank._support.errors import ArgumentError
from abrank.inputs.files import distinct_names
from abrank.inputs.run import UNNAMED, name_of


def named_runs(runs: Any) -> Mapping[str, Any]:  # noqa: ANN401
    """Return runs by name; those of a list by their own names, or ``run 1``, ``run 2``."""
    if isinstance(runs, Mapping):
        return runs
    if not isinstance(runs, (list, tuple)) or any(map(_is_row, runs)):
        kind = type(runs).__name__
        raise ArgumentError(f'runs are a mapping by name, not one {kind}: give {{"bm25": run}}')
    names = [name_of(run) for run in runs]
    paths = [run for run in runs if isinstance(run, (str, os.PathLike))]
    if len(paths) == len(runs):
        names = distinct_names(paths)
    unclear = {name for name in names if name == UNNAMED or names.count(name) > 1}
    shown = (f"{name} {i}" if name in unclear else name for i, name in enumerate(names, 1))
    return dict(zip(shown, runs, strict=True))


def _is_row(each: Any) -> bool:  # noqa: ANN401
    """Whether this is a row of a run: a tuple that begins with an id."""
    return isinstance(each, tuple) and len(each) > 1 and isinstance(each[0], (str, int))
