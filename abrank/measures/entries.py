"""The catalogue of measures: decorated plain functions, and a measure with its parameters."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import NoneType
from typing import Any, Literal, TypeAlias, get_args, get_origin

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError, UnknownNameError
from abrank._support.registry import Registry
from abrank._support.typing import FloatArray, Function
from abrank.inputs.judged import JudgedRun

Value: TypeAlias = str | int | float | bool | None

_NAME = re.compile(r"[^\W\d]\w*")
_KINDS = {int: "a whole number", float: "a number", str: "text", bool: "True or False"}
_MEASURES: Registry[Entry] = Registry("measure")
_BY_FOLDED_NAME: dict[str, str] = {}
_TRIAL = JudgedRun.from_grades([[1]])


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
    default : str, int, float, bool or None
        Of no meaning where ``required``.
    required : bool
    """

    name: str
    kinds: tuple[type, ...]
    choices: tuple[str, ...]
    default: Value
    required: bool

    def conform(self, value: object) -> Value:
        """Return ``value`` as this parameter's type, or raise ArgumentError."""
        if self.choices:
            return checks.one_of(self.name, str(value), self.choices)
        if type(value) is int and float in self.kinds and int not in self.kinds:
            return float(value)
        if type(value) in self.kinds and isinstance(value, (str, int, float, bool, NoneType)):
            return value
        expected = " or ".join(_KINDS[kind] for kind in self.kinds if kind in _KINDS)
        raise ArgumentError(f"{self.name} must be {expected}, not {value!r}")


