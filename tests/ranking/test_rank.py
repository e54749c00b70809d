from __future__ import annotations

import math

import numpy as np
import pytest

import abrank
from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.inference import JOINT_TESTS, TESTS, run_joint_test
from abrank.measures import catalogue
from abrank.ranking import PairRow, SystemRow, rank_scores
from abrank.scoring.scores import Scores
from tests.report.written import json_of, table, text


def make(values, *, systems=None, measure="nDCG@10"):
    values = np.asarray(values, dtype=float)
    names = systems or tuple("ABCDEFGH"[: values.shape[1]])
    ids = tuple(f"q{i}" for i in range(len(values)))
    return Scores(ids, tuple(names), (measure,), values[:, :, None])


@pytest.fixture
def scores():
    random = np.random.default_rng(1)
    return make(
        random.uniform(0, 0.7, (40, 1))
        + random.normal(0, 0.05, (40, 5))
        + [0.0, 0.2, 0.19, 0.1, 0.05]
    )


def test_the_table_is_best_first_and_holds_the_means(scores):
    ranking = rank_scores(scores)
    assert ranking.systems[-1] == "A"
    assert [row.position for row in ranking.rows] == [1, 2, 3, 4, 5]
    means = dict(zip(scores.systems, scores.means()[:, 0], strict=True))
    assert {row.system: row.mean for row in ranking.rows} == means
    assert all(row.ci_low < row.mean < row.ci_high for row in ranking.rows)
    for i, system in enumerate(ranking.systems):
        np.testing.assert_array_equal(ranking.scores[:, i], scores.of(system)[:, 0])
    assert list(ranking.table.columns) == list(SystemRow.__dataclass_fields__)
    assert list(ranking.pairs.columns) == list(PairRow.__dataclass_fields__)
    assert len(ranking.pairs) == 10


def test_the_interval_has_the_queries_taken_out(scores):
    moved = make(scores.values[:, :, 0] + np.linspace(0, 9, 40)[:, None])
    widths = [
        [row.within_high - row.within_low for row in rank_scores(each).rows]
        for each in (scores, moved)
    ]
    np.testing.assert_allclose(*widths)


def test_pairs_are_those_of_the_joint_test(scores):
    ranking = rank_scores(scores)
    found = run_joint_test("max-t", ranking.scores)
    assert [row.pvalue_adj for row in ranking.pair_rows] == found.pvalue_adj.tolist()
    for row in ranking.pair_rows:
        # b stands above a.
        assert ranking.systems.index(row.b) < ranking.systems.index(row.a)
        assert row.diff >= 0
        assert row.ci_low < row.diff < row.ci_high
        assert (row.reading == "better") == (row.pvalue_adj < 0.05) == (row.ci_low > 0)
        shared = set(ranking[row.a].group) & set(ranking[row.b].group)
        assert bool(shared) == (row.reading != "better")
    assert ranking.n_significant == int(found.distinct.sum())
    assert 0 < ranking.n_significant < 10


@pytest.mark.parametrize("test", [None, *JOINT_TESTS, *TESTS])
@pytest.mark.parametrize("baseline", [None, "C"])
def test_every_test_ranks_or_says_what_to_use(scores, test, baseline):
    family = JOINT_TESTS[test].family if test in JOINT_TESTS else "either"
    how = {"test": test, "baseline": baseline, "resamples": 199}
    if test == "pairwise":
        with pytest.raises(UnknownNameError, match="choices: "):
            rank_scores(scores, **how)
        return
    if family not in ("either", "all" if baseline is None else "baseline"):
        with pytest.raises(ArgumentError, match="baseline"):
            rank_scores(scores, **how)
        return
    ranking = rank_scores(scores, **how)
    assert len(ranking.pair_rows) == (10 if baseline is None else 4)
    assert ranking.test == (test or "max-t")
    for row in ranking.pair_rows:
        assert row.reading in ("better", "worse", "unclear")
        assert (row.reading != "unclear") == (row.pvalue_adj < 0.05)
        if not math.isnan(row.ci_low):
            assert (row.reading != "unclear") == (row.ci_low > 0 or row.ci_high < 0)
        if baseline is not None:
            assert row.a == "C"
    groups = {row.group for row in ranking.rows}
    assert (groups == {""}) is (baseline is not None)
    assert ranking == rank_scores(scores, **how)


def test_the_order_in_which_systems_came_changes_nothing(scores):
    turned = Scores(scores.query_ids, scores.systems[::-1], scores.measures, scores.values[:, ::-1])
    for test in ("tukey", "randomised-tukey", "conover"):
        one, other = (rank_scores(each, test=test, resamples=99) for each in (scores, turned))
        assert one == other
        assert one.rows == other.rows


def test_where_less_is_better_the_least_leads():
    measure = next(
        name
        for name, entry in catalogue().items()
        if not entry.higher_is_better and not any(each.required for each in entry.parameters)
    )
    values = np.random.default_rng(3).normal(0.5, 0.02, (30, 2)) + np.array([0.0, 0.3])
    ranking = rank_scores(make(values, measure=measure))
    assert ranking.systems == ("A", "B")
    assert ranking["A"].mean_rank < ranking["B"].mean_rank
    (pair,) = ranking.pair_rows
    assert (pair.a, pair.b, pair.reading) == ("B", "A", "better")
    assert pair.ci_high < 0
    assert pair.diff < 0


