"""Each caution comes when its condition holds, and not when it just does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from abrank import diagnostics
from abrank._support.errors import ArgumentError
from abrank.diagnostics import inspect_clusters, inspect_differences


@dataclass
class FakeTest:
    test: str
    pvalue: float
    decides: bool = False


def notes_of(differences, *, tests=(), measure="AP") -> dict[str, dict[str, Any]]:
    ids = [f"q{i}" for i in range(len(differences))]
    found = inspect_differences(
        np.asarray(differences, float), tests, alpha=0.05, query_ids=ids, measure=measure
    )
    return {note.code: dict(note.values) for note in found}


def calm(n=60) -> np.ndarray:
    """Symmetric differences around +0.02, none large, no ties."""
    return 0.02 + np.linspace(-0.1, 0.1, n)


def test_nothing_to_say() -> None:
    assert notes_of(calm()) == {}
    assert notes_of([]) == {}
    assert notes_of([0.0] * 30) == {}


@pytest.mark.parametrize(
    ("differences", "codes"),
    [
        ([], []),
        ([0.1], ["few-queries"]),
        ([0.1, 0.3], ["few-queries"]),
        ([0.0] * 8, []),
        ([0.1] * 8, ["few-queries", "constant-difference"]),
        # The sum is that of one query, which is no more than chance leaves of eight such.
        ([0.0] * 7 + [0.8], ["few-queries", "many-ties", "skewed"]),
        # Three of .3 are more than the sum of .8.
        ([-0.1] * 4 + [0.3] * 4, ["few-queries", "few-carry-the-mean"]),
    ],
)
def test_every_row_of_the_table(differences, codes) -> None:
    assert list(notes_of(differences)) == codes


@pytest.mark.parametrize("endless", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_is_refused(endless) -> None:
    with pytest.raises(ArgumentError, match="finite"):
        notes_of([0.1] * 7 + [endless])


def test_few_queries() -> None:
    assert notes_of(calm(24))["few-queries"] == {"n": 24}
    assert "few-queries" not in notes_of(calm(25))


def test_constant_difference_says_nothing_else() -> None:
    assert list(notes_of([-0.3] * 30)) == ["constant-difference"]
    assert "constant-difference" not in notes_of([-0.3])


def test_large_losses_name_the_worst() -> None:
    d = calm()
    d[[3, 7]] = -0.201, -0.5
    assert notes_of(d)["large-losses"] == {
        "count": 2, "threshold": 0.2, "query_id": "q7", "difference": -0.5,
    }  # fmt: skip
    d[[3, 7]] = -0.2
    assert "large-losses" not in notes_of(d)


def test_tests_disagree() -> None:
    apart = [FakeTest("t", 0.049), FakeTest("permutation", 0.051)]
    assert notes_of(calm(), tests=apart)["tests-disagree"] == {"t": 0.049, "permutation": 0.051}
    assert notes_of(calm(), tests=[FakeTest("t", 0.01), FakeTest("sign", 0.2)]) == {}


def test_mean_against_wins() -> None:
    # 40 small losses, 20 larger wins: the mean is up, the count is down.
    d = np.r_[np.full(40, -0.05) + np.linspace(0, 0.01, 40), np.linspace(0.13, 0.17, 20)]
    sign = FakeTest("sign", 0.01)
    assert notes_of(d, tests=[sign])["mean-against-wins"] == {"wins": 20, "losses": 40}
    # Where neither the mean nor the count is shown, that they point apart is noise.
    assert "mean-against-wins" not in notes_of(d, tests=[FakeTest("sign", 0.2)])


def test_one_query_decides() -> None:
    d = np.r_[np.tile([0.1, -0.04], 10), 0.28, np.zeros(9)]
    shown = notes_of(d, tests=[FakeTest("t", 0.04, decides=True)])
    assert shown["one-query-decides"]["query_id"] == "q20"
    assert shown["one-query-decides"]["difference"] == 0.28
    assert shown["one-query-decides"]["count"] >= 1
    # Of another test's call, of one that no query turns, and where nothing is shown: nothing.
    assert "one-query-decides" not in notes_of(d, tests=[FakeTest("t", 0.04)])
    sure = calm() + 0.2
    for data in (sure, sure - 0.22):
        assert "one-query-decides" not in notes_of(data, tests=[FakeTest("t", 0.5, decides=True)])


def test_one_query_decides_for_a_too() -> None:
    d = -np.r_[np.tile([0.1, -0.04], 10), 0.28, np.zeros(9)]
    shown = notes_of(d, tests=[FakeTest("t", 0.04, decides=True)])
    assert shown["one-query-decides"]["difference"] == -0.28


def test_a_deciding_test_that_is_not_about_the_mean() -> None:
    for name, rates in diagnostics.FALSE_FINDINGS.items():
        if name == "BCa":
            continue
        first, second = sorted(rates)[:2]
        for n, size in ((first, first), (second - 1, first), (second, second), (2000, max(rates))):
            found = notes_of(calm(n), tests=[FakeTest(name, 0.5, decides=True)])
            expected = {"test": name, "n": size, "rate": rates[size]}
            assert found["not-about-the-mean"] == expected
        few = notes_of(calm(first - 1), tests=[FakeTest(name, 0.5, decides=True)])
        assert "not-about-the-mean" not in few
    aside = notes_of(calm(), tests=[FakeTest("t", 0.5, decides=True), FakeTest("sign", 0.01)])
    assert "not-about-the-mean" not in aside


def test_intervals_known_to_be_too_short() -> None:
    def found(n: int, decisive: float, *others: float) -> dict[str, dict[str, Any]]:
        shown = [FakeTest("bootstrap", p) for p in (0.2, *others)]
        return notes_of(calm(n), tests=[FakeTest("t", decisive, decides=True), *shown])

    rates = diagnostics.FALSE_FINDINGS["BCa"]
    for n, size in ((6, 10), (24, 10), (99, 50), (100, 100)):
        values = found(n, 0.06, 0.07, 0.04)["short-intervals"]
        assert values == {"n": n, "size": size, "rate": rates[size]}
    assert "short-intervals" not in found(101, 0.06, 0.04)
    assert "short-intervals" not in found(24, 0.04, 0.04)
    assert "short-intervals" not in found(24, 0.06, 0.06)


@pytest.mark.parametrize(("n", "severity"), [(5, 3), (6, 2), (19, 2), (20, None)])
def test_few_clusters(n, severity) -> None:
    found = inspect_clusters(n)
    assert [note.severity for note in found] == ([] if severity is None else [severity])


def test_many_ties() -> None:
    d = calm(50)
    d[10:21] = 0.0
    assert notes_of(d)["many-ties"] == {"count": 11, "n": 50, "share": 0.22}
    d[20] = 0.01
    assert "many-ties" not in notes_of(d)


def test_skewed_and_carried_by_few() -> None:
    d = calm(40) * 0.1
    d[:3] = 0.19
    found = notes_of(d)
    assert found["skewed"]["skew"] > 1
    assert 0.5 < found["few-carry-the-mean"]["share"] < 1


@pytest.mark.parametrize(("measure", "said"), [("RR", True), ("P@10", True), ("AP", False)])
def test_discrete_measure(measure, said) -> None:
    assert ("discrete-measure" in notes_of(calm(), measure=measure)) is said


def test_a_score_of_the_users_own_is_no_measure() -> None:
    assert "large-losses" not in notes_of([-0.5, *calm()], measure="latency")
    assert "discrete-measure" not in notes_of(calm(), measure="latency")
