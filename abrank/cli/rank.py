"""``abrank rank``: the leaderboard of many runs, and which of them are told apart."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abrank._support import checks
from abrank.cli import _collections, _help, _options, _output, _terminal

if TYPE_CHECKING:
    from abrank.ranking import Ranking

TESTS = (
    "tukey", "randomised-tukey", "nemenyi", "conover", "max-t", "dunnett", "bonferroni-dunn",
    *_options.TESTS,
)  # fmt: skip


@click.command("rank", cls=_help.Grouped)
@click.argument("qrels", type=_options.RUN, required=False)
@click.argument("runs", type=_options.RUN, nargs=-1)
@click.option(
    "--scores",
    "ready",
    is_flag=True,
    help="All files are ready scores per query, without QRELS: CSV, TSV or Parquet tables with a"
    " column a system, or with columns query_id, system, measure and score; or the output of"
    " trec_eval -q and its like, a file a system.",
)
@_collections.many
@click.option(
    "-m",
    "--measure",
    "measures",
    metavar="NAME",
    multiple=True,
    help="Measure, in any dialect. Repeat for more: the first orders the systems. Without it"
    " nDCG@10; of ready scores all, by a ranking measure.",
)
@click.option(
    "--baseline",
    "baselines",
    metavar="NAME",
    multiple=True,
    help="Compare every system with this one, by the name of its file, rather than all pairs."
    " Repeat for more; the tests are then adjusted for all of them.",
)
@click.option(
    "--family",
    type=click.Choice(["measure", "all"]),
    default="measure",
    show_default=True,
    help="Alpha holds for each measure, or for all of them together (Bonferroni).",
)
@click.option(
    "--test",
    type=click.Choice(TESTS),
    metavar="NAME",
    help="Without it max-t. Joint: max-t, tukey, randomised-tukey, nemenyi, conover, and against a"
    " baseline dunnett, bonferroni-dunn. Pair by pair, adjusted: t, permutation, bootstrap,"
    " wilcoxon, sign.",
)
@click.option(
    "--adjust",
    type=click.Choice(["holm", "hochberg", "hommel", "bonferroni", "bh", "by", "none"]),
    help="How conover and the tests pair by pair are adjusted: without it by holm.",
)
@click.option(
    "--alpha",
    type=float,
    default=0.05,
    show_default=True,
    metavar="X",
    help="Significance level of all pairs together.",
)
@_options.directions
@click.option(
    "--resamples",
    type=click.IntRange(99, checks.MOST_RESAMPLES),
    metavar="N",
    help="Resamples of the Monte Carlo tests.",
)
@_options.seed
@_options.reading
@click.option(
    "--pairs",
    is_flag=True,
    help="Show every pair: below the text, or in place of the CSV of systems. Above 300 systems"
    " only the pairs with the first are kept without it.",
)
@click.option(
    "--format",
    "shown",
    type=click.Choice(_output.FORMATS),
    default="text",
    show_default=True,
    help="What goes to standard output.",
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="PATH",
    help="Write a report: .html .md .tex .csv .json .txt .bib .methods .junit .parquet by suffix,"
    " or FORMAT:PATH. A FORMAT alone, such as html, writes reports/ranking-MEASURE.html. What is"
    " there is replaced. Repeat for more.",
)
@_output.figures
@click.option(
    "--instruments",
    is_flag=True,
    help="Say of each measure which share of pairs it tells apart, its swap rate, and its"
    " agreement with the first.",
)
@click.option(
    "--risk",
    type=click.FloatRange(0.0),
    metavar="WEIGHT",
    help="Show URisk, TRisk and GeoRisk against the baseline; a loss counts 1 + WEIGHT times.",
)
@click.option(
    "--interval",
    type=click.Choice(["difference", "own", "within"]),
    default="difference",
    show_default=True,
    help="What the intervals are of: the difference from the first or the baseline, as the test has"
    " it; each mean by itself; or the means with the queries' difficulty taken out.",
)
@_output.rounding
@_options.ascii_only
@_options.progress
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    *,
    ready: bool,
    collections: str | None,
    measures: tuple[str, ...],
    baselines: tuple[str, ...],
    resamples: int | None,
    seed: int,
    pairs: bool,
    shown: str,
    interval: str,
    instruments: bool,
    risk: float | None,
    reports: tuple[str, ...],
    figures: Path | None,
    digits: int | None,
    style: str | None,
    ascii_only: bool,
    quiet: bool,
    verbose: bool,
    **how: Any,  # noqa: ANN401 - the flags that rank() and evaluate() take under the same name
) -> None:
    """Rank RUNS by their mean on QRELS, and tell apart those that differ.

    Systems that share a letter are not told apart. Each is named after its file, or the column;
    NAME=RUN1,RUN2 are repeated runs of one system (seeds, folds), averaged per query. Over several
    collections of equal weight: who may be called first on these, and on others like them.

    \b
    abrank rank qrels.txt bm25.run splade.run monot5.run -m nDCG@10 -m AP
    abrank rank qrels.txt *.run --baseline bm25 --pairs
    abrank rank --scores scores.csv -m AP
    abrank rank --collections beir.tsv -m nDCG@10 --report html
    """  # noqa: D301 - click's mark for lines to keep
    if collections:
        _collections.require_alone(ranked=True)
        how |= {"n_resamples": resamples, "rng": seed, "measures": measures}
        how |= {"reports": reports, "shown": shown, "digits": digits, "figures": figures}
        _over_collections(collections, how, ascii_only=ascii_only, quiet=quiet, verbose=verbose)
        return
    _require_files(qrels, runs, ready=ready)

    from abrank.ranking import with_extras

    output = _output.Output.of(
        reports=reports, style=style, shown=shown, figures=figures, digits=digits,
        interval=interval if interval != "difference" else None, pairs=pairs,
    )  # fmt: skip
    with _terminal.Progress(quiet=quiet, verbose=verbose) as progress:
        how |= {"n_resamples": resamples, "rng": seed, "baseline": baselines or None}
        how["pairs"] = pairs
        how["command"] = shlex.join(["abrank", *click.get_current_context().obj])
        ranking = _ranking(qrels, runs, ready=ready, measures=measures, on_stage=progress, **how)
        if instruments or risk is not None:
            ranking = with_extras(ranking, instruments=instruments, risk=risk)
        written = output.write(ranking, progress)
    if not quiet:
        _output.put_notes(ranking, shown)
    output.show(ranking, written, color="auto", ascii_only=ascii_only)


def _over_collections(
    source: str, flags: dict[str, Any], *, ascii_only: bool, quiet: bool, verbose: bool
) -> None:
    """Rank on the collections of a table or folder, and print and write what was found."""
    from abrank.scoring.evaluate import EvaluateOptions

    output = _output.Output.of(
        **{name: flags.pop(name) for name in ("reports", "shown", "digits", "figures")}, style=None
    )
    options = EvaluateOptions(**{name: flags.pop(name) for name in _options.READING})
    asked = (
        "measures", "test", "adjust", "alpha", "lower_is_better", "higher_is_better", "n_resamples",
        "rng",
    )  # fmt: skip
    how = {name: flags[name] for name in asked}
    how["command"] = shlex.join(["abrank", *click.get_current_context().obj])
    with _terminal.Progress(quiet=quiet, verbose=verbose) as progress:
        found = _collections.rank(source, options, on_stage=progress, **how)
        written = output.write(found, progress)
    if not quiet:
        _output.put_notes(found, output.shown)
    output.show(found, written, color="auto", ascii_only=ascii_only)


def _require_files(qrels: str | None, runs: tuple[str, ...], *, ready: bool) -> None:
    """Refuse a call without files, or with standard input twice."""
    if qrels is None or not (runs or ready):
        raise click.UsageError(
            "QRELS and RUNS are needed (or --scores and their files, or --collections FILE)"
        )
    if [qrels, *runs].count("-") > 1:
        raise click.UsageError("only one of the files can be standard input")


def _ranking(
    qrels: str | None,
    runs: tuple[str, ...],
    *,
    ready: bool,
    measures: tuple[str, ...],
    on_stage: Callable[[str], None],
    **how: Any,  # noqa: ANN401
) -> Ranking:
    """Rank runs by judgments, or files of ready scores."""
    from abrank.measures.names import DEFAULT_MEASURES
    from abrank.ranking.rank import rank_ready
    from abrank.scoring.evaluate import EvaluateOptions
    from abrank.workflow import rank_runs

    reading = {name: how.pop(name) for name in _options.READING}
    if ready:
        given = _options.given(*_options.READING)
        if others := given - {"missing"}:
            flag = sorted(others)[0].replace("_", "-")
            raise click.UsageError(f"--{flag} is for runs, not for ready scores")
        how["missing"] = reading["missing"] if given else "error"
        on_stage("reading the scores")
        return rank_ready([qrels, *runs], measures=measures or None, on_stage=on_stage, **how)
    return rank_runs(
        qrels,
        _options.named(runs),
        EvaluateOptions(**reading),
        measures=measures or DEFAULT_MEASURES[0],
        on_stage=on_stage,
        **how,
    )
