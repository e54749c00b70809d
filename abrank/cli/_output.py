"""Where results go: standard output, report files, figures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from abrank.cli import _config, _options, _terminal

if TYPE_CHECKING:
    from abrank._support.registry import Registry
    from abrank.report.registry import Format, Subject
    from abrank.rule_file import RuleFile

WITH_NOTES = ("text", "html", "md", "json")  # what goes to standard output holds them
MOST_NOTES = 6
FORMATS = ("text", "html", "md", "json", "csv", "tex", "methods", "bib", "junit", "parquet")

rounding = _options.stack(
    click.option(
        "--digits",
        type=click.IntRange(1, 15),
        metavar="N",
        help="Decimals of scores and differences; without it as many as the interval that decides"
        " asks for, 3 at least.",
    ),
    click.option(
        "--style",
        type=click.Choice(["interval", "superscript"]),
        help="What a .tex table shows: difference, interval and p, or means with superscripts.",
    ),
)

options = _options.stack(
    click.option(
        "--report",
        "reports",
        multiple=True,
        metavar="PATH",
        help="Write a report: .html .md .json .csv .txt .tex .bib .methods .junit .parquet by"
        " suffix, or FORMAT:PATH. A FORMAT alone, such as html, writes reports/B-vs-A.html."
        " What is there is replaced. Repeat for more.",
    ),
    click.option(
        "--figures",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Write every figure of the report as PDF and SVG, for a column and the whole width.",
    ),
    click.option(
        "--all-figures",
        is_flag=True,
        help="In .html, draw also the figures that show again what others show.",
    ),
    click.option(
        "--format",
        "shown",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="What goes to standard output.",
    ),
    rounding,
)


class Target(NamedTuple):
    """Where a report goes, in which format, and whether ``FORMAT:PATH`` said so."""

    path: str
    suffix: str
    told: bool


@dataclass(frozen=True)
class Output:
    """What the flags of :data:`options` ask for; refused before any work is done."""

    formats: Registry[Format]
    reports: tuple[Target, ...]
    figures: Path | None
    shown: str
    digits: int | None
    style: str | None
    all_figures: bool

    @classmethod
    def of(
        cls,
        *,
        reports: Sequence[str],
        style: str | None,
        shown: str,
        formats: Registry[Format] | None = None,
        **rest: Any,  # noqa: ANN401
    ) -> Output:
        """Read the flags; ``formats`` are those of a comparison, or others.

        Raises
        ------
        UnknownNameError
            For a report format that does not exist.
        UsageError
            For a style without a report that has one.
        """
        from abrank.report import WRITERS
        from abrank.report.registry import format_of

        known = formats or WRITERS
        if shown != "text":
            format_of(shown, known)
        targets = targets_of(reports, known, style=style, shown=shown)
        return cls(formats=known, reports=targets, style=style, shown=shown, **rest)

    def write(self, comparison: Subject, on_stage: Callable[[str], None]) -> list[str]:
        """Write reports and figures; return a line on each."""
        return write_reports(
            comparison,
            self.reports,
            self._options,
            on_stage,
            figures=self.figures,
            digits=self.digits,
        )

    def show(
        self, comparison: Subject, written: Sequence[str], *, color: str, ascii_only: bool
    ) -> None:
        """Print the result to standard output, and which files were written."""
        if self.shown != "text":
            kind = f".{self.shown}"
            _terminal.put(self.formats[kind](comparison, **self._options(kind)), nl=False)
            return
        _terminal.show(comparison, color=color, ascii_only=ascii_only, digits=self.digits)
        if written:
            _terminal.put("\n" + "\n".join(written))

    def _options(self, kind: str) -> dict[str, Any]:
        """Return those of the flags that a format's writer takes."""
        figures = "all" if self.all_figures else None
        options = {"digits": self.digits, "style": self.style, "figures": figures}
        return given(self.formats[kind].options, **options)


