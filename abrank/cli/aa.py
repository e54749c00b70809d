"""``abrank aa``: whether a test keeps its level on the queries at hand."""

from __future__ import annotations

import sys
from dataclasses import asdict, astuple, fields
from typing import TYPE_CHECKING, Any

import click

from abrank._support import display
from abrank.cli import _help, _options, _terminal

if TYPE_CHECKING:
    from abrank.comparison.aa import AACheck

_WAYS = {
    "flips": "names swapped by chance",
    "halves": "half against half",
    "resampled": "mean 0, queries redrawn",
}
# What a test asks about that is none of the mean.
_OTHER = {"wilcoxon": "about the pseudo-median", "sign": "who wins more queries"}


@click.command("aa", cls=_help.Grouped)
@_options.pair
@_options.scores
@click.option(
    "-m", "--measure", metavar="NAME", help="Measure, in any dialect; without it nDCG@10."
)
@click.option(
    "--test",
    "tests",
    type=click.Choice(_options.TESTS),
    multiple=True,
    help="Test to check. Repeat for more; without it t, permutation, wilcoxon and sign.",
)
@_options.alpha
@click.option(
    "--clusters",
    type=_options.RUN,
    metavar="FILE",
    help="Queries come in conversations, users or topic variants: a CSV with query_id and one"
    " column. The names of a cluster are swapped together, and whole clusters are drawn.",
)
@_options.replications(
    "Simulated comparisons behind each row: a rate of 5% is then known to 1.4 percentage points,"
    " with 10000 to 0.4."
)
@_options.seed
@_options.reading
@_options.table
def command(
    qrels: str | None,
    run_a: str | None,
    run_b: str | None,
    *,
    scores: tuple[str, str] | None,
    measure: str | None,
    tests: tuple[str, ...],
    alpha: float,
    clusters: str | None,
    replications: int,
    seed: int,
    shown: str,
    **reading: Any,  # noqa: ANN401 - the flags that evaluate() takes under the same name
) -> None:
    """Say how often a test finds a difference between two systems where there is none (A/A).

    The differences are those of RUN_B less RUN_A; that there is none is made true in three ways: by
    swapping the two names query by query as a coin falls, by testing one random half of the queries
    against the other, and by taking the mean from all differences and drawing queries anew. A test
    of the mean that keeps its level finds a difference in alpha of them.

    \b
    abrank aa qrels.txt bm25.run monot5.run -m nDCG@10
    abrank aa --scores bm25.csv monot5.csv -m AP --test t --clusters users.csv
    """  # noqa: D301 - click's mark for lines to keep
    _options.require_inputs([qrels, run_a, run_b], scores)

    from abrank.comparison.aa import aa_test
    from abrank.comparison.designs import labels_of
    from abrank.inputs.topics import read_clusters

    with _terminal.Progress(quiet=False, verbose=False) as progress:
        progress("scoring")
        name, query_ids, differences = _differences([qrels, run_a, run_b], scores, measure, reading)
        labels = labels_of(read_clusters(clusters), query_ids)
        progress("testing")
        found = aa_test(
            differences,
            # The bootstrap takes long.
            tests=tests or [each for each in _options.TESTS if each != "bootstrap"],
            alpha=alpha,
            n_replications=replications,
            clusters=labels,
            rng=seed,
        )
    if shown == "json":
        _terminal.put_json({"measure": name, **asdict(found)})
    elif shown == "csv":
        _terminal.put(_csv(found), nl=False)
    else:
        lines = _text(found, name)
        if _terminal.wants_ascii(flag=False, stream=sys.stdout):
            lines = [line.replace(display.GROUP, " ") for line in lines]
        _terminal.put("\n".join(lines))


def _differences(
    files: list[str | None],
    scores: tuple[str, str] | None,
    measure: str | None,
    reading: dict[str, Any],
) -> tuple[str, tuple[str, ...], Any]:
    """Return the measure, the queries, and B - A of each."""
    from abrank.comparison import pair_scores
    from abrank.inference.rounding import differences_of
    from abrank.scoring.evaluate import evaluate

    if scores:
        found = pair_scores(*scores, measures=[measure] if measure else None)
    else:
        qrels, run_a, run_b = files
        found = evaluate(qrels, {"A": run_a, "B": run_b}, [measure or "nDCG@10"], **reading)
    a, b = (found.of(system)[:, 0] for system in found.systems)
    return found.measures[0], found.query_ids, differences_of(a, b)


def _text(found: AACheck, measure: str) -> list[str]:
    """Return the check as lines of at most 80 columns."""
    queries = display.plural(found.n_queries, "query", "queries")
    alpha = display.level(found.alpha)
    rows = [("test", "without a difference by", "found in", "95% interval")]
    rows += [
        (row.test, _WAYS[row.by], _share(row.rate), f"{_share(row.low)} to {_share(row.high)}")
        for row in found.rows
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        f"A/A test on {display.shorten(measure, width=24)}, {queries}, alpha"
        f" {display.number(found.alpha)},",
        f"{display.count(found.n_replications)} replications a row without any difference to find",
        "",
    ]
    for row, cells in zip((None, *found.rows), rows, strict=True):
        first, way, rate, interval = cells
        mark = "  too often" if row is not None and row.too_often else ""
        lines.append(
            f"{first:<{widths[0]}}  {way:<{widths[1]}}  {rate:>{widths[2]}}"
            f"  {interval:>{widths[3]}}{mark}".rstrip()
        )
    first_row = found.rows[0]
    band = f"{_share(first_row.band_low)} to {_share(first_row.band_high)}"
    said = [
        f"Tests of level {alpha} are within {band} in all rows of 95% of such checks.",
        *_verdict(found),
    ]
    if not any(row.by == "resampled" for row in found.rows):
        said.append("Queries are not redrawn: that takes 25 of them, or of their clusters.")
    return [*lines, "", *said]


def _verdict(found: AACheck) -> list[str]:
    """Say which tests find too much, or that none does, in lines of at most 80 columns."""
    lines = []
    for name in found.too_often:
        ways = {row.by for row in found.rows if row.test == name and row.too_often}
        if ways == {"resampled"} and name in _OTHER:
            lines += [
                f"{name} finds differences where the mean Δ is 0: it asks",
                f"{_OTHER[name]}. To judge the mean, choose another test.",
            ]
        else:
            lines.append(f"{name} finds too much on queries such as these: choose another test.")
    return lines or ["No test finds too much on queries such as these."]


def _share(value: float) -> str:
    return display.percent(value, sign=False)


def _csv(found: AACheck) -> str:
    """Return a line a test and way."""
    from abrank.comparison.aa import AARow
    from abrank.report.data import csv_text

    return csv_text([each.name for each in fields(AARow)], map(astuple, found.rows))
