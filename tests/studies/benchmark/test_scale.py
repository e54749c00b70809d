"""The study of large runs: its data, its numbers, its page."""

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from reports.studies.benchmark import scale, scale_page, writing
from reports.studies.benchmark.scale_row import ScaleRow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return scale.make(120, tmp_path_factory.mktemp("inputs"))


@pytest.mark.slow
def test_one_run_and_its_page(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(writing, "work_of_two", lambda: 1.9)
    requested = ["--busy", "--queries", "120", "--engines", "local", "--inputs", str(folder.parent)]
    assert scale.main([*requested, "--output", str(tmp_path)]) == 0
    saved = json.loads((tmp_path / "scale.json").read_text())
    (row,) = saved["rows"]
    assert (row["engine"], row["rows"]) == ("local", 24_000)
    assert 0 < row["scoring"] < row["whole"]
    assert saved["apart"] == {"24000": 0.0}
    assert "| 24,000 | local |" in (tmp_path / "scale.md").read_text()

    # Another size is added; the same one is measured anew.
    larger = replace(ScaleRow(**row), rows=48_000, scoring=2.0)
    scale_page.add(tmp_path, [larger], 0.0)
    scale_page.add(tmp_path, [replace(larger, scoring=3.0)], 1e-15)
    page = (tmp_path / "scale.md").read_text()
    assert page.count("| local |") == 2
    assert "| 48,000 | local | 0.02 | 3.0 |" in page
    assert "at most 0 (24,000 rows), 1e-15 (48,000 rows)" in page
    assert (tmp_path / "scale.png").stat().st_size > 5_000


def test_a_score_that_differs_stops_the_study(folder, tmp_path):
    text = tmp_path / "kept"
    scale.run_one("local", folder, tmp_path / "results.json", text)
    scale._require_in_memory(folder, text)
    path = text / "part-00000.parquet"
    table = pq.read_table(path)
    values = table.column("value").to_pylist()
    values[5] += 1e-9
    pq.write_table(table.set_column(3, "value", [values]), path)
    with pytest.raises(RuntimeError, match="is not that of memory"):
        scale._require_in_memory(folder, text)


def test_one_engine_alone_tells_what_it_took(folder, tmp_path, capsys):
    requested = ["--one", "local", "--inputs", str(folder), "--kept", str(tmp_path / "kept")]
    assert scale.main([*requested, "--output", str(tmp_path / "results.json")]) == 0
    loads = json.loads(capsys.readouterr().out)
    assert loads["rows"] == 24_000
    assert 0 < loads["scoring"] < loads["whole"]
    assert json.loads((tmp_path / "results.json").read_text())["verdict"]
