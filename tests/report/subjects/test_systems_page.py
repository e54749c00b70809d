"""The page of a ranking: what it says, what it holds, and that it holds for every kind of data."""

import re
from dataclasses import replace

import numpy as np
import pytest

from abrank import Ranking, Scores, rank_scores
from abrank.report import compose
from abrank.report.model import Table
from tests.report.formats.page import read
from tests.report.written import html

QUERIES = 30


def board(n_systems: int, *, n_queries: int = QUERIES, measures=("AP",), step=0.05) -> Scores:
    random = np.random.default_rng(2)
    hard = random.uniform(0.2, 0.6, (n_queries, 1, 1))
    shift = step * np.arange(n_systems)[::-1, None]
    values = hard + shift + random.normal(0, 0.05, (n_queries, n_systems, len(measures)))
    names = tuple(f"s{i}" for i in range(n_systems))
    return Scores(tuple(f"q{i}" for i in range(n_queries)), names, tuple(measures), values)


@pytest.fixture(scope="module")
def ranking() -> Ranking:
    return rank_scores(board(4, measures=("AP", "RR", "P@10")))


@pytest.fixture(scope="module")
def page(ranking: Ranking, no_drawer) -> str:
    return html(ranking, drawer=no_drawer)


def test_every_pair_stands_in_a_table(page: str, ranking: Ranking) -> None:
    result = read(page)
    assert {link.removeprefix("#") for link in result.having("href")} - {*result.having("id")} <= {
        "data:,"
    }
    (section,) = (section for section in compose(ranking).sections if section.key == "pairs")
    assert len(section.blocks[0].rows) == len(ranking.pair_rows) == 6


@pytest.mark.slow
def test_headlines_say_who_leads_and_who_is_not_told_apart() -> None:
    def title(scores: Scores, **how: object) -> str:
        return compose(rank_scores(scores, **how)).headline.title

    assert title(board(4, step=0.2)) == "s0 is better than all 3 others on AP."
    assert title(board(2, step=0.2)) == "s0 is better than s1 on AP."
    shared = compose(rank_scores(board(12, step=0.001)))
    assert shared.headline.tag == "Shared lead"
    leads = rank_scores(board(12, step=0.001)).leaders
    assert f"{len(leads) - 1} of 11 others may be as good." in shared.headline.title
    assert title(board(3, step=0.2), baseline="s1") == (
        "1 of 2 systems is better than s1 on AP; 1 is worse."
    )
    assert title(board(3, step=0.2), baseline="s0") == (
        "No system is significantly better than s0 on AP; 2 are worse."
    )
    same = board(3, step=0.0)
    same.values[:] = same.values[:, :1]
    assert title(same) == "All systems score the same on every query on AP."
    assert title(board(3, n_queries=1)) == "One query cannot show that systems differ on AP."
    assert title(board(3, n_queries=0)) == "No query can show that systems differ on AP."


@pytest.mark.slow
@pytest.mark.parametrize("n_systems", [2, 3, 13, 45])
@pytest.mark.parametrize("n_queries", [0, 1, 2, QUERIES])
@pytest.mark.parametrize("how", [{}, {"baseline": "s1"}, {"baseline": ["s0", "s1"]}])
def test_every_size_has_a_page(n_systems, n_queries, how, no_drawer) -> None:
    if n_systems == 2 and how.get("baseline") == ["s0", "s1"]:
        how = {"test": "nemenyi"}
    elif how.get("baseline") and n_systems == 45:
        how = {"test": "wilcoxon", "adjust": "bh", **how}
    scores = board(n_systems, n_queries=n_queries, step=0.3 / n_systems)  # no AP is far above 1
    page = html(rank_scores(scores, resamples=199, **how), drawer=no_drawer)
    assert page.endswith("</html>\n") or page.endswith("</html>")
    assert "nan" not in re.sub(r"<style>.*?</style>|<script>.*?</script>", "", page, flags=re.S)


def test_figures_are_drawn_with_ids_of_their_own(ranking: Ranking) -> None:
    page = html(ranking)
    ids = read(page).having("id")
    assert len(ids) == len(set(ids))
    assert len(re.findall(r"<svg xmlns", page)) == 4  # two, each twice


@pytest.mark.slow
@pytest.mark.parametrize(("turned", "said"), [
    ((1, 1), "First by other measures: s0 (RR)."),
    ((1, -1, 1), "First by other measures: s2 (RR) and s0 (P@10)."),
])  # fmt: skip
def test_it_says_who_leads_by_the_other_measures(turned: tuple[int, ...], said: str) -> None:
    result = board(3, measures=("AP", "RR", "P@10")[: len(turned)])
    values = np.where(np.array(turned) > 0, result.values, 1.0 - result.values)
    report = compose(rank_scores(replace(result, values=values)))
    (section,) = (section for section in report.sections if section.key == "measures")
    assert section.finding.partition(" Kendall")[0] == said


def test_the_letters_that_a_caption_speaks_of_stand_in_its_table(ranking, page) -> None:
    sub = re.sub(r"<[^>]+>", " ", page)
    (section,) = (section for section in compose(ranking).sections if section.key == "measures")
    tables = [block for block in section.blocks if isinstance(block, Table)]
    marked = [cell for table in tables for row in table.rows for cell in row if cell.mark]
    assert len(marked) == 12
    for cell in marked:
        assert f"{cell.text} {cell.mark}" in sub
