"""The GitHub Action: what it runs, what it leaves, and that a fork's token does not break it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import abrank
from tests.cli.conftest import write_runs

FOLDER = Path(__file__).parents[1] / ".github" / "actions" / "abrank"
COMMAND = Path(sys.executable).with_name("abrank")
installed = pytest.mark.skipif(
    not COMMAND.exists(), reason="abrank is not installed beside this Python: pip install -e ."
)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> Path:
    home = tmp_path_factory.mktemp("action")
    write_runs(home, 40, effect=0.3, names=("qrels", "a.run", "b run"))
    return home


def run(script: str, folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    path = f"{folder}{os.pathsep}{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", *f"{FOLDER}/{script}".split()],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": path, "ABRANK_REPORTS": "out", **env},
    )  # fmt: skip


def compare(folder: Path, arguments: str, tmp_path: Path) -> tuple[dict[str, str], str, str]:
    files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    done = run("compare.sh", folder, ABRANK_ARGS=arguments, **{k: str(v) for k, v in files.items()})
    assert done.returncode == 0, done.stderr
    output = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
    summary = files["GITHUB_STEP_SUMMARY"]
    return output, summary.read_text() if summary.exists() else "", done.stderr


@pytest.mark.slow
@installed
def test_a_gate_that_fails_is_left_to_the_last_step(inputs, tmp_path) -> None:
    arguments = "qrels 'b run' a.run -m nDCG@10 --fail-on worse --candidate '$(touch hacked) *'"
    output, summary, text = compare(inputs, arguments, tmp_path)
    assert output == {"exit-code": "1", "verdict": "worse"}
    assert summary.startswith("### ▼ Worse: ")
    assert "gate      not passed" in text
    assert sorted(path.name for path in (inputs / "out").iterdir()) == [
        "junit.xml", "report.html", "results.json", "summary.md",
    ]  # fmt: skip
    loads = json.loads((inputs / "out" / "results.json").read_text())
    assert loads["systems"] == {"a": "b run", "b": "$(touch hacked) *"}
    assert not (inputs / "hacked").exists()


@pytest.mark.slow
@installed
def test_what_cannot_be_used_leaves_no_report_of_an_earlier_step(inputs, tmp_path) -> None:
    compare(inputs, "qrels a.run 'b run' -m AP", tmp_path)
    (tmp_path / "again").mkdir()
    output, summary, text = compare(inputs, "qrels a.run nobody.run", tmp_path / "again")
    assert output == {"exit-code": "2", "verdict": ""}
    assert (summary, "nobody.run: no such file" in text) == ("", True)
    assert not (inputs / "out" / "results.json").exists()


@pytest.mark.slow
@installed
def test_no_module_of_the_judged_branch_is_imported(inputs, tmp_path, monkeypatch) -> None:
    for module in ("json", "sys", "pip", "abrank", "numpy"):
        (inputs / f"{module}.py").write_text("open('imported', 'a').write(__name__)\n")
    try:
        monkeypatch.setenv("PYTHONPATH", ".")
        output, _, message = compare(inputs, "qrels a.run 'b run' -m AP", tmp_path)
    finally:
        for module in inputs.glob("*.py"):
            module.unlink()
    assert (output["exit-code"], output["verdict"]) == ("0", "better"), message
    assert not (inputs / "imported").exists()
    calls = re.findall(r"\bpython3?\b[^\n]*", (FOLDER / "action.yml").read_text())
    assert calls
    assert all(call.startswith("python -I ") for call in calls)


def git(folder: Path, *words: str) -> str:
    return subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True
    ).stdout.strip()


@pytest.fixture
def checkouts(inputs, tmp_path) -> list[Path]:
    """Two checkouts of one repository, as two builds have them."""
    bare, result = tmp_path / "bare.git", []
    git(tmp_path, "init", "--quiet", "--bare", str(bare))
    for name in ("one", "two"):
        git(tmp_path, "clone", "--quiet", str(bare), name)
        for item in ("qrels", "a.run", "b run"):
            (tmp_path / name / item).write_bytes((inputs / item).read_bytes())
        result.append(tmp_path / name)
    return result


def keep(step: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return run(
        "ledger.sh " + step, folder, ABRANK_LEDGER=str(folder) + "-ledger", ABRANK_WAIT="0",
        ABRANK_LEDGER_BRANCH="ledger", GITHUB_SHA="abc",
    )  # fmt: skip


@pytest.mark.slow
@installed
def test_builds_at_once_keep_one_ledger_on_a_branch(checkouts, tmp_path) -> None:
    for folder, measure in zip(checkouts, ("AP", "RR"), strict=True):
        assert keep("fetch", folder).returncode == 0
        (tmp_path / measure).mkdir()
        compare(folder, f"qrels a.run 'b run' -m {measure} --ledger {folder}-ledger",
                tmp_path / measure)  # fmt: skip
    # Both read the branch before either wrote it.
    for folder in checkouts:
        assert (keep("push", folder).returncode, keep("push", folder).stdout) == (0, "")
    again = checkouts[0]
    assert keep("fetch", again).returncode == 0
    assert [entry.measure for entry in abrank.history(f"{again}-ledger").entries] == ["AP", "RR"]
    assert git(again, "rev-list", "--count", "refs/abrank/ledger") <= "2"
    assert not git(again, "status", "--porcelain", "--untracked-files=no")


@pytest.mark.slow
@installed
def test_a_ledger_adds_its_history_to_the_reports(inputs, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("ABRANK_LEDGER", str(tmp_path / "ledger"))
    output, *_ = compare(inputs, "qrels a.run 'b run' -m AP", tmp_path)
    assert output["exit-code"] == "0"
    assert "1 comparison" in (inputs / "out" / "history.html").read_text()


def test_a_branch_that_cannot_be_written_breaks_nothing(checkouts) -> None:
    folder = checkouts[0]
    ledger = Path(f"{folder}-ledger")
    ledger.mkdir()
    (ledger / "entry.json").write_text("{}")
    git(folder, "remote", "set-url", "--push", "origin", "/nowhere")
    done = keep("push", folder)
    assert (done.returncode, "was not written" in done.stdout) == (0, True)
    git(folder, "remote", "set-url", "origin", "/nowhere")
    done = keep("fetch", folder)
    assert (done.returncode, "cannot be read" in done.stdout) == (1, True)


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


def test_the_action_names_only_inputs_it_has_and_puts_none_into_a_script() -> None:
    text = (FOLDER / "action.yml").read_text(encoding="utf-8")
    declared = re.findall(r"^  ([a-z-]+):$", text.partition("\noutputs:")[0], re.M)
    assert set(re.findall(r"inputs\.([a-z-]+)", text)) == set(declared)
    # What a user gives goes through the environment: in a script it could run commands.
    assert not re.search(r"run:.*\$\{\{", text)
    # A ledger in the checkout could be a link, or hold entries, of the branch under judgment.
    ledgers = re.findall(r"ABRANK_LEDGER: (.*)", text)
    assert ledgers
    assert all("runner.temp" in ledger for ledger in ledgers)
    for script in re.findall(r"\$GITHUB_ACTION_PATH/(\S+?)\"", text):
        assert (FOLDER / script.rstrip("}")).exists()
