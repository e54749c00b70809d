"""abrank render: saved results become every format, with the bytes that compare gives."""

import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from abrank.cli import run
from abrank.comparison import Comparison, compare_scores
from abrank.options.values import options_of
from abrank.report import WRITERS
from tests.report.written import text


@pytest.fixture(scope="module")
def result() -> Comparison:
    a = {f"q{i}": (7 * i % 40) / 40 for i in range(40)}
    b = {query: 0.9 * value + 0.08 for query, value in a.items()}
    segments = {"intent": {query: query[-1] for query in a}}
    return compare_scores(
        a, b, name_a="bm25", name_b="new", segments=segments, margin=0.01, require="better"
    )


@pytest.fixture
def saved(result: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return result.report("results.json")


def test_text_is_that_of_the_comparison(saved, result, command) -> None:
    out, err = command(["render", "results.json"])
    assert out == text(result) + "\n"
    assert err == ""


@pytest.mark.slow
def test_digits_reach_text_and_reports(saved, result, command) -> None:
    assert command(["render", "results.json", "--digits", "5"]).out == text(result, digits=5) + "\n"
    assert run(["render", "results.json", "--digits", "5", "--report", "out.md"]) == 0
    assert Path("out.md").read_bytes() == WRITERS[".md"](result, digits=5)


def test_whoever_asks_for_files_is_told_of_them_alone(saved, result, capsys, command) -> None:
    out, err = command(["render", "results.json", "--report", "out.md"])
    assert out == f"report    out.md  {max(round(Path('out.md').stat().st_size / 1000), 1)} kB\n"
    assert err == ""
    assert run(["render", "results.json", "--report", "out.md", "--format", "text"]) == 0
    assert capsys.readouterr().out == f"{text(result)}\n\n{out}"


def test_a_gate_that_did_not_pass_is_told_beside_files(tmp_path, capsys) -> None:
    a = {f"q{i}": (7 * i % 40) / 40 for i in range(40)}
    lost = compare_scores(a, dict(zip(a, [*[*a.values()][1:], 0.0], strict=True)), require="better")
    path = lost.report(tmp_path / "results.json")
    assert run(["render", str(path), "--report", str(tmp_path / "out.md")]) == 0
    assert capsys.readouterr().err.startswith("gate      not passed: B is not significantly better")


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in WRITERS if kind not in (".txt", ".html")])
def test_every_format_goes_to_files_and_to_standard_output(saved, result, kind, capsysbinary):
    name = kind.removeprefix(".")
    assert run(["render", "results.json", "--format", name, "--report", f"{name}:out"]) == 0
    expected = WRITERS[kind](result)
    assert Path("out").read_bytes() == expected
    assert capsysbinary.readouterr().out == expected


def test_formats_of_the_flag_are_those_that_there_are() -> None:
    assert {f".{name}" for name in options_of("compare")["format"].choices} - {".text"} == set(
        WRITERS
    ) - {".txt"}


def test_style_is_for_latex(saved, capsys) -> None:
    assert run(["render", "results.json", "--format", "tex", "--style", "superscript"]) == 0
    assert "$0.5188^{a}$" in capsys.readouterr().out
    assert run(["render", "results.json", "--style", "superscript"]) == 2
    assert "--style is for LaTeX" in capsys.readouterr().err


def test_results_come_from_standard_input(saved, result, command, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(saved.read_bytes())))
    assert command(["render", "-"]).out == text(result) + "\n"


@pytest.mark.parametrize(("content", "code", "said"), [
    ('{"schema": "abrank/9"}', 3, "update abrank, or render it with the version that wrote it"),
    ('{"schema": "abrank-ranking/1"}', 3, "was written by an older abrank, in schema 1"),
    ('{"schema": "abrank-ranking/2"}', 3, "settings: is not there"),
    ('{"schema": "abrank/2"}', 3, "results.json, systems: is not there"),
])  # fmt: skip
def test_what_cannot_be_rendered_is_told(content, code, said, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    Path("results.json").write_text(content)
    out, err = command(["render", "results.json", "--report", "out.md"], code)
    assert out == ""
    assert said in err
    assert not Path("out.md").exists()
