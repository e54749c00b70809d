"""A packed file has one bound of bytes, and one of rows where it is packed beyond reason."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from abrank import ReadError, read_qrels, read_run, read_scores
from abrank.inputs import read_judged_run, storage
from abrank.inputs.topics import read_segments
from abrank.inputs.votes import read_votes

ROWS = 20_000


def judged(path):
    return read_judged_run(read_qrels({"q1": {"d1": 1}}), path)


# What reads it, its first line, and a line of it: the same lines pack best.
TEXTS = {
    "judgments": (read_qrels, "", "q1 0 d1 1\n"),
    "a run": (read_run, "", "q1 Q0 d1 1 0.5 t\n"),
    "a run that is read as it comes": (judged, "", "q1 Q0 d1 1 0.5 t\n"),
    "a table": (read_qrels, "query_id,doc_id,relevance\n", "q1,d1,1\n"),
    "scores": (read_scores, "", "map q1 0.5\n"),
    "segments": (read_segments, "qid,device\n", "q1,mobile\n"),
    "votes": (read_votes, "query_id,winner\n", "q1,A\n"),
    "JSON lines": (read_qrels, "", '{"query_id": "q1", "doc_id": "d1", "relevance": 1}\n'),
    "JSON": (read_qrels, "[", '["q1", "d1", 1], '),
}
TABLE = pa.table({"query_id": ["q1"] * ROWS, "doc_id": ["d1"] * ROWS, "score": [0.5] * ROWS})
REFUSED = "more than 1,000 rows, packed beyond 200 to 1"


@pytest.mark.parametrize("form", TEXTS)
def test_rows_that_are_packed_beyond_reason_are_refused(form, tmp_path, monkeypatch) -> None:
    reader, first, line = TEXTS[form]
    path = tmp_path / "bomb"
    path.write_bytes(gzip.compress((first + line * ROWS).encode()))
    monkeypatch.setattr(storage, "MOST_ROWS", 1000)
    with pytest.raises(ReadError, match=REFUSED) as caught:
        reader(path)
    assert "write it as text that is not packed" in str(caught.value)


@pytest.mark.parametrize("write", [pq.write_table, feather.write_feather])
def test_rows_of_a_table_are_bounded_likewise(write, tmp_path, monkeypatch) -> None:
    path = tmp_path / "bomb"
    write(pa.table(dict.fromkeys(TABLE.column_names, pa.nulls(ROWS))), path, compression="zstd")
    monkeypatch.setattr(storage, "MOST_ROWS", 1000)
    with pytest.raises(ReadError, match=REFUSED):
        read_run(path)
    monkeypatch.setattr(storage, "MOST_ROWS", ROWS)
    with pytest.raises(ReadError, match="row 0: query_id is missing"):
        read_run(path)


def test_rows_that_pack_as_others_do_may_be_any_number(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(storage, "MOST_ROWS", 1000)
    text = "".join(f"q{i} 0 d{i * 7919 % 99991} 1\n" for i in range(ROWS)).encode()
    packed, plain = tmp_path / "packed", tmp_path / "plain"
    packed.write_bytes(gzip.compress(text))
    plain.write_bytes(b"map q1 0.5\n" * ROWS)
    assert len(read_qrels(packed)) == ROWS
    with pytest.raises(ReadError, match="several scores of map"):  # it was read to its end
        read_scores(plain)


def test_the_bound_of_bytes_is_that_of_the_call(tmp_path) -> None:
    path = tmp_path / "a"
    for write in (pq.write_table, feather.write_feather):
        write(TABLE, path)
        with pytest.raises(ReadError, match="holds more than 1K bytes, the most that is read"):
            read_run(path, max_input_size=1 << 10)
    path.write_bytes(b"q1 0 d1 1\n" * 200)
    with pytest.raises(ReadError, match="holds more than 1K bytes, the most that is read"):
        read_qrels(path, max_input_size=1 << 10)
