"""Calls that are wrong as people get them wrong: each is refused in words, never by a raw error."""

from __future__ import annotations

from typing import Any

import pytest

import abrank
from abrank import AbrankError

MADE = abrank.simulate_runs(20, rng=3)
PAIR = (MADE.qrels, MADE.baseline, MADE.candidate)
RESULT = abrank.compare(*PAIR, measures="AP")
ONE = {f"q{i}": i / 10 for i in range(8)}
TWO = {"a": ONE, "b": ONE}


@pytest.mark.parametrize(
    ("keywords", "told"),
    [
        ({"alpha": "x"}, "alpha must be a number, not 'x'"),
        ({"alpha": None}, "alpha must be a number, not None"),
        ({"test": None}, 'unknown test "None"; choices'),
        ({"guard": 3}, "guard must be a name or a list of names"),
        ({"lower_is_better": True}, "lower_is_better must be a name or a list"),
        ({"accept_doubt": "yes"}, "accept_doubt must be True or False"),
        ({"resamples": "x"}, "resamples must be a whole number"),
        ({"scoring": "drop"}, r"scoring must be Scoring\(...\)"),
        ({"machine": 3}, r"machine must be Machine\(...\)"),
        ({"config": 3}, "config must be a path"),
        ({"require": True}, "require must be one of better"),
        ({"segments": 3}, "segments: a path, a table or a mapping"),
        ({"docs": 3}, "docs: a path or a dict"),
        ({"measures": "HR20"}, "unknown measure"),
    ],
)
def test_a_keyword_of_the_wrong_kind_is_named(keywords: dict[str, Any], told: str) -> None:
    with pytest.raises(AbrankError, match=told):
        abrank.compare(*PAIR, **keywords)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: abrank.rank_scores(TWO, baseline=3), "baseline must be a name"),
        (lambda: abrank.rank_scores(TWO, risk="x"), "risk must be a number"),
        (lambda: abrank.power(sd="x", queries=50), "must be a number"),
        (lambda: abrank.Scoring(depth="x"), "depth must be a whole number"),
        (lambda: abrank.simulate_runs("x"), "n_queries must be a whole number"),  # type: ignore[arg-type]
        (lambda: abrank.compare_collections(3), "collections must be a path"),  # type: ignore[arg-type]
        (lambda: abrank.history(3), "path must be a path"),  # type: ignore[arg-type]
        (lambda: RESULT.report(3), "path must be a path"),  # type: ignore[arg-type]
        (lambda: RESULT.report("x.pdf"), "abrank.report.write_figures"),
        (lambda: RESULT.report("x1:out.txt"), 'unknown report format "x1"'),
        (lambda: RESULT.worst("x"), "n must be a whole number"),  # type: ignore[arg-type]
        (lambda: RESULT.queries_of("nDCG@7"), "there are AP"),
        (lambda: RESULT.plot.deltas(ax=3), "ax must be matplotlib's Axes"),
        (lambda: RESULT.plot.deltas(theme="dark"), "theme must be abrank.plots"),
        (lambda: RESULT.confidence_interval(95), "between 0 and 1, not 95"),
        (lambda: abrank.compare_scores(ONE, {"x": 1.0}), "share no query"),
        (lambda: abrank.compare_scores([1, 2, 3], [1, 2]), "cannot be paired by position"),
    ],
)
def test_a_wrong_call_is_explained(call: Any, told: str) -> None:
    with pytest.raises(AbrankError, match=told):
        call()


def test_a_score_by_another_name_is_asked_for_and_not_replaced_by_the_rank() -> None:
    frame = MADE.baseline.frame().rename(columns={"score": "bm25_score"})
    with pytest.raises(AbrankError, match=r"(?s)is bm25_score the score\? .*rename it to score"):
        abrank.read_run(frame)
    assert (
        abrank.read_run(frame, columns={"score": "bm25_score"})
        .frame()
        .equals(MADE.baseline.frame())
    )
    assert "rank" in frame
    assert len(abrank.read_run(frame, columns={"score": "rank"})) == len(MADE.baseline)


def test_the_hit_rate_of_recommenders_is_success() -> None:
    found = abrank.compare(*PAIR, measures=["HR@20", "hit_ratio@5"])
    assert found.measures == ("Success@20", "Success@5")
