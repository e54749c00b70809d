"""The public face: what is there, and what it costs to open."""

import ast
import importlib.util
import inspect
import itertools
import os
import re
import subprocess
import sys
import tomllib
import types
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import abrank
from abrank.guide.site import PUBLIC

HEAVY = {"pandas", "scipy", "matplotlib", "statsmodels", "pyarrow", "jinja2", "rich", "numpy"}


def loaded_by(code: str) -> set[str]:
    """Return the heavy libraries that a fresh interpreter has loaded after running ``code``."""
    script = f"{code}\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return HEAVY & set(done.stderr.split())


def test_version_is_that_of_the_distribution() -> None:
    assert abrank.__version__ == version("abrank")


@pytest.mark.parametrize("flag", ["--help", "--version", "-h"])
def test_help_loads_nothing_heavy(flag) -> None:
    code = f"from abrank.cli import run\nassert run(['{flag}']) == 0"
    assert loaded_by(code) == set()


@pytest.mark.parametrize("threads", [None, "2"])
def test_a_command_starts_no_threads_of_blas_and_leaves_no_garbage_to_collect(threads) -> None:
    code = (
        "import atexit, gc, os\nfrom abrank.cli import main\n"
        "left = lambda: print(os.environ['OPENBLAS_NUM_THREADS'], gc.get_freeze_count() > 9_000)\n"
        "atexit.register(left)\nmain(['--version'])"
    )
    custom = {} if threads is None else {"OPENBLAS_NUM_THREADS": threads}
    rest = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=rest | custom
    )
    assert done.stdout.splitlines()[-1] == f"{threads or 1} True"


def test_import_loads_no_library() -> None:
    # numpy is what the types of random sources are made of.
    assert loaded_by("import abrank") <= {"numpy"}


LOADED = {
    "score q r -m AP --quiet": {"numpy", "pyarrow"},
    "compare q r s -m AP": {"numpy", "pyarrow", "scipy"},
    "compare q r s -m AP --report out.json --report out.csv": {"numpy", "pyarrow", "scipy"},
    "compare q r s -m AP --report out.html": {"numpy", "pyarrow", "scipy", "matplotlib", "jinja2"},
    "compare --scores s.parquet t.parquet --report out.json": {"numpy", "pyarrow", "scipy"},
    "rank q r s -m AP": {"numpy", "pyarrow", "scipy"},
}
# Of the rest, what an everyday command does without; drawing takes figures, never windows.
NEVER = """scipy.fft scipy.optimize scipy.stats matplotlib.pyplot tomllib
abrank.inference.meta_analysis"""
# What scores of plain files, and a comparison in the terminal, do without beside that.
SCORED = """bz2 gzip json shutil tempfile pyarrow.compute abrank.report abrank.comparison"""
COMPARED = """pyarrow.compute abrank.inference.systems abrank.ranking
abrank.engines.drive abrank.scoring.score_files"""
WITHOUT = {
    "score q r -m AP --quiet": SCORED,
    "compare q r s -m AP": f"{COMPARED} abrank.plots",
    "compare q r s -m AP --report out.html": COMPARED,
}


EVERY_DAY = ("score q r -m AP --quiet", "compare q r s -m AP")  # a new process each


@pytest.mark.parametrize(
    "command", [pytest.param(x, marks=() if x in EVERY_DAY else pytest.mark.slow) for x in LOADED]
)
def test_a_command_loads_what_it_needs(command, tmp_path) -> None:
    (tmp_path / "q").write_text("".join(f"{query} 0 a 1\n" for query in range(8)))
    for name in "rs":
        lines = (f"{query} Q0 {doc} 1 {query % 3} t\n" for query in range(8) for doc in f"{name}a")
        (tmp_path / name).write_text("".join(lines))
    never = {*NEVER.split(), *WITHOUT.get(command, "").split()}
    for name in "st":
        table = pa.table({"query_id": ["1", "2"], "AP": [0.5, 1.0]})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    code = (
        f"import os, sys\nfrom abrank.cli import run\nos.chdir({str(tmp_path)!r})\n"
        f"assert run({command.split()!r}) == 0\n"
        f"assert not {never!r} & set(sys.modules), {never!r} & set(sys.modules)"
    )
    assert loaded_by(code) <= LOADED[command]


