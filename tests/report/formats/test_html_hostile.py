"""Ids and names that try to break the page stay text in it."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from abrank import compare_scores
from abrank.comparison import Comparison
from abrank.report.formats.queries import LONGEST
from tests.report.formats.page import island, read
from tests.report.written import html

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "\"'><img src=x onerror=alert(3)>",
    "javascript:alert(4)",
    "\u202eabc\u200f\u2066def",
    "{{ 7 * 7 }}{% raw %}",
    "]]><!--",
    "nul\x00bell\x07",
    "$x_1$ & \\frac{1}{2}",
    "=cmd()",
    "long" * 2500,
]


@pytest.fixture(scope="module")
def hostile() -> Comparison:
    a = pd.Series(np.linspace(0.1, 0.6, len(HOSTILE)), index=pd.Index(HOSTILE))
    b = a + np.linspace(-0.1, 0.3, len(HOSTILE))
    result = compare_scores(a, b, name_a=HOSTILE[0] + "\u202e", name_b=HOSTILE[-1], resamples=999)
    # A frame refuses half of a surrogate pair; other ways in may not.
    ids = tuple("half\ud800pair" if each.startswith("=") else each for each in result.query_ids)
    return replace(result, query_ids=ids)


@pytest.fixture(scope="module")
def hostile_text(hostile: Comparison) -> str:
    return html(hostile)


def test_hostile_ids_and_names_stay_text(hostile_text: str) -> None:
    found = read(hostile_text)
    assert sorted(attrs.get("type") or "" for tag, attrs in found.tags if tag == "script") == [
        "",
        "text/plain",
    ]
    assert [tag for tag, _ in found.tags if tag == "img"] == []
    assert [name for _, attrs in found.tags for name in attrs if name.startswith("on")] == []
    assert all(value.startswith(("#", "data:,")) for value in found.having("href"))
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f]", hostile_text)
    outside = "".join(data for where, data in found.text if "script" not in where)
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", outside)
    assert "{{ 7 * 7 }}{% raw %}" in outside
    hostile_text.encode("utf-8")


def test_hostile_rows_reach_the_script_unchanged(hostile: Comparison, hostile_text: str) -> None:
    values = island(hostile_text)["columns"][0]["values"]
    assert set(values) == {each.replace("\ud800", "?") for each in hostile.query_ids}
    start = hostile_text.index('id="query-data">') + len('id="query-data">')
    assert "<" not in hostile_text[start : hostile_text.index("</script>", start)]


def test_long_ids_are_cut_where_they_are_shown(hostile_text: str) -> None:
    found = read(hostile_text)
    cells = [cell for cells in found.rows for cell in cells]
    assert max(len(cell) for cell in cells) <= LONGEST
    assert len(found.inside("h1")) < 500
