"""Keywords of public functions: those that belong to one object, and the error for unknown ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
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

# Of functions that have no such argument, why: what it would ask for is not there to be asked.
_PAIR = "a ranking tells systems apart and decides for none; compare() decides between two"
_RANKED = {
    **dict.fromkeys(["margin", "require", "guards", "accept_doubt", "machine_scores"], _PAIR),
    **dict.fromkeys(["machine_qrels", "bayes"], _PAIR),
    "clusters": "the joint tests of many systems take queries to be independent; compare() of two"
    " systems tests clusters",
    "segments": "rank the queries of one segment alone, or compare() two systems by segments",
    **dict.fromkeys(
        ["look", "planned", "anytime", "spending", "earlier"],
        "alpha is shared out among pairs, not among looks; compare() of two systems plans looks",
    ),
}
_POOLED = "the mean over all queries of several collections takes single, independent queries"
_SEVERAL = {
    "clusters": f"{_POOLED}; compare() one collection by clusters",
    "segments": "the collections are the segments; compare() one collection by segments",
    **dict.fromkeys(
        ["planned", "anytime", "earlier"],
        "queries of several collections do not come one after the other; look= plans looks at all",
    ),
    "bayes": "the posterior is of the queries of one collection; compare() that one",
    **dict.fromkeys(
        ["machine_qrels", "machine_scores", "machine_judge", "shared_model"],
        f"{_POOLED}, and a machine's judgments correct those of one",
    ),
    "merged": f"{_POOLED}, and merged statistics hold none",
    **dict.fromkeys(["topics", "docs"], "texts stand on the page of one collection: compare() it"),
}
REASONS: dict[str, dict[str, str]] = {
    "rank": _RANKED,
    "rank_scores": _RANKED,
    "rank_collections": _RANKED,
    "compare_collections": _SEVERAL,
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
    return no_argument(name, unknown, known)


def no_argument(name: str, unknown: str, known: Sequence[str]) -> str:
    """Say that a function has no such argument: why, or what may have been meant."""
    if reason := REASONS.get(name, {}).get(unknown):
        return f"{name}() takes no {unknown}=: {reason}"
    meant = [each for each in known if unknown in SYNONYMS.get(each, ())] or nearest(unknown, known)
    shown = " and ".join(f"{each}=" for each in (meant if len(meant) < 3 else meant[:1]))
    hint = f"; did you mean {shown} ?" if meant else f"; it has {', '.join(known)}"
    return f"{name}() has no argument {unknown}={hint}"
