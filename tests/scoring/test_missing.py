"""Ready scores with holes: what stands in their place, what is said of it, what would change."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank import AlignmentError, ArgumentError, ReadError
from tests.gold import gold_data

A = {f"q{i:02}": 0.2 + i / 100 for i in range(30)}
B = {query: score + 0.05 + 0.01 * (i % 3) for i, (query, score) in enumerate(A.items())}
HOLED_A = A | {"q03": float("nan"), "q05": float("nan")}
HOLED_B = {query: score for query, score in B.items() if query not in ("q05", "q07", "q09")}


def test_a_missing_score_is_refused_until_somebody_says_what_it_is() -> None:
    with pytest.raises((AlignmentError, ReadError, ArgumentError), match='missing="drop"'):
        abrank.compare_scores(HOLED_A, HOLED_B)


def test_dropped_are_the_queries_with_a_hole_in_either() -> None:
    found = abrank.compare_scores(HOLED_A, HOLED_B, missing="drop")
    kept = [query for query in A if query not in ("q03", "q05", "q07", "q09")]
    whole = abrank.compare_scores({q: A[q] for q in kept}, {q: B[q] for q in kept})
    assert found.query_ids == tuple(kept)
    assert (found.pvalue, found.mean_difference) == (whole.pvalue, whole.mean_difference)
    (note,) = (each for each in found.notes if each.code == "missing-scores")
    assert note.values == {"a": 2, "b": 3, "both": 1, "n": 30, "left": 26}
    assert "2 of A, 3 of B" in str(note)
    assert "2 of A, 3 of B" in found._repr_html_()


@pytest.mark.parametrize(
    ("missing", "measure", "lower", "worst"),
    [
        ("zero", "score", (), 0.0),
        ("worst", "score", (), min(A.values())),  # no range is known: the worst that was seen
        ("worst", "ms", "ms", max(B.values())),
        ("worst", "nDCG@10", (), 0.0),
    ],
)
def test_another_score_stands_in_the_place_of_a_missing_one(
    missing: str, measure: str, lower: str, worst: float
) -> None:
    frames = [pd.DataFrame({measure: pd.Series(each)}) for each in (HOLED_A, HOLED_B)]
    found = abrank.compare_scores(*frames, missing=missing, lower_is_better=lower)  # type: ignore[arg-type]
    at = found.query_ids.index("q05")
    assert (found.a[at, 0], found.b[at, 0]) == (worst, worst)
    assert found.n_queries == 30


def test_what_would_change_under_the_others_is_told_and_kept(tmp_path: Path) -> None:
    found = abrank.compare_scores(
        {**A, "q00": float("nan")}, {q: s - 0.06 + 0.2 * (q < "q03") for q, s in B.items()},
        missing="worst",
    )  # fmt: skip
    kinds = {each.kind: each for each in found.alternatives}
    assert {"failed-dropped", "failed-best"} <= set(kinds)
    assert kinds["failed-dropped"].n_queries == 29
    again = abrank.Comparison.from_json(found.report(tmp_path / "results.json"))
    assert again == found
    assert [each.code for each in again.notes] == [each.code for each in found.notes]


def test_rankings_and_collections_take_the_same_word() -> None:
    board = abrank.rank_scores({"a": HOLED_A, "b": HOLED_B}, missing="worst")
    assert board.n_queries == 30
    parts = {"x": (HOLED_A, HOLED_B), "y": (A, B)}
    found = abrank.compare_collections(parts, scoring=abrank.Scoring(missing="drop"))
    assert found.primary.n_queries == 56


def test_of_runs_a_missing_query_has_no_worst_score() -> None:
    run = {"q1": {"d": 1.0}}
    with pytest.raises(ArgumentError, match="worst is for ready scores"):
        abrank.compare(run, run, run, scoring=abrank.Scoring(missing="worst"))


# --- what tools with judges write

JUDGED = pd.DataFrame({
    "user_input": [f"What is {i}?" for i in range(12)],
    "retrieved_contexts": [["a", "b"]] * 12,
    "response": [str(i) for i in range(12)],
    "faithfulness": np.linspace(0.1, 0.9, 12),
})  # fmt: skip


def test_texts_beside_the_scores_are_left_out_and_told(tmp_path: Path) -> None:
    scores = abrank.read_scores(JUDGED)
    assert scores.measures == ("faithfulness",)
    assert scores.query_ids[0] == "What is 0?"
    assert "retrieved_contexts (12 of text), response (12 of text)" in scores.notes[0]
    JUDGED.to_csv(tmp_path / "a.csv", index=False)
    assert abrank.read_scores(tmp_path / "a.csv").values.tolist() == scores.values.tolist()


@pytest.mark.parametrize("column", ["epoch", "judge_run", "trial"])
def test_repeated_judging_is_averaged_per_query(column: str) -> None:
    twice = [JUDGED.assign(**{column: i, "faithfulness": JUDGED.faithfulness + 0.1 * i})
             for i in range(2)]  # fmt: skip
    scores = abrank.read_scores(pd.concat(twice))
    assert scores.systems == ("scores",)
    np.testing.assert_allclose(
        scores.values[:, 0, 0].sum(), (JUDGED.faithfulness + 0.05).sum(), rtol=1e-12
    )


def test_lines_of_an_id_and_a_score() -> None:
    rows = [{"id": f"q{i}", "score": i / 10} for i in range(5)]
    failed = [*rows[:4], {"id": "q4", "error": "timeout"}]
    assert abrank.read_scores(rows).measures == ("score",)
    found = abrank.compare_scores(rows, failed, missing="drop")
    assert found.query_ids == ("q0", "q1", "q2", "q3")


@pytest.fixture(scope="module")
def logs() -> Path:
    return gold_data() / "votes" / "harness_logs"


@pytest.mark.parametrize("suffix", ["json", "eval"])
def test_logs_of_inspect(logs: Path, suffix: str) -> None:
    gold = json.loads((logs / "gold.json").read_text())
    found = abrank.compare_scores(*(logs / f"inspect_{side}.{suffix}" for side in "AB"))
    exact = found.queries_of("exact").set_index("query_id")
    assert exact["a"].to_dict() == gold["A"]
    assert exact["b"].to_dict() == gold["B"]
    assert found.measures == ("exact", "dictscore/rel")  # the other is 0 everywhere


def test_samples_of_lm_eval_and_frames_of_ragas(logs: Path) -> None:
    gold = json.loads((logs / "gold.json").read_text())
    (choices,) = logs.glob("samples_toy_mc_*")
    (made,) = logs.glob("samples_toy_gen_*")
    found = abrank.read_scores(choices)
    assert found.table["ACC"].item() == gold["lm_eval"]["official_acc"]
    generated = abrank.read_scores(made)
    assert generated.measures == ("exact_match/first", "exact_match/raw")
    assert len(generated.query_ids) == gold["lm_eval"]["gen_docs"]
    for suffix in ("csv", "jsonl"):
        ragas = abrank.read_scores(logs / f"ragas_to_pandas.{suffix}")
        assert ragas.table["exact_match"].item() == gold["ragas"]["exact_match_mean"]
