"""A file's bytes: hashed as they are stored, unpacked by what they are, their growth bounded."""

# gzip, bzip2 and Zstandard are told by their first bytes, and every stream of them is checked.

from __future__ import annotations

import zlib
from typing import Any, BinaryIO, Protocol, cast

import pyarrow as pa

from abrank._support.errors import ReadError

# Unless told otherwise, what is packed, or has no known end, may give this many bytes.
MOST_UNPACKED = 4 << 30
# A run packs to a tenth; a file that grows to more than this times its size is made to fill memory.
# What is read as it comes may repeat itself more (the same documents for every query) than a table
# of columns, that more than text whose columns are held whole, that more than one text of JSON, and
# that more than what becomes an object a cell: these take several times their size in memory, the
# last some thirty.
MOST_GROWTH, MOST_TABLE, MOST_HELD, MOST_TREE, MOST_OBJECTS = 250, 32, 12, 6, 2
_SMALL, _SMALL_OBJECTS = 32 << 20, 16 << 20  # bytes that no growth is too much for
# Rows and cells are counted as of a file of so many bytes at least: whole numbers and scores of few
# decimals pack to very little.
LEAST = 8 << 20
CELL = 26  # bytes that a cell counts for at least: the shortest takes nearly as much memory as any

# What the unpackers raise where an archive is cut short or damaged.
_DAMAGED = (EOFError, ValueError, OSError, zlib.error)

_GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
_ZSTD = b"\x28\xb5\x2f\xfd"
# The digits of pi open the first block, those of its square root close an empty file.
_BZIP2 = (b"1AY&SY", b"\x17rE8P\x90")
_LONGEST_MARK = 10

_STEP = 1 << 16  # bytes of an archive handed to bzip2 at once


