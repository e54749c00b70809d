"""Parquet of any layout is scored as a scorer of its own says; a damaged file is never another run.

The process that reads never ends by a fault, neither of ours nor within Arrow.
"""

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.safety.damaged_parquet import (
    average_precisions,
    damaged,
    layout,
    reciprocal_ranks,
    run_of,
)

ROOT = Path(__file__).parents[2]
SIZES = [40, pytest.param(2_000, marks=pytest.mark.slow)]
CLOSE = 1e-12  # of a mean of some eighths


class Reader:
    """The process that scores; started anew where it ended."""

    def __init__(self) -> None:
        self.ended: list[int] = []
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.fuzz.reads_parquet"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip

    def read(self, path: Path) -> dict[str, Any] | None:
        """What both doors say; None where the process ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if line:
            return json.loads(line)
        self.ended.append(self._process.wait())
        self.close()
        self._start()
        return None

    def close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()


@pytest.fixture
def reader():
    result = Reader()
    yield result
    result.close()


def expected_of(run: pd.DataFrame) -> dict[str, list[float]]:
    ranks, precisions = reciprocal_ranks(run), average_precisions(run)
    return {query: [ranks[query], precisions[query]] for query in ranks}


def is_right(found: dict[str, Any], run: pd.DataFrame) -> bool:
    expected = expected_of(run)
    return found.keys() == expected.keys() and all(
        abs(first - two) <= CLOSE
        for query, both in found.items()
        for first, two in zip(both, expected[query], strict=True)
    )


def a_table(run: pd.DataFrame, drawn: random.Random) -> pa.Table:
    """The run with columns of other types, names and orders, and others beside them."""
    columns = {
        "query_id": pa.array(run["query_id"].tolist()),
        "doc_id": pa.array(run["doc_id"].tolist()),
        "score": pa.array(run["score"].tolist()),
    }
    for name in ("query_id", "doc_id"):
        kind = drawn.choice(["string", "large_string", "dictionary", "binary"])
        columns[name] = {
            "string": lambda array: array,
            "large_string": lambda array: array.cast(pa.large_string()),
            "dictionary": lambda array: array.dictionary_encode(),
            "binary": lambda array: array.cast(pa.binary()),
        }[kind](columns[name])
    kind = drawn.choice([pa.float64(), pa.float32(), pa.decimal128(12, 3)])
    columns["score"] = columns["score"].cast(kind)
    choice = drawn.choice([("query_id", "doc_id", "score"), ("qid", "docno", "score")])
    table = pa.table(dict(zip(choice, columns.values(), strict=True)))
    if drawn.random() < 0.4:
        table = table.append_column("text", pa.array(["x" * drawn.randrange(9)] * len(run)))
    return table.select(drawn.sample(table.column_names, len(table.column_names)))


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
def test_any_layout_is_scored_as_its_rows(n: int, reader: Reader, tmp_path: Path) -> None:
    for number in range(n):
        sample = random.Random(f"layout {number}")
        run = run_of(number)
        if sample.random() < 0.5:
            run = run.sample(frac=sample.uniform(0.3, 1), random_state=number)
        table = a_table(run, sample)
        options = layout(sample)
        encodings = options.pop("column_encoding", None)
        if encodings and {*table.column_names} >= {*encodings}:
            plain = all(str(table[name].type) == "string" for name in ("query_id", "doc_id"))
            numbers = str(table["score"].type) in ("double", "float")
            if plain and numbers and "text" not in table.column_names:
                options["column_encoding"] = encodings
        path = tmp_path / "run.parquet"
        writer = sample.choice(["pyarrow", "pyarrow", "pyarrow", "polars"])
        if writer == "polars":
            pl.from_arrow(table).write_parquet(
                path, row_group_size=options["row_group_size"], statistics=sample.random() < 0.5
            )
        else:
            pq.write_table(table, path, **options)
        result = reader.read(path)
        assert result is not None, (number, options)
        for door, text in result.items():
            assert is_right(text.get("scores", {}), run), (number, door, writer, options, text)
    assert reader.ended == []


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
def test_a_damaged_file_is_its_run_or_refused(n: int, reader: Reader, tmp_path: Path) -> None:
    counts: Counter[tuple[str, bool]] = Counter()
    silent, faults = [], []
    for number in range(n):
        sample = random.Random(f"damage {number}")
        run = run_of(number % 50)
        if sample.random() < 0.3:
            run = run.sample(frac=1, random_state=number)
        options = layout(sample)
        path = tmp_path / "run.parquet"
        pq.write_table(pa.Table.from_pandas(run, preserve_index=False), path, **options)
        path.write_bytes(damaged(path.read_bytes(), sample))
        checked = options["write_page_checksum"]
        for door, text in (reader.read(path) or {}).items():
            if "fault" in text:
                faults.append((number, door, text["fault"]))
            elif "refused" in text:
                assert text["code"] == 3, (number, door, text)
                assert 10 < len(text["refused"]) < 10_000
                counts["refused", checked] += 1
            elif is_right(text["scores"], run):
                counts["the same", checked] += 1
            else:
                counts["another", checked] += 1
                silent += [(number, door)] if checked else []
    print(dict(counts), "ended", reader.ended)
    assert reader.ended == []
    assert faults == []
    assert silent == []
    # A study of which all is refused, or all is read, would say nothing.
    for checked in (True, False):
        assert min(counts["refused", checked], counts["the same", checked]) > n // 60
