"""The catalogue of report formats, and the one door through which files are written.

A format's room is imported when the format is asked for: writing text loads neither the plots nor
the templates.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from abrank._support import checks, display
from abrank._support.errors import ArgumentError, UnknownNameError, WriteError
from abrank._support.registry import Registry
from abrank.comparison import Comparison

if TYPE_CHECKING:
    from abrank.report.latex import Style

Writer: TypeAlias = Callable[..., bytes]
Writes: TypeAlias = Callable[..., str]

WRITERS: Registry[Writer] = Registry("report format")
# Where a report goes that was asked for by its format alone.
REPORTS = Path("reports")
# Files written beside the one asked for: format, then the new suffix of each and its writer, which
# gives no bytes where there is nothing to write.
BESIDE: dict[str, Mapping[str, Writer]] = {}


def writer(suffix: str) -> Callable[[Writes], Writes]:
    """Register a function that writes a comparison as text; it comes back unchanged.

    Parameters
    ----------
    suffix : str
        Of the files it writes, with the dot.

    Returns
    -------
    callable
        A decorator for ``function(comparison, **options) -> str``; its keywords are the options
        that :func:`write` takes for this format. The text is stored as UTF-8.

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

    def register(function: Writes) -> Writes:
        WRITERS.add(suffix, _encoded(function))
        return function

    return register


def options_of(suffix: str) -> tuple[str, ...]:
    """Return the options that a format's writer takes.

    Examples
    --------
    >>> options_of(".tex"), options_of(".json")
    (('digits', 'style'), ())
    """
    return tuple(inspect.signature(WRITERS[suffix]).parameters)[1:]


def is_format(path: str | Path) -> bool:
    """Whether a path is a format alone.

    Examples
    --------
    >>> is_format("html"), is_format("out.html"), is_format("out/html")
    (True, False, False)
    """
    return f".{path}" in WRITERS


def format_of(path: str | Path) -> str:
    """Return the format that a path asks for, by its suffix or alone.

    Raises
    ------
    UnknownNameError
        If no format is registered under it; the message lists those that are.

    Examples
    --------
    >>> format_of("reports/out.HTML"), format_of("md")
    ('.html', '.md')
    """
    suffix = f".{path}" if is_format(path) else Path(path).suffix.lower()
    if suffix in WRITERS:
        return suffix
    error = UnknownNameError("report format", suffix or str(path), WRITERS)
    error.args = (f"{error.args[0]}; known formats: {' '.join(WRITERS)}",)
    raise error


def default_path(comparison: Comparison, format: str) -> Path:
    """Return where a report goes that was asked for by its format alone.

    Parameters
    ----------
    comparison : Comparison
    format : str
        A key of ``WRITERS``.

    Returns
    -------
    Path
        ``reports/CANDIDATE-vs-BASELINE`` with the format as suffix; of the names only letters,
        digits and ``_.+-`` are kept.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> named = {"baseline": "bm25 k1=0.9", "candidate": "../mono/t5"}
    >>> default_path(compare_scores({"q": 0.1}, {"q": 0.2}, **named), ".html").as_posix()
    'reports/mono-t5-vs-bm25-k1-0.9.html'
    """
    names = ((comparison.candidate, "B"), (comparison.baseline, "A"))
    b, a = (_file_name(name) or letter for name, letter in names)
    return REPORTS / f"{b}-vs-{a}{format}"


def _file_name(name: str) -> str:
    """Return a name as a part of a file's: no folder, not hidden, short enough for any system."""
    plain = re.sub(r"[^\w.+-]+", "-", name.encode("utf-8", "ignore").decode()).strip("-.")
    return plain.encode()[:80].decode("utf-8", "ignore")


