"""The tests of ``abrank/report/formats/text.py``."""

import math
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank import ArgumentError, Comparison, compare_scores
from abrank._support import display as f
from abrank._support.display import display_width
from abrank.diagnostics import Note
from abrank.report import gate_sentence
from abrank.report.formats.text import (
    LEAST,
    Axis,
    TerminalFormat,
    axis,
    draw,
    gate_lines,
    heading,
    scorecard_lines,
)
from abrank.report.model import Bar, Cell, Column, Role, Scale, Scorecard
from tests.report.written import junit, text, text_lines

STYLES = {"", "strong", "a", "b", "muted", "note"}


def widest(shown: str) -> int:
    return max(display_width(line) for line in shown.split("\n"))


@pytest.mark.parametrize("width", [80, 57, 40])
def test_no_line_is_wider_than_asked(situation: Comparison, width: int) -> None:
    assert widest(text(situation, width=width)) <= width
    plain = text(situation, width=width, ascii=True)
    assert widest(plain) <= width
    assert plain.isascii()


def test_hostile_names_and_ids_stay_in_line(hostile: Comparison) -> None:
    visible = text(hostile)
    assert widest(visible) <= 80
    assert all(character.isprintable() or character in f"\n{f.GROUP}" for character in visible)
    assert text(hostile, ascii=True).isascii()


@pytest.mark.slow
@given(st.text(min_size=1, max_size=60), st.text(min_size=1, max_size=60), st.integers(40, 100))
def test_any_name_fits(make, a, b, width) -> None:
    assert widest(text(replace(make(0.05, n=3), baseline=a, candidate=b), width=width)) <= width


def test_ready_scores_on_another_scale_are_not_drawn() -> None:
    ids = ["1", "2", "3", "4"]
    a = pd.DataFrame({"unit": [0.1, 0.2, 0.3, 0.4], "ms": [100.0, 90.0, 80.0, 85.0]}, index=ids)
    b = pd.DataFrame({"unit": [0.2, 0.2, 0.4, 0.6], "ms": [99.0, 95.0, 70.0, 90.0]}, index=ids)
    visible = text(compare_scores(a, b))
    assert "●" not in next(part for part in visible.split("\n") if part.startswith("ms"))
    assert "1 measure on another scale, not drawn" in " ".join(visible.split())


@pytest.mark.parametrize(("scale", "digits"), [(1.0, 6), (1e9, 3)])
def test_measures_with_long_names_and_large_scores_fit(scale: float, digits: int) -> None:
    names = ["nDCG(dcg='exp-log2')@100", "AP", "RBP(p=0.8)", "NumRet", "Success@1", "Bpref"]
    rng = np.random.default_rng(60)
    a = pd.DataFrame(rng.random((60, 6)) * scale, columns=names)
    b = a + rng.normal(0.02, 0.1, (60, 6)) * scale
    long = {"name_a": "a-long-name-of-a-ranker-k1=0.9" * 3, "name_b": "cross-encoder/ms" * 5}
    comparison = compare_scores(a, b, measures=names, margin=0.01, resamples=99, **long)
    visible = text(comparison, digits=digits)
    assert widest(visible) <= 80
    assert all(f.signed(row.diff, digits=digits) in visible for row in comparison.rows)


def test_two_scales_of_one_kind_are_drawn_together(make) -> None:
    visible = text(make(0.05, measures=3))
    assert visible.count("●") == 3
    assert "another scale" not in visible


def test_styles_are_the_known_ones_and_join_to_the_text(situation: Comparison) -> None:
    lines = text_lines(situation)
    assert {span.style for line in lines for span in line} <= STYLES
    joined = "\n".join("".join(span.text for span in line).rstrip() for line in lines)
    assert joined == text(situation)


def test_colours_name_the_winner(make) -> None:
    assert text_lines(make(0.05))[0][0].style == "b"
    assert text_lines(make(-0.05))[0][0].style == "a"
    assert text_lines(make(0.0))[0][0].style == "strong"


def test_the_line_at_zero_has_no_winner(make) -> None:
    row = next(line for line in text_lines(make(0.05)) if any("●" in span.text for span in line))
    assert [span.style for span in row if "┊" in span.text] == ["muted"]
    assert [span.style for span in row if "●" in span.text] == ["b"]
    crossed = next(line for line in text_lines(make(0.0)) if any("●" in x.text for x in line))
    assert not any("┊" in span.text for span in crossed)


