"""The tests of ``abrank/report/sections/design.py``: votes, and judgments by a machine."""

import pytest

import abrank

VOTES = [{"query_id": f"q{i:02}", "winner": "B" if i % 4 else "A"} for i in range(40)]
REVERSED = (("A", "B"), ("A", "tie"), ("B", "B"))
DECIDED = [
    {"query_id": f"q{i:02}", "winner": side if i % 3 else "B", "shown_first": side}
    for i in range(30)
    for side in "AB"
]


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (
            [*VOTES, {"query_id": "q90", "winner": "error"}],
            ["1 without a verdict left out (error 1)"],
        ),
        (
            [{**row, "shown_first": "random"} for row in VOTES],
            ["Order: random, but not recorded"],
        ),
        (
            [{**row, "winner": "A" if i % 3 else "B", "shown_first": "AB"[i % 2]}
             for i, row in enumerate(VOTES)],
            ["Order: each verdict was given in one order, which changes.",
             "The answer shown first has a net share of"],
        ),
        (
            [{**row, "shown_first": first, "winner": winner} for i, row in enumerate(VOTES[:12])
             for first, winner in zip("AB", REVERSED[i % 3], strict=True)],
            ["Order: 4 of 12 verdicts reverse with the order, 4 of them to the answer shown",
             "and 4 more are a tie in one order only: counted as ties."],
        ),
        (
            [{**row, "shown_first": first} for row in VOTES[:12] for first in "AB"],
            ["Order: none of 12 verdicts changes with the order."],
        ),
        (
            DECIDED,
            ["20 of 30 verdicts reverse with the order, 20 of them to the answer shown first"],
        ),
    ],
)  # fmt: skip
def test_votes_say_what_was_left_out_and_what_the_order_does(rows, words, tmp_path) -> None:
    result = abrank.compare_preferences(rows)
    text = " ".join(str(result).split())
    assert [word for word in words if word not in text] == []
    if rows is DECIDED:  # the table for a paper says it, too
        assert words[0] in result.report(tmp_path / "votes.tex").read_text("utf-8")
