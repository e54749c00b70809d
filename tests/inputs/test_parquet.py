"""What a Parquet file says of itself is refused where it contradicts itself.

Footers and headers of pages are written here by an encoder of Thrift's compact protocol.
"""

import struct
import subprocess
import sys
import tracemalloc
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from abrank.inputs import looks_like_qrels
from abrank.inputs.parquet import (
    BYTE_ARRAY,
    Chunk,
    DamagedParquet,
    Malformed,
    read_groups,
    read_struct,
    require_pages,
)
from abrank.inputs.score_source import holds_scores

DOUBLE, PLAIN, REFERENCES = 5, 0, 8


def unsigned(value: int) -> bytes:
    text = b""
    while value > 127:
        text, value = text + bytes([value & 127 | 128]), value >> 7
    return text + bytes([value])


def whole(value: int) -> bytes:
    return unsigned(value << 1 if value >= 0 else (-value << 1) - 1)


def coded(value) -> tuple[int, bytes]:
    """Return the kind of a value, and its bytes."""
    if isinstance(value, dict):
        return 12, record(value)
    if isinstance(value, list):
        kinds = [coded(item) for item in value]
        kind = kinds[0][0] if kinds else 5
        head = bytes([len(value) << 4 | kind]) if len(value) < 15 else bytes([15 << 4 | kind])
        more = b"" if len(value) < 15 else unsigned(len(value))
        return 9, head + more + b"".join(item for _, item in kinds)
    if isinstance(value, bytes):
        return 8, unsigned(len(value)) + value
    if isinstance(value, float):
        return 7, struct.pack("<d", value)
    return 6, whole(value)


def record(fields) -> bytes:
    """Return a record of Thrift; each field tells its whole number."""
    text = b""
    for number, value in fields.items():
        if isinstance(value, bool):
            text += bytes([1 if value else 2]) + whole(number)
            continue
        kind, content = coded(value)
        text += bytes([kind]) + whole(number) + content
    return text + b"\0"


def column(name=b"x", **told):
    """Return what a footer says of a column of two numbers, from byte 4 on."""
    about = {"kind": DOUBLE, "encodings": [PLAIN], "values": 2, "unpacked": 30, "packed": 30}
    about |= {"start": 4, **told}
    numbers = {"kind": 1, "encodings": 2, "values": 5, "unpacked": 6, "packed": 7, "start": 9}
    values = {numbers[key]: value for key, value in about.items() if key in numbers}
    values[3] = [name]
    return dict(sorted((values | told.get("more", {})).items()))


def groups_of(about, *, size=100):
    footer = about if isinstance(about, bytes) else record(about)
    data = b"PAR1" + b"\0" * size + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    return read_groups(lambda start, n: data[start : start + n], len(data))


def footer(*columns, n_rows=2, rows=2, leaves=1):
    schema = [{4: b"root", 5: leaves}, *[{1: DOUBLE, 4: b"x"}] * leaves]
    return {1: 1, 2: schema, 3: n_rows, 4: [{1: [{3: item} for item in columns], 3: rows}]}


def test_a_footer_written_here_is_read() -> None:
    (group,) = groups_of(footer(column(more={11: 4, 12: {3: 1, 5: b"9", 6: b"1"}})))
    (chunk,) = group.of(["x"])
    assert (group.n_rows, chunk.n_values, chunk.start, chunk.n_packed) == (2, 2, 4, 30)
    assert (chunk.low, chunk.high, chunk.n_missing) == (b"1", b"9", 1)
    assert (chunk.n_decoded, chunk.has_dictionary, chunk.knows_text) == (16, False, False)
    assert group.of(["y"]) == []


def test_what_arrow_writes_is_read_by_the_same_numbers(tmp_path) -> None:
    table = pa.table({"a": ["x", "yy", "x"], "b": [{"c": 1.0}, {"c": None}, {"c": 2.0}]})
    path = tmp_path / "t.parquet"
    pq.write_table(table, path, row_group_size=2)
    content = path.read_bytes()
    groups = read_groups(lambda start, n: content[start : start + n], len(content))
    metadata = pq.read_metadata(path)
    for i, group in enumerate(groups):
        for j, chunk in enumerate(group.chunks):
            there = metadata.row_group(i).column(j)
            assert chunk.path == there.path_in_schema
            assert chunk.n_values == there.num_values
            assert chunk.n_packed == there.total_compressed_size
            pages = content[chunk.start : chunk.start + chunk.n_packed]
            assert require_pages(pages, chunk) <= there.total_uncompressed_size


