"""Archives: every stream is checked, and none grows without bound."""

import datetime
import gzip
import io
import lzma
import pickle
import random
import sys
import tarfile
import zipfile

import pytest

from abrank import ReadError, read_qrels, read_run, read_scores
from abrank.inputs import read_judged_run
from abrank.inputs.topics import read_segments
from abrank.inputs.votes import read_votes
from tests.inputs.conftest import PACKERS, ended_with, zstd

LINES = b"".join(b"%d Q0 d%d %d %d.5 tag\n" % (i // 10, i, i % 10, 99 - i) for i in range(100))


@pytest.mark.every_case
@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("damage", ["changed", "cut", "garbage", "short garbage"])
def test_the_second_stream_is_checked_as_the_first(tmp_path, kind, damage) -> None:
    first, two = PACKERS[kind](LINES[:1000]), PACKERS[kind](LINES[1000:])
    stored = {
        "changed": first + two[:3] + b"\xff" + two[4:], "cut": first + two[:-5],
        "garbage": first + two + b"garbage behind", "short garbage": first + two + b"g",
    }[damage]  # fmt: skip
    path = tmp_path / "a.run"
    path.write_bytes(stored)
    qrels = read_qrels([("0", "d1", 1)])
    for read in (read_run, lambda path: read_judged_run(qrels, path)):
        with pytest.raises(ReadError, match=f"the {kind} archive is cut short or damaged"):
            read(path)
    path.write_bytes(first + two)
    assert len(read_run(path)) == 100


def bombs():
    twice = b"1 Q0 d1 1 2.5 t\n"
    return {
        "zeros": lambda: zstd(bytes(400_000_000)),
        "blank lines": lambda: zstd(b"\n" * 400_000_000),
        "one line over and over": lambda: gzip.compress(twice * 3_000_000, 9),
        "the same, plain": lambda: twice * 2_000_000,
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", bombs())
def test_no_input_takes_all_memory(tmp_path, kind) -> None:
    (tmp_path / "bomb").write_bytes(bombs()[kind]())
    (tmp_path / "qrels").write_bytes(b"1 0 d1 1\n")
    code, kilobytes = ended_with(["-m", "abrank", "score", "qrels", "bomb"], folder=tmp_path)
    assert code == 3
    assert kilobytes < 700_000


def test_an_archive_that_is_not_unpacked_is_named(tmp_path) -> None:
    line = b"q1 Q0 d1 1 0.5 t\n"
    (tmp_path / "run.txt").write_bytes(line)
    (tmp_path / "run.xz").write_bytes(lzma.compress(line))
    with zipfile.ZipFile(tmp_path / "run.zip", "w") as packed:
        packed.writestr("a.run", line)
        packed.writestr("b.run", line)
    with tarfile.open(tmp_path / "run.tar", "w") as tar:
        tar.add(tmp_path / "run.txt", "run.txt")
    for name, kind in (("run.xz", "an xz"), ("run.zip", "a zip"), ("run.tar", "a tar")):
        with pytest.raises(ReadError, match=f"(?s)is {kind} archive, which is not read.*unpack it"):
            read_run(tmp_path / name)


def zipped(content: bytes, *, name: str = "a.txt") -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, content)
        packed.writestr(f"__MACOSX/._{name}", "what macOS adds")
    return held.getvalue()


def test_a_zip_of_one_file_is_read_as_that_file(tmp_path) -> None:
    path = tmp_path / "a.run.zip"
    path.write_bytes(zipped(LINES))
    assert len(read_run(path)) == 100
    with pytest.raises(ReadError, match="the zip archive unpacks to more than 1000 bytes"):
        read_run(path, max_input_size=1000)
    with pytest.raises(ReadError, match="holds more than 100 bytes"):  # packed, not held whole
        read_run(path, max_input_size=100)
    damaged = bytearray(zipped(LINES))
    damaged[200] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ReadError, match="the zip archive is cut short or damaged"):
        read_run(path)
    path.write_bytes(zipped(b"PAR1" + bytes(40)))
    with pytest.raises(ReadError, match="is a Parquet file"):
        read_run(path)


def test_the_table_of_a_workbook_is_read_as_its_csv(tmp_path, monkeypatch) -> None:
    book = pytest.importorskip("openpyxl").Workbook()
    days = [datetime.datetime(2026, 5, 1), datetime.datetime(2026, 5, 2)]
    rows = [[f"q{i}", day, 0.25 + i / 8, None] for i in range(4) for day in days]
    for row in [["Experiment"], [], ["query_id", "variant", "ndcg@10", "remark"], *rows]:
        book.active.append(row)
    book.create_sheet("empty")
    book.create_sheet("hidden").append(["cells"])
    book["hidden"].sheet_state = "hidden"
    book.save(tmp_path / "a.xlsx")
    scores = read_scores(tmp_path / "a.xlsx")
    assert scores.systems == ("2026-05-01", "2026-05-02")
    assert scores.values[:, 0, 0].tolist() == [0.25, 0.375, 0.5, 0.625]
    assert any(note.endswith("above the names of its columns: Experiment") for note in scores.notes)
    book.create_sheet("notes").append(["query_id", "of whom 2 saw", 3])
    book["notes"].append(["score", "by hand"])
    book.create_sheet("second").append(["query_id", "score"])
    book.save(tmp_path / "a.xlsx")
    assert read_scores(tmp_path / "a.xlsx").values.shape == (4, 2, 1)
    book["second"].append(["q1", 0.5])
    book["second"].append(["q2", 0.5])
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(ReadError, match=r"2 sheets that hold cells \(Sheet, second\)"):
        read_scores(tmp_path / "a.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ReadError, match=r"(?s)is an Excel workbook.*pip install openpyxl"):
        read_scores(tmp_path / "a.xlsx")


def workbook() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as packed:
        packed.writestr("[Content_Types].xml", "<Types/>")
    return held.getvalue()


BINARY = {
    "a program": (b"\x7fELF\2\1\1" + bytes(40), "is a program, which is not read"),
    "an image": (b"\x89PNG\r\n\x1a\n\n\n\n", "is an image, which is not read"),
    "a PDF": (b"%PDF-1.7\n1 0 obj\n<< >>\n", "is a PDF, which is not read"),
    "a pickle": (pickle.dumps({"q1": {"d1": 1.0}}), "is a pickle.*CSV, JSON or Parquet"),
    "a workbook": (workbook(), "is an Excel workbook.*CSV, JSON or Parquet"),
    "Parquet in gzip": (gzip.compress(b"PAR1" + bytes(40)), "is a Parquet file.*not packed"),
    "UTF-16, cut": ("q1 Q0 d1 1 0.5 t\n".encode("utf-16")[:-1], "looks like UTF-16.*UTF-8"),
    "anything": (random.Random(1).randbytes(5000), "is no text file: it holds bytes"),
}


@pytest.mark.every_case
@pytest.mark.parametrize("kind", BINARY)
def test_a_file_that_is_no_text_is_one_sentence(kind, tmp_path) -> None:
    content, problem = BINARY[kind]
    path = tmp_path / "a.bin"
    path.write_bytes(content)
    for read in (read_run, read_qrels, read_scores, read_segments, read_votes):
        with pytest.raises(ReadError, match=f"(?s){problem}") as caught:
            read(path)
        assert str(caught.value).count("\n") <= 1
