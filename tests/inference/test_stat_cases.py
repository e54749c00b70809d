"""Against the acceptance cases of ``stat_cases.json``, where ../shared/data is there."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from abrank.inference import effect_size, run_test
from abrank.inference.effect_size import effect_interval
from abrank.inference.equivalence import relative_change


def test_hodges_lehmann(stat_case):
    first = stat_case("hl01")
    result = run_test("wilcoxon", first["input"]["d"])
    assert result.estimate[0] == pytest.approx(first["expected"]["hl"])
    assert [result.ci_low[0], result.ci_high[0]] == pytest.approx(first["expected"]["ci"])


def test_permutation_of_fifty(stat_case):
    d = np.array([((37 * i + 11) % 101 - 40) / 100 for i in range(50)])
    exact = Fraction(stat_case("p06")["expected"]["p_fraction"])
    assert run_test("permutation", d).pvalue[0] == pytest.approx(float(exact), rel=1e-13)
    test = run_test("permutation", d, method="monte-carlo", seed=3)
    assert abs(test.pvalue[0] - exact) < 4 * test.pvalue_error[0]


def test_permutation_in_the_deep_tail(stat_case):
    d = np.array([10 + 17 * i % 23 if i % 8 else -(5 + i % 7) for i in range(200)], float)
    expected = stat_case("p09")["expected"]["p_two"]
    assert expected < 1e-40
    assert run_test("permutation", d).pvalue[0] == pytest.approx(expected, rel=1e-10)
    assert run_test("permutation", d, method="monte-carlo", n_resamples=999).pvalue[0] == 1 / 1000


def test_effect_sizes(stat_case):
    first = stat_case("es01")
    a, b, expected = first["input"]["a"], first["input"]["b"], first["expected"]
    names = {"d_z": "dz", "hedges_g": "hedges_gz", "d_av": "d_av",
             "glass_delta": "glass_delta", "rank_biserial": "rank_biserial",
             "p_better": "p_superiority"}  # fmt: skip
    for ours, theirs in names.items():
        assert effect_size(ours, a, b)[0] == pytest.approx(expected[theirs], rel=1e-9)
    interval = effect_interval("d_z", a, b)
    assert [interval.ci_low[0], interval.ci_high[0]] == pytest.approx(expected["dz_ci95"], rel=1e-8)


def test_relative_change(stat_case):
    first = stat_case("rel01")
    a, b, expected = first["input"]["a"], first["input"]["b"], first["expected"]
    result = relative_change(partial(run_test, "t"), a, b, alpha=0.05)
    assert result.estimate == pytest.approx(expected["rel"])
    assert [result.ci_low, result.ci_high] == pytest.approx(expected["ci_fieller"])
