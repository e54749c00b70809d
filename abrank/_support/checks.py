"""Argument checks; errors name the argument and its value, or the intended keyword."""

from __future__ import annotations

import inspect
import math
import os
from collections.abc import Callable, Iterable
from functools import partial, wraps
from numbers import Real
from typing import Any, ParamSpec, TypeVar

from abrank._support.errors import ArgumentError, UnknownNameError, nearest

# Divided by the number of tests in a family, it must still make a difference to 1.
MIN_LEVEL = 1e-9
MAX_RESAMPLES = 10_000_000  # takes minutes, and gives p-values with seven decimals


def one_of(argument: str, value: str, choices: Iterable[str]) -> str:
    """Return ``value`` if it is one of ``choices``."""
    names = list(choices)
    if not isinstance(value, str):
        raise ArgumentError(f"{argument} must be one of {', '.join(names)}, not {value!r}")
    if value not in names:
        error = UnknownNameError(argument, str(value), names)
        error.args = (f"{error}; choices: {', '.join(names)}",)
        raise error
    return value


def fraction(argument: str, value: float) -> float:
    """Return ``value`` if it lies strictly between 0 and 1."""
    if isinstance(value, str) or not 0.0 < value < 1.0:
        raise ArgumentError(f"{argument} must lie between 0 and 1, not {value!r}")
    return float(value)


def share(argument: str, value: float) -> float:
    """Return ``value`` if it lies in [0, 1]."""
    if not 0.0 <= value <= 1.0:
        raise ArgumentError(f"{argument} must be from 0 to 1, not {value!r}")
    return float(value)


def level(argument: str, value: float) -> float:
    """Return ``value`` if it is a significance level not too close to 0."""
    if fraction(argument, value) < MIN_LEVEL:
        raise ArgumentError(f"{argument} must be at least {MIN_LEVEL:g}, not {value!r}")
    return float(value)


def number(argument: str, value: object) -> None:
    """Refuse a value that is not a number."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise ArgumentError(f"{argument} must be a number, not {value!r}")


def path(argument: str, value: object) -> str:
    """Return a path as text."""
    if not isinstance(value, (str, os.PathLike)):
        raise ArgumentError(f"{argument} must be a path, not {value!r}")
    return os.fspath(value)


def finite(argument: str, value: float) -> float:
    """Return ``value`` if it is a finite number."""
    number(argument, value)
    if not math.isfinite(value):
        raise ArgumentError(f"{argument} must be finite, not {value!r}")
    return float(value)


def not_negative(argument: str, value: float) -> float:
    """Return ``value`` if it is finite and at least 0."""
    if not finite(argument, value) >= 0.0:
        raise ArgumentError(f"{argument} must be 0 or more, not {value!r}")
    return float(value)


def positive(argument: str, value: float) -> float:
    """Return ``value`` if it is finite and above 0."""
    if not finite(argument, value) > 0.0:
        raise ArgumentError(f"{argument} must be above 0, not {value!r}")
    return float(value)


def count(argument: str, value: int, *, at_least: int = 1) -> int:
    """Return ``value`` if it is a whole number of at least ``at_least``."""
    whole = isinstance(value, Real) and not isinstance(value, bool) and int(value) == value
    if not whole or value < at_least:
        raise ArgumentError(
            f"{argument} must be a whole number of at least {at_least}, not {value!r}"
        )
    return int(value)


def relevant_grade(argument: str, value: float) -> float:
    """Return the lowest relevant grade if it is above 0; as an integer if whole."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not (is_number and 0 < value < math.inf):
        raise ArgumentError(f"{argument} must be a grade above 0, not {value!r}")
    return int(value) if value == int(value) else float(value)


def resamples(value: int, *, at_least: int = 1, argument: str = "n_resamples") -> int:
    """Return ``value`` if it is a feasible number of resamples."""
    if count(argument, value, at_least=at_least) > MAX_RESAMPLES:
        raise ArgumentError(f"{argument} must be at most {MAX_RESAMPLES:,}, not {value!r}")
    return int(value)


_P = ParamSpec("_P")
_R = TypeVar("_R")
_T = TypeVar("_T")

