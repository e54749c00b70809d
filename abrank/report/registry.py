"""The registries of report formats, and how a report is written."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from abrank._support import checks, lazy
from abrank._support.errors import ArgumentError, UnknownNameError
from abrank._support.files import is_replaceable, name_of, replace_all, require_free
from abrank._support.registry import Registry
from abrank.comparison import Comparison

if TYPE_CHECKING:
    from abrank.collections import CollectionsComparison, CollectionsRanking
    from abrank.ranking import Ranking

Subject: TypeAlias = "Comparison | Ranking | CollectionsComparison | CollectionsRanking"
Writes: TypeAlias = Callable[..., str | bytes]

# Where a report goes that was asked for by its format alone.
REPORTS = Path("reports")


@dataclass(frozen=True)
class Format:
    """A registered format, called with what it writes.

    Attributes
    ----------
    suffix : str
        Of its files, with the dot.
    writes : callable or str
        ``writes(subject, **options) -> str or bytes``, or its ``module:name``, imported when the
        format is asked for.
    beside : dict of str to Format
        Files written beside the one asked for, by suffix; one without bytes is left out.
    """

    suffix: str
    writes: Writes | str
    beside: dict[str, Format] = field(default_factory=dict)

    def __call__(self, subject: Subject, **options: Any) -> bytes:  # noqa: ANN401
        """Return the bytes of the file."""
        made = self._function(subject, **options)
        # An id may hold half of a surrogate pair, which no file can.
        return made if isinstance(made, bytes) else made.encode("utf-8", "replace")

    @property
    def options(self) -> tuple[str, ...]:
        """The options that the writer takes."""
        return tuple(inspect.signature(self._function).parameters)[1:]

    @property
    def _function(self) -> Writes:
        if callable(self.writes):
            return self.writes
        module, _, name = self.writes.partition(":")
        found: Writes = lazy.attribute(module, name)
        return found

    def require_options(self, options: Mapping[str, Any]) -> None:
        """Refuse options that the format does not have."""
        for name in options:
            if name not in self.options:
                own = ", ".join(self.options) or "none"
                raise ArgumentError(
                    f"a {self.suffix} report has no option {name!r}; its own: {own}"
                )
        if options.get("digits") is not None:
            checks.count("digits", options["digits"])


WRITERS: Registry[Format] = Registry.of("report format")
RANKING_WRITERS: Registry[Format] = Registry.of("format of a ranking")
COLLECTIONS_WRITERS: Registry[Format] = Registry.of("format of several collections")
STANDINGS_WRITERS: Registry[Format] = Registry.of("format of many systems on collections")


def writers_of(subject: Subject) -> Registry[Format]:
    """Return the formats in which a comparison, a ranking, or collections are written."""
    if isinstance(subject, Comparison):
        return WRITERS
    from abrank.collections import CollectionsComparison, CollectionsRanking

    if isinstance(subject, CollectionsComparison):
        return COLLECTIONS_WRITERS
    return STANDINGS_WRITERS if isinstance(subject, CollectionsRanking) else RANKING_WRITERS


def writer(
    suffix: str, *, of: Registry[Format] = WRITERS, beside: str | None = None
) -> Callable[[Writes], Writes]:
    """Register a function that writes a comparison or a ranking as text; it comes back unchanged.

    Parameters
    ----------
    suffix : str
        Of the files it writes, with the dot.
    of : Registry
        ``WRITERS`` for comparisons, ``RANKING_WRITERS`` for rankings, ``COLLECTIONS_WRITERS`` for
        comparisons on several collections, ``STANDINGS_WRITERS`` for rankings on them.
    beside : str, optional
        The format whose file this one is written beside; it cannot be asked for alone.

    Returns
    -------
    callable
        A decorator for ``function(subject, **options) -> str or bytes``; its keywords are the
        options that :func:`write` takes for this format. Text is stored as UTF-8.

    Raises
    ------
    ArgumentError
        If the suffix is taken.

    Examples
    --------
    >>> from abrank.report import writer
    >>> @writer(".md")
    ... def mine(comparison): ...
    Traceback (most recent call last):
    abrank._support.errors.ArgumentError: report format ".md" is registered already
    """

    def register(function: Writes) -> Writes:
        if beside is None:
            of.add(suffix, Format(suffix, function), function)
        else:
            of[beside].beside[suffix] = Format(suffix, function)
        return function

    return register


def is_format(path: str | Path, formats: Collection[str] = WRITERS) -> bool:
    """Whether a path is a format alone.

    Examples
    --------
    >>> from abrank.report import writers
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
    >>> from abrank.report import writers
    >>> format_of("reports/out.HTML"), format_of("md")
    ('.html', '.md')
    """
    suffix = f".{path}" if is_format(path, formats) else Path(path).suffix.lower()
    if suffix in formats:
        return suffix
    wanted = suffix or str(path)
    error = UnknownNameError("report format", wanted, formats)
    known = f"known formats: {' '.join(formats)}"
    if wanted in (".pdf", ".docx", ".png", ".svg"):
        # No format here is near them by its letters.
        known = f"{known}\n  {_INSTEAD['.html' in formats]}"
        error.args = (f'unknown report format "{wanted}"; {known}',)
    else:
        error.args = (f"{error}; {known}",)
    raise error


# Where there are pages, and where not.
_INSTEAD = {
    True: "for a PDF print the .html in a browser; --figures DIR writes each figure as PDF and SVG",
    False: "for a PDF write a .tex",
}


def default_path(subject: Subject, format: str) -> Path:
    """Return where a report goes that was asked for by its format alone.

    Parameters
    ----------
    format : str
        One of its formats.

    Returns
    -------
    Path
        ``reports/CANDIDATE-vs-BASELINE`` or ``reports/ranking-MEASURE``, of several collections
        with ``-collections``, and the format as suffix; of the names only letters, digits and
        ``_.+-`` are kept.

    Examples
    --------
    >>> from abrank.comparison import compare_scores
    >>> named = {"baseline": "bm25 k1=0.9", "candidate": "../mono/t5"}
    >>> default_path(compare_scores({"q": 0.1}, {"q": 0.2}, **named), ".html").as_posix()
    'reports/mono-t5-vs-bm25-k1-0.9.html'
    """
    from abrank.collections import CollectionsComparison, CollectionsRanking

    if isinstance(subject, CollectionsRanking):
        measure = name_of(subject.primary.measure) or "measure"
        return REPORTS / f"ranking-{measure}-collections{format}"
    if not isinstance(subject, (Comparison, CollectionsComparison)):
        return REPORTS / f"ranking-{name_of(subject.measure) or 'measure'}{format}"
    names = ((subject.candidate, "B"), (subject.baseline, "A"))
    b, a = (name_of(name) or letter for name, letter in names)
    end = "-collections" if isinstance(subject, CollectionsComparison) else ""
    return REPORTS / f"{b}-vs-{a}{end}{format}"


def write(
    subject: Subject,
    path: str | Path,
    *,
    format: str | None = None,
    **options: Any,  # noqa: ANN401 - each format has its own
) -> Path:
    """Write a report of a comparison or a ranking; the file appears whole or not at all.

    ``.csv`` holds the table of measures, or the leaderboard; beside it go ``NAME.queries.csv``, the
    scores of every query, and ``NAME.segments.csv``, what was found in segments; for a ranking
    ``NAME.pairs.csv``. ``.parquet`` holds the scores of every query alone. ``.bib`` holds the
    sources of what ``.methods``, a paragraph of plain text, names.

    Parameters
    ----------
    subject : Comparison, Ranking or CollectionsComparison
    path : str or Path
        Missing folders are made; a file that is there is replaced and keeps its mode. A format
        alone, such as ``html``, goes to :func:`default_path`.
    format : str, optional
        One of the subject's formats, such as ``.md``; the path's suffix without it.
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
    content = files_of(subject, path, format=format, **options)
    require_free(content, _inputs(subject))
    replace_all(content)
    return next(iter(content))


def _inputs(subject: Subject) -> list[str]:
    """Return the paths of what a result was made from."""
    parts = getattr(subject, "comparisons", None) or getattr(subject, "rankings", None) or {}
    inputs = [
        each
        for part in (subject, *parts.values())
        for each in part.provenance.get("inputs", {}).values()
    ]
    paths = [each.get("path") if isinstance(each, dict) else each.path for each in inputs]
    return [path for path in paths if path]


def files_of(
    subject: Subject,
    path: str | Path,
    *,
    format: str | None = None,
    **options: Any,  # noqa: ANN401
) -> dict[Path, bytes]:
    """Return the files that :func:`write` writes, the report itself first."""
    formats = writers_of(subject)
    suffix = format_of(path, formats) if format is None else format
    alone = format is None and is_format(path, formats)
    target = default_path(subject, suffix) if alone else Path(path)
    made = formats[suffix]
    made.require_options(options)
    content = {target: made(subject, **options)}
    # Beside a pipe or /dev/stdout there is no place for more.
    for other, each in made.beside.items() if is_replaceable(target) else ():
        if data := each(subject):
            content[target.with_suffix(other)] = data
    return content
