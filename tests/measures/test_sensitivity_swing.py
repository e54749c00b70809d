from __future__ import annotations

import numpy as np
import pytest

from abrank import evaluate, read_qrels, simulate_runs
from abrank._support.errors import ArgumentError
from abrank.inputs import JudgedRun, join
from abrank.measures import parse
from abrank.measures.sensitivity import swing


@pytest.mark.parametrize("name", ["nDCG@10", "AP", "RR", "P@10", "nDCG(judged_only=True)@10"])
def test_swing_is_what_scoring_with_the_judgment_gives(name) -> None:
    # Oracle: the document is written into the qrels, and everything is scored again.
    made = simulate_runs(6, rng=2)
    runs = [made.baseline, made.candidate]
    query_id = made.qrels.query_ids[2]
    qrels: dict[str, dict[str, int]] = {}
    for query, doc, grade in zip(
        made.qrels.query_id, made.qrels.doc_id, made.qrels.grade.tolist(), strict=True
    ):
        qrels.setdefault(query, {})[doc] = grade
    lists = [[doc for doc, _ in run.ranking(query_id)] for run in runs]
    # All documents of the first ranks are judged: some judgments are taken back.
    open_ = [*lists[0][:3], *(doc for doc in lists[1][:5] if doc not in lists[0][:3])]
    for doc in open_:
        qrels[query_id].pop(doc, None)

    def difference(judgments) -> float:
        scores = evaluate(judgments, {"a": runs[0], "b": runs[1]}, [name])
        place = scores.query_ids.index(query_id)
        return float(scores.of("b")[place, 0] - scores.of("a")[place, 0])

    judged = read_qrels(qrels)
    joined = [join(judged, run) for run in runs]
    ranks = [
        np.array([each.index(doc) + 1 if doc in each else 0 for doc in open_]) for each in lists
    ]
    found = swing(parse(name), *joined, np.full(len(open_), 2), *ranks, grade=2)
    expected = []
    for doc in open_:
        more = {**qrels, query_id: {**qrels[query_id], doc: 2}}
        expected.append(difference(more) - difference(qrels))
    assert found == pytest.approx(expected, abs=1e-12)
    assert np.abs(found).max() > 0


def test_subtopics_have_no_swing() -> None:
    run = JudgedRun.from_grades([[None, 1]])
    one = np.array([0])
    with pytest.raises(ArgumentError, match="has no swing"):
        swing(parse("alpha_nDCG@5"), run, run, one, one, one, grade=1)
