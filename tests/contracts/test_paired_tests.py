"""What every registered paired test keeps to, whatever it tests."""

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inference import TESTS, run_test

VARIANTS = [
    ("t", {}), ("sign", {}), ("hall", {}), ("bounded", {"span": 2.0}), ("permutation", {}),
    ("permutation", {"method": "monte-carlo", "n_resamples": 199}),
    ("permutation", {"method": "monte-carlo", "n_resamples": 4095}),
    ("wilcoxon", {"method": "exact"}), ("wilcoxon", {"method": "asymptotic"}),
    ("bootstrap", {"n_resamples": 199}),
]  # fmt: skip
# Tests whose p is NaN where the differences are one value: it is judged by their spread.
NEEDS_SPREAD = ("t", "hall", "bootstrap")
ALTERNATIVES = ("two-sided", "greater", "less")
# 199 resamples give p in steps of 1/200, so that levels are met exactly.
LEVELS = (0.5, 0.9, 0.95, 0.99)
FIELDS = ("estimate", "statistic", "pvalue", "ci_low", "ci_high")


def draws(options):
    """Whether the variant draws at random: those that do are told how often."""
    return "n_resamples" in options


def identify(value):
    return value if isinstance(value, str) else "-".join(map(str, value.values()))


every_variant = pytest.mark.parametrize(("name", "options"), VARIANTS, ids=identify)


def data_sets(n_sets):
    """Small samples full of ties, zeros and thirds; means on either side of 0, and 0."""
    random = np.random.default_rng(20240607)
    for i in range(n_sets):
        n = int(random.integers(2, 26))
        step = (0.1, 1 / 3, 0.05, 1e-4)[i % 4]
        drift = int(random.integers(-3, 2))
        yield random.integers(drift, drift + 5, n) * step


def tables(n_sets):
    """The same samples, those of one length as columns of one table: one call tests them all."""
    of_length = {}
    for d in data_sets(n_sets):
        of_length.setdefault(len(d), []).append(d)
    return [np.column_stack(samples) for samples in of_length.values()]


def fields(result):
    return np.stack([getattr(result, field) for field in FIELDS])


def test_every_entry_is_tried_and_described():
    assert {name for name, _ in VARIANTS} == set(TESTS)
    for entry in TESTS.values():
        assert entry.title
        assert entry.source
        for word in ("Estimand:", "Hypothesis:", "pairs"):
            assert word in (entry.function.__doc__ or ""), (entry.name, word)


@pytest.mark.parametrize("n_sets", [60, pytest.param(200, marks=pytest.mark.slow)])
@every_variant
def test_interval_excludes_zero_exactly_when_p_is_below_alpha(name, options, n_sets):
    decided = 0
    for d in tables(n_sets):
        # All levels of every sample at once, a column each.
        levels = np.repeat(LEVELS, d.shape[1])
        for alternative in ALTERNATIVES:
            result = run_test(
                name, np.tile(d, len(LEVELS)), alternative=alternative, confidence=levels, **options
            )
            rejected = result.pvalue < np.round(1 - levels, 12)
            np.testing.assert_array_equal(rejected, result.excludes_zero, str((d, alternative)))
            decided += int(rejected.sum())
    # The law would hold of a test that never rejects, too.
    assert n_sets / 2 < decided < n_sets * len(ALTERNATIVES) * len(LEVELS)


@every_variant
def test_a_confidence_of_one_asks_for_the_pvalue_alone(name, options):
    random = np.random.default_rng(11)
    d = np.column_stack([random.integers(-3, 5, 23) / 10, np.zeros(23), np.full(23, 0.1)])
    for alternative in ALTERNATIVES:
        requested = {"alternative": alternative, **options}
        alone, whole = (run_test(name, d, confidence=level, **requested) for level in (1.0, 0.95))
        for field in ("estimate", "statistic", "pvalue"):
            np.testing.assert_array_equal(getattr(alone, field), getattr(whole, field))
        assert np.isneginf(alone.ci_low).all()
        assert np.isposinf(alone.ci_high).all()
    with pytest.raises(ArgumentError, match="between 0 and 1"):
        run_test(name, d, confidence=1.1, **options)


