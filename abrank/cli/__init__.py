"""The command line: imports commands when called; errors become messages and exit codes."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import shlex
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from pathlib import Path
from types import FrameType
from typing import Any

import click

from abrank._support import __version__
from abrank._support.errors import (
    AbrankError,
    ArgumentError,
    UnclearError,
    UnknownNameError,
    WriteError,
)
from abrank._support.files import ENDING
from abrank.cli import _terminal

EXIT_BUG = 70
EXIT_INTERRUPTED = 130
COMPLETION = "_ABRANK_COMPLETE"
OUT_OF_MEMORY = (
    "not enough memory for these inputs\n"
    "  give fewer runs at a time, or runs with the lines of each query together and without"
    " comments: such a run is read in pieces"
)

COMMANDS = {
    "compare": "decide whether B may replace A",
    "rank": "rank many runs, and say which differ significantly",
    "margin": "help to choose a margin",
    "power": "how many queries are needed to detect a difference",
    "audit": "could a published difference be real?",
    "aa": "is the error rate of a test right on your queries?",
    "inspect": "show both ranked lists of one query",
    "agreement": "do two judges agree, and does the verdict depend on them?",
    "sample": "choose queries or documents that people should judge next",
    "score": "score runs, per query or as means with intervals",
    "render": "write reports from saved results",
    "history": "how often the same queries were used, and what that costs",
    "check": "check qrels, runs and tables of scores",
    "demo": "make sample data and a report, offline, in seconds",
    "guide": "read the manual: first steps, tasks, measures, cautions",
}

# Modules of commands that share a file with others.
_HOMES = {
    "compare": ("rank", "render", "history"),
    "plan": ("power", "margin", "aa"),
    "judge": ("check", "inspect", "sample", "agreement", "audit"),
    "demo": ("guide",),
}


# ruff: noqa: ARG002 - click passes a context to methods that do not need it


class _Commands(click.Group):
    """A group that imports commands only when they are called, not for its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        home = next((file for file, names in _HOMES.items() if cmd_name in names), cmd_name)
        command: click.Command = getattr(importlib.import_module(f"abrank.cli.{home}"), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and os.path.exists(args[0]):  # noqa: PTH110
            problem = f"{args[0]} is a file, and no command: abrank compare {shlex.join(args)}"
            raise ArgumentError(problem)
        if args and args[0] not in COMMANDS:
            raise UnknownNameError("command", args[0], COMMANDS)
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="abrank")
def cli() -> None:
    """Decide whether ranker B may replace ranker A.

    If you are new here, run abrank demo, then abrank guide start. abrank guide commands says how to
    turn on completion in the shell.

    Exit codes: 0 success, and the gate passed if there is one; 1 the gate did not pass; 2 wrong
    usage; 3 the data cannot be used; 70 internal error of abrank.
    """


class _Terminated(BaseException):
    """The process received a signal to end; temporary files are removed first."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.exit_code = 128 + number  # as a shell reports it
        super().__init__("terminated")


# Modules that scipy imports from numpy without need; importing them takes a tenth of a second.
POSTPONED = ("numpy.f2py", "numpy.testing")


class _QuickImports:
    """An import finder that loads these modules on first use."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, _: object = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name in POSTPONED else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its exit code."""
    # A short process creates little garbage, but searching for it took a tenth of its time.
    gc.set_threshold(500_000, 20, 100)
    # On import, numpy's BLAS starts a thread per core, which takes longer than all computations
    # here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.meta_path.insert(0, _QuickImports)
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # ignored under nohup
            signal.signal(number, _stop)
    sys.unraisablehook = partial(_stop_again, otherwise=sys.unraisablehook)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
    if sys.stdout is None:
        sys.exit(_refuse(WriteError("standard output is closed\n  to see nothing: > /dev/null")))
    code = run(sys.argv[1:] if arguments is None else list(arguments))
    # The command has ended, so a pending alarm must not end Python without cleaning up.
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
    for number in ENDING:
        if signal.getsignal(number) is _stop:
            signal.signal(number, signal.SIG_DFL)
    # At exit Python would search for garbage again; frozen objects are skipped.
    gc.freeze()
    sys.exit(code)


