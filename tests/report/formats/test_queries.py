"""The tests of ``abrank/report/formats/queries.py``."""

import json
from dataclasses import replace

import numpy as np
import pytest

from abrank import Comparison, compare_scores
from abrank.report.formats import queries as ranked_lists
from abrank.report.formats.queries import (
    EMBED_ALL,
    FURTHER,
    LONGEST,
    QueryRows,
    query_rows,
    tone_of,
)

FILL = dict.fromkeys(("a", "b", "tie", "axis"), "#000000")


def rows_of(comparison: Comparison) -> QueryRows:
    rows = query_rows(comparison)
    assert rows is not None
    return rows


def test_rows_of_runs_have_texts_segments_and_lists(runs: Comparison) -> None:
    rows = rows_of(runs)
    assert [column.title for column in rows.columns] == [
        *("Query", "Text", "Intent", "Length", "A", "B", "Δ nDCG@10", "Δ AP")
    ]
    ids, texts, intents, *_ = rows.columns
    labels = dict(zip(runs.query_ids, runs.segmentations[0].labels, strict=True))
    for i, query in enumerate(ids.values):
        assert texts.texts[i] == runs.topics[query]
        assert intents.levels[intents.values[i]] == intents.texts[i] == labels[query]
        lists = ranked_lists.QueryLists.of(*runs.evidence.rankings[query], depth=10)
        assert rows.lists[i].compact == lists.compact
    assert list(intents.levels) == sorted(set(labels.values()))
    assert (rows.known, rows.without_lists) == (20, "")


def test_texts_and_segments_take_the_place_of_further_measures(make) -> None:
    plain = make(0.05, n=12, measures=7)
    assert len([c for c in rows_of(plain).columns if c.kind == "delta"]) == 1 + FURTHER
    texts = replace(plain, topics={"q0001": "a text"})
    assert len([c for c in rows_of(texts).columns if c.kind == "delta"]) == 1 + FURTHER - 2
    assert sorted(rows_of(texts).columns[1].texts) == [""] * 11 + ["a text"]


def test_rows_of_ready_scores_do_not_open(make) -> None:
    rows = rows_of(make(0.05, n=12))
    assert not rows.opens
    assert json.loads(rows.island(FILL))["lists"] is None
    assert rows.without_lists == ""


def test_rows_without_lists_are_counted(runs: Comparison) -> None:
    few = dict(list(runs.evidence.rankings.items())[:9])
    rows = rows_of(replace(runs, evidence=replace(runs.evidence, rankings=few)))
    assert sum(item is not None for item in rows.lists) == 9
    assert rows.without_lists.startswith("The documents of 9 queries are in this file")


def test_lists_of_the_outermost_rows_come_first(runs, monkeypatch) -> None:
    lists = rows_of(runs).lists
    size = len(json.dumps([item.compact for item in lists]))
    monkeypatch.setattr("abrank.report.formats.queries.ROOM_FOR_LISTS", size // 3)
    selected = rows_of(runs).lists
    held = [i for i, item in enumerate(selected) if item is not None]
    n = len(lists)
    assert 0.2 * n < len(held) < 0.5 * n
    left, right = sum(i < n / 2 for i in held), sum(i >= n / 2 for i in held)
    assert held == [*range(left), *range(n - right, n)]
    assert left - right in (0, 1)
    assert all(selected[i] == lists[i] for i in held)


def test_less_is_better_turns_the_colours(make) -> None:
    result = make(0.05, n=12)
    rows = rows_of(replace(result, rows=(replace(result.rows[0], higher_is_better=False),)))
    for row, outcome in zip(rows.first, rows.outcome, strict=True):
        assert row.bar.tone == {1: "b", -1: "a", 0: "tie"}[outcome]
        assert row.cells[-1].tone == row.bar.tone
        assert (row.cells[-1].text[0] == "+") == (outcome < 0)


def test_long_labels_and_texts_are_cut() -> None:
    long = "x" * 10_000
    a = {f"q{i}": 0.1 * i for i in range(9)}
    b = {key: value + 0.1 for key, value in a.items()}
    comparison = compare_scores(
        a, b, resamples=99, topics=dict.fromkeys(a, long), segments={long: dict.fromkeys(a, long)}
    )
    rows = rows_of(comparison)
    assert len(rows.island(FILL)) < 12 * LONGEST * len(a)
    assert max(len(cell.text) for row in rows.first if row for cell in row.cells) == LONGEST


def test_equal_differences_stand_in_the_order_of_ids_however_they_came() -> None:
    ids = [f"q{i}" for i in np.random.default_rng(1).permutation(40)]
    comparison = compare_scores(
        dict.fromkeys(ids, 0.5), {key: 0.5 + 0.1 * (key < "q2") for key in ids}
    )
    assert rows_of(comparison).columns[0].values == sorted(ids, key=lambda key: (key < "q2", key))


def test_very_many_rows_keep_the_extremes(make) -> None:
    random = np.random.default_rng(0)
    n = EMBED_ALL + 5
    scores = random.random((2, n))
    ids = tuple(f"q{i}" for i in range(n))
    rows = rows_of(replace(make(0.05, n=12), query_ids=ids, a=scores[:1].T, b=scores[1:].T))
    values = rows.columns[-1].values
    assert rows.total == n
    assert rows.left_out.startswith("Of 100\u202f005 queries this table holds 1\u202f000 worst")
    differences = np.sort(scores[1] - scores[0])
    np.testing.assert_allclose(values[:1000], differences[:1000], atol=1e-9)
    np.testing.assert_allclose(values[-1000:], differences[-1000:], atol=1e-9)


@pytest.mark.parametrize("digits", [2, 5])
def test_digits_reach_every_number(runs: Comparison, digits: int) -> None:
    rows = query_rows(runs, digits=digits)
    columns = [element for c in rows.columns if c.kind in ("score", "delta") for element in c.texts]
    for item in columns:  # a difference that would be 0 with a sign has more
        more = 0.0 < abs(float(item.replace("−", "-"))) < 0.5 / 10**digits
        assert (len(item.partition(".")[2]) == digits) != more


def test_a_difference_has_the_colour_of_who_wins() -> None:
    assert (tone_of("+0.037"), tone_of("−0.250"), tone_of("0.000")) == ("b", "a", "tie")
    assert tone_of("+0.037", lower_is_better=True) == "a"
