"""Scores by a machine's judgments, and what they add to those by people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, get_args

import numpy as np

from abrank import inference
from abrank._support import checks
from abrank._support.choices import SharedModel
from abrank._support.records import record
from abrank._support.typing import FloatArray, IntArray
from abrank.inference.designs.prediction_powered import PredictionPowered
from abrank.inference.rounding import differences_of
from abrank.scoring.scores import Scores

# The test that decides with machine judgments; it is not among the plain paired tests.
TEST = "prediction-powered"
TITLE = "Prediction-powered t"
ESTIMAND = "mean difference over all queries"
SOURCE = "Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023; Cochran 1977"
FEWEST = 25  # fewer human queries are refused
LEVEL = 0.05  # of the tests of the draw, both together

_Found: TypeAlias = inference.TestResult | PredictionPowered


@dataclass(frozen=True)
class MachineScores:
    """Scores of the two systems by a machine's judgments, and what was declared of the machine.

    Attributes
    ----------
    scores : Scores
        Of the same systems by the same measures, in the same order.
    shared_model : {"a", "b", "both", "neither"}, optional
        Which of the systems shares its model with the machine; None where it was not said.
    judge : str, optional
        Name of the machine that judged, such as that of a model.
    """

    scores: Scores
    shared_model: SharedModel | None = None
    judge: str | None = None

    def __post_init__(self) -> None:
        if self.shared_model is not None:
            checks.one_of("shared model", self.shared_model, get_args(SharedModel))


@record
class PairOfScores:
    """The scores of one measure by the machine, in the order of its query ids."""

    a: tuple[float, ...]
    b: tuple[float, ...]


@record
class JudgedBy:
    """One of the three answers on the primary measure: ``people``, ``both`` or ``machine``."""

    who: str
    n_queries: int
    estimate: float
    ci_low: float
    ci_high: float
    pvalue: float


@record
class SampleCheck:
    """Whether the human queries are like the others: means of both, and Welch's p-value.

    ``what`` is ``difference`` (the machine's B - A) or ``difficulty`` (its mean score of A and B).
    """

    what: str
    mean_judged: float
    mean_others: float
    pvalue: float


@record
class MachineJudgments:
    """What the machine's judgments add to those of people, on the primary measure.

    Attributes
    ----------
    query_ids : tuple of str
        All queries that the machine judged.
    scores : mapping of str to PairOfScores
        By measure.
    shared_model : str, optional
        As it was declared.
    missing : tuple of str
        Queries that people judged and the machine did not: left out.
    answers : tuple of JudgedBy
        People alone, people and machine, the machine alone. The second decides unless the machine
        is set aside.
    slope, correlation, worth, outside, floored, refused
        As in :class:`~abrank.inference.designs.prediction_powered.PredictionPowered`; the worth
        in whole queries.
    worth_low, worth_high : int or None
        Its 95 % interval; None where people alone decide.
    break_even : float
        The correlation below which the machine widens the interval, 1 / sqrt(n - 2).
    sample : tuple of SampleCheck
        Empty where people judged all queries.
    judge : str, optional
        Name of the machine, as it was declared.
    """

    query_ids: tuple[str, ...]
    scores: Mapping[str, PairOfScores]
    shared_model: str | None
    missing: tuple[str, ...]
    answers: tuple[JudgedBy, ...]
    slope: float
    correlation: float
    break_even: float
    worth: int | None
    outside: float
    floored: bool
    refused: bool
    sample: tuple[SampleCheck, ...]
    judge: str | None = None
    worth_low: int | None = None
    worth_high: int | None = None

    @property
    def set_aside(self) -> str:
        """Why people alone decide: ``draw``, ``errors``; empty where they decide with the machine.

        A draw is rejected where one of the two checks has p below .025; fewer than six errors that
        carry their sum of squares do not tell how often the machine fails grossly.
        """
        level = LEVEL / max(1, len(self.sample))
        if any(each.pvalue < level for each in self.sample):
            return "draw"
        return "errors" if self.refused else ""

    def looked_at(self) -> dict[str, Any]:
        """Return what :func:`abrank.diagnostics.inspect_machine` looks at."""
        both = self.of("both")
        return {
            "n_judged": both.n_queries,
            "n_queries": len(self.query_ids),
            "missing": self.missing,
            "correlation": self.correlation,
            "break_even": self.break_even,
            "outside": self.outside,
            "set_aside": self.set_aside,
            "shared_model": self.shared_model,
            "judge": self.judge,
            "sample": [
                (each.what, each.mean_judged, each.mean_others, each.pvalue) for each in self.sample
            ],
        }

    def of(self, who: str) -> JudgedBy:
        """Return the answer of ``people``, ``both`` or ``machine``."""
        return next(each for each in self.answers if each.who == who)


class MachineDifferences(NamedTuple):
    """The machine's B - A, float64[n_queries, n_measures], and the rows that people judged."""

    predicted: FloatArray
    judged: IntArray

    def take(self, columns: Sequence[int] | IntArray | slice) -> MachineDifferences:
        """Return those of some measures."""
        return self._replace(predicted=self.predicted[:, columns])

    def run(self, differences: FloatArray, confidence: float | FloatArray) -> PredictionPowered:
        """Test the human differences, one column a measure, with the help of these."""
        return inference.run_prediction_powered(
            differences, self.judged, self.predicted, confidence=confidence
        )


def pair_of(
    query_ids: tuple[str, ...], scores: PairOfScores, judged: tuple[str, ...]
) -> MachineDifferences:
    """Return the machine's differences in one measure, beside the queries that people judged."""
    place = {each: i for i, each in enumerate(query_ids)}
    a, b = (np.array(each, dtype=np.float64)[:, None] for each in (scores.a, scores.b))
    rows = np.array([place[each] for each in judged], dtype=np.int64)
    return MachineDifferences(differences_of(a, b), rows)
