"""How well a measure tells systems apart: discriminative power and swap rate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from abrank._support.rng import stream
from abrank._support.typing import FloatArray
from abrank.inference.registry import run_test
from abrank.inference.systems.registry import as_scores

N_SPLITS = 200


def achieved_levels(scores: npt.ArrayLike, *, test: str = "t", seed: int = 0) -> FloatArray:
    """Return the p-values of all pairs of systems, smallest first: the curve of achieved levels.

    Each pair has its own paired test, not adjusted: the curve compares measures, it claims nothing
    of single pairs. Pairs that score the same on every query have p 1.

    Source: Sakai (2006), SIGIR, 525-532.
    """
    block = as_scores(scores)
    one, two = np.triu_indices(block.shape[1], 1)
    found = run_test(test, block[:, two] - block[:, one], seed=seed).pvalue
    return np.sort(found)


def swap_rate(scores: npt.ArrayLike, *, n_splits: int = N_SPLITS, seed: int = 0) -> float:
    """Return how often two halves of the queries order a pair of systems the other way round.

    The queries are parted at random into disjoint halves, ``n_splits`` times. A tie in one half and
    not in the other is half a swap; pairs that tie in both are left out.

    Source: Voorhees & Buckley (2002), SIGIR, 316-323.
    """
    block = as_scores(scores)
    n, half = len(block), len(block) // 2
    if half == 0:
        return float("nan")
    one, two = np.triu_indices(block.shape[1], 1)
    random = stream(seed, "swap-rate")
    swapped = counted = 0.0
    for _ in range(n_splits):
        order = random.permutation(n)
        halves = (block[order[:half]].mean(axis=0), block[order[half : 2 * half]].mean(axis=0))
        signs = [np.sign((means[two] - means[one]).round(12)) for means in halves]
        counted += np.count_nonzero((signs[0] != 0.0) | (signs[1] != 0.0))
        swapped += float(np.abs(signs[0] - signs[1]).sum()) / 2.0
    return float(swapped / counted) if counted else float("nan")
