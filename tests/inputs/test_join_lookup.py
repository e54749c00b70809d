"""Documents looked up among judgments, against a dict."""

from __future__ import annotations

import numpy as np
import pytest

from abrank.inputs import ids, read_qrels, read_run
from abrank.inputs.join import Judgments, Places, block_of


@pytest.mark.parametrize("keys", ["own", "all alike", "a few"])
def test_the_judged_documents_are_those_of_a_dict(
    keys: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alike = {"all alike": 1, "a few": 7}.get(keys)
    if alike:  # fingerprints that many ids share: the ids must be looked at
        own = ids.fingerprint
        monkeypatch.setattr(ids, "fingerprint", lambda column: own(column) % np.uint64(alike))
    random = np.random.default_rng(3)
    judged = {
        f"q{i}": {f"d{d}": int(random.integers(0, 3)) for d in random.choice(60, 25, replace=False)}
        for i in range(20)
    }
    retrieved = {
        f"q{i}": {f"d{d}": float(s) for s, d in enumerate(random.choice(90, 40, replace=False))}
        for i in range(5, 30)
    }
    qrels, block = read_qrels(judged), block_of(read_run(retrieved))
    queries, judgments = ids.decode(block.queries), Judgments.of(qrels)
    query = judgments.numbers(block.queries)
    expected = [qrels.query_ids.index(q) if q in judged else -1 for q in queries]
    assert query.tolist() == expected
    rows, at = judgments.docs.find(query, np.diff(block.first_row), block.docs, block.mark)
    assert (np.diff(rows) > 0).all()
    owners = np.repeat(queries, np.diff(block.first_row)).tolist()
    pairs = list(zip(owners, ids.decode(block.docs), strict=True))
    grades = {
        pair: judged[pair[0]][pair[1]] for pair in pairs if pair[1] in judged.get(pair[0], {})
    }
    assert {pairs[row]: int(qrels.grade[i]) for row, i in zip(rows, at, strict=True)} == grades
    assert len(rows) == len(grades)


def test_a_query_of_very_many_judgments_has_places_of_its_own() -> None:
    documents = ids.encode([f"d{i}" for i in range(20_000)])
    group = np.append(np.zeros(19_990, np.int64), np.arange(1, 11))
    found = Places.of(group, documents, 11)
    assert np.bincount(found.start[group] + (found.mark & found.mask[group]).astype(int)).max() < 8
    rows, at = found.find(np.array([-1, 0]), np.array([5, 19_995]), documents, found.mark)
    np.testing.assert_array_equal(rows, np.arange(5, 19_990))
    np.testing.assert_array_equal(at, rows)


def test_among_no_judgments_nothing_is_found() -> None:
    block = block_of(read_run({"q1": {"d1": 1.0}}))
    places = Judgments.of(read_qrels({"q1": {"d2": 1}})).docs
    found = places.find(np.array([0]), np.array([1]), block.docs, block.mark)
    assert [len(each) for each in found] == [0, 0]
