"""The catalogue of measures: decorated functions, their parameters and docstrings, plugins."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from textwrap import indent
from types import NoneType
from typing import Any, Literal, TypeAlias, get_args, get_origin

import numpy as np

from abrank._support import checks
from abrank._support.errors import ArgumentError, UnknownNameError
from abrank._support.registry import Registry, entries, split
from abrank._support.registry import complete as complete_docstring
from abrank._support.typing import FloatArray, Function
from abrank.inputs.judged import JudgedRun

# --- What may stand in the brackets of a measure's name, read from its function's signature

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
    """A keyword of a measure's function, as its signature gives it."""

    name: str
    kinds: tuple[Any, ...]
    choices: tuple[str, ...]
    default: Value
    required: bool

    def conform(self, value: object) -> Value:  # whatever a user wrote
        """Return ``value`` as this parameter's type, or raise ArgumentError."""
        # A mapping becomes the sorted pairs, a list the tuple, so that a measure can be hashed.
        if self.choices:
            return checks.one_of(self.name, str(value), self.choices)
        if self.name == "rel" and type(value) is float and math.isfinite(value):
            return checks.relevant_grade(self.name, value)  # of fractional grades
        if type(value) is int and float in self.kinds and int not in self.kinds:
            return float(value)
        if type(value) in self.kinds and isinstance(value, (str, int, float, bool, NoneType)):
            return value
        if Gains in self.kinds and (pairs := _pairs(value)):
            return pairs
        if Levels in self.kinds and isinstance(value, (list, tuple)) and all(map(_number, value)):
            return tuple(float(item) for item in value)
        expected = " or ".join(_KINDS[kind] for kind in self.kinds if kind in _KINDS)
        raise ArgumentError(f"{self.name} must be {expected}, not {value!r}")