CONTRADICTIONS = {
    "another number of rows": (footer(column(), n_rows=3), "3 rows, and others in its row groups"),
    "no column": (footer(), "other columns than the table"),
    "rows below 0": (footer(column(), rows=-2, n_rows=-2), "values in -2 rows"),
    "another name": (footer(column(b"z")), "column z is of another type in a row group"),
    "another type": (footer(column(kind=BYTE_ARRAY)), "column x is of another type"),
    "behind the end": (footer(column(packed=10**6)), "column x is not within the file"),
    "before the beginning": (footer(column(start=0)), "column x is not within the file"),
    "sizes below 0": (footer(column(unpacked=-1)), "column x is not within the file"),
    "other values": (footer(column(values=7)), "column x has 7 values in 2 rows"),
    "levels": (footer(column(more={16: {2: [1, 1]}})), "levels that it cannot have"),
    "no number of rows": ({1: 1, 2: [{4: b"root"}]}, "a part of it is missing"),
    "text for a number": (footer(column(values=b"two")), "a part of it is missing"),
    "cut short": (record(footer(column()))[:-9], "it is cut short"),
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_a_footer_that_contradicts_itself_is_refused(name: str) -> None:
    about, text = CONTRADICTIONS[name]
    with pytest.raises(DamagedParquet, match="its footer is damaged") as caught:
        groups_of(about)
    assert text in str(caught.value)


def test_a_file_without_a_footer_is_refused() -> None:
    for data, text in ((b"PAR1", "no footer"), (b"PAR1" + b"\xff" * 4 + b"PAR1", "longer than")):
        with pytest.raises(DamagedParquet, match=text):
            read_groups(lambda start, n, data=data: data[start : start + n], len(data))


def test_a_footer_longer_than_what_is_read_at_first_is_read_whole() -> None:
    about = footer(column()) | {5: [{1: b"key", 2: b"v" * 70_000}]}
    assert groups_of(about)[0].n_rows == 2


@pytest.mark.every_case
@pytest.mark.parametrize(("data", "said"), [
    (b"\x1c" * 60, "records within records"),
    (b"\x19" * 60, "lists within lists"),
    (b"\x18\x7fab", "a text is longer than what is left"),
    (b"\x19\xf6\x7f\x01", "a list is longer than what is left"),
    (b"\x16" + b"\xff" * 12, "a number of more than 64 bits"),
    (b"\x1e\x00", "a value of the unknown kind 14"),
    (b"\x17\x00", "it is cut short"),
    (b"\x16", "it is cut short"),
])  # fmt: skip
def test_bytes_that_are_no_record_are_refused(data: bytes, said: str) -> None:
    with pytest.raises(Malformed, match=said):
        read_struct(data)


def test_values_of_every_kind_are_read() -> None:
    fields = {1: True, 2: False, 3: -5, 40: 2.5, 41: b"text", 42: [1, 2], 43: {1: 7}}
    assert read_struct(record(fields)) == (fields, len(record(fields)))
    long = {1: list(range(20))}
    assert read_struct(record(long))[0] == long
    assert read_struct(b"\x13\x09\x19\x21\x01\x02\x00")[0] == {1: 9, 2: [1, 2]}


def page(about, body=b"12345678") -> bytes:
    return record(about) + body


def header(n_values=2, encoding=PLAIN, **more):
    about = {1: 0, 2: 8, 3: 8, 5: {1: n_values, 2: encoding}}
    return dict(sorted((about | more.get("more", {})).items()))


def chunk_of(pages: bytes) -> Chunk:
    kinds = frozenset([PLAIN, REFERENCES])
    return Chunk("x", DOUBLE, 2, 4, len(pages), 8, kinds, True, 16, False, None, None, None)


DICTIONARY = {1: 2, 2: 8, 3: 8, 7: {1: 1, 2: PLAIN}}
PAGES = {
    "an encoding that is not named": (page(header(encoding=4)), "does not name"),
    "a dictionary behind": (page(header()) + page(DICTIONARY), "stands behind its values"),
    "other values": (page(header(3)), "its pages hold 3 values, and the footer says 2"),
    "no header": (b"\x1e\x00", "a page has no header"),
    "a header without sizes": (page({1: 0}), "a page has no header"),
    "a page that is too long": (page(header(), b"123"), "a page is longer than the column"),
    "a size below 0": (page(header(more={3: -1})), "a page is longer than the column"),
    "another checksum": (page(header(more={4: 1})), "not what its checksum says"),
}


@pytest.mark.every_case
@pytest.mark.parametrize("name", PAGES)
def test_pages_that_contradict_their_column_are_refused(name: str) -> None:
    pages, text = PAGES[name]
    with pytest.raises(DamagedParquet, match=f"column x: .*{text}"):
        require_pages(pages, chunk_of(pages))


def test_pages_that_agree_are_counted() -> None:
    checksum = zlib.crc32(b"12345678")
    checksum -= (checksum >> 31) << 32  # stored with a sign
    pages = page(DICTIONARY) + page(header(encoding=REFERENCES, more={4: checksum}))
    assert require_pages(pages, chunk_of(pages)) == 16
    second = {1: 3, 2: 8, 3: 8, 8: {1: 2, 2: 0, 4: PLAIN}}
    assert require_pages(page(second), chunk_of(page(second))) == 8
    with pytest.raises(DamagedParquet, match="the file ends before it does"):
        require_pages(pages[:-1], chunk_of(pages))


def test_the_names_of_columns_are_read_without_the_rows(tmp_path) -> None:
    path = tmp_path / "run.parquet"
    n = 500_000
    scores = np.random.default_rng(0).random(n)
    pq.write_table(pa.table({"query_id": np.arange(n).astype(str), "ndcg": scores}), path)
    tracemalloc.start()
    try:
        assert holds_scores(str(path), alone=False)
        assert not looks_like_qrels(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size / 2


def test_a_file_is_read_by_ranges_where_memory_is_mapped_without_flags(tmp_path) -> None:
    # as on Windows
    pq.write_table(pa.table({"score": [1.5]}), path := tmp_path / "a.parquet")
    code = (
        "import mmap, sys, pyarrow as pa\n"
        "for name in [name for name in dir(mmap) if name.startswith('MAP_')]: delattr(mmap, name)\n"
        "from abrank.inputs.parquet import ParquetData\n"
        "print(ParquetData(pa.OSFile(sys.argv[1])).read(['score'])['score'])"
    )
    call = [sys.executable, "-c", code, str(path)]
    assert "1.5" in subprocess.run(call, capture_output=True, text=True, check=True).stdout
