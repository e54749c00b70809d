"""Columns of ids: bytes in, bytes out."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank.inputs import ids
from tests.inputs.conftest import FEW, in_dictionary

pytestmark = pytest.mark.usefixtures("small_and_large_columns")


def test_a_slice_keeps_its_own_rows() -> None:
    part = ids.encode(["a", "bb", "ccc", "d"])[1:3]
    assert ids.decode(part) == ["bb", "ccc"]
    assert ids.integers(pa.array([5, 6, 7, 8])[1:3]).tolist() == [6, 7]
    assert ids.decode(ids.take(part, np.array([1]))) == ["ccc"]


@pytest.mark.slow
@given(FEW)
def test_a_column_with_a_dictionary_reads_as_a_plain_one(values: list[bytes]) -> None:
    plain, coded = ids.pack(values), in_dictionary(values)
    assert ids.decode(coded) == ids.decode(ids.plain(coded)) == ids.decode(plain)
    assert ids.decode(ids.joined([coded, plain])) == ids.decode(ids.joined([plain, plain]))
    for function in (ids.runs, ids.number, ids.code):
        (first, codes), (second, expected) = function(coded), function(plain)
        assert ids.decode(first) == ids.decode(second)
        np.testing.assert_array_equal(codes, expected)


def test_order_is_that_of_strcmp_not_of_surrogates() -> None:
    # As Python text the escaped byte sorts above U+E000; as bytes it sorts below.
    latin, private = b"\xe9", "\ue000".encode()
    assert sorted([latin, private]) == [latin, private]
    assert ids.order(ids.pack([private, latin])).tolist() == [1, 0]


@pytest.mark.slow
@given(st.lists(st.binary(max_size=30), min_size=1, max_size=30, unique=True))
def test_fingerprints_differ_where_the_ids_do(values: list[bytes]) -> None:
    marks = ids.fingerprint(ids.pack([*values, values[0]]))
    assert len(set(marks.tolist())) == len(values)
    assert marks[0] == marks[-1]
    assert ids.fingerprint(ids.pack(values)[1:]).tolist() == marks[1:-1].tolist()
