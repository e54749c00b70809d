import numpy as np
import pytest

import abrank
from abrank.comparison.compare import compare_recorded
from abrank.options import Question


def test_the_same_seed_gives_the_same_collection() -> None:
    first, same, second = (abrank.simulate_runs(10, rng=seed) for seed in (3, 3, 4))
    assert first.qrels.frame().equals(same.qrels.frame())
    assert first.candidate.frame().equals(same.candidate.frame())
    assert not first.qrels.frame().equals(second.qrels.frame())


def test_every_query_has_a_relevant_document_and_full_lists() -> None:
    collection = abrank.simulate_runs(30, rng=1)
    scores = abrank.evaluate(
        collection.qrels, {"a": collection.baseline, "b": collection.candidate}, ["Judged@10"]
    )
    np.testing.assert_array_equal(scores.values, 1.0)  # the pool is deeper than 10
    assert len(collection.baseline) == len(collection.candidate) == 30 * 100


# Where there is an effect, the interval of 1,000 queries is far narrower than it; where there is
# none, 4,000 show half the bias that 1,000 would.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("effect", "n", "sign"), [(0.0, 4000, 0), (0.3, 1000, 1), (-0.3, 1000, -1)]
)
def test_the_effect_is_the_true_one(effect, n, sign) -> None:
    collection = abrank.simulate_runs(n, effect=effect, rng=11)
    scores = abrank.evaluate(
        collection.qrels, {"a": collection.baseline, "b": collection.candidate}, ["nDCG@10"]
    )
    assert compare_recorded(scores, Question()).decision.direction == sign


@pytest.mark.slow
def test_every_query_has_a_text_and_an_intent_that_change_nothing() -> None:
    collection = abrank.simulate_runs(250, rng=1)
    assert list(collection.topics) == list(collection.intents) == list(collection.qrels.query_ids)
    assert len(set(collection.topics.values())) == 250
    assert set(collection.intents.values()) == {"informational", "navigational", "transactional"}
    second = abrank.simulate_runs(250, rng=2)
    assert (collection.topics, collection.intents) == (second.topics, second.intents)
