"""``python -m reports.studies.benchmark.scale``: rows a second, memory and disk of every engine.

Two runs and their judgments are made in Parquet, compared by each engine in a fresh process, and
the results held against one another and, on 1 % of the queries, against the path in memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from abrank._support import rng
from abrank._support.errors import AbrankError
from reports.studies.benchmark.clock import require_quiet
from reports.studies.benchmark.scale_row import (
    DOCUMENTS,
    ENGINES,
    JUDGED,
    MEASURES,
    ScaleRow,
)

CHUNK = 10_000
COLLECTION = 8_800_000
LEAST_SAMPLE = 100


def make(n_queries: int, folder: Path) -> Path:
    """Write judgments and two runs of 100 documents a query; return their folder.

    They stand by query, as a job that groups by query leaves them, 10,000 queries a row group.

    Examples
    --------
    >>> made = make(20, Path(tempfile.mkdtemp()))
    >>> [pq.read_metadata(made / f"{name}.parquet").num_rows for name in ("qrels", "a", "b")]
    [200, 2000, 2000]
    """
    text = folder / f"scale-{n_queries}"
    if (text / "b.parquet").exists():
        return text
    text.mkdir(parents=True, exist_ok=True)
    value = {"qrels": ("relevance", pa.int32()), "a": ("score", pa.float64())}
    value["b"] = value["a"]
    written = {}
    for name, (column, kind) in value.items():
        fields = [("query_id", pa.string()), ("doc_id", pa.string()), (column, kind)]
        written[name] = pq.ParquetWriter(text / f".{name}.parquet", pa.schema(fields))
    for first in range(0, n_queries, CHUNK):
        rows = _chunk(np.arange(first, min(first + CHUNK, n_queries)))
        for name, columns in rows.items():
            writer = written[name]
            writer.write_table(pa.table(columns, schema=writer.schema), row_group_size=1 << 20)
    for name, writer in written.items():
        writer.close()
        (text / f".{name}.parquet").replace(text / f"{name}.parquet")
    return text


def _chunk(number: np.ndarray) -> dict[str, list[Any]]:
    """Return the columns of the tables for some queries; B orders as A does, with noise."""
    draw = rng.stream(1, "scale", str(number[0]))
    n, step = len(number), COLLECTION // DOCUMENTS
    docs = draw.integers(0, step, (n, 1)) + np.arange(DOCUMENTS) * step
    scores = np.sort(draw.gamma(2.0, 4.0, (n, DOCUMENTS)), axis=1)[:, ::-1].round(6)
    place = np.arange(DOCUMENTS) + draw.normal(0.0, 4.0, (n, DOCUMENTS))
    chosen = np.argsort(draw.random((n, DOCUMENTS // 2)), axis=1)[:, :JUDGED]
    grades = draw.integers(0, 4, (n, JUDGED)) * (draw.random((n, JUDGED)) > chosen / 60)
    ids = pa.array(np.char.mod("q%08d", number))

    def table(documents: np.ndarray, values: np.ndarray) -> list[Any]:
        query = ids.take(pa.array(np.repeat(np.arange(n), documents.shape[1])))
        return [query, pa.array(documents.reshape(-1)).cast(pa.string()), values.reshape(-1)]

    return {
        "qrels": table(np.take_along_axis(docs, chosen, axis=1), grades.astype(np.int32)),
        "a": table(docs, scores),
        "b": table(np.take_along_axis(docs, np.argsort(place, axis=1), axis=1), scores),
    }


def measure(folder: Path, engine: str, results: Path) -> ScaleRow:
    """Compare the two runs in a fresh process; leave its ``results.json`` at ``results``."""
    with tempfile.TemporaryDirectory(prefix="abrank-scale-") as temporary_directory:
        call = [sys.executable, "-m", __spec__.name]
        call += [
            "--one",
            engine,
            "--inputs",
            str(folder),
            "--output",
            str(results),
            "--kept",
            temporary_directory,
        ]
        stdout = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout
        scores = sum(path.stat().st_size for path in Path(temporary_directory).iterdir())
        if engine == "local":
            _require_in_memory(folder, Path(temporary_directory))
    loads = json.loads(stdout.splitlines()[-1])
    disk = sum(path.stat().st_size for path in folder.iterdir())
    return ScaleRow(engine=engine, disk=disk / 1e6, scores=scores / 1e6, **loads)


def run_one(engine: str, folder: Path, output: Path, selected: Path) -> dict[str, float]:
    """Compare the two runs here, and return what that took."""
    from abrank.options import Engine, Inputs, Question
    from abrank.workflow import compare_runs

    master = "local[*]" if engine == "spark" else None
    place = Engine(engine, master, keep_scores=selected)
    visited, done = [0.0], threading.Event()
    watching = threading.Thread(target=_watch, args=(visited, done))
    watching.start()
    scored: dict[str, Any] = {}
    began = time.perf_counter()

    def on_stage(stage: str) -> None:
        if stage == "testing":
            scored["at"] = time.perf_counter()
            scored["usage"] = resource.getrusage(resource.RUSAGE_SELF)

    question = Question(measures=MEASURES, engine=place)
    qrels, a, b = (folder / f"{name}.parquet" for name in ("qrels", "a", "b"))
    inputs = Inputs(qrels=qrels, a=a, b=b, name_a="A", name_b="B")
    compare_runs(inputs, question, on_stage=on_stage).report(output)
    done.set()
    watching.join()
    usage = scored["usage"]
    return {
        "rows": sum(pq.read_metadata(path).num_rows for path in (a, b)),
        "scoring": scored["at"] - began,
        "whole": time.perf_counter() - began,
        "cpu": usage.ru_utime + usage.ru_stime,
        "memory_scoring": usage.ru_maxrss / 1e3,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        "largest": visited[0],
    }


def _watch(visited: list[float], done: threading.Event) -> None:
    """Keep the largest resident set in MB that a process below this one has had (Linux)."""
    while not done.wait(0.5):
        parents, peaks = {}, {}
        for status in Path("/proc").glob("[0-9]*/status"):
            try:
                fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
            except OSError:  # it ended meanwhile
                continue
            number = int(status.parent.name)
            parents[number] = int(fields["PPid"])
            peaks[number] = int(fields.get("VmHWM", "0 kB").split()[0]) / 1e3
        below = {os.getpid()}
        while more := {name for name, parent in parents.items() if parent in below} - below:
            below |= more
        visited[0] = max(visited[0], *(peaks.get(item, 0.0) for item in below - {os.getpid()}), 0.0)


def largest_difference(first: Any, second: Any) -> float:  # noqa: ANN401 - of JSON
    """Return how far two results are apart: their numbers, and 1 where anything else differs.

    Examples
    --------
    >>> largest_difference({"p": [0.5, "x"]}, {"p": [0.25, "x"]}), largest_difference([1], ["1"])
    (0.25, 1.0)
    """
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        return max((largest_difference(first[key], second[key]) for key in first), default=0.0)
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        pairs = zip(first, second, strict=True)
        return max((largest_difference(*pair) for pair in pairs), default=0.0)
    if isinstance(first, float) and isinstance(second, float):
        return abs(first - second)
    return float(first != second)


def _require_in_memory(folder: Path, selected: Path) -> None:
    """Score 1 % of the queries from frames; stop where a score differs by more than 1e-12."""
    from abrank.scoring.evaluate import evaluate

    frames = {}
    for name in ("qrels", "a", "b"):
        file = pq.ParquetFile(folder / f"{name}.parquet")
        share = max(LEAST_SAMPLE, file.metadata.num_rows // 100 // _rows_a_query(name))
        frames[name] = _first_queries(file, share * _rows_a_query(name))
    scores = evaluate(frames["qrels"], {"A": frames["a"], "B": frames["b"]}, MEASURES)
    last = [("query_id", "<=", scores.query_ids[-1])]
    parts = (pq.read_table(path, filters=last) for path in sorted(selected.glob("part-*")))
    rows = (row for part in parts for row in part.to_pylist())
    stored = {(row["query_id"], row["system"], row["measure"]): row["value"] for row in rows}
    for i, query in enumerate(scores.query_ids):
        for s, system in enumerate(scores.systems):
            for m, name in enumerate(scores.measures):
                if abs(stored[query, system, name] - scores.values[i, s, m]) > 1e-12:
                    raise RuntimeError(f"{name} of {system} on {query} is not that of memory")


def _rows_a_query(name: str) -> int:
    return JUDGED if name == "qrels" else DOCUMENTS


def _first_queries(file: Any, n_rows: int) -> Any:  # noqa: ANN401
    groups = -(-n_rows // file.metadata.row_group(0).num_rows)
    return file.read_row_groups(range(min(groups, file.num_row_groups))).slice(0, n_rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the study and return the exit code."""
    from reports.studies.benchmark import scale_page

    name = "python -m reports.studies.benchmark.scale"
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("--queries", nargs="+", type=int, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--engines", nargs="+", default=list(ENGINES))
    parser.add_argument("--inputs", type=Path, default=Path("benchmark-inputs"), metavar="DIR")
    parser.add_argument("--output", type=Path, default=Path("reports/benchmark"), metavar="DIR")
    parser.add_argument("--busy", action="store_true", help="time beside others; the page says so")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--kept", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.one:
        result = run_one(args.one, args.inputs, args.output, args.kept)
        sys.stdout.write(json.dumps(result) + "\n")
        return 0
    try:
        require_quiet(busy=args.busy)
    except AbrankError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    args.output.mkdir(parents=True, exist_ok=True)
    for n_queries in args.queries:
        sys.stderr.write(f"{n_queries} queries\n")
        folder = make(n_queries, args.inputs)
        rows, apart = compare_engines(folder, args.engines)
        scale_page.add(args.output, rows, apart)
    return 0


def compare_engines(folder: Path, engines: Sequence[str]) -> tuple[list[ScaleRow], float]:
    """Measure every engine; return also how far their results are apart at most."""
    rows, first, apart = [], None, 0.0
    place = Path(tempfile.mkdtemp(prefix="abrank-scale-"))
    for engine in engines:
        sys.stderr.write(f"  {engine}\n")
        path = place / "results.json"
        rows.append(measure(folder, engine, path))
        loads = json.loads(path.read_text(encoding="utf-8"))
        del loads["provenance"]
        if first is None:
            first = loads
        apart = max(apart, largest_difference(first, loads))
    shutil.rmtree(place)
    return rows, apart


if __name__ == "__main__":
    sys.exit(main())
