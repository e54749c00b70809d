"""Every part asks what it says, counts what the tests say, and theory knows some of the rates."""

import numpy as np
import pytest
from scipy import stats

from abrank.inference import run_joint_test
from abrank.inference.segments import SegmentTest, answer_by_segment
from reports.studies.calibration.cells import LEVELS, Asked
from reports.studies.calibration.material import Block
from reports.studies.calibration.parts import rare_losses, systems
from reports.studies.calibration.parts.catalogue import PARTS
from reports.studies.calibration.parts.clusters import CORRELATION, MEAN_SIZE
from reports.studies.calibration.parts.part import Batch, Part, between, measure_part, outside
from tests.inference.segmented import compare_segments
from tests.studies.calibration.made import normal_material, rates

MATERIAL = normal_material()
NAMED = {part.name: part for part in PARTS}
SURE = 1e-4


def asked(name: str, n: int, replications: int) -> dict[str, dict[str, float]]:
    return rates(measure_part(NAMED[name], MATERIAL, n, replications=replications, seed=3))


def agrees(rate: float, expected: float, replications: int) -> bool:
    return stats.binomtest(round(rate * replications), replications, expected).pvalue > SURE


def batch(n: int, count: int = 30) -> Batch:
    return Batch(MATERIAL, n, count, 0, np.random.default_rng(5))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("n", [10, 30])
