from itertools import combinations, permutations, product

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inference import run_joint_test
from abrank.inference.systems.pairwise import find_cliques, find_groups, group_letters

BLOCKS = [
    np.array([[0.1, 0.3, 0.2], [0.5, 0.9, 0.4], [0.2, 0.2, 0.6], [0.0, 0.7, 0.1]]),
    np.array([[1, 2, 3], [2, 2, 5], [0, 1, 1]]) / 3,
    np.array([[0.1, 0.4, 0.2, 0.2], [0.3, 0.5, 0.5, 0.0], [0.2, 0.9, 0.1, 0.4]]),
    np.array([[0.2, 0.5], [0.1, 0.4], [0.3, 0.3], [0.0, 0.6], [0.4, 0.2]]),
]


def enumerated(block):
    """Largest and first difference of means under every order, as defined."""
    rows = [list(permutations(row)) for row in block.tolist()]
    means = np.array([np.mean(choice, axis=0) for choice in product(*rows)])
    return np.ptp(means, axis=1), np.abs(means[:, 0] - means[:, 1])


@pytest.mark.parametrize("block", BLOCKS, ids=["tenths", "thirds", "four", "two"])
def test_against_every_order(block):
    joint_test = run_joint_test("randomised-tukey", block, confidence=0.7)
    assert (joint_test.method, joint_test.n_resamples) == ("exact", 0)
    largest, first = enumerated(block)
    i, j = np.triu_indices(block.shape[1], 1)
    difference = np.abs(block.mean(axis=0)[j] - block.mean(axis=0)[i])[:, None] - 1e-9
    np.testing.assert_array_equal(joint_test.pvalue_adj, (largest >= difference).mean(axis=1))
    np.testing.assert_array_equal(joint_test.pvalue, (first >= difference).mean(axis=1))
    # p < .3 is to exceed the value that .3 of the orders reach.
    k = int(np.ceil(0.3 * len(largest) - 1e-9))
    critical = np.sort(largest)[-k]
    half = (joint_test.ci_high - joint_test.ci_low) / 2
    np.testing.assert_allclose(half, np.inf if critical >= largest.max() - 1e-9 else critical)


def test_drawn_orders_agree_with_all():
    block = np.random.default_rng(2).integers(0, 9, (6, 3)) / 10
    exact = run_joint_test("randomised-tukey", block, n_resamples=6**6)
    joint_test = run_joint_test("randomised-tukey", block, n_resamples=20_000, seed=5)
    assert (exact.method, joint_test.method) == ("exact", "Monte Carlo")
    for ours, true in (
        (joint_test.pvalue, exact.pvalue),
        (joint_test.pvalue_adj, exact.pvalue_adj),
    ):
        assert np.all(np.abs(ours - true) < 4 * np.sqrt(true * (1 - true) / 20_000) + 1 / 20_000)
    # (b + 1) / (m + 1): never 0, and whole steps.
    steps = joint_test.pvalue_adj * 20_001
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-8)
    assert np.all(steps >= 1)


def test_more_orders_begin_with_the_same():
    from abrank.inference.systems.pairwise import _random_orders

    numbers = np.random.default_rng(3).integers(0, 10**6, (1030, 4))
    few, is_many = (_random_orders(numbers, n, seed=4) for n in (100, 150))
    np.testing.assert_array_equal(is_many[:100], few)
    np.testing.assert_array_equal(few.sum(axis=1), numbers.sum())


def symmetric(random, n_systems, share):
    upper = np.triu(random.random((n_systems, n_systems)) < share, 1)
    return upper | upper.T


def tokens(text):
    """Split letters that were run together: a letter and its digits."""
    result: list[str] = []
    for character in text:
        if character.isdigit():
            result[-1] += character
        else:
            result.append(character)
    return set(result)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_two_share_a_letter_exactly_when_not_told_apart(share):
    random = np.random.default_rng(int(100 * share))
    for n_systems in (1, 2, 3, 7, 15):
        for _ in range(10):
            distinct = symmetric(random, n_systems, share)
            letters = [tokens(letter) for letter in group_letters(distinct)]
            assert all(letters)
            for i, j in combinations(range(n_systems), 2):
                assert bool(letters[i] & letters[j]) is not bool(distinct[i, j])


def test_no_group_can_go():
    random = np.random.default_rng(7)
    for _ in range(30):
        groups = find_groups(symmetric(random, 9, 0.5))
        for left_out in groups:
            rest = [set(group) for group in groups if group != left_out]
            held = all(any({i, j} <= group for group in rest) for i in left_out for j in left_out)
            assert not held


def test_more_than_26_groups():
    letters = group_letters(~np.eye(60, dtype=bool))
    assert (letters[:2], letters[25:28], letters[52]) == (("a", "b"), ("z", "a2", "b2"), "a3")
    assert len(set(letters)) == 60


def test_empty_and_refused():
    assert find_groups(np.zeros((0, 0), bool)) == ()
    assert group_letters(np.zeros((0, 0), bool)) == ()
    lopsided = np.zeros((2, 2), bool)
    lopsided[0, 1] = True
    for bad in (lopsided, np.eye(2, dtype=bool), np.zeros((2, 3), bool)):
        with pytest.raises(ArgumentError, match="symmetric"):
            find_groups(bad)


def test_a_bar_holds_only_pairs_that_are_not_told_apart():
    random = np.random.default_rng(9)
    for _ in range(50):
        distinct = symmetric(random, 8, 0.3)
        order = random.permutation(8).tolist()
        bars = find_cliques(order, distinct)
        for bar in bars:
            assert not any(distinct[i, j] for i, j in combinations(bar, 2))
        # Every run that could be a bar lies within one.
        for start, stop in combinations(range(9), 2):
            run = order[start:stop]
            if len(run) > 1 and not any(distinct[i, j] for i, j in combinations(run, 2)):
                assert any(set(run) <= set(bar) for bar in bars)
        assert not any(set(bar) < set(second) for bar in bars for second in bars)


def test_no_bar_runs_over_a_system_that_differs_from_one_of_its_ends():
    # First and last are not told apart, the one between differs from both (cd-diagram, issue 5).
    distinct = np.zeros((3, 3), bool)
    distinct[1, [0, 2]] = distinct[[0, 2], 1] = True
    assert (find_cliques([0, 1, 2], distinct), group_letters(distinct)) == ((), ("a", "b", "a"))
