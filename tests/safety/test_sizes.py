"""Many systems, columns and segments are refused with a sentence, or done in fair time."""

import time
import tracemalloc

import numpy as np
import pandas as pd
import pytest

import abrank
import abrank.measures
import abrank.ranking
from abrank import ArgumentError, Ranking, Scores
from abrank.cli import run
from abrank.inference import families
from abrank.inference.systems import stability
from abrank.options import RankingQuestion
from abrank.plots import plots_of
from abrank.ranking.rank import rank_again, ranking_of


def _nobody(n_systems: int) -> Scores:
    names = tuple(f"s{i}" for i in range(n_systems))
    return Scores(("q1", "q2"), names, ("AP",), np.zeros((2, n_systems, 1)))


def test_more_pairs_than_can_be_held_are_refused_before_they_are_made() -> None:
    with pytest.raises(ArgumentError, match=r"3.000 systems make 4.498.500 pairs") as caught:
        abrank.rank_scores(_nobody(3_000))
    assert str(caught.value).endswith('baseline="NAME"')
    assert caught.value.command.endswith("--baseline NAME")


@pytest.mark.parametrize("how", [{}, {"baseline": "s7"}])
def test_more_systems_than_can_be_ranked_are_refused_before_they_are(how) -> None:
    with pytest.raises(ArgumentError, match=r"20.000 systems, and 10.000 at most are ranked"):
        abrank.rank_scores(_nobody(20_000), **how)


def test_all_pairs_of_many_systems_are_kept_only_where_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("abrank.ranking.rank.MOST_SYSTEMS", 3)
    (tmp_path / "board.csv").write_text(_csv(["a", "b", "c", "d"]))
    board = str(tmp_path / "board.csv")
    assert len(abrank.rank_scores(board).pair_rows) == 3
    assert len(abrank.rank_scores(board, pairs=True).pair_rows) == 6
    assert len(abrank.rank_scores(board, baseline="a").pair_rows) == 3
    with pytest.raises(ArgumentError, match=r"4 systems make 6 pairs.*baseline=.*pairs=True"):
        abrank.rank_scores(board, test="tukey")
    assert run(["rank", "--scores", board, "--test", "t"]) == 2
    assert "--baseline NAME, or ask for all pairs, --pairs" in " ".join(
        capsys.readouterr().err.split()
    )
    assert run(["rank", "--scores", board]) == 0
    assert run(["rank", "--scores", board, "--pairs"]) == 0
    assert run(["rank", "--scores", board, "--baseline", "a"]) == 0


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> Scores:
    """Nine systems, of which one is the copy of another, where more than three are very many."""
    monkeypatch.setattr("abrank.ranking.rank.MOST_SYSTEMS", 3)
    rng = np.random.default_rng(5)
    values = rng.random((30, 1)) * 0.5 + rng.normal(0, 0.1, (30, 9)) + np.linspace(0, 0.3, 9)
    values[:, 4] = values[:, 8]
    names = tuple(f"s{i}" for i in range(9))
    return Scores(tuple(f"q{i}" for i in range(30)), names, ("AP",), values[:, :, None])


def test_the_pairs_with_the_first_are_those_of_all_pairs(many) -> None:
    some, ranking = abrank.rank_scores(many), abrank.rank_scores(many, pairs=True)
    first = ranking.systems[0]
    assert some.pair_rows == tuple(row for row in ranking.pair_rows if row.b == first)
    assert {row.reading for row in some.pair_rows} == {"better", "unclear", "identical"}
    assert some.leaders == ranking.leaders
    assert not some.has_all_pairs
    assert ranking.has_all_pairs
    assert (some.groups, {row.group for row in some.rows}) == ((), {""})
    (note,) = (caution for caution in some.cautions if caution.code == "pairs-of-first")
    assert dict(note.values) == {"n_systems": 9, "n_pairs": 36}
    assert "pairs-of-first" not in {caution.code for caution in ranking.cautions}


def test_sums_found_in_parts_are_those_of_the_whole(many, monkeypatch) -> None:
    whole = abrank.rank_scores(many)
    monkeypatch.setattr(families, "PAIRS_AT_ONCE", 7)
    monkeypatch.setattr(families, "SUMS_AT_ONCE", 1)
    assert abrank.rank_scores(many) == whole
    monkeypatch.setattr(families, "DIFFERENCES_AT_ONCE", 5 * len(many.query_ids))
    assert abrank.rank_scores(many) == whole


