from __future__ import annotations

import numpy as np
import pytest

from abrank import compare_scores
from abrank.plots import LIGHT, effect
from abrank.plots.style import shapes


def numbers(ax) -> list[str]:
    return [text.get_text() for text in ax.texts if text.get_text()[-1].isdigit()]


def test_bar_dot_and_numbers_are_the_rows(comparison_of):
    comparison = comparison_of(60)
    row = comparison.primary
    ax = effect(comparison)
    bar, dot = [line for line in ax.lines if line.get_linestyle() != "None"][1], ax.lines[-1]
    assert bar.get_xdata().tolist() == [row.ci_low, row.ci_high]
    assert dot.get_xdata().tolist() == [row.estimate]
    shown = [f"{v:+.3f}".replace("-", "−") for v in (row.ci_low, row.estimate, row.ci_high)]
    assert numbers(ax) == shown


def test_a_secondary_measure_shows_its_adjusted_interval_and_no_margin(comparison_of):
    comparison = comparison_of(60)
    row = comparison["AP"]
    ax = effect(comparison, measure="AP")
    assert row.ci_low_adj < row.ci_low
    assert numbers(ax)[0] == f"{row.ci_low_adj:+.3f}".replace("-", "−")
    assert ax.get_xlabel() == "Δ AP (B − A)"


def test_half_eye_is_the_bootstrap_law_of_the_mean(comparison_of):
    comparison = comparison_of(60)
    (shape,) = [patch for patch in effect(comparison).patches if patch.get_alpha() == 0.28]
    x, y = shape.get_xy().T
    height = y - y.min()
    centre = np.sum(x * height) / np.sum(height)
    spread = np.sqrt(np.sum((x - centre) ** 2 * height) / np.sum(height))
    differences = comparison.differences()
    assert centre == pytest.approx(differences.mean(), abs=0.1 * spread)
    # The kernel widens the law a little.
    assert spread == pytest.approx(differences.std() / np.sqrt(60), rel=0.08)


@pytest.mark.parametrize(
    ("n", "how"),
    [(9, {}), (60, {"test": "wilcoxon"}), (60, {"test": "sign"}), (60, {"kind": "constant"})],
)
def test_there_is_no_half_eye_where_it_would_mislead(n, how, comparison_of):
    ax = effect(comparison_of(n, **how))
    assert not [patch for patch in ax.patches if patch.get_alpha() == 0.28]


def test_clusters_of_queries_have_no_half_eye_of_single_queries():
    a = {f"q{i}": (7 * i % 60) / 100 for i in range(60)}
    b = {query: value**2 + 0.3 for query, value in a.items()}
    users = {query: query[-1] for query in a}
    plain, clustered = (effect(compare_scores(a, b, clusters=each)) for each in (None, users))
    shapes = [[p for p in ax.patches if p.get_alpha() == 0.28] for ax in (plain, clustered)]
    assert [len(each) for each in shapes] == [1, 0]


def test_for_very_many_queries_the_shape_is_the_normal_curve(comparison_of, monkeypatch):
    monkeypatch.setattr(shapes, "MANY", 50)
    comparison = comparison_of(60)
    (shape,) = [patch for patch in effect(comparison).patches if patch.get_alpha() == 0.28]
    differences = comparison.differences()
    error = differences.std(ddof=1) / np.sqrt(60)
    assert shape.get_xy()[:, 0].min() == pytest.approx(differences.mean() - 4 * error)


def test_the_margin_is_a_band_and_named(comparison_of):
    ax = effect(comparison_of(60, margin=0.02))
    (band,) = [patch for patch in ax.patches if patch.get_facecolor()[:3] == _rgb(LIGHT.band)]
    assert band.get_x() == -0.02
    assert band.get_width() == pytest.approx(0.04)
    assert ax.get_xlabel().endswith("margin ±0.020")
    assert "margin" not in effect(comparison_of(60, margin=0.0)).get_xlabel()


def test_another_test_names_what_it_estimates(comparison_of):
    assert "pseudo-median" in effect(comparison_of(60, test="wilcoxon")).get_xlabel()
    assert "net share" in effect(comparison_of(60, test="sign")).get_xlabel()


def test_an_infinite_interval_ends_in_arrows(comparison_of):
    comparison = comparison_of(12, "constant")
    assert np.isinf(comparison.primary.ci_low)
    ax = effect(comparison)
    arrows = [line for line in ax.lines if line.get_marker() in (4, 5)]
    assert [line.get_xdata()[0] for line in arrows] == list(ax.get_xlim())
    assert {"−∞", "+∞"} <= {text.get_text() for text in ax.texts}


@pytest.mark.parametrize(
    ("n", "kind", "sentence"),
    [
        (0, "normal", "No queries: nothing to draw."),
        (1, "normal", "Only 1 query"),
        (25, "identical", "A and B score the same on all 25 queries: Δ is 0."),
    ],
)
def test_a_sentence_where_there_is_no_picture(n, kind, sentence, comparison_of):
    (text,) = effect(comparison_of(n, kind)).texts
    assert text.get_text().replace("\n", " ").startswith(sentence)


@pytest.mark.parametrize(("shift", "colour"), [(0.2, LIGHT.b), (-0.2, LIGHT.a), (0.0, LIGHT.muted)])
def test_the_colour_is_the_winners(shift, colour, comparison_of):
    assert effect(comparison_of(60, shift=shift)).lines[-1].get_color() == colour


def _rgb(colour: str) -> tuple[float, ...]:
    from matplotlib.colors import to_rgb

    return to_rgb(colour)


@pytest.mark.parametrize("margin", [0.09, "40%"])
def test_where_the_margin_decides_the_bar_is_the_interval_that_decides(comparison_of, margin):
    comparison = comparison_of(60, shift=0.0, margin=margin)
    decision = comparison.decision
    assert decision.by_equivalence
    assert decision.direction == 0
    ax = effect(comparison)
    bar = [line for line in ax.lines if line.get_linestyle() != "None"][1]
    low, high = decision.equivalence_interval
    assert bar.get_xdata().tolist() == pytest.approx([low, high])
    shown = ax.get_xlabel()
    assert "bar: 90% interval" in shown
    assert shown.endswith("margin ±0.090" if not decision.relative else "margin ±40% of A's mean")
    if decision.relative:
        assert f"{100 * high:+.1f}%" in [text.get_text() for text in ax.texts]
    # Both edges of the band are to be seen.
    assert ax.get_xlim()[0] < -decision.margin < decision.margin < ax.get_xlim()[1]
