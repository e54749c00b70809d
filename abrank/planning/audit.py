"""What published means imply about a difference, and what to know before choosing a margin."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.checks import explained
from abrank._support.errors import ArgumentError
from abrank._support.result import Result, record
from abrank._support.typing import FloatArray
from abrank.estimate import IntervalRow
from abrank.inference.paired import t_pvalue
from abrank.inference.student import student_quantile
from abrank.measures import parse
from abrank.planning import student
from abrank.planning.student import queries_needed
from abrank.scoring.scores import Scores

_SHARES = {"1% of A's mean": 0.01, "2% of A's mean": 0.02}


@record
class SuggestedMargin:
    """A reference value for a margin, and what queries can detect of it.

    ``power`` is the probability that the available queries detect it (NaN if the standard deviation
    is unknown). ``n`` queries detect it with the desired power; ``n_not_worse`` queries show that B
    is not worse by it if there is no difference. None means no practical number.
    """

    name: str
    margin: float
    power: float
    n: int | None
    n_not_worse: int | None


@record
class Margins:
    """The result of :func:`suggest_margins`.

    Attributes
    ----------
    n_queries, n_runs : int
    mean : float
        Mean of A over its runs.
    run_means : tuple of float
        Mean of each run of A.
    run_sd : float
        Standard deviation of these means; NaN for one run.
    sd : float
        Standard deviation of the per-query differences for ``power`` and ``n``; NaN if unknown.
    sd_of : {"candidate", "runs", "given", ""}
        Where it is from: B minus A, two runs of A, or the argument ``sd``.
    alpha, target : float
        Level of the two-sided test, and the desired power.
    rows : tuple of SuggestedMargin
        Only margins above 0.
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
    """Return reference values for a margin, before B is compared with A.

    A margin is the smallest loss that users or the business would notice. It should be larger than
    the variation between runs of the same system. It should not be chosen by what the available
    queries can detect.

    Source: Bland & Altman (1986), Lancet 327, 307-310: differences between runs of one system, here
    with t instead of 2; Piaggio et al. (2012), JAMA 308, 2594-2604: declare margins beforehand.

    Parameters
    ----------
    a : Scores, or array_like of shape (n_queries,) or (n_queries, n_runs)
        Scores of one system, one column per run (seeds, folds, index refreshes). For ``Scores``
        every system counts as a run, and the first measure is used.
    b : array_like of shape (n_queries,), optional
        Scores of another system; the variance of its differences determines what queries can
        detect. Default: two runs of A, whose variance is usually smaller.
    span : float, optional
        Largest possible loss of a query. Default: 1 for scores between 0 and 1, else the range of
        the scores.
    sd : float, optional
        Standard deviation of the per-query differences, instead of ``b``.
    alpha, power : float
        Level of the two-sided test, and the desired power.

    Returns
    -------
    Margins
        Its rows: the largest difference of two runs; the difference below which 95 % of pairs of
        runs stay, from three runs (t times the standard deviation of the means times the root of
        2); the loss of one query of n, ``span`` / n; 1 % and 2 % of A's mean.

    Raises
    ------
    ArgumentError
        If shapes differ, a score is not finite, there is no query, or both ``b`` and ``sd`` are
        given.

    Examples
    --------
    >>> seeds = [[0.2, 0.3, 0.2], [0.4, 0.4, 0.5], [0.3, 0.3, 0.3], [0.5, 0.4, 0.6]]
    >>> row = suggest_margins(seeds, [0.3, 0.4, 0.3, 0.7]).rows[0]
    >>> row.name, round(row.margin, 4), row.n
    ('two of 3 runs, largest difference', 0.05, 36)
    """
    if hasattr(a, "query_ids") and not isinstance(a, Scores):
        raise ArgumentError(
            "a must be the scores of one system: abrank.evaluate(qrels, {'seed 1': run, …}) has"
            " them, or an array with a column a run"
        )
    runs = a.values[:, :, 0] if isinstance(a, Scores) else np.asarray(a, dtype=float)
    runs = runs[:, None] if runs.ndim == 1 else runs
    if runs.ndim != 2 or not runs.size:
        raise ArgumentError("at least one query and one run are needed: shape (n_queries, n_runs)")
    n_queries, n_runs = runs.shape
    scores_of_b = None if b is None else np.asarray(b, dtype=float)
    if scores_of_b is not None and scores_of_b.shape != (n_queries,):
        raise ArgumentError(f"b has the shape {scores_of_b.shape}, and A has {n_queries} queries")
    if not all(np.isfinite(x).all() for x in (runs, scores_of_b) if x is not None):
        raise ArgumentError("a score is not finite")
    if b is not None and sd is not None:
        raise ArgumentError("the spread comes from b or from sd, not from both")
    checks.level("alpha", alpha)
    checks.fraction("power", power)
    means = runs.mean(axis=0)
    mean, run_sd = float(means.mean()), float(means.std(ddof=1)) if n_runs > 1 else math.nan
    lowest, highest = float(runs.min()), float(runs.max())
    if span is None:
        span = 1.0 if lowest >= 0.0 and highest <= 1.0 else highest - lowest
    spread, sd_of = _spread(runs, scores_of_b, sd)
    sizes = {}
    if n_runs > 1:
        sizes[f"two of {n_runs} runs, largest difference"] = float(np.ptp(means))
    if n_runs > 2:
        quantile = float(student_quantile(n_runs - 1, 0.975))
        sizes["95% of pairs of runs differ less"] = quantile * run_sd * math.sqrt(2.0)
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
            # A one-sided test at alpha equals a two-sided one at 2 alpha.
            needed, not_worse = (
                queries_needed(spread, margin, alpha=level, target=power)
                for level in (alpha, 2.0 * alpha)
            )
        rows.append(SuggestedMargin(name, margin, chance, needed, not_worse))
    return Margins(
        n_queries, n_runs, mean, tuple(means.tolist()), run_sd, spread, sd_of, alpha, power,
        tuple(rows),
    )  # fmt: skip


