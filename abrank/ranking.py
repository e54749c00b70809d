"""Many systems on the same queries: who leads, and who is told apart from whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank import inference
from abrank._support import checks, lazy
from abrank._support.errors import ArgumentError
from abrank._support.rng import entropy
from abrank._support.typing import FloatArray, RandomSource
from abrank.inputs import Audit
from abrank.measures import parse
from abrank.scores import Scores

if TYPE_CHECKING:
    import pandas as pd

ALL_PAIRS, AGAINST_BASELINE = "tukey", "max-t"


@dataclass(frozen=True)
class SystemRow:
    """One line of the leaderboard.

    ``ci_low`` and ``ci_high`` are limits of the mean with the queries' difficulty taken out, not
    adjusted for the number of systems. ``mean_rank`` is the mean of its ranks within the queries, 1
    the best. Two systems that share a letter of ``group`` are not told apart; against a baseline
    there are no letters.
    """

    position: int
    system: str
    mean: float
    ci_low: float
    ci_high: float
    mean_rank: float
    group: str


@dataclass(frozen=True)
class PairRow:
    """One pair. ``diff`` is the mean difference b - a; ``estimate`` what the test estimates of it.

    The limits are of the estimate, simultaneous over the pairs, and NaN where the test has none.
    ``reading`` says of b: better, worse, unclear, identical or untested, by the adjusted p-value.
    """

    a: str
    b: str
    diff: float
    ci_low: float
    ci_high: float
    pvalue: float
    pvalue_adj: float
    reading: str
    estimate: float


@dataclass(frozen=True, eq=False)
class Ranking:
    """Systems ranked by the mean of one measure, and all pairs of them tested.

    Made by :func:`abrank.rank` and :func:`rank_scores`; never changes.

    Attributes
    ----------
    measure : str
        Canonical name.
    query_ids : tuple of str, length n_queries
    systems : tuple of str, length n_systems
        Best mean first.
    scores : float64[n_queries, n_systems]
        In that order.
    rows : tuple of SystemRow
    pair_rows : tuple of PairRow
        Against a baseline that is always ``a``; else b stands above a.
    test, title : str
        Name and title of the test.
    alpha : float
        Joint level.
    baseline : str or None
    shares : mapping of str to float
        Shares of ``query``, ``system`` and ``error`` in the variance of the scores.
    seed : int
        Replays every resampled number.
    method : str
        "closed form", "exact", "Monte Carlo" or "normal approximation".
    n_resamples : int
        What was drawn.
    audits : mapping of str to Audit
        What was seen while each system's run was read; empty for ready scores.
    notes : tuple of str
        How the measure's name was read, where it has several meanings.
    provenance : mapping
    """

    measure: str
    query_ids: tuple[str, ...]
    systems: tuple[str, ...]
    scores: FloatArray
    rows: tuple[SystemRow, ...]
    pair_rows: tuple[PairRow, ...]
    test: str
    title: str
    alpha: float
    baseline: str | None
    shares: Mapping[str, float]
    seed: int
    method: str
    n_resamples: int
    audits: Mapping[str, Audit] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_queries(self) -> int:
        """Number of queries."""
        return len(self.query_ids)

    @property
    def n_significant(self) -> int:
        """Number of pairs told apart."""
        return sum(row.reading in ("better", "worse") for row in self.pair_rows)

    @property
    def by_mean_rank(self) -> tuple[str, ...]:
        """The systems by their mean rank within the queries, best first.

        Systems of one mean rank keep the order of their means. Where this is not the order of
        ``systems``, some lead by a few queries rather than by many.
        """
        return tuple(row.system for row in sorted(self.rows, key=lambda row: row.mean_rank))

    @property
    def leaders(self) -> tuple[str, ...]:
        """The first system, and those that are not told apart from it; none against a baseline."""
        if self.baseline is not None:
            return ()
        beaten = {
            (row.a if row.b == self.systems[0] else row.b)
            for row in self.pair_rows
            if self.systems[0] in (row.a, row.b) and row.reading in ("better", "worse")
        }
        return tuple(system for system in self.systems if system not in beaten)

    @property
    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """The bars of a critical difference diagram, over systems by mean rank; best first.

        A bar spans only systems of which no two are told apart; against a baseline there is none.
        """
        if self.baseline is not None:
            return ()
        place = {system: i for i, system in enumerate(self.systems)}
        distinct = np.zeros((len(place), len(place)), bool)
        for row in self.pair_rows:
            i, j = place[row.a], place[row.b]
            distinct[i, j] = distinct[j, i] = row.reading in ("better", "worse")
        order = [place[system] for system in self.by_mean_rank]
        return tuple(
            tuple(self.systems[i] for i in bar) for bar in inference.find_cliques(order, distinct)
        )

    @property
    def table(self) -> pd.DataFrame:
        """A fresh frame, one row a system; see :class:`SystemRow` for the columns."""
        import pandas as pd

        names = [each.name for each in fields(SystemRow)]
        return pd.DataFrame([asdict(row) for row in self.rows], columns=names)

    @property
    def pairs(self) -> pd.DataFrame:
        """A fresh frame, one row a pair; see :class:`PairRow` for the columns."""
        import pandas as pd

        names = [each.name for each in fields(PairRow)]
        return pd.DataFrame([asdict(row) for row in self.pair_rows], columns=names)

    def __getitem__(self, system: str) -> SystemRow:
        for row in self.rows:
            if row.system == system:
                return row
        raise ArgumentError(f"no system {system!r} here; there are {', '.join(self.systems)}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranking):
            return NotImplemented
        mine, theirs = self.to_dict(), other.to_dict()
        return mine | {"provenance": None} == theirs | {"provenance": None}

    __hash__ = None  # type: ignore[assignment]

    # ---- doors to the room above, opened when used

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, as JSON holds it."""
        found: dict[str, Any] = lazy.attribute("abrank.report.ranking", "ranking_dict")(self)
        return found

    def __str__(self) -> str:
        text: str = lazy.attribute("abrank.report.ranking", "ranking_text")(self)
        return text

    def __repr__(self) -> str:
        return (
            f"<Ranking of {len(self.systems)} systems by {self.measure}: {self.systems[0]!r} leads,"
            f" {self.n_queries} queries>"
        )


