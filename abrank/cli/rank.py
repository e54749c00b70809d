"""``abrank rank``: the leaderboard of many runs, and which of them differ significantly."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from abrank.cli import _flags, _output, _terminal
from abrank.options import RankingQuestion, made, nested

if TYPE_CHECKING:
    from abrank.ranking import Ranking


@click.command("rank", cls=_flags.Grouped)
@click.argument("qrels", type=_flags.RUN, required=False)
@click.argument("runs", type=_flags.RUN, nargs=-1)
@_flags.every("rank")
def command(qrels: str | None, runs: tuple[str, ...], **flags: Any) -> None:  # noqa: ANN401 - those of abrank.options
    """Rank RUNS by their mean on QRELS, and say which differ significantly.

    Systems that share a letter do not differ significantly. Each is named after its file, or the
    column; NAME=RUN1,RUN2 are repeated runs of one system (seeds, folds), averaged per query. Over
    several collections of equal weight: which could be the best on these, and on others like them.

    \b
    abrank rank qrels.txt bm25.run splade.run monot5.run -m nDCG@10 -m AP
    abrank rank qrels.txt *.run --baseline bm25 --pairs
    abrank rank --scores scores.csv -m AP
    abrank rank --collections beir.tsv -m nDCG@10 --report html
    """  # noqa: D301 - click's mark for lines to keep
    asked = dict(_flags.options_given())
    question = made(RankingQuestion, nested(asked))
    called = shlex.join(["abrank", *click.get_current_context().obj])
    if flags["collections"]:
        _over_collections(question, flags, called, qrels)
        return
    ready = flags["scores"]
    if qrels is None or not (runs or ready):
        raise click.UsageError(
            "QRELS and RUNS are needed (or --scores and their files, or --collections FILE)"
        )
    if [qrels, *runs].count("-") > 1:
        raise click.UsageError("only one of the files can be standard input")

    output = _output.Output.of(flags)
    with _terminal.Progress(quiet=flags["quiet"], verbose=flags["verbose"]) as progress:
        ranking = _ranking([qrels, *runs], question, flags, called, progress)
        written = output.write(ranking, progress)
    if not flags["quiet"]:
        _output.put_notes(ranking, output.shown)
    output.show(ranking, written, color="auto", ascii_only=flags["ascii"])


def _over_collections(
    question: RankingQuestion, flags: Mapping[str, Any], called: str, qrels: str | None
) -> None:
    """Rank on the collections of a table or folder, and print and write what was found."""
    _flags.require_taken(
        "rank_collections",
        "is for one collection: it cannot stand beside --collections",
        ["qrels"] if qrels else [],
    )
    from abrank.collections.rank import rank_each

    output = _output.Output.of(flags)
    missing = question.scoring.missing if _flags.given("missing") else "error"
    with _terminal.Progress(quiet=flags["quiet"], verbose=flags["verbose"]) as progress:
        found = rank_each(
            flags["collections"], question, missing=missing, command=called, on_stage=progress
        )
        written = output.write(found, progress)
    if not flags["quiet"]:
        _output.put_notes(found, output.shown)
    output.show(found, written, color="auto", ascii_only=flags["ascii"])


def _ranking(
    files: list[Any],
    question: RankingQuestion,
    flags: Mapping[str, Any],
    called: str,
    on_stage: Callable[[str], None],
) -> Ranking:
    """Rank runs by judgments, or files of ready scores."""
    if flags["scores"]:
        from abrank.ranking.rank import rank_ready

        _flags.require_taken("rank_scores", "is for runs, not for ready scores")
        missing = question.scoring.missing if _flags.given("missing") else "error"
        on_stage("reading the scores")
        return rank_ready(files, question, missing=missing, command=called, on_stage=on_stage)
    from abrank.workflow import rank_runs

    qrels, *runs = files
    return rank_runs(qrels, _flags.named(tuple(runs)), question, command=called, on_stage=on_stage)
