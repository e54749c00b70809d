"""Guards and looks in words, also where nothing could be tested."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from abrank import Comparison, Question, compare_scores
from abrank.report import WRITERS, compose
from tests.asked import asked


def scores(n: int, *, zero: bool = False) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return scores of A and B by two measures; by RR A may be 0 but on two queries."""
    random = np.random.default_rng(0)
    a = pd.DataFrame({"AP": random.random(n), "RR": 0.5}, [f"q{i:02}" for i in range(n)])
    b = a.assign(AP=a["AP"] + 0.1)
    b.iloc[: n // 2, 0] += 0.05
    if zero:
        a["RR"] = [0.5, 0.5, *([0.0] * (n - 2))]
    return a, b


NO_TEST = "it could not be tested"
CASES = [
    (1, {"guard": ["RR:-0.05"]}, f"RR may have lost 0.050 or more: {NO_TEST}."),
    (1, {"guard": ["RR:-5%"]}, f"RR may have lost 5% or more: {NO_TEST}."),
    (40, {"guard": ["RR:-0.01"]},
     "RR is not worse by 0.0100 or more (90% interval 0.0000 to 0.0000)."),
    (40, {"guard": ["RR:-0.01006"]}, "RR is not worse by 0.01006 or more (90% interval"),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("n", "how", "said"), CASES)
def test_what_was_declared_is_answered(n, how, said) -> None:
    assert said in compose(compare_scores(*scores(n), **asked(**how))).headline.design


def test_the_name_of_a_guarded_measure_stays_as_it_is_at_the_start_of_a_sentence() -> None:
    # Once "NDCG@10 not worse by 0.050 or more".
    ids = [f"q{i}" for i in range(20)]
    a, b = (
        {
            query: {"AP": 0.4 + gain + i % 3 / 50 * gain, "nDCG@10": 0.4 + gain + i % 5 / 99}
            for i, query in enumerate(ids)
        }
        for gain in (0.0, 0.1)
    )
    comparison = compare_scores(a, b, measures=["AP", "nDCG@10"], guard="nDCG@10:-5%")
    assert compose(comparison).headline.design.startswith("nDCG@10")


def test_a_share_of_a_mean_that_may_be_0_is_no_guard_that_passes() -> None:
    comparison = compare_scores(*scores(40, zero=True), guard=["RR:-5%"])
    assert compose(comparison).headline.design == f"RR may have lost 5% or more: {NO_TEST}."
    (guard,) = comparison.decision.guards
    assert not guard.passed


@pytest.mark.slow
@pytest.mark.parametrize(("mean", "look", "end"), [
    (0.001, "3/3", "It is the last, and the difference is not significant."),
    (0.001, "2/3", "The difference is not significant yet."),
    (0.05, "3/3", "The difference is significant."),
    (0.05, "2/3", "Δ at an early stop is larger than the true one on average."),
])  # fmt: skip
def test_a_look_says_whether_it_is_the_last(make, mean, look, end) -> None:
    assert compose(make(mean, look=look)).headline.design.endswith(end)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [".txt", ".md", ".html", ".tex", ".methods"])
def test_the_level_of_a_look_is_written_with_few_digits(looked: Comparison, kind: str) -> None:
    options = {"detail": "all"} if kind == ".txt" else {}
    written = WRITERS[kind](looked, **options)
    text = written if isinstance(written, str) else written.decode()
    assert looked.rule.alpha == pytest.approx(0.0120244, rel=1e-6)
    assert "0.012" in text
    assert not any(digits in text for digits in ("0.01202", "98.7976", "97.5951"))


def test_a_level_has_the_digits_that_tell_it_from_p(make) -> None:
    # Between the level and what three digits make of it, 0.0463.
    mean = float(stats.t.isf(0.04628 / 2.0, 99)) * 0.1 / 10.0
    result = make(mean, alpha=0.046256)
    assert result.primary.pvalue == pytest.approx(0.04628)
    assert "two-sided α = 0.04626" in compose(result).headline.rule
    assert "two-sided α = 0.0463," in compose(make(0.05, alpha=0.046256)).headline.rule


def test_a_relative_margin_shows_the_interval_of_the_share(make) -> None:
    numbers = compose(make(0.05, margin="5%")).headline.numbers
    assert "+12.5% of A's mean, 95% CI +7.5% to +17.5% (0.400 → 0.450), p " in numbers


@pytest.mark.parametrize(("change", "lower", "clause", "step"), [
    (10.0, True, "ms rose by more than 5.0", "ms is worse by more than its"),
    (5.0, True, "ms may have risen by 5.0", "ms may be worse by its"),
    (-10.0, False, "ms lost more than 5.0", "ms is worse by more than its"),
    (-5.0, False, "ms may have lost 5.0", "ms may be worse by its"),
])  # fmt: skip
def test_a_guard_says_which_way_is_a_loss_and_whether_it_is_sure(change, lower, clause, step):
    noise = np.resize([1.0, -1.0], 40)
    a = pd.DataFrame({"AP": np.linspace(0.1, 0.5, 40), "ms": 100.0 + noise})
    b = a.assign(AP=a["AP"] + 0.02 + 0.01 * noise, ms=100.0 + change - noise)
    costs = {"lower_is_better": ["ms"]} if lower else {"config": Question(higher_is_better=["ms"])}
    rule = {"measures": ["AP", "ms"], "margin": 0.001, "require": "non-inferior"}
    result = compare_scores(a, b, guard=["ms:-5"], **rule, **costs)
    summary = " ".join(result.summary().split())
    assert clause in " ".join(result.to_markdown().split())
    assert step in summary
