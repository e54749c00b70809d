"""Small archives of votes, segments and scores that hold as much as they may take little memory.

Each archive has ``PACKED`` bytes, filled up where its text packs to less, and holds just under the
bound of its form; lines are as short as the form lets them be, and so as many.
"""

from __future__ import annotations

import gzip
import io
import json
import struct
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from abrank import ReadError, read_qrels, read_scores
from abrank.inputs import archives
from abrank.inputs.archives import MOST_OBJECTS, most_unpacked
from tests.inputs.conftest import ended_with

PACKED = 4 << 20
MOST_MEMORY = 700_000  # kB


def lines(line: str) -> Callable[[], Iterator[str]]:
    """Return what yields a line over and over, by its number."""
    return lambda: (line.format(i=i, g=i % 3) for i in count())


# What reads it, its first line, its lines.
FORMS = {
    "scores, line by line": ("read_scores(path)", "", lines("map {i} .{g}\n")),
    "segments": ("read_segments(path)", "qid,s\n", lines("{i},{g}\n")),
    "votes": ("read_votes(path)", "query_id,winner\n", lines("q{i:06},A\n")),
}


def text_of(first: str, parts: Iterator[str], size: int) -> bytes:
    text = io.BytesIO()
    text.write(first.encode())
    while text.tell() < size - (1 << 14):  # longer than any part
        text.write(next(parts).encode())
    return text.getvalue()


def filled(packed: bytes, size: int) -> bytes:
    """Return a gzip file with empty members behind it, whose headers hold what nobody reads."""
    parts, n_bytes = [packed], len(packed)
    empty = b"\1\0\0\xff\xff" + bytes(8)  # a last block of no bytes, its checksum, its size
    while n_bytes < size:
        extra = bytes(min(65_535, size - n_bytes))
        parts.append(b"\x1f\x8b\x08\x04" + bytes(6) + struct.pack("<H", len(extra)) + extra + empty)
        n_bytes += len(parts[-1])
    return b"".join(parts)


def memory_of(folder: Path, path: Path, reader: str) -> tuple[int, int]:
    code = (
        "from abrank import read_scores\n"
        "from abrank.inputs.topics import read_segments\n"
        "from abrank.inputs.votes import read_votes\n"
        f"path = {str(path)!r}\n{reader}\n"
    )
    return ended_with(["-c", code], folder=folder)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_an_archive_that_holds_as_much_as_it_may(form: str, tmp_path: Path) -> None:
    reader, first, parts = FORMS[form]
    text = text_of(first, parts(), most_unpacked(PACKED, MOST_OBJECTS))
    path = tmp_path / "bomb.gz"
    path.write_bytes(filled(gzip.compress(text, 1), PACKED))
    del text
    ended, kilobytes = memory_of(tmp_path, path, reader)
    print(f"{form}: {kilobytes / 976.5625:.0f} MB")
    assert ended == 0
    assert kilobytes < MOST_MEMORY


@pytest.mark.parametrize("reader", [read_scores, read_qrels])
def test_what_is_no_run_may_grow_less_and_is_read_once_it_is_unpacked(
    reader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "_SMALL", 1 << 12)
    monkeypatch.setattr(archives, "_SMALL_OBJECTS", 1 << 12)
    line = "map q{} 0.5\n" if reader is read_scores else "q{} 0 d 1\n"
    text = "".join(line.format(i) for i in range(1000)).encode()
    packed = filled(gzip.compress(text), len(text) // 5)
    path = tmp_path / "few"
    path.write_bytes(packed)
    if reader is read_qrels:
        assert len(reader(path)) == 1000  # it may grow twelve times
        return
    with pytest.raises(ReadError, match="more than 3 times its size") as caught:
        reader(path)
    assert "unpack it: a file that is not packed may have any size" in str(caught.value)
    assert "--max-input-size" not in str(caught.value)  # which is of runs and judgments
    path.write_bytes(text)
    assert len(reader(path).query_ids) == 1000


def test_the_filling_changes_nothing_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / "q.gz"
    path.write_bytes(filled(gzip.compress(json.dumps({"q": {"d": 1}}).encode()), 200_000))
    assert path.stat().st_size >= 200_000
    assert read_qrels(path).grades("q") == {"d": 1}
