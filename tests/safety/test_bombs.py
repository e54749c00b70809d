"""Small archives that hold as much as they may take little memory, whatever form is in them.

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

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from abrank import ReadError, read_qrels, read_scores
from abrank.inputs import archives
from abrank.inputs.archives import MOST_GROWTH, MOST_HELD, MOST_OBJECTS, MOST_TABLE, most_unpacked
from tests.inputs.conftest import ended_with

PACKED = 5 << 20
MOST_MEMORY = 700_000  # kB
DOCUMENTS = 1000  # of a query


def lines(line: str) -> Callable[[], Iterator[str]]:
    """Return what yields a line over and over, by its number, query and document."""
    return lambda: (line.format(i=i, q=i // DOCUMENTS, d=i % DOCUMENTS, g=i % 3) for i in count())


def rankings(end: str) -> Iterator[str]:
    for query in count():
        documents = ",".join(f'"{d}":{d}' for d in range(DOCUMENTS))
        yield f'{"," * (query > 0)}"{query}":{{{documents}}}{end}'


# What reads it, the bound of its growth, its first line, its lines, its end.
RUN, QRELS, SCORES = (
    "read_judged_run(read_qrels([('0', '1', 1)]), path)",
    "read_qrels(path)",
    ("read_scores(path)"),
)
FORMS = {
    "run": (RUN, MOST_GROWTH, "", lines("{q} 0 {d} 1 {d} t\n"), ""),
    "run with a comment": (RUN, MOST_HELD, "# read whole\n", lines("{q} 0 {d} 1 {d} t\n"), ""),
    "run of three columns": (RUN, MOST_HELD, "", lines("{q} {d} {d}\n"), ""),
    "run, CSV": (RUN, MOST_HELD, "qid,pid,score\n", lines("{q},{d},{d}\n"), ""),
    "run, CSV with quotes": (RUN, MOST_HELD, "qid,pid,score\n", lines('{q},"{d},",{d}\n'), ""),
    "run, JSON": (RUN, MOST_HELD, "{", lambda: rankings(""), "}"),
    "run, JSON lines": (
        RUN, MOST_HELD, "", lines('{{"qid":"{q}","pid":"{d}","score":{d}}}\n'), ""
    ),
    "judgments": (QRELS, MOST_HELD, "", lines("{q} 0 {d} {g}\n"), ""),
    "judgments, CSV": (QRELS, MOST_HELD, "qid,pid,rel\n", lines("{q},{d},{g}\n"), ""),
    "judgments, JSON": (QRELS, MOST_HELD, "{", lambda: rankings(""), "}"),
    "judgments, LETOR": (QRELS, MOST_HELD, "", lines("{g} qid:{q}\n"), ""),
    "judgments by subtopic": (
        "read_qrels(path, subtopics=True)", MOST_HELD, "", lines("{q} {g} {d} {g}\n"), ""
    ),
    "scores, trec_eval": (SCORES, MOST_OBJECTS, "", lines("map {i} 0.{g}\n"), ""),
    "scores, line by line": (SCORES, MOST_OBJECTS, "", lines("map {i} .{g}\n"), ""),
    "scores, CSV": (SCORES, MOST_OBJECTS, "qid,map\n", lines("{i},.{g}\n"), ""),
    "scores, JSON lines": (SCORES, MOST_OBJECTS, "", lines('{{"qid":{i},"map":0.{g}}}\n'), ""),
    "topics": ("read_topics(path)", MOST_OBJECTS, "", lines("{i}\tt\n"), ""),
    "segments": ("read_segments(path)", MOST_OBJECTS, "qid,s\n", lines("{i},{g}\n"), ""),
    "votes": ("read_votes(path)", MOST_OBJECTS, "query_id,winner\n", lines("q{i:06},A\n"), ""),
}  # fmt: skip


def text_of(first: str, parts: Iterator[str], end: str, size: int) -> bytes:
    text = io.BytesIO()
    text.write(first.encode())
    while text.tell() < size - (1 << 14):  # longer than any part
        text.write(next(parts).encode())
    text.write(end.encode())
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
        "from abrank import read_qrels, read_scores, read_run\n"
        "from abrank.inputs import read_judged_run\n"
        "from abrank.inputs.topics import read_segments, read_topics\n"
        "from abrank.inputs.votes import read_votes\n"
        f"path = {str(path)!r}\n{reader}\n"
    )
    return ended_with(["-c", code], folder=folder)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_an_archive_that_holds_as_much_as_it_may(form: str, tmp_path: Path) -> None:
    reader, growth, first, parts, end = FORMS[form]
    text = text_of(first, parts(), end, min(most_unpacked(PACKED, growth), 256 << 20))
    path = tmp_path / "bomb.gz"
    path.write_bytes(filled(gzip.compress(text, 9), PACKED))
    del text
    ended, kilobytes = memory_of(tmp_path, path, reader)
    print(f"{form}: {kilobytes / 976.5625:.0f} MB")
    assert ended == 0
    assert kilobytes < MOST_MEMORY


@pytest.mark.slow
@pytest.mark.parametrize("form", ["Parquet", "Feather"])
@pytest.mark.parametrize("reader", [RUN, QRELS, SCORES])
def test_a_table_that_holds_as_much_as_it_may(form: str, reader: str, tmp_path: Path) -> None:
    n, of_scores = most_unpacked(PACKED, MOST_TABLE) // 24, reader is SCORES
    number = pa.array((i % 3 for i in range(n)), pa.int64())
    query = pa.array((f"{i if of_scores else i // DOCUMENTS}" for i in range(n)), pa.string())
    doc = pa.array((f"{i % DOCUMENTS}" for i in range(n)), pa.string())
    columns = {"query_id": query, "map": number} if of_scores else {
        "query_id": query, "doc_id": doc, ("score" if reader is RUN else "relevance"): number,
    }  # fmt: skip
    table, path = pa.table(columns), tmp_path / "bomb"
    # What packs to less is filled up by a column that nobody reads; it counts as held, too.
    if form == "Parquet":
        pq.write_table(table, path, compression="zstd")
    else:
        pyarrow.feather.write_feather(table, path, compression="zstd")
    del table, columns, query, doc, number
    ended, kilobytes = memory_of(tmp_path, path, reader)
    print(f"{form}, {reader}: {kilobytes / 976.5625:.0f} MB")
    assert kilobytes < MOST_MEMORY
    assert ended in (0, 1)  # read, or refused


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
