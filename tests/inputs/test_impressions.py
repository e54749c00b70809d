"""Interleaving: credits, shares and clusters of an independent reference; simulated clicks."""

import json

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank.inputs.votes import credits_of
from abrank.simulate import interleave, simulate_clicks
from tests.report.written import text as text_of

PARTS = {
    "all": {}, "team_draft": {"method": "team_draft"}, "balanced": {"method": "balanced"},
    "team_draft_pbm": {"method": "team_draft", "click_model": "pbm"},
    "team_draft_cascade": {"method": "team_draft", "click_model": "cascade"},
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(shared_data):
    return shared_data / "votes" / "interleaving"


@pytest.fixture(scope="module")
def rows(folder):
    text = (folder / "impressions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_credits_are_those_of_the_reference(rows, folder) -> None:
    assert [credits_of(row) for row in rows] == [tuple(row["reference_scores"]) for row in rows]
    cases = json.loads((folder / "reference_cases.json").read_text(encoding="utf-8"))
    visited = 0
    for first in cases["team_draft_preferences"] + cases["balanced_preferences"]:
        lists = {name: first[name] for name in ("team", "a", "b") if name in first}
        for case in first["cases"]:
            a, b = credits_of({"ranking": first["ranking"], "clicks": case["clicks"], **lists})
            wins = [] if a == b else [0, 1] if a > b else [1, 0]
            assert wins == case["preferred"], case
            visited += 1
    assert visited > 12


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_shares_and_clusters_are_those_of_the_reference(part, rows, folder) -> None:
    gold = json.loads((folder / "gold.json").read_text(encoding="utf-8"))[part]
    chosen = [row for row in rows if PARTS[part].items() <= row.items()]
    comparison = abrank.compare_preferences(chosen, test="t")
    lead, preferences = comparison.primary, comparison.preferences
    assert comparison.n_queries == gold["impressions"]
    assert preferences.n_without_click == gold["without_click"]
    assert preferences.credits == (gold["credit_a"], gold["credit_b"])
    assert (lead.wins, lead.losses, lead.ties) == (gold["wins_b"], gold["wins_a"], gold["ties"])
    # The reference speaks of A against B.
    assert lead.diff == pytest.approx(-gold["delta_AB_chapelle"], abs=1e-12)
    assert comparison["credits"].diff == pytest.approx(
        -gold["credit_difference_clustered_by_user"]["mean"], abs=1e-12
    )
    for name in ("session", "user", "query_id"):
        clusters = abrank.compare_preferences(chosen, design=name, test="t").clusters
        owner = gold[f"sign_clustered_by_{name}"]
        assert (clusters.n_clusters, clusters.largest) == (owner["clusters"], owner["largest"])
    share = preferences.credits[0] / sum(preferences.credits)
    assert share == pytest.approx(gold["credit_share_a"], abs=1e-12)


@pytest.mark.slow
def test_users_are_the_clusters_unless_others_are_asked_for(rows, tmp_path) -> None:
    comparison = abrank.compare_preferences(rows)
    assert (comparison.clusters.name, comparison.clusters.n_clusters) == ("user", 60)
    assert comparison.rule.test == "permutation"
    screen = " ".join(str(comparison).split())
    assert f"Interleaved lists: {comparison.n_queries} impressions by 60 users" in screen
    assert "60 clusters by user" in " ".join(text_of(comparison, detail="all").split())
    assert abrank.Comparison.from_json(comparison.report(tmp_path / "r.json")) == comparison
    page = comparison.report(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "not say how large the gain is in nDCG" in page
    single = [{key: item for key, item in row.items() if key not in ("user", "session")}
              for row in rows]  # fmt: skip
    assert abrank.compare_preferences(single).clusters is None


@pytest.mark.slow
def test_a_table_of_credits_or_clicks_as_text_says_the_same(rows, tmp_path) -> None:
    team = [row for row in rows if "team" in row]
    comparison = abrank.compare_preferences(team)
    plain = pd.DataFrame({
        "impression": [row["impression"] for row in team], "query_id": "q", "user": "u",
        "team": ["".join(row["team"]) for row in team],
        "clicks": [";".join(map(str, row["clicks"])) for row in team],
    })  # fmt: skip
    plain["user"] = [row["user"] for row in team]
    plain.to_csv(tmp_path / "clicks.csv", index=False)
    assert abrank.compare_preferences(tmp_path / "clicks.csv").rows == comparison.rows
    drop = plain.drop(columns=["team", "clicks"])
    drop[["credit_a", "credit_b"]] = [credits_of(row) for row in team]
    assert abrank.compare_preferences(drop).rows == comparison.rows


def test_events_of_users_are_read_where_they_carry_teams(folder, tmp_path) -> None:
    with pytest.raises(abrank.ReadError, match="carry no teams"):
        abrank.compare_preferences(folder / "ubi_cut.ndjson")
    lines = (folder / "ubi_cut.ndjson").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    clicked = 0
    for event in events:
        if "action_name" in event:
            object_id = str(event["event_attributes"].get("object", {}).get("object_id", ""))
            event["event_attributes"]["team"] = "AB"[sum(map(ord, object_id)) % 2]
            clicked += event["action_name"] in ("click", "item_click")
    joined = tmp_path / "ubi.ndjson"
    joined.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    comparison = abrank.compare_preferences(joined)
    queries = {event["query_id"] for event in events if "action_name" in event}
    assert comparison.n_queries == len(queries)
    assert sum(comparison.preferences.credits) == clicked
    assert comparison.clusters.name == "user"


@pytest.mark.parametrize(("row", "said"), [
    ({"credit_a": -1, "credit_b": 0}, "credits must be numbers of 0 or more"),
    ({"credit_a": None, "credit_b": 0}, "credits must be numbers of 0 or more"),
    ({"clicks": [3], "team": ["A", "B"]}, "a click is no place from 0 to 1"),
    ({"clicks": [0], "team": ["A", "C"]}, "a team is A or B"),
    ({"clicks": [0], "ranking": ["d1"]}, "neither team nor the lists a and b"),
])  # fmt: skip
def test_impressions_that_cannot_be_used_are_refused(row, said) -> None:
    good = {"query_id": "q1", "credit_a": 1, "credit_b": 0} if "credit_a" in row else {
        "query_id": "q1", "clicks": [0], "team": ["A", "B"]
    }  # fmt: skip
    with pytest.raises(abrank.ReadError, match=said):
        abrank.compare_preferences([good, {"query_id": "q2", **row}])
    with pytest.raises(abrank.ReadError, match="stands once"):
        abrank.compare_preferences([good | {"impression": "i"}, good | {"impression": "i"}])


@pytest.mark.parametrize("method", ["team-draft", "balanced"])
def test_lists_are_interleaved_as_in_the_reference(method, folder) -> None:
    cases = json.loads((folder / "reference_cases.json").read_text(encoding="utf-8"))
    random = np.random.default_rng(1)
    for case in cases[f"{method.replace('-', '_')}_rankings"]:
        sample = {
            tuple(interleave(*case["lists"], method=method, depth=case["length"], random=random)[0])
            for _ in range(60)
        }
        assert sample == {tuple(item) for item in case["possible"]}, case


@pytest.mark.slow
@pytest.mark.parametrize("model", ["position", "cascade"])
@pytest.mark.parametrize("method", ["team-draft", "balanced"])
def test_simulated_clicks_prefer_the_better_ranker(method, model) -> None:
    better = abrank.simulate_runs(80, effect=0.8, rng=2)
    options = {"method": method, "model": model, "n_impressions": 800, "rng": 3}
    comparison = abrank.compare_preferences(simulate_clicks(better, **options))
    assert str(comparison.verdict).startswith("better")
    assert simulate_clicks(better, **options) == simulate_clicks(better, **options)


def test_an_impression_without_a_user_is_counted_and_leaves_the_others_their_clusters() -> None:
    rows = [
        {"query_id": f"q{i % 9}", "user": f"u{i % 12}", "credit_a": i % 2, "credit_b": (i + 1) % 3}
        for i in range(40)
    ]
    rows += [{"query_id": "q1", "user": "", "credit_a": 1, "credit_b": 0}] * 2
    comparison = abrank.compare_preferences(rows)
    clusters = comparison.clusters
    assert (clusters.name, clusters.n_clusters, comparison.n_queries) == ("user", 14, 42)
    assert comparison.remarks == ("2 impressions name no user: each counts as one of its own",)
