"""The catalogue of report formats, and the one door through which files are written.

A format's room is imported when the format is asked for: writing text loads neither the plots nor
the templates.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from abrank._support.errors import UnknownNameError
from abrank._support.registry import Registry
from abrank.comparison import Comparison

Writer: TypeAlias = Callable[[Comparison], bytes]

WRITERS: Registry[Writer] = Registry("report format")
# Files written beside the one asked for: format, then the new suffix of each and its writer.
BESIDE: dict[str, Mapping[str, Writer]] = {}


def writer(suffix: str) -> Callable[[Callable[[Comparison], str]], Callable[[Comparison], str]]:
    """Register a function that writes a comparison as text; it comes back unchanged.

    Parameters
    ----------
    suffix : str
        Of the files it writes, with the dot.

    Returns
    -------
    callable
        A decorator for ``function(comparison) -> str``. The text is stored as UTF-8.

    Raises
    ------
    ArgumentError
        If the suffix is taken.

    Examples
    --------
    >>> @writer(".md")
    ... def mine(comparison): ...
    Traceback (most recent call last):
    abrank._support.errors.ArgumentError: report format ".md" is registered already
    """

    def register(function: Callable[[Comparison], str]) -> Callable[[Comparison], str]:
        WRITERS.add(suffix, _encoded(function))
        return function

    return register


def write(comparison: Comparison, path: str | Path, *, format: str | None = None) -> Path:
    """Write a report; the file appears whole or not at all.

    ``.csv`` holds the table of measures; the scores of every query go into a second file beside it,
    ``NAME.queries.csv``.

    Parameters
    ----------
    comparison : Comparison
    path : str or Path
        Missing folders are made; a file that is there is replaced and keeps its mode.
    format : str, optional
        A key of ``WRITERS``, such as ``.md``; the path's suffix without it.

    Returns
    -------
    Path
        Where it was written.

    Raises
    ------
    UnknownNameError
        If no format is registered under the suffix; the message lists those that are.

    Examples
    --------
    >>> import tempfile
    >>> from abrank.comparison import compare_scores
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(result, Path(folder) / "out" / "result.md").name
    'result.md'
    """
    target = Path(path)
    suffix = target.suffix.lower() if format is None else format
    if suffix not in WRITERS:
        error = UnknownNameError("report format", suffix or str(path), WRITERS)
        error.args = (f"{error.args[0]}; known formats: {' '.join(WRITERS)}",)
        raise error
    content = {target: WRITERS[suffix](comparison)}
    for other, function in BESIDE.get(suffix, {}).items():
        content[target.with_suffix(other)] = function(comparison)
    for each, data in content.items():
        _replace(each, data)
    return target


def _replace(path: Path, data: bytes) -> None:
    """Write a file under another name in the same folder, then give it its name in one step."""
    if path.exists() and not path.is_file():
        # A pipe or /dev/stdout cannot be replaced, only written to.
        path.write_bytes(data)
        return
    final = path.resolve()
    final.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=final.parent, prefix=f".{final.name[:100]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(_mode(final))
        Path(name).replace(final)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            Path(name).unlink()
        raise


def _mode(path: Path) -> int:
    """Return the mode of the file that is there, or that of a new file."""
    if path.exists():
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _encoded(function: Callable[[Comparison], str]) -> Writer:
    def encode(comparison: Comparison) -> bytes:
        # An id may hold half of a surrogate pair, which no file can.
        return function(comparison).encode("utf-8", "replace")

    return encode


@writer(".html")
def _html(comparison: Comparison) -> str:
    from abrank.report.html import html

    return html(comparison)


@writer(".md")
def _markdown(comparison: Comparison) -> str:
    from abrank.report.markdown import markdown

    return markdown(comparison)


@writer(".json")
def _json(comparison: Comparison) -> str:
    from abrank.report.numbers import json_text

    return json_text(comparison)


@writer(".csv")
def _measures(comparison: Comparison) -> str:
    from abrank.report.table import measures_csv

    return measures_csv(comparison)


@writer(".txt")
def _text(comparison: Comparison) -> str:
    from abrank.report.text import text

    return text(comparison) + "\n"


def _queries(comparison: Comparison) -> str:
    from abrank.report.table import queries_csv

    return queries_csv(comparison)


BESIDE[".csv"] = {".queries.csv": _encoded(_queries)}
