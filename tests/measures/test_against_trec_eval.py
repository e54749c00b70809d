"""Every value that trec_eval gives, live through pytrec_eval and stored from two versions of it.

pytrec_eval and trec_eval 9.0.8 hold scores as float32, trec_eval 10.0 as float64; each is compared
in its own order. The README of the data folder says where the values come from.
"""

import gzip
import math
from collections import defaultdict
from functools import cache

import numpy as np
import pytest

from abrank.inputs import join, read_qrels, read_run
from abrank.measures import parse

TOLERANCE = 1e-9
COLLECTIONS = ("robust03", "ltr", "vaswani")
VERSIONS = {"float32": "9.0.8", "float64": "10.0"}

# Canonical name: trec_eval's column.
COLUMNS = {
    "AP": "map",
    "AP@10": "map_cut_10",
    "AP@100": "map_cut_100",
    "nDCG": "ndcg",
    "nDCG@5": "ndcg_cut_5",
    "nDCG@10": "ndcg_cut_10",
    "nDCG@20": "ndcg_cut_20",
    "nDCG@100": "ndcg_cut_100",
    "RR": "recip_rank",
    "P@5": "P_5",
    "P@10": "P_10",
    "P@20": "P_20",
    "R@10": "recall_10",
    "R@100": "recall_100",
    "R@1000": "recall_1000",
    "Success@1": "success_1",
    "Success@5": "success_5",
    "Success@10": "success_10",
    "Bpref": "bpref",
    "Rprec": "Rprec",
    "SetP": "set_P",
    "SetR": "set_recall",
    "SetF": "set_F",
}
# The same with -l 2, which leaves nDCG as it is.
COLUMNS_FROM_GRADE_2 = {
    "AP(rel=2)": "map",
    "RR(rel=2)": "recip_rank",
    "P(rel=2)@5": "P_5",
    "P(rel=2)@10": "P_10",
    "P(rel=2)@20": "P_20",
    "R(rel=2)@10": "recall_10",
    "R(rel=2)@100": "recall_100",
    "R(rel=2)@1000": "recall_1000",
    "Success(rel=2)@1": "success_1",
    "Success(rel=2)@10": "success_10",
    "Bpref(rel=2)": "bpref",
    "Rprec(rel=2)": "Rprec",
    "SetF(rel=2)": "set_F",
    "nDCG": "ndcg",
    "nDCG@10": "ndcg_cut_10",
}
# What trec_eval has not: gdeval's and Moffat & Zobel's, computed apart from this program.
COLUMNS_OF_NO_TREC_EVAL = {
    "ERR(max_grade=4)@10": "ERR@10",
    "ERR(max_grade=4)@20": "ERR@20",
    "nDCG(dcg='exp-log2')@10": "nDCG(dcg='exp-log2')@10",
    "nDCG(dcg='exp-log2')@20": "nDCG(dcg='exp-log2')@20",
    "RBP(p=0.5)": "RBP(rel=1,p=0.5)",
    "RBP": "RBP(rel=1,p=0.8)",
    "RBP(p=0.95)": "RBP(rel=1,p=0.95)",
}


def stored(path, column, keys=("run", "measure")):
    """Read one column of a gold file: {keys: {query: value}}; NA is left out."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        header = next(lines).rstrip("\n").split("\t")
        values = defaultdict(dict)
        for line in lines:
            row = dict(zip(header, line.rstrip("\n").split("\t"), strict=True))
            text = row[column].removeprefix("np.float64(").removesuffix(")")
            if text != "NA":
                values[tuple(row[key] for key in keys)][row["query"]] = float(text)
    return values


@cache
def runs_of(folder, score_dtype):
    """Join each run of a collection with its qrels: {run name: JudgedRun}."""
    qrels = read_qrels(next(folder.glob("qrels.txt*")))
    return {
        path.name.partition(".run")[0]: join(qrels, read_run(path, score_dtype=score_dtype))
        for path in sorted((folder / "runs").iterdir())
    }


def count_equal(judged, name, gold):
    """Compare a measure's values and their mean with ``gold``; return how many were compared."""
    values = dict(zip(judged.query_ids, parse(name)(judged), strict=True))
    values["all"] = np.mean(list(values.values()))
    assert gold
    for query, expected in gold.items():
        assert math.isclose(values[query], expected, rel_tol=0, abs_tol=TOLERANCE), (name, query)
    return len(gold)


