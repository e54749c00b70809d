from __future__ import annotations

import dataclasses

import numpy as np

from abrank.comparison.evidence import RunDetails
from abrank.plots import LIGHT, recall


def test_curves_are_the_evidences(comparison_of):
    comparison = comparison_of(60)
    curve = comparison.evidence.recall_curve
    ax = recall(comparison)
    found = {line.get_color(): line for line in ax.lines}
    for colour, values, marker in ((LIGHT.a, curve.a, "v"), (LIGHT.b, curve.b, "^")):
        assert np.array_equal(found[colour].get_xdata(), curve.levels)
        assert np.array_equal(found[colour].get_ydata(), values)
        assert found[colour].get_marker() == marker
    assert [text.get_text() for text in ax.texts] == ["▼ A BM25", "▲ B monoT5"]


def test_ready_scores_make_a_sentence(comparison_of):
    ready = dataclasses.replace(comparison_of(30), evidence=RunDetails())
    (text,) = recall(ready).texts
    assert text.get_text().startswith("Ready scores were compared")


def test_no_queries_make_a_sentence(comparison_of):
    (text,) = recall(comparison_of(0)).texts
    assert text.get_text() == "No queries: nothing to draw."
