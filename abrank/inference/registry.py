"""The registry of paired tests, and the function that runs one.

Results for degenerate data, without any warning; n is the number of queries:

* No query: estimate, statistic, p and interval are NaN.
* One query: p is 1 for ``permutation``, ``wilcoxon`` and ``sign``, and NaN for ``t`` and
  ``bootstrap``. If the difference is 0, p is 1 for every test. The interval is (-inf, inf).
* Two queries: p is .5 or 1 for ``permutation``, ``wilcoxon`` and ``sign``. The interval of
  ``permutation`` and ``wilcoxon`` is (-inf, inf). ``bootstrap`` has the result of ``t``.
* All differences are 0: estimate and statistic are 0, p is 1, and the interval is [0, 0].
* All differences are equal, but not 0: p is 2**(1 - n) for ``permutation``, ``wilcoxon`` and
  ``sign``. ``t`` and ``bootstrap`` have p NaN and the interval (-inf, inf).
* One difference is not 0: p is 1 for ``permutation``, ``sign`` and ``wilcoxon``, which drops zeros.
  ``bootstrap`` has the result of ``t``.
* A difference is not finite: an error that names the first.

``hall`` behaves like ``t``. ``bounded`` needs no variance, so only no query, one query and all
differences 0 are special cases for it.
Differences count as equal, or as 0, if they are so to 10 digits of the largest. These p-values and
intervals are two-sided. Above 300 queries ``wilcoxon`` uses its normal approximation.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar, get_args

import numpy as np
import numpy.typing as npt

from abrank._support import checks
from abrank._support.errors import ArgumentError
from abrank._support.registry import Registry
from abrank._support.result import record
from abrank._support.typing import Alternative, BoolArray, FloatArray, Function

_UNSET: Any = None  # set from the p-value


@record
class Answer:
    """The result of a registered test function: arrays of shape (n_comparisons,) and the method.

    Attributes
    ----------
    estimate, statistic, pvalue, ci_low, ci_high : ndarray of shape (n_comparisons,)
        ``estimate`` and the interval have the unit of the estimand. NaN if the test is undefined
        for a column.
    method : str
        "closed form", "exact", "on a grid", "Monte Carlo" or "normal approximation".
    n_resamples : int
        Number of random sign flips or resamples; 0 without random draws, as in an enumeration.
    pvalue_low, pvalue_high : ndarray of shape (n_comparisons,)
        Proven bounds of a computed p-value; equal to it if it is exact up to rounding or Monte
        Carlo.
    pvalue_error : ndarray of shape (n_comparisons,)
        Monte Carlo standard error of the p-value, else 0.
    """

    estimate: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    ci_low: FloatArray
    ci_high: FloatArray
    method: str
    n_resamples: int = 0
    pvalue_low: FloatArray = _UNSET
    pvalue_high: FloatArray = _UNSET
    pvalue_error: FloatArray = _UNSET

    def __post_init__(self) -> None:
        for name, value in {"low": self.pvalue, "high": self.pvalue, "error": None}.items():
            if getattr(self, f"pvalue_{name}") is None:
                value = np.zeros_like(self.pvalue) if value is None else value
                object.__setattr__(self, f"pvalue_{name}", value)

    @property
    def arrays(self) -> tuple[FloatArray, ...]:
        """The fields with one number per comparison."""
        return tuple(value for value in vars(self).values() if isinstance(value, np.ndarray))

    @classmethod
    def from_rows(
        cls,
        rows: FloatArray,
        method: str,
        n_resamples: int = 0,
        precision: FloatArray | None = None,
    ) -> Answer:
        """Make a result from an array of shape (5, n_comparisons), in the order of the fields.

        ``precision``, (3, n_comparisons), holds the bounds and the standard error of the p-values.
        """
        values: list[Any] = [*rows, method, n_resamples, *(() if precision is None else precision)]
        return Answer(*values)


@record
class TestResult(Answer):
    """Estimate, interval and p-value of one test for all comparisons.

    Interval and p-value come from the same procedure: in every column the interval excludes 0
    exactly if ``pvalue < 1 - confidence``. With a one-sided alternative one limit is infinite.

    Attributes
    ----------
    test : str
        The registered name. The fields of :class:`Answer` come first.
    estimand : str
        What ``estimate`` estimates, as text.
    confidence : float or ndarray of shape (n_comparisons,)
        As requested.
    alternative : {"two-sided", "greater", "less"}
        "greater": the candidate is better.
    n_queries : int

    Examples
    --------
    >>> from abrank.inference import run_test
    >>> result = run_test("sign", [0.1, 0.2, -0.1, 0.3, 0.2, 0.1, 0.4, 0.2])
    >>> result.pvalue.round(4), result.excludes_zero
    (array([0.0703]), array([False]))
    """

    __test__: ClassVar[bool] = False  # keeps pytest from collecting this class

    _: KW_ONLY
    test: str
    estimand: str = "mean difference"
    confidence: float | FloatArray
    alternative: Alternative = "two-sided"
    n_queries: int

    @classmethod
    def of_mean(
        cls,
        rows: npt.ArrayLike,
        *,
        test: str,
        confidence: float | FloatArray,
        n_queries: int,
        method: str = "closed form",
        n_resamples: int = 0,
    ) -> TestResult:
        """Make a two-sided result for mean differences from an array of shape (5, n_comparisons).

        Its rows are estimate, statistic, p-value and limits. The standard error of a Monte Carlo
        p-value is that of a proportion.
        """
        fields = vars(Answer.from_rows(np.asarray(rows, dtype=np.float64), method, n_resamples))
        if n_resamples:
            share = fields["pvalue"]
            fields["pvalue_error"] = np.sqrt(share * (1.0 - share) / n_resamples)
        return TestResult(**fields, test=test, confidence=confidence, n_queries=n_queries)

    @property
    def excludes_zero(self) -> BoolArray:
        """Whether the interval excludes 0, shape (n_comparisons,); equivalent to p < alpha."""
        return (self.ci_low > 0.0) | (self.ci_high < 0.0)


# Squares and cubes of larger numbers would overflow float64.
LARGEST = 1e100


@dataclass(frozen=True)
class RegisteredTest:
    """A registered test: its names, its estimand, its source, and its function."""

    name: str
    title: str
    estimand: str
    source: str
    function: Callable[..., Any]

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The keywords of its function."""
        return tuple(inspect.signature(self.function).parameters)[1:]

    @property
    def options(self) -> tuple[str, ...]:
        """The keywords that only this test has."""
        shared = {"alternative", "alpha", "pairs", "seed", "n_resamples", "on_part"}
        return tuple(name for name in self.parameters if name not in shared)

    def keywords(self, shared: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
        """Return the keyword arguments for its function; unknown options are refused."""
        for option in options:
            if option not in self.options:
                known_options = ", ".join(self.options) or "none"
                message = f"test {self.name} has no option {option!r}; its own: {known_options}"
                if option == "adjust":
                    message = f"{self.name} holds for all pairs as it is: adjust is for conover and"
                    message += " the tests pair by pair, as in --test t --adjust holm"
                raise ArgumentError(message)
        return {name: value for name, value in shared.items() if name in self.parameters} | options


@dataclass(frozen=True)
class PairedTest(RegisteredTest):
    """A test of the difference between two systems; its function returns an Answer."""

    phrase: str = ""  # its name in a sentence


TESTS: Registry[PairedTest] = Registry.of("test")

# Descriptions of parameters for tests whose docstring does not describe them.
PARAMETERS = {
    "differences": (
        "ndarray of shape (n_queries, n_comparisons)\n"
        "    Candidate minus baseline; taken to 10 digits of the largest."
    ),
    "alternative": '{"two-sided", "greater", "less"}',
    "alpha": "ndarray of shape (n_comparisons,)",
}


def paired_test(
    name: str, *, title: str, estimand: str, source: str, phrase: str = ""
) -> Callable[[Function], Function]:
    """Register a paired test under ``name``; the function is returned unchanged.

    Parameters
    ----------
    name, title, estimand, source : str
        Its name in :func:`run_test` and on the command line (an ArgumentError if taken); its
        title in reports; what its estimate estimates; its publication.
    phrase : str
        Its name within a sentence, such as "paired t test". Default: the title and "test".

    Returns
    -------
    callable
        A decorator for ``function(differences, *, alternative, alpha, ...) -> Answer``.
        ``differences`` are checked, of shape (n_queries, n_comparisons), and no column is all 0.
        ``alpha`` has one level per column. ``seed`` and ``n_resamples`` are passed if the function
        has these parameters.

    Examples
    --------
    >>> @paired_test("t", title="Mine", estimand="mean difference", source="me")
    ... def mine(differences, *, alternative, alpha): ...
    Traceback (most recent call last):
    abrank._support.errors.ArgumentError: test "t" is registered already
    """

    def register(function: Function) -> Function:
        test = PairedTest(name, title, estimand, source, function, phrase or f"{title} test")
        TESTS.add(name, test, function)
        return function

    return register


def run_test(
    name: str,
    differences: npt.ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    confidence: float | FloatArray = 0.95,
    seed: int = 0,
    n_resamples: int | None = None,
    **options: Any,  # noqa: ANN401 - each test has its own
) -> TestResult:
    """Run a registered test on paired differences, for all comparisons at once.

    The interval excludes 0 exactly if p < 1 - confidence (.05 for .95, without rounding error).
    Columns are independent: random draws are shared, and adding a column changes no other one.

    Source: that of each test is ``TESTS[name].source``.

    Parameters
    ----------
    name : str
        A name in ``TESTS``.
    differences : array_like of shape (n_queries,) or (n_queries, n_comparisons)
        Candidate minus baseline per query; the query pairs the scores. Not modified.
    alternative : {"two-sided", "greater", "less"}
        "greater": the candidate is better.
    confidence : float or array_like of shape (n_comparisons,)
        Level of the interval, common or per comparison (for Holm and Bonferroni). With 1 only the
        p-value is computed, and the interval is unbounded.
    seed : int
        Random seed; equal seeds give equal results.
    n_resamples : int, optional
        Number of random draws; the default depends on the test. Ignored by tests without draws.
    **options
        Options of the test: ``method`` of permutation and wilcoxon, ``span`` of bounded.

    Raises
    ------
    UnknownNameError
        If the test, the alternative or a choice does not exist.
    ArgumentError
        If a difference is not finite, a level is not above 0 and at most 1, or the test has no such
        option.

    Examples
    --------
    >>> result = run_test("t", [[0.1, 0.0], [0.3, 0.0], [0.2, 0.0]], confidence=0.9)
    >>> result.pvalue.round(4), result.ci_low.round(4)
    (array([0.0742, 1.    ]), array([0.0314, 0.    ]))
    >>> run_test("permutation", [0.1, 0.3, 0.2], confidence=1).pvalue
    array([0.25])
    """
    test = TESTS[name]
    checks.one_of("alternative", alternative, get_args(Alternative))
    data = as_differences(differences)
    alpha = as_alpha(confidence, data.shape[1], certain=True)
    checks.count("seed", seed, at_least=0)
    if n_resamples is not None:
        n_resamples = checks.resamples(n_resamples)
    keywords = test.keywords({"seed": seed, "n_resamples": n_resamples}, options)
    answer = _answer(test, data, {"alternative": alternative, **keywords}, alpha)
    return TestResult(
        **vars(answer),
        test=name,
        estimand=test.estimand,
        confidence=confidence if np.ndim(confidence) == 0 else 1.0 - alpha,
        alternative=alternative,
        n_queries=len(data),
    )


def as_differences(differences: npt.ArrayLike) -> FloatArray:
    """Return differences as a float array of shape (n_queries, n_comparisons), perhaps no copy."""
    data = as_numbers("differences", differences)
    if data.ndim not in (1, 2):
        raise ArgumentError(f"differences must have one or two dimensions, not {data.ndim}")
    return finite("differences", data if data.ndim == 2 else data[:, None], "row", "column")


def as_column(differences: npt.ArrayLike, kind: str) -> FloatArray:
    """Return the differences of one comparison, shape (n_queries,)."""
    data = as_differences(differences)
    if data.shape[1] != 1:
        raise ArgumentError(f"{kind} one column of differences, not {data.shape[1]}")
    return data[:, 0]


def as_numbers(kind: str, values: npt.ArrayLike) -> FloatArray:
    """Return values as a float array, perhaps without copying."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise ArgumentError(f"{kind} must be an array of numbers: {problem}") from None


def finite(kind: str, table: FloatArray, row: str, column: str) -> FloatArray:
    """Refuse numbers that are not finite or too large to be squared; return the table."""
    usable = np.abs(table) <= LARGEST
    if not usable.all():
        bad = np.argwhere(~usable)
        i, j = bad[0]
        raise ArgumentError(
            f"{kind} must be finite numbers up to {LARGEST:g}; {row} {i}, {column} {j} is"
            f" {table[i, j]} ({len(bad)} in all)"
        )
    return table


def as_alpha(
    confidence: float | FloatArray, n_comparisons: int, *, certain: bool = False
) -> FloatArray:
    """Return 1 - confidence for every comparison, shape (n_comparisons,)."""
    # It is rounded to 12 decimals, so that .95 gives exactly the float .05 and a p of .05 is not
    # below it. A confidence of 1 is refused unless `certain`.
    level = np.asarray(confidence, dtype=np.float64)
    if level.shape not in ((), (n_comparisons,)):
        raise ArgumentError(
            f"confidence must be one number or one for each of {n_comparisons} comparisons, "
            f"not of shape {level.shape}"
        )
    for value in level.ravel():
        if not (certain and value == 1.0):
            checks.fraction("confidence", value)
    alpha = 1.0 - level
    alpha = np.where(alpha > 1e-9, np.round(alpha, 12), alpha)
    return np.broadcast_to(alpha, (n_comparisons,)).copy()


def _answer(
    test: PairedTest, data: FloatArray, arguments: dict[str, Any], alpha: FloatArray
) -> Answer:
    n_queries, n_columns = data.shape
    if n_queries == 0:
        nothing = np.full((8, n_columns), np.nan)
        return Answer.from_rows(nothing[:5], "closed form", 0, nothing[5:])
    live = np.any(data != 0.0, axis=0)
    answer = test.function(data[:, live], alpha=alpha[live], **arguments)
    columns = np.zeros((8, n_columns))
    columns[[2, 5, 6]] = 1.0
    for row, value in zip(columns, answer.arrays, strict=True):
        row[live] = value
    if n_queries == 1:
        columns[3], columns[4] = -np.inf, np.inf
    columns[3, alpha == 0.0], columns[4, alpha == 0.0] = -np.inf, np.inf
    if arguments["alternative"] == "greater":
        columns[4] = np.inf
    if arguments["alternative"] == "less":
        columns[3] = -np.inf
    return Answer.from_rows(columns[:5], answer.method, answer.n_resamples, columns[5:])
