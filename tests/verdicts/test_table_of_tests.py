"""What stands beside the test that decides, and what does not."""

import numpy as np
import pandas as pd
import pytest

from abrank import compare_scores
from abrank.report.sections.headline import agreement


@pytest.fixture
def mostly_tied():
    """158 queries, 104 of which tie: the others differ by 1, up more often than down."""
    d = np.zeros(158)
    d[:40], d[40:54] = 1.0, -1.0
    ids = [f"q{i:03}" for i in range(158)]
    return dict.fromkeys(ids, 0.0), dict(zip(ids, d.tolist(), strict=True))


def test_no_median_of_the_queries_that_differ_on_the_first_screen(mostly_tied) -> None:
    result = compare_scores(*mostly_tied)
    assert "median" not in str(result)
    assert "Hodges" not in str(result)


def test_the_tests_of_a_cost_put_the_lower_ahead() -> None:
    rng = np.random.default_rng(2)
    a = {f"q{i}": {"ms": float(value)} for i, value in enumerate(rng.random(30))}
    b = {query: {"ms": owner["ms"] - float(rng.normal(0.2, 0.1))} for query, owner in a.items()}
    frames = [pd.DataFrame.from_dict(item, orient="index") for item in (a, b)]
    result = compare_scores(*frames, lower_is_better="ms")
    assert str(result.verdict) == "better"
    assert agreement(result).startswith("All five tests are significant.")
    assert all(row.estimate < 0.0 for row in result.test_rows)


def test_a_test_that_is_significant_for_the_other_system_is_not_counted_with_the_others() -> None:
    # Many small losses and fewer large gains: the mean rises, and most queries lose.
    d = np.resize([-0.02, -0.03, -0.01, 0.2], 200)
    result = compare_scores(
        {f"q{i}": 0.5 for i in range(200)}, {f"q{i}": 0.5 + x for i, x in enumerate(d.tolist())}
    )
    (sign,) = [row for row in result.test_rows if row.test == "sign"]
    assert (result.verdict, sign.estimate < 0.0, sign.pvalue < 0.05) == ("better", True, True)
    assert "the sign test is significant for the other system" in agreement(result)
    assert not agreement(result).startswith("All")
