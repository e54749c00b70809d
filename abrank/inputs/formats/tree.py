"""JSON, JSON lines and ranx' LZ4 files, read as the same objects in memory are."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import Any

import pyarrow as pa

from abrank._support.errors import AbrankError, ReadError
from abrank.inputs.archives import most_in_table, too_much
from abrank.inputs.columns import Columns, Layout
from abrank.inputs.objects.read import read_columns, read_queries, read_rows
from abrank.inputs.trec.lines import BYTE_ORDER_MARK, cut

LZ4_MARK = b"\x04\x22\x4d\x18"

# What is empty stands alone, or before the next line's: {} may be an id, too.
_BEGIN = re.compile(rb"\s*(?:\{\s*\"|\[\s*[\[{\"]|(?:\{\s*\}|\[\s*\])\s*(?:\Z|[{\[]))")
_LINE = re.compile(rb"\s*[^\n]*\n?")
_TEXT = re.compile(rb"\S")
_BLANK = re.compile(r"[ \t\n\r]*")


def looks_like_json(start: bytes) -> bool:
    """Whether a text begins as an object or array of JSON does."""
    return _BEGIN.match(start) is not None


def read_json(
    pieces: Iterable[bytes], label: str, layout: Layout, columns: Mapping[str, str] | None = None
) -> Columns:
    """Read judgments or a run of JSON, or of JSON lines, in pieces that end with a line.

    Rows, queries and lines are read one by one: together they would take ten times the memory.
    """
    pieces = iter(pieces)
    start = next(pieces, b"").removeprefix(BYTE_ORDER_MARK)
    first = _LINE.match(start)
    if first and first.end() == len(start):
        start += next(pieces, b"")
    is_lines = first and _TEXT.search(start, first.end()) and _is_json(first[0])
    parts = chain([start], pieces)
    del start, first  # which may be the whole file
    with _json_errors(label):
        if is_lines:
            return read_rows(_of_lines(parts, label), layout, columns, label)
        text = b"".join(parts).decode()
        members = _members(text, label)
        if text.startswith("[", _BLANK.match(text).end()):  # type: ignore[union-attr]
            return read_rows(members, layout, columns, label)
        query = next(members, ("", None))
        if _is_ranking(*query):
            return read_queries(chain([query], members), layout, label)
    return read_columns(parsed(text, label), layout, columns=columns, label=label)


def _is_json(line: bytes) -> bool:
    import json

    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _is_ranking(query: str, documents: Any) -> bool:  # noqa: ANN401
    """Whether this is a query with its documents, and not what stands above queries."""
    if query in ("results", "details"):
        return False
    numbers = isinstance(documents, dict) and bool(documents)
    return isinstance(documents, list) or (
        numbers and not isinstance(next(iter(documents.values())), (dict, list, str))
    )


def _of_lines(pieces: Iterable[bytes], label: str) -> Iterator[Any]:
    """Yield what each line holds."""
    import json

    decode = _decoder(label).decode
    number = 0
    for part in (part for piece in pieces for part in cut(piece)):
        for line in part.decode().removesuffix("\n").split("\n"):
            number += 1
            if line.strip():
                try:
                    yield decode(line)
                except json.JSONDecodeError as error:
                    error.lineno = number
                    raise


def _members(text: str, label: str) -> Iterator[Any]:
    """Yield the values of an array, or the keys and values of an object, one by one."""
    import json

    decode = _decoder(label).raw_decode
    seen = set()

    def beyond(at: int) -> int:
        return _BLANK.match(text, at).end()  # type: ignore[union-attr]

    def behind(mark: str, at: int) -> int:
        if not text.startswith(mark, at):
            raise json.JSONDecodeError(f"Expecting {mark!r} delimiter", text, at)
        return beyond(at + 1)

    at = beyond(0)
    closing = {"[": "]", "{": "}"}[text[at]]
    at = beyond(at + 1)
    while not text.startswith(closing, at):
        if closing == "]":
            value, at = decode(text, at)
            yield value
        else:
            if not text.startswith('"', at):
                expected = "Expecting property name enclosed in double quotes"
                raise json.JSONDecodeError(expected, text, at)
            key, at = decode(text, at)
            if key in seen:
                raise ReadError(label, f"the key {key!r} stands twice in one object")
            seen.add(key)
            value, at = decode(text, behind(":", beyond(at)))
            yield key, value
        at = beyond(at)
        if not text.startswith(closing, at):
            at = behind(",", at)
            if text.startswith(closing, at):
                raise json.JSONDecodeError("Expecting value", text, at)
    at = beyond(at + 1)
    if at < len(text):
        raise json.JSONDecodeError("Extra data", text, at)


def _decoder(label: str) -> Any:  # noqa: ANN401 - a json.JSONDecoder
    """Return a reader of JSON that refuses an object with one key twice."""
    import json  # few inputs are

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ReadError(label, f"the key {twice!r} stands twice in one object")
        return made

    return json.JSONDecoder(object_pairs_hook=once)


@contextmanager
def _json_errors(label: str) -> Iterator[None]:
    """Say of what is no JSON where it is not."""
    import json

    try:
        yield
    except AbrankError:
        raise
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        raise ReadError(label, f"is no JSON: {error.msg}", at=at) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise ReadError(label, f"is no JSON: {error}") from error


def parsed(data: bytes | str, label: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    r"""Return what JSON holds; of JSON lines, a list."""
    import json

    decode = _decoder(label).decode
    with _json_errors(label):
        text = data if isinstance(data, str) else data.decode("utf-8-sig")
        try:
            return decode(text)
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Extra data"):
                raise
        return list(_of_lines([text.encode()], label))


def read_lz4(
    data: bytes,
    label: str,
    layout: Layout,
    columns: Mapping[str, str] | None = None,
    *,
    most: int | None = None,
) -> Columns:
    """Read a run that ranx has saved as LZ4 (CBOR, packed twice), of at most so many bytes."""
    try:
        cbor = importlib.import_module("cbor2")
    except ImportError as error:
        hint = f'ranx.Run.from_file("{label}").save("run.json") writes a file that is read as it is'
        raise ReadError(label, "is a run of ranx, which needs cbor2", hint=hint) from error
    hint = "copy or write the file again"
    damage = (pa.ArrowException, OSError, ValueError, EOFError, RecursionError, TypeError)
    try:
        held = cbor.loads(_unpacked(_unpacked(data, label, most), label, most))
    except ReadError:
        raise
    except (*damage, cbor.CBORDecodeError) as error:
        raise ReadError(label, f"the LZ4 file is damaged ({error})", hint=hint) from error
    if not isinstance(held, Mapping):
        raise ReadError(label, "the LZ4 file holds no run of ranx", hint=hint)
    return read_columns(held, layout, columns=columns, label=label)


def _unpacked(data: bytes, label: str, asked: int | None) -> bytes:
    most = most_in_table(len(data), asked)
    found = pa.CompressedInputStream(pa.BufferReader(data), "lz4").read(most + 1)
    if len(found) > most:
        problem, hint = too_much(len(data), asked, what="the LZ4 file unpacks to")
        raise ReadError(label, problem, hint=hint)
    return bytes(found)
