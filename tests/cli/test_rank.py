"""``abrank rank`` as a user meets it."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

import abrank
from abrank.cli import cli, run
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


@pytest.mark.slow
def test_a_line_a_system_then_what_was_found(files, capsys, command) -> None:
    out, err = command(["rank", *files])
    assert err == ""
    lines = out.splitlines()
    expected = abrank.rank(files[0], RUNS)
    board = next(i for i, line in enumerate(lines) if line.split()[:1] == ["1"])
    for row, line in zip(expected.rows, lines[board : board + 3], strict=True):
        cells = line.split()
        assert cells[:3] == [str(row.position), row.system, f"{row.mean:.3f}"]
        assert cells[-1] == row.group
    last = expected.pair_rows[1]
    assert (last.a, last.b) == (expected.systems[2], expected.systems[0])
    text = f"−{last.diff:.3f}  −{last.ci_high:.3f} to −{last.ci_low:.3f}"
    assert text in lines[board + 2]
    assert len(lines) <= 11  # headline, table, its legend of two lines, next and a note
    sentence = " ".join(out.split())
    assert "differ significantly" not in sentence
    assert run(["rank", *files, "-v"]) == 0
    assert "Of 3 pairs, 2 differ significantly." in " ".join(capsys.readouterr().out.split())
    assert "▲ ONE LEADER new is better than all 2 others on nDCG@10." in sentence
    assert max(map(len, lines)) <= 80


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


@pytest.mark.slow
def test_several_measures_are_all_shown_and_the_first_orders(files, command) -> None:
    # The last measure ordered, and the first was not shown.
    flags = ["-m", "map", "-m", "P@10", "-m", "ndcg_cut_10"]
    out = command(["rank", *files, *flags, "-v"]).out
    expected = abrank.rank("qrels", RUNS, measures="AP")
    assert "3 systems by AP on 60 queries." in " ".join(out.split())
    lines = [line.split() for line in out.splitlines()]
    assert ["System", "AP", "P@10", "nDCG@10"] in lines
    for row in expected.rows:
        assert any(line[:3] == [row.system, f"{row.mean:.3f}", row.group] for line in lines)
    assert "Each of the three measures is a family of its own" in " ".join(out.split())
    assert "Of 3 pairs, 2 differ significantly." in " ".join(out.split())
    assert "better than all 2 others on AP" in out
    assert max(map(len, out.splitlines())) <= 80
    for kind in ("json", "csv", "md", "tex"):
        out = command(["rank", *files, *flags, "--format", kind]).out
        assert all(measure in out for measure in ("AP", "P@10", "nDCG@10"))


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
