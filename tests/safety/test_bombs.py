"""Small archives that hold as much as they may take little memory.

Each archive has ``PACKED`` bytes, filled up where its text packs to less, and holds just under the
bound of its form; lines are as short as the form lets them be, and so as many.
"""

from __future__ import annotations

import gzip
import json
import struct
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from abrank import ReadError, read_qrels, read_scores
from abrank.inputs import archives, arrow, read_judged_run
from abrank.inputs.archives import CELL, MOST_HELD, most_unpacked
from abrank.inputs.votes import read_votes
from tests.inputs.conftest import ended_with

PACKED = 8 << 20
MOST_MEMORY = 700_000  # kB
MOST_CELLS = most_unpacked(PACKED, MOST_HELD) // CELL
AT_ONCE = 1 << 17  # lines

# What reads it, its first line, a line by its number, and how many there may be.
FORMS = {
    "judgments": ("read_qrels(path)", "", "{i} 0 1 1\n", MOST_CELLS),
    "judgments by subtopic": (
        "read_qrels(path, subtopics=True)", "", "{i} {i} {i} 1\n", MOST_CELLS // 3,
    ),
    "a run that is not plain": (
        "read_run(path)", "# a comment\n", "{i} 0 {i} 1 {i} t{i}\n", MOST_CELLS // 2,
    ),
    "a run of many tags": (
        "read_judged_run(read_qrels([('1', '1', 1)]), path)", "", "1 0 {i} 1 1 t{i}\n",
        MOST_CELLS // 3,
    ),
    "scores, line by line": ("read_scores(path)", "", "map {i} .5\n", MOST_CELLS // 2),
    "segments": ("read_segments(path)", "qid,s\n", "{i},{i}\n", MOST_CELLS // 2),
    "votes": ("read_votes(path)", "query_id,winner\n", "{i},A\n", MOST_CELLS // 2),
    "impressions": (
        "read_votes(path)", "query_id,user,credit_a,credit_b\n", "{i},{i},1,0\n", MOST_CELLS // 4,
    ),
}  # fmt: skip


def packed_text(first: str, line: str, n: int) -> bytes:
    """Return a gzip file whose text is never ahead of the bound, a member for each of its parts."""
    parts, n_bytes = [gzip.compress(first.encode())], 0
    for start in range(0, n, AT_ONCE):
        numbers = range(start, min(start + AT_ONCE, n))
        text = "".join(line.format(i=i) for i in numbers).encode()
        size = -(-PACKED * numbers.stop // n) - n_bytes
        parts.append(filled(gzip.compress(text, 1), size))
        n_bytes += len(parts[-1])
    return b"".join(parts)


def filled(packed: bytes, size: int) -> bytes:
    """Return a gzip file with empty members behind it, whose headers hold what nobody reads."""
    parts, n_bytes = [packed], len(packed)
    empty = b"\1\0\0\xff\xff" + bytes(8)  # a last block of no bytes, its checksum, its size
    while n_bytes < size:
        extra = bytes(min(65_535, size - n_bytes))
        parts.append(b"\x1f\x8b\x08\x04" + bytes(6) + struct.pack("<H", len(extra)) + extra + empty)
        n_bytes += len(parts[-1])
    return b"".join(parts)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_an_archive_that_holds_as_much_as_it_may(form: str, tmp_path: Path) -> None:
    reader, first, line, n = FORMS[form]
    path = tmp_path / "bomb.gz"
    path.write_bytes(packed_text(first, line, n - 2))
    code = (
        "from abrank import read_qrels, read_run, read_scores\n"
        "from abrank.inputs import read_judged_run\n"
        "from abrank.inputs.topics import read_segments\n"
        "from abrank.inputs.votes import read_votes\n"
        f"path = {str(path)!r}\n{reader}\n"
    )
    ended, kilobytes = ended_with(["-c", code], folder=tmp_path)
    print(f"{form}: {kilobytes / 976.5625:.0f} MB")
    assert ended == 0
    assert kilobytes < MOST_MEMORY


# A text, its reader, how many times its size the text may be, and what is said of more.
GROWN = {
    "judgments": ("q{} 0 d 1\n", read_qrels, 8, "holds 1,000 rows in .* bytes"),
    "scores": ("map q{} 0.5\n", read_scores, 8, "holds 2,000 cells in .* bytes"),
    "a table": ("q{},A\n", read_votes, 8, "holds 2,002 cells in .* bytes"),
    "JSON": ('{{"qid": "q{}", "AP": 0.5}}\n', read_scores, 4, "more than 2 times its size"),
}


@pytest.mark.parametrize("form", GROWN)
def test_what_is_held_may_grow_as_much_as_its_rows_take(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line, reader, growth, problem = GROWN[form]
    monkeypatch.setattr(archives, "CELL", 100)
    for bound in ("_SMALL", "_SMALL_OBJECTS", "LEAST"):
        monkeypatch.setattr(archives, bound, 1 << 12)
    first = "query_id,winner\n" if reader is read_votes else ""
    text = (first + "".join(line.format(i) for i in range(1000))).encode()
    path = tmp_path / "many"
    path.write_bytes(filled(gzip.compress(text), len(text) // growth))
    with pytest.raises(ReadError, match=problem) as caught:
        reader(path)
    unpack = "unpack it: a file that is not packed may have any size" in str(caught.value)
    assert unpack == (reader is not read_qrels)
    assert ("--max-input-size" in str(caught.value)) != unpack
    path.write_bytes(filled(gzip.compress(text), len(text) * 5))
    few = reader(path)
    path.write_bytes(text)
    assert repr(reader(path))[:40] == repr(few)[:40]


def test_a_run_of_very_many_queries_is_refused_though_it_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "CELL", 100)
    for bound in ("_SMALL", "LEAST"):
        monkeypatch.setattr(archives, bound, 1 << 12)
    qrels, path = read_qrels([("q1", "d1", 1)]), tmp_path / "a.run"
    text = "".join(f"q{i} Q0 d1 1 1 t\n" for i in range(1000)).encode()
    path.write_bytes(gzip.compress(text))
    with pytest.raises(ReadError, match=r"holds (999|1,000) queries in"):
        read_judged_run(qrels, path)
    assert len(read_judged_run(qrels, path, max_input_size=1 << 20).audit.extra) == 999


def test_a_run_of_very_many_tags_is_refused_though_it_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "CELL", 100)
    for bound in ("_SMALL", "LEAST"):
        monkeypatch.setattr(archives, bound, 1 << 12)
    qrels, path = read_qrels([("q1", "d1", 1)]), tmp_path / "a.run"
    for tags, refused in ((1000, True), (1, False)):
        text = "".join(f"q1 Q0 d{i} 1 1 t{i % tags}\n" for i in range(1000)).encode()
        path.write_bytes(gzip.compress(text))
        if refused:
            with pytest.raises(ReadError, match=r"holds 1,000 run tags in"):
                read_judged_run(qrels, path)
            assert len(read_judged_run(qrels, path, max_input_size=1 << 20).audit.tags) == 1000
        else:
            assert read_judged_run(qrels, path).audit.n_rows == 1000


def test_one_text_of_json_may_grow_less_than_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for bound in ("_SMALL", "_SMALL_OBJECTS"):
        monkeypatch.setattr(archives, bound, 1 << 12)
    rows = {f"q{i}": {"d1": 1, "d2": 0, "d3": 1} for i in range(2000)}
    text = json.dumps(rows).encode()
    path = tmp_path / "many"
    for growth, refused in ((5, False), (8, True)):
        path.write_bytes(filled(gzip.compress(text), len(text) // growth))
        if refused:
            with pytest.raises(ReadError, match="more than 6 times its size"):
                read_qrels(path)
        else:
            assert len(read_qrels(path)) == 6000
    path.write_bytes(filled(gzip.compress(json.dumps({"all": rows}).encode()), len(text) // 5))
    with pytest.raises(ReadError, match="more than 2 times its size"):
        read_qrels(path)


def test_the_filling_changes_nothing_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / "q.gz"
    path.write_bytes(filled(gzip.compress(json.dumps({"q": {"d": 1}}).encode()), 200_000))
    assert path.stat().st_size >= 200_000
    assert read_qrels(path).grades("q") == {"d": 1}


def test_discrete_scores_of_very_many_users_are_read(tmp_path: Path) -> None:
    n = 700_000
    scores = (np.random.default_rng(1).integers(0, 11, n) / 10).tolist()
    users = [f"user{i}" for i in range(n)]
    lines = (f"{user},{score}\n" for user, score in zip(users, scores, strict=True))
    (tmp_path / "s.csv.gz").write_bytes(
        gzip.compress(("query_id,P@10\n" + "".join(lines)).encode())
    )
    # A column of categories, as pandas writes one: its dictionary comes with every batch.
    ids = pa.array(users).dictionary_encode()
    pq.write_table(pa.table({"query_id": ids, "P@10": scores}), tmp_path / "s.parquet")
    assert (tmp_path / "s.csv.gz").stat().st_size < 3_000_000
    for name in ("s.csv.gz", "s.parquet"):
        code = f"import abrank; assert len(abrank.read_scores({name!r}).query_ids) == {n}"
        ended, kilobytes = ended_with(["-c", code], folder=tmp_path)
        assert ended == 0, name
        assert kilobytes < MOST_MEMORY


def test_a_table_of_too_many_scores_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (archives, arrow):
        monkeypatch.setattr(module, "LEAST", 1 << 12)
    monkeypatch.setattr(archives, "_SMALL", 1 << 12)
    users = [f"u{i // 1000}" for i in range(20_000)]
    pq.write_table(pa.table({"query_id": users, "P@10": [0.5] * 20_000}), tmp_path / "s.parquet")
    with pytest.raises(ReadError, match=r"(?s)too many rows for its size.*write it as CSV: a file"):
        read_scores(tmp_path / "s.parquet")


def test_judgments_by_subtopic_may_be_fewer_in_a_table_of_one_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (archives, arrow):
        monkeypatch.setattr(module, "LEAST", 1 << 12)
    monkeypatch.setattr(archives, "_SMALL", 1 << 12)
    rows = pd.DataFrame({"query_id": "q", "doc_id": [f"d{i}" for i in range(1000)], "rel": 1})
    rows["subtopic"] = [f"{i % 5}" for i in range(1000)]
    rows.to_parquet(tmp_path / "q.parquet", compression="zstd")
    assert len(read_qrels(tmp_path / "q.parquet")) == 1000
    with pytest.raises(ReadError, match=r"(?s)too many rows for its size.*--max-input-size"):
        read_qrels(tmp_path / "q.parquet", subtopics=True)
