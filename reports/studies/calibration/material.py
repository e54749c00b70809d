"""What the parts of the study draw from: pairs and blocks of systems of all measures together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, permutations
from pathlib import Path
from typing import TypeAlias

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from reports.studies.calibration import sources
from reports.studies.calibration.populations import (
    FEWEST_VALUES,
    LARGEST_MEAN,
    STEPS,
    Pair,
    Population,
    balancing_weights,
)
from reports.studies.calibration.sources import (
    MATRICES,
    MEASURES,
    scores_of_matrix,
    scores_of_runs,
    scores_of_simulated,
)

N_SYSTEMS = 5
# What the second system of a raised pair has above the first, of its mean.
GAIN = 0.25
# Of a board of more systems the best are one of their own.
N_BEST = 10
# Pairs and blocks of a kind; every measure has its share.
N_OF_A_MEASURE = 10


@dataclass(frozen=True)
class Block:
    """Scores of systems on the queries of a collection, shape (n_queries, n_systems).

    A query is drawn with the chance ``weights[query]``. ``name`` tells of what it is.
    """

    scores: FloatArray
    weights: FloatArray
    name: str = ""

    def draw(self, n_queries: int, n_samples: int, random: np.random.Generator) -> FloatArray:
        """Return samples of queries, shape (n_queries, n_samples, n_systems)."""
        index = random.choice(len(self.weights), (n_queries, n_samples), p=self.weights)
        return np.asarray(self.scores[index])

    @cached_property
    def mean(self) -> FloatArray:
        """The true mean of every system."""
        return np.asarray(self.weights @ self.scores)

    @cached_property
    def spread(self) -> FloatArray:
        """The true standard deviation of every system's scores."""
        return np.asarray(np.sqrt(self.weights @ (self.scores - self.mean) ** 2))


@dataclass(frozen=True)
class Material:
    """Pairs of differences with a mean of 0, and blocks of scores.

    ``families`` have the four measures of one pair; in ``level`` two systems have one mean, in
    ``raised`` the second has a quarter more than the first, in ``many`` several systems have one.
    ``boards`` are all systems of a collection, and where these are many the best of them. In
    ``balanced`` their best systems have one mean by the weights of the queries.
    """

    source: str
    pairs: tuple[Pair, ...]
    families: tuple[Pair, ...]
    level: tuple[Block, ...]
    raised: tuple[Block, ...]
    many: tuple[Block, ...]
    boards: tuple[Block, ...]
    balanced: tuple[Block, ...]


def material(folder: Path | None, populations: Sequence[Population], *, seed: int) -> Material:
    """Return what the parts of the study draw from.

    Parameters
    ----------
    folder : Path, optional
        As for :func:`~reports.studies.calibration.populations.populations`.
    populations : sequence of Population
        Of that folder; those of its first source are taken: every second pair of each measure.
    seed : int
        Which blocks are taken.
    """
    source = populations[0].source
    of_source = {
        population.measure: population.pairs
        for population in populations
        if population.source == source
    }
    scores = list(_scores(folder, seed))
    random = stream(seed, source, "blocks")
    boards = tuple(_boards(folder, scores))
    return Material(
        source=source,
        pairs=tuple(pair for name in MEASURES for pair in of_source[name][::2]),
        families=of_source["all four"],
        level=_chosen(scores, _twos, random, gain=0.0),
        raised=_chosen(scores, _twos, random, gain=GAIN),
        many=_chosen(scores, _neighbours, random, gain=0.0),
        boards=boards,
        balanced=tuple(balanced(board) for board in boards if board.scores.shape[1] <= N_BEST),
    )


_Sets: TypeAlias = Callable[[FloatArray], list[tuple[int, ...]]]
# Scores of shape (n_queries, n_systems), by what they measure; each kind of source is a list.
_Scores: TypeAlias = list[tuple[str, FloatArray]]


def _scores(folder: Path | None, seed: int) -> Iterator[_Scores]:
    """Go through the kinds of sources."""
    if folder is None:
        pairs = list(scores_of_simulated(seed))
        yield [(name, _stacked(pairs, place)) for place, name in enumerate(MEASURES)]
        return
    yield [(name, scores_of_matrix(folder / path)) for name, path in MATRICES.items()]
    yield [
        (name, scores[:, :, place])
        for scores in scores_of_runs(folder)
        for place, name in enumerate(MEASURES)
    ]


