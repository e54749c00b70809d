"""The tests of ``abrank/report/sections/headline.py``."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from abrank import Comparison, Machine, Question, Verdict, compare_preferences, compare_scores
from abrank._support import display as f
from abrank.report import WRITERS, compose
from abrank.report.formats.html import TONES
from abrank.report.sections import headline, words
from abrank.report.sections.headline import contradictions
from tests.report.written import card, html, text

ROWS = [
    (0.05, {"margin": 0.01}, "▲", "Better", "monot5 is better than bm25."),
    (0.05, {}, "▲", "Better", "monot5 is better than bm25."),
    (0.05, {"margin": 0.04}, "△", "Better, size unclear",
     "monot5 is better than bm25, maybe by less than 0.040."),
    (0.03, {"margin": 0.06}, "=", "Same in practice",
     "monot5 is better than bm25, but by less than 0.060."),
    (0.001, {"margin": 0.03}, "=", "Same in practice",
     "monot5 and bm25 differ by less than 0.030."),
    (0.001, {"margin": "9%"}, "=", "Same in practice",
     "monot5 and bm25 differ by less than 9% of A's mean."),
    (0.01, {"margin": 0.02}, "≥", "Not worse",
     "monot5 is not worse than bm25 by 0.020 or more; a gain is not significant."),
    (-0.01, {"margin": 0.02}, "≤", "Not better",
     "monot5 is not better than bm25 by 0.020 or more; a loss is not significant."),
    (0.005, {}, "?", "Inconclusive", "100 queries cannot tell monot5 from bm25."),
    (-0.05, {"margin": 0.01}, "▼", "Worse", "monot5 is worse than bm25."),
    (-0.05, {"margin": 0.04}, "▽", "Worse, size unclear",
     "monot5 is worse than bm25, maybe by less than 0.040."),
    (-0.03, {"margin": 0.06}, "=", "Same in practice",
     "monot5 is worse than bm25, but by less than 0.060."),
]  # fmt: skip


@pytest.mark.parametrize(("mean", "how", "glyph", "tag", "title"), ROWS)
def test_every_row_of_the_table_has_its_tag_and_sentence(
    make, mean, how, glyph, tag, title, no_drawer
) -> None:
    comparison = make(mean, **how)
    head = compose(comparison).headline
    assert (head.glyph, head.tag, head.title) == (glyph, tag, title)
    assert head.tone == {"▲": "b", "△": "b", "▽": "a", "▼": "a"}.get(glyph, "tie")
    assert f"border-left:4px solid {TONES[head.tone]}" in card(comparison)
    assert f' tone-{head.tone}"' in html(comparison, drawer=no_drawer)


def test_a_name_that_ends_in_dots_keeps_them() -> None:
    b = {f"q{i}": 0.5 + i / 100 for i in range(20)}
    comparison = compare_scores(dict.fromkeys(b, 0.3), b, name_a="..", name_b=".")
    assert ". is better than .." in text(comparison)


def test_every_verdict_has_a_tag() -> None:
    assert len({words.tag(verdict) for verdict in Verdict}) == len(Verdict)


def test_constant_difference_is_said_with_the_sign_flip_p(make) -> None:
    head = compose(make(0.1, sd=0.0, n=6)).headline
    assert head.title == "monot5 is better than bm25."
    # All six signs alike: 2 of the 2**6 sign patterns are as extreme.
    assert "p 0.031" in head.numbers


def test_other_tests_without_a_pvalue_are_said_in_words(make) -> None:
    odd = replace(make(0.1), test_rows=())
    odd = replace(
        odd, decision=replace(odd.decision, verdict=Verdict.CANNOT_TEST, reason="no-variance")
    )
    head = compose(odd).headline
    assert "the paired t test gives no p-value for these differences" in head.title
    assert head.meaning == ""


def test_too_few_queries_are_said() -> None:
    first = compose(compare_scores({"q": 0.2}, {"q": 0.5})).headline
    assert first.title == "B and A cannot be tested: 1 query is too few for a test."
    none = compose(compare_scores({}, {})).headline
    assert none.title == "B and A cannot be tested: there is no query to compare."
    assert none.numbers == "0 queries."


def test_numbers_line_is_written_from_the_primary_row(make) -> None:
    comparison = make(0.05)
    row = comparison.primary
    assert compose(comparison).headline.numbers == (
        f"nDCG@10: +0.050, 95% CI +0.030 to +0.070 ({f.score(row.mean_a)} → {f.score(row.mean_b)},"
        f" {f.percent(row.rel_diff)}), p < 0.001, 100 queries."
    )


def test_numbers_of_a_test_of_another_kind_name_what_it_estimates(make) -> None:
    numbers = compose(make(0.05, test="wilcoxon")).headline.numbers
    assert "pseudo-median difference +0.050, 95% CI" in numbers


def test_numbers_without_the_name_of_a_measure_begin_with_a_capital_letter() -> None:
    machine = pd.Series(np.tile([0.1, 0.3, 0.2, 0.5], 25), [f"q{i:03}" for i in range(100)])
    a, b = machine[:40], machine[:40] + np.tile([0.1, 0.0, 0.05, 0.02, 0.03], 8)
    asked = Machine(scores=(machine, machine + 0.04), shared_model="b")
    report = compose(compare_scores(a, b, margin=0.01, machine=asked))
    assert report.headline.numbers.startswith("Mean difference over all queries +")
    assert report.headline.main_number in report.headline.numbers


def test_relative_change_is_left_out_where_it_is_not_defined() -> None:
    numbers = compose(compare_scores({"a": 0.0, "b": 0.0}, {"a": 0.1, "b": 0.2})).headline.numbers
    assert numbers.startswith("+0.150, 95% CI ")
    assert "(0.000 → 0.150)" in numbers
    assert "%)" not in numbers


def test_agreement_counts_the_rows_it_stands_over(make) -> None:
    comparison = make(0.05)
    rows = list(comparison.test_rows)
    agreement = headline.agreement(comparison)
    assert agreement in compose(comparison).headline.meaning
    assert agreement == (
        "All five tests are significant. They use the same data, so this is one piece of evidence."
    )
    rows[-1] = replace(rows[-1], estimate=-0.1, pvalue=0.6)
    assert headline.agreement(replace(comparison, test_rows=tuple(rows))).startswith(
        "Four of five tests are significant; the sign test is not. They use the same data"
    )
    # Of a difference that is not significant no test is named that is.
    assert headline.agreement(make(0.001)) == ""
    assert headline.agreement(replace(comparison, test_rows=comparison.test_rows[:1])) == ""


def test_rule_names_all_that_was_declared(make) -> None:
    comparison = make(0.05, measures=3, margin=0.01, require="better", rng=7, primary="nDCG@10")
    assert compose(comparison).headline.rule == (
        "Rule: nDCG@10 decides by the paired t test, two-sided α = 0.05, margin 0.010,"
        " seed 7, gate: better. If A and B were equal, this rule would still report a difference"
        " in 5% of comparisons in nDCG@10, and in 5% in any of the other measures, and more often"
        " if B was tuned on these queries."
    )
    plain = make(0.05, measures=2, adjust="none")
    assert "no margin, seed" in compose(plain).headline.rule
    assert compose(plain).scorecard.legend[0] == "★ tested alone, the others not adjusted"


def test_no_line_says_more_than_is_known(situation: Comparison) -> None:
    report = compose(situation)
    head = report.headline
    parts = [head.title, head.numbers, head.meaning, head.rule, report.title]
    sentence = " ".join(filter(None, parts))
    for banned in (
        "highly significant",
        "no difference",
        "trend",
        "*",
        "metric",
        "topic",
        "nan",
        "  ",
    ):
        assert banned not in sentence
    assert head.verdict == situation.verdict.value
    assert head.title.endswith(".")
    assert report.title.endswith("· abrank")


def flat(said: str) -> str:
    return " ".join(said.split())


@pytest.mark.parametrize(("mean", "margin", "limits"), [
    (0.01, 0.02, "−0.007 to +0.027"),
    (-0.01, 0.02, "−0.027 to +0.007"),
    (0.001, 0.03, "−0.016 to +0.018"),
    (0.001, "9%", "−3.9% to +4.4%"),
])  # fmt: skip
def test_only_the_interval_that_decides_stands_at_the_top(make, mean, margin, limits) -> None:
    comparison = make(mean, margin=margin)
    head = compose(comparison).headline
    assert f"90% CI {limits} " in head.numbers
    assert "margin" in head.numbers
    assert "judged by" in head.rule
    assert "(two one-sided tests)" in head.rule
    for sentence in (head.title, head.numbers, head.meaning):
        # Neither the wider interval; of losses unseen a sentence may tell with confidence.
        assert "95% interval" not in sentence
        assert "95% confidence interval" not in sentence
        assert " p " not in sentence
    visible = card(comparison)
    assert f"90% CI {limits} " in visible
    assert " p 0" not in visible
    assert "Thick: 90% interval, which decides about the margin" in visible
    rows = (
        next(section for section in compose(comparison).sections if section.key == "tests")
        .blocks[0]
        .rows
    )
    assert any(row[0].strong and row[6].text.startswith("0.") for row in rows)


def test_a_limit_has_the_decimals_that_tell_it_from_the_margin(make) -> None:
    low = make(0.01, margin=0.02).decision.tost_low
    comparison = make(0.01, margin=-low + 2e-5)
    margin = f"{comparison.rule.margin:.12g}"
    assert f"worse than bm25 by {margin} or more;" in compose(comparison).headline.title
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


@pytest.mark.slow
def test_secondary_measures_that_point_the_other_way_are_said_in_every_format(mixed) -> None:
    sentence = "2 of 4 secondary measures point the other way after adjustment: AP and RR."
    assert contradictions(mixed) == sentence
    assert compose(mixed).headline.against == sentence
    assert sentence in flat(text(mixed, detail="all"))
    assert sentence in card(mixed)
    for kind in (".html", ".md"):
        assert sentence in WRITERS[kind](mixed).decode().replace("\\", "")
    unclear = replace(mixed.decision, verdict=Verdict.INCONCLUSIVE, direction=0)
    assert contradictions(replace(mixed, decision=unclear)) == (
        "2 of 4 secondary measures are worse after adjustment: AP and RR."
        " 2 of 4 secondary measures are better after adjustment: P@10 and R@100."
    )


def test_what_points_with_the_verdict_or_is_unclear_is_not_said(mixed, make) -> None:
    assert contradictions(make(0.05, measures=3)) == ""
    swapped = replace(mixed, rule=replace(mixed.rule, primary="AP"))
    rows = tuple(
        replace(row, measure=f"m{i}", reading="worse") for i, row in enumerate(mixed.rows * 2)
    )
    assert contradictions(replace(mixed, rows=(mixed.rows[0], *rows[:6]))) == (
        "6 of 6 secondary measures point the other way after adjustment: m0, m1, m2, m3 and 2 more."
    )
    assert contradictions(swapped) == (
        "1 of 4 secondary measures points the other way after adjustment: RR."
    )


def test_a_worse_system_with_better_secondary_measures_is_said() -> None:
    a = two(AP=[0.5, 0.6, 0.7, 0.8], RR=[0.1, 0.2, 0.3, 0.4])
    b = two(AP=[0.3, 0.4, 0.5, 0.61], RR=[0.3, 0.4, 0.5, 0.61])
    for adjust, adjusted in (("none", ""), ("holm", " after adjustment")):
        result = contradictions(compare_scores(a, b, config=Question(adjust=adjust)))
        assert result == f"The secondary measure points the other way{adjusted}: RR."


def test_tied_scores_are_no_change_and_the_bound_says_what_is_open() -> None:
    scores = two(**{"R@100": [0.5] * 25})
    comparison = compare_scores(scores, scores, margin=0.001, require="equivalent")
    head = compose(comparison).headline
    # 1 - .05 ** (1 / 25) = .1129
    bound = "Up to 11.3% of all queries could differ (95% confidence)."
    assert head.title == "Nothing changed on R@100: both score the same on all 25 queries."
    assert head.numbers == "R@100: 0.000 (0.500 → 0.500), 25 queries, all tied."
    assert bound in head.meaning
    assert head.gate == ("passed: nothing changed on R@100: both score the same on all 25 queries")
    assert comparison.to_dict()["verdict"]["unseen"]["share"] == pytest.approx(0.11293, abs=1e-5)


def test_rankings_that_are_the_same_are_another_statement() -> None:
    from abrank import compare

    qrels = {f"q{i}": {"d1": 1} for i in range(5)}
    runs = [{f"q{i}": {"d1": 2.0 * k, "d2": 1.0} for i in range(5)} for k in (1, 3)]
    head = compose(compare(qrels, *runs, measures="AP", name_a="old", name_b="new")).headline
    assert head.title == "Nothing changed: both rank alike on all 5 queries."
    assert "the same grades at the same ranks" in head.meaning


def test_votes_have_no_share_of_one_half() -> None:
    votes = [{"query_id": f"q{i}", "winner": "AB"[i % 3 > 0]} for i in range(12)]
    result = compare_preferences(votes)
    assert "(0.500 → 0.667)" in result.summary()
    assert "%)" not in headline.numbers(result).replace("95%", "")
