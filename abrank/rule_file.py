"""The rule declared beforehand in a TOML file, for the command and for Python."""

from __future__ import annotations

import hashlib
import inspect
import numbers
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from abrank._support.display import shorten
from abrank._support.errors import ArgumentError, NotFoundError, ReadError, nearest
from abrank._support.toml import parse_toml

if TYPE_CHECKING:
    from abrank.comparison import Comparison

_P = ParamSpec("_P")
_Found = TypeVar("_Found", bound="Comparison")

# Its paths are seen from the folder that the file is in.
PATHS = (
    "qrels", "run_a", "run_b", "scores", "joined", "collections", "segments", "topics", "clusters",
    "docs", "machine_qrels", "machine_scores", "earlier",
)  # fmt: skip
# The day on which the rule was declared: recorded, and part of no flag.
DATE = "declared_on"
# What the file calls by another name than the flag's parameter.
NAMES = {"qrels": "qrels", "baseline_run": "run_a", "candidate_run": "run_b"}
# Keywords of abrank.compare by the names of the flags' parameters, where they are others.
_KEYWORDS = {"run_a": "a", "run_b": "b", "resamples": "n_resamples", "seed": "rng"}
# Long flags by another name than their parameter's.
_FLAGS = {"measure": "measures", "guard": "guards"}
# What the command alone takes.
_OF_THE_COMMAND = {
    "scores": "abrank.compare_scores",
    "collections": "abrank.compare_collections",
    "joined": "the command",
    "workers": "engine=",
    "master": "engine=",
    "scheduler": "engine=",
    "on_bad_partition": "engine=",
    "keep_scores": "engine=",
}
# Values that are no numbers, even where they look so.
_TEXTS = frozenset([*PATHS, "baseline", "candidate", "primary", "machine_judge"])
_SEVERAL = frozenset(
    ["measures", "guards", "lower_is_better", "higher_is_better", "machine_scores"]
)


@dataclass(frozen=True)
class RuleFile:
    """A file as it was read: keys with underscores, values as TOML has them, not yet checked."""

    path: str
    sha256: str
    stated: Mapping[str, Any]
    date: str = ""

    def recorded(self, deviations: list[dict[str, str]]) -> dict[str, Any]:
        """Return what stands in the provenance of a result."""
        dated = {"date": self.date} if self.date else {}
        return {"path": self.path, "sha256": self.sha256, **dated, "deviations": deviations}

    def beside(self, value: str) -> str:
        """Return a path as seen from where the program runs; what is no file stays as it is."""
        file = Path(self.path).parent / value
        kept = value == "-" or not (file.exists() or Path(value).suffix)
        return value if kept else str(file)

    def require_once(self, name: str, key: str, stated_by: dict[str, str]) -> None:
        """Refuse a second key for one setting; ``stated_by`` is filled: the key of each."""
        if name in stated_by:
            raise ArgumentError(
                f"{self.path}: {stated_by[name]} and {key} are one setting; keep one"
            )
        stated_by[name] = key

    def unknown(self, key: str, known: Iterable[str]) -> ArgumentError:
        """Return the error that names the key that was meant."""
        close = nearest(key, known)
        hint = f"did you mean {close[0]}?" if close else f"keys: {', '.join(sorted(known))}"
        return ArgumentError(f'{self.path}: unknown key "{shorten(key)}"\n  {hint}')


def read_rule(path: str | os.PathLike[str]) -> RuleFile:
    """Read a file that declares a rule.

    Parameters
    ----------
    path : path
        A TOML file whose keys are the long flags of ``abrank compare``, and baseline_run,
        candidate_run and qrels; ``declared_on`` is the day of the declaration.

    Raises
    ------
    NotFoundError, ReadError
        If there is no such file, or it is no TOML.
    """
    name = os.fspath(path)
    try:
        data = Path(name).read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"{name}: no such file") from None
    except OSError as problem:
        raise ReadError(name, f"cannot be read: {(problem.strerror or '').lower()}") from None
    stated = parse_toml(data, name)
    values = {key.replace("-", "_"): value for key, value in stated.items()}
    if len(values) < len(stated):
        raise ReadError(name, "a key stands twice, once with - and once with _")
    day = str(values.pop(DATE, ""))
    return RuleFile(name, hashlib.sha256(data).hexdigest(), values, day)


