"""The verdict of people and machine together, which replaces that of people alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from abrank._support.errors import AlignmentError, ArgumentError
from abrank.comparison.beside import Beside
from abrank.comparison.choice import directions
from abrank.comparison.deciding import decide_again
from abrank.comparison.family import SEQUENCE, interval_of_primary, measure_rows
from abrank.comparison.machine.answers import judge_together, widening
from abrank.comparison.machine.judgments import (
    ESTIMAND,
    FEWEST,
    TEST,
    TITLE,
    MachineDifferences,
    MachineJudgments,
    MachineScores,
)
from abrank.comparison.power_analysis import plan_next_test
from abrank.comparison.question import Question
from abrank.comparison.result import Comparison
from abrank.comparison.rows import MeasureResult, TestRow
from abrank.comparison.soundness import with_soundness
from abrank.diagnostics import inspect_machine
from abrank.inference.rounding import differences_of
from abrank.scoring.scores import Scores


@dataclass(frozen=True)
class WithMachine:
    """A question answered with machine judgments: the human scores it uses, and the machine's.

    Attributes
    ----------
    scores : Scores
        By people, of queries that the machine judged too.
    question : Question
    """

    scores: Scores
    question: Question
    machine: MachineScores
    pair: MachineDifferences
    missing: tuple[str, ...]

    @classmethod
    def of(cls, scores: Scores, question: Question, beside: Beside) -> WithMachine | None:
        """Return the question, None without a machine; what it cannot answer is refused."""
        if beside.machine is None:
            return None
        asked = declare_machine(question, segments=beside.segments, clusters=beside.clusters)
        kept, pair, missing = pair_machine(scores, beside.machine)
        return cls(kept, asked, beside.machine, pair, missing)

    @classmethod
    def again(cls, saved: MachineJudgments, scores: Scores) -> WithMachine:
        """Return a question that was answered before: the machine's scores stand in the answer."""
        pairs = [saved.scores[measure] for measure in scores.measures]
        values = np.array([[each.a, each.b] for each in pairs], dtype=np.float64).T
        given = Scores(
            saved.query_ids, scores.systems, scores.measures, np.ascontiguousarray(values)
        )
        machine = MachineScores(given, saved.shared_model, saved.judge)  # type: ignore[arg-type]
        kept, pair, missing = pair_machine(scores, machine)
        if missing:
            raise AlignmentError(f"the machine's scores hold no {missing[0]!r}")
        return cls(kept, Question(), machine, pair, saved.missing)

    def decide(self, people: Comparison) -> Comparison:
        """Return a comparison by people alone with the verdict of people and machine.

        The verdict stays that of people alone where the machine is set aside.
        """
        rule = replace(people.rule, test=TEST)
        d = people.differences()
        found = judge_together(self.machine, self.scores, self.missing, d, rule)
        told = inspect_machine(**found.looked_at())
        if found.set_aside:
            told += [note for note in people.notes if note.code != "extra-queries"]
            ordered = sorted(told, key=lambda note: -note.severity)
            return with_soundness(replace(people, notes=tuple(ordered), machine=found))
        better = directions(
            people.measures, self.question.lower_is_better, self.question.higher_is_better
        )
        drawn: dict[str, Any] = {"seed": people.seed, "n_resamples": None, "answers": self.pair}
        rows, _ = measure_rows(people.measures, people.a, people.b, rule, better=better, **drawn)
        lead = people.measures.index(rule.primary)
        low, high = interval_of_primary(
            rule, differences_of(people.a, people.b), lead,
            confidence=rule.confidence_equivalence, **drawn,
        )  # fmt: skip
        decision = decide_again(
            rule, rows[lead], (people.a[:, lead], people.b[:, lead]),
            replace(people.decision, tost_low=low, tost_high=high),
        )  # fmt: skip
        notes = [note for note in people.notes if note.code not in _OF_PEOPLE_ALONE]
        notes += told
        tests = tuple(replace(row, decides=False) for row in people.test_rows)
        together = replace(
            people,
            rule=rule,
            rows=rows,
            decision=decision,
            test_rows=(_row(rows[lead]), *tests),
            planning=plan_next_test(d * widening(found), rule, decision.margin),
            notes=tuple(sorted(notes, key=lambda note: -note.severity)),
            alternatives=(),
            machine=found,
        )
        return with_soundness(together)


