"""An argument without a meaning is refused by its name and with the value given."""

from __future__ import annotations

import pytest

from abrank._support import checks
from abrank._support.errors import ArgumentError


@pytest.mark.parametrize(
    ("check", "good", "bad", "why"),
    [
        (checks.fraction, 0.05, 1.0, "x must lie between 0 and 1, not 1.0"),
        (checks.level, 0.05, 1e-300, "x must be at least 1e-09, not 1e-300"),
        (checks.finite, -0.01, float("inf"), "x must be finite, not inf"),
        (checks.not_negative, 0.0, -0.5, "x must be 0 or more, not -0.5"),
        (checks.positive, 0.5, 0.0, "x must be above 0, not 0.0"),
        (checks.count, 10, 0, "x must be a whole number of at least 1, not 0"),
        (checks.count, 1, 1.5, "x must be a whole number of at least 1, not 1.5"),
    ],
)
def test_a_value_comes_back_or_is_refused(check, good, bad, why) -> None:
    assert check("x", good) == good
    with pytest.raises(ArgumentError, match=f"^{why}$"):
        check("x", bad)


def test_an_unknown_choice_is_refused_with_all_that_there_are() -> None:
    assert checks.one_of("missing", "zero", ["zero", "drop"]) == "zero"
    with pytest.raises(ArgumentError, match="did you mean zero\\?; choices: zero, drop"):
        checks.one_of("missing", "zer", ["zero", "drop"])


def test_resamples_are_as_many_as_can_be_drawn() -> None:
    assert checks.resamples(10_000) == 10_000
    with pytest.raises(ArgumentError, match="n_resamples must be at most 10,000,000"):
        checks.resamples(10**23)
