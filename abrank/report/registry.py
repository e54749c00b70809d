"""The registry of report formats, and how a report and the figures of a paper are written."""

# A writer of text takes a `Report`, whatever it is of; one of data the result itself. Its room is
# imported when the format is asked for: writing text loads neither the plots nor the templates.

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from abrank._support import checks, lazy
from abrank._support.errors import ArgumentError, UnknownNameError
from abrank._support.files import is_replaceable, replace_all, require_free
from abrank._support.registry import Registry
from abrank.report.model import Figure, Report
from abrank.report.subjects import compose, load

Written: TypeAlias = str | bytes | Mapping[str, str | bytes]
Writes: TypeAlias = Callable[..., Written]

# Where a report goes that was asked for by its format alone.
REPORTS = Path("reports")
# What a figure is written as.
FIGURES = ("pdf", "svg", "png")


@dataclass(frozen=True)
class Format:
    """A registered format, called with what it writes."""

    # Of its files, with the dot.
    suffix: str
    # `writes(report, **options)`, or its `module:name`, imported when the format is asked for.
    writes: Writes | str
    # Whether it takes the result in the place of its report.
    of_result: bool = False

    def __call__(self, subject: object, **options: Any) -> bytes:  # noqa: ANN401
        """Return the bytes of the file."""
        return next(iter(self.files(subject, **options).values()))

    def files(self, subject: object, **options: Any) -> dict[str, bytes]:  # noqa: ANN401
        """Return the bytes of the file under its suffix, and of those that belong beside it."""
        parameters = inspect.signature(self._function).parameters
        mine = {name: value for name, value in options.items() if name in parameters}
        if not self.of_result and not isinstance(subject, Report):
            composed = {name: value for name, value in options.items() if name not in parameters}
            subject = compose(subject, **composed)
        function = self._function(subject, **mine)
        everything = function if isinstance(function, Mapping) else {self.suffix: function}
        # An id may hold half of a surrogate pair, which no file can.
        return {
            suffix: content if isinstance(content, bytes) else content.encode("utf-8", "replace")
            for suffix, content in everything.items()
        }

    def options(self, subject: object) -> tuple[str, ...]:
        """Return the options that it takes: those of its writer, and of the subject's report."""
        parameters = tuple(inspect.signature(self._function).parameters)[1:]
        if self.of_result or isinstance(subject, Report):
            return parameters
        load(subject)
        composed = inspect.signature(compose.dispatch(type(subject))).parameters
        return (*tuple(composed)[1:], *parameters)

    @property
    def _function(self) -> Writes:
        if callable(self.writes):
            return self.writes
        module, _, name = self.writes.partition(":")
        attribute: Writes = lazy.attribute(f"abrank.report.{module}", name)
        return attribute

    def require_options(self, subject: object, options: Mapping[str, Any]) -> None:
        """Refuse options that the format does not have."""
        available = self.options(subject)
        for name in options:
            if name not in available:
                text = ", ".join(available) or "none"
                raise ArgumentError(
                    f"a {self.suffix} report has no option {name!r}; its own: {text}"
                )
        if options.get("digits") is not None:
            checks.count("digits", options["digits"])


WRITERS: Registry[Format] = Registry.of("report format")


def writer(suffix: str) -> Callable[[Writes], Writes]:
    """Register a function that writes the report of any result; it comes back unchanged.

    Parameters
    ----------
    suffix : str
        Of the files it writes, with the dot.

    Returns
    -------
    callable
        A decorator for ``function(report, **options)``, which takes a :class:`Report` and returns
        text, stored as UTF-8, or bytes; a mapping of suffixes to them is as many files. Its
        keywords are options that :func:`write` takes for this format.

    Raises
    ------
    ArgumentError
        If the suffix is taken.

    Examples
    --------
    >>> from abrank.report import writer
    >>> @writer(".md")
    ... def mine(report): ...
    Traceback (most recent call last):
    abrank._support.errors.ArgumentError: report format ".md" is registered already
    """

    def register(function: Writes) -> Writes:
        WRITERS.add(suffix, Format(suffix, function), function)
        return function

    return register


# The formats of this package by the functions that write them, in abrank.report.
_FUNCTIONS = {
    ".html": "formats.page:html",
    ".md": "formats.markdown:markdown",
    ".json": "data:json_bytes",
    ".csv": "data:csv_files",
    ".txt": "formats.text:text",
    ".tex": "formats.latex:latex",
    ".methods": "formats.text:methods",
    ".junit": "formats.text:junit",
    ".bib": "formats.text:bibtex",
    ".parquet": "data:queries_parquet",
}
for _suffix, _door in _FUNCTIONS.items():
    if _suffix not in WRITERS:  # a module imported again finds its formats
        WRITERS.add(_suffix, Format(_suffix, _door, of_result=_door.startswith("data:")))


class Target(NamedTuple):
    """Where a report goes, in which format, and whether ``FORMAT:PATH`` said so."""

    path: str
    suffix: str
    is_explicit: bool


