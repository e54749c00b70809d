"""The pages of every other subject in a browser: nothing asked for, nothing said, all readable."""

from functools import partial

import pytest

from abrank import audit, evaluate, rank_collections, rank_scores, simulate_runs
from abrank.report import compose, html
from tests.report import test_every_format
from tests.report.subjects.test_systems_page import board

BOARD = partial(rank_scores, board(5, measures=("AP", "RR")))


def means_with_a_floor():
    collection = simulate_runs(40, rng=3)
    systems = {"old": collection.baseline, "new": collection.candidate}
    scores = evaluate(collection.qrels, systems, ["nDCG@10", "AP"])
    return scores.intervals(at_least="nDCG@10:0.2")


PAGES = {
    **{name: partial(test_every_format.report_of, name)
     for name in (*test_every_format.PLAIN, "collections", "ranking against a baseline")},
    "ranking": lambda: compose(BOARD()),
    "standings": lambda: compose(rank_collections({f"c{i}": board(5, measures=("AP", "RR"),
     n_queries=28 + i) for i in range(3)})),
    "means": lambda: compose(means_with_a_floor()),
    "audit": lambda: compose(audit(queries=50, a="0.412", b="0.431", measure="nDCG@20")),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_with_everything_open(show, check_accessibility, name) -> None:
    opened = show(html(PAGES[name]()))
    opened.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    for width in (1280, 360):
        opened.resize(width)
        check_accessibility(opened.page)
        assert opened.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert (len(opened.requests), opened.messages) == (1, [])
