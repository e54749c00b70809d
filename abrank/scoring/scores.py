"""Scores per query, system and measure; and the replacement of missing scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from abrank import inputs
from abrank._support import checks, display
from abrank._support.display import shorten
from abrank._support.errors import AlignmentError, ArgumentError
from abrank._support.result import missing_attribute
from abrank._support.typing import BoolArray, FloatArray, Missing, RandomSource
from abrank.measures import parse
from abrank.measures.names import aggregate_of, known, listed

if TYPE_CHECKING:
    import pandas as pd

    from abrank.inputs.score_reading import Reading
    from abrank.scoring.intervals import Intervals


MISSING = ("zero", "drop", "worst", "error")


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of systems on queries by measures.

    Attributes
    ----------
    query_ids : tuple of str, length n_queries
    systems : tuple of str, length n_systems
    measures : tuple of str, length n_measures
        Canonical names. If the highest grade came from the judgments, the name includes it:
        ``ERR(max_grade=4)@10``.
    values : float64[n_queries, n_systems, n_measures]
        Finite.
    audits : mapping of str to Audit
        Facts about each system's run; empty for ready scores.
    sources : mapping of str to Source
        Source of each system's run or ready scores; empty for objects.
    judged_runs : mapping of str to JudgedSource
        Each system's run joined with all judgments, cut at the requested depth; empty for ready
        scores.
    notes : tuple of str
        How ambiguous names were interpreted, and which measures an option does not apply to.
    judgments : Source, optional
        Source of the qrels; None for ready scores.
    named : tuple of str, optional
        The measures that the user named, the deciding one first; empty if a source listed them.
        None if whoever made the scores chose all of them, in this order.
    gaps : Scores, optional
        For ready scores with missing values: the original scores with NaN.
    reading : Reading, optional
        For a table of ready scores: the roles of its columns.
    """

    query_ids: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    values: FloatArray
    audits: Mapping[str, inputs.Audit] = field(default_factory=dict)
    sources: Mapping[str, inputs.Source] = field(default_factory=dict)
    judged_runs: Mapping[str, inputs.JudgedSource] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    judgments: inputs.Source | None = None
    named: tuple[str, ...] | None = None
    gaps: Scores | None = None
    reading: Reading | None = None

    if not TYPE_CHECKING:  # hidden so that type checkers still report unknown attributes

        def __getattr__(self, name: str) -> NoReturn:
            raise missing_attribute(self, name)

    def of(self, system: str) -> FloatArray:
        """Return one system's scores: float64[n_queries, n_measures]."""
        if system not in self.systems:
            raise ArgumentError(f"no system {system!r} here; there are {', '.join(self.systems)}")
        return self.values[:, self.systems.index(system), :]

    def cluster_column(self) -> tuple[str, Mapping[str, str]] | None:
        """Return the column of the table that names the user or session of each query."""
        column = self.reading.cluster if self.reading is not None else ""
        of_query = self.reading.properties.get(column, {}) if self.reading is not None else {}
        if not column or 2 * len(of_query.keys() & {*self.query_ids}) < len(self.query_ids):
            return None
        from abrank.inputs.topics import labels_of  # imported late: few tables have one

        labels = labels_of((column, of_query), self.query_ids) or ()
        return column, dict(zip(self.query_ids, labels, strict=True))

    def expected(self) -> BoolArray | None:
        """Return bool[n_queries, n_systems]: which systems have rows for each query.

        None if any query has rows of two systems.
        """
        arms = self.reading.arms if self.reading is not None else {}
        if not arms:
            return None
        variants = np.array([arms.get(query, "") for query in self.query_ids])
        return np.asarray(variants[:, None] == np.array(self.systems))

    def take(self, measures: Sequence[str]) -> Scores:
        """Return the scores of selected measures, in that order."""
        places = [self.measures.index(name) for name in measures]
        return replace(self, measures=tuple(measures), values=self.values[:, :, places])

    def means(self) -> FloatArray:
        """Return the mean over the queries: float64[n_systems, n_measures]; NaN without queries."""
        if not self.query_ids:
            return np.full(self.values.shape[1:], np.nan)
        # Add sequentially like trec_eval: numpy's pairwise sum differs in the last bit.
        total: FloatArray = np.add.accumulate(self.values, axis=0)[-1]
        return total / len(self.query_ids)

    def rescored(
        self,
        change: Callable[[inputs.JudgedRun], inputs.JudgedRun],
        *,
        measures: Sequence[str] | None = None,
        query_ids: tuple[str, ...] | None = None,
    ) -> Scores:
        """Return the scores after a change of every ranking, without reading runs again.

        Parameters
        ----------
        change : callable
            For example ``JudgedRun.condensed``, which removes unjudged documents.
        measures : sequence of str, optional
            Canonical names. Default: all of ``measures``.
        query_ids : tuple of str, optional
            Judged queries to score. Default: ``query_ids``.

        Raises
        ------
        ArgumentError
            For ready scores.

        Examples
        --------
        >>> from abrank.scoring.evaluate import evaluate
        >>> scores = evaluate({"q1": {"d2": 1}}, {"run": {"q1": {"d1": 2.0, "d2": 1.0}}}, ["RR"])
        >>> scores.values[0, 0], scores.rescored(inputs.JudgedRun.condensed).values[0, 0]
        (array([0.5]), array([1.]))
        """
        if set(self.systems) - set(self.judged_runs):
            raise ArgumentError("ready scores have no rankings to change")
        names = self.measures if measures is None else tuple(measures)
        parsed = [parse(name) for name in names]
        judged_runs = {
            system: replace(judged_run, judged=change(judged_run.judged))
            for system, judged_run in self.judged_runs.items()
        }
        ids = self.query_ids if query_ids is None else query_ids
        judged_queries = self.judged_runs[self.systems[0]].judged.query_ids
        selected: Any = slice(None)
        if ids != judged_queries:
            row_of = {query_id: i for i, query_id in enumerate(judged_queries)}
            selected = [row_of[query_id] for query_id in ids]
        columns = [
            np.stack([measure(judged_runs[system].judged) for measure in parsed], axis=1)
            for system in self.systems
        ]
        values = np.stack(columns, axis=1)[selected]
        return replace(self, query_ids=ids, measures=names, values=values, judged_runs=judged_runs)

    def aggregates(self) -> FloatArray:
        """Return one value per system and measure, aggregated as the measure defines.

        Counts are summed, logarithms (GMAP) give the exponential of their mean, and all others,
        including unknown measures, are averaged. Without queries, counts are 0 and others NaN.

        Examples
        --------
        >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
        >>> run = {"q1": {"d1": 1.0}, "q2": {"d1": 2.0, "d2": 1.0}}
        >>> from abrank.scoring.evaluate import evaluate
        >>> evaluate(qrels, {"run": run}, ["NumRet", "GMAP", "AP"]).aggregates().round(4)
        array([[3.    , 0.7071, 0.75  ]])
        """
        values = self.means()
        for m, name in enumerate(self.measures):
            rule = aggregate_of(name)
            if rule == "sum":
                values[:, m] = self.values[:, :, m].sum(axis=0)
            elif rule == "geometric":
                values[:, m] = np.exp(values[:, m])
        return values

    @property
    def table(self) -> pd.DataFrame:
        """A new frame of :meth:`aggregates`: one row per system, one column per measure."""
        import pandas as pd

        return pd.DataFrame(self.aggregates(), [*self.systems], [*self.measures])

    def __repr__(self) -> str:
        kinds = (("systems", self.systems), ("measures", self.measures))
        contents = "; ".join(
            f"{kind} {shorten(', '.join(names), width=80)}" for kind, names in kinds
        )
        return f"<Scores of {len(self.query_ids)} queries; {contents}; .table, .tidy()>"

    def _repr_html_(self) -> str:
        html = self.table.to_html(float_format="{:.4f}".format, border=0, max_rows=60)
        return f"{html}<p>{len(self.query_ids)} queries</p>"

    def intervals(
        self,
        *,
        test: str = "bootstrap",
        alpha: float = 0.05,
        at_least: Mapping[str, float] | Sequence[str] | str = (),
        segments: object = None,  # whatever read_segments reads
        clusters: object = None,  # whatever read_clusters reads
        resamples: int | None = None,
        rng: RandomSource = 0,
    ) -> Intervals:
        """Return confidence intervals of each mean, and whether it reaches a floor.

        Parameters
        ----------
        test : {"bootstrap", "t", "permutation", "bounded"}
            The studentised bootstrap, which keeps its level on skewed scores from 10 queries;
            Student's t; sign flips of the centred scores; or bets, valid for any scores of a
            bounded measure. The others are also reported, sign flips up to 1,000 queries.
        at_least : mapping of str to float, or sequence of str
            Floors by measure, ``{"nDCG@10": 0.35}`` or ``["nDCG@10:0.35"]``. A floor is cleared if
            the lower limit is not below it; with fewer than 10 queries, also that by sign flips.
        segments : path, DataFrame or mapping, optional
            Properties of the queries; see :func:`abrank.compare`.
        clusters : path, mapping or str, optional
            The cluster of each query, or the name of a column of ``segments``.
        rng : int, Generator, SeedSequence or None

        Returns
        -------
        Intervals
            Can be printed, and has ``.rows``, ``.floors``, ``.cleared``, ``.report(path)``.

        Raises
        ------
        AlignmentError
            If there is no query, a query has no cluster, or a floor applies to a run from which
            missing queries were dropped.
        ArgumentError
            If the test is unknown, or a floor is for a measure that was not scored.

        Examples
        --------
        >>> from abrank import evaluate, simulate_runs
        >>> made = simulate_runs(100, rng=3)
        >>> scores = evaluate(made.qrels, {"new": made.candidate}, ["nDCG@10"])
        >>> found = scores.intervals(at_least={"nDCG@10": 0.25})
        >>> [round(each, 3) for each in (found.rows[0].ci_low, found.rows[0].ci_high)]
        [0.315, 0.419]
        >>> found.cleared
        True
        """
        selected = {*self.query_ids}
        for name, audit in self.audits.items() if at_least else ():
            if left_out := [query for query in audit.missing if query not in selected]:
                judged = len(selected) + len(left_out)
                raise AlignmentError(
                    f"a floor is of all judged queries: {len(left_out)} of {judged} are missing"
                    f' from {name} and were left out; without --missing drop (missing="drop") they'
                    " count 0"
                )
        from abrank.scoring.intervals import find_intervals  # imports the tests

        return find_intervals(
            self.values, self.query_ids, self.systems, self.measures, notes=self.notes, test=test,
            alpha=alpha, at_least=at_least, segments=segments, clusters=clusters,
            resamples=resamples, rng=rng,
        )  # fmt: skip

    def tidy(self) -> pd.DataFrame:
        """Return a new long frame with one row per score: ``query_id system measure score``."""
        import pandas as pd

        n_queries, n_systems, n_measures = self.values.shape
        return pd.DataFrame(
            {
                # Not pandas' string columns: they refuse ids that are not UTF-8.
                "query_id": pd.Series(
                    [query for query in self.query_ids for _ in range(n_systems * n_measures)],
                    dtype=object,
                ),
                "system": np.tile(
                    np.repeat(np.array(self.systems, dtype=object), n_measures), n_queries
                ),
                "measure": np.tile(np.array(self.measures, dtype=object), n_queries * n_systems),
                "score": self.values.reshape(-1),
            }
        )


