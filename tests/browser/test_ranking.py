"""The pages of many systems, on one collection and on several, in a real browser."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from abrank.collections import rank_collections
from abrank.ranking import rank_scores
from abrank.ranking.details import with_extras
from abrank.scoring.scores import Scores
from tests.report.written import html

expect = pytest.importorskip("playwright.sync_api", reason="needs the extra browser").expect


def board(seed: int) -> Scores:
    random = np.random.default_rng(seed)
    hard = random.uniform(0.2, 0.6, (30, 1, 1))
    shift = 0.05 * np.arange(5)[:, None]
    values = hard + shift + random.normal(0, 0.05, (30, 5, 2))
    ids = tuple(f"q{i}" for i in range(30))
    return Scores(ids, tuple("abcde"), ("AP", "RR"), values)


@pytest.fixture(scope="module")
def page() -> str:
    return html(with_extras(rank_scores(board(2)), instruments=True, risk=1.0))


@pytest.fixture(scope="module")
def standings() -> str:
    return html(rank_collections({f"c{seed}": board(seed) for seed in range(3)}))


@pytest.mark.slow
@pytest.mark.parametrize("which", ["page", "standings"])
def test_axe_finds_nothing_and_nothing_is_too_wide(
    show: Callable[..., Any],
    request: pytest.FixtureRequest,
    check_accessibility: Callable[[Any], None],
    which: str,
) -> None:
    opened = show(request.getfixturevalue(which))
    opened.page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    for width in (1280, 360):
        opened.resize(width)
        check_accessibility(opened.page)
        assert opened.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert len(opened.requests) == 1
    assert opened.messages == []
