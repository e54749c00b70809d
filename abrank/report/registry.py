"""The catalogue of report formats, and how a report is written.

A format's room is imported when the format is asked for: writing text loads neither the plots nor
the templates.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from abrank._support import checks, display
from abrank._support.errors import ArgumentError, UnknownNameError
from abrank._support.registry import Registry
from abrank.comparison import Comparison
from abrank.report.formats.files import REPORTS, name_of, replace

if TYPE_CHECKING:
    from abrank.report.formats.latex import Style

Writer: TypeAlias = Callable[..., bytes]
Writes: TypeAlias = Callable[..., str]

WRITERS: Registry[Writer] = Registry("report format")
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


def is_format(path: str | Path, formats: Collection[str] = WRITERS) -> bool:
    """Whether a path is a format alone.

    Examples
    --------
    >>> is_format("html"), is_format("out.html"), is_format("out/html")
    (True, False, False)
    """
    return f".{path}" in formats


def format_of(path: str | Path, formats: Collection[str] = WRITERS) -> str:
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
    suffix = f".{path}" if is_format(path, formats) else Path(path).suffix.lower()
    if suffix in formats:
        return suffix
    error = UnknownNameError("report format", suffix or str(path), formats)
    error.args = (f"{error.args[0]}; known formats: {' '.join(formats)}",)
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
    b, a = (name_of(name) or letter for name, letter in names)
    return REPORTS / f"{b}-vs-{a}{format}"


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
    require_options(suffix, options_of(suffix), options)
    content = {target: made(comparison, **options)}
    for other, function in BESIDE.get(suffix, {}).items():
        if data := function(comparison):
            content[target.with_suffix(other)] = data
    for each, data in content.items():
        replace(each, data)
    return target


def require_options(suffix: str, known: Sequence[str], options: Mapping[str, Any]) -> None:
    """Refuse options that a format does not have."""
    for name in options:
        if name not in known:
            own = ", ".join(known) or "none"
            raise ArgumentError(f"a {suffix} report has no option {name!r}; its own: {own}")
    if "digits" in options:
        checks.count("digits", options["digits"])


def _encoded(function: Writes) -> Writer:
    @functools.wraps(function)
    def encode(comparison: Comparison, **options: Any) -> bytes:  # noqa: ANN401
        # An id may hold half of a surrogate pair, which no file can.
        return function(comparison, **options).encode("utf-8", "replace")

    return encode


@writer(".html")
def _html(comparison: Comparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.formats.html import html

    return html(comparison, digits=digits)


@writer(".md")
def _markdown(comparison: Comparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.formats.markdown import markdown

    return markdown(comparison, digits=digits)


@writer(".json")
def _json(comparison: Comparison) -> str:
    from abrank.report.numbers import json_text

    return json_text(comparison)


@writer(".csv")
def _measures(comparison: Comparison) -> str:
    from abrank.report.formats.csv import measures_csv

    return measures_csv(comparison)


@writer(".txt")
def _text(comparison: Comparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.formats.plain_text import text

    return text(comparison, digits=digits) + "\n"


@writer(".tex")
def _latex(
    comparison: Comparison, *, digits: int = display.DIGITS, style: Style = "interval"
) -> str:
    from abrank.report.formats.latex import latex

    return latex(comparison, digits=digits, style=style)


@writer(".methods")
def _methods(comparison: Comparison, *, digits: int = display.DIGITS) -> str:
    from abrank.report.formats.methods import methods

    return methods(comparison, digits=digits)


@writer(".bib")
def _bibliography(comparison: Comparison) -> str:
    from abrank.report.sections.bibliography import bibliography

    return bibliography(comparison)


def _queries(comparison: Comparison) -> str:
    from abrank.report.formats.csv import queries_csv

    return queries_csv(comparison)


def _segments(comparison: Comparison) -> str:
    from abrank.report.formats.csv import segments_csv

    return segments_csv(comparison) if comparison.segmentations else ""


BESIDE[".csv"] = {".queries.csv": _encoded(_queries), ".segments.csv": _encoded(_segments)}
