"""Arrow's reader of ready scores gives what the careful one gives: rows and words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank import AbrankError, read_scores
from abrank.inputs.scores import fast
from abrank.inputs.scores.table import read_score_table

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
        patch.setattr(fast, "of_text", lambda *_: None)
        assert found == outcome(path)


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
    module = "abrank.inputs.scores.table.cells_of_text"
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
    module = "abrank.inputs.scores.table.cells_of_objects"
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
