"""Votes in each form, and what is said of those that cannot be read."""

import json

import pandas as pd
import pytest

from abrank._support.errors import ArgumentError, ReadError
from abrank.inputs.votes import credits_of, read_votes

ROWS = [
    {"query_id": "q1", "winner": "A"},
    {"query_id": "q2", "winner": "B"},
    {"query_id": "q3", "winner": "tie"},
]


def test_every_form_has_the_same_votes(tmp_path) -> None:
    frame = pd.DataFrame(ROWS)
    frame.to_csv(tmp_path / "votes.csv", index=False)
    frame.to_csv(tmp_path / "votes.tsv", index=False, sep="\t")
    frame.to_csv(tmp_path / "votes.txt", index=False, sep=";")
    frame.to_parquet(tmp_path / "votes.parquet")
    (tmp_path / "votes.json").write_text(json.dumps(ROWS))
    (tmp_path / "votes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "one.json").write_text(json.dumps(ROWS[0]))
    forms = (frame.to_records(index=False), [*frame.itertuples(index=False)], frame.to_dict("list"))
    for source in (ROWS, frame, *forms, *sorted(tmp_path.glob("votes.*"))):
        votes = read_votes(source)
        assert [(vote.query, vote.value) for vote in votes.votes] == list(
            zip(("q1", "q2", "q3"), [-1.0, 1.0, 0.0], strict=True)
        )
        assert votes.source is None or votes.source.n_rows == 3
    assert [vote.value for vote in read_votes(tmp_path / "one.json").votes] == [-1.0]


def test_numbers_of_votes_are_as_many_votes() -> None:
    rows = [{"query_id": "q1", "A wins": 2, "b_wins": 0, "ties": 1},
            {"query_id": "q2", "A wins": 0, "b_wins": "1", "ties": 0}]  # fmt: skip
    votes = read_votes(rows).votes
    assert sorted((vote.query, vote.value, vote.times, vote.weight) for vote in votes) == [
        ("q1", -1.0, 2, 2.0), ("q1", 0.0, 1, 1.0), ("q2", 1.0, 1, 1.0),
    ]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), [
    ('[{"query_id": "q1", "winner": "A"}, 2]', "holds no objects of JSON"),
    ("query_id,winner\n", "no lines below a header"),
    ("query_id,score\nq1,0.5\n", "no column of votes"),
    ("query_id,winner\nq1,error\n", "no vote can be used"),
    ("query_id,a_wins,b_wins\nq1,2,0.5\n", "line 2: a_wins and b_wins must be whole numbers"),
    ("query_id,winner\nq1,A\nq2,C\n", "line 3: no known winner"),
    ("query_id,winner,is_swapped\nq1,A,true\nq2,B,false\n", "is the winner a place, or a sys"),
    ("query_id,winner_ab,winner_swapped\nq1,A,B\nq2,B,A\n", "winner_swapped says that the"),
])  # fmt: skip
def test_a_file_without_votes_is_refused(text: str, said: str, tmp_path) -> None:
    (tmp_path / "votes").write_text(text)
    with pytest.raises(ReadError, match=said):
        read_votes(tmp_path / "votes")


def test_of_three_systems_two_are_named() -> None:
    pairs = [("x", "y"), ("y", "x"), ("x", "z")]
    rows = [
        {"query_id": f"q{i}", "model_a": a, "model_b": b, "winner": "model_b"}
        for i, (a, b) in enumerate(pairs)
    ]
    with pytest.raises(ArgumentError, match="the votes are on x, y, z: name the two to compare"):
        read_votes(rows)
    with pytest.raises(ArgumentError, match="no vote is on w; there are x, y, z"):
        read_votes(rows, name_a="w", name_b="x")
    votes = read_votes(rows, name_a="x", name_b="y")
    assert (votes.names, [vote.value for vote in votes.votes]) == (("x", "y"), [1.0, -1.0])
    alone = [{"query_id": "q", "model_a": "x", "model_b": "x", "winner": "tie"}]
    with pytest.raises(ArgumentError, match="the votes are on one system, x: two are compared"):
        read_votes(alone)


