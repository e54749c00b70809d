"""Terminal output: colours, encoding, progress."""

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

# Colours of the styles in report texts: with 256 colours an orange and a blue that are readable on
# white and on black, else the terminal's red and blue.
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


LONGEST = 2_000  # characters per line of a message


def wants_color(stream: TextIO) -> bool:
    """Whether to use colours, by FORCE_COLOR, NO_COLOR, TERM and whether this is a terminal."""
    if os.environ.get("FORCE_COLOR"):
        return True
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def wants_ascii(flag: bool, stream: TextIO) -> bool:
    """Whether to print ASCII only: on request, or if the stream supports nothing else."""
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "")
    return flag or not encoding.startswith("utf")


def width() -> int:
    """Return the columns of the terminal, from 40 to 120; 80 for pipes and files."""
    if not sys.stdout.isatty():
        return 80
    import shutil

    return min(max(shutil.get_terminal_size().columns, 40), 120)


def paint(lines: Sequence[Sequence[tuple[str, str]]], *, color: bool) -> str:
    """Join lines of (text, style) spans, with or without colours."""
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
    """Print text or bytes to standard output or standard error."""
    # Ids, names and texts come from foreign files. In messages, and on terminals, their control
    # characters are made visible; in other output they are kept. Lines of messages are limited in
    # length.
    if err or sys.stdout.isatty():
        text = display.visible(text if isinstance(text, str) else text.decode())
        if err:
            lines = [display.shorten_line(line, width=LONGEST) for line in text.split("\n")]
            text = "\n".join(lines)
    echo(text, err=err, nl=nl)


def echo(text: str | bytes, *, err: bool = False, nl: bool = True) -> None:
    """Write text unchanged, including colours; ignore a closed standard error."""
    try:
        # With color=True click does not strip the colour codes.
        click.echo(text, err=err, nl=nl, color=True)
    except OSError as problem:
        if err:
            # If standard error is closed, there is no way to report that.
            sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - as long as the process
            return
        give_up_output()
        if not isinstance(problem, BrokenPipeError):
            reason = (problem.strerror or str(problem)).lower()
            raise WriteError(f"standard output cannot be written: {reason}") from problem


def output_is_lost() -> bool:
    """Whether standard output is a pipe without reader, or closed."""
    try:
        sys.stdout.flush()
        watched = select.poll()
        watched.register(sys.stdout.fileno(), select.POLLOUT)
        return any(event & select.POLLERR for _, event in watched.poll(0))
    except (io.UnsupportedOperation, AttributeError):  # not a file; or Windows, without poll
        return False
    except OSError:
        return True


def give_up_output() -> None:
    """Redirect standard output to nowhere, so that Python does not complain at exit."""
    with contextlib.suppress(io.UnsupportedOperation):  # not a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def put_json(value: object) -> None:  # a tree of JSON
    """Print JSON, with null for numbers that are not finite."""
    import json

    echo(json.dumps(_finite(value), indent=2, allow_nan=False))


def _finite(value: object) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def detail(*, quiet: bool, verbose: bool) -> Detail:
    """Return the level of detail of a text by the flags."""
    return "headline" if quiet else "all" if verbose else "screen"


def show(
    result: object,
    *,
    ascii_only: bool = False,
    gate: bool = True,
    detail: Detail = "screen",
    **options: Any,  # noqa: ANN401 - those of its report
) -> None:
    """Print a result as text in a form that the terminal supports."""
    from abrank.report import compose, text_lines

    plain = wants_ascii(ascii_only, sys.stdout)
    lines = text_lines(
        compose(result, **options), width=width(), ascii=plain, detail=detail, gate=gate
    )
    echo(paint(lines, color=wants_color(sys.stdout)))


class Progress:
    """Report stages on standard error: a spinner on terminals, times with ``--verbose``."""

    # Use as `with Progress(...) as progress:` and call `progress(stage)`.

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
