"""The HTML report in a real browser: nothing asked for, nothing said, readable everywhere."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest

from abrank import Comparison, compare_scores
from abrank._support import display
from abrank.report import compose
from abrank.report.formats.page import PALETTE
from abrank.report.formats.queries import FIRST_EACH
from tests.browser.conftest import scores
from tests.report.written import card, html

expect = pytest.importorskip("playwright.sync_api", reason="needs the extra browser").expect

Opened: TypeAlias = Any  # what the fixture ``show`` returns
Show: TypeAlias = Callable[..., Opened]


@pytest.mark.slow
def test_axe_finds_nothing_and_the_page_asks_for_nothing(show, text, check_accessibility) -> None:
    opened = show(text)
    assert opened.page.title() == "monot5 is better than bm25 on nDCG@10 · abrank"
    assert [url.partition(":")[0] for url in opened.requests] == ["file"]
    opened.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    opened.page.locator(".opener").first.click()
    for width in (1280, 360):
        opened.resize(width)
        check_accessibility(opened.page)
    assert opened.messages == []


def too_wide(opened: Opened) -> float:
    """Return by how much the page is wider than its window."""
    script = "document.documentElement.scrollWidth - innerWidth"
    return float(opened.page.evaluate(script))


@pytest.mark.slow
def test_nothing_is_wider_than_the_screen(show: Show, text: str) -> None:
    opened = show(text)
    opened.page.locator(".opener").first.click()
    for width in (360, 768, 1280, 1920):
        opened.resize(width)
        assert too_wide(opened) <= 0, width
        wide = width > 960
        expect(opened.page.locator("#queries .wide").first).to_be_visible(visible=wide)
        expect(opened.page.locator("#queries .narrow").first).to_be_visible(visible=not wide)


def letters(page: Any, within: str = "figure") -> list[float]:
    """Return the sizes of the letters in the figures that are seen, in pixels, the least first."""
    sizes = page.evaluate(
        """within => [...document.querySelectorAll(`${within} svg text`)]
        .filter((text) => text.getClientRects().length).map((text) => {
            const drawn = text.getScreenCTM();
            return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(drawn.a, drawn.b);
        })""",
        within,
    )
    assert len(sizes) > (60 if within == "figure" else 5)
    return sorted(map(float, sizes))


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 480, 640, 768, 900, 1024, 1280])
def test_no_column_is_out_of_sight_and_letters_are_legible(show, text, width) -> None:
    page = show(text, width=width).page
    cut = """[...document.querySelectorAll('.table')].filter(
        (box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.ariaLabel)"""
    # On a telephone: the second measure of the queries, the hashes of the inputs.
    swiped = {"Scores of each query", "Table: inputs"} if width == 360 else set()
    assert set(page.evaluate(cut)) <= swiped
    sizes = letters(page)
    # Just above the width from which a figure spans the page it is a seventh smaller.
    assert sizes[0] > (10.1 if width == 1024 else 10.8)
    assert sizes[int(0.9 * len(sizes))] < 13.0  # a number that matters is larger


@pytest.mark.slow
def test_keyboard_reaches_the_verdict_past_the_bar(show: Show, text: str) -> None:
    page = show(text).page
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#summary")).to_be_focused()


@pytest.mark.slow
def test_every_control_shows_where_the_keyboard_is(show: Show, text: str) -> None:
    opened = show(text)
    for selector in (
        *("#theme", ".top nav a", "#query-search", "[data-outcome]", "[data-segment]"),
        *("#query-csv", ".queries thead button", ".opener", "#query-next", ".copy"),
    ):
        control = opened.page.locator(selector).first
        opened.page.keyboard.press("Tab")
        control.focus()
        expect(control, selector).to_have_css("outline-style", "solid")


@pytest.mark.slow
def test_tab_visits_every_control_in_the_order_of_the_page(show: Show, text: str) -> None:
    page = show(text).page
    visited = []
    for _ in range(40):
        page.keyboard.press("Tab")
        visited.append(
            page.evaluate("document.activeElement.id || document.activeElement.className")
        )
    wanted = ["skip", "theme", "query-search", "query-csv", "opener"]
    assert [fromkey for fromkey in dict.fromkeys(visited) if fromkey in wanted] == wanted


@pytest.mark.slow
def test_theme_button_goes_round_and_is_remembered_in_the_session(show: Show, text: str) -> None:
    page = show(text).page
    button, body = page.locator("#theme"), page.locator("body")
    light, dark = (rgb(colour) for colour in PALETTE["page"])
    expect(button).to_have_text("Theme: auto")
    expect(body).to_have_css("background-color", light)
    for name, ground in (("light", light), ("dark", dark)):
        button.press("Enter")
        expect(button).to_have_text(f"Theme: {name}")
        expect(body).to_have_css("background-color", ground)
    page.reload()
    expect(button).to_have_text("Theme: dark")
    expect(body).to_have_css("background-color", dark)
    button.press("Enter")
    expect(button).to_have_text("Theme: auto")
    expect(body).to_have_css("background-color", light)
    assert page.evaluate("localStorage.length") == 0


def rgb(colour: str) -> str:
    """Return a colour as a browser reports it."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgb({red}, {green}, {blue})"


@pytest.mark.slow
def test_a_line_opens_by_click_by_link_and_on_paper(show: Show, text: str) -> None:
    page = show(text).page
    page.evaluate("document.querySelectorAll('main details').forEach(each => each.open = false)")
    tests = page.locator("#tests")
    expect(tests.locator("table")).to_be_hidden()
    tests.locator("summary").click()
    expect(tests.locator("table")).to_be_visible()
    power = page.locator("#planning figure")
    expect(power).to_be_hidden()
    page.emulate_media(media="print")
    expect(power).to_be_visible()
    page.emulate_media(media="screen")
    page.evaluate("location.hash = 'planning'")
    expect(power).to_be_visible()


@pytest.mark.slow
def test_the_closed_page_is_short(show: Show, text: str) -> None:
    opened = show(text)
    close = "document.querySelectorAll('main details').forEach(each => each.open = false)"
    for width, maximum in ((1280, 3.5 * 900), (360, 8 * 640)):
        opened.resize(width)
        opened.page.evaluate(close)
        assert opened.page.evaluate("document.documentElement.scrollHeight") <= maximum
    assert len(opened.page.locator("body").inner_text().split()) <= 900


@pytest.mark.slow
def test_methods_are_copied(show: Show, text: str, better: Comparison) -> None:
    page = show(text, permissions=["clipboard-read", "clipboard-write"]).page
    page.clock.install(time=0)  # "Copied" goes away by a timer, which this test turns itself
    page.reload()
    page.clock.pause_at(3600)
    page.evaluate("document.getElementById('methods').open = true")
    button = page.locator("#methods .copy").first
    button.click()
    expect(button).to_have_text("Copied")
    methods = next(section for section in compose(better).sections if section.key == "methods")
    assert page.evaluate("navigator.clipboard.readText()") == methods.blocks[0].text
    page.clock.run_for(2000)
    expect(button).to_have_text("Copy text")


@pytest.mark.slow
def test_without_scripts_the_verdict_and_the_rows_are_there_and_lists_open(show, text) -> None:
    opened = show(text, java_script_enabled=False)
    assert opened.page.locator("h1").inner_text().startswith("Ship monot5: it is better than")
    assert opened.page.locator(".queries > tbody > tr > th").count() == 2 * FIRST_EACH
    assert opened.page.locator(".verdict .r-drawn svg").first.is_visible()
    for selector in ("#theme", ".tools", ".pages", ".copy", ".needs-script", "#query-readout"):
        assert not opened.page.locator(selector).first.is_visible()
    fold = opened.page.locator(".lists-fold").first
    assert not fold.locator(".ranking").first.is_visible()
    fold.locator("summary").click()
    assert fold.locator(".ranking").count() == 2
    assert fold.locator(".ranking li").first.is_visible()


@pytest.mark.slow
def test_print_is_light_cuts_no_table_and_has_both_ends(show: Show, text: str) -> None:
    opened = show(text, width=703, height=1000)  # A4 less its margins
    opened.page.emulate_media(color_scheme="dark")
    opened.page.locator(".opener").first.click()
    opened.page.emulate_media(media="print", color_scheme="dark")
    expect(opened.page.locator("h1")).to_have_css("color", rgb(PALETTE["ink"][0]))
    expect(opened.page.locator(".top")).to_be_hidden()
    expect(opened.page.locator(".tools")).to_be_hidden()
    expect(opened.page.locator(".pair:not(.below)")).to_be_visible()
    assert opened.page.locator(".queries thead th").first.inner_text() == "Query"
    cut = """[...document.querySelectorAll('.table, .card')].filter(
        (box) => box.scrollWidth > box.clientWidth + 1).length"""
    assert opened.page.evaluate(cut) == 0
    assert letters(opened.page)[0] > 8
    assert opened.page.pdf(format="A4").startswith(b"%PDF")
    opened.page.locator(".opener").first.click()  # closed again: both ends of the table
    rows = opened.page.locator("#query-table tbody tr")
    expect(rows).to_have_count(21)
    assert rows.nth(10).inner_text().endswith("queries between these")
    changes = [rows.nth(place).locator("td.num").nth(2).inner_text() for place in (0, 20)]
    assert (changes[0][0], changes[1][0]) == ("−", "+")
    opened.page.emulate_media(media="screen")
    expect(rows).to_have_count(10)


@pytest.mark.parametrize("n", [1, 3, 10_500])
def test_any_number_of_queries_opens_without_a_message(show: Show, n: int) -> None:
    a, b = scores(n, 0.05)
    opened = show(html(compare_scores(a, b, resamples=999)))
    assert opened.messages == []
    assert opened.page.locator(".queries > tbody > tr > th").count() == min(n, 10)
    assert opened.page.locator("#query-readout").is_visible() is (n <= 1500)
    assert opened.page.locator(".needs-script").count() == 0
    total = display.count(n)
    assert opened.page.locator("#query-count").inner_text() == f"{total} of {total} queries"
    middle = str(301 + n // 2)
    opened.page.locator("#query-search").fill(middle)
    inner_texts = opened.page.locator(".queries > tbody > tr > th").all_inner_texts()
    assert middle in inner_texts
    assert too_wide(opened) <= 0


@pytest.mark.slow
def test_identical_systems_open_without_a_message(show: Show) -> None:
    a, _ = scores(40, 0.0)
    opened = show(html(compare_scores(a, a, resamples=999)))
    assert opened.messages == []
    assert (
        opened.page.locator("h1")
        .inner_text()
        .startswith("Nothing changed on nDCG@10: both score the same on all")
    )


@pytest.mark.slow
@pytest.mark.parametrize("ground", ["#ffffff", "#111111"])
def test_card_changes_nothing_around_it(show: Show, better: Comparison, ground: str) -> None:
    around = f'<!doctype html><body style="background:{ground};color:#777"><p id="p">text</p>'
    opened = show(f"{around}{card(better)}", width=500)
    assert opened.messages == []
    assert too_wide(opened) <= 0
    style = "getComputedStyle(document.getElementById('p')).color"
    assert opened.page.evaluate(style) == "rgb(119, 119, 119)"
    text_colour = "getComputedStyle(document.querySelector('svg text[font-weight]')).fill"
    assert opened.page.evaluate(text_colour) == "rgb(119, 119, 119)"


@pytest.mark.slow
def test_wins_and_the_first_row_of_the_table_are_on_the_first_screen(show: Show, text: str) -> None:
    opened = show(text)
    opened.resize(1280, 900)
    table = opened.page.locator("table.scorecard").first
    for part in (table.locator(".wins").first, table.locator("tbody tr").first):
        box = part.bounding_box()
        assert box["y"] + box["height"] <= 900


@pytest.mark.slow
def test_a_telephone_shows_interval_and_reading_without_a_swipe(show: Show, text: str) -> None:
    opened = show(text)
    opened.resize(360, 800)
    row = opened.page.locator("table.scorecard").first.locator("tbody tr").first
    titles = row.locator("td").evaluate_all("cells => cells.map(cell => cell.dataset.title)")
    assert titles[4].startswith("95% interval")
    assert titles[-1] == "reading"
    # Means and wins have no room there; they stand in the table of all measures.
    cells = [cell for cell in row.locator("td").all() if cell.is_visible()]
    assert len(cells) == 5
    for cell in cells:
        box = cell.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_drawn")
@pytest.mark.parametrize("path", ["reports/demo/segments.csv", "far/" * 30])
def test_a_telephone_shows_every_hash_without_a_swipe(show, better, path) -> None:
    inputs = {key: source | {"path": path} for key, source in better.provenance["inputs"].items()}
    opened = show(html(replace(better, provenance={"inputs": inputs})))
    opened.resize(360, 800)
    table = opened.page.get_by_role("region", name="Table: inputs")
    assert table.evaluate("each => each.scrollWidth <= each.clientWidth")
    hashes = opened.page.locator("#hashes")
    opened.page.evaluate("document.getElementById('hashes').parentElement.open = true")
    assert hashes.evaluate("each => each.scrollWidth <= each.clientWidth")
    assert hashes.inner_text().split()[0] == "0f" * 32


@pytest.mark.slow
@pytest.mark.parametrize("n_measures", [1, 2, 3])
def test_no_void_is_left_below_a_short_list_of_measures(show, n_measures) -> None:
    a = scores(60, 0.08)[0].iloc[:, :n_measures]
    # Of differences without spread there is one caution, above the three numbers beside.
    opened = show(html(compare_scores(a, a + 0.1, resamples=99)))
    for width in (1000, 1280):
        opened.resize(width)
        card = opened.page.locator(".verdict").bounding_box()
        side = opened.page.locator(".side").bounding_box()
        last = opened.page.locator(".verdict > :last-child").bounding_box()
        bottom = card["y"] + card["height"]
        assert bottom - last["y"] - last["height"] < 17.0  # the padding of the card and its line
        assert side["y"] - bottom < 17.0
        assert (side["x"], side["width"]) == (card["x"], card["width"])
