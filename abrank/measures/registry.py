"""The catalogue of measures: registration, parameters, docstrings, plugins."""

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

# --- Parameters of measures, read from the signatures of their functions

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
    """A keyword parameter of a measure's function."""

    name: str
    kinds: tuple[Any, ...]
    choices: tuple[str, ...]
    default: Value
    required: bool

    def conform(self, value: object) -> Value:  # whatever a user wrote
        """Convert ``value`` to this parameter's type, or raise ArgumentError."""
        # Mappings become sorted pairs and lists tuples, so that measures are hashable.
        if self.choices:
            return checks.one_of(self.name, str(value), self.choices)
        if self.name == "rel" and type(value) is float and math.isfinite(value):
            return checks.relevant_grade(self.name, value)  # may be a fraction
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
    """Return the keyword-only parameters of a measure's function, in order."""
    result = []
    for keyword in inspect.signature(function, eval_str=True).parameters.values():
        if keyword.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        annotation, required = keyword.annotation, keyword.default is inspect.Parameter.empty
        kinds: tuple[Any, ...] = (annotation,)
        choices: tuple[str, ...] = ()
        if annotation is inspect.Parameter.empty:
            kinds = (*_KINDS, NoneType)  # user-defined functions may lack annotations
        elif get_origin(annotation) is Literal:
            kinds, choices = (str,), get_args(annotation)
        elif get_origin(annotation) is not tuple:
            kinds = get_args(annotation) or kinds
        default = None if required else keyword.default
        result.append(Parameter(keyword.name, kinds, choices, default, required))
    return tuple(result)


def literal(value: Value) -> str:
    """Format a value as in a measure's name, so that the parser reads it back."""
    if isinstance(value, str):
        return f'"{value}"' if "'" in value else f"'{value}'"
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ",".join(f"{grade!r}:{gain!r}" for grade, gain in dict(value).items()) + "}"
    if isinstance(value, tuple):
        return "[" + ",".join(map(repr, value)) + "]"
    return repr(value)


def read_literal(text: str) -> object:
    """Parse a value in a measure's name; text needs no quotes."""
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
    items = tuple(value.items()) if isinstance(value, Mapping) else value
    if not isinstance(items, tuple) or not all(
        isinstance(pair, tuple) and len(pair) == 2 and type(pair[0]) is int and _number(pair[1])
        for pair in items
    ):
        return ()
    return tuple(sorted((grade, float(gain)) for grade, gain in items))


def _number(value: object) -> bool:
    return type(value) in (int, float)


# --- The catalogue: registered functions, and measures with parameters

Aggregate: TypeAlias = Literal["mean", "sum", "geometric"]
Needs: TypeAlias = Literal["scores", "subtopics"]

_NAME = re.compile(r"[^\W\d]\w*")
_MEASURES: Registry[MeasureEntry] = Registry.of("measure")
_BY_FOLDED_NAME: dict[str, str] = {}
_JUDGED_ONLY = Parameter("judged_only", (bool,), (), default=False, required=False)
_TRIAL = JudgedRun.from_subtopics([[{"1": 1}]])


@dataclass(frozen=True)
class MeasureEntry:
    """An entry of the catalogue; entries with equal names are equal.

    Attributes
    ----------
    name : str
        As in ir_measures.
    function : callable
        ``function(judged, **parameters) -> float64[n_queries]``.
    aliases : tuple of str
    bounds : (float, float)
        Lowest and highest value.
    source : str
        Publication, and equivalent program and file.
    discrete : bool
        Whether it has few distinct values (P@k, RR, Success), so that many queries tie.
    aggregate : {"mean", "sum", "geometric"}
        How queries are aggregated: mean, sum (counts), or exponential of the mean (logarithms).
    higher_is_better : bool
    decides : bool
        Whether it measures the quality of a ranking. Others, such as counts of documents, decide
        only if the user names them.
    needs : {"scores", "subtopics"} or None
        What the judged run must have besides ranks and grades: scores of all retrieved documents
        (for a ``threshold``, if it has one), or judgments by subtopic.
    parameters : tuple of Parameter
        In the order of the signature; ``judged_only`` is last if unjudged documents can be removed
        first.
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
        """The parameter after ``@``: ``cutoff``, ``recall`` or none."""
        names = [parameter.name for parameter in self.parameters]
        return next((name for name in ("cutoff", "recall") if name in names), None)

    def parameter(self, name: str) -> Parameter:
        """Return the parameter called ``name``; the error suggests the nearest one."""
        by_name = {parameter.name: parameter for parameter in self.parameters}
        if name in by_name:
            return by_name[name]
        if name == "cutoff":
            raise ArgumentError(f"{self.name} has no cut-off")
        error = UnknownNameError(f"parameter of {self.name}", name, by_name)
        error.args = (f"{error}; it has {', '.join(by_name) or 'none'}",)
        raise error

    def with_parameters(self, values: Mapping[str, object]) -> Measure:
        """Return the measure with these parameters, after checking types and values.

        Raises
        ------
        ArgumentError
            If a parameter is unknown, missing, of the wrong type or not valid.

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
        # Only the function knows which values are valid, so call it once now.
        try:
            result(_TRIAL)
        except ArgumentError as error:
            raise ArgumentError(f"{result.name}: {error}") from error
        return result


