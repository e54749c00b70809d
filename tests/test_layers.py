"""A room imports only rooms below it, and only the right rooms load the heavy libraries."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "abrank"
ROOMS = (
    "pytest_plugin",
    "cli", "guide", "report", "plots", "collections", "workflow", "ranking", "agreement",
    "comparison", "ledger", "diagnostics", "verdict", "rule", "planning",
    "scoring", "provenance", "engines", "rule_file", "options", "measures", "simulate", "inference",
    "inputs", "estimate",
    "_support",
)  # fmt: skip
HEAVY = {
    "matplotlib": {"plots"}, "scipy": {"inference", "planning"},
    "statsmodels": {"inference", "planning", "agreement"}, "click": {"cli"}, "rich": {"cli"},
    "markdown_it": {"guide"}, "jinja2": {"report", "guide"}, "dask": {"engines"},
    "pyspark": {"engines"},
}  # fmt: skip
FILES = sorted(
    path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem in ROOMS
)


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


# Parsing every file takes fifty times as long. Relative imports are refused by ruff.
IMPORT = re.compile(r"^[ \t]*(?:from ([\w.]+) )?import (\([^)]*\)|[^(\n]+)", re.MULTILINE)


def imports(path: Path):
    for module, names in IMPORT.findall(re.sub("#.*", "", path.read_text(encoding="utf-8"))):
        for name in filter(str.strip, names.strip("()").split(",")):
            yield f"{module}.{name.split()[0]}".removeprefix(".")


def test_imports_run_down() -> None:
    for path in FILES:
        room = room_of(path)
        for name in imports(path):
            package, _, rest = name.partition(".")
            if package == "abrank" and rest.split(".")[0] in ROOMS:
                part = rest.split(".")[0]
                assert ROOMS.index(part) >= ROOMS.index(room), f"{path} imports {part} above it"
            assert room in HEAVY.get(package, {room}), f"{path} imports {package}"


def test_every_module_stands_in_a_room() -> None:
    rooms = {room_of(path) for path in PACKAGE.rglob("*.py")}
    assert rooms - {"__init__", "__main__"} <= set(ROOMS)


def test_no_file_imports_itself_by_way_of_others() -> None:
    files = {_dotted(path): path for path in PACKAGE.rglob("*.py")}
    arrows = {name: {*_files_imported(path, files)} - {name} for name, path in files.items()}
    while low := [name for name, below in arrows.items() if not below & arrows.keys()]:
        for name in low:
            del arrows[name]
    assert not arrows, f"these import each other, or what does: {sorted(arrows)}"


def _dotted(path: Path) -> str:
    names = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(names).removesuffix(".__init__")


def _files_imported(path, files):
    """Yield the files that one imports: a module, or that of a name, wherever the line stands."""
    for name in imports(path):
        yield from [item for item in (name, name.rpartition(".")[0]) if item in files][:1]


MOST_ENTERED = 110  # modules that a comparison of files loads


@pytest.mark.slow
def test_a_comparison_of_files_enters_few_modules(tmp_path: Path) -> None:
    for name, scores in {"a": (3, 2, 1), "b": (1, 3, 2)}.items():
        rows = [
            f"q{q} Q0 d{d} 0 {s + q * d} {name}" for q in range(6) for d, s in enumerate(scores)
        ]
        (tmp_path / f"{name}.run").write_text("\n".join(rows) + "\n")
    (tmp_path / "qrels.txt").write_text("".join(f"q{q} 0 d{q % 3} 1\n" for q in range(6)))
    code = (
        "import sys, abrank\n"
        "abrank.compare('qrels.txt', 'a.run', 'b.run', measures='nDCG@10')\n"
        "print(*(name for name in sys.modules if name.partition('.')[0] == 'abrank'))"
    )
    call = [sys.executable, "-c", code]
    path = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(call, cwd=tmp_path, env=path, capture_output=True, text=True, check=True)
    assert len(done.stdout.split()) <= MOST_ENTERED


def test_the_map_for_contributors_is_that_of_the_code() -> None:
    text = (PACKAGE.parent / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    page = text[text.index("## The map") : text.index("## Set up")]
    rooms = page[page.index("| room |") : page.index("**What happens in")]
    assert tuple(re.findall(r"^\| `(\w+)` \|", rooms, re.MULTILINE)) == ROOMS
    places = re.findall(r"`(abrank/[\w/.]+)(?::(\w+))?`", page)
    assert len(places) > 25
    for path, name in places:
        place = PACKAGE.parent / path
        assert place.exists(), path
        if name:
            tree = ast.parse(place.read_text(encoding="utf-8"))
            definitions = {getattr(node, "name", "") for node in tree.body}
            assert name in definitions, f"{path} defines no {name}"


@pytest.mark.slow
def test_a_class_name_stands_once() -> None:
    places: dict[str, list[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(str(path.relative_to(PACKAGE)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
