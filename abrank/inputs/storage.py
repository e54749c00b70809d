"""Storage of input bytes: compressed files, object stores, Delta Lake and Iceberg tables."""

# gzip, bzip2, Zstandard and zip are recognised by their first bytes. Every stream is checked, and
# the unpacked size is limited. The sheet of an Excel workbook that holds a table becomes CSV. A URI
# such as ``s3://bucket/a.run`` is read by pyarrow or fsspec. The folder of a Delta or Iceberg table
# also contains Parquet files of earlier versions, which only its own library can tell apart; Hudi
# tables are refused.

from __future__ import annotations

import csv
import datetime
import importlib
import io
import os
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

import pyarrow as pa

from abrank._support.errors import AbrankError, ArgumentError, NotFoundError, ReadError

# --- The bytes of a file: hashed as stored, unpacked, and limited in size

# Default limit in bytes for compressed files and sources of unknown size.
MOST_UNPACKED = 4 << 30
# Runs compress to about a tenth. A file with a higher ratio and very many rows is refused as a
# decompression bomb; rows are limited because a row takes more memory than its bytes.
MOST_GROWTH, MOST_ROWS = 200, 5_000_000

_GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
_ZSTD = b"\x28\xb5\x2f\xfd"
# A block begins with digits of pi; an empty file ends with those of its square root.
_BZIP2 = (b"1AY&SY", b"\x17rE8P\x90")
_LONGEST_MARK = 10


class Readable(Protocol):
    """An object that can be read forward."""

    def read(self, size: int, /) -> bytes:
        """Return up to ``size`` bytes, none at the end."""
        ...


class Stored:
    """A binary file that is read forward and hashed on request."""

    # n_bytes: bytes read so far.

    closed = False

    def __init__(
        self, file: BinaryIO, label: str, *, hashes: bool = True, endless: bool = False
    ) -> None:
        self.endless = endless
        self.n_bytes = 0
        self._file, self.label = file, label
        self._hash: Any = None
        if hashes:
            from hashlib import sha256  # imported late: its library is slow to load

            self._hash = sha256()
        self._ahead = b""

    def peek(self, size: int) -> bytes:
        """Return the next ``size`` bytes, fewer at the end, without consuming them."""
        while len(self._ahead) < size and (data := self._next(size - len(self._ahead))):
            self._ahead += data
        return self._ahead[:size]

    def read(self, size: int = 1 << 20) -> bytes:
        """Return up to ``size`` bytes, none at the end."""
        ahead, self._ahead = self._ahead[:size], self._ahead[size:]
        return ahead + self._next(size - len(ahead)) if len(ahead) < size else ahead

    def close(self) -> None:
        """Do nothing: the owner closes the file, but Arrow tries to close what it reads."""

    def sha256(self) -> str | None:
        """Return the hash of the whole file, or None if not requested."""
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
    """Convert an error of the system to one that names the file."""
    if isinstance(error, IsADirectoryError):
        return ReadError(label, "is a folder, not a file")
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return ReadError(label, f"cannot be read: {reason[:1].lower()}{reason[1:]}")


