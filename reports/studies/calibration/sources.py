"""Scores of systems on queries, real ones and simulated ones, to draw samples from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from abrank._support.errors import NotFoundError
from abrank._support.typing import FloatArray
from abrank.scoring.evaluate import evaluate
from abrank.simulate import simulate_runs

MEASURES = ("AP", "nDCG@10", "RR", "P@10")
COLLECTIONS = ("robust03", "vaswani", "ltr")
MATRICES = {"AP": "urbano/adhoc7_ap.csv", "nDCG@10": "urbano/web2012_ndcg20.csv"}
SIMULATED_QUERIES = 250
# Candidates whose signal has more than the baseline's: their gains are skewed.
EFFECTS = np.linspace(0.0, 0.16, 20)


def scores_of_runs(folder: Path) -> Iterator[FloatArray]:
    """Go through the collections of a folder: scores of shape (n_queries, n_runs, n_measures)."""
    for name in COLLECTIONS:
        qrels = next((folder / name).glob("qrels.txt*"), None)
        if qrels is None:
            raise NotFoundError(f"{folder / name} has no qrels.txt")
        runs = {path.name: path for path in sorted((folder / name / "runs").iterdir())}
        yield evaluate(qrels, runs, MEASURES).values


def scores_of_matrix(path: Path) -> FloatArray:
    """Return a table of scores, of shape (n_queries, n_systems)."""
    return np.loadtxt(path, delimiter=",", skiprows=1)


def scores_of_simulated(seed: int) -> Iterator[FloatArray]:
    """Go through simulated pairs of systems: scores of shape (n_queries, 2, n_measures)."""
    for number, effect in enumerate(EFFECTS):
        collection = simulate_runs(SIMULATED_QUERIES, effect=float(effect), rng=seed + number)
        yield evaluate(
            collection.qrels, {"a": collection.baseline, "b": collection.candidate}, MEASURES
        ).values
