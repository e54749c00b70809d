"""Ready scores of all kinds as numbers."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank import AbrankError, ArgumentError, NotFoundError, ReadError, read_scores
from abrank.inputs import score_table
from abrank.inputs.score_table import MOST_WHOLE, count_decimals, read_score_table

# --- Ready scores: numbers, text, holes


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


# --- Arrow's reader of ready scores gives what the careful one gives: rows and words

QUOTED = ['"q"', '"q3"', '"a,b"', '"a\tb"', '"a\nb"', '"a""b"', 'a"b', '" q"', '""', '"']
IDS = st.sampled_from(["q1", "q2", "2", "10", "é", " q", "all", "", "a b", *QUOTED])
UNUSUAL = ["nan", "inf", "0x1f", "", "x", "1e999", "0,5", '"0.5"', '"x"', '"1', '"1,2"']
NUMBERS = st.sampled_from(["1", "-2", "0.5", "1e-3", "+1", ".5", "5.", *UNUSUAL])
ROWS = st.lists(st.tuples(IDS, NUMBERS, NUMBERS).map(list), min_size=1, max_size=4)
HEADERS = (
    "query_id,AP,RR",
    "AP,qid,P@5",
    "query_id,system,AP",
    '"query_id","AP","RR"',
    '"query_id,x",AP,RR',
    "measure,query_id,score",
    "qid,a,a",
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scores") / "a.csv"


def outcome(path: Path) -> Any:
    try:
        found = read_scores(path)
    except AbrankError as error:
        return str(error)
    return found.query_ids, found.systems, found.measures, found.values.tolist(), found.notes


@given(
    rows=ROWS,
    header=st.sampled_from(HEADERS),
    end=st.sampled_from(["\n", "\r\n"]),
    tabs=st.booleans(),
)
def test_both_readers_give_the_same(
    path: Path, rows: list[list[str]], header: str, end: str, tabs: bool
) -> None:
    text = end.join([header, *map(",".join, rows)])
    path.write_bytes((text.replace(",", "\t") if tabs else text).encode())
    found = outcome(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score_table, "of_text", lambda *_: None)
        assert found == outcome(path)


LINES = st.lists(
    st.tuples(
        st.sampled_from(["map", "AP", "runid", "P_5", "my run", "a  b", "all", '"map"', ""]),
        st.sampled_from(["q1", "q2", "all", "é", "q\u00a03", "", "AP"]),
        st.sampled_from(["0.5", "0.2500", "1", "-1", "1e-3", "bm25", "nan", "0,5", "", "0x1f"]),
    ),
    min_size=1,
    max_size=6,
)
BETWEEN = st.sampled_from(["\t", "   \t", " ", "\t ", "\x1c"])


@given(
    rows=LINES,
    between=BETWEEN,
    end=st.sampled_from(["\n", "\r\n", "\n\n", " \n"]),
    system=st.sampled_from([(), ("bm25",), ("my run",)]),
)
def test_both_readers_of_lines_give_the_same(path: Path, rows, between, end, system) -> None:
    text = end.join([between.join([*system, *row]) for row in rows])
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score_table, "_PART", 30)  # several parts
        found = outcome(path)
        patch.setattr(score_table, "of_lines", lambda *_: None)
        assert found == outcome(path)


def test_lines_of_trec_eval_are_read_without_the_careful_reader(path, monkeypatch) -> None:
    lines = ["runid                 \tall\tmy-run", "map                   \tall\t0.3750"]
    path.write_text("\n".join([*lines, "map\tq1\t0.5000", "map\tq2\t0.2500", ""]))
    module = "abrank.inputs.score_table.cells_of_text"
    monkeypatch.setattr(module, lambda *_, **__: pytest.fail("read cell by cell"))
    scores = read_scores(path)
    assert (scores.query_ids, scores.values[:, 0, 0].tolist()) == (("q1", "q2"), [0.5, 0.25])
    assert "runid (1 of text)" in scores.notes[0]


@pytest.mark.parametrize(
    "text",
    [
        "query_id,AP,RR\nq2,0.5,1\nq10,1e-3,0\n",
        '"query_id","AP","RR"\nq2,0.5,1\nq10,1e-3,0\n',
        '"query_id","AP","RR"\r\n"q2","0.5",1\r\n"q10",1e-3,"0"',
    ],
)
def test_a_plain_table_is_read_without_the_careful_reader(
    path: Path, monkeypatch: Any, text: str
) -> None:
    path.write_text(text)
    module = "abrank.inputs.score_table.cells_of_text"
    monkeypatch.setattr(module, lambda *_, **__: pytest.fail("read cell by cell"))
    scores = read_scores(path)
    assert scores.query_ids == ("q10", "q2")
    assert scores.values[:, 0, :].tolist() == [[1e-3, 0.0], [0.5, 1.0]]


FRAME = pd.DataFrame({"query_id": ["b", "a"], "AP": [0.5, np.nan], "RR": [1, 0]})


@pytest.mark.parametrize("kind", ["pandas", "pyarrow", "polars", "lazy", "parquet", "index"])
def test_frames_of_every_library(kind: str, tmp_path: Path, monkeypatch: Any) -> None:
    source: Any = FRAME
    if kind in ("polars", "lazy"):
        source = pytest.importorskip("polars", reason="it is in the extra `test`").from_pandas(
            FRAME
        )
        source = source.lazy() if kind == "lazy" else source
    if kind == "pyarrow":
        source = pa.Table.from_pandas(FRAME)
    if kind == "parquet":
        FRAME.to_parquet(source := tmp_path / "a.parquet")
    if kind == "index":
        FRAME.set_index("query_id").rename_axis(None).to_parquet(source := tmp_path / "a.parquet")
    module = "abrank.inputs.score_table.cells_of_objects"
    monkeypatch.setattr(module, lambda *_: pytest.fail("read cell by cell"))
    table = read_score_table(source, is_measure=str.isupper)
    assert table.query.texts() == ["b", "a"] * 2
    np.testing.assert_array_equal(table.value, [0.5, np.nan, 1.0, 0.0])


def test_scattered_queries_are_put_in_order() -> None:
    frame = pd.DataFrame({"qid": ["b", "é", "a"], "AP": [1.0, 2.0, 3.0]})
    scores = read_scores(pa.Table.from_pandas(frame))
    assert scores.query_ids == ("a", "b", "é")
    assert scores.values[:, 0, 0].tolist() == [3.0, 1.0, 2.0]


def test_a_name_in_the_header_longer_than_csv_allows_is_refused_in_a_sentence(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(f"query_id,{'x' * 140_000}\nq1,0.5\n")
    with pytest.raises(AbrankError) as refusal:
        read_scores(path)
    assert "field larger than field limit" in str(refusal.value)


# --- Plain decimals against one regular expression a text

PLAIN = re.compile(rf"-?[0-9]{{1,{MOST_WHOLE}}}(?:\.([0-9]+))?")


def expected(text: str) -> int:
    found = PLAIN.fullmatch(text)
    return -1 if found is None else len(found[1] or "")


def test_short_texts_against_a_regular_expression() -> None:
    random = np.random.default_rng(0)
    texts = ["".join(random.choice(list("01-.e x"), random.integers(0, 6))) for _ in range(4000)]
    texts += ["1" * 17, "1" * 18, "-" + "1" * 17 + ".5", "0." + "3" * 300, "٣", "0.5\x00", "\udce9"]
    assert count_decimals(texts).tolist() == [expected(text) for text in texts]


def test_a_text_of_two_lines_hides_no_number_as_another() -> None:
    assert count_decimals(["0.5", "1\n2", "3"]).tolist() == [-1, -1, -1]
    assert count_decimals(["0.5\n"]).tolist() == [-1]
    assert count_decimals([]).tolist() == []
