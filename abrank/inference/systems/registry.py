"""The registry of tests of many systems, their results, and the function that runs one.

Results for degenerate data, without any warning; n is the number of queries, k of systems:

* No query: estimate, statistic, p and interval are NaN.
* One query: p is NaN for ``tukey``, ``dunnett`` and ``conover``, and 1 for ``randomised-tukey`` and
  ``max-t``.
* Two queries: ``randomised-tukey`` has (k!)**2 orders, ``max-t`` 4 flips.
* Two systems have equal scores on every query: for this pair estimate and statistic are 0, p is 1,
  and the interval, if the test has one, is [0, 0]; for one query it is (-inf, inf).
* The differences of all pairs are constant, but not 0: p is NaN for ``tukey``, ``dunnett`` and
  ``conover``. ``randomised-tukey`` has (k!)**n orders, ``max-t`` 2**n flips.
* Only one query differs: p is 1 for the pairs that differ, by ``randomised-tukey`` and ``max-t``.
* A score is not finite: an error that names the first.
* Two systems: ``tukey`` and ``dunnett`` equal the paired t test. ``randomised-tukey`` and ``max-t``
  equal the sign-flip permutation test. ``nemenyi`` and ``bonferroni-dunn`` equal the normal
  approximation of the sign test, and ``conover`` its version by the t distribution.

``nemenyi`` and ``bonferroni-dunn`` use the normal distribution in all these cases.
The interval is (-inf, inf) if p is NaN, and if no difference can be significant with so few
queries. ``pairwise`` gives the results of its paired test. Fewer than two systems are an error.
Scores are equal if they agree to 10 digits of the largest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.registry import Registry
from abrank._support.result import record
from abrank._support.typing import BoolArray, FloatArray, Function, IntArray
from abrank.inference.families import pairs_at_once
from abrank.inference.registry import RegisteredTest, as_alpha, as_numbers, finite
from abrank.inference.rounding import TIE, round_off

# --- The compared pairs of systems, and the result of a test


class SystemPairs(NamedTuple):
    """The compared systems as columns of the scores, shape (n_pairs,); second minus first."""

    first: IntArray
    second: IntArray

    def of(self, values: FloatArray) -> FloatArray:
        """Return second minus first along the last axis."""
        return values.take(self.second, axis=-1) - values.take(self.first, axis=-1)

    def parts(self, n_queries: int) -> Iterator[tuple[slice, SystemPairs]]:
        """Yield the places of pairs and the pairs, so few that their differences fit in memory."""
        for part in pairs_at_once(len(self.first), n_queries):
            yield part, SystemPairs(self.first[part], self.second[part])

    def means(self, scores: FloatArray) -> FloatArray:
        """Return the mean difference of every pair over the queries."""
        values = np.empty(len(self.first))
        for part, pairs in self.parts(len(scores)):
            values[part] = pairs.of(scores).mean(axis=0)
        return values

    def identical(self, scores: FloatArray) -> BoolArray:
        """Return whether the two systems have equal scores on every query, to 10 digits."""
        values = np.zeros(len(self.first), np.bool_)
        scale = np.abs(scores).max(initial=0.0)
        for part, pairs in self.parts(len(scores)):
            difference = pairs.of(scores)
            # Rounding sets to 0 at most one step of this size per query.
            small = np.abs(difference).max(axis=0, initial=0.0) <= 2 * len(scores) * TIE * scale
            values[part][small] = ~np.any(round_off(difference[:, small], scale=scale), axis=0)
        return values & (len(scores) > 0)


@record
class JointAnswer:
    """The result of a registered joint test function: arrays of shape (n_pairs,) and the method.

    Attributes
    ----------
    estimate, statistic, pvalue, pvalue_adj, ci_low, ci_high : ndarray of shape (n_pairs,)
        Second minus first. ``pvalue`` is not adjusted. Limits are NaN if a test has none.
    method : str
        "closed form", "exact", "on a grid", "Monte Carlo" or "normal approximation".
    n_resamples : int
        Number of random draws; 0 without any.
    estimand : str
        What ``estimate`` estimates, as text; empty if it is the registered one.
    """

    estimate: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    pvalue_adj: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    method: str
    n_resamples: int = 0
    estimand: str = ""


@record
class JointResult(JointAnswer):
    """All pairs of many systems: estimates, simultaneous intervals and adjusted p-values.

    If a test has intervals, they exclude 0 exactly if ``pvalue_adj < 1 - confidence``.

    Attributes
    ----------
    pairs : SystemPairs
        Columns of the scores, each pair once; a baseline is always first. The fields of
        :class:`JointAnswer` come before it.
    identical : bool ndarray of shape (n_pairs,)
        Whether the two systems have equal scores on every query, to 10 digits.
    test : str
        The registered name.
    confidence : float
    baseline : int or None
        Column of the baseline.
    n_queries, n_systems : int

    Examples
    --------
    >>> from abrank.inference import run_joint_test
    >>> scores = [[0.31, 0.35, 0.40], [0.52, 0.55, 0.61], [0.12, 0.18, 0.16], [0.70, 0.66, 0.78]]
    >>> result = run_joint_test("tukey", scores)
    >>> result.pairs.second, result.pvalue_adj.round(3)
    (array([1, 2, 2]), array([0.588, 0.032, 0.116]))
    >>> result.matrix(result.distinct)[0], result.with_first().pairs.second
    (array([False, False,  True]), array([1, 2]))
    """

    _: KW_ONLY
    pairs: SystemPairs
    identical: BoolArray
    test: str
    confidence: float
    baseline: int | None
    n_queries: int
    n_systems: int

    def with_first(self) -> JointResult:
        """Return only the pairs with column 0; their results are still those among all pairs."""
        selected = (self.pairs.first == 0) | (self.pairs.second == 0)
        values = {
            name: value[selected]
            for name, value in vars(self).items()
            if isinstance(value, np.ndarray)
        }
        return replace(self, pairs=SystemPairs(*(pair[selected] for pair in self.pairs)), **values)

    @property
    def distinct(self) -> BoolArray:
        """Whether a pair differs significantly: adjusted p < alpha, shape (n_pairs,)."""
        return np.asarray(self.pvalue_adj < as_alpha(self.confidence, 1)[0])

    def matrix(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return values of the pairs as a symmetric matrix, with 0 or False elsewhere."""
        result = np.zeros((self.n_systems, self.n_systems), values.dtype)
        result[self.pairs.first, self.pairs.second] = values
        result[self.pairs.second, self.pairs.first] = values
        return result


