"""``abrank score``: scores per query, means, or intervals of means with floors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from abrank.cli import _flags, _output, _terminal
from abrank.measures import Measure, parse
from abrank.measures.names import parse_measures
from abrank.measures.spellings import trec_eval_name, trec_eval_order, without
from abrank.options import Scoring
from abrank.options.values import iterate, nested

if TYPE_CHECKING:
    from abrank.scoring.scores import Scores


# With any of these options the command prints a table of intervals of means.
_OF_MEAN = ("interval", "at_least", "test", "segments", "clusters", "alpha", "report")


@click.command("score", cls=_flags.Grouped)
@click.argument("qrels", type=_flags.RUN, required=False)
@click.argument("runs", type=_flags.RUN, nargs=-1)
@_flags.own(
    "--scores", "ready", group="Inputs", type=_flags.RUN, metavar="FILE",
    help="A table of scores instead of QRELS RUNS.",
)  # fmt: skip
@_flags.own(
    "-q", "--per-query", group="Output", is_flag=True,
    help="Print a line per query before the means; -q as in trec_eval and ir_measures.",
)  # fmt: skip
@_flags.own(
    "--format", "format_name", group="Output",
    type=_flags.WordChoice(["text", "json", "csv", "trec_eval", "md", "html"]), default="text",
    show_default=True,
    help="What to print to standard output. trec_eval: its format, and without -m its official"
    " measures. md and html need --interval.",
)  # fmt: skip
@_flags.own(
    "--digits", group="Output", type=click.IntRange(0, 17), default=4, show_default=True,
    metavar="N",
    help="Decimals of text and trec_eval. json and csv print all digits.",
)  # fmt: skip
@_flags.config_option
@_flags.every("score", own_letter="-q")
def score(
    qrels: str | None,
    runs: tuple[str, ...],
    *,
    ready: str | None,
    per_query: bool,
    format_name: str,
    digits: int,
    **flags: Any,  # noqa: ANN401 - flags from abrank.options
) -> int:
    """Score RUNS by the judgments QRELS.

    The lines have query_id, measure and value, separated by tabs. The query id "all" has the mean
    over all queries (for some measures the sum or geometric mean). With several runs, a first
    column names the system. With --interval, a table of means with confidence intervals is printed
    instead.

    \b
    abrank score -q qrels.txt bm25.run -m AP -m ndcg_cut_10
    abrank score qrels.txt bm25.run -m all_trec --format trec_eval
    abrank score qrels.txt bm25.run -m nDCG@10 --at-least nDCG@10:0.35
    abrank score faithfulness.csv --interval
    """  # noqa: D301 - click's mark for lines to keep
    if ready is not None and qrels is not None:
        raise click.UsageError(
            "--scores takes a table of scores instead of QRELS and RUNS: leave these out"
        )
    if ready is None and (qrels is None or not runs):
        raise click.UsageError(
            "give QRELS and at least one run (or --scores FILE); abrank guide measures"
            " lists what can be measured"
        )

    from abrank.inputs.run import by_system
    from abrank.scoring.evaluate import score_runs

    config = _flags.config_values()
    of_mean = {key: config[key] for key in _OF_MEAN if key in config}
    if of_mean and (per_query or format_name == "trec_eval"):
        text = "--per-query" if per_query else "--format trec_eval"
        flag = next(iter(of_mean)).replace("_", "-")
        hint = " (-q is --per-query here, and not --quiet)" if per_query else ""
        raise click.UsageError(f"{text} prints no intervals: leave out --{flag}{hint}")
    if not of_mean and format_name in ("md", "html"):
        raise click.UsageError(f"--format {format_name} works only with intervals: add --interval")
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
        from abrank.diagnostics import inspect_systems

        for line in scores.notes:
            _terminal.put(f"note: {line}", err=True)
        if notes := inspect_systems(scores):
            from abrank.report import note_sentences

            for line in note_sentences(notes):
                _terminal.put(f"note: {line}", err=True)
    if of_mean:
        return _intervals(scores, of_mean, config, {**flags, "format": format_name}, scoring)
    _terminal.put(_table(scores, format_name, measures, scoring, per_query, digits), nl=False)
    return 0


def _ready_scores(path: str, measures: Sequence[str]) -> Scores:
    from abrank.inputs.score_reading import TableOptions
    from abrank.measures.names import known_among
    from abrank.scoring.score_files import read_with_gaps, require_all

    scores = read_with_gaps(path, options=TableOptions(alone=False))
    require_all(scores)
    chosen = [known_among(name, scores.measures) for name in measures]
    return scores.take(chosen or scores.measures)


def _measures(config: Mapping[str, Any], of_mean: Mapping[str, Any]) -> tuple[str, ...]:
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
    """Show and write the intervals of the means; return the exit code by the floors."""
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
        command=_flags.command(),
    )  # fmt: skip
    intervals = _flags.with_declared(replace(intervals, provenance=recorded))
    output.deliver(flags, lambda _: intervals, notes=False)
    if not intervals.cleared:
        from abrank.report import compose

        _terminal.put(f"gate      {compose(intervals).headline.title}", err=True)
    return 0 if intervals.cleared else 1


def _may_be_one_file(runs: Sequence[str]) -> bool:
    """Whether two files have equal sizes; only then their hashes are compared."""
    from abrank.inputs.files import is_regular

    # Files that cannot be accessed are reported when they are read.
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
    lines = _rows(scores, per_query=per_query)
    if format_name == "csv":
        from abrank.report.data import csv_text

        return csv_text(COLUMNS, lines)
    if format_name == "json":
        import json

        records = [
            dict(zip(COLUMNS, (*names, None if math.isnan(value) else value), strict=True))
            for *names, value in lines
        ]
        return json.dumps(records, indent=1) + "\n"
    if format_name == "text":  # the system comes first if there are several
        first = 0 if len(scores.systems) > 1 else 1
        return "".join(
            "\t".join([*names[first:], f"{value:.{digits}f}"]) + "\n" for *names, value in lines
        )
    from abrank.measures.spellings import SETS

    return _trec_eval(
        scores,
        per_query=per_query,
        digits=digits,
        options=scoring.settings(),
        run_id=not SETS.keys().isdisjoint(measures),
    )


COLUMNS = ("system", "query_id", "measure", "score")
ALL = "all"


def _rows(scores: Scores, *, per_query: bool) -> Iterator[tuple[str, str, str, float]]:
    aggregates = scores.aggregates()
    for s, system in enumerate(scores.systems):
        if per_query:
            for q, query in enumerate(scores.query_ids):
                for m, measure in enumerate(scores.measures):
                    yield system, query, measure, float(scores.values[q, s, m])
        for m, measure in enumerate(scores.measures):
            yield system, ALL, measure, float(aggregates[s, m])


def _trec_eval(
    scores: Scores, *, per_query: bool, digits: int, options: Mapping[str, object], run_id: bool
) -> str:
    """Return the scores in the format, order and names of trec_eval."""
    # Measures that trec_eval lacks come last, with abrank's names.
    measures = [without(parse(name), options) for name in scores.measures]
    order = sorted(range(len(measures)), key=lambda m: trec_eval_order(measures[m]))
    aggregates = scores.aggregates()
    lines = []
    for s, system in enumerate(scores.systems):
        if per_query:
            entries = [(m, measures[m].entry) for m in order]
            ms = [m for m, x in entries if x.aggregate != "geometric" and x.name != "NumQ"]
            for q, query in enumerate(scores.query_ids):
                lines += [_line(measures[m], query, scores.values[q, s, m], digits) for m in ms]
        if run_id or len(scores.systems) > 1:
            lines.append(f"{'runid':<22}\t{ALL}\t{(*scores.audits[system].tags, system)[0]}\n")
        lines += [_line(measures[m], ALL, aggregates[s, m], digits) for m in order]
    return "".join(lines)


def _line(measure: Measure, query: str, value: float, digits: int) -> str:
    name = trec_eval_name(measure) or measure.name
    number = f"{value:.0f}" if measure.entry.aggregate == "sum" else f"{value:6.{digits}f}"
    return f"{name:<22}\t{query}\t{number}\n"