def _boards(folder: Path | None, kinds: list[_Scores]) -> Iterator[Block]:
    """Go through the boards: all systems of a source by one measure, and the best of many."""
    names = [Path(path).stem for path in MATRICES.values()]
    names += [
        f"{collection}, {measure}" for collection in sources.COLLECTIONS for measure in MEASURES
    ]
    if folder is None:
        names = [f"simulated, {measure}" for measure in MEASURES]
    boards = [scores for kind in kinds for _, scores in kind]
    for name, scores in zip(names, boards, strict=True):
        order = np.argsort(-scores.mean(axis=0), kind="stable")
        weights = np.full(len(scores), 1.0 / len(scores))
        if len(order) > N_BEST:
            yield Block(scores[:, order[:N_BEST]], weights, f"{name}, the {N_BEST} best")
        yield Block(scores[:, order], weights, f"{name}, {len(order)} systems")


def balanced(board: Block) -> Block:
    """Return the best systems of a board that weights of the queries can give one mean.

    The best comes first; one that no weights balance, or none that leave half of the queries in
    effect (Kish), is left out. Tied queries stay tied, as do skewness and what systems share.
    """
    scores, weights = board.scores, board.weights
    selected = [0]
    for column in range(1, scores.shape[1]):
        contrasts = scores[:, [*selected[1:], column]] - scores[:, [0]]
        if np.linalg.matrix_rank(contrasts) < len(selected):
            continue
        try:
            result = balancing_weights(contrasts)
        except ArgumentError:
            continue
        if 1.0 / float((result**2).sum()) >= len(scores) / 2.0:
            selected, weights = [*selected, column], result
    name = f"{board.name.rsplit(', ', 1)[0]}, {len(selected)} systems"
    return Block(scores[:, selected], weights, name)


def _stacked(pairs: list[FloatArray], place: int) -> FloatArray:
    """Return a simulated baseline, and beside it what every simulated pair adds to its own.

    Queries of different pairs have nothing in common, so a sum is cut where no score can lie.
    """
    baseline = pairs[0][:, [0], place]
    gains = [pair[:, [1], place] - pair[:, [0], place] for pair in pairs]
    return np.clip(np.hstack([baseline, *(baseline + gain for gain in gains)]), 0.0, 1.0)


def _chosen(
    kinds: list[_Scores], sets: _Sets, random: np.random.Generator, *, gain: float
) -> tuple[Block, ...]:
    """Return ``N_OF_A_MEASURE`` blocks a measure, or all there are, half of each kind."""
    result: list[Block] = []
    for measure in MEASURES:
        usable = [[scores for name, scores in kind if name == measure] for kind in kinds]
        usable = [kind for kind in usable if kind]
        for kind in usable:
            candidates = [(item, columns) for item in kind for columns in sets(item)]
            order = random.permutation(len(candidates)).tolist()
            tried = ((*candidates[place], STEPS[measure]) for place in order)
            blocks = (_block(scores, columns, step, gain) for scores, columns, step in tried)
            result += islice(filter(None, blocks), N_OF_A_MEASURE // len(usable))
    return tuple(result)


def _twos(scores: FloatArray) -> list[tuple[int, ...]]:
    """Return all pairs of columns, in either order."""
    return list(permutations(range(scores.shape[1]), 2))


def _neighbours(scores: FloatArray) -> list[tuple[int, ...]]:
    """Return columns that follow each other in the order of their means."""
    order = np.argsort(scores.mean(axis=0), kind="stable").tolist()
    return [
        tuple(order[first : first + N_SYSTEMS])
        for first in range(max(1, len(order) - N_SYSTEMS + 1))
        if len(order) >= N_SYSTEMS
    ]


def _block(scores: FloatArray, columns: tuple[int, ...], step: float, gain: float) -> Block | None:
    """Return the systems in whole steps, every other one with ``gain`` more than the first.

    None where they are too much alike, or too far from that for weights that keep the shape.
    """
    values = np.rint(scores[:, columns] / step) * step + 0.0
    contrasts = values[:, 1:] - (1.0 + gain) * values[:, [0]]
    differences = values[:, 1:] - values[:, [0]]
    spread = contrasts.std(axis=0)
    varied = all(len(np.unique(column.round(6))) >= FEWEST_VALUES for column in differences.T)
    if not varied or np.any(np.abs(contrasts.mean(axis=0)) > LARGEST_MEAN * spread):
        return None
    try:
        return Block(values, balancing_weights(contrasts))
    except ArgumentError:
        return None
