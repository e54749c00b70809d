"""Command-line flags generated from :mod:`abrank.options`, ``--config``, and help texts."""

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
from abrank.options import Option, Scoring
from abrank.options.parts import PAIR, options_in
from abrank.options.values import COMMANDS, HEADINGS, nested, options_of
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
# Longer flags have their help on the next line; all help texts start in the same column.
WIDE = 30


class WordChoice(click.Choice[str]):
    """A choice of words; the error for a wrong one suggests the most similar."""

    # Choices given as a function are only computed when a value is parsed, not for `--help`.

    def __init__(self, choices: Sequence[str] | Callable[[], tuple[str, ...]]) -> None:
        self._choices = choices
        super().__init__(() if callable(choices) else choices)

    @property
    def choices(self) -> tuple[str, ...]:
        """The words."""
        return self._choices() if callable(self._choices) else tuple(self._choices)

    @choices.setter
    def choices(self, choices: tuple[str, ...]) -> None:
        """Set the choices; click does this when it copies the object."""

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return the word, or an error with the available words."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            close = nearest(str(value), self.choices, str(param and param.name))
            if close and len(self.choices) > 1:
                self.fail(f"{error.message.rstrip('.')}; did you mean {close[0]}?", param, ctx)
            raise


class Flag(click.Option):
    """A flag under a heading; ``option`` is its origin, None for flags of a single command."""

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
        """Whether the short ``--help`` includes it."""
        return self.option is None or self.option.first

    def in_brief(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return its line in ``--help``."""
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
    """Return a flag of a single command, under a heading."""
    return click.option(*names, cls=Flag, group=group, **rest)


def flag(option: Option, **rest: Any) -> Callable[[Function], Function]:  # noqa: ANN401
    """Return the flag of an option; ``rest`` overrides properties for one command."""
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
    """Return the flags of some options, by key, as these functions have them."""
    options = options_of(*functions)
    return stack(*(flag(options[key]) for key in keys))


def every(command: str, *, own_letter: str = "") -> Callable[[Function], Function]:
    """Return all flags of a command; ``own_letter`` is reserved for another flag."""
    takers = COMMANDS[command]
    flags = [option for option in options_of(*takers).values() if option.is_flag(*takers)]
    return stack(
        *(flag(replace(item, short="") if item.short == own_letter else item) for item in flags)
    )


def stack(*decorators: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Apply decorators in the order of a stack."""

    def decorate(function: Function) -> Function:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def _whole(limit: float | None) -> int | None:
    return None if limit is None else int(limit)


def grade(text: str) -> float:
    """Parse a lowest relevant grade."""
    try:
        return relevant_grade("the lowest relevant grade", float(text))
    except ValueError as error:  # includes abrank's errors
        raise click.BadParameter(str(error)) from None


def _size(text: str) -> int:
    try:
        return size(str(text))
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _complete_measure(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Return the measure names that complete the word under the cursor."""
    from abrank.measures import catalogue

    return [name for name in catalogue() if name.casefold().startswith(incomplete.casefold())]


# --- The arguments on the command line


def given(*names: str) -> set[str]:
    """Return which of the parameters were given on the command line."""
    source = click.get_current_context().get_parameter_source
    return {name for name in names if source(name) is click.core.ParameterSource.COMMANDLINE}


def command() -> str:
    """Return the command line as it was typed."""
    return shlex.join(["abrank", *click.get_current_context().obj])


def options_given() -> Iterator[tuple[str, Any]]:
    """Yield key and value of each option that was given on the command line."""
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
    """Return the scoring options that were given."""
    result: Scoring = nested(dict(options_given())).get("scoring", Scoring())
    return result


def require_taken(taker: str, why: str, values: Iterable[str] = ()) -> None:
    """Refuse flags that would have no effect, because another function has them."""
    options = options_of(taker)
    flags = (key for key, _ in options_given() if key not in FILES)
    for key in (*values, *flags):
        if key not in options:
            name = key if key in FILES else f"--{key.replace('_', '-').replace('.', '-')}"
            reason = REASONS.get(taker, {}).get(key, "").replace("()", "")
            raise click.UsageError(f"{name} {why}{reason and f'; {reason}'}")


# --- Inputs


pair = stack(
    click.argument("qrels", type=RUN, required=False, metavar="[TABLE|QRELS]"),
    click.argument("a", type=RUN, required=False, metavar="[RUN_A]"),
    click.argument("b", type=RUN, required=False, metavar="[RUN_B]"),
)


def named(paths: tuple[str, ...]) -> dict[str, Any]:
    """Return run files by system name; see :func:`distinct_names`."""
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
    """Split ``NAME=RUN1,RUN2`` into name and runs; a plain path has no name."""
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
    """Refuse a call without files, with two kinds of files, or with flags without effect."""
    if scores is None and None in files:
        from abrank.inputs.score_source import holds_scores

        ready = [file for file in files if file is not None]
        command = ""
        if isinstance(values, Mapping) and files[0] is None:  # from a rule file
            if files[1] is not None and files[2] is None:
                command = f'; in a rule file scores = "{files[1]}"'
            elif "baseline" in values or "candidate" in values:
                command = "; in a rule file qrels, a and b are files, baseline and candidate names"
        with contextlib.suppress(AbrankError):
            if len(ready) == 2 and all(holds_scores(file, alone=True) for file in ready):
                name = str(click.get_current_context().info_name)
                command = f": {shlex.join(['abrank', name, '--scores', *ready])}"
        raise click.UsageError(
            "a table of scores is needed, or QRELS, RUN_A and RUN_B; two tables need"
            f" --scores{command}"
        )
    if scores is not None and not 1 <= len(scores) <= 2:
        raise click.UsageError(
            f"--scores takes one or two tables of scores, not {len(scores)}; abrank rank --scores"
            " takes more"
        )
    if scores is not None and any(files):
        raise click.UsageError("--scores takes tables of scores instead of QRELS, RUN_A and RUN_B")
    if [*files, *(scores or ())].count("-") > 1:
        raise click.UsageError("only one of the files can be standard input")
    if scores is not None:
        require_taken("compare_scores", "is for runs, not for ready scores", values)


_TABLES = (".csv", ".tsv", ".parquet", ".pq", ".feather", ".xlsx", ".json", ".jsonl")


def _score_files(context: click.Context) -> list[str]:
    """Return the files of a call without ``--scores`` if they are tables of scores; else none."""
    typed = context.params
    instead = ("scores", "ready", "collections", "preferences", "sd")
    # The rule file may declare the judgments and the runs.
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

    # Missing files are reported where they are read; folders hold partitions of judgments or runs.
    there = [name for name in files if alone or is_regular(name)]
    try:
        return files if there and all(holds_scores(name, alone=alone) for name in there) else []
    except AbrankError:
        return files if alone else []  # the reader reports the error


# --- Help


class Grouped(click.Command):
    """A command whose ``--help`` shows the most used flags, and ``--help-all`` all of them."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the flags, including ``--help-all`` if ``--help`` omits some."""
        params = super().get_params(ctx)
        if all(item.first for item in params if isinstance(item, Flag)):
            return params
        if self._all is None:
            self._all = click.Option(
                [ALL], is_flag=True, is_eager=True, expose_value=False, callback=self._show_all,
                help="Show all flags by topic, and exit.",
            )  # fmt: skip
        return [*params, self._all]

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401
        """Run the command; tables of scores do not need ``--scores``."""
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
        """Write the epilog below all flags."""
        if ALL in ctx.meta or self._all is None:
            super().format_epilog(ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the flags: those of ``--help`` as a list, or all of them under headings."""
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
            with formatter.section("Further keys of --config FILE or --config KEY=VALUE"):
                formatter.write_dl([(key.ljust(WIDE), text) for key, text in rare])


# --- ``--config``: the rule declared beforehand, in a file or key by key

Compared = TypeVar("Compared", bound="Comparison | CollectionsComparison | Intervals")

KEY = "declared"
_PAIR = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.-]*)\s*=\s*(.*)", re.DOTALL)


@dataclass(frozen=True)
class Stated:
    """The content of --config: a file, its values, and keys set on the command line."""

    rule: RuleFile | None = None
    declared: Mapping[str, Any] = field(default_factory=dict)
    set_here: Mapping[str, Any] = field(default_factory=dict)

    @property
    def changed(self) -> dict[str, Any]:
        """The values that this call sets by key: typed flags and files, and keys."""
        here = with_one_gate(self.set_here, self.declared)
        return here | with_one_gate(dict(options_given()), dict(self.declared) | here)


def _takers() -> tuple[str, ...]:
    return COMMANDS.get(str(click.get_current_context().command.name), ())


def _stated() -> Stated:
    result: Stated = click.get_current_context().meta.get(KEY, Stated())
    return result


def config_values() -> dict[str, Any]:
    """Return the options by key, from flags or --config."""
    stated = _stated()
    everything = {**stated.declared, **stated.changed}
    return {key: value for key, value in everything.items() if value is not None}


def config_files() -> list[Any]:
    """Return the rule file, and the inputs that it names."""
    stated = _stated()
    options = options_of(*_takers())
    named = {**stated.declared, **stated.set_here}
    paths = [item for key, item in named.items() if options[key].kind == "path"]
    return [*([] if stated.rule is None else [stated.rule.path]), *paths]


def with_declared(result: Compared) -> Compared:
    """Add the rule file, if any, to the provenance of a result."""
    # Recorded are `path`, `sha256` and `deviations`, each with `setting`, `declared` and `used`.
    stated = _stated()
    if stated.rule is None:
        return result
    changed = deviations(stated.changed, stated.declared, options_of(*_takers()))
    recorded = stated.rule.recorded(changed)
    return replace(result, provenance={**result.provenance, "declared": recorded})


def _read(context: click.Context, _: click.Parameter, arguments: tuple[str, ...]) -> None:
    """Read the file and the keys, which are the defaults of flags that are not given."""
    # Path() would raise an error for impossible file names.
    paths = [
        path
        for path in arguments
        if os.path.exists(path) or _PAIR.fullmatch(path) is None  # noqa: PTH110
    ]
    lone = next((path for path in paths if path.replace("-", "_") in options_of(*PAIR)), None)
    if lone is not None and not os.path.exists(lone):  # noqa: PTH110
        raise click.UsageError(f"--config {lone} has no value: --config {lone}=...")
    if len(paths) > 1:
        raise click.UsageError("--config takes one file, and KEY=VALUE as often as you like")
    rule, takers = read_rule(paths[0]) if paths else None, COMMANDS[str(context.command.name)]
    from abrank._support.files import parse_toml

    keys: dict[str, Any] = {}  # TOML values, or text that is not TOML
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


# Processed first, because it sets the defaults of the other flags.
config_option = flag(
    Option(
        key="config",
        of=PAIR,
        group="Inputs",
        metavar="FILE",
        several=True,
        first=True,
        help="Read options from a TOML file. Write it before you see results. Its keys are the long"
        " flags, the keys below, and qrels, a and b. KEY=VALUE sets one key. The report lists every"
        " flag and KEY=VALUE that differs from the file.",
    ),
    metavar="FILE|KEY=VALUE",
    is_eager=True,
    expose_value=False,
    callback=_read,
)
