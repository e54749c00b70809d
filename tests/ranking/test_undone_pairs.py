"""Significant pairs of a ranking that t corrected for skewness, or by clusters, takes back."""

import numpy as np
import pandas as pd
import pytest

from abrank import Scores, rank_scores
from abrank.inference.clusters import run_cluster_test
from abrank.inference.paired import mean_and_error, skewed_t, skewness_of
from abrank.report import compose

# Skewed: two queries that B wins stand against eight like losses.
LOST = -np.array([0.1, 0.12, 0.08, 0.11, 0.09, 0.1, 0.13, -0.02, 0.12, -0.12])


def ranking(*moved, measures=("AP",), **how):
    """Rank a system and others that differ from it by so much, on as many queries."""
    columns = [np.full(len(moved[0]), 0.5), *(0.5 + item for item in moved)]
    values = np.stack([np.stack(columns, axis=1)] * len(measures), axis=2)
    ids = tuple(f"q{i}" for i in range(len(values)))
    return rank_scores(Scores(ids, tuple("ABCDEF"[: len(columns)]), measures, values), **how)


def found(made):
    return [note.values for note in made.cautions if note.code == "skewness-decides"]


def test_a_pair_that_only_skewness_shows_is_named() -> None:
    result = ranking(LOST)
    d = -LOST[:, None]
    corrected = skewed_t(*mean_and_error(d), skewness_of(d), len(d), np.array([0.05]))[0]
    assert result.pair_rows[0].pvalue_adj < 0.05 <= corrected[0]
    assert found(result) == [
        {"measure": "AP", "count": 1, "of": 1, "pairs": [{"ahead": "A", "behind": "B"}]}
    ]
    assert "Skewness decides the pair that differs." in [
        caution.heading for caution in compose(result).cautions
    ]


def test_a_pair_is_named_by_the_better_one_first_whichever_is_the_baseline() -> None:
    for baseline in "AB":
        assert found(ranking(LOST, baseline=baseline))[0]["pairs"] == [
            {"ahead": "A", "behind": "B"}
        ]
    assert found(ranking(LOST, measures=("cost",), lower_is_better="cost"))[0]["pairs"] == [
        {"ahead": "B", "behind": "A"}
    ]


def test_every_measure_is_told_and_those_after_three_are_counted() -> None:
    result = ranking(
        LOST, LOST - 1e-3, LOST - 2e-3, LOST - 3e-3, measures=("AP", "RR"), test="t", adjust="none"
    )
    message = found(result)
    assert [item["measure"] for item in message] == ["AP", "RR"]
    assert [len(item["pairs"]) for item in message] == [3, 3]
    text = next(
        caution for caution in compose(result).cautions if caution.code == "skewness-decides"
    ).text
    assert f"and {message[0]['count'] - 3} other pair" in text


@pytest.mark.parametrize("test", ["wilcoxon", "sign", "bootstrap"])
def test_a_test_that_is_not_about_the_mean_or_allows_for_skewness_is_not_doubted(test) -> None:
    assert found(ranking(LOST, test=test)) == []


def test_nothing_is_told_of_pairs_that_do_not_differ_or_are_hardly_skewed() -> None:
    random = np.random.default_rng(3)
    assert found(ranking(random.normal(0.0, 0.1, 50))) == []
    assert (found(ranking(random.normal(0.2, 0.1, 50))), found(ranking(LOST[:1]))) == ([], [])


def table_of_users(*, alike: float) -> pd.DataFrame:
    """Return scores of three systems on ten queries of each of 20 users, alike to some degree."""
    random = np.random.default_rng(3)
    user = np.repeat(np.arange(20), 10)
    of_user, of_query = random.normal(size=(20, 3))[user], random.normal(size=(200, 3))
    scores = 0.5 + 0.1 * (alike**0.5 * of_user + (1.0 - alike) ** 0.5 * of_query)
    table = pd.DataFrame(scores + np.array([0.0, 0.03, 0.04]), columns=list("ABC"))
    table.insert(0, "user_id", user)
    table.insert(0, "query_id", [f"q{i}" for i in range(200)])
    return table.melt(["query_id", "user_id"], var_name="system", value_name="score")


def test_pairs_that_whole_users_do_not_show_are_named() -> None:
    table = table_of_users(alike=0.5)
    result = rank_scores(table)
    (values,) = (note.values for note in result.cautions if note.code == "clusters-ignored")
    wide = table.pivot(index=["query_id", "user_id"], columns="system", values="score")
    by_pair = {}
    for row in result.pair_rows:
        d = (wide[row.b] - wide[row.a]).to_numpy()
        answer = run_cluster_test("t", d, wide.index.get_level_values("user_id").tolist())
        by_pair[row.a, row.b] = float(answer.pvalue[0])
    significant = {(row.a, row.b) for row in result.pair_rows if row.told_apart}
    named = {tuple(sorted(pair.values())) for pair in values["pairs"]}
    lost = {tuple(sorted(pair)) for pair in significant if by_pair[pair] >= 0.05}
    assert lost
    assert lost <= named
    assert (values["clusters"], values["of"]) == ("user_id", len(significant))
    text = result.to_markdown()
    assert "by user_id, is not significant for" in text
    assert "Test the pairs by whole clusters: abrank compare --clusters user_id." in text


def test_users_whose_queries_are_independent_are_not_said_to_decide() -> None:
    result = rank_scores(table_of_users(alike=0.0))
    assert any(row.told_apart for row in result.pair_rows)
    assert "clusters-ignored" not in {note.code for note in result.cautions}
