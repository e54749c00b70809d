from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from abrank import plots
from abrank.plots import LIGHT


def test_rows_are_the_tests_on_the_measures_scale(comparison_of):
    comparison = comparison_of(60)
    ax = plots.tests(comparison)
    located = [row for row in comparison.test_rows if row.test != "sign"]
    labels = [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()]
    assert labels[0] == "Paired t"
    assert labels[-1] == "Wilcoxon signed-rank (pseudo-median)"
    assert len(labels) == len(located)
    dots = [line for line in ax.lines if line.get_marker() in ("o", "D")]
    assert [dot.get_xdata()[0] for dot in dots] == [row.estimate for row in located]
    ends = [tuple(line.get_xdata()) for line in ax.lines if line.get_linewidth() == 4.5]
    assert ends == [(row.ci_low, row.ci_high) for row in located]


def test_a_colour_says_that_the_interval_excludes_zero(comparison_of):
    for shift in (-0.2, 0.0, 0.2):
        comparison = comparison_of(60, shift=shift)
        dots = [x for x in plots.tests(comparison).lines if x.get_marker() in ("o", "D")]
        rows = [row for row in comparison.test_rows if row.test != "sign"]
        for dot, row in zip(dots, rows, strict=True):
            side = "better" if row.ci_low > 0 else "worse" if row.ci_high < 0 else "unclear"
            assert dot.get_color() == LIGHT.of_reading(side)


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
def test_the_test_that_decides_stands_out(test, comparison_of):
    ax = plots.tests(comparison_of(60, test=test))
    bold = [
        t.get_text().replace("\n", " ")
        for t in ax.get_yticklabels()
        if t.get_fontweight() == "bold"
    ]
    expected = {"t": ["Paired t"], "wilcoxon": ["Wilcoxon signed-rank (pseudo-median)"], "sign": []}
    assert bold == expected[test]
    assert ("Sign (decides)" in ax.get_xlabel()) is (test == "sign")


@pytest.mark.parametrize("shift", [0.0, 0.2])
def test_the_sign_test_is_told_under_the_axis(shift, comparison_of):
    comparison = comparison_of(60, shift=shift)
    sign = next(row for row in comparison.test_rows if row.test == "sign")
    line = plots.tests(comparison).get_xlabel().splitlines()[-1]
    p = "p < 0.001" if sign.pvalue < 0.001 else f"p = {sign.pvalue:.3f}"
    shown = f"{sign.estimate:+.2f}".replace("-", "−")
    assert line == f"Sign: {sign.estimand} {shown}, {p}"


def test_a_test_that_found_nothing_is_no_bar(comparison_of):
    made = comparison_of(30)
    lost = dataclasses.replace(made.test_rows[0], ci_low=np.nan, ci_high=np.nan, pvalue=np.nan)
    ax = plots.tests(dataclasses.replace(made, test_rows=(lost, *made.test_rows[1:])))
    texts = [text.get_text() for text in ax.texts]
    assert "no interval" in texts
    assert "!" in texts


@pytest.mark.parametrize(
    ("n", "kind", "sentence"),
    [
        (0, "normal", "No queries: nothing to test."),
        (1, "normal", "Only 1 query: nothing to test."),
        (30, "identical", "A and B score the same on all 30 queries: every p is 1."),
    ],
)
def test_a_sentence_where_nothing_was_tested(n, kind, sentence, comparison_of):
    (text,) = plots.tests(comparison_of(n, kind)).texts
    assert text.get_text() == sentence
