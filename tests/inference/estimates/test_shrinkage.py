"""What a repetition would show: right on average, and its intervals hold it."""

from __future__ import annotations

import numpy as np
import pytest

from abrank._support.errors import ArgumentError
from abrank.inference.estimates.shrinkage import expected_again, predict_repetition


def test_intervals_hold_a_repetition_and_its_gain_is_not_inflated() -> None:
    rng = np.random.default_rng(7)
    held, ours, plain = [], [], []
    for _ in range(300):
        effects = rng.normal(0.0, 0.01, 20)
        errors = np.full(20, 0.02)
        # One baseline: half of the variance of each error is common to all.
        luck, luck_again = rng.normal(0, 0.02 * np.sqrt(0.5), 2)
        own = rng.normal(0, 0.02 * np.sqrt(0.5), (2, 20))
        seen, again = effects + luck + own[0], effects + luck_again + own[1]
        best = int(np.argmax(seen))
        predicted = predict_repetition(seen, errors, best)
        held.append(predicted.low <= again[best] <= predicted.high)
        ours.append(predicted.expected - effects[best])
        plain.append(seen[best] - effects[best])
        assert predicted.expected == pytest.approx(expected_again(seen, errors)[best])
    assert 0.92 < np.mean(held) < 0.99
    assert np.mean(plain) > 0.015
    assert abs(np.mean(ours)) < 0.005


def test_on_halves_of_real_topics_intervals_hold_the_other_half(shared_data) -> None:
    scores = np.loadtxt(shared_data / "urbano" / "adhoc7_ap.csv", delimiter=",", skiprows=1)
    n, n_systems = scores.shape
    means, rng = scores.mean(axis=0), np.random.default_rng(1)
    held, ours, plain = [], [], []
    for _ in range(60):
        one, other = np.array_split(rng.permutation(n), 2)
        base = rng.integers(n_systems)
        near = np.argsort(abs(means - means[base]))[1:41]
        differences = scores[:, rng.choice(near, 12, replace=False)] - scores[:, [base]]
        seen, truth = differences[one].mean(axis=0), differences[other].mean(axis=0)
        errors = differences[one].std(axis=0, ddof=1) / np.sqrt(len(one))
        for place in range(12):
            again = predict_repetition(seen, errors, place, freedom=len(one) - 1)
            held.append(again.low <= truth[place] <= again.high)
            ours.append(abs(again.expected - truth[place]))
            plain.append(abs(seen[place] - truth[place]))
    assert 0.92 < np.mean(held) < 0.97
    assert np.mean(ours) < np.mean(plain)


def test_of_effects_that_are_far_apart_nothing_is_taken_away() -> None:
    seen = np.arange(10.0)
    np.testing.assert_allclose(expected_again(seen, np.full(10, 1e-4)), seen, atol=1e-6)


def test_few_queries_widen_the_interval() -> None:
    seen = [0.05, 0.01, -0.02, 0.0, 0.02, -0.01, 0.01, 0.03]
    few = predict_repetition(seen, [0.02] * 8, freedom=4)
    many = predict_repetition(seen, [0.02] * 8)
    assert few.low < many.low < many.expected < many.high < few.high
    assert few.expected == many.expected


@pytest.mark.parametrize(
    ("effects", "errors", "message"),
    [
        ([0.1] * 7, [0.1] * 7, "8 effects and as many standard errors, not 7 and 7"),
        ([0.1] * 8, [0.1] * 7, "8 effects and as many standard errors, not 8 and 7"),
        ([0.1] * 8, [0.1] * 7 + [0.0], "standard errors above 0"),
        ([0.1] * 7 + [float("nan")], [0.1] * 8, "must be finite"),
    ],
)
def test_what_cannot_be_learnt_from_is_refused(effects, errors, message) -> None:
    with pytest.raises(ArgumentError, match=message):
        predict_repetition(effects, errors)