class Unpacked:
    """The content of an archive or plain file, readable forward only."""

    def __init__(self, stored: Stored, label: str, *, maximum: int | None = None) -> None:
        self._stored, self._label = stored, label
        self.requested = maximum  # size limit in bytes, if the user set one
        self.holds_files = False  # whether it is a zip of several files, which stays as it is
        self.kind, self._file = "", cast(Readable, stored)
        self._is_bounded = stored.endless or maximum is not None
        self._n_bytes = self._n_rows = 0
        self.kind, self._file = self._opened()
        self._is_bounded |= bool(self.kind)

    def read(self, size: int) -> bytes:
        """Return up to ``size`` bytes, none at the end."""
        try:
            data = bytes(self._file.read(size))
        except (ReadError, MemoryError):
            raise  # error of the underlying file
        except Exception as error:  # decompressors can raise anything on damaged data
            problem = f"the {self.kind} archive is cut short or damaged ({error})"
            hint = "copy or download the file again"
            raise ReadError(self._label, problem, hint=hint) from error
        self._n_bytes += len(data)
        if not self._is_bounded:
            return data
        n_packed = self._stored.n_bytes if self.kind else self._n_bytes
        if self.kind:  # no row limit for JSON, which may be a single line
            self._n_rows += data.count(b"\n") or data.count(b",")
        problem, hint = excess(
            self._n_bytes, self.requested, n_rows=self._n_rows, n_packed=n_packed
        )
        if problem:
            subject = f"the {self.kind} archive unpacks to" if self.kind else "holds"
            raise ReadError(self._label, f"{subject} {problem}", hint=hint)
        return data

    def _opened(self) -> tuple[str, Readable]:
        """Return the compression of the file, and its content; plain files load no decompressor."""
        stored = self._stored
        start = stored.peek(_LONGEST_MARK)
        if start.startswith(_GZIP):
            import gzip

            return "gzip", gzip.GzipFile(fileobj=cast(BinaryIO, stored))
        if start.startswith(ZIP):
            data = b"".join(iter(partial(self.read, 1 << 20), b""))
            self._n_bytes = 0
            kind, content = _opened_zip(data, self._label, self.requested)
            self.holds_files = not kind
            return kind, content
        kind, codec = ("Zstandard", "zstd") if start.startswith(_ZSTD) else ("", "")
        if start.startswith(b"BZh") and start[4:10] in _BZIP2:
            kind, codec = "bzip2", "bz2"
        if kind:
            stream: Any = pa.CompressedInputStream(pa.PythonFile(stored, "r"), codec)
            return kind, cast(Readable, stream)
        return "", stored


MOST_SHEETS = 5  # sheets listed in an error


def _opened_zip(data: bytes, label: str, requested: int | None) -> tuple[str, Readable]:
    """Return the file in a zip and its kind; for several files the zip itself, without a kind."""
    import zipfile

    as_it_is = "", io.BytesIO(data)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return as_it_is  # its reader reports the damage
    held = [entry for entry in archive.infolist() if not entry.is_dir()]
    if any(entry.filename == "[Content_Types].xml" for entry in held):
        n_bytes = sum(entry.file_size for entry in held)
        problem, hint = excess(n_bytes, requested, n_rows=0, n_packed=len(data))
        if problem:
            raise ReadError(label, f"the Excel workbook holds {problem}", hint=hint)
        return "Excel", io.BytesIO(_text_of_workbook(data, label))
    # Ignore the metadata that macOS adds.
    held = [entry for entry in held if not entry.filename.startswith("__MACOSX/")]
    is_encrypted = any(entry.flag_bits & 1 for entry in held)
    if len(held) != 1 or is_encrypted or held[0].filename.startswith("samples/"):
        return as_it_is
    try:
        return "zip", archive.open(held[0])
    except (zipfile.BadZipFile, NotImplementedError):
        return as_it_is


def _text_of_workbook(data: bytes, label: str) -> bytes:
    """Return the only sheet of a workbook with a table of numbers, as CSV."""
    try:
        openpyxl = importlib.import_module("openpyxl")
    except ImportError:
        hint = f"with openpyxl it is read: pip install openpyxl; or {EXPORT}"
        raise ReadError(label, "is an Excel workbook", hint=hint) from None
    tables: dict[str, bytes] = {}
    texts: dict[str, bytes] = {}  # sheets without numbers
    try:
        with warnings.catch_warnings(action="ignore"):  # about styles and data validation
            book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
            for sheet in book.worksheets:
                if sheet.sheet_state == "visible" and (text := _text(rows := [*sheet.values])):
                    n_filled, n_numbers = (
                        sum(any(isinstance(cell, kind) for cell in row) for row in rows)
                        for kind in ((str, int, float), (int, float))
                    )
                    is_table = n_numbers > 1 and 2 * n_numbers > n_filled
                    (tables if is_table else texts)[sheet.title] = text
    except MemoryError:
        raise  # the command line explains how to install it
    except Exception as error:  # openpyxl passes on any error of its parsers
        problem = f"is an Excel workbook that cannot be read ({error})"
        raise ReadError(label, problem, hint=EXPORT) from error
    tables = tables or texts
    if len(tables) == 1:
        return next(iter(tables.values()))
    problem = f"is an Excel workbook with {len(tables)} sheets that hold cells"
    if tables:
        problem += f" ({', '.join([*tables][:MOST_SHEETS])})"
    hint = "write the table that is meant as CSV, and give that; of a sheet a variant give"
    hint += f" compare_scores(pandas.read_excel({label!r}, sheet_name=None))"
    raise ReadError(label, problem, hint=hint)


