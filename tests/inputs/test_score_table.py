"""Ready scores of all kinds as numbers."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from abrank import (
    AbrankError,
    ArgumentError,
    NotFoundError,
    ReadError,
    compare_scores,
    read_scores,
)
from abrank.comparison import pair_scores
from abrank.inputs.score_reading import baseline_of
from abrank.inputs.score_table import ScoreTable, read_score_table

# --- Ready scores: numbers, text, holes


def texts(table: ScoreTable) -> list[str]:
    return [table.query[row] for row in range(len(table.query.codes))]


@pytest.fixture
def read(tmp_path):
    def from_text(text: str):
        (tmp_path / "a.eval").write_text(text)
        return read_score_table(tmp_path / "a.eval", is_measure=str.islower)

    return from_text


def test_numbers_know_how_they_were_rounded(read) -> None:
    table = read("query_id,ap\na,0.5\nb,0.1234\nc,7\nd,1.5e-3\ne,-0.25\nall,1.5\n")
    assert table.value.tolist() == [0.5, 0.1234, 7.0, 0.0015, -0.25, 1.5]
    np.testing.assert_allclose(table.rounding, [0.05, 5e-5, 0, 5e-5, 5e-3, 0.05], rtol=1e-12)
    assert texts(table) == ["a", "b", "c", "d", "e", "all"]


def test_a_column_for_each_variant_is_no_offer_of_independent_groups() -> None:
    wide = pd.DataFrame({"query_id": list("abcd"), "x": [0.1, 0.2] * 2, "y": [0.3, 0.2] * 2})
    with pytest.raises(ReadError, match="name the baseline and the candidate") as error:
        compare_scores(wide)
    assert "independent" not in str(error.value)


def test_a_measure_of_text_is_left_out_and_counted(read) -> None:
    table = read("map\t1\t0.5\nrelstring\t1\t'0110'\nrelstring\t2\t'-'\nrunid\tall\tBM25\n")
    assert (table.left_out, table.measure.names) == ({"relstring": 2, "runid": 1}, ("map",))
    assert table.source.n_rows == 1


def test_many_cells_are_read_as_few_are(tmp_path) -> None:
    cells = ["0.5", "+.25", "1e-3", "7", "", "true", "False", "-2.5"] * 500
    rows = "".join(f"q{i},{cell}\n" for i, cell in enumerate(cells))
    (tmp_path / "a.csv").write_text("query_id,ap\n" + rows)
    table = read_score_table(tmp_path / "a.csv", is_measure=str.islower)
    expected = [0.5, 0.25, 0.001, 7.0, np.nan, 1.0, 0.0, -2.5] * 500
    np.testing.assert_array_equal(table.value, expected)
    (tmp_path / "a.csv").write_text("query_id,ap\n" + rows + "r1,inf\nr2,1e999\nr3,tree\n")
    with pytest.raises(ReadError, match="score is infinite") as caught:
        read_score_table(tmp_path / "a.csv", is_measure=str.islower)
    assert 'score "1e999" is too large' in str(caught.value)
    assert 'score "tree" is not a number' in str(caught.value)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("high", 'score "high" is not a number'), ("nan", "score is NaN (query 302)"),
        ("-inf", "score is infinite"), ("0,5", "a decimal point is needed, not a comma"),
        ("0x1p3", "not a number"), ("1e999", "too large"), ("9" * 400, "too large"),
        ("3x", "not a number"),
    ],
)  # fmt: skip
def test_a_value_that_is_no_number(read, value, said) -> None:
    with pytest.raises(ReadError) as caught:
        read(f"map\t301\t0.5\nmap\t302\t{value}\nmap\t303\t0.5\n")
    message = str(caught.value)
    assert "a.eval, line 2: " in message
    assert said in message
    assert "302  map" in message


def test_frames() -> None:
    frame = pd.DataFrame({"query_id": ["a", "b"], "ap": [0.5, np.nan], "text": ["x", "y"]})
    table = read_score_table(frame, is_measure=str.islower)
    np.testing.assert_array_equal(table.value, [0.5, np.nan])
    assert (table.rounding.tolist(), table.reading.apart) == ([0, 0], ("text",))
    with pytest.raises(ReadError, match="DataFrame, row 1: score is infinite: b  ap  inf"):
        read_score_table(frame.fillna(np.inf), is_measure=str.islower)


def test_other_sources_are_refused(tmp_path) -> None:
    with pytest.raises(ArgumentError, match="a path, a table or a dict, not list"):
        read_score_table([1], is_measure=str.islower)
    with pytest.raises(NotFoundError):
        read_score_table(tmp_path / "none", is_measure=str.islower)


# --- Frames and files of every kind


def test_a_name_in_the_header_longer_than_csv_allows_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(f"query_id,{'x' * 140_000}\nq1,0.5\n")
    with pytest.raises(AbrankError) as refusal:
        read_scores(path)
    assert "field larger than field limit" in str(refusal.value)


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ReadError, match=r"different numbers of rows: query_id 2, ap 2, n2 1"):
        read_scores({"query_id": ["a", "b"], "ap": [0.5, 0.25], "n2": [1.0]})


def test_a_table_of_systems_and_runs_may_have_no_column_of_queries() -> None:
    frame = pd.DataFrame({
        "variant": [0.5, 0.59, 0.65, 0.19, 0.27, 0.22], "device": ["q0", "q1", "q0"] * 2,
        "run": [2, 1, 3, 2, 4, 2], "system": [False, True] * 3, "measure": [0, 1, 0] * 2,
    })  # fmt: skip
    assert read_scores(frame).reading.query == ""


def test_results_of_promptfoo_without_named_scores() -> None:
    rows = [
        {"promptIdx": 0, "testIdx": i, "provider": "p", "score": 0.5, "namedScores": 3}
        for i in range(3)
    ]
    assert read_scores(rows).values.ravel().tolist() == [0.5] * 3


def test_prompts_of_promptfoo_have_their_labels_and_failures_no_score() -> None:
    rows = [
        {"promptIdx": p, "testIdx": i, "provider": "m", "prompt": {"label": f"v{p + 1}.txt"},
         "score": 0.5 * p, "success": p == 1, "namedScores": {"tone": 0.25}, "failureReason": 1}
        for i in range(3) for p in (0, 1)
    ]  # fmt: skip
    rows[5] |= {"score": 0, "success": False, "namedScores": {}, "failureReason": 2}
    pair = pair_scores(rows, missing="drop", measures=["score", "success", "tone"])
    assert pair.systems == ("v1.txt", "v2.txt")
    assert pair.values.tolist() == [[[0.0, 0.0, 0.25], [0.5, 1.0, 0.25]]] * 2
    with pytest.raises(AbrankError, match="query 2 has no score"):
        pair_scores(rows, measures=["score"])


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("names", "baseline"),
    [
        (("control", "t5"), "control"),
        (("x", "Treatment"), "x"),
        (("ranker v1", "ranker v2"), "ranker v1"),
        (("bm25_old", "bm25_new"), "bm25_old"),
        (("bm25", "bm25-new"), "bm25"),
        (("prod-2026-11", "reranked"), "prod-2026-11"),
        (("t5-base", "baseline"), "baseline"),
        (("treatment_a", "control"), "control"),
        (("C", "T"), "C"),
        (("n", "y"), "n"),
        (("B", "C"), ""),
        (("v2", "v3"), ""),
        (("bm25", "bert-base"), ""),  # a size
        (("contriever-base", "splade"), ""),
        (("bert-base", "bert-large"), ""),
        (("bm25", "old-t5"), ""),
        (("score_b_old", "score_a"), ""),
        (("bm25", "splade"), ""),
    ],
)
def test_a_baseline_is_known_by_its_role_and_not_by_a_word_of_its_model(names, baseline) -> None:
    assert baseline_of(names) == baseline_of(names[::-1]) == baseline


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["0.3", "NA", "0.4"], [0.3, np.nan, 0.4]), (["50%", "60%", "7.5%"], [0.5, 0.6, 0.075]),
        (["0,5", "0,25", "1"], [0.5, 0.25, 1.0]), (["0,5", "2,5e-05", "1"], [0.5, 2.5e-05, 1.0]),
    ],
)  # fmt: skip
def test_cells_as_people_write_them_are_read_alike_in_every_form(cells, values, tmp_path) -> None:
    frame = pd.DataFrame({"query": ["a", "b", "c"], "ndcg": cells})
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_json(tmp_path / "a.json", orient="records")
    paths = [tmp_path / f"a.{ending}" for ending in ("csv", "parquet", "json")]
    for source in (frame, frame.to_dict("records"), pa.table(frame), *paths):
        table = read_score_table(source, is_measure=lambda name: name == "ndcg")
        np.testing.assert_array_equal(table.value, values)
