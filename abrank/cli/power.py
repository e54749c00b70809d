"""``abrank power``: queries needed, and the smallest difference that the queries at hand show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, fields
from typing import TYPE_CHECKING, Any

import click

from abrank._support import display
from abrank._support.errors import AlignmentError
from abrank.cli import _flags
from abrank.options import TESTS

if TYPE_CHECKING:
    from abrank.planning.plan import Plan

FEWEST_KNOWN = 10  # queries that both judged, of which a correlation is told


@click.command("power", cls=_flags.Grouped)
@_flags.pair
@_flags.take("scores")
@_flags.take("measure", "power", "sd", of=("power",))
@_flags.take("lower_is_better", "higher_is_better")
@_flags.own(
    "--effect",
    "effects",
    group="Planning",
    type=float,
    multiple=True,
    metavar="X",
    help="True difference that a test is to show. Repeat for more; without it round ones.",
)
@_flags.own(
    "--margin",
    group="Planning",
    type=float,
    metavar="X",
    help="Smallest difference worth having: plan to show it, and to show that no difference is as"
    " large.",
)
@_flags.take("alpha")
@_flags.own(
    "--test",
    group="Planning",
    type=click.Choice(TESTS),
    default="t",
    show_default=True,
    help="The test that is planned; all but t by simulation from the differences of the two runs.",
)
@_flags.own(
    "--queries",
    group="Planning",
    type=click.IntRange(2),
    metavar="N",
    help="Number of queries at hand; without it those of the files.",
)
@_flags.own(
    "--width",
    group="Planning",
    type=float,
    metavar="X",
    help="Full width that the interval is to have at most.",
)
@_flags.own(
    "--machine-qrels",
    group="Planning",
    type=_flags.RUN,
    metavar="FILE",
    help="Judgments by a machine: plan how many queries people need to judge beside it.",
)
@_flags.own(
    "--machine-queries",
    group="Planning",
    type=click.IntRange(1),
    metavar="N",
    help="Number of queries that a machine judges; without it those of --machine-qrels.",
)
@_flags.own(
    "--correlation",
    "correlations",
    group="Planning",
    type=click.FloatRange(-1.0, 1.0),
    multiple=True,
    metavar="R",
    help="Correlation of people's differences with the machine's. Repeat for more.",
)
@_flags.replications("Simulated tests for each number of queries; the time grows with them.")
@_flags.take("seed")
@_flags.take(*_flags.SCORING, of=("evaluate",))
@_flags.take("format", of=("power",))
def command(
    qrels: str | None,
    a: str | None,
    b: str | None,
    *,
    scores: tuple[str, str] | None,
    measure: str | None,
    lower_is_better: tuple[str, ...],
    higher_is_better: tuple[str, ...],
    effects: tuple[float, ...],
    margin: float | None,
    power: float,
    alpha: float,
    test: str,
    sd: float | None,
    queries: int | None,
    width: float | None,
    machine_qrels: str | None,
    machine_queries: int | None,
    correlations: tuple[float, ...],
    replications: int,
    seed: int,
    format: str,
    **_: Any,  # noqa: ANN401 - how runs are scored
) -> None:
    """Say how many queries a difference needs, and what the queries at hand can show.

    The spread of the differences is that of RUN_B less RUN_A on QRELS, or --sd. The difference that
    was observed plays no part. Two runs tell the spread only roughly: the range is what its 95%
    interval makes of a number of queries.

    \b
    abrank power qrels.txt bm25.run monot5.run -m AP --effect 0.01 --effect 0.02
    abrank power qrels.txt bm25.run monot5.run -m AP --margin 0.01
    abrank power --scores a.csv b.csv -m latency_ms --lower-is-better latency_ms
    abrank power --sd 0.2 --queries 250
    abrank power --sd 0.2 --margin 0.05 --machine-queries 2000 --correlation 0.8
    """  # noqa: D301 - click's mark for lines to keep
    files = [each for each in (qrels, a, b) if each is not None]
    given = len(files) == 3 or scores is not None
    if len(files) not in (0, 3) or (files and scores) or given == (sd is not None):
        raise click.UsageError("give QRELS RUN_A RUN_B or --scores A B, or --sd without files")
    if not given and queries is None and not effects and margin is None and width is None:
        raise click.UsageError("--sd needs --queries, --effect, --margin or --width")
    if machine_qrels is not None and not files:  # which --scores are not judged by
        raise click.UsageError("--machine-qrels needs QRELS RUN_A RUN_B; --sd, --machine-queries")

    from abrank._support import checks
    from abrank.cli import _terminal
    from abrank.planning import plan as planning
    from abrank.report.sections.declared_notes import say

    checks.fraction("power", power)
    with _terminal.Progress(quiet=False, verbose=False) as progress:
        progress("scoring")
        told = (lower_is_better, higher_is_better)
        name, pilot, asks = _gains(files, scores, measure, told) if given else ("", {}, False)
        correlation: list[float] | None = list(correlations) or None
        if machine_qrels is not None:
            machine = _gains([machine_qrels, *files[1:]], None, measure, told)[1]
            machine_queries = machine_queries or len(machine)
            correlation = correlation or _correlation(pilot, machine)
        progress("planning")
        plan = planning.power(
            [*pilot.values()] if given else None, sd=sd, queries=queries, effect=effects or None,
            margin=margin, power=power, alpha=alpha, test=test, width=width,
            correlation=correlation, machine_queries=machine_queries,
            replications=replications, rng=seed,
        )  # fmt: skip
    if format != "text" and plan.sd == 0.0:
        from abrank.report.subjects.plan import NO_SPREAD

        _terminal.put(f"note: {NO_SPREAD}", err=True)
    if asks and test != "t":  # which has the same power both ways
        said = f"Is lower better for {name}? {say(name)} Until then a gain is planned as a rise."
        _terminal.put(f"note: {said}", err=format != "text")
    if format == "json":
        _terminal.put_json(asdict(plan))
    elif format == "csv":
        _terminal.put(_csv(plan), nl=False)
    else:
        measured = machine_qrels is not None and not correlations
        _terminal.show(plan, measure=name, measured=measured)


def _gains(
    files: list[str],
    ready: tuple[str, str] | None,
    measure: str | None,
    told: tuple[Sequence[str], Sequence[str]],
) -> tuple[str, dict[str, float], bool]:
    """Return the measure, what B gains on A by query, and whether its direction is to be asked."""
    from abrank.comparison import pair_scores
    from abrank.comparison.deciding import choose_from, directions
    from abrank.scoring.evaluate import evaluate

    if ready:
        scores, *_ = choose_from(pair_scores(*ready, measures=[measure] if measure else None))
    else:
        qrels, run_a, run_b = files
        runs, names = {"A": run_a, "B": run_b}, [measure or "nDCG@10"]
        scores = evaluate(qrels, runs, names, scoring=_flags.scoring())
    name = scores.measures[0]
    better = directions(scores.measures, *told)
    a, b = (scores.of(system)[:, 0] for system in scores.systems)
    gains = b - a if better.higher[name] else a - b
    return name, dict(zip(scores.query_ids, gains.tolist(), strict=True)), name in better.asked


def _csv(plan: Plan) -> str:
    """Return a line a difference; what is not known is empty. One column more a correlation."""
    from abrank.planning.plan import PlanRow
    from abrank.report.data import csv_text

    with_machine = [f"n_r_{display.number(one.correlation)}" for one in plan.judged]
    rows = (
        (*astuple(row), *(one.needed[i] for one in plan.judged)) for i, row in enumerate(plan.rows)
    )
    return csv_text([*(each.name for each in fields(PlanRow)), *with_machine], rows)


def _correlation(people: Mapping[str, float], machine: Mapping[str, float]) -> list[float]:
    """Return the correlation on the queries that both judged, between the ends of its interval."""
    import numpy as np

    from abrank.planning import correlation_interval

    shared = [query for query in people if query in machine]
    if len(shared) < FEWEST_KNOWN:
        raise AlignmentError(
            f"people and machine judged {display.plural(len(shared), 'query', 'queries')} in"
            f" common, and their correlation takes {FEWEST_KNOWN}: give --correlation and"
            " --machine-queries"
        )
    d, f = (np.array([judge[each] for each in shared]) for judge in (people, machine))
    found = float(np.corrcoef(d, f)[0, 1]) if np.ptp(d) > 0.0 and np.ptp(f) > 0.0 else 0.0
    low, high = correlation_interval(found, len(shared))
    return [low, found, high]
