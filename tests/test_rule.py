"""What is declared beforehand, and what may speak against the evidence of a verdict."""

from __future__ import annotations

from abrank.rule import Design, Guard


def test_an_earlier_look_is_not_the_last() -> None:
    assert Design(look=2, n_looks=4).is_last is False


def test_a_guard_is_read_with_its_margin() -> None:
    assert Guard.read("R@100:-0.02") == Guard("R@100", 0.02, margin_is_relative=False)
    assert Guard.read("P@10:-2%").margin_is_relative
