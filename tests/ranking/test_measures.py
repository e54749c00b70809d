"""A ranking by several measures: the first orders, and each is a family of its own."""

from __future__ import annotations

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.ranking import rank_scores
from abrank.scores import Scores

MEASURES = ("AP", "nDCG@10", "Unj@10")


@pytest.fixture(scope="module")
def scores() -> Scores:
    """Four systems on 30 queries, whose order differs from measure to measure."""
    random = np.random.default_rng(4)
    hard = random.uniform(0.1, 0.5, (30, 1))
    shifts = np.array([[0.0, 0.1, 0.2, 0.3], [0.3, 0.2, 0.1, 0.0], [0.1, 0.0, 0.3, 0.2]])
    blocks = [hard + random.normal(0, 0.08, (30, 4)) + each for each in shifts]
    values = np.clip(np.stack(blocks, axis=2), 0.0, 1.0)
    return Scores(tuple(f"q{i}" for i in range(30)), tuple("ABCD"), MEASURES, values)


def test_the_first_measure_orders_and_all_are_there(scores) -> None:
    # The last one ordered once, in silence.
    ranking = rank_scores(scores)
    assert (ranking.measure, ranking.measures) == ("AP", MEASURES)
    assert ranking.systems == ("D", "C", "B", "A")
    assert ranking.of("nDCG@10").systems == ("A", "B", "C", "D")
    assert ranking.of("Unj@10").systems == ("B", "A", "D", "C")  # lower is better
    turned = rank_scores(scores, measures=["nDCG@10", "map"])
    assert (turned.measure, turned.measures) == ("nDCG@10", ("nDCG@10", "AP"))
    means = turned.means
    assert list(means.index) == list(turned.systems)
    assert means.loc["A", "AP"] == ranking["A"].mean
    with pytest.raises(ArgumentError, match="not ranked by 'RR'; by nDCG@10, AP"):
        turned.of("RR")


@pytest.mark.parametrize("baseline", [None, "B"])
@pytest.mark.parametrize("test", ["tukey", "max-t", "t", "randomised-tukey"])
def test_each_measure_is_what_it_is_alone(scores, test, baseline) -> None:
    if (test == "max-t") is (baseline is None) and test != "t":
        baseline = "B" if test == "max-t" else None
    how = {"test": test, "baseline": baseline, "n_resamples": 199, "rng": 3}
    together = rank_scores(scores, **how)
    for measure in MEASURES:
        alone = rank_scores(scores, measures=[measure], **how)
        assert together.of(measure).rows == alone.rows
        assert together.of(measure).pair_rows == alone.pair_rows


def test_groups_are_the_letters(scores) -> None:
    ranking = rank_scores(scores)
    for place, group in enumerate(ranking.groups):
        letter = "abcd"[place]
        assert group == tuple(row.system for row in ranking.rows if letter in row.group)
    assert rank_scores(scores, baseline="A").groups == ()


def test_bars_of_ranks_are_for_tests_of_ranks(scores) -> None:
    # On robust03 Tukey told uic0301 not apart from three systems, and no bar joined them.
    assert rank_scores(scores).cliques == ()
    assert rank_scores(scores, test="t").cliques == ()
    flat = Scores(scores.query_ids, scores.systems, ("AP",), scores.values[:, :, :1] * 0.01 + 0.5)
    assert isinstance(rank_scores(flat, test="nemenyi").cliques, tuple)
    noise = np.random.default_rng(1).random((30, 4, 1))
    near = Scores(scores.query_ids, scores.systems, ("AP",), noise)
    assert rank_scores(near, test="nemenyi").cliques != ()


def test_measures_are_named_once_and_known(scores) -> None:
    for measures, said in (
        (["AP", "map"], "AP is named twice"),
        (["RR"], "RR is not among AP, nDCG@10, Unj@10"),
        ([], "no measures"),
    ):
        with pytest.raises(ArgumentError, match=said):
            rank_scores(scores, measures=measures)


def test_a_means_own_interval_stays_within_the_range_of_the_measure() -> None:
    # AP .004 was printed with the interval -.035 to .043, which goes with differences.
    random = np.random.default_rng(0)
    weak = np.where(np.arange(40) % 10 == 0, 0.04, 0.0)
    values = np.column_stack([random.uniform(0.0, 0.9, (40, 4)), weak])[:, :, None]
    scores = Scores(tuple(map(str, range(40))), tuple("ABCDE"), ("AP",), values)
    row = rank_scores(scores)["E"]
    assert row.within_low < 0.0
    assert 0.0 <= row.ci_low < row.mean < row.ci_high <= 0.04
    found = run_test("bootstrap", values[:, 4, :], method="percentile")
    assert (row.ci_low, row.ci_high) == (found.ci_low[0], found.ci_high[0])
