"""JSON, JSON lines and ranx' LZ4 files, read as the same objects in memory are."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from abrank._support.errors import ReadError
from abrank.inputs.archives import most_in_table, too_much
from abrank.inputs.columns import Columns, Layout
from abrank.inputs.objects.read import read_columns

LZ4_MARK = b"\x04\x22\x4d\x18"

# What is empty stands alone, or before the next line's: {} may be an id, too.
_BEGIN = re.compile(rb"\s*(?:\{\s*\"|\[\s*[\[{\"]|(?:\{\s*\}|\[\s*\])\s*(?:\Z|[{\[]))")


def looks_like_json(start: bytes) -> bool:
    """Whether a text begins as an object or array of JSON does."""
    return _BEGIN.match(start) is not None


def read_json(
    data: bytes, label: str, layout: Layout, columns: Mapping[str, str] | None = None
) -> Columns:
    """Read judgments or a run of JSON, or of JSON lines."""
    return read_columns(parsed(data, label), layout, columns=columns, label=label)


def parsed(data: bytes, label: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    r"""Return what JSON holds; of JSON lines, a list."""
    import json  # few inputs are

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ReadError(label, f"the key {twice!r} stands twice in one object")
        return made

    try:
        text = data.decode("utf-8-sig")
        try:
            return json.loads(text, object_pairs_hook=once)
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Extra data"):
                raise
            lines = [line for line in text.split("\n") if line.strip()]
            return [json.loads(line, object_pairs_hook=once) for line in lines]
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        raise ReadError(label, f"is no JSON: {error.msg}", at=at) from error
    except (UnicodeDecodeError, RecursionError, ValueError) as error:
        raise ReadError(label, f"is no JSON: {error}") from error


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
