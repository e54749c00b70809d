"""``--config FILE``: the rule declared beforehand, in a TOML file beside the ranker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abrank._support.errors import ArgumentError
from abrank.rule_file import NAMES, PATHS, RuleFile, read_rule, shown

if TYPE_CHECKING:
    from abrank.collections import CollectionsComparison
    from abrank.comparison import Comparison

Compared = TypeVar("Compared", bound="Comparison | CollectionsComparison")

# Flags that are no part of a rule: where results go, and how they look.
NOT_DECLARED = frozenset(
    ["config", "reports", "figures", "all_figures", "shown", "digits", "style", "color",
     "ascii_only", "quiet", "verbose", "help", "max_input_size"]
)  # fmt: skip
KEY = "declared"


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
    rule: RuleFile | None = context.meta.get(KEY)
    if rule is None:
        return None
    stated = context.default_map or {}
    deviations = []
    for parameter in context.command.params:
        name = str(parameter.name)
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if not given or name in NOT_DECLARED or (name in PATHS and name not in stated):
            continue
        before = stated.get(name, parameter.get_default(context, call=True))
        before, used = (shown(name, value) for value in (before, context.params[name]))
        if before != used:
            deviations.append({"setting": _named(parameter), "declared": before, "used": used})
    return rule.recorded(deviations)


def _named(parameter: click.Parameter) -> str:
    by_name = {name: key.replace("_", "-") for key, name in NAMES.items()}
    return by_name.get(str(parameter.name)) or max(parameter.opts, key=len).lstrip("-")


def _read(context: click.Context, _: click.Parameter, path: str | None) -> None:
    """Read the file and let its values stand in for flags that are not given."""
    if path is None:
        return
    rule = read_rule(path)
    parameters = {str(each.name): each for each in context.command.params}
    keys = _keys(parameters)
    values: dict[str, Any] = {}
    stated_by: dict[str, str] = {}
    for key, value in rule.stated.items():
        name = keys.get(key)
        if name is None:
            raise rule.unknown(key, keys)
        rule.require_once(name, key, stated_by)
        values[name] = _value(rule, key, value, parameters[name])
    context.default_map = values
    context.meta[KEY] = rule


def _keys(parameters: Mapping[str, click.Parameter]) -> dict[str, str]:
    """Return the name of the parameter for each key: its long flags, with underscores."""
    found = dict(NAMES)
    for name, parameter in parameters.items():
        if name in NOT_DECLARED or isinstance(parameter, click.Argument):
            continue
        found |= {each[2:].replace("-", "_"): name for each in parameter.opts if each[:2] == "--"}
        if parameter.multiple if isinstance(parameter, click.Option) else False:
            found[name] = name  # measures = [...] beside measure = "..."
    return found


def _value(rule: RuleFile, key: str, value: Any, parameter: click.Parameter) -> Any:  # noqa: ANN401
    """Return a value as click takes it: lists for flags that repeat, paths beside the file."""
    listed = isinstance(value, list)
    several = parameter.nargs > 1 or (isinstance(parameter, click.Option) and parameter.multiple)
    if isinstance(value, dict) or (listed and not several):
        raise ArgumentError(f"{rule.path}: {key} takes one value, as the flag does")
    flag = isinstance(parameter, click.Option) and parameter.is_flag
    if flag is not isinstance(value, bool):
        kind = "true or false" if flag else "text or a number"
        raise ArgumentError(f"{rule.path}: {key} takes {kind}")
    if flag:
        return value
    texts = [str(each) for each in value] if listed else [str(value)]
    if parameter.name in PATHS:
        texts = [rule.beside(each) for each in texts]
    return texts if several else texts[0]
