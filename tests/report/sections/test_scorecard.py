"""The tests of ``abrank/report/sections/scorecard.py``."""

from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pytest

from abrank._support import display as f
from abrank.comparison import Comparison, compare_scores
from abrank.comparison.groups import Segmentation, SegmentRow
from abrank.report.formats.html import drawing
from abrank.report.model import Scorecard, Table, Text, Words
from abrank.report.sections.scorecard import (
    MOST,
    all_tests,
    exploratory,
    measures_finding,
    scorecard,
    segments,
    segments_sentence,
)
from tests.report.conftest import Make, _with_machine
from tests.report.written import card, text


def row(label: str, reading: str, n: int = 10) -> SegmentRow:
    return SegmentRow(label, n, 0.1, 0.05, 0.15, 0.02, 0.18, 0.01, 0.03, reading)


def segmentation(*readings: str, p: float = 0.3) -> Segmentation:
    rows = tuple(row(f"s{i}", reading) for i, reading in enumerate(readings))
    return Segmentation("intent", ("s0",), rows, p / 2, reversal=False, interaction_pvalue_adj=p)


def test_one_measure_decides_alone() -> None:
    assert (
        measures_finding(compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6}))
        == "One measure was compared, and it decides: score."
    )


@pytest.mark.parametrize(("readings", "p", "words"), [
    (("better", "better", "unclear", "worse"), 0.01,
     "Segments by intent, after adjustment: 2 better, 1 worse, 1 unclear; the segments"
     " differ (p = 0.010 for interaction)."),
    (("unclear", "too few"), float("nan"),
     "Segments by intent, after adjustment: 1 unclear, 1 too few; whether the segments"
     " differ cannot be tested."),
    (("unclear", "unclear", "too few"), 0.3,
     "Segments by intent, after adjustment: 2 unclear, 1 too few; the segments do not differ"
     " significantly (p = 0.300 for interaction)."),
])  # fmt: skip
def test_sentence(make: Make, readings: tuple[str, ...], p: float, words: str) -> None:
    assert segments_sentence(make(0.05), segmentation(*readings, p=p)) == words


def test_no_section_without_segments(make: Make) -> None:
    assert segments(make(0.05)) is None


def test_section_says_first_that_it_is_exploratory(runs: Comparison) -> None:
    result = segments(runs)
    assert result.title == "Segments"  # what stands under it begins with the word
    assert result.finding.startswith("Exploratory. Segments by intent, after adjustment: ")
    assert "Segments by length, after adjustment: " in result.finding


def test_tables_are_the_segments_under_all_queries(runs: Comparison) -> None:
    tables = [block for block in segments(runs).blocks if isinstance(block, Table)]
    for table, expected in zip(tables, runs.segmentations, strict=True):
        assert table.rows[0][0].text == "All queries"
        assert table.rows[0][2].text == f.signed(runs.mean_difference)
        for cells, item in zip(table.rows[1:], expected.rows, strict=True):
            assert cells[0].text == item.label
            assert cells[1].text == f.count(item.n_queries)
            assert cells[2].text == f.signed(item.mean)
            if item.reading == "too few":
                assert [cell.text for cell in cells[3:]] == ["", "", "", "too few"]
                continue
            assert cells[4].text == f.interval(item.ci_low_adj, item.ci_high_adj)
            assert cells[5].text == f.pvalue(item.pvalue_adj)
            excludes = item.ci_low_adj > 0 or item.ci_high_adj < 0
            assert excludes == (item.pvalue_adj < 0.05) == (cells[6].text[0] in "▲▼")


def test_segments_share_one_axis_and_are_explained_once(runs: Comparison) -> None:
    cards = [block for block in segments(runs).blocks if isinstance(block, Scorecard)]
    assert len(cards) == 2
    first, last = (drawing(card, 0.0, 100.0, pixels=200.0) for card in cards)
    assert (first.zero, first.ticks) == (last.zero, last.ticks)
    assert [bool(card.legend) for card in cards] == [False, True]


def test_one_interval_that_decides_has_its_level_in_the_heading(make: Make) -> None:
    for measures, heading, limits in (
        (1, "90% interval", "−0.007 to +0.027"),
        (2, "95% interval", "−0.007 to +0.027 (90%)"),
    ):
        card = scorecard(make(0.01, margin=0.02, measures=measures))
        place = next(i for i, column in enumerate(card.columns) if column.role == "interval")
        assert (card.columns[place].title, card.rows[0][place].text) == (heading, limits)


