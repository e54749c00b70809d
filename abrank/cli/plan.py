"""``abrank power``, ``margin``, ``aa``: planning before a comparison."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, fields
from typing import TYPE_CHECKING, Any

import click

from abrank._support import display
from abrank.cli import _flags, _terminal
from abrank.options import Inputs
from abrank.options.parts import paired_tests
from abrank.options.values import build, nested

if TYPE_CHECKING:
    from abrank._support.typing import FloatArray
    from abrank.comparison.aa import AACheck
    from abrank.planning.audit import Margins
    from abrank.scoring.scores import Scores


@click.command("power", cls=_flags.Grouped)
@_flags.pair
@_flags.take(
    "scores",
    "columns",
    "variant",
    "where",
    "baseline",
    "candidate",
    "independent",
    functions=("compare_scores",),
)
@_flags.take("measure", "power", "sd", functions=("power",))
@_flags.take("lower_is_better", "higher_is_better")
@_flags.own(
    "--effect", "effects", group="Planning", multiple=True, metavar="X|X%",
    help="True difference to detect, or a percentage of A's mean. Repeat for more. Default: a few"
    " round values.",
)  # fmt: skip
@_flags.own(
    "--margin", group="Planning", metavar="X|X%",
    help="Smallest difference that matters. Plan to detect it, and to rule out a loss of this"
    " size.",
)  # fmt: skip
@_flags.own(
    "--mean", group="Planning", type=float, metavar="X",
    help="A's mean, for --effect and --margin in per cent. Default: the mean in the files.",
)  # fmt: skip
@_flags.take("alpha")
@_flags.own(
    "--queries", group="Planning", type=click.IntRange(2), metavar="N",
    help="Number of queries that you have; with --independent, of users in both groups together."
    " Default: the number in the files.",
)  # fmt: skip
@_flags.own(
    "--width", group="Planning", type=float, metavar="X",
    help="Maximum width of the interval, from end to end.",
)  # fmt: skip
@_flags.take(*_flags.SCORING, functions=("evaluate",))
@_flags.take("format", functions=("power",))
@_flags.take("quiet", "verbose")
def power(
    qrels: str | None,
    a: str | None,
    b: str | None,
    *,
    scores: bool,
    independent: bool,
    measure: str | None,
    **flags: Any,  # noqa: ANN401 - flags above and from abrank.options
) -> None:
    """Say how many queries are needed to detect a difference, and what your queries can detect.

    The answer depends on the standard deviation of the per-query differences. It comes from RUN_A
    and RUN_B, or from --sd. The observed mean difference is not used. Two runs estimate the
    standard deviation only roughly, so each number of queries has a range, from its 95% interval.
    With --independent it is the standard deviation of the users' scores, and the number of users
    is that of both groups together.

    \b
    abrank power qrels.txt bm25.run monot5.run -m AP --effect 0.01 --effect 0.02
    abrank power qrels.txt bm25.run monot5.run -m AP --margin 0.01
    abrank power --scores a.csv b.csv -m latency_ms --lower-is-better latency_ms
    abrank power --sd 0.2 --queries 250
    abrank power --independent --sd 1.5 --mean 3.2 --effect 2%
    """  # noqa: D301 - click's mark for lines to keep
    files: list[str | None] = [item for item in (qrels, a, b) if item is not None]
    ready, files = (files, []) if scores else (None, files)
    has_files, sd, queries = len(files) == 3 or bool(ready), flags["sd"], flags["queries"]
    if len(files) not in (0, 3) or (scores and not ready) or has_files == (sd is not None):
        raise click.UsageError(
            "give QRELS, RUN_A and RUN_B, or --scores and one or two tables of scores, or --sd"
            " without files"
        )
    aims = {key: flags[key] for key in ("margin", "width")} | {"effect": flags["effects"] or None}
    if not has_files and queries is None and all(item is None for item in aims.values()):
        raise click.UsageError("--sd needs --queries, --effect, --margin or --width")
    if independent and files:
        raise click.UsageError("runs are judged query by query: --independent is for ready scores")

    from abrank._support import checks
    from abrank.options import Independent
    from abrank.planning import plan as planning

    checks.fraction("power", flags["power"])
    with _terminal.Progress(quiet=flags["quiet"], verbose=flags["verbose"]) as progress:
        progress("scoring")
        directions = (flags["lower_is_better"], flags["higher_is_better"])
        pilot: Any = None
        name, mean = "", None
        if independent and ready:
            name, pilot, mean = _groups(ready, measure)
        elif has_files:
            name, pilot, mean = _gains(files, ready, measure, directions)
        progress("planning")
        if has_files:
            given = {"effect": flags["effects"], "margin": [flags["margin"] or 0.0]}
            units = {key: [planning.in_unit(key, value, mean) for value in values]
                     for key, values in given.items()}  # fmt: skip
            planning.require_reachable(name, **units)
        plan = planning.power(
            pilot, sd=sd, queries=queries, **aims, design=Independent() if independent else None,
            mean=mean if flags["mean"] is None else flags["mean"],
            **{key: flags[key] for key in ("power", "alpha")},
        )  # fmt: skip
    flag = flags["format"]
    if flag != "text" and plan.sd == 0.0:
        from abrank.report.subjects.plan import NO_SPREAD

        _terminal.put(f"note: {NO_SPREAD}", err=True)
    if flag == "json":
        _terminal.put_json(asdict(plan))
    elif flag == "csv":
        _put_csv(planning.PlanRow, plan.rows)
    else:
        detail = _terminal.detail(quiet=flags["quiet"], verbose=flags["verbose"])
        _terminal.show(plan, measure=name, detail=detail)


def _pair(
    files: list[str | None],
    ready: Sequence[Any] | None,
    measure: str | None,
    *,
    independent: bool = False,
) -> Scores:
    from abrank.comparison import pair_scores
    from abrank.comparison.choosing import choose_from
    from abrank.scoring.evaluate import evaluate

    if ready:
        inputs = build(Inputs, nested(dict(_flags.options_given())))
        paired = pair_scores(
            *ready,
            baseline=inputs.baseline,
            candidate=inputs.candidate,
            options=inputs.table,
            measures=[measure] if measure else None,
            independent=independent,
        )
        return choose_from(paired)[0]
    qrels, a, b = files
    measures = [measure or "nDCG@10"]
    return evaluate(qrels, {"A": a, "B": b}, measures, scoring=_flags.scoring())


def _groups(ready: Sequence[Any], measure: str | None) -> tuple[str, list[FloatArray], float]:
    scores = _pair([], ready, measure, independent=True)
    a, b = (values[values == values] for values in scores.values[:, :, 0].T)  # drops NaN
    return scores.measures[0], [a, b], float(a.mean())


def _gains(
    files: list[str | None],
    ready: Sequence[Any] | None,
    measure: str | None,
    declared: tuple[Sequence[str], Sequence[str]],
) -> tuple[str, list[float], float]:
    """Return the measure, B's gain on every query, and A's mean."""
    from abrank.comparison.choosing import directions

    scores = _pair(files, ready, measure)
    name = scores.measures[0]
    better = directions(scores.measures, *declared)
    a, b = (scores.of(system)[:, 0] for system in scores.systems)
    gains = b - a if better.higher[name] else a - b
    if (column := scores.cluster_column()) is not None:
        _tell_of_clusters(*column, dict(zip(scores.query_ids, gains.tolist(), strict=True)))
    return name, gains.tolist(), float(a.mean())


# For independent queries, 1.7% to 6.3% of samples of 60 to 300 queries in 20 to 40 clusters have a
# cluster-robust error larger by this factor; with a correlation of 0.3 within clusters, 68% and
# more.
ALIKE = 1.25


def _tell_of_clusters(name: str, of_query: Mapping[str, str], gains: Mapping[str, float]) -> None:
    """Print that queries of one user are correlated, so that more queries are needed."""
    import numpy as np

    from abrank.comparison.groups import describe_clusters
    from abrank.inference.clusters import numbered

    labels = tuple(of_query[query] for query in gains)
    codes = numbered(labels)[1]
    if not 1 < len({*labels}) < len(labels):
        return
    summary = describe_clusters(name, labels, codes, np.array([*gains.values()]), "t")
    if summary.error_ratio > ALIKE:
        text = (
            f"queries of one {name} are alike: tested by whole clusters a difference takes about"
            f" {summary.error_ratio**2:.1f} times as many queries; abrank compare --clusters"
            f" {shlex.quote(name)} -v plans with them"
        )
        _terminal.put(f"note: {text}", err=True)


_WHOSE = {"candidate": "from {b} minus A", "runs": "from two runs of A", "given": "as given"}
_ADVICE = (
    "Take the smallest loss that users would notice. It should be larger than the",
    "differences between runs of A.",
)


@click.command("margin", cls=_flags.Grouped)
@click.argument("qrels", type=_flags.RUN, required=False)
@click.argument("runs", type=_flags.RUN, nargs=-1)
@_flags.own(
    "--scores", "ready", group="Planning", is_flag=True,
    help="The files are scores, not runs and judgments: one file per run, a table with a column"
    " per run, or a table of an experiment, whose other variant is used like --against.",
)  # fmt: skip
@_flags.own(
    "--against", group="Planning", type=_flags.RUN, metavar="RUN",
    help="A run of another system, or with --scores its file or column. Its differences from A"
    " give the standard deviation.",
)  # fmt: skip
@_flags.take("columns", "variant", "where")
@_flags.take("measure", "sd", "power", functions=("margin",))
@_flags.take("alpha")
@_flags.take(*_flags.SCORING, functions=("evaluate",))
@_flags.take("format", functions=("margin",))
@_flags.take("quiet", "verbose")
def margin(
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
    quiet: bool,
    verbose: bool,
    **_: Any,  # noqa: ANN401 - how runs are scored
) -> None:
    """Help to choose a margin, the smallest loss that matters.

    Choose it before you look at results. RUNS are several runs of one system A: seeds, folds,
    refreshes of its index. The margin should be larger than the differences between them. The
    command prints these differences, the loss of one query, and 1% and 2% of A's mean. For each
    size it prints the power of your queries and the number of queries needed.

    \b
    abrank margin qrels.txt seed1.run seed2.run seed3.run --against new.run -m AP
    abrank margin --scores seeds.csv --sd 0.2 -m AP
    """  # noqa: D301 - click's mark for lines to keep
    if qrels is None or not (runs or ready):
        raise click.UsageError("give QRELS and RUNS (or --scores and tables of scores)")
    if against is not None and sd is not None:
        raise click.UsageError("--against and --sd both give the spread: choose one")

    from abrank.comparison.units import known_range
    from abrank.planning.audit import suggest_margins

    with _terminal.Progress(quiet=quiet, verbose=verbose) as progress:
        progress("scoring")
        if ready:
            scores, other = _ready([qrels, *runs], against, measure)
        else:
            scores, other = _scored(qrels, runs, against, measure)
    b = None if other is None else scores.of(other)[:, 0]
    places = [place for place, name in enumerate(scores.systems) if name != other]
    name, values = scores.measures[0], scores.values[:, :, 0]
    low, high = known_range(name, minimum=float(values.min()), largest=float(values.max()))
    margins = suggest_margins(
        values[:, places],
        b,
        span=high - low if math.isfinite(high - low) else None,
        sd=sd,
        alpha=alpha,
        power=power,
    )
    lines = _text_of_margins(margins, name, other or "", verbose=verbose)
    _put(margins, name, lines[:1] if quiet else lines, format)


def _scored(
    qrels: str, runs: tuple[str, ...], against: str | None, measure: str
) -> tuple[Scores, str | None]:
    """Score the runs; also return the name of the other system."""
    from abrank.scoring.evaluate import evaluate

    named = _flags.named((*runs, against) if against else runs)
    scores = evaluate(qrels, named, [measure], scoring=_flags.scoring())
    return scores, scores.systems[-1] if against else None


def _ready(files: list[str], against: str | None, measure: str) -> tuple[Scores, str | None]:
    """Read ready scores; the other system is one of their columns, or a file of its own."""
    if flags := sorted(_flags.given(*_flags.SCORING)):
        raise click.UsageError(f"--{flags[0].replace('_', '-')} is for runs, not for ready scores")

    from abrank.inputs.score_reading import baseline_of
    from abrank.measures.names import is_known, known_among
    from abrank.ranking.rank import read_systems

    measures = [measure] if _flags.given("measure") else None
    options = build(Inputs, nested(dict(_flags.options_given()))).table
    scores = read_systems(files, measures=measures, options=options)
    if measures is not None and len(scores.measures) > 1:
        scores = scores.take([known_among(measure, scores.measures)])
    if len(scores.measures) > 1:
        count, names = len(scores.measures), ", ".join(scores.measures[:3])
        example = next(filter(is_known, scores.measures), scores.measures[0])
        raise click.UsageError(
            f"{count} measures ({names} …); say which: -m {shlex.quote(example)}"
        )
    if against is None and len(files) == 1 and (a := baseline_of(scores.systems)):
        return scores, next(name for name in scores.systems if name != a)  # an experiment
    if against is None or against in scores.systems:
        return scores, against
    board = read_systems([*files, against], measures=measures, options=options)
    rest = [name for name in board.systems if name not in scores.systems]
    if len(rest) != 1:
        raise click.UsageError(f"--against is one system, and {against} has {len(rest)}")
    return board, rest[0]


def _text_of_margins(result: Margins, measure: str, other: str, *, verbose: bool) -> list[str]:
    queries = display.plural(result.n_queries, "query", "queries")
    runs = display.plural(result.n_runs, "run")
    mean = display.score(result.mean, digits=4)
    if result.n_runs > 1:
        ends = (min(result.run_means), max(result.run_means))
        mean += f" ({' to '.join(display.score(end, digits=4) for end in ends)})"
    lines = [f"{display.shorten(measure, width=24)}: {runs} of A, {queries}, mean {mean}", ""]
    has_spread = result.sd > 0.0
    rows = [("", "margin", *(("power at hand", "queries", "not worse") if has_spread else ()))]
    for row in result.rows:
        cells = [row.name, display.least(row.margin, digits=4)]
        if has_spread:
            cells += [
                display.percent(row.power, sign=False), _needed(row.n), _needed(row.n_not_worse)
            ]  # fmt: skip
        rows.append(tuple(cells))
    lines += [*_columns(rows, f"<{'>' * (len(rows[0]) - 1)}"), ""]
    if has_spread:
        power = display.level(result.target)
        lines += [
            f"queries: needed to detect such a difference with {power} power",
            "not worse: queries needed to rule out such a loss if the true difference is 0",
        ]
    if has_spread and verbose:
        whose = _WHOSE[result.sd_of].format(b=display.shorten(other, width=28))
        lines += [
            f"power at hand: the probability that {queries} detect it",
            f"sd of the differences: {display.score(result.sd, digits=4)}, {whose}",
        ]
    elif not has_spread:
        lines.append("Add --against RUN or --sd X for the power and the queries of each margin.")
    return [*lines, *_ADVICE]


def _columns(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Format rows as aligned lines; ``sides`` has < or > for each column."""
    wide = (max(map(len, column)) for column in zip(*rows, strict=True))
    forms = [f"{side}{width}" for side, width in zip(sides, wide, strict=True)]
    return ["  ".join(map(format, row, forms)) for row in rows]


