"""The whole command, and what is committed of its long run."""

import csv
import json
import math
import re
from pathlib import Path

import pytest

from reports.studies.calibration.__main__ import main
from reports.studies.calibration.page import page
from reports.studies.calibration.parts.catalogue import PARTS
from reports.studies.calibration.table import MAIN, read_study, rows
from reports.studies.calibration.writing import table

COMMITTED = Path(__file__).parents[3] / "reports" / "calibration"


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_short_run(tmp_path, capsys, request) -> None:
    arguments = ["--replications", "20", "--sizes", "10", "25", "--output", str(tmp_path)]
    arguments += ["--parts", "tests", "effects, a quarter more", "systems of one mean", "ranks"]
    assert main(arguments) == 0
    err = capsys.readouterr().err
    assert "tests: simulated, RR, n = 25" in err
    assert "ranks: simulated, " in err
    files = {path.name for path in tmp_path.iterdir()}
    assert files == {
        *(f"calibration.{ending}" for ending in ("csv", "json", "md", "svg")),
        "calibration-parts.svg",
    }  # fmt: skip
    agree(tmp_path)
    # Nothing is left to do: the second run only writes, and the same.
    before = (tmp_path / "calibration.json").read_text("utf-8")
    request.getfixturevalue("undrawn")  # what is drawn was seen above
    assert main(arguments) == 0
    assert "n = " not in capsys.readouterr().err
    assert (tmp_path / "calibration.json").read_text("utf-8") == before


@pytest.fixture
def undrawn(monkeypatch) -> None:
    for name in ("calibration", "calibration_parts", "save"):
        monkeypatch.setattr(f"reports.studies.calibration.draw.{name}", lambda *_: None)


@pytest.mark.slow
@pytest.mark.usefixtures("small", "undrawn")
def test_an_interrupted_run_goes_on(tmp_path) -> None:
    arguments = ["--replications", "10", "--sizes", "10", "--parts", "tests", "margins", "--output"]
    main([*arguments, str(tmp_path / "whole")])
    path = tmp_path / "whole" / "calibration.json"
    whole = json.loads(path.read_text("utf-8"))
    part = tmp_path / "part"
    part.mkdir()
    some = json.dumps(whole | {"cells": whole["cells"][:2]})
    (part / "calibration.json").write_text(some, encoding="utf-8")
    main([*arguments, str(part)])
    assert (part / "calibration.json").read_text("utf-8") == path.read_text("utf-8")


def test_a_part_alone_has_no_page(tmp_path, capsys) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["--parts", "ranks", "--output", str(tmp_path)])
    assert "tests comes first" in capsys.readouterr().err


def test_a_folder_without_data_is_told(tmp_path, capsys) -> None:
    assert main(["--data", str(tmp_path), "--output", str(tmp_path / "out")]) == 2
    assert "error: " in capsys.readouterr().err


def agree(folder: Path) -> None:
    """The table and the page have the numbers of the counts."""
    study = read_study(folder / "calibration.json")
    result = rows(study)
    assert (folder / "calibration.csv").read_text("utf-8") == table(result)
    assert (folder / "calibration.md").read_text("utf-8") == page(study, result)
    with (folder / "calibration.csv").open(encoding="utf-8") as file:
        dict_reader = list(csv.DictReader(file))
    text = (folder / "calibration.md").read_text("utf-8")
    main_rows = [
        element
        for element in dict_reader
        if (element["measure"], element["skewness"]) == ("all", "all")
    ]
    for item in (row for row in main_rows if row["source"] == result[0].source):
        rate, error = (100 * float(item[name]) for name in ("false_05", "false_05_error"))
        line = re.search(rf"^\| {re.escape(item['test'])} \|.*$", text, re.MULTILINE)
        assert line
        cells = re.findall(r"([\d.]+) ± ([\d.]+)", line[0])
        assert any(
            abs(float(a) - rate) < 0.0051 and abs(float(b) - error) < 0.0051 for a, b in cells
        ), item
    parts = {row.part for row in result} - {MAIN}
    for part in parts:
        section = text.split(f"\n## {part[0].upper()}{part[1:]}\n")[1].split("\n## ")[0]
        for row in (row for row in result if row.part == part):
            for quantity in ("false_05", "covers"):
                rate = getattr(row, quantity)
                if not math.isnan(rate):
                    shown_as = f"{100 * rate:.2f} ± {100 * row.error(quantity):.2f}"
                    assert re.search(
                        rf"^\| {re.escape(row.test)} \|.*{re.escape(shown_as)}",
                        section,
                        re.MULTILINE,
                    ), (row, quantity)


@pytest.mark.slow
def test_committed_files_agree() -> None:
    agree(COMMITTED)


def test_committed_run_is_a_long_one() -> None:
    study = read_study(COMMITTED / "calibration.json")
    assert study.real
    one_in = {part.name: part.one_in for part in PARTS}
    for cell in study.cells:
        for test in {str(count["test"]) for count in cell.counts}:
            whole = sum(count["replications"] for count in cell.counts if count["test"] == test)
            assert whole * one_in.get(cell.part, 1) == study.replications >= 20_000
    requested = {part.name: set(part.sizes) for part in PARTS}
    for part in (MAIN, *requested):
        sizes = {cell.n for cell in study.cells if cell.part == part}
        more = {400} if part == "one mean" else set()
        assert sizes == (requested.get(part) or {10, 25, 50, 100, 250} | more), part
