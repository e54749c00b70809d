"""Which systems are not told apart: groups, their letters, and the bars of a diagram of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import BoolArray


def find_groups(distinct: BoolArray) -> tuple[tuple[int, ...], ...]:
    """Return groups of systems such that two share a group exactly when not told apart.

    Parameters
    ----------
    distinct : bool ndarray of shape (n_systems, n_systems)
        Symmetric; whether two systems are told apart.

    Returns
    -------
    tuple of tuple of int
        Each group ascending; the groups by their members, so that with the systems best first the
        first group holds the best.

    Raises
    ------
    ArgumentError
        If the matrix is not square and symmetric with a diagonal of False.

    Notes
    -----
    Insert and absorb [1]_: a group that holds a distinct pair is split in two, each without one of
    the pair, and what lies within another group goes. Then a group goes when the others hold all of
    its pairs.

    References
    ----------
    .. [1] Piepho (2004), Journal of Computational and Graphical Statistics 13, 456-466.

    Examples
    --------
    >>> distinct = np.zeros((4, 4), bool)
    >>> distinct[0, 2:] = distinct[2:, 0] = True
    >>> find_groups(distinct)
    ((0, 1), (1, 2, 3))
    """
    square = distinct.ndim == 2 and distinct.shape[0] == distinct.shape[1]
    if not square or np.any(distinct != distinct.T) or np.any(np.diagonal(distinct)):
        raise ArgumentError("distinct must be a symmetric matrix with nothing on its diagonal")
    found = {frozenset(range(len(distinct)))} if len(distinct) else set()
    for i, j in np.argwhere(np.triu(distinct)).tolist():
        split = {group for group in found if i in group and j in group}
        kept = found - split
        parts = {group - {one} for group in split for one in (i, j)}
        # What is not split holds no other such, so only the parts can be within another.
        found = kept | {
            part
            for part in parts
            if not any(part <= group for group in kept) and not any(part < other for other in parts)
        }
    return tuple(sorted(_needed([tuple(sorted(group)) for group in found])))


def _needed(found: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Leave out the groups, small ones first, whose pairs and members are all held by others."""
    holders: dict[tuple[int, int], int] = {}
    for group in found:
        for pair in _held(group):
            holders[pair] = holders.get(pair, 0) + 1
    kept = []
    for group in sorted(found, key=lambda group: (len(group), group)):
        if all(holders[pair] > 1 for pair in _held(group)):
            for pair in _held(group):
                holders[pair] -= 1
        else:
            kept.append(group)
    return kept


def _held(group: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the pairs of a group, a member with itself among them."""
    return [(i, j) for place, i in enumerate(group) for j in group[place:]]


def group_letters(distinct: BoolArray) -> tuple[str, ...]:
    """Return the letters of each system: two that share a letter are not told apart.

    Parameters
    ----------
    distinct : bool ndarray of shape (n_systems, n_systems)
        Symmetric; whether two systems are told apart. Systems best first give the best an "a".

    Returns
    -------
    tuple of str, length n_systems
        After z come a2 to z2, a3 and so on, which can be read however they are run together.

    Examples
    --------
    >>> distinct = np.zeros((4, 4), bool)
    >>> distinct[0, 2:] = distinct[2:, 0] = True
    >>> group_letters(distinct)
    ('a', 'ab', 'b', 'b')
    """
    found = [""] * len(distinct)
    for number, group in enumerate(find_groups(distinct)):
        rounds, place = divmod(number, len(ascii_lowercase))
        for system in group:
            found[system] += ascii_lowercase[place] + (str(rounds + 1) if rounds else "")
    return tuple(found)


def find_cliques(order: Sequence[int], distinct: BoolArray) -> tuple[tuple[int, ...], ...]:
    """Return the bars of a critical difference diagram: runs with no distinct pair inside.

    Parameters
    ----------
    order : sequence of int
        The systems by mean rank, best first.
    distinct : bool ndarray of shape (n_systems, n_systems)

    Returns
    -------
    tuple of tuple of int
        Systems that follow each other in the order, two or more, all pairs of them not told apart;
        no run lies within another. With a test that gives each pair its own error a system between
        two others can differ from one of them: then no bar runs over it.

    Examples
    --------
    >>> distinct = np.zeros((4, 4), bool)
    >>> distinct[0, 2:] = distinct[2:, 0] = True
    >>> find_cliques([0, 1, 2, 3], distinct)
    ((0, 1), (1, 2, 3))
    """
    found: list[tuple[int, ...]] = []
    reached = 0
    for start in range(len(order)):
        stop = start + 1
        while stop < len(order) and not distinct[order[stop], list(order[start:stop])].any():
            stop += 1
        if stop - start > 1 and stop > reached:
            found.append(tuple(order[start:stop]))
            reached = stop
    return tuple(found)