class Readable(Protocol):
    """What can be read forward."""

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` bytes, none at the end."""
        ...


class Stored:
    """A binary file that is read forward and hashed, if that is asked for."""

    # n_bytes: Read so far.

    closed = False

    def __init__(
        self, file: BinaryIO, label: str, *, hashes: bool = True, endless: bool = False
    ) -> None:
        self.endless = endless
        self.n_bytes = 0
        self._file, self.label = file, label
        self._hash: Any = None
        if hashes:
            from hashlib import sha256  # its library takes as long to load as ten of our modules

            self._hash = sha256()
        self._ahead = b""

    def peek(self, size: int) -> bytes:
        """Return the next ``size`` bytes, fewer at the end, and leave them to be read."""
        while len(self._ahead) < size and (data := self._next(size - len(self._ahead))):
            self._ahead += data
        return self._ahead[:size]

    def read(self, size: int = 1 << 20) -> bytes:
        """Return up to ``size`` bytes, none at the end."""
        ahead, self._ahead = self._ahead[:size], self._ahead[size:]
        return ahead + self._next(size - len(ahead)) if len(ahead) < size else ahead

    def close(self) -> None:
        """Do nothing: who opened the file closes it (Arrow closes what it reads)."""

    def sha256(self) -> str | None:
        """Return the hash of the whole file, or None if it was not asked for."""
        if self._hash is None:
            return None
        while self.read():
            pass
        return str(self._hash.hexdigest())

    def _next(self, size: int) -> bytes:
        try:
            data = self._file.read(size)
        except OSError as error:
            raise refusal(self.label, error) from error
        self.n_bytes += len(data)
        if self._hash is not None:
            self._hash.update(data)
        return data


def refusal(label: str, error: Exception) -> ReadError:
    """Return what the system said as an error that names the file."""
    if isinstance(error, IsADirectoryError):
        return ReadError(label, "is a folder, not a file")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return ReadError(label, f"cannot be read: {reason[:1].lower()}{reason[1:]}")


class Unpacked:
    """What is inside an archive, or a file as it is; read like a binary file, but only forward."""

    # asked: How many bytes it may hold, if that was said.
    # growth: How many times its size it may grow to otherwise.
    # hint: What to do where it grows more, if that is not to ask for more.

    def __init__(
        self,
        stored: Stored,
        label: str,
        *,
        most: int | None = None,
        growth: int = MOST_GROWTH,
        hint: str = "",
    ) -> None:
        self._stored, self._label, self.asked, self._growth = stored, label, most, growth
        self._hint = hint
        self._kind, self._file = _opened(stored)
        bounded = bool(self._kind) or stored.endless
        self._most = most if most is not None else MOST_UNPACKED if bounded else None
        self._n_bytes = 0

    def require_few(self, n: int, kind: str = "rows", *, cells: int = 1) -> None:
        """Refuse more rows, of so many cells each, than a packed file of this size may hold."""
        n_bytes = self._stored.n_bytes
        grows = self._kind and self.asked is None
        if grows and n * cells > most_unpacked(max(n_bytes, LEAST), MOST_HELD) // CELL:
            problem = f"holds {n:,} {kind} in {n_bytes:,} bytes, too many for its size"
            raise ReadError(self._label, problem, hint=self._hint or _grown("", MOST_HELD)[1])

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes, none at the end."""
        try:
            data = bytes(self._file.read(size))
        except ReadError:
            raise  # of the file beneath
        except _DAMAGED as error:
            problem = f"the {self._kind} archive is cut short or damaged ({error})"
            hint = "copy or download the file again"
            raise ReadError(self._label, problem, hint=hint) from error
        self._n_bytes += len(data)
        self._require_room()
        return data

    def bound(self, growth: int) -> None:
        """Let it grow to so many times its size only."""
        self._growth = growth
        self._require_room()

    def _require_room(self) -> None:
        text = f"the {self._kind} archive unpacks to" if self._kind else "holds"
        grows = self._kind and self.asked is None
        if self._most is not None and self._n_bytes > self._most:
            problem, hint = _beyond(text, self._most)
        elif grows and self._n_bytes > most_unpacked(self._stored.n_bytes, self._growth):
            problem, hint = _grown(text, self._growth)
        else:
            return
        raise ReadError(self._label, problem, hint=self._hint or hint)


def _opened(stored: Stored) -> tuple[str, Readable]:
    """Return how a file is packed, and its content; most are not, and load no unpacker."""
    start = stored.peek(_LONGEST_MARK)
    if start.startswith(_GZIP):
        import gzip

        return "gzip", gzip.GzipFile(fileobj=cast(BinaryIO, stored))
    if start.startswith(_ZSTD):
        stream: Any = pa.CompressedInputStream(pa.PythonFile(stored, "r"), "zstd")
        return "Zstandard", cast(Readable, stream)
    if start.startswith(b"BZh") and start[4:10] in _BZIP2:
        return "bzip2", _Bzip2(stored)
    return "", stored


# What is no text, by its first bytes: archives first, then what holds tables, then the rest.
UNPACK = "unpack it: gzip, bzip2 and Zstandard are read as they are"
_EXPORT = "write its table as CSV, JSON or Parquet, and give that"
_NO_TEXT = {
    ZIP: ("a zip archive", UNPACK),
    b"\xfd7zXZ\x00": ("an xz archive", UNPACK),
    b"7z\xbc\xaf": ("a 7z archive", UNPACK),
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook", _EXPORT),
    b"\x93NUMPY": ("an array of NumPy", _EXPORT),
    b"SQLite format 3": ("a database of SQLite", _EXPORT),
    b"\x89HDF": ("an HDF5 file", _EXPORT),
    **{bytes([0x80, protocol]): ("a pickle", _EXPORT) for protocol in range(2, 6)},
    b"PAR1": ("a Parquet file", "give it as it is, not packed"),
    b"\x89PNG": ("an image", ""),
    b"\xff\xd8\xff": ("an image", ""),
    b"%PDF-": ("a PDF", ""),
    b"\x7fELF": ("a program", ""),
}
_LOOKED_AT = 4096  # bytes
_FEWEST_CONTROLS = 8  # of them; in a text a slip of the pen is an error of its line
_CONTROLS = bytes({*range(32)} - {*b"\t\n\v\f\r"})


def not_text(start: bytes) -> tuple[str, str]:
    """Return what is wrong with a file that is no text, and what to do; empty for a text."""
    kind, hint = next((kind for mark, kind in _NO_TEXT.items() if start.startswith(mark)), ("", ""))
    start = start[:_LOOKED_AT]
    if kind == "a zip archive" and (b"[Content_Types].xml" in start or b"xl/" in start):
        kind, hint = "an Excel workbook", _EXPORT
    if start[257:262] == b"ustar":
        kind, hint = "a tar archive", UNPACK
    if kind:
        return f"is {kind}, which is not read", hint
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "this looks like UTF-16", "save it as UTF-8"
    n_controls = len(start) - len(start.translate(None, _CONTROLS))
    if n_controls >= _FEWEST_CONTROLS and n_controls > len(start) // 20:
        return "is no text file: it holds bytes that no text has", ""
    return "", ""


class _Bzip2:
    """All streams of a bzip2 file; ``bz2.BZ2File`` takes a damaged one for the end of the file."""

    def __init__(self, stored: Stored) -> None:
        from bz2 import BZ2Decompressor

        self._stored, self._next_stream = stored, BZ2Decompressor
        self._stream = BZ2Decompressor()

    def read(self, size: int) -> bytes:
        """Return between 1 and ``size`` bytes, none behind the last stream."""
        data = b""
        while not data:
            packed = b""
            if self._stream.eof:
                packed = self._stream.unused_data or self._stored.read(_STEP)
                if not packed:
                    break
                self._stream = self._next_stream()
            elif self._stream.needs_input:
                packed = self._stored.read(_STEP)
                if not packed:
                    raise EOFError("its last stream has no end")
            data = self._stream.decompress(packed, size)
        return data


def most_unpacked(n_bytes: int, growth: int = MOST_GROWTH) -> int:
    """Return how much a packed file may unpack to unless told otherwise."""
    return max(_SMALL if growth > MOST_OBJECTS else _SMALL_OBJECTS, growth * n_bytes)


def most_in_table(n_bytes: int, requested: int | None, growth: int = MOST_TABLE) -> int:
    """Return how many bytes a table in a file of ``n_bytes`` may hold."""
    return min(MOST_UNPACKED, most_unpacked(n_bytes, growth)) if requested is None else requested


def too_much(
    n_bytes: int, requested: int | None, growth: int = MOST_TABLE, *, kind: str = "holds"
) -> tuple[str, str]:
    """Return what to say of a table in a file of ``n_bytes`` that holds more, and what to do."""
    if requested is None and most_unpacked(n_bytes, growth) < MOST_UNPACKED:
        return _grown(kind, growth)
    return _beyond(kind, MOST_UNPACKED if requested is None else requested)


def _beyond(kind: str, maximum: int) -> tuple[str, str]:
    return (
        f"{kind} more than {_size(maximum)} bytes, the most that is read",
        f"if it is meant to, raise the limit: --max-input-size {_size(4 * maximum)} (of compare:"
        f" --config max_input_size={_size(4 * maximum)}; max_input_size={4 * maximum})",
    )


def _grown(kind: str, growth: int) -> tuple[str, str]:
    return (
        f"{kind} more than {growth} times its size, as no run or judgments do",
        "if it is meant to, say how much may be read: --max-input-size 1G (of compare:"
        " --config max_input_size=1G; max_input_size=2**30)",
    )


def _size(size: int) -> str:
    """Return a number of bytes in the largest unit that fits."""
    for unit, name in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if size >= unit and size % unit == 0:
            return f"{size // unit}{name}"
    return str(size)
