"""All options by who takes them; values by key, and the same as the keywords of Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, ParamSpec, TypeVar

from abrank._support import checks
from abrank._support.checks import explained
from abrank._support.errors import ArgumentError
from abrank.options.flags import FLAGS
from abrank.options.option import MANY, PAIR, Option, options_in
from abrank.options.parts import (
    AS,
    Anytime,
    Clusters,
    DesignPart,
    Engine,
    Looks,
    Machine,
    Planned,
    Scoring,
    Weights,
    parts_of,
)
from abrank.options.question import Inputs, Question, RankingQuestion

Part = TypeVar("Part")
_P = ParamSpec("_P")
_R = TypeVar("_R")

HEADINGS = (
    "Inputs", "Planning", "Measures and tests", "Gates", "Designs and further analyses",
    "Judgments by a machine", "Scoring of runs", "Large runs", "Output",
)  # fmt: skip
# The keywords whose objects hold several options.
PARTS: dict[str, type] = {"scoring": Scoring, "machine": Machine, "engine": Engine}
DESIGN = ("clusters", "weights", "look", "planned", "earlier", "anytime")
COMMANDS = {
    "compare": PAIR, "rank": MANY, "score": ("evaluate", "intervals"), "render": ("render", *PAIR),
    "power": ("power",), "margin": ("margin",), "aa": ("aa",),
    "audit": ("audit",),
}  # fmt: skip


@cache
def every_option() -> tuple[Option, ...]:
    """Return all options, those of Python's objects first."""
    kinds = (Inputs, Question, RankingQuestion, Scoring, Machine, Engine)
    return tuple(dict.fromkeys((*(each for kind in kinds for each in options_in(kind)), *FLAGS)))


@cache
def options_of(*takers: str) -> dict[str, Option]:
    """Return the options that a function takes, or one of several, by their keys.

    Examples
    --------
    >>> options_of("compare_collections").keys() < options_of(*PAIR).keys()
    True
    """
    return {each.key: each for each in every_option() if not {*takers}.isdisjoint(each.of)}


def home_of(word: str, taker: str) -> str:
    """Return how Python says an option that a function takes, by its key or a name of others.

    Examples
    --------
    >>> home_of("metrics", "compare"), home_of("depth", "compare"), home_of("family", "compare")
    ('measures=', 'scoring=Scoring(depth=...)', 'config=Question(family=...)')
    """
    known = options_of(taker).values()
    exact = [each for each in known if word in _words(each)]
    meant = exact or [each for each in known if word in each.peers]
    return " and ".join(_said(each, taker) for each in meant)


def _words(option: Option) -> tuple[str, ...]:
    """Return the ways to write an option: ``machine.qrels``, ``machine_qrels``, ``qrels``."""
    return option.key, option.key.replace(".", "_"), option.name, option.key.split(".")[-1]


def flag_of(long: str, *takers: str) -> str:
    """Return the flag, or the key of ``--config``, that is meant by one that a command lacks.

    Examples
    --------
    >>> flag_of("--metrics", *PAIR), flag_of("--depth", *PAIR), flag_of("--depthh", *PAIR)
    ('--measure', '--config depth=...', '')
    """
    word = long.removeprefix("--").replace("-", "_")
    of = options_of(*takers).values()
    known = [each for each in of if each.is_flag(*takers) or "compare" in takers]
    exact = [each for each in known if word in _words(each)]
    meant = exact or [each for each in known if word in each.peers]
    ours = (each.long if each.is_flag(*takers) else f"--config {each.key}=..." for each in meant)
    return " and ".join(dict.fromkeys(ours))


def _said(option: Option, taker: str) -> str:
    for keyword, kind in PARTS.items():
        if option in options_in(kind) and taker not in ("rank_scores", "compare_scores"):
            return f"{keyword}={kind.__name__}({option.name}=...)"
    if option.python:
        return option.python
    rare = option in options_in(Question) and taker in PAIR and not option.compared
    return f"config=Question({option.name}=...)" if rare else f"{option.name}="


