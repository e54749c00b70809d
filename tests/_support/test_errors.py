import pytest

from abrank import ArgumentError, NotFoundError, ReadError, UnknownNameError
from abrank._support.errors import AbrankWarning, BadLine, nearest


def test_read_error_lists_every_bad_line() -> None:
    lines = [BadLine(i, f"line {i}", "expected 6 fields, found 2") for i in (4, 9)]
    message = str(ReadError("b.run", lines=lines, expected="six fields", hint="look at it"))
    assert "b.run, line 4: expected 6 fields, found 2\n  line 4" in message
    assert "b.run, line 9" in message
    assert message.endswith("look at it")


def test_errors_are_the_builtins_that_users_expect() -> None:
    assert issubclass(ReadError, ValueError)
    assert issubclass(NotFoundError, FileNotFoundError)
    assert issubclass(UnknownNameError, LookupError)


@pytest.mark.parametrize(("error", "code"), [(ReadError("x"), 3), (ArgumentError("x"), 2)])
def test_exit_code(error, code) -> None:
    assert error.exit_code == code


def test_unknown_name_without_a_near_one() -> None:
    assert str(UnknownNameError("measure", "xyzzy", ["AP"])) == (
        'unknown measure "xyzzy"; all: abrank guide measures'
    )


def test_nearest_ignores_case() -> None:
    assert nearest("NDCG", ["nDCG", "AP"]) == ["nDCG"]


def test_warning_carries_its_code() -> None:
    warning = AbrankWarning("few-queries", "only 5 queries")
    assert (warning.code, str(warning)) == ("few-queries", "only 5 queries [few-queries]")
