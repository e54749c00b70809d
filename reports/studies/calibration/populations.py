"""Populations of paired differences that look like those of real measures, with a mean of 0."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from reports.studies.calibration.sources import (
    MATRICES,
    MEASURES,
    scores_of_matrix,
    scores_of_runs,
    scores_of_simulated,
)

# Differences are taken in such steps, so that their exact bootstrap distributions are short. Half a
# step, a hundredth of AP, is a tie then, as in the published sign tests.
STEPS = {"AP": 0.02, "nDCG@10": 0.02, "RR": 0.05, "P@10": 0.1}
N_PAIRS = 20
# A mean further from 0, in standard deviations, would take weights that change the shape.
LARGEST_MEAN = 0.4
FEWEST_VALUES = 6

# All tests; all but the bootstraps that draw nothing, which take most of the time; or only those
# whose hypothesis a tossed sign fulfils.
Scope = Literal["all", "quick", "flips"]


@dataclass(frozen=True)
class Pair:
    """The differences of two systems on the queries of a collection, one column a measure.

    A query is drawn with the chance ``weights[query]``: so that every column's mean is 0. ``name``
    tells of what it is, and its place among those of its kind.
    """

    differences: FloatArray
    weights: FloatArray
    name: str = ""

    def draw(self, n_queries: int, n_samples: int, random: np.random.Generator) -> FloatArray:
        """Return samples of queries, shape (n_queries, n_samples, n_measures)."""
        index = random.choice(len(self.weights), (n_queries, n_samples), p=self.weights)
        return np.asarray(self.differences[index])

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the first column."""
        return float(np.sqrt(self.weights @ self.differences[:, 0] ** 2))

    @cached_property
    def skewness(self) -> float:
        """The skewness of the first column."""
        return float(self.weights @ self.differences[:, 0] ** 3 / self.spread**3)

    @cached_property
    def decided(self) -> float:
        """The share of queries that are not tied in the first column."""
        return float(self.weights[self.differences[:, 0] != 0.0].sum())

    @cached_property
    def net_share(self) -> float:
        """Share of won queries less that of lost ones, among the decided: what sign estimates."""
        signs = np.sign(self.differences[:, 0])
        return float(self.weights @ signs / self.decided)


@dataclass(frozen=True)
class Population:
    """Pairs of systems, each as likely as any other, and which tests are asked about them."""

    source: str
    measure: str
    pairs: tuple[Pair, ...]
    scope: Scope = "all"


def populations(folder: Path | None, *, seed: int) -> list[Population]:
    """Return the populations: of real runs where there is a data folder, and of simulated ones.

    Parameters
    ----------
    folder : Path, optional
        With the matrices of scores in ``urbano/`` and qrels and runs in ``robust03/``, ``vaswani/``
        and ``ltr/``.

    Returns
    -------
    list of Population
        For each source one a measure, and one of all measures together; for real runs also with
        the sign of every difference tossed, which is the hypothesis of the tests that flip signs.
    """
    if folder is None:
        return _of_one_source("simulated", list(_differences_of_simulated(seed)), {}, seed)
    together = list(_differences_of_runs(folder))
    matrices = {name: _matrix_differences(folder / path) for name, path in MATRICES.items()}
    real = _of_one_source("collections", together, matrices, seed)
    tossed = [_signs_tossed(item) for item in real if item.measure in MEASURES]
    simulated = [
        population for population in populations(None, seed=seed) if population.measure in MEASURES
    ]
    return [*real, *tossed, *(replace(item, scope="quick") for item in simulated)]


def _of_one_source(
    source: str, together: list[FloatArray], alone: Mapping[str, list[FloatArray]], seed: int
) -> list[Population]:
    """Return a population a measure and one of all, of arrays (n_queries, n_measures)."""
    result = []
    for place, measure in enumerate(MEASURES):
        of_runs = [item[:, [place]] for item in together]
        step = np.array([STEPS[measure]])
        # As many pairs of the matrices as of the runs, where there are both.
        kinds = [
            _pairs(some, step, f"{measure}, {kind}")
            for some, kind in ((alone.get(measure, []), "matrix"), (of_runs, "runs"))
        ]
        result.append(Population(source, measure, _chosen(kinds, stream(seed, source, measure))))
    steps = np.array([STEPS[measure] for measure in MEASURES])
    kinds = [_pairs(together, steps, "all four")]
    result.append(Population(source, "all four", _chosen(kinds, stream(seed, source, "all"))))
    return result