def test_strengths_count_by_those_of_the_two_that_are_compared() -> None:
    rows = [
        {"query_id": f"q{i}", "model_a": "x", "model_b": b, "winner": "b", "strength": strength}
        for i, (b, strength) in enumerate((("y", 1), ("y", 2), ("z", 9)))
    ]
    assert [vote.value for vote in read_votes(rows, name_a="x", name_b="y").votes] == [0.5, 1.0]


def test_annotators_may_have_a_column_each() -> None:
    rows = [{"query_id": "q1", "ann": "A", "bo": "tie"}, {"query_id": "q2", "ann": "B", "bo": ""}]
    votes = read_votes(rows)
    read = {(vote.query, vote.judge, vote.value) for vote in votes.votes}
    assert read == {("q1", "ann", -1.0), ("q1", "bo", 0.0), ("q2", "ann", 1.0)}
    assert "ann, bo are read as the votes of a judge each" in votes.remarks


@pytest.mark.parametrize(
    ("name_a", "name_b", "first"),
    [(None, None, 1.0), ("BM25", "dense", 1.0), (None, "bm25", 3.0), ("dense", None, 3.0)],
)
def test_credits_may_be_named_by_their_systems(name_a, name_b, first: float) -> None:
    row = {"query_id": "q", "clicks_BM25": 1, "clicks_dense": 3, "clicks_total": 4}
    votes = read_votes([row], name_a=name_a, name_b=name_b)
    assert votes.credits[0].tolist() == [first, 4.0 - first]
    assert {name.casefold() for name in votes.names} == {"bm25", "dense"}


def test_an_order_drawn_at_random_is_no_order() -> None:
    rows = [{**row, "shown_first": "Random"} for row in ROWS]
    assert {vote.first for vote in read_votes(rows).votes} == {"random"}


def test_clicks_are_credited_to_teams_or_to_both_lists() -> None:
    assert credits_of({"team": "ABBA", "clicks": [1, 2, 3]}) == (1.0, 2.0)
    assert credits_of({"ranking": [2, 1, 3], "a": [1, 2], "b": [2, 3], "clicks": [0, 2]}) == (
        1.0,
        2.0,
    )


def test_preferences_below_0_run_to_the_largest() -> None:
    rows = [{"example_id": f"e{i}", "preference": i - 3, "id": i} for i in range(7)]
    votes = read_votes(rows)
    assert [vote.query for vote in votes.votes] == [row["example_id"] for row in rows]
    assert [vote.value for vote in votes.votes] == [(i - 3) / 3 for i in range(7)]
    assert votes.remarks == ("preference is read as -3 (A) to 3 (B)",)
    assert [vote.value for vote in read_votes(rows[:3]).votes] == [-1.0, -2 / 3, -1 / 3]


@pytest.mark.parametrize("column", ["question", "prompt", "user_input"])
def test_the_text_of_a_query_names_it_where_there_is_no_id(column, tmp_path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(f"{column},model_a,model_b,winner\nhow?,x,y,y\nwhy?,x,y,x\nhow?,x,y,y\n")
    assert [vote.query for vote in read_votes(path).votes] == ["how?", "why?", "how?"]


@pytest.mark.parametrize(("left", "right", "sides"), [
    ("left", "right", ("left", "right")),
    ("system_left", "system_right", ("system_left", "system_right")),
    ("Ranker A", "Ranker B", ("A", "B")),
    ("model1", "model2", ("1", "2")),
])  # fmt: skip
def test_columns_of_the_two_sides_hold_names_or_answers(left, right, sides) -> None:
    rows = [
        {"query_id": f"q{i}", left: a, right: b, "winner": sides[i // 2 % 2]}
        for i, (a, b) in enumerate([("bm25", "dense"), ("dense", "bm25")] * 4)
    ]
    votes = read_votes(rows, name_a="bm25", name_b="dense")
    assert [vote.value for vote in votes.votes] == [-1.0, 1.0, 1.0, -1.0] * 2
    answers = [{**row, left: f"one {i}", right: f"two {i}"} for i, row in enumerate(rows)]
    assert [vote.value for vote in read_votes(answers).votes] == [-1.0, -1.0, 1.0, 1.0] * 2