@pytest.mark.parametrize(("mean", "style"), [(0.05, "b"), (0.0, "note")])
def test_gate_has_its_style(make, mean, style) -> None:
    last = [line for line in text_lines(make(mean, require="better")) if line]
    assert next(line for line in last if line[0].text.startswith("gate"))[0].style == style


def test_equivalence_names_the_interval_that_decided(make) -> None:
    visible = text(make(0.001, margin=0.03), detail="all")
    assert "+0.001  90% CI −0.016 to +0.018" in visible
    assert "margin 0.030, judged by the 90% interval" in " ".join(visible.split())
    # The 95% interval and the p of a difference from 0 do not stand beside it.
    assert "95% CI" not in visible
    assert "  p 0" not in visible.split("measure ")[0]


def tied(count: int) -> Note:
    return Note("rank-conflicts", 1, {"system": "b", "count": count})


def test_two_titles_of_notes_stand_on_the_first_screen_and_the_others_are_counted(make) -> None:
    few = Note("few-clusters", 3, {"n": 5, "too_few": True})
    extra = [Note(code, 1, values) for code, values in (
        ("several-tags", {"system": "a", "tags": ["x", "y"]}),
        ("order-unknown", {"n": 9, "of": 9}),
    )]  # fmt: skip
    # Those of A and B are one.
    comparison = replace(make(0.05), notes=(tied(60), tied(61), few))
    first, second = (line for line in text(comparison).splitlines() if line.startswith("note "))
    assert first == "note      Only 5 clusters of queries (abrank guide few-clusters)"
    assert second.startswith(
        "note      The ranks of monot5 contradict its scores in 60 queries; The"
    )
    four = text(replace(comparison, notes=(*comparison.notes, *extra)))
    assert sum(line.startswith("note ") for line in four.splitlines()) == 2
    assert four.endswith("2 more notes: -v")
    everything = text(replace(comparison, notes=(*comparison.notes, *extra)), detail="all")
    assert sum(line.startswith("note ") for line in everything.splitlines()) == 4
    assert "So few cannot be significant" in everything


def test_next_step_stands_on_a_line_of_its_own(make) -> None:
    assert "\nnext      Ship monot5 if any gain is worth the change." in text(make(0.05))


@pytest.mark.parametrize("width", [60, 80])
def test_a_gate_is_wrapped_as_the_other_lines_are(make, width) -> None:
    comparison = make(0.005, margin=0.005, require="non-inferior")
    lines = gate_lines(gate_sentence(comparison), width=width).split("\n")
    assert len(lines) > 1
    assert max(map(len, lines)) <= width
    assert lines[0].startswith("gate      not passed: nDCG@10 may have lost 0.005 or more")
    headline_alone = text(comparison, detail="headline", width=width)
    assert headline_alone.startswith("? INCONCLUSIVE")
    assert "\n".join(lines) in headline_alone
    assert "measure" not in headline_alone


def test_too_narrow_is_refused(make) -> None:
    with pytest.raises(ArgumentError, match="at least 40"):
        text(make(0.05), width=39)


def test_a_measure_that_points_the_other_way_is_named_under_the_bars() -> None:
    a = {f"q{i}": {"AP": 0.3 + i / 50, "Unj@10": 0.5 - i / 90} for i in range(20)}
    b = {q: {"AP": row["AP"] + 0.1, "Unj@10": row["Unj@10"] ** 2} for q, row in a.items()}
    frames = [pd.DataFrame.from_dict(item, orient="index") for item in (a, b)]
    assert "Unj@10: lower is better, so left of 0 B is better" in text(
        compare_scores(*frames, measures=["AP", "Unj@10"])
    )


number = st.floats(-1, 1, allow_nan=False)


def bar(estimate: float, thick: float, thin: float) -> Bar:
    low, high = estimate - thick, estimate + thick
    return Bar(estimate, low, high, low - thin, high + thin)


@given(
    st.lists(st.builds(bar, number, st.floats(0, 0.5), st.floats(0, 0.5)), min_size=1, max_size=6),
    st.integers(LEAST, 40),
)
def test_zero_is_covered_exactly_when_the_wider_interval_contains_it(bars, width) -> None:
    scale = axis(bars, width)
    if scale is None:
        assert all(element.estimate == element.thin_low == 0 for element in bars)
        return
    assert 0 < scale.zero < width - 1
    for item in bars:
        sample = draw(item, scale)
        assert len(sample) == width
        assert sample.count("●") == 1
        assert (sample[scale.zero] == "┊") == (item.thin_low > 0 or item.thin_high < 0)


