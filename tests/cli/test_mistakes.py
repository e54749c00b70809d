"""Mistakes of every day: the message says what is wrong and what to do, and the exit code."""

import re
import sys

import pytest

from abrank.cli import run
from tests.cli.conftest import write_runs
from tests.cli.test_terminal import Terminal


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Sixty queries in files as people have them, and files with one thing wrong each."""
    folder = tmp_path_factory.mktemp("mistakes")
    for names in (("qrels.txt", "a.run", "b.run"), ("qrels.txt", "old/run.txt", "new/run.txt")):
        write_runs(folder, names=names)
    text = (folder / "b.run").read_text()
    (folder / "b.csv").write_text(re.sub(r"[ \t]+", ",", text))
    (folder / "q.csv").write_text(re.sub(r"[ \t]+", ";", (folder / "qrels.txt").read_text()))
    (folder / "b.eval").write_text("map q01 0.5\nmap q02 0.25\nmap all 0.375\n")
    (folder / "few.eval").write_text("map q01 0.5\n")
    (folder / "scores.csv").write_text("system,query_id,measure,score\nb,q01,AP,0.5\n")
    page = "<!DOCTYPE html>\n<html>\n" + "<p>not there</p>\n" * 30
    (folder / "page.run").write_text(page)
    (folder / "upper.run").write_text(re.sub("(?m)^q", "Q", text))
    (folder / "twice.run").write_text(text + text.splitlines()[0] + "\n")
    return folder


MISTAKES = [
    # (arguments after "abrank", exit code, what the message says)
    ("score qrels.txt page.run", 3, "page.run: this looks like a page of HTML; save the file"),
    ("power --sd nan --effect 0.1", 2, "error: sd must be finite, not nan"),
    ("power --sd 0.2 --margin -1", 2, "error: margin must be above 0, not -1.0"),
    ("power --sd 0.2 --effect 0.1 --power nan", 2, "error: power must lie between 0 and 1"),
    ("agreement qrels.txt qrels.txt a.run b.run --margin inf", 2, "error: margin must be a number"),
    ("evaluate qrels.txt a.run", 2, 'unknown command "evaluate"; did you mean score?'),
    ("qrels.txt a.run b.run", 2, "a file, and no command: abrank compare qrels.txt a.run b.run"),
    ("compare scores.csv --columns query", 2, "takes NAME=VALUE, such as query=request_id, not"),
    ("compare scores.csv --group-by arm", 2, "Did you mean '--variant'?"),
    ("compare qrels.txt a.run bb.run", 2, "did you mean b.run ?"),
    ("compare qrels.txt a.run b.run -m P@5 --config primary=AP", 2, "AP is not among P@5"),
    ("compare qrels.txt qrels.txt b.run", 3, "error: qrels.txt: this looks like qrels; the"),
    ("compare --scores a.run b.run", 3, "a.run: this looks like a run, not like scores of queries"),
    ("rank --scores a.run b.run", 3, "leave out --scores: abrank compare (or rank) QRELS"),
    ("compare --scores qrels.txt b.eval", 3, "qrels.txt: this looks like qrels, not like scores"),
    ("compare qrels.txt a.run b.eval", 3, "b.eval: this looks like scores of queries, not docum"),
    ("rank qrels.txt a.run scores.csv", 3, "scores.csv: this looks like scores of queries, not"),
    ("compare qrels.txt a.run b.csv", 3, "error: b.csv: this looks like CSV (fields separated"),
    ("compare q.csv a.run b.run", 3, "error: q.csv: this looks like CSV (fields separated by semi"),
    ("compare qrels.txt a.run upper.run", 3, "the ids differ by upper and lower case"),
    ("compare qrels.txt a.run twice.run", 3, "--duplicates max"),
    ("inspect qrels.txt a.run b.run -5", 2, "for the query -5 write -- -5"),
    ("compare --zzqq", 2, "No such option '--zzqq'."),
    ("compare qrels.txt a.run b.run --report out.docx", 2, "unknown report format"),
    ("compare --scores b.eval", 3, "b.eval: holds one system, b, and two are compared"),
    ("compare --scores b.eval few.eval --missing best", 2, "'best' is not one of"),
    ("compare --scores b.eval few.eval --config judged_only=true", 2, "--judged-only is for runs"),
    ("compare --scores b.eval few.eval", 3, "the query ids differ"),
    ("rank qrels.txt a.run b.run --test dunnett", 2, "name one"),
    ("rank qrels.txt - -", 2, "standard input"),
    ("rank qrels.txt a.run b.run --style interval", 2, "--style is for LaTeX"),
    ("power --independent qrels.txt a.run b.run", 2, "--independent is for ready scores"),
    ("power --sd -0.2 --effect 0.1", 2, "sd must be 0 or more"),
]  # fmt: skip


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("arguments", "code", "said"), MISTAKES, ids=[item[0] for item in MISTAKES]
)
def test_mistake(arguments, code, said, folder, monkeypatch, command) -> None:
    monkeypatch.chdir(folder)
    out, err = command(arguments.split(), code)
    assert said in " ".join(err.split()) or said in err
    assert out == ""
    assert "Traceback" not in err


def test_runs_of_one_file_name_are_called_by_their_folders(folder, monkeypatch, command) -> None:
    monkeypatch.chdir(folder)
    out = command(["compare", "qrels.txt", "old/run.txt", "new/run.txt", "-m", "AP"]).out
    assert out.startswith("▲ BETTER  new/run is better than old/run on AP")
    assert "A old/run (baseline)   B new/run (candidate)" in out


def test_one_file_given_twice_is_wrong_usage(folder, monkeypatch, capsys) -> None:
    monkeypatch.chdir(folder)
    for gate in ([], ["--fail-on", "worse"], ["--require", "better"]):
        assert run(["compare", "qrels.txt", "a.run", "./a.run", "-m", "AP", *gate]) == 2
        assert "A and B are the same file, a.run" in capsys.readouterr().err


def test_a_narrow_terminal_is_not_overrun(folder, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "54")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", Terminal())
    call = ["compare", "qrels.txt", "a.run", "b.run", "-m", "nDCG@10", "-m", "ERR(max_grade=3)@20"]
    assert run([*call, "--ascii"]) == 0
    lines = sys.stdout.getvalue().splitlines()
    assert 48 < max(map(len, lines)) <= 54
    # In ASCII a name that does not fit is cut with two dots.
    assert any(line.startswith("ERR(") and ".." in line for line in lines)
    assert all(line.isascii() for line in lines)


def test_a_depth_beyond_every_rank_is_no_depth(folder, monkeypatch, command) -> None:
    monkeypatch.chdir(folder)
    visible = []
    for depth in ([], ["--depth", "9" * 30]):
        visible.append(command(["score", "qrels.txt", "a.run", "-m", "AP", *depth]).out)
    assert visible[0] == visible[1]


def test_the_same_judgments_twice_are_told(folder, monkeypatch, capsys) -> None:
    monkeypatch.chdir(folder)
    qrels = (folder / "qrels.txt").read_text()
    (folder / "flipped.txt").write_text(
        re.sub(r"(?m)\S+$", lambda grade: str(1 - min(int(grade[0]), 1)), qrels)
    )
    for second, message in (("qrels.txt", True), ("flipped.txt", False)):
        assert run(["agreement", "qrels.txt", second]) == 0
        text = "both files have the same judgments: was one file given twice?"
        assert (text in capsys.readouterr().out) == message
