"""The tests of ``abrank/report/sections/samples.py``."""

import abrank


def said(rows: list[dict[str, object]]) -> str:
    return " ".join(str(abrank.compare_preferences(rows)).split())


def votes(n: int = 40) -> list[dict[str, object]]:
    return [{"query_id": f"q{i:02}", "winner": "B" if i % 4 else "A"} for i in range(n)]


def test_what_has_no_verdict_is_counted() -> None:
    rows = [*votes(), {"query_id": "q90", "winner": "error"}]
    assert "1 without a verdict left out (error 1)" in said(rows)


def test_an_order_that_was_drawn_is_said() -> None:
    rows = [{**row, "shown_first": "random"} for row in votes()]
    assert "Order: random, but not recorded" in said(rows)


def test_one_order_each_has_the_bias_between_them() -> None:
    rows = [
        {**row, "winner": "A" if i % 3 else "B", "shown_first": "AB"[i % 2]}
        for i, row in enumerate(votes())
    ]
    text = said(rows)
    assert "Order: each verdict was given in one order, which changes." in text
    assert "The answer shown first has a net share of" in text


def test_both_orders_count_reversals_and_half_ties() -> None:
    rows = [
        {**row, "shown_first": first, "winner": winner}
        for i, row in enumerate(votes(12))
        for first, winner in zip("AB", (("A", "B"), ("A", "tie"), ("B", "B"))[i % 3], strict=True)
    ]
    text = said(rows)
    assert "Order: 4 of 12 verdicts reverse with the order, 4 of them to the answer shown" in text
    assert "and 4 more are a tie in one order only: counted as ties." in text


def test_verdicts_that_never_change_with_the_order() -> None:
    rows = [{**row, "shown_first": first} for row in votes(12) for first in "AB"]
    assert "Order: none of 12 verdicts changes with the order." in said(rows)


def test_the_table_for_a_paper_says_what_the_order_does(tmp_path) -> None:
    rows = [
        {"query_id": f"q{i:02}", "winner": side if i % 3 else "B", "shown_first": side}
        for i in range(30)
        for side in "AB"
    ]
    text = abrank.compare_preferences(rows).report(tmp_path / "votes.tex").read_text("utf-8")
    assert "20 of 30 verdicts reverse with the order, 20 of them to the answer shown first" in text
