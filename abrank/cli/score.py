"""``abrank score``: scores by query, means, or intervals of means with floors."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abrank.cli import _config, _flags, _output, _terminal
from abrank.measures import parse
from abrank.measures.names import parse_measures
from abrank.options import Scoring, iterate, nested

if TYPE_CHECKING:
    from abrank.scoring.scores import Scores


# With one of these the command gives a table of intervals of means.
_OF_MEAN = ("interval", "at_least", "test", "segments", "clusters", "alpha", "report")


@click.command("score", cls=_flags.Grouped)
@click.argument("qrels", type=_flags.RUN, required=False)
@click.argument("runs", type=_flags.RUN, nargs=-1)
@_flags.own(
    "--scores",
    "ready",
    group="Inputs",
    type=_flags.RUN,
    metavar="FILE",
    help="Ready scores in the place of QRELS RUNS: their means, with --interval their limits.",
)
@_flags.own(
    "-q",
    "--per-query",
    group="Output",
    is_flag=True,
    help="Write one line for each query before the means; -q as in trec_eval and ir_measures.",
)
@_flags.own(
    "--format",
    "format_name",
    group="Output",
    type=_flags.WordChoice(["text", "json", "csv", "trec_eval", "md", "html"]),
    default="text",
    show_default=True,
    help="What goes to standard output; trec_eval: its own lines, its official set without -m; md"
    " and html: with --interval.",
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
@_config.option
@_flags.every("score", own_letter="-q")
def score(
    qrels: str | None,
    runs: tuple[str, ...],
    *,
    ready: str | None,
    per_query: bool,
    format_name: str,
    digits: int,
    list_measures: bool,
    **flags: Any,  # noqa: ANN401 - those of abrank.options
) -> int:
    """Score RUNS against QRELS: query_id, measure and value, separated by tabs.

    What a measure gives over all queries, mostly the mean, stands under the query id "all"; with
    several runs a first column names the system. A flag that asks for intervals, such as --interval
    or --at-least, gives a table of the means and the limits between which they lie.

    \b
    abrank score -q qrels.txt bm25.run -m AP -m ndcg_cut_10
    abrank score qrels.txt bm25.run -m all_trec --format trec_eval
    abrank score qrels.txt bm25.run -m nDCG@10 --at-least nDCG@10:0.35
    abrank score faithfulness.csv --interval
    """  # noqa: D301 - click's mark for lines to keep
    if list_measures:
        from abrank.cli._score_formats import measure_list

        _terminal.put(measure_list(), nl=False)
        return 0
    if ready is not None and qrels is not None:
        raise click.UsageError("--scores stands in the place of QRELS and RUNS: leave these out")
    if ready is None and (qrels is None or not runs):
        raise click.UsageError(
            "QRELS and at least one run are needed (or --scores FILE, or --list-measures)"
        )

    from abrank.inputs.run import by_system
    from abrank.scoring.evaluate import score_runs

    config = _config.values()
    of_mean = {key: config[key] for key in _OF_MEAN if key in config}
    if of_mean and (per_query or format_name == "trec_eval"):
        text = "--per-query" if per_query else "--format trec_eval"
        flag = next(iter(of_mean)).replace("_", "-")
        hint = " (-q is --per-query here, and not --quiet)" if per_query else ""
        raise click.UsageError(f"{text} has no place for intervals: leave out --{flag}{hint}")
    if not of_mean and format_name in ("md", "html"):
        raise click.UsageError(f"--format {format_name} is for intervals: add --interval")
    keywords = nested(config)
    scoring = keywords.get("scoring", Scoring())
    measures: tuple[str, ...] = ()
    if ready is not None:
        scores = _ready_scores(ready, tuple(iterate(config.get("measure"))))
    else:
        measures = _measures(config, of_mean) or (
            ("official",) if format_name == "trec_eval" else ()
        )
        scores = score_runs(
            qrels,
            by_system(_flags.named(runs)),
            scoring.requested(measures or None),
            scoring,
            engine=keywords.get("engine"),
            hashes=bool(of_mean) or _may_be_one_file(runs),
        )
    if not flags["quiet"]:
        from abrank.report import run_sentences

        for line in [*scores.notes, *run_sentences(scores)]:
            _terminal.put(f"note: {line}", err=True)
    if of_mean:
        return _intervals(scores, of_mean, config, {**flags, "format": format_name}, scoring)
    _terminal.put(_table(scores, format_name, measures, scoring, per_query, digits), nl=False)
    return 0


def _ready_scores(path: str, measures: Sequence[str]) -> Scores:
    """Read ready scores, of some measures or of all; columns without a variant are measures."""
    from abrank.inputs.score_reading import TableOptions
    from abrank.measures.names import known_among
    from abrank.scoring.score_files import read_with_gaps, require_all

    scores = read_with_gaps(path, options=TableOptions(alone=False))
    require_all(scores)
    chosen = [known_among(name, scores.measures) for name in measures]
    places = [scores.measures.index(name) for name in chosen or scores.measures]
    return scores.take(places)


def _measures(config: Mapping[str, Any], of_mean: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the measures asked for, and those that only floors name."""
    measures = tuple(iterate(config.get("measure")))
    if "at_least" not in of_mean:
        return measures
    from abrank.scoring.intervals import read_floors

    names = {measure.name for measure in parse_measures(measures)} if measures else set()
    named = read_floors(list(iterate(of_mean["at_least"])))
    return (*measures, *(name for name in named if str(parse(name)) not in names))


