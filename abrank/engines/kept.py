"""Files of kept scores, one a partition: read as they were written, or refused."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from abrank._support.errors import ArgumentError, ReadError
from abrank._support.files import writing
from abrank._support.typing import FloatArray
from abrank.inputs import ids
from abrank.inputs.formats.parquet import Oversized, ParquetData
from abrank.inputs.formats.parquet_footer import Damaged

SUCCESS = "_SUCCESS"
_ABOUT, _DIGEST = b"abrank", b"abrank.sha256"


@dataclass(frozen=True, eq=False)
class Part:
    """Scores of one partition as they were written.

    about : dict
        The stamp of the job, the number of queries, what was counted of the runs, and statistics.
    query_ids : large_binary[n_queries]
    values : float64[n_systems, n_queries, n_measures]
    """

    about: dict[str, Any]
    query_ids: Any
    values: Any


def read_part(path: Path) -> Part:
    """Read the scores of one partition."""
    try:
        with pa.OSFile(str(path)) as file:
            data = ParquetData(file)
            written = data.schema.metadata or {}
            if _ABOUT not in written:
                raise ArgumentError(f"{path}: was not written by abrank; choose another folder")
            saved, digest = written[_ABOUT], written.get(_DIGEST)
            table = data.read(["query_id", "value"], coded=["query_id"])
        about = json.loads(saved)
        shape = n_systems, n_queries, n_measures = about["shape"]
        if table.num_rows != n_systems * n_queries * n_measures:
            raise ReadError(str(path), "is not as it was written")
        # One system after the other, each by query and measure, as it was written.
        values = table.column(1).to_numpy().reshape(shape)
        first = table.column(0).take(pa.array(np.arange(n_queries) * n_measures))
        query_ids = pa.concat_arrays(first.cast(pa.large_binary()).chunks or [ids.encode([])])
        if _digest(saved, query_ids, values) != digest:
            raise ReadError(str(path), "is not as it was written")
    except ArgumentError:
        raise
    except (OSError, pa.ArrowException, ValueError, LookupError, Damaged, Oversized) as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError(str(path), f"cannot be read: {error}") from error
    return Part(about, query_ids, values)


def write_part(
    path: Path,
    table: Any,  # noqa: ANN401 - a pyarrow.Table
    about: Mapping[str, Any],
    query_ids: Any,  # noqa: ANN401
    values: FloatArray,
) -> None:
    """Write the scores of one partition, a whole file or none, its pages with checksums."""
    saved = json.dumps({**about, "shape": values.shape}).encode()
    metadata = {_ABOUT: saved, _DIGEST: _digest(saved, query_ids, values)}
    written = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with writing(path):
            pq.write_table(
                table.replace_schema_metadata(metadata), written, compression="zstd",
                write_page_checksum=True,
            )  # fmt: skip
            written.replace(path)
    finally:
        written.unlink(missing_ok=True)


def read_folder(folder: Path) -> Any:  # noqa: ANN401 - a pyarrow.Table
    """Read a folder of scores in Parquet; of those that a job keeps, every part is checked."""
    paths = sorted(folder.glob("part-*.parquet"))
    try:
        told = json.loads((folder / SUCCESS).read_text(encoding="utf-8"))
        expected = told["stamp"], told["partitions"] - len(told["skipped"])
    except (OSError, ValueError, LookupError, TypeError):  # not there, or another program's
        expected = None
    try:
        if expected is not None:
            stamps = [read_part(path).about["stamp"] for path in paths]
            is_whole = stamps == [expected[0]] * expected[1]
        else:
            is_whole = not any(_ABOUT in (pq.read_schema(path).metadata or {}) for path in paths)
        if is_whole:
            return pq.read_table(folder, page_checksum_verification=True)
    except (OSError, pa.ArrowException) as error:
        if isinstance(error, ReadError):
            raise
        raise ReadError(str(folder), f"cannot be read: {error}") from error
    raise ReadError(
        str(folder),
        "the job that writes these scores has not ended",
        hint="run it again: it takes up what is finished",
    )


def _digest(about: bytes, query_ids: Any, values: FloatArray) -> bytes:  # noqa: ANN401
    """Return a hash of all that a part says."""
    queries = query_ids.to_pylist()
    found = hashlib.sha256(about)
    found.update(np.array([len(each) for each in queries], "<i8").tobytes())
    found.update(b"".join(queries))
    found.update(np.ascontiguousarray(values, "<f8").tobytes())
    return found.hexdigest().encode()
