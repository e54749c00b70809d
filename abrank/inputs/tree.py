"""Judgments and runs of JSON, of JSON lines, and of ranx' LZ4 files."""

from __future__ import annotations

import importlib
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from abrank._support.errors import AbrankError, ReadError
from abrank.inputs.columns import Columns, Layout
from abrank.inputs.objects import read_columns
from abrank.inputs.storage import excess

LZ4_MARK = b"\x04\x22\x4d\x18"
AGAIN = "copy or write the file again"

# What is empty stands alone, or before the next line's: {} may be an id, too.
_BEGIN = re.compile(rb"\s*(?:\{\s*\"|\[\s*[\[{\"]|(?:\{\s*\}|\[\s*\])\s*(?:\Z|[{\[]))")


def looks_like_json(start: bytes) -> bool:
    """Whether a text begins as an object or array of JSON does."""
    return _BEGIN.match(start) is not None


def read_json(
    pieces: Iterable[bytes], label: str, layout: Layout, columns: Mapping[str, str] | None = None
) -> Columns:
    """Read judgments or a run of JSON, or of JSON lines, in pieces that end with a line."""
    # Lines are read one by one: together their objects would take ten times the memory.
    held = _values(b"".join(pieces), label)
    return read_columns(held, layout, columns=columns, label=label)


def parsed(data: bytes, label: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return what JSON holds; of JSON lines, a list."""
    held = _values(data, label)
    return list(held) if isinstance(held, Iterator) else held


def _values(data: bytes, label: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return what JSON holds; of JSON lines, an iterator of what each line holds."""
    import json  # few inputs are

    decode = _decoder(label).decode
    with _json_errors(label):
        text = data.decode("utf-8-sig")
        try:
            return decode(text)
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Extra data"):
                raise

    def lines() -> Iterator[Any]:
        with _json_errors(label):
            for number, line in enumerate(text.split("\n"), 1):
                if line.strip():
                    try:
                        yield decode(line)
                    except json.JSONDecodeError as error:
                        error.lineno = number
                        raise

    return lines()


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
