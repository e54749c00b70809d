"""The tests of ``abrank/report/saved/many.py``."""

import json
from functools import partial

import pytest

from abrank import Ranking, ReadError, rank_scores
from abrank.cli import run
from abrank.collections import CollectionsRanking, rank_collections
from abrank.report import WRITERS
from abrank.report.saved.many import _HOW_RANKED as HOW
from abrank.report.saved.many import ranking_of, standings_of
from tests.report.refused import GONE, why_refused
from tests.report.subjects.test_systems_page import board
from tests.report.written import card

pytestmark = pytest.mark.usefixtures("nothing_drawn")


HOW_RANKING = [
    {}, {"baseline": "s1"}, {"baseline": ["s0", "s1"], "family": "all"}, {"test": "nemenyi"},
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("how", HOW_RANKING)
def test_it_comes_back_and_every_format_has_the_same_bytes(tmp_path, how, capsys):
    ranking = rank_scores(board(4, measures=("AP", "RR")), resamples=199, **how)
    path = ranking.report(tmp_path / "r.json")
    again = Ranking.from_json(path)
    assert again == ranking
    for kind in WRITERS:
        assert WRITERS[kind](again) == WRITERS[kind](ranking), kind
    assert card(again) == card(ranking)
    assert run(["render", str(path), "-q", "--format", "md"]) == 0
    assert capsys.readouterr().out == WRITERS[".md"](ranking).decode()
    assert run(["render", str(path), "-v"]) == 0
    assert f"4 systems by AP on {ranking.n_queries} queries." in capsys.readouterr().out


@pytest.mark.parametrize("n_queries", [0, 1, 2])
def test_the_smallest_come_back(tmp_path, n_queries):
    ranking = rank_scores(board(4, n_queries=n_queries))
    assert Ranking.from_json(ranking.report(tmp_path / "r.json")) == ranking


@pytest.mark.parametrize(("place", "value", "said"), [
    ("n_queries", 3, "n_queries"),
    ("seed", "x", "seed: expected a whole number"),
    ("measure", "P@5", "but the scores and rule of the file give"),
    ("more", 1, "more: is 1, but the scores and rule of the file give null"),
    ("queries/scores/s0", GONE, "the systems are not those of the scores"),
    ("pairs/0/a", "s9", "there is no system s9"),
    ("queries/scores/s1", [0.5] * 29, "queries.scores.s1: has 29 entries, and there are 30"),
])  # fmt: skip
def test_what_is_damaged_or_contradicts_itself_is_refused(place, value, said):
    scores = board(4, measures=("AP", "RR"))
    saved = json.loads(json.dumps(rank_scores(scores).to_dict()))
    assert said in why_refused(saved, place, value, read=ranking_of)


WEB = {
    "X": {"q1": 0.3, "q2": 0.6, "q3": 0.1},
    "Y": {"q1": 0.6, "q2": 0.8, "q3": 0.3},
    "Z": {"q1": 0.5, "q2": 0.9, "q3": 0.7},
}
NEWS = {
    system: {query: value**2 for query, value in owner.items()} for system, owner in WEB.items()
}


@pytest.fixture(scope="module")
def found() -> CollectionsRanking:
    return rank_collections({"web": WEB, "news": NEWS})


def test_what_was_saved_is_read_back(found, tmp_path) -> None:
    assert CollectionsRanking.from_json(found.report(tmp_path / "results.json")) == found
    assert standings_of(found.to_dict()) == found


@pytest.mark.parametrize("value", [{}, {"schema": "abrank/1"}, [1, 2]])
@pytest.mark.parametrize("kind", [Ranking, CollectionsRanking])
def test_another_file_is_no_ranking(kind, value, tmp_path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(value))
    with pytest.raises(ReadError, match=f"is no report of a {kind.__name__}\n  write it again"):
        kind.from_json(path)


OF_THE_FILE = "but the rankings of the file give "


@pytest.mark.parametrize(("place", "value", "said"), [
    ("alpha", "five", f'alpha: is "five", {OF_THE_FILE}0.05'),
    ("collections/0/name", "wiki", "measures[0].standings[0].fixed.chance_first: is "),
    ("measures/0/standings/0/mean", 0.123,
     f"measures[0].standings[0].mean: is 0.123, {OF_THE_FILE}0.6"),
    ("measures/0/standings", lambda rows: rows[1:], f"is a list of 2, {OF_THE_FILE}a list of 3"),
])  # fmt: skip
def test_standings_that_contradict_themselves_are_refused(place, value, said, found) -> None:
    reason = why_refused(found.to_dict(), place, value, read=partial(standings_of, label="my.json"))
    assert reason.startswith("my.json, ")
    assert said in reason
    assert reason.endswith(f"\n  {HOW}")
