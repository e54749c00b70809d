"""Every part asks what it says, counts what the tests say, and theory knows some of the rates."""

import numpy as np
import pytest

from abrank.inference.segments import SegmentTest, answer_by_segment
from reports.studies.calibration.cells import Asked
from reports.studies.calibration.material import Block
from reports.studies.calibration.parts import systems
from reports.studies.calibration.parts.catalogue import PARTS
from reports.studies.calibration.parts.part import Batch, Part, between, measure_part, outside
from tests.inference.segmented import compare_segments
from tests.studies.calibration.made import normal_material

MATERIAL = normal_material()
NAMED = {part.name: part for part in PARTS}


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
    assert part == measure_part(NAMED[name], MATERIAL, n, replications=20, seed=1)


def test_replications_are_drawn_in_batches() -> None:
    visited = []

    def ask(one: Batch):
        visited.append((one.count, one.turn))
        yield Asked("made", covers=np.arange(one.count) % 2 == 0)

    result = measure_part(Part("made", "queries", "", ask), MATERIAL, 10, replications=205, seed=0)
    assert visited == [(100, 0), (100, 1), (5, 2)]
    assert result == [{"test": "made", "replications": 205, "covers": 103}]


def test_intervals_that_are_not_defined_neither_hold_nor_exclude() -> None:
    low, high = np.array([np.nan, -np.inf]), np.array([np.nan, np.inf])
    assert between(low, 0.0, high).tolist() == [False, True]
    assert outside(low, 0.0, high).tolist() == [False, False]


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
