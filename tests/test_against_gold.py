"""Whole comparisons of real runs, from files to interval, against stored output of scipy.

The stored differences are a - b; ours are B - A, so the stored run_b is our baseline.
"""

import csv
from collections import defaultdict

import pytest

import abrank
from abrank.inference import run_test
from tests.gold import left_out

MEASURES = {"AP": "AP", "nDCG": "nDCG", "nDCG@10": "nDCG@10", "RR": "RR", "P@10": "P@10"}
POLICIES = {"zero_over_qrels_topics": "zero", "intersection": "drop"}


def stored(path, keys) -> dict[tuple[str, ...], dict[str, float]]:
    """Return the stored statistics by the columns ``keys``."""
    result: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            result[tuple(row[key] for key in keys)][row["statistic"]] = float(row["value"])
    return result


def agree(result: abrank.Comparison, expected: dict[tuple[str, ...], dict[str, float]]) -> int:
    """Hold a comparison against the stored statistics by measure; return how many were held."""
    count = 0
    for (measure,), want in expected.items():
        row = result[MEASURES[measure]]
        assert result.n_queries == want["n"]
        assert (row.wins, row.ties, row.losses) == (want["wins_a"], want["ties"], want["losses_a"])
        assert row.mean_b == pytest.approx(want["mean_a"], abs=1e-12)
        assert row.mean_a == pytest.approx(want["mean_b"], abs=1e-12)
        assert row.diff == pytest.approx(want["mean_diff"], abs=1e-12)
        count += 7
        flips = run_test("permutation", result.differences(MEASURES[measure]))
        assert flips.method == "exact"
        if "signflip_exact_p" in want:
            assert flips.pvalue[0] == pytest.approx(want["signflip_exact_p"], rel=1e-10)
        if "signflip_mc2e7_p" in want:  # of 2e7 flips: to four standard errors
            error = 4 * (want["signflip_mc2e7_p"] * (1 - want["signflip_mc2e7_p"]) / 2e7) ** 0.5
            assert flips.pvalue[0] == pytest.approx(want["signflip_mc2e7_p"], abs=error + 1e-7)
        if want["sd_diff"] > 0:
            assert row.statistic == pytest.approx(want["ttest_t"], rel=1e-9)
            assert row.pvalue == pytest.approx(want["ttest_p"], rel=1e-9)
            assert row.ci_low == pytest.approx(want["ttest_ci95_lo"], abs=1e-9)
            assert row.ci_high == pytest.approx(want["ttest_ci95_hi"], abs=1e-9)
            count += 4
    return count


@pytest.mark.slow
@pytest.mark.parametrize(
    ("collection", "qrels"), [("robust03", ".txt.gz"), ("ltr", ".txt"), ("vaswani", ".txt")]
)
def test_real_runs(shared_data, collection, qrels, record_property) -> None:
    folder = shared_data / collection
    runs = {path.name.split(".")[0]: path for path in (folder / "runs").iterdir()}
    expected = stored(folder / "gold" / "significance.tsv", ("run_a", "run_b", "metric"))
    pairs = sorted({key[:2] for key in expected if {*key[:2]} <= runs.keys()})
    if not pairs:
        left_out(f"two runs of {collection}")
    count = 0
    for a, b in pairs:
        result = abrank.compare(
            folder / f"qrels{qrels}", runs[b], runs[a], measures=list(MEASURES.values()),
            scoring=abrank.Scoring(score_dtype="float32"), resamples=99,
        )  # fmt: skip
        count += agree(result, {key[2:]: expected[key] for key in expected if key[:2] == (a, b)})
    record_property("values_compared", count)
    print(f"{collection}: {count} values compared over {len(pairs)} pairs of runs")
    assert count >= len(pairs) * len(MEASURES) * 7


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "missing"), POLICIES.items())
def test_missing_topics(shared_data, policy, missing) -> None:
    folder = shared_data / "partial"
    expected = stored(folder / "gold" / "significance.tsv", ("policy", "metric"))
    assert policy in {key[0] for key in expected}
    result = abrank.compare(
        folder / "qrels.txt.gz", folder / "runs" / "b.run.gz", folder / "runs" / "a.run.gz",
        measures=[MEASURES[key[1]] for key in expected if key[0] == policy],
        scoring=abrank.Scoring(missing=missing, score_dtype="float32"), resamples=99,
    )  # fmt: skip
    assert agree(result, {key[1:]: expected[key] for key in expected if key[0] == policy}) > 0
    assert {note.code for note in result.notes} >= {"missing-queries"}
