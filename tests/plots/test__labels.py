"""Numbers on plots read like the numbers of the report."""

from __future__ import annotations

import pytest

from abrank.plots import _labels
from abrank.plots._labels import PlainTicks
from abrank.report import _format

VALUES = (0.0, 0.0371, -0.0371, 0.0004, -0.0004, 1e-12, -1e-12, 12.5, -3.25e7, float("inf"))


@pytest.mark.parametrize("value", VALUES)
def test_numbers_are_written_as_in_the_report(value):
    assert _labels.plain(value) == _format.score(value)
    assert _labels.signed(value) == _format.signed(value)


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.001])
@pytest.mark.parametrize("p", [0.0, 0.0003, 0.0009996, 0.0042, 0.0497, 0.05, 0.0503, 0.5, 1.0])
def test_p_values_are_written_as_in_the_report(p, alpha):
    assert _labels.pvalue(p, alpha=alpha) == _format.pvalue(p, alpha=alpha)


@pytest.mark.parametrize("number", [0, 999, 7000, 1234567])
def test_counts_are_written_as_in_the_report(number):
    assert _labels.count(number) == _format.count(number)


def test_what_is_not_defined_is_a_dash():
    assert _labels.pvalue(float("nan"), alpha=0.05) == "–"
    assert _labels.signed(float("nan")) == "–"


@pytest.mark.parametrize(
    ("places", "labels"),
    [
        ([-0.05, 0.0, 0.05], ["−0.05", "0.00", "+0.05"]),
        ([-1.0, 0.0, 1.0], ["−1", "0", "+1"]),
        ([0.0, 0.002], ["0.000", "+0.002"]),
        ([0.5], ["+0.5"]),
        ([], []),
        ([0.5, 0.5], ["+0.5", "+0.5"]),
    ],
)
def test_ticks_have_the_digits_their_distance_needs(places, labels):
    assert PlainTicks(signed=True).format_ticks(places) == labels


def test_a_margin_keeps_its_digits():
    assert [_labels.margin(m) for m in (0.01, 0.0005, 2.0)] == ["0.010", "0.0005", "2.000"]