# --- The registry of tests of many systems, and the function that runs one

Family: TypeAlias = Literal["all", "baseline", "either"]


@dataclass(frozen=True)
class JointTest(RegisteredTest):
    """A registered test of many systems and its family; its function returns a JointAnswer."""

    family: Family


JOINT_TESTS: Registry[JointTest] = Registry.of("joint test")

# Descriptions of parameters for tests whose docstring does not describe them.
PARAMETERS = {
    "scores": "ndarray of shape (n_queries, n_systems)",
    "pairs": "SystemPairs",
    "alpha": "float\n    Joint level.",
    "seed": "int",
    "n_resamples": "int, optional",
    "on_part": "callable, optional",
}


def joint_test(
    name: str, *, title: str, estimand: str, source: str, family: Family
) -> Callable[[Function], Function]:
    """Register a test of many systems under ``name``; the function is returned unchanged.

    Parameters
    ----------
    name, title, estimand, source : str
        As for :func:`abrank.inference.paired_test`.
    family : {"all", "baseline", "either"}
        Whether it compares all pairs, every system with a baseline, or either on request.

    Returns
    -------
    callable
        A decorator for ``function(scores, *, pairs, ...) -> JointAnswer``. ``scores`` are checked,
        of shape (n_queries, n_systems), with at least one query and two systems that differ.
        ``alpha``, ``seed`` and ``n_resamples`` are passed if the function has these parameters.
        Its results for identical systems are ignored.

    Examples
    --------
    >>> @joint_test("tukey", title="Mine", estimand="mean difference", source="me", family="all")
    ... def mine(scores, *, pairs, alpha): ...
    Traceback (most recent call last):
    abrank._support.errors.ArgumentError: joint test "tukey" is registered already
    """

    def register(function: Function) -> Function:
        test = JointTest(name, title, estimand, source, function, family)
        JOINT_TESTS.add(name, test, function)
        return function

    return register


