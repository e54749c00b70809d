"""Test collections of the sizes people have, made the same on every machine."""

from __future__ import annotations

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


def _nudged(documents: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """Return another order of the documents, near to the one given."""
    places = np.arange(len(documents)) + draw.normal(0.0, 8.0, len(documents))
    return documents[np.argsort(places)]
