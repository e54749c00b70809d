"""The command line: one file a command, and one door that turns errors into exit codes."""

from __future__ import annotations

import gc
import importlib
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence

import click

from abrank._support.errors import AbrankError, UnknownNameError
from abrank._support.version import __version__
from abrank.cli import _terminal

EXIT_BUG = 70
EXIT_INTERRUPTED = 130

COMMANDS = {
    "compare": "decide whether B may replace A",
    "rank": "leaderboard of many runs, and which are told apart",
    "power": "queries needed, and the smallest difference that shows",
    "score": "per-query or mean scores of runs",
    "render": "any report from saved results",
    "check": "validate qrels and runs",
    "demo": "sample data and a report, offline, in seconds",
}


# ruff: noqa: ARG002 - click hands a context to methods that have no use for it


class _Commands(click.Group):
    """A group whose commands are imported when they are called, not when help is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"abrank.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:
            raise UnknownNameError("command", args[0], COMMANDS)
        return super().resolve_command(ctx, args)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="abrank")
def cli() -> None:
    """Decide whether ranker B may replace ranker A.

    Exit codes: 0 done, and the gate passed if one was asked for; 1 gate not passed; 2 wrong usage;
    3 the data cannot be used; 70 a fault of abrank itself.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the process without it.
    """
    # A process of seconds leaves little garbage; looking for it took a fifth of its time.
    gc.set_threshold(50_000, 20, 100)
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code; messages go to standard error."""
    try:
        outcome = cli.main(
            args=arguments, prog_name="abrank", standalone_mode=False, obj=tuple(arguments)
        )
        sys.stdout.flush()
    except AbrankError as error:
        return _refuse(error)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help() if error.ctx else "", err=True)
        return 2
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe has gone, as `head` does; Python must not complain at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:  # noqa: BLE001 - the one place where a fault of our own becomes a message
        return _confess()
    return outcome if isinstance(outcome, int) else 0


def _refuse(error: AbrankError) -> int:
    _terminal.put(f"error: {error}", err=True)
    return error.exit_code


def _confess() -> int:
    """Save the traceback and say in one line where."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="abrank-", suffix=".traceback.txt", delete=False, encoding="utf-8"
    ) as file:
        file.write(f"abrank {__version__}\n{' '.join(sys.argv)}\n\n{traceback.format_exc()}")
    last = traceback.format_exc().strip().splitlines()[-1]
    _terminal.put(f"error: a fault of abrank itself ({last}); traceback in {file.name}", err=True)
    return EXIT_BUG
