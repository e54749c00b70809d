"""Beside a verdict: a secondary measure that is worse, and one p-value of interaction."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest

import abrank
from abrank.report import WRITERS
from tests.report.written import whole_text


@pytest.mark.usefixtures("nothing_drawn")
def test_a_secondary_loss_stands_beside_an_inconclusive_verdict() -> None:
    rng = np.random.default_rng(2)
    a = pd.DataFrame(rng.uniform(0.3, 0.6, (60, 3)), columns=["AP", "RR", "P@10"])
    b = a + rng.normal(0.0, 0.1, (60, 3)) + np.array([0.0, -0.2, 0.0])
    result = abrank.compare_scores(a, b)
    assert (result.verdict, result["RR"].reading) == ("inconclusive", "worse")
    text = "1 of 2 secondary measures is worse after adjustment: RR."
    assert text in unescape(result._repr_html_())
    assert text in whole_text(result)
    for kind in (".md", ".html"):
        assert text in unescape(" ".join(WRITERS[kind](result).decode().split())), kind


@pytest.mark.slow
def test_every_door_tells_one_p_of_interaction() -> None:
    rng = np.random.default_rng(4)
    ids = [f"q{i}" for i in range(90)]
    a = pd.Series(rng.uniform(0.3, 0.6, 90), index=ids)
    b = a + rng.normal(0.0, 0.1, 90) + 0.02 * (np.arange(90) % 3)
    by = {
        name: {q: str(i // size % 3) for i, q in enumerate(ids)}
        for name, size in (("intent", 1), ("length", 30), ("user", 10))
    }
    result = abrank.compare_scores(a, b, segments=by)
    plain = [segmentation.interaction_pvalue for segmentation in result.segmentations]
    adjusted = [segmentation.interaction_pvalue_adj for segmentation in result.segmentations]
    assert plain != adjusted
    figure = result.plot.segments().axes.get_xlabel()
    matches = re.findall(r"do its segments differ\? adjusted p = (0\.\d+)", figure)
    assert matches == [f"{element:.3f}" for element in adjusted]
    page = unescape(WRITERS[".html"](result).decode())
    for item in matches:
        assert f"p = {item} for interaction" in page
    csv = WRITERS[".csv"].files(result)[".segments.csv"].decode().splitlines()
    assert csv[0].endswith("interaction_pvalue,interaction_pvalue_adj")