@pytest.mark.slow
def test_no_private_module_of_a_library_is_imported() -> None:
    custom, result = {"abrank", *sys.stdlib_module_names}, []
    for path in sorted(Path(abrank.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            modules = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                modules = [f"{node.module}.{name.name}" for name in node.names]
            result += [
                (path.name, name)
                for name in modules
                if "._" in name and name.partition(".")[0] not in custom
            ]
    assert result == []


def test_the_reference_finds_every_public_name(monkeypatch) -> None:
    """Pdoc lists what a module holds; names that are fetched when asked for it would not see."""
    monkeypatch.setitem(sys.modules, "pdoc", types.ModuleType("pdoc"))
    spec = importlib.util.spec_from_file_location("abrank_as_pdoc_sees_it", abrank.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in abrank.__all__:
        assert vars(module)[name] is getattr(abrank, name)


def members(name: str):
    """Yield a public name's object, and its public methods and properties."""
    result = getattr(abrank, name)
    yield name, result
    for key, value in vars(result).items() if inspect.isclass(result) else ():
        plain = getattr(value, "__func__", getattr(value, "fget", value))
        if not key.startswith("_") and inspect.isfunction(plain):
            yield f"{name}.{key}", plain


def test_every_public_name_is_documented() -> None:
    names = {*abrank.__all__} - {"__version__"}
    public = dict(itertools.chain(*map(members, names)))
    assert [key for key, value in public.items() if not inspect.getdoc(value)] == []


def functions():
    """Yield the functions of every public module, and the methods of its classes."""
    for module in map(importlib.import_module, PUBLIC):
        keys = [
            key
            for key, value in vars(module).items()
            if module.__name__ == getattr(value, "__module__", "")
        ]
        for name in getattr(module, "__all__", keys):
            result = getattr(module, name)
            for key, value in vars(result).items() if inspect.isclass(result) else [("", result)]:
                plain = getattr(value, "__func__", value)
                if not key.startswith("_") and inspect.isfunction(plain):
                    yield ".".join(filter(None, (module.__name__, name, key))), plain


# Those whose further arguments belong to the test, the plot or the format that is named.
OPEN = {
    "abrank.inference.run_joint_test", "abrank.inference.run_test",
    "abrank.plots.png", "abrank.plots.svg", "abrank.report.compose", "abrank.report.write",
}  # fmt: skip


def test_public_signatures_are_explicit_and_have_no_inner_arguments() -> None:
    for name, function in functions():
        parameters = inspect.signature(function).parameters
        multiple = [
            parameter
            for parameter in parameters.values()
            if parameter.kind is parameter.VAR_KEYWORD
        ]
        assert not multiple or name in OPEN, name
        inner = {"hashes", "provenance", "on_stage", *(["beside"] if "write" not in name else [])}
        assert not inner & parameters.keys(), name


# What computes no statistic: it reads, writes, draws, names, registers, or makes data.
NO_STATISTIC = re.compile(
    r"abrank\.(engines|estimate|inputs|measures|plots|report|rule_file|simulate)\..*"
    r"|abrank\.(\w+\.)?(check|from_groups|measure|open_ledger|pair_scores|read_\w+|simulate_runs)"
    r"|abrank\.collections\.(ranking_inputs_of|pairs_of)|abrank\.comparison\.(name_runs|system_names)"
    r"|abrank\.inference\.(joint_test|paired_test)"
)


def test_every_public_function_names_its_source() -> None:
    getdocs = {
        name: inspect.getdoc(function) or ""
        for name, function in functions()
        if "." not in function.__qualname__ and not NO_STATISTIC.fullmatch(name)
    }
    assert len(getdocs) > 30
    assert [
        k for k, text in getdocs.items() if not re.search(r"\n(Source: |References\n-)", text)
    ] == []


def test_the_public_modules_are_written_down() -> None:
    text = (Path(__file__).parents[1] / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = text.partition("## What is public\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(abrank[\w.]*)`", listed)) == {*PUBLIC}


def test_every_place_that_contributors_are_sent_to_is_there() -> None:
    root = Path(__file__).parents[1]
    text = (root / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    missing = []
    for row in text.splitlines():  # a short name belongs to the folder that its line names first
        folder = root
        for name in re.findall(r"`([\w./]+(?:\.py|\.bib|/))`", row):
            here = [item / name for item in (root, root / "abrank", folder, folder.parent)]
            result = [item for item in here if item.exists()]
            missing += [] if result else [name]
            if result and len(Path(name).parts) > 1:
                folder = result[0] if result[0].is_dir() else result[0].parent
    assert not missing


def test_the_same_pythons_are_named_everywhere() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))[
        "project"
    ]
    start = "Programming Language :: Python :: 3."
    named = [x.removeprefix(start) for x in project["classifiers"] if x.startswith(start)]
    assert project["requires-python"] == f">=3.{named[0]}"
    assert named == [str(minor) for minor in range(int(named[0]), int(named[-1]) + 1)]
    workflow = (Path(__file__).parents[1] / ".github/workflows/tests.yml").read_text("utf-8")
    (matrix,) = re.findall(r"python: \[(.*)\]", workflow)
    assert matrix == ", ".join(f'"3.{minor}"' for minor in named)
