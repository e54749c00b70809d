"""Between which limits one system's mean lies, and the floors that it clears."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from abrank import AlignmentError, ArgumentError, Scores, Scoring, evaluate, simulate_runs
from abrank.inference import run_test
from abrank.inference.equivalence import mean_interval

RNG = np.random.default_rng(5)


def scores_of(values: np.ndarray, *measures: str) -> Scores:
    values = values.reshape(len(values), 1, -1)
    ids = tuple(f"q{i}" for i in range(len(values)))
    return Scores(ids, ("run",), measures or ("nDCG@10",), values)


def test_sign_flips_hold_the_means_about_which_signs_could_be_tossed() -> None:
    x = RNG.random(8)
    low, high = mean_interval(x, "permutation")
    signs = np.array(list(product((1, -1), repeat=8)))

    def p(mean: float) -> float:
        sums = signs @ (x - mean)
        return float(np.mean(np.abs(sums) >= np.abs((x - mean).sum()) - 1e-12))

    for end, step in ((low, 1e-6), (high, -1e-6)):
        assert p(end + step) >= 0.05 > p(end - step)


def test_bets_are_those_of_a_bounded_difference() -> None:
    x = RNG.beta(0.5, 1.0, 60)
    test = run_test("bounded", 2.0 * x - 1.0)
    low, high = mean_interval(x, "bounded", bounds=(0.0, 1.0))
    assert low == pytest.approx(float(test.ci_low[0] + 1.0) / 2.0, abs=1e-12)
    assert high == pytest.approx(float(test.ci_high[0] + 1.0) / 2.0, abs=1e-12)
    # All queries at one value: bets alone need no spread.
    full = np.ones(60)
    assert mean_interval(full, bounds=(0.0, 1.0)) == (0.0, 1.0)
    assert 0.9 < mean_interval(full, "bounded", bounds=(0.0, 1.0))[0] < 1.0


def test_clusters_of_one_query_are_none() -> None:
    x = RNG.random(30)
    assert mean_interval(x, clusters=range(30)) == pytest.approx(mean_interval(x), abs=1e-12)
    wide = mean_interval(np.repeat(x, 3), clusters=np.repeat(np.arange(30), 3).tolist())
    assert wide == pytest.approx(mean_interval(x), abs=1e-9)


def test_a_floor_names_a_measure_in_any_dialect() -> None:
    collection = simulate_runs(20, rng=2)
    scores = evaluate(collection.qrels, {"run": collection.baseline}, ["ERR@20", "map"])
    intervals = scores.intervals(at_least=["ERR@20:0.01", "map:0.01"])
    assert [floor.measure for floor in intervals.floors] == [*scores.measures]


def test_a_floor_is_cleared_by_the_lower_end_alone() -> None:
    x = 0.4 + 0.1 * stats.norm.ppf((np.arange(50) + 0.5) / 50)
    low = mean_interval(x)[0]
    for floor, cleared in ((low - 1e-9, True), (low + 1e-9, False)):
        intervals = scores_of(x).intervals(test="t", at_least={"ndcg_cut_10": floor})
        assert (intervals.cleared, intervals.floors[0].measure) == (cleared, "nDCG@10")
    assert np.isnan(intervals.floors[0].by_flips)


def test_below_ten_queries_sign_flips_must_agree() -> None:
    intervals = scores_of(np.array([0.5, 0.52, 0.51, 0.5])).intervals(at_least="nDCG@10:0.4")
    assert intervals.rows[0].ci_low > 0.4
    assert (intervals.cleared, intervals.floors[0].by_flips) == (False, 0.0)
    assert "sign flips must agree" in " ".join(str(intervals).split())


def test_segments_hold_together_and_small_ones_are_counted() -> None:
    x = RNG.random(40)
    kinds = {f"q{i}": "abc"[(i > 20) + (i > 36)] for i in range(40)}
    intervals = scores_of(x).intervals(test="t", segments={"kind": kinds})
    assert [(row.segment, row.n_queries) for row in intervals.segments] == [("a", 21), ("b", 16)]
    want = mean_interval(x[:21], bounds=(0.0, 1.0), confidence=0.975)
    assert (intervals.segments[0].ci_low, intervals.segments[0].ci_high) == want
    assert intervals.remarks == ("1 segment of fewer than 5 queries left out",)


def test_a_sum_has_no_interval_and_a_geometric_mean_has_its_own() -> None:
    collection = simulate_runs(30, rng=2)
    scores = evaluate(collection.qrels, {"run": collection.baseline}, ["NumRet", "GMAP", "AP"])
    intervals = scores.intervals(test="t")
    assert [row.measure for row in intervals.rows] == ["GMAP", "AP"]
    assert "NumRet is added up" in intervals.remarks[0]
    low, high = mean_interval(scores.of("run")[:, 1])
    assert (intervals.rows[0].ci_low, intervals.rows[0].ci_high) == (np.exp(low), np.exp(high))
    assert intervals.rows[0].mean == pytest.approx(scores.aggregates()[0, 1])


@pytest.mark.every_case
@pytest.mark.parametrize(("how", "said"), [
    ({"at_least": "nDCG@10"}, "nDCG@10 is not a floor: write it as nDCG@10:0.35"),
    ({"at_least": "nDCG@10:much"}, "is not a floor"),
    ({"at_least": "nDCG@10:1.5"}, "lies between 0 and 1, not 1.5"),
    ({"at_least": "AP:0.1"}, "AP is not among nDCG@10"),
    ({"at_least": ["nDCG@10:0.1", "ndcg_cut_10:0.2"]}, "two floors"),
    ({"test": "sign"}, "unknown test"),
    ({"test": "bounded", "clusters": {f"q{i}": i for i in range(9)}}, "bets|betting"),
    ({"clusters": {"q1": 1}}, "8 queries of 9 have none"),
    ({"segments": {"kind": {"other": "a"}}}, "none of their query ids"),
])  # fmt: skip
def test_what_cannot_be_asked_is_said(how, said) -> None:
    with pytest.raises((ArgumentError, AlignmentError), match=said):
        scores_of(RNG.random(9)).intervals(**how)


def test_scores_of_no_known_range_have_no_bets() -> None:
    scores = scores_of(RNG.random(9) * 300, "latency")
    assert "bounded" not in {row.test for row in scores.intervals().others}
    with pytest.raises(ArgumentError, match="range of latency is not known"):
        scores.intervals(test="bounded")
    with pytest.raises(AlignmentError, match="without a query"):
        Scores((), ("run",), ("AP",), np.empty((0, 1, 1))).intervals()


def test_no_floor_is_cleared_by_leaving_out_the_queries_that_a_run_lacks() -> None:
    """Once 8 hard queries of 50 were dropped, and a floor above the run's mean was cleared."""
    collection = simulate_runs(40, rng=3)
    lacks = collection.qrels.query_ids[::5]
    candidate = collection.candidate
    run = {q: dict(candidate.ranking(q)) for q in candidate.query_ids if q not in lacks}
    scores = [
        evaluate(collection.qrels, {"new": run}, ["nDCG@10"], scoring=Scoring(missing=missing))
        for missing in ("zero", "drop")
    ]
    assert not scores[0].intervals(at_least={"nDCG@10": 0.2}).cleared
    assert scores[1].intervals().rows[0].mean > scores[0].intervals().rows[0].mean
    with pytest.raises(AlignmentError, match="8 of 40 are missing from new and were left out"):
        scores[1].intervals(at_least={"nDCG@10": 0.2})
