"""Two verdicts that differ do not yet show that the judges differ: their difference is tested."""

import numpy as np
import pytest
from scipy import stats

import abrank
from tests.report.written import text

RUNS = {
    name: {f"q{i:02}": {f"{name}{i}": 1.0} for i in range(40)} for name in ("a", "b")
}  # fmt: skip


def _judge(first_b: int, n_b: int, first_a: int, n_a: int):
    """Return judgments by which B wins so many queries from the first one on, and A so many."""
    return {
        f"q{i:02}": {
            f"a{i}": int(first_a <= i < first_a + n_a),
            f"b{i}": int(first_b <= i < first_b + n_b),
        }
        for i in range(40)
    }


@pytest.mark.slow
def test_a_verdict_that_just_fails_by_the_other_judge_does_not_depend_on_it() -> None:
    judge_agreement = abrank.judge_agreement(
        _judge(0, 12, 20, 3), _judge(0, 10, 20, 4), RUNS, measure="P@1"
    )
    (pair,) = judge_agreement.pairs
    assert (pair.human.verdict, pair.machine.verdict) == ("better", "inconclusive")
    human = np.repeat([1.0, 0.0, -1.0, 0.0], [12, 8, 3, 17])
    expected = stats.ttest_rel(human, np.repeat([1.0, 0.0, -1.0, 0.0], [10, 10, 4, 16]))
    low, high = expected.confidence_interval()
    assert pair.apart.estimate == pytest.approx(3 / 40)
    assert (pair.apart.low, pair.apart.high) == pytest.approx((low, high))
    assert pair.apart.pvalue == pytest.approx(expected.pvalue)
    visible = " ".join(text(judge_agreement).split())
    assert "depends on the judge" not in visible
    assert "The verdicts differ, but the difference of Δ between the judges is not" in visible


def test_judges_that_are_shown_to_differ_are_told() -> None:
    judge_agreement = abrank.judge_agreement(
        _judge(0, 14, 20, 3), _judge(0, 4, 20, 4), RUNS, measure="P@1"
    )
    visible = text(judge_agreement)
    assert judge_agreement.pairs[0].apart.interval.excludes_zero
    assert "The verdict depends on the judge." in " ".join(visible.split())
    (line,) = (line for line in visible.splitlines() if line.startswith("human less machine"))
    assert line.split()[3:] == ["+0.275", "+0.130", "to", "+0.420", "<", "0.001"]
    assert max(map(len, visible.splitlines())) <= 80


@pytest.mark.slow
def test_verdicts_that_are_the_same_may_differ_in_size() -> None:
    judge_agreement = abrank.judge_agreement(
        _judge(0, 30, 38, 1), _judge(0, 14, 38, 1), RUNS, measure="P@1"
    )
    visible = text(judge_agreement)
    visible = " ".join(visible.split())
    assert "The verdict is the same; the size of the difference depends on the judge." in visible
