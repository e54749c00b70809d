"""What is needed to reproduce a result: input files with hashes, settings, versions, time."""

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
    """Scores that know their source files."""

    @property
    def sources(self) -> Mapping[str, Source]:
        """The source of each system's scores, by system name."""

    @property
    def judgments(self) -> Source | None:
        """The source of the judgments; None for ready scores."""


def provenance(
    scores: Sourced,
    roles: Mapping[str, str],
    *,
    settings: Mapping[str, Any],
    context: Mapping[str, Any] | None = None,
    command: str | None = None,
) -> dict[str, Any]:
    """Return what is needed to reproduce a result, as plain values."""
    names_by_role = {
        "qrels (run)" if role == "qrels" else role: name for role, name in roles.items()
    }
    runs: dict[str, list[str]] = {}  # paths by system: its run, or its repeated runs
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
        # Document files are not hashed: they only provide titles and may be very large. Pipes are
        # not hashed because they cannot be read twice.
        if role != "docs" and is_path and is_regular(source_read):
            source = hashed(source_read)
        inputs[role] = {"path": source.path, "sha256": source.sha256, "rows": None}
    result = origin(command)
    versions = result.pop("versions")
    return {**result, "settings": dict(settings), "versions": versions, "inputs": inputs}


def origin(command: str | None = None) -> dict[str, Any]:
    """Return the time, the command line and the versions."""
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
    """Return the library versions without importing them, which takes longer than a comparison."""
    versions = {"abrank": __version__, "python": platform.python_version()}
    for name in LIBRARIES:
        distribution = importlib.metadata.distribution(name)
        # The start of the metadata has the version; parsing all of it is slow.
        head = (distribution.read_text("METADATA") or "").partition("\n\n")[0]
        line = next((line for line in head.splitlines() if line.startswith("Version:")), None)
        versions[name] = distribution.version if line is None else line.partition(":")[2].strip()
    return versions


def same_judgments(parts: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Group the names of collections that have the same judgments."""
    # `parts` are by collection. Judgments are the same if their files have the same hash.
    result: dict[str, list[str]] = {}
    for name, part in parts.items():
        qrels = part.provenance.get("inputs", {}).get("qrels") or {}
        if sha256 := qrels.get("sha256"):
            result.setdefault(sha256, []).append(name)
    return [tuple(names) for names in result.values() if len(names) > 1]
