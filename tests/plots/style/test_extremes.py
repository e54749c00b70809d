from __future__ import annotations

import numpy as np
import pytest

from abrank.plots import deltas


@pytest.mark.parametrize("n", [60, 7000])
def test_the_three_best_and_worst_are_named(n, comparison_of):
    comparison = comparison_of(n)
    values = comparison.differences()
    order = np.argsort(values, kind="stable")
    texts = {text.get_text() for text in deltas(comparison).texts}
    for i in (*order[:3], *order[-3:]):
        shown = f"{values[i]:+.3f}".replace("-", "−")
        assert f"{comparison.query_ids[i]}  {shown}" in texts


def test_names_that_find_no_room_are_left_out(comparison_of):
    # Nearly every query loses as much as the worst: no place is free beside the bars.
    comparison = comparison_of(60, "constant", prefix="a very long name of a query, number ")
    assert not [t for t in deltas(comparison).texts if "a very long" in t.get_text()]
