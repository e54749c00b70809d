"""What the verdict means: by the margin, against the secondary measures, for identical systems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pandas as pd
import pytest

from abrank.comparison import Comparison, compare_scores
from abrank.options import Question
from abrank.report import WRITERS, compose
from abrank.report.sections.headline import contradictions
from tests.report.written import card, text

Make = Callable[..., Comparison]


def flat(said: str) -> str:
    return " ".join(said.split())


@pytest.mark.parametrize(
    ("mean", "how", "title", "limits"),
    [
        (
            0.01,
            {"margin": 0.02},
            "Any loss is smaller than 0.020; a gain is not shown.",
            "−0.007 to +0.027",
        ),
        (
            -0.01,
            {"margin": 0.02},
            "Any gain is smaller than 0.020; a loss is not shown.",
            "−0.027 to +0.007",
        ),
        (0.001, {"margin": 0.03}, "Any gain or loss is smaller than 0.030", "−0.016 to +0.018"),
        (
            0.001,
            {"margin": "9%"},
            "Any gain or loss is smaller than 9% of A's mean",
            "−3.9% to +4.4%",
        ),
    ],
)
def test_only_the_interval_that_decides_stands_at_the_top(
    make: Make, mean: float, how: dict[str, object], title: str, limits: str
) -> None:
    comparison = make(mean, **how)
    head = compose(comparison).headline
    assert title in head.title
    assert f"90% interval of two one-sided tests {limits}" in head.numbers
    assert "margin" in head.numbers
    assert "judged by" in head.rule
    assert "(two one-sided tests)" in head.rule
    for said in (head.title, head.numbers, head.meaning):
        # Neither the wider interval; of losses unseen a sentence may tell with confidence.
        assert "95% interval" not in said
        assert "95% confidence interval" not in said
        assert "p = " not in said
    shown = card(comparison)
    assert f"interval of two one-sided tests {limits}" in shown
    assert "p = " not in shown
    assert "thick: 90% interval, which decides about the margin" in shown
    rows = next(each for each in compose(comparison).sections if each.key == "tests").blocks[0].rows
    assert any(row[0].strong and row[6].text.startswith("0.") for row in rows)


def test_a_limit_has_the_decimals_that_tell_it_from_the_margin(make: Make) -> None:
    low = make(0.01, margin=0.02).decision.tost_low
    comparison = make(0.01, margin=-low + 2e-5)
    margin = f"{comparison.rule.margin:.12g}"
    assert f"smaller than {margin};" in compose(comparison).headline.title
    assert f"{low:.5f}".replace("-", "−") in compose(comparison).headline.numbers


def two(**columns: list[float]) -> pd.DataFrame:
    return pd.DataFrame(columns, index=[f"q{i}" for i in range(len(next(iter(columns.values()))))])


@pytest.fixture(scope="module")
def mixed() -> Comparison:
    steps = [0.3 + 0.01 * i for i in range(20)]
    up = [0.05 + 0.002 * (i % 5) for i in range(20)]
    names = ("nDCG@10", "AP", "RR", "P@10", "R@100")
    signs = (1, -1, -1, 1, 1)
    a = two(**dict.fromkeys(names, steps))
    b = two(
        **{
            name: [x + sign * d for x, d in zip(steps, up, strict=True)]
            for name, sign in zip(names, signs, strict=True)
        }
    )
    return compare_scores(a, b, resamples=999)


def test_secondary_measures_that_point_the_other_way_are_said_in_every_format(
    mixed: Comparison,
) -> None:
    said = "2 of 4 secondary measures point the other way after adjustment: AP, RR."
    assert contradictions(mixed) == said
    assert compose(mixed).headline.against == said
    assert said in flat(text(mixed))
    assert said in card(mixed)
    for kind in (".html", ".md"):
        assert said in WRITERS[kind](mixed).decode().replace("\\", "")


def test_what_points_with_the_verdict_or_is_unclear_is_not_said(
    mixed: Comparison, make: Make
) -> None:
    assert contradictions(make(0.05, measures=3)) == ""
    swapped = replace(mixed, rule=replace(mixed.rule, primary="AP"))
    every = tuple(
        replace(row, measure=f"m{i}", reading="worse") for i, row in enumerate(mixed.rows * 2)
    )
    assert contradictions(replace(mixed, rows=(mixed.rows[0], *every[:6]))) == (
        "6 of 6 secondary measures point the other way after adjustment: m0, m1, m2, m3 and 2 more."
    )
    assert contradictions(swapped) == (
        "1 of 4 secondary measures points the other way after adjustment: RR."
    )


def test_a_worse_system_with_better_secondary_measures_is_said() -> None:
    a = two(AP=[0.5, 0.6, 0.7, 0.8], RR=[0.1, 0.2, 0.3, 0.4])
    b = two(AP=[0.3, 0.4, 0.5, 0.61], RR=[0.3, 0.4, 0.5, 0.61])
    found = contradictions(compare_scores(a, b, config=Question(adjust="none")))
    assert found == "The secondary measure points the other way: RR."


def test_tied_scores_are_no_evidence_and_the_bound_says_how_little() -> None:
    scores = two(**{"R@100": [0.5] * 25})
    comparison = compare_scores(scores, scores, margin=0.001, require="equivalent")
    head = compose(comparison).headline
    # 1 - .05 ** (1 / 25) = .1129
    bound = "up to 11.3% of queries could still differ, a mean loss of up to 0.113 (95% confidence)"
    assert head.title == "A and B score the same on every query."
    assert head.numbers == "R@100 goes from 0.500 to 0.500: 0.000, 25 queries, all tied."
    assert bound in head.meaning
    assert head.gate == (
        f"not passed: the scores tie on all 25 queries, which is no evidence: {bound}"
    )
    assert comparison.to_dict()["verdict"]["unseen"]["share"] == pytest.approx(0.11293, abs=1e-5)


def test_rankings_that_are_the_same_are_another_statement() -> None:
    from abrank import compare

    qrels = {f"q{i}": {"d1": 1} for i in range(5)}
    runs = [{f"q{i}": {"d1": 2.0 * k, "d2": 1.0} for i in range(5)} for k in (1, 3)]
    comparison = compare(qrels, *runs, measures="AP", name_a="old", name_b="new")
    head = compose(comparison).headline
    assert head.title == "old and new rank alike on every query."
    assert "the same grades at the same ranks" in head.meaning
