"""Tests of differences that come as counts: each distinct value, and how many queries have it."""

# For more queries than anybody holds one by one. What is computed is what the tests of this folder
# compute: they, too, go by distinct values and counts. Fewer than two queries are not meant here.

from __future__ import annotations

import math
from typing import Any

import numpy as np

from abrank._support.result import record
from abrank._support.typing import FloatArray, IntArray
from abrank.inference.bootstrap import Method, answer_by_law, bootstrap_distribution
from abrank.inference.paired import sign_answer
from abrank.inference.registry import TESTS, Answer, TestResult, run_test
from abrank.inference.rounding import has_spread, to_lattice
from abrank.inference.sign_flips import sign_flip_of_counts, upper_tail
from abrank.inference.wilcoxon import EXACT_UP_TO, Walsh, doubled_midranks, limits_of_ranks

# Of a p-value: how often what the grid rounds may do more than its bound says.
_LEFT_OUT = 1e-4


@record
class Counts:
    """Differences as counts."""

    values: FloatArray
    counts: IntArray
    step: float
    total: float

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return int(self.counts.sum())

    def with_their_mean(self) -> FloatArray:
        """Return the values, all but 0 moved alike so that their sum is that of the differences."""
        moved = self.values != 0.0
        if self.step == 0.0 or not moved.any():
            return self.values
        missing = self.total - float(self.counts @ self.values)
        return self.values + np.where(moved, missing / int(self.counts[moved].sum()), 0.0)

    def quantiles(self, shares: FloatArray) -> FloatArray:
        """Return quantiles, between two differences by a straight line, as ``numpy.quantile``."""
        reached = np.cumsum(self.counts)
        place = shares * (self.n_queries - 1)
        low = np.floor(place)
        left, right = (
            self.values[np.searchsorted(reached, np.minimum(at, self.n_queries - 1), side="right")]
            for at in (low, low + 1)
        )
        return np.asarray(left + (right - left) * (place - low))

    def moments(self) -> tuple[float, float]:
        """Return skewness g1 and excess kurtosis g2."""
        values = self.with_their_mean()
        if not has_spread(values):
            return math.nan, math.nan
        share = self.counts / self.n_queries
        centred = values - share @ values
        centred /= math.sqrt(float(share @ centred**2))
        return float(share @ centred**3), float(share @ centred**4) - 3.0

    def run(self, name: str, *, alpha: float, **options: Any) -> Answer:  # noqa: ANN401
        """Test, two-sided."""
        if not np.any(self.values):
            rows = np.array([[0.0], [0.0], [1.0], [0.0], [0.0]])
            return Answer.from_rows(rows, "closed form")
        if name == "bootstrap":
            return self._bootstrap(alpha, **options)
        if name == "sign":
            wins, losses = (
                np.array([float(self.counts[sign * self.values > 0.0].sum())]) for sign in (1, -1)
            )
            return sign_answer(wins, losses, alternative="two-sided", alpha=np.array([alpha]))
        return {"permutation": self._permutation, "wilcoxon": self._wilcoxon}[name](alpha)

    def test(self, name: str, *, confidence: float) -> TestResult:
        """Test, two-sided, and answer as :func:`run_test` does."""
        answer = self.run(name, alpha=1.0 - confidence)
        known = zip(("pvalue_low", "pvalue_high", "pvalue_error"), answer.precision, strict=True)
        return TestResult(
            **{**vars(answer), **dict(known)}, test=name, estimand=TESTS[name].estimand,
            confidence=confidence, alternative="two-sided", n_queries=self.n_queries,
        )  # fmt: skip

    def _permutation(self, alpha: float) -> Answer:
        """Return the sign-flip test; what the grid rounds is bounded by Hoeffding's inequality."""
        values, n = self.with_their_mean(), self.n_queries
        numbers, unit = to_lattice(values[:, None], n_terms=n)
        distinct, place = np.unique(numbers[:, 0], return_inverse=True)
        counts = np.bincount(place, self.counts).astype(np.int64)
        found, *limits = sign_flip_of_counts(
            distinct, counts, float(unit[0]), alpha=alpha, alternative="two-sided"
        )
        low, high = found.low, found.high
        if self.step:
            moved = values != 0.0
            sizes, counts = np.abs(values[moved]), self.counts[moved]
            largest = self.step / 2.0 + float(np.abs(values - self.values).max())
            left_out = max(_LEFT_OUT * found.value, 1e-300)
            # The signed sum of what was rounded exceeds it with a chance of left_out at most.
            reach = largest * math.sqrt(2.0 * float(counts.sum()) * math.log(2.0 / left_out))
            seen = abs(self.total)
            over = 2.0 * upper_tail(sizes, counts, max(seen - reach, 0.0), slack=0.0).high
            under = 2.0 * upper_tail(sizes, counts, seen + reach, slack=0.0).low
            low, high = max(under - left_out, 0.0), min(over + left_out, 1.0)
        mean = self.total / n
        rows = np.array([mean, mean, found.value, *limits])[:, None]
        return Answer.from_rows(rows, "exact", 0, np.array([[low], [high], [0.0]]))

    def _bootstrap(self, alpha: float, *, method: Method) -> Answer:
        values = self.with_their_mean()
        mean = self.total / self.n_queries
        if not has_spread(values):
            return Answer.from_rows(
                np.array([mean, math.nan, math.nan, -math.inf, math.inf])[:, None], "on a grid"
            )
        law = bootstrap_distribution(values, self.counts)
        pvalue, *limits = answer_by_law(law, values, method, alpha, "two-sided", self.counts)
        on_lattice = law.on_lattice and not self.step
        rows = np.array([mean, mean, pvalue, *limits])[:, None]
        return Answer.from_rows(rows, "exact" if on_lattice else "on a grid")

    def _wilcoxon(self, alpha: float) -> Answer:
        """Return the signed-rank test; for bounds, ties of the grid are undone either way."""
        from scipy.special import ndtr

        if self.n_queries <= EXACT_UP_TO and not self.step:
            every = np.repeat(self.values, self.counts)
            found = run_test("wilcoxon", every, confidence=1.0 - alpha)
            columns = found.estimate, found.statistic, found.pvalue, found.ci_low, found.ci_high
            return Answer(*columns, found.method)
        some = self.values != 0.0
        values, counts = self.values[some], self.counts[some]
        size, place = np.unique(np.abs(values), return_inverse=True)
        positive, negative = (
            np.bincount(place, np.where(sign * values > 0.0, counts, 0), len(size)).astype(np.int64)
            for sign in (1, -1)
        )
        count = positive + negative
        ranks = doubled_midranks(count)
        total, doubled_w = int(count @ ranks), int(positive @ ranks)
        nearer = min(doubled_w, total - doubled_w)
        variance = float(count @ (ranks / 2.0) ** 2) / 4.0

        def tail(w: float | IntArray, variance: float = variance) -> FloatArray:
            return np.asarray(ndtr((w - total / 2.0) / math.sqrt(4.0 * variance)))

        pvalue = min(1.0, 2.0 * float(tail(nearer)))
        bounds = [pvalue, pvalue]
        if self.step:
            # Within a bin the ranks of those above 0 may be the lowest or the highest of it.
            free, tied = float(positive @ negative), count.astype(np.float64)
            untied = variance + float(np.sum(tied**3 - tied)) / 48.0
            ends = tail(nearer - free), tail(min(nearer + free, total / 2.0), untied)
            bounds = [min(1.0, 2.0 * float(each)) for each in ends]
        walsh = Walsh(values, 1, counts)
        limits = limits_of_ranks(total, walsh, tail, alpha)
        rows = np.array([walsh.median(), doubled_w / 2.0, pvalue, *limits])[:, None]
        precision = np.array([[bounds[0]], [bounds[1]], [0.0]])
        return Answer.from_rows(rows, "normal approximation", 0, precision)
