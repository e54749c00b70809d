"""``abrank aa``: whether a test keeps its level on the queries at hand."""

from __future__ import annotations

import sys
from dataclasses import asdict, astuple, fields
from typing import TYPE_CHECKING, Any

import click

from abrank._support import display
from abrank.cli import _flags, _terminal
from abrank.options import TESTS

if TYPE_CHECKING:
    from abrank.comparison.aa import AACheck

_WAYS = {
    "flips": "names swapped by chance",
    "halves": "half against half",
    "resampled": "mean 0, queries redrawn",
}
# What a test asks about that is none of the mean.
_OTHER = {"wilcoxon": "about the pseudo-median", "sign": "who wins more queries"}


@click.command("aa", cls=_flags.Grouped)
@_flags.pair
@_flags.take("scores")
@_flags.take("measure", of=("aa",))
@_flags.own(
    "--test",
    "tests",
    group="Measures and tests",
    type=click.Choice(TESTS),
    multiple=True,
    help="Test to check. Repeat for more; without it t, permutation, wilcoxon and sign.",
)
@_flags.take("alpha")
@_flags.own(
    "--clusters",
    group="Measures and tests",
    type=_flags.RUN,
    metavar="FILE",
    help="Queries come in conversations, users or topic variants: a CSV with query_id and one"
    " column. The names of a cluster are swapped together, and whole clusters are drawn.",
)
@_flags.replications(
    "Simulated comparisons behind each row: a rate of 5% is then known to 1.4 percentage points,"
    " with 10000 to 0.4."
)
@_flags.take("seed")
@_flags.take(*_flags.SCORING, of=("evaluate",))
@_flags.take("format", of=("aa",))
def command(
    qrels: str | None,
    a: str | None,
    b: str | None,
    *,
    scores: tuple[str, str] | None,
    measure: str | None,
    tests: tuple[str, ...],
    alpha: float,
    clusters: str | None,
    replications: int,
    seed: int,
    format: str,
    **_: Any,  # noqa: ANN401 - how runs are scored
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
    _flags.require_inputs([qrels, a, b], scores)

    from abrank.comparison.aa import aa_test
    from abrank.inputs.topics import labels_of, read_clusters

    with _terminal.Progress(quiet=False, verbose=False) as progress:
        progress("scoring")
        name, query_ids, differences = _differences([qrels, a, b], scores, measure)
        labels = labels_of(read_clusters(clusters), query_ids)
        progress("testing")
        found = aa_test(
            differences,
            # The bootstrap takes long.
            tests=tests or [each for each in TESTS if each != "bootstrap"],
            alpha=alpha,
            replications=replications,
            clusters=labels,
            rng=seed,
        )
    if format == "json":
        _terminal.put_json({"measure": name, **asdict(found)})
    elif format == "csv":
        from abrank.comparison.aa import AARow
        from abrank.report.data import csv_text

        _terminal.put(
            csv_text([each.name for each in fields(AARow)], map(astuple, found.rows)), nl=False
        )
    else:
        lines = _text(found, name)
        if _terminal.wants_ascii(flag=False, stream=sys.stdout):
            lines = [line.replace(display.GROUP, " ") for line in lines]
        _terminal.put("\n".join(lines))


def _differences(
    files: list[str | None],
    scores: tuple[str, str] | None,
    measure: str | None,
) -> tuple[str, tuple[str, ...], Any]:
    """Return the measure, the queries, and B - A of each."""
    from abrank.comparison import pair_scores
    from abrank.inference.rounding import differences_of
    from abrank.scoring.evaluate import evaluate

    if scores:
        found = pair_scores(*scores, measures=[measure] if measure else None)
    else:
        qrels, a, b = files
        runs, names = {"A": a, "B": b}, [measure or "nDCG@10"]
        found = evaluate(qrels, runs, names, scoring=_flags.scoring())
    one, two = (found.of(system)[:, 0] for system in found.systems)
    return found.measures[0], found.query_ids, differences_of(one, two)


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