def rank_scores(
    scores: Scores,
    *,
    measure: str | None = None,
    test: str | None = None,
    adjust: str | None = None,
    alpha: float = 0.05,
    baseline: str | None = None,
    n_resamples: int | None = None,
    rng: RandomSource = 0,
    provenance: Mapping[str, Any] | None = None,
) -> Ranking:
    """Rank the systems of ``scores`` by one measure, and test all pairs or all against a baseline.

    Parameters
    ----------
    scores : Scores
        Of two systems or more.
    measure : str, optional
        The first of the scores without it.
    test : str, optional
        A joint test: ``tukey`` (without it, all pairs), ``randomised-tukey``, ``nemenyi``,
        ``conover``; against a baseline ``max-t`` (without it), ``dunnett``, ``bonferroni-dunn``,
        ``conover``. Or a paired test, run on each pair: ``t``, ``permutation``, ``bootstrap``,
        ``wilcoxon``, ``sign``.
    adjust : str, optional
        For conover and paired tests: ``holm`` without it, or another key of
        ``abrank.inference.ADJUSTMENTS``. The other tests are joint by themselves.
    alpha : float
        Joint level.
    baseline : str, optional
        The system to compare every other with.
    n_resamples : int, optional
        Of tests that draw; each has a default.
    rng : int, Generator, SeedSequence or None
        Source of the resamples; the seed that replays them is recorded.
    provenance : mapping, optional
        Kept as it is.

    Returns
    -------
    Ranking
        The same whatever the order in which the systems came.

    Raises
    ------
    UnknownNameError
        If no test or adjustment has the name.
    ArgumentError
        If there are fewer than two systems, the measure or the baseline is not among the scores, or
        the test does not compare what is asked.

    Examples
    --------
    >>> values = np.array([[0.3, 0.4, 0.8], [0.5, 0.6, 0.9], [0.1, 0.3, 0.6], [0.7, 0.7, 1.0]])
    >>> scores = Scores(("q1", "q2", "q3", "q4"), ("A", "B", "C"), ("nDCG",), values[:, :, None])
    >>> ranking = rank_scores(scores)
    >>> ranking.table[["system", "mean", "group"]]
      system   mean group
    0      C  0.825     a
    1      B  0.500     b
    2      A  0.400     b
    """
    column, sign = _column(scores, measure)
    name, options = _resolve(test, adjust, baseline)
    checks.fraction("alpha", alpha)
    means = scores.means()[:, column]
    order = sorted(range(len(means)), key=lambda i: (-sign * means[i], scores.systems[i]))
    systems = tuple(scores.systems[i] for i in order)
    if baseline is not None and baseline not in systems:
        raise ArgumentError(f"the baseline {baseline!r} is not among {', '.join(scores.systems)}")
    block = np.ascontiguousarray(scores.values[:, order, column])
    seed = entropy(rng)
    found = inference.run_joint_test(
        name,
        block,
        baseline=None if baseline is None else systems.index(baseline),
        confidence=1.0 - alpha,
        seed=seed,
        n_resamples=n_resamples,
        **options,
    )
    title = inference.JOINT_TESTS[name].title
    if name == "pairwise":
        title = f"{inference.TESTS[options['test']].title}, adjusted by {options['adjust']}"
    return Ranking(
        measure=scores.measures[column],
        query_ids=scores.query_ids,
        systems=systems,
        scores=block,
        rows=_system_rows(systems, block, means[order], found, sign),
        pair_rows=_pair_rows(systems, means[order], found, sign),
        test=options.get("test", name),
        title=title,
        alpha=alpha,
        baseline=baseline,
        shares=inference.two_way_anova(block).shares,
        seed=seed,
        method=found.method,
        n_resamples=found.n_resamples,
        audits=scores.audits,
        notes=scores.notes,
        provenance=dict(provenance or {}),
    )


