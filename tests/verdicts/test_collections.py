"""Several collections: what is printed decides, and how far it speaks is said in the title."""

from dataclasses import replace

import numpy as np
import pytest

from abrank.collections import compare_collections
from abrank.plots import svg
from abrank.report import compose
from abrank.report.subjects.strata import title
from tests.report.written import whole_text


def _collection(random, n, shift, name):
    a = random.random(n) * 0.5 + 0.2
    b = a + shift + 0.1 * random.standard_normal(n)
    ids = [f"{name}{i}" for i in range(n)]
    return dict(zip(ids, a.tolist(), strict=True)), dict(zip(ids, b.tolist(), strict=True))


@pytest.fixture(scope="module")
def found():
    """Three collections, of which the first alone is better, and not once adjusted."""
    random = np.random.default_rng(11)
    collections = {name: _collection(random, 60, 0.0, name) for name in "yz"}
    collections = {"x": _collection(random, 60, 0.028, "x"), **collections}
    return compare_collections(collections, name_a="bm25", name_b="t5")


def test_the_printed_interval_is_the_one_that_decides(found) -> None:
    summary = found.primary
    row = summary.rows[0]
    assert row.ci_low > 0.0 > row.ci_low_adj
    assert row.reading == "unclear"
    table = compose(found, digits=3).scorecard
    place = [column.title for column in table.columns].index("95% interval")
    for item, cells in zip(summary.rows, table.rows, strict=False):
        low, high = (float(x.replace("−", "-")) for x in cells[place].text.split(" to "))
        assert (low, high) == pytest.approx((item.ci_low_adj, item.ci_high_adj), abs=6e-4)
        assert (low > 0.0 or high < 0.0) == (item.reading in ("better", "worse"))


def test_the_title_says_over_how_many_collections_and_on_how_many_ahead() -> None:
    random = np.random.default_rng(5)
    ahead = _collection(random, 200, 0.08, "x")
    behind = _collection(random, 30, -0.06, "y")
    collections = compare_collections({"x": ahead, "y": behind}, name_a="bm25", name_b="t5")
    sentence = "on average over these 2 collections (ahead on 1)"
    assert f"t5 is better than bm25 {sentence}" in title(collections)
    assert "on these collections" not in title(collections).split(";")[0]


def test_one_more_collection_differs_by_no_more_than_the_measure_can(found) -> None:
    wide = replace(found.primary, measure="AP", prediction_low=-1.7, prediction_high=1.4, tau=0.5)
    assert wide.prediction == (-1.0, 1.0)
    clipped = replace(found, measures=(wide,))
    meaning = compose(clipped, digits=3).headline.meaning
    assert "One more collection would have a Δ of −1.000 to +1.000" in meaning
    assert "1.7" not in whole_text(clipped) + svg("forest", clipped)
    assert found.primary.prediction == (found.primary.prediction_low, found.primary.prediction_high)
