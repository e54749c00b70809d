"""``abrank agreement``: how far two judges agree, and how that affects verdicts."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from abrank.cli import _flags, _terminal


@click.command("agreement")
@click.argument("human", type=_flags.RUN)
@click.argument("machine", type=_flags.RUN)
@click.argument("runs", type=_flags.RUN, nargs=-1)
@_flags.take("measure", of=("agreement",))
@click.option(
    "--level",
    type=click.Choice(["ordinal", "nominal"]),
    default="ordinal",
    show_default=True,
    help="Whether Krippendorff's alpha takes grades as ordered or as mere names.",
)
@click.option(
    "--rel",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="GRADE",
    help="Lowest relevant grade, for the agreement on relevant or not.",
)
@click.option(
    "--margin",
    type=float,
    metavar="X",
    help="Smallest difference worth having, for the verdicts on the runs.",
)
@_flags.take("seed")
@click.option(
    "--format",
    "shown",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="What goes to standard output.",
)
@_flags.take("ascii")
def command(
    human: str,
    machine: str,
    runs: tuple[str, ...],
    *,
    measure: str,
    level: Any,  # noqa: ANN401 - one of the choices
    rel: int,
    margin: float | None,
    seed: int,
    shown: str,
    ascii: bool,
) -> None:
    """Hold the judgments of MACHINE against those of HUMAN, two qrels files.

    By grade: who gave which, Cohen's kappa (plain, linear, quadratic), Krippendorff's alpha. With
    two RUNS or more also: the order of the systems by either, the verdict of each against the first
    by either, and whether the machine favours one of them.

    \b
    abrank agreement people.qrels llm.qrels
    abrank agreement people.qrels llm.qrels a.run b.run -m AP --format json
    """  # noqa: D301 - click's mark for lines to keep
    from abrank.agreement import judge_agreement

    found = judge_agreement(
        human, machine, _flags.named(runs), measure=measure, level=level, rel=rel, margin=margin,
        rng=seed,
    )  # fmt: skip
    if shown == "json":
        _terminal.put_json(asdict(found))
        return
    _terminal.show(found, ascii_only=ascii)
