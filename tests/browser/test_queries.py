"""The table of queries in a real browser: found, filtered, sorted, opened, by mouse and by keys.

What a click changes is awaited (``expect``), never read at once: the page may answer late.
"""

import csv
import io
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from abrank import Comparison, compare, compare_scores, simulate_runs
from abrank._support import display
from abrank.report.formats import queries as ranked_lists
from abrank.report.formats.queries import query_rows
from abrank.scoring.judging import pool_text
from tests.browser.conftest import scores
from tests.report.written import html

expect = pytest.importorskip("playwright.sync_api", reason="needs the extra browser").expect

Opened: TypeAlias = Any  # what the fixture ``show`` returns
Show: TypeAlias = Callable[..., Opened]

ROWS = ".queries > tbody > tr"
SIZE, LAST = 10, 12  # rows on a page, and pages of 120 queries


def expect_ids(opened: Opened, ids: Iterable[str]) -> None:
    """Wait until the table shows these queries in this order."""
    expect(opened.page.locator(f"{ROWS} > th")).to_have_text(list(ids))


def expected(better: Comparison, column: str = "diff", *, down: bool = False) -> list[str]:
    """Return the query ids in the order of a column; equal ones stay worst difference first."""
    frame = better.queries.query("measure == 'nDCG@10'").sort_values(["diff", "query_id"])
    return list(frame.sort_values(column, ascending=not down, kind="stable").query_id)


def expect_count(opened: Opened, number: int) -> None:
    """Wait until the page says that this many of its 120 queries are shown."""
    expect(opened.page.locator("#query-count")).to_have_text(f"{number} of 120 queries")


def expect_page(opened: Opened, number: int) -> None:
    """Wait until this page of the table is shown."""
    expect(opened.page.locator("#query-page")).to_have_text(f"Page {number} of {LAST}")


@pytest.mark.slow
def test_every_row_shows_the_numbers_of_the_comparison(show, text, better) -> None:
    opened = show(text)
    visible = []
    for number in range(1, LAST + 1):
        expect_page(opened, number)
        rows = f"[...document.querySelectorAll('{ROWS}')]"
        cells = "[...row.querySelectorAll('th, td:not(.bar)')].map((cell) => cell.innerText)"
        visible += opened.page.evaluate(f"{rows}.map((row) => {cells})")
        if number < LAST:
            opened.page.locator("#query-next").click()
    expect(opened.page.locator("#query-next")).to_be_disabled()
    wide = better.queries_of().pivot(index="query_id", columns="measure")
    intents = dict(zip(better.query_ids, better.segmentations[0].labels, strict=True))
    for cells in visible:
        row = wide.loc[cells[0]]
        assert cells[1:] == [
            better.topics[cells[0]],
            intents[cells[0]],
            display.score(row["a", "nDCG@10"]),
            display.score(row["b", "nDCG@10"]),
            *(display.signed(row["diff", name]) for name in ("nDCG@10", "AP")),
        ]
    assert len(visible) == 120


@pytest.mark.slow
def test_search_finds_ids_and_texts_and_counts_them(show, text, better) -> None:
    opened = show(text)
    search = opened.page.get_by_label("Find a query")
    search.fill("q01")
    tenth = {f"q{i:03d}" for i in range(10, 20)}
    expect_ids(opened, [query for query in expected(better) if query in tenth])
    expect_count(opened, 10)
    search.fill("  KETTLE ")
    queries = [query for query in expected(better) if "kettle" in better.topics[query]]
    assert queries
    expect_ids(opened, queries)
    search.fill("no such query")
    expect(opened.page.locator(ROWS)).to_have_text(["No query matches."])


