"""Ranges of single scores, as a table."""

import numpy as np
import pytest

import abrank

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1}, "q3": {"d4": 2}}
RUNS = {
    "tied": {"q1": {"d1": 1.0, "d2": 1.0, "x": 0.5}, "q2": {"x": 2.0, "d1": 1.0}},
    "plain": {"q1": {"d1": 3.0}, "q2": {"d1": 2.0}, "q3": {"d4": 1.0}},
}


def test_every_score_has_its_ranges() -> None:
    found = abrank.score_ranges(QRELS, RUNS, ["RR", "P@2"], n_orders=500)
    assert len(found) == 3 * 2 * 2
    assert (found["tie_low"] <= found["score"]).all()
    assert (found["score"] <= found["unjudged_high"]).all()
    row = found.query("system == 'tied' and query_id == 'q1' and measure == 'RR'").iloc[0]
    assert (row["score"], row["tie_low"], row["tie_high"]) == (0.5, 0.5, 1.0)
    assert row["tie_expected"] == pytest.approx(0.75, abs=4 * 0.25 / np.sqrt(500))
    row = found.query("system == 'tied' and query_id == 'q2' and measure == 'RR'").iloc[0]
    assert (row["unjudged_low"], row["unjudged_high"]) == (0.5, 1.0)
    plain = found.query("system == 'plain'")
    assert (plain["tie_low"] == plain["tie_high"]).all()


def test_dropped_queries_have_no_row_and_diversity_no_range() -> None:
    found = abrank.score_ranges(QRELS, RUNS, ["RR"], scoring=abrank.Scoring(missing="drop"))
    assert found["query_id"].unique().tolist() == ["q1", "q2"]
    rows = [("q1", "a", "d1", 1), ("q1", "b", "d2", 1)]
    found = abrank.score_ranges(rows, {"run": {"q1": {"d1": 1.0}}}, ["alpha_nDCG@5"])
    assert found["tie_low"].isna().all()


def test_equal_seeds_give_equal_tables() -> None:
    one, two = (abrank.score_ranges(QRELS, RUNS, ["AP"], n_orders=5, rng=3) for _ in range(2))
    assert one.equals(two)
