"""What every registered test of many systems keeps to, whatever it tests."""

import numpy as np
import pytest
from scipy import stats

from abrank.inference import JOINT_TESTS, TESTS, run_joint_test, run_test

DRAWN, FIRST = {"n_resamples": 199}, {"baseline": 1}
VARIANTS = [(name, {}) for name in ("tukey", "nemenyi", "conover")]
VARIANTS += [(name, FIRST) for name in ("dunnett", "bonferroni-dunn")]
VARIANTS += [("randomised-tukey", DRAWN), ("max-t", DRAWN), ("max-t", FIRST | DRAWN)]
VARIANTS += [("conover", FIRST | {"adjust": "bh"}), ("pairwise", FIRST | {"adjust": "bonferroni"})]
VARIANTS += [("pairwise", {"test": test, **DRAWN}) for test in TESTS if test != "bounded"]
VARIANTS += [("pairwise", {"test": "bounded", "span": 4.0})]
WITHOUT_INTERVAL = {"nemenyi", "bonferroni-dunn", "conover"}
DRAWS = {"randomised-tukey", "max-t", "pairwise"}
FIELDS = ("estimate", "statistic", "pvalue", "pvalue_adj", "ci_low", "ci_high")


def identify(value):
    return value if isinstance(value, str) else "-".join(map(str, value.values())) or "plain"


every_variant = pytest.mark.parametrize(("name", "options"), VARIANTS, ids=identify)


def data_sets(n_sets):
    """Small blocks full of ties and thirds, some with identical systems, some with a clear best."""
    random = np.random.default_rng(20240608)
    for i in range(n_sets):
        n, k = int(random.integers(2, 14)), int(random.integers(2, 5))
        block = random.integers(0, 4, (n, k)) + random.integers(0, 3, (n, 1))
        block = block + np.arange(k) * int(random.integers(0, 3))
        if i % 5 == 0:
            block[:, -1] = block[:, 0]
        yield block * (0.1, 1 / 3, 0.05, 1e-4)[i % 4]


def fields(result):
    return np.stack([getattr(result, field) for field in FIELDS])


def test_every_entry_is_tried_and_described():
    assert {name for name, _ in VARIANTS} == set(JOINT_TESTS)
    for entry in JOINT_TESTS.values():
        assert entry.title
        assert entry.source
        for word in ("Estimand:", "Hypothesis:", "query pairs"):
            assert word in (entry.function.__doc__ or ""), (entry.name, word)


@pytest.mark.slow
@every_variant
def test_interval_excludes_zero_exactly_when_the_adjusted_p_is_below_alpha(name, options):
    decided = 0
    # The bounded test shows nothing of so few queries; of these it does.
    clear = np.random.default_rng(2).integers(0, 4, (60, 3)) / 4 + [0.0, 0.5, 3.0]
    for block in (*data_sets(12), clear):
        for level in (0.5, 0.95, 0.99):
            result = run_joint_test(name, block, confidence=level, **options)
            rejected = result.pvalue_adj < round(1.0 - level, 12)
            np.testing.assert_array_equal(result.distinct, rejected)
            if name in WITHOUT_INTERVAL:
                assert np.isnan(result.ci_low).all()
                assert np.isnan(result.ci_high).all()
            else:
                excludes = (result.ci_low > 0.0) | (result.ci_high < 0.0)
                np.testing.assert_array_equal(rejected, excludes, str((block, level)))
            decided += int(rejected.sum())
    assert decided > 5


@every_variant
def test_adjusted_is_never_below_plain_and_both_are_chances(name, options):
    for block in data_sets(6):
        result = run_joint_test(name, block, **options)
        names = ~np.isnan(result.pvalue)
        np.testing.assert_array_equal(np.isnan(result.pvalue_adj), ~names)
        assert np.all(result.pvalue[names] >= 0.0)
        assert np.all(result.pvalue_adj[names] <= 1.0)
        assert np.all(result.pvalue_adj[names] >= result.pvalue[names] * (1 - 1e-9))


@every_variant
def test_what_a_query_adds_to_all_systems_changes_nothing(name, options):
    random = np.random.default_rng(3)
    for block in data_sets(6):
        moved = block + random.integers(-9, 9, (len(block), 1)) / 4
        np.testing.assert_allclose(
            fields(run_joint_test(name, moved, **options)),
            fields(run_joint_test(name, block, **options)),
            rtol=1e-7, atol=1e-9,
        )  # fmt: skip


@every_variant
def test_less_is_more_turned_round(name, options):
    for block in data_sets(6):
        forth, back = (run_joint_test(name, s * block, **options) for s in (1.0, -1.0))
        np.testing.assert_allclose(back.estimate, -forth.estimate, atol=1e-9)
        np.testing.assert_allclose(back.pvalue_adj, forth.pvalue_adj, rtol=1e-7)
        np.testing.assert_allclose(back.ci_low, -forth.ci_high, atol=1e-9)


