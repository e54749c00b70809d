"""Judgments and runs of JSON, of JSON lines, and of ranx' LZ4 files."""

from __future__ import annotations

import importlib
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any

import pyarrow as pa

from abrank._support.errors import AbrankError, ReadError
from abrank.inputs.columns import QUERY_IDS, Columns, Layout, found_in, has_columns
from abrank.inputs.objects import read_columns, read_queries, read_rows
from abrank.inputs.storage import excess
from abrank.inputs.trec import BYTE_ORDER_MARK, cut

LZ4_MARK = b"\x04\x22\x4d\x18"
AGAIN = "copy or write the file again"

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
    """Read judgments or a run of JSON, or of JSON lines, in pieces that end with a line."""
    import json  # few inputs are

    # Rows, queries and lines are read one by one: together they would take ten times the memory.
    pieces = iter(pieces)
    start = next(pieces, b"").removeprefix(BYTE_ORDER_MARK)
    first = _LINE.match(start)
    if first and first.end() == len(start):
        start += next(pieces, b"")
    is_lines = False
    if first and _TEXT.search(start, first.end()):
        with suppress(ValueError, RecursionError):
            json.loads(first[0])
            is_lines = True
    parts = chain([start], pieces)
    del start, first  # which may be the whole file
    with _json_errors(label):
        if is_lines:
            return read_rows(_of_lines(parts, label), layout, columns, label)
        text = b"".join(parts).decode()
        members = _members(text, label)
        if text.startswith("[", _BLANK.match(text).end()):  # type: ignore[union-attr]
            return read_rows(members, layout, columns, label)
        query = next(members, None)
        if query and _is_ranking(*query):
            return read_queries(chain([query], members), layout, label)
        held = dict(chain([query], members)) if query else {}
        del text, members, query
    return read_columns(held, layout, columns=columns, label=label)


_OF_FRAMES = ("columns", "index", "data", "schema")  # keys of a frame that pandas saved


def _is_ranking(query: str, documents: Any) -> bool:  # noqa: ANN401
    """Whether this is a query with its documents, and not what stands above queries."""
    if query in ("results", "details", *_OF_FRAMES) or found_in([query], QUERY_IDS[:1]):
        return False
    if isinstance(documents, dict) and has_columns([*documents]):  # a row of a frame
        return False
    if isinstance(documents, dict) and isinstance(documents.get("hits"), dict):  # of _search
        return False
    numbers = isinstance(documents, dict) and bool(documents)
    return isinstance(documents, list) or (
        numbers and not isinstance(next(iter(documents.values())), (dict, list, str))
    )


def _of_lines(pieces: Iterable[bytes], label: str) -> Iterator[Any]:
    """Yield what each line holds."""
    import json  # few inputs are

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
    import json  # few inputs are

    decode = _decoder(label).raw_decode
    keys = set()

    def beyond(index: int) -> int:
        return _BLANK.match(text, index).end()  # type: ignore[union-attr]

    def behind(mark: str, index: int) -> int:
        if not text.startswith(mark, index):
            raise json.JSONDecodeError(f"Expecting {mark!r} delimiter", text, index)
        return beyond(index + 1)

    position = beyond(0)
    closing = {"[": "]", "{": "}"}.get(text[position : position + 1])
    if closing is None:
        raise json.JSONDecodeError("Expecting value", text, position)
    position = beyond(position + 1)
    while not text.startswith(closing, position):
        if closing == "]":
            value, position = decode(text, position)
            yield value
        else:
            if not text.startswith('"', position):
                expected = "Expecting property name enclosed in double quotes"
                raise json.JSONDecodeError(expected, text, position)
            key, position = decode(text, position)
            if key in keys:
                raise ReadError(label, f"the key {key!r} stands twice in one object")
            keys.add(key)
            value, position = decode(text, behind(":", beyond(position)))
            yield key, value
        position = beyond(position)
        if not text.startswith(closing, position):
            position = behind(",", position)
            if text.startswith(closing, position):
                raise json.JSONDecodeError("Expecting value", text, position)
    position = beyond(position + 1)
    if position < len(text):
        raise json.JSONDecodeError("Extra data", text, position)


def _decoder(label: str) -> Any:  # noqa: ANN401 - a json.JSONDecoder
    """Return a reader of JSON that refuses an object with one key twice."""
    import json  # few inputs are

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ReadError(label, f"the key {twice!r} stands twice in one object")
        return result

    return json.JSONDecoder(object_pairs_hook=once)


@contextmanager
def _json_errors(label: str) -> Iterator[None]:
    """Say of what is no JSON where it is not."""
    import json  # few inputs are

    try:
        yield
    except AbrankError:
        raise
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ReadError(label, f"is no JSON: {error.msg}", at=place) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise ReadError(label, f"is no JSON: {error}") from error


def parsed(data: bytes | str, label: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    r"""Return what JSON holds; of JSON lines, a list."""
    import json  # few inputs are

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
    maximum: int | None = None,
) -> Columns:
    """Read a run that ranx has saved as LZ4 (CBOR, packed twice), of at most so many bytes."""
    try:
        cbor = importlib.import_module("cbor2")
    except ImportError as error:
        hint = f'ranx.Run.from_file("{label}").save("run.json") writes a file that is read as it is'
        raise ReadError(label, "is a run of ranx, which needs cbor2", hint=hint) from error
    damage = (pa.ArrowException, OSError, ValueError, EOFError, RecursionError, TypeError)
    try:
        held = data
        for _ in range(2):
            stream, unpacked = pa.CompressedInputStream(pa.BufferReader(held), "lz4"), io.BytesIO()
            while part := stream.read(1 << 20):
                unpacked.write(part)
                problem, hint = excess(unpacked.tell(), maximum, n_rows=0, n_packed=len(data))
                if problem:
                    raise ReadError(label, f"the LZ4 file unpacks to {problem}", hint=hint)
            held = unpacked.getvalue()
        held = cbor.loads(bytes(held))
    except ReadError:
        raise
    except (*damage, cbor.CBORDecodeError) as error:
        raise ReadError(label, f"the LZ4 file is damaged ({error})", hint=AGAIN) from error
    if not isinstance(held, Mapping):
        raise ReadError(label, "the LZ4 file holds no run of ranx", hint=AGAIN)
    return read_columns(held, layout, columns=columns, label=label)
