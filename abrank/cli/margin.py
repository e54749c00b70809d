"""``abrank margin``: what there is to hold a margin against, before it is declared."""

from __future__ import annotations

import math
import sys
from dataclasses import asdict, astuple, fields
from typing import TYPE_CHECKING, Any

import click

from abrank._support import display
from abrank.cli import _flags, _terminal

if TYPE_CHECKING:
    from abrank.planning.audit import Margins
    from abrank.scoring.scores import Scores

_WHOSE = {"candidate": "of {b} less A", "runs": "of two runs of A", "given": "as given"}
_ADVICE = (
    "Take the smallest loss that users would notice, and more than A differs from",
    "itself. What these queries can show is no reason for a margin.",
)


@click.command("margin", cls=_flags.Grouped)
@click.argument("qrels", type=_flags.RUN, required=False)
@click.argument("runs", type=_flags.RUN, nargs=-1)
@_flags.own(
    "--scores",
    "ready",
    group="Planning",
    is_flag=True,
    help="All files are ready scores per query, without QRELS: one a run, or a table with a column"
    " a run.",
)
@_flags.own(
    "--against",
    group="Planning",
    type=_flags.RUN,
    metavar="RUN",
    help="A run of another system (with --scores its scores, or the name of its column): its"
    " differences tell what the queries can show.",
)
@_flags.take("measure", "sd", "power", of=("margin",))
@_flags.take("alpha")
@_flags.take(*_flags.SCORING, of=("evaluate",))
@_flags.take("format", of=("margin",))
def command(
    qrels: str | None,
    runs: tuple[str, ...],
    *,
    ready: bool,
    against: str | None,
    measure: str,
    sd: float | None,
    alpha: float,
    power: float,
    format: str,
    **_: Any,  # noqa: ANN401 - how runs are scored
) -> None:
    """Help to choose a margin: the smallest loss worth noticing, declared before looking.

    RUNS are of one system A: seeds, folds, refreshes of its index. A margin is to be larger than
    what they differ by. Beside it: one query lost of all, 1% and 2% of A's mean, and of each what
    the queries at hand could show, and how many would.

    \b
    abrank margin qrels.txt seed1.run seed2.run seed3.run --against new.run -m AP
    abrank margin --scores seeds.csv --sd 0.2 -m AP
    """  # noqa: D301 - click's mark for lines to keep
    if qrels is None or not (runs or ready):
        raise click.UsageError("QRELS and RUNS are needed (or --scores and their files)")
    if against is not None and sd is not None:
        raise click.UsageError("--against and --sd both give the spread: choose one")

    from abrank.planning.audit import suggest_margins

    with _terminal.Progress(quiet=False, verbose=False) as progress:
        progress("scoring")
        if ready:
            scores, other = _ready([qrels, *runs], against, measure)
        else:
            scores, other = _scored(qrels, runs, against, measure)
    b = None if other is None else scores.of(other)[:, 0]
    kept = [place for place, name in enumerate(scores.systems) if name != other]
    found = suggest_margins(
        scores.values[:, kept, 0], b, span=_span(scores), sd=sd, alpha=alpha, power=power
    )
    if format == "json":
        _terminal.put_json({"measure": scores.measures[0], **asdict(found)})
    elif format == "csv":
        _terminal.put(_csv(found), nl=False)
    else:
        lines = _text(found, scores.measures[0], other or "")
        if _terminal.wants_ascii(flag=False, stream=sys.stdout):
            lines = [line.replace(display.GROUP, " ") for line in lines]
        _terminal.put("\n".join(lines))


def _scored(
    qrels: str, runs: tuple[str, ...], against: str | None, measure: str
) -> tuple[Scores, str | None]:
    """Score the runs; return the name of the other system, too."""
    from abrank.scoring.evaluate import evaluate

    named = _flags.named((*runs, against) if against else runs)
    return evaluate(qrels, named, [measure], scoring=_flags.scoring()), [*named][
        -1
    ] if against else None


def _ready(files: list[str], against: str | None, measure: str) -> tuple[Scores, str | None]:
    """Read ready scores; the other system is a column of theirs, or of a file of its own."""
    if given := sorted(_flags.given(*_flags.SCORING)):
        raise click.UsageError(f"--{given[0].replace('_', '-')} is for runs, not for ready scores")

    from abrank.ranking.rank import read_board

    asked = [measure] if _flags.given("measure") else None
    scores = read_board(files, measures=asked)
    if len(scores.measures) > 1:
        count, names = len(scores.measures), ", ".join(scores.measures[:3])
        raise click.UsageError(f"{count} measures ({names} …); say which: -m {scores.measures[0]}")
    if against is None or against in scores.systems:
        return scores, against
    known, several = set(scores.systems), read_board([*files, against], measures=asked)
    others = [name for name in several.systems if name not in known]
    if len(others) != 1:
        raise click.UsageError(f"--against is one system, and {against} has {len(others)}")
    return several, others[0]


def _span(scores: Scores) -> float | None:
    """Return the range of the measure, None where it is not known."""
    from abrank.comparison.declared import known_range

    seen = scores.values[:, :, 0]
    low, high = known_range(scores.measures[0], least=float(seen.min()), largest=float(seen.max()))
    return high - low if math.isfinite(high - low) else None


def _text(found: Margins, measure: str, other: str) -> list[str]:
    """Return what was found as lines of at most 80 columns."""
    queries = display.plural(found.n_queries, "query", "queries")
    runs = display.plural(found.n_runs, "run")
    mean = display.score(found.mean, digits=4)
    if found.n_runs > 1:
        ends = (min(found.run_means), max(found.run_means))
        mean += f" ({' to '.join(display.score(each, digits=4) for each in ends)})"
    lines = [f"{display.shorten(measure, width=24)}: {runs} of A, {queries}, mean {mean}", ""]
    known = found.sd > 0.0
    rows = [("", "margin", *(("power at hand", "queries", "not worse") if known else ()))]
    for row in found.rows:
        cells = [row.name, display.least(row.margin, digits=4)]
        if known:
            cells += [
                display.percent(row.power, sign=False), _needed(row.n), _needed(row.n_not_worse)
            ]  # fmt: skip
        rows.append(tuple(cells))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *cells in rows:
        rest = (f"{cell:>{width}}" for cell, width in zip(cells, widths[1:], strict=True))
        lines.append("  ".join([f"{first:<{widths[0]}}", *rest]))
    lines.append("")
    if known:
        power = display.level(found.target)
        whose = _WHOSE[found.sd_of].format(b=display.shorten(other, width=28))
        lines += [
            f"power at hand: that {queries} show a true difference of that size",
            f"queries: to show it with {power} power; not worse: to show B not worse by it,",
            "if the true difference is 0",
            f"sd of the differences: {display.score(found.sd, digits=4)}, {whose}",
        ]
    else:
        lines.append("--against RUN or --sd X tells what the queries can show of each")
    return [*lines, *_ADVICE]


def _needed(n: int | None) -> str:
    return "no number" if n is None else display.count(n)


def _csv(found: Margins) -> str:
    """Return a line a margin; what is not known is empty."""
    from abrank.planning.audit import SuggestedMargin
    from abrank.report.data import csv_text

    return csv_text([each.name for each in fields(SuggestedMargin)], map(astuple, found.rows))
