"""Text in columns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support import display as cells
from abrank._support.display import (
    clean,
    cut,
    display_width,
    fit,
    one_line,
    pad_left,
    pad_right,
    to_ascii,
    wrap,
)  # fmt: skip

# One or more of each kind: narrow, wide, of no width, a control, an override, half a pair. The
# night draws any letter, in tests/report/formats/test_text.py.
LETTERS = st.sampled_from(
    "ab ,'検é−\u0301\u200b\u200d\ufe0f\U0001f600\t\n\x1b\x9b\xa0\xad\u202e\u2028\ud800"
)


@given(st.text(LETTERS, max_size=80), st.integers(1, 40))
def test_fit_never_exceeds_the_width(text: str, width: int) -> None:
    assert cells.display_width(cells.fit(text, width)) <= width


@given(st.text(LETTERS, max_size=200), st.integers(2, 60))
def test_wrap_never_exceeds_the_width(text: str, width: int) -> None:
    assert all(cells.display_width(line) <= width for line in cells.wrap(text, width))


@pytest.mark.slow
@given(st.lists(st.text("abc", min_size=1, max_size=8), min_size=1), st.integers(8, 40))
def test_wrap_keeps_every_word(words: list[str], width: int) -> None:
    assert " ".join(cells.wrap(" ".join(words), width)).split() == words


@given(st.text(LETTERS, max_size=100))
def test_one_line_is_printable(text: str) -> None:
    visible = cells.one_line(text, width=50)
    assert len(visible) <= 50
    assert visible.replace("\u202f", "").isprintable()


@given(st.text(LETTERS, max_size=100))
def test_to_ascii_is_ascii(text: str) -> None:
    assert cells.to_ascii(text).isascii()


@pytest.mark.every_case
@pytest.mark.parametrize(("visible", "expected"), [
    ([*map(display_width, ("abc", "検索", "e\u0301", "−∞"))], [3, 4, 1, 2]),
    ((pad_right("検", 4), pad_left("検", 4)), ("検  ", "  検")),
    (one_line("two\nlines", width=40), "two\\nlines"),
    (one_line("abcdefghij", width=5), "ab…ij"),
    (to_ascii("Δ −0.010 · café"), "diff -0.010 - caf\\xe9"),
    (to_ascii("B\N{NO-BREAK SPACE}wins 12\N{NARROW NO-BREAK SPACE}000"), "B wins 12000"),
    (fit("nDCG(dcg='exp-log2')@10", 12), "nDCG(d…')@10"),
    ([fit("AP", width) for width in (12, 1)], ["AP", "A"]),
    (wrap("about 810 queries would show", 12), ["about 810", "queries", "would show"]),
    (clean("a\u202eb"), "a\ufffdb"),
    ([cut("x" * 500, 5), cut("q1", 5), cut("one two three", 12)], ["xxxx…", "q1", "one two…"]),
])  # fmt: skip
def test_text_is_fitted_into_columns(visible: object, expected: object) -> None:
    assert visible == expected


def test_names_are_cut_where_they_differ() -> None:
    names = [f"prompt_{i}/{model}" for i in "12" for model in ("gpt-4o-mini", "llama-3-70b-mini")]
    short = cells.fit_apart([*names, *names[:1]], 15)
    assert max(map(len, short)) <= 15
    assert len({*short}) == 4
    names = ["system", *(f"system number {i} with a name" for i in range(9))]
    middle = cells.fit_apart(names, 15, mark="..")  # below the head of their column
    assert (len({*middle}), max(map(len, middle))) == (10, 15)
    assert middle[:2] == ["system", "..0 with a name"]
    assert cells.fit_apart(["a" * 30, "a" * 31], 9) == ["aaaa…aaaa"] * 2  # nothing tells them apart
