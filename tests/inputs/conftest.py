"""Columns of ids, and the memory that reading takes."""

import bz2
import gzip
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import strategies as st

from abrank.inputs import ids

ROOT = Path(__file__).parents[2]
BYTES = st.lists(st.binary(max_size=6) | st.sampled_from([b"q" * 9, b"q" * 17]), max_size=30)
FEW = st.lists(st.sampled_from([b"", b"a", b"b", b"\xe9", b"longer than eight"]), max_size=12)


def zstd(data: bytes) -> bytes:
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


PACKERS = {"gzip": gzip.compress, "bzip2": bz2.compress, "Zstandard": zstd}


@pytest.fixture(params=["numpy", "Arrow"], scope="module")
def small_and_large_columns(request: pytest.FixtureRequest):
    """Do everything once as for small columns, once as for large ones."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "Arrow":
            patch.setattr(ids, "_FEW", 0)
            patch.setattr(ids, "SMALL", 0)
        yield


def in_dictionary(values: list[bytes]) -> object:
    """Return a column as Parquet gives it, behind a row that is cut away and an id of no row."""
    coded = ids.pack([b"cut away", *values]).dictionary_encode()
    names = ids.joined([coded.dictionary, ids.pack([b"of no row"])])
    return pa.DictionaryArray.from_arrays(coded.indices, names)[1:]


def ended_with(arguments, *, folder) -> tuple[int, int]:
    """Run Python in a folder; return the code it ends with and the most memory it held, in kB."""
    # A small process starts the one that is measured, which would else begin with this one's size.
    code = (
        "import resource, subprocess, sys\n"
        f"done = subprocess.run([sys.executable, *{[*arguments]!r}], capture_output=True)\n"
        "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env={"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    ended, kilobytes = map(int, done.stdout.split())
    return ended, kilobytes
