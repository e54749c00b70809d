"""Tests of many systems against stored answers, and on the 103 systems of a real track."""

import numpy as np
import pytest

from abrank.inference import run_joint_test


@pytest.fixture(scope="module")
def adhoc7(shared_data):
    return np.loadtxt(shared_data / "urbano" / "adhoc7_ap.csv", delimiter=",", skiprows=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("pairwise", {"adjust": "none"}, 3844), ("pairwise", {"adjust": "bonferroni"}, 1880),
        ("pairwise", {"adjust": "holm"}, 1962), ("pairwise", {"adjust": "bh"}, 3731),
        ("pairwise", {"adjust": "by"}, 3066), ("tukey", {}, 2130),
    ],
)  # fmt: skip
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
