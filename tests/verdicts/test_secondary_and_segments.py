"""Beside a verdict: a secondary measure that is worse, and one p-value of interaction."""

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
