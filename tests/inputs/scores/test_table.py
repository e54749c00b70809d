"""Ready scores: numbers, text, holes."""

from __future__ import annotations

import gzip
import hashlib

import numpy as np
import pandas as pd
import pytest

from abrank import ArgumentError, NotFoundError, ReadError
from abrank.inputs.scores.table import read_score_table


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
    assert table.query.texts() == ["a", "b", "c", "d", "e", "all"]


def test_a_measure_of_text_is_left_out_and_counted(read) -> None:
    table = read("map\t1\t0.5\nrelstring\t1\t'0110'\nrelstring\t2\t'-'\nrunid\tall\tBM25\n")
    assert table.left_out == {"relstring": 2, "runid": 1}
    assert table.measure.names == ("map",)
    assert table.source.n_rows == 1


def test_a_hole_in_a_table_stays_a_hole(read) -> None:
    table = read("query_id,ap,rr\na,0.5,\nb,,\n")
    np.testing.assert_array_equal(table.value, [0.5, np.nan, np.nan, np.nan])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("high", 'score "high" is not a number'),
        ("nan", "score is NaN (query 302)"),
        ("-inf", "score is infinite"),
        ("0,5", "a decimal point is needed, not a comma"),
        ("0x1p3", "not a number"),
        ("1e999", "too large"),
        ("9" * 400, "too large"),
        ("3x", "not a number"),
    ],
)
def test_a_value_that_is_no_number(read, value, said) -> None:
    with pytest.raises(ReadError) as caught:
        read(f"map\t301\t0.5\nmap\t302\t{value}\nmap\t303\t0.5\n")
    message = str(caught.value)
    assert "a.eval, line 2: " in message
    assert said in message
    assert "302  map" in message


def test_a_column_of_numbers_with_commas_is_no_text(read) -> None:
    with pytest.raises(ReadError, match="decimal point"):
        read('query_id,ap,rr\na,"0,5",1\nb,"0,25",1\n')


def test_many_bad_lines_are_counted(read) -> None:
    lines = [f"map\t{i}\t{'x' if i else '1'}\n" for i in range(31)]
    with pytest.raises(ReadError, match="30 bad lines in all; the first 20 are shown"):
        read("".join(lines))


def test_packed_files_and_byte_order_marks(tmp_path) -> None:
    stored = gzip.compress("\ufeffquery_id,ap\né,0.5\n".encode())
    (tmp_path / "a.csv.gz").write_bytes(stored)
    table = read_score_table(tmp_path / "a.csv.gz", is_measure=str.islower)
    assert table.query.texts() == ["é"]
    assert table.source.sha256 == hashlib.sha256(stored).hexdigest()


def test_frames() -> None:
    frame = pd.DataFrame({"query_id": ["a", "b"], "ap": [0.5, np.nan], "text": ["x", "y"]})
    table = read_score_table(frame, is_measure=str.islower)
    np.testing.assert_array_equal(table.value, [0.5, np.nan])
    assert table.rounding.tolist() == [0, 0]
    assert table.left_out == {"text": 2}
    with pytest.raises(ReadError, match="DataFrame, row 1: score is infinite: b  ap  inf"):
        read_score_table(frame.fillna(np.inf), is_measure=str.islower)


def test_other_sources_are_refused(tmp_path) -> None:
    with pytest.raises(ArgumentError, match="a path, a table or a dict, not list"):
        read_score_table([1], is_measure=str.islower)
    with pytest.raises(NotFoundError):
        read_score_table(tmp_path / "none", is_measure=str.islower)