@every_variant
def test_the_order_of_systems_and_queries_changes_nothing(name, options):
    if name in DRAWS and options.get("test") in (None, "permutation", "bootstrap"):
        # Few enough for all orders and flips; the bootstrap's draw goes with the queries' order.
        options = {**options, "n_resamples": 50_000}
        blocks = [block[:5, :3] for block in data_sets(5)]
    else:
        blocks = list(data_sets(6))
    if options.get("test") == "bootstrap":
        return
    for block in blocks:
        k = block.shape[1]
        order = np.random.default_rng(5).permutation(k)
        arguments = dict(options)
        if "baseline" in arguments:
            arguments["baseline"] = int(np.flatnonzero(order == arguments["baseline"])[0])
        joint_test = run_joint_test(name, block, **options)
        test = run_joint_test(name, block[::-1, order], **arguments)
        square = test.matrix(test.pvalue_adj)
        expected = joint_test.matrix(joint_test.pvalue_adj)[np.ix_(order, order)]
        np.testing.assert_allclose(square, expected, rtol=1e-8)


@every_variant
def test_the_input_is_left_alone_and_a_seed_repeats(name, options):
    block = np.random.default_rng(6).normal(0.1, 0.3, (30, 4))
    before = block.copy()
    block.setflags(write=False)
    first, again = (run_joint_test(name, block, seed=8, **options) for _ in range(2))
    np.testing.assert_array_equal(block, before)
    np.testing.assert_array_equal(fields(first), fields(again))
    n_pairs = 3 if "baseline" in options else 6
    assert fields(first).shape == (6, n_pairs)
    assert first.n_resamples in (0, options.get("n_resamples", 0))
    if options.get("test", "") in TESTS:
        assert first.estimand == TESTS[options["test"]].estimand


# ---- the table of degenerate inputs in abrank/inference/systems.py, a test a cell


@every_variant
@pytest.mark.parametrize("n_queries", [1, 2, 7])
def test_identical_systems(name, options, n_queries):
    block = np.random.default_rng(7).integers(0, 9, (n_queries, 3)) / 10
    block[:, 2] = block[:, 1] + 1e-13
    all_equal = np.repeat(block[:, :1], 3, axis=1)
    limit = np.inf if n_queries == 1 else 0.0
    for scores, pairs in ((block, [-1]), (all_equal, slice(None))):
        result = run_joint_test(name, scores, **options)
        assert result.identical[pairs].all()
        np.testing.assert_array_equal(fields(result)[:2, pairs], 0.0)
        np.testing.assert_array_equal(fields(result)[2:4, pairs], 1.0)
        if name not in WITHOUT_INTERVAL:
            np.testing.assert_array_equal(result.ci_low[pairs], -limit)
            np.testing.assert_array_equal(result.ci_high[pairs], limit)
    assert not run_joint_test(name, block, **options).identical[0]


def test_two_systems_are_the_paired_tests():
    random = np.random.default_rng(9)
    for n in (2, 3, 12):
        block = random.integers(0, 6, (n, 2)) / 10 + [0.0, 0.1]
        d = block[:, 1] - block[:, 0]
        t, flips = run_test("t", d), run_test("permutation", d)
        for name, baseline in (("tukey", None), ("dunnett", 0), ("pairwise", None)):
            joint_test = run_joint_test(name, block, baseline=baseline)
            assert joint_test.pvalue_adj[0] == pytest.approx(t.pvalue[0], rel=1e-9, nan_ok=True)
            assert joint_test.pvalue[0] == pytest.approx(t.pvalue[0], rel=1e-9, nan_ok=True)
            assert joint_test.ci_low[0] == pytest.approx(t.ci_low[0], rel=1e-8, abs=1e-11)
        for name, baseline in (("randomised-tukey", None), ("max-t", 0), ("max-t", None)):
            joint_test = run_joint_test(name, block, baseline=baseline)
            assert joint_test.pvalue_adj[0] == pytest.approx(flips.pvalue[0], rel=1e-12)
        signs = np.sign(np.round(d, 10))
        moved = np.count_nonzero(signs)
        z = signs.sum() / np.sqrt(moved) if moved else 0.0
        for name, baseline in (("nemenyi", None), ("bonferroni-dunn", 0)):
            joint_test = run_joint_test(name, block, baseline=baseline)
            assert joint_test.pvalue_adj[0] == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)
        conover = run_joint_test("conover", block).pvalue_adj[0]
        assert conover == pytest.approx(run_test("t", signs).pvalue[0], rel=1e-9, nan_ok=True)


@pytest.mark.slow
@every_variant
def test_any_false_finding_is_as_rare_as_promised(name, options):
    """Five systems of one law, 30 queries: any pair told apart, 1,000 samples, level .05."""
    if options.get("test") == "bootstrap" or options.get("adjust") == "bh":
        pytest.skip("known to exceed the level at 30 queries, or promises another rate")
    random = np.random.default_rng(12)
    result = 0
    for _ in range(1000):
        block = random.normal(0, 0.2, (30, 1)) + random.normal(0, 0.2, (30, 5))
        result += bool(run_joint_test(name, block, **options).distinct.any())
    print(f"\n{name} {options}: {result} of 1000")
    assert result <= stats.binom.isf(0.0005, 1000, 0.05)
