"""Flags made from :mod:`abrank.options`, the rule that ``--config`` declares, and their help."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abrank._support.checks import REASONS, relevant_grade
from abrank._support.errors import AbrankError, ReadError, nearest
from abrank.options import COMMANDS, HEADINGS, PAIR, Option, Scoring, nested, options_in, options_of
from abrank.rule_file import RuleFile, deviations, read_rule, size, with_one_gate

if TYPE_CHECKING:
    from abrank.collections import CollectionsComparison
    from abrank.comparison import Comparison
    from abrank.scoring.intervals import Intervals


Function = TypeVar("Function", bound=Callable[..., Any])

RUN = click.Path(dir_okay=True, allow_dash=True)
SCORING = (*(option.key for option in options_in(Scoring) if option.flag), "as")
ALL = "--help-all"
FILES = ("qrels", "a", "b")
# Flags of at most so many characters have their text beside them; all texts begin in one column.
WIDE = 30


class WordChoice(click.Choice[str]):
    """One of several words, whose error names the one that was meant."""

    # Those of a function are asked for when a value is read: `--help` goes without them.

    def __init__(self, choices: Sequence[str] | Callable[[], tuple[str, ...]]) -> None:
        self._choices = choices
        super().__init__(() if callable(choices) else choices)

    @property
    def choices(self) -> tuple[str, ...]:
        """The words."""
        return self._choices() if callable(self._choices) else tuple(self._choices)

    @choices.setter
    def choices(self, choices: tuple[str, ...]) -> None:
        """Keep those that were given: click sets what it has copied of them."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return the word, or say which are there."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            close = nearest(str(value), self.choices, str(param and param.name))
            if close and len(self.choices) > 1:
                self.fail(f"{error.message.rstrip('.')}; did you mean {close[0]}?", param, ctx)
            raise