def _text(rows: Iterable[tuple[object, ...]]) -> bytes:
    """Convert rows to CSV, empty rows to empty lines; b"" for an empty sheet."""

    def cell(value: object) -> str:
        is_day = isinstance(value, datetime.datetime) and value.time() == datetime.time()
        return "" if value is None else str(value)[:10] if is_day else str(value)

    lines = [[*map(cell, row)] for row in rows]
    width = max((i for cells in lines for i, text in enumerate(cells, 1) if text), default=0)
    while lines and not any(lines[-1]):
        lines.pop()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows((cells + [""] * width)[:width] if any(cells) else [] for cells in lines)
    return text.getvalue().encode()


# First bytes of files that are no text: archives first, then tables, then others.
UNPACK = "unpack it: gzip, bzip2, Zstandard and a zip of one file are read as they are"
EXPORT = "write its table as CSV, JSON or Parquet, and give that"
_NO_TEXT = {
    ZIP: ("a zip archive", UNPACK),
    b"\xfd7zXZ\x00": ("an xz archive", UNPACK),
    b"7z\xbc\xaf": ("a 7z archive", UNPACK),
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook", EXPORT),
    b"\x93NUMPY": ("an array of NumPy", EXPORT),
    b"SQLite format 3": ("a database of SQLite", EXPORT),
    b"\x89HDF": ("an HDF5 file", EXPORT),
    **{bytes([0x80, protocol]): ("a pickle", EXPORT) for protocol in range(2, 6)},
    b"PAR1": ("a Parquet file", "give it as it is, not packed"),
    b"\x89PNG": ("an image", ""),
    b"\xff\xd8\xff": ("an image", ""),
    b"%PDF-": ("a PDF", ""),
    b"\x7fELF": ("a program", ""),
}
_LOOKED_AT = 4096  # bytes
_FEWEST_CONTROLS = 8  # control characters among them; fewer are treated as errors in a text
_CONTROLS = bytes({*range(32)} - {*b"\t\n\v\f\r"})


def not_text(start: bytes) -> tuple[str, str]:
    """Return why a file is no text, and what to do; empty for a text."""
    kind, hint = next((kind for mark, kind in _NO_TEXT.items() if start.startswith(mark)), ("", ""))
    start = start[:_LOOKED_AT]
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


def excess(n_bytes: int, requested: int | None, *, n_rows: int, n_packed: int) -> tuple[str, str]:
    """Return by what a file is too large, and what to do; empty if it is not."""
    maximum = MOST_UNPACKED if requested is None else requested
    many = requested is None and n_rows > MOST_ROWS and n_bytes > MOST_GROWTH * n_packed
    if n_bytes <= maximum and not many:
        return "", ""
    problem = f"more than {_size(maximum)} bytes, the most that is read"
    if many:
        problem = f"more than {MOST_ROWS:,} rows, packed beyond {MOST_GROWTH} to 1"
    limit = _size(4 * maximum)
    return problem, (
        "if it is meant to, write it as text that is not packed, which may have any size, or raise"
        f" the limit: --max-input-size {limit} (of compare: --config max_input_size={limit};"
        f" max_input_size={4 * maximum})"
    )


def _size(size: int) -> str:
    for unit, name in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if size >= unit and size % unit == 0:
            return f"{size // unit}{name}"
    return str(size)


