"""Values of ir_measures, cwl_eval and ranx, stored in peers.tsv with the versions that gave them.

Where those programs and pytest are installed, this file writes peers.tsv anew; abrank, which such
a place need not have, is imported by the tests alone:

    python tests/measures/test_against_peers.py > tests/measures/peers.tsv
"""

from pathlib import Path

import numpy as np
import pytest

PEERS = Path(__file__).with_name("peers.tsv")
TOLERANCE = 1e-12
IR_MEASURES = """
SDCG(max_rel=4)@5 SDCG(max_rel=3,min_rel=1)@10 SDCG(max_rel=4)@1500
BPM(max_rel=4)@5 BPM(T=2.5,max_rel=4)@10 BPM(T=2.0,min_rel=1,max_rel=2)@1500
INST(max_rel=4) INST(T=2.5,max_rel=4) INST(T=0.5,min_rel=1,max_rel=3)
INSQ(max_rel=4) INSQ(T=0.25,max_rel=4) INSQ(T=3.0,min_rel=1,max_rel=3)
NERR8(max_rel=4)@10 NERR8(min_rel=1,max_rel=3)@1500
NERR9(max_rel=4)@10 NERR9(min_rel=1,max_rel=3)@1500
NERR10(max_rel=4) NERR10(p=0.5,min_rel=1,max_rel=3)
NERR11(max_rel=4) NERR11(T=2.5,min_rel=1,max_rel=3)
Compat Compat(p=0.8) Compat(normalize=False) Compat(p=0.5,normalize=False)
Accuracy Accuracy@5 Accuracy(rel=3) Accuracy(rel=2)@20
Judged Judged@10
"""
RANX = """
hits hits@10 hits@10-l2 f1 f1@10 f1@20-l3 hit_rate@5 dcg@10 dcg_burges dcg_burges@10
ndcg_burges@10 ndcg@10-l2 precision@10-l3 r-precision mrr@5
"""


def example():
    """Return qrels and a run without ties; one ranking is longer than 1,000 documents."""
    rng = np.random.default_rng(20240229)
    qrels, run = {}, {}
    for query, length in {"1": 3, "2": 12, "3": 30, "4": 40, "5": 1200}.items():
        pool = rng.permutation(max(60, length + 10))
        qrels[query] = {f"d{doc:04}": int(rng.integers(-1, 6)) for doc in pool[: 10 + length // 4]}
        permutation = rng.permutation(pool[: length + 5])[:length]
        scores = rng.permutation(length) + 0.5
        run[query] = {f"d{doc:04}": float(s) for doc, s in zip(permutation, scores, strict=True)}
    qrels["6"], run["6"] = {"d0001": 0, "d0002": -1}, {"d0001": 2.0, "d0003": 1.0}
    return qrels, run


def write_peers():
    import importlib.metadata

    import ir_measures
    import ranx

    qrels, run = example()
    programs = ("ir_measures", "cwl-eval", "ranx", "numpy")
    print("# " + ", ".join(f"{name} {importlib.metadata.version(name)}" for name in programs))
    measures = {name: ir_measures.parse_measure(name) for name in IR_MEASURES.split()}
    values = {
        (str(metric.measure), metric.query_id): metric.value
        for metric in ir_measures.iter_calc(list(measures.values()), qrels, run)
    }
    for name, measure in measures.items():
        for query in qrels:
            if (str(measure), query) in values:  # Accuracy has none where nothing is relevant
                print(f"{name}\t{query}\t{float(values[str(measure), query])!r}")
    for name in RANX.split():
        ran = ranx.Run(run)
        ranx.evaluate(ranx.Qrels(qrels), ran, name)
        for query, value in ran.scores[name].items():
            print(f"{name}\t{query}\t{float(value)!r}")


def stored():
    lines = PEERS.read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if not line.startswith("#")]


@pytest.fixture(scope="module")
def judged():
    from abrank.inputs import join, read_qrels, read_run

    qrels, run = example()
    return join(read_qrels(qrels), read_run(run), keep_scores=True)


def test_stored_values(judged):
    from abrank.measures import parse

    for name in [*IR_MEASURES.split(), *RANX.split()]:
        gold = {query: float(value) for measure, query, value in stored() if measure == name}
        assert len(gold) >= 5, name
        values = dict(zip(judged.query_ids, parse(name)(judged), strict=True))
        assert {q: values[q] for q in gold} == pytest.approx(gold, rel=0, abs=TOLERANCE), name


if __name__ == "__main__":
    write_peers()
