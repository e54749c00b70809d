"""Bytes from a path or standard input, unpacked by what they are and not by their name."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa

from abrank._support.errors import NotFoundError, ReadError, nearest
from abrank.inputs.columns import Columns, Layout, Source
from abrank.inputs.lines import parse
from abrank.inputs.plain import BYTE_ORDER_MARK

STDIN = "-"
# What the unpackers raise where an archive is cut short or damaged.
DAMAGED = (EOFError, ValueError, OSError, zlib.error)
ENDINGS = (".gz", ".bz2", ".zst", ".run", ".qrels", ".txt", ".trec", ".csv", ".tsv", ".eval")

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
# The digits of pi open the first block, those of its square root close an empty file.
_BZIP2 = (b"1AY&SY", b"\x17rE8P\x90")


def read_columns(path: str | os.PathLike[str], layout: Layout) -> Columns:
    """Read a run or qrels file.

    Parameters
    ----------
    path : str or path
        ``-`` is standard input. gzip, bzip2 and Zstandard are told by their first bytes.
    layout : Layout

    Returns
    -------
    Columns

    Raises
    ------
    NotFoundError
        If there is no such file; names its look-alikes.
    ReadError
        If it cannot be opened, unpacked or used; names up to 20 bad lines.

    Examples
    --------
    >>> from abrank.inputs.columns import RUN
    >>> read_columns("bm25.run", RUN)
    Traceback (most recent call last):
    abrank._support.errors.NotFoundError: bm25.run: no such file
    """
    data, source = contents(path)
    return parse(data, layout, label=source.label, path=source.path, sha256=source.sha256)


def contents(path: str | os.PathLike[str]) -> tuple[bytes, Source]:
    """Return the unpacked bytes of a file, and its source without a number of rows.

    Raises
    ------
    NotFoundError, ReadError
        If the file cannot be opened or unpacked.
    """
    label = "stdin" if os.fspath(path) == STDIN else os.fspath(path)
    stored = _stored(path)
    named = None if os.fspath(path) == STDIN else label
    return unpack(stored, label), Source(named, hashlib.sha256(stored).hexdigest(), 0, label)


def read_unpacked(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file; gzip, bzip2 and Zstandard are unpacked.

    Raises
    ------
    NotFoundError, ReadError
        If it is not there, or cannot be opened or unpacked.

    Examples
    --------
    >>> read_unpacked("topics.tsv")
    Traceback (most recent call last):
    abrank._support.errors.NotFoundError: topics.tsv: no such file
    """
    return unpack(_stored(path), os.fspath(path))


@contextmanager
def opened(
    path: str | os.PathLike[str], *, hashes: bool = True
) -> Iterator[tuple[BinaryIO, Stored]]:
    """Open a file unpacked, and hash its bytes as they are stored while they are read.

    Parameters
    ----------
    path : str or path
    hashes : bool
        Whether there is a hash at the end; it takes longer than all the rest.

    Yields
    ------
    binary file
        What is inside gzip, bzip2 or Zstandard, and anything else as it is.
    Stored
        The file as it is stored.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.run.gz"
    >>> _ = path.write_bytes(gzip.compress(b"301 Q0 d1 1 2.5 bm25"))
    >>> with opened(path) as (file, stored):
    ...     print(file.read(), stored.sha256() == hashlib.sha256(path.read_bytes()).hexdigest())
    b'301 Q0 d1 1 2.5 bm25' True
    """
    with Path(path).open("rb") as raw:
        stored = Stored(raw, hashes=hashes)
        kind = _packing(raw.read(len(_BZIP2[0]) + 4))
        raw.seek(0)
        whole = cast(BinaryIO, stored)
        if kind == "gzip":
            yield cast(BinaryIO, gzip.GzipFile(fileobj=whole)), stored
        elif kind == "bzip2":
            yield cast(BinaryIO, bz2.BZ2File(whole)), stored
        elif kind == "Zstandard":
            yield pa.CompressedInputStream(pa.PythonFile(stored, "r"), "zstd"), stored
        else:
            yield whole, stored


