"""``abrank score``: what each measure gives, per query or over all, in the format that is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abrank.cli import _help, _options, _terminal

if TYPE_CHECKING:
    from abrank.scoring.scores import Scores


@click.command("score", cls=_help.Grouped)
@click.argument("qrels", type=_options.RUN, required=False)
@click.argument("runs", type=_options.RUN, nargs=-1)
@_options.measures
@click.option("--per-query", is_flag=True, help="Write one line for each query before the means.")
@click.option(
    "--format",
    "shown",
    type=click.Choice(["text", "json", "csv", "trec_eval"]),
    default="text",
    show_default=True,
    help="What goes to standard output; trec_eval: its own lines, its official set without -m.",
)
@click.option(
    "--digits",
    type=click.IntRange(0, 17),
    default=4,
    show_default=True,
    metavar="N",
    help="Decimals of text and trec_eval; json and csv have them all.",
)
@click.option("--list-measures", is_flag=True, help="Say what can be measured, and stop.")
@_options.reading
@_options.engine
@click.option("-q", "--quiet", is_flag=True, help="Write no notes to standard error.")
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    *,
    measures: tuple[str, ...],
    per_query: bool,
    shown: str,
    digits: int,
    list_measures: bool,
    quiet: bool,
    **reading: Any,  # noqa: ANN401 - the flags that evaluate() takes under the same name
) -> None:
    """Score RUNS against QRELS: query_id, measure and value, separated by tabs.

    What a measure gives over all queries, mostly the mean, stands under the query id "all"; with
    several runs a first column names the system.

    \b
    abrank score qrels.txt bm25.run -m AP -m ndcg_cut_10 --per-query
    abrank score qrels.txt bm25.run -m all_trec --format trec_eval
    """  # noqa: D301 - click's mark for lines to keep
    if list_measures:
        from abrank.cli._measure_list import measure_list

        _terminal.put(measure_list(), nl=False)
        return
    if qrels is None or not runs:
        raise click.UsageError("QRELS and at least one run are needed (or --list-measures)")

    from abrank.scoring.evaluate import evaluate

    if shown == "trec_eval":
        measures = measures or ("official",)
    engine = _options.take_engine(reading)
    scores = evaluate(
        qrels,
        _options.named(runs),
        measures or None,
        engine=engine,
        hashes=_may_be_one_file(runs),
        **reading,
    )
    if not quiet:
        for line in _notes(scores):
            _terminal.put(f"note: {line}", err=True)
    _terminal.put(_shown(scores, shown, measures, reading, per_query, digits), nl=False)


def _may_be_one_file(runs: Sequence[str]) -> bool:
    """Say whether two files are of one size: only then do hashes tell anything."""
    from abrank.inputs.files import is_regular

    # What cannot be looked at is refused when it is read, with a sentence.
    sizes = [Path(path).stat().st_size for path in runs if is_regular(path)]
    return len(set(sizes)) < len(sizes)


def _shown(
    scores: Scores,
    shown: str,
    measures: tuple[str, ...],
    reading: Mapping[str, Any],
    per_query: bool,
    digits: int,
) -> str:
    """Return the scores in the format that was asked for."""
    from abrank.cli import _score_formats as formats
    from abrank.measures.dialects import SETS

    if shown == "csv":
        return formats.as_csv(scores, per_query=per_query)
    if shown == "json":
        return formats.as_json(scores, per_query=per_query)
    if shown == "text":
        return formats.as_text(scores, per_query=per_query, digits=digits)
    return formats.as_trec_eval(
        scores,
        per_query=per_query,
        digits=digits,
        options=reading,
        run_id=not SETS.keys().isdisjoint(measures),
    )


def _notes(scores: Scores) -> list[str]:
    """Return what was counted while the runs were read and should not pass in silence."""
    from abrank.report import run_sentences

    return [*scores.notes, *run_sentences(scores)]
