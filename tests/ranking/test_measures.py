"""A ranking by several measures: the first orders, and each is a family of its own."""

from __future__ import annotations

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.ranking import rank_scores
from abrank.scoring.scores import Scores

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
    how = {"test": test, "baseline": baseline, "resamples": 199, "rng": 3}
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
        (["RR"], "no measure 'RR' here; there are AP, nDCG@10, Unj@10"),
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


def test_several_baselines_are_corrected_across(scores) -> None:
    both = rank_scores(scores, measures="AP", baseline=["A", "B"], test="t")
    assert both.baselines == ("A", "B")
    assert [(row.a, row.b) for row in both.pair_rows] == [
        ("A", "D"), ("A", "C"), ("B", "D"), ("B", "C")
    ]  # fmt: skip
    plain = [row.pvalue for row in both.pair_rows]
    from abrank.inference import adjust

    assert [row.pvalue_adj for row in both.pair_rows] == adjust(plain, "holm").tolist()
    with pytest.raises(ArgumentError, match="dunnett compares with one baseline"):
        rank_scores(scores, baseline=["A", "B"], test="dunnett")
    with pytest.raises(ArgumentError, match="leave a system to compare"):
        rank_scores(scores, baseline=["A", "B", "C", "D"])
    with pytest.raises(ArgumentError, match="baselines must differ"):
        rank_scores(scores, baseline=["A", "A"])


def test_one_family_of_all_measures_divides_alpha(scores) -> None:
    each, together = (rank_scores(scores, family=family) for family in ("measure", "all"))
    for one, all_ in zip(each.by_measure, together.by_measure, strict=True):
        for row, shared in zip(one.pair_rows, all_.pair_rows, strict=True):
            assert shared.pvalue_adj == min(1.0, 3 * row.pvalue_adj)
            assert (shared.ci_low > 0 or shared.ci_high < 0) == (shared.pvalue_adj < 0.05)
            assert shared.ci_high - shared.ci_low > row.ci_high - row.ci_low
        assert all_.level == pytest.approx(0.05 / 3)


def test_agreement_stability_and_queries_won(scores) -> None:
    ranking = rank_scores(scores)
    found = {(row.a, row.b): row for row in ranking.agreements}
    turned = found["AP", "nDCG@10"]  # one is the reverse of the other
    assert (turned.tau, turned.tau_ap) == (-1.0, -1.0)
    assert turned.tau_low <= turned.tau <= turned.tau_high
    assert [row.system for row in ranking.stability] == list(ranking.systems)
    assert sum(row.first for row in ranking.stability) == pytest.approx(1.0)
    for row in ranking.stability:
        assert sum(row.chances) == pytest.approx(1.0)
        assert 1 <= row.low <= row.high <= 4
    for each in ranking.by_measure:
        sign = -1.0 if each.measure == "Unj@10" else 1.0
        for row in each.pair_rows:
            a, b = (each.scores[:, each.systems.index(name)] for name in (row.a, row.b))
            assert row.wins == int((sign * (b - a) > 0).sum())
            assert row.wins + row.ties + row.losses == 30