# --- Objects in a store

# `pyarrow.fs` is imported late, because its import takes longer than reading an everyday file.

WILD = re.compile(r"[*?]")


def is_uri(path: object) -> bool:
    """Whether a source is the URI of an object in a store."""
    return isinstance(path, (str, os.PathLike)) and "://" in os.fspath(path)


def located(path: str) -> tuple[Any, str]:
    """Return the file system of a path or URI, and the path in it."""
    from pyarrow import fs

    if not is_uri(path):
        return fs.LocalFileSystem(), os.path.abspath(path)  # noqa: PTH100 - for workers
    if path.startswith(("http://", "https://")):  # its content may change between two reads
        hint = "download it, and give the file's name"
        raise ReadError(path, "is no file of this machine, and no object of a store", hint=hint)
    wild = WILD.search(path)
    folder, _, name = path[: wild.start()].rpartition("/") if wild else (path, "", "")
    try:
        place, inside = fs.FileSystem.from_uri(folder)
    except (pa.ArrowInvalid, NotImplementedError, ImportError) as problem:  # ImportError: hf://
        try:
            from fsspec.core import url_to_fs  # type: ignore[import-not-found,unused-ignore]
        except ImportError as error:
            hint = "fsspec may know it: pip install fsspec"
            raise ArgumentError(f"{path}: {problem}; {hint}") from error
        try:
            place, inside = url_to_fs(folder)
        except (ImportError, ValueError) as error:  # a missing package, or an unknown scheme
            raise ArgumentError(f"{path}: {error}") from error
        place = fs.PyFileSystem(fs.FSSpecHandler(place))
    return place, f"{inside}/{name}{path[wild.start() :]}" if wild else inside


@contextmanager
def storage(label: str, place: Any = None) -> Iterator[None]:  # noqa: ANN401 - a file system
    """Convert errors of a file system to errors that name the source."""
    # Errors of fsspec can be of any type, because its file systems come from many packages.
    from pyarrow import fs

    try:
        yield
    except AbrankError:
        raise
    except FileNotFoundError as error:
        raise NotFoundError(f"{label}: there is no such object") from error
    except (OSError, pa.ArrowException) as error:
        raise ReadError(label, f"cannot be read: {error}") from error
    except Exception as error:  # only from fsspec; elsewhere it would be a bug of abrank
        if isinstance(place, fs.PyFileSystem):
            raise ReadError(label, f"cannot be read: {error}") from error
        raise


def open_object(uri: str) -> BinaryIO:
    """Open an object for reading; data are fetched as they are read, and not stored on disk."""
    with storage(uri):
        place, inside = located(uri)
    with storage(uri, place):
        file: BinaryIO = place.open_input_stream(inside, compression=None)
        return file


# --- Tables of data lakes

# Paths below a table's folder that identify its format.
_MARKS = {
    "Delta": re.compile(r"/_delta_log/"),
    "Iceberg": re.compile(r"/metadata/[^/]*\.metadata\.json$"),
    "Hudi": re.compile(r"/\.hoodie/"),
}
_HOW = {
    "Delta": "with deltalake (pip install deltalake) abrank reads its folder, without --engine; or"
    " write the current version as one Parquet file",
    "Iceberg": "with pyiceberg (pip install 'pyiceberg[pyarrow]') abrank reads its folder, without"
    " --engine; or write the current version as one Parquet file",
    "Hudi": "write its current version as one Parquet file:"
    " spark.read.format('hudi').load(PATH).write.parquet(...)",
}


def format_of(paths: list[str]) -> str:
    """Return the table format whose marks are among the paths below a folder; empty for none."""
    for name, mark in _MARKS.items():
        if any(mark.search(path) for path in paths):
            return name
    return ""


