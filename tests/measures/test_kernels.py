"""The tests of ``abrank/measures/kernels.py``."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abrank._support.errors import ArgumentError
from abrank.inputs.judged import JudgedRun
from abrank.measures.definitions.diversity import alpha_dcg, alpha_ndcg
from abrank.measures.kernels import OVER_GREEDY, Aspects, rate_of_gain


def test_grades_beyond_the_scale_count_as_its_ends():
    judged = JudgedRun.from_grades([[9], [3], [2], [1], [-1]])
    got = rate_of_gain(judged, lambda seen: seen.rank, cutoff=1, min_rel=1, max_rel=3)
    assert got.tolist() == [1.0, 1.0, 0.5, 0.0, 0.0]


@pytest.mark.parametrize(("parameters", "message"), [
    ({"min_rel": -1, "max_rel": 1}, "min_rel must be a whole number of at least 0"),
    ({"min_rel": 1, "max_rel": 1}, "max_rel must be a whole number of at least 2"),
    ({"min_rel": 0, "max_rel": 1, "cutoff": 0}, "cutoff must be"),
])  # fmt: skip
def test_scales_and_cutoffs_without_meaning(parameters, message):
    with pytest.raises(ArgumentError, match=message):
        rate_of_gain(JudgedRun.from_grades([[1]]), lambda seen: seen.rank, **parameters)


DOCUMENT = st.dictionaries(st.sampled_from("abcd"), st.integers(0, 2), min_size=1)
POOL = st.lists(DOCUMENT, min_size=1, max_size=5)
ALPHA = st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0])


def log2(rank):
    return 1.0 / np.log2(rank + 1.0)


def gain(documents, alpha):
    """The definition, document by document."""
    total, fromkeys = 0.0, dict.fromkeys("abcdef", 0)
    for rank, document in enumerate(documents, 1):
        for subtopic, grade in (document or {}).items():
            if grade >= 1:
                total += (1 - alpha) ** fromkeys[subtopic] / np.log2(rank + 1)
                fromkeys[subtopic] += 1
    return total


@pytest.mark.slow
@settings(max_examples=50)
@given(POOL, ALPHA)
def test_ideal_is_close_to_the_best_of_all_orders(pool, alpha) -> None:
    # against_theory: greedy is one of the orders, and no order beats it by more than e / (e - 1)
    best = max(gain(order, alpha) for order in itertools.permutations(pool))
    aspects = Aspects.of(JudgedRun.from_subtopics([[]], missed=[pool]), rel=1)
    greedy = aspects.ideal_gain(log2, alpha=alpha, cutoff=None)[0]
    assert best / OVER_GREEDY - 1e-12 <= greedy <= best + 1e-12


def test_equal_gains_are_a_tie_however_they_are_summed() -> None:
    # Below the first document b, c and e gain 0.4, a and d 1. So the second gains 1 + 0.4 + 0.4 and
    # the third 0.4 + 0.4 + 1, which numpy makes less by the last bit: still a tie, and the later
    # one goes first. It leaves a to the fourth.
    second, third = np.add.reduceat([1, 0.4, 0.4, 0.4, 0.4, 1], [0, 3])
    assert third < second
    pool = [dict.fromkeys(subtopics, 1) for subtopics in ("bcef", "abc", "bcd", "ae")]
    aspects = Aspects.of(JudgedRun.from_subtopics([pool]), rel=1)
    ideal_gain = aspects.ideal_gain(log2, alpha=0.6, cutoff=3)
    assert ideal_gain == pytest.approx([gain([pool[0], pool[2], pool[3]], 0.6)])


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
