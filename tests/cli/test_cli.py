"""The command line as a user meets it: what is printed where, and the exit codes."""

import json
import os
import subprocess
import sys

import pytest

import abrank
from abrank.cli import COMMANDS, run
from abrank.cli._flags import repeated


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A collection of 60 queries in the current folder: qrels, a.run, b.run."""
    collection = abrank.simulate_runs(60, effect=0.25, rng=5)
    for name, kind in (
        ("qrels", collection.qrels),
        ("a.run", collection.baseline),
        ("b.run", collection.candidate),
    ):
        kind.write(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "arguments", [["--help"], ["-h"], *([name, "--help"] for name in COMMANDS)]
)
def test_help(arguments, capsys) -> None:
    assert run(arguments) == 0
    out = capsys.readouterr().out
    assert out.startswith("Usage: abrank")
    assert max(map(len, out.splitlines())) <= 80


def test_no_command_shows_help_and_is_wrong_usage(capsys) -> None:
    assert run([]) == 2
    assert "Commands" in capsys.readouterr().err


def test_unknown_command_names_the_nearest(capsys) -> None:
    assert run(["compere"]) == 2
    assert "did you mean compare" in capsys.readouterr().err


def test_unknown_flag_is_wrong_usage(capsys) -> None:
    assert run(["compare", "--magrin", "1"]) == 2
    assert "--margin" in capsys.readouterr().err


# ---- compare


def test_compare_prints_the_verdict_first(files, capsys) -> None:
    assert run(["compare", "qrels", "a.run", "b.run", "-m", "nDCG@10", "-m", "AP"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0].startswith("▲ BETTER  b is better than a on nDCG@10")
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out
    assert err == ""


def test_compare_json_holds_what_python_gives(files, capsys) -> None:
    assert run(["compare", "qrels", "a.run", "b.run", "-m", "AP", "--format", "json"]) == 0
    loads = json.loads(capsys.readouterr().out)
    expected = abrank.compare("qrels", "a.run", "b.run", measures=["AP"])
    assert loads["measures"][0]["pvalue"] == expected.pvalue
    assert loads["provenance"]["command"] == "abrank compare qrels a.run b.run -m AP --format json"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["a.run", "b.run", "--require", "better"], 0),
        (["a.run", "b.run", "--fail-on", "worse"], 0),
        (["b.run", "a.run", "--fail-on", "worse"], 1),
        (["b.run", "a.run", "--require", "better"], 1),
        (["b.run", "a.run", "--require", "non-inferior", "--margin", "0.001"], 1),
    ],
)
def test_gates_are_exit_codes(files, arguments, code, capsys) -> None:
    assert run(["compare", "qrels", *arguments]) == code
    err = capsys.readouterr().err
    assert ("not passed" in err) is (code != 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["qrels", "a.run", "nothere.run"], 2, "nothere.run: no such file"),
        (["qrels", "a.run", "a.ru"], 2, "did you mean a.run"),
        (["qrels", "a.run", "b.run", "-m", "ndcg@10x"], 2, "did you mean nDCG@10"),
        (["qrels", "a.run", "b.run", "--require", "non-inferior"], 2, "needs a margin"),
        (["qrels", "a.run", "b.run", "--report", "out.docx"], 2, "unknown report format"),
        (
            ["qrels", "a.run", "b.run", "--require", "better", "--fail-on", "worse"],
            2,
            "two questions",
        ),
        (["qrels", "-", "-"], 2, "standard input"),
        (["qrels", "a.run", "qrels"], 3, "qrels, line 1: expected 6 fields, found 4"),
        (["a.run", "a.run", "b.run"], 3, "a.run, line 1: expected 4 fields, found 6"),
    ],
)
def test_errors_say_what_where_and_what_to_do(files, arguments, code, said, capsys) -> None:
    assert run(["compare", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "Traceback" not in err


@pytest.mark.usefixtures("nothing_drawn")
def test_reports_are_written_and_named(files, capsys) -> None:
    targets = ["out.html", "out.json", "out.csv", "out.txt", "md:summary"]
    flags = [part for target in targets for part in ("--report", target)]
    assert run(["compare", "qrels", "a.run", "b.run", "-m", "AP", *flags]) == 0
    out = capsys.readouterr().out
    for name in ("out.html", "out.json", "out.csv", "out.txt", "summary"):
        assert (files / name).stat().st_size > 100
        assert f"report    {name}" in out
    assert (files / "summary").read_text().startswith("### ")


@pytest.mark.slow
def test_a_format_alone_writes_into_reports_and_says_where(files, capsys) -> None:
    options = [
        "compare",
        "qrels",
        "a.run",
        "b.run",
        "-m",
        "AP",
        "--report",
        "md",
        "--report",
        "csv",
    ]
    (files / "reports").mkdir()
    (files / "reports" / "b-vs-a.md").write_text("old")
    assert run(options) == 0
    out = capsys.readouterr().out
    assert "report    reports/b-vs-a.md  " in out
    assert "report    reports/b-vs-a.csv  " in out
    assert (files / "reports" / "b-vs-a.md").read_text().startswith("### ")
    names = {path.name for path in (files / "reports").iterdir()}
    assert names == {"b-vs-a.md", "b-vs-a.csv", "b-vs-a.queries.csv"}
    assert run([*options, "--report", "htm"]) == 2
    assert "known formats: .html" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("report", "said"),
    [
        ("md", "error: reports/md: cannot be written: reports is no folder\n"),
        ("reports/deep/out.md", "error: reports/deep/out.md: cannot be written: reports is no"),
        ("md:folder", "error: folder: cannot be written: it is a folder\n"),
        (f"{'x' * 300}.md", ".md: cannot be written: file name too long\n"),
    ],
)
def test_a_place_that_cannot_be_written_is_told_first(files, report, said, capsys) -> None:
    (files / "reports").write_text("no folder")
    (files / "folder").mkdir()
    assert run(["compare", "nothing", "a.run", "b.run", "--report", report]) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert out == ""


def test_color_and_ascii(files, capsys, monkeypatch) -> None:
    options = ["compare", "qrels", "a.run", "b.run", "-m", "AP"]
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert run(options) == 0
    colored = capsys.readouterr().out
    assert "\x1b[" in colored
    monkeypatch.delenv("FORCE_COLOR")
    assert run([*options, "--ascii"]) == 0
    assert capsys.readouterr().out.isascii()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "colored"),
    [
        ({"FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({}, False),
    ],
)
def test_color_of_the_environment(files, environment, colored, capsys, monkeypatch) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    run(["compare", "qrels", "a.run", "b.run", "-m", "AP"])
    assert ("\x1b[" in capsys.readouterr().out) is colored


@pytest.mark.slow
def test_verbose_tells_stages_and_quiet_does_not(files, capsys) -> None:
    run(["compare", "qrels", "a.run", "b.run", "-m", "AP", "-v"])
    assert "s  reading a\n" in capsys.readouterr().err
    run(["compare", "qrels", "a.run", "b.run", "-m", "AP", "-v", "-q"])
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_standard_input_and_a_closed_pipe(files) -> None:
    # A real process: a run comes in through a pipe, and the reader of the output leaves at once.
    command = f"cat b.run | {sys.executable} -m abrank compare qrels a.run - -m AP --format json"
    done = subprocess.run(["bash", "-c", f"{command} | head -c 10; echo ${{PIPESTATUS[1]}}"],
                          capture_output=True, text=True, cwd=files,
                          env=os.environ, check=True)  # fmt: skip
    assert done.stdout.endswith("0\n")
    assert done.stderr == ""


# ---- score


def test_score_prints_means_under_all(files, capsys) -> None:
    assert run(["score", "qrels", "a.run", "-m", "AP", "-m", "ndcg_cut_10"]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [line[:2] for line in lines] == [["all", "AP"], ["all", "nDCG@10"]]
    expected = abrank.evaluate("qrels", {"a": "a.run"}, ["AP", "nDCG@10"]).means()[0]
    assert [line[2] for line in lines] == [f"{value:.4f}" for value in expected]


@pytest.mark.slow
def test_score_per_query_with_several_runs(files, capsys) -> None:
    assert (
        run(["score", "qrels", "a.run", "b.run", "-m", "RR", "--per-query", "--digits", "2"]) == 0
    )
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 2 * 61
    assert {len(line) for line in lines} == {4}
    assert lines[60][:3] == ["a", "all", "RR"]
    assert lines[61][:3] == ["b", "q01", "RR"]


def test_score_notes_what_was_missing(files, capsys) -> None:
    rows = (files / "a.run").read_text().splitlines(keepends=True)
    (files / "short.run").write_text("".join(rows[100:]))
    assert run(["score", "qrels", "short.run", "-m", "AP"]) == 0
    err = capsys.readouterr().err
    assert " judged queries is missing from short. Scored 0 for short (--missing zero): " in err
    assert run(["score", "qrels", "short.run", "-m", "AP", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_score_same_name_twice(files, capsys) -> None:
    (files / "other").mkdir()
    (files / "other" / "a.run").write_text((files / "a.run").read_text())
    assert run(["score", "qrels", "a.run", "other/a.run", "-m", "AP"]) == 0
    first = [line.split("\t")[0] for line in capsys.readouterr().out.splitlines()]
    assert first == ["a", "other/a"]


def test_score_lists_measures(capsys) -> None:
    assert run(["score", "--list-measures"]) == 0
    out = capsys.readouterr().out
    assert "nDCG(" in out
    assert "trec_eval" in out


def test_score_without_files_is_wrong_usage(capsys) -> None:
    assert run(["score"]) == 2


# ---- check


def test_check_says_what_is_in_the_files(files, capsys) -> None:
    assert run(["check", "qrels", "a.run"]) == 0
    out = capsys.readouterr().out
    assert "60 queries" in out
    assert "judged@10" in out


def test_check_reports_every_bad_file(files, capsys) -> None:
    (files / "bad.run").write_text("1 Q0 d 1 2.0 t\n2 Q0 d 1 high t\n")
    (files / "far.run").write_text("999 Q0 d 1 2.0 t\n")
    assert run(["check", "qrels", "bad.run", "nothere", "far.run", "a.run"]) == 3
    out, err = capsys.readouterr()
    assert "bad.run, line 2" in err
    assert "nothere: no such file" in err
    assert "no query" in err
    assert "a.run" in out


@pytest.mark.slow
@pytest.mark.parametrize("command", ["compare", "score", "rank"])
def test_a_level_above_every_grade_is_told(files, command, capsys) -> None:
    level = ["--config", f"rel={10**9}"] if command == "compare" else ["--rel", str(10**9)]
    assert run([command, "qrels", "a.run", "b.run", "-m", "AP", *level]) == 0
    text = " ".join("".join(capsys.readouterr()).split())
    assert "No document is relevant to AP(rel=1000000000)" in text


def test_check_tells_judgments_without_a_relevant_document(files, capsys) -> None:
    (files / "none").write_text("q01 0 d1 0\nq02 0 d1 -1\n")
    assert run(["check", "none", "qrels"]) == 0
    assert (
        capsys.readouterr().out.count("warning: no grade is above 0, so nothing is relevant") == 1
    )


def test_check_counts_what_is_left_out(files, capsys) -> None:
    (files / "comments").write_text("# made today\nq01 0 d1 1\nq02 0 d1 0\n")
    (files / "unrated.csv").write_text("query_id,doc_id,rating\nq1,d1,3\nq1,d2,\nq2,,\n")
    assert run(["check", "comments", "unrated.csv"]) == 0
    out = capsys.readouterr().out
    assert "\n  1 comment line skipped" in out
    assert "\n  2 rows without a grade left out\n" in out


def test_check_takes_judgments_by_subtopic(files, capsys) -> None:
    (files / "div").write_text("q01 a d1 1\nq01 b d1 0\nq02 a d1 2\n")
    assert run(["check", "div"]) == 3
    assert "if these are subtopics" in capsys.readouterr().err
    assert run(["check", "--subtopics", "div", "a.run"]) == 0
    assert "3 judgments, 2 queries, 3 subtopics, grades 0, 1, 2" in capsys.readouterr().out


# ---- faults


def test_a_fault_of_abrank_is_one_line_and_a_saved_traceback(files, capsys, monkeypatch) -> None:
    import abrank.workflow

    monkeypatch.setenv("TMPDIR", str(files))
    monkeypatch.setattr("tempfile.tempdir", None)

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no such luck")

    monkeypatch.setattr(abrank.workflow, "compare_runs", fail)
    assert run(["compare", "qrels", "a.run", "b.run"]) == 70
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    saved = next(files.glob("abrank-*.traceback.txt"))
    assert str(saved) in err
    assert "RuntimeError: no such luck" in saved.read_text()


def test_an_interrupt_is_130(files, capsys, monkeypatch) -> None:
    import abrank.workflow

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(abrank.workflow, "compare_runs", interrupt)
    assert run(["compare", "qrels", "a.run", "b.run"]) == 130
    assert capsys.readouterr().err.strip() == "interrupted"


def test_repeated_runs_of_one_system_are_named() -> None:
    assert (repeated("t5=seed1.run,seed2.run"), repeated("bm25.run")) == (
        ("t5", ["seed1.run", "seed2.run"]),
        (None, "bm25.run"),
    )


def test_what_a_command_does_not_import_is_there_when_it_is_used() -> None:
    code = (
        "import sys\n"
        "from abrank.cli import _QuickImports\n"
        "sys.meta_path.insert(0, _QuickImports)\n"
        "import numpy, scipy.special\n"
        "assert 'numpy.f2py.crackfortran' not in sys.modules\n"
        "numpy.testing.assert_equal(numpy.f2py.get_include()[-3:], 'src')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
