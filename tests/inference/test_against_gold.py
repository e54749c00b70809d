"""The permutation test against every row of three ``significance.tsv``.

The gold's d is a - b, in floats as they came; ours are taken to 10 decimals before ties are told.
"""

import csv
import gzip
from collections import Counter

import numpy as np
import pytest

from abrank.inference import run_test

MEASURES = {
    "AP": "map", "nDCG": "ndcg", "nDCG@10": "ndcg_cut_10", "RR": "recip_rank", "P@10": "P_10",
}  # fmt: skip
EXPECTED_PAIRS = {"robust03": 25, "ltr": 15, "vaswani": 15}


def significance(folder) -> dict[tuple[str, ...], dict[str, float]]:
    result: dict[tuple[str, ...], dict[str, float]] = {}
    with (folder / "gold" / "significance.tsv").open() as file:
        rows = csv.reader(file, delimiter="\t")
        next(rows)
        for *case, statistic, value in rows:
            result.setdefault(tuple(case), {})[statistic] = float(value)
    return result


def per_query(folder) -> dict[tuple[str, str], dict[str, float]]:
    result: dict[tuple[str, str], dict[str, float]] = {}
    with gzip.open(folder / "gold" / "trec_eval-9.0.8.tsv.gz", "rt") as file:
        for run, query, measure, value in csv.reader(file, delimiter="\t"):
            if measure in MEASURES.values() and query != "all":
                result.setdefault((run, measure), {})[query] = float(value)
    return result


def differences(folder) -> dict[tuple[str, ...], np.ndarray]:
    cases = significance(folder)
    values = per_query(folder)
    result = {}
    for case in cases:
        a, b, measure = case
        a_values, b_values = values[a, MEASURES[measure]], values[b, MEASURES[measure]]
        assert a_values.keys() == b_values.keys()
        result[case] = np.array([a_values[q] - b_values[q] for q in sorted(a_values)])
    return result


@pytest.fixture(scope="module", params=EXPECTED_PAIRS)
def cases(request, shared_data):
    folder = shared_data / request.param
    gold, d = significance(folder), differences(folder)
    assert len(gold) == EXPECTED_PAIRS[request.param]
    for case, values in gold.items():
        assert len(d[case]) == values["n"]
        assert d[case].mean() == pytest.approx(values["mean_diff"], rel=1e-12, abs=1e-15)
    return {case: (d[case], gold[case]) for case in gold}


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
