"""Random or all sign flips, as sums over the queries whose sign is flipped."""

from __future__ import annotations

import numpy as np

from abrank._support.rng import stream
from abrank._support.typing import IntArray

# Part of what a seed means: another value here gives other flips.
QUERIES_AT_ONCE = 8192
FLIPS_AT_ONCE = 4096


def all_subsets(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return sum and size of every subset of the rows.

    Parameters
    ----------
    numbers : int64 ndarray of shape (n_queries, n_comparisons)

    Returns
    -------
    sums : int64 ndarray of shape (n_comparisons, 2**n_queries)
        The empty subset first, all rows last.
    sizes : int64 ndarray of shape (2**n_queries,)

    Examples
    --------
    >>> all_subsets(np.array([[1], [10]]))
    (array([[ 0,  1, 10, 11]]), array([0, 1, 1, 2]))
    """
    return _subset_sums(numbers.T), _subset_sums(np.ones((1, len(numbers)), np.int64))[0]


def random_subsets(numbers: IntArray, n_flips: int, *, seed: int) -> tuple[IntArray, IntArray]:
    """Return sum and size of random subsets of the rows, each row in or out by a fair coin.

    The subsets depend on ``seed`` and the number of rows only, are the same for every column, and
    the first m of them do not depend on how many are drawn. Sums are looked up byte by byte: 256
    partial sums for each 8 rows [1]_.

    Parameters
    ----------
    numbers : int64 ndarray of shape (n_queries, n_comparisons)

    Returns
    -------
    sums : int64 ndarray of shape (n_comparisons, n_flips)
    sizes : int64 ndarray of shape (n_flips,)

    References
    ----------
    .. [1] Arlazarov, Dinic, Kronrod & Faradzhev (1970), the "four Russians" method.

    Examples
    --------
    >>> sums, sizes = random_subsets(np.ones((20, 3), np.int64), 5, seed=1)
    >>> bool((sums == sizes).all())
    True
    """
    n_queries, n_columns = numbers.shape
    sums = np.zeros((n_columns, n_flips), np.int64)
    sizes = np.zeros(n_flips, np.int64)
    for start in range(0, n_queries, QUERIES_AT_ONCE):
        rows = numbers[start : start + QUERIES_AT_ONCE]
        tables = _byte_tables(rows)
        random = stream(seed, "sign flips", str(start))
        for first in range(0, n_flips, FLIPS_AT_ONCE):
            flips = _random_bytes(random, len(rows))[:, : n_flips - first]
            part = slice(first, first + flips.shape[1])
            sizes[part] += np.bitwise_count(flips).sum(axis=0, dtype=np.int64)
            # A row of the table holds the sums of all columns: one look-up for each byte.
            partial = np.zeros((flips.shape[1], n_columns), np.int64)
            for table, byte in zip(tables, flips, strict=True):
                partial += table.take(byte, axis=0)
            sums[:, part] += partial.T
    return sums, sizes


def composed_flips(numbers: IntArray, n_generators: int, *, seed: int) -> IntArray:
    """Return the sums under all ``2**n_generators`` products of a few random sign flips.

    Each product is as random as a flip drawn alone, and any two but the identity are independent,
    so a share of them is as precise as that of as many flips drawn alone. And they are a group, so
    a test by the share that reaches the observed sum keeps its level exactly [1]_. Their sums are
    one Walsh transform of the sums over the rows that all generators treat alike.

    Parameters
    ----------
    numbers : int64 ndarray of shape (n_queries,)
    seed : int
        With the number of rows it makes the flips.

    Returns
    -------
    int64 ndarray of shape (2**n_generators,)
        The sum of all rows, no sign flipped, first.

    References
    ----------
    .. [1] Hemerik & Goeman (2018), TEST 27, 811-825: a group of transformations is what it takes.

    Examples
    --------
    >>> composed_flips(np.full(1000, 1), 2, seed=1)
    array([1000,   -2,    6,  -36])
    """
    random = stream(seed, "composed sign flips")
    alike = random.integers(0, 2**n_generators, len(numbers))
    sums = np.zeros(2**n_generators, np.int64)
    np.add.at(sums, alike, numbers)
    for bit in range(n_generators):
        pairs = sums.reshape(-1, 2, 2**bit)
        sums = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1)
    return sums.ravel()


def _random_bytes(
    random: np.random.Generator, n_rows: int
) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """Return one block of flips, a bit a row and flip: shape (ceil(n_rows / 8), FLIPS_AT_ONCE)."""
    n_bytes = -(-n_rows // 8)
    drawn = np.frombuffer(random.bytes(n_bytes * FLIPS_AT_ONCE), np.uint8)
    flips = drawn.reshape(n_bytes, FLIPS_AT_ONCE).copy()
    if n_rows % 8:
        flips[-1] &= (1 << n_rows % 8) - 1
    return flips


def _byte_tables(rows: IntArray) -> IntArray:
    """Return the 256 subset sums of each 8 rows: shape (n_blocks, 256, n_columns)."""
    n_rows, n_columns = rows.shape
    n_blocks = -(-n_rows // 8)
    padded = np.zeros((n_columns, n_blocks * 8), np.int64)
    padded[:, :n_rows] = rows.T
    by_column = _subset_sums(padded.reshape(n_columns, n_blocks, 8))
    return np.ascontiguousarray(by_column.transpose(1, 2, 0))


def _subset_sums(numbers: IntArray) -> IntArray:
    """Return all subset sums along the last axis; bit j of the index says whether j is in."""
    sums = np.zeros((*numbers.shape[:-1], 1), np.int64)
    for j in range(numbers.shape[-1]):
        sums = np.concatenate([sums, sums + numbers[..., j : j + 1]], axis=-1)
    return sums
