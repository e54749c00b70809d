"""``--test bounded``: level and coverage for any differences of a bounded measure."""

import numpy as np
import pandas as pd
import pytest

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
