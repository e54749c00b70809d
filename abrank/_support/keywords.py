"""Keywords of public functions: those that belong to one object, and the error for unknown ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from abrank._support.errors import ArgumentError, nearest

_P = ParamSpec("_P")
_R = TypeVar("_R")

# What scipy, ranx, PyTerrier, ir_measures and others call the same.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "measures": ("metrics", "metric", "measure", "eval_metrics"),
    "baseline": ("names", "name_a", "baseline_name"),
    "candidate": ("names", "name_b"),
    "rng": ("seed", "random_state", "random_seed"),
    "n_resamples": ("n_boot", "n_bootstrap", "n_permutations", "n_samples", "num_samples"),
    "adjust": ("correction", "multitest", "multipletests"),
    "alpha": ("level", "significance", "max_p", "p"),
    "margin": ("threshold", "epsilon", "rope", "delta"),
    "test": ("stat_test", "method"),
    "runs": ("systems",),
}


def fields_of(kind: type, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the arguments that are fields of a dataclass."""
    return {each.name: arguments[each.name] for each in fields(kind) if each.name in arguments}


def explained(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Wrap a public function so that a call that does not fit it raises an ArgumentError."""
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: _P.args, **keywords: _P.kwargs) -> _R:
        try:
            signature.bind(*args, **keywords)
        except TypeError as error:
            raise ArgumentError(_told(function.__name__, signature, keywords, error)) from None
        return function(*args, **keywords)

    return call


def _told(
    name: str, signature: inspect.Signature, keywords: dict[str, object], error: TypeError
) -> str:
    known = list(signature.parameters)
    unknown = next((each for each in keywords if each not in known), None)
    if unknown is None:
        return f"{name}(): {error}"
    meant = [each for each in known if unknown in SYNONYMS.get(each, ())] or nearest(unknown, known)
    shown = " and ".join(f"{each}=" for each in (meant if len(meant) < 3 else meant[:1]))
    hint = f"; did you mean {shown} ?" if meant else f"; it has {', '.join(known)}"
    return f"{name}() has no argument {unknown}={hint}"
