"""The tests of ``abrank/report/sections/cautions.py``."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import abrank
from abrank import Comparison, compare_scores
from abrank.diagnostics import Note
from abrank.report import compose
from abrank.report.sections.cautions import SENTENCES, WORDS, Names, caution

NAMES = Names("bm25", "monot5", digits=3, alpha=0.05)

SKEWED = (0.1, 0.12, 0.08, 0.11, 0.09, 0.1, 0.13, -0.02, 0.12, -0.12)

EXAMPLES = {
    "order-fixed": ({"first": "a", "n": 80}, "bm25 was shown first in every vote"),
    "order-unknown": ({"n": 80, "of": 80},
     "Was the order of the two drawn at random? Of 80 votes nobody says"),
    "constant-difference": ({"difference": 0.1}, "Every query differs by exactly +0.100"),
    "few-signs": ({"n": 5, "differ": 5, "lowest": 0.0625, "test": ""}, "Only 5 queries"),
    "few-signs of one": ({"n": 30, "differ": 1, "lowest": 1.0, "test": ""},
     "Only 1 of 30 queries differs"),
    "few-clusters": ({"n": 5, "too_few": True}, "Only 5 clusters of queries"),
    "one-query-decides": ({"query_id": "468", "difference": 0.69, "pvalue": 0.081},
     "One query decides"),
    "unequal-groups": ({"a": 10_400, "b": 9_800, "pvalue": 2.4e-5},
     "10\u202f400 units saw bm25 and 9\u202f800 saw monot5"),
    "clusters-ignored": ({"measure": "AP", "count": 1, "of": 2,
     "pairs": [{"ahead": "a", "behind": "b"}], "clusters": "user"},
     "Queries of one user may be alike: this decides 1 of 2 pairs"),
    "skewness-decides": ({"primary": "AP", "n": 10, "skewness": -1.93, "pvalue": 0.081, "t": 0.032,
     "measures": ["AP", "RR"]}, "Skewness decides"),
    "monte-carlo-near-alpha": ({"pvalue": 0.051, "low": 0.047, "high": 0.055, "n_resamples": 9999},
     "p is too close to α = 0.05 for 9\u202f999 resamples"),
    "not-about-the-mean": ({"test": "sign", "n": 50, "rate": 0.0934, "t": 0.31},
     "The sign test does not judge the mean"),
    "rank-conflicts": ({"system": "b", "count": 1},
     "The ranks of monot5 contradict its scores in 1 query"),
    "several-tags": ({"system": "a", "tags": ["x", "y"]}, "bm25 has several run tags"),
    "margin-above-baseline": ({"margin": 0.5, "baseline": 0.4, "span": 1.0},
     "The margin of 0.500 is larger than bm25's mean, 0.400"),
    "margin-above-half-range": ({"margin": 0.6, "baseline": 0.8, "span": 1.0},
     "The margin of 0.600 is more than half of the measure's range"),
    "no-margin-many-queries": ({"n": 100_000, "smallest_visible": 0.00081},
     "With 100\u202f000 queries nearly any difference is significant"),
    "direction-not-declared": ({"measures": ["ms", "cost", "loss", "rank"]},
     "Is lower better for ms, cost, loss and 1 more?"),
    "nobody-chose": ({"primary": "AP", "n": 25}, "Nobody chose the measure: of 25, AP was taken"),
    "missing-scores": ({"a": 2, "b": 7, "both": 1, "n": 200, "left": 192},
     "Scores are missing: 2 of bm25, 7 of monot5"),
    "not-tested": ({"means": {"NumRet": [10.0, 12.0]}}, "Counts and constants decide nothing"),
}  # fmt: skip


def codes_of_notes() -> set[str]:
    files = Path(abrank.__file__).parent.rglob("*.py")
    return {
        node.args[0].value
        for path in files
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "Note"
        and isinstance(node.args[0], ast.Constant)
    }


@pytest.mark.slow
def test_every_code_has_words_and_an_example() -> None:
    assert len(codes_of_notes()) > 10
    assert codes_of_notes() <= set(WORDS)
    assert set(SENTENCES) == {*EXAMPLES} - {"few-signs of one"}


@pytest.mark.every_case
@pytest.mark.parametrize("code", EXAMPLES)
def test_caution_has_title_and_sentence(code: str) -> None:
    (values, title), code = EXAMPLES[code], code.partition(" ")[0]
    result = caution(Note(code, 2, values), NAMES)
    assert (result.code, result.title, result.severity) == (code, title, 2)
    assert result.text.endswith((".", "?"))
    assert not result.title.endswith(".")


@pytest.mark.every_case
@pytest.mark.parametrize(("code", "values", "words"), [
    ("not-about-the-mean", {"test": "wilcoxon", "n": 250, "rate": 0.109, "t": 0.31},
     "It asks about the pseudo-median and finds a difference, but the t test finds none in"
     " the mean (p = 0.310). On pairs of real runs with equal means it found one in 10.9% of"
     " samples of 250 queries"),
    ("skewness-decides", EXAMPLES["skewness-decides"][0],
     "a skewness of −1.9. Corrected for it, t gives p = 0.081, not 0.032, and the"
     " difference is not significant; with few and skewed differences, tests of a mean are"
     " significant too often. The same is true of RR."),
    ("few-signs", EXAMPLES["few-signs"][0], "no flip of signs gives a p below 0.0625"),
    ("few-signs", {"n": 30, "differ": 4, "lowest": 0.125, "test": "permutation"},
     "With so few the sign-flip permutation test cannot give a p below 0.125, so it cannot"
     " be significant at α = 0.05."),
    ("one-query-decides", EXAMPLES["one-query-decides"][0],
     "the difference is not significant (p = 0.081)"),
    ("machine-sample-differs",
     {"what": "difference", "judged": 0.02, "others": -0.01, "pvalue": 0.003},
     "Δ is +0.020 on these and −0.010 on the others (p = 0.003), which a random draw seldom"
     " is: people alone decide."),
    ("machine-no-help", {"correlation": 0.05, "break_even": 0.12},
     "correlate with people's by +0.05, and the break-even is 0.12: people alone tell"),
])  # fmt: skip
def test_sentence_has_the_numbers(code, values, words) -> None:
    assert words in caution(Note(code, 1, values), NAMES).text


def test_ids_are_shown_on_one_short_line() -> None:
    values = {**EXAMPLES["one-query-decides"][0], "query_id": "two\nlines " + "x" * 200}
    text = caution(Note("one-query-decides", 2, values), NAMES).text
    assert "\n" not in text
    assert len(text) < 160


def test_cautions_stand_by_what_they_mean_for_the_verdict(judged: Comparison) -> None:
    cautions = compose(judged).cautions
    order = list(WORDS)
    places = [(-item.severity, order.index(item.code)) for item in cautions]
    assert places == sorted(places)
    assert len(places) >= 2
    assert {note.code for note in cautions} == {note.code for note in judged.notes}


def test_a_doubt_about_skewness_is_told_once() -> None:
    b = dict(zip(map(str, range(10)), SKEWED, strict=True))
    comparison = compare_scores(dict.fromkeys(b, 0.0), b)
    assert [reason.code for reason in comparison.soundness.reasons] == ["skewness-decides"]
    assert "skewness-decides" in {note.code for note in comparison.notes}
    assert "skewness-decides" not in {item.code for item in compose(comparison).cautions}
    assert "corrected for the skewness of the differences" in " ".join(str(comparison).split())


def drawn(seed: int) -> Comparison:
    """Compare 24 queries by a bootstrap of 999 resamples."""
    rng = np.random.default_rng(seed)
    b = {str(i): float(x) for i, x in enumerate(rng.normal(0.04, 0.1, 24))}
    return compare_scores(dict.fromkeys(b, 0.0), b, test="bootstrap", resamples=999)


def test_monte_carlo_p_near_alpha_is_told() -> None:
    comparison = drawn(38)
    lead = next(row for row in comparison.test_rows if row.decides)
    # The standard error is sqrt(.051 * .949 / 999) = .0070, so .05 is within 1.96 of them.
    assert (lead.method, lead.pvalue) == ("Monte Carlo", pytest.approx(0.051))
    assert lead.pvalue_error == pytest.approx(0.00696, abs=5e-6)
    cautions = {caution.code: caution for caution in compose(comparison).cautions}
    result = cautions["monte-carlo-near-alpha"]
    assert result.title == "p is too close to α = 0.05 for 999 resamples"
    assert "with a 95% interval of 0.0374 to 0.0646" in result.text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pvalue", "error", "near"),
    [(0.06, 0.0075, True), (0.04, 0.0062, True), (0.07, 0.0081, False), (0.06, 0.0, False)],
)
def test_only_a_drawn_p_can_be_too_near(pvalue: float, error: float, near: bool) -> None:
    comparison = drawn(38)
    rows = tuple(
        replace(row, pvalue=pvalue, pvalue_error=error) if row.decides else row
        for row in comparison.test_rows
    )
    codes = {note.code for note in compose(replace(comparison, test_rows=rows)).cautions}
    assert ("monte-carlo-near-alpha" in codes) is near
