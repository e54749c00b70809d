"""Logs of Inspect as archives: read with either packing, refused where they are none."""

from __future__ import annotations

import io
import json
import zipfile

import pyarrow as pa
import pytest

from abrank._support.errors import ReadError
from abrank.inputs.scores import logs

SAMPLE = {"id": "q1", "epoch": 1, "scores": {"exact": {"value": "C"}}}


def archive(name: str, data: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr(name, data)
    return made.getvalue()


def test_samples_of_a_zip_are_read() -> None:
    found = logs.read_archive(archive("samples/q1.json", json.dumps(SAMPLE).encode()), "x.eval")
    assert found["samples"] == [SAMPLE]


def test_samples_packed_by_zstandard_are_read() -> None:
    packed = pa.compress(json.dumps(SAMPLE).encode(), codec="zstd", asbytes=True)
    made = bytearray(archive("samples/q1.json", packed))
    # Python's own writer before 3.14 has no Zstandard: set its number in the directory of the zip,
    # and the size once unpacked.
    directory = made.rfind(b"PK\x01\x02")
    made[directory + 10 : directory + 12] = logs._ZSTANDARD.to_bytes(2, "little")
    made[directory + 24 : directory + 28] = len(json.dumps(SAMPLE)).to_bytes(4, "little")
    assert logs.read_archive(bytes(made), "x.eval")["samples"] == [SAMPLE]
    start = bytes(made).index(packed)
    made[start : start + 4] = bytes(4)
    with pytest.raises(ReadError, match=r"x\.eval.*samples/q1\.json is damaged"):
        logs.read_archive(bytes(made), "x.eval")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"PK\x03\x04 and no more", "is no zip"),
        (archive("notes.txt", b"x"), "is a zip without samples/: no log of Inspect"),
    ],
)
def test_what_is_no_log_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(ReadError, match=said):
        logs.read_archive(data, "x.eval")


def test_more_than_may_be_unpacked_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(logs, "most_in_table", lambda size, most: 10)
    with pytest.raises(ReadError, match=r"^x\.eval"):
        logs.read_archive(archive("samples/q1.json", json.dumps(SAMPLE).encode()), "x.eval")