def target_of(path: str | Path) -> Target:
    """Read where a report goes: a path, ``FORMAT:PATH``, or a format alone."""
    path = str(path).removeprefix(".") if str(path) in WRITERS else path  # .html alone, too
    kind, _, rest = str(path).partition(":")
    if rest and f".{kind}" in WRITERS:
        return Target(rest, f".{kind}", True)
    if rest and re.fullmatch(r"\w[\w-]+", kind):
        raise _unknown(kind)
    return Target(str(path), format_of(path), False)


def figures_target(folder: str | Path) -> tuple[str, Path]:
    """Read ``KIND:DIR``, or a folder alone, which gets PDF."""
    kind, colon, rest = str(folder).partition(":")
    if kind in FIGURES and not rest:
        raise ArgumentError(f"{folder} names no folder: {kind}:figures writes to figures/")
    if not colon or len(kind) < 2:  # a drive has one letter
        of_file = Path(folder).suffix.lstrip(".")
        if of_file in FIGURES:
            instead = f"{of_file}:{Path(folder).with_suffix('')}"
            raise ArgumentError(f"{folder}: figures go to a folder, a file each: {instead}")
        return "pdf", Path(folder)
    if kind not in FIGURES:
        raise ArgumentError(f"figures are written as {', '.join(FIGURES)}, not {kind}")
    return kind, Path(rest)


def is_format(path: str | Path) -> bool:
    """Whether a path is a format alone."""
    return f".{path}" in WRITERS


def format_of(path: str | Path) -> str:
    """Return the format that a path asks for, by its suffix or alone; else UnknownNameError."""
    suffix = f".{path}" if is_format(path) else Path(path).suffix.lower()
    suffix = ".junit" if suffix == ".xml" else suffix
    if suffix in WRITERS:
        return suffix
    raise _unknown(suffix or str(path))


def _unknown(wanted: str) -> UnknownNameError:
    """Return the error for a format that does not exist, which names those that do."""
    error = UnknownNameError("report format", wanted, WRITERS)
    text = f"known formats: {' '.join(WRITERS)}"
    if wanted in (".pdf", ".docx", ".png", ".svg"):
        # No format here is near them by its letters.
        text += "\n  for a PDF print the .html in a browser; "
        purpose = " writes the figures as PDF, svg:DIR and png:DIR as these"
        text = f'unknown report format "{wanted}"; {text}'
        error.args = (f"{text}abrank.report.write_figures(result, DIR){purpose}",)
        error.command = f"{text}--figures DIR{purpose}"
    elif not wanted.startswith("."):
        error.args = (f"{error}; a file is known by its ending, as in report.html; {text}",)
    else:
        error.args = (f"{error}; {text}",)
    return error


def default_path(report: Report, format: str) -> Path:
    """Return where a report goes that was asked for by its format alone."""
    # It is `reports/CANDIDATE-vs-BASELINE` or `reports/ranking-MEASURE`, of several collections
    # with `-collections`; of the names only letters, digits and `_.+-` are kept.
    return REPORTS / f"{report.file}{format}"


def write(
    subject: object,
    path: str | Path,
    *,
    format: str | None = None,
    **options: Any,  # noqa: ANN401 - each format has its own
) -> Path:
    """Write a report of any result, whole or not at all; return its path.

    ``.csv`` holds the table of measures, or the leaderboard; beside it go ``NAME.queries.csv``, the
    scores of every query, and ``NAME.segments.csv``, what was found in segments; for a ranking
    ``NAME.pairs.csv``. ``.parquet`` holds the scores of every query alone. ``.bib`` holds the
    sources of what ``.methods``, a paragraph of plain text, names; ``methods:NAME.tex`` holds that
    paragraph as LaTeX reads it.

    Parameters
    ----------
    subject : Comparison, Ranking, CollectionsComparison, CollectionsRanking, ...
        What :func:`compose` takes.
    path : str or Path
        Missing folders are made; a file that is there is replaced and keeps its mode. ``md:PATH``
        names the format; one alone, such as ``html``, goes to ``reports/``.
    format : str, optional
        Such as ``md``; the path's suffix without it.
    **options
        Those of :func:`compose` where a format rounds; ``style`` of ``.tex``: ``"interval"`` or
        ``"superscript"``.

    Raises
    ------
    UnknownNameError
        If no format is registered under the suffix; the message lists those that are.
    ArgumentError
        If an option is not one of the format's.
        If the path is that of an input of the result.
    WriteError
        If the file cannot be written.

    Examples
    --------
    >>> from abrank.report import write
    >>> import tempfile
    >>> from abrank.comparison import compare_scores
    >>> result = compare_scores({"q1": 0.5, "q2": 0.25}, {"q1": 0.75, "q2": 0.75})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(result, Path(folder) / "out" / "result.md", digits=4).name
    'result.md'
    """
    checks.path("path", path)
    content = files_of(subject, path, format=format, **options)
    require_free(content, list(_inputs(subject)))
    replace_all(content)
    return next(iter(content))