def read_signature(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return the keyword-only parameters of a measure's function, in their order."""
    result = []
    for keyword in inspect.signature(function, eval_str=True).parameters.values():
        if keyword.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        annotation, required = keyword.annotation, keyword.default is inspect.Parameter.empty
        kinds: tuple[Any, ...] = (annotation,)
        choices: tuple[str, ...] = ()
        if annotation is inspect.Parameter.empty:
            kinds = (*_KINDS, NoneType)  # a function of the user's own may go without annotations
        elif get_origin(annotation) is Literal:
            kinds, choices = (str,), get_args(annotation)
        elif get_origin(annotation) is not tuple:
            kinds = get_args(annotation) or kinds
        default = None if required else keyword.default
        result.append(Parameter(keyword.name, kinds, choices, default, required))
    return tuple(result)


def literal(value: Value) -> str:
    """Write a value as it stands in a measure's name, so that the parser reads it back."""
    if isinstance(value, str):
        return f'"{value}"' if "'" in value else f"'{value}'"
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ",".join(f"{grade!r}:{gain!r}" for grade, gain in dict(value).items()) + "}"
    if isinstance(value, tuple):
        return "[" + ",".join(map(repr, value)) + "]"
    return repr(value)


def read_literal(text: str) -> object:
    """Read a value as it stands in a measure's name; a text needs no quotes."""
    text = text.strip()
    if _WHOLE.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        return float(text)
    if text[:1] in ("'", '"'):
        return text[1:-1]
    if text[:1] == "[":
        return [read_literal(part) for part in text[1:-1].split(",")]
    if text[:1] == "{":
        pairs = [part.partition(":") for part in text[1:-1].split(",")]
        return {read_literal(grade): read_literal(gain) for grade, _, gain in pairs}
    return _WORDS.get(text, text)


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


# --- The catalogue of measures: decorated plain functions, and a measure with its parameters

Aggregate: TypeAlias = Literal["mean", "sum", "geometric"]
Needs: TypeAlias = Literal["scores", "subtopics"]

_NAME = re.compile(r"[^\W\d]\w*")
_MEASURES: Registry[MeasureEntry] = Registry.of("measure")
_BY_FOLDED_NAME: dict[str, str] = {}
_JUDGED_ONLY = Parameter("judged_only", (bool,), (), default=False, required=False)
_TRIAL = JudgedRun.from_subtopics([[{"1": 1}]])


@dataclass(frozen=True)
class MeasureEntry:
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
    aggregate : {"mean", "sum", "geometric"}
        How the values of the queries become one: their mean, their sum (counts), or the
        exponential of their mean (values that are logarithms).
    higher_is_better : bool
    decides : bool
        Says how good a ranking is. Counts of documents, and what describes the judgments, do not:
        they decide nothing unless somebody names them.
    needs : {"scores", "subtopics"} or None
        What the judged run must hold beside ranks and grades: the score of every retrieved
        document (for its ``threshold``, if it has such a parameter), or judgments by subtopic.
    parameters : tuple of Parameter
        In the order of the signature; ``judged_only`` last where unjudged documents may be taken
        out of the ranking first.
    """

    name: str
    function: Callable[..., FloatArray] = field(compare=False, repr=False)
    aliases: tuple[str, ...] = field(compare=False)
    bounds: tuple[float, float] = field(compare=False)
    source: str = field(compare=False)
    discrete: bool = field(compare=False)
    aggregate: Aggregate = field(compare=False)
    higher_is_better: bool = field(compare=False)
    decides: bool = field(compare=False)
    needs: Needs | None = field(compare=False)
    parameters: tuple[Parameter, ...] = field(compare=False, repr=False)

    @property
    def definition(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def at(self) -> str | None:
        """The parameter that stands behind ``@``: ``cutoff``, ``recall`` or none."""
        names = [parameter.name for parameter in self.parameters]
        return next((name for name in ("cutoff", "recall") if name in names), None)

    def parameter(self, name: str) -> Parameter:
        """Return the parameter called ``name``, or raise with the nearest one."""
        by_name = {parameter.name: parameter for parameter in self.parameters}
        if name in by_name:
            return by_name[name]
        if name == "cutoff":
            raise ArgumentError(f"{self.name} has no cut-off")
        error = UnknownNameError(f"parameter of {self.name}", name, by_name)
        error.args = (f"{error}; it has {', '.join(by_name) or 'none'}",)
        raise error

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
        conformed = {name: self.parameter(name).conform(value) for name, value in values.items()}
        for parameter in self.parameters:
            if parameter.required and parameter.name not in conformed:
                if parameter.name == "cutoff":
                    raise ArgumentError(f"{self.name} needs a cut-off, for example {self.name}@10")
                needed = f"{self.name}({parameter.name}=...)"
                raise ArgumentError(f"{self.name} needs {parameter.name}: {needed}")
        differing = [
            (parameter.name, conformed[parameter.name])
            for parameter in self.parameters
            if parameter.name in conformed
            and (parameter.required or conformed[parameter.name] != parameter.default)
        ]
        result = Measure(self, tuple(differing))
        # The function alone knows which values have a meaning: let it see them once, now.
        try:
            result(_TRIAL)
        except ArgumentError as error:
            raise ArgumentError(f"{result.name}: {error}") from error
        return result


class Measure(str):
    """A measure with its parameters: its canonical name, which also knows what it means.

    Made by ``parse``, called with a run. It is a ``str``, the name in the form of ir_measures
    (``nDCG(dcg='exp-log2')@10``), so that what holds measures compares, sorts and writes them by
    name, and nothing has to read a name twice.

    Parameters
    ----------
    entry : MeasureEntry
        Its line in the catalogue: bounds, source, definition.
    parameters : tuple of (name, value)
        Those that differ from their default, in the order of the signature.

    Examples
    --------
    >>> from abrank.measures import parse
    >>> measure = parse("precision@2")
    >>> measure, measure.entry.bounds, measure.parameters
    ('P@2', (0, 1), (('cutoff', 2),))
    >>> measure(JudgedRun.from_grades([[1, 0], [0, 0]]))
    array([0.5, 0. ])
    """

    __slots__ = ("entry", "parameters")
    entry: MeasureEntry
    parameters: tuple[tuple[str, Value], ...]

    def __new__(
        cls, entry: MeasureEntry, parameters: tuple[tuple[str, Value], ...] = ()
    ) -> Measure:
        """Spell the name out of entry and parameters."""
        position = entry.at
        inside = ",".join(f"{k}={literal(v)}" for k, v in parameters if k != position)
        behind = [literal(v) for k, v in parameters if k == position]
        name = entry.name + (f"({inside})" if inside else "")
        result = super().__new__(cls, "@".join([name, *behind]))
        result.entry, result.parameters = entry, parameters
        return result

    def __reduce__(self) -> tuple[Callable[..., str], tuple[str, str, tuple[Any, ...]]]:
        """Travel to another process by name: the function stays behind."""
        return _revive, (self.name, self.entry.name, self.parameters)

    def __deepcopy__(self, memo: object) -> Measure:
        """Return the measure itself: nothing in it changes."""
        return self

    @property
    def name(self) -> str:
        """The canonical name as plain text."""
        return str.__str__(self)

    @property
    def needs(self) -> Needs | None:
        """What the judged run must hold; no scores where the threshold they are for is not given.

        Examples
        --------
        >>> from abrank.measures import parse
        >>> parse("F(threshold=0.5)").needs, parse("F@10").needs
        ('scores', None)
        """
        threshold = any(parameter.name == "threshold" for parameter in self.entry.parameters)
        if threshold and "threshold" not in dict(self.parameters):
            return None
        return self.entry.needs

    def __call__(self, judged: JudgedRun) -> FloatArray:
        """Return the value of each query: float64[n_queries], finite."""
        if not hasattr(judged, "grade"):  # as pandas calls whatever is callable in frame[name]
            raise ArgumentError(
                f"{self.name} scores a judged run, not a {type(judged).__name__}; as the name of a"
                f' column write frame["{self.name}"] or frame[measure.name]'
            )
        parameters = dict(self.parameters)
        if parameters.pop(_JUDGED_ONLY.name, False):
            judged = judged.condensed()
        values = np.asarray(self.entry.function(judged, **parameters), dtype=np.float64)
        if values.shape != (judged.n_queries,) or not np.isfinite(values).all():
            raise ArgumentError(f"{self.name} must give one finite value for each query")
        return values


def _revive(name: str, entry: str, parameters: tuple[tuple[str, Value], ...]) -> str:
    """Return the measure that was pickled; its plain name where nothing of the kind is known."""
    return Measure(_MEASURES[entry], parameters) if entry in _MEASURES else name


def measure(
    name: str,
    *,
    bounds: tuple[float, float] = (-math.inf, math.inf),
    source: str = "",
    aliases: tuple[str, ...] = (),
    discrete: bool = False,
    aggregate: Aggregate = "mean",
    higher_is_better: bool = True,
    decides: bool = True,
    needs: Needs | None = None,
    condensable: bool = True,
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
    aggregate : {"mean", "sum", "geometric"}
        How the values of the queries become one; ``"geometric"`` takes the exponential of the mean
        of values that are logarithms.
    higher_is_better : bool
        Whether the higher value is the better one.
    decides : bool
        Whether it says how good a ranking is. What does not, such as a count of documents, decides
        nothing unless it is named.
    needs : {"scores", "subtopics"}, optional
        What the function reads beside ranks and grades.
    condensable : bool
        Whether ``judged_only=True`` has a meaning: the unjudged documents leave the ranking first.

    Returns
    -------
    callable
        The decorator. The function takes a JudgedRun and annotated keywords of type int, float,
        str, bool, Literal, Levels or Gains, and returns float64[n_queries].

    Raises
    ------
    ArgumentError
        If the name or an alias is taken or is no name, or none was given.

    Examples
    --------
    >>> from abrank.measures import measure
    >>> @measure("mrr", bounds=(0, 1), source="none")
    ... def first_hit(judged: JudgedRun, *, cutoff: int | None = None) -> FloatArray:
    ...     '''One over the rank of the first relevant document.'''
    Traceback (most recent call last):
    abrank._support.errors.ArgumentError: the name "mrr" is taken by RR
    """
    if not isinstance(name, str):
        raise ArgumentError('the decorator takes the name of the measure: @measure("NAME")')

    def enter(function: Function) -> Function:
        if not callable(function):
            raise ArgumentError(f"@measure stands above a function, not {function!r}")
        parameters = read_signature(function) + ((_JUDGED_ONLY,) if condensable else ())
        entry = MeasureEntry(
            name, function, tuple(aliases), bounds, source, discrete, aggregate,
            higher_is_better, decides, needs, parameters,
        )  # fmt: skip
        for spelling in (name, *aliases):
            if not _NAME.fullmatch(spelling):
                raise ArgumentError(f'"{spelling}" is no name for a measure: letters, digits and _')
            used = _BY_FOLDED_NAME.get(spelling.casefold())
            if used and not (used == name and _MEASURES.is_redefinition(name, function)):
                raise ArgumentError(f'the name "{spelling}" is taken by {used}')
        _BY_FOLDED_NAME.update({spelling.casefold(): name for spelling in (name, *aliases)})
        _MEASURES.add(name, entry, function)
        return function

    return enter


def catalogue() -> Registry[MeasureEntry]:
    """Return all measures by canonical name, in the order they were entered.

    Examples
    --------
    >>> from abrank.measures import catalogue
    >>> entry = catalogue()["AP"]
    >>> entry.bounds, [parameter.name for parameter in entry.parameters]
    ((0, 1), ['cutoff', 'rel', 'judged_only'])
    """
    return _MEASURES


def known_as(name: str) -> MeasureEntry | None:
    """Return the entry with this name or alias, in whatever case, or None."""
    canonical = _BY_FOLDED_NAME.get(name.casefold())
    return None if canonical is None else _MEASURES[canonical]


# --- The docstring of a measure: what all measures share is said here

_JUDGED = {
    None: "A run joined with its qrels.",
    "subtopics": "A run joined with judgments by subtopic.",
    "scores": "A run joined with its qrels; with the scores of unjudged documents for a threshold.",
}
_RAISED = {
    None: "If a parameter is not as described above.",
    "subtopics": "If a parameter is not as described above, or the judgments are not by subtopic.",
    "scores": "If a parameter is not as described above, or needs scores that were not kept.",
}
# What a parameter is, in measures that do not describe it themselves; with its kind, where that
# says more than the annotation.
_PARAMETERS: dict[str, str | tuple[str, str]] = {
    "cutoff: int": "k, ranks counted, from 1.",
    "cutoff: int | None": (
        "Ranks counted, from 1, in the ranking and in an ideal one; ``None`` counts all."
    ),
    "rel: int": "Lowest grade that is relevant, from 1; lower ones, from 0, are not.",
    "min_rel: int": "The highest grade without gain, from 0.",
    "max_rel: int": "The lowest grade with a gain of 1; between the two, the gain is on a line.",
    "max_grade: int | None": (
        "Highest grade of the scale, from 1, which no judgment may exceed; ``None`` takes the\n"
        "    highest grade in the qrels, over all queries."
    ),
    "dcg: Dcg": (
        '{"log2", "exp-log2"}',
        "Gain of grade g: g, or 2**g - 1. A negative grade gains 0.",
    ),
    "gains: Gains | None": (
        "mapping of int to float, optional",
        "Gain of the grades named, from grade 0, instead of the grade; the others keep theirs.",
    ),
    "p: float": "Probability of going on, between 0 and 1.",
    "T: float": "Gain that a reader hopes for, in documents of gain 1; above 0.",
    "alpha: float": (
        "Share of a subtopic's gain that each relevant document takes away, in [0, 1]."
    ),
    "beta: float": "Recall weighs ``beta`` times as much as precision; above 0.",
    "threshold: float": "The least score that is counted, in units of the scores.",
    "threshold: float | None": "The least score that is counted; ``None`` counts every score.",
    "interpolation: Interpolation": (
        '{"10", "9"}',
        "How many relevant documents a level of recall asks for: rounded as in trec_eval 10.0,\n"
        "    or as in its versions up to 9.",
    ),
}


def complete(entry: MeasureEntry) -> str:
    """Complete the docstring of a measure, whose own is as ``abrank.measures.definitions`` says."""
    text, sections = split(entry.function.__doc__)
    if "Returns" in sections:  # completed when the package was imported before
        return entry.function.__doc__ or ""
    summary, values, *definition = text.split("\n\n")
    shared = {"judged": f"JudgedRun\n    {_JUDGED[entry.needs]}"}
    keywords = list(inspect.signature(entry.function).parameters.values())[1:]
    described = entries(sections.get("Parameters", ""))
    for keyword in (keyword for keyword in keywords if keyword.name not in described):
        described_as = _PARAMETERS[f"{keyword.name}: {keyword.annotation}"]
        kind = str(keyword.annotation).replace(" | None", ", optional")
        kind, description = (
            described_as if isinstance(described_as, tuple) else (kind, described_as)
        )
        of_subtopic = keyword.name == "rel" and entry.needs == "subtopics"
        description = (
            description.replace("relevant,", "relevant to a subtopic,")
            if of_subtopic
            else description
        )
        shared[keyword.name] = f"{kind}\n    {description}"
    return complete_docstring(
        entry.function,
        shared,
        summary,
        Returns="float64[n_queries]\n"
        + indent(f"{values}\nOrder of ``judged.query_ids``.", "    "),
        Raises=f"ArgumentError\n    {_RAISED[entry.needs]}" if keywords else "",
        Notes="\n\n".join(definition),
        References=f".. [1] {entry.source}.",
    )


# --- Measures and tests of other packages: entry points

GROUPS = "abrank.measures", "abrank.tests"


@cache
def load_plugins() -> None:
    """Import, once in a process, the modules in which other packages register measures and tests.

    A package names the module in its ``pyproject.toml``::

        [project.entry-points."abrank.measures"]
        mine = "my_package.my_measures"

        [project.entry-points."abrank.tests"]
        mine = "my_package.my_tests"
    """
    from importlib.metadata import entry_points

    installed = entry_points()
    for plugin in (plugin for group in GROUPS for plugin in installed.select(group=group)):
        try:
            plugin.load()
        except (ImportError, AttributeError) as error:
            where = f'the entry point "{plugin.name} = {plugin.value}" of {plugin.group}'
            raise ArgumentError(f"{where} cannot be loaded: {error}") from error
