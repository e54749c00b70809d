"""ranx' LZ4 files: read as what they hold; damaged ones end in a sentence."""

import random

import pyarrow as pa
import pytest

from abrank import ReadError, read_run
from abrank.inputs.columns import RUN
from abrank.inputs.text_files import LZ4_MARK, read_lz4

RESULTS = {f"q{i}": {f"d{j}": 1.0 / (i + j) for j in range(1, 20)} for i in range(1, 10)}


def packed(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "lz4") as stream:
        stream.write(data)
    return bytes(sink.getvalue())


def as_cbor(held) -> bytes:
    cbor = pytest.importorskip("cbor2", reason="cbor2 is in the extras `test` and `peers`")
    return cbor.dumps(held)


def saved(held) -> bytes:
    return packed(packed(as_cbor(held)))


def test_a_run_is_read_as_the_same_mapping_is(tmp_path) -> None:
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
