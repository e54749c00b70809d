"""Under the headline only a verdict that is shown and falls is told, never one that arises."""

import numpy as np

from abrank import Verdict, compare_scores
from abrank.report.sections.inputs import sensitivity_sentence
from tests.report.written import text


def _compared(d, **asked):
    a = {f"q{i:03}": 0.5 for i in range(len(d))}
    return compare_scores(a, dict(zip(a, (0.5 + np.asarray(d)).tolist(), strict=True)), **asked)


def test_a_verdict_that_falls_without_few_queries_is_told() -> None:
    result = _compared(np.concatenate([np.linspace(-0.1, 0.13, 57), [0.25, 0.24, 0.23]]))
    assert result.verdict is Verdict.BETTER
    written = " ".join(text(result).split())
    count = len(result.alternatives[0].left_out)
    assert f"The verdict would be “Inconclusive” without {count} of 60 queries, " in written


def test_a_verdict_against_a_margin_is_not_held_against_chosen_queries() -> None:
    result = _compared(np.concatenate([np.linspace(-0.1, 0.1, 27), [0.3, 0.28, -0.29]]), margin=0.1)
    assert (result.verdict, result.alternatives) == (Verdict.SAME, ())


def test_no_mean_difference_stands_beside_a_verdict_on_something_else() -> None:
    # Once with "(Δ +0.010)" behind “Worse”.
    d = np.concatenate([-0.01 - np.linspace(0.0, 0.01, 15), [0.5, 0.4, 0.3, 0.2, 0.2]])
    result = _compared(d, test="sign")
    assert (result.verdict, result.mean_difference > 0.0) == (Verdict.WORSE, True)
    assert sensitivity_sentence(result) == (
        "The verdict would be “Inconclusive” without 1 of 20 queries, the one that speaks most for"
        " it."
    )
