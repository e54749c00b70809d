"""What a folder of kept scores holds is taken up by the same job alone, and only as it was written.

Expected numbers are those of the same files in memory.
"""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import abrank
from abrank._support.errors import ArgumentError, ReadError, WriteError
from abrank._support.files import locked
from abrank.engines import Engine, drive, job
from tests.safety.damaged_parquet import QRELS, reciprocal_ranks, write_run

ROOT = Path(__file__).parents[2]


def scores(folder: Path, *systems: str, rows: int = 40, kept: str = "kept") -> abrank.Scores:
    engine = Engine(rows=rows, keep_scores=str(folder / kept))
    runs = {system: folder / f"{system}.parquet" for system in systems}
    return abrank.evaluate(QRELS, runs, ["RR"], engine=engine)


def require_right(found: abrank.Scores, folder: Path) -> None:
    """Compare with a scorer that shares no code with the one under test."""
    for system in found.systems:
        expected = reciprocal_ranks(pd.read_parquet(folder / f"{system}.parquet"))
        assert dict(zip(found.query_ids, found.of(system)[:, 0], strict=True)) == expected


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs ``a b c``, their rows in any order, so that they are regrouped."""
    for seed, name in enumerate("abc"):
        write_run(tmp_path / f"{name}.parquet", seed=seed)
    return tmp_path


def stopped_after(n_scored: int, monkeypatch: pytest.MonkeyPatch, *asked, **options) -> None:
    """Interrupt a job once it has scored so many partitions."""
    scored, score = [], drive.score_partition

    def failing(*about):
        if len(scored) == n_scored:
            raise KeyboardInterrupt
        scored.append(about)
        return score(*about)

    with monkeypatch.context() as patch:
        patch.setattr("os.cpu_count", lambda: 1)
        patch.setattr(drive, "score_partition", failing)
        with pytest.raises(KeyboardInterrupt):
            scores(*asked, **options)


def left_of(folder: Path) -> list[Path]:
    """Return the rows that a job regrouped and has not cleared away."""
    return [*(folder / "kept").rglob("*.arrow.*")]


@pytest.mark.slow
@pytest.mark.parametrize("after", [0, 2])
def test_rows_that_another_job_regrouped_are_not_taken_up(folder, monkeypatch, after):
    stopped_after(after, monkeypatch, folder, "a", "b")
    assert left_of(folder)
    require_right(scores(folder, "c", "b"), folder)
    assert not left_of(folder)


def test_a_mended_file_is_read_anew(folder):
    good = (folder / "a.parquet").read_bytes()
    frame = pd.read_parquet(folder / "a.parquet")
    frame.loc[7, "score"] = np.nan
    frame.to_parquet(folder / "a.parquet", index=False, row_group_size=30)
    with pytest.raises(ReadError, match="row 7: score is missing"):
        scores(folder, "a", "b")
    (folder / "a.parquet").write_bytes(good)
    require_right(scores(folder, "a", "b"), folder)


def test_a_file_of_the_same_size_and_time_is_another_file(folder, monkeypatch):
    path = folder / "a.parquet"
    table = pq.read_table(path)
    options = {"compression": "none", "use_dictionary": False, "row_group_size": 30}
    pq.write_table(table, path, **options)
    before = path.stat()
    stopped_after(2, monkeypatch, folder, "a")
    backwards = pa.array(table["score"].to_pylist()[::-1])
    pq.write_table(table.set_column(2, "score", backwards), path, **options)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    require_right(scores(folder, "a"), folder)


@pytest.mark.slow
@pytest.mark.parametrize("sort", [True, False])
def test_partitions_of_another_size_are_other_partitions(folder, monkeypatch, sort):
    if sort:
        for name in "ab":
            write_run(folder / f"{name}.parquet", seed=1, shuffled=False)
    stopped_after(1, monkeypatch, folder, "a", "b", rows=40)
    require_right(scores(folder, "a", "b", rows=90), folder)
    with pytest.raises(ArgumentError, match="holds the scores of other inputs, measures or opt"):
        scores(folder, "a", "b", rows=40)


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_part_is_written_anew(folder, damage):
    require_right(scores(folder, "a", "b"), folder)
    part = folder / "kept" / "part-00001.parquet"
    if damage == "cut":
        part.write_bytes(part.read_bytes()[:-30])
    else:  # a number of what it says of itself
        table = pq.read_table(part)
        metadata = dict(table.schema.metadata)
        loads = json.loads(metadata[b"abrank"])
        metadata[b"abrank"] = json.dumps({**loads, "n_queries": loads["n_queries"] - 1}).encode()
        pq.write_table(table.replace_schema_metadata(metadata), part)
    with pytest.raises(ReadError, match=r"part-00001\.parquet"):
        abrank.read_scores(folder / "kept")
    require_right(scores(folder, "a", "b"), folder)
    assert len(abrank.read_scores(folder / "kept").query_ids) == len(QRELS)


@pytest.mark.slow
def test_damaged_rows_that_were_regrouped_are_regrouped_anew(folder, monkeypatch):
    stopped_after(0, monkeypatch, folder, "a", "b")
    (damaged, *_) = sorted((folder / "kept" / "_regrouped").rglob("*.arrow"))
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 255
    damaged.write_bytes(content)
    require_right(scores(folder, "a", "b"), folder)
    assert not left_of(folder)


def test_scores_of_a_job_that_did_not_end_are_not_read(folder, monkeypatch):
    stopped_after(2, monkeypatch, folder, "a", "b")
    with pytest.raises(ReadError, match="the job that writes these scores has not ended"):
        abrank.read_scores(folder / "kept")


@pytest.mark.slow
def test_two_jobs_in_one_folder(folder):
    text = folder / "kept"
    text.mkdir()
    with (
        locked(text / "_lock", "busy"),
        pytest.raises(WriteError, match="another job is at work there"),
    ):
        scores(folder, "a")
    require_right(scores(folder, "a"), folder)  # it let go, as a killed process does


def test_a_link_in_the_folder_is_refused(folder):
    (folder / "kept").mkdir()
    (folder / "kept" / "_regrouped").symlink_to(folder)
    before = sorted(folder.iterdir())
    with pytest.raises(WriteError, match="_regrouped: is a symbolic link"):
        scores(folder, "a")
    assert sorted(folder.iterdir()) == before


def test_a_folder_with_inputs_or_files_of_others_is_refused(folder):
    before = (folder / "a.parquet").read_bytes()
    with pytest.raises(ArgumentError, match=r"holds a\.parquet, an input"):
        scores(folder, "a", kept=".")
    shutil.copytree(ROOT / "tests" / "safety", folder / "other", ignore=lambda *_: [])
    pq.write_table(pa.table({"x": [1]}), folder / "other" / "part-77777.parquet")
    with pytest.raises(ArgumentError, match=r"part-77777\.parquet: was not written by abrank"):
        scores(folder, "a", kept="other")
    assert (folder / "a.parquet").read_bytes() == before
    assert (folder / "other" / "part-77777.parquet").exists()


def test_parts_have_checksums(folder):
    scores(folder, "a")
    part = folder / "kept" / "part-00000.parquet"
    column = pq.ParquetFile(part).metadata.row_group(0).column(3)
    start = column.dictionary_page_offset or column.data_page_offset
    content = bytearray(part.read_bytes())
    content[start + column.total_compressed_size - 3] ^= 1
    part.write_bytes(content)
    with pytest.raises(OSError, match=r"(?i)crc"):
        pq.read_table(part, page_checksum_verification=True)


def test_what_cannot_be_written_is_named(folder, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "Error writing bytes to file. Detail: [errno 28] No space left on device")

    write = job.pq.write_table
    monkeypatch.setattr(job.pq, "write_table", lambda table, path, **options: (
        full() if "part-" in str(path) else write(table, path, **options)
    ))  # fmt: skip
    with pytest.raises(WriteError, match=r"part-0000\d\.parquet: cannot be written: no space left"):
        scores(folder, "a")


def test_success_tells_of_the_job(folder):
    scores(folder, "a")
    loads = json.loads((folder / "kept" / "_SUCCESS").read_text())
    assert (loads["queries"], len(loads["stamp"])) == (40, 64)
