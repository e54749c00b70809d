"""One test over all measures: the row of each, and the family of them adjusted together.

The family is that of the secondary measures, the primary one tested alone; that of all measures; or
a fixed sequence, tested one after the other at the full level until one shows no difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from abrank import inference
from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.typing import FloatArray, IntArray
from abrank.comparison.choice import Directions
from abrank.comparison.designs import run_declared
from abrank.comparison.rows import MeasureResult
from abrank.diagnostics import outcomes
from abrank.inference.designs.prediction_powered import PredictionPowered
from abrank.inference.registry import as_alpha
from abrank.inference.rounding import differences_of
from abrank.rule import Design
from abrank.verdict import Rule

ADJUSTMENTS = ("max-t", "holm", "bonferroni", "bh", "none")
# The family that is an adjustment by itself.
SEQUENCE = "fixed-sequence"


class Adjusted(NamedTuple):
    """Adjusted p-values and intervals of the measures, and the flips that max-t shared (else 0)."""

    pvalue: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    n_resamples: int


class Answers(Protocol):
    """What answers a test of every measure: with a machine's judgments, or from merged sums."""

    def take(self, columns: list[int] | IntArray) -> Answers:
        """Return those of some measures."""

    def run(
        self, differences: FloatArray, confidence: float | FloatArray
    ) -> inference.TestResult | PredictionPowered:
        """Test every measure."""


def resolve_adjustment(
    adjust: str | None, test: str, family: str = "secondary", *, design: Design | None = None
) -> str:
    """Return the adjustment for a test: max-t for tests of the mean, Holm for the others.

    Max-t is a joint distribution of mean differences over flips of single queries; it has nothing
    to say of the hypotheses that the Wilcoxon and the sign test test, nor of clusters and of
    confidence sequences, and is refused for them. A fixed sequence has none.

    Examples
    --------
    >>> resolve_adjustment(None, "t"), resolve_adjustment(None, "wilcoxon")
    ('max-t', 'holm')
    """
    of_the_mean = inference.TESTS[test].estimand == "mean difference"
    special = design is not None and bool(design.clusters or design.planned)
    if family == SEQUENCE:
        if adjust not in (None, "none"):
            raise ArgumentError(
                "a fixed sequence tests one measure after the other and adjusts none: leave out"
                f" {adjust}, or choose family secondary or all"
            )
        return SEQUENCE
    if adjust is None:
        return "max-t" if of_the_mean and not special else "holm"
    checks.one_of("adjust", adjust, ADJUSTMENTS)
    if adjust == "max-t" and special:
        raise ArgumentError(
            "max-t flips the signs of single queries at one look; with clusters or a confidence"
            " sequence use holm, bonferroni or bh"
        )
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
    better: Directions,
    seed: int,
    n_resamples: int | None,
    clusters: Sequence[str] | None = None,
    answers: Answers | None = None,
) -> tuple[tuple[MeasureResult, ...], int]:
    """Return one row a measure, and the number of sign flips that max-t shared.

    Parameters
    ----------
    rule : Rule
        Its family says which measures are adjusted together.
    answers : Answers, optional
        What answers the rule's test in the place of ``differences``.
    """
    differences = differences_of(a, b)
    drawn: dict[str, Any] = {"seed": seed, "n_resamples": n_resamples, "clusters": clusters}
    drawn["answers"] = answers
    plain = _run(rule, differences, rule.confidence, **drawn)
    primary = measures.index(rule.primary)
    adjusted = adjust_family(differences, plain, primary, rule, **drawn)
    directions = np.array([1 if better.higher[name] else -1 for name in measures])
    signs = outcomes(differences) * directions
    empty = not len(differences)
    rows = []
    for i, name in enumerate(measures):
        mean_a, mean_b = (np.nan, np.nan) if empty else (a[:, i].mean(), b[:, i].mean())
        counts = tuple(int(np.sum(signs[:, i] == sign)) for sign in (1, 0, -1))
        means = float(mean_a), float(mean_b)
        rows.append(row_of_measure(name, means, counts, plain, adjusted, i, better))
    return tuple(rows), adjusted.n_resamples


def row_of_measure(
    name: str,
    means: tuple[float, float],
    counts: tuple[int, ...],
    plain: inference.TestResult | PredictionPowered,
    adjusted: Adjusted,
    column: int,
    better: Directions,
) -> MeasureResult:
    """Return the row of a measure: its means, its wins, ties and losses, its answers."""
    is_higher = better.higher[name]
    (mean_a, mean_b), (wins, ties, losses) = means, counts
    low, high = float(adjusted.ci_low[column]), float(adjusted.ci_high[column])
    return MeasureResult(
        measure=name,
        mean_a=mean_a,
        mean_b=mean_b,
        diff=mean_b - mean_a,
        ci_low=float(plain.ci_low[column]),
        ci_high=float(plain.ci_high[column]),
        ci_low_adj=low,
        ci_high_adj=high,
        rel_diff=(mean_b - mean_a) / mean_a if mean_a else float("nan"),
        wins=wins,
        ties=ties,
        losses=losses,
        statistic=float(plain.statistic[column]),
        pvalue=float(plain.pvalue[column]),
        pvalue_adj=float(adjusted.pvalue[column]),
        reading=row_reading(
            *((low, high) if is_higher else (-high, -low)),
            moved=bool(wins + losses),
            pvalue=float(plain.pvalue[column]),
            declared=name not in better.asked,
        ),
        estimate=float(plain.estimate[column]),
        higher_is_better=is_higher,
    )


