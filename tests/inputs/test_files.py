"""Opening files: packed or not, there or not."""

import gzip
import hashlib
import io
import sys
from pathlib import Path

import pytest

from abrank import NotFoundError, ReadError, read_run
from abrank.inputs import files, looks_like_qrels
from abrank.inputs.columns import RUN
from abrank.inputs.files import likeness
from abrank.inputs.storage import Stored
from tests.inputs.conftest import PACKERS

LINES = b"".join(b"301 Q0 d%d %d %d.5 tag\n" % (i, i, 100 - i) for i in range(1, 60))


PLAIN_AND_PACKED = {"plain": bytes, **PACKERS}


@pytest.mark.every_case
@pytest.mark.parametrize("name", ["a.run", "a.gz", "a.bz2", "a.zst"])
@pytest.mark.parametrize("packer", PLAIN_AND_PACKED)
def test_packing_is_told_by_the_first_bytes_not_by_the_name(tmp_path, name, packer) -> None:
    stored = PLAIN_AND_PACKED[packer](LINES)
    (tmp_path / name).write_bytes(stored)
    read = files.read_columns(tmp_path / name, RUN)
    assert len(read.value) == 59
    assert read.source.sha256 == hashlib.sha256(stored).hexdigest()
    assert read.source.path == str(tmp_path / name)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(LINES))))
    run = read_run("-")
    assert (run.name, len(run), run.source.path) == ("stdin", 59, None)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"bad\n")))
    with pytest.raises(ReadError, match="stdin, line 1: expected 6 fields"):
        read_run("-")


def test_in_a_folder_that_cannot_be_listed_no_neighbour_is_named(tmp_path, monkeypatch) -> None:
    def refuse(self: Path) -> list[Path]:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "bm25.run").write_bytes(LINES)
    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(NotFoundError, match=r"bm52\.run: no such file$"):
        read_run(tmp_path / "bm52.run")


class Failing(io.FileIO):
    """A file on a disk that fails behind the first 20 bytes."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() >= 20:
            raise OSError(5, "Input/output error")
        return super().read(min(size or 20, 20))


@pytest.mark.parametrize("packer", PLAIN_AND_PACKED)
def test_a_disk_that_fails_while_a_file_is_read(tmp_path, monkeypatch, packer) -> None:
    (tmp_path / "a.run").write_bytes(PLAIN_AND_PACKED[packer](LINES))
    monkeypatch.setattr(Path, "open", lambda path, *_: Failing(path))
    with pytest.raises(ReadError, match=r"a\.run: cannot be read: input/output error"):
        read_run(tmp_path / "a.run")


def test_the_hash_is_that_of_the_whole_file_though_not_all_was_read() -> None:
    stored = Stored(io.BytesIO(LINES), "a.run")
    assert stored.peek(5) == stored.read(5) == LINES[:5]
    assert stored.sha256() == hashlib.sha256(LINES).hexdigest()


def test_a_missing_file_names_its_neighbour(tmp_path: Path) -> None:
    for name in ("bm25.run.gz", "unlike.qrels"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(
        NotFoundError, match=r"bm25\.run: no such file\n  did you mean bm25\.run\.gz"
    ):
        read_run(tmp_path / "bm25.run")
    with pytest.raises(NotFoundError, match=r"did you mean bm25\.run\.gz"):
        read_run(tmp_path / "bm52.run")
    with pytest.raises(NotFoundError) as caught:
        read_run(tmp_path / "zzzz.run")
    assert "did you mean" not in str(caught.value)
    assert isinstance(caught.value, FileNotFoundError)


def test_what_is_no_file_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    for source, error, text in (
        ("q1 Q0 d1 1 0.5 x\n" * 1000, ReadError, r"^q1 Q0 d1 1 0\.5 x…: is text of several lines"),
        (tmp_path / "nowhere" / "a.run", NotFoundError, "nor a folder"),
        (tmp_path, ReadError, "is a folder, not a file"),
        ("-", ReadError, "stdin: is closed\n  pipe a file into it"),
    ):
        with pytest.raises(error, match=text):
            read_run(source)


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, mode: str) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ReadError, match=r"a\.run: cannot be read: permission denied"):
        read_run(tmp_path / "a.run")


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"1 0 d 1\n", True), (gzip.compress(b"\xef\xbb\xbf# note\n\n1 0 d 1", mtime=0), True),
        (LINES, False), (b"", False), (b"# only a note\n", False),
        (b"query_id,doc_id,relevance\n1,d,1\n", True), (b"query_id,doc_id,score\n1,d,1\n", False),
        (b"2 qid:10 1:0.5\n", True), (b'{"1": {"d": 1}}', False),
    ],
)  # fmt: skip
def test_kinds_are_told_by_the_first_line(tmp_path: Path, data: bytes, expected: bool) -> None:
    (tmp_path / "a").write_bytes(data)
    assert looks_like_qrels(tmp_path / "a") is expected


def test_looking_at_standard_input_leaves_it_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(LINES))
    monkeypatch.setattr(sys, "stdin", stream)
    assert looks_like_qrels("-") is False
    assert stream.buffer.read() == LINES


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/b/bm25.run", "bm25"), ("bm25.txt.gz", "bm25"), ("qrels.robust.TXT", "qrels.robust"),
        ("input.Sel50", "input.Sel50"), (".run", ".run"), ("v1.2", "v1.2"),
    ],
)  # fmt: skip
def test_names_of_files(path: str, name: str) -> None:
    assert files.short_name(path) == name


def test_a_line_that_is_too_long_is_refused_in_every_form_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    for line in (b"q1 Q0 " + b"x" * (2 << 20), b"1 qid:1 1:" + b"9" * (2 << 20)):
        path.write_bytes(line)
        with pytest.raises(ReadError, match="a line is longer than 1 MB"):
            read_run(path)
    path.write_bytes(b"q1 Q0 " + b"x" * 5000 + b"\0" * (2 << 20))
    with pytest.raises(ReadError, match="and holds NUL bytes: this is not a text file"):
        read_run(path)


@pytest.mark.every_case
@pytest.mark.parametrize(("start", "found"), [
    (b"301 Q0 d1 1 2.5 x\n302 Q0 d2", "a TREC run"),
    (b"# by hand\n301\t0\td1\t1\n", "TREC judgments"),
    (b"301 d1 2.5\n", "a run of three columns"),
    (b"301 d1 2.5\n302 Q0 d1 1 2.5 x\n301 d1 2.5\n", ""),
    (b"2 qid:1 1:0.5\n", "LETOR lines"),
    (b'{"q1": {"d1": 1}}', "JSON"),
    (b"query_id\tdoc_id\tscore\n", "a table of text"),
    (b"PAR1\x15", "a file of Parquet"),
    (b"ARROW1\0\0", "a file of Feather"),
    (b"\x04\x22\x4d\x18", "a file of ranx"),
    (b"<!DOCTYPE html>\n<html>\n", "a page of HTML"),
    (b"\x89PNG\r\n\x1a\n", ""),
    (b"", ""),
])  # fmt: skip
def test_the_likeness_of_a_file(start: bytes, found: str) -> None:
    assert likeness(start) == found
