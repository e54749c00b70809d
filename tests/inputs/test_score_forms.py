"""Which form ready scores have, told by what is there."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from abrank import ReadError, read_scores
from abrank.inputs.score_forms import Cells, cells_of_objects, cells_of_text, columns_of


def is_measure(name: str) -> bool:
    return name in ("map", "AP", "P_10", "nDCG@10")


def frame_cells(frame: pd.DataFrame, label: str) -> tuple[str, Cells]:
    header, columns = columns_of(frame, is_measure, label)
    return cells_of_objects(header, [list(column) for column in columns], label)


def cells(text: str) -> tuple[str, Cells]:
    return cells_of_text(text, "a.eval", is_measure)


def rows(found: Cells) -> list[tuple[int, str, str, str, str]]:
    assert not any(found.run)
    return list(zip(*found[:5], strict=True))


def test_lines_of_trec_eval() -> None:
    form, found = cells(
        "map                   \t301\t0.5\r\n\nrunid                 \tall\tBM25\r\n"
    )
    assert form == "trec_eval -q"
    assert rows(found) == [(1, "301", "", "map", "0.5"), (3, "all", "", "runid", "BM25")]


def test_lines_of_ir_measures() -> None:
    form, found = cells("301\tnDCG@10\t0.5\nall\tnDCG@10\t0.5\n")
    assert form == "ir_measures -q"
    assert rows(found) == [(1, "301", "", "nDCG@10", "0.5"), (2, "all", "", "nDCG@10", "0.5")]


def test_without_aggregates_the_known_measure_decides() -> None:
    assert cells("map 301 0.5\nown 301 0.5\n")[0] == "trec_eval -q"
    assert cells("301 map 0.5\n302 own 0.5\n")[0] == "ir_measures -q"


@pytest.mark.parametrize(
    ("text", "which"), [("x 301 0.5\n", "neither"), ("map P_10 0.5\nP_10 map 0.5\n", "both")]
)
def test_lines_that_could_be_either_are_refused(text, which) -> None:
    with pytest.raises(ReadError, match=f"{which} of the first two fields name a known measure"):
        cells(text)


def test_a_system_may_stand_first_and_hold_blanks() -> None:
    form, found = cells("my run\t301\tAP\t0.5\nmy run\tall\tAP\t0.5\n")
    assert form == "abrank score --per-query"
    assert rows(found)[0] == (1, "301", "my run", "AP", "0.5")


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_a_wide_table(delimiter) -> None:
    text = "AP,Query_ID,\"nDCG(dcg='exp-log2')@10\"\n0.5,301,0.25\n\n0,302,\n".replace(
        ",", delimiter
    )
    form, found = cells(text)
    assert form == "a wide table"
    assert sorted(rows(found)) == [
        (2, "301", "", "AP", "0.5"),
        (2, "301", "", "nDCG(dcg='exp-log2')@10", "0.25"),
        (4, "302", "", "AP", "0"),
        (4, "302", "", "nDCG(dcg='exp-log2')@10", ""),
    ]


def test_a_long_table_with_systems() -> None:
    form, found = cells("name,qid,measure,value\nBM25,301,map,0.5\n")
    assert form == "a long table"
    assert rows(found) == [(2, "301", "BM25", "map", "0.5")]


def test_a_wide_table_may_have_systems_and_a_measure_called_score() -> None:
    _, found = cells("system,topic,score,AP\nA,301,1,2\n")
    assert rows(found) == [(2, "301", "A", "score", "1"), (2, "301", "A", "AP", "2")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a.eval: no lines"),
        (" \n", "a.eval: no lines"),
        ("map 301\n", "line 1: expected 3 fields, found 2"),
        ("map 301 0.5\nmap 302\n", "line 2: expected 3 fields, found 2"),
        ("query_id,AP\n301,0.5\n302\n", "line 3: expected 2 fields, found 1"),
        ("query_id,qid,AP\n", "query_id and qid could all be the column query_id"),
        ("query_id,measure\n301,AP\n", "a column measure, but none score or value"),
        ("query_id,measure,score,x\n", 'the column "x" has no meaning beside measure and score'),
        ("query_id\n301\n", "no column of scores"),
        (",query_id,AP\n0,301,0.5\n", "a column has no name"),
        ("query_id,AP,AP\n301,0,1\n", 'the column "AP" stands there twice'),
        ("query_id,AP\n,0.5\n", "line 2: the query_id is empty"),
        ("query_id,measure,score\n301,,0.5\n", "line 2: the measure is empty"),
        ("system,query_id,AP\n,301,0.5\n", "line 2: the system is empty"),
        ("map\t301\t0.5\nmap\t302\t\n", "line 2: the score is empty: the line may be cut"),
        ("map\t301\t0.5\nmap\t\t0.5\n", "line 2: the query_id is empty"),
        ('query_id,AP\n"301,0.5\n', "line 2: no line of a table: unexpected end of data"),
    ],
)
def test_what_has_no_form_is_refused(text, said) -> None:
    with pytest.raises(ReadError) as caught:
        cells(text)
    assert said in str(caught.value)


def test_frames_with_a_column_or_an_index_of_queries() -> None:
    by_index = pd.DataFrame({"AP": [0.5, 0.25]}, index=[301, 302])
    by_column = by_index.reset_index(names="qid")
    for frame in (by_index, by_column):
        form, found = frame_cells(frame, "DataFrame")
        assert form == "a wide table"
        assert rows(found) == [(0, "301", "", "AP", 0.5), (1, "302", "", "AP", 0.25)]


def test_a_file_of_columns_without_queries_counts_its_rows(tmp_path) -> None:
    path = tmp_path / "scores.parquet"
    pd.DataFrame({"AP": [0.5, 0.25]}).to_parquet(path, index=False)
    read = read_scores(path)
    assert read.query_ids == ("0", "1")
    assert read.values[:, 0, 0].tolist() == [0.5, 0.25]


FORMS = {
    "trec_eval": "map\t301\t0.5\nmap\t302\t{}\n",
    "CSV": "query_id,map\n301,0.5\n302,{}\n",
    "CSV with an empty line": "query_id,map\n301,0.5\n\n302,{}\n",
    "JSON": '{{"map": {{"301": 0.5, "302": {}}}}}',
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("score", ["0e999", "0e-999", "0.0e99999", "1e-999", f"0e{'9' * 5000}"])
def test_0_is_0_whatever_its_exponent_as_by_atof(tmp_path, form, score) -> None:
    path = tmp_path / "scores"
    path.write_text(FORMS[form].format(score))
    assert read_scores(path).values.ravel().tolist() == [0.5, 0.0]


def test_a_mean_beside_a_0_with_an_exponent_is_checked_all_the_same(tmp_path) -> None:
    path = tmp_path / "a.eval"
    path.write_text("map\t1\t0e9\nmap\t2\t0.5000\nmap\tall\t0.9000\n")
    with pytest.raises(ReadError, match=r'line 3: the row "all" gives 0\.9 for map, but 2 queries'):
        read_scores(path)


def test_query_ids_of_a_frame_are_no_floats() -> None:
    with pytest.raises(ReadError, match=r"row 0: query_id 301\.0 is a float"):
        frame_cells(pd.DataFrame({"query_id": [301.0, np.nan], "AP": [0, 1]}), "DataFrame")


def test_a_frame_without_a_name_where_one_belongs() -> None:
    frame = pd.DataFrame({"query_id": ["301", "302"], "measure": ["AP", ""], "score": [0, 1]})
    with pytest.raises(ReadError, match="row 1: the measure is empty"):
        frame_cells(frame, "DataFrame")
