"""``abrank rank`` as a user meets it."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

import abrank
from abrank.cli import cli, run
from abrank.cli._output import put_notes
from abrank.ranking import rank_scores


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A collection of 60 queries in the current folder: qrels, old.run, new.run, same.run."""
    collection = abrank.simulate_runs(60, effect=0.25, rng=5)
    collection.qrels.write(tmp_path / "qrels")
    for name, kind in (
        ("old", collection.baseline),
        ("new", collection.candidate),
        ("same", collection.baseline),
    ):
        kind.write(tmp_path / f"{name}.run")
    monkeypatch.chdir(tmp_path)
    return ["qrels", "old.run", "new.run", "same.run"]


@pytest.mark.slow
def test_a_line_a_system_then_what_was_found(files, capsys) -> None:
    assert run(["rank", *files]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    lines = out.splitlines()
    expected = abrank.rank(files[0], {name: f"{name}.run" for name in ("old", "new", "same")})
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


def test_against_a_baseline(files, capsys) -> None:
    assert run(["rank", *files, "--baseline", "old", "--pairs", "-m", "map", "--ascii"]) == 0
    out, _ = capsys.readouterr()
    assert out.isascii()
    assert "Of 2 comparisons" not in out
    assert "+ better" in out
    assert "identical" in out


@pytest.mark.slow
def test_json_and_csv_hold_what_python_gives(files, capsys) -> None:
    assert run(["rank", *files, "--test", "wilcoxon", "--adjust", "bh", "--format", "json"]) == 0
    loads = json.loads(capsys.readouterr().out)
    runs = {name: f"{name}.run" for name in ("old", "new", "same")}
    expected = abrank.rank("qrels", runs, test="wilcoxon", adjust="bh")
    assert loads["systems"] == expected.to_dict()["systems"]
    assert loads["pairs"] == expected.to_dict()["pairs"]
    assert loads["settings"]["title"] == "Wilcoxon signed-rank, adjusted by Benjamini-Hochberg"
    assert loads["provenance"]["command"].startswith("abrank rank qrels old.run")
    assert loads["provenance"]["inputs"]["new"]["path"] == "new.run"
    for flags, rows in (([], expected.rows), (["--pairs"], expected.pair_rows)):
        assert run(["rank", *files, "--test", "wilcoxon", "--adjust", "bh", "--format", "csv",
                    *flags]) == 0  # fmt: skip
        table = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
        assert len(table) == len(rows)
        name = "pvalue_adj" if flags else "mean"
        assert [float(line[name]) for line in table] == [getattr(row, name) for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["qrels", "old.run"], 2, "two systems or more"),
        (["qrels", "old.run", "old.run", "old.run"], 2, "old.run is given twice"),
        (["qrels", "old.run", "new.run", "--baseline", "od"], 2, "'od' is not among old, new"),
        (["qrels", "old.run", "new.run", "--test", "dunnett"], 2, "name one"),
        (["qrels", "old.run", "new.run", "-m", "ndcg@10x"], 2, "did you mean nDCG@10"),
        (["qrels", "old.run", "nothere.run"], 2, "nothere.run: no such file"),
        (["qrels", "-", "-"], 2, "standard input"),
        (["qrels"], 2, "RUNS"),
    ],
)
def test_errors_say_what_and_where(files, arguments, code, said, capsys) -> None:
    assert run(["rank", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "Traceback" not in err


@pytest.mark.slow
def test_reports_are_written_and_named(files, capsys) -> None:
    flags = ["--report", "md", "--report", "out.csv", "--report", "tex:table", "--digits", "4"]
    assert run(["rank", *files, *flags, "--style", "superscript"]) == 0
    out = capsys.readouterr().out
    runs = {name: f"{name}.run" for name in ("old", "new", "same")}
    expected = abrank.rank("qrels", runs)
    assert f"{expected.rows[0].mean:.4f}" in out
    for line in ("reports/ranking-nDCG-10.md", "out.csv", "table"):
        assert f"report    {line}  " in out
    assert Path("table").read_text() == expected.to_latex(style="superscript", digits=4)
    assert Path("out.pairs.csv").exists()
    assert "### ▲ One leader: new is better than all 2 others on nDCG@10." in Path(
        "reports/ranking-nDCG-10.md"
    ).read_text("utf-8")


@pytest.mark.slow
def test_markdown_and_latex_go_to_standard_output(files, capsys) -> None:
    assert run(["rank", *files, "--format", "tex"]) == 0
    assert capsys.readouterr().out.startswith("% nDCG@10, 60 queries, 3 systems\n")
    assert run(["rank", *files, "--format", "md"]) == 0
    assert "**All pairs.**" in capsys.readouterr().out
    assert run(["rank", *files, "--style", "interval"]) == 2
    assert "--style is for LaTeX" in capsys.readouterr().err
    assert run(["rank", *files, "--report", "out.pdf"]) == 2
    assert "known formats: .html .md .json" in capsys.readouterr().err


@pytest.mark.slow
def test_several_measures_are_all_shown_and_the_first_orders(files, capsys) -> None:
    # The last measure ordered, and the first was not shown.
    flags = ["-m", "map", "-m", "P@10", "-m", "ndcg_cut_10"]
    assert run(["rank", *files, *flags, "-v"]) == 0
    out = capsys.readouterr().out
    expected = abrank.rank("qrels", {n: f"{n}.run" for n in ("old", "new", "same")}, measures="AP")
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
        assert run(["rank", *files, *flags, "--format", kind]) == 0
        out = capsys.readouterr().out
        assert all(measure in out for measure in ("AP", "P@10", "nDCG@10"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "said", "keys"),
    [
        ("own", "95% interval of the mean", ("ci_low", "ci_high")),
        ("within", "95% interval within queries", ("within_low", "within_high")),
    ],
)
def test_intervals_are_labelled_by_what_they_are(files, kind, said, keys, capsys) -> None:
    assert run(["rank", *files, "--interval", kind]) == 0
    out = capsys.readouterr().out
    expected = abrank.rank("qrels", {n: f"{n}.run" for n in ("old", "new", "same")})
    assert said in out
    for row in expected.rows:
        low, high = (f"{getattr(row, key):.3f}".replace("-", "−") for key in keys)
        assert f"{low} to {high}" in out


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
    assert lines[-1] == "note: 3 more in a report: html"
    assert len(lines) == 7