def test_mean_order_and_rank_order_can_part():
    values = np.array([[0.9, 0.1, 0.0], *[[0.2, 0.3, 0.1]] * 5])
    ranking = rank_scores(make(values))
    assert ranking.systems == ("A", "B", "C")
    assert ranking.by_mean_rank == ("B", "A", "C")
    said = "By mean rank within the queries other systems take these places: B 1 (mean rank 1.17),"
    assert f"{said} A 2 (mean rank 1.83)." in " ".join(str(ranking).split())


def test_leaders_and_bars(scores):
    ranking = rank_scores(scores)
    assert set(ranking.leaders) == {"B", "C"}
    assert ranking.leaders[0] == ranking.systems[0]
    nemenyi = rank_scores(scores, test="nemenyi")
    for bar in nemenyi.cliques:
        for row in nemenyi.pair_rows:
            if row.a in bar and row.b in bar:
                assert row.reading == "unclear"
    against = rank_scores(scores, baseline="A")
    assert against.leaders == against.cliques == ()


@pytest.mark.parametrize("baseline", [None, "B"])
@pytest.mark.parametrize(
    ("values", "readings"),
    [
        (np.empty((0, 3)), {"untested"}),
        ([[0.1, 0.2, 0.3]], {"untested", "unclear"}),
        ([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], {"untested", "unclear"}),
        (np.full((9, 3), 0.4), {"identical"}),
        (np.arange(9)[:, None] / 10 + [0.0, 0.1, 0.2], {"untested", "better", "worse"}),
    ],
    ids=["none", "one", "two", "equal", "constant"],
)
def test_too_few_or_too_even(values, readings, baseline):
    ranking = rank_scores(make(values), baseline=baseline)
    assert {row.reading for row in ranking.pair_rows} <= readings
    assert len(ranking.rows) == 3
    if baseline is None and "better" not in readings:
        assert {row.group for row in ranking.rows} == {"a"}
    for shown in (str(ranking), table(ranking), table(ranking, ".pairs.csv")):
        assert "nan" not in shown
        assert "inf" not in shown
    assert "NaN" not in json_of(ranking)


def test_arguments(scores):
    with pytest.raises(ArgumentError, match="the baseline 'Z' is not among A, B"):
        rank_scores(scores, baseline="Z")
    with pytest.raises(ArgumentError, match="no measure 'AP' here"):
        rank_scores(scores, measures="AP")
    with pytest.raises(ArgumentError, match="two systems or more"):
        rank_scores(make(np.ones((3, 1))))
    with pytest.raises(ArgumentError, match="no option 'adjust'"):
        rank_scores(scores, adjust="holm")
    with pytest.raises(UnknownNameError, match="did you mean holm"):
        rank_scores(scores, test="t", adjust="hlm")
    with pytest.raises(ArgumentError, match="alpha"):
        rank_scores(scores, alpha=0.0)
    with pytest.raises(ArgumentError, match="no system 'Z'"):
        rank_scores(scores)["Z"]
    assert rank_scores(scores) != "a ranking"
    assert rank_scores(scores, measures="ndcg_cut_10").measure == "nDCG@10"
    own = make(scores.values[:, :, 0], measure="clicks of my own")
    assert rank_scores(own).measure == "clicks of my own"
    assert repr(rank_scores(own)).startswith("<Ranking of 5 systems by clicks of my own: ")


def test_text_fits_and_names_give_way(scores):
    long = make(
        scores.values[:, :, 0], systems=tuple(f"{'a-very-long-name-' * 5}{i}" for i in range(5))
    )
    for baseline in (None, long.systems[0]):
        ranking = rank_scores(long, baseline=baseline)
        lines = text(ranking, pairs=True).splitlines()
        assert max(map(len, lines)) <= 80
        assert text(ranking, pairs=True, ascii=True).isascii()
        for row in ranking.rows:
            assert any(f"{row.mean:.3f}" in line for line in lines)
    assert "Of 10 pairs, " in text(rank_scores(scores))
    assert "Of 4 comparisons, " in text(rank_scores(scores, baseline="A"))
    with pytest.raises(ArgumentError, match="width"):
        text(rank_scores(scores), width=30)


def test_from_runs_to_ranking():
    made = abrank.simulate_runs(60, effect=0.25, rng=5)
    runs = {"old": made.baseline, "new": made.candidate, "copy": made.baseline}
    ranking = abrank.rank(made.qrels, runs, measures="map", scoring=abrank.Scoring(missing="error"))
    assert isinstance(ranking, abrank.Ranking)
    assert ranking.measure == "AP"
    assert ranking.systems == ("new", "copy", "old")
    readings = {(row.a, row.b): row.reading for row in ranking.pair_rows}
    assert readings == {
        ("copy", "new"): "better", ("old", "new"): "better", ("old", "copy"): "identical"
    }  # fmt: skip
    pair = next(row for row in ranking.pair_rows if row.reading == "identical")
    assert (pair.pvalue, pair.pvalue_adj, pair.ci_low, pair.ci_high) == (1.0, 1.0, 0.0, 0.0)
    assert ranking.provenance["settings"]["missing"] == "error"
    assert set(ranking.audits) == set(runs)
    scores = abrank.evaluate(made.qrels, runs, ["AP"])
    assert abrank.rank_scores(scores).rows == ranking.rows
    several = abrank.rank(made.qrels, runs, measures=["P_5,10", "map"])
    assert several.measures == ("P@5", "P@10", "AP")
    assert several.of("AP").rows == ranking.rows
    with pytest.raises(ArgumentError, match="no measure"):
        abrank.rank(made.qrels, runs, measures=[])
    with pytest.raises(ArgumentError, match="the baseline 'nwe' is not among old, new, copy"):
        abrank.rank(made.qrels, runs, baseline="nwe")
