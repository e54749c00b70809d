"""The GitHub Action: what it runs, what it leaves, and that a fork's token does not break it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import abrank

FOLDER = Path(__file__).parents[1] / ".github" / "actions" / "abrank"
COMMAND = Path(sys.executable).with_name("abrank")
installed = pytest.mark.skipif(
    not COMMAND.exists(), reason="abrank is not installed beside this Python: pip install -e ."
)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("action")
    made = abrank.simulate_runs(40, effect=0.3, rng=5)
    for name, what in (("qrels", made.qrels), ("a.run", made.baseline), ("b run", made.candidate)):
        what.write(home / name)
    return home


def run(script: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder}{os.pathsep}{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", str(FOLDER / script)], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": path, "ABRANK_REPORTS": "out", **env},
    )  # fmt: skip


def compare(folder: Path, arguments: str, tmp_path: Path) -> tuple[dict[str, str], str, str]:
    files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    done = run("compare.sh", folder, ABRANK_ARGS=arguments, **{k: str(v) for k, v in files.items()})
    assert done.returncode == 0, done.stderr
    output = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
    summary = files["GITHUB_STEP_SUMMARY"]
    return output, summary.read_text() if summary.exists() else "", done.stderr


@installed
def test_a_gate_that_fails_is_left_to_the_last_step(inputs, tmp_path) -> None:
    arguments = "qrels 'b run' a.run -m nDCG@10 --fail-on worse --name-b '$(touch hacked) *'"
    output, summary, said = compare(inputs, arguments, tmp_path)
    assert output == {"exit-code": "1", "verdict": "worse"}
    assert summary.startswith("### ▼ Worse: ")
    assert "gate      not passed" in said
    assert sorted(path.name for path in (inputs / "out").iterdir()) == [
        "junit.xml", "report.html", "results.json", "summary.md",
    ]  # fmt: skip
    found = json.loads((inputs / "out" / "results.json").read_text())
    assert found["systems"] == {"a": "b run", "b": "$(touch hacked) *"}
    assert not (inputs / "hacked").exists()


@installed
def test_what_cannot_be_used_leaves_no_report_of_an_earlier_step(inputs, tmp_path) -> None:
    compare(inputs, "qrels a.run 'b run' -m AP", tmp_path)
    (tmp_path / "again").mkdir()
    output, summary, said = compare(inputs, "qrels a.run nobody.run", tmp_path / "again")
    assert output == {"exit-code": "2", "verdict": ""}
    assert (summary, "nobody.run: no such file" in said) == ("", True)
    assert not (inputs / "out" / "results.json").exists()


GH = """#!/usr/bin/env bash
echo "$@" >> calls
[[ $1 == api && ! -f forbidden ]] || exit 1
[[ $* == *--paginate* ]] && cat comments 2>/dev/null
exit 0
"""


@pytest.fixture
def desk(tmp_path) -> Path:
    """A folder with a summary and a gh that records how it is called."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "summary.md").write_text("### ▲ Better\n")
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    return tmp_path


def comment(desk: Path) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    done = run("comment.sh", desk, ABRANK_ID="ranker", ABRANK_PULL_REQUEST="7",
               GITHUB_REPOSITORY="me/search")  # fmt: skip
    assert done.returncode == 0, done.stderr
    calls = desk / "calls"
    return done, calls.read_text().splitlines() if calls.exists() else []


def test_a_first_comment_is_posted_with_its_mark(desk) -> None:
    _, calls = comment(desk)
    assert len(calls) == 2
    assert "--method POST repos/me/search/issues/7/comments" in calls[1]
    assert (desk / "out" / "comment.md").read_text() == "<!-- abrank:ranker -->\n### ▲ Better\n"


def test_a_comment_that_is_there_is_replaced(desk) -> None:
    (desk / "comments").write_text("991\n992\n")
    _, calls = comment(desk)
    assert "--method PATCH repos/me/search/issues/comments/991" in calls[1]


def test_a_token_that_may_not_write_is_told_of_and_breaks_nothing(desk) -> None:
    (desk / "forbidden").touch()
    done, _ = comment(desk)
    assert done.stdout.startswith("::notice title=abrank::No comment was written")
    assert "summary of this job" in done.stdout


def test_without_a_summary_there_is_nothing_to_say(desk) -> None:
    (desk / "out" / "summary.md").unlink()
    assert comment(desk)[1] == []


def test_the_action_names_only_inputs_it_has_and_puts_none_into_a_script() -> None:
    text = (FOLDER / "action.yml").read_text(encoding="utf-8")
    declared = re.findall(r"^  ([a-z-]+):$", text.partition("\noutputs:")[0], re.M)
    used = set(re.findall(r"inputs\.([a-z-]+)", text))
    assert used == set(declared)
    # What a user gives goes through the environment: in a script it could run commands.
    assert not re.search(r"run:.*\$\{\{", text)
    for script in re.findall(r"\$GITHUB_ACTION_PATH/(\S+?)\"", text):
        assert (FOLDER / script.rstrip("}")).exists()
