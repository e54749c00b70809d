"""The cautions that the differences themselves give.

=====================  ======================================================================
differences            what is said of their number and shape
=====================  ======================================================================
no query               nothing
one query              few queries, and nothing else
two queries            few queries; as any other data
all 0                  nothing: the verdict says it
one value, not 0       few queries where they are few; that it is one value, and nothing else
one query differs      as any other data: ties, a long tail
two values             as any other data
not finite             refused
=====================  ======================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray
from abrank.diagnostics.notes import (
    DECIMALS,
    Note,
    is_discrete,
    on_unit_scale,
    outcomes,
)

FEW_QUERIES = 25
LARGE_LOSS = 0.20
MANY_TIES = 0.20
HEAVY_SKEW = 1.0
TOP_SHARE = 0.5
FEW_CLUSTERS = 20
FEWEST_CLUSTERS = 6

# How often a test finds a mean difference at 5 % where there is none, by number of queries: the
# sizes at which that is clearly too often on real runs. From reports/calibration, all measures.
FALSE_FINDINGS: Mapping[str, Mapping[int, float]] = {
    "wilcoxon": {50: 0.062, 100: 0.076, 250: 0.109},
    "sign": {50: 0.073, 100: 0.126, 250: 0.242},
    "BCa": {10: 0.134, 25: 0.097, 50: 0.073, 100: 0.061},
}
# No more queries than that have too short percentile and BCa intervals.
SHORT_INTERVALS_UP_TO = 100


class _Test(Protocol):
    @property
    def test(self) -> str: ...
    @property
    def pvalue(self) -> float: ...
    @property
    def decides(self) -> bool: ...


def inspect_differences(
    differences: FloatArray,
    tests: Sequence[_Test],
    *,
    alpha: float,
    query_ids: Sequence[str],
    measure: str,
    higher_is_better: bool = True,
) -> list[Note]:
    """Return the cautions that the per-query differences of the primary measure give.

    Parameters
    ----------
    differences : float64[n_queries]
        B - A.
    tests : sequence
        The tests of the primary measure, each with ``test``, ``pvalue`` and ``decides``.
    alpha : float
    query_ids : sequence of str
    measure : str
        Canonical name of the primary measure.
    higher_is_better : bool
        Whether B gains where the difference is above 0.

    Returns
    -------
    list of Note

    Raises
    ------
    ArgumentError
        If a difference is not finite.

    Examples
    --------
    >>> notes = inspect_differences(
    ...     np.array([0.1, -0.5]), [], alpha=0.05, query_ids=["a", "b"], measure="AP"
    ... )
    >>> [note.code for note in notes]
    ['few-queries', 'large-losses']
    """
    n = len(differences)
    if not np.all(np.isfinite(differences)):
        raise ArgumentError("differences must be finite numbers")
    if n == 0 or not outcomes(differences).any():
        return []
    notes = []
    if n < FEW_QUERIES:
        notes.append(Note("few-queries", 2, {"n": n}))
    if n == 1:
        return notes
    if np.ptp(np.round(differences, DECIMALS)) == 0:
        return [*notes, Note("constant-difference", 3, {"difference": float(differences[0])})]
    gains = differences if higher_is_better else -differences
    losses = np.flatnonzero(np.round(gains, DECIMALS) < -LARGE_LOSS)
    if losses.size and on_unit_scale(measure):
        worst = int(np.argmin(gains))
        notes.append(
            Note(
                "large-losses",
                2,
                {
                    "count": int(losses.size),
                    "threshold": LARGE_LOSS,
                    "query_id": query_ids[worst],
                    "difference": float(differences[worst]),
                },
            )
        )
    notes += _disagreement(differences, tests, alpha)
    notes += _fragile(differences, tests, alpha, query_ids)
    notes += _off_level(n, tests, alpha)
    ties = int(np.sum(outcomes(differences) == 0))
    if ties > MANY_TIES * n:
        notes.append(Note("many-ties", 1, {"count": ties, "n": n, "share": ties / n}))
    notes += _shape(differences)
    if is_discrete(measure):
        notes.append(Note("discrete-measure", 1, {"measure": measure}))
    return notes


def _disagreement(differences: FloatArray, tests: Sequence[_Test], alpha: float) -> list[Note]:
    """Note tests on both sides of alpha, and a mean that points against the count of wins."""
    found = []
    decided = {test.pvalue < alpha for test in tests if test.test in ("t", "permutation")}
    if len(decided) == 2:
        found.append(Note("tests-disagree", 3, {test.test: test.pvalue for test in tests}))
    signs = outcomes(differences)
    wins, losses = int(np.sum(signs > 0)), int(np.sum(signs < 0))
    shown = any(test.pvalue < alpha for test in tests if test.decides or test.test == "sign")
    if shown and np.sign(np.mean(differences)) * (wins - losses) < 0:
        found.append(Note("mean-against-wins", 2, {"wins": wins, "losses": losses}))
    return found


def _fragile(
    differences: FloatArray, tests: Sequence[_Test], alpha: float, query_ids: Sequence[str]
) -> list[Note]:
    """Note a difference that the t test would not show without a single query."""
    from abrank.inference import leave_out  # a look at the inputs needs no test

    if not any(test.decides and test.test == "t" for test in tests):
        return []
    found = leave_out(differences, confidence=1.0 - alpha)
    if found.call == 0 or not found.flips.any():
        return []
    one = int(np.argmax(np.where(found.flips, found.call * differences, -np.inf)))
    values = {
        "count": int(found.flips.sum()),
        "query_id": query_ids[one],
        "difference": float(differences[one]),
    }
    return [Note("one-query-decides", 2, values)]


def _off_level(n: int, tests: Sequence[_Test], alpha: float) -> list[Note]:
    """Note a test whose rate of false findings about the mean is known to be too high."""
    deciding = next((test for test in tests if test.decides), None)
    if deciding is None:
        return []
    found = []
    rates = FALSE_FINDINGS.get(deciding.test, {})
    if sizes := [size for size in rates if size <= n]:
        values = {"test": deciding.test, "n": max(sizes), "rate": rates[max(sizes)]}
        found.append(Note("not-about-the-mean", 2, values))
    # The first of the bootstraps is the studentised one, which keeps its level.
    others = [test for test in tests if test.test == "bootstrap"][1:]
    apart = deciding.pvalue >= alpha and any(test.pvalue < alpha for test in others)
    if apart and n <= SHORT_INTERVALS_UP_TO:
        rates = FALSE_FINDINGS["BCa"]
        size = max((size for size in rates if size <= n), default=min(rates))
        found.append(Note("short-intervals", 1, {"n": n, "size": size, "rate": rates[size]}))
    return found


def _shape(differences: FloatArray) -> list[Note]:
    """Note a long tail, and a few queries that carry the mean."""
    found = []
    centred = differences - np.mean(differences)
    spread = np.sqrt(np.mean(centred**2))
    skew = float(np.mean(centred**3) / spread**3)
    if abs(skew) > HEAVY_SKEW:
        found.append(Note("skewed", 1, {"skew": skew}))
    total = float(np.sum(differences))
    aligned = np.sort(differences * np.sign(total))[::-1]
    # With a sum near 0 any three queries outweigh it, which would say nothing.
    tells = len(differences) > 6 and abs(total) > np.sqrt(np.sum(differences**2))
    if tells and aligned[:3].sum() > TOP_SHARE * abs(total):
        share = float(aligned[:3].sum() / abs(total))
        found.append(Note("few-carry-the-mean", 2, {"share": share}))
    return found


def inspect_clusters(n_clusters: int) -> list[Note]:
    """Return the cautions that the number of clusters gives, where queries come in clusters.

    Parameters
    ----------
    n_clusters : int

    Returns
    -------
    list of Note
        With fewer than 6 the permutation test cannot reach .05; with fewer than 20 the errors of
        the other tests are too small where clusters differ in size.

    Examples
    --------
    >>> [note.severity for n in (5, 6, 19, 20) for note in inspect_clusters(n)]
    [3, 2, 2]
    """
    if n_clusters >= FEW_CLUSTERS:
        return []
    too_few = n_clusters < FEWEST_CLUSTERS
    return [Note("few-clusters", 3 if too_few else 2, {"n": n_clusters, "too_few": too_few})]
