"""The registry of report formats, and functions that write reports and figures for papers."""

# A text writer takes a `Report` of any subject; a data writer takes the result itself. The module
# of a writer is imported on demand, so that text output imports neither plots nor templates.

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

# The folder for reports that were requested by format only.
REPORTS = Path("reports")
# Formats of figures.
FIGURES = ("pdf", "svg", "png")


@dataclass(frozen=True)
class Format:
    """A registered format; call it with its subject."""

    # Suffix of its files, with the dot.
    suffix: str
    # `writes(report, **options)`, or `module:name`, which is imported on demand.
    writes: Writes | str
    # Whether it takes the result instead of its report.
    of_result: bool = False

    def __call__(self, subject: object, **options: Any) -> bytes:  # noqa: ANN401
        """Return the content of the file."""
        return next(iter(self.files(subject, **options).values()))

    def files(self, subject: object, **options: Any) -> dict[str, bytes]:  # noqa: ANN401
        """Return the content of the file and of its additional files, by suffix."""
        parameters = inspect.signature(self._function).parameters
        mine = {name: value for name, value in options.items() if name in parameters}
        if not self.of_result and not isinstance(subject, Report):
            composed = {name: value for name, value in options.items() if name not in parameters}
            subject = compose(subject, **composed)
        function = self._function(subject, **mine)
        everything = function if isinstance(function, Mapping) else {self.suffix: function}
        # Ids may contain lone surrogates, which files cannot.
        return {
            suffix: content if isinstance(content, bytes) else content.encode("utf-8", "replace")
            for suffix, content in everything.items()
        }

    def options(self, subject: object) -> tuple[str, ...]:
        """Return its options: those of its writer, and of the subject's report."""
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
    """Register a function that writes reports of any result; the function is not changed.

    Parameters
    ----------
    suffix : str
        Suffix of the files, with the dot.

    Returns
    -------
    callable
        A decorator for ``function(report, **options)``, which takes a :class:`Report` and returns
        text (stored as UTF-8) or bytes; a mapping by suffix gives several files. Its keywords are
        options of :func:`write` for this format.

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


# The formats of this package, by the functions in abrank.report that write them.
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
    if _suffix not in WRITERS:  # a reimported module keeps its registered formats
        WRITERS.add(_suffix, Format(_suffix, _door, of_result=_door.startswith("data:")))


class Target(NamedTuple):
    """Path and format of a report, and whether the format was given as ``FORMAT:PATH``."""

    path: str
    suffix: str
    is_explicit: bool


def target_of(path: str | Path) -> Target:
    """Parse the target of a report: a path, ``FORMAT:PATH``, or a format alone."""
    path = str(path).removeprefix(".") if str(path) in WRITERS else path  # also .html alone
    kind, _, rest = str(path).partition(":")
    if rest and f".{kind}" in WRITERS:
        return Target(rest, f".{kind}", True)
    if rest and re.fullmatch(r"\w[\w-]+", kind):
        raise _unknown(kind)
    return Target(str(path), format_of(path), False)


def figures_target(folder: str | Path) -> tuple[str, Path]:
    """Parse ``KIND:DIR``, or a folder alone, for PDF."""
    kind, colon, rest = str(folder).partition(":")
    if kind in FIGURES and not rest:
        raise ArgumentError(f"{folder} names no folder: {kind}:figures writes to figures/")
    if not colon or len(kind) < 2:  # a single letter is a Windows drive
        of_file = Path(folder).suffix.lstrip(".")
        if of_file in FIGURES:
            instead = f"{of_file}:{Path(folder).with_suffix('')}"
            raise ArgumentError(f"{folder}: figures go to a folder, a file each: {instead}")
        return "pdf", Path(folder)
    if kind not in FIGURES:
        raise ArgumentError(f"figures are written as {', '.join(FIGURES)}, not {kind}")
    return kind, Path(rest)


def is_format(path: str | Path) -> bool:
    """Whether a path is only a format."""
    return f".{path}" in WRITERS


def format_of(path: str | Path) -> str:
    """Return the format of a path, by its suffix or alone; UnknownNameError if unknown."""
    suffix = f".{path}" if is_format(path) else Path(path).suffix.lower()
    suffix = ".junit" if suffix == ".xml" else suffix
    if suffix in WRITERS:
        return suffix
    raise _unknown(suffix or str(path))


def _unknown(wanted: str) -> UnknownNameError:
    """Return the error for an unknown format, which lists the known ones."""
    error = UnknownNameError("report format", wanted, WRITERS)
    text = f"known formats: {' '.join(WRITERS)}"
    if wanted in (".pdf", ".docx", ".png", ".svg"):
        # No format resembles this one.
        text += "\n  for a PDF print the .html in a browser; "
        purpose = " writes the figures as PDF, svg:DIR and png:DIR as these"
        text = f'unknown report format "{wanted}"; {text}'
        error.args = (f"{text}abrank.report.write_figures(result, DIR){purpose}",)
        error.command = f"{text}--figures DIR{purpose}"
    elif not wanted.startswith("."):
        error.args = (f"{error}; the ending chooses the format, as in report.html; {text}",)
    else:
        error.args = (f"{error}; {text}",)
    return error


def default_path(report: Report, format: str) -> Path:
    """Return the default path for a report that was requested by format only."""
    # For example `reports/CANDIDATE-vs-BASELINE` or `reports/ranking-MEASURE`, for several
    # collections with `-collections`. Only letters, digits and `_.+-` of names are kept.
    return REPORTS / f"{report.file}{format}"


def write(
    subject: object,
    path: str | Path,
    *,
    format: str | None = None,
    **options: Any,  # noqa: ANN401 - depend on the format
) -> Path:
    """Write a report of any result atomically, and return its path.

    ``.csv`` holds the table of measures, or the leaderboard. Additional files are
    ``NAME.queries.csv`` with the scores of every query, ``NAME.segments.csv`` with the segments,
    and for rankings ``NAME.pairs.csv``. ``.parquet`` holds only the scores of every query.
    ``.methods`` is a methods paragraph as plain text, ``methods:NAME.tex`` the same for LaTeX, and
    ``.bib`` its references.

    Parameters
    ----------
    subject : Comparison, Ranking, CollectionsComparison, CollectionsRanking, ...
        Anything that :func:`compose` takes.
    path : str or Path
        Missing folders are created; an existing file is replaced and keeps its mode. ``md:PATH``
        sets the format; a format alone, such as ``html``, writes to ``reports/``.
    format : str, optional
        For example ``md``. Default: the path's suffix.
    **options
        Options of :func:`compose` if the format rounds numbers; ``style`` of ``.tex``:
        ``"interval"`` or ``"superscript"``.

    Raises
    ------
    UnknownNameError
        If the format is unknown; the message lists the known ones.
    ArgumentError
        If the format has no such option, or the path is that of an input of the result.
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
    """Return the text that :func:`write` would write to a file with this suffix."""
    writer = WRITERS[suffix]
    writer.require_options(subject, options)
    return writer(subject, **options).decode()


