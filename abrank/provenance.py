"""What is needed to reproduce a result: inputs with hashes, settings, versions, time."""

from __future__ import annotations

import datetime
import functools
import importlib.metadata
import os
import platform
import re
from collections.abc import Mapping
from typing import Any, Protocol

from abrank._support import __version__
from abrank.inputs import Source
from abrank.inputs.files import hashed, is_regular

LIBRARIES = ("numpy", "pandas", "scipy", "matplotlib", "pyarrow")
_REPEATED = re.compile(r" \(run \d+\)\Z")


class Sourced(Protocol):
    """Scores, with where they were read."""

    @property
    def sources(self) -> Mapping[str, Source]:
        """By system."""

    @property
    def judgments(self) -> Source | None:
        """None for ready scores."""


def provenance(
    scores: Sourced,
    roles: Mapping[str, str],
    *,
    settings: Mapping[str, Any],
    context: Mapping[str, Any] | None = None,
    command: str | None = None,
) -> dict[str, Any]:
    """Return what is needed to get a result again, as plain values."""
    names_by_role = {
        "qrels (run)" if role == "qrels" else role: name for role, name in roles.items()
    }
    runs: dict[str, list[str]] = {}  # of a system: its own, or those that are repeated
    for run in scores.sources:
        for name in {run, _REPEATED.sub("", run)}:
            runs.setdefault(name, []).append(run)
    sources = {
        role + run.removeprefix(name): scores.sources[run]
        for role, name in names_by_role.items()
        for run in runs.get(name, ())
    }
    inputs = {
        role: {"path": source.path, "sha256": source.sha256, "rows": source.n_rows}
        for role, source in sorted({**sources, "qrels": scores.judgments}.items())
        if source is not None
    }
    for role, source_read in (context or {}).items():
        is_path = isinstance(source_read, (str, os.PathLike))
        source = Source(os.fspath(source_read) if is_path and role == "docs" else None, None, 0)
        # Only titles are taken from a collection, which may be of any size: it is not hashed. Nor
        # is a pipe, which cannot be read again.
        if role != "docs" and is_path and is_regular(source_read):
            source = hashed(source_read)
        inputs[role] = {"path": source.path, "sha256": source.sha256, "rows": None}
    result = origin(command)
    versions = result.pop("versions")
    return {**result, "settings": dict(settings), "versions": versions, "inputs": inputs}


def origin(command: str | None = None) -> dict[str, Any]:
    """Return time, command line and versions."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.datetime.now(datetime.UTC)
    created = datetime.datetime.fromtimestamp(int(epoch), datetime.UTC) if epoch else now
    return {
        "created": created.isoformat(timespec="seconds"),
        "command": command,
        "versions": dict(_versions()),
    }


@functools.cache
def _versions() -> Mapping[str, str]:
    """Return the versions by name; to ask the packages takes longer than a small comparison."""
    versions = {"abrank": __version__, "python": platform.python_version()}
    return versions | {name: _version(name) for name in LIBRARIES}


def _version(name: str) -> str:
    """Return a library's version from the head of its metadata; to parse all of it takes long."""
    distribution = importlib.metadata.distribution(name)
    head = (distribution.read_text("METADATA") or "").partition("\n\n")[0]
    line = next((line for line in head.splitlines() if line.startswith("Version:")), None)
    return distribution.version if line is None else line.partition(":")[2].strip()


def same_judgments(parts: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return the names of collections whose judgments are the same, together."""
    # `parts`: By collection. Judgments are known by the hash of their file.
    result: dict[str, list[str]] = {}
    for name, part in parts.items():
        qrels = part.provenance.get("inputs", {}).get("qrels") or {}
        if sha256 := qrels.get("sha256"):
            result.setdefault(sha256, []).append(name)
    return [tuple(names) for names in result.values() if len(names) > 1]
