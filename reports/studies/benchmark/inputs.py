"""Test collections of the sizes people have, made the same on every machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from abrank._support import rng


@dataclass(frozen=True)
class Size:
    """One collection.

    Attributes
    ----------
    name : str
    queries, documents : int
        Rankings, and documents in each.
    judged : int
        Judgments a query, of the documents retrieved.
    grades : int
        Highest grade; grades are even from 0 to it, or all 1 where one document a query is judged.
    digits : int
        Decimals of the scores.
    """

    name: str
    queries: int
    documents: int
    judged: int
    grades: int
    digits: int = 6

    @property
    def rows(self) -> int:
        """Lines of a run."""
        return self.queries * self.documents


READY_SCORES = 1_000_000
RANKED_RUNS = 11
SYSTEMS = (129, 2_000)
USERS = 100_000
VISITS = 10  # of a user
SIZES = {
    size.name: size
    for size in (
        Size("S", 50, 1000, 400, 1),
        Size("M", 250, 1000, 500, 1),
        Size("G", 200, 1000, 200, 3),
        Size("R", 100, 1000, 200, 1),
        Size("F", 300, 1000, 200, 1),
        Size("L", 6980, 1000, 1, 1),
        Size("XL", 100_000, 100, 1, 1),
    )
}


@dataclass(frozen=True)
class Files:
    """Where a collection lies: judgments and the runs of two systems."""

    qrels: Path
    a: Path
    b: Path


def make(size: Size, folder: Path) -> Files:
    """Write a collection, unless it is there already.

    Parameters
    ----------
    folder : Path
        Made where it is not there.

    Examples
    --------
    >>> import tempfile
    >>> found = make(Size("tiny", 2, 3, 1, 1), Path(tempfile.mkdtemp()))
    >>> len(found.a.read_text().splitlines()), len(found.qrels.read_text().splitlines())
    (6, 2)
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = Files(*(folder / f"{size.name}.{kind}" for kind in ("qrels", "a.run", "b.run")))
    if all(path.exists() for path in (files.qrels, files.a, files.b)):
        return files
    draw = rng.stream(1, "benchmark", size.name)
    with files.qrels.open("w") as qrels, files.a.open("w") as a, files.b.open("w") as b:
        for query in np.sort(draw.choice(12 * size.queries, size.queries, replace=False)):
            documents = draw.choice(8_841_823, size.documents, replace=False)
            first = min(size.documents, max(50, size.judged))
            chosen = draw.choice(first, min(size.judged, first), replace=False)
            grades = draw.integers(0, size.grades + 1, len(chosen)) if size.judged > 1 else [1]
            pairs = zip(documents[chosen], grades, strict=True)
            qrels.writelines(f"{query} 0 {document} {grade}\n" for document, grade in pairs)
            for run, order in ((a, documents), (b, _nudged(documents, draw))):
                scores = np.sort(draw.gamma(2.0, 4.0, size.documents))[::-1]
                ranked = enumerate(zip(order, scores, strict=True), 1)
                run.writelines(
                    f"{query} Q0 {document} {rank} {score:.{size.digits}f} bm25\n"
                    for rank, (document, score) in ranked
                )
    return files


def make_runs(size: Size, folder: Path, *, count: int) -> list[Path]:
    """Write ``count`` runs over the judgments of a collection, each further from the first."""
    files = make(size, folder)
    runs = [folder / f"{size.name}.{i}.run" for i in range(count)]
    draw = rng.stream(1, "benchmark", size.name, "runs")
    lines = [line.split() for line in files.a.read_text().splitlines()]
    documents = np.array([line[2] for line in lines]).reshape(size.queries, size.documents)
    for number, path in enumerate(runs):
        if path.exists():
            continue
        with path.open("w") as run:
            for query, names in enumerate(documents):
                places = np.arange(len(names)) + draw.normal(0.0, 1.0 + number, len(names))
                first = query * size.documents
                old = lines[first : first + size.documents]
                ranked = enumerate(zip(names[np.argsort(places)], old, strict=True), 1)
                run.writelines(
                    f"{line[0]} Q0 {name} {rank} {line[4]} r{number}\n"
                    for rank, (name, line) in ranked
                )
    return runs