def run_joint_test(
    name: str,
    scores: npt.ArrayLike,
    *,
    baseline: int | Sequence[int] | None = None,
    confidence: float = 0.95,
    seed: int = 0,
    n_resamples: int | None = None,
    on_part: Callable[[int, int], None] | None = None,
    **options: Any,  # noqa: ANN401 - each test has its own
) -> JointResult:
    """Run a registered test on the scores of many systems, for all pairs at once.

    Source: that of each test is ``JOINT_TESTS[name].source``.

    Parameters
    ----------
    name : str
        A name in ``JOINT_TESTS``.
    scores : array_like of shape (n_queries, n_systems)
        The query pairs the systems. Not modified.
    baseline : int or sequence of int, optional
        The column to compare every other system with; or several columns, which are not compared
        with each other. Default: all pairs.
    confidence : float
        Simultaneous level of the intervals.
    seed, n_resamples
        As for :func:`abrank.inference.run_test`.
    on_part : callable, optional
        Called by max-t with the number of tested pairs and the number of all pairs.
    **options
        Options of the test: ``test`` and ``adjust`` of pairwise, ``adjust`` of conover.

    Raises
    ------
    UnknownNameError
        If the test or a choice does not exist.
    ArgumentError
        If a score is not finite, there are fewer than two systems, the test needs or does not allow
        a baseline, or it has no such option.

    Examples
    --------
    >>> scores = [[0.3, 0.4, 0.3], [0.5, 0.6, 0.5], [0.1, 0.3, 0.1], [0.7, 0.8, 0.7]]
    >>> result = run_joint_test("max-t", scores, baseline=0)
    >>> result.pvalue_adj, result.ci_low
    (array([0.125, 1.   ]), array([-inf,   0.]))
    """
    test = JOINT_TESTS[name]
    block = as_scores(scores)
    n_queries, n_systems = block.shape
    pairs = _pairs(test, n_systems, baseline)
    shared = {
        "alpha": float(as_alpha(float(confidence), 1)[0]),
        "seed": checks.count("seed", seed, at_least=0),
        "n_resamples": None if n_resamples is None else checks.resamples(n_resamples),
        "on_part": on_part,
    }
    keywords = test.keywords(shared, options)
    is_identical = pairs.identical(block)
    answer = _answer(test, block, pairs, is_identical, keywords)
    return JointResult(
        **vars(answer) | {"estimand": answer.estimand or test.estimand},
        pairs=pairs,
        identical=is_identical,
        test=name,
        confidence=confidence,
        baseline=None if baseline is None else int(pairs.first[0]),
        n_queries=n_queries,
        n_systems=n_systems,
    )


def as_scores(scores: npt.ArrayLike) -> FloatArray:
    """Return scores as a float array of shape (n_queries, n_systems), perhaps without copying."""
    block = as_numbers("scores", scores)
    if block.ndim != 2 or block.shape[1] < 2:
        raise ArgumentError(
            "scores must be of shape (n_queries, n_systems), two systems or more, not"
            f" {block.shape}"
        )
    return finite("scores", block, "query", "system")


def _pairs(test: JointTest, n_systems: int, baseline: int | Sequence[int] | None) -> SystemPairs:
    fitting = ", ".join(o.name for o in JOINT_TESTS.values() if o.family != test.family)
    if baseline is None:
        if test.family == "baseline":
            raise ArgumentError(f"{test.name} compares with a baseline; name one, or use {fitting}")
        return SystemPairs(*np.triu_indices(n_systems, 1))
    if test.family == "all":
        raise ArgumentError(f"{test.name} compares all pairs; with a baseline use {fitting}")
    columns = [baseline] if isinstance(baseline, int) else list(baseline)
    for column in columns:
        if not 0 <= checks.count("baseline", column, at_least=0) < n_systems:
            raise ArgumentError(
                f"baseline must be a column from 0 to {n_systems - 1}, not {column}"
            )
    if test.name == "dunnett" and len(columns) > 1:
        raise ArgumentError(f"{test.name} compares with one baseline; with several use max-t or t")
    compared = np.delete(np.arange(n_systems, dtype=np.int64), columns)
    if not len(columns) or len(set(columns)) < len(columns) or not len(compared):
        raise ArgumentError("baselines must differ, and leave a system to compare with them")
    return SystemPairs(np.repeat(columns, len(compared)), np.tile(compared, len(columns)))


def _answer(
    test: JointTest,
    block: FloatArray,
    pairs: SystemPairs,
    is_identical: BoolArray,
    arguments: dict[str, Any],
) -> JointAnswer:
    rows = np.zeros((6, len(pairs.first)))
    names = "estimate", "statistic", "pvalue", "pvalue_adj", "ci_low", "ci_high"
    fields: dict[str, Any] = dict(zip(names, rows, strict=True))
    rows[2:4] = 1.0
    if len(block) == 1:
        rows[4], rows[5] = -np.inf, np.inf
    if "alpha" not in test.parameters:  # without intervals the test needs no level
        rows[4:] = np.nan
    if not len(block):
        rows[:] = np.nan
    if is_identical.all() or not len(block):
        return JointAnswer(**fields, method="closed form")
    answer = test.function(block, pairs=pairs, **arguments)
    for name, row in fields.items():
        np.copyto(row, getattr(answer, name), where=~is_identical)
    result: JointAnswer = replace(answer, **fields)
    return result
