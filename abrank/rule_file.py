"""Read a rule from a TOML file or a Question, and wrap the public functions (`answered_by`).

The wrapper combines the arguments of a call and a declared rule into one question and its inputs,
and records where the call deviates from the rule.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import numbers
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from abrank._support import checks
from abrank._support.checks import REASONS, binder
from abrank._support.display import shorten
from abrank._support.errors import ArgumentError, NotFoundError, ReadError, calling, nearest
from abrank._support.files import parse_toml
from abrank.options import Inputs, Looks, Option, Question, RankingQuestion, Scoring
from abrank.options.values import (
    build,
    every_option,
    flattened,
    iterate,
    nested,
    options_of,
    python_spelling,
)

_P = ParamSpec("_P")
_Result = TypeVar("_Result")
_QuestionT = TypeVar("_QuestionT", Question, RankingQuestion)

# The date of the declaration; it is recorded, but is no option.
DATE = "declared_on"


def with_one_gate(arguments: Mapping[str, Any], stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call; a gate in them replaces the other kind of gate in a rule."""
    result = dict(arguments)
    for gate, alternative in (("require", "fail_on"), ("fail_on", "require")):
        if result.get(gate) is not None and alternative in stated and alternative not in arguments:
            result[alternative] = None
    return result


_SYSTEMS = {"baseline": "name_a", "candidate": "name_b"}  # for tables, names select the systems
_FLAGS = ("ledger", "report", "format", "plot", "quiet", "verbose", "config")
# Common names for the keys of a rule file.
_MEANT = {
    "table": "scores",
    "experiment": "scores",
    "run_a": "a",
    "run_b": "b",
    "judgments": "qrels",
}


@dataclass(frozen=True)
class RuleFile:
    """A rule file as read: keys with underscores, those in tables as ``table.key``."""

    path: str
    sha256: str
    stated: Mapping[str, Any]
    date: str = ""

    def recorded(self, deviations: list[dict[str, str]]) -> dict[str, Any]:
        """Return what a result's provenance says about the rule."""
        date = {"date": self.date} if self.date else {}
        return {"path": self.path, "sha256": self.sha256, **date, "deviations": deviations}

    def values(self, *takers: str) -> dict[str, Any]:
        """Return the values of the options that functions take; refuse keys that none takes."""
        options = {
            key: option
            for key, option in options_of(*takers).items()
            if option.declared or not option.compared
        }
        for key in self.stated:
            if key not in options:
                raise self._unknown(key, takers, options)
        return {key: self.read(options[key], value) for key, value in self.stated.items()}

    def _unknown(self, key: str, takers: Iterable[str], keys: Iterable[str]) -> ArgumentError:
        """Return the error for a key that is unknown, or that only another function takes."""
        options_of_others = [
            option for option in every_option() if option.key == key and option.declared
        ]
        if options_of_others:
            taker, other_taker = next(iter(takers)), options_of_others[0].of[0]
            problem = f"{key} is not for abrank.{taker}; use abrank.{other_taker}"
            return ArgumentError(f"{self.path}: {problem}")
        if isinstance(self.stated[key], dict):
            problem = f"write the keys at the top, not in a table [{shorten(key)}]"
            return ArgumentError(f"{self.path}: {problem}")
        meant = _MEANT.get(key) or next(
            (name for name, option in options_of(*takers).items() if key in option.peers), ""
        )
        if key in _FLAGS:
            problem = f'"{key}" is no part of a rule: give it as a flag, --{key}'
            return ArgumentError(f"{self.path}: {problem}")
        close = [meant] if meant in keys else nearest(key, keys)
        hint = f"did you mean {close[0]}?" if close else f"keys: {', '.join(sorted(keys))}"
        return ArgumentError(f'{self.path}: unknown key "{shorten(key)}"\n  {hint}')

    def read(self, option: Option, value: object) -> object:
        """Convert the value of an option; paths are relative to the file."""
        key, is_flag = option.key, option.kind == "flag"
        if option.kind == "pairs" and isinstance(value, dict):
            return value
        if isinstance(value, dict) or (isinstance(value, list) and not option.several):
            raise ArgumentError(f"{self.path}: {key} takes one value, as the flag does")
        if is_flag is not isinstance(value, bool):
            kind = "true or false" if is_flag else "text or a number"
            raise ArgumentError(f"{self.path}: {key} takes {kind}")
        result = [self._read_one(option, single) for single in iterate(value)]
        return result if isinstance(value, list) else result[0]

    def _read_one(self, option: Option, value: Any) -> object:  # noqa: ANN401
        if option.kind in ("path", "folder"):  # relative to the working directory
            file = Path(self.path).parent / str(value)
            is_file = value != "-" and (file.exists() or file.suffix)
            return str(file) if is_file else str(value)
        kinds: dict[str, Callable[[Any], Any]] = {
            "number": float, "count": int, "size": size, "grade": float,
        }  # fmt: skip
        if option.choices:
            return checks.one_of(option.key, value, option.names)
        if option.kind not in kinds:
            return value
        number = value
        if isinstance(value, str):
            try:
                number = kinds[option.kind](value)
            except ValueError as error:
                if option.kind == "size":
                    raise ArgumentError(f"{self.path}: {option.key}: {error}") from None
                number = math.nan
        low = -math.inf if option.minimum is None else option.minimum
        high = math.inf if option.maximum is None else option.maximum
        if not (isinstance(number, (int, float)) and low <= number <= high):
            at_least = "" if option.minimum is None else f" of {option.minimum:g} or more"
            at_most = "" if option.maximum is None else f", {option.maximum:,} at most"
            raise ArgumentError(
                f"{self.path}: {option.key} takes a number{at_least}{at_most}, not {value!r}"
            )
        return number


