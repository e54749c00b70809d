"""The study of growth: its tables, its slopes, its page."""

import json

import pytest

from reports.studies.benchmark import growth, writing
from reports.studies.benchmark.growth import Point


def test_slopes_are_those_of_the_largest_sizes() -> None:
    points = [Point("compare", 10**i, 3.0 * 10 ** max(i, 2), 5.0) for i in range(5)]
    assert growth.slope(points, lambda point: point.cpu) == pytest.approx(1.0)
    assert growth.slope(points, lambda point: point.memory) == 0.0


def test_what_is_far_away_is_said_to_be_computed() -> None:
    points = [Point("compare", 10**6, 3.0, 500.0), Point("compare", 10**7, 30.0, 5000.0)]
    points += [Point("rank", 10, 1.0, 100.0), Point("rank", 100, 100.0, 100.0)]
    text = growth.page(points, "A machine.")
    # A hundred times ten million, in proportion: 3,000 s and 500 GB.
    assert "computed from the last point and its slope, not run: 50 minutes of one core" in text
    assert "500 GB" in text
    assert "**rank**: slope of time 2.00, of memory 0.00" in text


@pytest.mark.slow
def test_the_command_writes_table_and_figure(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(writing, "work_of_two", lambda: 1.9)
    requested = ["--busy", "--queries", "10", "100", "--systems", "2", "3", "--rounds", "1"]
    folders = ["--inputs", str(tmp_path / "in"), "--output", str(tmp_path)]
    assert growth.main([*requested, *folders]) == 0
    saved = json.loads((tmp_path / "growth.json").read_text())
    assert [(point["work"], point["size"]) for point in saved["points"]] == [
        ("compare", 10), ("compare", 100), ("rank", 2), ("rank", 3),
    ]  # fmt: skip
    assert all(point["cpu"] > 0 and point["memory"] > 20 for point in saved["points"])
    assert {path.name for path in tmp_path.glob("growth.*")} == {
        "growth.json", "growth.md", "growth.svg", "growth.png",
    }  # fmt: skip
