"""Text in columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank.report import cells


@given(st.text(max_size=80), st.integers(1, 40))
def test_fit_never_exceeds_the_width(text: str, width: int) -> None:
    assert cells.columns(cells.fit(text, width)) <= width


@given(st.text(max_size=200), st.integers(2, 60))
def test_wrap_never_exceeds_the_width(text: str, width: int) -> None:
    assert all(cells.columns(line) <= width for line in cells.wrap(text, width))


@given(st.lists(st.text("abc", min_size=1, max_size=8), min_size=1), st.integers(8, 40))
def test_wrap_keeps_every_word(words: list[str], width: int) -> None:
    assert " ".join(cells.wrap(" ".join(words), width)).split() == words


@given(st.text(max_size=100))
def test_one_line_is_printable(text: str) -> None:
    shown = cells.one_line(text, width=50)
    assert len(shown) <= 50
    assert shown.replace("\u202f", "").isprintable()


@given(st.text(max_size=100))
def test_to_ascii_is_ascii(text: str) -> None:
    assert cells.to_ascii(text).isascii()


@pytest.mark.parametrize(("text", "wide"), [("abc", 3), ("検索", 4), ("e\u0301", 1), ("−∞", 2)])
def test_columns(text: str, wide: int) -> None:
    assert cells.columns(text) == wide


def test_fit_keeps_both_ends() -> None:
    assert cells.fit("nDCG(dcg='exp-log2')@100", 12).endswith("@100")


def test_left_and_right_fill() -> None:
    assert (cells.left("検", 4), cells.right("検", 4)) == ("検  ", "  検")