def test_dot_lies_on_the_side_of_its_estimate() -> None:
    wide, near = bar(0.5, 0.4, 0.0), bar(0.002, 0.001, 0.0)
    scale = axis([wide, near], 20)
    assert draw(near, scale).index("●") == scale.zero + 1
    assert draw(bar(-0.002, 0.001, 0.0), scale).index("●") == scale.zero - 1


def test_infinite_interval_fills_the_row_and_undefined_draws_nothing() -> None:
    scale = axis([bar(0.1, 0.05, 0.0)], 20)
    assert scale is not None
    assert " " not in draw(bar(0.1, math.inf, 0.0), scale)
    assert set(draw(bar(math.nan, math.nan, math.nan), scale)) == {" ", "┊"}
    assert draw(Bar(0.1, math.nan, math.nan), scale).count("●") == 1


def test_no_axis_without_room_or_differences() -> None:
    assert axis([bar(0.1, 0.05, 0.0)], LEAST - 1) is None
    assert axis([bar(0.0, 0.0, 0.0)], 30) is None


@given(st.floats(-1, -0.001), st.floats(0.001, 1), st.integers(LEAST, 40))
def test_the_heading_is_split_where_zero_stands(low: float, high: float, width: int) -> None:
    scale = Axis(low, high, width)
    visible = heading(scale, "A better", "B better")
    assert len(visible) == width
    assert visible[scale.zero] == "┊"


def test_a_guard_marks_the_loss_it_must_exclude_also_under_its_interval() -> None:
    selected, lost = (bar(x, 0.05, 0.0)._replace(limit=-0.08) for x in (0.0, -0.07))
    scale = axis([selected, lost], 31, reach=(0.2,))
    assert scale.high == 0.2
    for item, inside in ((selected, False), (lost, True)):
        sample = draw(item, scale)
        assert (sample.index("╎") > sample.index("━")) is inside


def test_means_give_way_to_the_drawing_where_no_column_has_its_limits() -> None:
    roles: tuple[Role, ...] = ("name", "mean", "change", "interval", "reading")
    without: tuple[Role, ...] = ("name", "mean", "mean", "change", "reading")
    for visible, sample in ((without, True), (roles, False)):
        columns = tuple(Column(str(role), role=role) for role in visible)
        cells = tuple(Cell("0.123 to 0.456" if role == "interval" else "0.123") for role in visible)
        card = Scorecard("k", columns, (cells,), bars=(bar(0.1, 0.05, 0.0),), scale=Scale("a", "b"))
        lines = [
            "".join(text for text, _ in scorecard_line)
            for scorecard_line in scorecard_lines(card, TerminalFormat(48, plain=False))
        ]
        assert ("●" in lines[1]) is sample
        assert ("mean" in lines[0]) is not sample


A = {f"q{i}": 0.1 + i / 100 for i in range(12)}
B = {query: score + 0.05 + (score / 20) for query, score in A.items()}


@pytest.mark.parametrize(("how", "failures"), [
    ({}, 0),
    ({"require": "better"}, 0),
    ({"require": "better", "margin": 0.5}, 1),
    ({"require": "better", "guard": ["score:-0.01"]}, 0),
    ({"require": "equivalent", "margin": 0.01, "guard": ["score:-0.01"]}, 1),
])  # fmt: skip
def test_failures_are_what_did_not_pass(how, failures) -> None:
    comparison = compare_scores(A, B, **how)
    root = ET.fromstring(junit(comparison))
    assert root.get("failures") == str(failures)
    assert len(list(root.iter("failure"))) == failures
    assert len(list(root.iter("testcase"))) == 1 + len(how.get("guard", ()))
    gate = comparison.decision.gate
    assert (failures == 0) == (gate is None or gate.passed)


def test_names_cannot_break_the_file() -> None:
    name = 'a"<b>&\x00\x1b[31m]]>\ud800'
    root = ET.fromstring(junit(compare_scores(A, B, name_b=name, require="better")))
    assert '"<b>&' in str(root[0].get("name"))


def test_a_line_that_goes_on_begins_with_no_blank() -> None:
    parts = "queries won 47 \N{NO-BREAK SPACE}smallest"
    assert TerminalFormat(15, plain=False).wrap(parts) == ["queries won 47", "smallest"]


def test_a_row_draws_the_deciding_interval_thick() -> None:
    assert (
        draw(Bar(0.1, 0.04, 0.16, -0.02, 0.22), Axis(-0.02, 0.22, 25))
        == "──┼───━━━━━━●━━━━━━──────"
    )
