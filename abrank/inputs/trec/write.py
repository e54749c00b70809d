"""Judgments and runs back to TREC files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from abrank._support.errors import ArgumentError
from abrank._support.files import replace_all


def trec_bytes(columns: Sequence[Sequence[bytes]]) -> bytes:
    r"""Return lines of the columns' values with one blank between."""
    for column in columns:
        for value in column:
            if b"\0" in value or value.split() != [value]:
                raise ArgumentError(f"{_show(value)} cannot stand in a TREC file: it holds a blank")
    for query in columns[0]:
        if query.startswith(b"#"):
            raise ArgumentError(f"query {_show(query)} would be read as a comment")
    return b"".join(b" ".join(fields) + b"\n" for fields in zip(*columns, strict=True))


def write_file(path: str | os.PathLike[str], data: bytes) -> Path:
    """Write ``data`` whole or not at all, packed if the name ends in .gz; always the same bytes."""
    file = Path(path)
    if file.suffix == ".gz":
        import gzip

        data = gzip.compress(data, mtime=0)
    replace_all({file: data})
    return file


def _show(value: bytes) -> str:
    return repr(value.decode("utf-8", "backslashreplace"))
