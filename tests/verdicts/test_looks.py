"""Looks by the queries seen: recorded, checked against the look before, and 5 % all together."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import abrank
from abrank import AlignmentError, ArgumentError, Comparison, compare_scores
from abrank.cli import run
from abrank.inference.sequential import level_of_seen
from tests.asked import asked
from tests.report.written import whole_text

IDS = [f"q{i:03}" for i in range(400)]


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(6)
    a = rng.random(400)
    b = a + 0.03 + 0.2 * rng.standard_normal(400)
    return tuple(dict(zip(IDS, item.tolist(), strict=True)) for item in (a, b))


def _first(scores, n, **how) -> Comparison:
    a, b = ({query: score[query] for query in IDS[:n]} for score in scores)
    return compare_scores(a, b, **asked(**how))


@pytest.mark.slow
def test_a_later_look_knows_the_earlier_ones(scores, tmp_path) -> None:
    first = _first(scores, 100, planned=400)
    assert first.rule.design.seen == (100,)
    first.report(tmp_path / "one.json")
    two = _first(scores, 250, planned=400, earlier=tmp_path / "one.json")
    last = _first(scores, 400, planned=400, earlier=two)
    assert last.rule.design.seen == (100, 250, 400)
    for result in (first, two, last):
        visited = result.rule.design.seen
        assert result.rule.alpha == pytest.approx(
            level_of_seen(visited, 400, spending="obrien-fleming", alpha=0.05)
        )
    assert first.rule.alpha < two.rule.alpha < last.rule.alpha < 0.05
    last.report(tmp_path / "last.json")
    assert Comparison.from_json(tmp_path / "last.json") == last
    assert "250 of 400 queries planned after a look at 100 (O'Brien–Fleming" in whole_text(two)
    assert "--config earlier=results.json" in whole_text(first)


def test_the_record_is_checked(scores) -> None:
    first = _first(scores, 100, planned=400)
    plain = _first(scores, 100)
    with pytest.raises(ArgumentError, match="records no looks"):
        _first(scores, 200, planned=400, earlier=plain)
    with pytest.raises(ArgumentError, match="at planned 400, this one is at 300"):
        _first(scores, 200, planned=300, earlier=first)
    with pytest.raises(ArgumentError, match="at spending obrien-fleming, this one is at pocock"):
        _first(scores, 200, planned="400:pocock", earlier=first)
    with pytest.raises(ArgumentError, match="no query is new"):
        _first(scores, 100, planned=400, earlier=first)
    a, b = ({query: score[query] for query in IDS[50:300]} for score in scores)
    with pytest.raises(AlignmentError, match="50 of 100 queries of the earlier look are not among"):
        compare_scores(a, b, design=abrank.Planned(400, earlier=first))
    with pytest.raises(ArgumentError, match="say with --config planned=N"):
        _first(scores, 200, earlier=first)
    with pytest.raises(ArgumentError, match="shares out alpha by the queries seen"):
        _first(scores, 200, planned=400, look="1/2")
    whole = _first(scores, 400, planned=400)
    with pytest.raises(ArgumentError, match="all 400 queries planned were seen"):
        _first(scores, 400, planned=400, earlier=whole)


def test_all_doors_take_it_or_say_why_not(scores, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    for name, score in zip("ab", scores, strict=True):
        rows = "".join(f"{query},{score[query]:.6f}\n" for query in IDS[:200])
        Path(f"{name}.csv").write_text(f"query_id,AP\n{rows}")
    Path("abrank.toml").write_text('planned = "400:pocock"\n')
    call = ["compare", "--scores", "a.csv", "b.csv", "--config", "abrank.toml"]
    assert run([*call, "-v", "--report", "one.json"]) == 0
    assert "200 of 400 queries planned, the first look (Pocock" in capsys.readouterr().out
    assert run([*call, "--config", "earlier=one.json"]) == 2
    assert "no query is new since the look at 200" in capsys.readouterr().err
    machine = {"machine_scores": scores}
    with pytest.raises(ArgumentError, match="planned cannot be combined with machine"):
        _first(scores, 100, planned=400, **machine)
    pair = (scores[0], scores[1])
    with pytest.raises(ArgumentError, match="planned"):
        abrank.compare_collections({"x": pair, "y": pair}, design=abrank.Planned(400))


def test_looks_by_hand_are_said_to_be_unchecked(scores) -> None:
    visible = whole_text(_first(scores, 200, look="2/4"))
    assert (
        "That no other looks were taken is not checked: --config planned=N records them, and a"
        " --ledger knows them." in visible
    )


@pytest.mark.slow
def test_an_early_stop_is_said_to_overestimate(scores) -> None:
    a, b = scores
    far = {query: score + 0.2 for query, score in b.items()}
    early = whole_text(_first((a, far), 200, planned=400))
    assert "Δ at an early stop is larger than the true one on average" in early
    assert "early stop" not in whole_text(_first((a, far), 400, planned=400))


def test_a_confidence_sequence_says_for_which_differences_it_holds(scores) -> None:
    visible = whole_text(_first(scores, 200, anytime=400))
    assert "from 25 queries on, for differences like these" in visible


def test_looks_anywhere_reject_one_in_twenty_all_together() -> None:
    """Lan & DeMets: of 4,000 normal samples looked at at 60, 150, 310 and 400 of 400 queries."""
    visited = (60, 150, 310, 400)
    levels = [level_of_seen(visited[: k + 1], 400, spending="pocock", alpha=0.05) for k in range(4)]
    sums = np.cumsum(np.random.default_rng(0).standard_normal((4_000, 400)), axis=1)
    z = np.abs(sums[:, np.array(visited) - 1]) / np.sqrt(visited)
    rejected = (z > stats.norm.isf(np.array(levels) / 2)).any(axis=1).mean()
    assert rejected == pytest.approx(0.05, abs=0.011)
    # At the nominal level at every look more than twice as many are.
    assert (z > 1.96).any(axis=1).mean() > 0.1
