"""What a file is, by how it begins."""

from __future__ import annotations

import pytest

from abrank.inputs.files import likeness


@pytest.mark.parametrize(
    ("start", "found"),
    [
        (b"301 Q0 d1 1 2.5 x\n302 Q0 d2", "a TREC run"),
        (b"# by hand\n301\t0\td1\t1\n", "TREC judgments"),
        (b"301 d1 2.5\n", "a run of three columns"),
        (b"301 d1 2.5\n302 Q0 d1 1 2.5 x\n301 d1 2.5\n", ""),
        (b"2 qid:1 1:0.5\n", "LETOR lines"),
        (b'{"q1": {"d1": 1}}', "JSON"),
        (b"query_id\tdoc_id\tscore\n", "a table of text"),
        (b"PAR1\x15", "a file of Parquet"),
        (b"ARROW1\0\0", "a file of Feather"),
        (b"\x04\x22\x4d\x18", "a file of ranx"),
        (b"<!DOCTYPE html>\n<html>\n", "a page of HTML"),
        (b"\x89PNG\r\n\x1a\n", ""),
        (b"", ""),
    ],
)
def test_the_likeness_of_a_file(start: bytes, found: str) -> None:
    assert likeness(start) == found
