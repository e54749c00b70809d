"""The A/A test on the queries of one's own: whether a test keeps its level there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, get_args

from abrank import inference
from abrank._support import checks
from abrank._support.checks import explained
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.rng import entropy
from abrank._support.typing import RandomSource
from abrank.comparison.result import Comparison
from abrank.inference.aa_test import (
    CLUSTER_ROBUST,
    MIN_RESAMPLED,
    N_REPLICATIONS,
    AARow,
    Way,
    check_level,
)
from abrank.inference.registry import as_differences
from abrank.verdict import Rule

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd


@record
class AACheck:
    """The answer of :func:`aa_test`."""

    alpha: float
    n_queries: int
    # Of every row.
    n_replications: int
    seed: int
    rows: tuple[AARow, ...]

    @property
    def too_often(self) -> tuple[str, ...]:
        """The tests that find too much on such data, in the order they were asked for."""
        return tuple(dict.fromkeys(row.test for row in self.rows if row.too_often))

    def to_frame(self) -> pd.DataFrame:
        """Return a fresh frame, one row a test and way; see :class:`AARow` for the columns."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.rows])


@explained
def aa_test(
    differences: Comparison | npt.ArrayLike,
    *,
    tests: Sequence[str] | str | None = None,
    by: Sequence[Way] | Way | None = None,
    alpha: float | None = None,
    replications: int = N_REPLICATIONS,
    clusters: Sequence[object] | None = None,
    rng: RandomSource = 0,
) -> AACheck:
    """Count how often tests find a difference between two systems where there is none.

    Source: Kohavi, Longbotham, Sommerfield & Henne (2009), Data Mining and Knowledge Discovery 18,
    140-181: the A/A test.

    Parameters
    ----------
    differences : Comparison or array_like of shape (n_queries,)
        Candidate minus baseline; of a comparison those of its primary measure.
    tests : sequence of str, optional
        ``t``, ``permutation``, ``bootstrap``, ``wilcoxon``, ``sign``; without it the one that a
        comparison declares, else ``t``. With clusters the cluster-robust t test is added.
    by : {"flips", "halves", "resampled"} or several, optional
        How a difference is ruled out: by flips of the systems' names query by query, by halves of
        the queries tested against each other, or by drawing the differences less their mean with
        replacement. Without it all that apply: halves would split clusters, and fewer than 25
        queries or clusters are too few to be drawn from.
    alpha : float, optional
        That of the comparison, else .05.
    replications : int
        Of each row; with 1,000 the share of a right test is known to 1.4 points.
    clusters : sequence of length n_queries, optional
        The cluster of each query; those of a comparison without it. Their names flip together, and
        whole clusters are drawn.
    rng : int, Generator, SeedSequence or None

    Raises
    ------
    ArgumentError
        If a difference is not finite, a test is not known or an argument is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> found = aa_test(np.sin(np.arange(40)) + 0.3, tests=["t", "sign"], replications=400)
    >>> [(row.test, row.by) for row in found.rows]
    [('t', 'flips'), ('t', 'halves'), ('t', 'resampled'), ('sign', 'flips'), ('sign', 'halves'),
    ('sign', 'resampled')]
    >>> found.too_often
    ()
    """
    rule = differences.rule if isinstance(differences, Comparison) else Rule("")
    if isinstance(differences, Comparison):
        if clusters is None and differences.clusters is not None:
            clusters = differences.clusters.labels
        differences = differences.differences()
    values = as_differences(differences)
    if values.shape[1] != 1 or len(values) < 2:
        raise ArgumentError("an A/A test takes one column of differences of two queries or more")
    level = checks.level("alpha", rule.alpha if alpha is None else alpha)
    names = [tests] if isinstance(tests, str) else list(tests or [rule.test])
    for name in names:
        checks.one_of("test", name, inference.TESTS)
    ways = [by] if isinstance(by, str) else list(by or get_args(Way))
    n_units = len(values) if clusters is None else len(set(map(str, clusters)))
    if by is None and n_units < MIN_RESAMPLED:
        ways.remove("resampled")
    if clusters is not None:
        names = [*names, CLUSTER_ROBUST]
        ways = [way for way in ways if by is not None or way != "halves"]
    seed = entropy(rng)
    rows = tuple(
        check_level(
            "t" if name == CLUSTER_ROBUST else name, values[:, 0], by=way, alpha=level, seed=seed,
            n_replications=replications, clusters=clusters, robust=name == CLUSTER_ROBUST,
            n_checks=len(names) * len(ways),
        )
        for name in names
        for way in ways
    )  # fmt: skip
    return AACheck(level, len(values), replications, seed, rows)
