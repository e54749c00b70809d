"""Labels, scores and groups of learning to rank give what qrels and a run give."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from abrank import ArgumentError, ReadError, compare, evaluate, from_groups

Y, S = [2, 0, 1, 0, 1], [0.3, 0.9, 0.8, 0.1, 0.2]
LETOR = "2 qid:a 1:0.3\n0 qid:a 1:0.9\n1 qid:b 1:0.8\n0 qid:b 1:0.1\n1 qid:b 1:0.2\n"


@pytest.mark.parametrize("group", [[2, 3], np.array([2, 3]), ["a", "a", "b", "b", "b"]])
def test_sizes_and_ids(group: Any) -> None:
    qrels, run = from_groups(np.array(Y), np.array(S), group=group)
    scores = evaluate(qrels, {"B": run}, ["RR", "nDCG"])
    assert scores.values[:, 0, 0].tolist() == [0.5, 1.0]


def test_columns_of_frames_and_names_of_documents() -> None:
    frame = pd.DataFrame({"y": Y, "s": S, "qid": [7, 7, 9, 9, 9], "doc": list("vwxyz")})
    qrels, run = from_groups(frame.y, frame.s, frame.qid, names=frame.doc)
    assert qrels.grades("7") == {"v": 2, "w": 0}
    assert run.ranking("9", top=1) == [("x", 0.8)]


def test_a_letor_file_with_predictions(tmp_path: Path) -> None:
    (tmp_path / "test.letor").write_text(LETOR)
    (tmp_path / "new.txt").write_text("\n".join(map(str, S)))
    qrels, runs = from_groups(
        tmp_path / "test.letor", {"old": S[::-1], "new": tmp_path / "new.txt"}
    )
    result = compare(qrels, *runs.values(), measures=["RR"])
    assert (result.baseline, result.candidate, result.n_queries) == ("old", "new", 2)


def test_lightgbm() -> None:
    lightgbm = pytest.importorskip("lightgbm", reason="LightGBM is in the extra `peers`")
    rng = np.random.default_rng(3)
    group = [20] * 10
    features = rng.normal(size=(200, 3))
    y = (features[:, 0] > 0.5).astype(int)
    model = lightgbm.LGBMRanker(n_estimators=5, min_child_samples=5, verbose=-1, n_jobs=1)
    model.fit(features, y, group=group)
    qrels, run = from_groups(y, model.predict(features), group=group)
    found = evaluate(qrels, {"B": run}, ["nDCG@10", "NumQ"])
    assert found.aggregates()[0, 1] == 10
    assert found.means()[0, 0] > 0.9


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((Y, S), "group= is missing"),
        ((Y, S, [2, 2]), "group has 2 entries, for 5 rows"),
        ((Y, S, [1, 1, 1, 1, 1]), "could be the sizes of groups and the query ids"),
        ((Y, S[:4], [2, 3]), "4 scores of run for 5 rows"),
    ],
)
def test_lengths_that_do_not_fit(arguments: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=words.replace("(", r"\(")):
        from_groups(*arguments)


def test_as_many_names_as_rows() -> None:
    with pytest.raises(ArgumentError, match="3 names for 5 rows"):
        from_groups(Y, S, [2, 3], names=list("vwx"))


def test_values_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"row 1: relevance 0\.5 is not a whole number"):
        from_groups([1, 0.5], [1, 2], ["a", "a"])
    with pytest.raises(ReadError, match="row 0: score is missing"):
        from_groups([1, 0], [np.nan, 2], ["a", "a"])
    (tmp_path / "p.txt").write_text("0.5 high")
    with pytest.raises(ArgumentError, match="one number a line"):
        from_groups([1, 0], tmp_path / "p.txt", ["a", "a"])
