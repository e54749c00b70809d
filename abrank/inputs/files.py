"""Open files from a path or standard input; the format is told by content, not by name."""

from __future__ import annotations

import codecs
import hashlib
import importlib
import io
import os
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import BinaryIO, TypeAlias

from abrank._support.errors import ArgumentError, NotFoundError, ReadError, nearest
from abrank.inputs import arrow, objects, storage, text_files
from abrank.inputs.arrow import LONGEST_MARK, kind_of, names_of
from abrank.inputs.columns import QRELS, RUN, Columns, Layout, Source, choose_columns, holds_grades
from abrank.inputs.objects import of_table
from abrank.inputs.storage import TABLES, Stored, Unpacked, folder_table, format_of_folder, is_uri
from abrank.inputs.trec import BYTE_ORDER_MARK, MOST_LINE, first_long_line, parse

STDIN = "-"
IRDS = "irds:"
ENDINGS = (
    ".gz", ".bz2", ".zst", ".zip", ".xlsx", ".lz4", ".run", ".qrels", ".txt", ".trec", ".csv",
    ".tsv", ".eval", ".parquet", ".parq", ".pq", ".feather", ".arrow", ".json", ".jsonl", ".letor",
    ".svm",
)  # fmt: skip

_PIECE = 8 << 20  # bytes parsed at once: work for two Arrow threads
_STEP = 1 << 20


# --- Detect the format from the first bytes

TableReader: TypeAlias = Callable[[Iterable[bytes], str, Layout, Mapping[str, str] | None], Columns]

_LOOKED_AT = 20  # lines
_WIDTHS = {6: "a TREC run", 4: "TREC judgments", 3: "a run of three columns"}


def table_reader(start: bytes) -> TableReader | None:
    """Return the reader for a text with column names; None for other texts."""
    if text_files.looks_like_json(start.removeprefix(BYTE_ORDER_MARK)):
        return text_files.read_json
    return text_files.read_table if text_files.header_of(start)[1] else None


def likeness(start: bytes) -> str:
    """Guess what an unpacked file is from its first bytes; empty if unclear."""
    kind = kind_of(start)
    if kind or start.startswith(text_files.LZ4_MARK):
        return f"a file of {kind or 'ranx'}"
    reader = table_reader(start)
    if reader is not None:
        return "JSON" if reader is text_files.read_json else "a table of text"
    lines = _first_lines(start)
    if lines and text_files.looks_like_letor(lines[0]):
        return "LETOR lines"
    if lines and lines[0].lower().lstrip().startswith((b"<!doctype html", b"<html")):
        return "a page of HTML"
    widths = {len(line.split()) for line in lines[:-1] or lines}  # the last one may be incomplete
    return _WIDTHS.get(widths.pop(), "") if len(widths) == 1 else ""


def _first_lines(start: bytes) -> list[bytes]:
    lines = [line for line in start.removeprefix(BYTE_ORDER_MARK).split(b"\n") if line.strip()]
    # Comments can have any width. If all lines begin with #, they are records.
    return ([line for line in lines if not line.startswith(b"#")] or lines)[:_LOOKED_AT]


# --- Reading


def read_columns(
    source: object,  # whatever read_run or read_qrels reads, but a Run or Qrels
    layout: Layout,
    *,
    columns: Mapping[str, str] | None = None,
    max_input_size: int | None = None,
) -> Columns:
    """Return the rows of judgments or a run from a file or an object, unsorted."""
    if not isinstance(source, (str, os.PathLike)):
        return objects.read_columns(source, layout, columns=columns)
    path = source
    if os.fspath(path).startswith(IRDS):
        return _of_ir_datasets(os.fspath(path), layout)
    table = folder_table(path)
    if table is not None:
        label = os.fspath(path)
        read = objects.read_columns(table, layout, columns=columns, label=label)
        return replace(read, source=replace(read.source, path=label))
    with opened(path, max_input_size=max_input_size) as (file, stored):
        read = _read(file, stored, layout, columns)
        source = replace(read.source, path=_named(path), sha256=stored.sha256())
    return replace(read, source=source)


def _of_ir_datasets(name: str, layout: Layout) -> Columns:
    if layout is RUN:
        raise ReadError(name, "names judgments; a run is a file, a table or a dict")
    try:
        ir_datasets = importlib.import_module("ir_datasets")
    except ImportError as error:
        raise ReadError(name, "needs ir_datasets", hint="pip install ir_datasets") from error
    try:
        judgments = ir_datasets.load(name.removeprefix(IRDS)).qrels_iter()
        rows = [(row.query_id, row.doc_id, row.relevance) for row in judgments]
    except Exception as error:  # downloads can raise anything
        raise ReadError(name, f"cannot be read by ir_datasets: {error}") from error
    return objects.read_columns(rows, QRELS, columns=None, label=name)