# Why functions lack certain arguments: the reasons for the error messages.
_PAIR = "a ranking decides for no system; compare() decides between two"
_RANKED = {
    "preferences": "votes are for one of two; compare() takes them",
    **dict.fromkeys(["margin", "require", "fail_on", "guard", "accept_doubt", "machine"], _PAIR),
    "config": _PAIR,
    "best_of": "with baseline= the tests are adjusted for all systems that were tried",
    "clusters": "the joint tests of many systems take queries to be independent; compare() of two"
    " systems tests clusters",
    "weights": "the joint tests take queries to count alike; compare() of two systems weighs them",
    "segments": "rank the queries of one segment alone, or compare() two systems by segments",
    **dict.fromkeys(
        ["look", "planned", "anytime", "design", "earlier"],
        "alpha is shared out among pairs, not among looks; compare() of two systems plans looks",
    ),
}
_BOARDS = {
    "baseline": "of all pairs it is asked which systems could be the best; compare_collections() is"
    " for two",
    **dict.fromkeys(
        ["pairs", "interval"],
        "it is found by the queries of one collection; rank() that one",
    ),
}
_SEVERAL = {
    "ledger": "a ledger keeps a comparison with its one set of queries: compare each collection"
    " alone with --ledger, and it counts all of them",
    "weights": "weights say how much a query counts among those of its collection, not beside"
    " those of another; compare() one collection by weights",
    **dict.fromkeys(
        ["planned", "anytime", "earlier"],
        "queries of several collections do not come one after the other; Looks(...) plans looks at"
        " all",
    ),
    "best_of": "over several collections t decides, whose tails are too light for the best of"
    " many; choose the best on one collection, and compare it on the others",
    "machine": "a machine's judgments correct those that people made on one collection; compare()"
    " each with its own",
    **dict.fromkeys(["topics", "docs"], "texts stand on the page of one collection: compare() it"),
}
_VOTES = {
    **dict.fromkeys(["lower_is_better", "higher_is_better"], "a vote is for the better one"),
    "machine": "a machine that votes is a judge: give its votes as votes=",
    **dict.fromkeys(["scoring", "engine", "docs", "qrels", "runs"], "votes have no rankings"),
}
_PLACES = "QRELS, RUN_A and RUN_B are given without flags, in this order"
_QUERIES = {"n": "the number of queries is --queries (queries=)"}
_COMPLETE = {"c": "without it a judged query that a run lacks scores 0, too"}
REASONS: dict[str, dict[str, str]] = {
    "compare": {
        **dict.fromkeys(["qrels", "run_a", "run_b", "a", "b", "runs"], _PLACES),
        **_COMPLETE,
        **dict.fromkeys(
            ["baseline", "candidate"],
            "the runs are a= and b=, their names name_a= and name_b=",
        ),
        "color": "NO_COLOR=1 or FORCE_COLOR=1 in the environment decides on colours",
    },
    "margin": {"margin": "this command prints sizes to compare a margin with; compare() takes it"},
    "score": {**_COMPLETE, "list_measures": "abrank guide measures lists what can be measured"},
    "aa": dict.fromkeys(
        ["trials", "n", "simulations"], "the number of simulations is --replications"
    ),
    "inspect": dict.fromkeys(["query", "q"], "give QUERY without a flag, after the runs"),
    "render": dict.fromkeys(
        ["margin", "measure", "m", "require", "guard", "test", "alpha", "segments"],
        "render writes a saved result; to change the question run compare() again",
    ),
    "power": _QUERIES,
    "audit": {**_QUERIES, "config": "an audit has no rule: it takes published numbers"},
    "compare_preferences": _VOTES,
    "rank": _RANKED,
    "rank_scores": _RANKED,
    "rank_collections": {**_RANKED, **_BOARDS},
    "compare_collections": _SEVERAL,
}


# Maps an unknown keyword to the intended one; "" if there is none.
Meant = Callable[[str, str], str]


def explained(
    function: Callable[_P, _R], meant: Meant = lambda _word, _taker: ""
) -> Callable[_P, _R]:
    """Wrap a public function so that a call with wrong arguments raises an ArgumentError."""
    bind = binder(function, meant)

    @wraps(function)
    def call(*args: _P.args, **keywords: _P.kwargs) -> _R:
        bind(*args, **keywords)
        return function(*args, **keywords)

    return call


def explained_class(kind: type[_T]) -> type[_T]:
    """Do the same for a class, whose keywords are its fields."""
    original_init: Callable[..., None] = kind.__init__
    bind = binder(kind, lambda _word, _taker: "")

    @wraps(original_init)
    def init(self: _T, *args: object, **keywords: object) -> None:
        bind(*args, **keywords)
        original_init(self, *args, **keywords)

    kind.__init__ = init  # type: ignore[assignment]
    return kind


def binder(function: Callable[..., Any], meant: Meant) -> Callable[..., dict[str, Any]]:
    """Return a function that binds arguments to names, or explains why they do not fit."""
    return partial(_bound, function, inspect.signature(function), meant)


def _bound(
    function: Callable[..., Any],
    signature: inspect.Signature,
    meant: Meant,
    /,
    *args: object,  # arguments of the wrapped function
    **keywords: Any,  # noqa: ANN401
) -> dict[str, Any]:
    try:
        return dict(signature.bind(*args, **keywords).arguments)
    except TypeError as error:
        problem = f"{function.__name__}(): {error}"
    parameters = [
        parameter for parameter in signature.parameters.values() if parameter.name != "self"
    ]
    names = [parameter.name for parameter in parameters]
    if "too many" in problem:
        positional = [
            parameter.name for parameter in parameters if parameter.kind < parameter.KEYWORD_ONLY
        ]
        rest = "; the others by name" * (names != positional)
        problem += (
            f"; it takes {', '.join(positional)}{rest}"
            if positional
            else (f"; it takes keywords: {', '.join(f'{name}=' for name in names)}")
        )
        problem += ', and runs as one mapping: {"bm25": run, …}' * ("runs" in positional)
        if positional[:1] in (["pilot"], ["differences"]):
            problem += "; of runs give compare(qrels, a, b)"
    unknown = next((keyword for keyword in keywords if keyword not in names), None)
    if unknown is not None:
        close = [f"{suggestion}=" for suggestion in nearest(unknown, names)[:1]]
        reason = REASONS.get(function.__name__, {}).get(unknown)
        if reason is not None:
            raise ArgumentError(f"{function.__name__}() takes no {unknown}=: {reason}")
        likely = meant(unknown, function.__name__) or "".join(close)
        hint = f"; did you mean {likely} ?" if likely else f"; it has {', '.join(names)}"
        problem = f"{function.__name__}() has no argument {unknown}={hint}"
    raise ArgumentError(problem)
