"""Where results go: standard output, report files, figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abrank.cli import _options, _terminal

if TYPE_CHECKING:
    from abrank.comparison import Comparison

FORMATS = ("text", "html", "md", "json", "csv", "tex", "methods", "bib")

options = _options.stack(
    click.option(
        "--report",
        "reports",
        multiple=True,
        metavar="PATH",
        help="Write a report: .html .md .json .csv .txt .tex .bib .methods by suffix, or"
        " FORMAT:PATH. A FORMAT alone, such as html, writes reports/B-vs-A.html. What is there is"
        " replaced. Repeat for more.",
    ),
    click.option(
        "--figures",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Write every figure of the report as PDF and SVG, for a column and the whole width.",
    ),
    click.option(
        "--format",
        "shown",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="What goes to standard output.",
    ),
    click.option(
        "--digits",
        type=click.IntRange(1, 15),
        default=3,
        show_default=True,
        help="Decimals of scores and differences.",
    ),
    click.option(
        "--style",
        type=click.Choice(["interval", "superscript"]),
        help="Of .tex: difference, interval and p, or means with superscripts.",
    ),
)


@dataclass(frozen=True)
class Output:
    """What the flags of :data:`options` ask for; refused before any work is done."""

    reports: tuple[tuple[str, str | None], ...]
    figures: Path | None
    shown: str
    digits: int
    style: str | None

    @classmethod
    def of(cls, *, reports: Sequence[str], style: str | None, shown: str, **rest: Any) -> Output:  # noqa: ANN401
        """Read the flags.

        Raises
        ------
        UnknownNameError
            For a report format that does not exist.
        UsageError
            For a style without a report that has one.
        """
        targets = tuple(map(_target, reports))
        if style and shown != "tex" and ".tex" not in [_format(*target) for target in targets]:
            raise click.UsageError("--style is for LaTeX: give a --report .tex, or --format tex")
        return cls(reports=targets, style=style, shown=shown, **rest)

    def write(self, comparison: Comparison, on_stage: Callable[[str], None]) -> list[str]:
        """Write reports and figures; return a line on each."""
        lines = []
        for path, kind in self.reports:
            on_stage(f"writing {path}")
            options = self._options(_format(path, kind))
            written = comparison.report(path, format=kind, **options)
            lines.append(f"report    {written}  {_size(written)}")
        if self.figures is not None:
            from abrank.report.figures import write_figures

            on_stage(f"drawing into {self.figures}")
            files = write_figures(comparison, self.figures, digits=self.digits)
            lines.append(f"figures   {self.figures}  {len(files)} files")
        return lines

    def show(
        self, comparison: Comparison, written: Sequence[str], *, color: str, ascii_only: bool
    ) -> None:
        """Print the result to standard output, and which files were written."""
        from abrank.report import WRITERS

        if self.shown != "text":
            kind = f".{self.shown}"
            _terminal.put(WRITERS[kind](comparison, **self._options(kind)), nl=False)
            return
        _terminal.show(comparison, color=color, ascii_only=ascii_only, digits=self.digits)
        if written:
            _terminal.put("\n" + "\n".join(written))

    def _options(self, kind: str) -> dict[str, Any]:
        """Return those of the flags that a format's writer takes."""
        from abrank.report.catalogue import options_of

        given = {"digits": self.digits, "style": self.style}
        return {name: given[name] for name in options_of(kind) if given.get(name) is not None}


def _target(report: str) -> tuple[str, str | None]:
    """Split ``FORMAT:PATH``; without a format the path itself says it.

    Examples
    --------
    >>> [_target(each) for each in ("out.html", "html", "md:summary")]
    [('out.html', None), ('html', None), ('summary', '.md')]
    """
    from abrank.report.catalogue import WRITERS, format_of

    kind, colon, path = report.partition(":")
    if colon and f".{kind}" in WRITERS:
        return path, f".{kind}"
    format_of(report)
    return report, None


def _format(path: str, kind: str | None) -> str:
    from abrank.report.catalogue import format_of

    return kind or format_of(path)


def _size(path: Path) -> str:
    """Return a file's size in words."""
    kilobytes = path.stat().st_size / 1000
    return f"{kilobytes / 1000:.1f} MB" if kilobytes >= 1000 else f"{max(kilobytes, 1):.0f} kB"
