"""``abrank rank`` as a user meets it."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

import abrank
from abrank.cli import cli
from abrank.cli._output import put_notes
from abrank.ranking import rank_scores
from tests.cli.conftest import write_runs

FILES = ("qrels", "old.run", "new.run", "same.run")
RUNS = {name: f"{name}.run" for name in ("old", "new", "same")}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A collection of 60 queries in the current folder: qrels, old.run, new.run, same.run."""
    monkeypatch.chdir(tmp_path)
    write_runs(tmp_path, names=FILES)
    return FILES


def test_a_folder_holds_runs_perhaps_beside_their_judgments(files, command) -> None:
    of_folder = command(["rank", files[0], ".", "-q"]).out
    assert command(["rank", *files, "-q"]).out == of_folder


def test_against_a_baseline(files, command) -> None:
    out, _ = command(["rank", *files, "--baseline", "old", "--pairs", "-m", "map", "--ascii"])
    assert out.isascii()
    assert "Of 2 comparisons" not in out
    assert "+ better" in out
    assert "identical" in out


@pytest.mark.slow
def test_reports_are_written_and_named(files, command) -> None:
    flags = ["--report", "md", "--report", "out.csv", "--report", "tex:table", "--digits", "4"]
    out = command(["rank", *files, *flags, "--style", "superscript"]).out
    expected = abrank.rank("qrels", RUNS)
    assert f"{expected.rows[0].mean:.4f}" in out
    for line in ("reports/ranking-nDCG-10.md", "out.csv", "table"):
        assert f"report    {line}  " in out
    assert Path("table").read_text() == expected.to_latex(style="superscript", digits=4)
    assert Path("out.pairs.csv").exists()
    assert "### ▲ One leader: new is better than all 2 others on nDCG@10." in Path(
        "reports/ranking-nDCG-10.md"
    ).read_text("utf-8")


def test_a_measure_is_completed_by_a_shell() -> None:
    shell = ShellComplete(cli, {}, "abrank", "_ABRANK_COMPLETE")
    values = [completion.value for completion in shell.get_completions(["score", "-m"], "ndc")]
    assert "nDCG" in values
    assert all(name.lower().startswith("ndc") for name in values)


def test_of_many_notes_some_are_told_and_the_others_counted(capsys) -> None:
    scores = {f"{name}{i}": {"q1": i / 10, "q2": i / 9} for i in range(3) for name in "ab"}
    notes = tuple(f"run {i} lacks a query" for i in range(9))
    put_notes(replace(rank_scores(scores), notes=notes), "csv")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "note: Input. run 0 lacks a query."
    assert (lines[-1], len(lines)) == ("note: 3 more in a report: html", 7)
