"""Every note has words: a title and a sentence with its numbers."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abrank import diagnostics
from abrank.comparison import Comparison, compare_scores
from abrank.diagnostics import Note
from abrank.report import run_sentences
from abrank.report.compose import compose
from abrank.report.sections.caution_words import SENTENCES, Names
from abrank.report.sections.cautions import WORDS, caution
from abrank.scores import evaluate

NAMES = Names("bm25", "monot5", digits=3, alpha=0.05)

EXAMPLES: dict[str, tuple[dict[str, Any], str]] = {
    "few-queries": ({"n": 12}, "Only 12 queries"),
    "constant-difference": ({"difference": 0.1}, "Every query differs by exactly +0.100"),
    "large-losses": (
        {"count": 30, "threshold": 0.2, "query_id": "468", "difference": -0.69},
        "30 queries lose more than 0.20",
    ),
    "tests-disagree": (
        {"t": 0.0503, "permutation": 0.0497, "sign": 0.2},
        "The t test and the sign-flip test disagree",
    ),
    "mean-against-wins": (
        {"wins": 10, "losses": 14},
        "The mean and the count of wins point apart",
    ),
    "one-query-decides": (
        {"count": 2, "query_id": "468", "difference": 0.69},
        "One query decides",
    ),
    "few-clusters": ({"n": 5, "too_few": True}, "Only 5 clusters of queries"),
    "not-about-the-mean": (
        {"test": "sign", "n": 50, "rate": 0.0934},
        "The sign test does not judge the mean",
    ),
    "short-intervals": (
        {"n": 30, "size": 25, "rate": 0.0944},
        "The percentile and BCa intervals are too short for 30 queries",
    ),
    "many-ties": ({"count": 60, "n": 200, "share": 0.3}, "60 of 200 queries are tied"),
    "skewed": ({"skew": -1.4}, "The differences are skewed"),
    "few-carry-the-mean": ({"share": 0.6}, "Three queries carry the mean"),
    "discrete-measure": ({"measure": "RR"}, "RR takes few values"),
    "judged-gap": ({"a": 0.0, "b": 0.1}, "10.0% of monot5's top 10 is unjudged (bm25: 0.0%)"),
    "extra-queries": ({"system": "a", "count": 1, "ids": ["9"]}, "1 query of bm25 is not judged"),
    "tied-scores": ({"system": "a", "count": 4, "queries": 2}, "bm25 has 4 tied scores"),
    "rank-conflicts": (
        {"system": "b", "count": 1},
        "The ranks of monot5 contradict its scores in 1 query",
    ),
    "several-tags": ({"system": "a", "tags": ["x", "y"]}, "bm25 has several run tags"),
    "tie-noise": (
        {"low": -0.01, "high": 0.05},
        "The difference is smaller than the noise of ties",
    ),
    "unjudged-documents": (
        {"low": -0.01, "high": 0.05, "a": 3, "b": 1},
        "Unjudged documents could turn the difference",
    ),
    "reversal": ({"segment": "intent"}, "Most segments by intent point the other way"),
    "one-grade": ({"measure": "nDCG@10"}, "The judgments have one relevant grade only"),
    "margin-above-baseline": (
        {"margin": 0.5, "baseline": 0.4, "span": 1.0},
        "The margin of 0.500 is larger than bm25's mean, 0.400",
    ),
    "margin-above-half-range": (
        {"margin": 0.6, "baseline": 0.8, "span": 1.0},
        "The margin of 0.600 is more than half of the measure's range",
    ),
    "direction-not-declared": (
        {"measures": ["ms", "cost", "loss", "rank"]},
        "Is lower better for ms, cost, loss and 1 more?",
    ),
    "monte-carlo-near-alpha": (
        {"pvalue": 0.051, "low": 0.047, "high": 0.055, "n_resamples": 9999},
        "p is too close to α = 0.05 for 9\u202f999 resamples",
    ),
}


def codes_of_diagnostics() -> set[str]:
    files = Path(diagnostics.__file__).parent.glob("*.py")
    return {
        node.args[0].value
        for path in files
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "Note"
        and isinstance(node.args[0], ast.Constant)
    }


def test_every_code_has_words_and_an_example() -> None:
    assert len(codes_of_diagnostics()) > 10
    assert codes_of_diagnostics() <= set(WORDS)
    assert set(SENTENCES) == set(EXAMPLES)


@pytest.mark.parametrize("code", EXAMPLES)
def test_caution_has_title_and_sentence(code: str) -> None:
    values, title = EXAMPLES[code]
    found = caution(Note(code, 2, values), NAMES)
    assert (found.code, found.title, found.severity) == (code, title, 2)
    assert found.text.endswith((".", "?"))
    assert not found.title.endswith(".")


@pytest.mark.parametrize(
    ("code", "values", "words"),
    [
        ("large-losses", EXAMPLES["large-losses"][0], "Worst: “468” (−0.690)"),
        (
            "not-about-the-mean",
            {"test": "wilcoxon", "n": 25, "rate": 0.0601},
            "It asks about the pseudo-median. On pairs of real runs with equal means it found a"
            " difference in 6.0% of samples of 25 queries",
        ),
        ("short-intervals", EXAMPLES["short-intervals"][0], "9.4% of samples of 25 queries"),
        ("tests-disagree", EXAMPLES["tests-disagree"][0], "They give p = 0.0503 and p = 0.0497"),
        (
            "mean-against-wins",
            {"wins": 10, "losses": 14},
            "bm25 scores higher on more queries (14 to 10), but monot5 has the higher mean",
        ),
        ("many-ties", EXAMPLES["many-ties"][0], "on 30.0% of the queries"),
        ("skewed", {"skew": -1.4}, "A few large losses stretch the distribution (skewness −1.4)"),
        ("one-query-decides", EXAMPLES["one-query-decides"][0], "; it is one of 2 such queries."),
        ("skewed", {"skew": 2.0}, "A few large gains"),
        ("few-carry-the-mean", {"share": 0.6}, "They make up 60.0% of the summed difference"),
        ("few-carry-the-mean", {"share": 1.2}, "Without them the mean would point the other way"),
        ("judged-gap", {"a": 0.5, "b": 0.0}, "bm25 may be better than it looks"),
    ],
)
def test_sentence_has_the_numbers(code: str, values: dict[str, Any], words: str) -> None:
    assert words in caution(Note(code, 1, values), NAMES).text


@pytest.mark.parametrize(
    ("code", "values", "title"),
    [
        ("few-queries", {"n": 1}, "Only 1 query"),
        (
            "large-losses",
            {**EXAMPLES["large-losses"][0], "count": 1},
            "1 query loses more than 0.20",
        ),
        ("many-ties", {"count": 1, "n": 4, "share": 0.25}, "1 of 4 queries is tied"),
        (
            "extra-queries",
            {"system": "a", "count": 2, "ids": ["7", "8"]},
            "2 queries of bm25 are not judged",
        ),
        ("tied-scores", {"system": "a", "count": 1, "queries": 1}, "bm25 has 1 tied score"),
    ],
)
def test_singular_and_plural(code: str, values: dict[str, Any], title: str) -> None:
    assert caution(Note(code, 1, values), NAMES).title == title


def test_ids_are_shown_on_one_short_line() -> None:
    values = {**EXAMPLES["large-losses"][0], "query_id": "two\nlines " + "x" * 200}
    text = caution(Note("large-losses", 2, values), NAMES).text
    assert "\n" not in text
    assert len(text) < 160


def test_cautions_stand_by_severity(judged: Comparison) -> None:
    severities = [note.severity for note in compose(judged).cautions]
    assert severities == sorted(severities, reverse=True)
    assert {note.code for note in compose(judged).cautions} == {note.code for note in judged.notes}


def drawn(seed: int) -> Comparison:
    """Compare 24 queries by a bootstrap of 999 resamples."""
    rng = np.random.default_rng(seed)
    b = {str(i): float(x) for i, x in enumerate(rng.normal(0.04, 0.1, 24))}
    return compare_scores(dict.fromkeys(b, 0.0), b, test="bootstrap", n_resamples=999)


def test_monte_carlo_p_near_alpha_is_told() -> None:
    comparison = drawn(38)
    lead = next(row for row in comparison.test_rows if row.decides)
    # The standard error is sqrt(.051 * .949 / 999) = .0070, so .05 is within 1.96 of them.
    assert (lead.method, lead.pvalue) == ("Monte Carlo", pytest.approx(0.051))
    assert lead.pvalue_error == pytest.approx(0.00696, abs=5e-6)
    said = {caution.code: caution for caution in compose(comparison).cautions}
    found = said["monte-carlo-near-alpha"]
    assert found.title == "p is too close to α = 0.05 for 999 resamples"
    assert "with a 95% interval of 0.0374 to 0.0646" in found.text


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


def test_closed_form_p_is_never_called_an_estimate() -> None:
    d = np.linspace(-0.5, 1.0, 30)
    comparison = compare_scores(
        {str(i): 0.0 for i in range(30)}, {str(i): float(x) for i, x in enumerate(d)}
    )
    assert "monte-carlo-near-alpha" not in {note.code for note in compose(comparison).cautions}
    no_tests = replace(comparison, test_rows=())
    assert "monte-carlo-near-alpha" not in {note.code for note in compose(no_tests).cautions}


def test_sentences_on_runs_name_their_systems() -> None:
    qrels = {f"q{i}": {"d1": 1, "d2": 0} for i in range(4)}
    good = {f"q{i}": {"d1": 2.0, "d2": 1.0} for i in range(4)}
    poor = {"q0": {"x1": 3.0, "d1": 3.0}, "q1": {"d1": 1.0}, "extra": {"d1": 1.0}}
    said = run_sentences(evaluate(qrels, {"good": good, "poor": poor}, ["P@1"]))
    assert said == (
        "2 of 4 judged queries are missing from poor. Scored 0 for poor (--missing zero): q2, q3.",
        "1 query of poor is not judged. In the run, but not in the qrels, and ignored: extra.",
        "1 run has documents with tied scores. poor 2; they are put in descending order of document"
        " id, as trec_eval does.",
    )
    assert run_sentences(evaluate(qrels, {"good": good}, ["RR"])) == ()
