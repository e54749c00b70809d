"""``--test bounded``: level and coverage for any differences of a bounded measure."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest

import abrank
from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from tests.report.written import whole_text

MARGIN = 0.02


def frames(differences, measure="AP") -> list[pd.DataFrame]:
    d = np.asarray(differences, dtype=float)
    a = np.where(d < 0, -d, 0.0) + 0.0
    ids = [f"q{i}" for i in range(len(d))]
    return [pd.DataFrame({measure: values}, index=ids) for values in (a, a + d)]


def test_p_is_of_the_bets_that_the_limits_are_of() -> None:
    d = np.array([0.3, 0.1, 0.25, -0.05, 0.2, 0.15, 0.3, 0.1, 0.4, 0.22, 0.18, 0.3])
    shares = np.sin((2 * np.arange(1, 65) - 1) * np.pi / 256)

    def capital(x: np.ndarray, m: float) -> float:
        return float(np.mean([np.prod(1 + f * (x / m - 1)) for f in shares]))

    x = (d + 1) / 2
    for alternative, sides in (("two-sided", 2), ("greater", 1)):
        test = run_test("bounded", d, alternative=alternative)
        richest = capital(x, 0.5) if sides == 1 else max(capital(x, 0.5), capital(1 - x, 0.5))
        assert test.pvalue[0] == pytest.approx(min(1.0, sides / richest))
        assert capital(x, (test.ci_low[0] + 1) / 2) == pytest.approx(sides / 0.05)


def test_a_gate_by_bets_takes_rare_losses_into_account() -> None:
    d = np.full(60, 0.012) + np.resize([0.002, -0.002], 60)
    by_t, bets = (
        abrank.compare_scores(*frames(d), margin=MARGIN, require="non-inferior", test=test)
        for test in ("t", "bounded")
    )
    assert (by_t.decision.gate.passed, bets.decision.gate.passed) == (True, False)
    assert "may miss large losses" in whole_text(by_t)
    assert "may miss large losses" not in whole_text(bets)
    assert "betting test of bounded differences" in whole_text(bets)


@pytest.mark.parametrize(
    ("measure", "scale", "why"),
    [("clicks", 1.0, "nobody knows"), ("DCG@10", 1.0, "nobody knows"), ("AP", 100.0, "nobody")],
)
def test_a_measure_without_a_range_is_refused(measure: str, scale: float, why: str) -> None:
    result = [frame * scale for frame in frames([0.1, 0.2, 0.0, 0.1], measure)]
    with pytest.raises(ArgumentError, match=f"at most 1 apart, and of {measure} {why}"):
        abrank.compare_scores(*result, test="bounded", measures=measure)
    board = {name: frame[measure] for name, frame in zip("AB", result, strict=True)}
    with pytest.raises(ArgumentError, match="at most 1 apart"):
        abrank.rank_scores(board, measures=measure, test="bounded")


@pytest.mark.slow
def test_other_doors_take_it_or_say_why_not() -> None:
    a, b = frames(np.resize([0.1, 0.2, -0.05, 0.15], 80))
    board = {"A": a["AP"], "B": b["AP"]}
    (row,) = abrank.rank_scores(board, measures="AP", test="bounded").pair_rows
    alone = abrank.compare_scores(a, b, test="bounded")
    assert row.pvalue == pytest.approx(alone.pvalue)
    anytime = abrank.compare_scores(a, b, test="bounded", design=abrank.Anytime(200))
    assert anytime.primary.ci_low == alone.primary.ci_low
    assert "any differences of a bounded measure" in whole_text(anytime)
    both = abrank.compare_collections(
        {"one": (a, b), "two": (b, a)}, test="bounded", name_a="a", name_b="b"
    )
    assert both.primary.rows[0].pvalue == pytest.approx(alone.pvalue)
    with pytest.raises(ArgumentError, match="not by bounded"):
        abrank.compare_scores(
            a, b, test="bounded", design=abrank.Clusters({q: q[-1] for q in a.index})
        )
    with pytest.raises(ArgumentError, match="relative margin"):
        abrank.compare_scores(a, b, test="bounded", margin="2%")
    with pytest.raises(ArgumentError, match="differences of at most 1"):
        run_test("bounded", [0.5, 1.5])


def rare_losses(n: int, share: float, loss: float, samples: int) -> np.ndarray:
    """Return differences whose mean is a loss of exactly the margin: mostly small gains."""
    gain = (share * loss - MARGIN) / (1.0 - share)
    random = np.random.default_rng([n, int(1000 * share)])
    noise = random.uniform(-0.01, 0.01, (n, samples))
    return np.where(random.random((n, samples)) < share, -loss, gain + noise)


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 25, 50, 100])
@pytest.mark.parametrize(("share", "loss"), [(0.025, 1.0), (0.4, 0.3), (0.05, 0.8), (0.1, 0.5)])
def test_a_loss_of_the_margin_is_excluded_in_at_most_5_percent(n, share, loss) -> None:
    d = rare_losses(n, share, loss, 400)
    false = int(np.sum(run_test("bounded", d, confidence=0.9).ci_low > -MARGIN))
    assert binomtest(false, 400, 0.05, alternative="greater").pvalue > 0.01
    if (n, share) == (25, 0.025):  # where the t test cannot see what it has not seen
        assert float(np.mean(run_test("t", d, confidence=0.9).ci_low > -MARGIN)) > 0.28


@pytest.mark.slow
@pytest.mark.parametrize("n", [5, 20, 80])
def test_the_interval_covers_skewed_and_tied_means(n: int) -> None:
    random = np.random.default_rng(n)
    for draw, mean in (
        (lambda: random.beta(0.3, 3.0, (n, 300)), 0.3 / 3.3),
        (lambda: random.choice([0.0, 0.0, 0.0, 1.0, -1.0], (n, 300)), 0.0),
        (lambda: np.clip(random.normal(0.0, 0.2, (n, 300)), -1, 1), 0.0),
    ):
        test = run_test("bounded", draw())
        missed = int(np.sum((test.ci_low > mean) | (test.ci_high < mean)))
        assert binomtest(missed, 300, 0.05, alternative="greater").pvalue > 0.01


@pytest.mark.slow
def test_the_interval_holds_at_any_look() -> None:
    random = np.random.default_rng(5)
    stopped = 0
    for _ in range(100):
        d = random.choice([0.02, 0.02, 0.02, 0.02, -0.08], 60)
        stopped += min([run_test("bounded", d[:n]).pvalue[0] for n in range(5, 61, 5)]) < 0.05
    assert binomtest(stopped, 100, 0.05, alternative="greater").pvalue > 0.01
    d = np.resize([0.1, 0.2, -0.05], 90)
    plain = abrank.compare_scores(*frames(d), test="bounded")
    anytime = abrank.compare_scores(*frames(d), test="bounded", design=abrank.Anytime(200))
    assert anytime.primary.ci_low == plain.primary.ci_low
    assert "any differences of a bounded measure" in whole_text(anytime)