def shown(name: str, value: Any) -> str:  # noqa: ANN401 - of any flag
    """Return a value as it would stand on a command line; a margin of 0.010 is one of 0.01.

    Numbers keep every digit: what differs in the last one is another rule.

    Examples
    --------
    >>> shown("margin", "0.010"), shown("guards", ["R@100:-0.02"]), shown("look", "2/4")
    ('0.01', 'R@100:-0.02', 'of 4')
    >>> shown("seed", 20261122), shown("alpha", 0.050000001), shown("margin", "2.0%")
    ('20261122', '0.050000001', '2%')
    """
    if value is None or (isinstance(value, (tuple, list)) and not value):
        return "none"
    if name == "look":
        planned = value[1] if isinstance(value, tuple) else str(value).partition("/")[2].strip()
        return f"of {planned}"  # this look is another each time
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, (str, os.PathLike, numbers.Real)):
        return f"a {type(value).__name__}"
    text = str(value)
    if name in _TEXTS:
        return text
    digits = text.strip().removesuffix("%")
    try:
        number = int(digits) if digits.isdecimal() else float(digits)
    except ValueError:
        return text
    whole = int(number) if abs(number) < 2**53 and number == int(number) else number
    return f"{whole}{'%' * text.strip().endswith('%')}"


def ruled(function: Callable[_P, _Found]) -> Callable[_P, _Found]:
    """Let a function take ``config=``, a TOML file: what the call does not give is the file's.

    Its keys are the long flags of ``abrank compare``, and ``qrels``, ``baseline_run`` and
    ``candidate_run``, paths as seen from its folder. The file's hash stands in the result's
    provenance, and where the call differs from it.
    """
    signature = inspect.signature(function)

    @wraps(function)
    def call(*args: _P.args, **keywords: _P.kwargs) -> _Found:
        given = dict(signature.bind(*args, **keywords).arguments)
        config = given.pop("config", None)
        rule = None if config is None else read_rule(config)
        stated = {} if rule is None else _keywords(rule, signature)
        for name in list(signature.parameters)[:3]:
            if given.get(name, stated.get(name)) is None:
                nor = "" if rule is None else f", and {rule.path} does not state it"
                raise ArgumentError(f"{function.__name__}(): missing the argument {name!r}{nor}")
        found = signature.bind(**stated | given)
        result = function(*found.args, **found.kwargs)
        if rule is None:
            return result
        recorded = rule.recorded(_deviations(given, stated, signature))
        return replace(result, provenance={**result.provenance, "declared": recorded})

    return call


def _keywords(rule: RuleFile, signature: inspect.Signature) -> dict[str, Any]:
    """Return the file's values by keyword of a function."""
    parameters = {name: each for name, each in signature.parameters.items() if name != "config"}
    by_keyword = {keyword: flag for flag, keyword in _KEYWORDS.items()}
    names = {flag: key for key, flag in NAMES.items()}
    keys = {
        names.get(by_keyword.get(name, name), by_keyword.get(name, name)) for name in parameters
    }
    found: dict[str, Any] = {}
    stated_by: dict[str, str] = {}
    for key, value in rule.stated.items():
        if key in _OF_THE_COMMAND:
            raise ArgumentError(
                f"{rule.path}: {key} is not for abrank.compare; use {_OF_THE_COMMAND[key]}"
            )
        flag = NAMES.get(key, _FLAGS.get(key, key))
        name = "require" if key == "fail_on" else _KEYWORDS.get(flag, flag)
        rule.require_once(name, key, stated_by)
        if key == "fail_on":
            found[name] = f"not-{value}-shown"
            continue
        if name not in parameters or (name == flag and flag in by_keyword):
            raise rule.unknown(key, {*keys, *_FLAGS, "fail_on"})
        found[name] = _value(rule, key, flag, value, parameters[name].default)
    return found


def _value(rule: RuleFile, key: str, flag: str, value: Any, default: Any) -> Any:  # noqa: ANN401
    """Return a value as the keyword takes it: numbers for numbers, paths beside the file."""
    listed, flagged = isinstance(value, list), isinstance(default, bool)
    if isinstance(value, dict) or (listed and flag not in _SEVERAL):
        raise ArgumentError(f"{rule.path}: {key} takes one value, as the flag does")
    if flagged is not isinstance(value, bool):
        kind = "true or false" if flagged else "text or a number"
        raise ArgumentError(f"{rule.path}: {key} takes {kind}")
    if flag in PATHS:
        return [rule.beside(str(each)) for each in value] if listed else rule.beside(str(value))
    if isinstance(default, (int, float)) and not flagged and isinstance(value, str):
        try:
            return type(default)(value)
        except ValueError:
            raise ArgumentError(f"{rule.path}: {key} takes a number, not {value!r}") from None
    return value


def _deviations(
    given: Mapping[str, Any], stated: Mapping[str, Any], signature: inspect.Signature
) -> list[dict[str, str]]:
    """Return what a call changes of the rule, of what is no input that the file leaves open."""
    flags = {keyword: flag for flag, keyword in _KEYWORDS.items()}
    keys = {flag: key for key, flag in NAMES.items()}
    found = []
    for name, value in given.items():
        flag = flags.get(name, name)
        if name == "max_input_size" or (flag in PATHS and name not in stated):
            continue
        before, used = (
            shown(flag, each)
            for each in (stated.get(name, signature.parameters[name].default), value)
        )
        if before != used:
            setting = keys.get(flag, flag).replace("_", "-")
            found.append({"setting": setting, "declared": before, "used": used})
    return found
