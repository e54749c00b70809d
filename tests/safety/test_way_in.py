"""No recipe installs a name that nobody owns, but a checkout, an archive or a tag."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ACTION = ROOT / ".github" / "actions" / "abrank"
PAGES = [
    *(path for path in (ROOT, ACTION, ROOT / ".github") for path in sorted(path.glob("*.md"))),
    *sorted((ROOT / ".github").rglob("*.yml")),
    *sorted((ROOT / "abrank").rglob("*.py")),
    *sorted((ROOT / "notebooks").glob("*.ipynb")),
]
BY_NAME = re.compile(
    r"(?:pip3?|pipx|uv pip|uv tool) install(?: -{1,2}\S+)* ['\"\\]*abrank(?![\w.-])"
)


def test_no_page_installs_it_by_its_name() -> None:
    assert len(PAGES) > 100
    texts = [
        f"{path.relative_to(ROOT)}: {hit[0]}"
        for path in PAGES
        for hit in BY_NAME.finditer(path.read_text("utf-8"))
    ]
    assert texts == []


@pytest.mark.parametrize(
    "line",
    [
        "pip install abrank", "pip install -U abrank", "pip install 'abrank[dask]'",
        "pipx install abrank",
    ],
)  # fmt: skip
def test_such_a_line_would_be_found(line) -> None:
    assert BY_NAME.search(line)


@pytest.mark.parametrize(("asked", "installed"), [("", ROOT), (".", Path())])
def test_the_action_installs_its_own_checkout(tmp_path, asked, installed) -> None:
    text = (ACTION / "action.yml").read_text("utf-8")
    assert re.search(r'install:\n.*?default: ""', text, re.S)
    (line,) = re.findall(r"run: (python -I -m pip install .*)", text)
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, check=True,
        env={"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "ABRANK_INSTALL": asked,
             "GITHUB_ACTION_PATH": str(ACTION)},
    )  # fmt: skip
    path = Path(done.stdout.splitlines()[-1])
    assert path.resolve() == installed.resolve()
    assert asked or (path / "pyproject.toml").exists()


def test_examples_pin_a_tag() -> None:
    page = (ACTION / "README.md").read_text("utf-8")
    refs = re.findall(r"OWNER/abrank(?:/\S*)?@(\S+?)\"?$", page, re.M)
    assert len(refs) == 2
    assert all(re.fullmatch(r"v\d+\.\d+\.\d+", ref) for ref in refs), refs
