"""Columns of ids: bytes in, bytes out."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank.inputs import ids
from tests.inputs.conftest import BYTES, FEW, in_dictionary

pytestmark = pytest.mark.usefixtures("small_and_large_columns")


@given(BYTES)
def test_what_is_packed_is_unpacked(values: list[bytes]) -> None:
    assert ids.unpack(ids.pack(values)) == values


@given(BYTES)
def test_text_keeps_every_byte(values: list[bytes]) -> None:
    assert ids.unpack(ids.encode(ids.decode(ids.pack(values)))) == values


@given(BYTES, st.data())
def test_rows_are_taken_in_any_order(values: list[bytes], data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, len(values) - 1)) if values else st.just([]))
    found = ids.take(ids.pack([b"first", *values])[1:], np.array(rows, dtype=np.int64))
    assert ids.unpack(found) == [values[row] for row in rows]


def test_a_slice_keeps_its_own_rows() -> None:
    part = ids.encode(["a", "bb", "ccc", "d"])[1:3]
    assert ids.decode(part) == ["bb", "ccc"]
    assert ids.integers(pa.array([5, 6, 7, 8])[1:3]).tolist() == [6, 7]
    assert ids.decode(ids.take(part, np.array([1]))) == ["ccc"]


def test_reading_files_does_not_import_pandas(tmp_path: object) -> None:
    code = (
        "import sys, pathlib\n"
        "from abrank.inputs import read_judged_run, read_qrels\n"
        f"folder = pathlib.Path({str(tmp_path)!r})\n"
        "(folder / 'q').write_text('1 0 a 1\\n1 0 b 0\\n')\n"
        "(folder / 'r').write_text('1 Q0 a 1 2 t\\n\\n1 Q0 b 2 2 t\\n')\n"
        "read_judged_run(read_qrels(folder / 'q'), folder / 'r')\n"
        "print(sorted({'pandas', 'scipy', 'matplotlib'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_rows_of_a_column_do_not_hold_it_in_memory() -> None:
    column = ids.encode([f"d{i}" for i in range(10_000)])
    none = ids.take(column, np.array([], dtype=np.int64))
    assert len(none) == 0
    assert sum(each.size for each in none.buffers() if each) < 100


@given(FEW)
def test_a_column_with_a_dictionary_reads_as_a_plain_one(values: list[bytes]) -> None:
    plain, coded = ids.pack(values), in_dictionary(values)
    assert ids.decode(coded) == ids.decode(ids.plain(coded)) == ids.decode(plain)
    assert ids.decode(ids.joined([coded, plain])) == ids.decode(ids.joined([plain, plain]))
