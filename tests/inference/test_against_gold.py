"""Against every row of the five ``significance.tsv`` (scipy 1.17.1), where ../shared/data is there.

The gold's d is a - b, in floats as they came; ours are taken to 10 decimals before ties are told.
"""

import csv
import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from abrank.inference import effect_size, run_test

MEASURES = {
    "AP": "map", "nDCG": "ndcg", "nDCG@10": "ndcg_cut_10", "RR": "recip_rank", "P@10": "P_10",
}  # fmt: skip
FOLDERS = ("robust03", "ltr", "vaswani", "urbano", "partial")
EXPECTED_PAIRS = {"robust03": 25, "ltr": 15, "vaswani": 15, "urbano": 6, "partial": 15}
N_FLIPS = 99_999
# Standard deviation of the .025 quantile of B resampled means, times sqrt(B), in standard errors of
# the mean: sqrt(q (1 - q)) over the normal density at that quantile.


def significance(folder: Path) -> dict[tuple[str, ...], dict[str, float]]:
    result: dict[tuple[str, ...], dict[str, float]] = {}
    with (folder / "gold" / "significance.tsv").open() as file:
        rows = csv.reader(file, delimiter="\t")
        next(rows)
        for *case, statistic, value in rows:
            result.setdefault(tuple(case), {})[statistic] = float(value)
    return result


def per_query(folder: Path) -> dict[tuple[str, str], dict[str, float]]:
    result: dict[tuple[str, str], dict[str, float]] = {}
    with gzip.open(folder / "gold" / "trec_eval-9.0.8.tsv.gz", "rt") as file:
        for run, query, measure, value in csv.reader(file, delimiter="\t"):
            if measure in MEASURES.values() and query != "all":
                result.setdefault((run, measure), {})[query] = float(value)
    return result


def differences(folder: Path) -> dict[tuple[str, ...], np.ndarray]:
    cases = significance(folder)
    if folder.name == "urbano":
        return {case: _urbano(folder, case) for case in cases}
    if folder.name == "partial":
        return {case: _partial(folder, *case) for case in cases}
    values = per_query(folder)
    result = {}
    for case in cases:
        a, b, measure = case
        a_values, b_values = values[a, MEASURES[measure]], values[b, MEASURES[measure]]
        assert a_values.keys() == b_values.keys()
        result[case] = np.array([a_values[q] - b_values[q] for q in sorted(a_values)])
    return result