def write(
    comparison: Comparison,
    path: str | Path,
    *,
    format: str | None = None,
    **options: Any,  # noqa: ANN401 - each format has its own
) -> Path:
    """Write a report; the file appears whole or not at all.

    ``.csv`` holds the table of measures; the scores of every query go into a second file beside it,
    ``NAME.queries.csv``, and what was found in segments into a third, ``NAME.segments.csv``.
    ``.bib`` holds the sources of what ``.methods``, a paragraph of plain text, names.

    Parameters
    ----------
    comparison : Comparison
    path : str or Path
        Missing folders are made; a file that is there is replaced and keeps its mode. A format
        alone, such as ``html``, goes to :func:`default_path`.
    format : str, optional
        A key of ``WRITERS``, such as ``.md``; the path's suffix without it.
    **options
        ``digits``, the decimals of scores and differences, where a format rounds; ``style`` of
        ``.tex``: ``"interval"`` or ``"superscript"``.

    Returns
    -------
    Path
        Where it was written.

    Raises
    ------
    UnknownNameError
        If no format is registered under the suffix; the message lists those that are.
    ArgumentError
        If an option is not one of the format's.
    WriteError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from abrank.comparison import compare_scores
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(result, Path(folder) / "out" / "result.md", digits=4).name
    'result.md'
    """
    suffix = format_of(path) if format is None else format
    alone = format is None and is_format(path)
    target = default_path(comparison, suffix) if alone else Path(path)
    made = WRITERS[suffix]
    for name in options:
        if name not in options_of(suffix):
            known = ", ".join(options_of(suffix)) or "none"
            raise ArgumentError(f"a {suffix} report has no option {name!r}; its own: {known}")
    if "digits" in options:
        checks.count("digits", options["digits"])
    content = {target: made(comparison, **options)}
    for other, function in BESIDE.get(suffix, {}).items():
        if data := function(comparison):
            content[target.with_suffix(other)] = data
    for each, data in content.items():
        with writing(each):
            _replace(each, data)
    return target


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn what the system says while a path is written into an error that names it.

    Examples
    --------
    >>> with writing(Path("reports/out.md")):
    ...     raise PermissionError(13, "Permission denied")
    Traceback (most recent call last):
    abrank._support.errors.WriteError: reports/out.md: cannot be written: permission denied
    """
    try:
        yield
    except BrokenPipeError:
        raise  # its reader has gone, and the path is good
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise WriteError(f"{path}: cannot be written: {reason}") from problem


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


def _encoded(function: Writes) -> Writer:
    @functools.wraps(function)
    def encode(comparison: Comparison, **options: Any) -> bytes:  # noqa: ANN401
        # An id may hold half of a surrogate pair, which no file can.
        return function(comparison, **options).encode("utf-8", "replace")

    return encode


@writer(".html")
def _html(comparison: Comparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.html import html

    return html(comparison, digits=digits)


@writer(".md")
def _markdown(comparison: Comparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.markdown_text import markdown

    return markdown(comparison, digits=digits)


@writer(".json")
def _json(comparison: Comparison) -> str:
    from abrank.report.numbers import json_text

    return json_text(comparison)


@writer(".csv")
def _measures(comparison: Comparison) -> str:
    from abrank.report.table import measures_csv

    return measures_csv(comparison)


@writer(".txt")
def _text(comparison: Comparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.plain_text import text

    return text(comparison, digits=digits) + "\n"


@writer(".tex")
def _latex(
    comparison: Comparison, *, digits: int = display.DIGITS, style: Style = "interval"
) -> str:
    from abrank.report.latex import latex

    return latex(comparison, digits=digits, style=style)


@writer(".methods")
def _methods(comparison: Comparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.methods import methods

    return methods(comparison, digits=digits)


@writer(".bib")
def _bibliography(comparison: Comparison) -> str:
    from abrank.report.bibliography import bibliography

    return bibliography(comparison)


def _queries(comparison: Comparison) -> str:
    from abrank.report.table import queries_csv

    return queries_csv(comparison)


def _segments(comparison: Comparison) -> str:
    from abrank.report.table import segments_csv

    return segments_csv(comparison) if comparison.segmentations else ""


BESIDE[".csv"] = {".queries.csv": _encoded(_queries), ".segments.csv": _encoded(_segments)}
