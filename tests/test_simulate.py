from __future__ import annotations

import numpy as np
import pytest

import abrank
from abrank.comparison.compare import compare_systems


def test_the_same_seed_gives_the_same_collection() -> None:
    one, same, other = (abrank.simulate_runs(10, rng=seed) for seed in (3, 3, 4))
    assert one.qrels.frame().equals(same.qrels.frame())
    assert one.candidate.frame().equals(same.candidate.frame())
    assert not one.qrels.frame().equals(other.qrels.frame())


def test_every_query_has_a_relevant_document_and_full_lists() -> None:
    made = abrank.simulate_runs(30, rng=1)
    found = abrank.evaluate(made.qrels, {"a": made.baseline, "b": made.candidate}, ["Judged@10"])
    np.testing.assert_array_equal(found.values, 1.0)  # the pool is deeper than 10
    assert len(made.baseline) == len(made.candidate) == 30 * 100


# Where there is an effect, the interval of 1,000 queries is far narrower than it; where there is
# none, 4,000 show half the bias that 1,000 would.
@pytest.mark.parametrize(
    ("effect", "n", "sign"), [(0.0, 4000, 0), (0.3, 1000, 1), (-0.3, 1000, -1)]
)
def test_the_effect_is_the_true_one(effect, n, sign) -> None:
    made = abrank.simulate_runs(n, effect=effect, rng=11)
    scores = abrank.evaluate(made.qrels, {"a": made.baseline, "b": made.candidate}, ["nDCG@10"])
    assert compare_systems(scores).decision.direction == sign


def test_queries_differ_in_difficulty() -> None:
    made = abrank.simulate_runs(200, rng=2)
    scores = abrank.evaluate(made.qrels, {"a": made.baseline}, ["nDCG@10"]).of("a")
    assert scores.std() > 0.15


def test_every_query_has_a_text_and_an_intent_that_change_nothing() -> None:
    made = abrank.simulate_runs(250, rng=1)
    assert list(made.topics) == list(made.intents) == list(made.qrels.query_ids)
    assert len(set(made.topics.values())) == 250
    assert set(made.intents.values()) == {"informational", "navigational", "transactional"}
    other = abrank.simulate_runs(250, rng=2)
    assert (made.topics, made.intents) == (other.topics, other.intents)
