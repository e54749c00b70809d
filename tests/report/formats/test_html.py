"""The tests of ``abrank/report/formats/html.py``."""

import re
from dataclasses import replace
from html import unescape
from xml.etree import ElementTree

import pytest

from abrank import Comparison
from abrank._support import display
from abrank.diagnostics import Note
from abrank.report import compose
from abrank.report.formats.html import MOST_ROWS, TONES, Drawing, breaking, drawing
from tests.report.written import card


def test_names_break_after_what_joins_their_parts() -> None:
    assert breaking("old_run-2.b<x>/y") == "old_<wbr>run-<wbr>2.<wbr>b&lt;x&gt;/<wbr>y"
    assert breaking("plain") == "plain"


def tree(text: str) -> ElementTree.Element:
    """Parse the fragment; its markup is also XML but for the named space."""
    return ElementTree.fromstring(text.replace("&nbsp;", " "))


def drawn(comparison: Comparison) -> Drawing:
    """Return what is drawn of the scorecard, between 150 and 480."""
    card = compose(comparison).scorecard
    assert card is not None
    result = drawing(card, 150.0, 480.0, pixels=330.0)
    assert result is not None
    return result


@pytest.fixture(scope="module")
def better(make) -> Comparison:
    return make(0.06, n=60, measures=3)


def test_card_says_verdict_numbers_and_rule(better: Comparison) -> None:
    text = "".join(tree(card(better)).itertext())
    headline = compose(better).headline
    assert headline.title == "monot5 is better than bm25."
    for part in (headline.glyph, headline.sentence, headline.numbers, headline.rule):
        assert part in text


def test_card_reads_on_any_background(better: Comparison) -> None:
    text = card(better)
    assert "background" not in text
    colours = set(re.findall(r"#[0-9a-fA-F]{3,8}\b", text))
    assert colours <= set(TONES.values())
    assert "currentColor" in text


def test_card_shows_the_numbers_of_the_json(better: Comparison) -> None:
    texts = [element.text for element in tree(card(better)).iter() if element.tag == "text"]
    for row in better.to_dict()["measures"]:
        assert any(text and text.removesuffix(" ★") == row["measure"] for text in texts)
        assert display.signed(row["estimate"]) in texts
        assert display.pvalue(row["pvalue_adj"], alpha=better.rule.alpha) in texts


def test_bars_stand_where_their_numbers_are(better: Comparison) -> None:
    result = drawn(better)
    row, line = better.rows[0], result.rows[0]
    assert line.thick is not None
    (x0, label0), (x1, label1) = result.ticks[0], result.ticks[-1]
    v0, v1 = (float(label.replace("−", "-")) for label in (label0, label1))
    places, values = (*line.thick, line.dot), (row.ci_low, row.ci_high, row.estimate)
    for place, value in zip(places, values, strict=True):
        assert place == pytest.approx(x0 + (value - v0) / (v1 - v0) * (x1 - x0), abs=0.2)


def test_adjusted_interval_is_drawn_thin_and_wider(better: Comparison) -> None:
    for line in drawn(better).rows[1:]:
        assert line.thin[0] <= line.thick[0] < line.dot < line.thick[1] <= line.thin[1]


def test_card_is_small_with_many_measures_and_says_what_it_leaves_out(make) -> None:
    text = card(replace(make(0.06, n=60, measures=26), candidate="x" * 10_000))
    assert len(text.encode()) <= 25_000
    assert f"and {26 - MOST_ROWS} more in .to_frame()" in text


def test_an_interval_without_ends_is_no_bar(make) -> None:
    (line,) = drawn(make(0.05, n=4, test="wilcoxon")).rows
    assert (line.thick, line.dot is None) == (None, False)


def test_card_names_two_notes_and_counts_the_others(better: Comparison) -> None:
    tags = {"system": "a", "tags": ["x", "y"]}
    few = {"n": 5, "too_few": True}
    ranks = {"system": "b", "count": 60}
    order = {"n": 9, "of": 9}
    notes = [
        Note(code, severity, values)
        for code, severity, values in (
            ("few-clusters", 3, few), ("several-tags", 2, tags), ("rank-conflicts", 1, ranks),
            ("order-unknown", 1, order),
        )
    ]  # fmt: skip
    text = unescape(card(replace(better, notes=tuple(notes))))
    assert "Read before you decide: Only 5 clusters of queries; " in text
    assert text.count("has several run tags") == 1
    assert "contradict its scores" not in text
    assert '2 more notes in the report: .report("report.html").' in text


def test_columns_of_a_card_have_heads(better: Comparison) -> None:
    heads = dict(re.findall(r"<text x=\"(\d+)\" y=\"13\"[^>]*>([^<]*)<", card(better)))
    assert heads == {"150": "measure", "496": "Δ", "556": "p", "572": "reading"} | {
        place: text for place, text in heads.items() if "better" in text
    }


@pytest.mark.parametrize(("how", "words", "absent"), [
    ({}, "nDCG@10", "adjusted"),
    ({"require": "better"}, "Gate passed: better on nDCG@10.", "nan"),
    ({"measures": 3}, "monot5", "Gate"),
])  # fmt: skip
def test_a_card_says_what_was_found_and_nothing_of_what_was_not_asked(
    make, how, words, absent
) -> None:
    text = card(make(0.06, n=60, **how))
    assert words in text
    assert absent not in text
