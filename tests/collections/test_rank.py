"""Many systems on several collections: who may be called first."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

import abrank
from abrank import AlignmentError, ArgumentError, Scores, rank_collections, rank_scores
from abrank.collections import CollectionsRanking, ranking_inputs_of
from abrank.collections.rank import summarise_rankings

SYSTEMS = ("bm25", "rm3", "t5", "rrf")


def world(seed: int, *, c: int = 5, n: int = 25, tau: float = 0.02) -> dict[str, Scores]:
    random = np.random.default_rng(seed)
    result = {}
    for i in range(c):
        effect = np.array([0.0, 0.0, 0.08, 0.085]) + random.normal(0.0, tau, 4)
        block = random.uniform(0.1, 0.6, (n, 1)) + effect + random.normal(0.0, 0.05, (n, 4))
        ids = tuple(f"q{k}" for k in range(n))
        result[f"c{i}"] = Scores(ids, SYSTEMS, ("AP", "RR"), np.stack([block, block**2], axis=2))
    return result


@pytest.fixture(scope="module")
def found() -> CollectionsRanking:
    return rank_collections(world(1))


def test_means_weigh_the_collections_equally() -> None:
    few = world(2)
    short = few["c0"]
    few["c0"] = replace(short, values=short.values[:5], query_ids=short.query_ids[:5])
    collections = rank_collections(few)
    for row in collections.primary.rows:
        column = SYSTEMS.index(row.system)
        means = [item.values[:, column, 0].mean() for item in few.values()]
        assert row.mean == pytest.approx(np.mean(means))
    assert collections.n_queries == 5 + 4 * 25


def test_ranks_follow_from_the_pairs(found) -> None:
    for which in ("fixed", "random"):
        ranking = getattr(found.primary, which)
        for row in found.primary.rows:
            standing = getattr(row, which)
            better = sum(
                (pair.a, pair.reading) == (row.system, "better")
                or (pair.b, pair.reading) == (row.system, "worse")
                for pair in ranking.pair_rows
            )
            assert standing.rank_low == 1 + better
    assert found.primary.first() == ("rrf",)
    assert set(found.primary.first()) <= set(found.primary.first(random=True))
    assert {row.system: row.fixed.rank_low for row in found.primary.rows}["bm25"] == 3


def test_a_first_on_one_collection_is_counted(found) -> None:
    best = [ranking.systems[0] for ranking in found.rankings.values()]
    assert {row.system: row.n_first for row in found.primary.rows} == {
        system: best.count(system) for system in SYSTEMS
    }


def test_collections_like_these_are_the_t_test_over_collections(found) -> None:
    means = found.means.loc[list(found.systems)].to_numpy().T
    again = rank_scores(
        Scores(tuple(found.rankings), found.systems, ("AP",), means[:, :, None]), test="t"
    )
    assert [row.pvalue_adj for row in found.primary.random.pair_rows] == pytest.approx(
        [row.pvalue_adj for row in again.pair_rows]
    )
    assert found.primary.random.title == "Paired t, adjusted by Holm"


def test_a_system_that_is_missing_is_named() -> None:
    arguments = world(1)
    scores = arguments["c3"]
    arguments["c3"] = replace(scores, systems=SYSTEMS[:3], values=scores.values[:, :3])
    with pytest.raises(AlignmentError, match="the collection c3 has no rrf; a mean over"):
        rank_collections(arguments)
    whole = rank_collections(arguments, scoring=abrank.Scoring(missing="drop"))
    assert "c3" not in whole.rankings
    assert "left out, for not every system is there: c3" in whole.notes


@pytest.mark.slow
@pytest.mark.parametrize(("change", "said"), [
    (lambda given: {"c0": given["c0"]}, "two collections or more, not 1; for one use rank"),
    (lambda given: given | {"c1": rank_scores(given["c1"], measures="RR")}, "was ranked by RR"),
    (lambda given: given | {"c1": rank_scores(given["c1"], baseline="t5")}, "against a base"),
    (lambda given: given | {"c1": rank_scores(given["c1"], alpha=0.01)}, "at alpha 0.01"),
    (lambda given: given | {"c1": {"only": {"q1": 0.5}}}, "c1: a ranking needs two systems"),
])  # fmt: skip
def test_what_does_not_fit_is_refused(change, said) -> None:
    with pytest.raises((AlignmentError, ArgumentError), match=said):
        rank_collections(change(world(1)))
    with pytest.raises(ArgumentError, match="takes no baseline=: of all pairs"):
        rank_collections(world(1), baseline="t5")


def test_runs_with_judgments_and_rankings_are_taken() -> None:
    collections = {f"c{i}": abrank.simulate_runs(20, effect=0.4, rng=i) for i in range(3)}
    runs = {
        name: (item.qrels, {"A": item.baseline, "B": item.candidate})
        for name, item in collections.items()
    }
    result = rank_collections(runs, measures=["nDCG@10", "AP"], alpha=0.1)
    assert result["c1"].measures == ("nDCG@10", "AP")
    assert result.alpha == result["c1"].alpha == 0.1
    assert summarise_rankings(result.rankings) == result
    assert "c1" in result.means.columns
    assert {"fixed_rank_low", "random_chance_first"} <= set(result.to_frame().columns)


def test_which_files_are_which() -> None:
    files = {"x": {"bm25": "a.txt", "t5": "b.txt"}, "y": {"qrels": "q", "bm25": "a", "t5": "b"}}
    assert ranking_inputs_of(files) == {
        "x": {"bm25": "a.txt", "t5": "b.txt"},
        "y": ("q", {"bm25": "a", "t5": "b"}),
    }


def test_what_is_not_there_is_refused_with_what_is(found) -> None:
    with pytest.raises(ArgumentError, match="no system 'BM25' here; there are rrf, t5, "):
        found.primary["BM25"]
    with pytest.raises(ArgumentError, match="no collection 'web' here; there are c0, c1, c2"):
        found["web"]
    with pytest.raises(ArgumentError, match=r"^two collections or more are ranked together$"):
        summarise_rankings({"c0": found["c0"]})
    assert found["c0"] is found.rankings["c0"]
    text = f"of 4 systems on 5 collections by AP: {found.systems[0]!r} leads"
    assert repr(found) == f"<CollectionsRanking {text}>"


def test_a_first_by_a_cost_has_the_lowest_mean() -> None:
    costs = {name: replace(item, measures=("ms", "RR")) for name, item in world(3).items()}
    collections = rank_collections(costs, lower_is_better="ms")
    first = [
        cost.systems[int(cost.values[:, :, 0].mean(axis=0).argmin())] for cost in costs.values()
    ]
    assert {row.system: row.n_first for row in collections.primary.rows} == {
        system: first.count(system) for system in SYSTEMS
    }


@pytest.mark.slow
@pytest.mark.parametrize("c", [5, 20])
def test_the_best_system_is_left_out_of_the_first_places_no_more_often_than_alpha(c) -> None:
    """In the population all four systems are equal, and differ from collection to collection."""
    random = np.random.default_rng(c)
    left_out = 0
    for _ in range(400):
        means = {
            f"c{i}": random.uniform(0.1, 0.6, (12, 1))
            + random.normal(0.0, 0.03, 4) * np.array([0.5, 1.0, 1.5, 2.0])
            + random.normal(0.0, 0.05, (12, 4))
            for i in range(c)
        }
        ids = tuple(f"q{k}" for k in range(12))
        boards = {name: Scores(ids, SYSTEMS, ("AP",), v[:, :, None]) for name, v in means.items()}
        left_out += "rrf" not in rank_collections(boards, resamples=99).primary.first(random=True)
    assert binomtest(left_out, 400, 0.05, alternative="greater").pvalue > 0.001
