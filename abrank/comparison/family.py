"""One test over all measures: the row of each, and the secondary ones adjusted together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from abrank import inference
from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import BoolArray, FloatArray
from abrank.comparison.rows import MeasureResult
from abrank.diagnostics import outcomes
from abrank.verdict import Rule

ADJUSTMENTS = ("max-t", "holm", "bonferroni", "bh", "none")


class Adjusted(NamedTuple):
    """Adjusted p-values and intervals of the measures, and the flips that max-t shared (else 0)."""

    pvalue: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    n_resamples: int


def resolve_adjustment(adjust: str | None, test: str) -> str:
    """Return the adjustment for a test: max-t for tests of the mean, Holm for the others.

    Max-t is a joint law of mean differences; it has nothing to say of the hypotheses that the
    Wilcoxon and the sign test test, and is refused for them.

    Examples
    --------
    >>> resolve_adjustment(None, "t"), resolve_adjustment(None, "wilcoxon")
    ('max-t', 'holm')
    """
    of_the_mean = inference.TESTS[test].estimand == "mean difference"
    if adjust is None:
        return "max-t" if of_the_mean else "holm"
    checks.one_of("adjust", adjust, ADJUSTMENTS)
    if adjust == "max-t" and not of_the_mean:
        raise ArgumentError(
            f"max-t adjusts tests of the mean, not {test}; use holm, bonferroni or bh"
        )
    return adjust


def measure_rows(
    measures: tuple[str, ...],
    a: FloatArray,
    b: FloatArray,
    rule: Rule,
    *,
    higher: Mapping[str, bool],
    seed: int,
    n_resamples: int | None,
) -> tuple[tuple[MeasureResult, ...], int]:
    """Return one row a measure, and the number of sign flips that max-t shared.

    Parameters
    ----------
    measures : tuple of str
    a, b : float64[n_queries, n_measures]
    rule : Rule
        The primary measure is tested alone; the others form the family.
    higher : mapping of str to bool
        Of each measure, whether the higher score is the better one.
    seed : int
    n_resamples : int, optional
    """
    differences = b - a
    plain = inference.run_test(
        rule.test, differences, confidence=rule.confidence, seed=seed, n_resamples=n_resamples
    )
    secondary = np.array([name != rule.primary for name in measures])
    adjusted = adjust_family(
        differences, plain, secondary, rule, seed=seed, n_resamples=n_resamples
    )
    directions = np.array([1 if higher[name] else -1 for name in measures])
    signs = outcomes(differences) * directions
    empty = not len(differences)
    rows = []
    for i, name in enumerate(measures):
        mean_a, mean_b = (np.nan, np.nan) if empty else (a[:, i].mean(), b[:, i].mean())
        low, high = float(adjusted.ci_low[i]), float(adjusted.ci_high[i])
        rows.append(
            MeasureResult(
                measure=name,
                mean_a=float(mean_a),
                mean_b=float(mean_b),
                diff=float(mean_b - mean_a),
                ci_low=float(plain.ci_low[i]),
                ci_high=float(plain.ci_high[i]),
                ci_low_adj=low,
                ci_high_adj=high,
                rel_diff=float((mean_b - mean_a) / mean_a) if mean_a else float("nan"),
                wins=int(np.sum(signs[:, i] > 0)),
                ties=int(np.sum(signs[:, i] == 0)),
                losses=int(np.sum(signs[:, i] < 0)),
                statistic=float(plain.statistic[i]),
                pvalue=float(plain.pvalue[i]),
                pvalue_adj=float(adjusted.pvalue[i]),
                reading=row_reading(
                    *((low, high) if directions[i] > 0 else (-high, -low)),
                    moved=bool(signs[:, i].any()),
                    pvalue=float(plain.pvalue[i]),
                ),
                estimate=float(plain.estimate[i]),
                higher_is_better=bool(directions[i] > 0),
            )
        )
    return tuple(rows), adjusted.n_resamples


def row_reading(low: float, high: float, *, moved: bool, pvalue: float) -> str:
    """Say what the adjusted interval of B's gain says, in one word."""
    if np.isnan(pvalue):
        return "untested"
    if not moved:
        return "identical"
    if low > 0:
        return "better"
    return "worse" if high < 0 else "unclear"


def adjust_family(
    differences: FloatArray,
    plain: inference.TestResult,
    secondary: BoolArray,
    rule: Rule,
    *,
    seed: int,
    n_resamples: int | None,
) -> Adjusted:
    """Adjust the secondary measures together, p-values and intervals by one procedure.

    An adjusted p-value is never below the plain one, nor an adjusted interval inside the plain one.
    For a procedure on p-values (Holm, Bonferroni, BH) the interval of a measure has the level at
    which the procedure tested it, ``alpha * p / p_adjusted``, so that it excludes 0 exactly when
    the adjusted p-value is below alpha.
    """
    pvalue, low, high = plain.pvalue.copy(), plain.ci_low.copy(), plain.ci_high.copy()
    family = np.flatnonzero(secondary & np.isfinite(plain.pvalue))
    if not family.size or rule.adjust == "none":
        return Adjusted(pvalue, low, high, 0)
    members = differences[:, family]
    if rule.adjust == "max-t":
        joint = inference.max_t(members, confidence=rule.confidence, seed=seed)
        pvalue[family] = np.maximum(pvalue[family], joint.pvalue)
        low[family] = np.minimum(low[family], joint.ci_low)
        high[family] = np.maximum(high[family], joint.ci_high)
        return Adjusted(pvalue, low, high, joint.n_resamples)
    raw = plain.pvalue[family]
    pvalue[family] = inference.adjust(raw, rule.adjust)
    share = np.divide(raw, pvalue[family], out=np.full(raw.shape, 1.0 / len(raw)), where=raw > 0)
    wide = inference.run_test(
        rule.test, members, confidence=1.0 - rule.alpha * share, seed=seed, n_resamples=n_resamples
    )
    low[family], high[family] = wide.ci_low, wide.ci_high
    return Adjusted(pvalue, low, high, 0)
