"""``reports/demo`` holds what ``abrank demo`` makes: made again, the numbers are the same."""

import contextlib
import io
import json
from pathlib import Path

import pytest

import abrank
from abrank.cli import run
from abrank.cli.demo import EFFECT, TRUE_DIFFERENCE
from abrank.guide import read_page

STORED = Path(__file__).parents[1] / "reports" / "demo"


def numbers(value, path="") -> dict[str, float]:
    """Return every number of a nested value by its path."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = ((str(i), item) for i, item in enumerate(value))
    elif isinstance(value, bool) or not isinstance(value, int | float):
        return {}
    else:
        return {path: float(value)}
    return {key: n for name, item in items for key, n in numbers(item, f"{path}/{name}").items()}


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> tuple[Path, str]:
    """The folder that the command makes, and what it prints."""
    folder, screen = tmp_path_factory.mktemp("demo"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(screen):
        assert run(["demo", str(folder)]) == 0
    screen.seek(0)
    return folder, screen.read()


@pytest.fixture(scope="module")
def made(demo) -> Path:
    return demo[0]


@pytest.mark.slow
def test_it_makes_everything_it_promises(demo) -> None:
    folder, printed = demo
    assert {path.name for path in folder.iterdir()} == {
        "qrels.txt", "old.run", "new.run", "topics.tsv", "segments.csv", "experiment.csv",
        "report.html", "report.md", "results.json",
    }  # fmt: skip
    assert f"open      {folder / 'report.html'}" in printed
    assert printed.startswith("▲ BETTER")


def test_the_numbers_are_those_stored(made, capsys) -> None:
    stored, again = (
        json.loads((folder / "results.json").read_text(encoding="utf-8"))
        for folder in (STORED, made)
    )
    expected, result = numbers(stored), numbers(again)
    assert len(expected) > 3000
    assert result == pytest.approx(expected, rel=1e-9, abs=1e-12)
    inputs = [item["provenance"]["inputs"] for item in (stored, again)]
    assert {role: first["sha256"] for role, first in inputs[0].items()} == {
        role: first["sha256"] for role, first in inputs[1].items()
    }


def test_the_verdict_is_the_truth_of_the_simulation(made) -> None:
    load = json.loads((made / "results.json").read_text(encoding="utf-8"))["verdict"]
    assert load["state"] == "better"
    assert load["interval"]["low"] < TRUE_DIFFERENCE < load["interval"]["high"]


def test_inputs_are_named_as_the_command_names_them(made) -> None:
    load = json.loads((made / "results.json").read_text(encoding="utf-8"))["provenance"]
    paths = {item["path"] for item in load["inputs"].values()}
    assert paths == {"qrels.txt", "old.run", "new.run", "topics.tsv", "segments.csv"}
    assert paths <= set(load["command"].split())
    assert str(made) not in (made / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_true_difference_is_that_of_many_queries() -> None:
    # 20,000 queries: the standard error is 0.002, so 4 of them and the rounding are allowed.
    collection = abrank.simulate_runs(20_000, effect=EFFECT, rng=1)
    result = abrank.compare(
        collection.qrels, collection.baseline, collection.candidate, measures=["nDCG@10"]
    )
    assert result.mean_difference == pytest.approx(TRUE_DIFFERENCE, abs=4 * 0.002 + 0.0005)


def shown(text: str) -> str:
    _, _, printed = text.partition("$ abrank compare qrels.txt")
    return printed.partition("\n\n")[2].partition("\n```")[0]


def test_the_guide_shows_what_the_command_prints(made) -> None:
    printed = str(abrank.Comparison.from_json(made / "results.json"))
    assert shown(read_page("start").text) == printed


def test_the_readme_shows_what_the_table_gives(made, monkeypatch, capsys) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    command, _, shown_text = readme.partition("$ abrank ")[2].partition("\n\n")
    text, _, end = shown_text.partition("\n```")[0].partition("\n…")
    monkeypatch.chdir(made)
    assert run(command.split()) == 0
    assert capsys.readouterr().out.startswith(text)
    assert (text.count("\n") > 8, end) == (True, "")
