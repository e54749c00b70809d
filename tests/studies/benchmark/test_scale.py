"""The study of large runs: its data, its numbers, its page."""

from __future__ import annotations

import json
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from abrank.studies.benchmark import scale, scale_page
from abrank.studies.benchmark.scale_row import ScaleRow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return scale.make(120, tmp_path_factory.mktemp("inputs"))


def test_the_data_are_the_same_again_and_no_document_stands_twice(folder, tmp_path):
    again = scale.make(120, tmp_path)
    for name in ("qrels", "a", "b"):
        table = pq.read_table(folder / f"{name}.parquet")
        assert table.equals(pq.read_table(again / f"{name}.parquet"))
        pairs = zip(table.column(0).to_pylist(), table.column(1).to_pylist(), strict=True)
        assert len(set(pairs)) == table.num_rows


def test_one_run_and_its_page(folder, tmp_path, capsys):
    asked = ["--queries", "120", "--engines", "local", "--inputs", str(folder.parent)]
    assert scale.main([*asked, "--output", str(tmp_path)]) == 0
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
    kept = tmp_path / "kept"
    scale.run_one("local", folder, tmp_path / "results.json", kept)
    scale._require_in_memory(folder, kept)
    path = kept / "part-00000.parquet"
    table = pq.read_table(path)
    values = table.column("value").to_pylist()
    values[5] += 1e-9
    pq.write_table(table.set_column(3, "value", [values]), path)
    with pytest.raises(RuntimeError, match="is not that of memory"):
        scale._require_in_memory(folder, kept)
