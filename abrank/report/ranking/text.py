"""A ranking in words and numbers: text for the terminal, CSV, JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, astuple, fields
from typing import Any

from abrank._support import checks
from abrank._support import display as f
from abrank.ranking import PairRow, Ranking, SystemRow
from abrank.report import cells
from abrank.report.formats.csv import csv_text
from abrank.report.formats.plain_text import NARROWEST, WIDTH
from abrank.report.numbers import layout, plain
from abrank.report.ranking.tables import GLYPHS

SCHEMA = "abrank-ranking/1"
_LEAST_NAME = 6

_ALIKE = (
    "The test takes all systems to vary alike, and finds a little too much where they do not;"
    " paired t tests adjusted by Holm (test t) do not ask for it."
)
_ORDERS = "The test asks whether all orders of the systems are equally likely: not about means."
# What the calibration found a test to be wrong about on real systems of one mean.
_ASKED = dict.fromkeys(("tukey", "randomised-tukey", "dunnett"), _ALIKE) | dict.fromkeys(
    ("nemenyi", "conover", "bonferroni-dunn"), _ORDERS
)


def ranking_text(
    ranking: Ranking,
    *,
    width: int = WIDTH,
    ascii: bool = False,
    digits: int = f.DIGITS,
    pairs: bool = False,
) -> str:
    """Return the leaderboard as plain text.

    Parameters
    ----------
    ranking : Ranking
    width : int
        Columns, at least 40. Names are shortened to fit, numbers never.
    ascii : bool
        Use no character beyond ASCII.
    digits : int
        Decimals of means and differences.
    pairs : bool
        All pairs too, a line each.

    Returns
    -------
    str
        Lines without a line end at the last one.

    Raises
    ------
    ArgumentError
        If the width is below 40.

    Examples
    --------
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scores import Scores
    >>> values = np.array([[0.3, 0.4, 0.8], [0.5, 0.6, 0.9], [0.1, 0.3, 0.6], [0.7, 0.7, 1.0]])
    >>> scores = Scores(("q1", "q2", "q3", "q4"), ("A", "B", "C"), ("nDCG",), values[:, :, None])
    >>> print(ranking_text(rank_scores(scores)))
    nDCG, 4 queries, 3 systems
    <BLANKLINE>
       system   mean  95% interval
    1  C       0.825  [0.741, 0.909]  a
    2  B       0.500  [0.438, 0.562]  b
    3  A       0.400  [0.289, 0.511]  b
    <BLANKLINE>
    3 pairs, 2 significant (Tukey HSD, alpha 0.05)
    C is better than all others.
    Systems that share a letter are not told apart. What a query adds to all systems
    is taken out of the intervals.
    The test takes all systems to vary alike, and finds a little too much where they
    do not; paired t tests adjusted by Holm (test t) do not ask for it.
    """
    checks.count("width", width, at_least=NARROWEST)
    measure = cells.one_line(ranking.measure, width=200)
    queries = f.plural(ranking.n_queries, "query", "queries")
    blocks = [
        cells.wrap(f"{measure}, {queries}, {f.plural(len(ranking.systems), 'system')}", width),
        _table(_system_cells(ranking, digits), width, "rNrll"),
    ]
    if pairs:
        blocks.append(_table(_pair_cells(ranking, digits), width, "NNrrrl"))
    blocks.append([line for each in ranking_sentences(ranking) for line in cells.wrap(each, width)])
    text = "\n\n".join("\n".join(block) for block in blocks)
    return "\n".join(cells.to_ascii(line) if ascii else line for line in text.split("\n"))


def ranking_sentences(ranking: Ranking) -> list[str]:
    r"""Return what the ranking says, and what a reader must know about it, a sentence each.

    Examples
    --------
    >>> import numpy as np
    >>> from abrank.ranking import rank_scores
    >>> from abrank.scores import Scores
    >>> values = np.array([[0.9, 0.1], [0.2, 0.3], [0.2, 0.3], [0.2, 0.3]])
    >>> scores = Scores(("q1", "q2", "q3", "q4"), ("A", "B"), ("RR",), values[:, :, None])
    >>> print("\n".join(ranking_sentences(rank_scores(scores))[:3]))
    1 pair, none significant (Tukey HSD, alpha 0.05)
    No system is shown to be better than all others: A leads, and B is not told apart from it.
    By mean rank the order is another: B (1.25), A (1.75).
    """
    found = [_count(ranking)]
    if ranking.baseline is None and ranking.n_queries:
        found.append(_leaders(ranking))
    if ranking.n_queries and ranking.by_mean_rank != ranking.systems:
        found.append(f"By mean rank the order is another: {_by_rank(ranking)}.")
    explained = "What a query adds to all systems is taken out of the intervals."
    if ranking.baseline is None:
        explained = f"Systems that share a letter are not told apart. {explained}"
    return [*found, explained, *filter(None, [_ASKED.get(ranking.test)])]


def ranking_csv(ranking: Ranking, *, pairs: bool = False) -> str:
    """Return the leaderboard, or all pairs, as CSV at full precision.

    The columns are those of :class:`abrank.ranking.SystemRow` or :class:`abrank.ranking.PairRow`;
    what is not a finite number is an empty cell.
    """
    kind = PairRow if pairs else SystemRow
    rows: Sequence[Any] = ranking.pair_rows if pairs else ranking.rows
    return csv_text([each.name for each in fields(kind)], (astuple(row) for row in rows))


def ranking_dict(ranking: Ranking) -> dict[str, Any]:
    """Return everything as dicts, lists, text, numbers and None.

    Keys: ``schema measure n_queries settings seed method n_resamples systems pairs shares queries
    quality provenance``. A number that is not defined is None, an infinite limit is the text
    ``"inf"`` or ``"-inf"``. ``queries`` is columnar: ``query_id`` and under ``scores`` a list a
    system, in the same order.
    """
    found: dict[str, Any] = plain(
        {
            "schema": SCHEMA,
            "measure": ranking.measure,
            "n_queries": ranking.n_queries,
            "settings": {
                "test": ranking.test,
                "title": ranking.title,
                "alpha": ranking.alpha,
                "baseline": ranking.baseline,
            },
            "seed": ranking.seed,
            "method": ranking.method,
            "n_resamples": ranking.n_resamples,
            "systems": [asdict(row) for row in ranking.rows],
            "pairs": [asdict(row) for row in ranking.pair_rows],
            "shares": ranking.shares,
            "queries": {
                "query_id": ranking.query_ids,
                "scores": {
                    system: ranking.scores[:, i] for i, system in enumerate(ranking.systems)
                },
            },
            "quality": ranking.audits,
            "provenance": ranking.provenance,
        }
    )
    return found


def ranking_json(ranking: Ranking) -> str:
    """Return the text of :func:`ranking_dict`: one line a fact, a list of numbers on one line."""
    return layout(ranking_dict(ranking)) + "\n"


def _count(ranking: Ranking) -> str:
    n, against = len(ranking.pair_rows), ""
    noun = f.plural(n, "pair")
    if ranking.baseline is not None:
        noun, against = f.plural(n, "comparison"), f" with {_name(ranking.baseline)}"
    significant = f.count(ranking.n_significant) if ranking.n_significant else "none"
    how = f"{ranking.title}, alpha {f.number(ranking.alpha)}"
    return f"{noun}{against}, {significant} significant ({how})"


def _leaders(ranking: Ranking) -> str:
    first, *others = map(_name, ranking.leaders)
    if not others:
        return f"{first} is better than all others."
    shown = ", ".join(others[:3]) + (f" and {len(others) - 3} more" if len(others) > 3 else "")
    verb = "is" if len(others) == 1 else "are"
    return (
        f"No system is shown to be better than all others: {first} leads, and {shown} {verb} not"
        " told apart from it."
    )


def _by_rank(ranking: Ranking) -> str:
    """Return the first systems by mean rank, with the rank."""
    shown = [
        f"{_name(system)} ({f.score(ranking[system].mean_rank, digits=2)})"
        for system in ranking.by_mean_rank[:3]
    ]
    return ", ".join(shown) + (", …" if len(ranking.systems) > 3 else "")


def _name(system: str) -> str:
    return cells.one_line(system, width=40)


def _system_cells(ranking: Ranking, digits: int) -> list[list[str]]:
    """Return the leaderboard, a heading first; the last column has no width of its own."""
    level = f.level(1.0 - ranking.alpha)
    if ranking.baseline is None:
        last = {row.system: row.group for row in ranking.rows}
        head = ""
    else:
        last = {row.b: _against(row, digits) for row in ranking.pair_rows}
        last[ranking.baseline] = "baseline"
        head = "difference from the baseline"
    cells = [["", "system", "mean", f"{level} interval", head]]
    for row in ranking.rows:
        limits = (f.score(each, digits=digits) for each in (row.ci_low, row.ci_high))
        mean = f.score(row.mean, digits=digits)
        cells.append(
            [str(row.position), row.system, mean, f"[{', '.join(limits)}]", last[row.system]]
        )
    return cells


def _against(row: PairRow, digits: int) -> str:
    """Return difference, simultaneous interval and reading of a system against the baseline."""
    limits = _interval(row, digits)
    parts = (f.signed(row.diff, digits=digits), limits and f"({limits})", _reading(row))
    return "  ".join(part for part in parts if part)


def _interval(row: PairRow, digits: int) -> str:
    """Return the simultaneous interval; nothing for a test that has none."""
    return "" if math.isnan(row.ci_low) else f.interval(row.ci_low, row.ci_high, digits=digits)


def _reading(row: PairRow) -> str:
    return GLYPHS.get(row.reading, row.reading)


def _pair_cells(ranking: Ranking, digits: int) -> list[list[str]]:
    """Return the pairs, a heading first."""
    head = ["A", "B", "B − A", "simultaneous", "adj p", "reading of B"]
    return [head] + [
        [
            row.a,
            row.b,
            f.signed(row.diff, digits=digits),
            _interval(row, digits),
            f.pvalue(row.pvalue_adj, alpha=ranking.alpha).replace("< ", "<"),
            _reading(row),
        ]
        for row in ranking.pair_rows
    ]


def _table(rows: list[list[str]], width: int, align: str) -> list[str]:
    """Return rows in columns: right, left, or a Name, which gives way where all is too wide."""
    kinds = list(enumerate(align))
    rows = [
        [cells.one_line(row[i], width=200) if kind == "N" else row[i] for i, kind in kinds]
        for row in rows
    ]
    wide = [max(cells.columns(cell) for cell in column) for column in zip(*rows, strict=True)]
    room = width - sum(wide[i] + 2 for i, kind in kinds if kind != "N")
    for i, kind in kinds:
        if kind == "N":
            wide[i] = max(_LEAST_NAME, min(wide[i], room // align.count("N") - 2))
    lines = []
    for row in rows:
        put = [
            cells.right(row[i], wide[i])
            if kind == "r"
            else cells.left(cells.fit(row[i], wide[i]), wide[i])
            for i, kind in kinds
        ]
        lines.append("  ".join(put).rstrip())
    return lines
