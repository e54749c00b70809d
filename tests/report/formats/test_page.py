"""The tests of ``abrank/report/formats/page.py``."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from abrank import Comparison, compare_scores
from abrank._support import display
from abrank.report import compose
from abrank.report import html as page_of
from abrank.report.formats.page import PALETTE, Drawer, _paired
from abrank.report.formats.queries import FIRST_EACH, LONGEST
from abrank.report.formats.text import SHOWN
from abrank.report.model import Caution
from tests.report.conftest import SITUATIONS
from tests.report.formats.page import Page, comparison_of, island, read
from tests.report.written import html


@pytest.fixture(scope="module")
def better() -> Comparison:
    return comparison_of(250, margin=0.01, require="better")


@pytest.fixture(scope="module")
def text(better: Comparison) -> str:
    """The page with its figures; they are drawn once for all tests that look at them."""
    return html(better)


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return read(text)


def test_the_difference_that_decides_stands_out_where_a_machine_judged_too(no_drawer) -> None:
    both = SITUATIONS["people and machine"][2]()
    numbers = re.search(r'<p class="numbers">.*?</p>', html(both, drawer=no_drawer)).group()
    assert both.primary.estimate != both.primary.diff
    assert f" {display.signed(both.primary.estimate)}</strong>" in numbers


def test_page_has_every_section_with_its_finding(better: Comparison, page: Page) -> None:
    texts = "".join(data for where, data in page.text if "script" not in where)
    for section in compose(better).sections:
        assert section.key in page.having("id")
        heading = section.key if section.group == "open" else section.group
        assert f"#{heading}" in page.having("href")
        assert section.finding in texts


def test_page_asks_for_nothing_from_outside(page: Page) -> None:
    names = ("src", "href", "xlink:href", "action", "data")
    links = [value for name in names for value in page.having(name)]
    assert links
    assert [link for link in links if not link.startswith(("#", "data:,"))] == []
    policy = next(a["content"] for _, a in page.tags if a.get("http-equiv"))
    assert policy == (
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
    )
    assert "@import" not in page.inside("style")
    assert "url(" not in page.inside("style").replace("url(#", "")


def test_no_event_handler_stands_in_an_attribute(page: Page) -> None:
    assert [name for _, attrs in page.tags for name in attrs if name.startswith("on")] == []


def test_ids_are_unique_and_every_reference_has_its_target(page: Page) -> None:
    ids = page.having("id")
    assert len(ids) == len(set(ids))
    wanted = [*page.having("for")]
    wanted += [part for value in page.having("aria-labelledby") for part in value.split()]
    wanted += [link[1:] for link in page.having("href") if link.startswith("#")]
    assert [item for item in wanted if item not in ids] == []


def test_landmarks_and_a_way_past_the_bar(page: Page) -> None:
    names = [tag for tag, _ in page.tags]
    assert all(names.count(tag) == 1 for tag in ("main", "h1", "footer", "nav"))
    assert ("aside" in names) is False  # it holds what to read before deciding, and here is none
    assert ("a", {"class": "skip", "href": "#summary"}) in page.tags
    assert dict(page.tags)["html"] == {"lang": "en"}
    assert names.index("h1") < names.index("h2")


def test_every_table_has_a_caption_and_every_heading_a_scope(page: Page) -> None:
    names = [tag for tag, _ in page.tags]
    assert names.count("table") == names.count("caption") >= 4
    assert all("scope" in attrs for tag, attrs in page.tags if tag == "th")


def test_every_figure_is_one_image_with_a_summary(page: Page) -> None:
    names = [tag for tag, _ in page.tags]
    images = [attrs for _, attrs in page.tags if attrs.get("role") == "img"]
    assert len(images) >= names.count("figure") >= 4
    assert all(attrs.get("aria-label") or attrs.get("aria-labelledby") for attrs in images)
    # What spans the page is drawn for telephones as well.
    narrow = [attrs for _, attrs in page.tags if attrs.get("class") == "narrow"]
    assert names.count("desc") == names.count("figure") + len(narrow)
    assert len(narrow) >= 1


def test_rows_show_the_numbers_of_the_json(better: Comparison, text: str) -> None:
    queries = better.to_dict()["queries"]
    columns = {column["csv"]: column for column in island(text)["columns"]}
    place = {query: i for i, query in enumerate(queries["query_id"])}
    for measure, key in (("nDCG@10", "diff"), ("AP", "diff AP"), ("P@10", "diff P@10")):
        column = queries["scores"][measure]
        lists = (columns["query_id"]["values"], columns[key]["texts"], columns[key]["values"])
        for query, visible, value in zip(*lists, strict=True):
            exact = column["b"][place[query]] - column["a"][place[query]]
            assert visible == display.signed(exact)
            assert value == pytest.approx(exact, abs=1e-10)
    for key in "ab":
        for query, visible in zip(
            columns["query_id"]["values"], columns[key]["texts"], strict=True
        ):
            assert visible == display.score(queries["scores"]["nDCG@10"][key][place[query]])


def test_the_worst_and_the_best_stand_in_the_page_itself(better: Comparison, page: Page) -> None:
    frame = better.queries.query("measure == 'nDCG@10'").sort_values(["diff", "query_id"])
    for _, row in pd.concat([frame.head(FIRST_EACH), frame.tail(FIRST_EACH)]).iterrows():
        numbers = [display.score(row.a), display.score(row.b), "", display.signed(row["diff"])]
        assert [row.query_id, *numbers] in [cells[:5] for cells in page.rows]
    assert ["246 queries between these"] in page.rows


@pytest.mark.slow
def test_every_one_of_very_many_queries_travels() -> None:
    comparison = comparison_of(20_000)
    data = island(html(comparison, drawer=lambda *_, **__: ""))
    ids, *_, delta = (column for column in data["columns"] if column["csv"] in ("query_id", "diff"))
    assert sorted(ids["values"]) == sorted(comparison.query_ids)
    assert len(delta["texts"]) == 20_000
    assert delta["values"] is None  # a number is what its text says


def test_a_day_is_shown_only_where_it_is_given(better, text, no_drawer) -> None:
    assert not re.search(r"20\d\d-\d\d-\d\d", text)
    dated = replace(better, provenance={"created": "2031-05-06T07:08:09Z"})
    assert "2031-05-06" in html(dated, drawer=no_drawer)


def test_size_at_250_queries(text: str) -> None:
    assert len(text.encode()) <= 300_000


@pytest.mark.parametrize(("n", "shift", "how", "words", "absent"), [
    (250, 0.05, {"margin": 0.01, "require": "better"}, ("▲ Better", "✓ gate passed"), "Next step"),
    (250, 0.05, {"margin": 0.01}, ("Ship monot5: it is better than bm25 by more than",), "Gate "),
    (250, -0.05, {"margin": 0.01, "require": "non-inferior"}, ("✗ gate not passed",), "Next step"),
    (25, 0.0, {}, ("Declare the smallest Δ worth having: ", "Next step."), "Gate "),
    (3, 0.05, {}, (), "nan"),
    (1, 0.05, {}, ("1 query is too few for a test",), "Gate "),
])  # fmt: skip
def test_page_says_the_verdict_the_gate_the_next_step_and_few_queries(
    n, shift, how, words, absent, no_drawer
) -> None:
    comparison = comparison_of(n, shift, **how)
    result = read(html(comparison, drawer=no_drawer))
    visible = result.visible
    assert [word for word in words if word not in visible] == []
    assert absent not in visible
    report = compose(comparison)
    assert (result.inside("title"), result.inside("h1")) == (report.title, report.headline.sentence)
    ids = [cells[0] for cells in result.rows if cells and re.fullmatch(r"q\d{5}", cells[0])]
    assert len(ids) == min(n, 2 * FIRST_EACH) or n == len(ids) == 25
    # Where nothing was tested nothing is drawn.
    assert ("r-drawn" in result.having("class")) is (n > 1)


def test_most_severe_cautions_are_open_and_the_others_one_click_away(better, no_drawer) -> None:
    cautions = tuple(
        Caution(f"c{i}", f"Title {i}", f"Sentence {i}.", 3 if i < 2 else 1)
        for i in range(SHOWN + 2)
    )
    result = read(page_of(replace(compose(better), cautions=cautions), drawer=no_drawer))
    folded = result.inside("details")
    assert "2 more" in folded
    assert f"Sentence {SHOWN}." in folded
    assert "Sentence 0." not in folded
    assert "Sentence 0." in result.inside("aside")


def test_of_few_queries_nothing_is_drawn_that_their_bars_show() -> None:
    few = compare_scores({"q1": 0.2, "q2": 0.4, "q3": 0.1}, {"q1": 0.3, "q2": 0.6, "q3": 0.2})
    sample: list[str] = []
    html(few, drawer=lambda plot, *_, **__: sample.append(plot) or plot)
    assert {*sample} == {"deltas", "power"}


def test_figures_carry_their_colours_as_attributes(page: Page) -> None:
    fills = {value.lower() for value in page.having("fill")}
    assert {PALETTE["a"][0], PALETTE["b"][0], PALETTE["ink"][0]} <= fills
    style = page.inside("style")
    for name in ("a", "b", "ink"):
        assert f'[fill="{PALETTE[name][0]}"] {{ fill: var(--{name}); }}' in style


def test_a_half_without_another_one_is_no_half() -> None:
    assert _paired([True, True, True, False, True]) == [True, True, False, False, False]


def test_hostile_ids_reach_the_script_unchanged_and_are_cut_where_they_are_shown(
    hostile: Comparison, no_drawer: Drawer
) -> None:
    odd = replace(hostile, query_ids=(*hostile.query_ids[1:], "half\ud800pair"))
    text = html(odd, drawer=no_drawer)
    ids = {query.replace("\ud800", "?") for query in odd.query_ids}
    assert {*island(text)["columns"][0]["values"]} == ids
    assert max(len(cell) for cells in read(text).rows for cell in cells) <= LONGEST
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f]", text)
    text.encode("utf-8")


def test_identical_systems_get_a_page() -> None:
    same = {f"q{i:05}": i / 30 for i in range(30)}
    result = read(html(compare_scores(same, same)))
    assert "both score the same on all" in result.inside("h1")
    assert ["q00000"] in [cells[:1] for cells in result.rows]
