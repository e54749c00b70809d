"""Documents looked up among judgments, against a dict."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from abrank._support.typing import IntArray
from abrank.inputs import ids, lookup, read_qrels, read_run
from abrank.inputs.join import block_of
from abrank.inputs.lookup import Judgments


@pytest.mark.parametrize("keys", ["own", "all alike", "a few"])
def test_the_judged_documents_are_those_of_a_dict(
    keys: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alike = {"all alike": 1, "a few": 7}.get(keys)
    if alike:  # keys that pairs of one query share: the documents must be looked at

        def shared(query: IntArray, mark: Any) -> Any:
            return mark % np.uint64(alike) + query.astype(np.uint64) * np.uint64(64)

        monkeypatch.setattr(lookup, "pair_keys", shared)
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
    query = np.array([qrels.query_ids.index(q) if q in judged else -1 for q in block.query_ids])
    rows, at = Judgments.of(qrels).find(block, query)
    owners = np.repeat(block.query_ids, np.diff(block.first_row)).tolist()
    pairs = list(zip(owners, ids.decode(block.docs), strict=True))
    expected = {
        pair: judged[pair[0]][pair[1]] for pair in pairs if pair[1] in judged.get(pair[0], {})
    }
    assert {pairs[row]: int(qrels.grade[i]) for row, i in zip(rows, at, strict=True)} == expected
    assert len(rows) == len(expected)


def test_among_no_judgments_nothing_is_found() -> None:
    block = block_of(read_run({"q1": {"d1": 1.0}}))
    found = Judgments.of(read_qrels({"q1": {"d2": 1}})).find(block, np.array([0]))
    assert [len(each) for each in found] == [0, 0]
