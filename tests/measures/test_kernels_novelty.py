"""The gain that fades, and the greedy ideal, against the definition and every order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.diversity import alpha_dcg, alpha_ndcg
from abrank.measures.kernels import OVER_GREEDY, Aspects

DOCUMENT = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 2), min_size=1)
POOL = st.lists(DOCUMENT, min_size=1, max_size=5)
ALPHA = st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0])


def log2(rank):
    return 1.0 / np.log2(rank + 1.0)


def gain(documents, alpha):
    """The definition, document by document."""
    total, seen = 0.0, dict.fromkeys("abcdef", 0)
    for rank, document in enumerate(documents, 1):
        for subtopic, grade in (document or {}).items():
            if grade >= 1:
                total += (1 - alpha) ** seen[subtopic] / np.log2(rank + 1)
                seen[subtopic] += 1
    return total


@given(st.lists(st.none() | DOCUMENT, max_size=8), ALPHA, st.none() | st.integers(1, 8))
def test_gain_against_a_plain_loop(ranking, alpha, cutoff) -> None:
    aspects = Aspects.of(JudgedRun.from_subtopics([[], ranking]), rel=1)
    found = aspects.gain(log2, alpha=alpha, cutoff=cutoff)
    assert found == pytest.approx([0.0, gain(ranking[:cutoff], alpha)], abs=1e-12)


@settings(max_examples=50)
@given(POOL, ALPHA)
def test_ideal_is_close_to_the_best_of_all_orders(pool, alpha) -> None:
    # against_theory: greedy is one of the orders, and no order beats it by more than e / (e - 1)
    best = max(gain(order, alpha) for order in itertools.permutations(pool))
    aspects = Aspects.of(JudgedRun.from_subtopics([[]], missed=[pool]), rel=1)
    greedy = aspects.ideal_gain(log2, alpha=alpha, cutoff=None)[0]
    assert best / OVER_GREEDY - 1e-12 <= greedy <= best + 1e-12


def test_a_ranking_can_exceed_the_greedy_ideal() -> None:
    # All three gain 2 alone; the tie takes the last, which leaves 3/2 for either of the others.
    # The first and the last together would have 4.
    judged = JudgedRun.from_subtopics([[{"a": 1, "b": 1}, {"c": 1, "d": 1}, {"b": 1, "c": 1}]])
    third = 1 + 0.5**1  # rank 2 of the ideal ranking: one new subtopic, one seen
    expected = (2 + 2 / np.log2(3)) / (2 + third / np.log2(3))
    assert alpha_ndcg(judged, cutoff=2) == pytest.approx([expected])
    assert expected > 1


def test_equal_gains_are_a_tie_however_they_are_summed() -> None:
    # Below the first document b, c and e gain 0.4, a and d 1. So the second gains 1 + 0.4 + 0.4 and
    # the third 0.4 + 0.4 + 1, which numpy makes less by the last bit: still a tie, and the later
    # one goes first. It leaves a to the fourth.
    second, third = np.add.reduceat([1, 0.4, 0.4, 0.4, 0.4, 1], [0, 3])
    assert third < second
    pool = [dict.fromkeys(subtopics, 1) for subtopics in ("bcef", "abc", "bcd", "ae")]
    aspects = Aspects.of(JudgedRun.from_subtopics([pool]), rel=1)
    found = aspects.ideal_gain(log2, alpha=0.6, cutoff=3)
    assert found == pytest.approx([gain([pool[0], pool[2], pool[3]], 0.6)])


@given(st.lists(st.tuples(POOL, POOL), min_size=1, max_size=4), ALPHA)
def test_queries_do_not_touch_one_another(queries, alpha) -> None:
    def value(chosen):
        judged = JudgedRun.from_subtopics(
            [ranking for ranking, _ in chosen], missed=[missed for _, missed in chosen]
        )
        return alpha_ndcg(judged, alpha=alpha).tolist()

    assert value(queries) == [value([query])[0] for query in queries]


def test_subtopics_without_a_relevant_document_do_not_count() -> None:
    judged = JudgedRun.from_subtopics([[{"a": 1, "b": 0}], [{"a": 0}]])
    assert Aspects.of(judged, rel=1).n_subtopics.tolist() == [1, 0]
    assert alpha_dcg(judged, cutoff=1).tolist() == [1.0, 0.0]


def test_what_has_no_meaning_is_refused() -> None:
    judged = JudgedRun.from_subtopics([[{"a": 1}]])
    with pytest.raises(ArgumentError, match=r"alpha must be from 0 to 1, not 1\.5"):
        alpha_ndcg(judged, alpha=1.5)
    with pytest.raises(ArgumentError, match="rel must be"):
        alpha_ndcg(judged, rel=0)
    with pytest.raises(ArgumentError, match="cutoff must be"):
        alpha_dcg(judged, cutoff=0)
    with pytest.raises(ArgumentError, match="not by subtopic"):
        alpha_ndcg(JudgedRun.from_grades([[1]]))