def size(text: str) -> int:
    """Parse a number of bytes such as 500000000, 500M or 2G, in units of 1024.

    Examples
    --------
    >>> size("2G"), size("500m"), size("4096")
    (2147483648, 524288000, 4096)
    """
    import re

    match = re.fullmatch(r"([1-9][0-9]{0,15})([KMGT]?)(i?B)?", text, re.IGNORECASE)
    if match is None:
        raise ValueError(f"{shorten(text)!r} is no size such as 500M or 2G")
    return int(match[1]) << (10 * " KMGT".index(match[2].upper() or " "))


def read_rule(path: str | os.PathLike[str]) -> RuleFile:
    """Read a file that declares a rule.

    Parameters
    ----------
    path : path
        A TOML file. Its keys are the long flags of ``abrank compare``, the keys that
        ``--help-all`` lists; ``qrels``, ``a`` and ``b``; and a table ``[machine]``.
        ``declared_on`` is the date of the declaration.

    Raises
    ------
    NotFoundError, ReadError
        If there is no such file, or it is not TOML.
    """
    if isinstance(path, dict):
        raise ArgumentError("config must be a path of a TOML file or Question(...), not a dict")
    checks.path("config", path)
    name = os.fspath(path)
    try:
        data = Path(name).read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"{name}: no such file") from None
    except OSError as problem:
        raise ReadError(name, f"cannot be read: {(problem.strerror or '').lower()}") from None
    values = by_key(parse_toml(data, name), name)
    day = str(values.pop(DATE, ""))
    return RuleFile(name, hashlib.sha256(data).hexdigest(), values, day)


def by_key(stated: Mapping[str, Any], name: str, table: str = "") -> dict[str, Any]:
    """Flatten TOML tables: their keys become ``table.key``.

    Examples
    --------
    >>> by_key({"fail-on": "worse", "machine": {"judge": "gpt-5"}}, "abrank.toml")
    {'fail_on': 'worse', 'machine.judge': 'gpt-5'}
    """
    result: dict[str, Any] = {}
    for key, value in stated.items():
        full_key = f"{table}{key.replace('-', '_')}"
        is_machine_table = isinstance(value, dict) and not table and full_key == "machine"
        for inner_key, inner in (
            by_key(value, name, f"{full_key}.") if is_machine_table else {full_key: value}
        ).items():
            if inner_key in result:
                raise ReadError(name, "a key occurs twice, once with - and once with _")
            result[inner_key] = inner
    return result


def as_typed(key: str, value: Any) -> str:  # noqa: ANN401 - of any option
    """Return a value as on a command line; a margin of 0.010 becomes 0.01.

    All digits are kept, because any difference is a different rule.

    Examples
    --------
    >>> as_typed("margin", "0.010"), as_typed("guard", ["R@100:-0.02"]), as_typed("look", "2/4")
    ('0.01', 'R@100:-0.02', 'of 4')
    >>> as_typed("seed", 20261122), as_typed("alpha", 0.050000001), as_typed("margin", "2.0%")
    ('20261122', '0.050000001', '2%')
    """
    if value is None or (isinstance(value, (tuple, list)) and not value):
        return "none"
    if key == "look":  # the number of the look changes, but not the plan
        return f"of {str(Looks.read(value)).partition('/')[2]}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, (str, os.PathLike, numbers.Real)):
        return f"a {type(value).__name__}"
    text = str(value)
    if not {option.kind for option in every_option() if option.key == key} & {
        "number", "count", "size", "grade", "amount", "planned",
    }:  # fmt: skip
        return text
    digits = text.strip().removesuffix("%")
    try:
        number = int(digits) if digits.isdecimal() else float(digits)
    except ValueError:
        return text
    whole = int(number) if abs(number) < 2**53 and number == int(number) else number
    return f"{whole}{'%' * text.strip().endswith('%')}"


