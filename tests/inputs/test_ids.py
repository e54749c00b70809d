"""Columns of ids: bytes in, bytes out, in byte order."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from abrank.inputs import ids

BYTES = st.lists(st.binary(max_size=6), max_size=30)


@given(BYTES)
def test_what_is_packed_is_unpacked(values: list[bytes]) -> None:
    assert ids.unpack(ids.pack(values)) == values


@given(BYTES)
def test_text_keeps_every_byte(values: list[bytes]) -> None:
    assert ids.unpack(ids.encode(ids.decode(ids.pack(values)))) == values


@given(BYTES)
def test_numbers_follow_byte_order(values: list[bytes]) -> None:
    distinct, codes = ids.number(ids.pack(values))
    assert ids.unpack(distinct) == sorted(set(values))
    assert [ids.unpack(distinct)[i] for i in codes] == values


@given(BYTES)
def test_places_sort_the_rows(values: list[bytes]) -> None:
    place = ids.order(ids.pack(values))
    assert sorted(place.tolist()) == list(range(len(values)))
    assert [value for _, value in sorted(zip(place, values, strict=True))] == sorted(values)


@given(st.lists(st.tuples(st.binary(max_size=3), st.binary(max_size=3))))
def test_same_compares_row_by_row(pairs: list[tuple[bytes, bytes]]) -> None:
    one, other = (ids.pack([pair[i] for pair in pairs]) for i in (0, 1))
    assert ids.same(one, other).tolist() == [a == b for a, b in pairs]


def test_order_is_that_of_strcmp_not_of_surrogates() -> None:
    # As Python text the escaped byte sorts above U+E000; as bytes it sorts below.
    latin, private = b"\xe9", "\ue000".encode()
    assert sorted([latin, private]) == [latin, private]
    assert ids.order(ids.pack([private, latin])).tolist() == [1, 0]


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
