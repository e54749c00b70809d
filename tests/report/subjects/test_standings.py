"""The ranking of systems over several collections in words, however many and however wide."""

from dataclasses import replace

import numpy as np
import pytest

from abrank.collections import CollectionsRanking, rank_collections
from abrank.collections.result import Standing
from abrank.report import compose
from abrank.report.formats.page import scorecard_of
from abrank.report.model import Table
from abrank.report.registry import default_path
from abrank.report.subjects.standings import ranks
from abrank.scoring.scores import Scores
from tests.report.written import text


def made(k: int, *, c: int = 3, step: float = 0.0, prefix: str = "system") -> CollectionsRanking:
    """Rank systems, each below the next by a step, on collections of 20 queries."""
    random = np.random.default_rng(k + c)
    ids, systems = tuple(f"q{i}" for i in range(20)), tuple(f"{prefix} {i}" for i in range(k))
    arguments = {}
    for i in range(c):
        values = random.uniform(0.2, 0.4, (20, 1)) + random.normal(0.0, 0.01, (20, k))
        values += step * np.arange(k)
        arguments[f"collection {i}"] = Scores(ids, systems, ("AP",), values[:, :, None])
    return rank_collections(arguments)


@pytest.fixture(scope="module")
def six() -> CollectionsRanking:
    return made(6, c=2)


@pytest.mark.slow
@pytest.mark.parametrize("width", [50, 100])
def test_where_there_is_no_room_the_interval_is_left_out(width) -> None:
    result = made(4, c=8, step=0.05, prefix="a system of a longer name")
    visible = text(result, width=width)
    assert max(map(len, visible.splitlines())) <= width
    row = result.primary.rows[1]
    limit = f"{row.fixed.diff_low:+.{result.decimals}f}".replace("-", "−")
    assert (f" {limit} to" in visible) is (width == 100)
    # Eight collections do not fit beside each other; each stands in one of the tables.
    heads = [
        line for line in visible.splitlines() if "collection " in line and "a system" not in line
    ]
    assert [i for i in range(8) for line in heads if f"collection {i}" in line] == list(range(8))


@pytest.mark.slow
@pytest.mark.parametrize(("these", "like", "said"), [
    (6, 6, "On these 2 collections any of the 6 systems could be the best."),
    (6, 6, "On collections like these it is as open."),
    (5, 6, "5 could be the best on these 2 collections: {4} and 1 more. 1 is worse."),
    (5, 6, "any of the 6 could be the best: 2 collections are too few to tell."),
    (3, 3, "On collections like these the same could be the best."),
    (1, 1, "On collections like these it alone could be the best, too."),
    (2, 5, "On collections like these 5 could be the best: {4} and 1 more."),
    (2, 1, "On collections like these only {1} could be the best."),
])  # fmt: skip
def test_who_may_be_first_is_named_as_far_as_there_is_room(these, like, said, six) -> None:
    rows = tuple(
        replace(
            row,
            fixed=replace(row.fixed, rank_low=1 if i < these else 2),
            random=replace(row.random, rank_low=1 if i < like else 2),
        )
        for i, row in enumerate(six.primary.rows)
    )
    result = replace(six, measures=(replace(six.primary, rows=rows),))
    for n, listed in {str(n): ", ".join(six.systems[:n]) for n in (1, 4)}.items():
        said = said.replace(f"{{{n}}}", listed)
    assert said in text(result, width=200, detail="all")


@pytest.mark.slow
def test_a_table_of_very_many_systems_is_folded() -> None:
    tables = [block for section in compose(made(22, c=2)).sections for block in section.blocks]
    tables = [block for block in tables if isinstance(block, Table)]
    (card,) = (table for table in tables if table.key == "standings")
    first, more = scorecard_of(card)
    assert [len(item.table.rows) for item in (first, more)] == [20, 2]
    assert (first.table.folded, more.table.folded) == ("", "The other 2 systems")


def test_the_file_of_a_ranking_over_collections_has_a_name_of_its_own() -> None:
    path = default_path(compose(made(2, c=2)), ".html")
    assert path.as_posix() == "reports/ranking-AP-collections.html"


def test_a_rank_interval_of_one_rank_is_one_number() -> None:
    nothing = [float("nan")] * 4
    assert (ranks(Standing(*nothing, 1, 3, 0.4)), ranks(Standing(*nothing, 2, 2, 0.0))) == (
        "1 to 3",
        "2",
    )