def test_the_test_that_decides_is_drawn_beside_the_others() -> None:
    board = all_tests(_with_machine()).blocks[0]
    assert isinstance(board, Scorecard)
    undrawn = [row[1].text for row, bar in zip(board.rows, board.bars, strict=True) if bar is None]
    assert undrawn == ["net share of decided queries won"]


def test_only_the_largest_segments_are_shown(make: Make) -> None:
    result = segments(replace(make(0.05), segmentations=(segmentation(*["unclear"] * (MOST + 5)),)))
    assert len(next(block for block in result.blocks if isinstance(block, Table)).rows) == MOST + 1
    assert any(
        isinstance(block, Text) and f"The {MOST} largest of {MOST + 5}" in block.text
        for block in result.blocks
    )


def test_terminal_and_card_say_the_same(runs: Comparison) -> None:
    visible = text(runs)
    assert max(map(len, visible.splitlines())) <= 80
    joined = " ".join(visible.split())
    assert f"segments {exploratory(runs)}" in joined
    assert exploratory(runs)[:380] in unescape(card(runs))
    assert "Exploratory" not in card(replace(runs, segmentations=()))


def test_a_cost_beside_a_gain_is_drawn_by_what_is_higher_and_a_mean_of_0_has_no_share() -> None:
    noise = np.resize([0.01, -0.01], 40)
    a = pd.DataFrame({"nDCG": 0.5 + noise, "ms": 90.0 + noise, "errors": 0.0})
    b = a.assign(nDCG=a["nDCG"] + 0.02 - noise, ms=93.0, errors=np.resize([0.0, 1.0], 40))
    costs = ["ms", "errors"]
    result = compare_scores(a, b, measures=["nDCG", *costs], lower_is_better=costs, margin="2%")
    card = scorecard(result)
    assert (card.scale.left, card.scale.right) == ("A higher", "B higher")
    assert card.bars[1] is not None
    assert card.bars[2] is None
    change, limits = (next(i for i, column in enumerate(card.columns) if column.role == role)
                      for role in ("change", "interval"))  # fmt: skip
    assert [row[change].text for row in card.rows] == ["+4.00%", "+3.33%", "+0.5000"]
    errors = result["errors"]
    w = Words(result)
    assert card.rows[2][limits].text == w.interval(errors.ci_low_adj, errors.ci_high_adj)
    alone = scorecard(compare_scores(a[["ms"]], b[["ms"]], lower_is_better="ms"))
    assert (alone.scale.left, alone.scale.right) == ("B better", "A better")


def test_the_limit_of_a_guard_is_explained_where_it_is_drawn() -> None:
    noise = np.resize([0.01, -0.01], 40)
    a = pd.DataFrame({"nDCG": 0.5 + noise, "R@100": 0.8 - noise, "clicks": 30.0 + noise})
    for guard, explained in (("R@100:-0.02", True), ("clicks:-1", False)):
        card = scorecard(compare_scores(a, a + noise[:, None], measures="nDCG", guard=guard))
        assert ("Tick: the loss that a guard must exclude" in card.legend) is explained


def test_a_row_has_the_decimals_of_its_own_interval_where_those_of_the_primary_hide_it() -> None:
    wave = np.resize([0.3, -0.3], 4000)
    rare = np.arange(4000)
    a = pd.DataFrame({"nDCG": 0.5 + wave, "booked": 1.0 * (rare % 1000 == 0), "ms": 90.0})
    b = a.assign(
        nDCG=0.5 - wave, booked=1.0 * (rare % 800 == 0), ms=93.0 + np.resize([5.0, -5.0], 4000)
    )
    result = compare_scores(a, b, measures=["nDCG", "booked", "ms"], lower_is_better="ms")
    card = scorecard(result)
    # Three decimals, those of nDCG, would be 0.001 and 0.001 beside +0.0003.
    assert [[cell.text for cell in row[1:4]] for row in card.rows] == [
        ["0.500", "0.500", "0.000"],
        ["0.0010", "0.0013", "+0.0003"],
        ["90.000", "93.000", "+3.000"],
    ]
    assert scorecard(replace(result, digits=3)).rows[1][1].text == "0.001"
