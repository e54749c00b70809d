"""The HTML report in a real browser: nothing asked for, nothing said, usable by mouse and keys."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pytest

from abrank import compare_scores
from abrank._support import display
from abrank.comparison import Comparison
from abrank.report.card import card
from abrank.report.compose import compose
from abrank.report.html import html

Opened: TypeAlias = Any  # what the fixture ``show`` returns
Show: TypeAlias = Callable[..., Opened]
Scores: TypeAlias = Callable[..., tuple[pd.DataFrame, pd.DataFrame]]

ROWS = ".queries tbody tr"
HOSTILE = [
    "<img src=x onerror=document.title='owned'>",
    "</script><script>document.title='owned'</script>",
    "\"'><svg onload=document.title='owned'>",
    "javascript:document.title='owned'",
    "\u202eright to left\u2066",
    "=cmd()",
    'comma, "quote"',
    "long" * 2500,
]


@pytest.fixture(scope="module")
def text(better: Comparison) -> str:
    return html(better)


def first_cells(opened: Opened) -> list[str]:
    """Return the query ids that the table shows."""
    return opened.page.locator(f"{ROWS} th").all_inner_texts()


def expected(better: Comparison, column: str = "diff", *, down: bool = False) -> list[str]:
    """Return the query ids in the order of a column; equal ones stay worst difference first."""
    frame = better.queries.query("measure == 'nDCG@10'").sort_values(["diff", "query_id"])
    return list(frame.sort_values(column, ascending=not down, kind="stable").query_id)


def test_page_asks_for_itself_only_and_says_nothing(show: Show, text: str) -> None:
    opened = show(text)
    assert len(opened.requests) == 1
    assert opened.requests[0].startswith("file:")
    assert opened.messages == []
    assert opened.page.title() == "monot5 is better than bm25 on nDCG@10 · abrank"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_nothing(show: Show, text: str, scheme: str, width: int) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    opened = show(text, width=width, color_scheme=scheme)
    found = axe.Axe().run(opened.page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
def test_nothing_is_wider_than_the_screen(show: Show, text: str, width: int) -> None:
    opened = show(text, width=width)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_is_wider_than_the_screen_at_twice_the_letters(show: Show, text: str) -> None:
    opened = show(text, width=640)
    opened.page.evaluate("document.body.style.fontSize = '30px'")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 640


@pytest.mark.parametrize(("width", "wide"), [(360, False), (1280, True)])
def test_figure_is_drawn_for_the_screen(show: Show, text: str, width: int, wide: bool) -> None:
    opened = show(text, width=width)
    assert opened.page.locator(".verdict .wide").is_visible() is wide
    assert opened.page.locator(".verdict .narrow").is_visible() is not wide


def test_first_page_has_the_25_worst_queries(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    assert first_cells(opened) == expected(better)[:25]
    assert opened.page.locator("#query-count").inner_text() == "120 of 120 queries"
    assert opened.page.locator("#query-page").inner_text() == "Page 1 of 5"


def test_every_row_shows_the_numbers_of_the_comparison(
    show: Show, text: str, better: Comparison
) -> None:
    opened = show(text)
    shown = []
    while True:
        for row in opened.page.locator(ROWS).all():
            shown.append(row.locator("th, td.num").all_inner_texts())
        if opened.page.locator("#query-next").is_disabled():
            break
        opened.page.locator("#query-next").click()
    wide = better.queries.pivot(index="query_id", columns="measure")
    for cells in shown:
        row = wide.loc[cells[0]]
        assert cells[1:] == [
            display.score(row["a", "nDCG@10"]),
            display.score(row["b", "nDCG@10"]),
            *(display.signed(row["diff", name]) for name in ("nDCG@10", "AP", "RR", "P@10")),
        ]
    assert len(shown) == 120


def test_search_narrows_the_rows_and_counts_them(show: Show, text: str) -> None:
    opened = show(text)
    opened.page.get_by_label("Find a query").fill("40")
    assert set(first_cells(opened)) == {"340", *(str(i) for i in range(400, 410))}
    assert opened.page.locator("#query-count").inner_text() == "11 of 120 queries"
    opened.page.get_by_label("Find a query").fill("no such query")
    assert opened.page.locator(ROWS).all_inner_texts() == ["No query matches."]


def test_outcome_filter_keeps_the_winner(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    opened.page.get_by_role("button", name="B better", exact=True).click()
    assert (
        opened.page.locator("#query-count").inner_text() == f"{better.primary.wins} of 120 queries"
    )
    pressed = opened.page.locator("[data-outcome][aria-pressed=true]")
    assert pressed.all_inner_texts() == ["B better"]
    opened.page.get_by_role("button", name="Tied", exact=True).click()
    assert (
        opened.page.locator("#query-count").inner_text() == f"{better.primary.ties} of 120 queries"
    )


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
    values = [float(x) for x in opened.page.locator(f"{ROWS} td:nth-of-type(1)").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    assert opened.page.locator("[aria-sort=none]").count() == 6


def test_everything_works_by_keyboard_alone(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    page = opened.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "summary"
    page.locator("#query-search").focus()
    page.keyboard.type("3")
    assert page.locator("#query-count").inner_text() != "120 of 120 queries"
    page.keyboard.press("Backspace")
    for _ in range(3):
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.locator("#query-count").inner_text() == f"{better.primary.losses} of 120 queries"
    page.locator("[data-outcome='']").press("Enter")
    page.locator(".queries th button").first.press("Enter")
    assert first_cells(opened) == sorted(expected(better), key=int)[:25]
    page.locator("#query-next").press("Enter")
    assert page.locator("#query-page").inner_text() == "Page 2 of 5"


def test_last_page_keeps_the_keyboard_in_place(show: Show, text: str) -> None:
    opened = show(text)
    for _ in range(4):
        opened.page.locator("#query-next").press("Enter")
    assert opened.page.locator("#query-page").inner_text() == "Page 5 of 5"
    assert opened.page.evaluate("document.activeElement.id") == "query-back"
    assert len(first_cells(opened)) == 20


def test_every_control_shows_where_the_keyboard_is(show: Show, text: str) -> None:
    opened = show(text)
    for selector in ("#theme", ".top nav a", "#query-search", ".queries th button", "#query-next"):
        control = opened.page.locator(selector).first
        opened.page.keyboard.press("Tab")
        control.focus()
        assert control.evaluate("node => getComputedStyle(node).outlineStyle") == "solid", selector


def test_theme_button_goes_round_and_is_remembered(show: Show, text: str) -> None:
    opened = show(text, color_scheme="light")
    button = opened.page.locator("#theme")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = opened.page.evaluate(ground)
    shown = [button.inner_text()]
    for _ in range(3):
        button.press("Enter")
        shown.append(button.inner_text())
        if shown[-1] == "Theme: dark":
            assert opened.page.evaluate(ground) != light
            opened.page.reload()
            assert button.inner_text() == "Theme: dark"
            assert opened.page.evaluate(ground) != light
    assert shown == ["Theme: auto", "Theme: light", "Theme: dark", "Theme: auto"]
    assert opened.page.evaluate(ground) == light


def test_figures_turn_dark_with_the_page(show: Show, text: str) -> None:
    fill = "getComputedStyle(document.querySelector('.verdict .wide [fill=\"#0068ad\"]')).fill"
    assert show(text, color_scheme="light").page.evaluate(fill) == "rgb(0, 104, 173)"
    assert show(text, color_scheme="dark").page.evaluate(fill) == "rgb(98, 181, 240)"


def test_a_bar_tells_its_query_and_finds_its_row(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    best = expected(better)[-1]
    bar = opened.page.locator(f".wide [data-query='{best}']")
    bar.hover()
    assert opened.page.locator("#query-readout").inner_text().startswith(f"{best} A 0.")
    bar.click()
    assert opened.page.locator("tr.found th").inner_text() == best
    assert opened.page.locator("#query-page").inner_text() == "Page 5 of 5"
    assert "lit" in (bar.get_attribute("class") or "")


def test_a_row_lights_its_bar(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    opened.page.locator(ROWS).first.hover()
    assert opened.page.locator(".wide .lit").get_attribute("data-query") == expected(better)[0]


def test_csv_has_the_rows_of_the_view(show: Show, text: str, better: Comparison) -> None:
    opened = show(text)
    opened.page.get_by_label("Find a query").fill("31")
    rows = download(opened)
    assert list(rows[0]) == ["query_id", "a", "b", "diff", "diff AP", "diff RR", "diff P@10"]
    wanted = [each for each in expected(better) if "31" in each]
    assert [row["query_id"] for row in rows] == wanted
    exact = better.queries.query("measure == 'nDCG@10'").set_index("query_id")["diff"]
    for row in rows:
        assert float(row["diff"]) == pytest.approx(exact[row["query_id"]], abs=1e-10)


def download(opened: Opened) -> list[dict[str, str]]:
    """Click the CSV button and read what it gives."""
    with opened.page.expect_download() as waiting:
        opened.page.locator("#query-csv").click()
    content = Path(waiting.value.path()).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(content)))


def test_methods_are_copied(show: Show, text: str, better: Comparison) -> None:
    opened = show(text, permissions=["clipboard-read", "clipboard-write"])
    opened.page.locator("#methods .copy").click()
    opened.page.get_by_role("button", name="Copied").wait_for()
    methods = next(each for each in compose(better).sections if each.key == "methods")
    assert opened.page.evaluate("navigator.clipboard.readText()") == methods.blocks[0].text


def test_without_scripts_the_verdict_and_the_rows_are_there(show: Show, text: str) -> None:
    opened = show(text, java_script_enabled=False)
    assert opened.page.locator("h1").inner_text() == "monot5 is better than bm25."
    assert len(first_cells(opened)) == 20
    assert opened.page.locator(".verdict .wide svg").is_visible()
    for selector in ("#theme", ".tools", ".pages", ".copy", "#query-readout"):
        assert not opened.page.locator(selector).first.is_visible()


def test_without_styles_and_scripts_the_report_is_readable(show: Show, text: str) -> None:
    strict = text.replace(
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'", "style-src 'none'"
    )
    assert strict != text
    opened = show(strict)
    assert opened.page.locator("h1").is_visible()
    assert len(first_cells(opened)) == 20
    assert opened.page.locator(".verdict .wide svg").is_visible()
    assert not opened.page.locator(".verdict .narrow svg").is_visible()
    fill = "getComputedStyle(document.querySelector('.verdict [fill=\"#0068ad\"]')).fill"
    assert opened.page.evaluate(fill) == "rgb(0, 104, 173)"


def test_hostile_ids_and_names_cannot_run_anything(show: Show, scores: Scores) -> None:
    a, b = scores(len(HOSTILE), 0.05, HOSTILE)
    result = compare_scores(a, b, baseline=HOSTILE[0], candidate=HOSTILE[-1], n_resamples=999)
    opened = show(html(result))
    assert opened.messages == []
    assert len(opened.requests) == 1
    assert "owned" not in opened.page.title().replace(HOSTILE[0], "")
    assert len(first_cells(opened)) == len(HOSTILE)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert opened.page.locator("img, svg[onload]").count() == 0
    got = {row["query_id"] for row in download(opened)}
    assert got == {f"'{each}" if each.startswith("=") else each for each in HOSTILE}


def test_reduced_motion_is_respected(show: Show, text: str) -> None:
    behaviour = "getComputedStyle(document.documentElement).scrollBehavior"
    assert show(text, reduced_motion="reduce").page.evaluate(behaviour) == "auto"
    assert show(text, reduced_motion="no-preference").page.evaluate(behaviour) == "smooth"


def test_print_is_light_and_cuts_no_table(show: Show, text: str) -> None:
    opened = show(text, color_scheme="dark", width=703, height=1000)  # A4 less its margins
    opened.page.emulate_media(media="print", color_scheme="dark")
    assert opened.page.evaluate("getComputedStyle(document.querySelector('h1')).color") == (
        "rgb(20, 24, 31)"
    )
    assert not opened.page.locator(".top").is_visible()
    assert not opened.page.locator(".tools").is_visible()
    assert opened.page.locator(".queries thead th").first.inner_text() == "Query"
    cut = """[...document.querySelectorAll('.table')].filter(
        (box) => box.scrollWidth > box.clientWidth + 1).length"""
    assert opened.page.evaluate(cut) == 0
    assert opened.page.pdf(format="A4").startswith(b"%PDF")


@pytest.mark.parametrize("n", [1, 2, 3, 24, 25, 26, 2000])
def test_any_number_of_queries_opens_without_a_message(show: Show, scores: Scores, n: int) -> None:
    a, b = scores(n, 0.05)
    opened = show(html(compare_scores(a, b, n_resamples=999)))
    assert opened.messages == []
    assert len(first_cells(opened)) == min(n, 25)
    assert opened.page.locator("#query-readout").is_visible() is (n <= 1500)


def test_identical_systems_open_without_a_message(show: Show, scores: Scores) -> None:
    a, _ = scores(40, 0.0)
    opened = show(html(compare_scores(a, a, n_resamples=999)))
    assert opened.messages == []
    assert opened.page.locator("h1").inner_text().endswith("score the same on every query.")


@pytest.mark.parametrize("ground", ["#ffffff", "#111111"])
def test_card_changes_nothing_around_it(show: Show, better: Comparison, ground: str) -> None:
    around = f'<!doctype html><body style="background:{ground};color:#777"><p id="p">text</p>'
    opened = show(f"{around}{card(better)}", width=500)
    assert opened.messages == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 500
    style = "getComputedStyle(document.getElementById('p')).color"
    assert opened.page.evaluate(style) == "rgb(119, 119, 119)"
    text_colour = "getComputedStyle(document.querySelector('svg text[font-weight]')).fill"
    assert opened.page.evaluate(text_colour) == "rgb(119, 119, 119)"


def test_rows_beyond_those_embedded_are_named(show: Show) -> None:
    random = np.random.default_rng(1)
    a = pd.Series(random.random(10_500), index=[f"q{i}" for i in range(10_500)])
    opened = show(html(compare_scores(a, a + random.normal(0.01, 0.1, 10_500), n_resamples=99)))
    assert opened.page.locator("#query-count").inner_text() == "3\u202f000 of 10\u202f500 queries"
    assert "1\u202f000 worst" in opened.page.locator("#queries").inner_text()