class Measure(str):
    """A measure with its parameters: a ``str`` with its canonical name that can be called.

    Made by ``parse``; call it with a judged run. The name has the form of ir_measures
    (``nDCG(dcg='exp-log2')@10``). As a ``str``, measures compare, sort and are written by name, and
    names are parsed only once.

    Parameters
    ----------
    entry : MeasureEntry
        Its entry in the catalogue: bounds, source, definition.
    parameters : tuple of (name, value)
        Those that differ from their defaults, in the order of the signature.

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
        """Build the name from entry and parameters."""
        position = entry.at
        inside = ",".join(f"{k}={literal(v)}" for k, v in parameters if k != position)
        behind = [literal(v) for k, v in parameters if k == position]
        name = entry.name + (f"({inside})" if inside else "")
        result = super().__new__(cls, "@".join([name, *behind]))
        result.entry, result.parameters = entry, parameters
        return result

    def __reduce__(self) -> tuple[Callable[..., str], tuple[str, str, tuple[Any, ...]]]:
        """Pickle by name, because functions may not be picklable."""
        return _revive, (self.name, self.entry.name, self.parameters)

    def __deepcopy__(self, memo: object) -> Measure:
        """Return the measure itself, because it is immutable."""
        return self

    @property
    def name(self) -> str:
        """The canonical name as plain text."""
        return str.__str__(self)

    @property
    def needs(self) -> Needs | None:
        """What the judged run must have; no scores are needed without a threshold.

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
        """Return the value for each query: float64[n_queries], finite."""
        if not hasattr(judged, "grade"):  # pandas calls callables in frame[name]
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
    """Return an unpickled measure; its plain name if it is not registered here."""
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
    """Register a function of a judged run as a measure; the function itself is not changed.

    Parameters
    ----------
    name : str
        Letters, digits and ``_``; names must differ in more than case.
    bounds : (float, float)
        Lowest and highest possible value.
    source : str
        Publication, and equivalent program and file.
    aliases : tuple of str
        Other names for the measure.
    discrete : bool
        Whether it has few distinct values, so that many queries tie.
    aggregate : {"mean", "sum", "geometric"}
        How queries are aggregated; ``"geometric"`` is the exponential of the mean, for values that
        are logarithms.
    higher_is_better : bool
        Whether higher values are better.
    decides : bool
        Whether it measures the quality of a ranking. Others, such as counts of documents, decide
        only if the user names them.
    needs : {"scores", "subtopics"}, optional
        What the function reads besides ranks and grades.
    condensable : bool
        Whether ``judged_only=True`` makes sense: unjudged documents are then removed first.

    Returns
    -------
    callable
        The decorator. The function takes a JudgedRun and annotated keywords of type int, float,
        str, bool, Literal, Levels or Gains, and returns float64[n_queries].

    Raises
    ------
    ArgumentError
        If the name or an alias is taken, missing or not a valid name.

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
            raise ArgumentError(f"@measure decorates a function, not {function!r}")
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
    """Return all measures by canonical name, in the order of registration.

    Examples
    --------
    >>> from abrank.measures import catalogue
    >>> entry = catalogue()["AP"]
    >>> entry.bounds, [parameter.name for parameter in entry.parameters]
    ((0, 1), ['cutoff', 'rel', 'judged_only'])
    """
    return _MEASURES


def known_as(name: str) -> MeasureEntry | None:
    """Return the entry with this name or alias, in any case, or None."""
    canonical = _BY_FOLDED_NAME.get(name.casefold())
    return None if canonical is None else _MEASURES[canonical]


# --- Docstrings of measures: the parts that all measures share

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
# Descriptions of parameters for measures that do not describe them; with a type if the annotation
# says too little.
_PARAMETERS: dict[str, str | tuple[str, str]] = {
    "cutoff: int": "k, the number of ranks that count, at least 1.",
    "cutoff: int | None": (
        "Number of ranks that count, at least 1, also in the ideal ranking; ``None`` counts all."
    ),
    "rel: int": "Lowest grade that is relevant, above 0; lower grades are not.",
    "min_rel: int": "Highest grade without gain, at least 0.",
    "max_rel: int": "Lowest grade with gain 1; from ``min_rel`` to it, the gain rises linearly.",
    "max_grade: int | None": (
        "Highest grade of the scale, at least 1; a higher judgment is an error. ``None`` is the\n"
        "    highest grade in the qrels, of all queries."
    ),
    "dcg: Dcg": (
        '{"log2", "exp-log2"}',
        "Gain of grade g: g, or 2**g - 1. A negative grade has gain 0.",
    ),
    "gains: Gains | None": (
        "mapping of int to float, optional",
        "Gains of some grades, which are at least 0; for other grades the gain is the grade.",
    ),
    "p: float": "Probability that the reader goes on to the next document, between 0 and 1.",
    "T: float": "Total gain that the reader looks for, in documents of gain 1; above 0.",
    "alpha: float": (
        "Share by which a relevant document reduces its subtopic's later gain, in [0, 1]."
    ),
    "beta: float": "Recall counts ``beta`` times as much as precision; above 0.",
    "threshold: float": "Lowest score that counts, in the unit of the scores.",
    "threshold: float | None": "Lowest score that counts; ``None`` counts every score.",
    "interpolation: Interpolation": (
        '{"10", "9"}',
        "How a recall level is converted to a number of relevant documents: rounded as in\n"
        "    trec_eval 10, or as in versions up to 9.",
    ),
}


def complete(entry: MeasureEntry) -> str:
    """Complete the docstring of a measure, as described in ``abrank.measures.definitions``."""
    text, sections = split(entry.function.__doc__)
    if "Returns" in sections:  # already complete, because the package was reimported
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


# --- Measures and tests from other packages, by entry points

GROUPS = "abrank.measures", "abrank.tests"


@cache
def load_plugins() -> None:
    """Import the modules of other packages that register measures and tests, once per process.

    A package declares the module in its ``pyproject.toml``::

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