def _column(scores: Scores, measure: str | None) -> tuple[int, float]:
    """Return the place of the measure, and -1 where less of it is better, else 1."""
    if measure is not None and measure not in scores.measures:
        measure = str(parse(measure))
        if measure not in scores.measures:
            raise ArgumentError(f"{measure} is not among {', '.join(scores.measures)}")
    column = 0 if measure is None else scores.measures.index(measure)
    try:
        higher = parse(scores.measures[column]).entry.higher_is_better
    except ArgumentError:
        higher = True  # a name of the user's own, of ready scores
    return column, 1.0 if higher else -1.0


def _resolve(
    test: str | None, adjust: str | None, baseline: str | None
) -> tuple[str, dict[str, Any]]:
    """Return the joint test and its options; a paired test is run on every pair."""
    if test is None:
        test = ALL_PAIRS if baseline is None else AGAINST_BASELINE
    if adjust is not None:
        checks.one_of("adjust", adjust, inference.ADJUSTMENTS)
    if test in inference.TESTS:
        return "pairwise", {"test": test, "adjust": adjust or "holm"}
    known = [name for name in inference.JOINT_TESTS if name != "pairwise"]
    checks.one_of("test", test, [*known, *inference.TESTS])
    return test, {} if adjust is None else {"adjust": adjust}


def _system_rows(
    systems: tuple[str, ...],
    block: FloatArray,
    means: FloatArray,
    found: inference.JointResult,
    sign: float,
) -> tuple[SystemRow, ...]:
    """Return the leaderboard, best first."""
    low, high = inference.within_query_interval(block, confidence=found.confidence)
    ranks = inference.friedman_test(sign * block).mean_ranks
    groups: tuple[str, ...] = ("",) * len(systems)
    if found.baseline is None:
        groups = inference.group_letters(found.matrix(found.distinct))
    return tuple(
        SystemRow(
            position=i + 1,
            system=system,
            mean=float(means[i]),
            ci_low=float(low[i]),
            ci_high=float(high[i]),
            mean_rank=float(ranks[i]),
            group=groups[i],
        )
        for i, system in enumerate(systems)
    )


def _pair_rows(
    systems: tuple[str, ...], means: FloatArray, found: inference.JointResult, sign: float
) -> tuple[PairRow, ...]:
    """Return the pairs, b the one that stands above, or the one that is not the baseline."""
    rows = []
    turned = -1.0 if found.baseline is None else 1.0
    for k, (i, j) in enumerate(zip(*found.pairs, strict=True)):
        a, b = (j, i) if found.baseline is None else (i, j)
        estimate = turned * found.estimate[k]
        limits = turned * found.ci_low[k], turned * found.ci_high[k]
        rows.append(
            PairRow(
                a=systems[a],
                b=systems[b],
                diff=float(means[b] - means[a]),
                ci_low=float(min(limits)),
                ci_high=float(max(limits)),
                pvalue=float(found.pvalue[k]),
                pvalue_adj=float(found.pvalue_adj[k]),
                reading=_reading(found, k, sign * estimate),
                estimate=float(estimate),
            )
        )
    return tuple(rows)


def _reading(found: inference.JointResult, k: int, advantage: float) -> str:
    """Say in one word what the adjusted p-value says of the second system of a row."""
    if np.isnan(found.pvalue_adj[k]):
        return "untested"
    if found.identical[k]:
        return "identical"
    if not found.distinct[k]:
        return "unclear"
    return "better" if advantage > 0.0 else "worse"
