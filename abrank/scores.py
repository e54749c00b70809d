"""One number per (query, system, measure): the product that everything above rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from abrank import inputs
from abrank._support import checks
from abrank._support.errors import AlignmentError, ArgumentError
from abrank._support.typing import Duplicates, FloatArray, Missing, ScoreDtype
from abrank.measures import Measure, parse

if TYPE_CHECKING:
    import pandas as pd

MISSING = ("zero", "drop", "error")


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of systems on queries by measures.

    Attributes
    ----------
    query_ids : tuple of str, length n_queries
    systems : tuple of str, length n_systems
    measures : tuple of str, length n_measures
        Canonical names.
    values : float64[n_queries, n_systems, n_measures]
        Finite.
    audits : mapping of str to Audit
        What was seen while a system's run was read; empty for ready scores.
    sources : mapping of str to Source
        Where qrels (under ``"qrels"``) and runs came from; empty for ready scores.
    """

    query_ids: tuple[str, ...]
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    values: FloatArray
    audits: Mapping[str, inputs.Audit] = field(default_factory=dict)
    sources: Mapping[str, inputs.Source] = field(default_factory=dict)

    def of(self, system: str) -> FloatArray:
        """Return one system's scores: float64[n_queries, n_measures]."""
        if system not in self.systems:
            raise ArgumentError(f"no system {system!r} here; there are {', '.join(self.systems)}")
        return self.values[:, self.systems.index(system), :]

    def means(self) -> FloatArray:
        """Return the mean over the queries: float64[n_systems, n_measures]; NaN without queries."""
        if not self.query_ids:
            return np.full(self.values.shape[1:], np.nan)
        # One after the other, as trec_eval adds: numpy's pairwise sum differs in the last bit.
        total: FloatArray = np.add.accumulate(self.values, axis=0)[-1]
        return total / len(self.query_ids)

    def tidy(self) -> pd.DataFrame:
        """Return a fresh long frame: ``query_id system measure score``, one row a score."""
        import pandas as pd

        n_queries, n_systems, n_measures = self.values.shape
        return pd.DataFrame(
            {
                # Not pandas' own text type: it refuses ids that are not UTF-8.
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


def evaluate(
    qrels: Any,  # noqa: ANN401 - whatever read_qrels reads
    runs: Mapping[str, Any],
    measures: Sequence[str] | str | None = None,
    *,
    missing: Missing = "zero",
    score_dtype: ScoreDtype = "float64",
    duplicates: Duplicates = "error",
) -> Scores:
    """Score runs query by query.

    Parameters
    ----------
    qrels : path, DataFrame, dict of dicts, iterable of tuples, or Qrels
        The judgments.
    runs : mapping of str to the same kinds, or Run
        System name to its run.
    measures : sequence of str
        Measure names in any dialect; ``DEFAULT_MEASURES`` without it.
    missing : {"zero", "drop", "error"}
        A query of the qrels that a run lacks scores 0 (trec_eval's ``-c``), is dropped for every
        system, or is an error.
    score_dtype : {"float64", "float32"}
        Precision of the run's scores, which decides what is a tie: trec_eval 10's, or that of
        trec_eval 9 and pytrec_eval.
    duplicates : {"error", "best"}
        A document twice in a query's ranking is an error, or keeps its higher score.

    Returns
    -------
    Scores

    Raises
    ------
    ReadError, NotFoundError
        If an input cannot be used.
    AlignmentError
        If no query is in both qrels and run, or one is missing under ``missing="error"``.

    Examples
    --------
    >>> scores = evaluate({"q1": {"d1": 1, "d2": 0}}, {"B": {"q1": {"d1": 2.0, "d2": 1.0}}}, ["RR"])
    >>> scores.tidy()
      query_id system measure  score
    0       q1      B      RR    1.0
    """
    checks.one_of("missing", missing, MISSING)
    parsed = parse_measures(measures)
    judgments = inputs.read_qrels(qrels)
    columns, audits, sources = [], {}, {"qrels": judgments.source}
    for system, source in runs.items():
        run = inputs.read_run(source, name=system, score_dtype=score_dtype, duplicates=duplicates)
        inputs.require_common(judgments, run)
        judged = inputs.join(judgments, run)
        columns.append(np.stack([each(judged) for each in parsed], axis=1))
        audits[system] = inputs.audit(judgments, run, judged)
        sources[system] = run.source
    kept = _kept(judgments.query_ids, audits, missing)
    return Scores(
        query_ids=tuple(judgments.query_ids[i] for i in kept),
        systems=tuple(runs),
        measures=tuple(each.name for each in parsed),
        values=np.stack(columns, axis=1)[kept],
        audits=audits,
        sources=sources,
    )


DEFAULT_MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")


def parse_measures(names: Sequence[str] | str | None) -> tuple[Measure, ...]:
    """Parse measure names, refusing an empty list and one measure named twice.

    Examples
    --------
    >>> [str(m) for m in parse_measures(["map", "ndcg_cut_10"])]
    ['AP', 'nDCG@10']
    """
    if isinstance(names, str):
        names = [names]
    parsed = tuple(parse(str(name)) for name in (DEFAULT_MEASURES if names is None else names))
    if not parsed:
        raise ArgumentError("no measure is named")
    for i, each in enumerate(parsed):
        if each in parsed[:i]:
            raise ArgumentError(f"measure {each} is named twice")
    return parsed


def _kept(
    query_ids: Sequence[str], audits: Mapping[str, inputs.Audit], missing: Missing
) -> list[int]:
    """Positions of the queries that stay under the missing-query policy."""
    lacking = {query for audit in audits.values() for query in audit.missing}
    if missing == "error" and lacking:
        lines = [
            f"{_queries(len(audit.missing))} missing from {system}: {_some(audit.missing)}"
            for system, audit in audits.items()
            if audit.missing
        ]
        raise AlignmentError(
            "; ".join(lines) + '; missing="zero" scores them 0, "drop" leaves them out'
        )
    if missing == "drop":
        return [i for i, query in enumerate(query_ids) if query not in lacking]
    return list(range(len(query_ids)))


def _queries(count: int) -> str:
    return "1 query is" if count == 1 else f"{count} queries are"


def _some(ids: Sequence[str], *, most: int = 3) -> str:
    return ", ".join(ids[:most]) + (" …" if len(ids) > most else "")
