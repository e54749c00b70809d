"""A room imports only rooms below it, and only the right rooms load the heavy libraries."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "abrank"
ROOMS = (
    "cli", "guide", "report", "plots", "collections", "workflow", "ranking", "agreement",
    "comparison", "ledger", "diagnostics", "verdict", "rule", "planning",
    "scoring", "provenance", "engines", "rule_file", "options", "measures", "simulate", "inference",
    "inputs", "estimate",
    "_support",
)  # fmt: skip
HEAVY = {
    "matplotlib": {"plots"},
    "scipy": {"inference", "planning"},
    "statsmodels": set(),  # an oracle of the tests
    "click": {"cli"},
    "rich": {"cli"},
    "markdown_it": {"guide"},
    "jinja2": {"report", "guide"},
    "dask": {"engines"},
    "pyspark": {"engines"},
}
FILES = sorted(
    path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem in ROOMS
)


def room_of(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_down(path: Path) -> None:
    room = room_of(path)
    for name in imports(path):
        package, _, rest = name.partition(".")
        if package == "abrank" and rest.split(".")[0] in ROOMS:
            other = rest.split(".")[0]
            assert ROOMS.index(other) >= ROOMS.index(room), f"{room} imports {other} above it"
        assert room in HEAVY.get(package, {room}), f"{room} imports {package}"


def test_every_module_stands_in_a_room() -> None:
    found = {room_of(path) for path in PACKAGE.rglob("*.py")}
    assert found - {"__init__", "__main__"} <= set(ROOMS)