ASKS = (
    '--missing drop, worst or zero (missing="drop") leaves such queries out, gives them the worst'
    " score, or 0"
)


def fill_gaps(
    scores: Scores,
    policy: str,
    *,
    lower_is_better: Sequence[str] | str = (),
    expected: BoolArray | None = None,  # [n_queries, n_systems]; None: all
) -> Scores:
    """Return scores without gaps: drop queries, or fill with ``zero``, ``worst`` or ``best``."""
    # Worst and best are the ends of the measure's range; for unknown ranges, the worst and best
    # observed score of any system.
    values = scores.values
    holes = np.isnan(values) if expected is None else np.isnan(values) & expected[:, :, None]
    if policy == "drop":
        rows = np.flatnonzero(~holes.any(axis=(1, 2)))
        if not len(rows):
            raise AlignmentError("no query has a score of every system: nothing is left to compare")
        query_ids = tuple(scores.query_ids[i] for i in rows)
        return replace(scores, query_ids=query_ids, values=values[rows])
    return replace(
        scores,
        values=np.where(holes, stand_ins(scores.measures, values, policy, lower_is_better), values),
    )


def stand_ins(
    measures: Sequence[str],
    values: FloatArray,
    policy: str,
    lower_is_better: Sequence[str] | str = (),
) -> FloatArray:
    """Return the replacement for a missing score of each measure, the last axis of ``values``."""
    if policy == "zero":
        return np.zeros(len(measures))
    costs = {str(known(name) or name) for name in listed(lower_is_better)}
    ends = []
    for i, name in enumerate(measures):
        measure = known(name)
        is_cost = name in costs if measure is None else not measure.entry.higher_is_better
        is_high = (policy == "best") != is_cost
        end = math.inf if measure is None else measure.entry.bounds[is_high]
        extreme = np.nanmax if is_high else np.nanmin  # among the observed scores
        ends.append(end if math.isfinite(end) else float(extreme(values[..., i])))
    return np.array(ends)


