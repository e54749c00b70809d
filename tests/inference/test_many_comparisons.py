"""Levels of a stream: equal to published ones, valid on streams, and never what comes later.

What a repetition would show: right on average, and its intervals hold it.
"""

import csv
from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from abrank._support.errors import ArgumentError
from abrank.inference.many_comparisons import expected_again, online_levels, predict_repetition

METHODS = ("lord++", "saffron", "lond", "lond-dependent", "spending")


def test_levels_are_those_of_onlinefdr(shared_data) -> None:
    with (shared_data / "online_fdr.tsv").open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    compared = 0
    for (method, text), group in groupby(rows, key=lambda r: (r["method"], r["parameters"])):
        if method == "addis":  # not offered
            continue
        options = {name: float(value) for name, value in (o.split("=") for o in text.split())}
        alpha = options["alpha"]
        # Its own default for LORD++ is a tenth.
        first = options.get("w0", alpha / 10 if method == "lord++" else None)
        part = list(group)
        levels = online_levels([float(r["pvalue"]) for r in part], method, alpha=alpha, first=first)
        stored = [float(row["level"]) for row in part]
        np.testing.assert_allclose(levels[:-1], stored, rtol=5e-7, err_msg=method)
        for row, level in zip(part, levels, strict=False):
            assert (float(row["pvalue"]) <= level) == (row["rejected"] == "1")
            compared += 1
    assert compared == 105


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@given(st.lists(st.floats(0, 1), max_size=30), st.floats(0, 1))
def test_a_level_is_known_before_its_result(method, pvalues, next_one) -> None:
    longer = online_levels([*pvalues, next_one], method)
    assert online_levels(pvalues, method).tolist() == longer[:-1].tolist()
    assert (longer > 0).all()
    assert (longer < 1).all()


@pytest.mark.parametrize("method", METHODS)
def test_nothing_but_noise_spends_no_more_than_alpha(method) -> None:
    # Where nothing is ever found, the levels of what costs level sum to at most alpha.
    assert online_levels(np.ones(2000), method, alpha=0.05).sum() < 0.05


def test_no_level_is_above_the_most() -> None:
    pvalues = np.full(50, 1e-12)
    assert online_levels(pvalues, "saffron").max() > 0.025
    assert online_levels(pvalues, "saffron", maximum=0.025).max() == 0.025


@pytest.mark.parametrize(("pvalues", "options", "message"), [
    ([0.5, 1.5], {}, "numbers from 0 to 1"),
    ([float("nan")], {}, "numbers from 0 to 1"),
    ([0.5], {"method": "lord"}, 'unknown method "lord"; did you mean'),
    ([0.5], {"alpha": 0.0}, "alpha"),
    ([0.5], {"first": 0.05}, "first must lie between 0 and alpha = 0.05"),
])  # fmt: skip
def test_what_has_no_meaning_is_refused(pvalues, options, message) -> None:
    with pytest.raises(ArgumentError, match=message):
        online_levels(pvalues, **options)


@pytest.mark.slow
def test_intervals_hold_a_repetition_and_its_gain_is_not_inflated() -> None:
    rng = np.random.default_rng(7)
    held, ours, plain = [], [], []
    for _ in range(300):
        effects = rng.normal(0.0, 0.01, 20)
        errors = np.full(20, 0.02)
        # One baseline: half of the variance of each error is common to all.
        luck, luck_again = rng.normal(0, 0.02 * np.sqrt(0.5), 2)
        normal = rng.normal(0, 0.02 * np.sqrt(0.5), (2, 20))
        visited, again = effects + luck + normal[0], effects + luck_again + normal[1]
        best = int(np.argmax(visited))
        predicted = predict_repetition(visited, errors, best)
        held.append(predicted.low <= again[best] <= predicted.high)
        ours.append(predicted.expected - effects[best])
        plain.append(visited[best] - effects[best])
        assert predicted.expected == pytest.approx(expected_again(visited, errors)[best])
    assert 0.92 < np.mean(held) < 0.99
    assert np.mean(plain) > 0.015
    assert abs(np.mean(ours)) < 0.005


def test_errors_of_few_queries_are_drawn_towards_those_of_the_others() -> None:
    gains, errors = np.linspace(-0.03, 0.05, 8), np.array([0.005] + [0.02] * 7)

    def width(place: int, freedom: float) -> float:
        again = predict_repetition(gains, errors, place, freedom=freedom)
        return again.high - again.low

    # Of many queries the small error is known: its interval is as narrow as with the normal one.
    assert width(0, 10**6) == pytest.approx(width(0, np.inf), rel=1e-3)
    assert width(0, 24) > 2 * width(0, np.inf)
    assert width(0, 24) < width(1, 24)


def test_of_effects_that_are_far_apart_nothing_is_taken_away() -> None:
    arange = np.arange(10.0)
    np.testing.assert_allclose(expected_again(arange, np.full(10, 1e-4)), arange, atol=1e-6)


def test_few_queries_widen_the_interval() -> None:
    visited = [0.05, 0.01, -0.02, 0.0, 0.02, -0.01, 0.01, 0.03]
    few = predict_repetition(visited, [0.02] * 8, freedom=4)
    repetition = predict_repetition(visited, [0.02] * 8)
    assert few.low < repetition.low < repetition.expected < repetition.high < few.high
    assert few.expected == repetition.expected


@pytest.mark.parametrize(("effects", "errors", "message"), [
    ([0.1] * 7,
     [0.1] * 7, "at least 8 effects are needed, each with a standard error; got 7 and 7"),
    ([0.1] * 8,
     [0.1] * 7, "at least 8 effects are needed, each with a standard error; got 8 and 7"),
    ([0.1] * 8, [0.1] * 7 + [0.0], "standard errors above 0"),
    ([0.1] * 7 + [float("nan")], [0.1] * 8, "must be finite"),
])  # fmt: skip
def test_what_cannot_be_learnt_from_is_refused(effects, errors, message) -> None:
    with pytest.raises(ArgumentError, match=message):
        predict_repetition(effects, errors)


def test_a_repetition_has_its_limits() -> None:
    again = predict_repetition([0.05, 0.01, -0.02, 0.0, 0.02, -0.01, 0.01, 0.03], [0.02] * 8, 0)
    assert (
        f"{again.expected:.3f} ({again.low:.3f} to {again.high:.3f})"
    ) == "0.035 (-0.020 to 0.091)"


@pytest.mark.slow
def test_a_false_discovery_rate_of_independent_streams_is_held() -> None:
    rng = np.random.default_rng(20261123)
    rates = {method: [] for method in METHODS}
    for _ in range(200):
        is_null = rng.random(200) < 0.8
        pvalues = ndtr(-(np.where(is_null, 0.0, 3.5) + rng.standard_normal(200)))
        for method in METHODS:
            result = pvalues <= online_levels(pvalues, method)[:-1]
            rates[method].append((result & is_null).sum() / max(result.sum(), 1))
            if method == "saffron":
                assert result.sum() > 0
    for method, rate in rates.items():
        error = np.std(rate) / np.sqrt(len(rate))
        assert np.mean(rate) < 0.05 + 3 * error, method