def deviations(
    arguments: Mapping[str, Any], stated: Mapping[str, Any], names: Mapping[str, Option]
) -> list[dict[str, str]]:
    """Return what a call changes in a rule, except inputs that the file does not set."""
    result = []
    for key, value in arguments.items():
        option = names.get(key)  # None for inputs without key, such as scores as frames
        if (
            option is None
            or not option.declared
            or (
                (option.kind in ("path", "folder") or key in _SYSTEMS)
                and not {key, _SYSTEMS.get(key, key)} & {*stated}
            )
        ):
            continue
        before, used = (
            as_typed(key, setting_value)
            for setting_value in (stated.get(key, option.default), value)
        )
        if before != used:
            setting = key.replace("_", "-")
            result.append({"setting": setting, "declared": before, "used": used})
    return result


def answered_by(
    answer: Callable[[Inputs, _QuestionT], _Result], kind: type[_QuestionT], *needed: str
) -> Callable[[Callable[_P, _Result]], Callable[_P, _Result]]:
    """Make a public function a signature with documentation, implemented by ``answer``.

    The arguments are combined into one question of type ``kind`` and its inputs. If the function
    has ``config=``, a TOML file or a Question there provides the arguments that the call does not
    set. Keys are those of ``abrank compare --config``; paths are relative to the file. The result's
    provenance has the hash of the file and the deviations of the call. The call or the file must
    provide the arguments in ``needed``.
    """

    def decorate(function: Callable[_P, _Result]) -> Callable[_P, _Result]:
        bind = binder(function, python_spelling)
        parameters, taker = inspect.signature(function).parameters, function.__name__
        defaults = {name: item.default for name, item in parameters.items() if name != "scoring"}
        sources = [name for name, item in parameters.items() if item.kind < item.KEYWORD_ONLY]
        called = _CALLED if "columns" in parameters else ()
        question_fields = {field.name for field in fields(kind)}

        @wraps(function)
        def call(*args: _P.args, **keywords: _P.kwargs) -> _Result:
            arguments = bind(*args, **keywords)
            config = arguments.pop("config", None)
            rule = None if config is None or isinstance(config, Question) else read_rule(config)
            values_of_rule = {} if rule is None else rule.values(taker)
            if isinstance(config, Question):
                stated = _stated(config, taker)
            else:
                stated = nested(values_of_rule)
            merged = stated | with_one_gate(arguments, stated)
            for name in needed:
                if merged.get(name) is None:
                    nor = "" if rule is None else f", and {rule.path} does not state it"
                    raise ArgumentError(f"{taker}(): missing the argument {name!r}{nor}")
            if merged.get("scoring") is None:
                merged.pop("scoring", None)
            elif isinstance(merged["scoring"], Scoring):  # the rule may be for ready scores
                merged.setdefault("missing", merged["scoring"].missing)
            values = {**defaults, **merged}
            if issubclass(kind, Question) and defaults["test"] is None:  # `answer` chooses it
                values["test"] = values["test"] or ""
            of_inputs = {name: merged[name] for name in merged if name not in question_fields}
            inputs, question = build(Inputs, of_inputs), build(kind, values)
            arguments_of_call = {name: merged.get(name) for name in sources}
            with calling(taker, arguments_of_call, {x: merged[x] for x in called if x in merged}):
                result = answer(inputs, question)
            if rule is None:
                return result
            changed_values = with_one_gate(flattened(arguments), values_of_rule)
            declared = rule.recorded(deviations(changed_values, values_of_rule, options_of(taker)))
            answered: Any = result  # any result with a provenance
            return replace(answered, provenance={**answered.provenance, "declared": declared})  # type: ignore[no-any-return]

        return call

    return decorate


# Arguments that a message repeats when it suggests a call, in this order.
_CALLED = ("baseline", "candidate", "columns", "variant", "where", "measures", "missing")


def _stated(question: Question, taker: str) -> dict[str, Any]:
    plain = Question()
    names = [
        field.name
        for field in fields(Question)
        if _differ(getattr(question, field.name), getattr(plain, field.name))
    ]
    result, defaults = (
        {name: getattr(config, name) for name in names} for config in (question, plain)
    )
    usual = flattened(defaults)
    for key, value in flattened(result).items():
        if key not in options_of(taker) and _differ(value, usual[key]):
            reason = REASONS.get(taker, {}).get(key)
            text = f"{taker}() takes no {key}=: {reason}" if reason else ""
            raise ArgumentError(text or f"{key} of the Question is not for abrank.{taker}")
    return result


def _differ(value: object, default: object) -> bool:
    """Whether two values differ; objects such as tables, which have no truth value, do."""
    return value is not default and (type(value) is not type(default) or value != default)
