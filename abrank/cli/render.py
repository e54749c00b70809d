"""``abrank render``: any format from saved results."""

from __future__ import annotations

from typing import Any

import click

from abrank.cli import _options, _output


@click.command("render")
@click.argument("results", type=_options.RUN)
@_output.options
@_options.display
def command(
    results: str,
    *,
    color: str,
    ascii_only: bool,
    quiet: bool,
    verbose: bool,
    **asked: Any,  # noqa: ANN401 - the flags of _output.options
) -> None:
    """Write any report from RESULTS, the .json report of a comparison; - is standard input.

    It may be of one collection, of several, or of a ranking. All is computed again from the scores
    that it holds, and what differs is refused: every file has the bytes that compare or rank would
    have written. A gate that did not pass is told, but does not change the exit code.

    \b
    abrank render results.json --report report.html --report table.tex
    abrank render results.json --figures figures --format md
    """  # noqa: D301 - click's mark for lines to keep
    output = _output.Output.of(**asked)  # what no format is, is told before anything is read

    from abrank.cli import _terminal
    from abrank.report import read_results

    with _terminal.Progress(quiet=quiet, verbose=verbose) as progress:
        progress(f"reading {results}")
        comparison = read_results(results)
        written = output.write(comparison, progress)
    if not quiet:
        _output.put_notes(comparison, output.shown, remarks=getattr(comparison, "remarks", ()))
    output.show(comparison, written, color=color, ascii_only=ascii_only)
