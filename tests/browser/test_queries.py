"""The table of queries in a real browser: found, filtered, sorted, opened, by mouse and by keys."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd
import pytest

from abrank import compare_scores
from abrank._support import display
from abrank.comparison import Comparison
from abrank.report.formats import ranked_lists
from abrank.report.formats.html import html

Opened: TypeAlias = Any  # what the fixture ``show`` returns
Show: TypeAlias = Callable[..., Opened]
Scores: TypeAlias = Callable[..., tuple[pd.DataFrame, pd.DataFrame]]

ROWS = ".queries tbody tr"


def first_cells(opened: Opened) -> list[str]:
    """Return the query ids that the table shows."""
    return opened.page.locator(f"{ROWS} th").all_inner_texts()


def expected(better: Comparison, column: str = "diff", *, down: bool = False) -> list[str]:
    """Return the query ids in the order of a column; equal ones stay worst difference first."""
    frame = better.queries.query("measure == 'nDCG@10'").sort_values(["diff", "query_id"])
    return list(frame.sort_values(column, ascending=not down, kind="stable").query_id)


def count(opened: Opened) -> str:
    return str(opened.page.locator("#query-count").inner_text())


def test_first_page_has_the_25_worst_queries(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    assert first_cells(opened) == expected(better)[:25]
    assert count(opened) == "120 of 120 queries"
    assert opened.page.locator("#query-page").inner_text() == "Page 1 of 5"


def test_every_row_shows_the_numbers_of_the_comparison(
    show: Show, text: str, better: Comparison
) -> None:
    opened = show(text)
    shown = []
    while True:
        rows = f"[...document.querySelectorAll('{ROWS}')]"
        cells = "[...row.querySelectorAll('th, td:not(.bar)')].map((cell) => cell.innerText)"
        shown += opened.page.evaluate(f"{rows}.map((row) => {cells})")
        if opened.page.locator("#query-next").is_disabled():
            break
        opened.page.locator("#query-next").click()
    wide = better.queries.pivot(index="query_id", columns="measure")
    intents = dict(zip(better.query_ids, better.segmentations[0].labels, strict=True))
    for cells in shown:
        row = wide.loc[cells[0]]
        assert cells[1:] == [
            better.topics[cells[0]],
            intents[cells[0]],
            display.score(row["a", "nDCG@10"]),
            display.score(row["b", "nDCG@10"]),
            *(display.signed(row["diff", name]) for name in ("nDCG@10", "AP")),
        ]
    assert len(shown) == 120


def test_search_finds_ids_and_texts_and_counts_them(
    show: Show, text: str, better: Comparison
) -> None:
    opened = show(text)
    search = opened.page.get_by_label("Find a query")
    search.fill("q01")
    assert set(first_cells(opened)) == {f"q{i:03d}" for i in range(10, 20)}
    assert count(opened) == "10 of 120 queries"
    search.fill("  KETTLE ")
    found = [query for query in expected(better) if "kettle" in better.topics[query]]
    assert first_cells(opened) == found != []
    search.fill("no such query")
    assert opened.page.locator(ROWS).all_inner_texts() == ["No query matches."]


def test_outcome_filter_keeps_the_winner(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    opened.page.get_by_role("button", name="B better", exact=True).click()
    assert count(opened) == f"{better.primary.wins} of 120 queries"
    pressed = opened.page.locator("[data-outcome][aria-pressed=true]")
    assert pressed.all_inner_texts() == ["B better"]
    opened.page.get_by_role("button", name="Tied", exact=True).click()
    assert count(opened) == f"{better.primary.ties} of 120 queries"


def test_segment_filter_joins_the_other_filters(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    picker = opened.page.get_by_label("Intent", exact=True)
    picker.select_option("navigational")
    rows = {row.label: row.n_queries for row in better.segmentations[0].rows}
    assert count(opened) == f"{rows['navigational']} of 120 queries"
    opened.page.get_by_role("button", name="A better", exact=True).click()
    intents = dict(zip(better.query_ids, better.segmentations[0].labels, strict=True))
    worse = better.queries.query("measure == 'nDCG@10' and outcome == 'A wins'").query_id
    assert set(first_cells(opened)) == {q for q in worse if intents[q] == "navigational"}
    picker.select_option("any")
    assert count(opened) == f"{better.primary.losses} of 120 queries"


def test_header_sorts_both_ways_and_says_so(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    head = opened.page.locator(
        ".queries th", has=opened.page.get_by_role("button", name="A", exact=True)
    )
    head.get_by_role("button").click()
    assert first_cells(opened) == expected(better, "a")[:25]
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    values = [float(x) for x in opened.page.locator(f"{ROWS} td:nth-of-type(3)").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    assert opened.page.locator("[aria-sort=none]").count() == 6
    opened.page.locator(".queries thead").get_by_role("button", name="Intent").click()
    assert opened.page.locator(f"{ROWS} .segment").all_inner_texts() == ["informational"] * 25


def lists(opened: Opened) -> list[list[list[str]]]:
    """Return the lists that are open: for each document rank, grade, move and id."""
    script = """[...document.querySelectorAll('.ranking')].map((list) => [...list.children].map(
        (item) => [...item.children].map((part) => part.textContent.trim())))"""
    return opened.page.evaluate(script)  # type: ignore[no-any-return]


def test_a_row_opens_its_two_lists(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    worst = expected(better)[0]
    opened.page.locator(f"{ROWS} .text").first.click()
    a, b = better.evidence.rankings[worst]
    assert opened.page.locator(".why").inner_text() == ranked_lists.why(a, b, depth=10)
    shown = lists(opened)
    for side, ranking, other in ((shown[0], a, b), (shown[1], b, a)):
        ranks = {doc: i for i, (doc, _) in enumerate(other, start=1)}
        assert [each[0] for each in side] == [str(i) for i in range(1, 11)]
        assert [each[3] for each in side] == [doc for doc, _ in ranking[:10]]
        for rank, (grade, move) in enumerate(((each[1], each[2]) for each in side), start=1):
            doc, judged = ranking[rank - 1]
            assert grade == ("? not judged" if judged is None else f"grade {judged}")
            before = ranks.get(doc)
            if side is shown[0]:
                moved = "dropped" if before is None else "=" if before == rank else f"→ {before}"
            elif before is None:
                moved = "new"
            else:
                moved = f"{'▲' if before > rank else '▼'} {abs(before - rank)}".replace("▼ 0", "=")
            assert move == moved
    assert opened.page.locator(".side-title").all_inner_texts() == [
        f"A · {display.score(better.a[better.query_ids.index(worst), 0])}",
        f"B · {display.score(better.b[better.query_ids.index(worst), 0])}",
    ]


def test_lost_relevant_documents_are_bold(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    opened.page.locator(".opener").first.click()
    a, b = better.evidence.rankings[expected(better)[0]]
    first, second = ({doc for doc, grade in each[:10] if grade} for each in (a, b))
    assert opened.page.locator(".move.lost").count() == len(first - second)
    assert opened.page.locator(".move.gained").count() == len(second - first)
    if first - second:
        weight = "getComputedStyle(document.querySelector('.move.lost')).fontWeight"
        assert opened.page.evaluate(weight) == "700"


def test_one_row_is_open_at_a_time_and_closes_again(show: Show, text: str) -> None:
    page = show(text).page
    first, second = page.locator(".opener").nth(0), page.locator(".opener").nth(1)
    first.click()
    second.click()
    assert page.locator("tr.lists").count() == 1
    assert first.get_attribute("aria-expanded") == "false"
    assert second.get_attribute("aria-expanded") == "true"
    second.click()
    assert page.locator("tr.lists").count() == 0


def test_an_open_row_stays_open_while_it_is_sorted(show: Show, text: str) -> None:
    page = show(text).page
    page.locator(".opener").first.click()
    why = page.locator(".why").inner_text()
    sort = page.locator(".queries thead").get_by_role("button", name="Δ AP")
    sort.click()
    assert page.locator(".why").all_inner_texts() in ([why], [])
    page.get_by_label("Find a query").fill(page.locator(f"{ROWS} th").first.inner_text())
    assert page.locator("#query-count").inner_text() == "1 of 120 queries"


def test_everything_works_by_keyboard_alone(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    page = opened.page
    page.locator("#query-search").focus()
    page.keyboard.type("3")
    assert count(opened) != "120 of 120 queries"
    page.keyboard.press("Backspace")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert count(opened) == f"{better.primary.losses} of 120 queries"
    page.locator("[data-outcome='']").press("Enter")
    page.locator("[data-segment]").focus()
    page.keyboard.press("t")  # the option that begins so
    rows = {row.label: row.n_queries for row in better.segmentations[0].rows}
    assert count(opened) == f"{rows['transactional']} of 120 queries"
    page.locator("[data-segment]").select_option("any")
    page.locator(".queries thead button").first.press("Enter")
    assert first_cells(opened) == sorted(expected(better))[:25]
    page.locator(".opener").first.press("Enter")
    assert page.locator(".ranking").count() == 2
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    page.keyboard.press("Space")
    assert page.locator(".ranking").count() == 0
    page.locator("#query-next").press("Enter")
    assert page.locator("#query-page").inner_text() == "Page 2 of 5"


def test_last_page_keeps_the_keyboard_in_place(show: Show, text: str) -> None:
    opened = show(text)
    for _ in range(4):
        opened.page.locator("#query-next").press("Enter")
    assert opened.page.locator("#query-page").inner_text() == "Page 5 of 5"
    assert opened.page.evaluate("document.activeElement.id") == "query-back"
    assert len(first_cells(opened)) == 20


def test_a_bar_tells_its_query_and_opens_its_row(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    best = expected(better)[-1]
    opened.page.get_by_label("Intent", exact=True).select_option("navigational")
    bar = opened.page.locator(f".wide [data-query='{best}']")
    bar.hover()
    told = opened.page.locator("#query-readout").inner_text()
    assert told.startswith(f"{best} “{better.topics[best]}” · Intent ")
    bar.click()
    assert opened.page.locator("tr.found th").inner_text() == best
    assert opened.page.locator("#query-page").inner_text() == "Page 5 of 5"
    assert opened.page.locator(".why").inner_text() == ranked_lists.why(
        *better.evidence.rankings[best], depth=10
    )
    assert "lit" in (bar.get_attribute("class") or "")


def test_a_row_lights_its_bar(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    opened.page.locator(ROWS).first.hover()
    assert opened.page.locator(".wide .lit").get_attribute("data-query") == expected(better)[0]


def download(opened: Opened) -> list[dict[str, str]]:
    """Click the CSV button and read what it gives."""
    with opened.page.expect_download() as waiting:
        opened.page.locator("#query-csv").click()
    content = Path(waiting.value.path()).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(content)))


def test_csv_has_the_rows_of_the_view(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    opened.page.get_by_label("Find a query").fill("q03")
    rows = download(opened)
    assert list(rows[0]) == ["query_id", "text", "intent", "a", "b", "diff", "diff AP"]
    wanted = [each for each in expected(better) if "q03" in each]
    assert [row["query_id"] for row in rows] == wanted
    exact = better.queries.query("measure == 'nDCG@10'").set_index("query_id")["diff"]
    intents = dict(zip(better.query_ids, better.segmentations[0].labels, strict=True))
    for row in rows:
        assert float(row["diff"]) == pytest.approx(exact[row["query_id"]], abs=1e-10)
        assert row["text"] == better.topics[row["query_id"]]
        assert row["intent"] == intents[row["query_id"]]


def test_csv_of_hostile_ids_runs_nothing_in_a_spreadsheet(show: Show, scores: Scores) -> None:
    ids = ["=cmd()", "+1", "-1", "@sum", 'comma, "quote"', "two\nlines", "\u202eback", "x" * 10_000]
    a, b = scores(len(ids), 0.05, ids)
    got = {row["query_id"] for row in download(show(html(compare_scores(a, b, n_resamples=99))))}
    assert got == {f"'{each}" if each[0] in "=+-@" else each for each in ids}
