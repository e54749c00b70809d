"""Where results go: standard output, report files, figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from abrank._support.display import plural
from abrank.cli import _flags, _terminal

if TYPE_CHECKING:
    from abrank.report.registry import Target

Found = TypeVar("Found")
WITH_NOTES = ("text", "html", "md", "json")  # formats that include the notes
MOST_NOTES = 6


@dataclass(frozen=True)
class Output:
    """The requested outputs; invalid requests are refused before any work."""

    reports: tuple[Target, ...]
    figures: str | None
    format: str
    # Formatting flags that were set; each format supports some of them.
    options: Mapping[str, Any]

    @classmethod
    def of(cls, flags: Mapping[str, Any]) -> Output:
        """Read the flags ``report``, ``format`` and the formatting flags."""
        from abrank._support.files import require_place
        from abrank.report.registry import REPORTS, figures_target, is_format, target_of

        style, figures = flags.get("style"), flags.get("figures")
        interval = flags.get("interval")
        if figures is not None:
            figures_target(figures)  # report a wrong format before anything is read
        options = {
            "digits": flags.get("digits"),
            "style": style,
            "interval": None if interval == "difference" else interval,
            "pairs": flags.get("pairs") or None,
            "detail": _terminal.detail(
                quiet=flags.get("quiet", False), verbose=flags.get("verbose", False)
            ),
        }
        targets, places = [], []  # each entry is a path, FORMAT:PATH, or a format
        for report in flags["report"]:
            targets.append(target_of(report))
            alone = not targets[-1].is_explicit and is_format(report)
            places.append(REPORTS / report if alone else Path(targets[-1].path))
            require_place(places[-1])
        require_free(places)
        if style and ".tex" not in {f".{flags['format']}", *(target.suffix for target in targets)}:
            raise click.UsageError("--style is for LaTeX: give a --report .tex, or --format tex")
        return cls(
            reports=tuple(targets),
            figures=figures,
            format=flags["format"],
            options={name: option for name, option in options.items() if option is not None},
        )

    def deliver(
        self,
        flags: Mapping[str, Any],
        make: Callable[[Callable[[str], None]], Found],
        *,
        notes: bool = True,
        gate: bool = True,
        brief: bool = False,
    ) -> Found:
        """Make a result, write its files, print its notes, show and return it."""
        # `brief` only shows where files were written.
        quiet = flags.get("quiet", False)
        with _terminal.Progress(quiet=quiet, verbose=flags.get("verbose", False)) as progress:
            result = make(progress)
            lines = self._write(result, progress)
        if notes and not quiet:
            put_notes(result, self.format, remarks=getattr(result, "remarks", ()))
        if brief:
            _terminal.put("\n".join(lines))
        elif self.format == "text":
            options = self._taken(".txt", result)
            _terminal.show(result, ascii_only=flags["ascii"], gate=gate, **options)
            if lines:
                _terminal.put("\n" + "\n".join(lines))
        else:
            from abrank.report import WRITERS

            kind = f".{self.format}"
            first, *beside = WRITERS[kind].files(result, **self._taken(kind, result)).values()
            # With --pairs, CSV has the table of pairs in addition to that of systems.
            pairs = self.format == "csv" and "pairs" in self.options
            _terminal.put(beside[0] if pairs else first, nl=False)
        return result

    def _taken(self, kind: str, result: object) -> dict[str, Any]:
        from abrank.report import WRITERS

        available = WRITERS[kind].options(result)
        return {name: option for name, option in self.options.items() if name in available}

    def _write(self, result: object, on_stage: Callable[[str], None]) -> list[str]:
        """Write all reports and figures or none; return one line for each."""
        from abrank._support.files import replace_all
        from abrank.report.registry import figures_target, files_of

        content: dict[Path, bytes] = {}
        places: list[Path] = []
        lines = []
        for path, suffix, is_explicit in self.reports:
            on_stage(f"making {path}")
            options = self._taken(suffix, result)
            files = files_of(result, path, format=suffix if is_explicit else None, **options)
            content |= files
            places += files
            target, data = next(iter(files.items()))
            lines.append(f"report    {target}  {_size(len(data))}")
        if self.figures is not None:
            from abrank.report.registry import figure_files

            on_stage(f"drawing for {self.figures}")
            files = figure_files(result, self.figures, digits=self.options.get("digits"))
            content |= files
            places += files
            folder = figures_target(self.figures)[1]
            lines.append(f"figures   {folder}  {plural(len(files), 'file')}")
        if content:
            on_stage("writing")
            require_free(places)
            replace_all(content)
        return lines


def require_free(outputs: Sequence[Path]) -> None:
    """Refuse an output that is also an input of the current command, or another output."""
    context = click.get_current_context()
    from abrank._support import files

    inputs: list[Any] = []
    runs = [context.params.get(str(param.name)) for param in context.command.params
            if param.type is _flags.RUN]  # fmt: skip
    for value in (*_flags.config_files(), *runs):
        for path in (value,) if isinstance(value, str) else value or ():
            run = _flags.repeated(path)[1]  # NAME=RUN1,RUN2, or a path
            inputs += [run] if isinstance(run, str) else run
    if table := _flags.config_values().get("collections"):
        from abrank.collections.table import files_of

        inputs += [item for item in files_of(table) if not Path(item).is_dir()]
    files.require_free(outputs, inputs)


def put_notes(result: object, format: str, *, remarks: Sequence[str] = ()) -> None:
    """Print to standard error remarks and notes that a format does not include."""
    for remark in remarks:
        _terminal.put(f"note: {remark}", err=True)
    if format in WITH_NOTES:
        return
    from abrank.report import compose

    cautions = compose(result).cautions
    for caution in cautions[:MOST_NOTES]:
        more = f" More: {caution.more}." if caution.more else ""
        _terminal.put(f"note: {caution}{more}", err=True)
    if len(cautions) > MOST_NOTES:
        _terminal.put(f"note: {len(cautions) - MOST_NOTES} more in a report: html", err=True)


def _size(n_bytes: int) -> str:
    kilobytes = n_bytes / 1000
    return f"{kilobytes / 1000:.1f} MB" if kilobytes >= 1000 else f"{max(kilobytes, 1):.0f} kB"