def _read(
    file: Unpacked, stored: Stored, layout: Layout, columns: Mapping[str, str] | None
) -> Columns:
    label, mark = stored.label, stored.peek(LONGEST_MARK)
    if kind_of(mark):
        choose = partial(choose_columns, layout=layout, columns=columns, label=label)
        data = _rest(file)
        chosen, table_columns = arrow.file_columns(data, label, choose, maximum=file.requested)
        return of_table(table_columns, label, layout, chosen=chosen)
    if mark.startswith(text_files.LZ4_MARK):
        return text_files.read_lz4(_rest(file), label, layout, columns, maximum=file.requested)
    start = file.read(_STEP)
    read_table, first = table_reader(start), _first_lines(start)
    if read_table is not None:
        return read_table(_texts(file, label, ahead=start), label, layout, columns)
    if columns:
        raise ArgumentError("columns= is for tables and named tuples, not for TREC's files")
    lines = pieces(file, label, ahead=start)
    if first and text_files.looks_like_letor(first[0]):
        return text_files.read_letor(lines, label, layout)
    if first and (width := text_files.width_of_three(first, layout)):
        return text_files.read_three(lines, label, layout, width)
    return parse(lines, layout, label=label)


def contents(
    path: str | os.PathLike[str], *, lines: bool = True, tables: bool = False, zips: bool = False
) -> tuple[bytes, Source]:
    """Return the unpacked content of a file, and its source without a row count."""
    table = folder_table(path) if tables else None
    if table is not None:
        data = arrow.feather_of(table)
        return data, Source(_named(path), hashlib.sha256(data).hexdigest(), 0, os.fspath(path))
    with opened(path) as (file, stored):
        label = stored.label
        mark = stored.peek(LONGEST_MARK)
        if (tables and kind_of(mark)) or (zips and file.holds_files):
            data = _rest(file)
        else:
            start = file.read(_STEP)
            if tables and start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                with suppress(UnicodeDecodeError):  # UTF-16, as Excel and Tableau write it
                    start = (start + _rest(file)).decode("utf-16").encode()
            is_tree = text_files.looks_like_json(start.removeprefix(BYTE_ORDER_MARK))
            if lines and not (tables and is_tree):
                data = _joined(pieces(file, label, ahead=start))
            else:
                data = _joined(_texts(file, label, ahead=start))
        return data, Source(_named(path), stored.sha256(), 0, label)


def hashed(path: str | os.PathLike[str]) -> Source:
    """Return the source of a file that is read elsewhere, with its hash."""
    with opened(path) as (_, stored):
        return Source(_named(path), stored.sha256(), 0, stored.label)


@contextmanager
def opened(
    path: str | os.PathLike[str], *, hashes: bool = True, max_input_size: int | None = None
) -> Iterator[tuple[Unpacked, Stored]]:
    """Open and unpack a file; its stored bytes are hashed while they are read."""
    is_stdin = os.fspath(path) == STDIN
    label = "stdin" if is_stdin else os.fspath(path)
    if is_stdin and sys.stdin is None:
        raise ReadError(label, "is closed", hint="pipe a file into it, or give a file's name")
    with nullcontext(sys.stdin.buffer) if is_stdin else _open(path) as raw:
        is_regular = is_uri(path) or (not is_stdin and stat.S_ISREG(os.fstat(raw.fileno()).st_mode))
        stored = Stored(raw, label, hashes=hashes, endless=not is_regular)
        yield Unpacked(stored, label, maximum=max_input_size), stored


def _open(path: str | os.PathLike[str]) -> BinaryIO:
    if is_uri(path) and not Path(path).exists():
        return storage.open_object(os.fspath(path))
    if "\n" in os.fspath(path):
        raise ReadError(
            f"{os.fspath(path).lstrip()[:40].splitlines()[0]}…",
            "is text of several lines, not the name of a file",
            hint="write it to a file, or pass a table: pandas.read_csv(io.StringIO(text))",
        )
    if os.fspath(path).endswith(TABLES):
        storage.require_no_lake(Path(path).parent, os.fspath(path))
    try:
        return Path(path).open("rb")
    except FileNotFoundError as error:
        raise NotFoundError(_not_found(Path(path))) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise storage.refusal(os.fspath(path), error) from error


