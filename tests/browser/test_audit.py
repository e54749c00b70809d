"""The page that audits published means without an install: its sums are those of Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from abrank import ArgumentError, audit
from abrank.planning.audit import BOARDS
from abrank.report import compose
from abrank.report.formats.html import audit_page

CASES = [
    (n, a, b, measure, sd, binary)
    for n in (2, 3, 5, 25, 50, 249, 1000)
    for a, b in (("0.412", "0.431"), ("0.5", "0.48"), ("0.10", "0.90"), ("0.3", "0.3"), ("0", "1"))
    for measure, sd, binary in (
        ("nDCG@10", None, False),
        ("AP", 0.2, False),
        ("Success@1", None, True),
    )
]


def test_every_number_is_that_of_python(show: Callable[..., Any]) -> None:
    opened = show(audit_page())
    for n, a, b, measure, sd, binary in CASES:
        got = opened.page.evaluate(
            "([n, a, b, m, sd, binary]) => audit(n, a, b, m, sd, binary)",
            [n, a, b, measure, sd, binary],
        )
        if sd and got["most"] < sd:
            with pytest.raises(ArgumentError, match=f"{got['most']:.3g} at most"):
                audit(n, a, b, measure=measure, sd=sd)
            continue
        want = audit(n, a, b, measure=measure, sd=sd)
        case = (n, a, b, measure)
        assert got["title"] == compose(want).headline.title, case
        assert got["limit"] == pytest.approx(want.sd_limit, rel=1e-9), case
        least = want.smallest_p_binary if want.is_binary else want.smallest_p
        assert got["least"] == pytest.approx(least, rel=1e-9, nan_ok=True), case
        for mine, row in zip(got["rows"], want.rows, strict=True):
            assert mine["spread"] == row.spread
            assert [mine["low"], mine["high"], mine["p"], mine["sd"]] == pytest.approx(
                [row.ci_low, row.ci_high, row.pvalue, row.sd], rel=1e-8, abs=1e-12
            ), case
            assert mine["needed"] == row.needed, (case, row.spread)
    assert opened.messages == []


def test_it_answers_while_one_types_and_reads_well(
    show: Callable[..., Any], check_accessibility: Callable[[Any], None]
) -> None:
    opened = show(audit_page())
    page = opened.page
    assert page.locator("#measure option").all_text_contents() == [*BOARDS]
    page.select_option("#measure", "Success@1")
    page.fill("#a", "0.40")
    page.fill("#b", "0.44")
    assert page.locator("h2").inner_text() == (
        "No outcome with these means could have been significant."
    )
    page.fill("#b", "44")
    assert "between 0 and 1" in page.locator("#answer").inner_text()
    page.fill("#b", "0.9")
    page.fill("#sd", "5")
    assert "spread by 0.819 at most" in page.locator("#answer").inner_text()
    page.fill("#sd", "")
    for width in (1280, 360):
        opened.resize(width)
        check_accessibility(page)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert len(opened.requests) == 1
    assert opened.messages == []
