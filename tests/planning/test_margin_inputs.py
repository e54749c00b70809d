"""What a margin cannot be found from."""

from __future__ import annotations

import numpy as np
import pytest

import abrank
from abrank._support.errors import ArgumentError

A = np.linspace(0.1, 0.9, 20)


@pytest.mark.parametrize(
    ("a", "how", "said"),
    [
        (np.zeros((2, 2, 2)), {}, "takes the scores of a query and a run at least"),
        ([], {}, "takes the scores of a query and a run at least"),
        (A, {"b": A[:5]}, r"b has the shape \(5,\), and A has 20 queries"),
        ([0.5, np.nan], {}, "a score is not finite"),
        (A, {"b": A + np.inf}, "a score is not finite"),
        (A, {"b": A + 0.1, "sd": 0.2}, "the spread comes from b or from sd, not from both"),
    ],
)
def test_scores_that_give_no_margin_are_refused(a, how, said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        abrank.suggest_margins(a, **how)
