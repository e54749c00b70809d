from __future__ import annotations

import gzip
import json

import pytest

from abrank._support.errors import ReadError
from abrank.inputs.topics import LONGEST, read_documents


def test_json_lines_and_tabs_give_titles_and_texts_of_what_is_wanted(tmp_path) -> None:
    records = [
        {"_id": "d1", "title": "Tea", "text": "All about\npots"},
        {"docno": "d2", "contents": "x" * 500},
        {"doc_id": "d3", "title": "not wanted"},
    ]
    path = tmp_path / "docs.jsonl.gz"
    path.write_bytes(gzip.compress("".join(json.dumps(each) + "\n" for each in records).encode()))
    found = read_documents(path, {"d1", "d2", "d9"})
    assert found["d1"] == "Tea – All about pots"
    assert len(found["d2"]) == LONGEST
    assert sorted(found) == ["d1", "d2"]
    table = tmp_path / "docs.tsv"
    table.write_text("d1\tTea\tAll about pots\n\nd2\tLamps\n")
    assert read_documents(table, {"d1", "d2"}) == {"d1": "Tea – All about pots", "d2": "Lamps"}


def test_a_file_of_something_else_is_refused(tmp_path) -> None:
    path = tmp_path / "docs"
    for text in ("301 0 d1 1\n", '{"_id": "d1", "text": \n'):
        path.write_text(text)
        with pytest.raises(ReadError, match="line 1: no document id and text"):
            read_documents(path, {"d1"})


def test_a_later_line_that_is_no_json_is_passed_over(tmp_path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"_id": "d1", "text": "pots"}\n{"_id": "d2"\n{"_id": "d3", "text": "tea"}\n')
    assert read_documents(path, {"d1", "d2", "d3"}) == {"d1": "pots", "d3": "tea"}