def test_every_part_counts(name, n) -> None:
    part = measure_part(NAMED[name], MATERIAL, n, replications=20, seed=1)
    assert part
    assert len({row["test"] for row in part}) == len(part)
    for row in part:
        assert row["replications"] == max(20 // NAMED[name].one_in, 1)
        assert all(0 <= row[key] <= row["replications"] for key in row if key != "test")
        assert row.get("false_01", 0) <= row.get("false_05", 0)
    assert ("found_large" in part[0]) <= bool(NAMED[name].power)
    again = measure_part(NAMED[name], MATERIAL, n, replications=20, seed=1)
    assert part == again


def test_replications_are_drawn_in_batches() -> None:
    visited = []

    def ask(one: Batch):
        visited.append((one.count, one.turn))
        yield Asked("made", covers=np.arange(one.count) % 2 == 0)

    part = Part("made", "queries", "", ask)
    result = measure_part(part, MATERIAL, 10, replications=205, seed=0)
    assert visited == [(100, 0), (100, 1), (5, 2)]
    assert result == [{"test": "made", "replications": 205, "covers": 103}]


def test_intervals_that_are_not_defined_neither_hold_nor_exclude() -> None:
    low, high = np.array([np.nan, -np.inf]), np.array([np.nan, np.inf])
    assert between(low, 0.0, high).tolist() == [False, True]
    assert outside(low, 0.0, high).tolist() == [False, False]


@pytest.mark.slow
def test_effects_of_normal_differences() -> None:
    """against_theory: the intervals of d_z and of Fieller are exact for normal differences."""
    result = asked("effects, a quarter more", 12, 500)
    for name in ("d_z", "relative change, Fieller"):
        assert agrees(result[name]["covers"], 0.95, 500), result[name]
    level = asked("effects, equal means", 12, 1500)["relative change, Fieller"]
    assert agrees(level["false_05"], 0.05, 1500)
    assert agrees(level["false_01"], 0.01, 1500)


@pytest.mark.slow
def test_margins_of_normal_differences() -> None:
    """against_theory: a one-sided t test at the margin is wrong in 5 %, and TOST no more often."""
    result = asked("margins", 20, 1500)
    assert agrees(result["better by more, t"]["false_05"], 0.05, 1500)
    assert result["TOST, t"]["false_05"] < 0.07
    assert result["TOST, t"]["found_large"] > 0.5


@pytest.mark.slow
def test_rare_losses_that_were_not_seen() -> None:
    """against_theory: t passes at least what has no loss, and bets pass at most 5 %."""
    n, count = 25, 40_000
    for share, loss in rare_losses.LOSSES:
        d = rare_losses.draw(share, loss, n, count, np.random.default_rng(8))
        error = d.std() / np.sqrt(d.size)
        assert abs(d.mean() + rare_losses.MARGIN) < 4.0 * error
        assert agrees(float(np.mean(d == -loss)), share, d.size)
    result = asked("rare losses", n, 4_000)
    unseen = (1.0 - 0.025) ** n
    assert agrees(result["t, 2.5 % lose 1"]["false_05"], unseen, 100)
    assert result["permutation, 2.5 % lose 1"]["false_05"] >= unseen - 0.15
    for name in ("2.5 % lose 1", "5 % lose 0.8", "10 % lose 0.5"):
        false = round(100 * result[f"bounded, {name}"]["false_05"])
        assert stats.binomtest(false, 100, 0.05, alternative="greater").pvalue > SURE
    # Queries that all have more never turn a pass.
    assert all(row["found_large"] >= row["false_05"] for row in result.values())


@pytest.mark.slow
def test_families_step_down_finds_more() -> None:
    result = asked("families", 15, 300)
    single, step = result["max-T, single step"], result["max-T, step down"]
    for key in single.keys() & step.keys():
        assert single[key] <= step[key]
    assert result["t, bonferroni"]["found_large"] <= result["t, holm"]["found_large"]
    assert result["t, hommel"]["false_05"] < 0.09


@pytest.mark.slow
def test_streams_of_normal_differences() -> None:
    """against_theory: planned looks share one level, and looks that are not paid for add up."""
    result = asked("streams", 250, 1000)
    for kind in ("spend-pocock", "spend-obrien-fleming"):
        assert agrees(result[f"t at five looks, {kind}"]["false_05"], 0.05, 1000)
    # Armitage, McPherson & Rowe (1969), table 2: five looks at 5 % find something in 14.2 %.
    assert agrees(result["t at five looks, unadjusted"]["false_05"], 0.142, 1000)
    assert result["confidence sequence"]["covers"] > 0.95


@pytest.mark.slow
def test_clusters_of_normal_differences() -> None:
    """against_theory: t by cluster is exact for one size; t by query errs by the design effect."""
    result = asked("clusters of one size", 15, 15_000)
    assert agrees(result["t, by cluster"]["false_05"], 0.05, 1500)
    assert agrees(result["t, by cluster"]["found_large"], 0.6, 1500)
    freedom = 15 * MEAN_SIZE - 1
    design = np.sqrt(1.0 + (MEAN_SIZE - 1) * CORRELATION)
    expected = 2.0 * stats.t.sf(stats.t.isf(0.025, freedom) / design, freedom)
    assert result["t, clusters ignored"]["false_05"] == pytest.approx(expected, abs=0.03)


@pytest.mark.slow
def test_systems_of_one_variance() -> None:
    """against_theory: for equal normal systems F, Tukey and Dunnett have their level."""
    result = asked("systems of one mean", 12, 600)
    for name in ("analysis of variance", "Tukey", "Dunnett"):
        assert agrees(result[name]["false_05"], 0.05, 600), name
    assert result["t, Holm"]["false_05"] < 0.09


@pytest.mark.slow
def test_differences_held_against_one_size_are_the_joint_tests() -> None:
    """against_itself: what is told apart without a p-value is what has p below the level."""
    samples = MATERIAL.many[0].draw(10, 40, np.random.default_rng(6))
    samples[:, ::2, 4] += 0.2
    message = {first.test: first for first in systems._by_size(samples)}
    for name, test, baseline in (
        ("Tukey", "tukey", None), ("Dunnett", "dunnett", 0), ("Nemenyi", "nemenyi", None),
    ):  # fmt: skip
        smallest = [
            run_joint_test(test, scores, baseline=baseline).pvalue_adj.min()
            for scores in samples.swapaxes(0, 1)
        ]
        for level, at_level in zip(LEVELS, message[name].false, strict=True):
            np.testing.assert_array_equal(at_level, np.array(smallest) < level)
    holm = [
        run_joint_test("pairwise", scores).pvalue_adj.min() for scores in samples.swapaxes(0, 1)
    ]
    np.testing.assert_array_equal(systems._holm(samples).false[0], np.array(holm) < 0.05)


def test_turned_scores_keep_ties_and_what_systems_share() -> None:
    """against_itself: every difference of a query keeps its size, and all of one change sign."""
    values = np.array([[0.0, 0.0, 0.5], [0.2, 0.3, 0.2], [0.4, 0.1, 1.0]])
    board = Block(values, np.full(3, 1.0 / 3.0))
    plain = board.draw(8, 5, np.random.default_rng(5))
    turned = systems._turned(board, batch(8, 5))
    pairs = [(0, 1), (0, 2), (1, 2)]
    before, after = (np.stack([x[..., i] - x[..., j] for i, j in pairs]) for x in (plain, turned))
    np.testing.assert_allclose(np.abs(after), np.abs(before), atol=1e-15)
    assert ((before == 0.0) == (after == 0.0)).all()
    assert {1.0, -1.0} == set(np.sign(before * after)[before != 0.0])
    signs = np.where(before == 0.0, np.nan, np.sign(before * after))
    assert (np.nanmax(signs, axis=0) == np.nanmin(signs, axis=0)).all()


@pytest.mark.slow
def test_max_t_keeps_its_level_where_it_is_chance_who_is_ahead() -> None:
    """against_theory: turned as one, the scores of a query fulfil what sign flips take for true."""
    result = asked(
        "real boards, scores turned", 12, 200 * NAMED["real boards, scores turned"].one_in
    )
    assert agrees(result["max-T, made, 5 systems"]["false_05"], 0.05, 200)


def test_segments_at_once_are_segments_alone() -> None:
    """against_itself: many samples at once are answered as one."""
    random = np.random.default_rng(7)
    parts = [MATERIAL.pairs[0].draw(n, 3, random)[:, :, 0] + 0.1 for n in (9, 8, 12)]
    at_once = answer_by_segment(parts, np.full(3, True), 0.05, SegmentTest("t"), skewed=True)
    labels = ["a"] * 9 + ["b"] * 8 + ["c"] * 12
    fields = ("pvalue", "ci_low", "ci_high", "pvalue_adj", "ci_low_adj", "ci_high_adj")
    for place, sample in enumerate(np.concatenate(parts).T):
        alone = compare_segments(sample, labels)
        for field, row in zip(fields, at_once[:, :, place], strict=True):
            # Columns are summed row by row, one column in pairs.
            np.testing.assert_allclose(getattr(alone, field), row, rtol=1e-12)


def test_segments_of_normal_differences() -> None:
    """against_theory: three independent tests at 5 % are right together in 0.95 cubed."""
    result = asked("segments", 12, 1500)
    assert agrees(result["t in each segment, unadjusted"]["covers"], 0.95**3, 1500)
    assert agrees(result["t in each segment, unadjusted"]["found_large"], 0.6, 1500)
    assert result["t allowing for skewness, Holm"]["false_05"] < 0.06


@pytest.mark.slow
def test_collections_of_normal_differences() -> None:
    """against_theory: with many queries what is common to all is kept."""
    result = asked("collections with one effect", 200, 400)
    for name in ("fixed, 5 collections", "stratified, 5 collections"):
        assert agrees(result[name]["covers"], 0.95, 100), name
    assert agrees(result["heterogeneity, Welch, 5 collections"]["false_05"], 0.05, 100)
    differ = asked("collections with different effects", 200, 400)
    assert differ["random, 5 collections"]["covers"] > 0.85
    assert agrees(differ["prediction, 20 collections"]["covers"], 0.95, 100)
    # The summary of one effect takes half the variance for all of it.
    expected = 1.0 - 2.0 * stats.norm.sf(stats.norm.isf(0.025) / np.sqrt(2.0))
    assert agrees(differ["fixed, 5 collections"]["covers"], expected, 100)
