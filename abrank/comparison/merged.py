"""A comparison from statistics alone: for more queries than one machine holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from abrank import inference
from abrank._support.errors import ArgumentError
from abrank._support.rng import entropy, stream
from abrank._support.typing import FloatArray
from abrank.comparison.declared import declare, directions
from abrank.comparison.family import row_reading
from abrank.comparison.pairing import name_runs
from abrank.comparison.question import Question
from abrank.comparison.rows import MeasureResult
from abrank.engines import Engine, EngineName, on
from abrank.engines.exact import exact_value
from abrank.engines.merge import Extreme, MeasureStatistics, Statistics
from abrank.evaluation import EvaluateOptions, silent
from abrank.inference.paired import counted
from abrank.inference.paired.t_test import t_interval, t_pvalue
from abrank.partitioned import merge_partitioned
from abrank.verdict import Decision, Rule, Verdict, decide

if TYPE_CHECKING:
    import pandas as pd

N_RESAMPLES = 1999
SHARES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


class CountedTest(NamedTuple):
    """A test of the primary measure from counts; what it does not give is NaN."""

    test: str
    pvalue: float
    ci_low: float
    ci_high: float
    method: str


@dataclass(frozen=True, eq=False)
class MergedComparison:
    """Baseline A against candidate B, from merged statistics.

    Attributes
    ----------
    baseline, candidate : str
    n_queries : int
    rule : Rule
    decision : Decision
    rows : tuple of MeasureResult
        By the t test, the same numbers as those of :class:`abrank.Comparison`; the secondary
        measures are adjusted by Holm's procedure where nothing else is asked for.
    tests : tuple of CountedTest
        Of the primary measure: t and sign test exactly, the others from differences on a grid of
        2**-14.
    quantiles : mapping of float to float
        Of the differences of the primary measure, on that grid.
    largest, smallest : tuple of Extreme
        The 20 queries with the largest and with the smallest difference B - A.
    seed : int
    notes : tuple of str
    """

    baseline: str
    candidate: str
    n_queries: int
    rule: Rule
    decision: Decision
    rows: tuple[MeasureResult, ...]
    tests: tuple[CountedTest, ...]
    quantiles: Mapping[float, float]
    largest: tuple[Extreme, ...]
    smallest: tuple[Extreme, ...]
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict on the primary measure."""
        return self.decision.verdict

    @property
    def table(self) -> pd.DataFrame:
        """One row a measure, as that of :attr:`abrank.Comparison.table`."""
        import pandas as pd

        return pd.DataFrame([vars(row) for row in self.rows])


def compare_statistics(
    statistics: Statistics,
    question: Question | None = None,
    *,
    baseline: str = "A",
    candidate: str = "B",
    notes: tuple[str, ...] = (),
) -> MergedComparison:
    """Compare two systems from the merged statistics of all partitions.

    Parameters
    ----------
    statistics : Statistics
    question : Question, optional
        The t test decides. A relative margin and designs (clusters, looks, guards) ask for the
        scores of every query.
    baseline, candidate : str
    notes : tuple of str

    Returns
    -------
    MergedComparison

    Raises
    ------
    ArgumentError
        If the question asks for the scores of every query, or there are fewer than two queries.

    Examples
    --------
    >>> from abrank.engines.merge import statistics_of
    >>> scores = np.array([[[0.2], [0.3]], [[0.4], [0.6]], [[0.1], [0.2]], [[0.5], [0.9]]])
    >>> result = compare_statistics(statistics_of(["q1", "q2", "q3", "q4"], scores, ["AP"]))
    >>> round(result.rows[0].diff, 3), round(result.rows[0].pvalue, 3), str(result.verdict)
    (0.2, 0.066, 'inconclusive')
    """
    question = question or Question()
    higher = directions(statistics.measures, question.lower_is_better)
    rule = declare(question, question.primary or statistics.measures[0], higher)
    _require_plain(question, rule, statistics)
    lead = statistics.measures.index(rule.primary)
    rows = _rows(statistics, rule, higher)
    row, own = rows[lead], statistics.of[lead]
    mean, error = _mean_and_error(own, statistics.n_queries)
    narrow = _interval(mean, error, statistics.n_queries, 1.0 - rule.confidence_equivalence)
    decision = decide(
        rule,
        estimate=row.estimate,
        interval=(row.ci_low_adj, row.ci_high_adj),
        equivalence_interval=narrow,
        identical=not own.wins + own.losses,
        reason="tied-scores" if not own.wins + own.losses else "",
    )
    seed = entropy(question.rng)
    n_resamples = question.n_resamples or N_RESAMPLES
    shares = np.array(SHARES)
    found = counted.quantiles_of_counts(*own.differences(), shares)
    return MergedComparison(
        baseline=baseline,
        candidate=candidate,
        n_queries=statistics.n_queries,
        rule=rule,
        decision=decision,
        rows=rows,
        tests=_tests(row, own, rule, seed=seed, n_resamples=n_resamples),
        quantiles=dict(zip(SHARES, found.tolist(), strict=True)),
        largest=own.largest,
        smallest=own.smallest,
        seed=seed,
        notes=notes,
    )


