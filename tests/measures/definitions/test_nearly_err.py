import pytest

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.nearly_err import (
    nearly_err_8,
    nearly_err_9,
    nearly_err_10,
    nearly_err_11,
)

# gains 1/2, 0, 1: half of the readers stop at rank 1, all others at rank 3
JUDGED = JudgedRun.from_grades([[1, 0, 2, 2]])


def test_equation_8_by_hand():
    # looks at the ranks: 1, 1/2, 1/2, none; cut at 2 they are 1, 1/2
    assert nearly_err_8(JUDGED, cutoff=4, max_rel=2) == pytest.approx([(0.5 + 0.5) / 2])
    assert nearly_err_8(JUDGED, cutoff=2, max_rel=2) == pytest.approx([0.5 / 1.5])


def test_equation_9_by_hand():
    # looks at the ranks: 1, half of 1/2, half of 1/3, none
    assert nearly_err_9(JUDGED, cutoff=4, max_rel=2) == pytest.approx(
        [(0.5 + 1 / 6) / (1 + 1 / 4 + 1 / 6)]
    )


def test_equation_10_by_hand():
    # looks at the ranks: 1, half of p, half of p squared, none
    assert nearly_err_10(JUDGED, p=0.8, max_rel=2) == pytest.approx(
        [(0.5 + 0.64 / 2) / (1 + 0.8 / 2 + 0.64 / 2)]
    )


def test_equation_11_by_hand():
    # T = 1: C without gain is (2/3)**2, (3/4)**2, so W = 1, 4/9 / 2, 1/4 / 2, 0
    assert nearly_err_11(JUDGED, max_rel=2) == pytest.approx([(0.5 + 1 / 8) / (1 + 2 / 9 + 1 / 8)])


def test_persistence_and_hope_without_meaning():
    with pytest.raises(ArgumentError, match="p must lie between 0 and 1"):
        nearly_err_10(JUDGED, p=1.0, max_rel=2)
    with pytest.raises(ArgumentError, match="T must be above 0"):
        nearly_err_11(JUDGED, T=-1.0, max_rel=2)