def _urbano(folder: Path, case: tuple[str, ...]) -> np.ndarray:
    (file, a), (_, b) = case[0].split(":"), case[1].split(":")
    with (folder / f"{file}.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    return np.array([float(row[a]) - float(row[b]) for row in rows])


def _partial(folder: Path, policy: str, measure: str) -> np.ndarray:
    values: dict[str, dict[str, float]] = {"a": {}, "b": {}}
    with (folder / "gold" / "trec_eval-9.0.8.tsv").open() as file:
        for run, flag, query, name, value in csv.reader(file, delimiter="\t"):
            if flag == "no -c" and name == MEASURES[measure] and query != "all":
                values[run][query] = float(value)
    a, b = values["a"], values["b"]
    if policy == "intersection":
        queries = a.keys() & b.keys()
    elif policy == "zero_over_union":
        queries = a.keys() | b.keys()
    else:
        with gzip.open(folder / "qrels.txt.gz", "rt") as file:
            queries = {line.split()[0] for line in file}
    return np.array([a.get(q, 0.0) - b.get(q, 0.0) for q in sorted(queries)])


@pytest.fixture(scope="module", params=FOLDERS)
def cases(request, shared_data):
    folder = shared_data / request.param
    gold, d = significance(folder), differences(folder)
    assert len(gold) == EXPECTED_PAIRS[request.param]
    for case, values in gold.items():
        assert len(d[case]) == values["n"]
        assert d[case].mean() == pytest.approx(values["mean_diff"], rel=1e-12, abs=1e-15)
    return {case: (d[case], gold[case]) for case in gold}


@pytest.mark.slow
def test_t_equals_scipy(cases):
    compared = 0
    for d, gold in cases.values():
        two, at_99 = run_test("t", d), run_test("t", d, confidence=0.99)
        greater, less = (run_test("t", d, alternative=side) for side in ("greater", "less"))
        ours = {
            "ttest_t": two.statistic, "ttest_p": two.pvalue,
            "ttest_ci95_lo": two.ci_low, "ttest_ci95_hi": two.ci_high,
            "ttest_ci99_lo": at_99.ci_low, "ttest_ci99_hi": at_99.ci_high,
            "ttest_p_greater": greater.pvalue, "ttest_p_less": less.pvalue,
        }  # fmt: skip
        if np.isnan(gold["ttest_t"]):
            # Identical scores: scipy has NaN, we say p = 1 and [0, 0].
            assert not np.any(d)
            assert two.pvalue[0] == 1.0
            continue
        for name, value in ours.items():
            assert value[0] == pytest.approx(gold[name], rel=1e-9, abs=1e-12), name
            compared += 1
    print(f"\n{compared} values of t")
    assert compared >= 8 * (len(cases) - 5)


def test_sign_equals_scipy_and_counts(cases):
    for d, gold in cases.values():
        result = run_test("sign", d)
        assert result.pvalue[0] == pytest.approx(gold["signtest_p"], rel=1e-9)
        assert result.statistic[0] == gold["wins_a"]
    print(f"\n{2 * len(cases)} values of the sign test")


def test_d_z_equals_the_gold(cases):
    for d, gold in cases.values():
        ours = effect_size("d_z", np.zeros_like(d), d)[0]
        expected = 0.0 if not d.any() else gold["cohen_dz"]
        assert ours == pytest.approx(expected, rel=1e-9)
    print(f"\n{len(cases)} values of d_z")


def test_wilcoxon_equals_scipy_or_scipy_had_broken_ties(cases):
    outcome: Counter[str] = Counter()
    for d, gold in cases.values():
        for kind in ("auto", "asymptotic"):
            outcome[_compare_wilcoxon(d, gold, kind)] += 1
    print(f"\nWilcoxon p and W: {dict(outcome)}")
    assert sum(outcome.values()) == 2 * len(cases)


def _compare_wilcoxon(d: np.ndarray, gold: dict[str, float], kind: str) -> str:
    rounded = np.round(d, 10)
    if not rounded.any():
        assert run_test("wilcoxon", d).pvalue[0] == 1.0
        return "identical scores, p = 1"
    sizes = np.abs(d)
    exact = kind == "auto" and len(d) <= 50 and 0 not in d and len(set(sizes)) == len(d)
    ours = run_test("wilcoxon", d, method="exact" if exact else "asymptotic")
    rank_sum = stats.rankdata(np.abs(rounded[rounded != 0])).sum()
    w = min(ours.statistic[0], rank_sum - ours.statistic[0])
    if ours.pvalue[0] == pytest.approx(gold[f"wilcoxon_wilcox_{kind}_p"], rel=1e-9):
        assert w == gold[f"wilcoxon_wilcox_{kind}_W"]
        return "exact, equal" if exact else "equal"
    # The gold told apart differences that are one number: on the rounded ones scipy agrees with
    # us, and there are more ties among them than among the raw ones.
    assert len(set(np.abs(rounded))) < len(set(sizes))
    assert not exact
    scipy_p = stats.wilcoxon(rounded, method="asymptotic").pvalue
    assert ours.pvalue[0] == pytest.approx(scipy_p, rel=1e-9)
    return "ties broken in the gold, scipy on rounded differences equals ours"


@pytest.mark.slow
def test_exact_permutation_equals_the_gold(cases):
    """The exact gold to 1e-10; the Monte Carlo gold, where it is all there is, to 4 errors of it.

    The gold's "greater" is one-sided for its d, a - b, which is ours here.
    """
    compared: Counter[str] = Counter()
    for d, gold in cases.values():
        two, greater = run_test("permutation", d), run_test("permutation", d, alternative="greater")
        assert two.method == "exact"
        assert two.pvalue_low[0] <= two.pvalue[0] <= two.pvalue_high[0]
        if "signflip_exact_p" in gold:
            assert two.pvalue[0] == pytest.approx(gold["signflip_exact_p"], rel=1e-10)
            compared["exact, to 1e-10"] += 1
        for p, truth in (
            (two.pvalue[0], gold["signflip_mc2e7_p"]),
            (greater.pvalue[0], gold["signflip_mc2e7_p_greater"]),
        ):
            assert abs(p - truth) <= 4 * np.sqrt(truth * (1 - truth) / 2e7) + 2 / 2e7
            compared["within 4 standard errors of 2e7 flips"] += 1
        assert gold["signflip_mc2e7_se"] == pytest.approx(
            np.sqrt(gold["signflip_mc2e7_p"] * (1 - gold["signflip_mc2e7_p"]) / 2e7), abs=1e-9
        )
    print(f"\npermutation p: {dict(compared)}")
    assert compared["exact, to 1e-10"] >= len(cases) // 5
    assert compared["within 4 standard errors of 2e7 flips"] == 2 * len(cases)


@pytest.mark.slow
def test_drawn_permutation_is_within_monte_carlo_error(cases):
    compared = 0
    for d, gold in cases.values():
        test = run_test("permutation", d, method="monte-carlo", n_resamples=N_FLIPS, seed=1)
        truth = gold.get("signflip_exact_p", gold["signflip_mc2e7_p"])
        sqrt = np.sqrt(truth * (1 - truth) * (1 / N_FLIPS + 1 / 2e7))
        assert abs(test.pvalue[0] - truth) <= 4 * sqrt + 2 / N_FLIPS
        compared += 1
    print(f"\n{compared} drawn permutation p")
    assert compared == len(cases)


@pytest.mark.slow
def test_scipy_permutation_loses_ties_where_we_do_not(shared_data):
    """InexpC2 against Sel50 by P@10: scipy says .6319; the exact p is .6445 (data trap 8)."""
    folder = shared_data / "robust03"
    case = ("InexpC2", "Sel50", "P@10")
    exact = significance(folder)[case]["signflip_exact_p"]
    values = per_query(folder)
    a, b = (np.array([values[run, "P_10"][q] for q in sorted(values[run, "P_10"])])
            for run in case[:2])  # fmt: skip
    error = np.sqrt(exact * (1 - exact) / N_FLIPS)
    theirs = stats.permutation_test(
        (a, b), lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis), vectorized=True,
        permutation_type="samples", n_resamples=N_FLIPS, rng=np.random.default_rng(1),
    ).pvalue  # fmt: skip
    assert exact - theirs > 6 * error
    assert run_test("permutation", a - b).pvalue[0] == pytest.approx(exact, rel=1e-10)
    test = run_test("permutation", a - b, method="monte-carlo", n_resamples=N_FLIPS)
    assert abs(test.pvalue[0] - exact) < 4 * error
