"""The tests of ``abrank/report/saved/many.py``."""

import json
from functools import partial

import numpy as np
import pytest

from abrank import Ranking
from abrank._support.errors import ReadError
from abrank.cli import run
from abrank.collections import CollectionsRanking, rank_collections
from abrank.ranking import rank_scores
from abrank.report import WRITERS
from abrank.report.saved.many import _HOW_RANKED as HOW
from abrank.report.saved.many import ranking_of, standings_of
from abrank.scoring.scores import Scores
from tests.report.refused import Contradictions, why_refused
from tests.report.written import card

pytestmark = pytest.mark.usefixtures("nothing_drawn")


def board(n_systems=4, measures=("AP", "RR"), n_queries=30):
    random = np.random.default_rng(2)
    values = random.uniform(0.2, 0.6, (n_queries, 1, 1)) + random.normal(
        0.1, 0.05, (n_queries, n_systems, len(measures))
    )
    values += 0.05 * np.arange(n_systems)[:, None]
    ids = tuple(f"q{i}" for i in range(n_queries))
    return Scores(ids, tuple(f"s{i}" for i in range(n_systems)), tuple(measures), values)


HOW_RANKING = [
    {},
    {"baseline": "s1"},
    {"baseline": ["s0", "s1"], "family": "all"},
    {"test": "nemenyi"},
]


@pytest.mark.slow
@pytest.mark.parametrize("how", HOW_RANKING)
def test_it_comes_back_and_every_format_has_the_same_bytes(tmp_path, how, capsys):
    ranking = rank_scores(board(), resamples=199, **how)
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
    ranking = rank_scores(board(n_queries=n_queries))
    assert Ranking.from_json(ranking.report(tmp_path / "r.json")) == ranking


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n_queries": 3}, "n_queries"),
        ({"seed": "x"}, "seed: expected a whole number"),
        ({"schema": "abrank/1"}, "is no report of a Ranking"),
        ({"measure": "P@5"}, "but the scores and rule of the file give"),
        ({"more": 1}, "more: is 1, but the scores and rule of the file give null"),
    ],
)
def test_what_is_damaged_is_refused_by_its_place(tmp_path, change, said):
    result = (
        json.loads(rank_scores(board()).report(tmp_path / "r.json").read_text("utf-8")) | change
    )
    (tmp_path / "r.json").write_text(json.dumps(result))
    with pytest.raises(ReadError, match=said):
        Ranking.from_json(tmp_path / "r.json")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["queries"]["scores"].pop("s0"), "the systems are not those of the scores"),
        (lambda d: d["pairs"][0].update(a="s9"), "there is no system s9"),
        (
            lambda d: d["queries"]["scores"]["s1"].pop(),
            "queries.scores.s1: has 29 entries, and there are 30 queries",
        ),
    ],
)
def test_what_contradicts_itself_is_refused(tmp_path, change, said):
    loads = json.loads(rank_scores(board()).report(tmp_path / "r.json").read_text("utf-8"))
    change(loads)
    (tmp_path / "r.json").write_text(json.dumps(loads))
    with pytest.raises(ReadError, match=said):
        Ranking.from_json(tmp_path / "r.json")


@pytest.mark.slow
def test_the_card_has_no_style_sheet_script_or_id():
    html = rank_scores(board(14))._repr_html_()
    assert html.startswith("<div")
    assert not any(part in html for part in ("<script", "<style", " id=", "nan"))
    assert "and 2 more in .to_frame()" in html
    assert len(html) < 25_000


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
def test_another_file_is_no_ranking_on_several_collections(value, tmp_path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(value))
    with pytest.raises(ReadError) as caught:
        CollectionsRanking.from_json(path)
    assert str(caught.value) == f"{path}: is no report of a CollectionsRanking\n  {HOW}"


CONTRADICTIONS: Contradictions = {
    "a word for a number": (
        lambda d: d.update(alpha="five"),
        'alpha: is "five", but the rankings of the file give 0.05',
    ),
    "a collection under another name": (
        lambda d: d["collections"][0].update(name="wiki"),
        "measures[0].standings[0].fixed.chance_first: is ",
    ),
    "another standing": (
        lambda d: d["measures"][0]["standings"][0].update(mean=0.123),
        "measures[0].standings[0].mean: is 0.123, but the rankings of the file give 0.6",
    ),
    "a system fewer": (
        lambda d: d["measures"][0]["standings"].pop(),
        "measures[0].standings: is a list of 2, but the rankings of the file give a list of 3",
    ),
}


@pytest.mark.parametrize(("change", "said"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_standings_that_contradict_themselves_are_refused(change, said, found) -> None:
    reason = why_refused(found.to_dict(), change, read=partial(standings_of, label="my.json"))
    assert reason.startswith(f"my.json, {said}")
    assert reason.endswith(f"\n  {HOW}")


def test_a_ranking_is_read_again_as_it_was() -> None:
    ranking = rank_scores({"X": {"q1": 0.3, "q2": 0.6}, "Y": {"q1": 0.5, "q2": 0.9}})
    assert (ranking_of(ranking.to_dict()) == ranking) is True