def format_of_folder(path: str | os.PathLike[str]) -> str:
    """Return the table format of a local folder; empty for none."""
    folder = Path(path)
    try:
        if not folder.is_dir():
            return ""
        marks = [
            f"/{entry.relative_to(folder).as_posix()}{'/' if entry.is_dir() else ''}"
            for pattern in ("_delta_log", ".hoodie", "metadata/*.metadata.json")
            for entry in folder.glob(pattern)
        ]
    except (OSError, ValueError):  # no access to the folder, or an impossible name
        return ""
    return format_of(marks)


TABLES = (".parquet", ".parq", ".pq")


def require_no_lake(path: str | os.PathLike[str], label: str) -> None:
    """Refuse a file inside a table's folder, which may belong to an earlier version."""
    # Delta keeps files next to its log or in partition folders, Iceberg in `data`.
    for folder in (absolute := Path(path).absolute(), *absolute.parents):
        if kind := format_of_folder(folder):
            problem = f"is part of a table of {kind}, and may be of an earlier version"
            raise ReadError(label, problem, hint=f"give its folder: {folder}")
        if "=" not in folder.name and folder.name != "data":
            return


def folder_table(path: str | os.PathLike[str]) -> pa.Table | None:
    """Return the table in a folder, a data lake's or of Parquet files; None for other paths."""
    if format_of_folder(path):
        return read_lake(path)
    if not has_parquet(path):
        return None
    require_tables_alone(path)
    from pyarrow import parquet

    with storage(os.fspath(path)):
        return parquet.read_table(os.fspath(path), page_checksum_verification=True)


def has_parquet(source: object) -> bool:
    """Whether a source is a folder that contains Parquet files."""
    if not isinstance(source, (str, os.PathLike)):
        return False
    try:
        return Path(source).is_dir() and next(Path(source).rglob("*.parquet"), None) is not None
    except OSError:  # name too long, or no access to the folder: the reader reports it
        return False


def require_tables_alone(path: str | os.PathLike[str]) -> None:
    """Refuse a folder with files other than Parquet; only names are checked."""
    require_no_lake(path, os.fspath(path))
    for folder, folders, names in os.walk(path):
        if kind := format_of_folder(folder):
            raise lake_refusal(folder, kind)
        # Hidden files are marks of the program that wrote the folder, such as _SUCCESS.
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in names:
            if not name.startswith((".", "_")) and not name.endswith(TABLES):
                raise ReadError(
                    os.fspath(path),
                    f"is a folder that holds other files than Parquet, {Path(folder) / name}",
                    hint="give the table itself, or a folder of one table's Parquet files alone",
                )


def lake_refusal(label: str, kind: str) -> ReadError:
    """Return the error that a table of this format cannot be read as Parquet files."""
    problem = f"is a table of {kind}, whose folder holds the files of earlier versions, too"
    return ReadError(label, problem, hint=_HOW[kind])


def read_lake(path: str | os.PathLike[str]) -> pa.Table:
    """Return the current version of a table."""
    label, kind = os.fspath(path), format_of_folder(path)
    try:
        if kind == "Delta":
            from deltalake import DeltaTable

            return DeltaTable(label).to_pyarrow_table()
        if kind == "Iceberg":
            tables = importlib.import_module("pyiceberg.table")
            metadata = str(_newest(Path(path)))
            return tables.StaticTable.from_metadata(metadata).scan().to_arrow()
    except ImportError as error:
        raise lake_refusal(label, kind) from error
    except Exception as error:  # these libraries can raise anything
        raise ReadError(label, f"the {kind} table cannot be read: {error}") from error
    raise lake_refusal(label, kind)


def _newest(folder: Path) -> Path:
    """Return the metadata file of the current version: the hinted one, else the last one."""
    # Format: https://iceberg.apache.org/spec/#file-system-tables
    metadata = folder / "metadata"
    hint = metadata / "version-hint.text"
    if hint.exists():
        named = metadata / f"v{hint.read_text(encoding='utf-8').strip()}.metadata.json"
        if named.exists():
            return named

    def number(file: Path) -> int:
        digits = re.match(r"v?(\d+)", file.name)
        return int(digits[1]) if digits else -1

    return max(metadata.glob("*.metadata.json"), key=number)