def _stop(number: int, frame: FrameType | None) -> None:
    """End the command by an exception; delayed during imports, where it could be lost."""
    signal.signal(number, signal.SIG_DFL)  # a second signal ends the process at once
    while frame is not None:
        importing = frame.f_code.co_filename.startswith("<frozen importlib")
        if importing and hasattr(signal, "setitimer"):  # not on Windows
            _stop_soon(number)
            return
        frame = frame.f_back
    raise KeyboardInterrupt if number == signal.SIGINT else _Terminated(number)


def _stop_soon(number: int) -> None:
    """Send a signal again in 20 ms."""
    signal.signal(signal.SIGALRM, lambda _, frame: _stop(number, frame))
    signal.setitimer(signal.ITIMER_REAL, 0.02)


def _stop_again(
    unraisable: sys.UnraisableHookArgs, otherwise: Callable[[sys.UnraisableHookArgs], object]
) -> None:
    """Signal again if the exception was raised in code that cannot raise, such as a callback."""
    error = unraisable.exc_value
    if isinstance(error, (KeyboardInterrupt, _Terminated)) and hasattr(signal, "setitimer"):
        _stop_soon(error.number if isinstance(error, _Terminated) else signal.SIGINT)
    else:
        otherwise(unraisable)


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code; messages go to standard error."""
    try:
        if shell := os.environ.get(COMPLETION):
            from click.shell_completion import shell_complete

            return shell_complete(cli, {}, "abrank", COMPLETION, shell)
        # Not click's `main`, which ends silently on any broken pipe.
        with cli.make_context("abrank", list(arguments), obj=tuple(arguments)) as context:
            code = cli.invoke(context)
    except click.exceptions.Exit as left:
        return left.exit_code
    except UnclearError as error:
        choices = [choice for choice in error.choices if _is_open(arguments, choice)]
        return _refuse(error.with_calls([_command(arguments, choice) for choice in choices]))
    except (AbrankError, MemoryError, KeyboardInterrupt, click.Abort, _Terminated) as error:
        return _refuse(error)
    except click.ClickException as error:
        return _misused(error)
    except Exception as error:  # noqa: BLE001 - unexpected errors become a message here
        # Errors that name a file were already converted where the file is opened.
        if isinstance(error, OSError) and error.filename is None:
            # Exit code if a pager of click, or a connection, was closed.
            reason = (error.strerror or str(error)).lower()
            if not _terminal.output_is_lost():
                return _refuse(AbrankError(f"the system refused an operation: {reason}"))
            _terminal.give_up_output()
            if isinstance(error, BrokenPipeError):
                return 0  # the reader of a pipe has ended, like `head`
            return _refuse(WriteError(f"standard output cannot be written: {reason}"))
        return _confess()
    return code if isinstance(code, int) else 0


def _is_open(arguments: Sequence[str], choice: Mapping[str, Any]) -> bool:
    """Whether a command has the flags of a suggested choice; rank, for example, has no gate."""
    command = cli.get_command(click.Context(cli), "rank" if choice.get("rank") else arguments[0])
    flags = {flag for parameter in command.params for flag in parameter.opts} if command else set()
    wanted = {"--independent"} if choice.get("independent") else set()
    if choice.get("rank"):
        wanted |= {word.partition("=")[0] for word in arguments if word.startswith("--")}
    return wanted - {"--scores"} <= flags


def _command(arguments: Sequence[str], choice: Mapping[str, Any]) -> str:
    """Return the typed command with the flags of a choice added."""
    from abrank.inputs.score_reading import pairs_of

    words, choice = list(arguments), dict(choice)
    if choice.pop("rank", False):  # more than two systems: keep inputs and measures
        choice["candidate"] = None
        words[0] = "rank"
        if "--collections" in words:  # rank all systems of these
            choice["baseline"] = None
    independent = choice.pop("independent", None)
    if independent is not None:
        words = [word for word in words if word != "--independent"]
        words += ["--independent"] if independent else []
    for key, value in choice.items():
        flag, typed = f"--{key}", []
        while flag in words:  # replace or extend what was typed
            place = words.index(flag)
            typed += words[place + 1 : place + 2]
            del words[place : place + 2]
        if isinstance(value, Mapping):
            parts = {**pairs_of(key, typed), **value}
            value = ",".join(
                f"{part}={name if isinstance(name, str) else ','.join(name)}"
                for part, name in parts.items()
                if name is not None
            )
        words += [] if value is None else [flag, str(value)]
    return shlex.join(["abrank", *words])


def _refuse(error: BaseException) -> int:
    if isinstance(error, AbrankError):
        text, code = f"error: {getattr(error, 'command', '') or error}", error.exit_code
    elif isinstance(error, MemoryError):
        text, code = f"error: {OUT_OF_MEMORY}", AbrankError.exit_code
    elif isinstance(error, _Terminated):
        text, code = "terminated", error.exit_code
    else:
        text, code = "interrupted", EXIT_INTERRUPTED
    _terminal.put("\n  ".join([text, *getattr(error, "__notes__", ())]), err=True)
    return code


_INSTEAD = {
    ("compare", "Got unexpected extra argument (%)"): "a share is one word, as in --margin 1%",
    ("compare", "Invalid value for '--alpha'"): "a share such as 0.05",
    ("compare", "Got unexpected extra"): "repeat -m for each measure, and more than two"
    " runs are ranked (abrank rank)",
    ("inspect", "Got unexpected extra"): "one query at a time",
    ("audit", "Got unexpected extra"): "--queries 50 --a 0.412 --b 0.431",
    ("power", "Invalid value for '--margin'"): "a number in the unit of the measure, such as 0.02",
    ("power", "Invalid value for '--effect'"): "a number in the unit of the measure, such as 0.02",
}


def _misused(error: click.ClickException) -> int:
    """Let click print the usage error, if standard error is open."""
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        from abrank._support.checks import REASONS
        from abrank.options.values import COMMANDS as TAKERS
        from abrank.options.values import flag_of

        name = error.option_name
        ours = flag_of(name, *TAKERS.get(str(error.ctx.info_name), ()))
        reason = REASONS.get(str(error.ctx.info_name), {}).get(name.lstrip("-").replace("-", "_"))
        if name[1:2].isdigit():
            text = f"{name} is taken for a flag: write a negative value in one word with the name"
            sentence = f"{text}, as in --guard R@100:-0.02"
            if error.ctx.info_name == "inspect":
                sentence = f"{name} is taken for a flag: for the query {name} write -- {name}"
            error = click.UsageError(sentence, error.ctx)
        elif reason:
            reason = reason.replace("()", "")
            error = click.UsageError(f"No such option '{name}': {reason}", error.ctx)
        elif ours:
            error = click.UsageError(f"No such option '{name}'. Did you mean '{ours}'?", error.ctx)
    elif isinstance(error, click.UsageError) and error.ctx is not None:
        text = error.format_message()
        for (command, begin), hint in _INSTEAD.items():
            if error.ctx.info_name == command and text.startswith(begin):
                error = click.UsageError(f"{text.rstrip('.')}: {hint}", error.ctx)
                break
    with contextlib.suppress(OSError):
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            click.echo(error.ctx.get_help(), err=True)
        else:
            error.show()
    return error.exit_code


def _confess() -> int:
    """Save the traceback, and print one line that says where."""
    import tempfile
    import traceback

    trace = traceback.format_exc()
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="abrank-", suffix=".traceback.txt", delete=False, encoding="utf-8"
        ) as file:
            file.write(f"abrank {__version__}\n{' '.join(sys.argv)}\n\n{trace}")
    except OSError:
        where = "which cannot be saved"
    else:
        where = f"in {file.name}"
    last = trace.strip().splitlines()[-1]
    _terminal.put(f"error: internal error of abrank ({last}); traceback {where}", err=True)
    return EXIT_BUG