def compare_merged(
    qrels: Any,  # noqa: ANN401 - Parquet, or whatever read_qrels reads; None for joined tables
    a: Any,  # noqa: ANN401 - Parquet
    b: Any,  # noqa: ANN401
    *,
    measures: Sequence[str] | str | None = None,
    engine: Engine | EngineName = "local",
    question: Question | None = None,
    options: EvaluateOptions | None = None,
    on_stage: Callable[[str], None] = silent,
) -> MergedComparison:
    """Compare two runs in Parquet of more queries than one machine holds.

    Every partition gives statistics that add up, and only those come back. Up to some millions of
    queries :func:`abrank.compare` with ``engine=`` says more: it has the scores of every query.

    Parameters
    ----------
    qrels, a, b : path, or what :func:`abrank.engines.sources.open_table` reads
    measures : sequence of str, optional
    engine : Engine or {"local", "dask", "spark"}
    question : Question, optional
        What decides; see :func:`compare_statistics`.
    options : EvaluateOptions, optional
        How the runs are scored.
    on_stage : callable
        Told the name of each stage as it begins.

    Returns
    -------
    MergedComparison
    """
    options, question = options or EvaluateOptions(), question or Question()
    runs = name_runs(a, b)
    merged, notes = merge_partitioned(
        qrels,
        runs,
        options.measures(measures),
        on(engine),
        on_stage=on_stage,
        score_dtype=options.score_dtype,
        duplicates=options.duplicates,
        depth=options.depth,
        missing=options.missing,
    )
    baseline, candidate = runs
    return compare_statistics(merged, question, baseline=baseline, candidate=candidate, notes=notes)


def _require_plain(question: Question, rule: Rule, statistics: Statistics) -> None:
    if statistics.n_queries < 2:
        raise ArgumentError("two queries at least are compared")
    asked = {
        "a test other than t": rule.test != "t",
        "a relative margin": rule.margin_is_relative,
        "max-t": question.adjust == "max-t",
        "a family of all measures or in sequence": rule.family != "secondary",
        "a design": any((question.look, question.anytime, question.guards)),
    }
    for what, is_asked in asked.items():
        if is_asked:
            raise ArgumentError(f"{what} needs the scores of every query, not statistics alone")


def _mean_and_error(own: MeasureStatistics, n: int) -> tuple[float, float]:
    """Return the mean difference and its standard error, rounded once; NaN without spread."""
    total, squares = own.sums[2], own.sums[6]
    unit = 1 << 1074
    variance = (Fraction(squares, unit) - Fraction(total, unit) ** 2 / n) / (n - 1)
    error = float(variance / n) ** 0.5 if variance > 0 else float("nan")
    return float(Fraction(total, unit) / n), error


