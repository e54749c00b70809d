import numpy as np
import pytest

from abrank._support.errors import ArgumentError, UnknownNameError
from abrank.inference import TESTS, run_test
from abrank.inference.registry import PairedTest, as_alpha, paired_test
from tests.contracts.test_paired_tests import NEEDS_SPREAD


@pytest.mark.every_case
@pytest.mark.parametrize("name", list(TESTS))
def test_no_query_one_query_and_no_difference(name):
    none = run_test(name, np.empty((0, 2)))
    assert np.isnan([none.estimate, none.statistic, none.pvalue, none.ci_low, none.ci_high]).all()
    assert (none.pvalue.shape, none.n_queries) == ((2,), 0)
    for value in (0.1, -0.1):
        one = run_test(name, [value])
        assert (one.ci_low[0], one.ci_high[0]) == (-np.inf, np.inf)
        assert one.estimate[0] == pytest.approx(np.sign(value) if name == "sign" else value)
        assert np.isnan(one.pvalue[0]) if name in NEEDS_SPREAD else one.pvalue[0] == 1.0
    same = run_test(name, np.zeros(10))
    assert (same.estimate[0], same.statistic[0], same.pvalue[0]) == (0.0, 0.0, 1.0)
    assert (same.ci_low[0], same.ci_high[0]) == (0.0, 0.0)
    assert run_test(name, np.zeros(10), alternative="greater").ci_high[0] == np.inf
    assert run_test(name, np.zeros(10), alternative="less").ci_low[0] == -np.inf


def test_every_column_has_its_own_level():
    d = np.random.default_rng(5).normal(0.1, 0.3, (30, 1)) * np.ones(3)
    for name in TESTS:
        result = run_test(name, d, confidence=np.array([0.8, 0.95, 0.99]))
        assert np.all(np.diff(result.ci_high - result.ci_low) > 0)
        assert np.ptp(result.pvalue) == 0.0
        assert result.ci_low[2] == run_test(name, d[:, 0], confidence=0.99).ci_low[0]
        assert result.confidence == pytest.approx([0.8, 0.95, 0.99])


def test_alpha_is_a_decimal():
    assert as_alpha(0.95, 1)[0] == 0.05
    assert as_alpha(1 - 1e-13, 1)[0] > 0


@pytest.mark.every_case
@pytest.mark.parametrize(("arguments", "message"), [
    ({"differences": [0.1, np.inf]}, "row 1, column 0 is inf"),
    ({"differences": [1e101]}, "up to 1e\\+100"),
    ({"differences": ["a", "b"]}, "array of numbers"),
    ({"differences": [[1.0], [1.0, 2.0]]}, "array of numbers"),
    ({"differences": np.zeros((2, 2, 2))}, "not 3"),
    ({"differences": 0.1}, "not 0"),
    ({"confidence": 1.5}, "confidence"),
    ({"confidence": float("nan")}, "confidence"),
    ({"confidence": np.array([0.9, 0.9])}, "each of 1 comparisons"),
    ({"seed": -1}, "seed"),
    ({"n_resamples": 0}, "n_resamples"),
    ({"method": "exact"}, "test t has no option 'method'; its own: none"),
])  # fmt: skip
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ArgumentError, match=message):
        run_test("t", arguments.pop("differences", [0.1, 0.2]), **arguments)


@pytest.mark.parametrize(("name", "options", "nearest"), [
    ("wilcoxn", {}, "wilcoxon"),
    ("t", {"alternative": "two_sided"}, "two-sided"),
    ("wilcoxon", {"method": "asymtotic"}, "asymptotic"),
])  # fmt: skip
def test_unknown_names_come_with_the_nearest(name, options, nearest):
    with pytest.raises(UnknownNameError, match=f"did you mean {nearest}"):
        run_test(name, [0.1, 0.2, 0.4], **options)


def test_a_new_test_is_registered_and_run_unchanged():
    def median(differences, *, alternative, alpha):
        from abrank.inference import Answer

        zero = np.zeros(differences.shape[1])
        return Answer(np.median(differences, axis=0), zero, zero + 1, zero, zero, "exact")

    decorate = paired_test("median of ours", title="Median", estimand="median", source="here")
    try:
        assert decorate(median) is median
        assert isinstance(TESTS["median of ours"], PairedTest)
        assert run_test("median of ours", [0.1, 0.2, 0.6]).estimate[0] == 0.2
    finally:
        del TESTS._entries["median of ours"]
