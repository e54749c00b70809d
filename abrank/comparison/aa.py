"""The A/A test: whether a test keeps its significance level on the user's own queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, get_args

import numpy as np

from abrank import inference
from abrank._support import checks
from abrank._support.checks import explained
from abrank._support.errors import ArgumentError
from abrank._support.result import record
from abrank._support.rng import entropy, stream
from abrank._support.typing import FloatArray, RandomSource
from abrank.comparison.result import Comparison
from abrank.inference.aa_test import (
    CLUSTER_ROBUST,
    MIN_RESAMPLED,
    MOST_QUERIES,
    N_REPLICATIONS,
    AARow,
    Way,
    WayOfGroups,
    check_groups,
    check_level,
    sample_of,
)
from abrank.inference.clusters import numbered
from abrank.inference.registry import as_differences
from abrank.verdict import Rule

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd


@record
class AACheck:
    """The result of :func:`aa_test`."""

    alpha: float
    # All queries; of many, the rows test a sample.
    n_queries: int
    # Replications per row.
    n_replications: int
    seed: int
    rows: tuple[AARow, ...]

    @property
    def too_often(self) -> tuple[str, ...]:
        """The tests that reject too often on these data, in the requested order."""
        return tuple(dict.fromkeys(row.test for row in self.rows if row.too_often))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per test and method; see :class:`AARow` for the columns."""
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
    """Count how often tests report a difference although A and B are made equal.

    Source: Kohavi, Longbotham, Sommerfield & Henne (2009), Data Mining and Knowledge Discovery 18,
    140-181: the A/A test.

    Parameters
    ----------
    differences : Comparison or array_like of shape (n_queries,)
        Candidate minus baseline; for a comparison, those of its primary measure. Of independent
        groups the units are dealt to groups anew, or drawn in each, and Welch's t test is counted.
        Of more than 20,000 queries, or units, so many are drawn at random; whole clusters.
    tests : sequence of str, optional
        ``t``, ``permutation``, ``bootstrap``, ``wilcoxon``, ``sign``. Default: the deciding test
        of the comparison, else ``t``. With clusters, the cluster-robust t test is added.
    by : {"flips", "halves", "resampled"} or several, optional
        How A and B are made equal. ``flips`` swaps the systems at random for each query. ``halves``
        tests one random half of the queries against the other. ``resampled`` draws with replacement
        from the differences minus their mean. Default: all that apply; clusters rule out
        ``halves``, and fewer than 25 queries or clusters rule out ``resampled``.
    alpha : float, optional
        Significance level. Default: that of the comparison, else .05.
    replications : int
        Replications per row; with 1,000 the rejection rate of a valid test is known to 1.4
        percentage points.
    clusters : sequence of length n_queries, optional
        The cluster of each query. Default: those of the comparison. A cluster is swapped or
        drawn as a whole.
    rng : int, Generator, SeedSequence or None

    Raises
    ------
    ArgumentError
            If a difference is not finite, a test is unknown or an argument is out of range.

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
    level = checks.level("alpha", rule.alpha if alpha is None else alpha)
    if isinstance(differences, Comparison) and rule.independent:
        if tests not in (None, "t") or by is not None or clusters is not None:
            raise ArgumentError(
                "of independent groups Welch's t test is checked: leave out tests, by and clusters"
            )
        place = differences.measures.index(rule.primary)
        a, b = (side[:, place] for side in (differences.a, differences.b))
        a, b = a[np.isfinite(a)], b[np.isfinite(b)]
        return aa_test_of_groups(a, b, alpha=level, replications=replications, rng=rng)
    if isinstance(differences, Comparison):
        if clusters is None and differences.clusters is not None:
            clusters = differences.clusters.labels
        differences = differences.differences()
    values = as_differences(differences)
    if values.shape[1] != 1 or len(values) < 2:
        raise ArgumentError("an A/A test takes one column of differences of two queries or more")
    names = [tests] if isinstance(tests, str) else list(tests or [rule.test])
    for name in names:
        checks.one_of("test", name, inference.TESTS)
    ways = [by] if isinstance(by, str) else list(by or get_args(Way))
    n_queries, seed = len(values), entropy(rng)
    if clusters is not None and len(clusters) != n_queries:
        raise ArgumentError(f"{n_queries} differences have {len(clusters)} labels of clusters")
    if n_queries > MOST_QUERIES:
        codes = np.arange(n_queries) if clusters is None else numbered(clusters)[1]
        sample = sample_of(codes, seed)
        values = values[sample]
        clusters = None if clusters is None else [clusters[place] for place in sample]
    n_units = len(values) if clusters is None else len(set(map(str, clusters)))
    if by is None and n_units < MIN_RESAMPLED:
        ways.remove("resampled")
    if clusters is not None:
        names = [*names, CLUSTER_ROBUST]
        ways = [way for way in ways if by is not None or way != "halves"]
    rows = tuple(
        check_level(
            "t" if name == CLUSTER_ROBUST else name, values[:, 0], by=way, alpha=level, seed=seed,
            n_replications=replications, clusters=clusters, robust=name == CLUSTER_ROBUST,
            n_checks=len(names) * len(ways),
        )
        for name in names
        for way in ways
    )  # fmt: skip
    return AACheck(level, n_queries, replications, seed, rows)


def aa_test_of_groups(
    a: FloatArray, b: FloatArray, *, alpha: float, replications: int, rng: RandomSource
) -> AACheck:
    """Count how often Welch's t test reports a difference between groups made equal."""
    n, seed = len(a) + len(b), entropy(rng)
    if min(len(a), len(b)) < 2:
        raise ArgumentError("an A/A test of groups takes two units of each or more")
    if n > MOST_QUERIES:
        random = stream(seed, "self-check", "sample")
        a, b = (random.choice(x, max(2, round(len(x) * MOST_QUERIES / n)), False) for x in (a, b))
    ways = get_args(WayOfGroups)[: 1 + (min(len(a), len(b)) >= MIN_RESAMPLED)]
    rows = tuple(
        check_groups(
            a, b, by=way, alpha=alpha, n_replications=replications, seed=seed, n_checks=len(ways)
        )
        for way in ways
    )
    return AACheck(alpha, n, replications, seed, rows)
