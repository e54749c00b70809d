"""What is declared beforehand, and what may speak against the evidence of a verdict."""

import pytest

from abrank.rule import Design, Guard, Reason, Soundness


def test_an_earlier_look_is_not_the_last() -> None:
    assert Design(look=2, n_looks=4).is_last is False


def test_a_guard_is_read_with_its_margin() -> None:
    assert Guard.read("R@100:-0.02") == Guard("R@100", 0.02, margin_is_relative=False)
    assert Guard.read("P@10:-2%").margin_is_relative


@pytest.mark.parametrize(
    ("reason", "primary", "other", "named"),
    [
        (Reason("none-judged"), True, True, True),  # of the runs, whatever the measure
        (Reason("none-relevant", {"measures": ["P(rel=2)"]}), True, False, True),
        (Reason("missing-queries"), False, False, False),  # a doubt forbids nothing
    ],
)
def test_what_forbids_a_verdict_forbids_the_measures_that_it_concerns(
    reason: Reason, *, primary: bool, other: bool, named: bool
) -> None:
    soundness = Soundness((reason,))
    assert soundness.forbids("AP", is_primary=True) is primary
    assert soundness.forbids("RR", is_primary=False) is other
    assert soundness.forbids("P(rel=2)", is_primary=False) is named
