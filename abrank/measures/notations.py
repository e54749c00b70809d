"""How a parameter is written behind a measure's name: the 5,10 of ``P_5,10``, and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from abrank.measures.parameters import Gains, Levels, Value, read_literal


@dataclass(frozen=True)
class Notation:
    """What stands behind ``.`` or ``_``: read as values of a parameter, written as by trec_eval.

    Attributes
    ----------
    parameter : str
        The parameter that is set.
    read : callable
        From the text to the values; each makes a measure of its own.
    write : callable
        From one value to the text in the name that trec_eval prints.

    Examples
    --------
    >>> CUTOFFS.read("5,10"), RECALLS.write(0.1)
    ([5, 10], '0.10')
    """

    parameter: str
    read: Callable[[str], list[object]]
    write: Callable[[Value], str]


def each(parameter: str, form: str) -> Notation:
    """Return the notation of numbers that each make a measure; trec_eval prints them as ``form``.

    Examples
    --------
    >>> each("factor", "%3.2f").write(2.0)
    '2.00'
    """
    return Notation(
        parameter,
        lambda text: [read_literal(number) for number in text.split(",")],
        lambda value: form % value,
    )


def together(parameter: str, *, leading_zero: bool = True) -> Notation:
    """Return the notation of numbers that make one measure together, printed as they came.

    Examples
    --------
    >>> levels = together("levels", leading_zero=False)
    >>> levels.read(".25,.5"), levels.write((0.25, 0.5))
    ([[0.25, 0.5]], '.25,.5')
    """

    def write(value: Value) -> str:
        numbers = [f"{number:g}" for number in cast("Levels", value)]
        if not leading_zero:
            numbers = [number.removeprefix("0") or number for number in numbers]
        return ",".join(numbers)

    return Notation(
        parameter, lambda text: [[read_literal(number) for number in text.split(",")]], write
    )


def _read_gains(text: str) -> list[object]:
    pairs = [pair.partition("=") for pair in text.split(",")]
    return [{read_literal(grade): read_literal(gain) for grade, _, gain in pairs}]


def _write_gains(value: Value) -> str:
    return ",".join(f"{grade}={gain:g}" for grade, gain in cast("Gains", value))


def _read_squares(text: str) -> list[object]:
    numbers = [read_literal(number) for number in text.split(",")]
    # What is no number, or is negative, is left as it is: the measure refuses it by its name.
    return [
        math.sqrt(number) if isinstance(number, (int, float)) and number >= 0 else number
        for number in numbers
    ]


def _read_persistence(text: str) -> list[object]:
    # trec_eval writes rbp.p=0.95; ranx writes rbp.95, with the digits behind the point.
    number = text.removeprefix("p=")
    return [read_literal(number if "." in number or number != text else f"0.{number}")]


CUTOFFS = each("cutoff", "%d")
RECALLS = each("recall", "%3.2f")
GAINS = Notation("gains", _read_gains, _write_gains)
BETA_SQUARED = Notation("beta", _read_squares, lambda beta: f"{cast('float', beta) ** 2:g}")
PERSISTENCE = Notation("p", _read_persistence, lambda p: f"p={p:g}")
