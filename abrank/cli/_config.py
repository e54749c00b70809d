"""``--config``: the rule declared beforehand, in a TOML file beside the ranker, or key by key."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abrank._support.errors import ReadError
from abrank.cli import _flags
from abrank.options import COMMANDS, PAIR, Option, options_of
from abrank.rule_file import RuleFile, deviations, read_rule, with_one_gate

if TYPE_CHECKING:
    from abrank.collections import CollectionsComparison
    from abrank.comparison import Comparison
    from abrank.scoring.intervals import Intervals

Compared = TypeVar("Compared", bound="Comparison | CollectionsComparison | Intervals")

KEY = "declared"
_PAIR = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.-]*)\s*=\s*(.*)", re.DOTALL)


_HELP = (
    "The rule declared beforehand, a TOML file. Its keys are the long flags, the keys below and"
    " qrels, a and b. A flag that differs from it is reported as a deviation, and so is KEY=VALUE,"
    " which sets one key."
)


def option(function: Any) -> Any:  # noqa: ANN401 - a decorator of click
    """Add the flag; it is read before the others, which it gives their values."""
    return click.option(
        "--config",
        cls=_flags.Flag,
        group="Inputs",
        metavar="FILE|KEY=VALUE",
        is_eager=True,
        expose_value=False,
        multiple=True,
        callback=_read,
        option=Option(
            key="config", of=PAIR, group="Inputs", metavar="FILE", first=True, help=_HELP
        ),
        help=_HELP,
    )(function)


@dataclass(frozen=True)
class Stated:
    """What --config states: a file, what it declares, and keys that were set beside it."""

    rule: RuleFile | None = None
    declared: Mapping[str, Any] = field(default_factory=dict)
    set_here: Mapping[str, Any] = field(default_factory=dict)

    @property
    def changed(self) -> dict[str, Any]:
        """What this call gives by key: flags and files typed, and keys set."""
        here = with_one_gate(self.set_here, self.declared)
        return here | with_one_gate(dict(_flags.options_given()), dict(self.declared) | here)


def _takers() -> tuple[str, ...]:
    """Return the functions whose options are those of the command that runs."""
    return COMMANDS.get(str(click.get_current_context().command.name), ())


def _stated() -> Stated:
    result: Stated = click.get_current_context().meta.get(KEY, Stated())
    return result


def values() -> dict[str, Any]:
    """Return the options by their keys, as flags or --config give them."""
    stated = _stated()
    everything = {**stated.declared, **stated.changed}
    return {key: value for key, value in everything.items() if value is not None}


def files() -> list[Any]:
    """Return the file that declared the rule, and the inputs that it names."""
    stated = _stated()
    options = options_of(*_takers())
    named = {**stated.declared, **stated.set_here}
    paths = [item for key, item in named.items() if options[key].kind == "path"]
    return [*([] if stated.rule is None else [stated.rule.path]), *paths]


def with_declared(result: Compared) -> Compared:
    """Return a result whose provenance says which file declared the rule, if one did."""
    # With it stand `path`, `sha256` and `deviations`, of `setting`, `declared` and `used` each.
    stated = _stated()
    if stated.rule is None:
        return result
    changed = deviations(stated.changed, stated.declared, options_of(*_takers()))
    recorded = stated.rule.recorded(changed)
    return replace(result, provenance={**result.provenance, "declared": recorded})


def _read(context: click.Context, _: click.Parameter, arguments: tuple[str, ...]) -> None:
    """Read the file and the keys, which stand in for flags that are not given."""
    # Path() would raise on a name that no file can have.
    paths = [
        path
        for path in arguments
        if os.path.exists(path) or _PAIR.fullmatch(path) is None  # noqa: PTH110
    ]
    lone = next((path for path in paths if path.replace("-", "_") in options_of(*PAIR)), None)
    if lone is not None and not os.path.exists(lone):  # noqa: PTH110
        raise click.UsageError(f"--config {lone} states no value: --config {lone}=...")
    if len(paths) > 1:
        raise click.UsageError("--config takes one file, and KEY=VALUE as often as you like")
    rule, takers = read_rule(paths[0]) if paths else None, COMMANDS[str(context.command.name)]
    from abrank._support.files import parse_toml

    keys: dict[str, Any] = {}  # values as TOML has them, or the text as it is
    for item in arguments:
        if item in paths:
            continue
        key, text = _PAIR.fullmatch(item).groups()  # type: ignore[union-attr]
        try:
            value = parse_toml(f"value = {text}".encode(), "--config")["value"]
        except ReadError:
            value = text
        keys[key.replace("-", "_")] = value
    pairs = RuleFile("--config", "", keys)
    context.meta[KEY] = Stated(
        rule, {} if rule is None else rule.values(*takers), pairs.values(*takers)
    )
