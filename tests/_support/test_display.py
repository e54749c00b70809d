"""The number style: one rounding, signs, words for what is not a number."""

import math

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


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.0503, "0.0503"), (0.0497, "0.0497"), (0.04996, "0.04996"), (0.0506, "0.051"),
        (1.0, "1.000"),
    ],
)  # fmt: skip
def test_pvalue_near_alpha_gets_a_further_decimal(p: float, shown: str) -> None:
    assert f.pvalue(p) == shown


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.460396, "0.460"), (0.0031, "0.003"), (0.000213, "0.000213"), (1.2e-5, "0.000012")],
)
def test_pvalue_far_above_a_small_alpha_has_three_decimals(p: float, shown: str) -> None:
    # Once "p 0.460396" at the first look of 50 of 200 queries.
    assert f.pvalue(p, alpha=0.0000147) == shown


@pytest.mark.parametrize("write", [f.score, f.signed, f.pvalue, f.percent])
def test_nan_is_said_in_words(write: object) -> None:
    assert write(math.nan) == "not defined"  # type: ignore[operator]


def test_infinite_limits_are_shown_with_their_sign() -> None:
    assert (f.interval(-math.inf, math.inf), f.score(math.inf)) == ("−∞ to +∞", "∞")
    assert f.interval(math.nan, 1.0) == "not defined"


def test_noise_of_a_sum_has_no_sign() -> None:
    assert (f.signed(0.1 + 0.2 - 0.3), f.score(-1e-17)) == ("0.000", "0.000")


@pytest.mark.parametrize(
    ("n", "shown"), [(0, "0 tests"), (1, "1 test"), (2, "2 tests"), (1000, "1\u202f000 tests")]
)
def test_plural(n: int, shown: str) -> None:
    assert f.plural(n, "test") == shown


@pytest.mark.parametrize(
    ("n", "shown"),
    [(99, "99"), (101, "100"), (813, "810"), (2287, "2\u202f300"), (15_499, "15\u202f000")],
)
def test_about_keeps_two_figures(n: int, shown: str) -> None:
    assert f.about(n) == shown


def test_percentages_have_one_decimal() -> None:
    assert (f.percent(0.0916), f.percent(math.inf)) == ("+9.2%", "not defined")
    assert f.level(1 - 0.05) == "95%"


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.95, "95%"), (0.046256, "4.63%"), (0.953744, "95.37%"), (0.9, "90%"), (1.0, "100%")],
)
def test_a_level_has_three_digits_on_its_smaller_side(share: float, shown: str) -> None:
    assert f.level(share) == shown


def test_shorten_cuts_in_the_middle_and_shows_control_characters() -> None:
    assert f.shorten("x" * 200) == "x" * 35 + "…" + "x" * 35
    assert f.shorten("a\x1b[0m") == "a\\x1b[0m"


@given(st.floats(1e-9, 10.0), st.integers(1, 5))
def test_smallest_difference_is_never_written_as_nothing(value: float, digits: int) -> None:
    visible = f.least(value, digits=digits)
    assert float(visible) > 0.0
    assert len(visible.partition(".")[2]) >= digits
    if value >= 0.5 * 10.0**-digits:
        assert visible == f.score(value, digits=digits)


NAN, INF = float("nan"), float("inf")


def test_how_a_value_is_written() -> None:
    for write, arguments, shown in (
        (f.score, (0.4404,), "0.440"),
        (f.score, (2_500_000,), "2.500e+06"),
        (f.signed, (0.0372,), "+0.037"),
        (f.signed, (0.0,), "0.000"),
        (f.signed, (-0.0002,), "−0.0002"),
        (f.decimals, ([(0.012, 0.062)],), 3),
        (f.decimals, ([(0.0003, 0.0011)],), 5),
        (f.decimals, ([(-0.002, 0.009)],), 4),
        (f.decimals, ([(0.1, 0.3), (-0.00001, 0.00001)],), 3),
        (f.decimals, ([(-INF, 1.0)],), 3),
        (f.least, (0.00041,), "0.0004"),
        (f.p_clause, (0.0042,), "p = 0.004"),
        (f.p_clause, (0.0001,), "p < 0.001"),
        (f.p_clause, (NAN,), "p not defined"),
        (f.level_digits, (0.046256, [0.003, 0.2]), 3),
        (f.level_digits, (0.046256, [0.04629]), 4),
        (f.number_short, (0.0030452635,), "0.00305"),
        (f.number_short, (1.0545e-06,), "0.00000105"),
        (f.alpha, (0.05, [0.0497]), "0.05"),
        (f.alpha, (0.046256, [0.04629]), "0.04626"),
        (f.declared_percent, (0.07,), "7%"),
        (f.declared_percent, (0.012345,), "1.2345%"),
        (f.first_of, (["AP", "RR"], 3), "AP and RR"),
        (f.first_of, (["AP", "RR", "P@5"], 1), "AP and 2 more"),
        (f.listed, (["t"],), "t"),
        (f.listed, (["t", "sign", "BCa"],), "t, sign and BCa"),
        (f.word, (2,), "two"),
        (f.word, (11,), "11"),
        (f.interval, (0.0121, 0.0619), "+0.012 to +0.062"),
        (f.interval, (NAN, NAN), "not defined"),
        (f.visible, ("one\ttwo\x1b[31m" + chr(0x202E),), "one\ttwo\\x1b[31m\\u202e"),
    ):
        assert write(*arguments) == shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.464, "0.464"), (0.0, "0.000"), (0.000087, "0.000087"), (0.0004, "0.00040"),
        (1e-9, "0.000"),
    ],
)  # fmt: skip
def test_a_mean_that_is_not_0_is_not_shown_as_0(value, text) -> None:
    assert f.mean(value) == text
