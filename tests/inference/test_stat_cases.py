"""Against the acceptance cases of ``stat_cases.json``, where ../shared/data is there."""

import json
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inference import adjust, effect_size, run_test
from abrank.inference.effect_size import effect_interval
from abrank.inference.equivalence import relative_change
from abrank.inference.families import max_t


@pytest.fixture(scope="module")
def case(shared_data):
    document = json.loads((shared_data / "stat_cases.json").read_text())
    return {first["id"]: first for first in document["cases"]}.__getitem__


def differences(one):
    arguments = one["input"]
    if "d" in arguments:
        return np.array(arguments["d"], dtype=float)
    return np.array(arguments["b"]) - np.array(arguments["a"])


def test_t(case):
    first = case("t01")
    d, expected = differences(first), first["expected"]
    result, at_99 = run_test("t", d), run_test("t", d, confidence=0.99)
    greater, less = (run_test("t", d, alternative=side) for side in ("greater", "less"))
    assert result.estimate[0] == pytest.approx(expected["mean"], abs=1e-12)
    assert result.statistic[0] == pytest.approx(expected["t"], rel=1e-10)
    assert result.pvalue[0] == pytest.approx(expected["p_two"], rel=1e-10)
    assert greater.pvalue[0] == pytest.approx(expected["p_greater"], rel=1e-10)
    assert less.pvalue[0] == pytest.approx(expected["p_less"], rel=1e-10)
    assert [result.ci_low[0], result.ci_high[0]] == pytest.approx(expected["ci95"], abs=1e-10)
    assert [at_99.ci_low[0], at_99.ci_high[0]] == pytest.approx(expected["ci99"], abs=1e-10)
    assert greater.ci_low[0] == pytest.approx(expected["lower95_one_sided"], abs=1e-10)


@pytest.mark.parametrize("name", ["w01", "w02_wilcox"])
def test_wilcoxon(case, name):
    first = case(name)
    d, expected = differences(first), first["expected"]

    def ask(method):
        return run_test("wilcoxon", d, method=method)

    assert ask("exact").statistic[0] == expected["W_plus"]
    compared = 0
    for key, result in {
        "p_two": ask("exact"),
        "p_exact": ask("exact"),
        "p_asymptotic": ask("asymptotic"),
    }.items():
        if key in expected:
            assert result.pvalue[0] == pytest.approx(expected[key], rel=1e-10)
            compared += 1
    assert compared >= 1


def test_wilcoxon_is_not_misled_by_float_noise(case):
    first = case("w05")
    assert run_test("wilcoxon", differences(first)).pvalue[0] == first["expected"]["p_exact"]


def test_hodges_lehmann(case):
    first = case("hl01")
    result = run_test("wilcoxon", differences(first))
    assert result.estimate[0] == pytest.approx(first["expected"]["hl"])
    assert [result.ci_low[0], result.ci_high[0]] == pytest.approx(first["expected"]["ci"])


@pytest.mark.parametrize("name", ["s_29_50", "s_25_43"])
def test_sign(case, name):
    arguments, expected = case(name)["input"], case(name)["expected"]
    d = [0.1] * arguments["pos"] + [-0.1] * (arguments["n"] - arguments["pos"])
    assert run_test("sign", d).pvalue[0] == pytest.approx(expected["p_two"], rel=1e-10)


@pytest.mark.parametrize("name", ["p01", "p02", "p04_n5", "p04_n6"])
def test_exact_permutation(case, name):
    first = case(name)
    result = run_test("permutation", differences(first))
    assert result.method == "exact"
    assert Fraction(float(result.pvalue[0])) == Fraction(first["expected"]["p_fraction"])
    assert result.estimate[0] == pytest.approx(first["expected"]["mean"], abs=1e-10)


def test_permutation_of_fifty(case):
    d = np.array([((37 * i + 11) % 101 - 40) / 100 for i in range(50)])
    exact = Fraction(case("p06")["expected"]["p_fraction"])
    assert run_test("permutation", d).pvalue[0] == pytest.approx(float(exact), rel=1e-13)
    test = run_test("permutation", d, method="monte-carlo", seed=3)
    assert abs(test.pvalue[0] - exact) < 4 * test.pvalue_error[0]


def test_permutation_in_the_deep_tail(case):
    d = np.array([10 + 17 * i % 23 if i % 8 else -(5 + i % 7) for i in range(200)], float)
    expected = case("p09")["expected"]["p_two"]
    assert expected < 1e-40
    assert run_test("permutation", d).pvalue[0] == pytest.approx(expected, rel=1e-10)
    test = run_test("permutation", d, method="monte-carlo", n_resamples=999)
    assert test.pvalue[0] == 1 / 1000


def test_permutation_interval(case):
    first = case("pci01")
    result = run_test("permutation", differences(first))
    assert [result.ci_low[0], result.ci_high[0]] == pytest.approx(first["expected"]["ci"])


def test_effect_sizes(case):
    first = case("es01")
    a, b, expected = first["input"]["a"], first["input"]["b"], first["expected"]
    names = {"d_z": "dz", "hedges_g": "hedges_gz", "d_av": "d_av",
             "glass_delta": "glass_delta", "rank_biserial": "rank_biserial",
             "p_better": "p_superiority"}  # fmt: skip
    for ours, theirs in names.items():
        assert effect_size(ours, a, b)[0] == pytest.approx(expected[theirs], rel=1e-9)
    interval = effect_interval("d_z", a, b)
    assert [interval.ci_low[0], interval.ci_high[0]] == pytest.approx(expected["dz_ci95"], rel=1e-8)


def test_relative_change(case):
    first = case("rel01")
    a, b, expected = first["input"]["a"], first["input"]["b"], first["expected"]
    result = relative_change(partial(run_test, "t"), a, b, alpha=0.05)
    assert result.estimate == pytest.approx(expected["rel"])
    assert [result.ci_low, result.ci_high] == pytest.approx(expected["ci_fieller"])


def test_adjusted_pvalues(case):
    first = case("mul01")
    for method in ("bonferroni", "holm", "hochberg", "bh", "by"):
        assert adjust(first["input"]["p"], method) == pytest.approx(first["expected"][method])


def test_degenerate_cases(case):
    assert differences(case("deg01")).size == 0
    alone = differences(case("deg02"))
    assert np.isnan(run_test("t", alone).pvalue[0])
    for name in ("permutation", "sign"):
        assert run_test(name, alone).pvalue[0] == case("deg02")["expected"]["signflip_p"]
    same = differences(case("deg03"))
    result = run_test("t", same)
    assert (result.pvalue[0], result.ci_low[0], result.ci_high[0]) == (1.0, 0.0, 0.0)
    flat = differences(case("deg04"))
    assert np.isnan(run_test("t", flat).statistic[0])
    for name in ("permutation", "wilcoxon", "sign"):
        assert run_test(name, flat).pvalue[0] == case("deg04")["expected"]["signflip_p"]
    with pytest.raises(ArgumentError, match="row 1, column 0 is nan"):
        run_test("t", [0.1, np.nan, 0.2])


def test_joint_of_one_column_is_the_permutation_test(case):
    d = differences(case("p01"))
    assert max_t(d).pvalue[0] == run_test("permutation", d).pvalue[0]