def is_regular(path: str | os.PathLike[str]) -> bool:
    """Whether this is a regular file on disk, which can be read twice."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):  # no access to the folder, or an impossible name
        return False


def looks_like_qrels(path: str | os.PathLike[str]) -> bool:
    """Whether the first line of a file has the four fields of qrels, or its columns hold grades.

    False for sources that can be read only once, such as standard input, for JSON and for missing
    files.

    Raises
    ------
    ReadError
        If the file cannot be opened or unpacked.

    Examples
    --------
    >>> looks_like_qrels("-")
    False
    """
    if os.fspath(path).startswith(IRDS):
        return True
    if format_of_folder(path):
        return holds_grades(storage.read_lake(path).column_names)
    if not is_regular(path):
        return False
    names, start = beginning(path)
    if text_files.looks_like_json(start):
        return False
    if names := names or text_files.header_of(start)[1]:
        return holds_grades(names)
    line = next(iter(_first_lines(start)), b"")
    fields = line.split()
    is_comment = line.startswith(b"#") and not (fields[3:] and fields[3].lstrip(b"+-").isdigit())
    return text_files.looks_like_letor(line) or (len(fields) == 4 and not is_comment)


def beginning(path: str | os.PathLike[str]) -> tuple[list[str], bytes]:
    """Return the column names of Parquet or Feather, and the first bytes of other files."""
    with opened(path, hashes=False) as (file, stored):
        if kind := kind_of(stored.peek(LONGEST_MARK)):
            return names_of(os.fspath(path), kind), b""
        return [], file.read(_STEP).removeprefix(BYTE_ORDER_MARK)


def pieces(file: Unpacked, label: str, *, ahead: bytes = b"") -> Iterator[bytes]:
    """Split a file at line ends into pieces; an empty file gives one empty piece."""
    held, position = b"", 0
    while data := ahead or file.read(_PIECE):
        data, ahead = held + data, b""
        if not position:
            _require_text(data, label)
        long = first_long_line(data)
        if long >= 0:
            problem = f"a line is longer than {MOST_LINE >> 20} MB"
            if b"\0" in data[long : long + MOST_LINE]:
                problem += " and holds NUL bytes: this is not a text file"
            raise ReadError(label, problem, at=f"byte {position + long}")
        end = data.rfind(b"\n") + 1
        if end:
            yield data[:end]
        held, position = data[end:], position + end
    if held or not position:
        yield held


def _texts(file: Unpacked, label: str, *, ahead: bytes) -> Iterator[bytes]:
    """Split a text file as :func:`pieces` does, with lines of any length."""
    _require_text(ahead, label)
    held: list[bytes] = []
    for data in chain([ahead], iter(partial(file.read, _PIECE), b"")):
        if b"\0" in data:
            raise ReadError(label, "holds a NUL byte: this is not a text file")
        if end := data.rfind(b"\n") + 1:
            yield b"".join([*held, data[:end]])
            held.clear()
        held.append(data[end:])
    yield b"".join(held)


def _require_text(start: bytes, label: str) -> None:
    problem, hint = storage.not_text(start)
    if problem:
        raise ReadError(label, problem, hint=hint)


def _rest(file: Unpacked) -> bytes:
    return _joined(iter(partial(file.read, _STEP), b""))


def _joined(parts: Iterable[bytes]) -> bytes:
    """Join parts as they arrive; a list of all parts would double the memory."""
    data = io.BytesIO()
    data.writelines(parts)
    return data.getvalue()


def _named(path: str | os.PathLike[str]) -> str | None:
    return None if os.fspath(path) == STDIN else os.fspath(path)


def _not_found(file: Path) -> str:
    if not file.parent.is_dir():
        return f"{file}: no such file (nor a folder {file.parent})"
    try:
        neighbours = [path for path in sorted(file.parent.iterdir()) if path.is_file()]
    except OSError:  # a folder without permission to list it
        neighbours = []
    # Whole names find typing errors; short names find a missing or extra file ending.
    names = {short_name(path): path.name for path in neighbours}
    names |= {path.name: path.name for path in neighbours}
    suggestions = nearest(file.name, names) or nearest(short_name(file), names)
    hint = f"\n  did you mean {names[suggestions[0]]} ?" if suggestions else ""
    return f"{file}: no such file{hint}"


# --- File names


def short_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file without its folder and usual endings."""
    if os.fspath(path) == STDIN:
        return "stdin"
    name = Path(path).name
    while any(name.lower().endswith(ending) for ending in ENDINGS) and not name.startswith("."):
        name = name.rpartition(".")[0]
    return name


def distinct_names(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return short names of files; equal names keep their folder or ending."""
    # A file that is listed twice gets the same name twice.
    files = [Path(path) for path in paths]
    parts = [[*file.parent.parts, short_name(file)] for file in files]
    depths = range(1, max(map(len, parts), default=1) + 1)
    forms = [["/".join(part[-n:]).replace("//", "/") for part in parts] for n in depths]
    # Equal names in the same folder differ only in their endings, unless they are the same file.
    times = Counter(files)
    forms.append([file.name if times[file] == 1 else short_name(file) for file in files])
    names = forms[0]
    for longer in forms[1:]:
        counts = Counter(names)
        pairs = zip(names, longer, strict=True)
        names = [name if counts[name] == 1 else longer_name for name, longer_name in pairs]
    return names
