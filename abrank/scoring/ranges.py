"""How far ties and unjudged documents could move the score of each query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from abrank._support.checks import explained
from abrank._support.rng import entropy
from abrank._support.typing import RandomSource
from abrank.measures import parse
from abrank.measures.sensitivity import tie_range, unjudged_range
from abrank.options import Scoring
from abrank.scoring.evaluate import evaluate

if TYPE_CHECKING:
    import pandas as pd


@explained
def score_ranges(
    qrels: Any,  # noqa: ANN401 - whatever read_qrels reads
    runs: Mapping[str, Any],
    measures: Sequence[str] | str | None = None,
    *,
    n_orders: int = 100,
    rng: RandomSource = 0,
    scoring: Scoring | None = None,
) -> pd.DataFrame:
    """Return each score with its range over the orders of ties and over judgments not made.

    Parameters
    ----------
    qrels, runs, measures
        As for :func:`abrank.evaluate`.
    n_orders : int
        Random orders of the tied documents, for the expected score.
    rng : int, Generator, SeedSequence or None
        Source of the orders.
    scoring : Scoring, optional
        How runs are read and scored, as in :func:`abrank.evaluate`.

    Returns
    -------
    DataFrame
        One row a system, query and measure: ``query_id system measure score tie_low tie_expected
        tie_high unjudged_low unjudged_high``. Ties: see
        :func:`abrank.measures.sensitivity.tie_range`.
        Unjudged documents, non-relevant or of the highest grade: see
        :func:`abrank.measures.sensitivity.unjudged_range`. Both NaN for
        measures of diversity.

    Raises
    ------
    ArgumentError
        If a run has too many documents to try them all as relevant; a cut-off helps.

    Examples
    --------
    >>> qrels, run = {"q1": {"d1": 1}}, {"q1": {"d1": 1.0, "d2": 1.0, "d3": 0.5}}
    >>> found = score_ranges(qrels, {"run": run}, ["RR"])
    >>> found[["score", "tie_low", "tie_high", "unjudged_low", "unjudged_high"]].iloc[0].tolist()
    [0.5, 0.5, 1.0, 0.5, 1.0]
    """
    scores = evaluate(qrels, runs, measures, scoring=scoring)
    table = scores.tidy()
    seed = entropy(rng)
    place = {query_id: i for i, query_id in enumerate(scores.query_ids)}
    columns = ["tie_low", "tie_expected", "tie_high", "unjudged_low", "unjudged_high"]
    table[columns] = float("nan")
    for system in scores.systems:
        judged = scores.judged_runs[system].judged
        kept = [i for i, query_id in enumerate(judged.query_ids) if query_id in place]
        for name in scores.measures:
            measure = parse(name)
            if measure.entry.needs == "subtopics":
                continue
            ties = tie_range(measure, judged, n_orders=n_orders, seed=seed)
            found = (ties.low, ties.expected, ties.high, *unjudged_range(measure, judged))
            rows = (table["system"] == system) & (table["measure"] == name)
            for column, values in zip(columns, found, strict=True):
                table.loc[rows, column] = values[kept]
    return table