def report(record_property, compared, at_least):
    print(f"{compared} values compared")
    record_property("values_compared", compared)
    assert compared >= at_least


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("seed", range(25))
def test_random_runs_with_ties_negative_grades_and_missing_queries(seed, level):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    rng = np.random.default_rng(seed)
    qrels, run = {}, {}
    for query in range(12):
        judged = rng.choice(60, size=rng.integers(1, 30), replace=False)
        qrels[f"q{query}"] = {f"d{doc}": int(rng.integers(-2, 4)) for doc in judged}
        # trec_eval reads out of bounds where no judgment reaches level - 1 (m_bpref.c)
        qrels[f"q{query}"]["d60"] = level - 1
        if query % 5:  # the others are missing from the run
            found = rng.choice(70, size=rng.integers(1, 50), replace=False)
            # few distinct scores, and some that differ as float64 only: ties as float32
            scores = (
                rng.integers(0, 8, size=len(found)) + rng.integers(0, 2, size=len(found)) * 1e-9
            )
            run[f"q{query}"] = {f"d{doc}": float(s) for doc, s in zip(found, scores, strict=True)}
    run["unjudged"] = {"d1": 1.0}
    columns = COLUMNS if level == 1 else COLUMNS_FROM_GRADE_2
    oracle = pytrec_eval.RelevanceEvaluator(
        qrels, pytrec_eval.supported_measures, relevance_level=level
    ).evaluate({query: run[query] for query in run.keys() & qrels.keys()})
    judged = join(read_qrels(qrels), read_run(run, score_dtype="float32"))
    for name, column in columns.items():
        values = dict(zip(judged.query_ids, parse(name)(judged), strict=True))
        expected = {q: oracle[q][column] if q in oracle else 0.0 for q in qrels}
        assert values == pytest.approx(expected, rel=0, abs=TOLERANCE), name


@pytest.mark.parametrize("score_dtype", VERSIONS)
def test_all_runs(shared_data, score_dtype, record_property):
    compared = 0
    for collection in COLLECTIONS:
        gold = stored(shared_data / collection / "gold" / "trec_eval-9.0.8.tsv.gz", "value")
        if score_dtype == "float64":
            delta = shared_data / collection / "gold" / "trec_eval-10.0rc3.delta.tsv.gz"
            for key, changed in stored(delta, "v10.0rc3").items():
                gold[key].update(changed)
        for run, judged in runs_of(shared_data / collection, score_dtype).items():
            for name, column in COLUMNS.items():
                compared += count_equal(judged, name, gold[run, column])
    report(record_property, compared, 28_451)


def test_all_runs_from_grade_2(shared_data, record_property):
    compared = 0
    for collection in ("robust03", "ltr"):
        gold = stored(shared_data / collection / "gold" / "trec_eval-9.0.8.l2.tsv.gz", "value")
        for run, judged in runs_of(shared_data / collection, "float32").items():
            for name, column in COLUMNS_FROM_GRADE_2.items():
                compared += count_equal(judged, name, gold[run, column])
    report(record_property, compared, 12_915)


@pytest.mark.parametrize("score_dtype", VERSIONS)
def test_all_runs_by_measures_that_trec_eval_has_not(shared_data, score_dtype, record_property):
    compared = 0
    for collection in COLLECTIONS:
        path = shared_data / collection / "gold" / "own_fulldigits.tsv.gz"
        gold = stored(path, f"value_{score_dtype}_order")
        for run, judged in runs_of(shared_data / collection, score_dtype).items():
            for name, column in COLUMNS_OF_NO_TREC_EVAL.items():
                compared += count_equal(judged, name, gold[run, column])
    report(record_property, compared, 8_554)


def test_judged_is_the_complement_of_unjudged(shared_data, record_property):
    # trec_eval 10.0 ``unj`` divides by k always: equal where k documents were retrieved
    compared = 0
    for collection in COLLECTIONS:
        path = shared_data / collection / "gold" / "trec_eval-10.0rc3.delta.tsv.gz"
        gold = stored(path, "v10.0rc3")
        for run, judged in runs_of(shared_data / collection, "float64").items():
            for cutoff in (5, 10, 20):
                full = np.flatnonzero(judged.n_retrieved >= cutoff)
                unjudged = gold[run, f"unj_{cutoff}"]
                expected = [1.0 - unjudged[judged.query_ids[q]] for q in full]
                values = parse(f"Judged@{cutoff}")(judged)[full]
                np.testing.assert_allclose(values, expected, rtol=0, atol=TOLERANCE)
                compared += len(full)
    report(record_property, compared, 3_441)


@pytest.mark.parametrize("score_dtype", VERSIONS)
def test_legal_files_that_are_hard_to_read(shared_data, score_dtype, record_property):
    folder = shared_data / "nasty"
    column = "v9.0.8" if score_dtype == "float32" else "v10.0rc3"
    gold = stored(folder / "gold.tsv", column, keys=("run", "qrels", "measure"))
    files = sorted({key[:2] for key in gold if key[0].startswith("legal/")})
    compared = 0
    for run, qrels in files:
        judged = join(read_qrels(folder / qrels), read_run(folder / run, score_dtype=score_dtype))
        for name, measure in COLUMNS.items():
            if (run, qrels, measure) in gold:
                compared += count_equal(judged, name, gold[run, qrels, measure])
    report(record_property, compared, 1_930 if score_dtype == "float32" else 1_980)
