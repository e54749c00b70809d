"""Votes: every number of an independent reference, other forms, bad votes, and saved results."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, ttest_1samp

import abrank
from abrank._support import display as f
from tests.report.written import text as text_of

SUMMARIES = {
    "preference": "disagreements_as_ties", "mean of orders": "mean_of_the_two_orders",
    "A shown first": "first_order_only", "B shown first": "second_order_only",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "votes"


@pytest.fixture(scope="module")
def gold(folder: Path) -> dict[str, Any]:
    loads: dict[str, Any] = json.loads((folder / "fastchat_pairs" / "gold.json").read_text())
    return loads


@pytest.fixture(scope="module")
def judged(folder: Path) -> abrank.Comparison:
    path = folder / "fastchat_pairs" / "gpt-4_pair.jsonl"
    return abrank.compare_preferences(path, measures=[*SUMMARIES])


@pytest.mark.parametrize(("measure", "name"), SUMMARIES.items())
def test_every_share_is_that_of_the_reference(measure, name, folder, gold) -> None:
    path, owner = folder / "fastchat_pairs" / "gpt-4_pair.jsonl", gold[name]
    comparison = abrank.compare_preferences(path, measures=measure)
    row, preferences = comparison.primary, comparison.preferences
    assert (comparison.n_queries, row.wins, row.losses, row.ties) == (
        owner["queries"], owner["wins_b"], owner["wins_a"], owner["ties"]
    )  # fmt: skip
    assert 2.0 * row.diff == pytest.approx(-owner["net_share"], abs=1e-12)
    assert row.mean_b == pytest.approx(1.0 - owner["ties_as_half_share"], abs=1e-12)
    assert comparison.pvalue == pytest.approx(owner["signflip_exact_p"], abs=1e-12)
    error = np.std(comparison.differences(), ddof=1) / np.sqrt(comparison.n_queries)
    assert 2.0 * error == pytest.approx(owner["net_se"], abs=1e-12)
    decided = preferences.decided
    assert decided.estimate == pytest.approx(1.0 - owner["share_of_decided"], abs=1e-12)
    low, high = owner["clopper_pearson_share"]
    assert (decided.low, decided.high) == pytest.approx((1.0 - high, 1.0 - low), abs=1e-12)
    assert decided.pvalue == pytest.approx(owner["binomial_two_sided_p"], abs=1e-12)


def test_the_order_is_that_of_the_reference(judged, gold) -> None:
    preferences, flips, place = judged.preferences, gold["flips"], gold["position"]
    assert (judged.baseline, judged.candidate) == ("phi-3", "phi-3-dpo")
    assert preferences.left_out == {"error": gold["left_out_with_error"]}
    assert preferences.n_votes == 2 * (gold["rows"] - gold["left_out_with_error"])
    assert not {*judged.query_ids} & {*map(str, gold["missing_questions"] + gold["error_rows"])}
    counts = (preferences.n_both, preferences.n_reversed, preferences.n_disagree)
    assert counts == (flips["both_orders"], flips["full_reversals"], flips["any_disagreement"])
    bias = preferences.bias
    assert bias.estimate == pytest.approx(place["bias_mean"], abs=1e-12)
    assert (bias.low, bias.high) == pytest.approx(tuple(place["bias_t_interval"]), abs=1e-12)
    assert preferences.n_to_first == place["reversals_to_first"]
    assert preferences.n_reversed - preferences.n_to_first == place["reversals_to_second"]
    turned = preferences.to_first
    assert turned.estimate == pytest.approx(place["reversals_share_first"], abs=1e-12)
    assert (turned.low, turned.high) == pytest.approx(tuple(place["reversals_clopper"]), abs=1e-12)
    assert turned.pvalue == pytest.approx(place["mcnemar_exact_p"], abs=1e-12)


def ballots(n=40, *, seed=1, orders=("A", "B"), bias=0.0) -> pd.DataFrame:
    random, rows = np.random.default_rng(seed), []
    for i in range(n):
        for first in orders:
            side = {"A": -bias, "B": bias}.get(first, 0.0)
            value = random.choice([-1, 0, 1], p=[0.3 - side, 0.3, 0.4 + side])
            winner = {-1: "A", 0: "tie", 1: "B"}[int(value)]
            rows.append({"query_id": f"q{i:02}", "winner": winner, "shown_first": first})
    return pd.DataFrame(rows)


@pytest.mark.slow
@pytest.mark.parametrize("decided", [4, 25, 38, 100, 65])
def test_the_level_that_few_decided_votes_can_reach_is_said(decided: int) -> None:
    winners = ["A" if i % 3 else "B" for i in range(decided)] + ["tie"] * 12
    comparison = abrank.compare_preferences(
        [{"query_id": f"q{i}", "winner": winner} for i, winner in enumerate(winners)]
    )
    pvalues = [binomtest(k, decided).pvalue for k in range(decided + 1)]
    expected = max((p for p in pvalues if p < 0.05), default=0.0)
    assert comparison.preferences.attainable == pytest.approx(expected, rel=1e-12)
    text = " ".join(text_of(comparison, detail="all").split())
    level = f.level(expected)
    assert f"this rule would still report a difference in {level} of comparisons" in text
    between = f"between {level} and" if expected else "below"
    # A level near to alpha is no news.
    assert (f"Their sign flips have no p-value {between} 5%." in text) is (decided != 65)
    by_t = abrank.compare_preferences(
        [{"query_id": f"q{i}", "winner": winner} for i, winner in enumerate(winners)], test="t"
    )
    assert by_t.preferences.attainable is None
    assert "no p-value" not in text_of(by_t, detail="all")


def test_shapes_of_other_tools_are_read(folder: Path) -> None:
    shapes = folder / "shapes_only"
    alpaca = abrank.compare_preferences(shapes / "alpaca_eval.annotations.json")
    assert (alpaca.baseline, alpaca.candidate) == ("baseline", "mine")
    assert alpaca.preferences.left_out == {"empty": 1}
    assert alpaca.preferences.shown_first["random"] == alpaca.n_queries == 7
    assert alpaca.b[:3, 0] == pytest.approx([0.0, 1.0, 0.5])
    # AlpacaEval counts a preference of 0, which its older versions wrote, as a draw.
    assert alpaca.b[alpaca.query_ids.index("made up question 6"), 0] == 0.5
    arena = {"name_a": "m1", "name_b": "m2"}
    comparison = abrank.compare_preferences(shapes / "arena.jsonl", **arena)
    assert comparison.b[:, 0].tolist() == [0.0, 1.0, 0.5, 0.5]  # each time the left one, m1 and m2
    with pytest.raises(abrank.ArgumentError, match="m1, m2, m3: name the two"):
        abrank.compare_preferences(shapes / "arena.jsonl")
    human = abrank.compare_preferences(shapes / "mtbench_human.jsonl")
    assert (human.n_queries, human.preferences.n_judges) == (2, 4)


def test_judges_are_averaged_and_weigh_what_they_are_said_to() -> None:
    rows = [
        {"query_id": "q1", "winner": "B", "judge": "x", "weight": 3},
        {"query_id": "q1", "winner": "A", "judge": "y", "weight": 1},
        {"query_id": "q2", "winner": "B", "judge": "x", "strength": 1},
        {"query_id": "q3", "winner": "A", "judge": "x", "strength": 4},
    ]
    weighed = abrank.compare_preferences([row | {"strength": 1} for row in rows[:2]])
    assert weighed.mean_difference == pytest.approx(0.25)
    comparison = abrank.compare_preferences([row | {"weight": 1} for row in rows[2:]])
    assert comparison.differences().tolist() == [0.125, -0.5]
    assert any("divided by the largest, 4" in remark for remark in comparison.remarks)


def test_one_order_is_asked_about_and_a_fixed_one_passes_no_gate() -> None:
    def made(*orders: str, **how: Any) -> abrank.Comparison:
        return abrank.compare_preferences(ballots(80, orders=orders, bias=0.2), **how)

    fixed = made("B", require="better")
    assert str(fixed.verdict) == "better"
    assert [reason.code for reason in fixed.soundness.reasons] == ["order-fixed"]
    assert fixed.decision.gate.lacks == "trust"
    assert made("B", require="better", accept_doubt=True).decision.gate.passed
    assert "order-unknown" in [note.code for note in made("").notes]
    random = made("random")
    assert not {"order-fixed", "order-unknown"} & {note.code for note in random.notes}
    assert random.soundness.level == "sound"


def test_the_bias_between_two_orders_is_welchs() -> None:
    frame = ballots(120, orders=("A",), bias=0.0)
    frame.loc[::2, "shown_first"] = "B"
    comparison = abrank.compare_preferences(frame)
    value = frame["winner"].map({"A": -1, "tie": 0, "B": 1})
    from scipy.stats import ttest_ind

    parts = [value[frame["shown_first"] == side] for side in "BA"]
    expected = ttest_ind(*parts, equal_var=False)
    bias = comparison.preferences.bias
    assert bias.pvalue == pytest.approx(expected.pvalue)
    assert bias.estimate == pytest.approx((parts[0].mean() - parts[1].mean()) / 2)
    limits = expected.confidence_interval()
    assert (bias.low, bias.high) == pytest.approx((limits.low / 2, limits.high / 2))


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"query_id": "q1", "label": 0}, {"query_id": "q2", "label": 1}],
         "0 and 1 may mean either"),
        ([{"query_id": "q1", "user": "u", "clicks": 3}], "no list stands beside them"),
        ([{"query_id": "", "winner": "A"}], "no query id"),
        ([{"query_id": "q1", "winner": "A", "weight": 0}], "weight must be a number above 0"),
        ([{"query_id": "q1", "winner": "A", "weight": None}], "weight must be a number above 0"),
        ([{"query_id": "q1", "preference": 7}], "tells no scale"),
        ([{"query_id": "q1", "preference": 1}], "tells no scale"),
    ],
)  # fmt: skip
def test_votes_that_cannot_be_used_are_refused(rows: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(abrank.ReadError, match=said):
        abrank.compare_preferences(rows)


def test_what_is_left_out_is_counted() -> None:
    rows = [
        {"query_id": "q1", "winner": "A"}, {"query_id": "q1", "winner": "B"},
        {"query_id": "q2", "winner": "error"}, {"query_id": "q3", "winner": "B"},
        {"query_id": "q4", "winner": None},
    ]  # fmt: skip
    comparison = abrank.compare_preferences(rows)
    assert comparison.query_ids == ("q1", "q3")
    assert comparison.remarks == (
        "1 vote without a verdict (empty) left out",
        "1 vote without a verdict (error) left out",
        "2 queries without any usable vote left out: q2, q4",
        "1 query has two winners by one judge in one order: their mean counts",
    )
    with pytest.raises(abrank.ArgumentError, match="votes give no AP; there are preference"):
        abrank.compare_preferences(rows, measures="AP")


def test_many_votes_of_nobody_named_are_votes_of_several_people() -> None:
    # They were taken as one judge's: a query whose two orders differed counted as a tie.
    random = np.random.default_rng(3)
    rows = pd.DataFrame({
        "query_id": np.repeat([f"q{i}" for i in range(60)], 5),
        "winner": random.choice(["A", "B", "tie"], 300, p=[0.35, 0.45, 0.2]),
        "shown_first": random.choice(["A", "B"], 300),
    })  # fmt: skip
    comparison = abrank.compare_preferences(rows)
    share = rows["winner"].map({"A": 0.0, "tie": 0.5, "B": 1.0}).groupby(rows["query_id"]).mean()
    assert comparison.mean_difference == pytest.approx(share.mean() - 0.5)
    named = abrank.compare_preferences(rows.assign(judge=[f"p{i}" for i in range(300)]))
    assert comparison.pvalue == named.pvalue
    assert not comparison.remarks


def test_what_was_clicked_are_impressions_and_no_queries() -> None:
    visible = [(0, 1)] * 24 + [(1, 0)] * 11 + [(0, 0)] * 25
    rows = [
        {"query_id": "q", "user": f"u{i}", "credit_a": a, "credit_b": b}
        for i, (a, b) in enumerate(visible)
    ]
    text = " ".join(str(abrank.compare_preferences(rows)).split())
    assert "without 1 of 60 impressions, the one that speaks most for it" in text
    assert "queries lose" not in text
    many = [{**row, "credit_a": 250 * row["credit_a"]} for row in rows]
    lines = str(abrank.compare_preferences(many)).split("\n")
    assert f"Credits of clicks: A 2{f.GROUP}750, B 24." in " ".join(map(str.strip, lines))


# Of each tool the columns of both systems and of the winner, and what stands in the last one.
TOOLS = {
    "ragelo": ("agent_a", "agent_b", "answer", ("A", "B", "C")),
    "arena": ("model_a", "model_b", "winner", ("model_a", "model_b", "tie (bothbad)")),
    "label": ("model_a", "model_b", "label", ("1", "2", "tie")),
    "content": ("model_a", "model_b", "decision", ("A>>B", "B>A", "A=B")),
    "one of three": ("model_a", "model_b", "decision", ("model_a", "model_b", "tie")),
    "pick": ("system_a", "system_b", "pick", ("[[A]]", "[[B]]", "[[C]]")),
    "better": ("model_1", "model_2", "better", None),
    "alpaca": ("generator_1", "generator_2", "preference", (1, 2, 1.5)),
    "share": ("system_a", "system_b", "preference", (0, 1, 0.5)),
}


def told_by_tool(tool: str, wins: list[int]) -> pd.DataFrame:
    """Games of bm25 and dense in both orders, as a tool writes them: 1 where dense wins."""
    first, second, column, answers = TOOLS[tool]
    rows = []
    for query, value in enumerate(wins):
        for left, right in (("bm25", "dense"), ("dense", "bm25")):
            winner = {1: "dense", -1: "bm25", 0: "tie", 2: left}[value]  # 2: whoever is first
            if answers is not None:
                winner = answers[2 if winner == "tie" else (left, right).index(winner)]
            rows.append({"qid": f"q{query:02}", first: left, second: right, column: winner})
    frame = pd.DataFrame(rows)
    if tool == "one of three":  # as Kaggle has the arena
        frame = frame.join(pd.get_dummies(frame.pop("decision"), prefix="winner", dtype=int))
    return frame


def test_numbers_of_votes_are_shares_of_them_however_many_there_are() -> None:
    random = np.random.default_rng(1)
    names = ["a_wins", "b_wins", "ties"]
    frame = pd.DataFrame(random.integers(0, 10**6, (20, 3)), columns=names)
    frame.iloc[0], frame.iloc[1] = [0, 1, 1], [0, 0, 3]
    result = abrank.compare_preferences(frame.assign(query_id=range(20)), test="t")
    share = (frame["b_wins"] + frame["ties"] / 2) / frame.sum(axis=1) - 0.5
    expected = ttest_1samp(share, 0.0)
    assert result.mean_difference == pytest.approx(share.mean(), rel=1e-12)
    assert result.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    assert result.preferences.n_votes == frame.to_numpy().sum()
    assert result.preferences.n_judges == 1
    assert "two winners" not in " ".join(result.remarks)


def test_only_of_more_than_two_unnamed_votes_the_orders_do_not_belong_together() -> None:
    both = [
        {"query_id": "q1", "winner": x, "shown_first": y} for x, y in (("B", "A"), ("tie", "B"))
    ]
    several = [{**vote, "query_id": "q2"} for vote in (*both, both[0])]
    result = abrank.compare_preferences([*both, *several])
    assert result.b[:, 0].tolist() == pytest.approx([0.5, 5 / 6])


@pytest.mark.parametrize("tool", TOOLS)
def test_columns_of_every_tool_give_the_counts_of_pandas(tool: str, tmp_path: Path) -> None:
    wins = [1, 1, -1, 0, 2, 2, 1, 0, -1, 1]
    frame = told_by_tool(tool, wins)
    # Each verdict for dense, and a query whose two orders disagree is a tie.
    games = told_by_tool("better", wins)
    games["dense"] = (games["better"] == "dense") * 1 - (games["better"] == "bm25") * 1
    both = games.groupby("qid")["dense"].agg(["min", "max"])
    value = both["min"].where(both["min"] == both["max"], 0)
    frame.to_csv(tmp_path / "votes.csv", index=False)
    for source in (frame, tmp_path / "votes.csv", frame.to_dict("records")):
        comparison = abrank.compare_preferences(source)
        assert (comparison.baseline, comparison.candidate) == ("bm25", "dense")
        row = comparison.primary
        expected = ((value > 0).sum(), (value == 0).sum(), (value < 0).sum())
        assert (row.wins, row.ties, row.losses) == expected
        assert (comparison.preferences.n_both, comparison.preferences.n_reversed) == (10, 2)
        assert comparison.preferences.n_to_first == 2


def test_chosen_and_rejected_and_winners_by_name_are_the_systems() -> None:
    pairs = [("dense", "bm25")] * 6 + [("bm25", "dense")] * 2
    rows = [
        {"query_id": f"q{i}", "chosen": chosen, "rejected": rejected}
        for i, (chosen, rejected) in enumerate(pairs)
    ]
    for votes in (rows, [{"query_id": row["query_id"], "winner": row["chosen"]} for row in rows]):
        comparison = abrank.compare_preferences(votes)
        assert (comparison.baseline, comparison.candidate) == ("bm25", "dense")
        assert (comparison.primary.wins, comparison.primary.losses) == (6, 2)
        assert any("A is bm25 and B is dense" in remark for remark in comparison.remarks)


def test_clicks_of_both_by_query_and_user_are_credits() -> None:
    rows = [
        {"query": f"q{i}", "user": f"u{i}", "clicks A": i % 2, "clicks B": 2} for i in range(12)
    ]
    assert abrank.compare_preferences(rows).preferences.credits == (6.0, 24.0)


def test_a_position_effect_is_said_first_and_is_no_measure(judged: abrank.Comparison) -> None:
    comparison = abrank.compare_preferences(
        [row for i in range(24) for row in _to_first(i, reverses=i < 12)]
    )
    first = str(comparison).splitlines()[0]
    assert "Order decides: 12 of 12 reversals go to the answer shown first" in first
    assert comparison.measures == ("preference", "mean of orders")
    assert "secondary measures is better" not in str(comparison)
    few = abrank.compare_preferences(
        [row for i in range(24) for row in _to_first(i, reverses=i < 3)]
    )
    assert "Order decides" not in str(few)  # 3 of 3 is no significant share


def _to_first(query: int, *, reverses: bool) -> list[dict[str, str]]:
    """Votes in both orders for whoever is first, or for A and B in turns."""
    winner = "AB"[query % 2]
    return [
        {"query_id": f"q{query}", "winner": first if reverses else winner, "shown_first": first}
        for first in "AB"
    ]
