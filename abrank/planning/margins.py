"""What there is to know before a margin is declared: noise of one system, lost queries, shares."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.checks import explained
from abrank._support.errors import ArgumentError
from abrank._support.records import record
from abrank._support.typing import FloatArray
from abrank.inference.student import student_quantile
from abrank.planning import student
from abrank.scoring.scores import Scores

_SHARES = {"1% of A's mean": 0.01, "2% of A's mean": 0.02}


@record
class SuggestedMargin:
    """A difference to hold a margin against, and what queries can show of it.

    ``power`` is the chance that the queries at hand show a true difference of that size (NaN where
    no spread is known), ``n`` the queries that show it with the power wanted, ``n_not_worse`` those
    that show B to be not worse by it if there is no difference; None: no practical number.
    """

    name: str
    margin: float
    power: float
    n: int | None
    n_not_worse: int | None


@record
class Margins:
    """What :func:`suggest_margins` found.

    Attributes
    ----------
    n_queries, n_runs : int
    mean : float
        Of A, over its runs.
    run_means : tuple of float
        Of each run of A.
    run_sd : float
        Standard deviation of them; NaN for one run.
    sd : float
        Standard deviation of the differences per query that ``power`` and ``n`` rest on; NaN where
        none is known.
    sd_of : {"candidate", "runs", "given", ""}
        Whose differences: B less A, two runs of A, or as it was given.
    alpha, target : float
        Level of the two-sided test, and the power wanted.
    rows : tuple of SuggestedMargin
        Those above 0.
    """

    n_queries: int
    n_runs: int
    mean: float
    run_means: tuple[float, ...]
    run_sd: float
    sd: float
    sd_of: str
    alpha: float
    target: float
    rows: tuple[SuggestedMargin, ...]


@explained
def suggest_margins(
    a: npt.ArrayLike | Scores,
    b: npt.ArrayLike | None = None,
    *,
    span: float | None = None,
    sd: float | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> Margins:
    """Return what a margin can be held against, before B is compared with A.

    A margin is the smallest loss that users or the business would notice. It is to be larger than
    what one system differs from itself, or the same system run again does not pass; and what the
    queries at hand can show is no reason for one.

    Parameters
    ----------
    a : Scores, or array_like of shape (n_queries,) or (n_queries, n_runs)
        Scores of one system: a column a run, such as seeds, folds or refreshes of its index. Of
        ``Scores`` every system is a run, and the first measure counts.
    b : array_like of shape (n_queries,), optional
        Scores of another system: the spread of its differences tells what queries can show.
        Without it, that of two runs of A, which is mostly less.
    span : float, optional
        What a query can lose at most; 1 for scores between 0 and 1, else the range of the scores.
    sd : float, optional
        Standard deviation of the differences per query, in the place of ``b``.
    alpha, power : float
        Level of the two-sided test, and the power wanted.

    Returns
    -------
    Margins
        The rows: the largest difference of two runs; that which 95 % of pairs of runs stay below,
        from three runs on (t with n_runs - 1 degrees of freedom times the standard deviation of the
        means and the root of 2); one query lost of n, that is ``span`` / n; 1 % and 2 % of A's
        mean.

    Raises
    ------
    ArgumentError
        If shapes differ, a score is not finite, there is no query, or both ``b`` and ``sd`` are
        given.

    Examples
    --------
    >>> seeds = [[0.2, 0.3, 0.2], [0.4, 0.4, 0.5], [0.3, 0.3, 0.3], [0.5, 0.4, 0.6]]
    >>> found = suggest_margins(seeds, [0.3, 0.4, 0.3, 0.7])
    >>> for row in found.rows:
    ...     print(row.name, round(row.margin, 4), row.n)
    two of 3 runs, largest difference 0.05 36
    95% of pairs of runs differ less 0.1757 5
    one query lost of 4 0.25 4
    1% of A's mean 0.0037 6219
    2% of A's mean 0.0073 1557
    """
    if hasattr(a, "query_ids") and not isinstance(a, Scores):
        raise ArgumentError(
            "a must be the scores of one system: abrank.evaluate(qrels, {'seed 1': run, …}) has"
            " them, or an array with a column a run"
        )
    runs = a.values[:, :, 0] if isinstance(a, Scores) else np.asarray(a, dtype=float)
    runs = runs[:, None] if runs.ndim == 1 else runs
    if runs.ndim != 2 or not runs.size:
        raise ArgumentError("a margin takes the scores of a query and a run at least: (n, n_runs)")
    n_queries, n_runs = runs.shape
    other = None if b is None else np.asarray(b, dtype=float)
    if other is not None and other.shape != (n_queries,):
        raise ArgumentError(f"b has the shape {other.shape}, and A has {n_queries} queries")
    if not np.isfinite(runs).all() or (other is not None and not np.isfinite(other).all()):
        raise ArgumentError("a score is not finite")
    if other is not None and sd is not None:
        raise ArgumentError("the spread comes from b or from sd, not from both")
    checks.level("alpha", alpha)
    checks.fraction("power", power)
    means = runs.mean(axis=0)
    mean, run_sd = float(means.mean()), float(means.std(ddof=1)) if n_runs > 1 else math.nan
    least, most = float(runs.min()), float(runs.max())
    if span is None:
        span = 1.0 if least >= 0.0 and most <= 1.0 else most - least
    spread, sd_of = _spread(runs, other, sd)
    sizes = {}
    if n_runs > 1:
        sizes[f"two of {n_runs} runs, largest difference"] = float(np.ptp(means))
    if n_runs > 2:
        far = float(student_quantile(n_runs - 1, 0.975))
        sizes["95% of pairs of runs differ less"] = far * run_sd * math.sqrt(2.0)
    sizes[f"one query lost of {n_queries}"] = checks.positive("span", span) / n_queries
    sizes |= {name: share * abs(mean) for name, share in _SHARES.items()}
    rows = []
    for name, margin in sizes.items():
        if not margin:
            continue
        chance, needed, not_worse = math.nan, None, None
        if spread > 0.0:
            if n_queries > 1:
                chance = student.power(n_queries, effect=margin / spread, alpha=alpha)
            needed, not_worse = (
                # One one-sided test at alpha is a two-sided one at twice alpha.
                student.queries_needed(spread, margin, alpha=times * alpha, target=power)
                for times in (1.0, 2.0)
            )
        rows.append(SuggestedMargin(name, margin, chance, needed, not_worse))
    return Margins(
        n_queries, n_runs, mean, tuple(means.tolist()), run_sd, spread, sd_of, alpha, power,
        tuple(rows),
    )  # fmt: skip


def _spread(runs: FloatArray, other: FloatArray | None, sd: float | None) -> tuple[float, str]:
    """Return the standard deviation of differences per query, and whose they are."""
    n_queries, n_runs = runs.shape
    if sd is not None:
        return checks.positive("sd", sd), "given"
    if n_queries < 2 or (other is None and n_runs < 2):
        return math.nan, ""
    if other is not None:
        return float((other - runs.mean(axis=1)).std(ddof=1)), "candidate"
    pairs = [runs[:, i] - runs[:, j] for i in range(n_runs) for j in range(i)]
    return float(np.sqrt(np.mean([each.var(ddof=1) for each in pairs]))), "runs"