@dataclass(frozen=True)
class Entry:
    """One line of the catalogue; equal to another of the same name.

    Attributes
    ----------
    name : str
        As in ir_measures.
    function : callable
        ``function(judged, **parameters) -> float64[n_queries]``.
    aliases : tuple of str
    bounds : (float, float)
        Least and largest value.
    source : str
        Paper, and program and file that it equals.
    discrete : bool
        Takes few values (P@k, RR, Success), so differences between two runs have many ties.
    parameters : tuple of Parameter
        In the order of the signature.
    """

    name: str
    function: Callable[..., FloatArray] = field(compare=False, repr=False)
    aliases: tuple[str, ...] = field(compare=False)
    bounds: tuple[float, float] = field(compare=False)
    source: str = field(compare=False)
    discrete: bool = field(compare=False)
    parameters: tuple[Parameter, ...] = field(compare=False, repr=False)

    @property
    def definition(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    def parameter(self, name: str) -> Parameter:
        """Return the parameter called ``name``, or raise with the nearest one."""
        by_name = {parameter.name: parameter for parameter in self.parameters}
        if name in by_name:
            return by_name[name]
        if name == "cutoff":
            raise ArgumentError(f"{self.name} has no cut-off")
        raise UnknownNameError(f"parameter of {self.name}", name, by_name)

    def with_parameters(self, values: Mapping[str, object]) -> Measure:
        """Return the measure with these parameters; their types and values are checked here.

        Raises
        ------
        ArgumentError
            If a parameter is unknown, missing, of the wrong type or without meaning.

        Examples
        --------
        >>> from abrank.measures import catalogue
        >>> print(catalogue()["nDCG"].with_parameters({"cutoff": 10, "dcg": "log2"}))
        nDCG@10
        """
        given = {name: self.parameter(name).conform(value) for name, value in values.items()}
        for parameter in self.parameters:
            if parameter.required and parameter.name not in given:
                raise ArgumentError(self._needs(parameter.name))
        made = Measure(
            self,
            tuple(
                (parameter.name, given[parameter.name])
                for parameter in self.parameters
                if parameter.name in given
                and (parameter.required or given[parameter.name] != parameter.default)
            ),
        )
        # The function alone knows which values have a meaning: let it see them once, now.
        try:
            made(_TRIAL)
        except ArgumentError as error:
            raise ArgumentError(f"{made.name}: {error}") from error
        return made

    def _needs(self, parameter: str) -> str:
        if parameter == "cutoff":
            return f"{self.name} needs a cut-off, for example {self.name}@10"
        return f"{self.name} needs {parameter}: {self.name}({parameter}=...)"


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters: made by ``parse``, called with a run, named the same for ever.

    Attributes
    ----------
    entry : Entry
        Its line in the catalogue: bounds, source, definition.
    parameters : tuple of (name, value)
        Those that differ from their default, in the order of the signature.

    Examples
    --------
    >>> from abrank.measures import parse
    >>> measure = parse("precision@2")
    >>> print(measure)
    P@2
    >>> measure(JudgedRun.from_grades([[1, 0], [0, 0]]))
    array([0.5, 0. ])
    """

    entry: Entry
    parameters: tuple[tuple[str, Value], ...] = ()

    @property
    def name(self) -> str:
        """The canonical name, in the form of ir_measures: ``nDCG(dcg='exp-log2')@10``."""
        inside = ",".join(f"{k}={_literal(v)}" for k, v in self.parameters if k != "cutoff")
        cutoff = dict(self.parameters).get("cutoff")
        return (
            self.entry.name
            + (f"({inside})" if inside else "")
            + ("" if cutoff is None else f"@{cutoff}")
        )

    def __str__(self) -> str:
        return self.name

    def __call__(self, judged: JudgedRun) -> FloatArray:
        """Return the value of each query: float64[n_queries], finite."""
        values = np.asarray(self.entry.function(judged, **dict(self.parameters)), dtype=np.float64)
        if values.shape != (judged.n_queries,) or not np.isfinite(values).all():
            raise ArgumentError(f"{self.name} must give one finite value for each query")
        return values


def measure(
    name: str,
    *,
    bounds: tuple[float, float],
    source: str,
    aliases: tuple[str, ...] = (),
    discrete: bool = False,
) -> Callable[[Function], Function]:
    """Enter a function of a judged run into the catalogue; the function itself is not changed.

    Parameters
    ----------
    name : str
        Letters, digits and ``_``; no two names may differ in case only.
    bounds : (float, float)
        Least and largest value it can take.
    source : str
        Paper, and program and file that it equals.
    aliases : tuple of str
        Other names that mean the same.
    discrete : bool
        Takes few values, so differences between two runs have many ties.

    Returns
    -------
    callable
        The decorator. The function takes a JudgedRun and annotated keywords of type int, float,
        str, bool or Literal, and returns float64[n_queries].

    Raises
    ------
    ArgumentError
        If the name or an alias is taken or is no name.

    Examples
    --------
    >>> @measure("mrr", bounds=(0, 1), source="none")
    ... def first_hit(judged: JudgedRun, *, cutoff: int | None = None) -> FloatArray:
    ...     '''One over the rank of the first relevant document.'''
    Traceback (most recent call last):
    abrank._support.errors.ArgumentError: the name "mrr" is taken by RR
    """

    def enter(function: Function) -> Function:
        entry = Entry(
            name, function, tuple(aliases), bounds, source, discrete, _parameters(function)
        )
        for known in (name, *aliases):
            if not _NAME.fullmatch(known):
                raise ArgumentError(f'"{known}" is no name for a measure: letters, digits and _')
            if known.casefold() in _BY_FOLDED_NAME:
                taken = _BY_FOLDED_NAME[known.casefold()]
                raise ArgumentError(f'the name "{known}" is taken by {taken}')
        _BY_FOLDED_NAME.update({known.casefold(): name for known in (name, *aliases)})
        _MEASURES.add(name, entry)
        return function

    return enter


def catalogue() -> Registry[Entry]:
    """Return all measures by canonical name, in the order they were entered.

    Examples
    --------
    >>> entry = catalogue()["AP"]
    >>> entry.bounds, [parameter.name for parameter in entry.parameters]
    ((0, 1), ['cutoff', 'rel'])
    """
    return _MEASURES


def known_as(name: str) -> Entry | None:
    """Return the entry with this name or alias, in whatever case, or None.

    Examples
    --------
    >>> known_as("mrr").name
    'RR'
    """
    canonical = _BY_FOLDED_NAME.get(name.casefold())
    return None if canonical is None else _MEASURES[canonical]


def _parameters(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    keywords = [
        keyword
        for keyword in inspect.signature(function, eval_str=True).parameters.values()
        if keyword.kind is inspect.Parameter.KEYWORD_ONLY
    ]
    return tuple(_parameter(keyword) for keyword in keywords)


def _parameter(keyword: inspect.Parameter) -> Parameter:
    required = keyword.default is inspect.Parameter.empty
    default = None if required else keyword.default
    if get_origin(keyword.annotation) is Literal:
        choices = get_args(keyword.annotation)
        return Parameter(keyword.name, (str,), choices, default, required)
    kinds = get_args(keyword.annotation) or (keyword.annotation,)
    if keyword.annotation is inspect.Parameter.empty:
        kinds = (*_KINDS, NoneType)  # a function of the user's own may go without annotations
    return Parameter(keyword.name, kinds, (), default, required)


def _literal(value: Value) -> str:
    if isinstance(value, str):
        return f'"{value}"' if "'" in value else f"'{value}'"
    return repr(value)
