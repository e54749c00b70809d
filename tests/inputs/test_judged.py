"""The join, against a plain loop and against trec_eval."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from abrank.inputs import JudgedRun, join, read_qrels, read_run
from tests.gold import left_out

IDS = st.sampled_from(["a", "b", "c", "d", "é", "01", "1"])
QRELS = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-1, 3), min_size=1), min_size=1)
RUNS = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(0, 3), min_size=1), min_size=1)


def average_precision(judged: JudgedRun) -> np.ndarray:
    """Return AP from the definition, to have a value that trec_eval has too."""
    values = np.zeros(judged.n_queries)
    for q in range(judged.n_queries):
        ranks = judged.rank[(judged.query == q) & (judged.grade > 0)]
        total = judged.n_relevant()[q]
        values[q] = sum((i + 1) / r for i, r in enumerate(ranks)) / total if total else 0.0
    return values


@given(QRELS, RUNS)
def test_against_a_plain_loop(
    table: dict[str, dict[str, int]], retrieved: dict[str, dict[str, float]]
) -> None:
    qrels, run = read_qrels(table), read_run(retrieved)
    judged = join(qrels, run)
    expected = [
        (q, rank, table[query][doc])
        for q, query in enumerate(qrels.query_ids)
        for rank, (doc, _) in enumerate(run.ranking(query), 1)
        if doc in table[query]
    ]
    found = zip(judged.query.tolist(), judged.rank.tolist(), judged.grade.tolist(), strict=True)
    assert list(found) == expected
    assert judged.query_ids == qrels.query_ids
    assert judged.n_retrieved.tolist() == [len(retrieved.get(q, {})) for q in qrels.query_ids]
    ideal = [
        (q, grade)
        for q, query in enumerate(qrels.query_ids)
        for grade in sorted(table[query].values(), reverse=True)
    ]
    assert list(zip(judged.ideal_query.tolist(), judged.ideal_grade.tolist(), strict=True)) == ideal


@given(QRELS, RUNS)
def test_against_trec_eval(
    table: dict[str, dict[str, int]], retrieved: dict[str, dict[str, float]]
) -> None:
    scores = {q: {d: float(s) for d, s in docs.items()} for q, docs in retrieved.items()}
    theirs = pytrec_eval.RelevanceEvaluator(table, {"map"}).evaluate(scores)
    judged = join(read_qrels(table), read_run(retrieved, score_dtype="float32"))
    ours = dict(zip(judged.query_ids, average_precision(judged), strict=True))
    for query, values in theirs.items():
        assert ours[query] == pytest.approx(values["map"], abs=1e-12)


def test_from_grades_makes_the_same() -> None:
    made = JudgedRun.from_grades([[0, None, 2], []], ideal=[[2, 0], [1]], query_ids=["1", "2"])
    read = join(
        read_qrels({"1": {"a": 0, "b": 2}, "2": {"a": 1}}),
        read_run({"1": {"a": 3, "x": 2, "b": 1}}),
    )
    assert made.query_ids == read.query_ids
    for name in ("query", "rank", "grade", "n_retrieved", "ideal_query", "ideal_grade"):
        np.testing.assert_array_equal(getattr(made, name), getattr(read, name))
        assert getattr(made, name).dtype == getattr(read, name).dtype == np.int64


def test_segment_sums() -> None:
    judged = JudgedRun.from_grades([[2, 1], [], [3]])
    assert judged.total(judged.query, judged.grade.astype(float)).tolist() == [3.0, 0.0, 3.0]
    assert judged.n_relevant(rel=2).tolist() == [1, 0, 1]


@pytest.mark.parametrize("system", ["InexpC2", "pircRBa1", "humR03dc"])
def test_against_the_gold_of_trec_eval_9(shared_data: Path, system: str) -> None:
    folder = shared_data / "robust03"
    if not (folder / "runs" / f"{system}.run.gz").exists():
        left_out(f"the run {system}")
    with gzip.open(folder / "gold" / "trec_eval-9.0.8.tsv.gz", "rt") as lines:
        gold = {
            row["query"]: float(row["value"])
            for row in csv.DictReader(lines, delimiter="\t")
            if row["run"].startswith(system) and row["measure"] == "map"
        }
    gold.pop("all")
    run = read_run(folder / "runs" / f"{system}.run.gz", score_dtype="float32")
    judged = join(read_qrels(folder / "qrels.txt.gz"), run)
    ours = dict(zip(judged.query_ids, average_precision(judged), strict=True))
    assert gold.keys() == ours.keys()
    assert max(abs(ours[query] - gold[query]) for query in gold) < 1e-12