def _run(
    rule: Rule,
    differences: FloatArray,
    confidence: float | FloatArray,
    *,
    answers: Answers | None,
    **drawn: Any,  # noqa: ANN401 - those of run_declared
) -> inference.TestResult | PredictionPowered:
    if answers is not None:
        return answers.run(differences, confidence)
    return run_declared(rule, differences, confidence=confidence, **drawn)


def row_reading(
    low: float, high: float, *, moved: bool, pvalue: float, declared: bool = True
) -> str:
    """Say what the adjusted interval of B's gain says, in one word.

    Where it was not declared which direction is better, a difference is no more than that.
    """
    if np.isnan(pvalue):
        return "untested"
    if not moved:
        return "identical"
    if low > 0 or high < 0:
        return "differs" if not declared else "better" if low > 0 else "worse"
    return "unclear"


def adjust_family(
    differences: FloatArray,
    plain: inference.TestResult | PredictionPowered,
    primary: int,
    rule: Rule,
    *,
    seed: int,
    n_resamples: int | None,
    clusters: Sequence[str] | None = None,
    answers: Answers | None = None,
) -> Adjusted:
    """Adjust the measures of the family together, p-values and intervals by one procedure.

    An adjusted p-value is never below the plain one, nor an adjusted interval inside the plain one.
    For a procedure on p-values (Holm, Bonferroni, BH, a fixed sequence) the interval of a measure
    has the level at which the procedure tested it, ``alpha * p / p_adjusted``, so that it excludes
    0 exactly when the adjusted p-value is below alpha.

    Parameters
    ----------
    plain : TestResult
        Of the rule's test, at the level to adjust.

    References
    ----------
    Maurer, Hothorn & Lehmacher (1995), Biometrie in der chemisch-pharmazeutischen Industrie 6,
    3-18, and Westfall & Krishen (2001), Journal of Statistical Planning and Inference 99, 25-40:
    tests in a fixed sequence.
    """
    pvalue, low, high = plain.pvalue.copy(), plain.ci_low.copy(), plain.ci_high.copy()
    alpha = float(as_alpha(plain.confidence, len(pvalue))[0])
    tested = np.isfinite(plain.pvalue)
    if rule.family == "secondary":
        tested[primary] = False
    family = np.flatnonzero(tested)
    if not family.size or rule.adjust == "none":
        return Adjusted(pvalue, low, high, 0)
    members = differences[:, family]
    if rule.adjust == "max-t":
        joint = inference.max_t(members, confidence=1.0 - alpha, seed=seed)
        pvalue[family] = np.maximum(pvalue[family], joint.pvalue)
        low[family] = np.minimum(low[family], joint.ci_low)
        high[family] = np.maximum(high[family], joint.ci_high)
        return Adjusted(pvalue, low, high, joint.n_resamples)
    raw = plain.pvalue[family]
    if rule.adjust == SEQUENCE:
        pvalue = _in_sequence(pvalue, primary)
    else:
        pvalue[family] = inference.adjust(raw, rule.adjust)
    share = np.divide(raw, pvalue[family], out=np.full(raw.shape, 1.0 / len(raw)), where=raw > 0)
    drawn: dict[str, Any] = {"seed": seed, "n_resamples": n_resamples, "clusters": clusters}
    drawn["answers"] = answers and answers.take(family)
    wide = _run(rule, members, 1.0 - alpha * share, **drawn)
    low[family], high[family] = wide.ci_low, wide.ci_high
    return Adjusted(pvalue, low, high, 0)


def _in_sequence(pvalue: FloatArray, primary: int) -> FloatArray:
    """Return the largest p up to each measure, the primary one first; after NaN nothing is shown.

    A measure without a test stays NaN.
    """
    order = [primary, *(i for i in range(len(pvalue)) if i != primary)]
    adjusted = np.empty_like(pvalue)
    adjusted[order] = np.maximum.accumulate(np.where(np.isnan(pvalue), 1.0, pvalue)[order])
    return np.where(np.isnan(pvalue), np.nan, adjusted)


def interval_of_primary(
    rule: Rule,
    differences: FloatArray,
    primary: int,
    *,
    confidence: float,
    seed: int,
    n_resamples: int | None,
    clusters: Sequence[str] | None = None,
    answers: Answers | None = None,
) -> tuple[float, float]:
    """Return the interval of the primary measure that decides: adjusted if it is in the family."""
    if rule.family != "all":
        answers = answers and answers.take([primary])
        differences, primary = differences[:, [primary]], 0
    drawn: dict[str, Any] = {"seed": seed, "n_resamples": n_resamples, "clusters": clusters}
    drawn["answers"] = answers
    plain = _run(rule, differences, confidence, **drawn)
    if rule.family != "all":
        return float(plain.ci_low[0]), float(plain.ci_high[0])
    found = adjust_family(differences, plain, primary, rule, **drawn)
    return float(found.ci_low[primary]), float(found.ci_high[primary])