def _inputs(subject: object) -> Iterator[str]:
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
    # Pipes and /dev/stdout have no place for additional files.
    if is_replaceable(target):
        content |= {target.with_suffix(suffix): data for suffix, data in files.items()}
    return content


# --- Figures for papers, as files of column width

# For comparisons, whose reports have twice as many; the others are methods of ``result.plot``.
PAPER = (
    "forest", "deltas", "scatter", "paired", "distribution", "cutoffs", "segments", "power",
)  # fmt: skip


def write_figures(
    result: object, folder: str | Path, *, digits: int | None = None
) -> tuple[Path, ...]:
    """Write the figures for a paper, each as a file of column width (3.33 in).

    For comparisons there are at most seven: all measures, the queries by difference and by both
    scores (a scatter plot, or a slope graph of up to 60 queries), the distribution of the
    differences, cut-offs, segments, power. For rankings and collections all plots are written.
    Plots that would only say why nothing is drawn are left out.

    Parameters
    ----------
    result : Comparison, Ranking, CollectionsComparison, CollectionsRanking
    folder : str or Path
        Created if missing; existing files are replaced. ``pdf:DIR`` (the default), ``svg:DIR`` and
        ``png:DIR`` (300 dots per inch) set the format.
    digits : int
        Decimals of scores and differences.

    Returns
    -------
    tuple of Path
        The files. PDF files have TrueType fonts (type 42).

    Raises
    ------
    ArgumentError
        If the format is unknown.
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
        except ArgumentError:  # nothing to draw, for example no segments
            continue
        if axes.get_label() == SENTENCE:
            continue
        file = f"{name}.{kind}"
        content[place / file] = file_bytes(axes, file)
    return content


def figures_of(report: Report) -> dict[str, Figure]:
    """Return the figures by file name."""
    from abrank.plots.registry import plots_of

    blocks = (block for section in report.sections for block in section.blocks)
    result = {figure.plot: figure for figure in blocks if isinstance(figure, Figure)}
    if "deltas" in plots_of(report.subject):
        # On a page, tables show the intervals of these in their rows.
        tables = ["forest", *["segments"] * bool(report.subject.segmentations)]
        result |= {name: Figure(name, "") for name in tables}
        return {name: result[name] for name in PAPER if name in result}
    return {name: result.get(name, Figure(name, "")) for name in plots_of(report.subject)}
