"""The tests of ``abrank/report/sections/decision.py``."""

import pytest

from abrank import compare_scores
from abrank._support import display as f
from abrank.report import compose, gate_sentence


@pytest.mark.slow
@pytest.mark.parametrize(("mean", "how", "sentence"), [
    (0.05, {"require": "better"}, "passed: better on nDCG@10"),
    (0.05, {"require": "better", "margin": 0.01}, "passed: better by more than 0.010 on nDCG@10"),
    (0.01, {"require": "non-inferior", "margin": 0.02},
     "passed: not worse by 0.020 or more on nDCG@10 (90% interval −0.007 to +0.027)"),
    (0.001, {"require": "equivalent", "margin": 0.03},
     "passed: within ±0.030 on nDCG@10 (90% interval −0.016 to +0.018)"),
    (-0.01, {"require": "no-significant-loss"},
     "passed: not significantly worse on nDCG@10; 100 queries detect a true loss of 0.028"
     " 80% of the time" "; --require non-inferior is stricter"),
    (-0.05, {"require": "no-significant-loss"},
     "not passed: worse (−0.050, 95% interval −0.070 to −0.030)"),
    (-0.05, {"require": "better"}, "not passed: worse (−0.050, 95% interval −0.070 to −0.030)"),
    (-0.05, {"require": "non-inferior", "margin": 0.02},
     "not passed: nDCG@10 lost more than 0.020 (−0.050, 95% interval −0.070 to −0.030)"),
    (-0.03, {"require": "non-inferior", "margin": 0.02},
     "not passed: nDCG@10 may have lost 0.020 or more (−0.030, 95% interval −0.050 to" " −0.010)"),
    (0.05, {"require": "equivalent", "margin": 0.02},
     "not passed: nDCG@10 differs by more than 0.020" " (+0.050, 95% interval +0.030 to +0.070)"),
    (0.05, {"require": "non-inferior", "margin": 0.02},
     "passed: not worse by 0.020 or more on nDCG@10 (95% interval +0.030 to +0.070)"),
    (0.03, {"require": "better", "margin": 0.04},
     "not passed: B is not significantly better by more than 0.040 (+0.030, 95% interval"
     " +0.010 to +0.050)"),
])  # fmt: skip
def test_gate_says_what_passed_or_lacked(make, mean, how, sentence) -> None:
    comparison = make(mean, **how)
    assert gate_sentence(comparison) == sentence
    assert compose(comparison).headline.gate == sentence


@pytest.mark.slow
def test_no_count_rests_on_the_difference_observed(make) -> None:
    # Once "about 3,100 queries needed if Δ stays +0.005", and 79,000 for +0.001.
    assert gate_sentence(make(0.005, require="better")) == (
        "not passed: B is not significantly better (+0.005, 95% interval −0.015 to +0.025)"
    )
    for require in ("non-inferior", "equivalent"):
        ends = {
            gate_sentence(make(mean, margin=0.01, require=require)).partition("; ")[2]
            for mean in (0.0001, -0.001, -0.004)
        }
        assert len(ends) == 1
        assert "would exclude it if the true Δ is 0" in ends.pop()


def test_queries_for_non_inferiority_are_fewer_than_for_equivalence(make) -> None:
    # Two one-sided tests need more than one: at no difference, (1.645 + 1.282)² against
    # (1.645 + 0.842)² times (sd / margin)², if the true difference is 0.
    gate_sentences = {
        require: gate_sentence(make(0.0001, margin=0.01, require=require))
        for require in ("non-inferior", "equivalent")
    }
    ints = {
        require: int(sentence.split("about ")[1].split(" queries")[0].replace(f.GROUP, ""))
        for require, sentence in gate_sentences.items()
    }
    assert ints["non-inferior"] == pytest.approx(6.18 * 100, rel=0.05)
    assert ints["equivalent"] == pytest.approx(8.57 * 100, rel=0.05)


def test_gate_without_a_test_names_the_reason() -> None:
    comparison = compare_scores({"q": 0.2}, {"q": 0.5}, require="better")
    assert gate_sentence(comparison) == "not passed: 1 query is too few for a test"


def test_no_gate_no_sentence(make) -> None:
    assert (gate_sentence(make(0.05)), compose(make(0.05)).headline.gate) == ("", "")
