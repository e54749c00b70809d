"""A few queries: gates take the exact sign flips, and what no query shows is told."""

import itertools
import re

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank.inference import run_test
from abrank.report.sections.decision import gate_sentence
from abrank.verdict import Gate
from tests.asked import asked as keywords
from tests.report.written import whole_text


def scores(differences) -> tuple[dict[str, float], dict[str, float]]:
    a = {f"q{i}": 0.4 + 0.01 * i for i in range(len(differences))}
    return a, {query: a[query] + float(d) for query, d in zip(a, differences, strict=True)}


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("require", ["better", "non-inferior", "equivalent"])
def test_no_gate_that_asks_for_evidence_passes_below_five_queries(n: int, require: str) -> None:
    close = [0.1 if require != "equivalent" else 0.0 for _ in range(n)]
    wave = np.resize([1e-4, -1e-4, 2e-4], n)
    result = abrank.compare_scores(*scores(np.array(close) + wave), margin=0.05, require=require)
    gate = result.decision.gate
    assert not gate.passed
    if n > 2:  # by the t test alone it would
        assert gate.lacks == "queries"
        assert "exact flips of their signs do not show it" in whole_text(result)
    assert result.to_dict()["next_step"] == "add-queries"


def test_the_flips_are_those_of_every_sign_pattern() -> None:
    d, margin = np.array([0.11, 0.05, 0.08, -0.01, 0.2, 0.07, 0.03]), 0.04
    flips = abrank.compare_scores(*scores(d), margin=margin).decision.sign_flips

    def pvalue(x: np.ndarray) -> float:
        sums = [np.dot(s, x) for s in itertools.product((-1, 1), repeat=len(x))]
        return float(np.mean(np.array(sums) >= x.sum() - 1e-12))

    assert flips.better == pytest.approx(pvalue(d - margin))
    assert flips.non_inferior == pytest.approx(pvalue(d + margin))
    assert flips.equivalent == pytest.approx(max(pvalue(d + margin), pvalue(margin - d)))


def test_clusters_are_flipped_whole() -> None:
    d = np.repeat([0.1, 0.12, 0.08, 0.11], 6) + np.resize([0.01, -0.01], 24)
    a, b = scores(d)
    result = abrank.compare_scores(
        a, b, require="better", test="t",
        design=abrank.Clusters({f"q{i}": f"u{i // 6}" for i in range(24)}),
    )  # fmt: skip
    assert result.decision.sign_flips.better == 2.0**-4
    assert not result.decision.gate.passed


@pytest.mark.parametrize("n", [4, 6])
@pytest.mark.parametrize("require", ["better", "no-significant-loss"])
def test_a_guard_of_few_queries_takes_the_flips_of_their_signs(n, require) -> None:
    wave = np.resize([0.001, -0.001, 0.002, 0.0, 0.0015], n)
    a, b = (
        pd.DataFrame({"AP": pd.Series(side), "P@10": pd.Series(score)})
        for side, score in zip(scores(0.2 + wave), scores(wave - 0.001), strict=True)
    )
    requested = {"guard": "P@10:-0.05", "require": require}
    result = abrank.compare_scores(a, b, measures=["AP", "P@10"], **keywords(**requested))
    (guard,) = result.decision.guards
    assert guard.excludes_loss  # by t
    assert guard.flips == 2.0**-n
    gate = result.decision.gate
    if n == 6:
        assert (guard.passed, gate.passed) == (True, True)
        return
    assert (guard.passed, gate.passed, gate.lacks) == (False, False, "queries")
    assert result.to_dict()["next_step"] == "add-queries"
    if require == "no-significant-loss":
        sentence = whole_text(result)
        assert (
            "but the exact sign flips of so few queries are not significant: one-sided p"
            in sentence
        )
        assert "gate not passed: P@10 may have lost 0.0500 or more" in sentence


