"""What the cautions ask of differences.

Each caution comes when its condition holds, and not when it just does not.
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from abrank import diagnostics
from abrank._support.errors import ArgumentError
from abrank.inference import run_test
from abrank.inference.paired import mean_and_error, skewness_of


def test_outcomes_ignore_float_noise() -> None:
    differences = np.array([1e-12, -1e-12, 1e-9, 0.3])
    for factor in (1.0, 1e-9, 2.0**-40, 1e6):
        assert diagnostics.outcomes(differences * factor).tolist() == [0, 0, 1, 1]


@dataclass
class FakeTest:
    test: str
    pvalue: float
    decides: bool = False


@dataclass
class FakeRow:
    measure: str
    reading: str
    pvalue: float
    pvalue_adj: float


def notes_of(differences, *, tests=()):
    ids = [f"q{i}" for i in range(len(differences))]
    result = diagnostics.inspect_differences(
        np.asarray(differences, float), tests, alpha=0.05, query_ids=ids
    )
    return {note.code: dict(note.values) for note in result}


def calm(n=60) -> np.ndarray:
    """Symmetric differences around +0.02, none large, no ties."""
    return 0.02 + np.linspace(-0.1, 0.1, n)


def test_nothing_to_say() -> None:
    assert (notes_of(calm()), notes_of(calm(8)), notes_of([])) == ({}, {}, {})
    assert notes_of([0.0] * 30) == {}


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("differences", "codes"),
    [
        ([], []), ([0.1], []), ([0.1, 0.3], []), ([0.0] * 8, []),
        ([0.1] * 8, ["constant-difference"]), ([0.0] * 7 + [0.8], []),
        ([-0.1] * 4 + [0.3] * 4, []),
    ],
)  # fmt: skip
def test_every_row_of_the_table(differences, codes) -> None:
    assert list(notes_of(differences)) == codes


@pytest.mark.parametrize("endless", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_is_refused(endless) -> None:
    with pytest.raises(ArgumentError, match="finite"):
        notes_of([0.1] * 7 + [endless])


def test_few_signs() -> None:
    """against_theory: of n signs all alike, two of the 2**n patterns are as extreme."""
    five = [0.1, 0.3, 0.2, 0.4, 0.25]
    fake_test, open_ = FakeTest("t", 0.01, decides=True), FakeTest("t", 0.2, decides=True)
    note = notes_of(five, tests=[fake_test])["few-signs"]
    assert note == {"n": 5, "differ": 5, "lowest": 0.0625, "test": ""}
    # Where nothing is shown nothing rests on few signs.
    assert "few-signs" not in notes_of(five, tests=[open_])
    assert run_test("permutation", np.array(five)).pvalue == pytest.approx(0.0625)
    assert "few-signs" not in notes_of([*five, 0.3], tests=[fake_test])
    tied = notes_of([*five, *[0.0] * 50], tests=[FakeTest("wilcoxon", 0.06, decides=True)])
    assert tied["few-signs"] == {"n": 55, "differ": 5, "lowest": 0.0625, "test": "wilcoxon"}


def test_constant_difference_says_nothing_else() -> None:
    assert list(notes_of([-0.3] * 30)) == ["constant-difference"]
    assert "constant-difference" not in notes_of([-0.3])


def carried() -> np.ndarray:
    """Forty-nine differences of mean .0155 that t does not show, and one far outside of them."""
    return np.r_[0.0155 + np.linspace(-0.1, 0.1, 49), 0.25]


def test_one_query_decides() -> None:
    d = carried()
    whole, without = (float(run_test("t", item).pvalue[0]) for item in (d, d[:49]))
    assert whole < 0.05 < without
    tests = [FakeTest("t", whole, decides=True)]
    notes = notes_of(d, tests=tests)
    assert notes["one-query-decides"] == {
        "query_id": "q49", "difference": 0.25, "pvalue": pytest.approx(without),
    }  # fmt: skip
    assert notes_of(-d, tests=tests)["one-query-decides"]["difference"] == -0.25
    # Of another test's call it is not said.
    assert "one-query-decides" not in notes_of(d, tests=[FakeTest("t", whole)])
    sure = np.r_[calm(49) + 0.2, 0.9]
    assert "one-query-decides" not in notes_of(sure, tests=[FakeTest("t", 0.0, decides=True)])


def test_a_large_difference_among_others_decides_nothing() -> None:
    """The largest of a normal sample turns a call near alpha, and is no news."""
    d = np.array([NormalDist().inv_cdf((i + 0.5) / 30) for i in range(30)]) * 0.1 + 0.0395
    whole = float(run_test("t", d).pvalue[0])
    assert 0.01 < whole < 0.05 < float(run_test("t", d[:-1]).pvalue[0])
    assert notes_of(d, tests=[FakeTest("t", whole, decides=True)]) == {}


def test_a_finding_that_is_not_about_the_mean() -> None:
    for name, rates in diagnostics.FALSE_FINDINGS.items():
        first, second = sorted(rates)[:2]
        finds, t = FakeTest(name, 0.01, decides=True), FakeTest("t", 0.3)
        for n, size in ((first, first), (second - 1, first), (second, second), (2000, max(rates))):
            notes = notes_of(calm(n), tests=[t, finds])
            expected = {"test": name, "n": size, "rate": rates[size], "t": 0.3}
            assert notes["not-about-the-mean"] == expected
        assert "not-about-the-mean" not in notes_of(calm(first - 1), tests=[t, finds])
        # Where the mean is shown to differ too, or nothing is, there is nothing to say.
        for tests in ([FakeTest("t", 0.01), finds], [t, FakeTest(name, 0.2, decides=True)]):
            assert "not-about-the-mean" not in notes_of(calm(first), tests=tests)
    aside = notes_of(calm(), tests=[FakeTest("t", 0.5, decides=True), FakeTest("sign", 0.01)])
    assert "not-about-the-mean" not in aside


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("n", "n_effective", "asked", "decides", "severity"),
    [
        (5, 4.9, "t", "t", None), (5, 2.9, "t", "t", 3), (11, 2.6, "t", "permutation", 3),
        (5, 5.0, "permutation", "permutation", 3), (6, 2.0, "permutation", "permutation", None),
        (19, 19.0, "bootstrap", "bootstrap", 2), (19, 6.9, "bootstrap", "permutation", 3),
        (5, 5.0, "bootstrap", "bootstrap", 3), (20, 20.0, "bootstrap", "bootstrap", None),
    ],
)  # fmt: skip
def test_few_clusters(n, n_effective, asked, decides, severity) -> None:
    clusters = diagnostics.inspect_clusters(n, n_effective, requested=asked, decides=decides)
    assert [note.severity for note in clusters] == ([] if severity is None else [severity])


# Nine gains that look alike and a loss: what a right tail that nobody drew looks like, mirrored.
SKEWED = -np.array([-0.1, -0.12, -0.08, -0.11, -0.09, -0.1, -0.13, 0.02, -0.12, 0.12])


def test_what_t_shows_of_few_skewed_differences_is_told() -> None:
    even = np.tile([0.02, 0.1], 5)
    d = np.stack([SKEWED, even, SKEWED], axis=1)
    by_t = run_test("t", d).pvalue.tolist()
    assert max(by_t) < 0.05

    def told(*readings, primary="AP", factor=1.0):
        names = ("AP", "P@10", "RR")
        rows = [
            FakeRow(name, reading, p, factor * p)
            for name, reading, p in zip(names, readings, by_t, strict=True)
        ]
        return skewness_decides(d, rows, primary=primary)

    (note,) = told("better", "better", "unclear")
    assert (note.code, note.severity) == ("skewness-decides", 3)
    assert note.values["measures"] == ["AP"]
    assert note.values["skewness"] == pytest.approx(stats.skew(SKEWED))
    assert note.values["t"] == by_t[0] < 0.05 < note.values["pvalue"]
    assert told("unclear", "better", "unclear") == []
    (note,) = told("unclear", "better", "better")
    assert (note.severity, note.values["measures"]) == (2, ["RR"])
    # What an adjustment for many measures asks more of rests on skewness sooner.
    assert len(told("unclear", "better", "unclear", factor=9.0)) == 0
    # A p adjusted by draws is far from the smallest p there is: that is no share of alpha.
    sure = np.tile([0.09, 0.1, 0.1, 0.12], 5)[:, None]
    by_sure = [FakeRow("AP", "better", float(run_test("t", sure).pvalue[0]), 1e-4)]
    assert (skewness_decides(sure, by_sure), skewness_decides(d, [])) == ([], [])
    by_even = [FakeRow("AP", "better", float(run_test("t", even).pvalue[0]), 0.0)]
    assert skewness_decides(even[:, None], by_even) == []


def skewness_decides(d, rows, primary="AP") -> list[diagnostics.Note]:
    moments = (*mean_and_error(d), skewness_of(d))
    return diagnostics.inspect_skewness(moments, len(d), rows, alpha=0.05, primary=primary)
