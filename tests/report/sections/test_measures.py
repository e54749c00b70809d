"""Measures and queries in tables, and the short case that a paper makes."""

from __future__ import annotations

from abrank.comparison import compare_scores
from abrank.report.sections.measures import measures_finding


def test_one_measure_decides_alone() -> None:
    assert (
        measures_finding(compare_scores({"q1": 0.2, "q2": 0.4}, {"q1": 0.3, "q2": 0.6}))
        == "One measure was compared, and it decides: score."
    )
