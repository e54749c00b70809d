"""Files whose ids and texts try to break out: every format through the command line holds them."""

import re
import shutil
import subprocess
import sys

import pytest

from abrank.cli import run
from tests.cli.test_terminal import Terminal
from tests.report.formats.page import read

NAMES = ["--baseline", "<script>alert(8)</script>|_&%", "--candidate", "=B\x1b[31m\u202e\"'"]
FILES = ["qrels", "a.run", "b.run", "--topics", "topics.jsonl", "--segments", "segments.csv"]
COMPARE = ["compare", *FILES, *NAMES, "-m", "nDCG@5", "-m", "AP", "--margin", "0.01"]
KINDS = ("html", "md", "tex", "csv", "txt", "methods", "bib")
# What a terminal obeys: control codes, overrides of the writing direction.
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def written(hostile_files, tmp_path_factory):
    """The folder with every format that compare writes."""
    folder = tmp_path_factory.mktemp("written")
    reports = [part for kind in (*KINDS, "json") for part in ("--report", f"{folder}/out.{kind}")]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(hostile_files)
        assert run([*COMPARE, *reports]) == 0
    return folder


def test_page_has_no_tag_and_no_attribute_of_theirs(written) -> None:
    text = (written / "out.html").read_text("utf-8")
    page = read(text).tags
    tags = [tag for tag, _ in page]
    assert tags.count("script") == 2
    named = [1 for tag, attributes in page if tag == "svg" and "aria-labelledby" in attributes]
    assert tags.count("title") == 1 + len(named)
    assert not {"img", "iframe", "object", "embed", "base", "form"} & set(tags)
    for tag, attributes in page:
        assert not any(name.startswith("on") for name in attributes), tag
        target = attributes.get("href") or "#"
        # A pool file is saved by a link, its text written so that it holds no sign of markup.
        saved = "data:text/plain;charset=utf-8," if "download" in attributes else "data:,"
        assert target.startswith(("#", saved)), target
        assert re.fullmatch(r"[\w#:;,=%./~+-]*", target), target
    # The data of the script, and the keys by which it finds a bar, are never shown as they are.
    sub = re.sub(r'<script.*?</script>|data-query=".*?"', "", text, flags=re.S)
    assert OBEYED.findall(sub) == []


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="pdflatex is not installed")
def test_latex_compiles(written, tmp_path) -> None:
    source = (written / "out.tex").read_text("ascii")
    packages = "".join(f"\\usepackage{{{name}}}" for name in ("booktabs", "amsmath"))
    (tmp_path / "page.tex").write_text(
        rf"\documentclass{{article}}{packages}\begin{{document}}{source}\end{{document}}"
    )
    command = ["pdflatex", "-no-shell-escape", "-halt-on-error", "-interaction=nonstopmode", "page"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "page.pdf").stat().st_size > 5_000


@pytest.mark.parametrize(("arguments", "code"), [
    (["score", "qrels", "a.run", "-m", "AP", "--per-query"], 0),
    (["check", "qrels", "a.run", "b.run"], 0),
    ([*COMPARE, "-q"], 0),
    ([*COMPARE, "-q", "--format", "json"], 0),
    (["compare", "qrels", "a.run", "broken\x1b[31m.run"], 3),
])  # fmt: skip
def test_no_control_code_reaches_a_terminal(hostile_files, arguments, code, monkeypatch) -> None:
    broken = hostile_files / "broken\x1b[31m.run"
    broken.write_text("q\x1b[31m Q0 d\x1b]0;owned\x07 1\n", encoding="utf-8")
    monkeypatch.chdir(hostile_files)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    terminal = Terminal()
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(sys, stream, terminal)
    assert run(arguments) == code
    assert len(terminal.getvalue()) > 100
    assert "\\x1b" in terminal.getvalue() or "\\u001b" in terminal.getvalue()
    assert OBEYED.findall(terminal.getvalue()) == []
