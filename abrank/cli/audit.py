"""``abrank audit``: whether a published difference could be real."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from abrank.cli import _flags, _output, _terminal


@click.command("audit", cls=_flags.Grouped)
@_flags.own(
    "--queries", group="Inputs", type=click.IntRange(2), metavar="N", help="Number of queries."
)
@_flags.own("--a", group="Inputs", metavar="X", help="Published mean of A, with its decimals.")
@_flags.own("--b", group="Inputs", metavar="X", help="Published mean of B, with its decimals.")
@_flags.own(
    "--binary/--graded", group="Inputs", default=None,
    help="Whether each query scores 0 or 1; without it by the measure.",
)  # fmt: skip
@_flags.own(
    "--format", group="Output", type=click.Choice(["text", "json", "csv", "md", "html", "tex"]),
    default="text", show_default=True, help="What goes to standard output.",
)  # fmt: skip
@_flags.own(
    "--page", group="Output", type=click.Path(dir_okay=False), metavar="FILE",
    help="Write the page that does these sums in a browser, without an install.",
)  # fmt: skip
@_flags.every("audit")
def command(
    queries: int | None,
    a: str | None,
    b: str | None,
    *,
    page: str | None,
    **flags: Any,  # noqa: ANN401 - those of abrank.options
) -> None:
    """Say whether a published difference could be real, from two means and the queries alone.

    How wide its interval can be, how wide it usually is, the smallest p that any scores with these
    means have, and how many queries would settle it.

    \b
    abrank audit --queries 50 --a 0.412 --b 0.431 -m nDCG@20
    abrank audit --queries 50 --a 0.40 --b 0.44 -m Success@1 --report html
    """  # noqa: D301 - click's mark for lines to keep
    if page is not None:
        from abrank._support.files import replace_all
        from abrank.report.formats.html import audit_page

        replace_all({Path(page): audit_page().encode()})
        _terminal.put(f"page      {page}")
        if queries is None and a is None and b is None:
            return
    if queries is None or a is None or b is None:
        raise click.UsageError("--queries, --a and --b are needed")

    from abrank.planning.audit import audit

    output = _output.Output.of(flags)
    keys = ("measure", "sd", "binary", "alpha", "power")
    found = audit(queries, a, b, **{key: flags[key] for key in keys})
    written = output.write(found, lambda _: None)
    output.show(found, written, color=flags["color"], ascii_only=flags["ascii"])
