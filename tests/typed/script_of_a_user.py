"""What a user writes, for type checkers: `.ci/run` holds mypy and pyright to it, a test runs it.

The lines with an ignore are mistakes that both must find; an ignore that nothing needs is an error.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import abrank


def decide(folder: Path) -> abrank.Comparison:
    """Compare two runs, read the result, write a report."""
    made = abrank.simulate_runs(60, rng=6)
    result = abrank.compare(
        made.qrels, made.baseline, made.candidate, measures=["nDCG@10", "AP"], margin=0.02
    )
    written: Path = result.report(folder / "report.md")
    assert written.stat().st_size > 0
    verdict: abrank.Verdict = result.verdict
    p: float = result.pvalue
    table: pd.DataFrame = result.table
    queries: pd.DataFrame = result.queries
    assert verdict is result.decision.verdict
    assert 0 <= p <= 1
    assert (len(table), len(queries)) == (2, 120)
    return result


def plan(result: abrank.Comparison) -> list[abrank.Plan]:
    """Plan the next test from a result, from differences, and from a spread."""
    return [
        abrank.power(result),
        abrank.power(np.array([0.1, -0.2, 0.3]), margin=0.02),
        abrank.power(sd=0.2, n=50, effect=0.05),
    ]


def score_and_rank() -> abrank.Ranking:
    """Score runs once, compare the scores, rank the systems."""
    made = abrank.simulate_runs(60, rng=6)
    runs = {"A": made.baseline, "B": made.candidate}
    scores = abrank.evaluate(made.qrels, runs, ["AP"])
    tidy: pd.DataFrame = scores.tidy()
    assert {"query_id", "system", "measure", "score"} <= set(tidy.columns)
    assert abrank.compare_scores(scores, margin="2%").baseline == "A"
    ranking = abrank.rank(made.qrels, runs)
    names: list[str] = [row.system for row in ranking.rows]
    assert sorted(names) == ["A", "B"]
    return ranking


def mistakes() -> None:
    """Call functions with names and values that they do not take."""
    scores = abrank.read_scores("scores.csv")
    abrank.compare_scores(scores, metrics=["AP"])  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    abrank.compare("q", "a", "b", require="best")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    abrank.rank("q", ["a", "b"], alpha="5%")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
