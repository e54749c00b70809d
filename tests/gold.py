"""Real runs and judgments with stored answers: all of them beside the project, or a part in it.

The whole is the optional folder ``../shared/data``. ``gold.tar.xz`` is a part of each of its sets,
which whoever has only the project tests against; `gold.md` says where they come from. It is made by

    python tests/gold.py ../shared/data

and laid out as a folder, for instance for the studies of `reports`, by

    python tests/gold.py unpack DIR

What stands there as gzip is stored unpacked, because all of it together is packed far better, and
is gzip again where a test finds it. Six large runs are left out, and with them the rows of stored
tables that tell of them, but for the scores from which the stored statistics were computed.

``ABRANK_REQUIRE_DATA=1`` asks for the whole: what is not there is then a failure, and not a skip.
"""

import contextlib
import gzip
import hashlib
import io
import lzma
import os
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path

import pytest

ARCHIVE = Path(__file__).with_name("gold.tar.xz")
WHOLE_DATA = Path(__file__).parents[2] / "shared" / "data"
REQUIRED = os.environ.get("ABRANK_REQUIRE_DATA") == "1"
LARGE = ("InexpC2", "Sel50", "THUIRr0301", "UIUC03Rd1", "pircRBa1")
LEFT_OUT = (
    *("README.md", "SHA256SUMS", "ltr/source", "vaswani/corpus.trec.gz"),
    "votes/audit",  # no test reads it
    *("cases", "pools", "tables"),  # tests with data of their own hold what these show
    *("vaswani/runs/bm25_k12_b75.run.gz", *(f"robust03/runs/{run}.run.gz" for run in LARGE)),
)
# Held whole: the stored statistics were computed from these scores.
KEPT_WHOLE = ("trec_eval-9.0.8.tsv.gz", "significance.tsv", "official_summary.tsv")


@cache
def gold_data() -> Path:
    """Return the folder of the data: the whole, or the part unpacked among pytest's own files."""
    if WHOLE_DATA.is_dir():
        return WHOLE_DATA
    if REQUIRED:
        pytest.fail(f"ABRANK_REQUIRE_DATA is 1, and {WHOLE_DATA} is not there")
    name = f"gold-{hashlib.sha256(ARCHIVE.read_bytes()).hexdigest()[:16]}"
    folder = ARCHIVE.parents[1] / ".pytest_cache" / name
    if not folder.is_dir():
        folder.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as temporary_directory:
            unpack(Path(temporary_directory, name))
            # Another process may have been faster.
            with contextlib.suppress(OSError):
                Path(temporary_directory, name).rename(folder)
    return folder


def left_out(what: str):
    """Skip a test of what the part has not."""
    (pytest.fail if REQUIRED else pytest.skip)(
        f"only in the optional folder ../shared/data: {what}"
    )


def is_whole() -> bool:
    """Whether all runs are there."""
    return gold_data() == WHOLE_DATA


def members(data: Path):
    """Yield the name and the content of each file that is kept, gzip unpacked."""
    for path in sorted(data.rglob("*")):
        name = path.relative_to(data).as_posix()
        if path.is_dir() or name.startswith(LEFT_OUT):
            continue
        content = path.read_bytes()
        if path.suffix == ".gz" and not name.startswith("nasty/"):
            content = gzip.decompress(content)
        if "/gold/" in name and path.name not in KEPT_WHOLE:
            content = of_runs_that_are_kept(content, data / name.partition("/")[0])
        yield name, content


def of_runs_that_are_kept(content: bytes, collection: Path) -> bytes:
    """Leave out the rows of runs that are left out; a table without a column of runs is whole."""
    header, *rows = content.splitlines(keepends=True)
    columns = header.rstrip().split(b"\t")
    if b"run" not in columns:
        return content
    column, selected = columns.index(b"run"), set()
    for path in (collection / "runs").iterdir():
        if f"{collection.name}/runs/{path.name}" not in LEFT_OUT:
            selected.add(path.name.partition(".run")[0].encode())
    return header + b"".join(row for row in rows if row.split(b"\t")[column] in selected)


def pack(data: Path) -> bytes:
    """Return the archive; the same bytes for the same data."""
    with io.BytesIO() as stream:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as archive:
            for name, content in members(data):
                entry = tarfile.TarInfo(name)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
        return lzma.compress(stream.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def unpack(folder: Path) -> None:
    """Lay the files out as in the full data, those that are gzip there as gzip."""
    with tarfile.open(ARCHIVE) as archive:
        for entry in archive:
            path = folder / entry.name
            path.parent.mkdir(parents=True, exist_ok=True)
            content = archive.extractfile(entry).read()
            packed = path.suffix == ".gz" and not entry.name.startswith("nasty/")
            path.write_bytes(gzip.compress(content, 1, mtime=0) if packed else content)


if __name__ == "__main__":
    if sys.argv[1] == "unpack":
        sys.exit(unpack(Path(sys.argv[2])))
    ARCHIVE.write_bytes(pack(Path(sys.argv[1])))
    print(f"{ARCHIVE.name}: {ARCHIVE.stat().st_size:,} bytes")