@pytest.mark.slow
def test_what_no_query_shows_is_told_where_it_exceeds_the_margin() -> None:
    wave = np.resize([0.01, -0.01, 0.02, -0.02], 40)
    data_frames = [pd.DataFrame({"AP": pd.Series(side)}) for side in scores(0.03 + wave)]
    assert "large losses" not in whole_text(abrank.compare_scores(*data_frames, margin=0.02))
    result = abrank.compare_scores(*data_frames, margin=0.02, fail_on="worse")
    assert str(result.verdict) == "better"
    assert result.decision.unseen.share == pytest.approx(1 - 0.05 ** (1 / 40))
    sentence = whole_text(result)
    assert "40 queries may miss large losses on up to 7.2% of all queries" in sentence
    assert re.search(r"up to 0\.072\d* in the mean, more than the margin", sentence)
    assert "large losses" not in whole_text(
        abrank.compare_scores(*data_frames, margin=0.1, fail_on="worse")
    )
    assert "large losses" not in whole_text(abrank.compare_scores(*data_frames, fail_on="worse"))
    data_frames[1] -= 0.03
    same = abrank.compare_scores(*data_frames, margin=0.02)
    assert str(same.verdict) == "same"
    assert "40 queries may miss large losses" in whole_text(same)
    assert run_test("t", 0.03 + wave).ci_low[0] > 0.02


@pytest.mark.slow
def test_two_queries_with_nearly_all_of_the_weight_are_two_queries() -> None:
    # Once a gate passed on 60 queries that told as much as 2: both gain, and the others do nothing.
    noise = np.random.default_rng(3).normal(0.0, 0.02, 60)
    noise[:2] = 0.3, 0.31
    noise[2:] -= noise[2:].mean()
    a = {f"q{i:02}": 0.4 for i in range(60)}
    b = {query: 0.4 + gain for query, gain in zip(a, noise, strict=True)}
    weights = abrank.Weights({query: 1000.0 if i < 2 else 1.0 for i, query in enumerate(a)})
    comparison = abrank.compare_scores(a, b, design=weights, require="better")
    assert (comparison.verdict, comparison.decision.gate) == (
        "better",
        Gate("better", False, "queries"),
    )
    assert comparison.to_dict()["next_step"] == "add-queries"
    assert "60 queries that weigh like 2.1 are few, and exact flips" in gate_sentence(comparison)
    even = abrank.Weights({query: 1.0 + i % 2 for i, query in enumerate(a)})
    assert abrank.compare_scores(a, b, design=even).decision.sign_flips is None


def test_what_has_an_endless_interval_sees_no_loss() -> None:
    # Once "6 queries see a loss of 0.012 or more" beside an interval from −∞ to +∞.
    a = {f"q{i}": 0.4 for i in range(6)}
    b = {query: 0.5 + i / 100 for i, query in enumerate(a)}
    comparison = abrank.compare_scores(a, b, design=abrank.Anytime(100), fail_on="worse")
    assert gate_sentence(comparison) == (
        "passed: not significantly worse on score; --require non-inferior is stricter"
    )
    assert "smallest visible" not in whole_text(comparison)


def test_from_ten_queries_on_the_test_that_was_declared_decides_alone() -> None:
    assert abrank.compare_scores(*scores(np.linspace(0.05, 0.15, 10))).decision.sign_flips is None
    assert abrank.compare_scores(*scores(np.linspace(0.05, 0.15, 9))).decision.sign_flips


def test_the_flips_of_a_cost_are_those_of_its_gains() -> None:
    a, b = (pd.DataFrame({"ms": score}) for score in scores(np.array([0.5, 0.4, 0.6, 0.45, 0.55])))
    flips = [
        abrank.compare_scores(*pair, lower_is_better="ms").decision.sign_flips
        for pair in ((b, a), (a, b))
    ]
    assert [flip.better for flip in flips if flip] == [2.0**-5, 1.0]
