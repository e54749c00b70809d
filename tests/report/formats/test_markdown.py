"""The comment on a change request: it renders, it fits, nothing breaks out of it."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from abrank import Comparison, compare_scores
from abrank._support import display as f
from abrank.diagnostics import Note
from abrank.report.formats.markdown import LARGEST
from abrank.report.sections.appendix import methods_text
from tests.report.formats.page import OF_MARKDOWN, rendered
from tests.report.written import markdown


def test_it_renders_as_headline_tables_and_details(situation: Comparison) -> None:
    page = rendered(markdown(situation))
    assert page.tags[0][0] == "h3"
    assert page.kinds <= OF_MARKDOWN
    assert page.tags.count(("details", {})) == 1
    assert len(page.tables) == (2 if situation.n_queries else 1)
    for table in page.tables:
        assert len({len(row) for row in table}) == 1


def test_hostile_names_and_ids_stay_text(hostile: Comparison) -> None:
    page = rendered(markdown(hostile))
    assert page.kinds <= OF_MARKDOWN
    measures, queries = page.tables
    assert [len(row) for row in measures] == [7] * 4
    assert [len(row) for row in queries] == [5] * 16
    visible = {row[0] for row in queries[1:]}
    texts = {query.replace("\n", "\\n").replace("\r", "\\r") for query in hostile.query_ids}
    plain = {query for query in texts if len(query) < 60 and query.isprintable()} - {"@octocat"}
    assert len(visible & plain) >= 4
    assert " @octocat" not in page.visible
    assert "| @octocat" not in markdown(hostile)


@pytest.mark.parametrize(
    "name", ["- x", "1. x", "1) x", "# x", "> x", "+ x", "= x", "    x", "* x"]
)
def test_a_measure_cannot_begin_a_block(name: str) -> None:
    a = pd.DataFrame({name: [0.1, 0.2, 0.3]}, index=["1", "2", "3"])
    b = pd.DataFrame({name: [0.2, 0.4, 0.6]}, index=["1", "2", "3"])
    page = rendered(markdown(compare_scores(a, b)))
    assert page.kinds <= OF_MARKDOWN
    assert f"{name.strip()}: " in page.visible.replace("\u2060", "")
    before_table = [tag for tag, _ in page.tags]
    before_table = before_table[: before_table.index("table")]
    assert {*before_table} <= {"h3", "p", "strong"}


def test_segments_have_a_table_each() -> None:
    rng = np.random.default_rng(3)
    a = {f"q{i}": float(x) for i, x in enumerate(rng.random(60))}
    b = {query: x + 0.2 * float(rng.random()) for query, x in a.items()}
    evil = "a | b <script> @octocat"
    segments = {
        "intent": {query: "buy" if i % 3 else "know" for i, query in enumerate(a)},
        evil: {query: f"{evil}{i % 2}" for i, query in enumerate(a)},
    }
    comparison = compare_scores(a, b, segments=segments)
    page = rendered(markdown(comparison))
    assert page.kinds <= OF_MARKDOWN
    by_intent, by_evil = page.tables[2:]
    rows = {row[0]: row for row in by_intent[1:]}
    for item in comparison.segmentations[0].rows:
        assert rows[item.label][1:3] == [f.count(item.n_queries), f.signed(item.mean)]
    assert {len(row) for row in by_evil} == {len(by_evil[0])}
    assert "Segments. Exploratory. Segments by intent, after adjustment: " in page.visible


@pytest.mark.slow
def test_many_segments_with_endless_names_fit() -> None:
    a = {f"q{i}": 0.01 * (i * 7 % 60) for i in range(60)}
    b = {query: 0.9 * x + 0.1 for query, x in a.items()}
    segments = {
        f"{k}{'|<' * 500}": {query: f"{'|<&' * 3_000}{i % 30}" for i, query in enumerate(a)}
        for k in range(6)
    }
    source = markdown(compare_scores(a, b, segments=segments))
    assert len(source.encode()) <= LARGEST
    page = rendered(source)
    assert page.kinds <= OF_MARKDOWN
    assert "2 more tables not shown." in page.visible


def test_notes_and_gate_and_command_are_there(judged, make) -> None:
    assert "**Gate** passed: better on nDCG@10." in markdown(make(0.05, require="better"))
    page = rendered(markdown(judged))
    assert "2 of 4 judged queries are missing from poor." in page.visible
    assert "abrank compare a b" in page.visible
    assert "Gate" not in page.visible
    source = markdown(replace(judged, provenance={"command": "abrank ``` x"}))
    assert "abrank ``` x" in rendered(source).visible
    assert rendered(source).kinds <= OF_MARKDOWN


@pytest.mark.slow
@pytest.mark.parametrize("name", ["m", "<|*" * 60])
def test_it_fits_into_a_comment(name: str) -> None:
    columns = [f"{name}{i}" for i in range(210)]
    rng = np.random.default_rng(0)
    a = pd.DataFrame(rng.random((4, 210)), index=[c * 900 for c in "|<`&"], columns=columns)
    comparison = compare_scores(
        a, a[::-1].set_axis(a.index), name_a="<" * 3000, name_b="|" * 3000, resamples=99
    )
    source = markdown(comparison)
    assert len(source.encode()) <= LARGEST
    assert "more measures not shown" in source
    assert len(rendered(source).tables) == 2


def test_two_notes_are_open_and_the_others_folded(make) -> None:
    values = {"system": "b", "count": 60, "tags": ["x", "y"], "correlation": 0.1, "break_even": 0.2}
    codes = ("machine-no-help", "rank-conflicts", "several-tags")
    notes = tuple(Note(code, 1, values) for code in codes)
    comparison = make(0.05)
    assert "more note" not in markdown(replace(comparison, notes=notes[:2]))
    three = markdown(replace(comparison, notes=notes))
    visible, _, folded = three.partition("<details>\n\n<summary>1 more note</summary>")
    assert "The machine does not narrow the interval" in visible
    assert "contradict its scores" in visible
    assert "has several run tags" in folded
    assert rendered(three).tags.count(("details", {})) == 2


def test_nothing_explains_a_drawing_that_is_not_there(unjudged, looked) -> None:
    for comparison in (unjudged, looked):
        assert not re.search(r"^(thick|╎)", markdown(comparison), re.M)
    _, _, below = markdown(unjudged).partition("as a file to add grades to:")
    assert below.startswith("\n\n```sh\nabrank sample documents ")


def test_a_system_without_a_name_is_not_named_twice() -> None:
    ready = {"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.5}
    text = methods_text(compare_scores(*ready))
    assert text.startswith("We compared B with the baseline A on 2 queries")
    assert "new (B) with the baseline A" in methods_text(compare_scores(*ready, name_b="new"))
