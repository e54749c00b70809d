"""Logs of judges: read as what they hold; damaged ones end in a sentence."""

import io
import json
import random
import zipfile
import zlib

import pyarrow as pa
import pytest

from abrank import ReadError
from abrank.comparison import pair_scores
from abrank.inputs import exports, storage

SAMPLE = {"id": "q1", "epoch": 1, "scores": {"exact": {"value": "C"}}}


def archive(name: str, data: bytes, **others: bytes) -> bytes:
    bytes_i_o = io.BytesIO()
    with zipfile.ZipFile(bytes_i_o, "w") as file:
        for path, content in {name: data, **others}.items():
            file.writestr(path, content)
    return bytes_i_o.getvalue()


def log_of(samples: int, counted: int, status: str = "success", task: str = "t") -> bytes:
    header = {"eval": {"task": task}, "status": status, "results": {"completed_samples": counted}}
    files = {
        f"samples/q{i}_epoch_1.json": json.dumps({**SAMPLE, "id": f"q{i}"}).encode()
        for i in range(samples)
    }
    (name, data), *rest = files.items()
    return archive(name, data, **dict(rest), **{"header.json": json.dumps(header).encode()})


@pytest.mark.parametrize(("data", "problem"), [
    (log_of(3, 4), "holds 3 samples, and its header counts 4"),
    (log_of(3, 3, "error"), r"has not succeeded \(status error\)"),
    (archive("samples/q1.json", json.dumps(SAMPLE).encode()), r"\(status started\)"),
    (archive("samples/q1.json", b"[]"), "samples/q1.json holds no sample"),
])  # fmt: skip
def test_logs_that_lack_samples_are_refused(data: bytes, problem: str) -> None:
    with pytest.raises(ReadError, match=f"x.eval.*{problem}"):
        exports.rows_of_log(exports.read_archive(data, "x.eval"), "x.eval")


def test_logs_of_two_tasks_are_said(tmp_path, command) -> None:
    for name, task in (("a", "t"), ("b", "t"), ("c", "u")):
        (tmp_path / f"{name}.eval").write_bytes(log_of(6, 6, task=task))
    logs = [tmp_path / f"{name}.eval" for name in "abc"]
    for other, is_said in ((logs[1], False), (logs[2], True)):
        notes = pair_scores(logs[0], other).notes
        assert ("the logs are of two tasks, t and u" in " ".join(notes)) == is_said
    logs[0].write_bytes(log_of(3, 4))
    assert "holds 3 samples, and its header counts 4" in command(["check", str(logs[0])], 3).err


def test_every_damage_of_a_log_is_an_error_of_its_file_or_changes_nothing() -> None:
    whole = log_of(6, 6)
    expected = exports.rows_of_log(exports.read_archive(whole, "x.eval"), "x.eval")
    chance, n_errors = random.Random(5), 0
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        try:
            rows = exports.rows_of_log(exports.read_archive(bytes(data), "x.eval"), "x.eval")
        except ReadError:
            n_errors += 1
        else:
            assert rows == expected
    assert n_errors > 200


def test_samples_packed_by_zstandard_are_read() -> None:
    packed = pa.compress(json.dumps(SAMPLE).encode(), codec="zstd", asbytes=True)
    result = bytearray(archive("samples/q1.json", packed))
    # Python's own writer before 3.14 has no Zstandard: set its number in the directory of the zip,
    # and the size once unpacked.
    directory = result.rfind(b"PK\x01\x02")
    result[directory + 10 : directory + 12] = exports._ZSTANDARD.to_bytes(2, "little")
    result[directory + 16 : directory + 20] = zlib.crc32(json.dumps(SAMPLE).encode()).to_bytes(
        4, "little"
    )
    result[directory + 24 : directory + 28] = len(json.dumps(SAMPLE)).to_bytes(4, "little")
    assert exports.read_archive(bytes(result), "x.eval")["samples"] == [SAMPLE]
    start = bytes(result).index(packed)
    result[start : start + 4] = bytes(4)
    with pytest.raises(ReadError, match=r"x\.eval.*samples/q1\.json is damaged"):
        exports.read_archive(bytes(result), "x.eval")


@pytest.mark.parametrize(("data", "said"), [
    (b"PK\x03\x04 and no more", "is no zip"),
    (archive("notes.txt", b"x"), "is a zip without samples/: no log of Inspect"),
])  # fmt: skip
def test_what_is_no_log_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(ReadError, match=said):
        exports.read_archive(data, "x.eval")


def test_more_than_may_be_unpacked_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(storage, "MOST_UNPACKED", 10)
    with pytest.raises(ReadError, match=r"^x\.eval"):
        exports.read_archive(archive("samples/q1.json", json.dumps(SAMPLE).encode()), "x.eval")
