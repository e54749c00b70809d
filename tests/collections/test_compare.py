"""Several collections: what each says, and what they say together."""

from __future__ import annotations

import numpy as np
import pytest

import abrank
from abrank import CollectionsComparison, compare_collections, compare_scores
from abrank._support.errors import AlignmentError, ArgumentError
from abrank.inference import pool_collections

LETTERS = [f"q{i}" for i in range(30)]


def scores(shift: float, *, seed: int, n: int = 30) -> tuple[dict[str, float], dict[str, float]]:
    random = np.random.default_rng(seed)
    a = random.uniform(0.0, 0.8, n)
    b = a + random.normal(shift, 0.05, n)
    return dict(zip(LETTERS, a, strict=False)), dict(zip(LETTERS, b, strict=False))


@pytest.fixture(scope="module")
def found() -> CollectionsComparison:
    tie = dict.fromkeys(LETTERS[:10], 0.5)
    return compare_collections(
        {"up": scores(0.1, seed=1), "down": scores(-0.06, seed=2, n=20), "tie": (tie, tie)},
        name_a="bm25",
        name_b="t5",
    )


def test_rows_are_those_of_the_comparisons(found) -> None:
    for row in found.primary.rows:
        alone = found[row.collection]
        assert (row.ci_low, row.ci_high) == (alone.primary.ci_low, alone.primary.ci_high)
        assert (row.pvalue, row.diff) == (alone.pvalue, alone.mean_difference)
        assert row.pvalue_adj >= row.pvalue
        assert (row.wins, row.losses) == (alone.primary.wins, alone.primary.losses)


def test_summaries_are_the_meta_analysis(found) -> None:
    pooled = pool_collections([each.differences() for each in found.comparisons.values()])
    for kind in ("stratified", "equal", "random"):
        mine, theirs = getattr(found.primary, kind), getattr(pooled, kind)
        assert (mine.estimate, mine.ci_low, mine.pvalue) == (
            theirs.estimate,
            theirs.ci_low,
            theirs.pvalue,
        )
    every = np.concatenate([each.differences() for each in found.comparisons.values()])
    assert found.primary.stratified.estimate == pytest.approx(every.mean())
    means = [each.mean_difference for each in found.comparisons.values()]
    assert found.primary.equal.estimate == pytest.approx(np.mean(means))


def test_a_collection_of_ties_is_kept(found) -> None:
    up, down, tie = found.primary.rows
    assert [row.reading for row in (up, down, tie)] == ["better", "worse", "identical"]
    assert tie.bounded
    assert tie.weight_random > 0.1
    assert tie.weight_stratified == pytest.approx(10 / 60)
    assert found.primary.random.reading == "unclear"


def test_lower_is_better_turns_the_readings() -> None:
    given = {"x": scores(0.1, seed=1), "y": scores(0.1, seed=3), "z": scores(0.1, seed=4)}
    found = compare_collections(given, lower_is_better="score")
    assert {row.reading for row in found.primary.rows} == {"worse"}
    assert found.primary.random.reading == found.primary.stratified.reading == "worse"


def test_the_test_that_decides_is_that_of_every_collection() -> None:
    given = {"x": scores(0.02, seed=1), "y": scores(0.02, seed=3)}
    found = compare_collections(given, test="permutation")
    assert [row.pvalue for row in found.primary.rows] == [found[name].pvalue for name in ("x", "y")]
    assert found["x"].rule.test == "permutation"


def test_runs_with_judgments_and_comparisons_are_taken() -> None:
    made = abrank.simulate_runs(20, rng=1)
    ready = abrank.compare(made.qrels, made.baseline, made.candidate, measures="AP")
    found = compare_collections(
        {"a": ready, "b": (made.qrels, made.baseline, made.candidate)}, measures="AP"
    )
    assert found["a"] == found["b"]
    assert (found.baseline, found.candidate) == (ready.baseline, ready.candidate)


def test_names_that_differ_are_letters() -> None:
    one, two = scores(0.1, seed=1)
    given = {
        "x": compare_scores(one, two, name_a="m", name_b="n"),
        "y": compare_scores(one, two, name_a="m", name_b="o"),
    }
    found = compare_collections(given)
    assert (found.baseline, found.candidate) == ("m", "B")


def test_two_collections_give_no_prediction() -> None:
    found = compare_collections({"x": scores(0.1, seed=1), "y": scores(0.1, seed=3)})
    assert found.primary.prediction_low == -np.inf
    assert "It takes three collections" in str(found)


def test_frames_have_a_row_a_collection_and_a_summary(found) -> None:
    assert found.table["collection"].tolist() == ["up", "down", "tie"]
    assert found.summaries["summary"].tolist() == ["stratified", "equal", "random"]


@pytest.mark.parametrize(
    ("given", "how", "error", "words"),
    [
        ({}, {}, ArgumentError, "two collections or more"),
        ({"x": ({}, {})}, {}, ArgumentError, "not 1"),
        ({"x": 3, "y": 4}, {}, ArgumentError, "collection 'x' is"),
        ({"x": 3, "y": 4}, {"magrin": 1}, ArgumentError, "no argument magrin="),
    ],
)
def test_what_cannot_be_compared_is_refused(given, how, error, words) -> None:
    with pytest.raises(error, match=words):
        compare_collections(given, **how)


def test_other_measures_in_one_collection_are_refused() -> None:
    made = abrank.simulate_runs(10, rng=1)
    runs = (made.qrels, made.baseline, made.candidate)
    two = {m: abrank.compare(*runs, measures=m) for m in ("AP", "RR")}
    with pytest.raises(AlignmentError, match="'RR' was compared by other measures"):
        compare_collections(two)


def test_no_collection_of_this_name(found) -> None:
    with pytest.raises(ArgumentError, match="up, down, tie"):
        found["left"]


def test_no_measure_of_this_name(found) -> None:
    (measure,) = [each.measure for each in found.measures]
    assert found.of(measure) is found.primary
    with pytest.raises(ArgumentError, match=f"no measure 'P@5' here; there are {measure}"):
        found.of("P@5")


def test_what_the_files_were_taken_for_stands_once(tmp_path) -> None:
    paths = [tmp_path / name for name in ("a.csv", "b.csv")]
    for path, column in zip(paths, scores(0.1, seed=1), strict=True):
        rows = [f"{query},{value}" for query, value in column.items()]
        path.write_text("\n".join(["query_id,AP", *rows]))
    remarks = compare_collections({"x": tuple(paths), "y": tuple(paths)}).remarks
    assert remarks == tuple(
        f"{path}: taken for a wide table, 30 queries, 1 measure" for path in paths
    )


def test_a_collection_of_one_query_is_untested() -> None:
    found = compare_collections({"one": ({"q1": 0.2}, {"q1": 0.5}), "many": scores(0.1, seed=1)})
    assert [row.reading for row in found.primary.rows] == ["untested", "better"]
