"""The number style: one rounding, signs, words for what is not a number."""

import math
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abrank._support import display as f

finite = st.floats(-1e5, 1e5, allow_nan=False)


@given(finite)
def test_signed_reads_back_with_the_sign_of_the_number(value: float) -> None:
    text = f.signed(value)
    assert "-" not in text
    assert float(text.replace(f.MINUS, "-")) == pytest.approx(value, abs=0.0005001)
    if abs(value) > 1e-10:
        assert text[0] == ("+" if value > 0 else f.MINUS)


@given(st.floats(0, 1), st.sampled_from([0.1, 0.05, 0.01, 0.005, 0.001, 0.0005]))
def test_pvalue_never_hides_its_side_of_alpha(p: float, alpha: float) -> None:
    pvalue = f.pvalue(p, alpha=alpha)
    if pvalue.startswith("<"):
        assert p < float(pvalue[2:]) <= alpha
    elif abs(p - alpha) > 1e-11:
        assert (float(pvalue) < alpha) == (p < alpha)
        assert float(pvalue) != alpha


@given(st.floats(1e-4, 0.2), st.floats(-0.01, 0.01))
def test_a_level_of_few_digits_never_hides_a_pvalues_side(alpha: float, away: float) -> None:
    p = alpha * (1.0 + away)
    visible = float(f.pvalue(p, alpha=alpha).removeprefix("< "))
    digits = f.level_digits(alpha, [p])
    levels = float(f.alpha(alpha, [p])), float(f.level(alpha, digits=digits)[:-1]) / 100.0
    if abs(p - alpha) > 1e-11:
        assert {visible < level for level in levels} == {p < alpha}
        assert {visible > level for level in levels} == {p > alpha}


@given(st.floats(1e-9, 10.0), st.integers(1, 5))
def test_smallest_difference_is_never_written_as_nothing(value: float, digits: int) -> None:
    visible = f.least(value, digits=digits)
    assert float(visible) > 0.0
    assert len(visible.partition(".")[2]) >= digits
    if value >= 0.5 * 10.0**-digits:
        assert visible == f.score(value, digits=digits)


NAN, INF, FAR = math.nan, math.inf, 0.0000147  # once "p 0.460396" at the first of four looks


@pytest.mark.every_case
@pytest.mark.parametrize(("write", "cases"), [
    (f.score, [(0.4404, "0.440"), (2_500_000, "2.500e+06"), (INF, "∞"), (NAN, "not defined")]),
    (f.score, [(-1e-17, "0.000")]),  # noise of a sum has no sign
    (f.signed, [(0.0372, "+0.037"), (0.0, "0.000"), (-0.0002, "−0.0002"), (NAN, "not defined")]),
    (f.signed, [(0.1 + 0.2 - 0.3, "0.000")]),
    # Near alpha with a further decimal, and far above a small alpha with three.
    (f.pvalue, [(p, str(p)) for p in (0.0503, 0.0497, 0.04996)] + [(0.0506, "0.051")]),
    (f.pvalue, [(1.0, "1.000"), (NAN, "not defined")]),
    (partial(f.pvalue, alpha=FAR), [(0.460396, "0.460"), (0.0031, "0.003"), (1.2e-5, "0.000012")]),
    (partial(f.pvalue, alpha=FAR), [(0.000213, "0.000213")]),
    (f.p_clause, [(0.0042, "p = 0.004"), (0.0001, "p < 0.001"), (NAN, "p not defined")]),
    (f.percent, [(0.0916, "+9.2%"), (INF, "not defined"), (NAN, "not defined")]),
    # Three digits on the smaller side.
    (f.level, [(0.95, "95%"), (0.046256, "4.63%"), (0.953744, "95.37%"), (0.9, "90%")]),
    (f.level, [(1.0, "100%")]),
    (f.declared_percent, [(0.07, "7%"), (0.012345, "1.2345%")]),
    (f.interval, [((0.0121, 0.0619), "+0.012 to +0.062"), ((-INF, INF), "−∞ to +∞")]),
    (f.interval, [((NAN, 1.0), "not defined"), ((NAN, NAN), "not defined")]),
    (f.decimals, [([[(0.012, 0.062)]], 3), ([[(0.0003, 0.0011)]], 5), ([[(-0.002, 0.009)]], 4)]),
    (f.decimals, [([[(0.1, 0.3), (-0.00001, 0.00001)]], 3), ([[(-INF, 1.0)]], 3)]),
    (f.level_digits, [((0.046256, [0.003, 0.2]), 3), ((0.046256, [0.04629]), 4)]),
    (f.alpha, [((0.05, [0.0497]), "0.05"), ((0.046256, [0.04629]), "0.04626")]),
    (f.number_short, [(0.0030452635, "0.00305"), (1.0545e-06, "0.00000105")]),
    (f.least, [(0.00041, "0.0004")]),
    # A mean that is not 0 is not shown as 0.
    (f.mean, [(0.464, "0.464"), (0.0, "0.000"), (0.000087, "0.000087"), (0.0004, "0.00040")]),
    (f.mean, [(1e-9, "0.000")]),
    (f.about, [(99, "99"), (101, "100"), (813, "810"), (2287, "2\u202f300")]),
    (f.about, [(15_499, "15\u202f000")]),
    (partial(f.plural, singular="test"), [(0, "0 tests"), (1, "1 test"), (2, "2 tests")]),
    (partial(f.plural, singular="test"), [(1000, "1\u202f000 tests")]),
    (f.first_of, [((["AP", "RR"], 3), "AP and RR"), ((["AP", "RR", "P@5"], 1), "AP and 2 more")]),
    (f.listed, [([["t"]], "t"), ([["t", "sign", "BCa"]], "t, sign and BCa")]),
    (f.word, [(2, "two"), (11, "11")]),
    (f.shorten, [("x" * 200, "x" * 35 + "…" + "x" * 35), ("a\x1b[0m", "a\\x1b[0m")]),
    (f.visible, [("one\ttwo\x1b[31m\u202e", "one\ttwo\\x1b[31m\\u202e")]),
])  # fmt: skip
def test_how_a_value_is_written(write, cases) -> None:
    for arguments, shown in cases:
        arguments = arguments if isinstance(arguments, (tuple, list)) else (arguments,)
        assert write(*arguments) == shown
