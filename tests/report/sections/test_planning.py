"""What is said of the queries needed: from the spread, with a range, never from the difference."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from abrank import Comparison, Verdict, compare_scores
from abrank._support import display as f
from abrank.comparison.plans import PlannedClaim, PlannedDifference
from abrank.planning.student import queries_needed
from abrank.report import compose, text
from abrank.report.sections.planning import (
    limits_beside,
    margin,
    margin_of_what,
    needed_for,
    other_margins,
    queries_planned,
    smallest_visible,
)


def about(sd: float, difference: float) -> str:
    needed = queries_needed(sd, difference)
    assert needed is not None
    return f.about(needed)


def planned_section(comparison: Comparison):
    return next(section for section in compose(comparison).sections if section.key == "planning")


def first_queries(n: int, margin: float) -> Comparison:
    """Compare the first n queries of one pair, whose differences have an sd of .15 or so."""
    rng = np.random.default_rng(3)
    a, differences = 0.1 + 0.6 * rng.random(43), rng.normal(0.01, 0.15, 43)
    ids = [f"q{i}" for i in range(n)]
    b = dict(zip(ids, (a + differences).tolist(), strict=False))
    return compare_scores(dict(zip(ids, a.tolist(), strict=False)), b, margin=margin)


@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.02])
def test_the_same_pair_never_asks_for_wildly_other_numbers(margin: float) -> None:
    # Taken from the observed difference, these were 16, 11, 20, 210,000 and 250 on one real pair.
    result = {}
    for n in (2, 3, 5, 10, 43):
        comparison = first_queries(n, margin)
        assert comparison.verdict is Verdict.INCONCLUSIVE
        row = comparison.planning.of(0.02)
        sentence = queries_planned(comparison)
        assert f"{f.about(row.queries_needed or 0)} " in sentence
        assert f.signed(comparison.mean_difference) not in sentence
        result[n] = row
    needed = [row.queries_needed for row in result.values()]
    assert max(needed) / min(needed) < 10
    # All of these pilots of one population allow what the largest of them says.
    for row in result.values():
        assert row.queries_low <= result[43].queries_needed <= row.queries_high


def test_with_a_margin_its_difference_is_planned(make) -> None:
    comparison = make(0.005, margin=0.005)
    step = queries_planned(comparison)
    assert step.startswith("Queries needed to detect a true Δ 80% of the time: about ")
    assert f"about {about(comparison.planning.sd, 0.005)} (" in step
    assert ") for 0.005 (margin)." in step
    assert step.endswith("In brackets: the 95% range, as the variance is only estimated.")
    assert step in planned_section(comparison).finding
    assert "".join(step.split()) in "".join(text(compose(comparison), detail="all").split())


def test_without_a_margin_round_differences_are_planned(make) -> None:
    comparison = make(0.005)
    sd = comparison.planning.sd
    step = queries_planned(comparison)
    assert f"of the time: about {about(sd, 0.02)} (" in step
    assert f") for 0.02, about {about(sd, 0.01)} (" in step
    assert "0.05" not in step  # 34 queries show it, and there are 100


def test_enough_queries_are_said_to_be_enough(make) -> None:
    # 35 queries show .05 at sd .1, and there are 100; the interval −.009 to .065 stays open.
    comparison = make(0.018, sd=0.1, margin=0.03, n=100)
    assert comparison.verdict is Verdict.NOT_WORSE
    assert queries_planned(comparison) == (
        "These 100 queries detect a true Δ of 0.030 (margin) at least 80% of the time; more"
        " queries narrow the interval."
    )
    wide = make(0.0001, sd=0.05, n=4000)
    assert queries_planned(wide).startswith(
        "These 4\u202f000 queries detect a true Δ of 0.01 at least"
    )


def test_what_no_number_shows_is_said(make) -> None:
    open_ = make(0.005, margin=0.005)
    beyond = PlannedDifference(0.005, None, 0.05, 90_000_000, None)
    changed = replace(open_, planning=replace(open_.planning, differences=(beyond,)))
    assert "more than 100 million (90\u202f000\u202f000 to more than" in queries_planned(changed)
    assert queries_planned(replace(open_, planning=replace(open_.planning, differences=()))) == ""


def test_only_open_questions_ask_for_queries(make) -> None:
    assert (
        queries_planned(make(0.05))
        == queries_planned(make(-0.05))
        == queries_planned(make(0.001, margin=0.03))
        == ""
    )


def test_the_section_says_what_the_numbers_rest_on(make) -> None:
    section = planned_section(make(0.05, margin=0.015))
    sentence = " ".join(block.text for block in section.blocks if hasattr(block, "text"))
    assert re.search(r"the same within ±0.015 with about \d+ queries \(", sentence)
    assert re.search(r"not worse by 0.015 or more with about \d+ queries \(", sentence)
    assert "The difference that was observed plays no part." in sentence
    assert "The ranges are by the 95% chi-square interval of the deviation." in sentence


def test_a_margin_has_the_decimals_that_it_needs_and_says_of_what_it_is_a_share() -> None:
    a, b = {"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6}
    results = [compare_scores(a, b, margin=item) for item in (0.01, 0.0025, "2%")]
    assert [margin(result) for result in results] == ["0.010", "0.0025", "2%"]
    assert margin_of_what(results[-1]) == "2% of A's mean"


def test_a_limit_near_the_margin_has_more_decimals() -> None:
    assert limits_beside((-0.0203, 0.023), 0.02, digits=3) == "−0.0203 to +0.023"
    for limits, visible in (
        ((-0.002, 0.02004), "−0.2% to +2.004%"),
        ((-0.002, 0.01996), "−0.2% to +1.996%"),
        ((-0.02, math.inf), "−2.0% to +∞"),
    ):
        assert limits_beside(limits, 0.02, percent=True, digits=1) == visible


def test_the_verdict_of_other_margins_is_said() -> None:
    a, b = {"q1": 0.2, "q2": 0.4, "q3": 0.3}, {"q1": 0.3, "q2": 0.3, "q3": 0.5}
    end = "Same in practice from 0.325 on."
    assert other_margins(compare_scores(a, b)) == (
        "Up to a margin of 0.190 the verdict stays Inconclusive. It is Not worse from 0.191 to"
        f" 0.324 and {end}"
    )
    assert other_margins(compare_scores(a, b, margin=0.25)) == (
        "For a margin from 0.191 to 0.324 the verdict stays Not worse. It is Inconclusive up to"
        f" 0.190 and {end}"
    )
    a = (0.48, 0.5, 0.65, 0.77, 0.22, 0.28, 0.69, 0.76, 0.34, 0.38, 0.72, 0.45)
    b = (0.44, 0.56, 0.61, 0.75, 0.24, 0.29, 0.62, 0.68, 0.4, 0.42, 0.78, 0.46)
    a, b = ({f"q{i}": value for i, value in enumerate(item)} for item in (a, b))
    assert other_margins(compare_scores(a, b, margin=0.026)) == (
        "Only at 0.026 the verdict is Not worse. It is Inconclusive up to 0.025 and Same in"
        " practice from 0.027 on."
    )


def test_nothing_is_visible_where_no_measure_differs_so_much() -> None:
    a, b = {"q1": 0.2, "q2": 0.4, "q3": 0.9}, {"q1": 0.9, "q2": 0.3, "q3": 0.1}
    assert smallest_visible(compare_scores({"AP": a}, {"AP": b})) == ""


def test_the_queries_of_the_next_test_have_their_range() -> None:
    a = {"q1": 0.2, "q2": 0.4, "q3": 0.1, "q4": 0.5}
    b = {"q1": 0.3, "q2": 0.6, "q3": 0.2, "q4": 0.9}
    assert str(queries_planned(compare_scores(a, b, margin=0.05))) == (
        "Queries needed to detect a true Δ 80% of the time: about 65 (23 to 880) for 0.050"
        " (margin). In brackets: the 95% range, as the variance is only estimated."
    )


def test_a_claim_about_the_margin_has_its_queries() -> None:
    scores = {f"q{i}": i / 10 for i in range(4)}
    comparison = compare_scores(scores, scores)
    assert (
        needed_for(PlannedClaim("same", 71, 25, 960), comparison)
        == "about 71 queries (25 to 960) would exclude it if the true Δ is 0"
    )
    assert needed_for(None, comparison) == ""