def test_differences_of_all_pairs_on_many_queries_are_not_held_at_once(monkeypatch) -> None:
    monkeypatch.setattr(families, "DIFFERENCES_AT_ONCE", 20_000)
    values = np.random.default_rng(6).random((4000, 40)) + np.linspace(0.0, 0.2, 40)
    names = tuple(f"s{i}" for i in range(40))
    scores = Scores(tuple(f"q{i}" for i in range(4000)), names, ("AP",), values[:, :, None])
    tracemalloc.start()
    abrank.rank_scores(scores)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6  # of 780 pairs each array of differences takes 25e6


def test_of_very_many_pairs_it_is_told_how_far_the_test_is(many, monkeypatch) -> None:
    monkeypatch.setattr("abrank.ranking.rank.MANY_PAIRS", 20)
    monkeypatch.setattr(families, "SUMS_AT_ONCE", 1)
    stages: list[str] = []
    ranking_of(many, RankingQuestion(), on_stage=stages.append)
    assert stages[0] == "testing 36 pairs of 9 systems by 1 measure"
    assert stages[1] == "tested 0 of 35 pairs"  # the copy is told from its original by no test
    assert (len(stages), stages[-1]) == (36, "tested 34 of 35 pairs")


def test_chances_of_ranks_of_many_systems_are_those_to_lead(many, monkeypatch) -> None:
    monkeypatch.setattr("abrank.ranking.details.MANY_SYSTEMS", 3)
    ranking = abrank.rank_scores(many)
    assert (ranking.n_drawn, {len(row.chances) for row in ranking.stability}) == (999, {1})
    assert sum(row.first for row in ranking.stability) == pytest.approx(1.0)
    assert plots_of(Ranking)["ranks"].draw(ranking).lines
    monkeypatch.setattr("abrank.ranking.details.MAX_RANKED", 8)
    assert abrank.rank_scores(many).stability == ()


def test_of_very_many_systems_the_first_are_drawn_query_by_query(many, monkeypatch) -> None:
    monkeypatch.setattr("abrank.plots.grids.MOST_DRAWN", 4)
    plot = plots_of(Ranking)["queries"]
    ranking = abrank.rank_scores(many)
    assert plot.draw(ranking).get_xlabel().endswith("stronger is higher; the first 4 systems")
    few = plot.size(ranking)
    monkeypatch.setattr("abrank.plots.grids.MOST_DRAWN", 9)
    assert plot.draw(ranking).get_xlabel().endswith("stronger is higher")
    assert few[1] < plot.size(ranking)[1]


def test_a_saved_ranking_of_many_systems_is_read_again(monkeypatch) -> None:
    monkeypatch.setattr("abrank.ranking.rank.MOST_SYSTEMS", 2)
    rng = np.random.default_rng(0)
    scores = Scores(tuple("abcdefgh"), ("x", "y", "z"), ("AP",), rng.random((8, 3, 1)))
    for options in ({}, {"pairs": True}, {"baseline": "x"}):
        ranking = abrank.rank_scores(scores, **options)
        assert rank_again(ranking) == ranking


def _csv(names: list[str]) -> str:
    row = ",".join(["0.5"] * len(names))
    return f"query_id,{','.join(names)}\nq1,{row}\nq2,{row}\n"


@pytest.mark.slow
def test_a_table_of_thousands_of_columns_is_refused_at_once(tmp_path, capsys) -> None:
    (tmp_path / "board.csv").write_text(_csv([f"s{i}" for i in range(5_000)]))
    since = time.process_time()
    assert run(["rank", "--scores", str(tmp_path / "board.csv")]) == 2
    assert time.process_time() - since < 10  # each column was looked for among all
    text = " ".join(capsys.readouterr().err.split())
    assert "5 000 systems make 12 497 500 pairs" in text
    assert text.endswith("--baseline NAME")


def test_columns_that_name_no_measure_cost_no_search_for_the_nearest_name(monkeypatch) -> None:
    requested = []
    monkeypatch.setattr("abrank._support.errors.nearest", lambda *of: requested.append(of) or [])
    frame = pd.DataFrame({"query_id": ["q1", "q2"], **{f"run{i}": [0.1, 0.2] for i in range(50)}})
    assert len(abrank.ranking.read_systems(frame).systems) == 50
    assert not requested
    with pytest.raises(ArgumentError, match="unknown measure") as caught:
        abrank.measures.parse("run1")
    assert str(caught.value)
    assert requested


def test_chances_of_ranks_found_in_parts_are_those_of_the_whole(monkeypatch) -> None:
    sample = np.random.default_rng(0).integers(0, 3, (50, 7)) / 10.0
    options = {"scale": 1.0, "confidence": 0.95, "seed": 1}
    whole = stability.chances_of_ranks(sample, **options)
    monkeypatch.setattr(stability, "NUMBERS_AT_ONCE", 21)
    assert np.array_equal(stability.chances_of_ranks(sample, **options).chances, whole.chances)
