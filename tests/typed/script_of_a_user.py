"""What a user writes, for type checkers: `.ci/run` holds mypy and pyright to it, a test runs it.

The lines with an ignore are mistakes that both must find; an ignore that nothing needs is an error.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import abrank
from abrank.inputs import JudgedRun
from abrank.planning import Plan


def decide(folder: Path) -> abrank.Comparison:
    """Compare two runs, read the result, write a report."""
    collection = abrank.simulate_runs(60, rng=6)
    result = abrank.compare(
        collection.qrels,
        collection.baseline,
        collection.candidate,
        measures=["nDCG@10", "AP"],
        margin=0.02,
    )
    written: Path = result.report(folder / "report.md")
    assert written.stat().st_size > 0
    verdict: abrank.Verdict = result.verdict
    p: float = result.pvalue
    table: pd.DataFrame = result.to_frame()
    queries: pd.DataFrame = result.queries
    assert verdict is result.decision.verdict
    assert len(result.queries_of("AP")) == 60
    written = result.plot.deltas("AP", width="column").save(folder / "deltas.pdf")
    assert 0 <= p <= 1
    assert (len(table), len(queries)) == (2, 60)
    return result


def plan(result: abrank.Comparison) -> list[Plan]:
    """Plan the next test from a result, from differences, and from a spread."""
    return [
        abrank.power(result),
        abrank.power(np.array([0.1, -0.2, 0.3]), margin=0.02),
        abrank.power(sd=0.2, queries=50, effect=0.05),
    ]


def score_and_rank() -> abrank.Ranking:
    """Score runs once, compare the scores, rank the systems."""
    collection = abrank.simulate_runs(60, rng=6)
    runs = {"A": collection.baseline, "B": collection.candidate}
    scores = abrank.evaluate(collection.qrels, runs, ["AP"])
    tidy: pd.DataFrame = scores.tidy()
    assert {"query_id", "system", "measure", "score"} <= set(tidy.columns)
    assert abrank.compare_scores(scores, margin="2%").baseline == "A"
    ranking = abrank.rank(collection.qrels, runs)
    names: list[str] = [row.system for row in ranking.rows]
    assert sorted(names) == ["A", "B"]
    return ranking


def declare() -> tuple[abrank.Comparison, abrank.Ranking]:
    """Give options in their objects: to one function or another, and as a rule in Python."""
    collection = abrank.simulate_runs(60, rng=6)
    scoring = abrank.Scoring(depth=50, missing="drop")
    rule = abrank.Question(margin=0.02, family="all", measures=["AP", "RR"])
    result = abrank.compare(
        collection.qrels, collection.baseline, collection.candidate, config=rule, scoring=scoring,
        design=abrank.Looks(1, of=2, spending="pocock"), require="better", name_a="old",
        name_b="new",
    )  # fmt: skip
    ready = {"q1": 0.5, "q2": 0.25, "q3": 0.5}, {"q1": 0.75, "q2": 0.5, "q3": 0.5}
    for design in ("1/2", (1, 2), abrank.Planned(4), (abrank.Anytime(9),)):
        abrank.compare_scores(*ready, design=design)
    abrank.compare_scores(*ready, design=abrank.Clusters({"q1": "u", "q2": "v", "q3": "w"}))
    both = {"one": ready, "two": ({"p1": 0.5, "p2": 0.25}, {"p1": 0.75, "p2": 0.5})}
    assert abrank.compare_collections(both, alpha=0.1, name_b="new").candidate == "new"
    runs = {"A": collection.baseline, "B": collection.candidate}
    judged: JudgedRun = (
        abrank.evaluate(collection.qrels, runs, scoring=scoring).judged_runs["A"].judged
    )
    assert judged.query_ids
    assert abrank.Engine("dask:tcp://10.0.0.5:8786").address
    assert abrank.Machine(qrels=collection.qrels, judge="model").shared_model is None
    assert len(abrank.sample_queries(collection.qrels.query_ids, 5)) == 5
    assert abrank.sample_documents(
        collection.qrels, collection.baseline, collection.candidate
    ).depth
    assert not abrank.check("no.qrels").passed
    return result, abrank.rank(collection.qrels, runs, scoring=scoring, baseline="A")


def mistakes() -> None:
    """Call functions with names and values that they do not take."""
    scores = abrank.read_scores("scores.csv")
    abrank.compare_scores(scores, metrics=["AP"])  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    abrank.compare("q", "a", "b", require="best")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    abrank.compare("q", "a", "b", depth=10)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    abrank.compare("q", "a", "b", design=3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    abrank.compare_collections({}, metrics="AP")  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    abrank.Scoring(missing="skip")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    abrank.Looks(1, 2)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    abrank.rank("q", ["a", "b"], alpha="5%")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
