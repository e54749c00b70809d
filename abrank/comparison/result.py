"""The result of comparing A with B: plain numbers, and data frames and plots made from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from abrank._support import checks, display, lazy
from abrank._support.checks import explained
from abrank._support.errors import ArgumentError, GateError
from abrank._support.result import Result
from abrank._support.typing import FloatArray, IntArray, Requirement
from abrank.comparison.choosing import require_chosen, require_direction
from abrank.comparison.evidence import Alternative, RunDetails
from abrank.comparison.groups import ClusterSummary, QueryWeights, Segmentation, SegmentRow
from abrank.comparison.plans import Planning
from abrank.comparison.rows import (
    WITH_MACHINE,
    Effect,
    MachineJudgments,
    MeasureResult,
    Preferences,
    Spread,
    TestRow,
)
from abrank.diagnostics import Note, outcomes
from abrank.estimate import Estimate, Interval
from abrank.inference.rounding import differences_of
from abrank.measures.names import known_among, lowest_relevant
from abrank.rule import Soundness
from abrank.scoring.judging import Inspection, QueryDocument, position_of_query
from abrank.verdict import Decision, Gate, Rule, Verdict, check_gate

if TYPE_CHECKING:
    import pandas as pd

    from abrank._support.drawings import ComparisonPlots


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """Baseline A compared with candidate B on the same queries; immutable.

    Returned by :func:`abrank.compare` and :func:`abrank.compare_scores`.

    Attributes
    ----------
    baseline, candidate : str
        Names of A and B.
    query_ids : tuple of str, length n_queries
    measures : tuple of str, length n_measures
        Canonical names, in the requested order.
    a, b : float64[n_queries, n_measures]
        The scores.
    rule : Rule
    decision : Decision
    rows : tuple of MeasureResult
        One per measure.
    test_rows : sequence of TestRow
        Every test of the primary measure; each runs when it is first accessed.
    effects : mapping of str to Effect
        Effect sizes of the primary measure with confidence intervals.
    spread : Spread
        Distribution of the differences of the primary measure.
    planning : Planning
    notes : tuple of Note
        Cautions, most severe first.
    seed : int
        Reproduces every resampled number.
    remarks : tuple of str
        How names and sources of the scores were interpreted, and which measures an option skips.
    audits : mapping of str to Audit
        Facts collected while reading the runs, under ``"a"`` and ``"b"``; empty for ready scores.
    evidence : Evidence
        Ranked documents, curves, and the possible effect of ties and unjudged documents; empty for
        ready scores.
    alternatives : tuple of Alternative
        Sensitivity analysis: the primary measure on shared queries only, on judged documents only,
        at a common depth, or without the few queries that support the verdict most; only those
        that apply.
    segmentations : tuple of Segmentation
        The primary measure by properties of the queries.
    clusters : ClusterSummary, optional
        The clusters of the queries.
    topics : mapping of str to str
        Texts of the queries, by query id.
    provenance : mapping
        Input files with hashes, versions, command; empty if unknown.
    machine : MachineJudgments, optional
        What machine judgments add to human ones; None without them.
    preferences : Preferences, optional
        Statistics of the votes that were compared; None for other scores.
    weights : QueryWeights, optional
        The weight of each query, if they differ.
    strata : mapping of str to Comparison
        The comparison on each collection, if the mean over all their queries decides; else empty.
    digits : int, optional
        Decimals in reports; None chooses enough to read the deciding interval.
    """

    if TYPE_CHECKING:

        @property
        def plot(self) -> ComparisonPlots:  # as editors know it
            """The plots as methods, such as ``result.plot.forest()``; calling it lists them."""
            ...

    baseline: str
    candidate: str
    query_ids: tuple[str, ...]
    measures: tuple[str, ...]
    a: FloatArray
    b: FloatArray
    rule: Rule
    decision: Decision
    rows: tuple[MeasureResult, ...]
    test_rows: Sequence[TestRow]
    effects: Mapping[str, Effect]
    spread: Spread
    planning: Planning
    notes: tuple[Note, ...]
    seed: int
    n_resamples: int | None = None
    n_resamples_joint: int = 0
    remarks: tuple[str, ...] = ()
    audits: Mapping[str, Any] = field(default_factory=dict)
    evidence: RunDetails = field(default_factory=RunDetails)
    alternatives: tuple[Alternative, ...] = ()
    segmentations: tuple[Segmentation, ...] = ()
    clusters: ClusterSummary | None = None
    topics: Mapping[str, str] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)
    machine: MachineJudgments | None = None
    preferences: Preferences | None = None
    weights: QueryWeights | None = None
    strata: Mapping[str, Comparison] = field(default_factory=dict)
    digits: int | None = None

    # ---- the primary measure

    @property
    def n_queries(self) -> int:
        """Number of compared queries."""
        return len(self.query_ids)

    @property
    def primary(self) -> MeasureResult:
        """The row of the primary measure."""
        return self[self.rule.primary]

    @property
    def verdict(self) -> Verdict:
        """The verdict on the primary measure, a string such as ``"better"``."""
        return self.decision.verdict

    @property
    def soundness(self) -> Soundness:
        """The reasons against the evidence; ``.level`` is ``"sound"``, or how serious they are."""
        return self.decision.soundness

    @property
    def undeclared(self) -> tuple[str, ...]:
        """The primary measure if its name sounds like a cost and its direction is not declared."""
        return () if self.rule.direction_declared else (self.rule.primary,)

    def better_direction(self, measure: str | None = None) -> bool | None:
        """Return whether higher is better for a measure; None if not declared."""
        row = self[measure or self.rule.primary]
        return None if row.measure in self.undeclared else row.higher_is_better

    @property
    def pvalue(self) -> float:
        """The p-value of the deciding test of the primary measure."""
        return self.primary.pvalue

    @property
    def interval(self) -> Interval:
        """The interval of the primary measure at the level of the rule."""
        return self.primary.interval

    @property
    def significant(self) -> bool:
        """Whether the p-value of the primary measure, adjusted if required, is below alpha."""
        return self.primary.pvalue_adj < self.rule.alpha

    @property
    def statistic(self) -> float:
        """The statistic of the deciding test of the primary measure."""
        return self.primary.statistic

    @property
    def mean_difference(self) -> float:
        """Mean difference B - A of the primary measure."""
        return self.primary.diff

    @property
    def decimals(self) -> int:
        """Decimals in reports: half the width of the deciding interval has two digits."""
        if self.digits is not None:
            return self.digits
        return display.decimals([self.decision.deciding.times(self.decision.unit)])

    def effect_size(self, name: str | None = None) -> float:
        """Return an effect size of the primary measure.

        Parameters
        ----------
        name : str, optional
            A key of ``effects``: ``d_z``, ``hedges_g``, ``d_av``, ``glass_delta``,
            ``rank_biserial``, ``p_better``; for independent groups ``cohens_d`` replaces ``d_z``
            and ``d_av``. Default: the first.
        """
        name = next(iter(self.effects)) if name is None else name
        return self.effects[checks.one_of("effect size", name, self.effects)].estimate

    @property
    def with_machine(self) -> bool:
        """Whether machine judgments contribute to the decision; they may be set aside."""
        return self.machine is not None and self.rule.test == WITH_MACHINE

    @explained
    def confidence_interval(self, level: float | None = None) -> Interval:
        """Return the interval of the primary measure by the deciding test.

        Parameters
        ----------
        level : float, optional
            Confidence level. Default: that of the rule.
        """
        if level is None:
            return self.primary.interval
        checks.fraction("level", level)
        sample, _ = lazy.attribute("abrank.comparison.compare", "reopened")(self)
        result = sample.test(level, [self.measures.index(self.rule.primary)])
        return Estimate.of(result).interval

    def differences(self, measure: str | None = None) -> FloatArray:
        """Return B - A per query: float64[n_queries], in the order of ``query_ids``.

        Scores that agree to 10 digits of the largest count as equal, and so do differences.
        Independent groups have no differences.
        """
        if self.rule.independent:
            raise ArgumentError("independent groups share no unit, so there are no differences")
        column = self.measures.index(self[measure or self.rule.primary].measure)
        if column not in self._differences:
            self._differences[column] = differences_of(self.a[:, column], self.b[:, column])
        return self._differences[column].copy()

    def renamed(self, baseline: str, candidate: str, *, digits: int | None = None) -> Comparison:
        """Return the same comparison with other names for the systems, and other decimals."""
        result = replace(self, baseline=baseline, candidate=candidate, digits=digits)
        vars(result)["_differences"] = self._differences  # names do not change them
        return result

    @cached_property
    def _differences(self) -> dict[int, FloatArray]:
        return {}  # cache by measure, because a page asks for them a dozen times

    def outcomes(self, measure: str | None = None) -> IntArray:
        """Return per query +1 if B scores better, -1 if A does, 0 for a tie."""
        row = self[measure or self.rule.primary]
        signs = outcomes(self.differences(row.measure))
        return signs if row.higher_is_better else -signs

    def __getitem__(self, measure: str) -> MeasureResult:
        return self.rows[self.measures.index(known_among(measure, self.measures))]

    # ---- data frames, created at each call

    @property
    def queries(self) -> pd.DataFrame:
        """The primary measure per query: columns ``query_id measure a b diff outcome``."""
        return self.queries_of(self.rule.primary)

    def queries_of(self, *measures: str) -> pd.DataFrame:
        """Return the scores of other measures in the form of ``queries``. Default: all measures.

        Parameters
        ----------
        *measures : str
            Names in any spelling: ``queries_of("AP", "P@10")``.
        """
        import pandas as pd

        names = [self[measure].measure for measure in measures] or [*self.measures]
        columns = [self.measures.index(name) for name in names]
        a, b = (scores[:, columns].T.reshape(-1) for scores in (self.a, self.b))
        if self.rule.independent:
            group = np.where(np.isfinite(a), "A", "B").astype(object)
            frame = {"query_id": list(self.query_ids) * len(names), "group": group}
            scores = {"measure": np.repeat(names, self.n_queries), "score": np.fmax(a, b)}
            return pd.DataFrame(frame | scores)
        outcome = np.array(["A wins", "tie", "B wins"], dtype=object)
        return pd.DataFrame(
            {
                # Not pandas' string type: it refuses ids that are not UTF-8.
                "query_id": pd.Series(list(self.query_ids) * len(names), dtype=object),
                "measure": np.repeat(np.array(names, dtype=object), self.n_queries),
                "a": a,
                "b": b,
                "diff": b - a,
                "outcome": outcome[np.concatenate([self.outcomes(name) for name in names]) + 1],
            }
        )

    @explained
    def worst(self, n: int = 10, measure: str | None = None) -> pd.DataFrame:
        """Return the queries with the largest losses of B, with their texts, like ``queries``.

        Parameters
        ----------
        n : int
            Maximum number of rows; only queries on which B loses are included.
        measure : str, optional
            Default: the primary measure.
        """
        return self._moved(n, measure, outcome=-1)

    @explained
    def best(self, n: int = 10, measure: str | None = None) -> pd.DataFrame:
        """Return the queries with the largest gains of B; see :meth:`worst`."""
        return self._moved(n, measure, outcome=1)

    def _moved(self, n: int, measure: str | None, *, outcome: int) -> pd.DataFrame:
        checks.count("n", n)
        row = self[measure or self.rule.primary]
        queries = self.queries_of(row.measure)
        if self.topics:
            queries["text"] = [self.topics.get(query, "") for query in self.query_ids]
        for segmentation in self.segmentations:
            if segmentation.name not in queries:
                queries[segmentation.name] = list(segmentation.labels)
        chosen = queries[self.outcomes(row.measure) == outcome]
        lowest_first = row.higher_is_better == (outcome < 0)
        order: pd.DataFrame = chosen.sort_values(
            ["diff", "query_id"], ascending=[lowest_first, True], ignore_index=True
        )
        return order.head(n)

    @explained
    def inspect(self, query_id: str | int) -> Inspection:
        """Return one query as a card: its scores, both ranked lists, what to judge.

        The lists are as deep as the result stores them, 20 documents; ready scores have none.
        :func:`abrank.inspect_query` reads the runs again and shows all documents.

        Parameters
        ----------
        query_id : str or int

        Raises
        ------
        ArgumentError
            If there is no such query; the message names the most similar id.
        """
        place = position_of_query(query_id, self.query_ids, "compared")
        query, evidence = self.query_ids[place], self.evidence
        order = sorted(
            range(len(self.measures)), key=lambda i: self.measures[i] != self.rule.primary
        )
        to_judge, lists = evidence.to_judge, evidence.rankings.get(query, ((), ()))
        ranks = [{doc: rank for rank, (doc, _) in enumerate(item, 1)} for item in lists]
        further = evidence.elsewhere.get(query, {})
        relevant = lowest_relevant(self.rule.primary)
        graded = {doc: grade for item in lists for doc, grade in item if (grade or 0) >= relevant}
        return Inspection(
            query_id=query,
            text=self.topics.get(query, ""),
            baseline=self.baseline,
            candidate=self.candidate,
            measures=tuple(self.measures[i] for i in order),
            a=tuple(self.a[place, order].tolist()),
            b=tuple(self.b[place, order].tolist()),
            rankings=lists,
            relevant=tuple(
                QueryDocument(doc, grade, *(rank.get(doc, further.get(doc, -1)) for rank in ranks))
                for doc, grade in sorted(
                    graded.items(), key=lambda item: (-(item[1] or 0), item[0])
                )
            ),
            to_judge=tuple(
                document
                for document in (to_judge.documents if to_judge else ())
                if document.query_id == query
            ),
            grade=to_judge.grade if to_judge else 0,
            documents=evidence.documents,
        )

    @property
    def tests(self) -> pd.DataFrame:
        """Return every test of the primary measure; see :class:`TestRow` for the columns."""
        import pandas as pd

        return pd.DataFrame([asdict(row) for row in self.test_rows])

    @property
    def segments(self) -> pd.DataFrame:
        """Return the primary measure in every segment; see :class:`SegmentRow`."""
        import pandas as pd

        columns = ["property", *(item.name for item in fields(SegmentRow))]
        rows = [
            {"property": segmentation.name, **asdict(row)}
            for segmentation in self.segmentations
            for row in segmentation.rows
        ]
        return pd.DataFrame(rows, columns=columns)

    # ---- gates

    @explained
    def require(self, requirement: Requirement) -> Comparison:
        """Return the comparison if the gate passes, else raise GateError.

        Parameters
        ----------
        requirement : {"better", "non-inferior", "equivalent", "no-significant-loss"}

        Raises
        ------
        GateError
            If it does not pass.
        ArgumentError
            If no primary measure was chosen, or its direction is not declared.
        """
        if not self.rule.direction_declared:
            require_direction(self.undeclared, [self.rule.primary])
        require_chosen(self.notes)
        rule = replace(self.rule, require=requirement)
        gate = check_gate(rule, self.decision)
        if gate is not None and not gate.passed:
            decision = replace(self.decision, gate=gate)
            gated = replace(self, rule=rule, decision=decision)
            raised = GateError(lazy.attribute("abrank.report", "gate_sentence")(gated))
            raised.exit_code = decision.exit_code
            raise raised
        return self

    def __bool__(self) -> NoReturn:
        raise TypeError("a comparison is neither true nor false; use .verdict or .require(...)")

    def __repr__(self) -> str:
        doubt = " in doubt" if self.soundness.level == "doubtful" else ""
        units = "units" if self.rule.independent else "queries"
        return (
            f"<Comparison {self.candidate!r} against {self.baseline!r}: {self.verdict.value}{doubt}"
            f" on {self.rule.primary}, {self.n_queries} {units}>"
        )


def on_each(rule: Rule, strata: Mapping[str, Comparison]) -> dict[str, Comparison]:
    """Return the comparison on each collection, with the gate that applies to all of them."""
    # Because all tests must reject at alpha, none is adjusted.
    result = {}
    for name, part in strata.items():
        rule_here = replace(part.rule, require=rule.require, accept_doubt=rule.accept_doubt)
        decision = replace(part.decision, gate=check_gate(rule_here, part.decision))
        result[name] = replace(part, rule=rule_here, decision=decision)
    return result


def gate_on_each(pooled: Comparison) -> Comparison:
    """Replace the gate by one that passes if it passes on each collection."""
    if pooled.rule.require is None:
        raise ArgumentError(
            "on each works only with a gate: give --require or --fail-on (require=)"
        )
    parts = on_each(pooled.rule, pooled.strata).values()
    passed = all(part.decision.gate is not None and part.decision.gate.passed for part in parts)
    gate = Gate(pooled.rule.require, passed, "" if passed else "each")
    return replace(pooled, decision=replace(pooled.decision, gate=gate))