def _needed(n: int | None) -> str:
    return "no number" if n is None else display.count(n)


def _put(result: Any, measure: str, lines: list[str], format: str) -> None:  # noqa: ANN401 - with rows
    if format == "json":
        _terminal.put_json({"measure": measure, **asdict(result)})
    elif format == "csv":
        _put_csv(type(result.rows[0]), result.rows)
    else:
        text = "\n".join(lines)
        plain = _terminal.wants_ascii(flag=False, stream=sys.stdout)
        _terminal.put(text.replace(display.GROUP, " ") if plain else text)


def _put_csv(kind: type[Any], rows: Sequence[Any]) -> None:
    """Print rows, objects of one dataclass, as CSV."""
    from abrank.report.data import csv_text

    header = [field.name for field in fields(kind)]
    _terminal.put(csv_text(header, map(astuple, rows)), nl=False)


_WAYS = {
    "flips": "names swapped at random",
    "halves": "half against half",
    "relabelled": "groups dealt at random",
    "resampled": "mean removed, redrawn",
}
# Hypotheses of tests that are not about the mean.
_OTHER = {"wilcoxon": "the pseudo-median", "sign": "who wins more queries"}


@click.command("aa", cls=_flags.Grouped)
@_flags.pair
@_flags.take(
    "scores", "columns", "variant", "where", "baseline", "candidate", "independent",
    functions=("compare_scores",),
)  # fmt: skip
@_flags.take("measure", functions=("aa",))
@_flags.own(
    "--test", "tests", group="Measures and tests", type=_flags.WordChoice(paired_tests),
    multiple=True,
    help="Test to check. Repeat for more. Default: all but the bootstrap; with more than 2,000"
    " queries also not the slow tests permutation and bounded.",
)  # fmt: skip
@_flags.take("alpha")
@_flags.own(
    "--clusters", group="Measures and tests", type=_flags.RUN, metavar="FILE",
    help="Clusters of queries, such as conversations, users or topic variants: a CSV with query_id"
    " and one column. Whole clusters are then swapped and resampled.",
)  # fmt: skip
@_flags.own(
    "--replications", group="Measures and tests", type=click.IntRange(100), default=1000,
    show_default=True, metavar="N",
    help="Simulated comparisons per row. With 1000 a rate of 5% is known to within 1.4 percentage"
    " points, with 10000 to within 0.4.",
)  # fmt: skip
@_flags.take("seed")
@_flags.take(*_flags.SCORING, functions=("evaluate",))
@_flags.take("format", functions=("aa",))
def aa(
    qrels: str | None,
    a: str | None,
    b: str | None,
    *,
    scores: bool,
    independent: bool,
    measure: str | None,
    tests: tuple[str, ...],
    alpha: float,
    clusters: str | None,
    replications: int,
    seed: int,
    format: str,
    **_: Any,  # noqa: ANN401 - how runs are scored
) -> None:
    """Say how often a test reports a difference between two equal systems (A/A test).

    The differences of RUN_A and RUN_B are made to have no true mean difference in three ways:
    swapping the two names at random on each query; testing one random half of the queries against
    the other; subtracting the mean from all differences and redrawing queries. A correct test of
    the mean then reports a difference in a share alpha of the simulations. With --independent
    Welch's t test is checked in two ways: dealing all users to groups of the same sizes at random;
    subtracting its mean from each group and redrawing users. Of more than 20,000 queries or users,
    20,000 are drawn at random.

    \b
    abrank aa qrels.txt bm25.run monot5.run -m nDCG@10
    abrank aa --scores bm25.csv monot5.csv -m AP --test t --clusters users.csv
    """  # noqa: D301 - click's mark for lines to keep
    ready = [file for file in (qrels, a, b) if file is not None] if scores else None
    _flags.require_inputs([] if scores else [qrels, a, b], ready)
    if independent and (not ready or clusters or set(tests) - {"t"}):
        raise click.UsageError(
            "--independent checks Welch's t test of ready scores: give --scores, and leave out"
            " --clusters and --test"
        )

    from abrank.comparison.aa import aa_test, aa_test_of_groups
    from abrank.inference.aa_test import MANY_QUERIES
    from abrank.inference.rounding import differences_of
    from abrank.inputs.topics import labels_of, lacking_labels, read_clusters

    options: dict[str, Any] = {"alpha": alpha, "replications": replications, "rng": seed}
    with _terminal.Progress(quiet=False, verbose=False) as progress:
        progress("scoring")
        if ready and independent:
            name, (first, second) = _groups(ready, measure)[:2]
            progress("testing")
            check = aa_test_of_groups(first, second, **options)
        else:
            pair = _pair([qrels, a, b], ready, measure)
            name = pair.measures[0]
            first, second = (pair.of(system)[:, 0] for system in pair.systems)
            clustering = read_clusters(clusters)
            labels = labels_of(clustering, pair.query_ids)
            many = len(first) > MANY_QUERIES
            slow = {"bootstrap", "permutation", "bounded"} if many else {"bootstrap"}
            progress("testing")
            check = aa_test(
                differences_of(first, second),
                tests=tests or [test for test in paired_tests() if test not in slow],
                clusters=labels,
                **options,
            )
            for note in lacking_labels(clustering, pair.query_ids):
                _terminal.put(f"note: {note}", err=True)
    _put(check, name, _text_of_check(check, name), format)


