"""The decision on the primary measure, and what two systems share that never differ.

What is held to alpha over several measures: families, and what is said of them.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, ttest_rel

import abrank
from abrank import ArgumentError, compare_scores
from abrank.inference import run_test
from abrank.inference.families import max_t
from abrank.report.sections import headline
from abrank.verdict import Rule, Verdict, decide
from tests.asked import asked as keywords

QRELS = {f"q{i}": {"d1": 1, "d2": 0, "d3": 1} for i in range(12)}
RUN = {f"q{i}": {"d1": 3.0, "d2": 2.0, "d3": 1.0} for i in range(12)}
# Another document on the second rank: the first rank is the same.
OTHER = {query: {"d1": 3.0, "d3": 2.0, "d2": 1.0} for query in RUN}
# Other scores, the same order.
SAME = {query: {doc: 10 * score for doc, score in docs.items()} for query, docs in RUN.items()}


@pytest.mark.parametrize(
    ("gate", "passed"),
    [
        ({"require": "better"}, False), ({"require": "non-inferior"}, True),
        ({"require": "equivalent"}, True), ({"fail_on": "worse"}, True),
    ],
)  # fmt: skip
def test_no_change_passes_guards_and_gates_with_few_queries_too(gate, passed) -> None:
    for n in (2, 4, 30):
        a = pd.DataFrame({"AP": [0.2] * n, "RR": [0.5] * n})
        result = compare_scores(a, a, measures=["AP", "RR"], margin=0.001, guard="RR:-0.01", **gate)
        assert result.verdict is Verdict.IDENTICAL
        assert result.decision.gate.passed is passed


@pytest.mark.parametrize("direction", [1, 0, -1])
def test_same_rests_on_the_wider_interval_where_a_difference_is_shown(direction: int) -> None:
    wide, narrow = (0.001, 0.009), (0.002, 0.008)
    if direction < 0:
        wide, narrow = (-0.009, -0.001), (-0.008, -0.002)
    if not direction:
        wide, narrow = (-0.004, 0.004), (-0.003, 0.003)
    rule = Rule("AP", margin=0.01)
    decision = decide(rule, estimate=0.0, interval=wide, equivalence_interval=narrow)
    assert (decision.verdict, decision.direction) == (Verdict.SAME, direction)
    assert decision.by_margin is (direction == 0)
    assert decision.deciding == (wide if direction else narrow)


def test_two_systems_are_the_same_by_the_interval_of_two_one_sided_tests() -> None:
    a = pd.Series(np.linspace(0.2, 0.6, 50))
    b = a + np.tile([0.1, -0.1], 25)
    margin = 0.026  # the 90% interval reaches 0.024, that of 95% 0.029
    result = compare_scores(a, b, margin=margin)
    limits = ttest_rel(b, a).confidence_interval(0.90)
    assert tuple(result.decision.equivalence_interval) == pytest.approx(tuple(limits))
    assert result.verdict is Verdict.SAME
    assert result.primary.ci_high > margin > limits.high


def test_what_is_identical_is_told_apart() -> None:
    def reason(a, b, measure) -> str:
        result = abrank.compare(QRELS, a, b, measures=measure)
        assert (result.decision.of_numbers or result.verdict) is Verdict.IDENTICAL
        return result.decision.reason

    assert reason(RUN, OTHER, "P@1") == "tied-scores"
    assert reason(RUN, SAME, "P@1") == "same-rankings"
    scores = dict.fromkeys(RUN, 0.5)
    assert compare_scores(scores, scores).decision.reason == "tied-scores"


@pytest.mark.parametrize("alpha", [0.05, 0.01])
@pytest.mark.parametrize("n", [2, 12, 60])
def test_the_share_that_could_differ_is_the_exact_binomial_bound(n, alpha) -> None:
    scores = pd.DataFrame({"AP": [0.5] * n}, index=[f"q{i}" for i in range(n)])
    unseen = compare_scores(scores, scores, alpha=alpha).decision.unseen
    # With that share of differing queries, none is seen among n with the chance alpha.
    assert binom.pmf(0, n, unseen.share) == pytest.approx(alpha)
    assert unseen.share == pytest.approx(1 - alpha ** (1 / n))
    assert unseen.difference == unseen.share  # times the range of AP, 1


MEASURES = ["AP", "nDCG@10", "RR", "P@10"]


def compare_tables(a, b, **how):
    return abrank.compare_scores(a, b, **({"measures": MEASURES} | how))


def two_tables(seed=2, shift=0.02):
    random = np.random.default_rng(seed)
    a = pd.DataFrame(random.uniform(0.2, 0.8, (40, 4)), columns=MEASURES)
    return a, a + random.normal(shift, 0.06, (40, 4))


def test_the_default_tests_the_primary_alone_and_the_others_together():
    a, b = two_tables()
    result = compare_tables(a, b)
    assert result.rows == compare_tables(a, b, config=abrank.Question(family="secondary")).rows
    assert result.rule.family == "secondary"
    assert result.primary.pvalue_adj == result.primary.pvalue
    assert (
        "If A and B were equal, this rule would still report a difference in 5% of comparisons in"
        " AP, and in 5% in any of the other measures, and more often if" in headline.rule(result)
    )


@pytest.mark.parametrize("adjust", ["max-t", "holm", "bonferroni", "bh"])
def test_a_family_of_all_measures_adjusts_the_primary_too(adjust):
    a, b = two_tables(shift=0.025)
    result = compare_tables(a, b, config=abrank.Question(family="all", adjust=adjust))
    lead = result.primary
    assert lead.pvalue_adj > lead.pvalue
    assert lead.ci_low_adj < lead.ci_low < lead.ci_high < lead.ci_high_adj
    assert result.decision.interval == (lead.ci_low_adj, lead.ci_high_adj)
    low, high = result.decision.equivalence_interval
    assert lead.ci_low_adj < low < high < lead.ci_high_adj
    for row in result.rows:
        assert (row.pvalue_adj < 0.05) == (row.ci_low_adj > 0 or row.ci_high_adj < 0)
    assert "all measures adjusted together" in headline.adjustment(result)
    rule = headline.rule(result)
    if adjust != "bh":
        assert "report a difference in 5% of comparisons in any measure, and more often" in rule
    assert "adjusted" in headline.numbers(result)


def test_max_t_over_all_measures_is_max_t_of_all_columns():
    a, b = two_tables()
    result = compare_tables(a, b, config=abrank.Question(family="all"))
    joint = max_t(result.b - result.a, seed=result.seed)
    expected = np.maximum(joint.pvalue, run_test("t", result.b - result.a).pvalue)
    np.testing.assert_allclose([row.pvalue_adj for row in result.rows], expected)


def test_a_fixed_sequence_stops_at_the_first_measure_without_a_difference():
    random = np.random.default_rng(4)
    noise = random.normal(0.0, 0.05, (40, 4))
    noise -= noise.mean(axis=0)
    a = pd.DataFrame(random.uniform(0.2, 0.8, (40, 4)), columns=MEASURES)
    b = a + noise + np.array([0.02, 0.05, 0.0, 0.05])
    result = compare_tables(
        a, b, config=abrank.Question(family="fixed-sequence", primary="nDCG@10")
    )
    # nDCG@10 first, then as given: AP, RR, P@10.
    p = {row.measure: row.pvalue for row in result.rows}
    adjusted = {row.measure: row.pvalue_adj for row in result.rows}
    assert adjusted["nDCG@10"] == p["nDCG@10"]
    assert adjusted["AP"] == max(p["nDCG@10"], p["AP"]) < 0.05
    assert adjusted["P@10"] == adjusted["RR"] == p["RR"] > 0.05 > p["P@10"]
    assert [row.reading for row in result.rows] == ["better", "better", "unclear", "unclear"]
    adjustment = headline.adjustment(result)
    assert "tested in the order given, each at 5%, until one shows no difference" in adjustment
    rule = headline.rule(result)
    assert "report a difference in 5% of comparisons in any measure, and more often" in rule


@pytest.mark.parametrize(("asked", "message"), [
    ({"family": "al"}, "did you mean all"),
    ({"family": "fixed-sequence", "adjust": "holm"}, "adjusts none"),
    ({"family": "all", "margin": "2%"}, "relative margin"),
])  # fmt: skip
def test_families_that_do_not_go_together_are_refused(asked, message):
    with pytest.raises(ArgumentError, match=message):
        compare_tables(*two_tables(), **keywords(**asked))


def test_each_measure_has_its_own_errors_without_adjustment():
    result = compare_tables(*two_tables(), config=abrank.Question(adjust="none"))
    assert "comparisons in AP, and in 5% in each of the other measures" in headline.controlled(
        result
    )