def targets_of(
    reports: Sequence[str], formats: Collection[str], *, style: str | None, shown: str
) -> tuple[Target, ...]:
    """Read the flags ``--report``: a path, ``FORMAT:PATH``, or a format alone.

    Raises
    ------
    UnknownNameError
        For a format that does not exist.
    WriteError
        For a place that cannot be written.
    UsageError
        For a style without a report that has one.
    ArgumentError
        For a place that is an input of the command, or another report's.

    Examples
    --------
    >>> flags = ["out.html", "html", "md:summary"]
    >>> for target in targets_of(flags, [".html", ".md"], style=None, shown="text"):
    ...     print(*target)
    out.html .html False
    html .html False
    summary .md True
    """
    from abrank._support.files import require_place
    from abrank.report.registry import REPORTS, format_of, is_format

    found, places = [], []
    for report in reports:
        kind, _, path = report.partition(":")
        told = bool(path) and f".{kind}" in formats
        found.append(
            Target(path, f".{kind}", True)
            if told
            else Target(report, format_of(report, formats), False)
        )
        alone = not told and is_format(report, formats)
        places.append(REPORTS / report if alone else Path(found[-1].path))
        require_place(places[-1])
    require_free(places)
    if style and shown != "tex" and all(target.suffix != ".tex" for target in found):
        raise click.UsageError("--style is for LaTeX: give a --report .tex, or --format tex")
    return tuple(found)


def require_free(outputs: Sequence[Path]) -> None:
    """Refuse an output that is an input of the command that runs, or another output."""
    context = click.get_current_context(silent=True)
    if context is None:
        return
    from abrank._support import files

    rule: RuleFile | None = context.meta.get(_config.KEY)
    inputs: list[Any] = [] if rule is None else [rule.path]
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name)) or ()
        if parameter.type is _options.RUN:
            for path in (value,) if isinstance(value, str) else value:
                runs = _options.repeated(path)[1]  # one of NAME=RUN1,RUN2, or the path itself
                inputs += [runs] if isinstance(runs, str) else runs
    if table := context.params.get("collections"):
        from abrank.collections import read_collections

        for row in read_collections(table).values():
            for paths in row.values():
                inputs += paths if isinstance(paths, list) else [paths]
        inputs = [each for each in inputs if not Path(each).is_dir()]
    files.require_free(outputs, inputs)


def write_reports(
    result: Subject,
    targets: Sequence[Target],
    options: Callable[[str], dict[str, Any]],
    on_stage: Callable[[str], None],
    *,
    figures: Path | None = None,
    digits: int | None = None,
) -> list[str]:
    """Write the reports and figures, all or none of them; return a line on each.

    Parameters
    ----------
    options : callable
        Gives those of a format.
    figures : Path, optional
        The folder for the figures.
    digits : int
        Of the figures.
    """
    from abrank._support.files import replace_all
    from abrank.report.registry import files_of

    content: dict[Path, bytes] = {}
    places: list[Path] = []
    lines = []
    for path, suffix, told in targets:
        on_stage(f"making {path}")
        files = files_of(result, path, format=suffix if told else None, **options(suffix))
        content |= files
        places += files
        target, data = next(iter(files.items()))
        lines.append(f"report    {target}  {_size(len(data))}")
    if figures is not None:
        from abrank.report.formats.figures import figure_files

        on_stage(f"drawing for {figures}")
        drawn = figure_files(result, figures, digits=digits)
        content |= drawn
        places += drawn
        lines.append(f"figures   {figures}  {len(drawn)} files")
    if content:
        on_stage("writing")
        require_free(places)
        replace_all(content)
    return lines


def put_notes(result: Subject, shown: str, *, remarks: Sequence[str] = ()) -> None:
    """Say on standard error remarks, and what is to be known of a result but not in its format."""
    for remark in remarks:
        _terminal.put(f"note: {remark}", err=True)
    if shown in WITH_NOTES:
        return
    from abrank.report.cautions import cautions_of

    found = cautions_of(result)
    for each in found[:MOST_NOTES]:
        _terminal.put(f"note: {each}", err=True)
    if len(found) > MOST_NOTES:
        _terminal.put(f"note: {len(found) - MOST_NOTES} more in a report: html", err=True)


def given(names: Collection[str], **flags: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return those of the flags that were given and that a format has."""
    return {name: value for name, value in flags.items() if name in names and value is not None}


def _size(n_bytes: int) -> str:
    """Return a file's size in words."""
    kilobytes = n_bytes / 1000
    return f"{kilobytes / 1000:.1f} MB" if kilobytes >= 1000 else f"{max(kilobytes, 1):.0f} kB"