class Stored:
    """A binary file whose bytes are hashed as they are read, if that is asked for."""

    closed = False

    def __init__(self, file: BinaryIO, *, hashes: bool) -> None:
        self._file = file
        self._hash = hashlib.sha256() if hashes else None

    def read(self, size: int = -1) -> bytes:
        """Return up to ``size`` bytes."""
        data = self._file.read(size)
        if self._hash is not None:
            self._hash.update(data)
        return data

    def sha256(self) -> str | None:
        """Return the hash of the whole file, or None if it was not asked for."""
        if self._hash is None:
            return None
        while self.read(1 << 20):
            pass
        return self._hash.hexdigest()


def looks_like_qrels(path: str | os.PathLike[str]) -> bool:
    """Whether the first line of a file has the four fields of qrels.

    Standard input can be read only once, so it is taken for a run unread.

    Raises
    ------
    NotFoundError, ReadError
        If the file cannot be opened or unpacked.

    Examples
    --------
    >>> looks_like_qrels("-")
    False
    """
    if os.fspath(path) == STDIN:
        return False
    data = read_unpacked(path).removeprefix(BYTE_ORDER_MARK)
    start = 0
    while start < len(data):
        end = data.find(b"\n", start)
        line = data[start : end if end >= 0 else len(data)]
        if line[:1] != b"#" and (fields := line.split()):
            return len(fields) == 4
        start += len(line) + 1
    return False


def short_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file without its folder and the endings of the field.

    Examples
    --------
    >>> short_name("runs/monot5.v2.run.gz"), short_name("-")
    ('monot5.v2', 'stdin')
    """
    if os.fspath(path) == STDIN:
        return "stdin"
    name = Path(path).name
    while any(name.lower().endswith(ending) for ending in ENDINGS) and not name.startswith("."):
        name = name.rpartition(".")[0]
    return name


def unpack(stored: bytes, label: str) -> bytes:
    """Return what is inside gzip, bzip2 or Zstandard, and anything else as it is.

    Raises
    ------
    ReadError
        If the archive is cut short or damaged.

    Examples
    --------
    >>> unpack(gzip.compress(b"301 0 d1 1"), "qrels.txt")
    b'301 0 d1 1'
    """
    kind = _packing(stored)
    try:
        if kind == "gzip":
            return gzip.decompress(stored)
        if kind == "bzip2":
            return bz2.decompress(stored)
        if kind == "Zstandard":
            with pa.CompressedInputStream(pa.BufferReader(stored), "zstd") as stream:
                return bytes(stream.read())
    except DAMAGED as error:
        message = f"the {kind} archive is cut short or damaged ({error})"
        raise ReadError(label, message, hint="copy or download the file again") from error
    return stored


def _packing(stored: bytes) -> str:
    if stored.startswith(_GZIP):
        return "gzip"
    if stored.startswith(_ZSTD):
        return "Zstandard"
    if stored.startswith(b"BZh") and stored[4:10] in _BZIP2:
        return "bzip2"
    return ""


def _stored(path: str | os.PathLike[str]) -> bytes:
    """Return the file's bytes as they are stored."""
    if os.fspath(path) == STDIN:
        return sys.stdin.buffer.read()
    file = Path(path)
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        raise NotFoundError(_not_found(file)) from error
    except IsADirectoryError as error:
        raise ReadError(str(path), "is a folder, not a file") from error
    except OSError as error:
        raise ReadError(str(path), f"cannot be read: {error.strerror}") from error


def _not_found(file: Path) -> str:
    """Return the message, with the file beside it that was probably meant."""
    if not file.parent.is_dir():
        return f"{file}: no such file (nor a folder {file.parent})"
    beside = [each for each in sorted(file.parent.iterdir()) if each.is_file()]
    # By whole names for a slip of the finger, by short names for an ending too few or too many.
    known = {short_name(each): each.name for each in beside} | {
        each.name: each.name for each in beside
    }
    found = nearest(file.name, known) or nearest(short_name(file), known)
    hint = f"\n  did you mean {known[found[0]]} ?" if found else ""
    return f"{file}: no such file{hint}"
