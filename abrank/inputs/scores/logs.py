"""Logs of programs in which a model judges: Inspect's logs, and the samples of lm-eval.

Each is read as a long table: query, repeat, measure and score. A sample without a score, as where
the judge failed, has an empty one.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from abrank._support.errors import ReadError
from abrank.inputs.archives import most_in_table, too_much
from abrank.inputs.formats.tree import parsed

LONG = ["query_id", "epoch", "measure", "score"]
# What Inspect makes of its letters: correct, incorrect, partial, no answer.
_LETTERS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_ZSTANDARD = 93

Row = tuple[Any, Any, str, Any]


def rows_of_log(source: Any) -> tuple[list[str], list[list[Any]]] | None:  # noqa: ANN401
    """Return the long table of a log; None for what is none."""
    if isinstance(source, Mapping) and "eval" in source and "samples" in source:
        rows = list(_of_inspect(source["samples"] or []))
    elif _is_harness(source):
        rows = list(_of_harness(source))
    else:
        return None
    epochs = len({row[1] for row in rows}) > 1
    kept = [i for i in range(4) if epochs or i != 1]
    return [LONG[i] for i in kept], [[row[i] for row in rows] for i in kept]


def read_archive(data: bytes, label: str) -> dict[str, Any]:
    """Return what an ``.eval`` file of Inspect holds, a zip with a file a sample."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            held = [each for each in archive.infolist() if each.filename.startswith("samples/")]
    except zipfile.BadZipFile as error:
        raise ReadError(label, f"is no zip: {error}") from None
    if not held:
        hint = "unpack it, and give the file of scores in it"
        raise ReadError(label, "is a zip without samples/: no log of Inspect", hint=hint)
    if sum(each.file_size for each in held) > most_in_table(len(data), None):
        problem, hint = too_much(len(data), None)
        raise ReadError(label, problem, hint=hint)
    samples = [parsed(_unpacked(data, each, label), f"{label}, {each.filename}") for each in held]
    return {"eval": {}, "samples": samples}


def _unpacked(data: bytes, entry: zipfile.ZipInfo, label: str) -> bytes:
    """Return one file of a zip; Zstandard is beyond Python's own reader before 3.14."""
    if entry.compress_type != _ZSTANDARD:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.read(entry)
    name, extra = struct.unpack_from("<HH", data, entry.header_offset + 26)
    start = entry.header_offset + 30 + name + extra
    packed = pa.BufferReader(data[start : start + entry.compress_size])
    try:
        return bytes(pa.CompressedInputStream(packed, "zstd").read(entry.file_size))
    except OSError as error:
        raise ReadError(label, f"{entry.filename} is damaged: {error}") from None


def _of_inspect(samples: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield a row a sample and scorer; a score that is a dict is one a key."""
    names: dict[str, None] = {}
    held: list[tuple[Any, Any, dict[str, Any]]] = []
    for sample in samples:
        scores: dict[str, Any] = {}
        for scorer, score in (sample.get("scores") or {}).items():
            value = score.get("value") if isinstance(score, Mapping) else score
            inner = value if isinstance(value, Mapping) else {"": value}
            scores |= {f"{scorer}/{key}" if key else scorer: each for key, each in inner.items()}
        names |= dict.fromkeys(scores)
        held.append((sample.get("id"), sample.get("epoch", 1), scores))
    for query, epoch, scores in held:
        for name in names:
            value = scores.get(name)
            yield (
                query,
                epoch,
                name,
                _LETTERS.get(value, value) if isinstance(value, str) else value,
            )


def _is_harness(source: Any) -> bool:  # noqa: ANN401
    first = source[0] if isinstance(source, list) and source else None
    return isinstance(first, Mapping) and {"doc_id", "filtered_resps"} <= {*first}


def _of_harness(source: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield a row a document, filter and metric: ``exact_match``, of several filters each named."""
    filters = {row.get("filter", "none") for row in source}
    for row in source:
        behind = f"/{row.get('filter')}" if len(filters) > 1 else ""
        told = row.get("metrics") or [name for name, v in row.items() if isinstance(v, float)]
        for name in told:
            value = row.get(name)
            if not isinstance(value, (list, tuple, dict)):
                yield row["doc_id"], 1, f"{name}{behind}", value
