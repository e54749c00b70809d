"""Human and machine judgments together: how they are read and how they decide."""

# If the machine is set aside, human judgments alone decide.

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from abrank import inference, inputs
from abrank._support.errors import AlignmentError, ArgumentError
from abrank._support.result import Deferred
from abrank._support.typing import FloatArray, IntArray
from abrank.comparison.evidence import Alternative
from abrank.comparison.pairing import pair_scores
from abrank.comparison.query_data import MachineScores, QueryData
from abrank.comparison.resolve import AnalysisPlan
from abrank.comparison.result import Comparison
from abrank.comparison.rows import (
    WITH_MACHINE,
    JudgedBy,
    MachineJudgments,
    PairOfScores,
    SampleCheck,
    TestRow,
)
from abrank.comparison.samples.sample import (
    ALL,
    COMPANIONS,
    OF_SINGLE_QUERIES,
    Columns,
    QuerySample,
    Sample,
)
from abrank.diagnostics import Note
from abrank.estimate import Estimate
from abrank.inference.prediction_powered import PredictionPowered, welch_pvalue, worth_interval
from abrank.inference.rounding import differences_of
from abrank.options import Machine
from abrank.scoring.scores import Scores
from abrank.verdict import Decision, Rule

TITLE = "Prediction-powered t"
SOURCE = "Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023; Cochran 1977"
FEWEST = 25  # minimum number of human-judged queries


class MachineDifferences(NamedTuple):
    """The machine's B - A, float64[n_queries, n_measures], and which rows humans judged."""

    predicted: FloatArray
    judged: IntArray

    def take(self, columns: Sequence[int] | IntArray | slice) -> MachineDifferences:
        """Return the differences of some measures."""
        return self._replace(predicted=self.predicted[:, columns])

    def run(self, differences: FloatArray, confidence: float | FloatArray) -> PredictionPowered:
        """Test the human differences, one column per measure, with the help of the machine's."""
        return inference.run_prediction_powered(
            differences, self.judged, self.predicted, confidence=confidence
        )


def require_runs_again(machine: Machine | None, runs: Mapping[str, object]) -> None:
    """Refuse runs that cannot be read a second time for the machine judgments."""
    if machine is None or machine.qrels is None:
        return
    for name, run in runs.items():
        selected = isinstance(run, (str, os.PathLike, Mapping, inputs.Run))
        if not (selected or hasattr(run, "columns")) or (isinstance(run, str) and run == "-"):
            raise ArgumentError(
                f"{name} is read twice, for people's judgments and for the machine's: give a"
                " file, a frame or a Run in the place of standard input or an iterator"
            )


def with_machine(
    data: QueryData,
    machine: Machine | None,
    human: Scores,
    score: Callable[[object], Scores] | None = None,
) -> QueryData:
    """Add the machine's scores to the query data, if a machine was declared."""
    # `score` scores the same runs by other judgments; it is None for ready scores.
    if machine is None:
        return data
    if machine.qrels is not None:
        if score is None:
            raise ArgumentError("ready scores take a machine's scores, not its judgments")
        scores, sources = score(machine.qrels), {"machine_qrels": machine.qrels}
    elif isinstance(machine.scores, (tuple, list)) and len(machine.scores) == 2:
        a, b = machine.scores
        scores = pair_scores(a, b, measures=human.measures)
        sources = {"machine_a": a, "machine_b": b}
    elif machine.scores is not None:
        a, b = human.systems
        scores = pair_scores(machine.scores, baseline=a, candidate=b, measures=human.measures)
        sources = {"machine": machine.scores}
    else:
        return data
    judged = MachineScores(scores, machine.shared_model, machine.judge)
    return replace(data, machine=judged, sources={**data.sources, **sources})


@dataclass(frozen=True, kw_only=True)
class HumanJudged(QuerySample):
    """Queries judged by humans, who decide alone because the machine is set aside."""

    judged: MachineJudgments

    def comparison_fields(self, plan: AnalysisPlan, decision: Decision) -> dict[str, Any]:
        return {**super().comparison_fields(plan, decision), "machine": self.judged}

    def cautions(self, result: Comparison) -> list[Note]:
        return [*self.judged.notes(), *super().cautions(result)]


@dataclass(frozen=True, kw_only=True)
class WithMachine(HumanJudged):
    """Queries judged by humans, among many more that a machine judged; both decide."""

    machine: MachineDifferences
    _left_out = OF_SINGLE_QUERIES

    def test(self, confidence: float | FloatArray, columns: Columns = ALL) -> inference.TestResult:
        return self.machine.take(columns).run(self.differences[:, columns], confidence)

    def tests(self, rule: Rule, lead: int) -> Sequence[TestRow]:
        first = TestRow.of(self.test(rule.confidence, [lead]), TITLE, decides=True)
        runs = self._runs(COMPANIONS, self.differences[:, lead], rule)
        return Deferred(lambda: first, *runs)

    def deviation(self, lead: int) -> float:
        if not self.judged.worth:
            return super().deviation(lead)
        people, both = self.judged.of("people"), self.judged.of("both")
        widening = both.interval.width / people.interval.width
        return float(np.std(self.differences[:, lead] * widening, ddof=1))

    # Other choices of the human judgments alone say nothing about both.
    alternative_samples = Sample.alternative_samples
    without_supporting = Sample.without_supporting

    @property
    def saved_alternatives(self) -> Sequence[Alternative]:
        return ()

    def cautions(self, result: Comparison) -> list[Note]:
        return [*QuerySample.cautions(self, result), *self.judged.notes()]