def _intervals(
    scores: Scores,
    of_mean: Mapping[str, Any],
    config: Mapping[str, Any],
    flags: Mapping[str, Any],
    scoring: Scoring,
) -> int:
    """Show and write the intervals of the means, and return the exit code of the floors."""
    from abrank.provenance import provenance

    output = _output.Output.of({**flags, "digits": None, "interval": None})
    keys = ("test", "alpha", "segments", "clusters", "resamples")
    intervals = scores.intervals(
        **{key: config[key] for key in keys if key in config},
        at_least=list(iterate(of_mean.get("at_least"))), rng=config.get("seed", 0),
    )  # fmt: skip
    recorded = provenance(
        scores, {name: name for name in scores.systems}, settings=scoring.settings(),
        context={key: config[key] for key in ("segments", "clusters") if key in config},
        command=shlex.join(["abrank", *click.get_current_context().obj]),
    )  # fmt: skip
    intervals = _config.with_declared(replace(intervals, provenance=recorded))
    output.deliver(flags, lambda _: intervals, notes=False)
    if not intervals.cleared:
        from abrank.report import compose

        _terminal.put(f"gate      {compose(intervals).headline.title}", err=True)
    return 0 if intervals.cleared else 1


def _may_be_one_file(runs: Sequence[str]) -> bool:
    """Say whether two files are of one size: only then do hashes tell anything."""
    from abrank.inputs.files import is_regular

    # What cannot be looked at is refused when it is read, with a sentence.
    sizes = [Path(path).stat().st_size for path in runs if is_regular(path)]
    return len(set(sizes)) < len(sizes)


def _table(
    scores: Scores,
    format_name: str,
    measures: tuple[str, ...],
    scoring: Scoring,
    per_query: bool,
    digits: int,
) -> str:
    """Return the scores in the format that was asked for."""
    from abrank.cli import _score_formats as formats
    from abrank.measures.names import SETS

    if format_name == "csv":
        return formats.as_csv(scores, per_query=per_query)
    if format_name == "json":
        return formats.as_json(scores, per_query=per_query)
    if format_name == "text":
        return formats.as_text(scores, per_query=per_query, digits=digits)
    return formats.as_trec_eval(
        scores,
        per_query=per_query,
        digits=digits,
        options=scoring.settings(),
        run_id=not SETS.keys().isdisjoint(measures),
    )
