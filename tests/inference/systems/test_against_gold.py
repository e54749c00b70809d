"""Tests of many systems against stored answers, and on the 103 systems of a real track."""

import csv
import json

import numpy as np
import pytest

from abrank.inference import adjust, run_joint_test, run_test
from abrank.inference.systems.friedman import critical_difference, friedman_test, two_way_anova


def close(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-11)


@pytest.fixture(scope="module")
def cases(shared_data):
    document = json.loads((shared_data / "stat_cases.json").read_text())
    return {first["id"]: first for first in document["cases"]}


def test_case_of_anova_and_tukey(cases):
    arguments, expected = cases["anova01"]["input"], cases["anova01"]["expected"]
    scores = arguments["scores_topic_by_system"]
    table, joint_test = two_way_anova(scores), run_joint_test("tukey", scores)
    assert table.df_error == expected["df_error"]
    close(table.mean_square_error, expected["mse"])
    close((table.f, table.pvalue), (expected["F_system"], expected["p_system"]))
    np.testing.assert_allclose(
        joint_test.matrix(joint_test.pvalue_adj) + np.eye(4), expected["p_tukey"], rtol=1e-8
    )
    close((joint_test.ci_high - joint_test.ci_low) / 2, expected["hsd95"])


def test_case_of_friedman(cases):
    expected = cases["fr01"]["expected"]
    scores = np.array(cases["fr01"]["input"]["scores_topic_by_system"])
    test = friedman_test(scores)
    close(test.mean_ranks, expected["mean_ranks"])
    close((test.chi2, test.pvalue), (expected["chi2"], expected["p"]))
    close((test.f, test.pvalue_f), (expected["F_ID"], expected["p_ID"]))
    close(critical_difference(test, 6, 0.05), expected["CD"])
    nemenyi, conover = (run_joint_test(name, scores) for name in ("nemenyi", "conover"))
    ours, theirs = nemenyi.matrix(nemenyi.pvalue_adj) + np.eye(4), expected["p_nemenyi"]
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)
    ours, theirs = conover.matrix(conover.pvalue) + np.eye(4), expected["p_conover"]
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)


def test_case_of_adjusted_pvalues(cases):
    arguments, expected = cases["mul01"]["input"]["p"], cases["mul01"]["expected"]
    for method in ("bonferroni", "sidak", "holm", "hochberg", "hommel", "bh", "by"):
        close(adjust(arguments, method), expected[method])


def test_every_row_of_the_stored_adjustments(shared_data, record_property):
    families: dict[tuple[str, str], list[dict[str, str]]] = {}
    with (shared_data / "multiple_comparisons.tsv").open() as file:
        for row in csv.DictReader(file, delimiter="\t"):
            families.setdefault((row["family"], row["statistic"]), []).append(row)
    compared = 0
    for rows in families.values():
        # A test that is not defined among them must change nothing.
        pvalues = [float(row["p"]) for row in rows] + [np.nan]
        for method in ("bonferroni", "holm", "hochberg", "bh", "by"):
            ours = adjust(pvalues, method)
            assert np.isnan(ours[-1])
            np.testing.assert_allclose(ours[:-1], [float(row[method]) for row in rows], rtol=1e-12)
            compared += len(rows)
    record_property("values_compared", compared)
    print(f"\n{compared} adjusted p-values in {len(families)} families")
    assert compared == 5 * 165


def test_pairs_of_real_systems_against_stored_paired_tests(shared_data, record_property):
    folder = shared_data / "urbano"
    compared = 0
    with (folder / "gold" / "significance.tsv").open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    for name in ("adhoc7_ap", "web2012_ndcg20"):
        with (folder / f"{name}.csv").open() as file:
            systems, *lines = csv.reader(file)
        scores = np.array(lines, dtype=float)
        wanted = [row for row in rows if row["run_a"].startswith(f"{name}:")]
        used = sorted({row[run].split(":")[1] for row in wanted for run in ("run_a", "run_b")})
        block = scores[:, [systems.index(system) for system in used]]
        requested = {
            "ttest_p": ("pvalue", run_joint_test("pairwise", block, adjust="none")),
            "signtest_p": ("pvalue", run_joint_test("pairwise", block, test="sign")),
            "mean_diff": ("estimate", run_joint_test("tukey", block)),
        }
        for row in wanted:
            a, b = (used.index(row[run].split(":")[1]) for run in ("run_a", "run_b"))
            if row["statistic"] in requested:
                field, result = requested[row["statistic"]]
                ours, sign = result.matrix(getattr(result, field))[a, b], 1.0
                if field == "estimate":
                    sign = -1.0 if a < b else 1.0
                if np.isnan(float(row["value"])):
                    # Two names of one run: scipy's t is not defined, ours says p = 1.
                    assert ours == 1.0
                    continue
                assert ours * sign == pytest.approx(float(row["value"]), rel=1e-9)
                compared += 1
    record_property("values_compared", compared)
    print(f"\n{compared} values of {len(rows)} rows of pairs")
    assert compared >= 16


@pytest.fixture(scope="module")
def adhoc7(shared_data):
    return np.loadtxt(shared_data / "urbano" / "adhoc7_ap.csv", delimiter=",", skiprows=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("pairwise", {"adjust": "none"}, 3844),
        ("pairwise", {"adjust": "bonferroni"}, 1880),
        ("pairwise", {"adjust": "holm"}, 1962),
        ("pairwise", {"adjust": "bh"}, 3731),
        ("pairwise", {"adjust": "by"}, 3066),
        ("tukey", {}, 2130),
    ],
)
def test_pairs_told_apart_among_103_systems(adhoc7, name, options, expected):
    joint_test = run_joint_test(name, adhoc7, **options)
    assert len(joint_test.pvalue_adj) == 5253
    assert joint_test.distinct.sum() == expected


@pytest.mark.slow
def test_critical_differences_among_103_systems(adhoc7):
    tukey = run_joint_test("tukey", adhoc7)
    assert (tukey.ci_high - tukey.ci_low)[0] / 2 == pytest.approx(0.09477, abs=5e-6)
    randomised = run_joint_test("randomised-tukey", adhoc7, n_resamples=1999)
    assert (randomised.ci_high - randomised.ci_low)[0] / 2 == pytest.approx(0.117, abs=0.002)
    # 1598 with other orders; one standard error of the critical value moves it by about 15.
    assert abs(int(randomised.distinct.sum()) - 1598) < 100


@pytest.mark.slow
def test_discriminative_power_among_103_systems(adhoc7, record_property):
    """Pairs with p <= .05 and p <= .01 by each test, of 5,253; two names of one run have p = 1.

    The stored counts come from the same definitions, computed apart from this program.
    """
    first, second = np.triu_indices(103, 1)
    differences = np.round(adhoc7[:, second] - adhoc7[:, first], 10)
    expected = {
        ("t", ()): (3844, 3353),
        ("wilcoxon", (("method", "exact"),)): (3855, 3419),
        ("sign", ()): (3554, 3077),
        ("permutation", ()): (3850, 3379),
    }
    for (name, options), counts in expected.items():
        result = run_test(name, differences, **dict(options))
        ints = tuple(int(np.sum(result.pvalue <= level)) for level in (0.05, 0.01))
        label = f"{name} {dict(options)}" if options else name
        record_property(label, ints)
        print(f"\n{label}: {ints} of 5253, share {ints[0] / 5253:.4f}; {result.method}")
        assert ints == counts, label
