"""The command line as a user meets it: what is printed where, and the exit codes."""

import os
import subprocess
import sys

import pytest

from abrank.cli import COMMANDS, run
from abrank.cli._flags import repeated


@pytest.mark.parametrize(
    "arguments", [["--help"], ["-h"], *([name, "--help"] for name in COMMANDS)]
)
def test_help(arguments, command) -> None:
    out = command(arguments).out
    assert out.startswith("Usage: abrank")
    assert max(map(len, out.splitlines())) <= 80


def test_no_command_shows_help_and_is_wrong_usage(command) -> None:
    assert "Commands" in command([], 2).err


# ---- compare


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
@pytest.mark.parametrize(("report", "said"), [
    ("md", "error: reports/md: cannot be written: reports is no folder\n"),
    ("reports/deep/out.md", "error: reports/deep/out.md: cannot be written: reports is no"),
    ("md:folder", "error: folder: cannot be written: it is a folder\n"),
    (f"{'x' * 300}.md", ".md: cannot be written: file name too long\n"),
])  # fmt: skip
def test_a_place_that_cannot_be_written_is_told_first(files, report, said, command) -> None:
    (files / "reports").write_text("no folder")
    (files / "folder").mkdir()
    out, err = command(["compare", "nothing", "a.run", "b.run", "--report", report], 2)
    assert said in err
    assert out == ""


def test_color_of_the_environment_and_ascii(files, command, monkeypatch) -> None:
    options = ["compare", "qrels", "a.run", "b.run", "-m", "AP"]
    for name, value in (("FORCE_COLOR", "1"), ("NO_COLOR", "1"), ("TERM", "dumb")):
        for variable in ("FORCE_COLOR", "NO_COLOR"):
            monkeypatch.delenv(variable, raising=False)
        monkeypatch.setenv(name, value)
        assert ("\x1b[" in command(options).out) is (name == "FORCE_COLOR")
    assert command([*options, "--ascii"]).out.isascii()


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


def test_score_notes_what_was_missing(files, command) -> None:
    rows = (files / "a.run").read_text().splitlines(keepends=True)
    (files / "short.run").write_text("".join(rows[100:]))
    err = command(["score", "qrels", "short.run", "-m", "AP"]).err
    assert " judged queries is missing from short. Scored 0 for short (--missing zero): " in err
    assert command(["score", "qrels", "short.run", "-m", "AP", "--quiet"]).err == ""


# ---- check


def test_check_says_what_is_in_the_files(files, command) -> None:
    out = command(["check", "qrels", "a.run"]).out
    assert "60 queries" in out
    assert "judged@10" in out


def test_check_reports_every_bad_file(files, command) -> None:
    (files / "bad.run").write_text("1 Q0 d 1 2.0 t\n2 Q0 d 1 high t\n")
    (files / "far.run").write_text("999 Q0 d 1 2.0 t\n")
    out, err = command(["check", "qrels", "bad.run", "nothere", "far.run", "a.run"], 3)
    assert "bad.run, line 2" in err
    assert "nothere: no such file" in err
    assert "no query" in err
    assert "a.run" in out


def test_check_tells_judgments_without_a_relevant_document(files, capsys) -> None:
    (files / "none").write_text("q01 0 d1 0\nq02 0 d1 -1\n")
    assert run(["check", "none", "qrels"]) == 0
    assert (
        capsys.readouterr().out.count("warning: no grade is above 0, so nothing is relevant") == 1
    )


def test_check_counts_what_is_left_out(files, command) -> None:
    (files / "comments").write_text("# made today\nq01 0 d1 1\nq02 0 d1 0\n")
    (files / "unrated.csv").write_text("query_id,doc_id,rating\nq1,d1,3\nq1,d2,\nq2,,\n")
    out = command(["check", "comments", "unrated.csv"]).out
    assert "\n  1 comment line skipped" in out
    assert "\n  2 rows without a grade left out\n" in out


def test_check_takes_judgments_by_subtopic(files, capsys, command) -> None:
    (files / "div").write_text("q01 a d1 1\nq01 b d1 0\nq02 a d1 2\n")
    assert "if these are subtopics" in command(["check", "div"], 3).err
    assert run(["check", "--subtopics", "div", "a.run"]) == 0
    assert "3 judgments, 2 queries, 3 subtopics, grades 0, 1, 2" in capsys.readouterr().out


# ---- faults


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
