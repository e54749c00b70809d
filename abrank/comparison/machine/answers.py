"""The three answers: people alone, people and machine, the machine alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from abrank import inference
from abrank._support.typing import FloatArray
from abrank.comparison.machine.judgments import (
    JudgedBy,
    MachineDifferences,
    MachineJudgments,
    MachineScores,
    PairOfScores,
    SampleCheck,
    pair_of,
)
from abrank.inference.designs.prediction_powered import PredictionPowered, welch_pvalue
from abrank.scoring.scores import Scores
from abrank.verdict import Rule

_Found: TypeAlias = inference.TestResult | PredictionPowered


def judge_together(
    machine: MachineScores,
    scores: Scores,
    missing: tuple[str, ...],
    differences: FloatArray,
    rule: Rule,
) -> MachineJudgments:
    """Return the three answers on the primary measure, and what they rest on.

    Parameters
    ----------
    scores : Scores
        By people, of queries that the machine judged too.
    missing : tuple of str
        The others of theirs.
    differences : float64[n_judged]
        B - A of the primary measure by people.
    """
    values = machine.scores.values
    pairs = {
        name: PairOfScores(tuple(values[:, 0, i].tolist()), tuple(values[:, 1, i].tolist()))
        for i, name in enumerate(scores.measures)
    }
    known = (machine.scores.query_ids, pairs, machine.shared_model, missing)
    return replace(_judge(known, scores.query_ids, differences, rule), judge=machine.judge)


def judge_again(
    found: MachineJudgments, judged: tuple[str, ...], differences: FloatArray, rule: Rule
) -> MachineJudgments:
    """Return the same from what was saved of it: the machine's scores.

    Parameters
    ----------
    judged : tuple of str
        Queries that people judged.
    differences : float64[n_judged]
    """
    known = (found.query_ids, found.scores, found.shared_model, found.missing)
    return replace(_judge(known, judged, differences, rule), judge=found.judge)


def _judge(
    known: tuple[tuple[str, ...], Mapping[str, PairOfScores], str | None, tuple[str, ...]],
    judged: tuple[str, ...],
    differences: FloatArray,
    rule: Rule,
) -> MachineJudgments:
    query_ids, pairs, _, _ = known
    pair = pair_of(query_ids, pairs[rule.primary], judged)
    level = rule.confidence
    both = pair.run(differences[:, None], level)
    found: dict[str, _Found] = {
        "people": inference.run_test("t", differences, confidence=level),
        "both": both,
        "machine": inference.run_test("t", pair.predicted, confidence=level),
    }
    sizes = {"machine": len(query_ids)}
    mean_score = np.mean([pairs[rule.primary].a, pairs[rule.primary].b], axis=0)
    answered = MachineJudgments(
        *known,
        answers=tuple(_answer(who, sizes.get(who, len(judged)), one) for who, one in found.items()),
        slope=float(both.slope[0]),
        correlation=float(both.correlation[0]),
        break_even=1.0 / math.sqrt(len(judged) - 2),
        worth=round(float(both.worth[0])) if math.isfinite(both.worth[0]) else None,
        outside=float(both.outside[0]),
        floored=bool(both.floored[0]),
        refused=bool(both.refused[0]),
        sample=_sample_checks(mean_score, pair),
    )
    if answered.set_aside or answered.worth is None:
        return answered
    limits = inference.worth_interval(differences, pair.judged, pair.predicted, confidence=level)
    low, high = (round(each) if math.isfinite(each) else None for each in limits)
    return replace(answered, worth_low=low, worth_high=high)


def widening(found: MachineJudgments) -> float:
    """Return the interval's width as a share of that by people alone; 1 where there is none."""
    if not found.worth:
        return 1.0
    people, both = found.of("people"), found.of("both")
    return (both.ci_high - both.ci_low) / (people.ci_high - people.ci_low)


def _answer(who: str, n_queries: int, found: _Found) -> JudgedBy:
    numbers = (found.estimate, found.ci_low, found.ci_high, found.pvalue)
    return JudgedBy(who, n_queries, *(float(each[0]) for each in numbers))


def _sample_checks(mean_score: FloatArray, pair: MachineDifferences) -> tuple[SampleCheck, ...]:
    """Compare the judged queries with the others by the machine's scores."""
    judged = np.zeros(len(mean_score), dtype=np.bool_)
    judged[pair.judged] = True
    if np.count_nonzero(~judged) < 2:
        return ()
    looked_at = {"difference": pair.predicted[:, 0], "difficulty": mean_score}
    return tuple(
        SampleCheck(
            what,
            float(each[judged].mean()),
            float(each[~judged].mean()),
            welch_pvalue(each[judged], each[~judged]),
        )
        for what, each in looked_at.items()
    )
