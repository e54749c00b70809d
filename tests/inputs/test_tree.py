"""ranx' LZ4 files and logs of judges: read as what they hold; damaged ones end in a sentence."""

from __future__ import annotations

import io
import json
import random
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from abrank import ReadError, read_run
from abrank.inputs import archives, tree
from abrank.inputs.columns import RUN
from abrank.inputs.tree import LZ4_MARK, read_lz4

RESULTS = {f"q{i}": {f"d{j}": 1.0 / (i + j) for j in range(1, 20)} for i in range(1, 10)}


def packed(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "lz4") as stream:
        stream.write(data)
    return bytes(sink.getvalue())


def as_cbor(held: Any) -> bytes:
    cbor = pytest.importorskip("cbor2", reason="cbor2 is in the extras `test` and `peers`")
    return cbor.dumps(held)


def saved(held: Any) -> bytes:
    return packed(packed(as_cbor(held)))


def test_a_run_is_read_as_the_same_mapping_is(tmp_path: Path) -> None:
    (tmp_path / "r.lz4").write_bytes(saved(RESULTS))
    assert saved(RESULTS).startswith(LZ4_MARK)
    assert read_run(tmp_path / "r.lz4").frame().equals(read_run(RESULTS).frame())


@pytest.mark.parametrize("inner", [False, True], ids=["outer archive", "what is packed"])
def test_a_damaged_file_ends_in_a_sentence(inner: bool) -> None:
    chance, messages = random.Random(3), []
    for _ in range(200):
        data = bytearray(as_cbor(RESULTS) if inner else saved(RESULTS))
        for _ in range(chance.randint(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        del data[chance.choice([len(data), chance.randrange(len(data))]) :]
        try:
            read_lz4(packed(packed(bytes(data))) if inner else bytes(data), "r.lz4", RUN)
        except ReadError as error:
            messages.append(str(error))
    assert max(map(len, messages)) < 1_000
    # A changed letter of an id is another id: CBOR has no checksum.
    assert len(messages) > 100


def test_a_file_that_holds_something_else_is_no_run() -> None:
    with pytest.raises(ReadError, match="the LZ4 file holds no run of ranx"):
        read_lz4(saved("a text"), "r.lz4", RUN)


SAMPLE = {"id": "q1", "epoch": 1, "scores": {"exact": {"value": "C"}}}


def archive(name: str, data: bytes, **others: bytes) -> bytes:
    bytes_i_o = io.BytesIO()
    with zipfile.ZipFile(bytes_i_o, "w") as file:
        for path, content in {name: data, **others}.items():
            file.writestr(path, content)
    return bytes_i_o.getvalue()


def log_of(samples: int, counted: int, status: str = "success") -> bytes:
    header = {"eval": {"task": "t"}, "status": status, "results": {"completed_samples": counted}}
    files = {
        f"samples/q{i}_epoch_1.json": json.dumps({**SAMPLE, "id": f"q{i}"}).encode()
        for i in range(samples)
    }
    (name, data), *rest = files.items()
    return archive(name, data, **dict(rest), **{"header.json": json.dumps(header).encode()})


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (log_of(3, 4), "holds 3 samples, and its header counts 4"),
        (log_of(3, 3, "error"), r"has not succeeded \(status error\)"),
        (archive("samples/q1.json", json.dumps(SAMPLE).encode()), r"\(status started\)"),
        (archive("samples/q1.json", b"[]"), "samples/q1.json holds no sample"),
        (archive("samples/q1.json", b"{}", sbmples=b"{}"), "holds sbmples"),
    ],
)
def test_logs_that_lack_samples_are_refused(data: bytes, problem: str) -> None:
    with pytest.raises(ReadError, match=f"x.eval.*{problem}"):
        tree.rows_of_log(tree.read_archive(data, "x.eval"), "x.eval")


def test_every_damage_of_a_log_is_an_error_of_its_file_or_changes_nothing() -> None:
    whole = log_of(6, 6)
    expected = tree.rows_of_log(tree.read_archive(whole, "x.eval"), "x.eval")
    chance, n_errors = random.Random(5), 0
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        try:
            rows = tree.rows_of_log(tree.read_archive(bytes(data), "x.eval"), "x.eval")
        except ReadError:
            n_errors += 1
        else:
            assert rows == expected
    assert n_errors > 200


def test_samples_of_a_zip_are_read() -> None:
    result = tree.read_archive(archive("samples/q1.json", json.dumps(SAMPLE).encode()), "x.eval")
    assert result["samples"] == [SAMPLE]


def test_samples_packed_by_zstandard_are_read() -> None:
    packed = pa.compress(json.dumps(SAMPLE).encode(), codec="zstd", asbytes=True)
    result = bytearray(archive("samples/q1.json", packed))
    # Python's own writer before 3.14 has no Zstandard: set its number in the directory of the zip,
    # and the size once unpacked.
    directory = result.rfind(b"PK\x01\x02")
    result[directory + 10 : directory + 12] = tree._ZSTANDARD.to_bytes(2, "little")
    result[directory + 16 : directory + 20] = zlib.crc32(json.dumps(SAMPLE).encode()).to_bytes(
        4, "little"
    )
    result[directory + 24 : directory + 28] = len(json.dumps(SAMPLE)).to_bytes(4, "little")
    assert tree.read_archive(bytes(result), "x.eval")["samples"] == [SAMPLE]
    start = bytes(result).index(packed)
    result[start : start + 4] = bytes(4)
    with pytest.raises(ReadError, match=r"x\.eval.*samples/q1\.json is damaged"):
        tree.read_archive(bytes(result), "x.eval")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04 and no more", "is no zip"),
        (archive("notes.txt", b"x"), "is a zip without samples/: no log of Inspect"),
    ],
)
def test_what_is_no_log_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(ReadError, match=said):
        tree.read_archive(data, "x.eval")


def test_more_than_may_be_unpacked_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(archives, "MOST_UNPACKED", 10)
    with pytest.raises(ReadError, match=r"^x\.eval"):
        tree.read_archive(archive("samples/q1.json", json.dumps(SAMPLE).encode()), "x.eval")
