"""``python -m reports.studies.spread DIR``: how far per-query differences spread on TREC boards.

Of every pair of systems whose means differ by less than ``CLOSE`` the standard deviation of their
differences, by measure: what ``abrank audit`` takes for usual stands in
``abrank/planning/audit.py``, as this prints it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np

from abrank._support.typing import FloatArray
from abrank.scoring.evaluate import evaluate
from reports.studies.calibration.sources import scores_of_matrix

CLOSE = 0.1
DECILES = np.arange(0.1, 0.95, 0.1)
MATRICES = {
    "AP": ("urbano/adhoc7_ap.csv", "TREC-7 ad hoc"),
    "P@10": ("urbano/adhoc7_p10.csv", "TREC-7 ad hoc"),
    "RR": ("urbano/adhoc7_rr.csv", "TREC-7 ad hoc"),
    "nDCG@20": ("urbano/web2012_ndcg20.csv", "TREC 2012 Web"),
    "ERR@20": ("urbano/web2012_err20.csv", "TREC 2012 Web"),
}
MEASURES = ("nDCG@10", "nDCG", "P@5", "R@100", "R@1000", "Success@1", "Success@10")


def boards(folder: Path) -> Iterator[tuple[str, str, FloatArray]]:
    """Yield a measure, where its scores are from, and these, of shape (n_queries, n_systems)."""
    for measure, (path, name) in MATRICES.items():
        if (folder / path).exists():
            yield measure, name, scores_of_matrix(folder / path)
    runs = {path.name: path for path in sorted((folder / "robust03" / "runs").iterdir())}
    scores = evaluate(folder / "robust03" / "qrels.txt.gz", runs, MEASURES).values
    for place, measure in enumerate(MEASURES):
        yield measure, "TREC 2003 Robust", scores[:, :, place]


def spreads(scores: FloatArray) -> FloatArray:
    """Return the standard deviations of the differences of close pairs that differ at all."""
    pairs = (scores[:, j] - scores[:, i] for i, j in combinations(range(scores.shape[1]), 2))
    return np.array([d.std(ddof=1) for d in pairs if abs(d.mean()) < CLOSE and d.any()])


def table(folder: Path) -> dict[str, tuple[str, int, int, tuple[float, ...]]]:
    """Return by measure the board, its queries, the pairs, and the deciles of their spreads."""
    result = {}
    for measure, name, scores in boards(folder):
        sd = spreads(scores)
        deciles = tuple(np.quantile(sd, DECILES).round(3).tolist())
        result[measure] = (name, len(scores), len(sd), deciles)
    return result


if __name__ == "__main__":
    for measure, (name, n, pairs, deciles) in table(Path(sys.argv[1])).items():
        line = " ".join(f"{decile:.3f}".removeprefix("0") for decile in deciles)
        sys.stdout.write(f"{measure:10} | {name:16} | {n:3d} | {pairs:4d} | {line}\n")