# Cautions on the tests that decide nothing here, and on queries that are meant to be more.
_OF_PEOPLE_ALONE = frozenset(
    {"few-signs", "one-query-decides", "tests-disagree", "few-queries-carry-the-mean"}
    | {"extra-queries"}
)


def _row(lead: MeasureResult) -> TestRow:
    """Return the row of the test that decides."""
    return TestRow(
        test=TEST,
        title=TITLE,
        estimand=ESTIMAND,
        estimate=lead.estimate,
        ci_low=lead.ci_low,
        ci_high=lead.ci_high,
        statistic=lead.statistic,
        pvalue=lead.pvalue,
        pvalue_low=lead.pvalue,
        pvalue_high=lead.pvalue,
        pvalue_error=0.0,
        method="closed form",
        n_resamples=0,
        decides=True,
    )


def declare_machine(question: Question, *, segments: object, clusters: object) -> Question:
    """Return the question with an adjustment that machine judgments support; refuse others.

    Examples
    --------
    >>> declare_machine(Question(), segments={}, clusters=None).adjust
    'holm'
    """
    if question.test == "permutation":
        raise ArgumentError(
            "the sign-flip test has no exact counterpart for machine judgments: used on the"
            " corrected differences it rejected 7.5 to 10% of true null hypotheses at the 5% level;"
            " leave out --test (test=)"
        )
    if question.test != "t":
        raise ArgumentError(
            f"machine judgments are used by the {TEST} t test, not by {question.test}: leave out"
            " --test (test=)"
        )
    if str(question.margin or "").strip().endswith("%"):
        raise ArgumentError(
            "a relative margin needs A's mean over all queries, which only people's judgments give:"
            " with machine judgments state the margin in the unit of the measure"
        )
    given = {
        "clusters": clusters, "look": question.look, "anytime": question.anytime,
        "planned": question.planned,
        "guard": question.guards, "bayes": question.bayes,
    }  # fmt: skip
    for name in (name for name, value in given.items() if value):
        raise ArgumentError(
            f"--{name} cannot be combined with machine judgments; leave out one of them"
        )
    if question.adjust == "max-t":
        raise ArgumentError(
            "max-t flips signs, for which machine judgments have no exact counterpart; use holm,"
            " bonferroni or bh"
        )
    if segments:
        raise ArgumentError(
            "segments hold few human queries each: leave out --segments (segments=), or compare"
            " the queries of one segment alone"
        )
    family = question.family == SEQUENCE
    return question if family else replace(question, adjust=question.adjust or "holm")


def pair_machine(
    scores: Scores, machine: MachineScores
) -> tuple[Scores, MachineDifferences, tuple[str, ...]]:
    """Return the human scores of queries that the machine judged too, its differences, the others.

    Parameters
    ----------
    scores : Scores
        By the human judgments.

    Returns
    -------
    Scores, MachineDifferences, tuple of str
        The last are the human queries that the machine did not judge.

    Raises
    ------
    AlignmentError
        If fewer than 25 human queries are among those of the machine, or the machine judged fewer
        queries than people.
    """
    every = machine.scores
    n_people, n_machine = len(scores.query_ids), len(every.query_ids)
    if n_machine < n_people:
        raise AlignmentError(
            f"people judged {n_people} queries and the machine {n_machine}: are the two swapped?"
            " The machine's are to be the more, those of people among them"
        )
    place = {query_id: i for i, query_id in enumerate(every.query_ids)}
    kept = [i for i, query_id in enumerate(scores.query_ids) if query_id in place]
    missing = tuple(query_id for query_id in scores.query_ids if query_id not in place)
    if len(kept) < FEWEST:
        without = f"; {len(missing)} more are not in the machine's" if missing else ""
        raise AlignmentError(
            f"{len(kept)} human queries are too few to correct a machine by{without}: judge"
            f" {FEWEST} or more (abrank sample queries draws them)"
        )
    query_ids = tuple(scores.query_ids[i] for i in kept)
    judged = np.array([place[query_id] for query_id in query_ids], dtype=np.int64)
    a, b = (every.values[:, i, :] for i in (0, 1))
    pair = MachineDifferences(differences_of(a, b), judged)
    return replace(scores, query_ids=query_ids, values=scores.values[kept]), pair, missing