def note_on_repeats(counts: Mapping[str, int], missing: str) -> list[str]:
    """Describe how many scores are missing beside other repeats of their query, by system."""
    lacking = [f"{display.count(n)} of {name}" for name, n in counts.items() if n]
    treatment = {"zero": "they score 0", "worst": "they have the worst score"}
    if not lacking:
        return []
    return [
        f"scores are missing in some repeats of a query, {' and '.join(lacking)}:"
        f" {treatment.get(missing, 'the others are averaged')}"
    ]


def resolve_missing(
    scores: Scores,
    missing: Missing,
    *,
    lower_is_better: Sequence[str] | str = (),
    expected: BoolArray | None = None,  # [n_queries, n_systems]; None: all
) -> Scores:
    """Fill gaps by a policy; the result has the original scores as ``gaps``, and a note."""
    checks.one_of("missing", missing, MISSING)
    is_missing = np.asarray(np.isnan(scores.values).any(axis=2))
    if expected is not None:
        is_missing &= expected
    if not is_missing.any():
        return scores
    counts = {name: int(n) for name, n in zip(scores.systems, is_missing.sum(axis=0), strict=True)}
    lacking = {name: n for name, n in counts.items() if n}
    counts_of_systems = [f"{display.count(n)} of {name}" for name, n in lacking.items()]
    if len(counts_of_systems) > 3:
        counts_of_systems[2:] = [
            f"some of {display.plural(len(counts_of_systems) - 2, 'other system')}"
        ]
    queries = display.plural(len(is_missing), "query", "queries")
    problem = f"scores are missing on {' and on '.join(counts_of_systems)}, of {queries}"
    if missing == "error":
        query, system = np.argwhere(is_missing)[0]
        measure = int(np.argmax(np.isnan(scores.values[query, system])))
        name = scores.measures[measure]
        kind = "score" if name == "score" else f"score of {name}"  # the name if unnamed
        example = f"query {scores.query_ids[query]} has no {kind}"
        if expected is None and is_missing.any(axis=1).all():
            problem = (
                f"no query has scores of all {len(scores.systems)} systems; two groups of different"
                " users are compared by abrank compare --independent"
            )
        else:
            problem = f"{problem}: {example} of {scores.systems[system]}\n  {ASKS}"
        raise AlignmentError(problem)
    result = fill_gaps(scores, missing, lower_is_better=lower_is_better, expected=expected)
    treatment = {
        "zero": "they score 0",
        "worst": "they have the worst score",
        "drop": f"{display.plural(len(result.query_ids), 'query', 'queries')} with all scores are"
        " taken",
    }
    return replace(result, gaps=scores, notes=(*scores.notes, f"{problem}: {treatment[missing]}"))
