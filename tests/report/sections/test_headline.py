"""The verdict in words: one tag and one sentence a verdict, and what to do next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from abrank._support import display as f
from abrank.comparison import Comparison, compare_scores
from abrank.report import compose
from abrank.report.sections import headline, words
from abrank.verdict import Verdict

ROWS: list[tuple[float, dict[str, Any], str, str, str]] = [
    (0.05, {"margin": 0.01}, "▲", "Better", "monot5 is better than bm25."),
    (0.05, {}, "▲", "Better", "monot5 is better than bm25."),
    (
        0.05,
        {"margin": 0.04},
        "△",
        "Better, size unclear",
        "monot5 is better than bm25, maybe by less than 0.040.",
    ),
    (
        0.03,
        {"margin": 0.06},
        "=",
        "Same in practice",
        "monot5 is better than bm25, but by less than 0.060.",
    ),
    (
        0.001,
        {"margin": 0.03},
        "=",
        "Same in practice",
        "Any gain or loss is smaller than 0.030.",
    ),
    (
        0.01,
        {"margin": 0.02},
        "≥",
        "Not worse",
        "Any loss is smaller than 0.020; a gain is not shown.",
    ),
    (
        -0.01,
        {"margin": 0.02},
        "≤",
        "Not better",
        "Any gain is smaller than 0.020; a loss is not shown.",
    ),
    (0.005, {}, "?", "Inconclusive", "100 queries cannot tell bm25 and monot5 apart."),
    (-0.05, {"margin": 0.01}, "▼", "Worse", "monot5 is worse than bm25."),
    (
        -0.05,
        {"margin": 0.04},
        "▽",
        "Worse, size unclear",
        "monot5 is worse than bm25, maybe by less than 0.040.",
    ),
    (
        -0.03,
        {"margin": 0.06},
        "=",
        "Same in practice",
        "monot5 is worse than bm25, but by less than 0.060.",
    ),
]


@pytest.mark.parametrize(("mean", "how", "glyph", "tag", "title"), ROWS)
def test_every_row_of_the_table_has_its_tag_and_sentence(
    make: Callable[..., Comparison],
    mean: float,
    how: dict[str, Any],
    glyph: str,
    tag: str,
    title: str,
) -> None:
    head = compose(make(mean, **how)).headline
    assert (head.glyph, head.tag, head.title) == (glyph, tag, title)
    assert head.tone == {"▲": "b", "△": "b", "▽": "a", "▼": "a"}.get(glyph, "tie")


def test_every_verdict_has_a_tag() -> None:
    assert len({words.tag(verdict) for verdict in Verdict}) == len(Verdict)


def test_identical_names_the_shared_file(make: Callable[..., Comparison]) -> None:
    same = make(0.0, sd=0.0)
    assert compose(same).headline.title == "bm25 and monot5 score the same on every query."
    assert "the rankings may still differ" in compose(same).headline.meaning
    source = {"path": "x.run", "sha256": "ab" * 32, "rows": 3}
    shared = replace(same, provenance={"inputs": {"a": source, "b": source}})
    assert "the same file (sha256 abababababab…)" in compose(shared).headline.meaning


def test_constant_difference_is_said_with_the_sign_flip_p(
    make: Callable[..., Comparison],
) -> None:
    head = compose(make(0.1, sd=0.0, n=6)).headline
    assert "every query differs by exactly +0.100, so the t statistic is undefined" in head.title
    # All six signs alike: 2 of the 2**6 sign patterns are as extreme.
    assert head.meaning == "The sign-flip test gives p = 0.031."


def test_other_tests_without_a_pvalue_are_said_in_words(make: Callable[..., Comparison]) -> None:
    title = compose(make(0.1, sd=0.0, n=6, test="bootstrap")).headline.title
    assert "so the bootstrap test is undefined" in title
    odd = replace(make(0.1), test_rows=())
    odd = replace(
        odd, decision=replace(odd.decision, verdict=Verdict.CANNOT_TEST, reason="no-variance")
    )
    head = compose(odd).headline
    assert "the paired t test gives no p-value for these differences" in head.title
    assert head.meaning == "Nothing was tested, so nothing is shown, one way or the other."


def test_too_few_queries_are_said() -> None:
    one = compose(compare_scores({"q": 0.2}, {"q": 0.5})).headline
    assert one.title == "B and A cannot be tested: 1 query is too few for a test."
    none = compose(compare_scores({}, {})).headline
    assert none.title == "B and A cannot be tested: there is no query to compare."
    assert none.numbers == "0 queries."


def test_numbers_line_is_written_from_the_primary_row(make: Callable[..., Comparison]) -> None:
    comparison = make(0.05)
    row = comparison.primary
    assert compose(comparison).headline.numbers == (
        f"nDCG@10 goes from {f.score(row.mean_a)} to {f.score(row.mean_b)}: +0.050 (95% confidence"
        f" interval +0.030 to +0.070; {f.percent(row.rel_diff)}), p < 0.001, 100 queries."
    )


def test_numbers_of_a_test_of_another_kind_name_what_it_estimates(
    make: Callable[..., Comparison],
) -> None:
    numbers = compose(make(0.05, test="wilcoxon")).headline.numbers
    assert "The pseudo-median difference is +0.050 (95% confidence interval" in numbers


def test_relative_change_is_left_out_where_it_is_not_defined() -> None:
    numbers = compose(compare_scores({"a": 0.0, "b": 0.0}, {"a": 0.1, "b": 0.2})).headline.numbers
    assert numbers.startswith("The score goes from 0.000 to 0.150: +0.150 (95% confidence")
    assert "%)" not in numbers


def test_equivalence_prints_the_interval_that_decided(make: Callable[..., Comparison]) -> None:
    meaning = compose(make(0.001, margin=0.03)).headline.meaning
    assert meaning.startswith(
        "The 90% interval −0.016 to +0.018, which decides this, lies within the margin of ±0.030."
    )


def test_agreement_counts_the_rows_it_stands_over(make: Callable[..., Comparison]) -> None:
    comparison = make(0.05)
    rows = list(comparison.test_rows)
    said = headline.agreement(comparison)
    assert said in compose(comparison).headline.meaning
    assert said == (
        "All five tests put monot5 ahead, all of them at the 5% level; they are not independent."
    )
    rows[-1] = replace(rows[-1], estimate=-0.1, pvalue=0.6)
    assert headline.agreement(replace(comparison, test_rows=tuple(rows))).startswith(
        "Four of five tests put monot5 ahead, all but sign at the 5% level; they are"
    )
    # Of what is not shown no test is told that finds it.
    assert headline.agreement(make(0.001)) == ""
    assert headline.agreement(replace(comparison, test_rows=comparison.test_rows[:1])) == ""


def test_rule_names_all_that_was_declared(make: Callable[..., Comparison]) -> None:
    comparison = make(0.05, measures=3, margin=0.01, require="better", rng=7, primary="nDCG@10")
    assert compose(comparison).headline.rule == (
        "Rule: nDCG@10 decides by the paired t test, two-sided α = 0.05, margin 0.010,"
        " seed 7, gate: better. If there is no difference, 5% of such comparisons say that there"
        " is one in nDCG@10, and 5% in any of the others; more do if B was chosen or tuned on"
        " these queries."
    )
    plain = make(0.05, measures=2, adjust="none")
    assert "no margin, seed" in compose(plain).headline.rule
    assert compose(plain).scorecard.legend[0] == "★ primary, tested alone; others not adjusted"


def test_no_line_says_more_than_is_known(situation: Comparison) -> None:
    report = compose(situation)
    head = report.headline
    # The rule supposes it, and does not say that it is so.
    rule = head.rule.replace("If there is no difference", "")
    said = " ".join([head.title, head.numbers, head.meaning, rule, report.title])
    for banned in ("significant", "no difference", "trend", "*", "metric", "topic", "nan", "  "):
        assert banned not in said
    assert head.verdict == situation.verdict.value
    assert head.title.endswith(".")
    assert report.title.endswith("· abrank")