def _interval(mean: float, error: float, n: int, alpha: float) -> tuple[float, float]:
    one: list[FloatArray] = [np.array([value]) for value in (mean, error, alpha)]
    low, high = t_interval(one[0], one[1], n - 1, one[2], "two-sided")
    return float(low[0]), float(high[0])


def _rows(
    statistics: Statistics, rule: Rule, higher: Mapping[str, bool]
) -> tuple[MeasureResult, ...]:
    n, alpha = statistics.n_queries, 1.0 - rule.confidence
    moments = [_mean_and_error(own, n) for own in statistics.of]
    means = np.array([mean for mean, _ in moments])
    errors = np.array([error for _, error in moments])
    pvalues = t_pvalue(means / errors, n - 1, "two-sided")
    lead = statistics.measures.index(rule.primary)
    others = np.arange(len(means)) != lead
    adjusted = pvalues.copy()
    # Max-t is a joint distribution of the queries' differences, which are not here.
    method = "holm" if rule.adjust == "max-t" else rule.adjust
    if others.any() and method != "none":
        adjusted[others] = inference.adjust(pvalues[others], method)
    rows = []
    for m, (name, own) in enumerate(zip(statistics.measures, statistics.of, strict=True)):
        low, high = _interval(*moments[m], n, alpha)
        share = pvalues[m] / adjusted[m] if adjusted[m] > 0 else 1.0 / max(others.sum(), 1)
        low_adj, high_adj = _interval(*moments[m], n, alpha * share)
        sign = 1 if higher[name] else -1
        gain = (low_adj, high_adj) if sign > 0 else (-high_adj, -low_adj)
        mean_a, mean_b = (exact_value(own.sums[i]) / n for i in (0, 1))
        wins, losses = (own.wins, own.losses)[::sign]
        rows.append(
            MeasureResult(
                measure=name,
                mean_a=mean_a,
                mean_b=mean_b,
                diff=moments[m][0],
                ci_low=low,
                ci_high=high,
                ci_low_adj=low_adj,
                ci_high_adj=high_adj,
                rel_diff=moments[m][0] / mean_a if mean_a else float("nan"),
                wins=wins,
                ties=own.ties,
                losses=losses,
                statistic=float(means[m] / errors[m]),
                pvalue=float(pvalues[m]),
                pvalue_adj=float(adjusted[m]),
                reading=row_reading(*gain, moved=bool(wins + losses), pvalue=float(pvalues[m])),
                estimate=moments[m][0],
                higher_is_better=sign > 0,
            )
        )
    return tuple(rows)


def _tests(
    row: MeasureResult, own: MeasureStatistics, rule: Rule, *, seed: int, n_resamples: int
) -> tuple[CountedTest, ...]:
    """Return every test of the primary measure that its counts allow."""
    alpha, grid = 1.0 - rule.confidence, own.differences()
    found = [CountedTest("t", row.pvalue, row.ci_low, row.ci_high, "closed form")]
    if own.wins + own.losses:
        sign = counted.sign_of_counts(own.wins, own.losses, alpha=alpha)
        limits = float(sign.ci_low[0]), float(sign.ci_high[0])
        found.append(CountedTest("sign", float(sign.pvalue[0]), *limits, "exact"))
    nan, drawn = float("nan"), "Monte Carlo"
    rank = counted.wilcoxon_of_counts(*grid)[1]
    found.append(CountedTest("wilcoxon", rank, nan, nan, "normal approximation"))
    options: dict[str, Any] = {"rng": stream(seed, "merged", rule.primary)}
    options["n_resamples"] = n_resamples
    flipped = counted.permutation_of_counts(*grid, **options)
    found.append(CountedTest("permutation", flipped, nan, nan, drawn))
    limits = counted.bootstrap_of_counts(*grid, alpha=alpha, **options)
    found.append(CountedTest("bootstrap", nan, *limits, drawn))
    return tuple(found)