@pytest.mark.slow
@every_variant
def test_intervals_hold_the_estimate_and_one_sided_ones_have_no_end(name, options):
    for d in tables(40):
        for alternative in ALTERNATIVES:
            result = run_test(name, d, alternative=alternative, **options)
            if alternative != "two-sided":
                end = result.ci_high if alternative == "greater" else -result.ci_low
                assert (end == np.inf).all()
            # A quantile of skewed resamples need not hold the estimate.
            elif name != "bootstrap":
                assert (result.ci_low - 1e-9 <= result.estimate).all()
                assert (result.estimate <= result.ci_high + 1e-9).all()


@pytest.mark.slow
@every_variant
def test_swapping_the_systems_swaps_the_answer(name, options):
    for d in tables(40):
        forth, back = run_test(name, d, **options), run_test(name, -d, **options)
        assert back.estimate == pytest.approx(-forth.estimate, abs=1e-12)
        assert back.pvalue == pytest.approx(forth.pvalue, rel=1e-9, nan_ok=True)
        assert back.ci_low == pytest.approx(-forth.ci_high, abs=1e-9)
        greater = run_test(name, d, alternative="greater", **options)
        less = run_test(name, -d, alternative="less", **options)
        assert greater.pvalue == pytest.approx(less.pvalue, rel=1e-9, nan_ok=True)


@every_variant
def test_other_columns_change_nothing(name, options):
    d = np.round(np.random.default_rng(3).normal(0.05, 0.2, (40, 6)), 2)
    d[:, 2] = 0.0
    together = fields(run_test(name, d, **options))
    for column in range(6):
        alone = fields(run_test(name, d[:, column], **options))
        np.testing.assert_array_equal(together[:, [column]], alone)


@every_variant
def test_the_order_of_the_queries_changes_nothing_but_the_draw(name, options):
    d = np.round(np.random.default_rng(4).normal(0.1, 0.3, 11), 2)
    exact = not draws(options) or options["n_resamples"] >= 2**11
    arguments = options if exact else {**options, "n_resamples": 9_999}
    first, second = (run_test(name, order, **arguments) for order in (d, d[::-1]))
    if exact:
        np.testing.assert_allclose(fields(first), fields(second), rtol=1e-12)
    else:
        # Two draws of 9,999: four standard errors of their difference; limits in scores.
        assert abs(first.pvalue[0] - second.pvalue[0]) < 4 * np.sqrt(2 * 0.25 / 9_999)
        assert fields(first)[3:] == pytest.approx(fields(second)[3:], abs=0.05)


@every_variant
def test_the_input_is_left_alone_and_a_seed_repeats(name, options):
    d = np.round(np.random.default_rng(6).normal(0.1, 0.3, (30, 2)), 2)
    before = d.copy()
    d.setflags(write=False)
    first, again = (run_test(name, d, seed=8, **options) for _ in range(2))
    test = run_test(name, d, seed=9, **options)
    np.testing.assert_array_equal(d, before)
    np.testing.assert_array_equal(fields(first), fields(again))
    assert np.array_equal(fields(first), fields(test)) == (not draws(options))
    assert first.n_resamples == options.get("n_resamples", 0)


@every_variant
def test_the_shape_of_the_answer(name, options):
    for n_columns in (0, 1, 3):
        result = run_test(name, np.ones((4, n_columns)) * 0.1, **options)
        assert fields(result).shape == (5, n_columns)
        assert result.n_queries == 4
        assert result.test == name
        assert result.estimand == TESTS[name].estimand
        assert result.method in {"closed form", "exact", "Monte Carlo", "normal approximation"}


@pytest.mark.slow
@every_variant
def test_the_level_is_kept_on_symmetric_differences(name, options):
    """Type I error at .05, 2,000 samples of 30: within the 99.9 % binomial band, or below it."""
    from scipy import stats

    d = np.random.default_rng(12).normal(0.0, 0.2, (30, 2000))
    arguments = {**options, "n_resamples": 999} if draws(options) else options
    rejected = int((run_test(name, d, **arguments).pvalue < 0.05).sum())
    assert rejected <= stats.binom.isf(0.0005, 2000, 0.05)
    # Discrete laws and the +1 of a resampling test stay below the level, but not far: only the
    # bound that holds for all scores between known limits is wide for small differences.
    if name == "bounded":
        assert rejected == 0
        return
    assert rejected >= stats.binom.ppf(0.0005, 2000, 0.03)
