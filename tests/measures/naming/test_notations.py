import math

import pytest

from abrank._support.errors import ArgumentError
from abrank.measures.naming.notations import (
    BETA_SQUARED,
    CUTOFFS,
    GAINS,
    LEVELS,
    MULTIPLES,
    PERSISTENCE,
    RECALLS,
    WORTHS,
)

READ = [
    (CUTOFFS, "5,10", [(5,), (10,)]),
    (CUTOFFS, "5,x", [(5,), ("x",)]),  # the measure says what is wrong with it
    (RECALLS, ".1,0.20", [(0.1,), (0.2,)]),
    (LEVELS, ".25,.5", [([0.25, 0.5],)]),
    (GAINS, "1=3.5,2=9", [({1: 3.5, 2: 9},)]),
    (BETA_SQUARED, "4,0.25,2", [(2.0,), (0.5,), (math.sqrt(2),)]),
    (BETA_SQUARED, "-1,x", [(-1,), ("x",)]),
    (PERSISTENCE, "95", [(0.95,)]),  # ranx: rbp.95
    (PERSISTENCE, "p=0.95", [(0.95,)]),  # trec_eval: rbp.p=0.95
    (PERSISTENCE, "0.95", [(0.95,)]),
    (PERSISTENCE, "p=1", [(1,)]),
    (WORTHS, "2,-1,0,0", [(2, -1, 0, 0)]),
]


@pytest.mark.parametrize(("notation", "text", "values"), READ)
def test_read(notation, text, values):
    assert notation.read(text) == values


@pytest.mark.parametrize(
    ("notation", "values", "text"),
    [
        (CUTOFFS, (10,), "10"),
        (RECALLS, (0.1,), "0.10"),
        (MULTIPLES, (2.0,), "2.00"),
        (LEVELS, ((0.0, 0.25, 1.0),), "0,.25,1"),
        (GAINS, (((1, 3.5), (2, 9.0)),), "1=3.5,2=9"),
        (BETA_SQUARED, (math.sqrt(2),), "2"),
        (PERSISTENCE, (0.95,), "p=0.95"),
        (WORTHS, (2.0, -1.0, 0.0, 0.5), "2,-1,0,0.5"),
    ],
)
def test_write(notation, values, text):
    assert notation.write(*values) == text


def test_as_many_numbers_as_parameters():
    with pytest.raises(ArgumentError, match='"1,2" should be 4 numbers'):
        WORTHS.read("1,2")
