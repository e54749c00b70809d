"""Every number on the pages of many systems, on one collection and on several, is in results.json.

As for a comparison (``test_every_number``): what a format writes is taken apart, and each number is
the one rounding of a saved one, of a pair read the other way round, of a difference of two saved
scores of a query, or of the confidence.
"""

import json
import re
from html import unescape

import numpy as np
import pytest

from abrank.collections import CollectionsRanking, rank_collections
from abrank.ranking import Ranking, rank_scores
from abrank.report import WRITERS
from tests.report.subjects.test_systems_page import board
from tests.report.test_every_number import (
    NUMBER,
    PIECES,
    Known,
    assert_known,
    leaves,
    plain,
    texts_of,
    written,
)
from tests.report.written import html

# Constants of the words, and years of sources.
OURS = (
    "Zhang 2009", "Carterette 2012", "Tukey 1953", "Young 1993",
    "Wilhelm 2024", "Wolf 2005", "14 to 31% of samples in place of 5%",
)  # fmt: skip


@pytest.fixture(scope="module")
def ranking() -> Ranking:
    return rank_scores(board(8, measures=("AP", "RR", "P@10"), step=0.02))


@pytest.fixture(scope="module")
def standings() -> CollectionsRanking:
    return rank_collections(
        {f"c{i}": board(5, measures=("AP", "RR"), n_queries=21 + i, step=0.02) for i in range(3)}
    )


def known_of(found: Ranking | CollectionsRanking) -> Known:
    saved = json.loads(json.dumps(found.to_dict()))
    numbers = [leave for leave in leaves(saved) if not isinstance(leave, str)]
    numbers.append(1.0 - found.alpha)
    if isinstance(found, Ranking):
        scores = found.scores
        numbers += np.subtract(scores[:, :, None], scores[:, None, :]).ravel().tolist()
    for pairs in pairs_of(saved):
        numbers += [-value for pair in pairs for value in pair.values() if type(value) is float]
    plains = {plain(text) for number in numbers for text in written(number, found.alpha)}
    texts = {leave for leave in leaves(saved) if isinstance(leave, str) and re.search(r"\d", leave)}
    texts |= set(OURS) | {str(found.provenance.get("created"))[:10]}
    for scores in scores_of(saved):
        texts |= set(scores)
    named = sorted(texts, key=len, reverse=True)
    return Known(plains, re.compile("|".join(rf"(?<!\w){re.escape(item)}(?!\w)" for item in named)))


def pairs_of(value):
    """Return the rows of pairs; under that key a note names pairs without numbers."""
    under = _under(value, "pairs")
    return [[row for row in rows if isinstance(row, dict)] for rows in under]


def scores_of(value):
    return _under(value, "scores")


def _under(value, key):
    """Return all that stands under a key of a tree."""
    if isinstance(value, list):
        return [result for item in value for result in _under(item, key)]
    if not isinstance(value, dict):
        return []
    custom = [value[key]] if key in value else []
    return custom + [result for item in value.values() for result in _under(item, key)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ranking", "standings"])
def test_pages_have_no_other_number(name, request, no_drawer) -> None:
    result = request.getfixturevalue(name)
    names, page = known_of(result), html(result, drawer=no_drawer)
    body = re.sub(r"<(svg|script|style)\b.*?</\1>", " ", page, flags=re.S)
    body = re.sub(r'<details class="source">.*?</details>', " ", body, flags=re.S)  # BibTeX
    pieces = texts_of(body)
    assert sum(len(NUMBER.findall(plain(piece))) for piece in pieces) >= 200
    assert_known(names, pieces)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [".md", ".txt", ".tex"])
def test_texts_of_standings_have_no_other_number(standings, kind) -> None:
    pieces = [unescape(item) for item in PIECES[kind](WRITERS[kind](standings).decode())]
    assert sum(len(NUMBER.findall(plain(piece))) for piece in pieces) >= 15
    assert_known(known_of(standings), pieces)


@pytest.mark.slow
def test_a_changed_number_would_be_seen(standings) -> None:
    assert known_of(standings).unknown("mean 0.123456") == ["0.123456"]
