"""The notation of a parameter behind a measure's name: the 5,10 of ``P_5,10``, and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from abrank._support.errors import ArgumentError
from abrank.measures.registry.parameters import Gains, Levels, read_literal


@dataclass(frozen=True)
class Notation:
    """What stands behind ``.`` or ``_``: read as values of parameters, written as by trec_eval.

    Attributes
    ----------
    parameters : tuple of str
        Those that are set together.
    read : callable
        From the text to one tuple for each measure that is meant: a value for each parameter.
    write : callable
        From such values to the text in the name that trec_eval prints.

    Examples
    --------
    >>> CUTOFFS.read("5,10"), RECALLS.write(0.1)
    ([(5,), (10,)], '0.10')
    """

    parameters: tuple[str, ...]
    read: Callable[[str], list[tuple[object, ...]]]
    write: Callable[..., str]


def each(parameter: str, form: str = "%s") -> Notation:
    """Return the notation of numbers that each make a measure; trec_eval prints them as ``form``.

    Examples
    --------
    >>> each("multiple", "%3.2f").write(2.0)
    '2.00'
    """
    return Notation(
        (parameter,),
        lambda text: [(number,) for number in _numbers(text)],
        lambda value: form % value,
    )


def in_order(*parameters: str) -> Notation:
    """Return the notation of as many numbers as there are parameters, in their order.

    Examples
    --------
    >>> in_order("a", "b").read("2,-1"), in_order("a", "b").write(2.0, -1.0)
    ([(2, -1)], '2,-1')
    """

    def read(text: str) -> list[tuple[object, ...]]:
        numbers = _numbers(text)
        if len(numbers) != len(parameters):
            raise ArgumentError(f'"{text}" should be {len(parameters)} numbers')
        return [tuple(numbers)]

    return Notation(parameters, read, lambda *values: ",".join(f"{value:g}" for value in values))


def _numbers(text: str) -> list[object]:
    return [read_literal(number) for number in text.split(",")]


def _write_levels(levels: Levels) -> str:
    # .25,.5: without the zero, as trec_eval's own tests have it
    return ",".join(f"{level:g}".removeprefix("0") or "0" for level in levels)


def _read_gains(text: str) -> list[tuple[object, ...]]:
    pairs = [pair.partition("=") for pair in text.split(",")]
    return [({read_literal(grade): read_literal(gain) for grade, _, gain in pairs},)]


def _write_gains(gains: Gains) -> str:
    return ",".join(f"{grade}={gain:g}" for grade, gain in gains)


def _read_squares(text: str) -> list[tuple[object, ...]]:
    # What is no number, or is negative, is left as it is: the measure refuses it by its name.
    return [
        (math.sqrt(number) if isinstance(number, (int, float)) and number >= 0 else number,)
        for number in _numbers(text)
    ]


def _read_persistence(text: str) -> list[tuple[object, ...]]:
    # trec_eval writes rbp.p=0.95; ranx writes rbp.95, with the digits behind the point.
    named = text.startswith("p=") or "." in text
    return [(read_literal(text.removeprefix("p=") if named else f"0.{text}"),)]


CUTOFFS = each("cutoff", "%d")
RECALLS = each("recall", "%3.2f")
MULTIPLES = each("multiple", "%3.2f")
LEVELS = Notation(("levels",), lambda text: [(_numbers(text),)], _write_levels)
GAINS = Notation(("gains",), _read_gains, _write_gains)
BETA_SQUARED = Notation(("beta",), _read_squares, lambda beta: f"{beta**2:g}")
PERSISTENCE = Notation(("p",), _read_persistence, lambda p: f"p={p:g}")
WORTHS = in_order("relevant_retrieved", "others_retrieved", "relevant_missed", "others_missed")
