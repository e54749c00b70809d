"""A measure of the user's own, from the decorator to the report."""

import numpy as np
import pytest

import abrank
from abrank.measures import catalogue, parse


@pytest.fixture
def made():
    return abrank.simulate_runs(30, rng=5)


def test_own_measure_is_scored_and_compared_by_its_name(own_catalogue, made):
    @abrank.measure("Mine")
    def mine(judged, *, cutoff=None):
        """Relevant documents above the cut-off."""
        counted = (judged.grade > 0) & (judged.rank <= (cutoff or np.inf))
        return np.bincount(judged.query[counted], minlength=judged.n_queries).astype(float)

    result = abrank.compare(
        made.qrels, made.baseline, made.candidate, measures=["mine@10", "P@10"],
        config=abrank.Question(primary="Mine@10"),
    )  # fmt: skip
    custom, names = result.rows
    assert (custom.measure, names.measure) == ("Mine@10", "P@10")
    assert custom.mean_b == pytest.approx(10 * names.mean_b)
    assert custom.pvalue == pytest.approx(names.pvalue)
    assert catalogue()["Mine"].bounds == (-np.inf, np.inf)
    assert catalogue()["Mine"].higher_is_better


@pytest.mark.slow
def test_own_measure_of_which_less_is_better(own_catalogue):
    @abrank.measure("Loss", higher_is_better=False)
    def loss(judged, *, cutoff=None):
        """What is missing to a reciprocal rank of 1."""
        return 1.0 - parse("RR")(judged)

    collection = abrank.simulate_runs(150, rng=6)
    by_loss, by_rr = (
        abrank.compare(collection.qrels, collection.baseline, collection.candidate, measures=[name])
        for name in ("Loss", "RR")
    )
    assert not by_loss.rows[0].higher_is_better
    assert by_loss.mean_difference == pytest.approx(-by_rr.mean_difference)
    assert by_loss.rows[0].wins == by_rr.rows[0].wins
    assert str(by_rr.verdict) == str(by_loss.verdict) == "better"
