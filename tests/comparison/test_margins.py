"""Measures that share an axis: by their declared ranges, a user's own by their scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from abrank.comparison import compare_scores
from abrank.comparison.margins import shares_scale
from abrank.options import Question


def shared(primary: str, other: str, *, own: float = 0.5) -> bool:
    """Whether ``other``, with scores up to ``own``, shares the scale of ``primary``."""
    random = np.random.default_rng(1)
    a, b = (pd.DataFrame({primary: random.random(9), other: own * random.random(9)}) for _ in "ab")
    return shares_scale(compare_scores(a, b, config=Question(primary=primary)), other)


@pytest.mark.parametrize(
    ("primary", "other", "expected"),
    [
        ("AP", "nDCG@10", True),
        ("AP", "alpha_nDCG@10", True),
        ("alpha_nDCG@10", "AP", True),
        ("AP", "GMAP", False),
        ("AP", "NumRelRet", False),
        ("NumRelRet", "AP", False),
        ("NumRelRet", "NumRet", True),
        ("AP", "NumQ", False),
    ],
)
def test_declared_ranges(primary: str, other: str, expected: bool) -> None:
    assert shared(primary, other) is expected


@pytest.mark.parametrize(("own", "expected"), [(0.5, True), (1.5, True), (90.0, False)])
def test_a_users_own_measure_by_its_scores(own: float, expected: bool) -> None:
    assert shared("AP", "my score", own=own) is expected


def test_without_queries_a_users_own_measure_runs_from_0_to_1() -> None:
    assert shares_scale(compare_scores({}, {}), "score")