def _spread(
    runs: FloatArray, scores_of_b: FloatArray | None, sd: float | None
) -> tuple[float, str]:
    n_queries, n_runs = runs.shape
    if sd is not None:
        return checks.positive("sd", sd), "given"
    if n_queries < 2 or (scores_of_b is None and n_runs < 2):
        return math.nan, ""
    if scores_of_b is not None:
        return float((scores_of_b - runs.mean(axis=1)).std(ddof=1)), "candidate"
    pairs = [runs[:, i] - runs[:, j] for i in range(n_runs) for j in range(i)]
    return float(np.sqrt(np.mean([pair.var(ddof=1) for pair in pairs]))), "runs"


class Board(NamedTuple):
    """A leaderboard with known standard deviations: queries, pairs, and deciles 10 to 90 %."""

    name: str
    n_queries: int
    n_pairs: int
    deciles: tuple[float, ...]

    @property
    def usual(self) -> tuple[float, float, float]:
        """The median, and the deciles 10 % and 90 %."""
        return self.deciles[4], self.deciles[0], self.deciles[-1]

    def share_below(self, sd: float) -> float:
        """Return about which share of pairs has a smaller deviation; 0 or 1 beyond the deciles."""
        shares: FloatArray = np.arange(1, 10) / 10
        share = np.interp(sd, self.deciles, shares, left=0.0, right=1.0)
        return round(float(share), 2)


# Measure, board, queries, pairs, and deciles of the deviation (`reports/studies/spread.py`).
_SPREADS = """
AP         | TREC-7 ad hoc    |  50 | 3244 | .104 .117 .126 .134 .141 .148 .156 .166 .181
P@10       | TREC-7 ad hoc    |  50 | 2264 | .211 .234 .248 .260 .271 .283 .295 .311 .331
RR         | TREC-7 ad hoc    |  50 | 2076 | .318 .351 .370 .388 .405 .423 .442 .463 .491
nDCG@20    | TREC 2012 Web    |  50 |  937 | .105 .132 .150 .160 .170 .181 .189 .197 .212
ERR@20     | TREC 2012 Web    |  50 |  752 | .183 .211 .232 .244 .258 .275 .291 .308 .321
nDCG@10    | TREC 2003 Robust | 100 |   10 | .121 .138 .172 .186 .195 .213 .240 .272 .281
nDCG       | TREC 2003 Robust | 100 |    8 | .088 .093 .096 .108 .119 .127 .132 .139 .162
P@5        | TREC 2003 Robust | 100 |    9 | .194 .224 .247 .265 .296 .305 .338 .360 .362
R@100      | TREC 2003 Robust | 100 |   12 | .120 .125 .127 .128 .133 .146 .160 .168 .175
R@1000     | TREC 2003 Robust | 100 |    7 | .129 .136 .140 .143 .145 .154 .162 .170 .174
Success@1  | TREC 2003 Robust | 100 |    7 | .289 .348 .348 .421 .530 .540 .548 .549 .555
Success@10 | TREC 2003 Robust | 100 |   11 | .264 .284 .293 .330 .339 .386 .389 .400 .445
"""


