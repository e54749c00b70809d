"""``--config FILE``: the rule declared beforehand, in a TOML file beside the ranker."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abrank._support.display import shorten
from abrank._support.errors import ArgumentError, NotFoundError, ReadError, nearest

if TYPE_CHECKING:
    from abrank.collections import CollectionsComparison
    from abrank.comparison import Comparison

Compared = TypeVar("Compared", bound="Comparison | CollectionsComparison")

# Flags that are no part of a rule: where results go, and how they look.
NOT_DECLARED = frozenset(
    ["config", "reports", "figures", "all_figures", "shown", "digits", "style", "color",
     "ascii_only", "quiet", "verbose", "help", "max_input_size"]
)  # fmt: skip
# What the file calls by another name than the flag's parameter.
_NAMES = {"qrels": "qrels", "baseline_run": "run_a", "candidate_run": "run_b"}
PATHS = ("qrels", "run_a", "run_b", "scores", "segments", "topics", "clusters")
_KEY = "declared"


def option(function: Any) -> Any:  # noqa: ANN401 - a decorator of click
    """Add the flag; it is read before the others, which it gives their values."""
    return click.option(
        "--config",
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=_read,
        help="The rule declared beforehand: a TOML file whose keys are the long flags, and"
        " baseline_run, candidate_run, qrels. A flag that differs from it is told as a deviation.",
    )(function)


def with_declared(found: Compared) -> Compared:
    """Return a result whose provenance says which file declared the rule, if one did."""
    stated = declared()
    if stated is None:
        return found
    return replace(found, provenance={**found.provenance, "declared": stated})


def declared() -> dict[str, Any] | None:
    """Return the file that declared the rule, its hash, and how the call deviates; None without.

    Returns
    -------
    dict or None
        ``path``, ``sha256`` and ``deviations``: a list of ``setting``, ``declared`` and ``used``.
    """
    context = click.get_current_context()
    found: dict[str, Any] | None = context.meta.get(_KEY)
    if found is None:
        return None
    stated = context.default_map or {}
    deviations = []
    for parameter in context.command.params:
        name = str(parameter.name)
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if not given or name in NOT_DECLARED or (name in PATHS and name not in stated):
            continue
        before = stated.get(name, parameter.get_default(context, call=True))
        before, used = (_text(parameter, value) for value in (before, context.params[name]))
        if before != used:
            deviations.append({"setting": _named(parameter), "declared": before, "used": used})
    return {**found, "deviations": deviations}


def _text(parameter: click.Parameter, value: Any) -> str:  # noqa: ANN401 - of any flag
    """Return a value as it would stand on a command line; a margin of 0.010 is one of 0.01."""
    if value is None or value == ():
        return "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    if parameter.name == "look":
        return f"of {str(value).partition('/')[2].strip()}"  # this look is another each time
    try:
        return f"{float(value):g}" if not isinstance(value, bool) else str(value).lower()
    except ValueError:
        return str(value)


def _named(parameter: click.Parameter) -> str:
    by_name = {name: key.replace("_", "-") for key, name in _NAMES.items()}
    return by_name.get(str(parameter.name)) or max(parameter.opts, key=len).lstrip("-")


def _read(context: click.Context, _: click.Parameter, path: str | None) -> None:
    """Read the file and let its values stand in for flags that are not given."""
    if path is None:
        return
    file = Path(path)
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        raise NotFoundError(f"{path}: no such file") from None
    except OSError as problem:
        raise ReadError(path, f"cannot be read: {(problem.strerror or '').lower()}") from None
    try:
        stated = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ReadError(path, f"no TOML: {problem}") from None
    parameters = {str(each.name): each for each in context.command.params}
    keys = _keys(parameters)
    values: dict[str, Any] = {}
    for key, value in stated.items():
        name = keys.get(key.replace("-", "_"))
        if name is None:
            raise _unknown(path, key, keys)
        values[name] = _value(path, key, value, parameters[name], file.parent)
    context.default_map = values
    context.meta[_KEY] = {"path": path, "sha256": hashlib.sha256(data).hexdigest()}


def _keys(parameters: Mapping[str, click.Parameter]) -> dict[str, str]:
    """Return the name of the parameter for each key: its long flags, with underscores."""
    found = dict(_NAMES)
    for name, parameter in parameters.items():
        if name in NOT_DECLARED or isinstance(parameter, click.Argument):
            continue
        found |= {each[2:].replace("-", "_"): name for each in parameter.opts if each[:2] == "--"}
        if parameter.multiple if isinstance(parameter, click.Option) else False:
            found[name] = name  # measures = [...] beside measure = "..."
    return found


def _unknown(path: str, key: str, keys: Mapping[str, str]) -> ArgumentError:
    close = nearest(key, keys)
    hint = f"did you mean {close[0]}?" if close else f"keys: {', '.join(sorted(keys))}"
    return ArgumentError(f'{path}: unknown key "{shorten(key)}"\n  {hint}')


def _value(path: str, key: str, value: Any, parameter: click.Parameter, folder: Path) -> Any:  # noqa: ANN401
    """Return a value as click takes it: lists for flags that repeat, paths beside the file."""
    listed = isinstance(value, list)
    several = parameter.nargs > 1 or (isinstance(parameter, click.Option) and parameter.multiple)
    if isinstance(value, dict) or (listed and not several):
        raise ArgumentError(f"{path}: {key} takes one value, as the flag does")
    flag = isinstance(parameter, click.Option) and parameter.is_flag
    if flag is not isinstance(value, bool):
        kind = "true or false" if flag else "text or a number"
        raise ArgumentError(f"{path}: {key} takes {kind}")
    if flag:
        return value
    texts = [str(each) for each in value] if listed else [str(value)]
    if parameter.name in PATHS:
        texts = [_beside(each, folder) for each in texts]
    return texts if several else texts[0]


def _beside(value: str, folder: Path) -> str:
    """Return a path as seen from where the command runs; what is no file stays as it is."""
    if value == "-":
        return value
    file = folder / value
    return str(file) if file.exists() or Path(value).suffix else value
