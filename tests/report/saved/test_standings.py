"""What was saved of many systems on several collections is read back, or refused with its place."""

from __future__ import annotations

import json
from functools import partial

import pytest

from abrank._support.errors import ReadError
from abrank.collections import CollectionsRanking, rank_collections
from abrank.report.saved.many import _HOW_RANKED as HOW
from abrank.report.saved.many import standings_of
from tests.report.refused import Contradictions, why_refused

WEB = {
    "X": {"q1": 0.3, "q2": 0.6, "q3": 0.1},
    "Y": {"q1": 0.6, "q2": 0.8, "q3": 0.3},
    "Z": {"q1": 0.5, "q2": 0.9, "q3": 0.7},
}
NEWS = {system: {query: value**2 for query, value in of.items()} for system, of in WEB.items()}


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
        'alpha: expected a number, found "five"',
    ),
    "a collection under another name": (
        lambda d: d["collections"][0].update(name="wiki"),
        "measures[0].standings[0].these.lead: is ",
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
def test_what_contradicts_itself_is_refused(change, said, found) -> None:
    reason = why_refused(found.to_dict(), change, read=partial(standings_of, label="my.json"))
    assert reason.startswith(f"my.json, {said}")
    assert reason.endswith(f"\n  {HOW}")


def test_what_was_changed_after_it_was_written_is_refused(found, tmp_path) -> None:
    path = found.report(tmp_path / "results.json")
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"provenance": {}}))
    with pytest.raises(ReadError, match="checksum: the content was changed after it was written"):
        CollectionsRanking.from_json(path)