def _text_of_check(result: AACheck, measure: str) -> list[str]:
    first_row = result.rows[0]
    units = ("unit", "units") if first_row.by == "relabelled" else ("query", "queries")
    alpha = display.level(result.alpha)
    rows = [("test", "made equal by", "significant", "95% interval")]
    rows += [
        (row.test, _WAYS[row.by], _share(row.rate), f"{_share(row.low)} to {_share(row.high)}")
        for row in result.rows
    ]
    lines = [
        f"A/A test on {display.shorten(measure, width=24)},"
        f" {display.plural(result.n_queries, *units)}, alpha {display.number(result.alpha)},",
        f"{display.count(result.n_replications)} simulations per row, without a true difference",
    ]
    if first_row.n_queries < result.n_queries:
        sample = f"{display.count(first_row.n_queries)} {units[1]}"
        lines.append(f"on {sample} drawn at random; with more, tests of the mean err less often")
    lines.append("")
    marks = ["", *("  too often" * row.too_often for row in result.rows)]
    lines += [f"{line}{mark}" for line, mark in zip(_columns(rows, "<<>>"), marks, strict=True)]
    band = f"{_share(first_row.band_low)} to {_share(first_row.band_high)}"
    verdict = []  # tests that reject too often, in lines of at most 80 columns
    for name in result.too_often:
        ways = {row.by for row in result.rows if row.test == name and row.too_often}
        if ways == {"resampled"} and name in _OTHER:
            verdict += [
                f"{name} is significant too often if the mean Δ is 0: it tests",
                f"{_OTHER[name]}, not the mean. To test the mean, choose another test.",
            ]
        else:
            verdict.append(f"{name} errs too often on such {units[1]}. Choose another test.")
    text = [
        f"In 95% of such checks, all rows of a correct {alpha} test are within {band}.",
        *(verdict or [f"No test errs too often on such {units[1]}."]),
    ]
    if not any(row.by == "resampled" for row in result.rows):
        text.append(f"Redrawing is left out: it needs at least 25 {units[1]} or clusters.")
    return [*lines, "", *text]


def _share(value: float) -> str:
    return display.percent(value, sign=False)
