"""Columns of ids for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from abrank.inputs import id_keys, ids

BYTES = st.lists(st.binary(max_size=6) | st.sampled_from([b"q" * 9, b"q" * 17]), max_size=30)
FEW = st.lists(st.sampled_from([b"", b"a", b"b", b"\xe9", b"longer than eight"]), max_size=12)


@pytest.fixture(params=["numpy", "Arrow"], scope="module")
def small_and_large_columns(request: pytest.FixtureRequest) -> Iterator[None]:
    """Do everything once as for small columns, once as for large ones."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "Arrow":
            patch.setattr(id_keys, "_FEW", 0)
            patch.setattr(ids, "SMALL", 0)
        yield


def in_dictionary(values: list[bytes]) -> object:
    """Return a column as Parquet gives it, behind a row that is cut away and an id of no row."""
    coded = ids.pack([b"cut away", *values]).dictionary_encode()
    known = ids.joined([coded.dictionary, ids.pack([b"of no row"])])
    return pa.DictionaryArray.from_arrays(coded.indices, known)[1:]