BOARDS = {
    measure.strip(): Board(name.strip(), int(n), int(pairs), tuple(map(float, deciles.split())))
    for measure, name, n, pairs, deciles in (line.split("|") for line in _SPREADS.splitlines()[1:])
}


MAX_DECIMALS = 12


@record
class AuditRow(IntervalRow):
    """t interval and p of the difference if the per-query differences have deviation ``sd``.

    ``needed`` is the number of queries that detect such a difference; None if no number does.
    """

    spread: str
    sd: float
    ci_low: float
    ci_high: float
    pvalue: float
    needed: int | None


@dataclass(frozen=True, eq=False)
class MeansAudit(Result):
    """What could be true of two published means; returned by :func:`abrank.audit`.

    Attributes
    ----------
    measure : str
    n_queries : int
    a, b : float
        The published means.
    rounding : float
        Maximum error of the difference from the rounding of the means.
    alpha, target : float
        Level of the two-sided test, and the desired power.
    rows : tuple of AuditRow
        At the median and the outer deciles of the stored pairs, or at the given deviation; the last
        row has the largest deviation that scores between 0 and 1 with these means can have.
    is_binary : bool
        Whether each query scores 0 or 1.
    counts_a, counts_b : tuple of int
        Numbers of queries with score 1 that give the published means if all scores are 0 or 1;
        empty if impossible.
    smallest_p, smallest_p_binary : float
        Smallest p of exact sign flips for any scores between 0 and 1 with these means; and by
        McNemar's exact test for scores 0 or 1, NaN if impossible.
    sd_limit, share_below : float
        The difference is significant by t below this deviation; share of the stored pairs with a
        smaller one, NaN without stored pairs.
    board : Board or None
        The stored pairs; None if a deviation was given.
    """

    measure: str
    n_queries: int
    a: float
    b: float
    rounding: float
    alpha: float
    target: float
    rows: tuple[AuditRow, ...]
    is_binary: bool
    counts_a: tuple[int, ...]
    counts_b: tuple[int, ...]
    smallest_p: float
    smallest_p_binary: float
    sd_limit: float
    share_below: float
    board: Board | None

    @property
    def difference(self) -> float:
        """B - A, as published."""
        return self.b - self.a

    @property
    def is_possible(self) -> bool:
        """Whether scores of this measure can have these means."""
        return not self.is_binary or bool(self.counts_a and self.counts_b)

    @property
    def could_be_significant(self) -> bool:
        """Whether some scores with these means are significant by exact sign flips."""
        return (self.smallest_p_binary if self.is_binary else self.smallest_p) < self.alpha

    @property
    def must_be_significant(self) -> bool:
        """Whether all scores with these means are significant by t."""
        return self.could_be_significant and self.rows[-1].pvalue < self.alpha


