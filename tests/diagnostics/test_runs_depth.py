"""Runs of unequal depth: which measures it touches, and what they score at a common depth."""

from __future__ import annotations

import numpy as np
import pytest

from abrank.diagnostics import inspect_depth, unequal_depth
from abrank.options import Scoring
from abrank.scoring.evaluate import evaluate
from abrank.scoring.scores import Scores

QRELS = {f"q{i}": {f"d{j}": int(j % 7 == i % 7) for j in range(60)} for i in range(8)}
DEEP = {query: {f"d{j}": float(-j) for j in range(60)} for query in QRELS}
MEASURES = ["AP", "P@5", "R@20", "nDCG@10"]


def cut(depth: int) -> dict[str, dict[str, float]]:
    return {query: dict(list(docs.items())[:depth]) for query, docs in DEEP.items()}


def scored(cut_at: int, measures: list[str] | None = None, *, depth: int | None = None) -> Scores:
    runs = {"deep": DEEP, "cut": cut(cut_at)}
    return evaluate(QRELS, runs, measures or MEASURES, scoring=Scoring(depth=depth))


def test_names_the_measures_that_look_further_down() -> None:
    found = unequal_depth(scored(10))
    assert found is not None
    assert found.medians == {"deep": 60, "cut": 10}
    assert found.depth == 10
    assert found.cut.measures == ("AP", "R@20")


def test_scores_at_the_common_depth_are_those_of_the_option() -> None:
    found = unequal_depth(scored(10))
    assert found is not None
    again = scored(10, ["AP", "R@20"], depth=10)
    np.testing.assert_array_equal(found.cut.values, again.values)
    assert (found.cut.values[:, 0] == found.cut.values[:, 1]).all()


@pytest.mark.parametrize(("depth", "told"), [(47, True), (48, False), (60, False)])
def test_runs_of_about_one_depth_are_of_one(depth: int, told: bool) -> None:
    assert (unequal_depth(scored(depth, ["AP"])) is not None) is told


def test_a_depth_that_was_asked_for_is_the_depth_of_all() -> None:
    assert unequal_depth(scored(10, depth=10)) is None


def test_nothing_where_no_measure_looks_further_down() -> None:
    assert unequal_depth(scored(10, ["P@5", "nDCG@10"])) is None


def test_queries_without_results_do_not_count_for_the_median() -> None:
    few = {query: docs for query, docs in DEEP.items() if query < "q2"}
    found = evaluate(QRELS, {"deep": DEEP, "few": few}, ["AP"])
    assert unequal_depth(found) is None


def test_ready_scores_and_one_system_have_no_depths() -> None:
    ready = Scores(("q1",), ("a", "b"), ("AP",), np.zeros((1, 2, 1)))
    assert unequal_depth(ready) is None
    assert unequal_depth(evaluate(QRELS, {"deep": DEEP}, ["AP"])) is None


def test_the_note_has_both_differences_in_a_comparison() -> None:
    scores = scored(10)
    (note,) = inspect_depth(unequal_depth(scores), scores, keys="ab", primary="AP")
    assert note.severity == 3
    assert note.values["medians"] == {"a": 60, "b": 10}
    declared, common = note.values["differences"]["AP"]
    means = scores.means()
    assert declared == means[1, 0] - means[0, 0]
    assert declared < common == 0.0


def test_the_note_is_milder_where_the_primary_measure_is_not_touched() -> None:
    scores = scored(10)
    (note,) = inspect_depth(unequal_depth(scores), scores, keys="ab", primary="P@5")
    assert note.severity == 2


def test_of_many_systems_the_note_has_the_names() -> None:
    scores = evaluate(QRELS, {"deep": DEEP, "ten": cut(10), "five": cut(5)}, ["AP"])
    (note,) = inspect_depth(unequal_depth(scores), scores)
    assert note.values["medians"] == {"deep": 60, "ten": 10, "five": 5}
    assert (note.values["depth"], note.values["differences"]) == (5, {})


def test_documents_that_change_no_score_are_no_caution() -> None:
    qrels = {query: {f"d{j}": 1 for j in range(3)} for query in QRELS}
    assert unequal_depth(evaluate(qrels, {"deep": DEEP, "cut": cut(10)}, ["AP"])) is None