def make_scores(n_queries: int, folder: Path) -> dict[str, tuple[Path, Path]]:
    """Write the ready scores of two systems as CSV and as Parquet; return both by their format."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    folder.mkdir(parents=True, exist_ok=True)
    draw = rng.stream(1, "benchmark", "scores")
    query_ids = pa.array([f"q{number}" for number in range(n_queries)])
    base = draw.beta(0.8, 1.2, n_queries)
    result = {kind: (folder / f"a.{kind}", folder / f"b.{kind}") for kind in ("csv", "parquet")}
    for place, shift in enumerate((0.0, 0.001)):
        moved = draw.normal(shift, 0.1, n_queries) * (draw.random(n_queries) < 0.6)
        scores = np.round(np.clip(base + moved, 0.0, 1.0), 6)
        table = pa.table({"query_id": query_ids, "score": scores})
        csv.write_csv(table, result["csv"][place])
        parquet.write_table(table, result["parquet"][place])
    return result


def make_measures(n_queries: int, n_measures: int, folder: Path) -> tuple[Path, Path]:
    """Write ready scores of two systems by several measures as Parquet; return both paths."""
    draw = rng.stream(1, "benchmark", "measures", str(n_measures))
    query_ids = np.char.mod("q%07d", np.arange(n_queries))
    base = draw.beta(0.8, 1.2, (n_measures, n_queries))
    paths = []
    for name, shift in (("a", 0.0), ("b", 0.001)):
        moved = draw.normal(shift, 0.1, base.shape) * (draw.random(base.shape) < 0.6)
        scores = np.round(np.clip(base + moved, 0.0, 1.0), 6)
        columns = {f"measure{number}": column for number, column in enumerate(scores)}
        path = folder / f"{name}-{n_measures}.parquet"
        paths.append(_write(path, {"query_id": query_ids} | columns))
    return paths[0], paths[1]


def make_systems(n_systems: int, folder: Path) -> Path:
    """Write the scores of many systems on 50 queries as Parquet, a column each; return the path."""
    draw = rng.stream(1, "benchmark", "systems", str(n_systems))
    difficulty = draw.normal(0.0, 1.0, 50)
    columns: dict[str, np.ndarray] = {"query_id": np.char.mod("q%02d", np.arange(50))}
    for number in range(n_systems):
        scores = difficulty + draw.normal(0.3 * number / n_systems, 0.7, 50)
        columns[f"system{number:04d}"] = 1.0 / (1.0 + np.exp(-scores))
    return _write(folder / f"systems-{n_systems}.parquet", columns)


def make_users(rows: int, n_users: int, folder: Path) -> Path:
    """Write clicks of users, each of whom saw one of two variants; return the path."""
    draw = rng.stream(1, "benchmark", "users", str(rows))
    user = np.arange(rows) % n_users
    arms, chances = draw.integers(0, 2, n_users), draw.beta(2.0, 8.0, n_users)
    clicked = draw.random(rows) < chances[user] + 0.003 * arms[user]
    columns = {
        "user_id": np.char.mod("u%06d", user),
        "variant": np.array(["control", "treatment"])[arms[user]],
        "clicked": clicked.astype(np.int64),
    }
    return _write(folder / f"users-{rows}.parquet", columns)


def make_impressions(rows: int, n_users: int, folder: Path) -> Path:
    """Write what users clicked in interleaved lists as Parquet; return the path."""
    draw = rng.stream(1, "benchmark", "impressions", str(rows))
    columns = {
        "query_id": np.char.mod("q%05d", draw.integers(0, 20_000, rows)),
        "user": np.char.mod("u%06d", draw.integers(0, n_users, rows)),
        "clicks_a": draw.poisson(0.5, rows),
        "clicks_b": draw.poisson(0.51, rows),
    }
    return _write(folder / f"impressions-{rows}.parquet", columns)


def _write(path: Path, columns: Mapping[str, np.ndarray]) -> Path:
    """Write a table as Parquet and return its path."""
    import pyarrow as pa
    from pyarrow import parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pa.table(dict(columns)), path)
    return path


def _nudged(documents: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """Return another order of the documents, near to the one given."""
    places = np.arange(len(documents)) + draw.normal(0.0, 8.0, len(documents))
    return documents[np.argsort(places)]
