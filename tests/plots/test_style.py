"""Numbers on plots read like the numbers of the report."""

import pytest
from matplotlib.figure import Figure

from abrank.plots import style
from abrank.plots.style import LIGHT, PlainTicks


def test_what_is_not_defined_is_a_dash():
    assert (style.pvalue(float("nan"), alpha=0.05), style.signed(float("nan"))) == ("–", "–")


@pytest.mark.parametrize(("places", "labels"), [
    ([-0.05, 0.0, 0.05], ["−0.05", "0.00", "+0.05"]),
    ([-1.0, 0.0, 1.0], ["−1", "0", "+1"]),
    ([0.0, 0.002], ["0.000", "+0.002"]),
    ([0.5], ["+0.5"]),
    ([], []),
    ([0.5, 0.5], ["+0.5", "+0.5"]),
    ([0.0, 0.25, 0.5], ["0.00", "+0.25", "+0.50"]),
])  # fmt: skip
@pytest.mark.every_case
def test_ticks_have_the_digits_their_distance_needs(places, labels):
    assert PlainTicks(signed=True).format_ticks(places) == labels
    assert PlainTicks().format_ticks(places) == [label.removeprefix("+") for label in labels]


def test_a_margin_keeps_its_digits(comparison_of):
    margins = (comparison_of(9, margin=m) for m in (0.01, 0.0005))
    assert [style.margin_words(m, LIGHT) for m in margins] == ["0.010", "0.0005"]


def test_a_label_never_breaks_within_a_p_value() -> None:
    axes = Figure(figsize=(3.33, 2.0)).subplots()
    style.label_x(axes, style.LIGHT, "intent: do its segments differ? p = 0.683")
    assert axes.get_xlabel().splitlines() == ["intent: do its segments differ?", "p = 0.683"]
