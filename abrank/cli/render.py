"""``abrank render``: any format from saved results."""

from __future__ import annotations

from typing import Any

import click

from abrank.cli import _flags, _output


@click.command("render")
@click.argument("results", type=_flags.RUN)
@_flags.take(
    "report", "figures", "all_figures", "format", "digits", "style", "color", "ascii", "quiet",
    "verbose", of=("render", "compare"),
)  # fmt: skip
def command(results: str, **flags: Any) -> None:  # noqa: ANN401 - those of abrank.options
    """Write any report from RESULTS, the .json report of a comparison; - is standard input.

    It may be of one collection, of several, or of a ranking. All is computed again from the scores
    that it holds, and what differs is refused: every file has the bytes that compare or rank would
    have written. A gate that did not pass is told, but does not change the exit code.

    \b
    abrank render results.json --report report.html --report table.tex
    abrank render results.json --figures figures --format md
    """  # noqa: D301 - click's mark for lines to keep
    output = _output.Output.of(flags)  # what no format is, is told before anything is read

    from abrank.cli import _terminal
    from abrank.report import read_results

    with _terminal.Progress(quiet=flags["quiet"], verbose=flags["verbose"]) as progress:
        progress(f"reading {results}")
        comparison = read_results(results)
        written = output.write(comparison, progress)
    if not flags["quiet"]:
        _output.put_notes(comparison, output.shown, remarks=getattr(comparison, "remarks", ()))
    output.show(comparison, written, color=flags["color"], ascii_only=flags["ascii"])