def beside_machine(
    people: QuerySample,
    machine: MachineScores,
    rule: Rule,
    missing: tuple[str, ...] | None = None,
) -> HumanJudged:
    """Combine the two; ``missing`` are human-judged queries that the machine lacks."""
    selected, pair, lacking = pair_machine(people.scores, machine)
    if missing is not None and lacking:
        raise AlignmentError(f"the machine's scores hold no {lacking[0]!r}")
    people = replace(people, scores=selected)
    judged = judge_together(machine, people, pair, lacking if missing is None else missing, rule)
    shared = {field.name: getattr(people, field.name) for field in fields(QuerySample)}
    if judged.set_aside:
        return HumanJudged(**shared, judged=judged)
    return WithMachine(**shared | {"by": WITH_MACHINE}, machine=pair, judged=judged)


def scores_again(saved: MachineJudgments, scores: Scores) -> MachineScores:
    """Return the machine's scores from a saved result."""
    pairs = [saved.scores[measure] for measure in scores.measures]
    values = np.array([[pair.a, pair.b] for pair in pairs], dtype=np.float64).T
    by_machine = Scores(
        saved.query_ids, scores.systems, scores.measures, np.ascontiguousarray(values)
    )
    return MachineScores(by_machine, saved.shared_model, saved.judge)  # type: ignore[arg-type]


def judge_together(
    machine: MachineScores,
    people: QuerySample,
    pair: MachineDifferences,
    missing: tuple[str, ...],
    rule: Rule,
) -> MachineJudgments:
    """Return the three results for the primary measure, and the statistics behind them."""
    scores, primary, level = machine.scores, rule.primary, rule.confidence
    pairs = {
        name: PairOfScores(*map(tuple, scores.values[:, :, i].T.tolist()))
        for i, name in enumerate(people.measures)
    }
    lead = people.measures.index(primary)
    pair, differences, n_judged = pair.take([lead]), people.differences[:, lead], people.n
    both = pair.run(differences[:, None], level)
    result: Mapping[str, inference.TestResult] = {
        "people": inference.run_test("t", differences, confidence=level),
        "both": both,
        "machine": inference.run_test("t", pair.predicted, confidence=level),
    }
    n_queries = {"people": n_judged, "both": n_judged, "machine": len(scores.query_ids)}
    answered = MachineJudgments(
        scores.query_ids,
        pairs,
        machine.shared_model,
        missing,
        answers=tuple(
            JudgedBy(who, n_queries[who], *astuple(Estimate.of(answer)))
            for who, answer in result.items()
        ),
        slope=float(both.slope[0]),
        correlation=float(both.correlation[0]),
        break_even=1.0 / math.sqrt(n_judged - 2),
        worth=round(float(both.worth[0])) if math.isfinite(both.worth[0]) else None,
        outside=float(both.outside[0]),
        floored=bool(both.floored[0]),
        refused=bool(both.refused[0]),
        sample=_sample_checks(np.mean([pairs[primary].a, pairs[primary].b], axis=0), pair),
        judge=machine.judge,
    )
    if answered.set_aside or answered.worth is None:
        return answered
    limits = worth_interval(differences, pair.judged, pair.predicted, confidence=level)
    low, high = (round(limit) if math.isfinite(limit) else None for limit in limits)
    return replace(answered, worth_low=low, worth_high=high)


def _sample_checks(mean_score: FloatArray, pair: MachineDifferences) -> tuple[SampleCheck, ...]:
    """Compare the human-judged queries with the others by the machine's scores."""
    judged = np.zeros(len(mean_score), dtype=np.bool_)
    judged[pair.judged] = True
    if np.count_nonzero(~judged) < 2:
        return ()
    looked_at = {"difference": pair.predicted[:, 0], "difficulty": mean_score}
    return tuple(
        SampleCheck(
            name,
            float(item[judged].mean()),
            float(item[~judged].mean()),
            welch_pvalue(item[judged], item[~judged]),
        )
        for name, item in looked_at.items()
    )


def pair_machine(
    scores: Scores, machine: MachineScores
) -> tuple[Scores, MachineDifferences, tuple[str, ...]]:
    """Return human scores on queries judged by both, machine differences, and missing queries."""
    everything = machine.scores
    n_people, n_machine = len(scores.query_ids), len(everything.query_ids)
    if n_machine < n_people:
        raise AlignmentError(
            f"people judged {n_people} queries and the machine {n_machine}: are the two swapped?"
            " The machine's are to be the more, those of people among them"
        )
    place = {query_id: i for i, query_id in enumerate(everything.query_ids)}
    selected = [i for i, query_id in enumerate(scores.query_ids) if query_id in place]
    missing = tuple(query_id for query_id in scores.query_ids if query_id not in place)
    if len(selected) < FEWEST:
        without = f"; {len(missing)} more are not in the machine's" if missing else ""
        raise AlignmentError(
            f"{len(selected)} human queries are too few to correct a machine by{without}: judge"
            f" {FEWEST} or more (abrank sample queries draws them)"
        )
    query_ids = tuple(scores.query_ids[i] for i in selected)
    judged = np.array([place[query_id] for query_id in query_ids], dtype=np.int64)
    a, b = (everything.values[:, i, :] for i in (0, 1))
    pair = MachineDifferences(differences_of(a, b), judged)
    return replace(scores, query_ids=query_ids, values=scores.values[selected]), pair, missing
