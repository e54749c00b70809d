"""An argument without a meaning is refused by its name, and with the keyword meant."""

import inspect
import re

import pytest

import abrank
from abrank._support import checks
from abrank._support.checks import explained
from abrank._support.errors import ArgumentError


@pytest.mark.every_case
@pytest.mark.parametrize(("check", "good", "bad", "why"), [
    (checks.fraction, 0.05, 1.0, "x must lie between 0 and 1, not 1.0"),
    (checks.level, 0.05, 1e-300, "x must be at least 1e-09, not 1e-300"),
    (checks.finite, -0.01, float("inf"), "x must be finite, not inf"),
    (checks.not_negative, 0.0, -0.5, "x must be 0 or more, not -0.5"),
    (checks.positive, 0.5, 0.0, "x must be above 0, not 0.0"),
    (checks.count, 10, 0, "x must be a whole number of at least 1, not 0"),
    (checks.count, 1, 1.5, "x must be a whole number of at least 1, not 1.5"),
])  # fmt: skip
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


QRELS = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
RUN = {"1": {"a": 1.0}, "2": {"a": 2.0, "b": 1.0}, "3": {"c": 1.0}}


def compare(**how):
    return abrank.compare(QRELS, RUN, {"1": {"b": 1.0, "a": 0.5}, "2": {"b": 1.0}}, **how)


def test_names_of_other_dialects_find_their_row() -> None:
    result = compare(measures=["AP", "nDCG@10"], margin="0.01")
    assert result["map"] == result["AP"]
    assert result["ndcg_cut_10"] == result["nDCG@10"]


def test_two_unnamed_runs_are_told_apart() -> None:
    assert (compare().baseline, compare().candidate) == ("A", "B")
    run = abrank.read_run(RUN, name="bm25")
    assert abrank.rank(QRELS, [RUN, run, RUN]).systems == ("bm25", "run 1", "run 3")
    assert abrank.evaluate(QRELS, [RUN, "x/a.run"][:1], ["AP"]).systems == ("run 1",)


def test_the_signature_is_that_of_the_function() -> None:
    assert list(inspect.signature(abrank.compare).parameters)[:3] == ["qrels", "a", "b"]
    assert abrank.compare.__name__ == "compare"


def test_a_wrong_argument_is_told_with_the_nearest() -> None:
    @explained
    def compare(a, b, *, measures=None, scoring=None): ...

    with pytest.raises(
        ArgumentError,
        match=re.escape("compare() has no argument measure=; did you mean measures= ?"),
    ):
        compare(1, 2, measure=["AP"])
