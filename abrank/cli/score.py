"""``abrank score``: per-query or mean scores, one value a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from abrank.cli import _options

if TYPE_CHECKING:
    from abrank.scores import Scores


@click.command("score")
@click.argument("qrels", type=_options.RUN, required=False)
@click.argument("runs", type=_options.RUN, nargs=-1)
@_options.measures
@click.option("--per-query", is_flag=True, help="One line a query before the means.")
@click.option(
    "--digits", type=click.IntRange(0, 17), default=4, show_default=True, help="Decimals shown."
)
@click.option("--list-measures", is_flag=True, help="Say what can be measured, and stop.")
@_options.reading
@click.option("-q", "--quiet", is_flag=True, help="No notes on standard error.")
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    *,
    measures: tuple[str, ...],
    per_query: bool,
    digits: int,
    list_measures: bool,
    quiet: bool,
    **reading: Any,  # noqa: ANN401 - the flags that evaluate() takes under the same name
) -> None:
    """Score RUNS against QRELS: query_id, measure and value, separated by tabs.

    The mean stands under the query id "all"; with several runs a first column names the system.

    \b
    abrank score qrels.txt bm25.run -m AP -m ndcg_cut_10 --per-query
    """  # noqa: D301 - click's mark for lines to keep
    if list_measures:
        click.echo(_catalogue(), nl=False)
        return
    if qrels is None or not runs:
        raise click.UsageError("QRELS and at least one run are needed (or --list-measures)")

    from abrank.inputs.files import short_name
    from abrank.scores import evaluate

    loaded: dict[str, str] = {}
    for path in runs:
        name = short_name(path)
        # Two files of one name are told apart by their paths.
        loaded[name if name not in loaded else path] = path
    scores = evaluate(qrels, loaded, measures or None, **reading)
    if not quiet:
        for line in _notes(scores):
            click.echo(f"note: {line}", err=True)
    click.echo("".join(_lines(scores, per_query=per_query, digits=digits)), nl=False)


def _lines(scores: Scores, *, per_query: bool, digits: int) -> list[str]:
    """Return the output, a line a value."""
    lines = []
    means = scores.means()
    for s, system in enumerate(scores.systems):
        first = f"{system}\t" if len(scores.systems) > 1 else ""
        if per_query:
            for q, query in enumerate(scores.query_ids):
                lines += [
                    f"{first}{query}\t{measure}\t{scores.values[q, s, m]:.{digits}f}\n"
                    for m, measure in enumerate(scores.measures)
                ]
        lines += [
            f"{first}all\t{measure}\t{means[s, m]:.{digits}f}\n"
            for m, measure in enumerate(scores.measures)
        ]
    return lines


def _notes(scores: Scores) -> list[str]:
    """Return what was counted while the runs were read and should not pass in silence."""
    from abrank.report.compose import input_sentences

    return [
        sentence
        for system, audit in scores.audits.items()
        for sentence in input_sentences(system, audit)
    ]


def _catalogue() -> str:
    """Return the table of measures: name with parameters, range, definition, source."""
    from abrank.measures import catalogue

    lines = []
    for name, entry in catalogue().items():
        keywords = {each.name: each for each in entry.parameters}
        cutoff = keywords.pop("cutoff", None)
        inside = ", ".join(
            key if each.required or each.default is None else f"{key}={each.default!r}"
            for key, each in keywords.items()
        )
        at = "" if cutoff is None else "@k" if cutoff.required else "[@k]"
        low, high = entry.bounds
        lines.append(
            f"{name}{f'({inside})' if inside else ''}{at}   from {low:g} to {high:g}\n"
            f"    {entry.definition}\n    {entry.source}\n"
        )
    return "".join(lines)
