"""``abrank score``: what each measure gives, per query or over all, in the format that is asked."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abrank.cli import _flags, _terminal
from abrank.options import Scoring, nested

if TYPE_CHECKING:
    from abrank.scoring.scores import Scores


@click.command("score", cls=_flags.Grouped)
@click.argument("qrels", type=_flags.RUN, required=False)
@click.argument("runs", type=_flags.RUN, nargs=-1)
@_flags.own(
    "--per-query",
    group="Output",
    is_flag=True,
    help="Write one line for each query before the means.",
)
@_flags.own(
    "--format",
    "shown",
    group="Output",
    type=click.Choice(["text", "json", "csv", "trec_eval"]),
    default="text",
    show_default=True,
    help="What goes to standard output; trec_eval: its own lines, its official set without -m.",
)
@_flags.own(
    "--digits",
    group="Output",
    type=click.IntRange(0, 17),
    default=4,
    show_default=True,
    metavar="N",
    help="Decimals of text and trec_eval; json and csv have them all.",
)
@_flags.own(
    "--list-measures", group="Output", is_flag=True, help="Say what can be measured, and stop."
)
@_flags.every("score")
@_flags.take("quiet")
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    *,
    measure: tuple[str, ...],
    per_query: bool,
    shown: str,
    digits: int,
    list_measures: bool,
    quiet: bool,
    **_: Any,  # noqa: ANN401 - those of abrank.options
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

    from abrank.scoring.evaluate import score_runs

    measures = measure or (("official",) if shown == "trec_eval" else ())
    keywords = nested(dict(_flags.options_given()))
    scoring = keywords.get("scoring", Scoring())
    scores = score_runs(
        qrels,
        _flags.named(runs),
        measures or None,
        scoring,
        engine=keywords.get("engine"),
        hashes=_may_be_one_file(runs),
    )
    if not quiet:
        for line in _notes(scores):
            _terminal.put(f"note: {line}", err=True)
    _terminal.put(_shown(scores, shown, measures, scoring, per_query, digits), nl=False)


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
    scoring: Scoring,
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
        options=scoring.settings(),
        run_id=not SETS.keys().isdisjoint(measures),
    )


def _notes(scores: Scores) -> list[str]:
    """Return what was counted while the runs were read and should not pass in silence."""
    from abrank.report import run_sentences

    return [*scores.notes, *run_sentences(scores)]