def taking(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Wrap a function that takes options: the error of a wrong keyword names the right one."""
    return explained(function, home_of)


# --- Values by key, and the same as the keywords of Python


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by their keys as keywords of Python, those of one object as that object.

    Examples
    --------
    >>> nested({"measure": ["AP"], "look": "2/4", "depth": 100, "seed": 7})["design"]
    (Looks(look=2, of=4, spending='obrien-fleming'),)
    """
    older = values.get("as")
    values = {**(AS[checks.one_of("as", older, AS)] if older else {}), **values}
    found = {
        each.name: values[each.key]
        for kind in (Inputs, Question, RankingQuestion)
        for each in options_in(kind)
        if each.key in values
    }
    for keyword, kind in PARTS.items():
        own = {each.name: values.get(each.key) for each in options_in(kind)}
        own = {name: value for name, value in own.items() if value is not None}
        if own:
            found[keyword] = kind(**own)
    if isinstance(values.get("scores"), (list, tuple)):  # in the place of runs
        found["a"], found["b"] = values["scores"]
    if values.get("collections"):
        found["collections"] = values["collections"]
    if design := {key: values[key] for key in DESIGN if key in values}:
        found["design"] = _designed(**design)
    return found


def _designed(
    *,
    clusters: Any = None,  # noqa: ANN401
    weights: Any = None,  # noqa: ANN401
    look: Any = None,  # noqa: ANN401
    planned: Any = None,  # noqa: ANN401
    earlier: Any = None,  # noqa: ANN401
    anytime: int | None = None,
) -> tuple[DesignPart, ...] | None:
    """Return the parts of a design from the values of its keys; None for a plain one."""
    if earlier is not None and planned is None:
        raise ArgumentError(
            "--earlier (Planned(earlier=)) is the look before this one: say with --planned N how"
            " many queries are planned in all"
        )
    parts: list[DesignPart] = []
    if clusters is not None:
        parts.append(Clusters(clusters))
    if weights is not None:
        parts.append(Weights(weights))
    if look is not None:
        parts.append(Looks.read(look))
    if planned is not None:
        parts.append(Planned.read(planned, earlier=earlier))
    if anytime is not None:
        parts.append(Anytime(anytime))
    return tuple(parts) or None


def made(kind: type[Part], keywords: Mapping[str, Any]) -> Part:
    """Return a class of keywords of Python, of those that are its fields."""
    known = (each.name for each in fields(kind))  # type: ignore[arg-type]
    return kind(**{name: keywords[name] for name in known if name in keywords})


def flattened(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Return keywords of Python as values by their keys; an object gives all of its options.

    Examples
    --------
    >>> flattened({"design": "2/4:pocock", "rng": 3})["look"]
    '2/4:pocock'
    """
    found: dict[str, Any] = {}
    for name, value in keywords.items():
        if name in PARTS:
            part = Engine.of(value) if name == "engine" and value is not None else value
            own = options_in(PARTS[name])
            found |= {each.key: getattr(part, each.name, None) for each in own}
            if isinstance(part, Engine) and part.address is not None:
                found["engine"] = f"{part.name}:{part.address}"
        elif name == "design":
            found |= _undesigned(parts_of(value))
        else:
            found[_key(name)] = value
    return found


def _undesigned(parts: Sequence[DesignPart]) -> dict[str, Any]:
    """Return the parts of a design by the keys of a rule file."""
    found: dict[str, Any] = dict.fromkeys(DESIGN)
    for part in parts:
        if isinstance(part, Clusters):
            found["clusters"] = part.of
        elif isinstance(part, Weights):
            found["weights"] = part.of
        elif isinstance(part, Looks):
            found["look"] = str(part)
        elif isinstance(part, Planned):
            found |= {"planned": str(part), "earlier": part.earlier}
        else:
            found["anytime"] = part.queries
    return found


@cache
def _keys() -> dict[str, str]:
    return {
        each.name: each.key
        for kind in (Inputs, Question, RankingQuestion)
        for each in options_in(kind)
    }


def _key(name: str) -> str:
    return _keys().get(name, name)


def iterate(value: Any) -> Iterator[Any]:  # noqa: ANN401 - a value of an option, or several
    """Yield the values of an option that may be given once or several times."""
    if isinstance(value, (list, tuple)):
        yield from value
    elif value is not None:
        yield value
