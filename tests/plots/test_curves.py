"""The tests of ``abrank/plots/curves.py``."""

import dataclasses

import numpy as np
import pytest

from abrank.comparison.evidence import RunDetails
from abrank.planning import student
from abrank.plots import LIGHT, cutoffs, power


def drawn(ax, colour: str) -> list[float]:
    (line,) = [x for x in ax.lines if x.get_color() == colour and len(x.get_xdata()) > 2]
    return list(line.get_ydata())


def without_evidence(comparison):
    return dataclasses.replace(comparison, evidence=RunDetails())


def test_curves_above_and_their_difference_below(comparison_of):
    comparison = comparison_of(250)
    curve = comparison.evidence.cutoff_curve
    lower, upper = cutoffs(comparison).child_axes
    assert drawn(upper, LIGHT.a) == list(curve.mean_a)
    assert drawn(upper, LIGHT.b) == list(curve.mean_b)
    assert drawn(lower, LIGHT.ink) == list(curve.diff)
    (band,) = lower.collections
    ends = {tuple(np.round(vertice, 9)) for vertice in band.get_paths()[0].vertices}
    for k, low, high in zip(np.log(curve.cutoffs), curve.ci_low, curve.ci_high, strict=True):
        assert {(round(k, 9), round(low, 9)), (round(k, 9), round(high, 9))} <= ends
    dots = [line.get_color() for line in lower.lines if len(line.get_xdata()) == 1]
    expected = ["better" if low > 0 else "unclear" for low in curve.ci_low]
    assert dots == [LIGHT.of_reading(reading) for reading in expected]


def test_where_lower_is_better_a_negative_difference_is_bs(comparison_of):
    lower, _ = cutoffs(comparison_of(250, measures=("Unj@10",))).child_axes
    assert next(line.get_color() for line in lower.lines if len(line.get_xdata()) == 1) == LIGHT.a


@pytest.mark.parametrize("width", [11.8, 5.6, 3.33])
def test_the_cut_off_that_decides_is_in_bold(width, comparison_of):
    lower, _ = comparison_of(60).plot.cutoffs(width=width).axes.child_axes
    assert [x.get_text() for x in lower.get_xticklabels() if x.get_fontweight() == "bold"] == ["10"]


def test_an_interval_that_is_not_known_is_no_band(comparison_of):
    comparison = comparison_of(1)
    curve = comparison.evidence.cutoff_curve
    nothing = tuple([float("nan")] * len(curve.cutoffs))
    lost = dataclasses.replace(curve, ci_low=nothing, ci_high=nothing)
    ax = cutoffs(dataclasses.replace(comparison, evidence=RunDetails(cutoff_curve=lost)))
    assert not ax.child_axes[0].collections


@pytest.mark.slow
def test_one_cut_off_is_two_dots(comparison_of):
    comparison = comparison_of(30)
    curve = comparison.evidence.cutoff_curve
    parts = {
        key: value[:1] if isinstance(value, tuple) else value
        for key, value in dataclasses.asdict(curve).items()
    }
    text = dataclasses.replace(
        comparison, evidence=RunDetails(cutoff_curve=dataclasses.replace(curve, **parts))
    )
    ax = cutoffs(text)
    ax.figure.draw_without_rendering()
    assert [label.get_text() for label in ax.child_axes[0].get_xticklabels()] == ["1"]


@pytest.mark.parametrize(("measures", "sentence"), [
    (("nDCG@10",), "Ready scores were compared"),
    (("AP",), "AP has no cut-off"),
    (("my score",), "my score has no cut-off"),
])  # fmt: skip
def test_a_sentence_where_there_is_no_curve(measures, sentence, comparison_of):
    (text,) = cutoffs(without_evidence(comparison_of(30, measures=measures))).texts
    assert text.get_text().startswith(sentence)


def curves(ax) -> list[tuple[np.ndarray, np.ndarray]]:
    return [line.get_data() for line in ax.lines if len(line.get_xdata()) > 9]


@pytest.mark.parametrize(
    ("n", "counts"), [(60, (240, 60, 15)), (3, (12, 3)), (7000, (28000, 7000, 1750))]
)
def test_curves_are_the_plans_power(n, counts, comparison_of):
    comparison = comparison_of(n)
    result = curves(power(comparison))
    assert len(result) == len(counts)
    for queries, (x, y) in zip(counts, result, strict=True):
        for i in (0, 20, 40, 80):
            effect = x[i] / comparison.planning.sd
            assert y[i] == pytest.approx(student.power(queries, effect=effect, alpha=0.05))
            assert np.isfinite(y[i])


def test_the_dot_is_the_smallest_visible_difference(comparison_of):
    plan = comparison_of(60).planning
    ax = power(comparison_of(60))
    (dot,) = [line for line in ax.lines if line.get_marker() == "o"]
    assert (dot.get_xdata()[0], dot.get_ydata()[0]) == (plan.smallest_visible, 0.8)
    texts = [text.get_text() for text in ax.texts]
    assert f"smallest visible Δ {plan.smallest_visible:.3f}" in texts
    assert [t for t in texts if t.startswith("n =")] == ["n = 240", "n = 60", "n = 15"]


@pytest.mark.parametrize("margin", [0.0, 0.01, 0.5])
def test_the_margin_lies_in_the_picture(margin, comparison_of):
    ax = power(comparison_of(60, margin=margin))
    assert len([p for p in ax.patches if p.get_width() == margin and margin]) == (margin > 0)
    assert ax.get_xlim()[1] > margin
    assert ("margin" in ax.get_xlabel()) is (margin > 0)


def test_these_queries_are_the_thick_line(comparison_of):
    lines = [line for line in power(comparison_of(60)).lines if len(line.get_xdata()) > 9]
    assert [line.get_color() for line in lines] == [LIGHT.muted, LIGHT.ink, LIGHT.muted]
    assert max(lines, key=lambda line: line.get_linewidth()) is lines[1]