@explained
def audit(
    queries: int,
    a: float | str,
    b: float | str,
    *,
    measure: str = "nDCG@10",
    sd: float | None = None,
    binary: bool | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
) -> MeansAudit:
    """Check whether a published difference could be real, from two means and the query count.

    Source: Brown & Heathers (2017), Social Psychological and Personality Science 8, 363-369: which
    means are possible for scores of 0 or 1; McNemar (1947), Psychometrika 12, 153-157: their p. The
    bounds are derived below; usual deviations are from TREC leaderboards.

    Parameters
    ----------
    queries : int
        Number of queries.
    a, b : float or str
        The published means, between 0 and 1. Text keeps its decimals: ``"0.430"``.
    measure : str
        Determines the usual deviation of differences on stored TREC leaderboards, and whether
        scores are 0 or 1.
    sd : float, optional
        Standard deviation of the per-query differences, instead of the usual one.
    binary : bool, optional
        Whether each query scores 0 or 1. Default: by the measure (Success, P@1).
    power : float
        Desired power.

    Raises
    ------
    ArgumentError
        If a mean is not between 0 and 1, there are fewer than two queries, or no deviation of the
        measure is stored and none is given.

    Notes
    -----
    For n differences with mean D the variance is largest if all scores are 0 or 1 and min(b, 1 - a)
    of the queries gain (for b >= a). The smallest p of sign flips is 2**(1 - n), for equal
    differences. For scores 0 or 1 with means k queries apart it is 2**(1 - k), if no query loses.

    Examples
    --------
    >>> found = audit(50, 0.412, 0.431)
    >>> found.could_be_significant, found.counts_a, found.rows[0].needed
    (True, (), 829)
    >>> audit(50, "0.40", "0.44", measure="Success@1").could_be_significant
    False
    """
    n = checks.count("queries", queries, at_least=2)
    (mean_a, rounding_a), (mean_b, rounding_b) = (
        _read(name, x) for name, x in (("a", a), ("b", b))
    )
    parsed = parse(measure)
    if tuple(parsed.entry.bounds) != (0.0, 1.0):
        raise ArgumentError(f"audit is of measures between 0 and 1, which {parsed} is not")
    if sd is None and str(parsed) not in BOARDS:
        raise ArgumentError(
            f"no spread of {parsed} is stored ({', '.join(BOARDS)}): say how far the differences of"
            " queries spread, with sd= (--sd)"
        )
    alpha, power = checks.fraction("alpha", alpha), checks.fraction("power", power)
    is_binary_measure = {"Success": True, "P": dict(parsed.parameters).get("cutoff") == 1}
    board = BOARDS[str(parsed)] if sd is None else None
    difference = mean_b - mean_a
    low, high = sorted((mean_a, mean_b))
    gain = min(high, 1.0 - low)
    variance_limit = (2.0 * gain - (high - low) - (high - low) ** 2) * n / (n - 1)
    if board is not None:
        spreads = [*zip(("usual", "small", "large"), board.usual, strict=True)]
    if sd is not None:
        spreads = [("as given", checks.positive("sd", sd))]
        # Subtract the rounding errors of both means.
        min_difference = max(high - low - rounding_a - rounding_b, 0.0)
        max_variance = (
            2.0 * min(gain + max(rounding_a, rounding_b), 1.0) - min_difference - min_difference**2
        )
        if sd > (widest := math.sqrt(max(max_variance, 0.0) * n / (n - 1))):
            raise ArgumentError(
                f"sd is {sd:g}, but the differences of {n} queries with scores between 0 and 1 and"
                f" these means spread by {widest:.3g} at most"
            )
    counts_a, counts_b = (
        tuple(k for k in range(n + 1) if abs(k / n - mean) <= rounding + 1e-12)
        for mean, rounding in ((mean_a, rounding_a), (mean_b, rounding_b))
    )
    p_binary = math.nan
    if counts_a and counts_b:
        max_gap = max(counts_a[-1] - counts_b[0], counts_b[-1] - counts_a[0])
        p_binary = min(1.0, 2.0 ** (1 - max_gap))
    limit = abs(difference) * math.sqrt(n) / _quantile(n, alpha)
    spreads.append(("widest", math.sqrt(variance_limit)))
    rows = tuple(_rows(spreads, difference, n, alpha, power))
    is_binary = is_binary_measure.get(parsed.entry.name, False) if binary is None else binary
    smallest_p = 2.0 ** (1 - n) if abs(difference) + rounding_a + rounding_b > 0.0 else 1.0
    share = math.nan if board is None else board.share_below(limit)
    return MeansAudit(
        str(parsed), n, mean_a, mean_b, rounding_a + rounding_b, alpha, power, rows, is_binary,
        counts_a, counts_b, smallest_p, p_binary, limit, share, board,
    )  # fmt: skip


def _read(name: str, value: float | str) -> tuple[float, float]:
    """Return a mean, and its rounding error by its last decimal."""
    try:
        mean = float(value)
    except ValueError:
        raise ArgumentError(f"{name} is a mean such as 0.412, not {value!r}") from None
    if not 0.0 <= mean <= 1.0:
        raise ArgumentError(f"{name} is a mean between 0 and 1 (0.412 for 41.2%), not {value}")
    digits = str(value).strip().partition(".")[2]
    decimals = len(digits) if digits.isdecimal() else MAX_DECIMALS
    return mean, 0.5 * 10.0 ** -min(decimals, MAX_DECIMALS)


def _quantile(n: int, alpha: float) -> float:
    return -float(student_quantile(n - 1.0, alpha / 2.0))


def _rows(
    spreads: list[tuple[str, float]], difference: float, n: int, alpha: float, power: float
) -> Iterator[AuditRow]:
    for name, sd in spreads:
        error = sd / math.sqrt(n)
        half = _quantile(n, alpha) * error
        t = difference / error if error else math.copysign(math.inf, difference)
        p = float(t_pvalue(np.array([t]), n - 1.0, "two-sided")[0]) if difference else 1.0
        needed = queries_needed(sd, difference, alpha=alpha, target=power)
        ends = max(difference - half, -1.0), min(difference + half, 1.0)
        yield AuditRow(name, sd, *ends, p, needed)
