"""The table of a comparison for a paper."""

import numpy as np
import pandas as pd

from abrank import Question, compare_scores


def test_the_caption_says_what_a_margin_is_held_against_and_that_intervals_are_adjusted() -> None:
    noise = np.resize([0.02, -0.02], 40)
    a = pd.DataFrame({"AP": np.linspace(0.1, 0.5, 40), "RR": 0.5 + noise})
    b = a.assign(AP=a["AP"] + noise / 4, RR=0.5 - noise)
    asked = {"measures": ["AP", "RR"], "config": Question(adjust="holm")}
    same, unclear = (
        " ".join(compare_scores(a, b, margin=m, **asked).to_latex().split()) for m in (0.01, 0.0)
    )
    assert "The margin of 0.0100 is held against the 90\\% interval" in same
    assert "of two one-sided tests." in same
    assert "adjusted together (Holm), intervals and p alike." in unclear
    assert "one-sided" not in unclear
