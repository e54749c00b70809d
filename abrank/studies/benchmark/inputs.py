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


SIZES = {
    size.name: size
    for size in (
        Size("S", 50, 1000, 400, 1),
        Size("M", 250, 1000, 500, 1),
        Size("G", 200, 1000, 200, 3),
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
    size : Size
    folder : Path
        Made where it is not there.

    Returns
    -------
    Files

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


def _nudged(documents: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """Return another order of the documents, near to the one given."""
    places = np.arange(len(documents)) + draw.normal(0.0, 8.0, len(documents))
    return documents[np.argsort(places)]
