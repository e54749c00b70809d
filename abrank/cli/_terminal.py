"""Terminal output: colour, encoding, progress."""

from __future__ import annotations

import contextlib
import io
import math
import os
import select
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

import click

from abrank._support import display
from abrank._support.errors import WriteError

if TYPE_CHECKING:
    from rich.status import Status

    from abrank.report.formats.text import Detail

# The names of styles that the report's text uses, as click knows colours: orange and blue that can
# be read on white and on black where a terminal has 256 colours, else red and its own blue.
STYLES: dict[str, dict[str, Any]] = {
    "strong": {"bold": True},
    "a": {"fg": "red", "bold": True},
    "b": {"fg": "bright_blue", "bold": True},
    "muted": {"dim": True},
    "note": {"bold": True},
}
OF_256: dict[str, dict[str, Any]] = STYLES | {
    "a": {"fg": 166, "bold": True},
    "b": {"fg": 32, "bold": True},
}


LONGEST = 2_000  # characters of a line of a message: a paragraph, a path


def wants_color(stream: TextIO) -> bool:
    """Say whether to colour: by FORCE_COLOR, NO_COLOR, TERM, a terminal."""
    if os.environ.get("FORCE_COLOR"):
        return True
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def wants_ascii(flag: bool, stream: TextIO) -> bool:
    """Say whether only ASCII may be printed: asked for, or the stream cannot do more."""
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "")
    return flag or not encoding.startswith("utf")


def width() -> int:
    """Return the columns of the terminal, from 40 to 120; 80 into a pipe or a file."""
    if not sys.stdout.isatty():
        return 80
    import shutil

    return min(max(shutil.get_terminal_size().columns, 40), 120)


def paint(lines: Sequence[Sequence[tuple[str, str]]], *, color: bool) -> str:
    """Join lines of (text, style) spans, coloured or plain."""
    if not color:
        return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)
    is_many = "256color" in os.environ.get("TERM", "") or "COLORTERM" in os.environ
    styles = OF_256 if is_many else STYLES
    return "\n".join(
        "".join(
            click.style(text, **styles[style]) if style in styles else text for text, style in line
        )
        for line in lines
    )


def put(text: str | bytes, *, err: bool = False, nl: bool = True) -> None:
    """Print text, or the bytes of a file, to standard output or standard error."""
    # Ids, names and texts come from files of others: in every message, and where a terminal reads
    # them, what it would obey is made visible. Elsewhere they stay as they are. No line of a
    # message is longer than a paragraph.
    if err or sys.stdout.isatty():
        text = display.visible(text if isinstance(text, str) else text.decode())
        if err:
            lines = [display.shorten_line(line, width=LONGEST) for line in text.split("\n")]
            text = "\n".join(lines)
    echo(text, err=err, nl=nl)


def echo(text: str | bytes, *, err: bool = False, nl: bool = True) -> None:
    """Write to an output as it is, colours and all; the command goes on where a reader has gone."""
    try:
        # Told that there is colour, click leaves the text as it is.
        click.echo(text, err=err, nl=nl, color=True)
    except OSError as problem:
        if err:
            # Where messages cannot be written, there is nobody to be told so.
            sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
            return
        give_up_output()
        if not isinstance(problem, BrokenPipeError):
            reason = (problem.strerror or str(problem)).lower()
            raise WriteError(f"standard output cannot be written: {reason}") from problem


def output_is_lost() -> bool:
    """Whether standard output is a pipe without a reader, or takes no more."""
    try:
        sys.stdout.flush()
        watched = select.poll()
        watched.register(sys.stdout.fileno(), select.POLLOUT)
        return any(event & select.POLLERR for _, event in watched.poll(0))
    except (io.UnsupportedOperation, AttributeError):  # no file; no poll, on Windows
        return False
    except OSError:
        return True


def give_up_output() -> None:
    """Let standard output lead nowhere: Python tries again at its end, and must not complain."""
    with contextlib.suppress(io.UnsupportedOperation):  # no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def put_json(value: object) -> None:  # a tree of JSON
    """Print a tree as JSON, with null for numbers that are not finite."""
    import json

    echo(json.dumps(_finite(value), indent=2, allow_nan=False))


def _finite(value: object) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def detail(*, quiet: bool, verbose: bool) -> Detail:
    """Return how much of a text the flags ask for."""
    return "headline" if quiet else "all" if verbose else "screen"


def show(
    result: object,
    *,
    ascii_only: bool = False,
    gate: bool = True,
    detail: Detail = "screen",
    **options: Any,  # noqa: ANN401 - those of its report
) -> None:
    """Print a result's text as this terminal can take it."""
    from abrank.report import compose, text_lines

    plain = wants_ascii(ascii_only, sys.stdout)
    lines = text_lines(
        compose(result, **options), width=width(), ascii=plain, detail=detail, gate=gate
    )
    echo(paint(lines, color=wants_color(sys.stdout)))


class Progress:
    """Tells of stages on standard error: a spinner on a terminal, timings with ``--verbose``."""

    # Used as `with Progress(...) as progress:` and handed on as a callable that takes a stage's
    # name.

    def __init__(self, *, quiet: bool, verbose: bool) -> None:
        self._verbose = verbose and not quiet
        self._live = sys.stderr.isatty() and not quiet and not verbose
        self._stage, self._since = "", 0.0
        self._status: Status | None = None

    def __call__(self, stage: str) -> None:
        self._close()
        self._stage, self._since = stage, time.perf_counter()
        if self._status is not None:
            self._status.update(stage)
        elif self._live:
            from rich.console import Console

            self._status = Console(stderr=True).status(stage)
            self._status.start()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()
        if self._status is not None:
            self._status.stop()

    def _close(self) -> None:
        if self._stage and self._verbose:
            put(f"{time.perf_counter() - self._since:7.2f} s  {self._stage}", err=True)
        self._stage = ""
