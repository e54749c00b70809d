"""The pairs of a ranking: who is told apart from whom, and each pair's comparison."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import numpy as np

from abrank._support import display as f
from abrank.ranking import PairRow, Ranking
from abrank.report.model import Block, Cell, Column, Figure, Fold, Section, Table, Text, Tone
from abrank.report.ranking import columns
from abrank.report.ranking.names import name

# Up to so many systems every pair opens on the page; so many queries of each side are shown.
MOST_OPENED, MOST_QUERIES = 12, 3
_OPPOSITE = {"better": "worse", "worse": "better"}
_TONES: dict[str, Tone] = {"better": "b", "worse": "a"}


def pairs(ranking: Ranking, *, digits: int) -> Section | None:
    """Return all pairs: a table to open them from, or a picture and a command."""
    if ranking.n_queries < 2:
        return None
    told = f.count(ranking.n_significant) if ranking.n_significant else "None"
    what = "pairs" if ranking.baseline is None else "comparisons"
    if ranking.baseline is None and not ranking.has_all_pairs:
        what += " with the first"
    finding = f"{told} of {f.count(len(ranking.pair_rows))} {what} told apart by {ranking.title}."
    blocks: list[Block] = []
    few = len(ranking.systems) <= MOST_OPENED
    if ranking.baseline is None and ranking.has_all_pairs:
        if few:
            blocks.append(_matrix(ranking, digits))
            blocks.append(Text(_CAPTION, "caption"))
        else:
            summary = f"{finding} The first system is in the top row."
            blocks += [Figure("matrix", summary), Text(_PICTURE, "caption")]
    if few:
        blocks += [_fold(ranking, row, digits) for row in ranking.pair_rows]
    else:
        blocks += _to_copy(ranking)
    return Section("pairs", "Every pair", finding, tuple(blocks))


_CAPTION = (
    "Mean difference, the system of the row less that of the column, with the adjusted p-value;"
    " bold where the pair is told apart. A difference leads to its comparison below."
)
_PICTURE = (
    "The system of the row less that of the column; filled where the pair is told apart, blue"
    " where the row is better, orange where it is worse, the deeper the larger the difference. The"
    " CSV and results.json have every pair."
)


def _matrix(ranking: Ranking, digits: int) -> Table:
    """Return the differences as a table whose cells lead to the pairs."""
    found: dict[tuple[str, str], Cell] = {}
    for row in ranking.pair_rows:
        told = row.told_apart
        p = f.p_clause(row.pvalue_adj, alpha=ranking.alpha)
        for one, other, sign, reading in (
            (row.b, row.a, 1.0, row.reading),
            (row.a, row.b, -1.0, _OPPOSITE.get(row.reading, row.reading)),
        ):
            shown = f"{f.signed(sign * row.diff, digits=digits)}, {p}"
            tone = _TONES.get(reading, "plain")
            found[one, other] = Cell(shown, sign * row.diff, tone, told, _key(ranking, row))
    heads = (Column("Row − column", numeric=False), *(Column(name(s)) for s in ranking.systems))
    rows = tuple(
        (Cell(one), *(found.get((one, other), Cell("")) for other in ranking.systems))
        for one in ranking.systems
    )
    return Table("matrix", heads, rows)


def _key(ranking: Ranking, row: PairRow) -> str:
    places = (ranking.systems.index(each) + 1 for each in (row.b, row.a))
    return "pair-" + "-".join(map(str, places))


def _fold(ranking: Ranking, row: PairRow, digits: int) -> Fold:
    """Return a pair under one line: verdict, queries won and lost, the largest of them."""
    limits = ""
    if not np.isnan(row.ci_low):
        limits = f" ({f.interval(row.ci_low, row.ci_high, digits=digits)})"
    line = (
        f"{name(row.b)} − {name(row.a)}: {f.signed(row.diff, digits=digits)}{limits}, adjusted"
        f" {f.p_clause(row.pvalue_adj, alpha=ranking.alpha)}, {columns.reading(row)}"
    )
    better, worse = ("better", "worse") if ranking.direction_declared else ("higher", "lower")
    counts = (
        f"{name(row.b)} is {better} on {f.plural(row.wins, 'query', 'queries')}, {worse} on"
        f" {f.count(row.losses)}, the same on {f.count(row.ties)}."
    )
    blocks: list[Text | Table] = [Text(counts)]
    if row.wins + row.losses:
        blocks.append(_largest(ranking, row, digits))
    command = compare_command(ranking, row.a, row.b)
    if command:
        blocks.append(Text(command, "code"))
    return Fold(_key(ranking, row), line, tuple(blocks))


def _largest(ranking: Ranking, row: PairRow, digits: int) -> Table:
    """Return the queries on which the two differ most, on either side."""
    a, b = (ranking.scores[:, ranking.systems.index(each)] for each in (row.a, row.b))
    order = np.argsort(b - a, kind="stable")
    ends = [*order[::-1][:MOST_QUERIES], *order[:MOST_QUERIES][::-1]]
    rows = []
    for i in dict.fromkeys(int(each) for each in ends):
        difference = float(b[i] - a[i])
        if difference:
            shown = f.signed(difference, digits=digits)
            cells = [Cell(f.score(float(each[i]), digits=digits)) for each in (a, b)]
            rows.append((Cell(ranking.query_ids[i]), *cells, Cell(shown, difference)))
    heads = (
        Column("Query, largest differences", numeric=False),
        *(Column(name(each)) for each in (row.a, row.b)),
        Column("Δ"),
    )
    return Table(f"largest-{_key(ranking, row)}", heads, tuple(rows))


def compare_command(ranking: Ranking, a: str, b: str) -> str:
    """Return what compares two of the systems; empty for objects in memory."""
    inputs = ranking.provenance.get("inputs") or {}
    paths = {role: (source or {}).get("path") for role, source in inputs.items()}
    one, two, qrels = paths.get(a), paths.get(b), paths.get("qrels")
    if not one or not two:
        return ""
    flags = [part for each in ranking.measures for part in ("-m", each) if each != "score"]
    if one == two:
        return (
            f"abrank.compare_scores(abrank.ranking.read_board({one!r}), baseline={a!r},"
            f" candidate={b!r})"
        )
    files = [qrels, one, two] if qrels else ["--scores", one, two]
    return shlex.join(["abrank", "compare", *files, *flags])


def _to_copy(ranking: Ranking) -> Iterator[Block]:
    """Return the command that compares two of very many systems."""
    row = ranking.pair_rows[0]
    command = compare_command(ranking, row.a, row.b)
    if command:
        yield Text("The full comparison of two systems, here the first pair; put any others:")
        yield Text(command, "code")
