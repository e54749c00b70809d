"""Columns of ids: bytes in, bytes out."""

from itertools import accumulate, groupby

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank.inputs import ids
from tests.inputs.conftest import BYTES, FEW, in_dictionary

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


@pytest.mark.slow
@given(BYTES)
def test_packing_text_numbers_codes_places_and_runs_are_those_of_lists(values: list[bytes]) -> None:
    packed = ids.pack(values)
    assert ids.unpack(packed) == ids.unpack(ids.encode(ids.decode(packed))) == values
    expected = ((ids.number, sorted(set(values))), (ids.code, [*dict.fromkeys(values)]))
    for function, names in expected:
        distinct, codes = function(packed)
        assert ids.unpack(distinct) == names
        assert [names[i] for i in codes] == values
    place = ids.order(packed)
    assert sorted(place.tolist()) == list(range(len(values)))
    assert [value for _, value in sorted(zip(place, values, strict=True))] == sorted(values)
    firsts, ends = ids.runs(packed)
    runs = [(value, len(list(run))) for value, run in groupby(values)]
    assert ids.unpack(firsts) == [value for value, _ in runs]
    assert ends.tolist() == list(accumulate(length for _, length in runs))


LONG = st.sampled_from([b"q" * 9, b"q" * 8 + b"r", b"q" * 17, b"q" * 16 + b"r", b"q" * 16 + b"\0"])
EITHER = st.binary(max_size=3) | LONG


@pytest.mark.slow
@given(st.lists(st.tuples(EITHER, EITHER)))
def test_same_compares_row_by_row(pairs: list[tuple[bytes, bytes]]) -> None:
    first, second = (ids.pack([pair[i] for pair in pairs]) for i in (0, 1))
    assert ids.same(first, second).tolist() == [a == b for a, b in pairs]


def test_order_is_that_of_strcmp_not_of_surrogates() -> None:
    # As Python text the escaped byte sorts above U+E000; as bytes it sorts below.
    latin, private = b"\xe9", "\ue000".encode()
    assert sorted([latin, private]) == [latin, private]
    assert ids.order(ids.pack([private, latin])).tolist() == [1, 0]


SHARED = st.sampled_from([b"", b"12345678"]), st.binary(max_size=3)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 2), st.builds(bytes.__add__, *SHARED)), max_size=30))
def test_rows_are_ordered_within_groups_whatever_their_first_bytes(rows) -> None:
    group = np.array([group for group, _ in rows], dtype=np.int64)
    within = ids.order_within(group, ids.pack([value for _, value in rows]))
    assert [rows[i] for i in within] == sorted(rows)
    assert sorted(within.tolist()) == list(range(len(rows)))


@pytest.mark.slow
@given(st.lists(st.binary(max_size=30), min_size=1, max_size=30, unique=True))
def test_fingerprints_differ_where_the_ids_do(values: list[bytes]) -> None:
    marks = ids.fingerprint(ids.pack([*values, values[0]]))
    assert len(set(marks.tolist())) == len(values)
    assert marks[0] == marks[-1]
    assert ids.fingerprint(ids.pack(values)[1:]).tolist() == marks[1:-1].tolist()