def in_format(subject: object, suffix: str, options: Mapping[str, str | int]) -> str:
    """Return the text that :func:`write` would put into a file with this suffix."""
    writer = WRITERS[suffix]
    writer.require_options(subject, options)
    return writer(subject, **options).decode()


def _inputs(subject: object) -> Iterator[str]:
    """Yield the paths of what a result was made from."""
    parts = getattr(subject, "comparisons", None) or getattr(subject, "rankings", None) or {}
    for part in (subject, *parts.values()):
        for item in getattr(part, "provenance", {}).get("inputs", {}).values():
            path = item.get("path") if isinstance(item, dict) else item.path
            if path:
                yield path


def files_of(
    subject: object,
    path: str | Path,
    *,
    format: str | None = None,
    **options: Any,  # noqa: ANN401
) -> dict[Path, bytes]:
    """Return the files that :func:`write` writes, the report itself first."""
    report_target = (
        target_of(path)
        if format is None
        else Target(str(path), f".{format.removeprefix('.')}", True)
    )
    writer = WRITERS[report_target.suffix]
    writer.require_options(subject, options)
    alone = not report_target.is_explicit and is_format(report_target.path)
    target = (
        default_path(compose(subject), report_target.suffix) if alone else Path(report_target.path)
    )
    files = writer.files(subject, **options)
    file = next(iter(files))
    content = {target: files.pop(file)}
    if report_target.suffix == ".methods" and target.suffix == ".tex":
        escape = lazy.attribute("abrank.report.formats.latex", "escape")
        content[target] = f"{escape(content[target].decode().rstrip(), width=10_000)}\n".encode()
    # Beside a pipe or /dev/stdout there is no place for more.
    if is_replaceable(target):
        content |= {target.with_suffix(suffix): data for suffix, data in files.items()}
    return content


# --- The figures that a paper uses, as files in the width of a column

# Of a comparison, whose report has twice as many; the others are methods of ``result.plot``.
PAPER = (
    "forest", "deltas", "scatter", "paired", "distribution", "cutoffs", "segments", "power",
)  # fmt: skip


def write_figures(
    result: object, folder: str | Path, *, digits: int | None = None
) -> tuple[Path, ...]:
    """Write the figures that a paper uses, each as a file in the width of a column (3.33 in).

    Of a comparison they are at most seven: all measures, every query by its difference and by its
    two scores (a scatter plot, or a slope graph of up to 60 queries), the distribution of the
    differences, cut-offs, segments, power; of a ranking or of
    collections all plots. Those that would only say why there is no picture are left out.

    Parameters
    ----------
    result : Comparison, Ranking, CollectionsComparison, CollectionsRanking
    folder : str or Path
        Made where it is missing; a file that is there is replaced. ``pdf:DIR`` (without it, too),
        ``svg:DIR`` and ``png:DIR``, which has 300 dots an inch, say what is written.
    digits : int
        Decimals of scores and differences.

    Returns
    -------
    tuple of Path
        The files. A PDF has its fonts as TrueType (type 42).

    Raises
    ------
    ArgumentError
        For another kind of file.
    WriteError
        If a file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from abrank.comparison import compare_scores
    >>> result = compare_scores({"q1": 0.1, "q2": 0.4, "q3": 0.7}, {"q1": 0.3, "q2": 0.5, "q3": 1})
    >>> with tempfile.TemporaryDirectory() as made:
    ...     [file.name for file in write_figures(result, f"svg:{made}")][:2]
    ['forest.svg', 'deltas.svg']
    """
    content = figure_files(result, folder, digits=digits)
    replace_all(content)
    return tuple(content)


def figure_files(
    result: object, folder: str | Path, *, digits: int | None = None
) -> dict[Path, bytes]:
    """Return the files that :func:`write_figures` writes."""
    from abrank.plots.registry import draw
    from abrank.plots.render import file_bytes
    from abrank.plots.style import SENTENCE

    kind, place = figures_target(folder)
    report = compose(result) if digits is None else compose(result, digits=digits)
    content = {}
    for name in figures_of(report):
        try:
            axes = draw(name, result, width="column", digits=report.digits)
        except ArgumentError:  # there is nothing to draw, as of segments
            continue
        if axes.get_label() == SENTENCE:
            continue
        file = f"{name}.{kind}"
        content[place / file] = file_bytes(axes, file)
    return content


def figures_of(report: Report) -> dict[str, Figure]:
    """Return the figures by the names of their files."""
    from abrank.plots.registry import plots_of

    blocks = (block for section in report.sections for block in section.blocks)
    result = {figure.plot: figure for figure in blocks if isinstance(figure, Figure)}
    if "deltas" in plots_of(report.subject):
        # A page has the intervals of these in the rows of its tables.
        tables = ["forest", *["segments"] * bool(report.subject.segmentations)]
        result |= {name: Figure(name, "") for name in tables}
        return {name: result[name] for name in PAPER if name in result}
    return {name: result.get(name, Figure(name, "")) for name in plots_of(report.subject)}
