"""What several collections say, in a sentence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abrank.collections import compare_collections
from abrank.report.collections import words
from abrank.report.collections.page import collections_html
from abrank.report.collections.text import collections_text


@pytest.fixture(scope="module")
def found():
    a = {f"q{i}": (7 * i % 20) / 20 for i in range(20)}
    b = {query: 0.9 * value + 0.08 for query, value in a.items()}
    return compare_collections({"x": (a, b), "y": (a, b), "<z>": (a, a)})


@pytest.mark.parametrize(
    ("these", "like", "said"),
    [
        ("better", "better", "B is better than A on these collections, and on average on others"),
        ("worse", "unclear", "B is worse than A on these collections; on collections like them"),
        ("better", "worse", "B is better than A over all queries, but worse on average"),
        ("unclear", "worse", "B is worse than A on average over collections like these; over all"),
        ("unclear", "unclear", "These 3 collections cannot tell A and B apart."),
        ("identical", "identical", "A and B score the same on every query of every collection."),
    ],
)
def test_the_title_answers_both_questions(found, these, like, said) -> None:
    primary = replace(
        found.primary,
        stratified=replace(found.primary.stratified, reading=these),
        random=replace(found.primary.random, reading=like),
    )
    assert words.title(replace(found, measures=(primary,))).startswith(said)


def test_ascii_and_narrow_text(found) -> None:
    text = collections_text(found, width=40, ascii=True)
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= 40


def test_names_cannot_break_the_page(found) -> None:
    page = collections_html(found)
    assert "<z>" not in page
    assert "&lt;z&gt;" in page
    assert page.count("<details") == 3
    assert "<script" not in page
