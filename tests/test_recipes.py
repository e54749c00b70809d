"""Every recipe of the README runs in the folder that ``abrank demo`` makes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from abrank.cli import COMMANDS, run

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")
RECIPES = TEXT.partition("## Recipes\n")[2].partition("\n## ")[0]
BLOCKS = re.findall(r"```console\n(.*?)```", RECIPES, re.S)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recipes")
    assert run(["demo", str(folder), "-q"]) == 0
    return folder


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split("\n")[0][:60])
def test_recipe_runs_as_it_stands(block, demo, monkeypatch, capsys) -> None:
    monkeypatch.chdir(demo)
    for line in block.strip().splitlines():
        program, *arguments = shlex.split(line, comments=True)
        target = arguments.pop() if ">" in arguments else None
        if target is not None:
            assert arguments.pop() == ">"
        assert program == "abrank"
        code = run(arguments)
        out, err = capsys.readouterr()
        assert (code, "error" in err) == (0, False), err
        assert out
        if target is not None:
            Path(target).write_text(out)
    for written in re.findall(r"(?:--report|--pool) (?:[a-z]+:)?(\S+)", block):
        assert Path(written).stat().st_size > 0


def test_every_command_stands_in_the_readme() -> None:
    assert BLOCKS
    assert [name for name in COMMANDS if f"abrank {name}" not in TEXT] == []


def test_the_migration_table_names_only_flags_that_there_are(capsys) -> None:
    table = TEXT.partition("## Coming from another tool\n")[2].partition("\n## ")[0]
    here = [row.rsplit("|", 2)[1] for row in table.splitlines() if row.startswith("| ")]
    flags = set(re.findall(r"--[a-z-]+", " ".join(here)))
    assert len(flags) >= 6
    known = ""
    for command in ("compare", "score", "power"):
        assert run([command, "--help"]) == 0
        known += capsys.readouterr().out
    assert {flag for flag in flags if flag not in known} == set()