@pytest.mark.slow
def test_segment_filter_joins_the_other_filters(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    picker = opened.page.get_by_label("Intent", exact=True)
    picker.select_option("navigational")
    rows = {row.label: row.n_queries for row in better.segmentations[0].rows}
    expect_count(opened, rows["navigational"])
    opened.page.get_by_role("button", name="A better", exact=True).click()
    intents = dict(zip(better.query_ids, better.segmentations[0].labels, strict=True))
    worse = better.queries.query("measure == 'nDCG@10' and outcome == 'A wins'").query_id
    expect_ids(
        opened, [q for q in expected(better) if q in set(worse) and intents[q] == "navigational"]
    )
    picker.select_option("any")
    expect_count(opened, better.primary.losses)


@pytest.mark.slow
def test_header_sorts_both_ways_and_says_so(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    head = opened.page.locator(
        ".queries th", has=opened.page.get_by_role("button", name="A", exact=True)
    )
    head.get_by_role("button").click()
    expect_ids(opened, expected(better, "a")[:SIZE])
    expect(head).to_have_attribute("aria-sort", "ascending")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    values = [float(x) for x in opened.page.locator(f"{ROWS} td:nth-of-type(3)").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    expect(opened.page.locator("[aria-sort=none]")).to_have_count(6)
    opened.page.locator(".queries thead").get_by_role("button", name="Intent").click()
    expect(opened.page.locator(f"{ROWS} .segment")).to_have_text(["informational"] * SIZE)


def lists(opened: Opened) -> list[list[list[str]]]:
    """Return the lists that are open: for each document rank, grade, move and id."""
    script = """[...document.querySelectorAll('.ranking')].map((list) => [...list.children].map(
        (item) => [...item.children].map((part) => part.textContent.trim())))"""
    return opened.page.evaluate(script)  # type: ignore[no-any-return]


@pytest.mark.slow
def test_a_row_opens_its_two_lists_and_every_measure(show, text, better) -> None:
    opened = show(text)
    worst = expected(better)[0]
    opened.page.locator(f"{ROWS} .text").first.click()
    a, b = better.evidence.rankings[worst]
    expect(opened.page.locator(".why")).to_have_text(ranked_lists.why(a, b, depth=10))
    sides = query_rows(better).lists[0].sides
    for visible, side in zip(lists(opened), sides, strict=True):
        assert [(item[0], item[2], item[3]) for item in visible] == [
            (str(rank), move, document.doc_id) for rank, move, document in side
        ]
        grades = [document.grade for *_, document in side]
        assert [item[1] for item in visible] == [
            "? not judged" if grade is None else f"grade {grade}" for grade in grades
        ]
    # A relevant document that is lost is bold; every measure stands below the lists.
    first, second = ({doc for doc, grade in item[:10] if grade} for item in (a, b))
    expect(opened.page.locator(".move.lost")).to_have_count(len(first - second))
    expect(opened.page.locator(".move.gained")).to_have_count(len(second - first))
    if first - second:
        expect(opened.page.locator(".move.lost").first).to_have_css("font-weight", "700")
    rows = opened.page.locator("tr.lists .every tbody tr")
    assert rows.locator("th").all_inner_texts() == list(better.measures)
    place = int(np.argmin(better.differences()))
    changes = [display.signed(better.differences(name)[place]) for name in better.measures]
    assert rows.locator("td:last-child").all_inner_texts() == changes
    assert opened.page.locator(".side-title").all_inner_texts() == [
        f"A · {display.score(better.a[better.query_ids.index(worst), 0])}",
        f"B · {display.score(better.b[better.query_ids.index(worst), 0])}",
    ]


@pytest.mark.slow
def test_everything_works_by_keyboard_alone(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    page = opened.page
    page.locator("#query-search").focus()
    page.keyboard.type("3")
    expect(page.locator("#query-count")).not_to_have_text("120 of 120 queries")
    page.keyboard.press("Backspace")
    expect_count(opened, 120)
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect_count(opened, better.primary.losses)
    page.locator("[data-outcome='']").press("Enter")
    page.locator("[data-segment]").focus()
    page.keyboard.press("t")  # the option that begins so
    rows = {row.label: row.n_queries for row in better.segmentations[0].rows}
    expect_count(opened, rows["transactional"])
    page.locator("[data-segment]").select_option("any")
    page.locator(".queries thead button").first.press("Enter")
    expect_ids(opened, sorted(expected(better))[:SIZE])
    page.locator(".opener").first.press("Enter")
    expect(page.locator(".ranking")).to_have_count(2)
    expect(page.locator(":focus")).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Space")
    expect(page.locator(".ranking")).to_have_count(0)
    page.locator("#query-next").press("Enter")
    expect_page(opened, 2)


@pytest.mark.slow
def test_a_row_lights_its_bar_and_a_bar_tells_its_query_and_opens_its_row(show, text, better):
    opened = show(text)
    opened.page.locator(ROWS).first.hover()
    worst = expected(better)[0]
    expect(opened.page.locator(".wide .lit")).to_have_attribute("data-query", worst)
    best = expected(better)[-1]
    opened.page.get_by_label("Intent", exact=True).select_option("navigational")
    bar = opened.page.locator(f".wide [data-query='{best}']")
    bar.hover()
    escape = re.escape(f"{best} “{better.topics[best]}” · Intent ")
    expect(opened.page.locator("#query-readout")).to_have_text(re.compile(f"^{escape}"))
    bar.click()
    expect(opened.page.locator("tr.found th")).to_have_text(best)
    expect_page(opened, LAST)
    why = ranked_lists.why(*better.evidence.rankings[best], depth=10)
    expect(opened.page.locator(".why")).to_have_text(why)
    opened.page.mouse.move(1, 1)  # the page has scrolled, and the mouse may be over another row
    expect(bar).to_have_class(re.compile(r"\blit\b"))


def download(opened: Opened) -> list[dict[str, str]]:
    """Click the CSV button and read what it gives."""
    with opened.page.expect_download() as waiting:
        opened.page.locator("#query-csv").click()
    content = Path(waiting.value.path()).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(content)))


@pytest.mark.slow
def test_csv_has_the_rows_of_the_view(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    opened.page.get_by_label("Find a query").fill("q03")
    expect_count(opened, 10)
    rows = download(opened)
    assert list(rows[0]) == ["query_id", "text", "intent", "a", "b", "diff", "diff AP"]
    wanted = [item for item in expected(better) if "q03" in item]
    assert [row["query_id"] for row in rows] == wanted
    exact = better.queries.query("measure == 'nDCG@10'").set_index("query_id")["diff"]
    intents = dict(zip(better.query_ids, better.segmentations[0].labels, strict=True))
    for row in rows:
        assert float(row["diff"]) == pytest.approx(exact[row["query_id"]], abs=1e-10)
        assert row["text"] == better.topics[row["query_id"]]
        assert row["intent"] == intents[row["query_id"]]


@pytest.mark.slow
def test_csv_of_hostile_ids_runs_nothing_in_a_spreadsheet(show: Show) -> None:
    ids = ["=cmd()", "+1", "-1", "@sum", 'comma, "quote"', "two\nlines", "\u202eback", "x" * 10_000]
    a, b = scores(len(ids), 0.05, ids)
    got = {row["query_id"] for row in download(show(html(compare_scores(a, b, resamples=99))))}
    assert got == {f"'{item}" if item[0] in "=+-@" else item for item in ids}


@pytest.mark.slow
def test_the_address_opens_a_query_and_follows_what_is_open(show: Show, text: str, better) -> None:
    page = show(text).page
    query = better.query_ids[int(np.argmax(better.differences()))]  # on the last page
    page.evaluate("hash => { location.hash = hash; }", f"query={query}")
    page.wait_for_selector("tr.lists")
    assert page.locator("tr.found .opener").inner_text() == query
    assert page.locator("tr.lists .every a").get_attribute("href") == f"#query={query}"
    page.locator("tr.found .opener").click()
    assert page.evaluate("location.hash") == "#queries"


@pytest.mark.slow
def test_another_measure_is_picked_and_the_first_comes_back(show: Show, text: str, better) -> None:
    page = show(text).page
    first = page.locator("#query-table tbody").inner_text()
    page.select_option("#query-measure", label="AP")
    worst = int(np.argmin(better.differences("AP")))
    row = page.locator("#query-table tbody tr").first
    assert row.locator(".opener").inner_text() == better.query_ids[worst]
    column = better.measures.index("AP")
    numbers = [better.a[worst, column], better.b[worst, column]]
    visible = [*map(display.score, numbers), display.signed(better.differences("AP")[worst])]
    assert row.locator("td.num").all_inner_texts()[:3] == visible
    page.select_option("#query-measure", index=0)
    assert page.locator("#query-table tbody").inner_text() == first


@pytest.fixture(scope="module")
def open_judgments() -> Comparison:
    """Return a comparison with titles of which one judgment in nine was taken back."""
    collection = simulate_runs(60, effect=0.1, rng=8)
    frame = collection.qrels.frame()
    docs = {doc: f"Title of {doc}" for doc in frame["doc_id"]}
    runs = collection.baseline, collection.candidate
    return compare(frame[frame.index % 9 != 0], *runs, measures=["nDCG@10"], docs=docs)


@pytest.mark.slow
def test_an_open_query_has_titles_and_says_where_relevant_documents_went(show, open_judgments):
    opened = show(html(open_judgments, drawer=lambda *_, **__: ""))
    rows = query_rows(open_judgments)
    place = next(i for i, x in enumerate(rows.lists) if x and 0 in x.compact_went[1::2])
    row = rows.lists[place]
    query = rows.columns[0].values[place]
    opened.page.get_by_label("Find a query").fill(query)
    opened.page.locator(".opener").first.click()
    cells = [[item.doc_id, str(item.grade), *ranks] for item, ranks in row.went]
    expect(opened.page.locator(".went tbody tr")).to_have_text(["".join(cell) for cell in cells])
    for side, ranking in zip(row.sides, open_judgments.evidence.rankings[query], strict=True):
        assert [item.doc_id for _, _, item in side] == [doc for doc, _ in ranking[:10]]
    first = open_judgments.evidence.rankings[query][0][0][0]
    title = open_judgments.evidence.documents.get(first)
    if title:
        expect(opened.page.locator(".ranking .title").first).to_have_text(title)
    assert opened.messages == []


@pytest.mark.slow
def test_what_to_judge_is_saved_and_its_queries_open(show, open_judgments) -> None:
    opened = show(html(open_judgments, drawer=lambda *_, **__: ""))
    to_judge = open_judgments.evidence.to_judge
    with opened.page.expect_download() as download:
        opened.page.locator("#judge .save").first.click()
    assert download.value.suggested_filename == "to-judge.txt"
    assert Path(download.value.path()).read_text() == pool_text(to_judge.documents)
    link = opened.page.locator("#judge tbody th a").first
    link.click()
    expect(opened.page.locator("tr.found th")).to_have_text(to_judge.documents[0].query_id)
    expect(opened.page.locator(".ranking")).to_have_count(2)
