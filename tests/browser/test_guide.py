"""The guide's site in a browser: offline, readable in light and dark, on a phone."""

import pytest

from abrank.guide import CONTENTS
from abrank.guide.site import build

TOPICS = ("index", *(topic for item in CONTENTS.values() for topic in item))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory):
    return build(tmp_path_factory.mktemp("site")).parent


@pytest.mark.slow
def test_no_page_is_wider_than_a_phone_or_asks_for_anything(show, built) -> None:
    opened = show("", width=360)
    for path in sorted(built.iterdir()):
        del opened.requests[:]
        opened.page.goto(path.as_uri())
        assert opened.requests == [path.as_uri()]
        wide = opened.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, path.name
        # A table of sentences stands row by row, so that every cell has the whole width.
        widths = opened.page.eval_on_selector_all(
            ".rows td", "cells => cells.map(cell => cell.getBoundingClientRect().width)"
        )
        assert min(widths, default=320) >= 320, path.name
    assert opened.messages == []


@pytest.mark.slow
@pytest.mark.parametrize("topic", [*TOPICS, "nDCG", "wilcoxon", "few-signs"])
def test_axe_finds_nothing(topic, show, built, check_accessibility) -> None:
    opened = show((built / f"{topic}.html").read_text("utf-8"), width=360)
    check_accessibility(opened.page)


@pytest.mark.slow
def test_the_contents_stand_beside_the_text_and_mark_the_page(show, built) -> None:
    opened = show((built / "gates.html").read_text("utf-8"))
    text, menu = (opened.page.locator(name).bounding_box() for name in ("main", "nav"))
    assert menu["x"] + menu["width"] <= text["x"]
    here = opened.page.locator("nav [aria-current]")
    assert here.all_inner_texts() == ["Three gates, and which to take"]
    opened.resize(360)
    text, menu = (opened.page.locator(name).bounding_box() for name in ("main", "nav"))
    assert menu["y"] >= text["y"] + text["height"]