class Flag(click.Option):
    """A flag under a heading; ``option`` is what it was made from, None where a command has it."""

    def __init__(
        self,
        *args: Any,  # noqa: ANN401
        group: str = "Output",
        option: Option | None = None,
        **rest: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*args, **rest)
        self.group, self.option = group, option

    @property
    def first(self) -> bool:
        """Whether ``--help`` shows it."""
        return self.option is None or self.option.first

    def in_brief(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the line of ``--help``."""
        record = self.get_help_record(ctx)
        if record is None or self.option is None:
            return record
        names = ", ".join(filter(None, (self.option.short, self.option.long)))
        takes = self.option.metavar
        if not takes:
            choices = self.option.names
            takes = self.option.key.upper() if len(choices) > 1 else "".join(choices)
        return f"{names} {takes}".strip(), self.option.brief


def own(*names: str, group: str, **rest: Any) -> Callable[[Function], Function]:  # noqa: ANN401
    """Return a flag that one command has, under a heading."""
    return click.option(*names, cls=Flag, group=group, **rest)


def flag(option: Option, **rest: Any) -> Callable[[Function], Function]:  # noqa: ANN401
    """Return the flag of an option; ``rest`` differs in one command."""
    kinds: dict[str, Any] = {
        "path": RUN,
        "size": _size,
        "grade": grade,
        "folder": click.Path(file_okay=False),
    }
    if option.kind == "count":
        kinds["count"] = click.IntRange(_whole(option.minimum), _whole(option.maximum))
    if option.kind == "number":
        kinds["number"] = float if option.minimum is None else click.FloatRange(option.minimum)
    if option.kind == "choice":
        kinds["choice"] = WordChoice(option.choices)
    is_flag = option.kind == "flag" or option.positional
    options: dict[str, Any] = {
        "is_flag": is_flag,
        "type": None if is_flag else kinds.get(option.kind),
        "multiple": option.several and not is_flag,
        "default": False if option.positional else None if option.several else option.default,
        "show_default": option.kind in ("choice", "number", "count") and option.default is not None,
        "metavar": None if is_flag else option.metavar or None,
        "help": option.help,
    }
    if option.kind == "measure":
        options["shell_complete"] = _complete_measure
    names = filter(None, (option.short, option.long))
    return click.option(*names, cls=Flag, group=option.group, option=option, **(options | rest))


def take(*keys: str, functions: tuple[str, ...] = PAIR) -> Callable[[Function], Function]:
    """Return the flags of some options, by their keys, as these functions take them."""
    options = options_of(*functions)
    return stack(*(flag(options[key]) for key in keys))


def every(command: str, *, own_letter: str = "") -> Callable[[Function], Function]:
    """Return all flags of a command, without the letter that one of its own flags has."""
    takers = COMMANDS[command]
    flags = [option for option in options_of(*takers).values() if option.is_flag(*takers)]
    return stack(
        *(flag(replace(item, short="") if item.short == own_letter else item) for item in flags)
    )


def replications(help: str) -> Callable[[Function], Function]:
    """Return the flag of a simulation; the help says what is repeated so often."""
    return own(
        "--replications", group="Measures and tests", type=click.IntRange(100), default=1000,
        show_default=True, metavar="N", help=help,
    )  # fmt: skip


def stack(*decorators: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Apply decorators as if they stood one above the other."""

    def decorate(function: Function) -> Function:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def _whole(limit: float | None) -> int | None:
    return None if limit is None else int(limit)


def grade(text: str) -> float:
    """Return a lowest relevant grade, as the type of a flag."""
    try:
        return relevant_grade("the lowest relevant grade", float(text))
    except ValueError as error:  # also what abrank raises
        raise click.BadParameter(str(error)) from None


def _size(text: str) -> int:
    try:
        return size(str(text))
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _complete_measure(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of measures that begin as the word under the cursor, for a shell."""
    from abrank.measures import catalogue

    return [name for name in catalogue() if name.casefold().startswith(incomplete.casefold())]


# --- What was given


def given(*names: str) -> set[str]:
    """Return those of the parameters that stand on the command line."""
    source = click.get_current_context().get_parameter_source
    return {name for name in names if source(name) is click.core.ParameterSource.COMMANDLINE}


def options_given() -> Iterator[tuple[str, Any]]:
    """Yield the key and the value of each option that stands on the command line."""
    context = click.get_current_context()
    inputs = options_of(*COMMANDS.get(str(context.command.name), PAIR))
    ready = "scores" in inputs and inputs["scores"].positional and context.params.get("scores")
    if ready:
        yield "scores", [context.params[name] for name in FILES if context.params.get(name)]
        inputs = {}
    for parameter in context.command.params:
        name, option = str(parameter.name), getattr(parameter, "option", None)
        if name not in context.params:
            continue
        value = context.params[name]
        if isinstance(parameter, click.Argument) and name in inputs and value:
            yield name, value
        elif option is not None and not option.positional and given(name):
            yield option.key, value


def scoring() -> Scoring:
    """Return how runs are scored by what was given."""
    result: Scoring = nested(dict(options_given())).get("scoring", Scoring())
    return result


def require_taken(taker: str, why: str, values: Iterable[str] = ()) -> None:
    """Refuse flags that would do nothing, because another function takes them."""
    options = options_of(taker)
    flags = (key for key, _ in options_given() if key not in FILES)
    for key in (*values, *flags):
        if key not in options:
            name = key if key in FILES else f"--{key.replace('_', '-').replace('.', '-')}"
            reason = REASONS.get(taker, {}).get(key, "").replace("()", "")
            raise click.UsageError(f"{name} {why}{reason and f'; {reason}'}")


# --- Inputs


pair = stack(
    click.argument("qrels", type=RUN, required=False),
    click.argument("a", type=RUN, required=False, metavar="[RUN_A]"),
    click.argument("b", type=RUN, required=False, metavar="[RUN_B]"),
)


def named(paths: tuple[str, ...]) -> dict[str, Any]:
    """Return run files by the names of their systems; see :func:`distinct_names`."""
    # `NAME=RUN1,RUN2` are repeated runs of one system.
    from abrank.inputs.files import distinct_names

    read = [repeated(path) for path in paths]
    short = iter(distinct_names([run for name, run in read if name is None]))
    result: dict[str, Any] = {}
    for path, (name, run) in zip(paths, read, strict=True):
        system = next(short) if name is None else name
        if system in result:
            raise click.UsageError(f"{path} is given twice")
        result[system] = run
    return result


def repeated(path: str) -> tuple[str | None, Any]:
    """Return the name and the runs of ``NAME=RUN1,RUN2``; a path without a name as it is."""
    name, equals, runs = path.partition("=")
    if not equals or not name or "/" in name or os.path.exists(path):  # noqa: PTH110
        return None, path
    files = runs.split(",")
    if "" in files:
        raise click.UsageError(f"{path} is not NAME=RUN1,RUN2: a run has no name")
    return name, files[0] if len(files) == 1 else files


def require_inputs(
    files: list[str | None], scores: Sequence[str] | None, values: Iterable[str] = ()
) -> None:
    """Refuse a call without files, with two kinds of them, or with flags that do nothing."""
    if scores is None and None in files:
        from abrank.inputs.score_source import holds_scores

        ready = [file for file in files if file is not None]
        command = ""
        if isinstance(values, Mapping) and files[0] is None:  # of a rule file
            if files[1] is not None and files[2] is None:
                command = f'; in a rule file scores = "{files[1]}"'
            elif "baseline" in values or "candidate" in values:
                command = "; in a rule file qrels, a and b are files, baseline and candidate names"
        with contextlib.suppress(AbrankError):
            if len(ready) == 2 and all(holds_scores(file, alone=True) for file in ready):
                name = str(click.get_current_context().info_name)
                command = f": {shlex.join(['abrank', name, '--scores', *ready])}"
        raise click.UsageError(
            f"QRELS, RUN_A and RUN_B are needed (or --scores and one table or two{command})"
        )
    if scores is not None and not 1 <= len(scores) <= 2:
        raise click.UsageError(
            f"--scores takes one table of scores or two, not {len(scores)}; abrank rank --scores"
            " takes more"
        )
    if scores is not None and any(files):
        raise click.UsageError("--scores stands in the place of QRELS RUN_A RUN_B")
    if [*files, *(scores or ())].count("-") > 1:
        raise click.UsageError("only one of the files can be standard input")
    if scores is not None:
        require_taken("compare_scores", "is for runs, not for ready scores", values)


_TABLES = (".csv", ".tsv", ".parquet", ".pq", ".feather", ".xlsx", ".json", ".jsonl")


def _score_files(context: click.Context) -> list[str]:
    """Return the files of a call without ``--scores`` that are tables of scores; else none."""
    typed = context.params
    instead = ("scores", "ready", "collections", "preferences", "sd")
    # A rule file may declare the judgments and the runs.
    declared = getattr(context.meta.get("declared"), "declared", {})
    if (
        not {"scores", "ready"} & {*typed}
        or any(typed.get(name) for name in instead)
        or not {*FILES, "runs", "scores"}.isdisjoint(declared)
    ):
        return []
    named = [*(typed.get(name) for name in FILES), *typed.get("runs", ())]
    files: list[str] = [name for name in named if name is not None]
    alone = len(files) == 1
    several = len(files) > 1 and context.info_name != "score"
    if not files or not (alone or (several and all(name.endswith(_TABLES) for name in files))):
        return []

    from abrank.inputs.files import is_regular
    from abrank.inputs.score_source import holds_scores

    # What is not there is named where it is read; a folder holds partitions of judgments or a run.
    there = [name for name in files if alone or is_regular(name)]
    try:
        return files if there and all(holds_scores(name, alone=alone) for name in there) else []
    except AbrankError:
        return files if alone else []  # whoever reads it says what is wrong


# --- Help


class Grouped(click.Command):
    """A command whose ``--help`` shows the flags that most need, and ``--help-all`` all of them."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the flags, and ``--help-all`` where ``--help`` leaves some out."""
        params = super().get_params(ctx)
        if all(item.first for item in params if isinstance(item, Flag)):
            return params
        if self._all is None:
            self._all = click.Option(
                [ALL], is_flag=True, is_eager=True, expose_value=False, callback=self._show_all,
                help="Show every flag, under headings, and exit.",
            )  # fmt: skip
        return [*params, self._all]

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401
        """Run the command; files that hold scores alone need no ``--scores``."""
        if files := _score_files(ctx):
            if ctx.info_name == "score":
                ctx.params |= {"qrels": None, "ready": files[0]}
            else:
                ctx.params["ready" if ctx.info_name == "margin" else "scores"] = True
        return super().invoke(ctx)

    _all: click.Option | None = None

    def _show_all(self, ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted:
            ctx.meta[ALL] = True
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the epilog under all flags."""
        if ALL in ctx.meta or self._all is None:
            super().format_epilog(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the flags: those of ``--help`` in a list, or all under their headings."""
        parameters = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        if self._all is not None and ALL not in ctx.meta:
            rows = [
                parameter.in_brief(ctx)
                if isinstance(parameter, Flag)
                else parameter.get_help_record(ctx)
                for parameter in sorted(
                    parameters, key=lambda x: HEADINGS.index(getattr(x, "group", "Output"))
                )
                if not isinstance(parameter, Flag) or parameter.first
            ]
            with formatter.section("Options"):
                formatter.write_dl([(name.ljust(WIDE), text) for name, text in filter(None, rows)])
            return
        for heading in HEADINGS:
            records = [
                record
                for parameter in parameters
                if getattr(parameter, "group", "Output") == heading
                and (record := parameter.get_help_record(ctx)) is not None
            ]
            if records:
                with formatter.section(heading):
                    formatter.write_dl([(name.ljust(WIDE), text) for name, text in records])
        takers = COMMANDS.get(str(self.name), ())
        keys = [option for option in options_of(*takers).values() if not option.is_flag(*takers)]
        rare = [(key.key, key.help) for key in keys if key.group]
        if "compare" in takers:
            with formatter.section("Keys of --config beside the flags, also --config KEY=VALUE"):
                formatter.write_dl([(key.ljust(WIDE), text) for key, text in rare])


# --- ``--config``: the rule declared beforehand, in a file beside the ranker, or key by key

Compared = TypeVar("Compared", bound="Comparison | CollectionsComparison | Intervals")

KEY = "declared"
_PAIR = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.-]*)\s*=\s*(.*)", re.DOTALL)


_HELP = (
    "The rule declared beforehand, a TOML file. Its keys are the long flags, the keys below and"
    " qrels, a and b. A flag that differs from it is reported as a deviation, and so is KEY=VALUE,"
    " which sets one key."
)


def config_option(function: Any) -> Any:  # noqa: ANN401 - a decorator of click
    """Add the flag; it is read before the others, which it gives their values."""
    return click.option(
        "--config",
        cls=Flag,
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
        return here | with_one_gate(dict(options_given()), dict(self.declared) | here)


def _takers() -> tuple[str, ...]:
    """Return the functions whose options are those of the command that runs."""
    return COMMANDS.get(str(click.get_current_context().command.name), ())


def _stated() -> Stated:
    result: Stated = click.get_current_context().meta.get(KEY, Stated())
    return result


def config_values() -> dict[str, Any]:
    """Return the options by their keys, as flags or --config give them."""
    stated = _stated()
    everything = {**stated.declared, **stated.changed}
    return {key: value for key, value in everything.items() if value is not None}


def config_files() -> list[Any]:
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