def _chosen(kinds: list[list[Pair]], random: np.random.Generator) -> tuple[Pair, ...]:
    """Return ``N_PAIRS`` pairs, or all there are: half of each kind where there are two."""
    kinds = [kind for kind in kinds if kind]
    item = N_PAIRS // len(kinds)
    picked = [random.permutation(len(kind))[:item] for kind in kinds]
    return tuple(
        kind[place] for kind, places in zip(kinds, picked, strict=True) for place in sorted(places)
    )


def _pairs(differences: list[FloatArray], steps: FloatArray, name: str) -> list[Pair]:
    """Return the pairs with enough to draw from, in whole steps and with a mean of 0."""
    result = []
    for place, difference in enumerate(differences):
        values = np.rint(difference / steps) * steps + 0.0
        spread = values.std(axis=0)
        varied = all(len(np.unique(column)) >= FEWEST_VALUES for column in values.T)
        if varied and np.all(np.abs(values.mean(axis=0)) <= LARGEST_MEAN * spread):
            result.append(Pair(values, balancing_weights(values), f"{name} {place + 1}"))
    return result


def balancing_weights(values: FloatArray) -> FloatArray:
    """Return the chances nearest to equal ones at which every column of values has the mean 0.

    They are proportional to exp(values @ tilt), which is the least change in the sense of Kullback
    and Leibler. Unlike subtracting the mean it leaves tied queries tied and tenths tenths.

    Parameters
    ----------
    values : ndarray of shape (n_queries, n_columns)
        With values on both sides of 0.

    Returns
    -------
    ndarray of shape (n_queries,)

    Raises
    ------
    ArgumentError
        If no weights give all columns the mean 0.

    Examples
    --------
    >>> balancing_weights(np.array([[-1.0], [1.0], [1.0]])).round(3)
    array([0.5 , 0.25, 0.25])
    """
    scaled = values / values.std(axis=0)
    tilt = np.zeros(values.shape[1])
    for _ in range(100):
        logs = scaled @ tilt
        weights = np.exp(logs - logs.max())
        weights /= weights.sum()
        mean = weights @ scaled
        if np.abs(mean).max() < 1e-13:
            return np.asarray(weights)
        covariance = (scaled * weights[:, None]).T @ scaled - np.outer(mean, mean)
        try:
            step = np.linalg.solve(covariance, mean)
        except np.linalg.LinAlgError:
            break
        # Newton's steps, no longer than half a unit: the function is convex.
        tilt -= step * min(1.0, 0.5 / float(np.abs(step).max()))
    raise ArgumentError("no weights give the differences a mean of 0")


def _signs_tossed(population: Population) -> Population:
    """Return the population in which every difference has either sign with one chance."""
    pairs = tuple(
        Pair(np.vstack([pair.differences, -pair.differences]), np.tile(pair.weights, 2) / 2.0)
        for pair in population.pairs
    )
    return Population("signs tossed", population.measure, pairs, "flips")


def _differences_of_runs(folder: Path) -> Iterator[FloatArray]:
    for scores in scores_of_runs(folder):
        for a, b in combinations(range(scores.shape[1]), 2):
            yield scores[:, b] - scores[:, a]


def _matrix_differences(path: Path) -> list[FloatArray]:
    """Return the differences of all pairs of columns of a table of scores, each (n_queries, 1)."""
    scores = scores_of_matrix(path)
    return [scores[:, [b]] - scores[:, [a]] for a, b in combinations(range(scores.shape[1]), 2)]


def _differences_of_simulated(seed: int) -> Iterator[FloatArray]:
    for scores in scores_of_simulated(seed):
        yield scores[:, 1] - scores[:, 0]
