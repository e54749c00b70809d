"""``abrank history``: what a ledger tells of the comparisons on the same queries."""

from __future__ import annotations

from typing import Any

import click

from abrank.cli import _flags, _output


@click.command("history")
@click.argument("ledger", type=_flags.RUN)
@_flags.take(
    "report", "figures", "all_figures", "format", "digits", "color", "ascii", "quiet", "verbose",
    of=("render", "compare"),
)  # fmt: skip
def command(ledger: str, **flags: Any) -> None:  # noqa: ANN401 - those of abrank.options
    """Say how often queries were asked, and what of the gains is to be expected again.

    LEDGER is the folder or the .sqlite file of abrank compare --ledger. Every comparison adds
    errors of its own: of a hundred on the same queries, some are found better by chance alone.

    \b
    abrank compare qrels.txt old.run new.run --ledger gates.sqlite
    abrank history gates.sqlite --report html
    """  # noqa: D301 - click's mark for lines to keep
    output = _output.Output.of(flags)

    from abrank.cli import _terminal
    from abrank.ledger import history

    with _terminal.Progress(quiet=flags["quiet"], verbose=flags["verbose"]) as progress:
        progress(f"reading {ledger}")
        found = history(ledger)
        written = output.write(found, progress)
    output.show(found, written, color=flags["color"], ascii_only=flags["ascii"])
