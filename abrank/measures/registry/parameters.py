"""What may stand in the brackets of a measure's name, read from its function's signature."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any, Literal, TypeAlias, get_args, get_origin

from abrank._support import checks
from abrank._support.errors import ArgumentError

Levels: TypeAlias = tuple[float, ...]
Gains: TypeAlias = tuple[tuple[int, float], ...]
Value: TypeAlias = str | int | float | bool | Levels | Gains | None

_WHOLE = re.compile(r"-?[0-9]{1,18}")
_NUMBER = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WORDS: dict[str, Value] = {"None": None, "True": True, "False": False}
_KINDS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    str: "text",
    bool: "True or False",
    Levels: "a list of numbers such as [0.25,0.5]",
    Gains: "gains by grade such as {1:1,2:3.5}",
}


@dataclass(frozen=True)
class Parameter:
    """A keyword of a measure's function, as its signature gives it.

    Attributes
    ----------
    name : str
    kinds : tuple of type
        The types a value may have; ``NoneType`` where the keyword may be left open.
    choices : tuple of str
        The allowed texts; empty where any value of a kind is allowed.
    default : Value
        Of no meaning where ``required``.
    required : bool
    """

    name: str
    kinds: tuple[Any, ...]
    choices: tuple[str, ...]
    default: Value
    required: bool

    def conform(self, value: Any) -> Value:  # noqa: ANN401 - whatever a user wrote
        """Return ``value`` as this parameter's type, or raise ArgumentError.

        A mapping becomes the sorted pairs, a list the tuple, so that a measure can be hashed.

        Examples
        --------
        >>> Parameter("gains", (Gains, NoneType), (), None, False).conform({2: 3.5, 1: 1})
        ((1, 1.0), (2, 3.5))
        """
        if self.choices:
            return checks.one_of(self.name, str(value), self.choices)
        if type(value) is int and float in self.kinds and int not in self.kinds:
            return float(value)
        if type(value) in self.kinds and isinstance(value, (str, int, float, bool, NoneType)):
            return value
        if Gains in self.kinds and (pairs := _pairs(value)):
            return pairs
        if Levels in self.kinds and isinstance(value, (list, tuple)) and all(map(_number, value)):
            return tuple(float(each) for each in value)
        expected = " or ".join(_KINDS[kind] for kind in self.kinds if kind in _KINDS)
        raise ArgumentError(f"{self.name} must be {expected}, not {value!r}")


def read_signature(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return the keyword-only parameters of a measure's function, in their order.

    Examples
    --------
    >>> def mine(judged, *, cutoff: int | None = None, p: float = 0.8): ...
    >>> [(each.name, each.default) for each in read_signature(mine)]
    [('cutoff', None), ('p', 0.8)]
    """
    return tuple(
        _parameter(keyword)
        for keyword in inspect.signature(function, eval_str=True).parameters.values()
        if keyword.kind is inspect.Parameter.KEYWORD_ONLY
    )


def literal(value: Value) -> str:
    """Write a value as it stands in a measure's name, so that the parser reads it back.

    Examples
    --------
    >>> literal("exp-log2"), literal(((1, 3.5), (2, 9.0))), literal((0.25, 0.5))
    ("'exp-log2'", '{1:3.5,2:9.0}', '[0.25,0.5]')
    """
    if isinstance(value, str):
        return f'"{value}"' if "'" in value else f"'{value}'"
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ",".join(f"{grade!r}:{gain!r}" for grade, gain in dict(value).items()) + "}"
    if isinstance(value, tuple):
        return "[" + ",".join(map(repr, value)) + "]"
    return repr(value)


def read_literal(text: str) -> object:
    """Read a value as it stands in a measure's name; a text needs no quotes.

    Returns
    -------
    int, float, str, bool, None, list or dict
        A list of ``[…]``, a dict of ``{…}``; what cannot be read as something else is text.

    Examples
    --------
    >>> [read_literal(text) for text in ("10", ".5", "None", "exp-log2", "[.25,.5]", "{1:3.5}")]
    [10, 0.5, None, 'exp-log2', [0.25, 0.5], {1: 3.5}]
    """
    text = text.strip()
    if _WHOLE.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    if text[:1] in ("'", '"'):
        return text[1:-1]
    if text[:1] == "[":
        return [read_literal(each) for each in text[1:-1].split(",")]
    if text[:1] == "{":
        pairs = [each.partition(":") for each in text[1:-1].split(",")]
        return {read_literal(grade): read_literal(gain) for grade, _, gain in pairs}
    return _WORDS.get(text, text)


def _parameter(keyword: inspect.Parameter) -> Parameter:
    required = keyword.default is inspect.Parameter.empty
    default = None if required else keyword.default
    if get_origin(keyword.annotation) is Literal:
        choices = get_args(keyword.annotation)
        return Parameter(keyword.name, (str,), choices, default, required)
    kinds: tuple[Any, ...] = (keyword.annotation,)
    if get_origin(keyword.annotation) is not tuple:
        kinds = get_args(keyword.annotation) or kinds
    if keyword.annotation is inspect.Parameter.empty:
        kinds = (*_KINDS, NoneType)  # a function of the user's own may go without annotations
    return Parameter(keyword.name, kinds, (), default, required)


def _pairs(value: object) -> Gains:
    """Return gains as sorted pairs; empty where ``value`` is something else."""
    items = tuple(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(items, tuple) or not all(
        isinstance(pair, tuple) and len(pair) == 2 and type(pair[0]) is int and _number(pair[1])
        for pair in items
    ):
        return ()
    return tuple(sorted((grade, float(gain)) for grade, gain in items))


def _number(value: object) -> bool:
    return type(value) in (int, float)
